package diff

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"bunraku/puppet/catalog"
	"bunraku/puppet/value"
)

// Key is the same for the same change of two nodes: what is a node's own does not count, nor what surrounds the lines
// of a text or the elements of a list that change. It may hold secrets.
func (c *Change) Key() string {
	if c.known != "" {
		return c.known
	}
	return c.key(c.oldOwn, c.newOwn)
}

// key is the key if old and new know what is the node's own; if they know nothing, it is the same only for changes that
// are the same to the letter.
func (c *Change) key(old, new *own) string {
	var k key
	k.part(c.Kind.String())
	if c.old != nil || c.new == nil {
		k.part(old.nameOr(c.old, c.Name))
	}
	if c.new != nil {
		k.part(new.nameOr(c.new, c.new.Name()))
	}
	k.part(c.Attribute)
	k.part(c.File)
	if c.Kind != NotKnown {
		k.part(c.Text)
	} else { // on one side only it has another cause than on both
		k.part(fmt.Sprint(c.dark))
	}
	k.part(fmt.Sprint(c.Gone, c.Secret))
	if c.From != "" {
		k.part(c.From)
	}
	if c.told {
		k.part("told")
	}
	switch {
	case c.exact && c.Kind != NotKnown:
		k.part(encode(c.Old))
		k.part(encode(c.New))
		for _, r := range []*catalog.Resource{c.old, c.new} {
			if r != nil && c.Kind != Attribute {
				k.resource(nil, r)
			}
		}
		k.part(fmt.Sprint(c.Part))
		told, _ := json.Marshal(c.octocatalog()) // with tags and places, which are not compared
		k.part(string(told))
	case c.Kind == Added:
		k.resource(new, c.new)
	case c.Kind == Removed || c.Kind == Renamed || c.Kind == NotKnown:
	case c.Blocks != nil:
		k.blocks(c, old, new)
	default:
		k.values(c.values(old, new))
	}
	return k.String()
}

// A key is a sequence of texts that can be read in one way only.
type key struct{ strings.Builder }

func (k *key) part(s string) {
	fmt.Fprintf(k, "%d:", len(s))
	k.WriteString(s)
}

// resource adds all attributes of a resource.
func (k *key) resource(o *own, r *catalog.Resource) {
	var parts []string
	for _, p := range r.Params {
		parts = append(parts, p.Name+"="+encode(o.value(p.Value, p.Ref)))
	}
	k.part(strings.Join(sorted(parts), "\x00"))
}

// values adds what an attribute was and is; of lists what left and what joined, of hashes what changed.
func (k *key) values(old, new value.Value) {
	if hashes(old, new) {
		for _, p := range differing(nil, old, new, nil) {
			k.part(strings.Join(p.path, "\x00"))
			k.values(p.old, p.new)
		}
		return
	}
	if lost, gained, ok := listDelta(old, new); ok {
		k.part("list")
		for _, v := range [][]value.Value{lost, gained} {
			k.part(strings.Join(members(value.NewArray(v...)), ","))
		}
		return
	}
	k.part(encode(old))
	k.part(encode(new))
}

// blocks adds the lines that went and those that came, without what is the node's own in them. Where they stand and in
// which order does not count: a list that a template writes line by line may have another order on each node.
func (k *key) blocks(c *Change, old, new *own) {
	var was, is []string
	for _, b := range c.ownBlocks(old, new) {
		was, is = append(was, b.Old...), append(is, b.New...)
		if b.OldNoEnd != b.NewNoEnd {
			k.part(fmt.Sprint(b.OldNoEnd, b.NewNoEnd))
		}
	}
	k.part(strings.Join(sorted(was), "\n"))
	k.part(strings.Join(sorted(is), "\n"))
}

// ownBlocks are the lines that changed, without what is the node's own in them.
func (c *Change) ownBlocks(old, new *own) []Block {
	if old == nil && new == nil || c.Blocks == nil { // texts of one line have none
		return c.Blocks
	}
	x, y := c.values(old, new)
	was, is := textLines(x), textLines(y)
	cut := func(all, raw []string, first int) []string {
		if first-1+len(raw) <= len(all) {
			return all[first-1 : first-1+len(raw)]
		}
		return raw
	}
	out := make([]Block, len(c.Blocks))
	for i, b := range c.Blocks {
		b.Old, b.New = cut(was, b.Old, b.OldLine), cut(is, b.New, b.NewLine)
		out[i] = b
	}
	return out
}

// common is the change without what is the node's own: what nodes that differ in it have in common.
func (c *Change) common() *Change {
	out := *c
	if n, ok := catalog.ParseRef(c.oldOwn.nameOr(c.old, c.Name)); ok && c.old != nil {
		out.Name = n
	} else if n, ok := catalog.ParseRef(c.newOwn.nameOr(c.new, c.Name)); ok && c.Kind == Added {
		out.Name = n
	}
	if n, ok := catalog.ParseRef(c.newOwn.nameOr(c.new, c.To)); ok && c.Kind == Renamed {
		out.To = n
	}
	if c.Kind == Added {
		out.new = c.newOwn.resource(c.new)
	}
	if !c.Secret {
		out.Old, out.New = c.values(c.oldOwn, c.newOwn)
		out.Blocks = c.ownBlocks(c.oldOwn, c.newOwn)
		alike := func(b Block) bool { return slices.Equal(b.Old, b.New) && b.OldNoEnd == b.NewNoEnd }
		if c.Kind == Attribute && len(out.Blocks) == 0 && encode(out.Old) == encode(out.New) ||
			slices.ContainsFunc(out.Blocks, alike) {
			out.Old, out.New, out.Blocks, out.Example = c.Old, c.New, c.Blocks, true
		}
	}
	return &out
}

// textLines are the lines of a text; none if it is no text.
func textLines(v value.Value) []string {
	s, _ := v.(value.String)
	return lines(string(s))
}
