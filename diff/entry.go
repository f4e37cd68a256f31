package diff

import (
	"slices"
	"strconv"
	"strings"

	"bunraku/puppet/catalog"
	"bunraku/puppet/value"
)

// An entry is what octocatalog-diff would tell of a change: a resource that comes or goes, or one place of a resource
// at which something differs. Rules and filters are about entries, and its JSON is a list of them.
type entry struct {
	c        *Change
	name     catalog.Name
	r        *catalog.Resource // nil for a relation or a cycle
	kind     byte              // + and - of resources; ~ of values, ! of what has elements or keys that come and go
	path     []string          // the keys down to the place; none for all of the resource
	steps    []step            // the same below the attribute
	old, new value.Value
}

// A step leads to a key of two hashes, or to elements of two lists.
type step struct {
	key  string
	list bool
	at   [2]int // of a list: the index on either side
}

// entries takes a change apart.
func (c *Change) entries() []*entry {
	r := c.new
	if r == nil {
		r = c.old
	}
	whole := func(kind byte, r *catalog.Resource, n catalog.Name) *entry {
		return &entry{c: c, name: n, r: r, kind: kind}
	}
	switch {
	case c.Kind == Renamed:
		return []*entry{whole('-', c.old, c.Name), whole('+', c.new, c.To)}
	case c.Kind == Added, c.Kind == NotKnown && c.old == nil && c.new != nil:
		return []*entry{whole('+', r, c.Name)}
	case c.Kind == Removed, c.Kind == NotKnown && c.new == nil && c.old != nil:
		return []*entry{whole('-', r, c.Name)}
	case c.Attribute == "":
		return []*entry{whole('~', r, c.Name)}
	}
	var out []*entry
	if !c.Secret {
		old, new := c.Old, c.New
		if relationship(c.Attribute) || c.Attribute == "tag" {
			old, new = arranged(old), arranged(new)
		}
		out = entriesOf(old, new)
	}
	if len(out) == 0 { // a secret is one thing, and so is what differs in nothing that octocatalog-diff looks at
		out = []*entry{{kind: '~', old: c.Old, new: c.New}}
		if c.Old == nil || c.New == nil {
			out[0].kind = '!'
		}
	}
	for _, e := range out {
		e.c, e.name, e.r = c, c.Name, r
		e.path = []string{"parameters", c.Attribute}
		for _, s := range e.steps {
			if s.list {
				e.path[len(e.path)-1] += "[" + strconv.Itoa(s.at[0]) + "]"
			} else {
				e.path = append(e.path, s.key)
			}
		}
	}
	return out
}

// arranged is a list with its elements sorted.
func arranged(v value.Value) value.Value {
	a, is := v.(*value.Array)
	if !is {
		return v
	}
	out := slices.Clone(a.Elems)
	slices.SortFunc(out, func(x, y value.Value) int { return strings.Compare(value.ToString(x), value.ToString(y)) })
	return value.NewArray(out...)
}

// differs reports whether there is anything that octocatalog-diff would tell: the order of keys is none.
func (e *entry) differs() bool { return len(entriesOf(e.old, e.new)) > 0 }

// titles are what a rule may call the entry's resource: its title, and of a file its path, too, which is all that
// octocatalog-diff has.
func (e *entry) titles() []string {
	if path := pathOf(e.r); path != "" && path != e.name.Title {
		return []string{e.name.Title, path}
	}
	return []string{e.name.Title}
}

// pathOf is the path that a file has; "" for what is none, and where the title says it.
func pathOf(r *catalog.Resource) string {
	if r == nil || r.Type != "File" {
		return ""
	}
	path, _ := r.Get("path").(value.String)
	return string(path)
}

// missing reports whether there is no value. To octocatalog-diff undef is none.
func missing(v value.Value) bool {
	_, undef := v.(value.Undef)
	return v == nil || undef
}

