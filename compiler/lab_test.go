package compiler

import (
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"

	"bunraku/eval"
	"bunraku/facts"
	"bunraku/internal/mutate"
	"bunraku/lookup"
	"bunraku/provenance"
	"bunraku/source"
	"bunraku/syntax"
	"bunraku/template"
	"bunraku/value"
)

// A lab compiles one environment, and the same environment with one datum changed, everything else parsed and read once.
type lab struct {
	kind, name string
	dir        string // its own, to be written to
	base       *Compiler
	node       Node
	res        *eval.Result
	view       *mutate.View
	places     *mutate.Places
	shadows    map[string]string // of modules whose data are changed: a copy of their data, by module
	texts      map[string]string
	clones     int
}

const forget = 40 // clones after which caches start anew: they keep every changed file that they have seen

// openLab compiles a subject. It returns nil when the subject does not compile: then there is nothing to change.
func openLab(kind, name, dir string, opt Options, node Node) (*lab, error) {
	opt.Trace = true
	c, err := Open(dir, opt)
	if err != nil {
		return nil, err
	}
	l := &lab{kind: kind, name: name, dir: dir, base: c, node: node, shadows: map[string]string{}, texts: map[string]string{}}
	if l.res, err = c.Compile(node); err != nil || l.res.Failure != nil {
		return nil, err
	}
	l.places = &mutate.Places{Facts: l.facts()}
	l.view, err = mutate.Look(l.res)
	return l, err
}

func (l *lab) facts() *value.Hash {
	if l.node.Facts == nil {
		return value.EmptyHash
	}
	return l.node.Facts.Values
}

// text is a file as it is.
func (l *lab) text(path string) (string, error) {
	if t, ok := l.texts[path]; ok {
		return t, nil
	}
	text, err := os.ReadFile(path)
	if os.IsNotExist(err) {
		return "", nil // a file to be added
	}
	l.texts[path] = string(text)
	return string(text), err
}

// mutant compiles with choice i at a place. The reason says why there is nothing to compile.
func (l *lab) mutant(p *mutate.Place, i int) (res *eval.Result, at *mutate.Places, reason string, err error) {
	if p.Fact != "" {
		f := *l.node.Facts
		f.Values = mutate.SetFact(f.Values, p.Fact, p.Val[i])
		n := l.node
		n.Facts = &f
		if n.Name == "" {
			n.Name = f.Name
		}
		res, err = l.base.Compile(n)
		return res, &mutate.Places{Facts: f.Values}, "", err
	}
	old, err := l.text(p.Path)
	if err != nil {
		return nil, nil, "", err
	}
	text := p.Apply(old, i)
	var c *Compiler
	switch p.Kind {
	case mutate.Manifest, mutate.EPP:
		c, reason = l.withManifest(p.Path, text)
	case mutate.ERB:
		c, reason = l.withTemplate(p.Path, text)
	default:
		var restore func()
		if c, restore, err = l.withData(p.Path, text); err != nil {
			return nil, nil, "", err
		}
		defer restore()
	}
	if reason != "" {
		return nil, nil, reason, nil
	}
	res, err = c.Compile(l.node)
	return res, &mutate.Places{Facts: l.facts()}, "", err
}

// clone is a compiler that shares everything with the first one.
func (l *lab) clone() *Compiler {
	c := l.base
	if l.clones++; l.clones%forget == 0 {
		c.cache, c.templates = eval.NewCache(), template.NewCache()
	}
	n := &Compiler{env: c.env, lookup: c.lookup, set: c.set, opt: c.opt, cache: c.cache, templates: c.templates, functions: c.functions, natives: c.natives, library: c.library, manifest: c.manifest}
	n.main.Do(func() {})
	c.files.Range(func(k, v any) bool { n.files.Store(k, v); return true })
	c.sources.Range(func(k, v any) bool { n.sources.Store(k, v); return true })
	c.modules.Range(func(k, v any) bool { n.modules.Store(k, v); return true })
	c.types.Range(func(k, v any) bool { n.types.Store(k, v); return true })
	c.present.Range(func(k, v any) bool { n.present.Store(k, v); return true })
	c.old.Range(func(k, v any) bool { n.old.Store(k, v); return true })
	return n
}

func (l *lab) syntaxOptions() syntax.Options {
	return syntax.Options{Strict: strictSyntax(l.base.set.Strict)}
}

