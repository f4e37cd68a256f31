package compiler

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"

	"bunraku/internal/mutate"
	"bunraku/provenance"
	"bunraku/puppet/eval"
	"bunraku/puppet/facts"
	"bunraku/puppet/syntax"
	"bunraku/puppet/template"
	"bunraku/puppet/value"
	"bunraku/source"

	"bunraku/internal/live"
)

// A lab compiles one environment, and the same environment with one datum changed, everything else parsed and read
// once.
type lab struct {
	kind, name string
	dir        string // its own, to be written to
	base       *Snapshot
	node       Node
	res        *eval.Result
	view       *mutate.View
	places     *mutate.Places
	texts      map[string]string
	aims       map[provenance.LabelKey]aim // of places that can be changed in more ways than can be listed
	slotKeys   map[string][]string         // of data, that slots hang on
	roles      map[string]map[int]string   // of literals, by file
	beside     map[string]bool             // paths of files that nobody reads
	clones     int
	stand      bool // there are classes and files that can stand in for others
}

const forget = 40 // clones after which caches start anew: they keep every changed file that they have seen

// openLab compiles a subject. It returns nil when the subject does not compile: then there is nothing to change.
func openLab(kind, name, dir string, opt Options, node Node) (*lab, error) {
	opt.Trace, opt.Reads = true, true
	opt.Roots = []string{live.ModulesDir}
	c, err := NewWorkspace(dir, opt).Open(context.Background())
	if err != nil {
		return nil, err
	}
	l := &lab{kind: kind, name: name, dir: dir, base: c, node: node, texts: map[string]string{},
		aims: map[provenance.LabelKey]aim{}, slotKeys: map[string][]string{}, roles: map[string]map[int]string{},
		beside: map[string]bool{}}
	if l.res, err = c.compile(context.Background(), node); err != nil || l.res.Failure != nil {
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
	if p.Kind == mutate.Node {
		n := l.node
		n.Name = value.ToString(p.Val[i])
		f := *l.node.Facts
		f.Trusted = facts.Trusted(n.Name, nil, nil)
		n.Facts = &f
		res, err = l.base.compile(context.Background(), n)
		return res, &mutate.Places{Facts: l.facts()}, "", err
	}
	if p.Fact != "" {
		f := *l.node.Facts
		f.Values = mutate.SetFact(f.Values, p.Fact, p.Val[i])
		n := l.node
		n.Facts = &f
		if n.Name == "" {
			n.Name = f.Name
		}
		res, err = l.base.compile(context.Background(), n)
		return res, &mutate.Places{Facts: f.Values}, "", err
	}
	old, err := l.text(p.Path)
	if err != nil {
		return nil, nil, "", err
	}
	text := p.Apply(old, i)
	var c *Snapshot
	switch p.Kind {
	case mutate.Manifest, mutate.EPP:
		c, reason = l.withManifest(p.Path, text)
	case mutate.ERB:
		c, reason = l.withTemplate(p.Path, text)
	default:
		if err := l.inert(p.Path, p.Beside); err != nil {
			return nil, nil, "", err
		}
		if c, err = l.withData(p.Path, text, p.Beside); err != nil {
			return nil, nil, "", err
		}
	}
	if reason != "" {
		return nil, nil, reason, nil
	}
	res, err = c.compile(context.Background(), l.node)
	return res, &mutate.Places{Facts: l.facts()}, "", err
}

// clone is a compiler that shares everything with the first one.
func (l *lab) clone() *Snapshot {
	c := l.base
	if l.clones++; l.clones%forget == 0 {
		c.cache, c.templates = eval.NewCache(), template.NewCache()
	}
	n := &Snapshot{ws: c.ws, files: c.files, env: c.env, lookup: c.lookup, set: c.set, opt: c.opt, cache: c.cache,
		rubyLibrary: c.rubyLibrary,
		templates:   c.templates, functions: c.functions, natives: c.natives, library: c.library, manifest: c.manifest}
	n.main.Do(func() {})
	c.found.Range(func(k, v any) bool { n.found.Store(k, v); return true })
	c.sources.Range(func(k, v any) bool { n.sources.Store(k, v); return true })
	c.modules.Range(func(k, v any) bool { n.modules.Store(k, v); return true })
	c.types.Range(func(k, v any) bool { n.types.Store(k, v); return true })
	c.present.Range(func(k, v any) bool { n.present.Store(k, v); return true })
	c.old.Range(func(k, v any) bool { n.old.Store(k, v); return true })
	return n
}

func (l *lab) syntaxOptions() syntax.Options {
	return syntax.Options{Strict: l.base.set.Strict}
}

func (l *lab) withManifest(path, text string) (*Snapshot, string) {
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
	l.base.found.Range(func(k, v any) bool {
		if v.(*found).file == tree {
			n.found.Store(k, &found{v.(*found).path, changed, ds})
		}
		return true
	})
	return n, ""
}

func (l *lab) withTemplate(path, text string) (*Snapshot, string) {
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

// trees are the manifests and EPP templates that the compile read, by path.
func (l *lab) trees() map[string]*syntax.File {
	out := map[string]*syntax.File{}
	for _, f := range l.base.manifest.files {
		out[l.base.env.Path(f.Source)] = f
	}
	l.base.found.Range(func(_, v any) bool {
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
	trees := l.trees()
	h, err := l.hints(trees)
	if err != nil {
		return nil, nil, err
	}
	for _, path := range sorted(trees) {
		add(mutate.InManifest(trees[path], path, h))
	}
	templates := l.templates()
	for _, path := range sorted(templates) {
		add(mutate.InERB(templates[path], path))
	}
	data, err := l.data(h)
	if err != nil {
		return nil, nil, err
	}
	add(data)
	if l.node.Facts != nil {
		name := l.node.Name
		if name == "" {
			name = l.node.Facts.Name
		}
		var files []*syntax.File
		for _, path := range sorted(trees) {
			files = append(files, trees[path])
		}
		add([]*mutate.Place{mutate.NodeName(files, name)})
		add(mutate.InFacts(l.node.Facts.Values, l.stems(), h))
		for _, k := range sortedKeys(depended) {
			if name, ok := strings.CutPrefix(k.Path, "fact "); ok && k.Kind == provenance.Absence {
				add([]*mutate.Place{mutate.NewFact(name, append(h.Compared(name), value.String("fresh"), value.Bool(true),
					value.Int(1)))})
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

// hints are what this program holds that can flip its decisions.
func (l *lab) hints(trees map[string]*syntax.File) (*mutate.Hints, error) {
	var files []*syntax.File
	for _, path := range sorted(trees) {
		files = append(files, trees[path])
	}
	h := mutate.Survey(files)
	h.Pool, h.Classes = l.pool(), l.res.Catalog.Classes
	h.Class, h.File = l.classFor, l.fileFor
	for _, e := range l.facts().Entries() {
		h.Holds(value.ToString(e.Key), e.Value)
	}
	l.res.EachVariable(func(_, name string, v value.Value, _ provenance.Ref) { h.Holds(name, v) })
	for _, r := range l.res.Catalog.Resources {
		for _, p := range r.Params {
			h.Holds(p.Name, p.Value)
		}
	}
	if err := l.paths(h); err != nil {
		return nil, err
	}
	return h, l.ask(h, h.Types())
}

// ask finds out which samples the types take: all types at once, and by halves when some are no types outside of where
// they stand.
func (l *lab) ask(h *mutate.Hints, types []string) error {
	if len(types) == 0 {
		return nil
	}
	samples := h.Samples()
	code, err := mutate.Literal(value.NewArray(samples...))
	if err != nil {
		return err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "$samples = %s\n", code)
	for i, t := range types {
		fmt.Fprintf(&b,
			"notify { 'type %d': message => $samples.map |$i, $v| { if $v =~ %s { $i } }.filter |$i| { $i =~ Integer } }\n", i,
			t)
	}
	res, err := l.evaluate(b.String())
	if err != nil {
		return err
	}
	if res.Failure != nil {
		if len(types) == 1 {
			return nil
		}
		if err := l.ask(h, types[:len(types)/2]); err != nil {
			return err
		}
		return l.ask(h, types[len(types)/2:])
	}
	for i, t := range types {
		var taken []value.Value
		if p := res.Catalog.Resource("Notify", fmt.Sprint("type ", i)).Param("message"); p != nil {
			if list, ok := p.Value.(*value.Array); ok {
				for _, n := range list.Elems {
					taken = append(taken, samples[n.(value.Int)])
				}
			}
		}
		h.Take(t, taken)
	}
	return nil
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
	r := l.res.Catalog.Find(ref)
	if typ == "Class" {
		title = strings.ToLower(title)
	}
	out = append(out, title)
	for _, s := range l.res.Record().Via(r) {
		if !strings.ContainsAny(s.Text, " [") { // a class, neither a node nor an instance of a define
			out = append(out, s.Text)
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

// factsOf reads facts.json of a subject's directory; without one the node has none.
func factsOf(dir, name string) (*facts.Facts, error) {
	path := filepath.Join(dir, "facts.json")
	if _, err := os.Stat(path); err != nil {
		return &facts.Facts{Name: name, Values: value.EmptyHash}, nil
	}
	f, err := facts.Read(source.NewDir(source.DirOptions{Roots: []string{path}}), path)
	if err == nil && name != "" {
		f.Name = name
	}
	return f, err
}
