package trial

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"bunraku/explain"
	"bunraku/provenance"
	"bunraku/puppet/lookup/datafile"
	"bunraku/puppet/syntax"
	"bunraku/puppet/value"
	"bunraku/source"
)

// A change is some places put otherwise.
type change struct {
	edits []edit
	files map[string]string // that are new, by absolute path
	set   []setting         // keys of data files
	facts []fact
	name  string // of the node; "" for as it is
	class string // declared behind the main manifest: one that stands in for another
	// before is a change that is made first: the places of this one are those of the texts that it leaves.
	before *change
}

type edit struct {
	path string
	span source.Span
	text string
}

type setting struct{ path, key, yaml string }

type fact struct {
	path  string
	value value.Value // nil takes it away
}

// and is two changes of the same files at once.
func (c change) and(d change) change {
	out := change{edits: slices.Concat(c.edits, d.edits), set: slices.Concat(c.set, d.set), class: c.class + d.class,
		files: map[string]string{}}
	for _, m := range []map[string]string{c.files, d.files} {
		for k, v := range m {
			out.files[k] = v
		}
	}
	return out
}

// apply gives the texts that a change makes, by path.
func (c change) apply(b *Bench) (map[string]string, error) {
	texts := map[string]string{}
	if c.before != nil {
		var err error
		if texts, err = c.before.apply(b); err != nil {
			return nil, err
		}
	}
	for k, v := range c.files {
		texts[k] = v
	}
	edits := slices.Clone(c.edits)
	slices.SortFunc(edits, func(x, y edit) int { return int(y.span.Start) - int(x.span.Start) }) // from the end
	for _, e := range edits {
		text, changed := texts[e.path]
		if !changed {
			var err error
			if text, err = b.text(e.path); err != nil {
				return nil, err
			}
		}
		if int(e.span.End) > len(text) || e.span.Start > e.span.End {
			return nil, errors.New("the file is another by now")
		}
		texts[e.path] = text[:e.span.Start] + e.text + text[e.span.End:]
	}
	for _, s := range c.set {
		text, changed := texts[s.path]
		if !changed {
			text, _ = b.text(s.path) // a file that is not there is empty
		}
		set, err := datafile.Set(source.NewFile(s.path, text), s.key, s.yaml)
		if err != nil {
			return nil, err
		}
		texts[s.path] = set
	}
	if c.class != "" && (c.before == nil || c.before.class != c.class) {
		main, err := b.mainManifest()
		if err != nil {
			return nil, err
		}
		text, changed := texts[main]
		if !changed {
			if text, err = b.text(main); err != nil {
				return nil, err
			}
		}
		texts[main] = strings.TrimRight(text, "\n") + "\n" + c.class + "\n"
	}
	return texts, nil
}

// mainManifest is a file that every compile reads.
func (b *Bench) mainManifest() (string, error) {
	s, err := b.ws.Snapshot(context.Background(), b.files)
	if err != nil {
		return "", err
	}
	list, err := s.Environment().Manifests()
	if err == nil && len(list) == 0 {
		err = errors.New("there is no manifest")
	}
	if err != nil {
		return "", err
	}
	return list[len(list)-1], nil
}

// changes are the ways in which a place is put otherwise, the most telling first.
func (b *Bench) changes(leaf *explain.Leaf, p *pool) []change {
	l := leaf.Label()
	switch l.Kind {
	case provenance.Fact:
		return b.ofFact(l.Path, p)
	case provenance.NodeName:
		var out []change
		for _, n := range append(p.hosts, "fresh.example.com", "fresh") {
			out = append(out, change{name: n})
		}
		return out
	case provenance.Absence:
		return b.ofAbsence(l.Path, p)
	}
	if l.Place.File == nil {
		return nil
	}
	at := l.Place.Outer()
	path, old := source.Absolute(at.File.Name), at.Text()
	put := func(texts ...string) (out []change) {
		for _, t := range texts {
			if t != old {
				out = append(out, change{edits: []edit{{path, at.Span, t}}})
			}
		}
		return out
	}
	switch {
	case l.Kind == provenance.Key:
		return put(`"no_such_name"`)
	case l.Kind == provenance.Alias && strings.HasPrefix(old, "<<"):
		return put(`no_such_name: "fresh"`)
	case l.Kind == provenance.Alias:
		return put(`"fresh"`)
	case l.Kind == provenance.Datum && filepath.Base(at.File.Name) == "hiera.yaml":
		return b.ofConfig(at, l, p, put)
	case l.Kind == provenance.Datum:
		return put(b.ofDatum(at, p)...)
	}
	if at != l.Place { // a part of a text that lies within another
		if with, ok := otherWord(old); ok {
			return put(with)
		}
		return nil
	}
	return b.ofLiteral(l, p, put)
}

