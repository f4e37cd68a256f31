package facts

import (
	"strconv"
	"strings"

	"bunraku/provenance"
	"bunraku/puppet/lookup/datafile"
	"bunraku/puppet/value"
	"bunraku/source"
)

// Place is where a fact stands, by its path: "os", "networking.interfaces.eth0", "processors.models.0".
func (x *Facts) Place(path string) (source.Place, bool) {
	name, rest, deeper := strings.Cut(path, ".")
	n := x.nodes[name]
	for n != nil && deeper {
		var segment string
		segment, rest, deeper = strings.Cut(rest, ".")
		switch n.Value.(type) {
		case *value.Hash:
			n = n.Entry(segment)
		case *value.Array:
			i, err := strconv.Atoi(segment)
			if err != nil || i < 0 || i >= len(n.Kids) {
				return source.Place{}, false
			}
			n = n.Kids[i].Node
		default:
			return source.Place{}, false
		}
	}
	if n == nil {
		return source.Place{}, false
	}
	return n.Place(x.file), true
}

// Traced is Values with provenance: each leaf is the fact at its path, each container the fact that says which elements
// it has. The provenance of the whole says which facts there are. With a nil trace it is Values.
func (x *Facts) Traced(t *provenance.Trace) (*value.Hash, provenance.Ref) {
	if t == nil {
		return x.Values, 0
	}
	top := t.Leaf(provenance.Label{Kind: provenance.Fact, Place: source.Place{File: x.file}})
	b := value.NewHashBuilder(x.Values.Len())
	for _, e := range x.Values.Entries() {
		name := string(e.Key.(value.String))
		v, ref := x.traced(t, e.Value, x.nodes[name], datafile.Segment(e.Key))
		b.SetEntry(value.Entry{Key: e.Key, KeyRef: top, Value: v, Ref: ref})
	}
	return b.Hash(), top
}

func (x *Facts) traced(t *provenance.Trace, v value.Value, n *datafile.Node, path string) (value.Value,
	provenance.Ref) {
	label := provenance.Label{Kind: provenance.Fact, Path: path}
	if n != nil {
		label.Place = n.Place(x.file)
	}
	ref := t.Leaf(label)
	kid := func(i int) *datafile.Node {
		if n == nil || i >= len(n.Kids) {
			return nil
		}
		return n.Kids[i].Node
	}
	switch v := v.(type) {
	case *value.Array:
		b := value.NewArrayBuilder(v.Len())
		for i, e := range v.Elems {
			b.AddRef(x.traced(t, e, kid(i), path+"."+strconv.Itoa(i)))
		}
		return b.Array(), ref
	case *value.Hash:
		b := value.NewHashBuilder(v.Len())
		for i, e := range v.Entries() {
			sub, r := x.traced(t, e.Value, kid(i), path+"."+datafile.Segment(e.Key))
			b.SetEntry(value.Entry{Key: e.Key, KeyRef: ref, Value: sub, Ref: r})
		}
		return b.Hash(), ref
	}
	return v, ref
}

// Trusted is the hash $trusted of a node that was authenticated by its certificate; extensions and external may be nil.
func Trusted(certname string, extensions, external *value.Hash) *value.Hash {
	if extensions == nil {
		extensions = value.EmptyHash
	}
	if external == nil {
		external = value.EmptyHash
	}
	host, domain, dotted := strings.Cut(certname, ".")
	var d value.Value = value.Undef{}
	if dotted {
		d = value.String(domain)
	}
	return value.NewHash(
		value.String("authenticated"), value.String("remote"), value.String("certname"), value.String(certname),
		value.String("extensions"), extensions,
		value.String("hostname"), value.String(host), value.String("domain"), d, value.String("external"), external)
}
