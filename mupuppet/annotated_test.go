package mupuppet

import (
	"testing"
)

// The annotated rules of the thesis, each on a manifest that ends with a value in $y: its where-label, expression and
// dependencies, worked out by hand from the rules of §4.2.2, §4.3.2 and §5.2.2. Labels count constants from the left.

type annotatedCase struct {
	rule            string
	manifest        string
	where, how, dep string
}

var annotatedCases = []annotatedCase{
	{"ArithValue", "$y = 1 + 2", "⊥", "(l1 + l2)", "{l1, l2}"},
	{"CompValueI", "$y = 2 > 1", "⊥", "(l1 > l2)", "{l1, l2}"},
	{"CompValueII", "$y = 1 > 2", "⊥", "(l1 > l2)", "{l1, l2}"},
	{"AndRightI", "$y = false and true", "⊥", "(l1 and …)", "{l1}"},
	{"AndValueI", "$y = true and true", "⊥", "(l1 and l2)", "{l1, l2}"},
	{"AndValueII", "$y = true and false", "⊥", "(l1 and l2)", "{l1, l2}"},
	{"OrRightI", "$y = true or false", "⊥", "(l1 or …)", "{l1}"},
	{"OrValueI", "$y = false or true", "⊥", "(l1 or l2)", "{l1, l2}"},
	{"OrValueII", "$y = false or false", "⊥", "(l1 or l2)", "{l1, l2}"},
	{"NotValueI", "$y = !true", "⊥", "!l1", "{l1}"},
	{"NotValueII", "$y = !false", "⊥", "!l1", "{l1}"},
	{"SChoose", "$y = 1 ? { 1 => 'a' }", "l3", "l3", "{l1, l2, l3}"},
	{"SChooseI", "$y = 1 ? { 2 => 'a', 1 => 'b' }", "l5", "l5", "{l1, l2, l4, l5}"},
	{"SDefault", "$y = 1 ? { default => 'a' }", "l2", "l2", "{l1, l2}"},
	{"LVar", "$x = 1 $y = 2 ? { 2 => $x }", "l1", "l1", "{l1, l2, l3}"},
	{"PVar", "$x = 1 node default { $y = 2 ? { 2 => $x } }", "l1", "l1", "{l1, l2, l3}"},
	{"TVar", "$x = 1 $y = 2 ? { 2 => $::x }", "l1", "l1", "{l1, l2, l3}"},
	{"QVar", "class a { $x = 1 } include a $y = 2 ? { 2 => $::a::x }", "l1", "l1", "{l1, l2, l3}"},
	{"Assign", "$x = 1 $y = $x", "l1", "l1", "{l1}"},
	{"AssignStepPlus", "if true { $y = 1 + 2 }", "⊥", "(l2 + l3)", "{l1, l2, l3}"},
	{"AssignPlus", "if true { $y = 1 }", "l2", "l2", "{l1, l2}"},
	{"IfT", "if 1 == 1 { $y = 2 } else { $y = 3 }", "l3", "l3", "{l1, l2, l3}"},
	{"IfF", "if 1 == 0 { $y = 2 } else { $y = 3 }", "l4", "l4", "{l1, l2, l4}"},
	{"UnlessT", "unless true { $x = 1 } $y = 2", "l3", "l3", "{l3}"},
	{"UnlessF", "unless false { $y = 1 }", "l2", "l2", "{l1, l2}"},
	{"CaseMatch", "case 1 { 1: { $y = 2 } }", "l3", "l3", "{l1, l2, l3}"},
	{"CaseNoMatch", "case 1 { 2: { $y = 3 } 1: { $y = 4 } }", "l5", "l5", "{l1, l2, l4, l5}"},
	{"CaseDone", "case 1 { 2: { $x = 3 } } $y = 4", "l4", "l4", "{l4}"},
	{"CaseDefault", "case 1 { 2: { $y = 3 } default: { $y = 4 } }", "l4", "l4", "{l1, l2, l4}"},
	{"IncU", "class a { $x = 1 } if true { include a } $y = $::a::x", "l1", "l1", "{l1, l2}"},
	{"IncD", "class a { $x = 1 } include a if true { include a } $y = $::a::x", "l1", "l1", "{l1}"},
	{"IncPU", "class b { $x = 1 } class a inherits b { } if true { include a } $y = $::b::x", "l1", "l1", "{l1, l2}"},
	{"IncPD", "class b { } class a inherits b { $x = 1 } include b if true { include a } $y = $::a::x", "l1", "l1",
		"{l1, l2}"},
	{"CDecStepPlus", "class a ($x) { } if true { class { 'a': x => 1 + 2 } } $y = $::a::x", "⊥", "(l2 + l3)",
		"{l1, l2, l3}"},
	{"CDecUPlus", "class a ($x) { } if true { class { 'a': x => 1 } } $y = $::a::x", "l2", "l2", "{l1, l2}"},
	{"CDecPUPlus", "class b { $x = 1 } class a ($z) inherits b { } if true { class { 'a': z => 1 } } $y = $::b::x", "l1",
		"l1", "{l1, l2}"},
	{"CDecPDPlus", "class b { } class a ($x) inherits b { } include b if true { class { 'a': x => 1 } } $y = $::a::x",
		"l2", "l2", "{l1, l2}"},
	{"DefStepPlus",
		"class a ($x) { } define u ($z) { class { 'a': x => $z } } if true { u { 'w': z => 1 + 2 } } $y = $::a::x", "⊥",
		"(l3 + l4)", "{l1, l3, l4}"},
	{"DefPlus", "class a ($x) { } define u { class { 'a': x => $title } } if true { u { 'w': } } $y = $::a::x", "l2", "l2",
		"{l1, l2}"},
}

