package store

import (
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"bunraku/provenance"
	"bunraku/puppet/catalog"
	"bunraku/puppet/compiler"
	"bunraku/puppet/eval"
	"bunraku/puppet/trace"
	"bunraku/puppet/types"
	"bunraku/puppet/value"
	"bunraku/report/redact"
	"bunraku/source"

	bolt "go.etcd.io/bbolt"
)

// A Result is what became of a node in one revision.
type Result struct {
	Node string
	How  How
	// Why is, of a node that was compiled although there are traces of it, the first question that has another answer now.
	Why string
	// Fresh is the compile if there was one now, with its provenance. Its secrets are in the clear.
	Fresh *eval.Result
	// Failed says that the node does not compile, and Code why.
	Failed bool
	Code   string
	// Unknown says that the catalog has values or resources of which something is not known.
	Unknown bool

	run    *Run
	rec    *record // by which it was found, or as which it was kept; nil if it is not in the store
	number uint32  // of the catalog, 0 if it is not in the store
	places uint32
	parts  []Part
	shape  []byte
}

// How says how a result was come by.
type How uint8

// The ways to come by a result.
const (
	Compiled How = iota
	Held         // a trace of the node itself holds
	Alike        // another node asked the same and got the same answers
)

func (h How) String() string { return [...]string{"compiled", "unchanged", "like another node"}[h] }

// ID is equal for results that are the same but for the node's name and for where resources stand; 0 for what the store
// cannot compare with anything, because the compile was not one that could be repeated.
func (r *Result) ID() uint32 { return r.number }

// A Part is a resource of a catalog, or what is wrong with a node.
type Part struct {
	Type, Title string
	ID          uint32 // equal for equal resources
}

// Parts are the resources of the catalog in order.
func (r *Result) Parts() []Part {
	r.load()
	return r.parts
}

// Any reports whether a resource is one that is looked for. Only as many are read as it takes.
func (r *Result) Any(is func(typ, title string) bool) (found bool) {
	if r.number == 0 {
		return r.Fresh != nil && r.Fresh.Catalog != nil && slices.ContainsFunc(r.Fresh.Catalog.Resources,
			func(x *catalog.Resource) bool { return is(x.Type, x.Title) })
	}
	s := r.run.store
	s.view(func(tx *bolt.Tx) {
		c := s.results.content(tx, r.number)
		if len(c) == 0 || c[0] == isFailure {
			return
		}
		_, rest := number(c[1:])
		n, rest := number(rest)
		for ; n > 0 && !found; n-- {
			var id uint32
			id, rest = number(rest)
			found = is(s.nameOf(tx, id))
		}
	})
	return found
}

func (r *Result) load() {
	if r.parts != nil || r.number == 0 {
		return
	}
	s := r.run.store
	s.view(func(tx *bolt.Tx) {
		c := s.results.content(tx, r.number)
		if len(c) == 0 {
			return
		}
		shape, rest := number(c[1:])
		r.shape = s.shapes.content(tx, shape)
		n, rest := number(rest)
		r.parts = make([]Part, n)
		for i := range r.parts {
			r.parts[i].ID, rest = number(rest)
			r.parts[i].Type, r.parts[i].Title = s.nameOf(tx, r.parts[i].ID)
		}
		r.shape = append([]byte(nil), r.shape...)
	})
}

// Delta tells what this result and another of the same node do not share: by what they were found, and which resources
// only one of them has, with where those were declared. It is "" if that is not known.
func (r *Result) Delta(other *Result) string {
	if r.rec == nil || other.rec == nil || r.run.store != other.run.store {
		return ""
	}
	s := r.run.store
	var out []byte
	s.view(func(tx *bolt.Tx) {
		var ids, places [2][]uint32
		for i, x := range []*Result{r, other} {
			out = binary.AppendUvarint(out, uint64(x.rec.files))
			out = binary.AppendUvarint(out, uint64(x.rec.layers))
			out = binary.AppendUvarint(out, uint64(x.rec.asks))
			_, ids[i] = s.resourcesOf(tx, x.number)
			places[i] = numbers(s.anchors.content(tx, x.places))
			if ids[i] == nil || len(places[i]) != len(ids[i]) {
				out = nil
				return
			}
		}
		for i := range ids {
			there := make(map[uint32]bool, len(ids[1-i]))
			for _, id := range ids[1-i] {
				there[id] = true
			}
			for k, id := range ids[i] {
				if !there[id] {
					out = binary.AppendUvarint(out, uint64(id))
					out = binary.AppendUvarint(out, uint64(places[i][k]))
				}
			}
			out = append(out, 0) // no resource has it
		}
	})
	return string(out)
}

