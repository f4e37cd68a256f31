package diff

import (
	"strings"

	"bunraku/puppet/catalog"
	"bunraku/puppet/resource"
	"bunraku/puppet/value"
)

// renamed pairs resources that went with resources that came of the same type and with the same attributes: a
// resource under another title. It takes one and one, never two that could be either, and leaves alone what has no
// attributes, because that says nothing. What remains is returned.
func (c *comparison) renamed(removed, added []*catalog.Resource) (gone, come []*catalog.Resource) {
	if len(removed) == 0 || len(added) == 0 {
		return removed, added
	}
	old, new := map[string][]*catalog.Resource{}, map[string][]*catalog.Resource{}
	for _, r := range removed {
		if k := likeness(r); k != "" {
			old[k] = append(old[k], r)
		}
	}
	for _, r := range added {
		if k := likeness(r); k != "" {
			new[k] = append(new[k], r)
		}
	}
	paired := map[*catalog.Resource]bool{}
	for _, r := range removed {
		k := likeness(r)
		if len(old[k]) != 1 || len(new[k]) != 1 {
			continue
		}
		s := new[k][0]
		if c.opt.leavesOut(r, '-') || c.opt.leavesOut(s, '+') { // the other one is told by itself
			continue
		}
		paired[r], paired[s] = true, true
		x := &Change{Kind: Renamed, Name: r.Name(), To: s.Name(), old: r, new: s}
		if a, b := c.key(&c.from, r), c.key(&c.to, s); a != "" && a == b {
			x.Text = "the same on the machine"
		}
		c.add(x)
		if c.opt.Contents != nil {
			c.contents(r, s)
		}
	}
	left := func(list []*catalog.Resource) (out []*catalog.Resource) {
		for _, r := range list {
			if !paired[r] {
				out = append(out, r)
			}
		}
		return out
	}
	return left(removed), left(added)
}

// likeness is the same for resources of one type with equal attributes; "" for those that cannot be told by them.
func likeness(r *catalog.Resource) string {
	if len(r.Params) == 0 || r.Possible != "" {
		return ""
	}
	parts := make([]string, 0, len(r.Params)+1)
	for _, p := range r.Params {
		if unknown(p.Value) != "" {
			return ""
		}
		parts = append(parts, p.Name+"="+encode(p.Value))
	}
	return r.Type + "\x00" + strings.Join(sorted(parts), "\x00")
}

// key is what a resource is called on the machine, "" if its type is not known.
func (c *comparison) key(side *Side, r *catalog.Resource) string {
	t := side.types().Type(strings.ToLower(r.Type))
	if t == nil {
		return ""
	}
	vs, err := resource.Key(t, r.Title, func(attr string) value.Value { return r.Get(attr) })
	if err != nil || len(vs) == 0 {
		return ""
	}
	var out []string
	for _, v := range vs {
		out = append(out, encode(v))
	}
	return strings.Join(out, "\x00")
}
