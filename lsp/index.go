package lsp

import (
	"cmp"
	"context"
	"maps"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"bunraku/fleet"
	"bunraku/lsp/protocol"
	"bunraku/puppet/environment"
	"bunraku/puppet/lookup/datafile"
	"bunraku/puppet/outline"
	"bunraku/puppet/syntax"
	"bunraku/source"
)

// The index says what is named where, in manifests, templates and data together. Each file is read once for each text
// that it has (outline.Names); the files together then say what a name means: a variable that its class does not set is
// the one of the class which it inherits or of the top scope, one of a template that of the class which renders it, and
// a key of Hiera's that of a parameter is the parameter.

// An entry is what was read of one file.
type entry struct {
	path   string
	digest source.Digest
	file   *source.File
	tree   *syntax.File // of manifests and EPP templates
	data   *datafile.Node
	names  []outline.Name
	open   []outline.Name // where names are asked for that the code does not say
	defs   []outline.Name // those of names that define something: a small part of them
	whole  bool           // it parses without errors
	isData bool           // it holds Hiera's data
	hands  []string       // the keys whose values its code hands to include
	unsaid bool           // it declares classes of which it does not say where their names come from
	// classKeys are the keys that hold classes, of a file of data: those that code hands to include.
	classKeys []string
	before    *entry // of code that cannot be read: what it was when it last could, nil if nobody knows
	marked    bool   // the editor shows a byte order mark in it
	secretive bool   // its code speaks of Sensitive
	// early are the places where variables are read before the same body sets them.
	early map[source.Span]bool
	// template is how manifests call it, "" if it is none.
	template string

	once sync.Once
	m    *mapper

	looking  sync.Mutex
	looked   bool
	hidden   []source.Span // what sensitive has found
	lookedBy *wraps        // with these

	listed         sync.Once
	anyhow, caller onceIs // asksAnyhow, inScopeOfCaller
	called         struct {
		sync.Once
		from map[string][]string // owners of code that calls a function, by its name
	}
	texts  map[string][]mention // what mentions has found
	titles []source.Span        // those of resources, for mentions alone
	inTags bool                 // what is listed stands in a template, for mentions alone
	joined []outline.Name       // texts that are put together when the code runs, and may be names
	pieces []piece              // of what Ruby may put together
	// composes tells that its Ruby makes one text of several.
	composes bool
	asks     []outline.Name // where a file of Ruby asks for names that it does not say
}

// mapper translates positions of the file.
func (e *entry) mapper(enc encoding) *mapper {
	e.once.Do(func() {
		if e.marked {
			e.m = newMapper(e.file.Text, enc)
		} else {
			e.m = fileMapper(e.file.Text, enc)
		}
	})
	return e.m
}

// An index is all files of a folder. It does not change.
type index struct {
	entries []*entry // by path
	byPath  map[string]*entry
	parents map[string]string         // of classes that inherit
	sets    map[string]bool           // variables that classes and defines set, OWNER::NAME
	setIn   map[string]string         // the path of the file that does
	params  map[string]bool           // of classes, OWNER::NAME
	takes   map[string]bool           // the parameters of defines as well
	callers map[string][]string       // the classes and defines that render a template
	through map[string][]string       // the templates that render a template, themselves or by others
	reached map[string][]outline.Name // by path: templates whose names are in variables of classes
	names   map[string]string         // of templates, by path: MODULE/FILE
	byNode  map[string][]identity     // the variables that node blocks set, by name
	one     map[string]string         // of files that are reached by several names the one that they are edited by

	tables *tables  // for completion, of about these files
	meant  *meaning // what parameters say is Sensitive
}

// An identity is what a name means: names with an identity in common mean the same.
type identity struct {
	kind  outline.NameKind
	name  string
	file  string // of a local variable, with where its scope begins; of one of a node, with which that is
	local uint32
}