// Bare is the catalog without places. Its resources are those of other results as well, and must not be changed. It is
// nil if the store has only some of it: of a node that does not compile, where something is not known, and where a
// digest stands for a secret.
func (r *Result) Bare() (c *catalog.Catalog) {
	s := r.run.store
	s.view(func(tx *bolt.Tx) {
		shape, ids := s.resourcesOf(tx, r.number)
		if ids == nil || r.Failed || r.Unknown {
			return
		}
		out := &catalog.Catalog{Resources: make([]*catalog.Resource, len(ids))}
		for i, id := range ids {
			if out.Resources[i] = s.bareResource(tx, id); out.Resources[i] == nil {
				return
			}
		}
		_, rest := cut(s.shapes.content(tx, shape))
		edges := numbers(rest)
		for ; len(edges) > 1; edges = edges[2:] {
			if int(max(edges[0], edges[1])) >= len(ids) {
				return
			}
			out.Edges = append(out.Edges, catalog.Edge{Source: out.Resources[edges[0]], Target: out.Resources[edges[1]]})
		}
		c = out
	})
	return c
}

// mostBare is how many resources are kept in memory.
const mostBare = 1 << 13

// bareResource is a resource without its place; nil if it is not whole. The lock is held.
func (s *Store) bareResource(tx *bolt.Tx, id uint32) *catalog.Resource {
	if x, known := s.bare[id]; known {
		return x
	}
	var x *catalog.Resource
	why, json := cut(s.objects.content(tx, id))
	c, err := catalog.Read(slices.Concat([]byte(`{"resources":[`), json, []byte("]}")))
	if err == nil && len(why) == 0 && len(c.Resources) == 1 && !sealedIn(c.Resources[0], json) {
		x = c.Resources[0]
	}
	if len(s.bare) >= mostBare {
		clear(s.bare)
	}
	s.bare[id] = x
	return x
}

// Sealed reports whether in a resource of the store a digest stands for a secret, or may.
func Sealed(x *catalog.Resource) bool {
	json, err := catalog.JSON{Types: types.ToData}.AppendResource(nil, x)
	return err != nil || sealedIn(x, json)
}

// SealedRich reports whether in a resource of the store a digest stands for what is no plain data, such as a Deferred,
// or may.
func SealedRich(x *catalog.Resource) bool {
	json, err := catalog.JSON{Types: types.ToData}.AppendResource(nil, x)
	return err != nil || strings.Contains(string(json), richMark)
}

// SealedValue reports whether a value of the store is a digest that stands for a secret.
func SealedValue(v value.Value) bool {
	s, is := v.(*value.Sensitive)
	if !is {
		return false
	}
	text, is := s.Value.(value.String)
	return is && strings.HasPrefix(string(text), sealedMark)
}

func sealedIn(x *catalog.Resource, json []byte) bool {
	return len(x.Sensitive) > 0 || strings.Contains(string(json), sealedMark)
}

// resourcesOf are the numbers of a catalog's shape and of its resources; nil if there is no catalog. The lock is held.
func (s *Store) resourcesOf(tx *bolt.Tx, result uint32) (shape uint32, ids []uint32) {
	c := s.results.content(tx, result)
	if len(c) == 0 || c[0] == isFailure {
		return 0, nil
	}
	shape, rest := number(c[1:])
	n, rest := number(rest)
	if ids = numbers(rest); len(ids) != int(n) {
		return 0, nil
	}
	return shape, ids
}

func numbers(in []byte) (out []uint32) {
	for len(in) > 0 {
		var n uint32
		n, in = number(in)
		out = append(out, n)
	}
	return out
}

func number(in []byte) (uint32, []byte) {
	n, size := binary.Uvarint(in)
	if size <= 0 {
		return 0, nil
	}
	return uint32(n), in[size:]
}

