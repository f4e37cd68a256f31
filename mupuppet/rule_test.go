package mupuppet

import (
	"slices"
	"strings"
	"testing"

	"bunraku/source"
)

// Every rule on its own: a manifest that needs it, and the step that the paper's rule makes of it, written by hand from
// the rule. A congruence rule is found in the derivation of the step; an axiom is the step.

type ruleCase struct {
	rule     string
	manifest string
	want     string // "redex → contractum", or "redex → change" when the environments change
}

var ruleCases = []ruleCase{
	// C.2, variables
	{"LVar", "$x = 1 $y = $x", "$x → 1"},
	{"PVar", "$x = 1 node default { $y = $x }", "$x → 1"},
	{"TVar", "$x = 1 node default { $x = 2 $y = $::x }", "$::x → 1"},
	{"QVar", "class a { $x = 1 } include a $y = $::a::x", "$::a::x → 1"},
	// C.2, arithmetic
	{"ArithLeft", "$y = (1 + 2) + 3", "1 + 2 → 3"},
	{"ArithRight", "$y = 1 + (2 + 3)", "2 + 3 → 5"},
	{"ArithValue", "$y = 7 - 9", "7 - 9 → -2"},
	// C.2, comparison
	{"CompLeft", "$y = (1 + 1) > 3", "1 + 1 → 2"},
	{"CompRight", "$y = 1 > (1 + 1)", "1 + 1 → 2"},
	{"CompValueI", "$y = 2 > 1", "2 > 1 → true"},
	{"CompValueII", "$y = 1 > 1", "1 > 1 → false"},
	// C.2, Booleans
	{"AndLeft", "$y = (1 > 0) and true", "1 > 0 → true"},
	{"AndRightI", "$y = false and (1 > 0)", "false and (1 > 0) → false"},
	{"AndRightII", "$y = true and (1 > 0)", "1 > 0 → true"},
	{"AndValueI", "$y = true and true", "true and true → true"},
	{"AndValueII", "$y = true and false", "true and false → false"},
	{"OrLeft", "$y = (1 > 0) or true", "1 > 0 → true"},
	{"OrRightI", "$y = true or (1 > 0)", "true or (1 > 0) → true"},
	{"OrRightII", "$y = false or (1 > 0)", "1 > 0 → true"},
	{"OrValueI", "$y = false or true", "false or true → true"},
	{"OrValueII", "$y = false or false", "false or false → false"},
	{"NotStep", "$y = !(1 > 0)", "1 > 0 → true"},
	{"NotValueI", "$y = !true", "!true → false"},
	{"NotValueII", "$y = !false", "!false → true"},
	// C.2, arrays and hashes
	{"ArrExp", "$y = [1 + 1]", "1 + 1 → 2"},
	{"ArrEle", "$y = [1, 1 + 1]", "1 + 1 → 2"},
	{"ArrEleI", "$y = [1 + 1, 2]", "1 + 1 → 2"},
	{"HExp", "$y = {a => 1 + 1}", "1 + 1 → 2"},
	{"HEle", "$y = {a => 1, b => 1 + 1}", "1 + 1 → 2"},
	{"HEleI", "$y = {a => 1 + 1, b => 1}", "1 + 1 → 2"},
	// C.2, selectors
	{"SCon", "$y = (1 + 1) ? { 2 => 'a' }", "1 + 1 → 2"},
	{"SEle", "$y = 2 ? { 1 + 1 => 'a' }", "1 + 1 → 2"},
	{"SChoose", "$y = 2 ? { 2 => 'a', 3 => 'b' }", "2 ? {2 => 'a', 3 => 'b'} → 'a'"},
	{"SChooseI", "$y = 3 ? { 2 => 'a', 3 => 'b' }", "3 ? {2 => 'a', 3 => 'b'} → 3 ? {3 => 'b'}"},
	{"SDefault", "$y = 3 ? { default => 'a' }", "3 ? {default => 'a'} → 'a'"},
	// C.2, dereference
	{"DeRefExp", "$x = [1] $y = $x[0]", "$x → [1]"},
	{"DeRefIndex", "$x = [1] $y = $x[1 - 1]", "1 - 1 → 0"},
	{"DeRefArray", "$x = [1, 2] $y = $x[1]", "[1, 2][1] → 2"},
	{"DeRefHash", "$x = {a => 1, 2 => 3} $y = $x[2]", "{'a' => 1, 2 => 3}[2] → 3"},
	{"RefRes", "$x = 'f' $y = File[$x]", "$x → 'f'"},
	{"DeRefRes", "file { 'f': owner => 'bob' } $y = File['f']['owner']", "File['f']['owner'] → 'bob'"},
	// C.3
	{"RbodyExp", "file { 'f': owner => 1 + 1 }", "1 + 1 → 2"},
	{"RbodyStep", "file { 'f': owner => 1, mode => 1 + 1 }", "1 + 1 → 2"},
	{"RName", "$x = 'f' file { $x: owner => 1 }", "$x → 'f'"},
	{"Rbody", "file { 'f': owner => 1 + 1 }", "1 + 1 → 2"},
	// C.4
	{"ExprStep", "1 + 1", "1 + 1 → 2"},
	{"Expr", "2", "2 → skip"},
	{"SeqStep", "node default { $x = 1 $y = 2 }", "$x = 1 → σ[::nd $x : 1]"},
	{"SeqSkip", "node default { $x = 1 $y = 2 }", "skip ␣ $y = 2 → $y = 2"},
	{"AssignStep", "$x = 1 + 1", "1 + 1 → 2"},
	{"Assign", "$x = 1", "$x = 1 → σ[:: $x : 1]"},
	{"IfStep", "if 1 > 0 { $x = 1 }", "1 > 0 → true"},
	{"IfT", "if true { $x = 1 } else { $x = 2 }", "if true {$x = 1} else {$x = 2} → $x = 1"},
	{"IfF", "if false { $x = 1 } else { $x = 2 }", "if false {$x = 1} else {$x = 2} → $x = 2"},
	{"UnlessStep", "unless 1 > 0 { $x = 1 }", "1 > 0 → true"},
	{"UnlessT", "unless true { $x = 1 }", "unless true {$x = 1} → skip"},
	{"UnlessF", "unless false { $x = 1 }", "unless false {$x = 1} → $x = 1"},
	{"CaseStep1", "case 1 + 1 { 2: { $x = 1 } }", "1 + 1 → 2"},
	{"CaseStep2", "case 2 { 1 + 1: { $x = 1 } }", "1 + 1 → 2"},
	{"CaseMatch", "case 2 { 2: { $x = 1 } 3: { $x = 2 } }", "case 2 {2: {$x = 1} ␣ 3: {$x = 2}} → $x = 1"},
	{"CaseNoMatch", "case 3 { 2: { $x = 1 } 3: { $x = 2 } }", "case 3 {2: {$x = 1} ␣ 3: {$x = 2}} → case 3 {3: {$x = 2}}"},
	{"CaseDone", "case 3 { 2: { $x = 1 } }", "case 3 {} → skip"},
	{"CaseDefault", "case 3 { default: { $x = 1 } }", "case 3 {default: {$x = 1}} → $x = 1"},
	{"ResStep", "file { 'f': owner => 1 + 1 }", "1 + 1 → 2"},
	{"ResDecl", "file { 'f': owner => 1 }", "file {'f': owner => 1} → v_C ␣ File[f]"},
	{"DefStep", "define u ($x) { } u { 'w': x => 1 + 1 }", "1 + 1 → 2"},
	{"Def", "define u ($x) { file { 'f': } } u { 'w': x => 1 }",
		"u {'w': x => 1} → scope (:: def) {$title = 'w' ␣ $name = 'w' ␣ {$x = 1 ␣ skip} ␣ file {'f':}}"},
	{"IncU", "class a { $x = 1 } include a", "include a → κ[a : DeclaredClass(::)]"},
	{"IncD", "class a { } include a include a", "include a → skip"},
	{"IncPU", "class b { } class a inherits b { } include a", "include a → include b ␣ include a"},
	{"IncPD", "class b { } class a inherits b { } node default { include a }", "include a → κ[a : DeclaredClass(::b)]"},
	{"CDecStep", "class a ($x) { } class { 'a': x => 1 + 1 }", "1 + 1 → 2"},
	{"CDecU", "class a ($x) { } node default { class { 'a': x => 1 } }", "class {a: x => 1} → κ[a : DeclaredClass(::nd)]"},
	{"CDecPU", "class b { } class a ($x) inherits b { } class { 'a': x => 1 }",
		"class {a: x => 1} → include b ␣ class {a: x => 1}"},
	{"CDecPD", "class b { } class a ($x) inherits b { } class { 'a': x => 1 }",
		"class {a: x => 1} → κ[a : DeclaredClass(::b)]"},
	{"ScopeStep", "node default { $x = 1 }", "$x = 1 → σ[::nd $x : 1]"},
	{"DefScopeStep", "define u { $x = 1 } u { 'w': }", "$x = 1 → σ[:: def $x : 1]"},
	{"ScopeDone", "node default { $x = 1 }", "scope (::nd) {skip} → skip"},
	{"DefScopeDone", "define u { } node default { u { 'w': } }", "scope (::nd def) {skip} → clear(σ, ::nd def)"},
	// C.5
	{"TopScope", "$x = 1", "$x = 1 → σ[:: $x : 1]"},
	{"MSeqStep", "$x = 1 $y = 2", "$x = 1 → σ[:: $x : 1]"},
	{"MSeqSkip", "$x = 1 $y = 2", "skip ␣ $y = 2 → $y = 2"},
	{"NodeMatch", "node default { $x = 1 }", "node default {$x = 1} → scope (::nd) {$x = 1}"},
	{"NodeNoMatch", "node 'other' { $x = 1 }", "node 'other' {$x = 1} → skip"},
	{"RDef", "define u ($x, $y = 1) { }", "define u ($x, $y = 1) {skip} → κ[u : ResourceDef($x, $y = 1, …)]"},
	{"CDef", "class a { }", "class a {skip} → κ[a : ClassDef(⊥, ε, …)]"},
	{"CDefI", "class a inherits b { }", "class a inherits b {skip} → κ[a : ClassDef(b, ε, …)]"},
	{"CDefP", "class a ($x = 1) { }", "class a ($x = 1) {skip} → κ[a : ClassDef(⊥, $x = 1, …)]"},
	{"CDefPI", "class a ($x) inherits b { }", "class a ($x) inherits b {skip} → κ[a : ClassDef(b, $x, …)]"},
}