var number = regexp.MustCompile(`^-?\d+$`)

// samples are of the kinds of texts that types ask for.
var samples = []string{"present", "absent", "running", "stopped", "/fresh", "0600", "fresh.example.com", "192.0.2.7"}

// ofLiteral puts other literals in the place of one.
func (b *Bench) ofLiteral(l provenance.Label, p *pool, put func(...string) []change) (out []change) {
	f := l.Place.File
	old := l.Place.Text()
	switch ext := filepath.Ext(f.Name); {
	case ext == ".erb" && !quoted(old) && !number.MatchString(old):
		if with, ok := otherWord(old); ok {
			return put(with)
		}
		return nil
	case ext == ".rb":
		if with, ok := otherWord(old); ok {
			return put(with)
		}
	}
	n, host := b.literal(l.Place)
	switch {
	case host && strings.HasPrefix(old, "/"):
		return put("/^fresh$/", "/^"+regexp.QuoteMeta(p.name)+"$/")
	case host && bare(old) == p.name:
		return put("'fresh'")
	case host:
		return put("'" + p.name + "'")
	case number.MatchString(old):
		i, _ := strconv.ParseInt(old, 10, 64)
		return put(fmt.Sprint(i+1), fmt.Sprint(i+83), "0", fmt.Sprint(i-1))
	case old == "true", old == "false":
		return put(strconv.FormatBool(old == "false"), "undef")
	case old == "undef":
		return put("'fresh'", "true", "false")
	case strings.HasPrefix(old, "/"):
		return put("/fresh/", "/./")
	}
	s, isString := n.(*syntax.Str)
	piece := isString && (s.Quote == syntax.Piece || s.Quote == syntax.Key)
	if _, text := n.(*syntax.RenderString); text || piece {
		if with, ok := otherWord(old); ok {
			return put(with)
		}
		return nil
	}
	if class := b.Record.Catalog.Find("Class[" + bare(old) + "]"); class != nil {
		var params []string
		for _, x := range class.Params {
			params = append(params, "$"+x.Name+" = undef")
		}
		stand := change{class: "class bunraku_stand_in(" + strings.Join(params, ", ") + ") { }"}
		for _, c := range put("'bunraku_stand_in'") {
			out = append(out, c.and(stand))
		}
	}
	var texts []string
	for _, s := range p.strings {
		if s != bare(old) {
			texts = append(texts, "'"+s+"'")
		}
	}
	out = append(out, put("'fresh'")...)
	out = append(out, put(texts[:min(len(texts), 4)]...)...)
	for _, s := range samples {
		out = append(out, put("'"+s+"'")...)
	}
	return out
}

// literal finds the literal at a place, and whether a node statement has it.
func (b *Bench) literal(at source.Place) (found syntax.Node, host bool) {
	tree := b.Record.Tree(at.File)
	if tree == nil {
		return nil, false
	}
	visit := func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.NodeDef:
			for _, h := range n.Hosts {
				if h.Span() == at.Span {
					found, host = h, true
				}
			}
		case *syntax.Str, *syntax.Name, *syntax.RenderString:
			if n.Span() == at.Span && found == nil {
				found = n
			}
		}
		return found == nil
	}
	for _, s := range tree.Body.Stmts {
		syntax.Walk(s, visit)
	}
	if tree.Epp != nil {
		syntax.Walk(tree.Epp, visit)
	}
	return found, host
}