// Catalog is the catalog as the store has it: secrets are digests, values are as they would be read from JSON, and
// places are those of the run's revision. It is nil if the node does not compile.
func (r *Result) Catalog() (*catalog.Catalog, error) {
	if r.Failed {
		return nil, nil
	}
	if r.number == 0 {
		return sealed(r.run.store, r.Fresh)
	}
	r.load()
	if head, _ := cut(r.shape); len(head) == 0 {
		return nil, errors.New("the store is broken: a catalog is missing")
	}
	s := r.run.store
	var text, edges []byte
	var possible, anchors []string
	s.view(func(tx *bolt.Tx) {
		head, rest := cut(r.shape)
		text = append(append(text, head[:len(head)-1]...), `,"resources":[`...)
		for i, p := range r.parts {
			if i > 0 {
				text = append(text, ',')
			}
			why, json := cut(s.objects.content(tx, p.ID))
			possible = append(possible, string(why))
			text = append(text, json...)
		}
		text, edges = append(text, "]}"...), rest
		list := s.anchors.content(tx, r.places)
		for len(list) > 0 {
			var n uint32
			n, list = number(list)
			a := ""
			if n > 0 {
				a = string(s.anchors.content(tx, n))
			}
			anchors = append(anchors, a)
		}
	})
	c, err := catalog.Read(text)
	if err != nil {
		return nil, fmt.Errorf("the store is broken: %w", err)
	}
	c.Name = r.Node
	for len(edges) > 0 {
		var source, target uint32
		source, edges = number(edges)
		if target, edges = number(edges); int(max(source, target)) >= len(c.Resources) {
			return nil, errors.New("the store is broken: an edge leads nowhere")
		}
		c.Edges = append(c.Edges, catalog.Edge{Source: c.Resources[source], Target: c.Resources[target]})
	}
	for i, x := range c.Resources {
		if x.Possible = possible[i]; i < len(anchors) {
			r.run.anchor(x, anchors[i])
		}
	}
	return c, nil
}

// cut takes the part that cutText put in front.
func cut(in []byte) (first, rest []byte) {
	n, rest := number(in)
	if int(n) > len(rest) {
		return nil, nil
	}
	return rest[:n], rest[n:]
}

func appendText(out []byte, text string) []byte {
	out = binary.AppendUvarint(out, uint64(len(text)))
	return append(out, text...)
}

// nameOf is type and title of a resource as it is kept.
func (s *Store) nameOf(tx *bolt.Tx, id uint32) (typ, title string) {
	if name, known := s.names[id]; known {
		return name[0], name[1]
	}
	_, json := cut(s.objects.content(tx, id))
	v, err := catalog.ReadJSON(json)
	if h, is := v.(*value.Hash); is && err == nil {
		typ, title = value.ToString(h.At("type")), value.ToString(h.At("title"))
	}
	if len(s.names) >= mostNames {
		clear(s.names)
	}
	s.names[id] = [2]string{typ, title}
	return typ, title
}

// mostNames is how many names of resources are kept in memory.
const mostNames = 1 << 12

// anchor finds where a resource is declared now.
func (r *Run) anchor(x *catalog.Resource, text string) {
	parts := strings.Split(text, "\x00")
	if len(parts) != 3 {
		return
	}
	n, err := strconv.Atoi(parts[2])
	if err != nil {
		return
	}
	x.File = parts[0]
	if parts[1] == "" { // no piece of code: as it was
		x.Line = n
		return
	}
	a := compiler.Anchor{File: parts[0], Piece: parts[1], Node: n}
	x.Place = r.snap.Place(a)
	x.Line = x.Place.Line()
}

// ---- into the store

// A sealer takes secrets out of values.
type sealer struct {
	*Store
	own     redact.Secrets
	plain   bool // there are no secrets
	unknown bool
	tells   bool // a secret is where it cannot be replaced
}

func newSealer(s *Store, res *eval.Result) *sealer {
	l := &sealer{Store: s}
	if res.Catalog != nil {
		l.own.AddCatalog(res.Catalog)
	}
	res.EachVariable(func(_, _ string, v value.Value, _ provenance.Ref) { l.own.AddValue(v) })
	res.EachBared(l.own.AddBared, l.own.AddMade)
	l.plain = l.own.Empty() && s.decrypted.Empty()
	return l
}

// secret is what stands for a secret: something else for one that is Sensitive than for one that is told to everybody.
func (l *sealer) secret(v value.Value) value.Value {
	var t trace.Text
	s, sensitive := v.(*value.Sensitive)
	if t.Flag(sensitive); sensitive {
		v = s.Value
	}
	text, _ := catalog.JSON{Types: types.ToData}.AppendValue(nil, v)
	t.String(string(text))
	t.Value(v) // what JSON cannot say
	sum := l.key.Sum(t)
	digest := sealedMark + hex.EncodeToString(sum[:])
	if strings.Contains(string(text), `"__ptype"`) {
		digest += richMark
	}
	return &value.Sensitive{Value: value.String(digest)}
}

// sealedMark begins what stands for a secret, and richMark ends it where the secret is no plain data: agents may make
// something of it.
const sealedMark, richMark = "digest ", " of rich data"

func (l *sealer) hides(s string) bool {
	return !l.plain && (l.own.Hide(s) != s || l.decrypted.Hide(s) != s)
}

