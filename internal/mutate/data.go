package mutate

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strings"

	"bunraku/provenance"
	"bunraku/puppet/lookup/datafile"
	"bunraku/puppet/value"
	"bunraku/source"
)

// ReadData reads a data file by its ending; nil when it is no hash in a format that can be changed.
func ReadData(f *source.File) *datafile.Node {
	var root *datafile.Node
	var err error
	switch filepath.Ext(f.Name) {
	case ".yaml", ".yml":
		root, err = datafile.ReadYAML(f)
	case ".json":
		root, err = datafile.ReadJSON(f)
	}
	if err != nil || root == nil {
		return nil
	}
	if _, ok := root.Value.(*value.Hash); !ok {
		return nil
	}
	return root
}

// InData lists the leaves of a data file and its keys: a leaf can be another value, a key can be called otherwise,
// which deletes it.
func InData(f *source.File, path string, h *Hints) []*Place {
	root := ReadData(f)
	if root == nil {
		return nil
	}
	w := &data{f: f, path: path, hints: h, json: filepath.Ext(path) == ".json",
		seen: map[*datafile.Node]bool{}, keys: map[uint32]bool{}}
	for _, m := range anchors.FindAllStringSubmatchIndex(f.Text, -1) {
		w.names = append(w.names, anchor{m[3], f.Text[m[2]:m[3]]})
	}
	w.node(root, "", "")
	return w.places
}

type data struct {
	f      *source.File
	path   string
	hints  *Hints
	json   bool
	seen   map[*datafile.Node]bool // what an alias stands for has its place where it is written
	keys   map[uint32]bool         // likewise of keys, by where they begin
	names  []anchor
	places []*Place
}

// An anchor can be led to from behind it.
type anchor struct {
	at   int
	name string
}

var anchors = regexp.MustCompile(`(?m)(?:[:\-]|<<:) +&([a-zA-Z_]\w*)`)

func (w *data) key(path string) provenance.LabelKey {
	return provenance.LabelKey{Kind: provenance.Datum, File: w.f.Name, Path: path}
}

func (w *data) node(n *datafile.Node, path, parent string) {
	if w.seen[n] {
		return
	}
	w.seen[n] = true
	below := func(segment string) string {
		if path == "" {
			return segment
		}
		return path + "." + segment
	}
	switch v := n.Value.(type) {
	case *value.Array:
		w.whole(n, path, parent)
		for i, k := range n.Kids {
			w.alias(k.Alias, below(fmt.Sprint(i)))
			w.node(k.Node, below(fmt.Sprint(i)), path)
		}
	case *value.Hash:
		if path != "" {
			w.whole(n, path, parent)
		}
		for i, at := range n.Merges() {
			w.merge(at, path, datafile.MergePath(path, i))
		}
		for i, e := range v.Entries() {
			p := below(datafile.Segment(e.Key))
			if at := n.Kids[i].Key; !w.keys[at.Start] {
				w.keys[at.Start] = true
				if path == options || p == options {
					w.rename(at, path, p)
				} else {
					w.renames(n, i, path, p)
				}
			}
			w.alias(n.Kids[i].Alias, p)
			w.node(n.Kids[i].Node, p, path)
		}
	default:
		if texts := unique(w.f.Slice(n.Span), choices, w.texts(n, path, parent)); len(texts) > 0 &&
			n.Span.Start < n.Span.End {
			key := w.key(path)
			below := Names{Key: key, More: func(k provenance.LabelKey) bool { // a leaf can become a list
				return k.Kind != provenance.Literal && k.File == key.File && strings.HasPrefix(k.Path, path+".")
			}}
			w.places = append(w.places, &Place{Kind: Data, Path: w.path, Span: n.Span, Was: Named(key), Is: below, New: texts})
		}
	}
}