func newIndex(entries []*entry) *index {
	x := &index{entries: entries, byPath: map[string]*entry{}, parents: map[string]string{}, sets: map[string]bool{},
		setIn: map[string]string{}, params: map[string]bool{}, takes: map[string]bool{}, callers: map[string][]string{},
		through: map[string][]string{}, names: map[string]string{}, byNode: map[string][]identity{}, tables: &tables{},
		meant: &meaning{}}
	slices.SortFunc(x.entries, func(a, b *entry) int { return strings.Compare(a.path, b.path) })
	var rendered []occurrence
	for _, e := range entries {
		x.byPath[e.path] = e
		if e.template != "" {
			x.names[e.path] = e.template
		}
		if e.tree != nil {
			for _, d := range e.tree.Defs {
				c, is := d.(*syntax.Class)
				if is && c.Parent != "" {
					x.parents[outline.Class(c.Name)] = outline.Class(c.Parent)
				}
				if !is {
					continue
				}
				for _, p := range c.Params {
					x.params[outline.Class(c.Name)+"::"+p.Name] = true
				}
			}
		}
		for _, n := range e.names {
			switch {
			case n.Kind == outline.VariableName && n.Defines && strings.Contains(n.Name, "::"):
				x.sets[n.Name], x.setIn[n.Name] = true, e.path
				if n.Param {
					x.takes[n.Name] = true
				}
			case n.Kind == outline.VariableName && n.Defines && n.Node > 0:
				if id := ofNode(e, n); !slices.Contains(x.byNode[n.Name], id) {
					x.byNode[n.Name] = append(x.byNode[n.Name], id)
				}
			case n.Kind == outline.TemplateName:
				rendered = append(rendered, occurrence{e, n})
			}
		}
	}
	x.reached = x.reachedBy()
	for _, e := range x.entries {
		for _, n := range x.reached[e.path] {
			rendered = append(rendered, occurrence{e, n})
		}
	}
	x.render(rendered)
	return x
}

// render finds out which classes and defines render each template: by its name, by one of which they compute a part, or
// by another template that does.
func (x *index) render(calls []occurrence) {
	add := func(template, owner string) (more bool) {
		if more = !slices.Contains(x.callers[template], owner); more {
			x.callers[template] = append(x.callers[template], owner)
		}
		return more
	}
	paths := slices.Sorted(maps.Keys(x.names))
	each := func(n outline.Name, f func(template string)) {
		if !n.Pattern {
			f(n.Name)
			return
		}
		for _, p := range paths {
			if outline.Matches(n.Name, x.names[p]) {
				f(x.names[p])
			}
		}
	}
	var within []occurrence
	for _, o := range calls {
		switch {
		case o.In != "":
			each(o.Name, func(template string) { add(template, o.In) })
		case o.template != "":
			within = append(within, o)
		}
	}
	for more := true; more; {
		more = false
		for _, o := range within {
			for _, owner := range x.callers[o.template] {
				each(o.Name, func(template string) { more = add(template, owner) || more })
			}
			for _, outer := range append([]string{o.template}, x.through[o.template]...) {
				each(o.Name, func(template string) {
					if !slices.Contains(x.through[template], outer) {
						x.through[template], more = append(x.through[template], outer), true
					}
				})
			}
		}
	}
}

// with is the index with one file as it is now. Most edits change nothing of what one file tells the others; then what
// was gathered of all files is kept.
func (x *index) with(e *entry) *index {
	i, there := slices.BinarySearchFunc(x.entries, e.path,
		func(o *entry, p string) int { return strings.Compare(o.path, p) })
	entries := slices.Clone(x.entries)
	anew := func(entries []*entry) *index {
		out := newIndex(entries)
		out.tables, out.one = x.tables, x.one
		return out
	}
	if !there {
		return anew(append(entries, e))
	}
	old := entries[i]
	entries[i] = e
	if !slices.Equal(old.exports(), e.exports()) {
		return anew(entries)
	}
	byPath := maps.Clone(x.byPath)
	byPath[e.path] = e
	return &index{entries: entries, byPath: byPath, parents: x.parents, sets: x.sets, setIn: x.setIn, params: x.params,
		takes: x.takes, callers: x.callers, through: x.through, reached: x.reached,
		names: x.names, byNode: x.byNode, tables: x.tables,
		one: x.one, meant: x.meaningAfter(old, e)}
}

