package eval_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"testing"

	"bunraku/catalog"
	"bunraku/eval"
	"bunraku/internal/live"
	"bunraku/provenance"
	"bunraku/source"
	"bunraku/syntax"
	"bunraku/value"
)

// The three theorems of the provenance notes, as tests by mutation: change the datum at one place, recompile, and look whether
// anything changed that does not name the place among its dependencies.

// A slot is something of a catalog that has provenance: its name, its value, and the places it depends on.
type slot struct {
	value string
	deps  map[provenance.LabelKey]bool
}

// slots lists a catalog's slots by name.
func slots(t *testing.T, res *eval.Result) map[string]slot {
	t.Helper()
	out := map[string]slot{}
	deps := func(refs ...provenance.Ref) map[provenance.LabelKey]bool {
		set := map[provenance.LabelKey]bool{}
		for _, l := range res.Trace.Depends(refs...) {
			set[l.Key()] = true
		}
		return set
	}
	res.Catalog.Settle()
	for _, r := range res.Catalog.Resources {
		ref := r.Ref()
		out["resource "+ref] = slot{"", deps(r.Existence, r.TitleRef)}
		for _, p := range r.Params {
			text, err := catalog.JSON{}.AppendValue(nil, p.Value)
			if err != nil {
				t.Fatal(err)
			}
			out["attribute "+ref+" "+p.Name] = slot{string(text), deps(p.Ref, r.Existence, r.TitleRef)}
		}
		tags := append([]string(nil), r.Tags...)
		sort.Strings(tags)
		out["tags "+ref] = slot{strings.Join(tags, ","), deps(r.TagsRef)}
	}
	for _, e := range res.Catalog.Edges {
		out["edge "+e.Source.Ref()+" -> "+e.Target.Ref()] = slot{"", deps(e.Ref, e.Source.Existence, e.Target.Existence)}
	}
	return out
}

// order gives each resource's place in the catalog and what that depends on.
func order(res *eval.Result) (refs []string, deps map[string]map[provenance.LabelKey]bool) {
	deps = map[string]map[provenance.LabelKey]bool{}
	res.Catalog.Settle()
	for _, r := range res.Catalog.Resources {
		refs = append(refs, r.Ref())
		set := map[provenance.LabelKey]bool{}
		for _, l := range res.Trace.Depends(r.Position, r.TitleRef) {
			set[l.Key()] = true
		}
		deps[r.Ref()] = set
	}
	return refs, deps
}

// A place is a literal that can be changed, with the texts to put there.
type place struct {
	key   provenance.LabelKey
	span  source.Span
	texts []string
}

// literalPlaces finds the data literals of a manifest: strings, numbers, booleans, undef, regexps, bare words that stand for themselves. Names
// of functions, resource types and definitions are code.
func literalPlaces(tree *syntax.File) []place {
	isCode := map[*syntax.Name]bool{}
	var strs, ints []string
	collect := func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.Call:
			if f, ok := n.Functor.(*syntax.Name); ok {
				isCode[f] = true
			}
		case *syntax.NamedAccess:
			isCode[n.Name] = true
		case *syntax.Resource:
			if f, ok := n.Type.(*syntax.Name); ok {
				isCode[f] = true
			}
		case *syntax.Binary: // the left side of a query is an attribute's name
		case *syntax.Collect:
			syntax.Walk(n.Query, func(q syntax.Node) bool {
				if b, ok := q.(*syntax.Binary); ok && b.Op != syntax.OpAnd && b.Op != syntax.OpOr {
					if f, ok := b.Left.(*syntax.Name); ok {
						isCode[f] = true
					}
				}
				return true
			})
		case *syntax.Str:
			strs = append(strs, n.Value)
		case *syntax.Int:
			ints = append(ints, fmt.Sprint(n.Value))
		}
		return true
	}
	for _, s := range tree.Body.Stmts {
		syntax.Walk(s, collect)
	}
	var out []place
	file := tree.Source.Name
	add := func(l *syntax.Lit, texts ...string) {
		out = append(out, place{provenance.LabelKey{Kind: provenance.Literal, File: file, Ordinal: int(l.Ord)}, l.Where, texts})
	}
	quoted := func(list []string) (q []string) {
		for _, s := range list {
			if !strings.ContainsAny(s, "'\\\n") && s != "" {
				q = append(q, "'"+s+"'")
			}
		}
		return unique(q, 8)
	}
	visit := func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.Str:
			switch n.Quote {
			case syntax.Single, syntax.Double, syntax.Bare:
				add(&n.Lit, append([]string{"'fresh'", "''"}, quoted(strs)...)...)
			case syntax.Piece:
				add(&n.Lit, "fresh")
			}
		case *syntax.Name:
			if !isCode[n] {
				add(&n.Lit, append([]string{"fresh"}, quoted(strs)...)...)
			}
		case *syntax.Int:
			add(&n.Lit, append([]string{"7919", fmt.Sprint(n.Value + 1), "0"}, unique(ints, 8)...)...)
		case *syntax.Float:
			add(&n.Lit, "7919.5", "0.0")
		case *syntax.Bool:
			add(&n.Lit, fmt.Sprint(!n.Value))
		case *syntax.Undef:
			add(&n.Lit, "'fresh'", "false")
		case *syntax.Regexp:
			add(&n.Lit, "/fresh/", "/./")
		}
		return true
	}
	for _, s := range tree.Body.Stmts {
		syntax.Walk(s, visit)
	}
	return out
}

