package lookup

import (
	"regexp"
	"slices"
	"sort"

	"bunraku/provenance"
	"bunraku/puppet/types"
	"bunraku/puppet/value"
)

// This file is the Ruby library deep_merge, which Puppet's deep strategy calls. It merges in place, and where a source
// is merged into a shallow copy of itself the same nested array is both source and destination. That shows in results,
// so mutable containers with an identity stand in for Ruby's objects here.

type (
	// A cell is a mutable value: a plain scalar, or one of the two containers.
	cell struct {
		scalar value.Value
		list   *cellList
		table  *cellTable
		ref    provenance.Ref
	}
	cellList  struct{ cells []cell }
	cellTable struct {
		keys  []value.Value
		krefs []provenance.Ref
		cells []cell
		index map[string]int // of string keys
	}
	merger struct {
		t               *provenance.Trace
		knockout        *regexp.Regexp // at a line's start
		prefix          string
		sortArrays      bool
		mergeHashArrays bool
		overwriteArrays bool // these three only through the unconstrained strategies
		extendArrays    bool
	}
)

// deepMerge merges source over dest.
func deepMerge(inv *invocation, options *value.Hash, source, dest item) (item, error) {
	m := &merger{t: inv.s.trace}
	if options != nil {
		truthy := func(key string) bool { v, has := options.GetString(key); return has && value.Truthy(v) }
		m.sortArrays, m.mergeHashArrays = truthy("sort_merged_arrays"), truthy("merge_hash_arrays")
		m.overwriteArrays, m.extendArrays = truthy("overwrite_arrays"), truthy("extend_existing_arrays")
		if p, is := options.At("knockout_prefix").(value.String); is {
			if p == "" {
				return item{}, fail("H0408", "knockout_prefix cannot be an empty string in deep_merge!")
			}
			re, err := regexp.Compile("(?m)^" + string(p)) // Puppet puts the prefix into a pattern as it is
			if err != nil {
				return item{}, fail("H0402", err.Error())
			}
			m.knockout, m.prefix = re, string(p)
		}
	}
	out, err := m.merge(thaw(source.v, source.ref), thaw(dest.v, dest.ref))
	if err != nil {
		return item{}, err
	}
	return item{out.freeze(), out.ref}, nil
}

// thaw copies a value into cells of its own.
func thaw(v value.Value, ref provenance.Ref) cell {
	switch v := v.(type) {
	case *value.Array:
		l := &cellList{cells: make([]cell, v.Len())}
		for i, e := range v.Elems {
			l.cells[i] = thaw(e, v.Ref(i))
		}
		return cell{list: l, ref: ref}
	case *value.Hash:
		t := &cellTable{index: map[string]int{}}
		for _, e := range v.Entries() {
			t.set(e.Key, e.KeyRef, thaw(e.Value, e.Ref))
		}
		return cell{table: t, ref: ref}
	}
	return cell{scalar: value.OrUndef(v), ref: ref}
}

func (c cell) freeze() value.Value {
	switch {
	case c.list != nil:
		b := value.NewArrayBuilder(len(c.list.cells))
		for _, e := range c.list.cells {
			b.AddRef(e.freeze(), e.ref)
		}
		return b.Array()
	case c.table != nil:
		b := value.NewHashBuilder(len(c.table.cells))
		for i, e := range c.table.cells {
			b.SetEntry(value.Entry{Key: c.table.keys[i], KeyRef: c.table.krefs[i], Value: e.freeze(), Ref: e.ref})
		}
		return b.Hash()
	}
	return c.scalar
}

func (t *cellTable) find(key value.Value) int {
	if s, is := key.(value.String); is {
		if i, has := t.index[string(s)]; has {
			return i
		}
		return -1
	}
	return slices.IndexFunc(t.keys, func(k value.Value) bool { return value.Same(k, key) })
}

func (t *cellTable) set(key value.Value, kref provenance.Ref, c cell) {
	if i := t.find(key); i >= 0 {
		t.cells[i], t.krefs[i] = c, kref
		return
	}
	if s, is := key.(value.String); is {
		t.index[string(s)] = len(t.keys)
	}
	t.keys, t.krefs, t.cells = append(t.keys, key), append(t.krefs, kref), append(t.cells, c)
}

func (c cell) isUndef() bool { return c.list == nil && c.table == nil && value.IsUndef(c.scalar) }
func (c cell) truthy() bool  { return c.list != nil || c.table != nil || value.Truthy(c.scalar) }