// without is the index without a file.
func (x *index) without(p string) *index {
	out := newIndex(slices.DeleteFunc(slices.Clone(x.entries), func(e *entry) bool { return e.path == p }))
	out.tables, out.one = x.tables, x.one
	return out
}

// exports is all that newIndex takes from a file.
func (e *entry) exports() (out []string) {
	if e.tree != nil {
		for _, d := range e.tree.Defs {
			if c, is := d.(*syntax.Class); is {
				out = append(out, "class", c.Name, c.Parent)
				for _, p := range c.Params {
					out = append(out, p.Name)
				}
			}
		}
	}
	for _, n := range e.names {
		if n.Kind == outline.VariableName && n.Defines && saysTemplate.MatchString(e.file.Slice(n.Whole)) {
			out = append(out, n.Name, e.file.Slice(n.Whole))
		}
		switch {
		case n.Kind == outline.VariableName && n.Defines && n.Param:
			out = append(out, "takes", n.Name)
		case n.Kind == outline.VariableName && n.Defines:
			out = append(out, "sets", n.Name, strconv.Itoa(int(n.Node)))
		case n.Kind == outline.TemplateName:
			out = append(out, "renders", n.Name, n.In)
		}
	}
	return out
}

// templateName is how manifests call a template of a folder, "" if it is none of a module's. The folder may be the
// module, and called otherwise. A file of a module that may be rendered as a text has InFiles in front.
func (f *folder) templateName(p string) string {
	in, kind := "/templates/", ""
	if ext := path.Ext(p); !strings.Contains(p, in) && (ext == ".erb" || ext == ".epp") {
		in, kind = "/files/", outline.InFiles
	}
	before, file, is := strings.Cut(path.Base(f.dir)+strings.TrimPrefix(f.linked(p), f.dir), in)
	switch {
	case !is:
		return ""
	case before == path.Base(f.dir) && f.module() != "":
		return kind + f.module() + "/" + file
	}
	return kind + path.Base(before) + "/" + file
}

// module is the name of the module that the folder is; "" if it is none.
func (f *folder) module() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.alone
}

