package compiler

import (
	"sort"
	"testing"

	"bunraku/provenance"
	"bunraku/puppet/syntax"
)

// A trial is what changing one place showed.
type trial struct {
	confirmed map[string]bool // slots that changed
	refused   map[string]bool // those of them that have changed only in catalogs that were refused, so far
	tested    bool            // the changes show whether the place matters
	tried     int
	failed    int // did not compile
	other     int // changed other slots
}

// why says why a place was not confirmed.
func (r trial) why() string {
	switch {
	case r.tried == 0:
		return "no mutation is known"
	case r.failed == r.tried:
		return "every mutant fails"
	case r.other == 0 && r.failed > 0:
		return "mutants fail, or change nothing"
	case r.other == 0:
		return "mutants change nothing"
	}
	return "mutants change other slots"
}

// role is what a place is in the program.
func (l *lab) role(label provenance.Label) string {
	if label.Kind != provenance.Literal || label.Place.File == nil {
		return label.Kind.String()
	}
	if l.roles[label.Place.File.Name] == nil {
		l.roles[label.Place.File.Name] = map[int]string{}
		for _, f := range l.trees() {
			if f.Source.Name == label.Place.File.Name {
				eachRole(f, l.roles[label.Place.File.Name])
			}
		}
	}
	if role := l.roles[label.Place.File.Name][label.Ordinal]; role != "" {
		return role
	}
	return "text or literal of a template"
}

// eachRole says of every literal what is around it.
func eachRole(f *syntax.File, roles map[int]string) {
	var visit func(n syntax.Node, role string)
	visit = func(n syntax.Node, role string) {
		if lit := syntax.Literal(n); lit != nil {
			roles[int(lit.Ord)] = role
		}
		inner := role
		switch n := n.(type) {
		case *syntax.Call:
			if name, ok := n.Functor.(*syntax.Name); ok {
				switch inner = "argument of a function"; name.Value {
				case "include", "contain", "require":
					inner = "name of a class that is included"
				}
			}
		case *syntax.MethodCall:
			inner = "argument of a function"
		case *syntax.Resource:
			if inner = "title"; n.Type != nil && f.Source.Slice(n.Type.Span()) == "class" {
				inner = "title of a class"
			}
		case *syntax.AttrOp:
			inner = "attribute"
		case *syntax.Param:
			inner = "default of a parameter"
		case *syntax.Option, *syntax.Entry:
			inner = "option, or entry of a hash or selector"
		case *syntax.Binary:
			inner = "operand"
		case *syntax.Assign:
			inner = "value of a variable"
		case *syntax.NodeDef:
			inner = "name in a node statement"
		}
		syntax.Children(n, func(k syntax.Node) { visit(k, inner) })
	}
	for _, s := range f.Body.Stmts {
		visit(s, "other literal")
	}
	if f.Epp != nil {
		visit(f.Epp, "text or literal of a template")
	}
}

// reportLeft tables the places that no mutation confirmed.
func reportLeft(t *testing.T, left map[string]int) {
	kinds := sorted(left)
	sort.SliceStable(kinds, func(i, j int) bool { return left[kinds[i]] > left[kinds[j]] })
	for i, k := range kinds {
		if i == 30 {
			t.Logf("not confirmed: … %d more sorts", len(kinds)-i)
			break
		}
		t.Logf("not confirmed: %5d  %s", left[k], k)
	}
}