func (l *lab) withManifest(path, text string) (*Compiler, string) {
	tree := l.trees()[path]
	changed, ds, same := mutate.SameShape(tree, text, l.syntaxOptions())
	if !same {
		return nil, "the changed text is no program, or one of another shape"
	}
	n := l.clone()
	n.cache = eval.NewCache() // it knows what the unchanged code may do
	n.manifest.files = append([]*syntax.File(nil), n.manifest.files...)
	for i, f := range n.manifest.files {
		if f == tree {
			n.manifest.files[i] = changed
		}
	}
	l.base.files.Range(func(k, v any) bool {
		if v.(*found).file == tree {
			n.files.Store(k, &found{changed, ds})
		}
		return true
	})
	return n, ""
}

func (l *lab) withTemplate(path, text string) (*Compiler, string) {
	changed, same := mutate.SameTemplate(l.templates()[path], text)
	if !same {
		return nil, "the changed template is no template, or one of another shape"
	}
	n := l.clone()
	l.base.sources.Range(func(name, t any) bool {
		if t.(*erbFile).path == path {
			n.sources.Store(name, &erbFile{changed, path})
		}
		return true
	})
	return n, ""
}

// withData writes a data file and reads all data anew. Modules that are not the subject's own are shadowed by a copy of their data.
func (l *lab) withData(path, text string) (c *Compiler, restore func(), err error) {
	at := path
	shadow := func(string) string { return "" }
	if !strings.HasPrefix(path, l.dir+"/") {
		m := l.base.env.ModuleOf(path)
		if m == nil {
			return nil, nil, fmt.Errorf("%s is in no module", path)
		}
		dir := l.shadows[m.Name]
		if dir == "" {
			dir = filepath.Join(l.dir, ".shadow", m.Name)
			for _, name := range []string{"hiera.yaml", "data"} {
				if err := copyTree(filepath.Join(m.Dir, name), filepath.Join(dir, name)); err != nil {
					return nil, nil, err
				}
			}
			l.shadows[m.Name] = dir
		}
		rel, err := filepath.Rel(m.Dir, path)
		if err != nil {
			return nil, nil, err
		}
		at = filepath.Join(dir, rel)
		shadow = func(name string) string {
			if name == m.Name {
				return dir
			}
			return ""
		}
	}
	old, readErr := os.ReadFile(at)
	if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
		return nil, nil, err
	}
	if err := os.WriteFile(at, []byte(text), 0o644); err != nil {
		return nil, nil, err
	}
	restore = func() {
		if readErr != nil {
			os.Remove(at)
		} else {
			os.WriteFile(at, old, 0o644)
		}
	}
	n := l.clone()
	env := l.base.env
	n.lookup = lookup.New(lookup.Site{
		Environment: env.Name, Dir: env.Dir, GlobalConfig: l.base.opt.GlobalHiera, DataProvider: env.DataProvider,
		Module: func(name string) (dir, provider string, ok bool) {
			m := env.Module(name)
			if m == nil {
				return "", "", false
			}
			if dir := shadow(name); dir != "" {
				return dir, m.DataProvider, true
			}
			return m.Dir, m.DataProvider, true
		},
	}, lookup.Options{Strict: lookup.Strictness(l.base.set.Strict), Name: func(path string) string {
		if rest, ok := strings.CutPrefix(path, filepath.Join(l.dir, ".shadow")+"/"); ok {
			name, rest, _ := strings.Cut(rest, "/")
			path = filepath.Join(env.Module(name).Dir, rest)
		}
		return env.Display(path)
	}})
	return n, restore, nil
}

func copyTree(from, to string) error {
	info, err := os.Stat(from)
	if os.IsNotExist(err) {
		return nil
	}
	if err != nil {
		return err
	}
	if !info.IsDir() {
		text, err := os.ReadFile(from)
		if err != nil {
			return err
		}
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			return err
		}
		return os.WriteFile(to, text, 0o644)
	}
	entries, err := os.ReadDir(from)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if err := copyTree(filepath.Join(from, e.Name()), filepath.Join(to, e.Name())); err != nil {
			return err
		}
	}
	return nil
}

// trees are the manifests and EPP templates that the compile read, by path.
func (l *lab) trees() map[string]*syntax.File {
	out := map[string]*syntax.File{}
	for _, f := range l.base.manifest.files {
		out[l.base.env.Path(f.Source)] = f
	}
	l.base.files.Range(func(_, v any) bool {
		if f := v.(*found).file; f != nil {
			out[l.base.env.Path(f.Source)] = f
		}
		return true
	})
	return out
}

// templates are the ERB templates that the compile rendered, by path.
func (l *lab) templates() map[string]*source.File {
	out := map[string]*source.File{}
	l.base.sources.Range(func(_, v any) bool {
		if t := v.(*erbFile); t.source != nil {
			out[t.path] = t.source
		}
		return true
	})
	return out
}