// findModule finds out which module the folder is, if it looks like one.
func (f *folder) findModule(view source.Files) error {
	name := ""
	if has := func(file string) bool { return source.Exists(view, path.Join(f.dir, file)) }; !has("environment.conf") &&
		!has("modules") && (has("manifests") || has("metadata.json")) {
		snap, err := f.ws.Snapshot(context.Background(), view)
		if err != nil {
			return err
		}
		defer snap.Close()
		if m := snap.Environment().Alone(); m != nil {
			name = m.Name
		}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.alone = name
	return nil
}

// meanings are the identities of a name of a file.
func (x *index) meanings(e *entry, n outline.Name) []identity {
	switch n.Kind {
	case outline.LocalName:
		file := x.real(e.path)
		if n.Of != "" {
			file = n.Of
		} else if template := x.names[e.path]; template != "" && n.Local == 0 {
			file = template
		}
		return []identity{{n.Kind, n.Name, file, n.Local}}
	case outline.KeyName:
		out := []identity{{kind: n.Kind, name: n.Name}}
		if x.params[n.Name] {
			out = append(out, identity{kind: outline.VariableName, name: n.Name})
		}
		return out
	case outline.VariableName:
		var out []identity
		n, _ = x.asRead(e, n)
		if n.Node > 0 {
			return []identity{ofNode(e, n)}
		}
		for _, name := range x.resolve(e, n) {
			out = append(out, identity{kind: n.Kind, name: name})
			if !n.Top { // there are none of a name with an owner
				out = append(out, x.byNode[name]...)
			}
			if x.params[name] {
				out = append(out, identity{kind: outline.KeyName, name: name})
			}
		}
		if template := x.names[e.path]; n.Free && path.Ext(template) == ".epp" { // one that declares no parameters
			out = append(out, identity{kind: outline.LocalName, name: n.Name, file: template})
		}
		return out
	}
	return []identity{{kind: n.Kind, name: n.Name}}
}

// asRead is what a variable is that stands before the statement which sets it in the same body: that of a scope
// farther out. It is not known if there is none such.
func (x *index) asRead(e *entry, n outline.Name) (as outline.Name, known bool) {
	if n.Kind != outline.VariableName || !e.early[n.Span] {
		return n, true
	}
	name := lastPart(n.Name)
	if e.file.Slice(n.Span) != name || n.Top {
		return n, false // it asks for this very variable
	}
	as = n
	if n.Node > 0 {
		as.Node, as.Top = 0, true
		return as, true
	}
	as.Name, as.Free = name, true
	if parent := x.parents[strings.TrimSuffix(n.Name, "::"+name)]; parent != "" {
		as.Name = parent + "::" + name
	}
	return as, true
}

// ofNode is a variable that a node block sets.
func ofNode(e *entry, n outline.Name) identity { return identity{n.Kind, n.Name, e.path, n.Node} }

// resolve is what a variable is called by everybody; in a template it may be several.
func (x *index) resolve(e *entry, n outline.Name) (out []string) {
	owner, name := "", n.Name
	if i := strings.LastIndex(n.Name, "::"); i >= 0 {
		owner, name = n.Name[:i], n.Name[i+2:]
	}
	if !n.Free {
		if !n.Param && x.parents[owner] != "" && !x.sets[n.Name] { // a class has the variables that it inherits
			if full := x.inherited(owner, name); full != name {
				return []string{full}
			}
		}
		return []string{n.Name}
	}
	owners := []string{owner}
	// A file in EPP sees its parameters and the top scope, one in ERB all that its caller does.
	template := x.names[e.path]
	if template != "" && !strings.HasSuffix(e.path, ".epp") && owner == "" && len(x.callers[template]) > 0 {
		owners = x.callers[template]
	}
	for _, owner := range owners {
		before, after := x.whenRendered(template, owner, name)
		if before && !slices.Contains(out, x.inherited(x.parents[owner], name)) {
			out = append(out, x.inherited(x.parents[owner], name))
		}
		if full := x.inherited(owner, name); after && !slices.Contains(out, full) {
			out = append(out, full)
		}
	}
	return out
}

// whenRendered tells whether a class or define renders a template before it sets a variable of its own, and whether
// afterwards. One that does not set it itself does afterwards.
func (x *index) whenRendered(template, owner, name string) (before, after bool) {
	if template == "" {
		return false, true
	}
	e := x.byPath[x.setIn[owner+"::"+name]]
	if e == nil {
		return false, true
	}
	set := uint32(0) // where the first statement ends that sets it
	for _, d := range e.defs {
		if d.Kind == outline.VariableName && d.Name == owner+"::"+name && (d.Param || set == 0 || d.Whole.End < set) {
			if set = d.Whole.End; d.Param {
				return false, true
			}
		}
	}
	for _, n := range slices.Concat(e.names, x.reached[e.path]) {
		if n.Kind == outline.TemplateName && n.In == owner && x.comesTo(n, template) {
			before, after = before || n.From() < set, after || n.From() >= set
		}
	}
	return before, after || !before
}

// inherited finds the class that sets a variable, among one and those that it inherits; the top scope is the last.
func (x *index) inherited(owner, name string) string {
	for seen := 0; owner != "" && seen < 50; seen++ {
		if x.sets[owner+"::"+name] {
			return owner + "::" + name
		}
		owner = x.parents[owner]
	}
	return name
}

// at is the name at an offset of a file: the shortest of several, and of those a name of something that there is.
func (x *index) at(e *entry, offset uint32) (found outline.Name, ok bool) {
	for _, n := range e.names {
		if n.Span.Start <= offset && offset <= n.Span.End && (!ok || n.Span.Len() < found.Span.Len() ||
			n.Span == found.Span && n.Kind != found.Kind && x.defines(n) && !x.defines(found)) {
			found, ok = n, true
		}
	}
	return found, ok
}

// defines reports whether a name is that of something which a file defines.
func (x *index) defines(n outline.Name) bool {
	return slices.ContainsFunc(x.entries, func(e *entry) bool {
		return slices.ContainsFunc(e.defs, func(d outline.Name) bool { return d.Kind == n.Kind && d.Name == n.Name })
	})
}

// An occurrence is a name in a file.
type occurrence struct {
	*entry
	outline.Name
}

// same are all names that mean the same as one, by file and in the order of the text. only, if it is not nil, is the
// one file to look in.
func (x *index) same(e *entry, n outline.Name, only *entry) (out []occurrence) {
	return x.meaning(x.meanings(e, rooted(n)), only)
}

// together are all names that have to be called the same as one: also those of other scopes that somebody reads by the
// same word, such as a class that sees a node's variable on one node and that of the top scope on another.
func (x *index) together(e *entry, n outline.Name) (out []occurrence) {
	want := x.meanings(e, rooted(n))
	for {
		out = x.meaning(want, nil)
		before := len(want)
		for _, o := range out {
			for _, id := range x.meanings(o.entry, o.Name) {
				if id.kind == outline.VariableName && !slices.Contains(want, id) &&
					slices.ContainsFunc(want, func(w identity) bool { return w.kind == id.kind && w.name == id.name }) {
					want = append(want, id)
				}
			}
		}
		if len(want) == before {
			return out
		}
	}
}

// meaning are all names that mean one of some things.
func (x *index) meaning(want []identity, only *entry) (out []occurrence) {
	last := map[string]bool{}
	for _, id := range want {
		last[lastPart(id.name)] = true
	}
	for _, other := range x.entries {
		if only != nil && other != only {
			continue
		}
		for i := range other.names {
			if n := &other.names[i]; n.Kind != outline.KeyName && !last[lastPart(n.Name)] {
				continue // only of a key the name may have a path behind it
			}
			m := rooted(other.names[i])
			if last[lastPart(m.Name)] &&
				slices.ContainsFunc(x.meanings(other, m), func(id identity) bool { return slices.Contains(want, id) }) {
				out = append(out, occurrence{other, m})
			}
		}
	}
	return inOrder(out)
}

// inOrder are places by file and in the order of the text, each once.
func inOrder(list []occurrence) []occurrence {
	slices.SortStableFunc(list, func(a, b occurrence) int {
		if a.entry == b.entry {
			return int(a.Span.Start) - int(b.Span.Start)
		}
		return strings.Compare(a.path, b.path)
	})
	return slices.CompactFunc(list, func(a, b occurrence) bool { return a.entry == b.entry && a.Span == b.Span })
}

// owned are the variables of a class, and the keys of its parameters.
func (x *index) owned(class string) (out []identity) {
	for _, name := range slices.Sorted(maps.Keys(x.sets)) {
		if name != class+"::"+lastPart(name) {
			continue
		}
		out = append(out, identity{kind: outline.VariableName, name: name})
		if x.params[name] {
			out = append(out, identity{kind: outline.KeyName, name: name})
		}
	}
	return out
}

func lastPart(name string) string { return name[strings.LastIndex(name, ":")+1:] }

// read makes the entry of a file.
func (f *folder) read(view source.Files, p string) (*entry, error) {
	c, err := view.Read(p)
	if err != nil {
		return nil, err
	}
	f.mu.Lock()
	old, named := f.entries[p], f.named[p]
	f.mu.Unlock()
	isData := f.isData(p) || named
	marked := strings.HasPrefix(c.Text, byteOrderMark) && f.server.showsMark(p)
	template := f.templateName(p)
	var classKeys []string
	if isData {
		f.mu.Lock()
		classKeys = f.classKeys
		f.mu.Unlock()
	}
	if old != nil && old.digest == c.Digest && old.isData == isData && old.marked == marked &&
		old.template == template && slices.Equal(old.classKeys, classKeys) {
		return old, nil
	}
	e := &entry{path: p, isData: isData, marked: marked, digest: c.Digest, file: source.NewFile(p, c.Text),
		template: template, classKeys: classKeys}
	switch path.Ext(p) {
	case ".pp", ".epp":
		tree, list, err := f.ws.Parse(view, p, fleet.IsPlan(p))
		if err != nil {
			return nil, err
		}
		e.tree, e.file, e.whole = tree, tree.Source, !list.HasErrors()
		if e.before = old; old != nil && !old.whole {
			e.before = old.before
		}
		if e.whole {
			e.before = nil
		}
		e.secretive = strings.Contains(c.Text, "Sensitive")
		e.names = outline.Names(tree, f.effects)
		for i, n := range e.names {
			e.names[i] = upToPath(e.file, n)
		}
		e.hands, e.unsaid = handed(tree, f.effects)
		e.settle()
	case ".yaml", ".yml", ".eyaml", ".json":
		// What is wrong with it is told while it is open, and when a node asks for it.
		if data, err := f.ws.Data(view, p); err == nil {
			e.data, e.file = data.Root, data.Source
		}
	}
	if e.data == nil && named { // in HOCON by its name, otherwise as YAML
		if data, err := f.ws.Data(view, p); err == nil && data.Hash() != nil {
			e.data, e.file = data.Root, data.Source
		}
	}
	switch {
	case isData:
		e.names = dataNames(e)
	case isSettings(p):
		e.names = append(askedNames(e.file.Text), settingsNames(e)...)
	case e.tree == nil && e.template != "" || path.Ext(p) == ".erb": // templates may end with anything
		e.names = outline.NamesERB(c.Text)
		e.settle()
	}
	e.defs = definesOf(e.names)
	if e.tree != nil {
		e.early = earlyIn(e.names)
	}
	f.mu.Lock()
	f.entries[p] = e
	f.mu.Unlock()
	return e, nil
}

// settle puts what the code does not say the names of aside.
func (e *entry) settle() {
	for _, n := range e.names {
		if n.Open {
			e.open = append(e.open, n)
		}
	}
	e.names = slices.DeleteFunc(e.names, func(n outline.Name) bool { return n.Open })
}

// definesOf are the names that define something.
func definesOf(names []outline.Name) (out []outline.Name) {
	for _, n := range names {
		if n.Defines {
			out = append(out, n)
		}
	}
	return slices.Clip(out)
}

// earlyIn are the places where variables are read before the same body sets them.
func earlyIn(names []outline.Name) map[source.Span]bool {
	type variable struct {
		name, in string
		node     uint32
	}
	of := func(n outline.Name) variable { return variable{n.Name, n.In, n.Node} }
	set, out := map[variable]uint32{}, map[source.Span]bool{} // where it is first
	for _, n := range names {
		if n.Kind != outline.VariableName || !n.Defines {
			continue
		}
		end := n.Whole.End
		if n.Param {
			end = 0
		}
		if first, is := set[of(n)]; !is || end < first {
			set[of(n)] = end
		}
	}
	for _, n := range names {
		if n.Kind != outline.VariableName || n.Defines || n.Free || n.Param {
			continue
		}
		if end, is := set[of(n)]; is && n.From() < end {
			out[n.Span] = true
		}
	}
	return out
}

// patterns calls f for all names that stand for any that they match: keys in lookup_options, and names of which the
// code computes a part.
func (x *index) patterns(f func(o occurrence, matches func(name string) bool)) {
	for _, e := range x.entries {
		for i := range e.names {
			n := &e.names[i]
			switch {
			case !n.Pattern:
			case e.isData:
				re, err := regexp.Compile(n.Name)
				f(occurrence{e, *n}, func(key string) bool { return err != nil || re.MatchString(key) })
			default:
				f(occurrence{e, *n}, func(name string) bool {
					if n.Kind == outline.VariableName && n.Param { // an attribute
						if !x.takes[name] || n.Of == "class" && !x.params[name] {
							return false
						}
					}
					pattern := n.Name
					if n.Kind == outline.VariableName && !n.Param && x.ownMatches(e, n, name) {
						return true
					}
					if first, _, path := strings.Cut(pattern, "."); path && n.Kind == outline.KeyName &&
						strings.ContainsFunc(first, func(c rune) bool { return c >= 'a' && c <= 'z' }) {
						pattern = first
					}
					return outline.Matches(pattern, name)
				})
			}
		}
	}
}

// ownMatches reports whether a pattern that says no owner matches a variable of who has the code, or renders it.
func (x *index) ownMatches(e *entry, n *outline.Name, name string) bool {
	last := lastPart(name)
	if last == name || strings.Contains(n.Name, "::") || !outline.Matches(n.Name, last) {
		return false
	}
	if e.template == "" || n.In != "" {
		return x.inherited(n.In, last) == name
	}
	callers := x.callers[e.template]
	return slices.ContainsFunc(callers, func(owner string) bool { return x.inherited(owner, last) == name }) ||
		len(callers) == 0 && x.renders(strings.TrimSuffix(name, "::"+last))
}

// within is where a text stands in a span that may hold quotes around it.
func within(f *source.File, s source.Span, text string) source.Span {
	if i := strings.Index(f.Slice(s), text); i >= 0 {
		return source.Span{Start: s.Start + uint32(i), End: s.Start + uint32(i+len(text))}
	}
	return s
}

// indexed lists the files that have names: those below the folder, and of modules that a compile finds elsewhere.
func (f *folder) indexed(view source.Files) (files []string, err error) {
	if err := f.findModule(view); err != nil {
		return nil, err
	}
	f.findElsewhere(view)
	var settings, perhaps, others []string
	links := map[string]string{}
	for _, root := range append([]string{f.dir}, f.elsewhere()...) {
		code, _, below := environment.PuppetFiles(view, root) // what cannot be listed has no names
		files = append(files, code...)
		err = cmp.Or(err, below)
		below = source.WalkOn(view, source.Absolute(root), func(p string, e source.Entry) bool {
			name := path.Base(p)
			if strings.HasPrefix(name, ".") {
				return false
			}
			if e.Link {
				if real, err := view.Real(p); err == nil {
					links[p] = real
				}
			}
			if e.IsDir() {
				return !noData[name]
			}
			switch {
			case path.Ext(name) == ".erb" || isData(root, p) || f.templateName(p) != "" || mayMention(root, p):
				files = append(files, p)
			case isSettings(p):
				settings = append(settings, p)
			case mayBeData(root, p):
				perhaps = append(perhaps, p)
			case !isCode(p):
				others = append(others, p)
			}
			return true
		}, func(string, error) error { return nil })
		err = cmp.Or(err, below)
	}
	dirs, named := datadirs(view, settings), f.namedData(view, settings, slices.Concat(perhaps, others))
	f.mu.Lock()
	f.datadirs, f.links, f.named = dirs, links, named
	f.mu.Unlock()
	files = append(files, settings...)
	for _, p := range perhaps {
		if f.isData(p) {
			files = append(files, p)
		}
	}
	files = slices.AppendSeq(files, maps.Keys(named))
	for i := range files {
		files[i] = filepath.ToSlash(files[i])
	}
	slices.Sort(files)
	return slices.Compact(files), err
}

// build reads all files of a view, on all processors: code first, which says what data hold.
func (f *folder) build(view source.Files, files []string) *index {
	entries := make([]*entry, len(files))
	read := func(code bool) {
		source.Each(context.Background(), len(files), func(i int) {
			if ext := path.Ext(files[i]); (ext == ".pp" || ext == ".epp") == code {
				entries[i], _ = f.read(view, files[i]) // one that cannot be read has no names
			}
		})
	}
	read(true)
	keys := []string{"classes"} // whoever reads it
	for _, e := range entries {
		if e != nil {
			keys = append(keys, e.hands...)
		}
	}
	slices.Sort(keys)
	f.mu.Lock()
	f.classKeys = slices.Compact(keys)
	f.mu.Unlock()
	read(false)
	x := newIndex(slices.DeleteFunc(entries, func(e *entry) bool { return e == nil }))
	f.mu.Lock()
	defer f.mu.Unlock()
	x.one = oneOf(f.links, x.byPath)
	return x
}

// index is what all files say now: those of the disk as they were last looked at, with the open ones as they are.
func (f *folder) index() (*index, error) {
	f.mu.Lock()
	base := f.base
	f.mu.Unlock()
	if base == nil {
		view, _, err := f.view()
		if err != nil {
			return nil, err
		}
		if base, err = f.reindex(view); err != nil {
			return nil, err
		}
	}
	f.server.mu.Lock()
	var open []*document
	for _, d := range f.server.docs {
		if f.holds(d.path) {
			open = append(open, d)
		}
	}
	f.server.mu.Unlock()
	x, err := f.saved(base, open)
	if err != nil {
		return nil, err
	}
	for _, d := range open {
		f.mu.Lock()
		last := f.opened[d.path]
		f.mu.Unlock()
		if last.document == d && x.byPath[d.path] == last.entry {
			continue // it was read already
		}
		view := source.NewMemory([]string{"/"}, map[string]string{d.path: d.text}, nil)
		e, err := f.read(view, d.path)
		if err != nil {
			return nil, err
		}
		if x.byPath[d.path] != e {
			x = x.with(e)
		}
		f.mu.Lock()
		if f.opened == nil {
			f.opened = map[string]opened{}
		}
		f.opened[d.path] = opened{d, e}
		f.mu.Unlock()
	}
	if x != base {
		f.mu.Lock()
		f.base = x
		f.mu.Unlock()
	}
	return x, nil
}

// reindex reads what all files of a view say. Who makes edits asks for it first: somebody else may have written files
// since they were last looked at, and an edit of a text that is gone destroys the one that is there.
func (f *folder) reindex(view source.Files) (*index, error) {
	files, err := f.indexed(view)
	if err != nil {
		return nil, err
	}
	x := f.build(view, files)
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.base != nil {
		x.tables, x.meant = f.base.tables, f.base.meaningOf(x.entries)
	}
	f.base = x
	return x, nil
}

// saved is an index in which the files that are no longer open are as they were saved.
func (f *folder) saved(x *index, open []*document) (*index, error) {
	var paths []string
	f.mu.Lock()
	for p, was := range f.opened {
		if slices.ContainsFunc(open, func(d *document) bool { return d.path == p }) {
			continue
		}
		delete(f.opened, p)
		if x.byPath[p] == was.entry {
			paths = append(paths, p)
		}
	}
	f.mu.Unlock()
	if len(paths) == 0 {
		return x, nil
	}
	view, _, err := f.view()
	if err != nil {
		return nil, err
	}
	for _, p := range paths {
		if e, err := f.read(view, p); err == nil {
			x = x.with(e)
		} else { // it was never saved, or is gone
			x = x.without(p)
		}
	}
	return x, nil
}

// opened is an open file, and what was read of it.
type opened struct {
	document *document
	entry    *entry
}

// location is where a span of an entry stands.
func (s *Server) location(e *entry, span source.Span) protocol.Location {
	return protocol.Location{URI: s.uriOf(e.path), Range: e.mapper(s.enc).span(span)}
}
