package model_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"bunraku/verify"
	"bunraku/verify/model"
)

// Commands that multiply, or that are longer than any that people write, are commands that nobody has read; the rest of
// the catalog is judged all the same, and the bound is named.
func TestHostileCommands(t *testing.T) {
	loops, close := "", ""
	for i := range 5 {
		loops += fmt.Sprintf("for v%d in %s; do ", i, strings.Repeat("a b c d e ", 10))
		close += "; done"
	}
	var alternatives []string
	for i := range 60 {
		alternatives = append(alternatives, fmt.Sprintf("( test -f /a%d || mkdir /srv/a%d )", i, i))
	}
	for name, command := range map[string]string{
		"twenty thousand": "mkdir /srv/x" + strings.Repeat(" && mkdir /srv/y", 20000),
		"four thousand":   "cd /" + strings.Repeat(" && mkdir /srv/y", 4000),
		"nested loops":    loops + "mkdir /srv/$v0" + close,
		"alternatives":    strings.Join(alternatives, " && "),
	} {
		text := fmt.Sprintf("exec { 'hostile': command => '/bin/sh -c \"%s\"', creates => '/srv/done' }\n", command) +
			"file { '/srv/d': ensure => directory }\nexec { '/usr/bin/touch /srv/d/x': creates => '/srv/d/x' }\n"
		lines, r := findings(t, site(t, text), model.Options{Platform: "debian-12"}, "V101")
		if len(lines) != 1 {
			t.Errorf("%s: %q", name, lines)
		}
		if len(r.Unknown) == 0 && r.Model.Unmodelled == 0 && name != "four thousand" {
			t.Errorf("%s: nothing is unknown", name)
		}
	}
}

// When the budget is spent, what was found is shown, the rest is unknown, and the bound is named; at every size of the
// budget.
func TestBudgetSpent(t *testing.T) {
	g := site(t, mixed(200, 2)+appends(12))
	sizes := map[int]bool{}
	for _, units := range []int{1, 2, 4, 8, 1000} {
		opt, search := model.Options{Platform: "debian-12"}, verify.DefaultOptions()
		model.Within(context.Background(), units, &opt, &search)
		r, err := model.Verify(context.Background(), g, opt, search)
		if err != nil {
			t.Fatal(err)
		}
		spent := strings.Contains(strings.Join(r.Unknown, "\n"),
			fmt.Sprintf("the budget is spent: more than %d000000 steps (", units))
		if spent != r.Partial && units < 1000 && spent {
			t.Errorf("%d units: partial %v", units, r.Partial)
		}
		for _, f := range r.Findings {
			if spent && f.Code == "V101" && f.Fix != nil && f.Fix.Verified {
				t.Errorf("%d units: a fix is verified that was not tried to the end", units)
			}
		}
		sizes[len(r.Findings)] = true
		if units == 1000 && len(r.Unknown) > 0 {
			t.Errorf("%d units are not enough: %v", units, r.Unknown)
		}
	}
}

// A context that ends aborts: there is no verdict then.
func TestAborted(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if r, err := model.Verify(ctx, site(t, mixed(1000, 2)), model.Options{Platform: "debian-12"},
		verify.DefaultOptions()); !errors.Is(err, context.Canceled) || r != nil {
		t.Errorf("%v, %v", r, err)
	}
}
