package mupuppet

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"bunraku/source"

	"pgregory.net/rapid"
)

// The three theorems of the thesis about provenance, on random programs of its annotated subset, and the programs that
// show where they stop.

// annotatedRun runs a program with provenance; ok is false when it does not end in skip, since the theorems are
// partial.
func annotatedRun(t *rapid.T, opt GenerateOptions) (*Result, bool) {
	opt.Annotated = true
	file, m, data := randomProgram(t, opt)
	r, _ := Evaluate(file, m, data, Options{Bound: testBound})
	return r, r != nil
}

// Theorem 4.2.4 (Correctness of Where-Provenance): labels(v_C) ⊆ labels(m), that is, every value of the catalog with a
// where-label is the constant at that label.
func TestWhereTheorem(t *testing.T) {
	checked := 0
	rapid.Check(t, func(t *rapid.T) {
		r, ok := annotatedRun(t, GenerateOptions{})
		if !ok {
			return
		}
		for _, v := range labels(r.Catalog) {
			d := r.Data[v.Note.Where-1]
			if !identical(d.Value, v.Value) {
				t.Fatalf("%s says it was copied from %s, which is %s\n%s", FormatValue(v.Value), d.Place, FormatValue(d.Value),
					r.File.Text)
			}
			checked++
		}
	})
	if checked == 0 {
		t.Error("no value had a where-label")
	}
}

// Theorem 4.3.4 (Correctness of Expression-Provenance): µ ⊨ v_C, that is, evaluating a value's expression over the
// constants gives the value.
func TestExpressionTheorem(t *testing.T) {
	operations := 0
	rapid.Check(t, func(t *rapid.T) {
		r, ok := annotatedRun(t, GenerateOptions{})
		if !ok {
			return
		}
		for _, res := range r.Catalog.Resources {
			for _, a := range res.Attrs {
				v, err := a.Value.Note.How.evaluate(r.Data)
				if err != nil || !identical(v, a.Value.Value) {
					t.Fatalf("%s is %s, its expression %s gives %v (%v)\n%s", a.Name, FormatValue(a.Value.Value), a.Value.Note.How, v,
						err, r.File.Text)
				}
				if a.Value.Note.How.Op != "" {
					operations++
				}
			}
		}
	})
	if operations == 0 {
		t.Error("no value was made by an operation")
	}
}

// Theorem 5.3.5 (Correctness of Dependence-Provenance): m1 ≡l m2, both end  ⟹  σ1 ≡l σ2, v_C1 ≡l v_C2. m2 is m1 with
// the constant at l replaced.
//
// Erratum: as stated the theorem is false, in three ways that the tests below show. It holds where (1) no variable
// hides another (the thesis's µPuppet', §5.3.1.3, has names in front of every variable, which define parameters cannot
// have); (2) no class is declared in two places, one of them under a condition; and (3) κ is left out, because a class
// that one run declares and the other does not is ClassDef in one κ and DeclaredClass in the other, which Figure 5.11
// does not relate.
func TestDependencyTheorem(t *testing.T) {
	changed, flips := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		r1, ok := annotatedRun(t, GenerateOptions{Independent: true})
		if !ok || len(r1.Data) == 0 {
			return
		}
		for i := range min(len(r1.Data), 40) {
			l := Label(1 + i)
			r2 := rerun(t, r1, l)
			if r2 == nil {
				continue
			}
			if why := equivalent(r1, r2, l); why != "" {
				t.Fatalf("not equal except at %s (%s): %s\n%s", l, r1.Data[l-1].Place, why, r1.File.Text)
			}
			if !slices.Equal(r1.Fingerprint(), r2.Fingerprint()) {
				changed++
			}
			if len(r1.Catalog.Resources) != len(r2.Catalog.Resources) {
				flips++
			}
		}
	})
	if changed == 0 || flips == 0 {
		t.Errorf("the mutations changed %d catalogs, and %d in their resources: they test nothing", changed, flips)
	}
}

// rerun compiles the program again with another constant at l; nil when that does not end.
func rerun(t interface{ Fatalf(string, ...any) }, r *Result, l Label) *Result {
	span := r.Data[l-1].Place.Span
	var other string
	switch v := r.Data[l-1].Value.(type) {
	case Int:
		other = fmt.Sprint(int64(v) + 1)
	case Bool:
		other = fmt.Sprint(!bool(v))
	case Str:
		other = "'changed'"
	}
	text := r.File.Text[:span.Start] + other + r.File.Text[span.End:]
	file := source.NewFile(r.File.Name, text)
	m, data := mustRead(t, file, true)
	out, _ := Evaluate(file, m, data, Options{Bound: testBound})
	return out
}