func unique(list []string, most int) []string {
	seen := map[string]bool{}
	var out []string
	for _, s := range list {
		if !seen[s] && len(out) < most {
			seen[s] = true
			out = append(out, s)
		}
	}
	return out
}

type tally struct {
	mutations, unreadable, failed, same int
	violations                          []string
}

func (c *tally) violate(format string, args ...any) {
	c.violations = append(c.violations, fmt.Sprintf(format, args...))
}

// dependencies checks theorem 5.3.5 on one manifest.
func dependencies(t *testing.T, c *tally, name, text string, set eval.Settings) {
	set.Trace = true
	base, ds := compileText(name, text, set)
	if ds.HasErrors() || base.Failure != nil {
		return
	}
	before := slots(t, base)
	refs, positions := order(base)
	f := source.NewFile(name, text)
	tree, _ := syntax.Parse(f, syntax.Options{})
	for _, p := range literalPlaces(tree) {
		old := f.Slice(p.span)
		for _, repl := range p.texts {
			if repl == old {
				continue
			}
			mutant := text[:p.span.Start] + repl + text[p.span.End:]
			res, ds := compileText(name, mutant, set)
			if ds.HasErrors() || res == nil {
				c.unreadable++
				continue
			}
			c.mutations++
			where := fmt.Sprintf("%s:%v %s → %s", name, f.Position(p.span.Start), old, repl)
			if res.Failure != nil {
				c.failed++
				if !contains(res.Trace.Depends(res.FailureRef), p.key) {
					c.violate("%s: the failure does not name the place: %s", where, res.Failure.Summary)
				}
				continue
			}
			after := slots(t, res)
			changed := compareSlots(c, where, p.key, base, res, before, after)
			refs2, positions2 := order(res)
			compareOrder(c, where, p.key, refs, positions, refs2, positions2)
			if !changed {
				c.same++
			}
		}
	}
}

func contains(list []provenance.Label, key provenance.LabelKey) bool {
	for _, l := range list {
		if l.Key() == key {
			return true
		}
	}
	return false
}

func compareSlots(c *tally, where string, key provenance.LabelKey, base, res *eval.Result, before, after map[string]slot) (changed bool) {
	check := func(side string, from, to map[string]slot, other *eval.Result) {
		for name, s := range from {
			o, there := to[name]
			if there && o.value == s.value {
				continue
			}
			changed = true
			if !s.deps[key] {
				c.violate("%s: %s (%s) %q is %q in the other run, without naming the place", where, name, side, s.value, o.value)
			}
			if there {
				continue
			}
			// the other run lacks the slot: an attribute that is absent there, of a resource that is there, must name the place as well
			if ref, attr, ok := strings.Cut(strings.TrimPrefix(name, "attribute "), "] "); ok && strings.HasPrefix(name, "attribute ") {
				typ, title, _ := strings.Cut(ref, "[")
				if _, exists := to["resource "+ref+"]"]; exists && !contains(other.Trace.Depends(other.Absent(typ, title, attr)), key) {
					c.violate("%s: the absence of %s does not name the place", where, name)
				}
			}
		}
	}
	check("before", before, after, res)
	check("after", after, before, base)
	return changed
}

