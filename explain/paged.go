package explain

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"slices"
	"sort"
	"strings"

	"bunraku/provenance"
	"bunraku/puppet/catalog"
	"bunraku/puppet/value"

	"github.com/klauspost/compress/zstd"
)

// The side file on disk. A question about one slot must not read what is there of twenty thousand others, so what the
// file has is cut into pages that are compressed one by one: nodes of the trace, leaves, notes, resources, variables,
// keys of Hiera. The head, at the end, says where each page is, and an index finds a resource or a variable by its
// name.
//
//	bunraku provenance 4\n   pages …   head   the head's offset, 8 bytes, little endian
//
// Who asks about one resource or variable gets a side file that is cut down to it: the nodes that its slots reach,
// numbered anew, with their leaves and notes, and the keys of Hiera that the leaves name. To load that is to load any
// side file, and the answer is the same. All other questions are about the whole.

// sideMagic begins every side file; its version follows.
const sideMagic = "bunraku provenance "

const (
	nodesPerPage     = 1024
	leavesPerPage    = 128
	notesPerPage     = 128
	resourcesPerPage = 32
	variablesPerPage = 64
	keysPerPage      = 16
	maxPage          = 64 << 20 // bytes that a page may have: it comes from anywhere
)

// A sideHead says what is where.
type sideHead struct {
	Root        string            `json:"root"`
	Environment string            `json:"environment"`
	Catalog     json.RawMessage   `json:"catalog"` // without resources and edges
	Files       []string          `json:"files"`
	Sums        []string          `json:"sums"`
	Ops         []string          `json:"ops"`
	Secret      []provenance.Ref  `json:"secret"`
	SecretAt    [][3]int          `json:"secret_lines"` // file from 1, first and last line
	SecretKeys  []string          `json:"secret_keys"`
	Pages       map[string]*shelf `json:"pages"`
	Keys        []string          `json:"keys"` // of Hiera, the first one of each page
	Index       stretch           `json:"index"`
}

// A shelf is the pages of one kind: they stand one behind the other, and each but the last has as many things.
type shelf struct {
	At    int   `json:"at"`
	Per   int   `json:"per"`
	Sizes []int `json:"sizes"`

	starts []int // of the pages, worked out when they are asked for
}

// A stretch is where a page is.
type stretch struct {
	At   int `json:"at"`
	Size int `json:"size"`
}

// page is where a page of the shelf is.
func (s *shelf) page(i int) (stretch, bool) {
	if s == nil || i < 0 || i >= len(s.Sizes) {
		return stretch{}, false
	}
	if s.starts == nil {
		at := s.At
		for _, n := range s.Sizes {
			s.starts = append(s.starts, at)
			at += n
		}
	}
	return stretch{s.starts[i], s.Sizes[i]}, true
}

func (s *shelf) len() int {
	if s == nil {
		return 0
	}
	return len(s.Sizes)
}

// A sideEntry is a resource with its provenance.
type sideEntry struct {
	Resource json.RawMessage `json:"resource"`
	Side     sideResource    `json:"side"`
}