// dup is Ruby's dup: the container is new, what is in it is shared.
func (c cell) dup() cell {
	switch {
	case c.list != nil:
		return cell{list: &cellList{slices.Clone(c.list.cells)}, ref: c.ref}
	case c.table != nil:
		t := &cellTable{keys: slices.Clone(c.table.keys), krefs: slices.Clone(c.table.krefs),
			cells: slices.Clone(c.table.cells), index: make(map[string]int, len(c.table.index))}
		for k, i := range c.table.index {
			t.index[k] = i
		}
		return cell{table: t, ref: c.ref}
	}
	return c
}

// merge is DeepMerge.deep_merge!.
func (m *merger) merge(source, dest cell) (cell, error) {
	if source.isUndef() {
		return cell{scalar: dest.scalar, list: dest.list, table: dest.table, ref: m.t.With(dest.ref, source.ref)}, nil
	}
	if !dest.truthy() {
		return cell{scalar: source.scalar, list: source.list, table: source.table, ref: m.t.With(source.ref, dest.ref)}, nil
	}
	switch {
	case source.table != nil:
		return m.mergeTable(source, dest)
	case source.list != nil:
		return m.mergeList(source, dest)
	case dest.list != nil && m.extendArrays:
		dest.list.cells = append(dest.list.cells, source)
		return dest, nil
	}
	return m.overwrite(source, dest), nil
}

func (m *merger) mergeTable(source, dest cell) (cell, error) {
	for i := 0; i < len(source.table.keys); i++ {
		key, kref, val := source.table.keys[i], source.table.krefs[i], source.table.cells[i]
		switch {
		case dest.table != nil:
			j := dest.table.find(key)
			old := cell{scalar: value.Undef{}}
			if j >= 0 {
				old = dest.table.cells[j]
				kref = m.t.With(kref, dest.table.krefs[j])
			}
			was := old.ref
			if !old.truthy() {
				old = val.dup()
			}
			merged, err := m.merge(val, old)
			if err != nil {
				return cell{}, err
			}
			merged.ref = m.t.With(merged.ref, was)
			dest.table.set(key, kref, merged)
		case dest.list != nil && m.extendArrays:
			dest.list.cells = append(dest.list.cells, source)
		default:
			dest = m.overwrite(source, dest)
		}
	}
	if dest.table != source.table {
		dest.ref = m.t.Op("merge deep", source.ref, dest.ref)
	}
	return dest, nil
}

func (m *merger) mergeList(source, dest cell) (cell, error) {
	if m.overwriteArrays {
		return source, nil
	}
	spine := m.spine(source, dest)
	if m.knockout != nil && slices.ContainsFunc(source.list.cells, m.isPrefix) {
		switch {
		case dest.list != nil:
			dest.list.cells = nil
		case dest.table != nil:
			*dest.table = cellTable{index: map[string]int{}}
		default:
			if s, is := dest.scalar.(value.String); is && s != "" {
				dest.scalar = value.String("") // String#clear
			} else if !is {
				dest.scalar = value.Undef{}
			}
		}
		source.list.cells = slices.DeleteFunc(source.list.cells, m.isPrefix)
	}
	if dest.list == nil {
		over := m.overwrite(source, dest)
		over.ref = spine
		return over, nil
	}
	if m.knockout != nil {
		m.knockOut(source.list, dest.list)
	}
	if m.mergeHashArrays && allTables(source.list) && allTables(dest.list) {
		list := &cellList{}
		for i, d := range dest.list.cells {
			s := cell{table: &cellTable{index: map[string]int{}}}
			if i < len(source.list.cells) {
				s = source.list.cells[i]
			}
			merged, err := m.merge(s, d)
			if err != nil {
				return cell{}, err
			}
			list.cells = append(list.cells, merged)
		}
		if n := len(dest.list.cells); len(source.list.cells) > n {
			list.cells = append(list.cells, source.list.cells[n:]...)
		}
		dest = cell{list: list}
	} else {
		dest = cell{list: union(dest.list, source.list)}
	}
	dest.ref = spine
	if m.sortArrays {
		return dest, m.sort(dest.list)
	}
	return dest, nil
}

// spine: which elements a merged list has depends on all elements of both.
func (m *merger) spine(source, dest cell) provenance.Ref {
	if m.t == nil {
		return 0
	}
	refs := []provenance.Ref{source.ref, dest.ref}
	for _, l := range []*cellList{source.list, dest.list} {
		if l != nil {
			for _, c := range l.cells {
				c.eachRef(func(r provenance.Ref) { refs = append(refs, r) })
			}
		}
	}
	return m.t.Op("merge deep", refs...)
}

