package store

import (
	"encoding/binary"
	"slices"
	"strings"

	"bunraku/puppet/catalog"
	"bunraku/puppet/compiler"
	"bunraku/puppet/facts"
	"bunraku/puppet/lookup"
	"bunraku/puppet/trace"
	"bunraku/puppet/value"

	bolt "go.etcd.io/bbolt"
)

// A Node is one to compile, whose facts may stay unread until they are needed.
type Node struct {
	Name string
	// Data is a digest of all that is known of the node: its facts, what its certificate says, what an external
	// classifier says. If it is the same as before, so are they.
	Data [16]byte
	// Load gives the node.
	Load func() (compiler.Node, error)
}

// Of is a node that has been read.
func Of(n compiler.Node) Node {
	var t trace.Text
	hash := func(h *value.Hash) {
		if t.Flag(h != nil); h != nil {
			t.Value(h)
		}
	}
	name := n.Name
	if f := n.Facts; f != nil {
		if sum, light := f.Light(); light {
			t.String(string(sum[:]))
		} else {
			hash(f.Values)
			hash(f.Trusted)
		}
		if name == "" {
			name = f.Name
		}
	}
	hash(n.Parameters)
	for _, c := range n.Classes {
		t.String(c.Name)
		hash(c.Params)
	}
	if n.Imports != nil {
		t.String(n.Imports.Digest())
	}
	name = strings.ToLower(name)
	t.String(name)
	return Node{Name: name, Data: digestOf(t), Load: func() (compiler.Node, error) { return n, nil }}
}

// With is the node with something more that is known of it, "" for nothing.
func (n Node) With(more string) Node {
	if more != "" {
		n.Data = digestOf(append(n.Data[:], more...))
	}
	return n
}

// FromText is a node whose facts are a text that is read when it is needed.
func FromText(name string, text []byte, read func() (*facts.Facts, error)) Node {
	name = strings.ToLower(name)
	return Node{Name: name, Data: digestOf(append([]byte(name+"\x00"), text...)), Load: func() (compiler.Node, error) {
		f, err := read()
		return compiler.Node{Name: name, Facts: f}, err
	}}
}

// A record is what one compile of a node asked, and what came of it.
type record struct {
	data       digest       // Node.Data
	files      uint32       // set of questions about files, with answers
	layers     uint32       // set of questions about Hiera's layers, with answers
	asks       uint32       // set of questions about the node, without
	answers    digest       // all of their answers
	statements trace.Answer // Snapshot.Statements
	statement  trace.Answer // which of them is the node's
	result     uint32
	places     uint32
	sketch     []byte // of what decides about Hiera's files
}

// sameAs reports whether two compiles asked the same and were told the same.
func (r *record) sameAs(o *record) bool {
	return r.files == o.files && r.layers == o.layers && r.asks == o.asks && r.answers == o.answers
}

// mostRecords is how many records of a node are kept: those that held last.
const mostRecords = 3

func (r *record) encode(out []byte) []byte {
	out = append(out, r.data[:]...)
	for _, n := range []uint32{r.files, r.layers, r.asks, r.result, r.places} {
		out = binary.AppendUvarint(out, uint64(n))
	}
	out = append(out, r.answers[:]...)
	out = append(out, r.statements[:]...)
	out = append(out, r.statement[:]...)
	out = binary.AppendUvarint(out, uint64(len(r.sketch)))
	return append(out, r.sketch...)
}

func encodeRecords(list []*record) (out []byte) {
	for _, r := range list {
		out = r.encode(out)
	}
	return out
}