// encode writes a side file. hide blots secrets out of a text in JSON.
func (s *sideFile) encode(hide func(string) string) ([]byte, error) {
	var whole struct {
		Resources []json.RawMessage `json:"resources"`
	}
	if err := json.Unmarshal(s.Catalog, &whole); err != nil || len(whole.Resources) != len(s.Resources) {
		return nil, errors.New("the catalog cannot be written")
	}
	head := &sideHead{Root: s.Root, Environment: s.Environment, Files: s.Trace.Files, Sums: s.Sums, Ops: s.Trace.Ops,
		Secret: s.Secret, Pages: map[string]*shelf{}}
	var err error
	if head.Catalog, err = emptied(s.Catalog); err != nil {
		return nil, err
	}
	for _, h := range s.Hiera {
		if h.Secret {
			head.SecretKeys = append(head.SecretKeys, h.Key)
		}
	}
	for _, r := range s.Secret { // leaves are the first nodes, in their order
		if l := s.Trace.Leaves[r-1]; l.At[0] > 0 {
			head.SecretAt = append(head.SecretAt, [3]int{l.At[0], l.At[1], l.At[3]})
		}
	}
	w := &pageWriter{out: fmt.Appendf(nil, "%s%d\n", sideMagic, sideVersion), head: head, hide: hide}
	if w.zip, err = zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(
		zstd.SpeedDefault)); err != nil {
		return nil, err
	}
	if err := w.nodes(s.Trace.Nodes); err != nil {
		return nil, err
	}
	many(w, "leaves", s.Trace.Leaves, leavesPerPage)
	many(w, "notes", s.Trace.Notes, notesPerPage)
	entries := make([]sideEntry, len(s.Resources))
	for i := range entries {
		entries[i] = sideEntry{whole.Resources[i], s.Resources[i]}
	}
	many(w, "resources", entries, resourcesPerPage)
	many(w, "variables", s.Variables, variablesPerPage)
	many(w, "hiera", s.Hiera, keysPerPage)
	for i := 0; i < len(s.Hiera); i += keysPerPage {
		head.Keys = append(head.Keys, s.Hiera[i].Key)
	}
	many(w, "edges", s.EdgeRefs, 1<<20)
	many(w, "facts", []map[string]json.RawMessage{s.Facts}, 1)
	many(w, "passed", s.Passed, 1<<20)
	many(w, "virtual", s.Virtual, 1<<20)
	var raw struct {
		Edges json.RawMessage `json:"edges"`
	}
	_ = json.Unmarshal(s.Catalog, &raw)
	many(w, "relations", []json.RawMessage{raw.Edges}, 1)
	index, err := s.index(hide)
	if err != nil {
		return nil, err
	}
	head.Index = w.page(index)
	text, err := json.Marshal(head)
	if err != nil || w.err != nil {
		return nil, errors.Join(err, w.err)
	}
	at := len(w.out)
	w.page([]byte(w.hide(string(text))))
	return binary.LittleEndian.AppendUint64(w.out, uint64(at)), nil
}

// emptied is a catalog without its resources and edges.
func emptied(text json.RawMessage) (json.RawMessage, error) {
	fields := map[string]json.RawMessage{}
	if err := json.Unmarshal(text, &fields); err != nil {
		return nil, err
	}
	for _, name := range []string{"resources", "edges"} {
		if fields[name] != nil {
			fields[name] = json.RawMessage("[]")
		}
	}
	return json.Marshal(fields)
}

type pageWriter struct {
	out  []byte
	head *sideHead
	hide func(string) string
	zip  *zstd.Encoder
	err  error
}

// page adds one.
func (w *pageWriter) page(text []byte) stretch {
	at := len(w.out)
	w.out = w.zip.EncodeAll(text, w.out)
	return stretch{At: at, Size: len(w.out) - at}
}

// add puts a page on a shelf.
func (w *pageWriter) add(kind string, per int, text []byte) {
	p := w.page(text)
	s := w.head.Pages[kind]
	if s == nil {
		s = &shelf{At: p.At, Per: per}
		w.head.Pages[kind] = s
	}
	s.Sizes = append(s.Sizes, p.Size)
}

// many adds the pages of a list.
func many[T any](w *pageWriter, kind string, list []T, most int) {
	for i := 0; i < len(list); i += most {
		text, err := json.Marshal(map[string]any{kind: list[i:min(len(list), i+most)]})
		if err != nil {
			w.err = err
			return
		}
		w.add(kind, most, []byte(w.hide(string(text))))
	}
}

// nodes cuts the stream of nodes.
func (w *pageWriter) nodes(rest []byte) error {
	n, start := 0, rest
	for len(rest) > 0 {
		var ok bool
		if _, _, _, rest, ok = provenance.NextPacked(rest, nil); !ok {
			return errors.New("the trace cannot be written")
		}
		if n++; n == nodesPerPage || len(rest) == 0 {
			w.add("nodes", nodesPerPage, start[:len(start)-len(rest)])
			n, start = 0, rest
		}
	}
	return nil
}