// eachRef calls f with the provenance of a cell and of all in it.
func (c cell) eachRef(f func(provenance.Ref)) {
	f(c.ref)
	if c.list != nil {
		for _, e := range c.list.cells {
			e.eachRef(f)
		}
	}
	if c.table != nil {
		for _, e := range c.table.cells {
			e.eachRef(f)
		}
	}
}

func (m *merger) isPrefix(c cell) bool {
	s, is := c.scalar.(value.String)
	return is && string(s) == m.prefix
}

func allTables(l *cellList) bool {
	return !slices.ContainsFunc(l.cells, func(c cell) bool { return c.table == nil })
}

// knockOut removes from dest what source says with a prefix, and those words from source. It follows Array#delete_if
// step by step, since source and dest can be one array.
func (m *merger) knockOut(source, dest *cellList) {
	i1, i2 := 0, 0
	for ; i1 < len(source.cells); i1++ {
		c := source.cells[i1]
		if s, is := c.scalar.(value.String); is {
			if stripped := m.strip(string(s)); stripped != string(s) {
				dest.remove(value.String(stripped))
				dest.remove(s)
				continue
			}
		}
		if i1 != i2 {
			source.cells[i2] = c
		}
		i2++
	}
	if n := len(source.cells); i2 < n && i2 < i1 {
		if i1 < n {
			copy(source.cells[i2:], source.cells[i1:])
			i2 += n - i1
		}
		source.cells = source.cells[:i2]
	}
}

func (m *merger) strip(s string) string { return m.knockout.ReplaceAllLiteralString(s, "") }

// remove is Array#delete, which compares with ==.
func (l *cellList) remove(v value.Value) {
	l.cells = slices.DeleteFunc(l.cells, func(c cell) bool { s, is := c.scalar.(value.String); return is && s == v })
}

// union is Ruby's |.
func union(a, b *cellList) *cellList {
	out := &cellList{}
	var seen []value.Value
	for _, l := range [...]*cellList{a, b} {
		for _, c := range l.cells {
			v := c.freeze()
			if !slices.ContainsFunc(seen, func(x value.Value) bool { return value.Same(x, v) }) {
				seen, out.cells = append(seen, v), append(out.cells, c)
			}
		}
	}
	return out
}

// sort is Array#sort!, which fails on what Ruby cannot compare.
func (m *merger) sort(l *cellList) error {
	var bad error
	sort.SliceStable(l.cells, func(i, j int) bool {
		a, b := l.cells[i].freeze(), l.cells[j].freeze()
		c, ok := compareRuby(a, b)
		if !ok && bad == nil {
			if _, is := b.(value.String); is { // Ruby's sort happens to ask it the other way round
				a, b = b, a
			}
			bad = fail("H0409", "comparison of "+types.RubyClass(a)+" with "+compared(b)+" failed")
		}
		return c < 0
	})
	return bad
}

// compared is how Ruby names the other side of a comparison that failed: small values by their text.
func compared(v value.Value) string {
	switch v.(type) {
	case value.Int, value.Float, value.Bool, value.Undef:
		return value.Inspect(v)
	}
	return types.RubyClass(v)
}

// compareRuby is Ruby's <=>.
func compareRuby(a, b value.Value) (int, bool) {
	switch x := a.(type) {
	case value.String:
		if y, is := b.(value.String); is {
			switch {
			case x < y:
				return -1, true
			case x > y:
				return 1, true
			}
			return 0, true
		}
	case value.Int, value.Float:
		switch b.(type) {
		case value.Int, value.Float:
			c, err := value.Compare(a, b)
			return c, err == nil
		}
	case *value.Array:
		if y, is := b.(*value.Array); is {
			for i := range min(x.Len(), y.Len()) {
				if c, ok := compareRuby(x.Elems[i], y.Elems[i]); c != 0 || !ok {
					return c, ok
				}
			}
			return x.Len() - y.Len(), true
		}
	}
	if value.Same(a, b) {
		return 0, true
	}
	return 0, false
}

// overwrite is DeepMerge.overwrite_unmergeables.
func (m *merger) overwrite(source, dest cell) cell {
	ref := m.t.With(source.ref, dest.ref)
	if m.knockout == nil {
		source.ref = ref
		return source
	}
	switch {
	case source.list != nil: // delete_if changes source itself, so that the two are always equal afterwards
		source.list.cells = slices.DeleteFunc(source.list.cells, func(c cell) bool {
			s, is := c.scalar.(value.String)
			return is && m.strip(string(s)) != string(s)
		})
	case source.table == nil:
		if s, is := source.scalar.(value.String); is && m.strip(string(s)) != string(s) {
			return cell{scalar: value.String(""), ref: m.t.Op("merge deep", source.ref, dest.ref)}
		}
	}
	source.ref = ref
	return source
}