// whole changes a container as a whole: its place says which elements there are, and the elements change with it.
func (w *data) whole(n *datafile.Node, path, parent string) {
	if n.Span.Start >= n.Span.End || strings.HasPrefix(w.f.Slice(n.Span), "&") {
		return
	}
	names := Names{Key: w.key(path), More: func(k provenance.LabelKey) bool {
		return k.Kind != provenance.Literal && k.File == w.f.Name && strings.HasPrefix(k.Path, path+".")
	}}
	var texts []string
	for _, v := range append(w.preferred(path, parent), Alternatives(n.Value, w.hints.Pool)...) {
		text := Flow(v)
		if strings.HasSuffix(w.f.Slice(n.Span), "\n") {
			text += "\n"
		}
		texts = append(texts, text)
	}
	is := names
	if path == options { // and so lacks those of some keys
		is.More = func(k provenance.LabelKey) bool { return names.More(k) || missedOptions(k, w.f.Name) }
	}
	w.places = append(w.places, &Place{Kind: Data, Path: w.path, Span: n.Span, Was: names, Is: is,
		New: unique("", choices, texts)})
}

const options = "lookup_options" // the key whose value says how other keys are looked up

// Options are what lookup_options can say of a key.
var Options = []value.Value{
	option("merge", value.String("unique")), option("merge", value.String("hash")), option("merge", value.String("deep")),
	option("convert_to", value.Strings("String", "%p")), option("convert_to", value.String("Array")),
	option("merge", value.String("first")),
}

func option(name string, v value.Value) value.Value { return value.NewHash(value.String(name), v) }

// preferred is what the class parameter takes that a key is for, or what lookup options can be.
func (w *data) preferred(path, parent string) (out []value.Value) {
	switch {
	case parent == options:
		return Options
	case strings.HasPrefix(path, options+".") &&
		(strings.HasSuffix(path, ".merge") || strings.HasSuffix(path, ".strategy")):
		for _, s := range []string{"first", "unique", "hash", "deep"} {
			out = append(out, value.String(s))
		}
		return out
	}
	if i := strings.LastIndex(path, "::"); i > 0 {
		return w.hints.Parameter(path[:i], path[i+2:])
	}
	return nil
}

// rename takes away lookup_options, or those of a key.
func (w *data) rename(at source.Span, parent, path string) {
	if at.Start >= at.End {
		return
	}
	renamed := "no_such_name"
	if w.json {
		renamed = `"no_such_name"`
	}
	below := func(k provenance.LabelKey) bool {
		return k.Kind != provenance.Literal && k.File == w.f.Name && (strings.HasPrefix(k.Path, path+".") || parent != "" &&
			k.Path == parent)
	}
	p := &Place{Kind: Deletion, Path: w.path, Span: at, New: []string{renamed}, Was: Names{Key: w.key(path), More: below}}
	if parent == "" {
		p.Is = Missed(path, w.f.Name)
	} else { // then that key has none, or a pattern is gone
		gone := Missed(path, w.f.Name)
		if strings.HasPrefix(path, options+".^") {
			gone = Missed(options+".^…", w.f.Name)
		}
		p.Is = Names{Key: gone.Key, More: below}
	}
	w.places = append(w.places, p)
}

// under are the places of an entry: its key, its value and all in that.
func (w *data) under(path string) func(provenance.LabelKey) bool {
	return func(k provenance.LabelKey) bool {
		return k.File == w.f.Name && k.Kind != provenance.Literal && (k.Path == path || strings.HasPrefix(k.Path, path+"."))
	}
}

// renames calls a key otherwise: as nobody calls one, as somebody may, or as the next one of its hash is called. Then
// it is gone from where it was, and where it comes to something was missing, or the entry is another.
func (w *data) renames(n *datafile.Node, i int, parent, path string) {
	at := n.Kids[i].Key
	if at.Start >= at.End || strings.HasPrefix(parent, options+".") {
		return
	}
	entries := n.Value.(*value.Hash).Entries()
	names := []value.Value{value.String("no_such_name"), value.String("renamed_key")}
	if len(entries) > 1 {
		names = append(names, entries[(i+1)%len(entries)].Key)
	}
	missed := func(path string) Names {
		if parent != "" { // a key that is missed in a hash is a matter of which keys that has
			return Named(w.key(parent))
		}
		return Missed(path, w.f.Name)
	}
	for j, key := range names {
		text, is := key.(value.String)
		if !is || text == options {
			continue
		}
		to := datafile.Segment(key)
		if parent != "" {
			to = parent + "." + to
		}
		from, into, gone, came := w.under(path), w.under(to), missed(path), missed(to)
		key := w.key(path)
		key.Kind = provenance.Key
		p := &Place{Kind: Renaming, Path: w.path, Span: at, New: []string{Flow(text)}, Was: Names{Key: key, More: from}}
		if j > 0 {
			p.Was.More = func(k provenance.LabelKey) bool { return from(k) || into(k) || came.match(k) }
		}
		p.Is = Names{Key: gone.Key, More: func(k provenance.LabelKey) bool { return into(k) || from(k) || gone.match(k) }}
		w.places = append(w.places, p)
	}
}