// index is names by their hashes, sorted: 8 bytes of hash and 4 of a number each. Variables have the highest bit set.
// Of a title with a secret in it not even the hash is there.
func (s *sideFile) index(hide func(string) string) ([]byte, error) {
	text, err := json.Marshal(s.refs)
	if err != nil {
		return nil, err
	}
	var refs []string
	if json.Unmarshal([]byte(hide(string(text))), &refs) != nil || len(refs) != len(s.refs) {
		return nil, errors.New("the names of resources cannot be written")
	}
	type entry struct {
		hash   uint64
		number uint32
	}
	list := make([]entry, 0, len(s.Resources)+len(s.Variables))
	for i, ref := range refs {
		list = append(list, entry{hashOf(ref), uint32(i)})
	}
	for i, v := range s.Variables {
		list = append(list, entry{hashOf(v.qualified()), 1<<31 | uint32(i)})
	}
	sort.Slice(list, func(i, j int) bool {
		return list[i].hash < list[j].hash || list[i].hash == list[j].hash && list[i].number < list[j].number
	})
	out := make([]byte, 0, 12*len(list))
	for _, e := range list {
		out = binary.LittleEndian.AppendUint64(out, e.hash)
		out = binary.LittleEndian.AppendUint32(out, e.number)
	}
	return out, nil
}

func hashOf(name string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(name))
	return h.Sum64()
}

func (v *sideVariable) qualified() string {
	if v.Class == "" {
		return "$" + v.Name
	}
	return "$" + v.Class + "::" + v.Name
}

// A pageReader reads a side file.
type pageReader struct {
	text []byte
	head sideHead
	zip  *zstd.Decoder
}

var errDamaged = errors.New("the file is damaged: its parts do not fit each other")

// openPages reads the head. A file of another version is refused.
func openPages(text []byte) (*pageReader, error) {
	first, _, _ := bytes.Cut(text[:min(len(text), 64)], []byte("\n"))
	version, isOurs := strings.CutPrefix(string(first), sideMagic)
	old := struct {
		Version int `json:"bunraku_provenance"`
	}{}
	switch {
	case isOurs && version == fmt.Sprint(sideVersion):
	case isOurs:
		return nil, &OtherVersion{version}
	case bytes.HasPrefix(text, []byte(`{"bunraku_provenance":`)) && json.Unmarshal(text, &old) == nil:
		return nil, &OtherVersion{fmt.Sprint(old.Version)}
	default:
		return nil, errors.New("this is no provenance file")
	}
	r := &pageReader{text: text}
	var err error
	if r.zip, err = zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxPage)); err != nil {
		return nil, err
	}
	n := len(text)
	if n < 8 {
		return nil, errDamaged
	}
	at := binary.LittleEndian.Uint64(text[n-8:])
	if at > uint64(n-8) {
		return nil, errDamaged
	}
	head, err := r.page(stretch{At: int(at), Size: n - 8 - int(at)})
	if err != nil || json.Unmarshal(head, &r.head) != nil || len(r.head.Files) != len(r.head.Sums) {
		return nil, errDamaged
	}
	return r, nil
}

// Texts is all that a side file says, page by page, for whoever looks for a word in it.
func Texts(text []byte) (string, error) {
	r, err := openPages(text)
	if err != nil {
		return "", err
	}
	head, err := json.Marshal(r.head)
	if err != nil {
		return "", err
	}
	var out strings.Builder
	out.Write(head)
	for _, kind := range []string{"leaves", "notes", "resources", "variables", "hiera", "edges", "facts", "passed",
		"virtual", "relations"} {
		for i := range r.head.Pages[kind].len() {
			p, _ := r.head.Pages[kind].page(i)
			text, err := r.page(p)
			if err != nil {
				return "", err
			}
			out.WriteByte('\n')
			out.Write(text)
		}
	}
	return out.String(), nil
}

// OtherVersion is the error of a side file that another version of the program has written.
type OtherVersion struct{ Version string }

func (e *OtherVersion) Error() string {
	return fmt.Sprintf("it was written by another version of bunraku: its format is %s, and this one reads %d", e.Version,
		sideVersion)
}

func (r *pageReader) page(p stretch) ([]byte, error) {
	if p.At < 0 || p.Size < 0 || p.At > len(r.text) || p.Size > len(r.text)-p.At {
		return nil, errDamaged
	}
	text, err := r.zip.DecodeAll(r.text[p.At:p.At+p.Size], nil)
	if err != nil {
		return nil, errDamaged
	}
	return text, nil
}