// entriesOf finds the places at which two values of an attribute differ: in hashes key by key, in lists only where
// elements are much alike, otherwise the whole list.
func entriesOf(old, new value.Value) (out []*entry) {
	if old == nil || new == nil {
		return []*entry{{kind: '!', old: old, new: new}}
	}
	f := finder{work: findWork}
	var told [][]step
	for _, d := range f.find(nil, old, new) {
		steps := d.steps
		if d.kind == '!' {
			for i := range slices.Backward(steps) {
				if steps[i].list {
					steps = steps[:i]
					break
				}
			}
			if slices.ContainsFunc(told, func(x []step) bool { return slices.Equal(x, steps) }) {
				continue
			}
			told = append(told, steps)
		}
		out = append(out, &entry{kind: d.kind, steps: steps, old: dig(old, steps, 0), new: dig(new, steps, 1)})
	}
	return out
}

// dig is the value that steps lead to on a side; nil if there is none.
func dig(v value.Value, steps []step, side int) value.Value {
	for _, s := range steps {
		if s.list {
			v = v.(*value.Array).Elems[s.at[side]]
			continue
		}
		h, is := v.(*value.Hash)
		if !is {
			return nil
		}
		var ok bool
		if v, ok = lookup(h, s.key); !ok {
			return nil
		}
	}
	return v
}

// lookup finds what a hash has under a key with such a text.
func lookup(h *value.Hash, key string) (value.Value, bool) {
	if e := h.EntryString(key); e != nil {
		return e.Value, true
	}
	for _, e := range h.Entries() {
		if value.ToString(e.Key) == key {
			return e.Value, true
		}
	}
	return nil, false
}

// A found difference is between values that both sides have (~), or is a key or an element that only one has (!).
type found struct {
	kind  byte
	steps []step
	count int // of the values in it
}

// A finder compares as Ruby's hashdiff does, which octocatalog-diff is made with: elements of lists are paired by the
// longest sequence of those that are alike in four fifths of what they hold.
type finder struct{ work int }

// findWork bounds how many elements are compared with each other. Lists for which it is not enough differ as a whole.
const findWork = 1 << 20

func (f *finder) find(at []step, a, b value.Value) []found {
	x, isX := a.(*value.Array)
	y, isY := b.(*value.Array)
	switch {
	case isX && isY:
		return f.lists(at, x, y)
	case hashes(a, b):
		return f.hashes(at, a.(*value.Hash), b.(*value.Hash))
	case missing(a) && missing(b), same("", a, b) && unknown(a) == "" && unknown(b) == "":
		return nil
	}
	return []found{{'~', at, size(a) + size(b)}}
}

func (f *finder) hashes(at []step, x, y *value.Hash) (out []found) {
	one := func(at []step, key string) []step { return append(slices.Clip(at), step{key: key}) }
	for _, e := range x.Entries() {
		key := value.ToString(e.Key)
		if v, there := lookup(y, key); there {
			out = append(out, f.find(one(at, key), e.Value, v)...)
		} else {
			out = append(out, found{'!', one(at, key), size(e.Value)})
		}
	}
	for _, e := range y.Entries() {
		key := value.ToString(e.Key)
		if _, there := lookup(x, key); !there {
			out = append(out, found{'!', one(at, key), size(e.Value)})
		}
	}
	return out
}

func (f *finder) lists(at []step, x, y *value.Array) (out []found) {
	one := func(i, j int) []step { return append(slices.Clip(at), step{list: true, at: [2]int{i, j}}) }
	pairs := f.pairs(x.Elems, y.Elems)
	for _, p := range pairs {
		out = append(out, f.find(one(p[0], p[1]), x.Elems[p[0]], y.Elems[p[1]])...)
	}
	for side, list := range [][]value.Value{x.Elems, y.Elems} {
		for i, v := range list {
			if !slices.ContainsFunc(pairs, func(p [2]int) bool { return p[side] == i }) {
				out = append(out, found{'!', one(i, i), size(v)})
			}
		}
	}
	return out
}

