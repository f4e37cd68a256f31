// Package datafile reads the files that hold data, YAML as Ruby's Psych reads it, JSON as Ruby's parser does, and
// HOCON, into plain values that remember where each of them stands. Hiera's backends, facts, and functions that load
// data share it.
//
// A Node is one value with its place in the text. The value itself is built once, without provenance, and shared by
// every compile; the places are turned into provenance by whoever needs it (Node.Traced).
//
// It may import source, provenance and value. Start reading at Node, then yaml.go and scalar.go.
package datafile

import (
	"slices"
	"strconv"
	"strings"

	"bunraku/provenance"
	"bunraku/puppet/value"
	"bunraku/source"
)

// A Node is one value of a data file.
type Node struct {
	Value  value.Value // plain and immutable; a Ruby symbol is an Opaque, and then Symbol is its name
	Span   source.Span
	Kids   []Kid // of an array its elements, of a hash its entries, in the order of Value
	Symbol string
	Has    Trait
	size   int           // number of values in it, those behind aliases counted each time; saturates
	shared bool          // an alias stands for it as well
	home   string        // of a shared node: the path of the place where it is written
	merged []*Node       // hashes that were merged into this one by the key <<
	merges []source.Span // where those keys stand
}

// A File is a text of data and what it says.
type File struct {
	Source *source.File
	Root   *Node      // nil when the text holds nothing
	Twice  []Repeated // keys of YAML that stand twice in one hash, where the last one silently counts
	index  map[string]*Kid
	shares bool // an alias stands for something
}

// A Repeated is a key that stands in one hash twice.
type Repeated struct {
	Key          string
	First, Again source.Span
}

// NewFile indexes the top level of a file that was read.
func NewFile(f *source.File, root *Node) *File {
	d := &File{Source: f, Root: root}
	if h := d.Hash(); h != nil {
		d.index = make(map[string]*Kid, h.Len())
		for i, e := range h.Entries() {
			if s, is := e.Key.(value.String); is {
				d.index[string(s)] = &root.Kids[i]
			}
		}
	}
	if d.shares = root != nil && root.anyShared(); d.shares {
		root.settle("", map[*Node]bool{})
	}
	return d
}

// anyShared reports whether an alias stands for some node. Until one is met, no node is met twice.
func (n *Node) anyShared() bool {
	return n.shared || slices.ContainsFunc(n.Kids, func(k Kid) bool { return k.Node.anyShared() })
}

// settle gives every shared node the path of its first place, which is where its anchor stands.
func (n *Node) settle(path string, seen map[*Node]bool) {
	if seen[n] {
		return
	}
	seen[n] = true
	if n.shared {
		n.home = path
	}
	for i, k := range n.Kids {
		k.Node.settle(n.kidPath(path, i), seen)
	}
}

// kidPath is the path of an element.
func (n *Node) kidPath(path string, i int) string {
	segment := strconv.Itoa(i)
	if h, is := n.Value.(*value.Hash); is {
		segment = Segment(h.Entries()[i].Key)
	}
	if path == "" {
		return segment
	}
	return path + "." + segment
}

// Aliased reports whether something of the file stands in several places of it, by an alias or a merge.
func (d *File) Aliased() bool { return d.shares }

// Each visits a node and all that is in it, each once; what an alias stands for is there, too.
func (n *Node) Each(visit func(*Node)) { n.each(map[*Node]bool{}, visit) }

func (n *Node) each(seen map[*Node]bool, visit func(*Node)) {
	if n == nil || seen[n] {
		return
	}
	seen[n] = true
	visit(n)
	for _, k := range n.Kids {
		k.Node.each(seen, visit)
	}
}

// Hash is what the file holds, or nil when that is no hash.
func (d *File) Hash() *value.Hash {
	if d.Root == nil {
		return nil
	}
	h, _ := d.Root.Value.(*value.Hash)
	return h
}