// list gives all places, in a fixed order: first those whose datum the compile used, then the others.
func (l *lab) list() (used, idle []*mutate.Place, err error) {
	tr := l.res.Trace
	read := map[provenance.LabelKey]bool{}
	tr.EachLiteral(func(f *source.File, ordinal int) {
		read[provenance.LabelKey{Kind: provenance.Literal, File: f.Name, Ordinal: ordinal}] = true
	})
	depended := l.depended()
	add := func(list []*mutate.Place) {
		for _, p := range list {
			if p.Choices() == 0 {
				continue
			}
			if read[p.Was.Key] || depended[p.Was.Key] {
				used = append(used, p)
			} else {
				idle = append(idle, p)
			}
		}
	}
	pool := l.pool()
	trees := l.trees()
	for _, path := range sorted(trees) {
		add(mutate.InManifest(trees[path], path, pool))
	}
	templates := l.templates()
	for _, path := range sorted(templates) {
		add(mutate.InERB(templates[path], path))
	}
	data, err := l.data(pool)
	if err != nil {
		return nil, nil, err
	}
	add(data)
	if l.node.Facts != nil {
		add(mutate.InFacts(l.node.Facts.Values, append(l.stems(), pool...)))
		for _, k := range sortedKeys(depended) {
			if name, ok := strings.CutPrefix(k.Path, "fact "); ok && k.Kind == provenance.Absence {
				add([]*mutate.Place{mutate.NewFact(name, []value.Value{value.String("fresh"), value.Bool(true), value.Int(1)})})
			}
		}
	}
	return used, idle, nil
}

func sorted[V any](m map[string]V) []string {
	out := make([]string, 0, len(m))
	for k := range m {
		out = append(out, k)
	}
	sort.Strings(out)
	return out
}

func sortedKeys(m map[provenance.LabelKey]bool) []provenance.LabelKey {
	out := make([]provenance.LabelKey, 0, len(m))
	for k := range m {
		out = append(out, k)
	}
	sort.Slice(out, func(i, j int) bool {
		return out[i].Kind < out[j].Kind || out[i].Kind == out[j].Kind && out[i].File+out[i].Path < out[j].File+out[j].Path
	})
	return out
}

// depended are the places other than literals that some slot depends on.
func (l *lab) depended() map[provenance.LabelKey]bool {
	var roots []provenance.Ref
	for _, s := range l.view.Slots {
		roots = append(roots, s.Refs[:]...)
	}
	out := map[provenance.LabelKey]bool{}
	for _, label := range l.res.Trace.Depends(roots...) {
		if label.Kind != provenance.Literal {
			out[label.Key()] = true
		}
	}
	return out
}

// pool are strings that decisions may hang on: the values of facts that are used, and the names of classes.
func (l *lab) pool() []string {
	out := []string{"absent", "true"}
	for _, k := range sortedKeys(l.depended()) {
		if k.Kind == provenance.Fact {
			if v, ok := l.places.At(provenance.Label{Kind: k.Kind, Path: k.Path}); ok {
				if s, ok := v.(value.String); ok && len(s) < 40 {
					out = append(out, string(s))
				}
			}
		}
	}
	return append(append(out, "RedHat", "Debian"), l.res.Catalog.Classes...)
}

// data lists what can change in the data files that were read, and the keys and files that were missed.
func (l *lab) data(pool []string) ([]*mutate.Place, error) {
	files := map[string]string{} // name → path
	missed := map[string][]string{}
	absent := map[string]bool{}
	keys := map[string]bool{} // that were asked for
	l.res.Trace.EachLeaf(func(_ provenance.Ref, label provenance.Label) {
		switch label.Kind {
		case provenance.Datum:
			if label.Place.File != nil {
				files[label.Place.File.Name] = l.path(label.Place.File.Name)
				if root, _, _ := strings.Cut(label.Path, "."); !strings.ContainsAny(root, `'"`) && filepath.Base(label.Place.File.Name) != "hiera.yaml" {
					keys[root] = true
				}
			}
		case provenance.Absence:
			if rest, ok := strings.CutPrefix(label.Path, "key "); ok {
				key, name, _ := strings.Cut(rest, " in file ")
				if !strings.ContainsAny(key, `'".`) {
					missed[name] = append(missed[name], key)
					files[name] = l.path(name)
					keys[key] = true
				}
			} else if name, ok := strings.CutPrefix(label.Path, "file "); ok && filepath.Base(name) != "hiera.yaml" {
				absent[name] = true
			}
		}
	})
	delete(keys, "lookup_options")
	asked := sorted(keys)
	var out []*mutate.Place
	for _, name := range sorted(files) {
		path := files[name]
		text, err := l.text(path)
		if err != nil {
			return nil, err
		}
		f := source.NewFile(name, text)
		if filepath.Base(name) == "hiera.yaml" || mutate.ReadData(f) == nil {
			continue
		}
		out = append(out, mutate.InData(f, path, pool)...)
		sort.Strings(missed[name])
		for _, key := range missed[name] {
			if p := mutate.Insert(f, path, key, l.values(key, asked, pool)); p != nil {
				out = append(out, p)
			}
		}
	}
	for _, name := range sorted(absent) {
		if ext := filepath.Ext(name); ext != ".yaml" && ext != ".json" {
			continue
		}
		for _, key := range append([]string{"lookup_options"}, asked...) {
			p := mutate.NewFile(name, l.path(name), key, l.values(key, asked, pool))
			out = append(out, p)
		}
	}
	return out, nil
}