// list reads one page of a kind.
func list[T any](r *pageReader, kind string, number int) (out []T, err error) {
	p, ok := r.head.Pages[kind].page(number)
	if !ok {
		return nil, errDamaged
	}
	text, err := r.page(p)
	if err != nil {
		return nil, err
	}
	read := map[string][]T{}
	if json.Unmarshal(text, &read) != nil {
		return nil, errDamaged
	}
	return read[kind], nil
}

// all reads all pages of a kind.
func all[T any](r *pageReader, kind string) (out []T, err error) {
	for i := range r.head.Pages[kind].len() {
		more, err := list[T](r, kind, i)
		if err != nil {
			return nil, err
		}
		out = append(out, more...)
	}
	return out, nil
}

// one reads one thing of a kind by its number; pages that were read are kept.
func one[T any](r *pageReader, kind string, kept map[int][]T, number int) (out T, err error) {
	pages := r.head.Pages[kind]
	if pages == nil || pages.Per < 1 || number < 0 {
		return out, errDamaged
	}
	i := number / pages.Per
	if _, known := kept[i]; !known {
		if kept[i], err = list[T](r, kind, i); err != nil {
			return out, err
		}
	}
	if k := number % pages.Per; k < len(kept[i]) {
		return kept[i][k], nil
	}
	return out, errDamaged
}

// whole is everything.
func (r *pageReader) whole() (s *sideFile, err error) {
	s = &sideFile{Root: r.head.Root, Environment: r.head.Environment, Sums: r.head.Sums, Secret: r.head.Secret,
		SecretAt: r.head.SecretAt, Trace: &provenance.Packed{Files: r.head.Files, Ops: r.head.Ops}}
	fail := func(e error) { err = errors.Join(err, e) }
	for i := range r.head.Pages["nodes"].len() {
		p, _ := r.head.Pages["nodes"].page(i)
		text, e := r.page(p)
		fail(e)
		s.Trace.Nodes = append(s.Trace.Nodes, text...)
	}
	var e error
	s.Trace.Leaves, e = all[provenance.PackedLeaf](r, "leaves")
	fail(e)
	s.Trace.Notes, e = all[provenance.PackedNote](r, "notes")
	fail(e)
	entries, e := all[sideEntry](r, "resources")
	fail(e)
	s.Variables, e = all[sideVariable](r, "variables")
	fail(e)
	s.Hiera, e = all[sideHiera](r, "hiera")
	fail(e)
	s.EdgeRefs, e = all[provenance.Ref](r, "edges")
	fail(e)
	s.Passed, e = all[sidePassed](r, "passed")
	fail(e)
	s.Virtual, e = all[sideStub](r, "virtual")
	fail(e)
	facts, e := all[map[string]json.RawMessage](r, "facts")
	fail(e)
	edges, e := all[json.RawMessage](r, "relations")
	fail(e)
	if err != nil || len(facts) != 1 || len(edges) != 1 {
		return nil, errDamaged
	}
	s.Facts = facts[0]
	return s, r.catalog(s, entries, edges[0])
}

// catalog puts resources and edges into the catalog.
func (r *pageReader) catalog(s *sideFile, entries []sideEntry, edges json.RawMessage) error {
	fields := map[string]json.RawMessage{}
	if json.Unmarshal(r.head.Catalog, &fields) != nil {
		return errDamaged
	}
	texts := make([]json.RawMessage, len(entries))
	for i, e := range entries {
		texts[i] = e.Resource
		s.Resources = append(s.Resources, e.Side)
	}
	var err error
	if fields["resources"], err = json.Marshal(texts); err != nil {
		return errDamaged
	}
	if edges != nil {
		fields["edges"] = edges
	}
	s.Catalog, err = json.Marshal(fields)
	return err
}

// find looks a name up: the numbers of what may have it, resources or variables.
func (r *pageReader) find(name string, variable bool) (out []int, err error) {
	index, err := r.page(r.head.Index)
	if err != nil {
		return nil, err
	}
	h := hashOf(name)
	at := func(i int) uint64 { return binary.LittleEndian.Uint64(index[12*i:]) }
	for i := sort.Search(len(index)/12, func(i int) bool { return at(i) >= h }); i < len(index)/12 && at(i) == h; i++ {
		if n := binary.LittleEndian.Uint32(index[12*i+8:]); n>>31 == 1 == variable {
			out = append(out, int(n&^(1<<31)))
		}
	}
	return out, nil
}