func TestAnnotated(t *testing.T) {
	for _, c := range annotatedCases {
		t.Run(c.rule, func(t *testing.T) {
			r := mustCompile(t, c.manifest, true)
			for _, v := range r.Store.Variables() {
				if v.Name != "y" {
					continue
				}
				n := v.Value.Note
				if n.Where.String() != c.where || n.How.String() != c.how || n.Dep.String() != c.dep {
					t.Errorf("%s\nwant where %s, expression %s, dependency %s\ngot  where %s, expression %s, dependency %s",
						c.manifest, c.where, c.how, c.dep, n.Where, n.How, n.Dep)
				}
				return
			}
			t.Error("no $y")
		})
	}
}

// A resource that a condition chose carries the condition as its outer annotation; its attributes carry their own only
// (Figures 5.1 and 5.5).
func TestAnnotatedResource(t *testing.T) {
	r := mustCompile(t, "$x = 1 if $x == 1 { file { 'f': owner => 'bob' } }", true)
	f := r.Catalog.Resources[0]
	if f.Outer.String() != "{l1, l2}" || f.Title.Note.Dep.String() != "{l3}" ||
		f.Attrs[0].Value.Note.Dep.String() != "{l4}" {
		t.Errorf("outer %s, title %s, owner %s; want {l1, l2}, {l3}, {l4}", f.Outer, f.Title.Note.Dep,
			f.Attrs[0].Value.Note.Dep)
	}
}

// What the thesis leaves out is refused by name when provenance is asked for, and only then.
func TestAnnotatedSubset(t *testing.T) {
	for src, want := range map[string]string{
		"$y = [1]":                     "arrays",
		"$y = {a => 1}":                "hashes",
		"file { 'f': } $y = File['f']": "resource references",
		"$x = 1 $y = $x[0]":            "dereferences",
	} {
		ds := diagnose(t, src, true)
		if len(ds) == 0 || ds[0].Code != "M0014" || ds[0].Summary != "the annotated rules leave out "+want {
			t.Errorf("%s: %v", src, ds)
		}
	}
}