// stems are what the names of data files beside the ones that were looked at are made of: a fact with such a value leads to another file.
func (l *lab) stems() (out []string) {
	seen := map[string]bool{}
	l.res.Trace.EachLeaf(func(_ provenance.Ref, label provenance.Label) {
		name := strings.TrimPrefix(label.Path, "file ")
		if label.Kind != provenance.Absence || name == label.Path || seen[filepath.Dir(name)] {
			return
		}
		seen[filepath.Dir(name)] = true
		entries, _ := os.ReadDir(l.path(filepath.Dir(name)))
		for _, e := range entries {
			stem, _, _ := strings.Cut(strings.TrimSuffix(e.Name(), filepath.Ext(e.Name())), "-")
			if !seen[stem] && len(out) < 5 {
				seen[stem] = true
				out = append(out, stem)
			}
		}
	})
	return out
}

// targets are strings that can lead a literal to a slot: its resource's title, and the classes around it.
func (l *lab) targets(slot string) (out []string) {
	_, ref, _ := strings.Cut(slot, " ")
	if i := strings.Index(ref, "] "); i > 0 {
		ref = ref[:i+1]
	}
	if rest, ok := strings.CutPrefix(slot, "variable "); ok {
		if i := strings.LastIndex(rest, "::"); i > 0 {
			out = append(out, rest[:i])
		}
		return out
	}
	typ, title, ok := strings.Cut(strings.TrimSuffix(ref, "]"), "[")
	if !ok {
		return nil
	}
	if typ == "Class" {
		title = strings.ToLower(title)
	}
	out = append(out, title)
	for _, s := range l.res.Via(typ, title) {
		if s.Type == "Class" {
			out = append(out, strings.ToLower(s.Title))
		}
	}
	return out
}

// path is the absolute path of a file by the name it is shown under.
func (l *lab) path(name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	abs, _ := filepath.Abs(name)
	return abs
}

// values are what a key that has none can be: other values than the parameter it is for has now.
func (l *lab) values(key string, asked, pool []string) []value.Value {
	if key == "lookup_options" {
		var out []value.Value
		for i, k := range asked {
			if i < 4 {
				out = append(out, value.NewHash(value.String(k), value.NewHash(value.String("merge"), value.String([]string{"unique", "hash", "deep", "first"}[i%4]))))
			}
		}
		return out
	}
	if i := strings.LastIndex(key, "::"); i > 0 {
		l.res.Catalog.Settle()
		for _, r := range l.res.Catalog.Resources {
			if r.Type == "Class" && strings.EqualFold(r.Title, key[:i]) {
				if p := r.Param(key[i+2:]); p != nil {
					return mutate.Alternatives(p.Value, pool)
				}
			}
		}
	}
	for _, name := range sorted(l.texts) {
		if root := mutate.ReadData(source.NewFile(name, l.texts[name])); root != nil {
			if n := root.Entry(key); n != nil {
				return mutate.Alternatives(n.Value, pool)
			}
		}
	}
	return []value.Value{value.String("fresh"), value.Bool(true), value.Int(3), value.Strings("fresh"), value.NewHash(value.String("fresh"), value.Int(1))}
}

// factsOf reads facts.json of a subject's directory; without one the node has none.
func factsOf(dir, name string) (*facts.Facts, error) {
	path := filepath.Join(dir, "facts.json")
	if _, err := os.Stat(path); err != nil {
		return &facts.Facts{Name: name, Values: value.EmptyHash}, nil
	}
	f, err := facts.Read(path)
	if err == nil && name != "" {
		f.Name = name
	}
	return f, err
}