// ofDatum writes other values of a datum's own type, then others.
func (b *Bench) ofDatum(at source.Place, p *pool) (texts []string) {
	old := at.Text()
	if strings.HasPrefix(old, "&") {
		return nil
	}
	if strings.HasPrefix(old, "|") || strings.HasPrefix(old, ">") {
		head, rest, _ := strings.Cut(old, "\n")
		if with, ok := otherWord(rest); ok {
			return []string{head + "\n" + with}
		}
		return nil
	}
	end := ""
	if strings.HasSuffix(old, "\n") {
		end = "\n"
	}
	write := func(list ...value.Value) {
		for _, v := range list {
			if t, err := datafile.Flow(v); err == nil {
				texts = append(texts, t+end)
			}
		}
	}
	n := b.datum(at)
	if n == nil {
		return nil
	}
	write(others(n.Value, p)...)
	return texts
}

// ofConfig changes a scalar of hiera.yaml. A level is led to a file that nobody reads else: it has what the level has
// now, and another value of a key.
func (b *Bench) ofConfig(at source.Place, l provenance.Label, p *pool, put func(...string) []change) (out []change) {
	n := b.datum(at)
	if n == nil {
		return nil
	}
	const fresh = "bunraku_fresh.yaml"
	dir := filepath.Join(filepath.Dir(source.Absolute(at.File.Name)), "data")
	level := -1
	way := strings.Split(l.Path, ".")
	if len(way) > 2 && way[0] == "hierarchy" {
		if i, err := strconv.Atoi(way[1]); err == nil {
			level = i
		}
	}
	beside := func(cs []change, old string) {
		for _, key := range p.keys {
			for _, k := range b.ofKey(key, filepath.Join(dir, fresh), p)[:1] {
				if old != "" {
					k.files = map[string]string{filepath.Join(dir, fresh): old}
				}
				for _, c := range cs {
					out = append(out, c.and(k))
				}
			}
		}
	}
	for _, key := range p.keys {
		if b.Record.Data == nil {
			break
		}
		h := b.Record.Data.Levels(key)
		if h == nil || len(h.Levels) == 0 {
			continue
		}
		if root, _, ok := strings.Cut(h.Levels[0].File, "/data/"); ok {
			dir = filepath.Join(source.Absolute(root), "data")
		}
		if level >= 0 && level < len(h.Levels) && way[len(way)-1] != "name" {
			old, _ := b.text(source.Absolute(h.Levels[level].File))
			beside(put(strconv.Quote(fresh)), old)
		}
		break
	}
	if _, list := n.Value.(*value.Array); list && l.Path == "hierarchy" {
		if body, ok := strings.CutPrefix(at.Text(), "-"); ok {
			column := int(at.Span.Start) - strings.LastIndexByte(at.File.Text[:at.Span.Start], '\n') - 1
			pad := strings.Repeat(" ", column)
			beside(put("- name: fresh\n"+pad+"  path: "+fresh+"\n"+pad+"-"+body), "")
		}
	}
	if s, ok := n.Value.(value.String); ok {
		return append(out, put(strconv.Quote("fresh"+filepath.Ext(string(s))), `"json_data"`)...)
	}
	return append(out, put(b.ofDatum(at, p)...)...)
}

// datum finds the value of a data file that stands at a place.
func (b *Bench) datum(at source.Place) (found *datafile.Node) {
	read := datafile.ReadYAML
	switch filepath.Ext(at.File.Name) {
	case ".json":
		read = datafile.ReadJSON
	case ".conf", ".hocon":
		return nil
	}
	root, err := read(at.File)
	if err != nil || root == nil {
		return nil
	}
	var walk func(n *datafile.Node)
	walk = func(n *datafile.Node) {
		if n == nil || found != nil {
			return
		}
		if n.Span == at.Span {
			found = n
			return
		}
		for i := range n.Kids {
			walk(n.Kids[i].Node)
		}
	}
	walk(root)
	return found
}