// check takes in a text that is kept as it is.
func (l *sealer) check(s string) {
	l.tells = l.tells || !l.plain && (l.own.Has(s) || l.decrypted.Has(s))
}

// value is a value without secrets.
func (l *sealer) value(v value.Value) value.Value {
	switch v := v.(type) {
	case *value.Sensitive:
		return l.secret(v)
	case value.String:
		if l.hides(string(v)) || !utf8.ValidString(string(v)) { // bytes are told by a digest as well: JSON has no such text
			return l.secret(v)
		}
	case value.Int, value.Float:
		if !l.plain && l.hides(value.ToString(v)) {
			return l.secret(v)
		}
	case *value.Opaque:
		l.unknown = true
		l.check(v.Why)
	case *value.Array:
		for i, e := range v.Elems {
			if is := l.value(e); is != e {
				elems := append([]value.Value(nil), v.Elems...)
				for j := i; j < len(elems); j++ {
					elems[j] = l.value(elems[j])
				}
				return value.NewArray(elems...)
			}
		}
	case *value.Hash:
		for _, e := range v.Entries() {
			if l.value(e.Value) != e.Value || l.value(e.Key) != e.Key {
				var pairs []value.Value
				for _, e := range v.Entries() {
					key := l.value(e.Key)
					if s, is := key.(*value.Sensitive); is {
						key = s.Value
					}
					pairs = append(pairs, key, l.value(e.Value))
				}
				return value.NewHash(pairs...)
			}
		}
	case *value.Deferred:
		if l.hides(v.Name) {
			return l.secret(v)
		}
		if v.Args != nil {
			if args, is := l.value(v.Args).(*value.Array); is && args != v.Args {
				d := *v
				d.Args = args
				return &d
			}
		}
	case nil, value.Undef, value.Bool, value.Default:
	default: // references and other types, regular expressions, bytes, objects
		if l.plain {
			break
		}
		text, _ := catalog.JSON{Types: types.ToData}.AppendValue(nil, v)
		bytes, _ := v.(value.Binary)
		if l.hides(string(text)) || l.hides(string(bytes)) {
			return l.secret(v)
		}
	}
	return v
}

// resource writes a resource without secrets and places.
func (l *sealer) resource(x *catalog.Resource) []byte {
	r := *x
	r.File, r.Line = "", 0
	for _, tag := range r.Tags {
		l.check(tag)
	}
	l.check(r.Possible)
	if l.hides(r.Title) || !utf8.ValidString(r.Title) {
		r.Title = string(l.secret(value.String(r.Title)).(*value.Sensitive).Value.(value.String))
	}
	for i := range x.Params {
		was := x.Params[i].Value
		is := was
		if len(x.Sensitive) > 0 && x.IsSensitive(x.Params[i].Name) {
			if s, is := was.(*value.Sensitive); is {
				was = s.Value
			}
			is = l.secret(was).(*value.Sensitive).Value
		} else {
			is = l.value(was)
		}
		if is != x.Params[i].Value {
			if &r.Params[0] == &x.Params[0] {
				r.Params = append([]catalog.Param(nil), x.Params...)
			}
			r.Params[i].Value = is
		}
	}
	l.unknown = l.unknown || r.Possible != ""
	out := appendText(nil, r.Possible)
	out, _ = catalog.JSON{Types: types.ToData}.AppendResource(out, &r) // what JSON cannot say has U+FFFD in its place
	return out
}

// shape writes what a catalog is but for its resources and the node's name: a hash as JSON, then edges, each as the
// numbers of two resources.
func (l *sealer) shape(c *catalog.Catalog) []byte {
	at := make(map[*catalog.Resource]int, len(c.Resources))
	for i, x := range c.Resources {
		at[x] = i
	}
	strings := func(list []string) value.Value {
		all := make([]value.Value, len(list))
		for i, s := range list {
			all[i] = value.String(s)
		}
		return value.NewArray(all...)
	}
	for _, tag := range c.Tags {
		l.check(tag)
	}
	head, _ := catalog.JSON{}.AppendValue(nil, value.NewHash(value.String("environment"), value.String(c.Environment),
		value.String("version"), value.OrUndef(c.Version), value.String("catalog_format"), value.Int(c.Format),
		value.String("tags"), strings(c.Tags), value.String("classes"), strings(c.Classes)))
	out := appendText(make([]byte, 0, len(head)+4*len(c.Edges)), string(head))
	for _, e := range c.Edges {
		out = binary.AppendUvarint(out, uint64(at[e.Source]))
		out = binary.AppendUvarint(out, uint64(at[e.Target]))
	}
	return out
}