// plusCases are the rules of the thesis's §5.2.2.5, for constructs with an outer annotation. Labels count the constants
// of the manifest; the condition is l1.
var plusCases = []ruleCase{
	{"Expre", "if true { $x = 2 ? { 2 => 3 } $y = $x ? { 3 => $x } }", "$x → 3"},
	{"Statement", "class a { $x = 1 } if true { include a }", "include a → κ[a : DeclaredClass(::)]"},
	{"AssignStepPlus", "if true { $x = 1 + 1 }", "1 + 1 → 2"},
	{"AssignPlus", "if true { $x = 1 }", "($x = 1)^+{l1} → σ[:: $x : 1]"},
	{"ResDeclPlus", "if true { file { 'f': } }", "(file {'f':})^+{l1} → v_C ␣ File[f]"},
	{"DefStepPlus", "define u ($x) { } if true { u { 'w': x => 1 + 1 } }", "1 + 1 → 2"},
	{"DefPlus", "define u { $y = 2 } if true { u { 'w': } }",
		"(u {'w':})^+{l2} → scope (:: def) {$title = 'w' ␣ $name = 'w' ␣ skip ␣ ($y = 2)^+{l2}}"},
}

func (c ruleCase) steps(t *testing.T, provenance bool) []Step {
	t.Helper()
	file := source.NewFile("rule.pp", c.manifest)
	m, data := mustRead(t, file, provenance)
	var steps []Step
	if _, ds := Evaluate(file, m, data, Options{Observe: func(s Step) { steps = append(steps, s) }}); len(ds) > 0 {
		t.Fatalf("%s", ds[0])
	}
	return steps
}