// Entry is the node below a key of the top level, or nil.
func (d *File) Entry(key string) *Node {
	if k := d.index[key]; k != nil {
		return k.Node
	}
	return nil
}

// Kid is the entry of a key of the top level, or nil.
func (d *File) Kid(key string) *Kid { return d.index[key] }

// A Kid is an element of an array, or the value of an entry together with the place of its key.
type Kid struct {
	Key   source.Span
	Node  *Node
	Alias source.Span // of the alias that stands here for the node, which is written elsewhere

	in    *Node      // the hash that an entry was merged from, if that is written elsewhere
	merge []mergedBy // the << that brought it, nearest first
}

// mergedBy is a <<, and the hash that it stands in unless that is the one which has the entry.
type mergedBy struct {
	at source.Span
	in *Node
}

// A Trait is something that holds for a value or anything within it.
type Trait uint8

const (
	Interpolation Trait = 1 << iota // a string, or a key, contains %{
	Symbols                         // a Ruby symbol other than :default, :undef
	OddKeys                         // a hash has a key that is neither a string nor a number
	Bytes                           // a string that Ruby takes for bytes: it was tagged !!binary
)

// Bytes are the strings in it that Ruby takes for bytes. No other string lies where they lie in memory, so that whoever
// keeps them can tell them from others.
func (n *Node) Bytes() []string {
	if n == nil || n.Has&Bytes == 0 {
		return nil
	}
	if s, is := n.Value.(value.String); is {
		return []string{string(s)}
	}
	var all []string
	for _, k := range n.Kids {
		all = append(all, k.Node.Bytes()...)
	}
	return all
}

// Entry is the node below a string key of a hash, or nil. It searches: use a File's Entry for the top level.
func (n *Node) Entry(key string) *Node {
	if h, is := n.Value.(*value.Hash); is {
		if i := h.Position(key); i >= 0 {
			return n.Kids[i].Node
		}
	}
	return nil
}

// Step is the node below a string key of a hash, or that of an element by its number; nil when there is none.
func (n *Node) Step(step string) *Node {
	if n == nil {
		return nil
	}
	if _, is := n.Value.(*value.Array); is {
		if i, err := strconv.Atoi(step); err == nil && i >= 0 && i < len(n.Kids) {
			return n.Kids[i].Node
		}
		return nil
	}
	return n.Entry(step)
}

// Place is where the node stands.
func (n *Node) Place(f *source.File) source.Place { return source.Place{File: f, Span: n.Span} }

// A data file has four sorts of places. A scalar is one, by its key path. So is every key of a hash: called otherwise,
// it is another entry. An alias, or a merge key (<<), is one where it stands: it could lead elsewhere, while what it
// leads to has its places at the anchor. And a container has one for which elements there are: another may come, or one
// may go.

// Traced is the value with provenance in its slots, and the provenance of the value itself: the leaf it is or, for a
// container, the place that says which elements there are. Path is the key path that names the node in its file. With a
// nil trace it is the plain value.
func (n *Node) Traced(t *provenance.Trace, kind provenance.LabelKind, f *source.File, path string) (value.Value,
	provenance.Ref) {
	if t == nil {
		return n.Value, 0
	}
	ref := n.leaf(t, kind, f, path)
	for _, m := range n.merged { // which keys there are depends on the keys of the other hash
		ref = t.With(ref, m.leaf(t, kind, f, m.home))
	}
	if n.home != "" {
		path = n.home
	}
	switch v := n.Value.(type) {
	case *value.Array:
		if len(n.Kids) == 0 {
			return v, ref
		}
		b := value.NewArrayBuilder(len(v.Elems))
		for i := range n.Kids {
			b.AddRef(n.Kids[i].traced(t, kind, f, n.kidPath(path, i)))
		}
		return b.Array(), ref
	case *value.Hash:
		for i, at := range n.merges {
			ref = t.With(ref, aliasLeaf(t, f, at, MergePath(path, i)))
		}
		if len(n.Kids) == 0 {
			return v, ref
		}
		b := value.NewHashBuilder(v.Len())
		keys := t.Keys(len(n.Kids), func(i int) provenance.Label { return n.keyLabel(f, path, i) })
		for i, e := range v.Entries() {
			k := &n.Kids[i]
			sub, r := k.traced(t, kind, f, n.kidPath(path, i))
			key := keys + provenance.Ref(i)
			for _, by := range k.merge {
				in, at := n, path
				if by.in != nil {
					in, at = by.in, by.in.home
				}
				key = t.With(key, aliasLeaf(t, f, by.at, MergePath(at, slices.Index(in.merges, by.at))))
			}
			b.SetEntry(value.Entry{Key: e.Key, Value: sub, KeyRef: key, Ref: r})
		}
		return b.Hash(), ref
	}
	return n.Value, ref
}