// others are values other than v, those of its own type first.
func others(v value.Value, p *pool) (out []value.Value) {
	fresh := value.String("fresh")
	switch v := v.(type) {
	case value.Bool:
		return []value.Value{!v, value.Undef{}}
	case value.Int:
		return []value.Value{v + 1, v + 83, value.Int(0), v - 1, fresh}
	case value.Float:
		return []value.Value{v + 1, value.Float(0)}
	case *value.Array:
		if n := v.Len(); n > 0 {
			out = append(out, value.NewArray(v.Elems[:n-1]...))
			first := others(v.Elems[0], p)[0]
			out = append(out, value.NewArray(append([]value.Value{first}, v.Elems[1:]...)...))
			out = append(out, value.NewArray(append(slices.Clone(v.Elems), first)...))
		}
		return append(out, value.EmptyArray, value.Strings("fresh"))
	case *value.Hash:
		entries := v.Entries()
		if n := len(entries); n > 0 {
			less := value.NewHashBuilder(n)
			for _, e := range entries[:n-1] {
				less.Set(e.Key, e.Value)
			}
			more := v.From(1)
			more.Set(fresh, entries[0].Value)
			out = append(out, less.Hash(), more.Hash())
		}
		return append(out, value.EmptyHash, value.NewHash(fresh, fresh))
	case value.String:
		out = append(out, fresh, v+"x")
		for i, s := range p.strings {
			if s != string(v) && i < 4 {
				out = append(out, value.String(s))
			}
		}
		for _, s := range samples {
			out = append(out, value.String(s))
		}
		return out
	}
	return []value.Value{fresh, value.Bool(true), value.Int(7)}
}

// ofFact gives a fact another value, or takes it away.
func (b *Bench) ofFact(path string, p *pool) (out []change) {
	v, ok := b.Record.Fact(path)
	if !ok {
		return nil
	}
	for _, o := range others(v, p) {
		out = append(out, change{facts: []fact{{path, o}}})
	}
	out = append(out[:min(len(out), 4)], append([]change{{facts: []fact{{path, nil}}}}, out[min(len(out), 4):]...)...)
	return out
}

// ofAbsence makes what is missing.
func (b *Bench) ofAbsence(what string, p *pool) (out []change) {
	if name, ok := strings.CutPrefix(what, "fact "); ok {
		for _, v := range others(value.String(""), p) {
			out = append(out, change{facts: []fact{{name, v}}})
		}
		return append(out, change{facts: []fact{{name, value.Bool(true)}}})
	}
	if rest, ok := strings.CutPrefix(what, "key "); ok {
		key, file, ok := strings.Cut(rest, " in file ")
		if !ok {
			return nil
		}
		return b.ofKey(key, source.Absolute(file), p)
	}
	if file, ok := strings.CutPrefix(what, "file "); ok {
		path := source.Absolute(file)
		switch {
		// of a module: what it has comes behind the environment's, but its options count
		case filepath.Base(file) == "hiera.yaml":
			for _, c := range b.ofKey("lookup_options", filepath.Join(filepath.Dir(path), "data", "common.yaml"), p) {
				c.files = map[string]string{path: "version: 5\nhierarchy:\n  - name: common\n    path: common.yaml\n"}
				out = append(out, c)
			}
		case slices.Contains([]string{".yaml", ".yml", ".json"}, filepath.Ext(file)):
			for _, key := range p.keys {
				out = append(out, b.ofKey(key, path, p)[:1]...)
			}
		}
	}
	return out
}

// ofKey gives a data file a key that it lacks.
func (b *Bench) ofKey(key, path string, p *pool) (out []change) {
	set := func(key, yaml string) { out = append(out, change{set: []setting{{path, key, yaml}}}) }
	if key == "lookup_options" || strings.HasPrefix(key, "lookup_options.") {
		for _, option := range []string{`{convert_to: String}`, `{convert_to: [String, "%p"]}`, `{merge: unique}`,
			`{merge: deep}`,
			`{convert_to: Array}`, `{merge: hash}`} {
			for _, k := range p.keys[:min(len(p.keys), 2)] {
				set("lookup_options", `{"`+k+`": `+option+`}`)
			}
		}
		return out
	}
	key = bareKey(key)
	var v value.Value = value.String("")
	if h := b.Record.Data; h != nil {
		if found := h.Levels(key); found != nil && found.Found {
			v = found.Value
		}
	}
	if i := strings.LastIndex(key, "::"); i > 0 && value.Same(v, value.String("")) {
		if class := b.Record.Catalog.Find("Class[" + key[:i] + "]"); class != nil {
			if now := class.Get(key[i+2:]); now != nil {
				v = now
			}
		}
	}
	for _, o := range others(v, p) {
		if t, err := datafile.Flow(o); err == nil {
			set(key, t)
		}
	}
	if len(out) == 0 {
		set(key, `"fresh"`)
	}
	return out
}