// A packed result is one that is ready to be stored.
type packed struct {
	failed  string // code and digest of what is wrong
	code    string
	unknown bool
	tells   bool // it holds a secret
	objects [][]byte
	shape   []byte
	anchors []string
}

func (s *Store) pack(snap *compiler.Snapshot, res *eval.Result, t *trace.Trace) *packed {
	l := newSealer(s, res)
	for _, e := range t.Entries {
		l.check(e.Of)
		l.check(e.Part)
	}
	if f := res.Failure; f != nil {
		// What an error says may quote a secret; who wants to read it compiles again.
		sum := s.key.Sum([]byte(f.Summary + "\x00" + f.Detail))
		return &packed{failed: f.Code + "\x00" + string(sum[:]), code: f.Code, tells: l.tells,
			anchors: []string{anchorOf(snap, f.Place, "", 0)}}
	}
	p := &packed{}
	for _, x := range res.Catalog.Resources {
		p.objects = append(p.objects, l.resource(x))
		p.anchors = append(p.anchors, anchorOf(snap, x.Place, x.File, x.Line))
	}
	p.shape = l.shape(res.Catalog)
	p.unknown, p.tells = l.unknown, l.tells
	return p
}

// anchorOf is how a place is kept: a file, a piece of its code and the number of an expression; or file and line.
func anchorOf(snap *compiler.Snapshot, at source.Place, file string, line int) string {
	if a, ok := snap.Anchor(at); ok && (file == "" || a.File == file) {
		return a.File + "\x00" + a.Piece + "\x00" + strconv.Itoa(a.Node)
	}
	if file == "" {
		return ""
	}
	return file + "\x00\x00" + strconv.Itoa(line)
}

// The first byte of a kept result.
const (
	isCatalog byte = iota
	isUnknown      // a catalog of which something is not known
	isFailure
)

// add puts a packed result into the store and gives its number and that of its places. The lock is held.
func (s *Store) add(tx *bolt.Tx, p *packed) (result, places uint32) {
	number := func(t *table, content []byte) uint32 {
		was := len(t.waiting)
		n := t.number(tx, digestOf(content), content)
		if len(t.waiting) > was {
			s.size += len(content) + 64
		}
		return n
	}
	var list []byte
	for _, a := range p.anchors {
		n := uint32(0)
		if a != "" {
			n = number(s.anchors, []byte(a))
		}
		list = binary.AppendUvarint(list, uint64(n))
	}
	places = number(s.anchors, list)
	if p.failed != "" {
		return number(s.results, append([]byte{isFailure}, p.failed...)), places
	}
	out := []byte{isCatalog}
	if p.unknown {
		out[0] = isUnknown
	}
	out = binary.AppendUvarint(out, uint64(number(s.shapes, p.shape)))
	out = binary.AppendUvarint(out, uint64(len(p.objects)))
	for _, o := range p.objects {
		out = binary.AppendUvarint(out, uint64(number(s.objects, o)))
	}
	return number(s.results, out), places
}

// describe fills in what a stored result is.
func (r *Result) describe() {
	s := r.run.store
	s.view(func(tx *bolt.Tx) {
		c := s.results.content(tx, r.number)
		if len(c) == 0 {
			return
		}
		switch c[0] {
		case isFailure:
			r.Failed = true
			r.Code, _, _ = strings.Cut(string(c[1:]), "\x00")
		case isUnknown:
			r.Unknown = true
		}
	})
}

// sealed is a catalog that was not stored, in the form that stored ones have.
func sealed(s *Store, res *eval.Result) (*catalog.Catalog, error) {
	l := newSealer(s, res)
	c := *res.Catalog
	out := &catalog.Catalog{Name: c.Name, Environment: c.Environment, Version: c.Version, Format: c.Format, Tags: c.Tags,
		Classes: c.Classes}
	is := map[*catalog.Resource]*catalog.Resource{}
	for _, x := range c.Resources {
		_, json := cut(l.resource(x))
		one, err := catalog.Read(append(append([]byte(`{"resources":[`), json...), "]}"...))
		if err != nil {
			return nil, err
		}
		r := one.Resources[0]
		r.File, r.Line, r.Place, r.Possible = x.File, x.Line, x.Place, x.Possible
		is[x] = r
		out.Resources = append(out.Resources, r)
	}
	for _, e := range c.Edges {
		e.Source, e.Target = is[e.Source], is[e.Target]
		out.Edges = append(out.Edges, e)
	}
	out.Seal()
	return out, nil
}