// Traced is the value of an entry of the top level: its key is a place, too.
func (k *Kid) Traced(t *provenance.Trace, f *source.File, path string) (value.Value, provenance.Ref) {
	if t == nil {
		return k.Node.Value, 0
	}
	v, ref := k.traced(t, provenance.Datum, f, path)
	return v, t.With(ref, t.Leaf(provenance.Label{Kind: provenance.Key, Place: source.Place{File: f, Span: k.Key},
		Path: path}))
}

func (k *Kid) traced(t *provenance.Trace, kind provenance.LabelKind, f *source.File, path string) (value.Value,
	provenance.Ref) {
	v, ref := k.Node.Traced(t, kind, f, path)
	if k.Alias.End > 0 {
		ref = t.With(ref, aliasLeaf(t, f, k.Alias, path))
	}
	return v, ref
}

// keyLabel is the place of the key of entry i. What was merged from an anchored hash is written there.
func (n *Node) keyLabel(f *source.File, path string, i int) provenance.Label {
	k := &n.Kids[i]
	if k.in != nil && k.in.home != "" {
		path = k.in.home
	}
	return provenance.Label{Kind: provenance.Key, Place: source.Place{File: f, Span: k.Key}, Path: n.kidPath(path, i)}
}

// Merges are where the keys << of a hash stand, with what they merge.
func (n *Node) Merges() []source.Span { return n.merges }

func aliasLeaf(t *provenance.Trace, f *source.File, at source.Span, path string) provenance.Ref {
	return t.Leaf(provenance.Label{Kind: provenance.Alias, Place: source.Place{File: f, Span: at}, Path: path})
}

// MergePath is the path of the i-th << of a hash.
func MergePath(path string, i int) string {
	if i > 0 {
		return path + ".<<" + strconv.Itoa(i)
	}
	return path + ".<<"
}

func (n *Node) leaf(t *provenance.Trace, kind provenance.LabelKind, f *source.File, path string) provenance.Ref {
	if n.home != "" {
		path = n.home
	}
	return t.Leaf(provenance.Label{Kind: kind, Place: n.Place(f), Path: path})
}

// Segment writes a hash key as a segment of a dotted key, quoted where a dot in it would split it.
func Segment(key value.Value) string { return Quoted(value.ToString(key)) }

// Quoted is Segment for a key that is a string.
func Quoted(s string) string {
	if strings.ContainsAny(s, `.'"`) {
		if strings.Contains(s, `"`) {
			return "'" + s + "'"
		}
		return `"` + s + `"`
	}
	return s
}

// values in one file when every alias is written out; beyond it the file is refused as an alias bomb
const maxSize = 1 << 22

// scalar, array and hash make nodes and keep their traits and sizes.
func scalar(v value.Value, span source.Span) *Node {
	n := &Node{Value: v, Span: span, size: 1}
	if s, is := v.(value.String); is && strings.Contains(string(s), "%{") {
		n.Has = Interpolation
	}
	return n
}

