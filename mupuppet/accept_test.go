package mupuppet

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"bunraku/internal/live"
	"bunraku/source"
)

// The acceptance bars of the issue "µPuppet: the rules, executable". Each prints its figure beside the bar.

// 1. The tests that the paper's Table 1 counts as passing give Puppet's catalog; the unsupported are refused by name.
func TestAcceptCorpus(t *testing.T) {
	live.Accept(t)
	s := runCorpus(t)
	t.Logf("1. passing tests of Table 1 and §5.2 that give Puppet's catalog: %d of %d (bar: all)", s.pass, s.passOf)
	t.Logf("1. tests that fail in Puppet and fail here: %d of %d (bar: all)", s.fail, s.failOf)
	t.Logf("1. unsupported tests refused by the feature's name: %d of %d (bar: all)", s.refuse, s.refuseOf)
	for _, p := range s.problems {
		t.Error(p)
	}
}

// 2. Random programs: µPuppet and Puppet agree, or differ as listed. (The same against our own evaluator belongs to a
// package that may import both.)
func TestAcceptPuppet(t *testing.T) {
	live.Accept(t)
	plain := compareLive(t, 5000, 7, GenerateOptions{})
	t.Logf("2. random programs on which µPuppet and Puppet agree: %d of %d, %d of them by failing (bar: all)", plain.agree,
		plain.programs, plain.bothFail)
	risky := compareLive(t, 2000, 8, GenerateOptions{Risky: true})
	n := 0
	for _, d := range Differences() {
		t.Logf("2.   %-16s %d of %d programs with it differ", d, risky.explained[d], risky.exposed[d])
		n += risky.explained[d]
	}
	t.Logf("2. random programs with one known difference: %d of %d agree, %d differ as listed, %d otherwise (bar: 0 "+
		"otherwise)",
		risky.agree, risky.programs, n, len(risky.unexplained))
	for _, u := range append(plain.unexplained, risky.unexplained...) {
		t.Error(u)
	}
}

// 3. A manifest of 2,000 declarations within a second, though each step is a step.
func TestAcceptSpeed(t *testing.T) {
	live.Accept(t)
	for _, m := range largeManifests(2000) {
		began := time.Now()
		r, ds := Compile(source.NewFile("large.pp", m.text), Options{})
		took := time.Since(began)
		if r == nil {
			t.Fatalf("%s: %s", m.shape, ds[0])
		}
		t.Logf("3. 2,000 declarations, %s: %d steps in %.3f s (bar: 1 s)", m.shape, r.Steps, took.Seconds())
		if took > time.Second {
			t.Errorf("%s took %v", m.shape, took)
		}
	}
}

type largeManifest struct{ shape, text string }

// largeManifests are manifests of n declarations in different shapes: side by side, in a class each, in a definition
// each, and nested as deep as they are many.
func largeManifests(n int) []largeManifest {
	var flat, classes, defines, nested, parents strings.Builder
	defines.WriteString("define d ($x, $y = $x + 1) { file { $title: owner => $x, mode => $y } }\n")
	for i := range n {
		fmt.Fprintf(&flat, "$v%d = %d + 1\nfile { 'f%d': owner => $v%d, mode => '0644' }\n", i, i, i, i)
		fmt.Fprintf(&classes, "class c%d ($x = %d) { file { 'f%d': owner => $x } }\ninclude c%d\n", i, i, i, i)
		fmt.Fprintf(&defines, "d { 'f%d': x => %d }\n", i, i)
		fmt.Fprintf(&nested, "class c%d { include c%d file { 'f%d': } }\n", i, i+1, i)
		inherits := ""
		if i > 0 {
			inherits = fmt.Sprintf(" inherits c%d", i-1)
		}
		fmt.Fprintf(&parents, "class c%d%s { file { 'f%d': } }\n", i, inherits, i)
	}
	fmt.Fprintf(&nested, "class c%d { }\ninclude c0\n", n)
	fmt.Fprintf(&parents, "include c%d\n", n-1)
	return []largeManifest{{"side by side", flat.String()}, {"a class each", classes.String()},
		{"a defined type", defines.String()},
		{"classes that include the next", nested.String()}, {"classes that inherit", parents.String()}}
}

// The large manifests give what they should; no time is asserted here.
func TestLargeManifests(t *testing.T) {
	for _, m := range largeManifests(200) {
		if r := mustCompile(t, m.text, false); len(r.Catalog.Resources) != 200 {
			t.Errorf("%s: %d resources", m.shape, len(r.Catalog.Resources))
		}
	}
}

func BenchmarkLarge(b *testing.B) {
	for _, m := range largeManifests(2000) {
		b.Run(m.shape, func(b *testing.B) {
			for b.Loop() {
				if r, ds := Compile(source.NewFile("large.pp", m.text), Options{}); r == nil {
					b.Fatal(ds[0])
				}
			}
		})
	}
}
