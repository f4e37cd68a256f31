package mupuppet

import (
	"strings"
	"testing"

	"bunraku/puppet/syntax"
	"bunraku/source"
)

// diagnose reads and runs a manifest and returns what there is to say about it. It leaves Puppet's validation out,
// which would refuse some manifests before a rule could.
func diagnose(t *testing.T, src string, provenance bool) source.Diagnostics {
	t.Helper()
	file := source.NewFile("test.pp", src)
	tree, ds := syntax.Parse(file, syntax.Options{})
	if ds.HasErrors() {
		return ds
	}
	m, data, ds := Translate(tree, provenance)
	if ds.HasErrors() {
		return ds
	}
	_, ds = Evaluate(file, m, data, Options{})
	return ds
}

// A stuck configuration says what is wrong, where, and which rule needs what.
func TestStuck(t *testing.T) {
	for _, c := range []struct{ src, code, place, summary, premise string }{
		{"$y = $x", "M0002", "1:6", "Unknown variable: 'x'",
			"failed premise of PVar: $x →β v for some β with β parentof_κ ::"},
		{"$y = $::x", "M0002", "1:6", "Unknown variable: '::x'", "failed premise of TVar: x ∈ dom(σ_::)"},
		{"class a { }\n$y = $::a::x", "M0002", "2:6", "Unknown variable: '::a::x'", "failed premise of QVar: x ∈ dom(σ_::a)"},
		{"$x = 1\n$x = 2", "M0003", "2:1", "Cannot reassign variable '$x'", "failed premise of Assign: x ∉ dom(σ_::)"},
		{"$y = 1 + 'a'", "M0004", "1:10", "expected an integer, got a string",
			"failed premise of ArithValue: the right operand of + is an integer i2"},
		{"$y = 'a' + (1 + 1)", "M0004", "1:6", "expected an integer, got a string",
			"failed premise of ArithRight: the left operand of + is an integer i"},
		{"$y = 1 / 0", "M0004", "1:6", "Division by 0",
			"failed premise of ArithValue: i1 /_ℤ i2 is defined for i1 = 1, i2 = 0"},
		{"$y = 9223372036854775807 + 1", "M0004", "1:6", "9223372036854775807 + 1 is outside 64 bits",
			"failed premise of ArithValue: "},
		{"$y = 'a' > 1", "M0004", "1:6", "expected an integer, got a string", "failed premise of CompValueI: "},
		{"$y = 1 and true", "M0004", "1:6", "expected a boolean, got an integer", "failed premise of AndLeft: "},
		{"$y = true and 1", "M0004", "1:15", "expected a boolean, got an integer", "failed premise of AndValueI: "},
		{"$y = 1 or true", "M0004", "1:6", "expected a boolean, got an integer", "failed premise of OrLeft: "},
		{"$y = false or 1", "M0004", "1:15", "expected a boolean, got an integer", "failed premise of OrValueI: "},
		{"$y = !1", "M0004", "1:7", "expected a boolean, got an integer", "failed premise of NotStep: "},
		{"if 1 { $x = 1 }", "M0004", "1:4", "expected a boolean, got an integer",
			"failed premise of IfT: the condition is true or false (IfT, IfF)"},
		{"unless 1 { $x = 1 }", "M0004", "1:8", "expected a boolean, got an integer", "failed premise of UnlessT: "},
		{"$y = 1 ? { 2 => 3 }", "M0005", "1:6", "No matching entry for selector parameter with value 1",
			"failed premise of SEle: "},
		{"file { 'f': }\nfile { 'f': }", "M0006", "2:1", "Duplicate declaration: File[f] is already declared",
			"failed premise of ResDecl: v_C has no resource File[f]"},
		{"file { 1: }", "M0007", "1:8", "expected a string as title, got an integer", "failed premise of ResDecl: "},
		{"define u { }\nu { 1: }", "M0007", "2:5", "expected a string as title, got an integer", "failed premise of Def: "},
		{"include a\nclass a { }", "M0008", "1:1", "Could not find class a", "failed premise of IncU: κ(a) = ClassDef"},
		{"class a inherits b { }\ninclude a", "M0008", "2:1", "Could not find parent class b", "failed premise of IncPU: "},
		{"u { 'w': }\ndefine u { }", "M0008", "1:1", "Could not find defined type u",
			"failed premise of Def: κ(u) = ResourceDef(ρ, s)"},
		{"define a { }\ninclude a", "M0008", "2:1", "Could not find class a", "failed premise of IncU: "},
		{"class a { }\nclass { 'a': }\nclass { 'a': }", "M0009", "3:1", "Duplicate declaration: Class[a] is already declared",
			"failed premise of CDecU: κ(a) = ClassDef(c, ρ, s)"},
		{"class a ($x) { }\ninclude a", "M0010", "2:1", "expects a value for parameter 'x'",
			"failed premise of IncU: merge(ρ, v_H) for class a is defined"},
		{"define u ($x) { }\nu { 'w': }", "M0010", "2:1", "expects a value for parameter 'x'", "failed premise of Def: "},
		{"class a { }\nclass a { }", "M0011", "2:1", "'a' is already defined; cannot redefine",
			"failed premise of CDef: a ∉ dom(κ)"},
		{"class a { }\ndefine a { }", "M0011", "2:1", "'a' is already defined; cannot redefine", "failed premise of RDef: "},
		{"$x = [1]\n$y = $x[1]", "M0012", "2:6", "the array has no element 1",
			"failed premise of DeRefArray: 0 ≤ n ≤ m for n = 1, m = 0"},
		{"$x = {a => 1}\n$y = $x['b']", "M0012", "2:6", "the hash has no key 'b'", "failed premise of DeRefHash: "},
		{"$y = File['f']['owner']", "M0012", "1:6", "Resource not found: File['f']",
			"failed premise of DeRefRes: lookup_C(v_C, File, 'f', owner) = v"},
		{"file { 'f': }\n$y = File['f']['owner']", "M0012", "2:6", "File['f'] has no attribute 'owner'",
			"failed premise of DeRefRes: "},
		{"$x = 1\n$y = $x[0]", "M0004", "2:6", "expected an array, a hash or a resource reference, got an integer",
			"failed premise of DeRefArray: "},
	} {
		ds := diagnose(t, c.src, false)
		if len(ds) != 1 {
			t.Errorf("%q: %d diagnostics", c.src, len(ds))
			continue
		}
		d := ds[0]
		if d.Code != c.code || d.Place.String() != "test.pp:"+c.place || d.Summary != c.summary ||
			!strings.Contains(d.Detail, c.premise) {
			t.Errorf("%q: want %s %s %s, %s; got\n%s", c.src, c.code, c.place, c.summary, c.premise, d)
		}
	}
}

