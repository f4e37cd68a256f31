package smartfrog

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// The extended semantics over the literal store: no sharing, no memory, every path looked up from the root each time.
// It shares with extended.go only what literal_test.go shares with the evaluator.

// litLink is a link that is not resolved yet.
type litLink struct{ ref []string }

// litExtended evaluates a specification: the first pass with links left alone, and then the tree below sfConfig.
type litExtended struct{ root *cell }

func (x *litExtended) specification(body []Statement) (*cell, error) {
	if err := x.body(body, nil); err != nil {
		return nil, err
	}
	if _, ok := litFind(x.root, []string{"sfConfig"}).(*cell); !ok {
		return nil, litError("err7")
	}
	v, err := x.tree([]string{"sfConfig"}, [][]string{{}})
	if err != nil {
		return nil, err
	}
	return v.(*cell), nil
}

func (x *litExtended) body(body []Statement, ns []string) error {
	for _, s := range body {
		a := s.(*Assignment)
		if err := x.value(a.Value, ns, litConcat(ns, a.Target.Path)); err != nil {
			return err
		}
	}
	return nil
}

func (x *litExtended) value(v Expr, ns, r []string) (err error) {
	switch v := v.(type) {
	case Basic:
		x.root, err = litBind(x.root, r, basicValue(v))
	case *Link:
		x.root, err = litBind(x.root, r, litLink{v.Ref.Path})
	case *Extends:
		if x.root, err = litBind(x.root, r, (*cell)(nil)); err != nil {
			return err
		}
		for _, p := range v.Protos {
			switch p := p.(type) {
			case *Block:
				err = x.body(p.Body, r)
			case *Ref:
				err = x.inherit(ns, p.Path, r)
			}
			if err != nil {
				return err
			}
		}
	}
	return err
}

func (x *litExtended) inherit(ns, proto, r []string) error {
	path, err := x.search(ns, proto, nil)
	if err != nil {
		return err
	}
	if path == nil {
		return litError("err43")
	}
	missing, cycle := litError("err43"), litError("err42")
	if _, ok := litFind(x.root, path).(litLink); ok {
		missing, cycle = "err4", "err41"
		if path, err = x.deref(path, nil); err != nil {
			return err
		}
		if path == nil {
			return missing
		}
	}
	src, ok := litFind(x.root, path).(*cell)
	if !ok {
		return missing
	}
	if litWithin(path, r, false) {
		return cycle
	}
	x.root, err = litCopy(x.root, src, r)
	return err
}

// search returns the absolute path that a reference names, nil when it names nothing. The trail is the links being
// followed.
func (x *litExtended) search(ns, ref []string, trail [][]string) ([]string, error) {
	for {
		path, err := x.descend(ns, ref, trail)
		if path != nil || err != nil || isKeyword(ref[0]) || len(ns) == 0 {
			return path, err
		}
		ns = litPrefix(ns)
	}
}

func (x *litExtended) descend(at, ref []string, trail [][]string) ([]string, error) {
	at = slices.Clone(at)
	if at == nil {
		at = []string{}
	}
	for i, name := range ref {
		switch name {
		case "THIS":
			continue
		case "ROOT":
			at = []string{}
			continue
		case "PARENT":
			if len(at) == 0 {
				return nil, nil
			}
			at = at[:len(at)-1]
			continue
		}
		at = litConcat(at, []string{name})
		switch litFind(x.root, at).(type) {
		case undefined:
			return nil, nil
		case litLink:
			if i == len(ref)-1 {
				break
			}
			if k := indexOf(trail, at); k >= 0 {
				if k == len(trail)-1 {
					return nil, nil // a link is not looked for in itself
				}
				return nil, litError("err20")
			}
			path, err := x.deref(at, trail)
			if err != nil || path == nil {
				return nil, err
			}
			at = path
		}
		if _, ok := litFind(x.root, at).(*cell); !ok && i < len(ref)-1 {
			return nil, nil
		}
	}
	return at, nil
}

func indexOf(list [][]string, path []string) int {
	return slices.IndexFunc(list, func(p []string) bool { return slices.Equal(p, path) })
}

// deref follows links from a path to something that is no link.
func (x *litExtended) deref(path []string, trail [][]string) ([]string, error) {
	for {
		link, ok := litFind(x.root, path).(litLink)
		if !ok {
			return path, nil
		}
		if indexOf(trail, path) >= 0 {
			return nil, litError("err20")
		}
		trail = append(slices.Clip(trail), path)
		next, err := x.search(litPrefix(path), link.ref, trail)
		if err != nil || next == nil {
			return nil, err
		}
		path = next
	}
}

// tree returns the value at a path with all links in it replaced. Around are the components in whose trees this one
// stands.
func (x *litExtended) tree(path []string, around [][]string) (any, error) {
	if _, ok := litFind(x.root, path).(litLink); ok {
		target, err := x.deref(path, nil)
		if err != nil {
			return nil, err
		}
		if target == nil {
			return nil, litError("err22")
		}
		path = target
	}
	s, ok := litFind(x.root, path).(*cell)
	if !ok {
		return litFind(x.root, path), nil
	}
	if indexOf(around, path) >= 0 {
		return nil, litError("err21")
	}
	around = append(slices.Clip(around), path)
	var out *cell
	for ; s != nil; s = s.rest {
		v, err := x.tree(litConcat(path, []string{s.id}), around)
		if err != nil {
			return nil, err
		}
		out = litPut(out, s.id, v)
	}
	return out, nil
}

// TestLiteralExtended compares the two passes with the literal ones, on specifications that are right and on some that
// are wrong.
func TestLiteralExtended(t *testing.T) {
	kinds := map[string]int{}
	for seed := range runs(600, 20_000) {
		g := &generator{chooser: seeded{rand.New(rand.NewPCG(uint64(seed), 13))}, extended: true, wrong: 5 * (seed % 3)}
		body := g.specification()
		text := specText(body)
		want, err := (&litExtended{}).specification(body)
		r, diags := compileText(text, Options{Extended: true})
		if err != nil {
			kinds[err.Error()]++
			if got := kindOf(diags); got != err.Error() {
				t.Fatalf("seed %d: we say %q %v, the literal semantics %q of\n%s", seed, got, diags, err, text)
			}
			continue
		}
		kinds["right"]++
		if r == nil {
			t.Fatalf("seed %d: we say %v of a specification that is right:\n%s", seed, diags, text)
		}
		if got, want := storeText(r.Config), litText(want); got != want {
			t.Fatalf("seed %d: we say\n%s\nthe literal semantics\n%s\nof\n%s", seed, got, want, text)
		}
		checkUnique(t, r.Config)
	}
	t.Log(fmt.Sprint(kinds))
}