// pairs are the elements of two lists that belong together.
func (f *finder) pairs(x, y []value.Value) (out [][2]int) {
	if f.work -= len(x) * len(y); f.work < 0 {
		return nil
	}
	const topleft, top, left, both = 0, 1, 2, 3
	type cell struct{ way, n int }
	grid := make([][]cell, len(y))
	for j := range y {
		grid[j] = make([]cell, len(x))
		for i := range x {
			var above, before, corner int
			if j > 0 {
				above = grid[j-1][i].n
			}
			if i > 0 {
				before = grid[j][i-1].n
			}
			if i > 0 && j > 0 {
				corner = grid[j-1][i-1].n
			}
			switch {
			case f.alike(x[i], y[j]):
				grid[j][i] = cell{topleft, corner + 1}
			case above > before || above == before && j == 0:
				grid[j][i] = cell{top, above}
			case above < before || i == 0:
				grid[j][i] = cell{left, before}
			default:
				grid[j][i] = cell{both, before}
			}
		}
	}
	for i, j := len(x)-1, len(y)-1; i >= 0 && j >= 0 && grid[j][i].n > 0; {
		switch grid[j][i].way {
		case topleft:
			out = append(out, [2]int{i, j})
			i, j = i-1, j-1
		case top:
			j--
		default:
			i--
		}
	}
	slices.Reverse(out)
	return out
}

// alike reports whether two elements of lists are so much the same that their differences are told one by one.
func (f *finder) alike(a, b value.Value) bool {
	if !nested(a) && !nested(b) {
		x, y := number(a), number(b)
		return x != nil && y != nil && x.Cmp(y) == 0 || missing(a) && missing(b) || same("", a, b)
	}
	all := size(a) + size(b)
	if all == 0 {
		return true
	}
	differ := 0
	for _, d := range f.find(nil, a, b) {
		differ += d.count
	}
	return 1-float64(differ)/float64(all) >= 0.8
}

func nested(v value.Value) bool {
	switch v.(type) {
	case *value.Array, *value.Hash:
		return true
	}
	return false
}

// size is how many values there are in one. Nothing and false are none.
func size(v value.Value) (n int) {
	switch v := v.(type) {
	case nil, value.Undef:
	case value.Bool:
		if v {
			n = 1
		}
	case *value.Array:
		for _, e := range v.Elems {
			n += size(e)
		}
	case *value.Hash:
		for _, e := range v.Entries() {
			n += size(e.Value)
		}
	default:
		n = 1
	}
	return n
}

// keep takes out of a change what was left out of it, so that what is shown and compared with other nodes is the rest.
func (c *Change) keep(all, left []*entry) {
	if len(left) == len(all) {
		return
	}
	c.left = left
	for _, e := range all {
		if c.Kind == Attribute && len(e.steps) > 0 && !slices.Contains(left, e) {
			c.Old, c.New = without(c.Old, e.steps, 0, e.old), without(c.New, e.steps, 1, e.old)
		}
	}
}

// without is a value without what steps lead to: the key is not there, and an element of a list is another one.
func without(v value.Value, steps []step, side int, instead value.Value) value.Value {
	if len(steps) == 0 {
		return instead
	}
	s := steps[0]
	if a, is := v.(*value.Array); is && s.list {
		out := slices.Clone(a.Elems)
		out[s.at[side]] = without(out[s.at[side]], steps[1:], side, instead)
		return value.NewArray(out...)
	}
	h, is := v.(*value.Hash)
	if !is {
		return v
	}
	b := value.NewHashBuilder(h.Len())
	for _, e := range h.Entries() {
		if value.ToString(e.Key) == s.key {
			if len(steps) == 1 {
				continue
			}
			e.Value = without(e.Value, steps[1:], side, instead)
		}
		b.SetEntry(e)
	}
	return b.Hash()
}