// Everything outside the subset is refused by name and place, all of it at once.
func TestSubset(t *testing.T) {
	for src, want := range map[string]string{
		`$x = "a ${b}"`:                                "1:6 string interpolation",
		"$x = 1.5":                                     "1:6 floating-point numbers",
		"$x = undef":                                   "1:6 undef",
		"$x = default":                                 "1:6 default as a value",
		"$x = 'a' =~ /a/":                              "1:6 regular expressions (=~)",
		"$x = 'a' in ['a']":                            "1:6 the operator in",
		"$x = Integer":                                 "1:6 data types (Integer)",
		"$x = Integer[1, 2]":                           "1:6 data types (Integer)",
		"$x = [1] + [2]":                               "1:6 array and hash operators (+)",
		"$x = if true { 1 }":                           "1:6 conditional statements as values",
		"$x = $y = 1":                                  "1:6 assignment as a value",
		"[$x, $y] = [1, 2]":                            "1:1 assignment to several variables",
		"$a::x = 1":                                    "1:1 assignment to a variable of another scope",
		"$x = [1, 2][0, 1]":                            "1:6 slices of arrays and hashes",
		"$x = File['a', 'b']":                          "1:6 references to several resources",
		"$x = Class['a']":                              "1:6 references to classes",
		"$x = { $y => 1 }":                             "1:8 computed hash keys",
		"$x = size([1])":                               "1:6 functions (size)",
		"$x = [1].size":                                "1:6 functions (.size)",
		"notice('a')":                                  "1:1 functions (notice)",
		"each([1]) |$x| { notice($x) }":                "1:1 lambdas and iteration functions (each)",
		"contain a":                                    "1:1 other ways to declare a class (contain)",
		"realize(File['a'])":                           "1:1 virtual resources (realize)",
		"tag('a')":                                     "1:1 tags (tag)",
		"$x = template('a')":                           "1:6 templates (template)",
		"include $x":                                   "1:9 a computed class name",
		"class { $x: }":                                "1:9 a computed class name",
		"@file { 'a': }":                               "1:1 virtual resources",
		"@@file { 'a': }":                              "1:1 exported resources",
		"file { 'a': ; 'b': }":                         "1:1 multiple resource bodies",
		"file { ['a', 'b']: }":                         "1:8 multiple resource titles",
		"file { default: mode => 1 }":                  "1:8 per-expression default attributes",
		"file { 'a': * => {} }":                        "1:13 attributes from a hash (* =>)",
		"File { mode => 1 }":                           "1:1 resource defaults",
		"File['a'] { mode => 1 }":                      "1:1 resource extension and overriding",
		"File <| |>":                                   "1:1 resource collectors",
		"Resource['file'] { 'a': }":                    "1:1 abstract resource types",
		"File['a'] -> File['b']":                       "1:1 chaining arrows (->)",
		"class a { class b { } }":                      "1:11 nested definitions",
		"class a (Integer $x) { }":                     "1:10 data type annotations",
		"function f() { 1 }":                           "1:1 functions written in Puppet",
		"type T = Integer":                             "1:1 type aliases and definitions",
		"node /a/ { }":                                 "1:6 regular expressions",
		"case 1 { /a/: { } }":                          "1:10 regular expressions",
		"$x = @(END)\n a\n END\n":                      "1:6 heredocs",
		"file { ['a']: mode => undef }":                "1:8 multiple resource titles; 1:23 undef",
		"$x = 1.5\nnode default { $y = undef }":        "1:6 floating-point numbers; 2:21 undef",
		"$x = 1 ? { /a/ => 1, default => undef }":      "1:12 regular expressions; 1:33 undef",
		"define u { file { 'a': ensure => absent; } }": "",
	} {
		var got []string
		for _, d := range diagnose(t, src, false) {
			got = append(got, strings.TrimPrefix(d.Place.String(), "test.pp:")+" "+
				strings.TrimPrefix(d.Summary, "not in µPuppet: "))
		}
		if s := strings.Join(got, "; "); s != want {
			t.Errorf("%s\nwant %s\ngot  %s", src, want, s)
		}
	}
}
