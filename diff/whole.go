package diff

import (
	"slices"
	"sort"
	"strings"

	"bunraku/puppet/catalog"
	"bunraku/puppet/value"
)

// Of two catalogs that two programs made of the same tree more can be asked than of two states of a tree: tags, which
// nobody wrote and which still decide what `agent --tags` does, and the order of resources, by which an agent goes
// where no relation tells it otherwise.

// whole tells of those.
func (c *comparison) whole() {
	new := resources(c.to.Catalog)
	moved := map[catalog.Name]bool{} // to another container: told, with what comes of it
	for _, x := range c.changes {
		moved[x.Name] = moved[x.Name] || x.Kind == Relation && strings.HasPrefix(x.Text, movedFrom)
	}
	tags := map[catalog.Name]*Change{} // of what both have
	for _, r := range c.from.Catalog.Resources {
		s := new[r.Name()]
		if s == nil {
			continue
		}
		if x := tagChange(r, s); x != nil && !moved[r.Name()] {
			tags[r.Name()] = x
		}
	}
	for _, s := range c.to.Catalog.Resources {
		x := tags[s.Name()]
		if x == nil || slices.ContainsFunc(c.to.Catalog.Containers(s), func(in *catalog.Resource) bool {
			y := tags[in.Name()]
			return y != nil && sameDelta(x, y) // it has them from there
		}) {
			continue
		}
		c.add(x)
	}
	c.order(new, moved)
}

// tagChange is the change of a resource's tags; nil if they are the same.
func tagChange(r, s *catalog.Resource) *Change {
	list := func(tags []string) *value.Array {
		var elems []value.Value
		for _, t := range sorted(slices.Clone(tags)) {
			elems = append(elems, value.String(t))
		}
		return value.NewArray(elems...)
	}
	x := &Change{Kind: Attribute, Name: r.Name(), Attribute: "tags", Old: list(r.Tags), New: list(s.Tags), old: r, new: s}
	if _, _, differ := listDelta(x.Old, x.New); !differ {
		return nil
	}
	return x
}

// sameDelta reports whether two lists lost and gained the same.
func sameDelta(x, y *Change) bool {
	a, b, _ := listDelta(x.Old, x.New)
	d, e, _ := listDelta(y.Old, y.New)
	return slices.Equal(members(value.NewArray(a...)), members(value.NewArray(d...))) &&
		slices.Equal(members(value.NewArray(b...)), members(value.NewArray(e...)))
}

// order tells of resources that stand elsewhere among those that both catalogs have: as few as explain the difference,
// which are those outside of a longest sequence that is in order on both sides.
func (c *comparison) order(new map[catalog.Name]*catalog.Resource, moved map[catalog.Name]bool) {
	at := map[catalog.Name]int{}
	var old []*catalog.Resource
	for _, r := range c.from.Catalog.Resources {
		if new[r.Name()] != nil && !moved[r.Name()] {
			at[r.Name()] = len(old)
			old = append(old, r)
		}
	}
	var list []*catalog.Resource // ours, of those
	var last []int               // by length, the member of list that ends a sequence soonest
	var back []int               // the one before it
	for _, s := range c.to.Catalog.Resources {
		pos, both := at[s.Name()]
		if !both {
			continue
		}
		i := len(list)
		list = append(list, s)
		n := sort.Search(len(last), func(n int) bool { return at[list[last[n]].Name()] >= pos })
		if back = append(back, -1); n > 0 {
			back[i] = last[n-1]
		}
		if n == len(last) {
			last = append(last, i)
		} else {
			last[n] = i
		}
	}
	if len(last) == len(list) {
		return
	}
	stays := map[int]bool{}
	for i := last[len(last)-1]; i >= 0; i = back[i] {
		stays[i] = true
	}
	for i, s := range list {
		if stays[i] {
			continue
		}
		text := "moved to the end"
		for j := i + 1; j < len(list); j++ {
			if stays[j] {
				text = "moved, in the order in which agents go, before " + list[j].Ref()
				break
			}
		}
		c.add(&Change{Kind: Relation, Name: s.Name(), Text: text, old: old[at[s.Name()]], new: s})
	}
}
