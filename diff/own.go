package diff

import (
	"cmp"
	"slices"
	"strings"

	"bunraku/explain"
	"bunraku/provenance"
	"bunraku/puppet/catalog"
	"bunraku/puppet/value"
)

// Ten thousand nodes have ten thousand names and addresses, and a commit that changes one line of a template changes
// ten thousand different texts. They are the same change. So, before changes of nodes are compared with each other,
// what is a node's own in them is replaced by a word for it, `<networking.ip>`. It is not just searched for: a text is
// the node's own only where provenance says that it was copied from, or computed from nothing but, such a fact. A node
// named "db" has no more in common with the word db in a path than any other.

// An own knows what is the node's own in one compile. A nil one knows of nothing.
type own struct {
	rec *explain.Record
}

func ownOf(s *Side) *own {
	if s.Record == nil || s.Record.Trace == nil {
		return nil
	}
	return &own{explain.Of(s.Record)}
}

// ownFacts are the facts that tell a node from its like. A star stands for one step.
var ownFacts = [][]string{
	{"fqdn"}, {"hostname"}, {"clientcert"}, {"certname"}, {"ipaddress"}, {"ipaddress6"}, {"macaddress"},
	{"networking", "fqdn"}, {"networking", "hostname"}, {"networking", "ip"}, {"networking", "ip6"}, {"networking", "mac"},
	{"networking", "interfaces", "*", "ip"}, {"networking", "interfaces", "*", "ip6"},
	{"networking", "interfaces", "*", "mac"},
	{"networking", "interfaces", "*", "bindings", "*", "address"},
	{"networking", "interfaces", "*", "bindings6", "*", "address"},
	{"trusted", "certname"}, {"trusted", "hostname"}, {"serialnumber"}, {"uuid"},
	{"dmi", "product", "serial_number"}, {"dmi", "product", "uuid"}, {"dmi", "board", "serial_number"},
	{"ssh", "*", "key"}, {"ssh", "*", "fingerprints", "*"}, {"sshrsakey"}, {"sshecdsakey"}, {"sshed25519key"},
}

// ownFact is the word for a place if it is a fact of the node's own; "" if it is not.
func ownFact(l provenance.Label) string {
	switch l.Kind {
	case provenance.NodeName:
		return cmp.Or(l.Path, "certname")
	case provenance.Fact:
		steps := strings.Split(l.Path, ".")
		for _, own := range ownFacts {
			if len(own) == len(steps) && matches(own, steps) {
				return l.Path
			}
		}
		switch name, _, _ := strings.Cut(l.Path, "_"); name {
		case "ipaddress", "ipaddress6", "macaddress":
			return l.Path
		}
	}
	return ""
}

func matches(pattern, steps []string) bool {
	for i, p := range pattern {
		if p != "*" && p != steps[i] {
			return false
		}
	}
	return true
}

// word is what stands for a part that was computed from nothing but facts of the node's own; "" if it was not.
func word(from []explain.Origin) string {
	var words []string
	for _, l := range from {
		w := ownFact(l.Label)
		switch {
		case w != "" && !slices.Contains(words, w):
			words = append(words, w)
		case w != "" || l.Kind == provenance.Literal || l.Kind == provenance.Absence:
		case l.Kind == provenance.Fact && slices.ContainsFunc(from, func(x explain.Origin) bool {
			return ownFact(x.Label) != "" && strings.HasPrefix(x.Path, l.Path+".")
		}): // the way to a fact
		default:
			return ""
		}
	}
	if len(words) == 0 {
		return ""
	}
	return "<" + strings.Join(words, " ") + ">"
}

// shortest is how long the text of a fact must be to be recognised in what was made of it.
const shortest = 4

// A segment is a part of a text: without what is the node's own, and of data the places and the text that it was copied
// from.
type segment struct{ text, data string }

// segments cuts a text into parts. Lines stay lines.
func (o *own) segments(s string, r provenance.Ref) (out []segment) {
	if o == nil || r == 0 {
		return []segment{{text: s}}
	}
	for _, p := range o.rec.Parts(s, r) {
		seg := segment{text: p.Text}
		if p.Op != "" || len(p.From) > 1 {
			seg.text = named(p)
		} else if len(p.From) == 1 && ownFact(p.From[0].Label) != "" {
			seg.text = "<" + ownFact(p.From[0].Label) + ">"
		}
		if w := word(p.From); w != "" && seg.text == p.Text && !judged(p.Text) && !strings.Contains(p.Text, "\n") &&
			p.Op != "concat" && !strings.HasPrefix(p.Op, "call template") {
			seg.text = w
		}
		if p.Op == "call join" && !strings.Contains(p.Text, "\n") {
			seg.text = inOrder(seg.text)
		}
		seg.data = dataOf(p)
		out = append(out, seg)
	}
	return out
}

// judged reports whether a text is the outcome of a comparison. That of two names may be, and is not a node's own:
// nodes have one of two.
func judged(text string) bool { return text == "true" || text == "false" }