// compareOrder: resources whose position lacks the place in both runs keep their relative order.
func compareOrder(c *tally, where string, key provenance.LabelKey, a []string, da map[string]map[provenance.LabelKey]bool, b []string, db map[string]map[provenance.LabelKey]bool) {
	free := func(list []string) (out []string) {
		for _, r := range list {
			if da[r] != nil && db[r] != nil && !da[r][key] && !db[r][key] {
				out = append(out, r)
			}
		}
		return out
	}
	if x, y := fmt.Sprint(free(a)), fmt.Sprint(free(b)); x != y {
		c.violate("%s: the order changed without naming the place: %s, %s", where, x, y)
	}
}

// whereHolds checks theorem 4.2.4: a value that was copied from a literal equals it.
func whereHolds(c *tally, name, text string, set eval.Settings) (checked int) {
	set.Trace = true
	res, ds := compileText(name, text, set)
	if ds.HasErrors() || res.Failure != nil {
		return 0
	}
	res.Catalog.Settle()
	for _, r := range res.Catalog.Resources {
		for _, p := range r.Params {
			l, ok := res.Trace.Where(p.Ref)
			if !ok || l.Kind != provenance.Literal {
				continue
			}
			checked++
			tree, ds := syntax.Parse(source.NewFile("w.pp", l.Place.Text()), syntax.Options{})
			if ds.HasErrors() || len(tree.Body.Stmts) != 1 {
				continue
			}
			var got string
			switch e := tree.Body.Stmts[0].(type) {
			case *syntax.Str:
				got = e.Value
			case *syntax.Name:
				got = e.Value
			case *syntax.Int:
				got = fmt.Sprint(e.Value)
			default:
				got = l.Place.Text()
			}
			if value.ToString(p.Value) != got {
				c.violate("%s: %s %s is %q, but its place has %q", name, r.Ref(), p.Name, value.ToString(p.Value), got)
			}
		}
	}
	return checked
}

// TestTheorems mutates every literal of the µPuppet corpus and of the probes that were made for this.
func TestTheorems(t *testing.T) {
	root := live.Shared(t, "corpus", "upuppet")
	var names []string
	for _, dir := range []string{"own-provenance-probes", "Examples", "Features", "Misc", "PuppetTestSuite"} {
		files, err := filepath.Glob(filepath.Join(root, dir, "*.pp"))
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, files...)
	}
	strict := map[string]bool{}
	var index []struct {
		File   string `json:"file"`
		Strict bool   `json:"strict_variables"`
	}
	if text, err := os.ReadFile(filepath.Join(root, "index.json")); err == nil {
		if err := json.Unmarshal(text, &index); err != nil {
			t.Fatal(err)
		}
	}
	for _, x := range index {
		strict[filepath.Join(root, x.File)] = x.Strict
	}
	c := &tally{}
	places := 0
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		src := string(text)
		if !nodeStatement.MatchString(src) && !strings.Contains(name, "own-provenance") {
			src += "\nnode default { include main }\n"
		}
		set := eval.Language(7)
		set.StrictVariables = strict[name]
		dependencies(t, c, filepath.Base(name), src, set)
		places += whereHolds(c, filepath.Base(name), src, set)
	}
	t.Logf("%d mutations (%d failed to compile, %d changed nothing), %d were no programs; %d copied values checked against their places",
		c.mutations, c.failed, c.same, c.unreadable, places)
	t.Logf("score: theorems %d/%d", c.mutations-len(c.violations), c.mutations)
	for i, v := range c.violations {
		if i == 40 {
			t.Errorf("… %d more", len(c.violations)-i)
			break
		}
		t.Error(v)
	}
	if c.mutations < 1000 {
		t.Errorf("only %d mutations", c.mutations)
	}
}