func bytesOf(s string, span source.Span) *Node {
	n := scalar(value.String(strings.Clone(s)), span)
	n.Has |= Bytes
	return n
}

func symbol(name string, span source.Span) *Node {
	switch name {
	case "default":
		return scalar(value.Default{}, span)
	case "undef":
		return scalar(value.Undef{}, span)
	}
	v := &value.Opaque{Why: "a Ruby symbol, :" + name, Settled: true}
	return &Node{Value: v, Span: span, Symbol: name, Has: Symbols, size: 1}
}

func array(kids []Kid, span source.Span) *Node {
	n := &Node{Span: span, Kids: kids, size: 1}
	elems := make([]value.Value, len(kids))
	for i, k := range kids {
		elems[i] = k.Node.Value
		n.take(k.Node)
	}
	n.Value = value.NewArray(elems...)
	return n
}

func (n *Node) take(kid *Node) {
	n.Has |= kid.Has
	if n.size += kid.size; n.size > maxSize {
		n.size = maxSize + 1
	}
}

// A hashMaker collects entries as Ruby's Hash does: a key that is set again keeps its place and takes the new value.
type hashMaker struct {
	keys  value.HashBuilder // key -> number of the kid
	order []value.Value
	kids  []Kid
	has   Trait

	merged []*Node
	merges []source.Span
}

// set sets an entry; before is the one that it takes the place of, if there is one.
func (m *hashMaker) set(key value.Value, k Kid) (before Kid, again bool) {
	if i, known := m.keys.Get(key); known {
		before = m.kids[i.(value.Int)]
		m.kids[i.(value.Int)] = k
		return before, true
	}
	m.keys.Set(key, value.Int(len(m.kids)))
	m.order = append(m.order, key)
	m.kids = append(m.kids, k)
	switch k := key.(type) {
	case value.String:
		if strings.Contains(string(k), "%{") {
			m.has |= Interpolation
		}
	case value.Int, value.Float:
	default:
		m.has |= OddKeys
	}
	return Kid{}, false
}

// merge sets the entries of another hash, because of a << at a place.
func (m *hashMaker) merge(n *Node, at source.Span) {
	m.merged = append(m.merged, n)
	m.merges = append(m.merges, at)
	for i, e := range n.Value.(*value.Hash).Entries() {
		n.Kids[i].Node.shared = n.Kids[i].Node.shared || n.shared
		k := n.Kids[i]
		if k.in == nil && n.shared {
			k.in = n
		}
		merge := []mergedBy{{at: at}}
		for _, by := range k.merge {
			if by.in == nil {
				by.in = n
			}
			merge = append(merge, by)
		}
		k.merge = merge
		m.set(e.Key, k)
	}
}

func (m *hashMaker) node(span source.Span) *Node {
	n := &Node{Span: span, Kids: m.kids, Has: m.has, merged: m.merged, merges: m.merges, size: 1}
	b := value.NewHashBuilder(len(m.kids))
	for i, k := range m.kids {
		b.Set(m.order[i], k.Node.Value)
		n.take(k.Node)
	}
	n.Value = b.Hash()
	return n
}

// Mentions visits the keys and strings in a value that are a text, whatever its case, each with its key path.
func (n *Node) Mentions(path, text string, visit func(at source.Span, path string)) {
	switch v := n.Value.(type) {
	case value.String:
		if strings.EqualFold(string(v), text) || strings.EqualFold(strings.TrimPrefix(string(v), "::"), text) {
			visit(n.Span, path)
		}
	case *value.Hash:
		for i, e := range v.Entries() {
			p := n.kidPath(path, i)
			if s, is := e.Key.(value.String); is && strings.EqualFold(string(s), text) {
				visit(n.Kids[i].Key, p)
			}
			n.Kids[i].Node.Mentions(p, text, visit)
		}
	case *value.Array:
		for i := range v.Elems {
			n.Kids[i].Node.Mentions(n.kidPath(path, i), text, visit)
		}
	}
}