// part is what a question about one resource, one of its attributes, or one variable needs; nil for other questions.
func (r *pageReader) part(ref, attribute string) (*sideFile, error) {
	c := &cutting{r: r, entries: map[int][]sideEntry{}, decoded: map[int][]packedNode{}}
	var roots []provenance.Ref
	s := &sideFile{Root: r.head.Root, Environment: r.head.Environment, SecretAt: r.head.SecretAt}
	ref = strings.TrimSpace(ref)
	var entries []sideEntry
	if strings.HasPrefix(ref, "$") {
		v, err := c.variable(ref)
		if v == nil || err != nil || attribute != "" {
			return nil, err
		}
		roots = append(roots, v.Ref)
		s.Variables = []sideVariable{*v}
		if v.Class != "" {
			class, err := c.resource("Class[" + value.CapitalizeSegments(v.Class) + "]")
			if err != nil {
				return nil, err
			}
			if class != nil {
				entries = append(entries, *class)
			}
		}
	} else {
		n, ok := parseRef(ref)
		if !ok {
			return nil, nil
		}
		e, err := c.resource(n.String())
		if e == nil || err != nil {
			return nil, err
		}
		roots = append(roots, e.Side.Existence, e.Side.Title)
		p, set := e.Side.Params[attribute]
		switch {
		case attribute == "":
			for _, p := range e.Side.Params {
				roots = append(roots, p.Ref)
			}
		case set:
			roots = append(roots, p.Ref)
		default:
			return nil, nil
		}
		entries = append(entries, *e)
	}
	number, err := c.trace(s, roots)
	if err != nil {
		return nil, err
	}
	for i := range entries {
		side := &entries[i].Side
		for _, at := range []*provenance.Ref{&side.Existence, &side.Title, &side.Position, &side.Tags} {
			*at = number[*at]
		}
		params := map[string]sideParam{}
		for name, p := range side.Params {
			p.Ref = number[p.Ref]
			params[name] = p
		}
		side.Params = params
	}
	for i := range s.Variables {
		s.Variables[i].Ref = number[s.Variables[i].Ref]
	}
	for _, secret := range r.head.Secret {
		if n := number[secret]; n != 0 {
			s.Secret = append(s.Secret, n)
		}
	}
	if err := r.catalog(s, entries, nil); err != nil {
		return nil, err
	}
	return s, c.rest(s)
}

// A cutting cuts a side file down.
type cutting struct {
	r       *pageReader
	entries map[int][]sideEntry
	decoded map[int][]packedNode
}

type packedNode struct {
	kind, number uint32
	back         []uint32
}

func (c *cutting) resource(ref string) (*sideEntry, error) {
	numbers, err := c.r.find(ref, false)
	for _, n := range numbers {
		e, err := one(c.r, "resources", c.entries, n)
		if err != nil {
			return nil, err
		}
		var name struct{ Type, Title string }
		if json.Unmarshal(e.Resource, &name) == nil && (catalog.Name{Type: name.Type, Title: name.Title}).String() == ref {
			return &e, nil
		}
	}
	return nil, err
}

func (c *cutting) variable(ref string) (*sideVariable, error) {
	numbers, err := c.r.find(ref, true)
	kept := map[int][]sideVariable{}
	var found *sideVariable
	for _, n := range numbers {
		v, err := one(c.r, "variables", kept, n)
		if err != nil {
			return nil, err
		}
		if v.qualified() == ref && (found == nil || v.Node) {
			found = &v
		}
	}
	return found, err
}

// node reads one node; the page that it is on is taken apart once.
func (c *cutting) node(r provenance.Ref) (packedNode, error) {
	i := (int(r) - 1) / nodesPerPage
	nodes, known := c.decoded[i]
	if !known {
		p, ok := c.r.head.Pages["nodes"].page(i)
		if !ok {
			return packedNode{}, errDamaged
		}
		rest, err := c.r.page(p)
		if err != nil {
			return packedNode{}, err
		}
		for len(rest) > 0 {
			var n packedNode
			var ok bool
			if n.kind, n.number, n.back, rest, ok = provenance.NextPacked(rest, []uint32{}); !ok {
				return n, errDamaged
			}
			nodes = append(nodes, n)
		}
		c.decoded[i] = nodes
	}
	k := (int(r) - 1) % nodesPerPage
	if k >= len(nodes) {
		return packedNode{}, errDamaged
	}
	return nodes[k], nil
}