// decodeRecords reads what encodeRecords wrote. What is broken is left out: then the node is compiled.
func decodeRecords(in []byte) (list []*record) {
	for len(in) > 0 {
		r := &record{}
		bad := false
		bytes := func(to []byte) {
			if bad = bad || len(in) < len(to); !bad {
				in = in[copy(to, in):]
			}
		}
		number := func() uint64 {
			n, size := binary.Uvarint(in)
			if bad = bad || size <= 0; bad {
				return 0
			}
			in = in[size:]
			return n
		}
		bytes(r.data[:])
		for _, n := range []*uint32{&r.files, &r.layers, &r.asks, &r.result, &r.places} {
			*n = uint32(number())
		}
		bytes(r.answers[:])
		bytes(r.statements[:])
		bytes(r.statement[:])
		size := number()
		if bad || size > uint64(len(in)) {
			return list
		}
		r.sketch = append([]byte(nil), in[:size]...)
		in = in[size:]
		list = append(list, r)
	}
	return list
}

// recordsOf are the records of a node, the best first.
func (s *Store) recordsOf(name string) (list []*record) {
	s.view(func(tx *bolt.Tx) {
		if waiting, is := s.records[name]; is {
			list = waiting
			return
		}
		list = decodeRecords(tx.Bucket(nodeBucket).Get([]byte(name)))
	})
	return list
}

// put makes a record the first of a node's. The lock is held.
func (s *Store) put(tx *bolt.Tx, name string, r *record) {
	list, is := s.records[name]
	if !is {
		list = decodeRecords(tx.Bucket(nodeBucket).Get([]byte(name)))
	}
	next := []*record{r}
	for _, old := range list {
		if !old.sameAs(r) && len(next) < mostRecords {
			next = append(next, old)
		}
	}
	s.records[name] = next
	s.size += 200 + len(r.sketch)
}

// ---- sketches

// A sketch is the variables that decide which files of data a node has, as JSON: [name, steps, value] each.
func encodeSketch(vars []lookup.Variable) []byte {
	var all []value.Value
	for _, v := range vars {
		if slices.ContainsFunc(v.Steps, func(s value.Value) bool { _, is := s.(value.String); return !is }) {
			continue // into an array: then the facts are read
		}
		all = append(all, value.NewArray(value.String(v.Name), value.NewArray(v.Steps...), v.Value))
	}
	text, err := catalog.JSON{}.AppendValue(nil, value.NewArray(all...))
	if err != nil {
		return nil
	}
	return text
}

// sketchOf reads a sketch; nil if it is none.
func sketchOf(name string, text []byte) *compiler.Sketch {
	v, err := catalog.ReadJSON(text)
	all, is := v.(*value.Array)
	if err != nil || !is {
		return nil
	}
	has := map[string]bool{}
	roots := map[string]*tree{"facts": {}, "trusted": {}}
	for _, e := range all.Elems {
		e, is := e.(*value.Array)
		if !is || e.Len() != 3 {
			return nil
		}
		root, steps := value.ToString(e.Elems[0]), e.Elems[1].(*value.Array).Elems
		has[pathOf(root, steps)] = true
		at := roots[root]
		for _, s := range steps {
			if at != nil {
				at = at.at(s)
			}
		}
		if at != nil {
			at.leaf = catalog.FromData(e.Elems[2])
		}
	}
	h := func(root string) *value.Hash { h, _ := roots[root].value().(*value.Hash); return h }
	return &compiler.Sketch{Name: name, Facts: h("facts"), Trusted: h("trusted"),
		Has: func(name string, steps []value.Value) bool { return has[pathOf(name, steps)] }}
}

func pathOf(root string, steps []value.Value) string {
	var t trace.Text
	t.String(strings.TrimPrefix(root, "::"))
	for _, s := range steps {
		t.Value(s)
	}
	return string(t)
}

// A tree is a hash that is being made.
type tree struct {
	keys []value.Value
	kids []*tree
	leaf value.Value
}

func (t *tree) at(key value.Value) *tree {
	for i, k := range t.keys {
		if k == key {
			return t.kids[i]
		}
	}
	kid := &tree{}
	t.keys, t.kids = append(t.keys, key), append(t.kids, kid)
	return kid
}

func (t *tree) value() value.Value {
	if t.leaf != nil || len(t.keys) == 0 {
		return value.OrUndef(t.leaf)
	}
	var pairs []value.Value
	for i, k := range t.keys {
		pairs = append(pairs, k, t.kids[i].value())
	}
	return value.NewHash(pairs...)
}
