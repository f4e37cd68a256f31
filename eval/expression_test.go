package eval_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"bunraku/catalog"
	"bunraku/eval"
	"bunraku/internal/live"
	"bunraku/provenance"
	"bunraku/syntax"
)

// Theorem 4.3.4: evaluating the expression that a value is said to come from, with its places' own values, gives the value back. An
// expression is written as Puppet code and compiled.

// asCode writes a term as Puppet code; ok is false where it has a part that is no code, such as the whole of a container.
func asCode(t *provenance.Term) (code string, ok bool) {
	if t == nil {
		return "", false
	}
	if t.Op == "" {
		return leafCode(t.Leaf)
	}
	args := make([]string, len(t.Args))
	for i, a := range t.Args {
		if args[i], ok = asCode(a); !ok {
			return "", false
		}
	}
	switch t.Op {
	case "concat":
		var b strings.Builder
		b.WriteByte('"')
		for _, a := range args {
			b.WriteString("${(" + a + ")}")
		}
		b.WriteByte('"')
		return b.String(), true
	case "text":
		return `"${(` + args[0] + `)}"`, true
	case "truth":
		return "(!(! " + args[0] + "))", true
	case "!":
		return "(! " + args[0] + ")", true
	case "+", "-", "*", "/", "%", "<<", ">>", "==", "!=", "<", "<=", ">", ">=", "=~", "!~", "in", "and", "or":
		if len(args) == 1 {
			return "(" + t.Op + " " + args[0] + ")", true
		}
		return "(" + args[0] + " " + t.Op + " " + args[1] + ")", true
	}
	return "", false
}

func leafCode(l provenance.Label) (string, bool) {
	if l.Kind != provenance.Literal {
		return "", false
	}
	text := l.Place.Text()
	tree, ds := syntax.Parse(l.Place.File, syntax.Options{})
	if ds.HasErrors() {
		return "", false
	}
	code, ok := "", false
	find := func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.Str:
			if int(n.Ord) == l.Ordinal {
				code, ok = "'"+strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(n.Value)+"'", true
			}
		case *syntax.Name:
			if int(n.Ord) == l.Ordinal {
				code, ok = "'"+n.Value+"'", true
			}
		case *syntax.Int:
			if int(n.Ord) == l.Ordinal {
				code, ok = text, true
			}
		case *syntax.Bool:
			if int(n.Ord) == l.Ordinal {
				code, ok = text, true
			}
		case *syntax.Float:
			if int(n.Ord) == l.Ordinal {
				code, ok = text, true
			}
		case *syntax.Undef:
			if int(n.Ord) == l.Ordinal {
				code, ok = text, true
			}
		case *syntax.Regexp:
			if int(n.Ord) == l.Ordinal {
				code, ok = text, true
			}
		}
		return true
	}
	for _, s := range tree.Body.Stmts {
		syntax.Walk(s, find)
	}
	return code, ok
}

func TestExpressionTheorem(t *testing.T) {
	root := live.Shared(t, "corpus", "upuppet")
	files, err := filepath.Glob(filepath.Join(root, "*", "*.pp"))
	if err != nil {
		t.Fatal(err)
	}
	checked, skipped := 0, map[string]int{}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		src := string(text)
		if !nodeStatement.MatchString(src) && !strings.Contains(name, "own-provenance") {
			src += "\nnode default { include main }\n"
		}
		set := eval.Language(7)
		set.Trace = true
		res, ds := compileText(filepath.Base(name), src, set)
		if ds.HasErrors() || res.Failure != nil {
			continue
		}
		res.Catalog.Settle()
		for _, r := range res.Catalog.Resources {
			for _, p := range r.Params {
				term := res.Trace.Expression(p.Ref)
				code, ok := asCode(term)
				if !ok {
					skipped[whyNot(term)]++
					continue
				}
				again, ds := compileText("e.pp", fmt.Sprintf("notify { 'x': message => %s }", code), eval.Language(7))
				if ds.HasErrors() || again.Failure != nil {
					t.Errorf("%s: %s %s: the expression %s does not compile", filepath.Base(name), r.Ref(), p.Name, code)
					continue
				}
				want, _ := catalog.JSON{}.AppendValue(nil, p.Value)
				var got []byte
				if q := again.Catalog.Resource("Notify", "x").Param("message"); q != nil {
					got, _ = catalog.JSON{}.AppendValue(nil, q.Value)
				}
				checked++
				if string(got) != string(want) {
					t.Errorf("%s: %s %s is %s, but its expression %s gives %s", filepath.Base(name), r.Ref(), p.Name, want, code, got)
				}
			}
		}
	}
	t.Logf("%d expressions give their value back; no expression to check: %v", checked, skipped)
	if checked < 150 {
		t.Errorf("only %d expressions checked", checked)
	}
}

// whyNot names the part of a term that is no code.
func whyNot(t *provenance.Term) string {
	switch {
	case t == nil:
		return "nothing recorded"
	case t.Op == "":
		return t.Leaf.Kind.String()
	}
	for _, a := range t.Args {
		if _, ok := asCode(a); !ok {
			return whyNot(a)
		}
	}
	return t.Op
}
