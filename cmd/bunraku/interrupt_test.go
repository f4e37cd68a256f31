package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"sync/atomic"
	"testing"

	"bunraku/report/redact"

	"github.com/spf13/cobra"
)

// A counting context ends after it was asked some number of times.
type counting struct {
	context.Context
	cancel context.CancelFunc
	left   *atomic.Int64
}

func (c counting) Err() error {
	if c.left.Add(-1) < 0 {
		c.cancel()
	}
	return c.Context.Err()
}

// Whoever ends a check sees what was finished by then.
func TestInterruptedCheck(t *testing.T) {
	files := map[string]string{"manifests/site.pp": "node default { exec { \"m ${facts['networking']['fqdn']}\": " +
		"command => '/bin/mkdir /srv/x' } }\nnode 'n3' { fail('no') }\n"}
	const nodes = 8
	for i := range nodes {
		name := fmt.Sprintf("n%d", i)
		files["facts/"+name+".json"] = strings.Replace(facts12, "NAME", name, 1)
	}
	repo := writeRepo(t, files)
	partly := 0
	for asked := int64(2); asked < 400; asked += 1 + asked/8 {
		var out, errText bytes.Buffer
		hidden := &redact.Secrets{}
		a := &app{in: strings.NewReader(""), out: redact.NewScreen(&out, hidden, false),
			err: redact.NewScreen(&errText, hidden, false), secrets: hidden}
		ctx, cancel := context.WithCancel(context.Background())
		left := &atomic.Int64{}
		left.Store(asked)
		flags, cmd := &checkFlags{}, &cobra.Command{}
		flags.compileFlags.add(cmd)
		flags.judgeFlags.add(cmd)
		err := a.check(counting{ctx, cancel, left}, cmd, repo, flags)
		cancel()
		if err == nil || !strings.Contains(err.Error(), "interrupted") {
			break // it got to the end
		}
		var done int
		if _, scanErr := fmt.Sscanf(err.Error(), "interrupted: %d of 8 nodes", &done); scanErr != nil {
			if !strings.Contains(err.Error(), "files were read") {
				t.Errorf("after %d: %v", asked, err)
			}
			continue
		}
		shown := 0
		for line := range strings.Lines(out.String()) {
			if strings.HasPrefix(line, "  n") {
				shown++
			}
		}
		if shown != done || done > 0 && strings.Contains(out.String(), "Every node is") {
			t.Errorf("after %d: %d nodes shown, %v\n%s", asked, shown, err, &out)
		}
		if done > 1 && done < nodes {
			partly++
		}
	}
	if partly == 0 {
		t.Error("no run was ended in the middle")
	}
}

// A damaged side file is told from a good one, and never a bug.
func TestDamagedSideFiles(t *testing.T) {
	repo := writeRepo(t,
		map[string]string{"manifests/site.pp": "$x = $facts['os']['name'] ? { 'Debian' => 1, default => 2 }\nfile { '/a': " +
			"mode => \"0${x}\" }\nif $x == 2 { notify { 'n': } }\n",
			"facts/a.json": strings.Replace(facts12, "NAME", "a", 1)})
	t.Chdir(repo)
	if code, _, errText := call("compile", ".", "--provenance", "side.json"); code != exitFine {
		t.Fatal(errText)
	}
	good, err := os.ReadFile("side.json")
	must(t, err)
	random := rand.New(rand.NewPCG(1, 2))
	for i := range 400 {
		bad := damaged(t, random, good, i)
		must(t, os.WriteFile("bad.json", bad, 0o644))
		for _, question := range [][]string{{"File[/a]", "mode"}, {"$x"}, {"--why-not", "Notify[n]"},
			{"--reaches", "fact:os"}, {"File[/a]", "--dependency"}, {"fact:os", "--format", "json"}} {
			_, _, errText := call(append([]string{"explain", ".", "--from", "bad.json"}, question...)...)
			if strings.Contains(errText, "This is a fault of bunraku") {
				t.Fatalf("%d %v: %s", i, question, errText)
			}
		}
	}
}

// damaged changes some value of a JSON document, or some byte.
func damaged(t *testing.T, random *rand.Rand, good []byte, i int) []byte {
	if i%4 == 0 {
		bad := bytes.Clone(good)
		bad[random.IntN(len(bad))] = "0123456789nulx\"{}[],"[random.IntN(20)]
		return bad
	}
	var doc any
	must(t, json.Unmarshal(good, &doc))
	left := random.IntN(300)
	var change func(v any) any
	change = func(v any) any {
		if left--; left == 0 {
			return []any{nil, -1.0, 99999.0, "x", []any{}, map[string]any{}, true}[random.IntN(7)]
		}
		switch v := v.(type) {
		case []any:
			for k := range v {
				v[k] = change(v[k])
			}
		case map[string]any:
			for k := range v {
				v[k] = change(v[k])
			}
		}
		return v
	}
	bad, err := json.Marshal(change(doc))
	must(t, err)
	return bad
}
