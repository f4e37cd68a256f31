package main

import (
	"context"
	"fmt"
	"strings"

	"bunraku/fleet"
	"bunraku/puppet/compiler"
	"bunraku/source"

	"github.com/spf13/cobra"
)

// A languagesFlag is one language or two, separated by a comma.
type languagesFlag struct{ first, later *source.Language }

func (f *languagesFlag) String() string {
	if *f.later != 0 {
		return f.first.String() + "," + f.later.String()
	}
	return f.first.String()
}

// Set implements pflag.Value.
func (f *languagesFlag) Set(text string) (err error) {
	first, later, two := strings.Cut(text, ",")
	if *f.first, err = source.ParseLanguage(first); err == nil && two {
		*f.later, err = source.ParseLanguage(later)
	}
	return err
}

// Type implements pflag.Value.
func (f *languagesFlag) Type() string { return "NAME" }

// migrate compiles every node that has facts under two languages and says what stands in the way.
func (a *app) migrate(ctx context.Context, cmd *cobra.Command, root string, flags *checkFlags) error {
	opt := a.options(cmd, &flags.compileFlags)
	before := compiler.NewWorkspace(root, opt)
	opt.Language = flags.later
	after := compiler.NewWorkspace(root, opt)
	view := before.Disk()
	real, err := fleet.Nodes(view, root, flags.facts)
	if err != nil {
		return err
	}
	if len(real) == 0 {
		return fail("there are no facts: put the nodes' facts into facts/, or give --facts DIR")
	}
	from, to := flags.language.Title(), flags.later.Title()
	same, edited, refused, failed := 0, 0, 0, 0
	told := map[string]bool{}
	for _, n := range fleet.Real(real) {
		if flags.node != "" && !strings.EqualFold(n.Facts.Name, flags.node) {
			continue
		}
		m, err := fleet.Migrate(ctx, before, after, view, n.Node)
		if err != nil {
			return err
		}
		switch {
		case m.Failure != nil:
			failed++
			fmt.Fprintf(a.out, "%s does not compile under %s either:\n", m.Node, from)
			a.report(source.Diagnostics{m.Failure})
		case m.Same() && len(m.Steps) == 0:
			same++
		case m.Same():
			edited++
			fmt.Fprintf(a.out, "%s compiles under %s to the same catalog after %s\n", m.Node, to, plural(len(m.Steps), "edit"))
		case m.Done:
			refused++
			fmt.Fprintf(a.out, "%s compiles under %s to another catalog:\n  %s\n", m.Node, to, strings.Join(m.Changes, "\n  "))
		default:
			refused++
			fmt.Fprintf(a.out, "%s does not compile under %s\n", m.Node, to)
		}
		for _, s := range m.Steps {
			key := s.Trouble.Summary + s.Trouble.Place.String()
			if told[key] {
				continue
			}
			told[key] = true
			d := *s.Trouble
			if d.Help = "no edit is known that both take"; s.Edit != nil {
				d.Help = fmt.Sprintf("at %s write %s", s.Edit.Place, strings.TrimSpace("`"+s.Edit.Text+"`"))
				if s.Edit.Text == "" {
					d.Help = fmt.Sprintf("at %s leave it out: it is empty under %s", s.Edit.Place, from)
				}
				if !m.Same() {
					d.Help += ", which takes this error away"
				}
			}
			a.report(source.Diagnostics{&d})
		}
	}
	fmt.Fprintf(a.out, "%s: %s same under %s, %d after edits, %d not; %d refused by both\n",
		plural(same+edited+refused+failed, "node"),
		fmt.Sprintf("%d the", same), to, edited, refused, failed)
	switch {
	case failed > 0:
		return &exitError{code: exitFailed}
	case refused > 0 || edited > 0:
		return &exitError{code: exitNo}
	}
	return nil
}
