package ruby

// sorted sorts by <=> or the block. It is stable, as glibc's qsort is, which Ruby uses on Linux.
func (c *call) sorted(items []Object) []Object {
	out := append([]Object(nil), items...)
	c.in.room(16 * len(out))
	if c.block == nil {
		mergeSort(out, func(a, b Object) int { return c.in.order(a, b) })
		return out
	}
	mergeSort(out, func(a, b Object) int { return c.in.orderOf(c.yield(a, b), a, b) })
	return out
}

func (c *call) sortedBy(items []Object) []Object {
	type pair struct{ k, v Object }
	ps := make([]pair, len(items))
	for i, e := range items {
		ps[i] = pair{c.yield(e), e}
	}
	keys := make([]Object, len(ps))
	for i := range ps {
		keys[i] = NewArray(ps[i].k, ps[i].v)
	}
	mergeSort(keys, func(a, b Object) int { return c.in.order(a.(*Array).e[0], b.(*Array).e[0]) })
	out := make([]Object, len(ps))
	for i := range keys {
		out[i] = keys[i].(*Array).e[1]
	}
	return out
}

// mergeSort compares in the order of glibc's qsort, so that a comparison that fails names the same two elements.
func mergeSort(items []Object, cmp func(a, b Object) int) {
	if len(items) < 2 {
		return
	}
	n := len(items) / 2
	mergeSort(items[:n], cmp)
	mergeSort(items[n:], cmp)
	left := append([]Object(nil), items[:n]...)
	i, j := 0, n
	for k := range items {
		switch {
		case i == len(left):
			return
		case j == len(items) || cmp(left[i], items[j]) <= 0:
			items[k] = left[i]
			i++
		default:
			items[k] = items[j]
			j++
		}
	}
}

func (c *call) extreme(sign int) Object {
	cmp := func(a, b Object) int {
		if c.block != nil {
			return c.in.orderOf(c.yield(a, b), a, b) * sign
		}
		return c.in.order(a, b) * sign
	}
	if c.has(0) && !isNil(c.arg(0)) {
		n := c.int(0)
		if n < 0 {
			c.raise("ArgumentError", "negative size (%d)", n)
		}
		items := append([]Object(nil), c.in.items(c.self)...)
		mergeSort(items, cmp)
		return c.in.array(items[:min(n, len(items))])
	}
	var best Object
	c.in.each(c.self, func(e Object) bool {
		if best == nil || cmp(best, e) > 0 {
			best = e
		}
		return true
	})
	return orNil(best)
}

func (c *call) extremeBy(sign int) Object {
	if c.has(0) && !isNil(c.arg(0)) {
		n := c.int(0)
		items := c.sortedBy(c.in.items(c.self))
		if sign < 0 {
			for i, j := 0, len(items)-1; i < j; i, j = i+1, j-1 {
				items[i], items[j] = items[j], items[i]
			}
		}
		return c.in.array(items[:min(n, len(items))])
	}
	var best, key Object
	c.in.each(c.self, func(e Object) bool {
		k := c.yield(e)
		if best == nil || c.in.order(k, key)*sign < 0 {
			best, key = e, k
		}
		return true
	})
	return orNil(best)
}