// named puts words in the place of the texts of the node's own facts in what was computed from them, a text that ERB
// has rendered, say. That is only done if no other place that it was made of can have brought the same text.
func named(p explain.Part) string {
	text := p.Text
	for _, l := range p.From {
		w := ownFact(l.Label)
		if w == "" || !l.Known || len(l.Text) < shortest || !strings.Contains(text, l.Text) {
			continue
		}
		if !slices.ContainsFunc(p.From, func(x explain.Origin) bool {
			return ownFact(x.Label) == "" && (x.Known && strings.Contains(x.Text, l.Text) ||
				!x.Known && strings.Contains(x.Place.Text(), l.Text))
		}) {
			text = strings.ReplaceAll(text, l.Text, "<"+w+">")
		}
	}
	return text
}

// dataOf names the data that a part is a copy of; "" if it is more, or something else.
func dataOf(p explain.Part) string {
	if p.Op != "" && p.Op != "text" && p.Op != "call join" {
		return ""
	}
	var names []string
	for _, l := range p.From {
		switch {
		case l.Kind.InData() && l.Place.File != nil:
			names = append(names, l.Place.File.Name+"\x00"+l.Path)
		case l.Kind == provenance.Absence:
		default:
			return ""
		}
	}
	if names == nil {
		return ""
	}
	return strings.Join(append(names, p.Text), "\x00")
}

// inOrder is a list that was joined to a text, its elements sorted.
func inOrder(text string) string {
	separator := strings.TrimLeft(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-/[]@<>")
	if end := strings.IndexFunc(separator, func(r rune) bool { return !strings.ContainsRune(" ,;:|\t", r) }); end > 0 {
		separator = separator[:end]
		return strings.Join(sorted(strings.Split(text, separator)), separator)
	}
	return text
}

// text is a text without what is the node's own.
func (o *own) text(s string, r provenance.Ref) string {
	var b strings.Builder
	for _, seg := range o.segments(s, r) {
		b.WriteString(seg.text)
	}
	return b.String()
}

// texts are two texts without what is the node's own. Data that are in both are not what changes: whichever they are,
// they are only shown as such.
func texts(oldOwn *own, old string, oldRef provenance.Ref, newOwn *own, new string, newRef provenance.Ref) (x,
	y string) {
	a, b := oldOwn.segments(old, oldRef), newOwn.segments(new, newRef)
	in := func(list []segment, data string) bool {
		return data != "" && slices.ContainsFunc(list, func(s segment) bool { return s.data == data })
	}
	join := func(list, other []segment) string {
		var out strings.Builder
		for _, s := range list {
			if in(other, s.data) && !strings.Contains(s.text, "\n") {
				out.WriteString("<…>")
			} else {
				out.WriteString(s.text)
			}
		}
		return out.String()
	}
	if oldOwn == nil || newOwn == nil || len(a)*len(b) > 1_000_000 {
		return oldOwn.text(old, oldRef), newOwn.text(new, newRef)
	}
	return join(a, b), join(b, a)
}

// value is a value without what is the node's own.
func (o *own) value(v value.Value, r provenance.Ref) value.Value {
	if o == nil {
		return v
	}
	switch v := v.(type) {
	case value.String:
		return value.String(o.text(string(v), r))
	case *value.Array:
		elems := make([]value.Value, len(v.Elems))
		for i, e := range v.Elems {
			elems[i] = o.value(e, v.Ref(i))
		}
		return value.NewArray(elems...)
	case *value.Hash:
		b := value.NewHashBuilder(v.Len())
		for _, e := range v.Entries() {
			b.Set(e.Key, o.value(e.Value, e.Ref))
		}
		return b.Hash()
	case value.Int, value.Float:
		if r != 0 {
			if w := word(o.rec.Origins(r)); w != "" {
				return value.String(w)
			}
		}
	}
	return v
}

// resource is a resource whose attributes are without what is the node's own.
func (o *own) resource(r *catalog.Resource) *catalog.Resource {
	out := *r
	out.Params = slices.Clone(r.Params)
	for i, p := range out.Params {
		out.Params[i].Value = o.value(p.Value, p.Ref)
	}
	return &out
}

// values are what an attribute was and is, without what is the node's own.
func (c *Change) values(oldOwn, newOwn *own) (old, new value.Value) {
	x, isX := c.Old.(value.String)
	y, isY := c.New.(value.String)
	if isX && isY {
		s, t := texts(oldOwn, string(x), c.oldRef, newOwn, string(y), c.newRef)
		return value.String(s), value.String(t)
	}
	return oldOwn.value(c.Old, c.oldRef), newOwn.value(c.New, c.newRef)
}

// nameOr is a resource's name without what is the node's own; the one that is given if that is not known.
func (o *own) nameOr(r *catalog.Resource, n catalog.Name) string {
	if o == nil || r == nil {
		return n.String()
	}
	return r.Type + "[" + o.text(r.Title, r.TitleRef) + "]"
}
