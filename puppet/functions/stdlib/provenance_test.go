package stdlib_test

import (
	"strings"
	"testing"

	"bunraku/internal/ask"
	"bunraku/puppet/catalog"
	"bunraku/puppet/eval"
	"bunraku/puppet/syntax"
	"bunraku/source"
)

// TestDependencies changes each literal in calls of every function, and looks whether an answer changed that does not
// name the literal among its dependencies (the dependency theorem, by mutation).
func TestDependencies(t *testing.T) {
	functions, changes := 0, 0
	for _, name := range names(shapes) {
		if name == "pw_hash" || name == "str2saltedpbkdf2" {
			continue // slow, and nothing but pure
		}
		functions++
		for _, q := range generator.Calls(shapes[name], name, 12) {
			changes += mutate(t, "notify { 'n': message => ["+string(q)+"] }")
		}
	}
	names, ms := manifests(t)
	for i, m := range ms {
		if !strings.Contains(names[i], "fail") {
			changes += mutate(t, string(m))
		}
	}
	t.Logf("%d functions, %d changed answers", functions, changes)
}

func trace(text string) (*eval.Result, *syntax.File) {
	tree, ds := syntax.Parse(source.NewFile("t.pp", text), syntax.Options{})
	if ds.HasErrors() || syntax.Validate(tree, syntax.Options{}).HasErrors() {
		return nil, nil
	}
	set := eval.Language(7)
	set.Trace, set.Reads = true, true
	in := eval.Input{Node: "n1.example.com", Environment: "production", Main: []*syntax.File{tree},
		Facts: ask.ReadFacts(factsFile), Settings: set}
	r := eval.Compile(newTestWorld(""), in)
	if r.Failure != nil {
		return nil, nil
	}
	return r, tree
}

// messages are the attributes of a catalog as text, with the offsets of the literals that each depends on.
func messages(r *eval.Result) (texts map[string]string, depends map[string]map[uint32]bool) {
	texts, depends = map[string]string{}, map[string]map[uint32]bool{}
	for _, res := range r.Catalog.Resources {
		for _, p := range res.Params {
			key := res.Ref() + " " + p.Name
			text, err := catalog.JSON{}.AppendValue(nil, p.Value)
			if err != nil {
				continue
			}
			texts[key] = string(text)
			at := map[uint32]bool{}
			for _, l := range r.Trace.Depends(p.Ref, res.Existence, res.TitleRef) {
				at[l.Place.Span.Start] = true
			}
			depends[key] = at
		}
	}
	return texts, depends
}

func mutate(t *testing.T, text string) (changed int) {
	before, tree := trace(text)
	if before == nil {
		return 0
	}
	was, depends := messages(before)
	for _, stmt := range tree.Body.Stmts {
		syntax.Walk(stmt, func(n syntax.Node) bool {
			var other string
			switch n.(type) {
			case *syntax.Str:
				other = "'mutant'"
			case *syntax.Int:
				other = "3"
			case *syntax.Bool:
				other = "false"
			default:
				return true
			}
			span := n.Span()
			after, _ := trace(text[:span.Start] + other + text[span.End:])
			if after == nil {
				return true
			}
			now, _ := messages(after)
			for key, v := range was {
				w, there := now[key]
				if !there || v == w {
					continue
				}
				if changed++; !depends[key][span.Start] {
					t.Errorf("%s\nthe literal %s at %d changes %s from %s to %s, which does not depend on it", text,
						text[span.Start:span.End], span.Start, key, v, w)
				}
			}
			return true
		})
	}
	return changed
}