// hieraKey is the key of Hiera that a place is about.
func hieraKey(l provenance.Label) string {
	path := l.Path
	if l.Kind == provenance.Absence {
		rest, ok := strings.CutPrefix(path, "key ")
		if !ok {
			return ""
		}
		path, _, _ = strings.Cut(rest, " in file ")
	} else if l.Place.File == nil || filepath.Base(l.Place.File.Name) == "hiera.yaml" {
		return ""
	}
	if strings.HasPrefix(path, "lookup_options") {
		return ""
	}
	return explain.RootKey(path)
}

// setFact gives a fact another value, or takes it away; a name with a dot in it is tried before the part in front of
// it.
func setFact(h *value.Hash, path string, v value.Value) *value.Hash {
	name, rest := path, ""
	if h.EntryString(path) == nil {
		name, rest, _ = strings.Cut(path, ".")
	}
	out := value.NewHashBuilder(h.Len() + 1)
	found := false
	for _, e := range h.Entries() {
		if value.ToString(e.Key) == name {
			found = true
			switch {
			case rest == "" && v == nil:
				continue
			case rest == "":
				e.Value = v
			default:
				e.Value = setWithin(e.Value, rest, v)
			}
		}
		out.Set(e.Key, e.Value)
	}
	if !found && v != nil {
		if rest != "" {
			v = setFact(value.EmptyHash, rest, v)
		}
		out.SetString(name, v)
	}
	return out.Hash()
}

func setWithin(in value.Value, path string, v value.Value) value.Value {
	switch in := in.(type) {
	case *value.Hash:
		return setFact(in, path, v)
	case *value.Array:
		name, rest, _ := strings.Cut(path, ".")
		elems := slices.Clone(in.Elems)
		for i := range elems {
			switch {
			case fmt.Sprint(i) != name:
			case rest != "":
				elems[i] = setWithin(elems[i], rest, v)
			case v != nil:
				elems[i] = v
			}
		}
		return value.NewArray(elems...)
	}
	return in
}

func quoted(s string) bool {
	return len(s) >= 2 && (s[0] == '\'' || s[0] == '"') && s[len(s)-1] == s[0]
}

// bare is a string without its quotes, or the name of a class without what says that it is a full one.
func bare(s string) string { return strings.TrimPrefix(strings.Trim(s, `'"`), "::") }

func bareKey(s string) string { return strings.Trim(s, `'"`) }

// plain reports whether a text can stand between quotes as it is.
func plain(s string) bool { return !strings.ContainsAny(s, "'\"\\\n$%{}#") }

// otherWord puts another word into a text in the place of its first; a text without one gets one behind its last sign.
func otherWord(text string) (string, bool) {
	letter := func(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9' }
	for i := 0; i < len(text); i++ {
		if text[i] == '\\' {
			i++
			continue
		}
		if !letter(text[i]) {
			continue
		}
		j := i
		for j < len(text) && letter(text[j]) {
			j++
		}
		with := "fresh"
		if text[i:j] == with {
			with = "fresher"
		}
		return text[:i] + with + text[j:], true
	}
	if i := strings.LastIndexAny(text, "!#%&()*+,-./:;<=>?@[]^_|~"); i >= 0 && !strings.Contains(text, `\`) {
		return text[:i+1] + "fresh" + text[i+1:], true
	}
	if text != "" && strings.Trim(text, " ") == "" {
		return text + " ", true
	}
	return "", false
}