func (s Step) summary() string {
	if s.Change.Kind != NoChange {
		return s.Redex + " → " + s.Change.String()
	}
	return s.Redex + " → " + s.Contractum
}

func TestRules(t *testing.T) {
	tested := map[string]bool{}
	for i, c := range append(slices.Clone(ruleCases), plusCases...) {
		tested[c.rule] = true
		t.Run(c.rule, func(t *testing.T) {
			var met []string
			for _, s := range c.steps(t, i >= len(ruleCases)) {
				if s.Rule != c.rule && !slices.Contains(s.Derivation, c.rule) {
					continue
				}
				if s.summary() == c.want {
					return
				}
				met = append(met, s.summary())
			}
			t.Errorf("%s\nwant %s\ngot  %s", c.manifest, c.want, strings.Join(met, "\n     "))
		})
	}
	for _, r := range Rules() {
		if !tested[r.Name] {
			t.Errorf("rule %s has no case", r.Name)
		}
	}
}

// The judgements on scopes, α parentof_κ β and α baseof_κ β.
func TestScopeRules(t *testing.T) {
	κ := newDefinitions()
	κ.entries["a"] = &Definition{Kind: DeclaredClass, Scope: NodeScope()}
	κ.entries["b"] = &Definition{Kind: DeclaredClass, Scope: ClassScope("a")}
	κ.entries["c"] = &Definition{Kind: DeclaredClass, Scope: TopScope()}
	κ.entries["d"] = &Definition{Kind: ClassDef}
	top, nd, a, b, c := TopScope(), NodeScope(), ClassScope("a"), ClassScope("b"), ClassScope("c")
	none := Scope{kind: 99}
	for _, x := range []struct {
		rule         string
		α            Scope
		parent, base Scope
	}{
		{"BTop", top, none, top},
		{"PNode BNode", nd, top, nd},
		{"PClass BClass", a, nd, nd},
		{"PClass BClass", b, a, nd},
		{"PClass BClass", c, top, top},
		{"PDefRes BDefRes", nd.Def(), nd, nd},
		{"PDefRes BDefRes", b.Def().Def(), nd, nd},
		{"PDefRes BDefRes", c.Def(), top, top},
		{"PClass BClass", ClassScope("d"), none, none},
	} {
		for _, j := range []struct {
			name string
			f    func(*Definitions, Scope) (Scope, bool)
			want Scope
		}{{"parentof", parentOf, x.parent}, {"baseof", baseOf, x.base}} {
			got, ok := j.f(κ, x.α)
			if !ok {
				got = none
			}
			if got != j.want {
				t.Errorf("%s: %s %s %s, want %s", x.rule, got, j.name, x.α, j.want)
			}
		}
	}
}