// trace is the part of the trace that roots reach. number says how old nodes are numbered in it.
func (c *cutting) trace(s *sideFile, roots []provenance.Ref) (number map[provenance.Ref]provenance.Ref, err error) {
	number = map[provenance.Ref]provenance.Ref{}
	nodes := map[provenance.Ref]packedNode{}
	stack := slices.Clone(roots)
	for len(stack) > 0 {
		r := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if _, seen := nodes[r]; seen || r == 0 {
			continue
		}
		n, err := c.node(r)
		if err != nil {
			return nil, err
		}
		nodes[r] = n
		for _, back := range n.back {
			if back != 0 && provenance.Ref(back) < r {
				stack = append(stack, r-provenance.Ref(back))
			}
		}
	}
	order := make([]provenance.Ref, 0, len(nodes))
	for r := range nodes {
		order = append(order, r)
	}
	slices.Sort(order)
	p := &provenance.Packed{Files: c.r.head.Files, Ops: c.r.head.Ops}
	leaves, notes := map[int][]provenance.PackedLeaf{}, map[int][]provenance.PackedNote{}
	for i, r := range order {
		now := provenance.Ref(i + 1)
		n := nodes[r]
		number[r] = now
		switch n.kind {
		case provenance.PackedIsLeaf:
			l, err := one(c.r, "leaves", leaves, int(n.number))
			if err != nil {
				return nil, err
			}
			n.number = uint32(len(p.Leaves))
			p.Leaves = append(p.Leaves, l)
		case provenance.PackedIsNote:
			note, err := one(c.r, "notes", notes, int(n.number))
			if err != nil {
				return nil, err
			}
			n.number = uint32(len(p.Notes))
			p.Notes = append(p.Notes, note)
		}
		for _, x := range []uint32{n.kind, n.number, uint32(len(n.back))} {
			p.Nodes = binary.AppendUvarint(p.Nodes, uint64(x))
		}
		for _, back := range n.back {
			old := r - provenance.Ref(back)
			if back != 0 {
				if provenance.Ref(back) >= r {
					return nil, errDamaged
				}
				back = uint32(now - number[old])
			}
			p.Nodes = binary.AppendUvarint(p.Nodes, uint64(back))
		}
	}
	s.Trace, s.Sums = p, c.r.head.Sums
	return number, nil
}

// rest adds the facts and the keys of Hiera that leaves name.
func (c *cutting) rest(s *sideFile) error {
	facts, err := all[map[string]json.RawMessage](c.r, "facts")
	if err != nil || len(facts) != 1 {
		return errDamaged
	}
	s.Facts = facts[0]
	asked := map[string]bool{}
	for _, l := range s.Trace.Leaves {
		if l.Kind.InData() {
			asked[RootKey(l.Path)] = true
		}
	}
	kept := map[int][]sideHiera{}
	pages := c.r.head.Pages["hiera"]
	for _, key := range sortedNames(asked) {
		i := sort.SearchStrings(c.r.head.Keys, key)
		if i == len(c.r.head.Keys) || c.r.head.Keys[i] != key {
			i--
		}
		if i < 0 || i >= pages.len() {
			continue
		}
		if _, known := kept[i]; !known {
			if kept[i], err = list[sideHiera](c.r, "hiera", i); err != nil {
				return err
			}
		}
		for _, h := range kept[i] {
			if h.Key == key {
				s.Hiera = append(s.Hiera, h)
			}
		}
	}
	s.only()
	return nil
}

func sortedNames(m map[string]bool) (out []string) {
	for k := range m {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}

// only leaves out files that nothing in the part stands in: they need not be read again.
func (s *sideFile) only() {
	used := make([]bool, len(s.Trace.Files))
	s.eachSpot(func(at provenance.PackedSpot) {
		if i := at[0] - 1; i >= 0 && i < len(used) {
			used[i] = true
		}
	})
	s.skip = make([]bool, len(used))
	for i := range used {
		s.skip[i] = !used[i]
	}
}