// alias leads an alias elsewhere, or puts a text in its stead.
func (w *data) alias(at source.Span, path string) {
	if at.End == 0 {
		return
	}
	key := w.key(path)
	key.Kind = provenance.Alias
	p := &Place{Kind: Aliases, Path: w.path, Span: at, New: []string{`"fresh"`}, Was: Named(key),
		Is: Names{Key: key, More: w.under(path)}}
	p.New = append(p.New, w.others(at)...)
	w.places = append(w.places, p)
}

// merge takes a merge key away, or leads it elsewhere.
func (w *data) merge(at source.Span, parent, path string) {
	key := w.key(path)
	key.Kind = provenance.Alias
	hash, into := w.key(parent), w.under(parent)
	p := &Place{Kind: Aliases, Path: w.path, Span: at, New: []string{`renamed_key: "fresh"`}, Was: Named(key),
		Is: Names{Key: key, More: func(k provenance.LabelKey) bool { return k == hash || into(k) }}}
	for _, other := range w.others(at) {
		p.New = append(p.New, "<<: "+other)
	}
	w.places = append(w.places, p)
}

// others are aliases of the anchors before a place.
func (w *data) others(at source.Span) (out []string) {
	for _, a := range w.names {
		if alias := "*" + a.name; a.at < int(at.Start) && !strings.HasSuffix(w.f.Slice(at), alias) && len(out) < 3 {
			out = append(out, alias)
		}
	}
	return out
}

// Missed is the absence of a key in a file, the key as data paths have it. Of lookup_options it may be that of one
// key's options.
func Missed(key, file string) Names {
	names := Named(provenance.LabelKey{Kind: provenance.Absence, Path: "key " + key + " in file " + file})
	if key == options {
		names.More = func(k provenance.LabelKey) bool { return missedOptions(k, file) }
	}
	return names
}

func missedOptions(k provenance.LabelKey, file string) bool {
	return k.Kind == provenance.Absence && strings.HasPrefix(k.Path, "key "+options) &&
		strings.HasSuffix(k.Path, " in file "+file)
}

func (w *data) texts(n *datafile.Node, path, parent string) []string {
	old := w.f.Slice(n.Span)
	if strings.HasPrefix(old, "|") || strings.HasPrefix(old, ">") {
		head, rest, _ := strings.Cut(old, "\n")
		if with, ok := word(rest, "fresh"); ok {
			return []string{head + "\n" + with}
		}
		return nil
	}
	var out []string
	for _, v := range append(w.preferred(path, parent), Alternatives(n.Value, w.hints.Pool)...) {
		out = append(out, Flow(v))
	}
	return out
}

// Alternatives are other values than v, those of its own type first.
func Alternatives(v value.Value, pool []string) []value.Value {
	var out []value.Value
	switch v := v.(type) {
	case value.Bool:
		out = append(out, !v)
	case value.Int:
		out = append(out, v+1, v-1, value.Int(0), v+far)
	case value.Float:
		out = append(out, v+1)
	case *value.Array:
		for i, e := range v.Elems {
			if i < 3 { // one element another, or gone
				elems := append([]value.Value{}, v.Elems...)
				elems[i] = Alternatives(e, pool)[0]
				out = append(out, value.NewArray(elems...),
					value.NewArray(append(append([]value.Value{}, v.Elems[:i]...), v.Elems[i+1:]...)...))
			}
		}
		return append(out, value.EmptyArray, value.NewArray(append(append([]value.Value{}, v.Elems...),
			value.String("fresh"))...))
	case *value.Hash:
		for i, e := range v.Entries() {
			if i < 4 {
				b := v.From(0)
				b.Set(e.Key, Alternatives(e.Value, pool)[0])
				out = append(out, b.Hash())
			}
		}
		return append(out, value.EmptyHash, value.NewHash(value.String("fresh"), value.String("fresh")))
	}
	out = append(out, value.String("fresh"))
	if _, ok := v.(value.String); ok {
		out = append(out, value.String(""))
		for _, s := range pool {
			if len(out) < choices-1 {
				out = append(out, value.String(s))
			}
		}
	}
	return append(out, value.Undef{}, value.Strings("fresh"))
}