// equivalent is σ1 ≡l σ2 and v_C1 ≡l v_C2 (Figures 5.7, 5.10, 5.11); "" when it holds.
func equivalent(r1, r2 *Result, l Label) string {
	// A variable or resource whose outer annotation has l is taken out first: ⌊σ⌋_l, ⌊v_C⌋_l (§5.3.2).
	floor := func(r *Result) (vars []Variable, resources []*Resource) {
		for _, v := range r.Store.Variables() {
			if !v.Outer.has(l) {
				vars = append(vars, v)
			}
		}
		for _, res := range r.Catalog.Resources {
			if !res.Outer.has(l) {
				resources = append(resources, res)
			}
		}
		return vars, resources
	}
	v1, c1 := floor(r1)
	v2, c2 := floor(r2)
	// Rule Value (Figure 5.7): ⌊v1⌋_l = ⌊v2⌋_l; annotations are part of a value.
	value := func(a, b *Lit) bool {
		x, y := a.Note.Dep.has(l), b.Note.Dep.has(l)
		return x && y || !x && !y && identical(a.Value, b.Value) && slices.Equal(a.Note.Dep, b.Note.Dep)
	}
	if len(v1) != len(v2) {
		return fmt.Sprintf("σ has %d and %d variables that do not depend on it", len(v1), len(v2))
	}
	for i := range v1 {
		if v1[i].Scope != v2[i].Scope || v1[i].Name != v2[i].Name || !value(v1[i].Value, v2[i].Value) {
			return fmt.Sprintf("σ: %s $%s = %s %s and %s $%s = %s %s", v1[i].Scope, v1[i].Name, FormatValue(v1[i].Value.Value),
				v1[i].Value.Note.Dep,
				v2[i].Scope, v2[i].Name, FormatValue(v2[i].Value.Value), v2[i].Value.Note.Dep)
		}
	}
	if len(c1) != len(c2) {
		return fmt.Sprintf("v_C has %d and %d resources that do not depend on it", len(c1), len(c2))
	}
	for i := range c1 {
		if c1[i].Type != c2[i].Type || !value(c1[i].Title, c2[i].Title) || len(c1[i].Attrs) != len(c2[i].Attrs) {
			return fmt.Sprintf("v_C: %s and %s", c1[i].source(), c2[i].source())
		}
		for j, a := range c1[i].Attrs {
			if b := c2[i].Attrs[j]; a.Name != b.Name || !value(a.Value, b.Value) {
				return fmt.Sprintf("v_C: %s and %s", c1[i].source(), c2[i].source())
			}
		}
	}
	return ""
}

func mustCompile(t *testing.T, src string, provenance bool) *Result {
	t.Helper()
	r, ds := Compile(source.NewFile("test.pp", src), Options{Provenance: provenance})
	if r == nil {
		t.Fatalf("%s\n%s", ds[0], src)
	}
	return r
}

func labelOf(t *testing.T, r *Result, at string) Label {
	t.Helper()
	for i, d := range r.Data {
		if strings.HasSuffix(d.Place.String(), at) {
			return Label(i + 1)
		}
	}
	t.Fatalf("no constant at %s", at)
	return 0
}

// §5.3.1.2: the branch that was not taken. $z depends on x, and the annotated rules do not say so. The thesis prints
// the program; it is the reason for µPuppet' (§5.3.1.3).
func TestThesisLimitation(t *testing.T) {
	r := mustCompile(t, `$y = 1
class a ($x) {
  if $x == 1 { $y = 42 }
  $z = $y
}
class { 'a': x => 2 }
$w = $a::z
notify { 'out': message => $w }
`, true)
	l := labelOf(t, r, ":6:19") // x => 2
	message := r.Catalog.Resources[0].Attrs[0].Value
	if message.Note.Dep.has(l) {
		t.Fatal("the rules of the thesis do not record this dependency; something else was implemented")
	}
	if v := r.Data[message.Note.Where-1]; v.Place.Line() != 1 {
		t.Errorf("where: %s, want line 1", v.Place)
	}
	taken := mustCompile(t, strings.Replace(r.File.Text, "x => 2", "x => 1", 1), true)
	if got := taken.Catalog.Resources[0].Attrs[0].Value; !identical(got.Value, Int(42)) || !got.Note.Dep.has(l) {
		t.Errorf("with x => 1 the message is %s %s; want 42, and %s in its dependencies", FormatValue(got.Value),
			got.Note.Dep, l)
	}
	if equivalent(r, taken, l) == "" {
		t.Error("the two runs are equal except at x: then this would be no counter-example")
	}
}

// A class that is included under a condition and again without one: who declared it first depends on x, in both runs.
// The thesis does not speak of it; variables with names in front do not help.
func TestTheoremFailsOnSecondInclude(t *testing.T) {
	src := `class a { notify { 'n': } }
$x = 1
if $::x == 1 { include a }
include a
`
	r1 := mustCompile(t, src, true)
	l := labelOf(t, r1, ":2:6")
	r2 := rerun(t, r1, l)
	if !r1.Catalog.Resources[0].Outer.has(l) || r2.Catalog.Resources[0].Outer.has(l) {
		t.Error("want Notify[n] to depend on x in the first run only")
	}
	if equivalent(r1, r2, l) == "" {
		t.Error("want v_C1 ≢l v_C2")
	}
}

// κ1 ≡l κ2 fails as soon as a condition decides whether a class is declared.
func TestTheoremFailsOnDefinitions(t *testing.T) {
	r1 := mustCompile(t, "class a { }\n$x = 1\nif $::x == 1 { include a } else { notify { 'n': } }\n", true)
	l := labelOf(t, r1, ":2:6")
	r2 := rerun(t, r1, l)
	if why := equivalent(r1, r2, l); why != "" {
		t.Errorf("σ and v_C: %s", why)
	}
	if r1.Definitions.lookup("a").Kind != DeclaredClass || r2.Definitions.lookup("a").Kind != ClassDef {
		t.Error("want κ1(a) = DeclaredClass(::) and κ2(a) = ClassDef(⊥, ε, s)")
	}
}