// Flow writes a value in YAML's flow style; what data cannot have is null.
func Flow(v value.Value) string {
	text, err := datafile.Flow(v)
	if err != nil {
		return "null"
	}
	return text
}

// Insert adds a key that was looked for in vain to a data file.
func Insert(f *source.File, path, key string, values []value.Value) *Place {
	p := &Place{Kind: Insertion, Path: path, Was: Missed(datafile.Segment(value.String(key)), f.Name),
		Is: inserted(key, f.Name)}
	json := filepath.Ext(path) == ".json"
	trimmed := strings.TrimRight(f.Text, " \n")
	end := uint32(len(trimmed))
	p.Span = source.Span{Start: end, End: uint32(len(f.Text))}
	if braced := strings.HasSuffix(trimmed, "}"); json || braced && strings.HasPrefix(strings.TrimPrefix(trimmed, "---\n"),
		"{") {
		body := strings.TrimRight(strings.TrimSuffix(trimmed, "}"), " \n")
		if !strings.HasSuffix(trimmed, "}") {
			return nil
		}
		comma := ","
		if strings.HasSuffix(body, "{") {
			comma = ""
		}
		p.Span.Start = uint32(len(body))
		for _, v := range values {
			p.New = append(p.New, comma+Flow(value.String(key))+": "+Flow(v)+"}\n")
		}
		return p
	}
	for _, v := range values {
		p.New = append(p.New, "\n"+Flow(value.String(key))+": "+Flow(v)+"\n")
	}
	return p
}

// InsertOptions adds lookup options of a key to a file that has some of others; nil when it has none, or they stand
// elsewhere.
func InsertOptions(f *source.File, path, key string) *Place {
	n := ReadData(f).Entry(options)
	if n == nil || n.Span.Start >= n.Span.End || strings.HasPrefix(f.Slice(n.Span), "&") ||
		strings.HasPrefix(f.Slice(n.Span), "*") {
		return nil
	}
	h, ok := n.Value.(*value.Hash)
	if !ok {
		return nil
	}
	label := options + "." + datafile.Segment(value.String(key))
	is := inserted(key, f.Name)
	is.Key.Path = label
	is.More = func(k provenance.LabelKey) bool {
		return k.Kind == provenance.Datum && k.File == f.Name && (k.Path == options || strings.HasPrefix(k.Path, label+"."))
	}
	p := &Place{Kind: Insertion, Path: path, Span: n.Span, Is: is}
	if p.Was = Missed(label, f.Name); strings.HasPrefix(key, "^") {
		p.Was = Missed(options+".^…", f.Name)
	}
	end := ""
	if strings.HasSuffix(f.Slice(n.Span), "\n") {
		end = "\n"
	}
	for _, o := range Options {
		b := h.From(1)
		b.SetString(key, o)
		p.New = append(p.New, Flow(b.Hash())+end)
	}
	return p
}

// NewFile adds a file that was looked for in vain, with one key in it.
func NewFile(name, path, key string, values []value.Value) *Place {
	p := &Place{Kind: Insertion, Path: path, Was: Named(provenance.LabelKey{Kind: provenance.Absence, Path: "file " +
		name}), Is: inserted(key, name)}
	for _, v := range values {
		p.New = append(p.New, "{"+Flow(value.String(key))+": "+Flow(v)+"}\n")
	}
	return p
}

func inserted(key, file string) Names {
	path := datafile.Segment(value.String(key))
	return Names{Key: provenance.LabelKey{Kind: provenance.Datum, File: file, Path: path},
		More: func(k provenance.LabelKey) bool {
			return k.Kind == provenance.Datum && k.File == file && strings.HasPrefix(k.Path, path+".")
		}}
}
