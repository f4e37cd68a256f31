package resource

import (
	_ "embed"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"bunraku/puppet/ruby"
	"bunraku/puppet/ruby/syntax"
	"bunraku/puppet/value"
	"bunraku/source"
)

// Files is where a Library finds the Ruby of modules. Paths are absolute.
type Files interface {
	Type(name string) (path string, ok bool)      // lib/puppet/type/NAME.rb of the first module that has it
	Feature(name string) (path string, ok bool)   // lib/NAME.rb
	Providers(typ string) []string                // the names of the files in lib/puppet/provider/TYPE
	Read(path string) (text string, err error)    // a file that lies in a module; an error for any other
	Display(path string) string                   // how people see it
	Generated(name string) (path string, ok bool) // .resource_types/NAME.pp of the environment
}

// A Library reads the resource types that modules define in Ruby. It runs their definitions in package ruby, where they
// can neither see nor do anything outside, against the part of Puppet that is in prelude.rb: loops, mixins, helper
// files and computed title patterns mean what they mean to Puppet. A statement that cannot be run is left out and
// leaves a note; if it may have declared attributes, the type is Open.
//
// A Library may be used by several goroutines; it runs one thing at a time.
type Library struct {
	files   Files
	version string // Puppet's, as types see it

	mu      sync.Mutex
	in      *ruby.Interp
	types   map[string]*Type
	classes map[string]*ruby.Class
	loaded  map[string]bool         // features and paths
	names   map[string]*source.File // absolute path → the file as people see it
	notes   []Note                  // of the type that is being read
	depth   int                     // bodies of types around
	open    bool                    // something of the type was not understood
	self    ruby.Object             // the resource whose automatic relation is asked for
	reads   []string                // its attributes that were read
	all     *objects                // the catalog that is being asked

	titlesOnce source.Once
	titlesLib  *Library
}

// A Note says what could not be read of a type.
type Note struct {
	Place source.Place
	Why   string
}

//go:embed prelude.rb
var prelude string

var parsePrelude = sync.OnceValue(func() *ruby.Program {
	p, ds := ruby.Parse(source.NewFile("prelude.rb", prelude))
	if ds.HasErrors() {
		panic("resource: prelude.rb: " + ds[0].Summary)
	}
	return p
})

// NewLibrary makes a Library. The version is that of the Puppet that types believe to run in.
func NewLibrary(files Files, version string) *Library {
	return &Library{files: files, version: version, types: map[string]*Type{}, classes: map[string]*ruby.Class{},
		loaded: map[string]bool{}, names: map[string]*source.File{}}
}

// Type reads a type of some module, nil when there is none of that name (in lower case).
func (l *Library) Type(name string) *Type {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.typ(name)
}

func (l *Library) typ(name string) *Type {
	if t, known := l.types[name]; known {
		return t
	}
	l.types[name] = nil // a type that asks for itself while it is read finds none
	if path, ok := l.files.Generated(name); ok {
		if t := l.generated(name, path); t != nil {
			l.types[name] = t
			return t
		}
	}
	path, ok := l.files.Type(name)
	if !ok {
		return nil
	}
	t := l.read(name, path)
	l.types[name] = t
	return t
}

// read loads a type's file and describes what it declared.
func (l *Library) read(name, path string) *Type {
	notes, depth, open := l.notes, l.depth, l.open
	l.notes, l.depth, l.open = nil, 0, false
	defer func() { l.notes, l.depth, l.open = notes, depth, open }()
	l.start()
	t := &Type{Name: name, Isomorphic: true, Open: true}
	l.load(path)
	if depth == 0 {
		l.in.Refill() // a definition that hit its bound is described as far as it got
	}
	class := l.classes[name]
	if class == nil {
		l.note(source.Place{File: l.display(path)}, "the file does not declare the type "+name)
	} else if err := l.describe(t, class); err != nil {
		l.note(source.Place{File: l.display(path)}, err.Error())
	} else {
		t.Open = l.open
	}
	if len(t.Namevars) == 0 && t.Open {
		t.Namevars = []string{"name"}
	}
	t.Notes = l.notes
	return t
}

// start makes the interpreter, once.
func (l *Library) start() {
	if l.in != nil {
		if l.depth == 0 {
			l.in.Refill()
		}
		return
	}
	l.in = runtime().New(ruby.Limits{Steps: 2_000_000, Depth: 400, Size: 4 << 20, Memory: 256 << 20})
	l.in.Define("Reading", l.in.NewNative("Reading", "Reading", l.call))
	l.in.Define("Pathname", l.in.NewClass("Pathname")) // in place of the one that could read files
	l.in.Load(parsePrelude(), func(_ syntax.Node, err error) { panic("resource: prelude.rb: " + err.Error()) })
	l.in.Hooks = ruby.Hooks{Require: l.require, Constant: l.constant}
	l.in.Refill()
}

// runtime is Ruby's classes. They never change, so that all libraries share them.
var runtime = sync.OnceValue(ruby.NewRuntime)

// load runs a file of a module.
func (l *Library) load(path string) {
	if l.loaded[path] {
		return
	}
	l.loaded[path] = true
	text, err := l.files.Read(path)
	if err != nil {
		l.note(source.Place{File: l.display(path)}, err.Error())
		l.open = true
		return
	}
	prog, ds := ruby.Parse(source.NewFile(path, text))
	if ds.HasErrors() {
		d := ds[0]
		l.note(source.Place{File: l.display(path), Span: d.Place.Span}, d.Summary)
		l.open = true
	}
	declared := len(l.classes)
	l.in.Load(prog, func(stmt syntax.Node, err error) {
		if l.harmless(stmt) {
			return
		}
		l.failed(stmt, err)
		// In front of the type a statement can only prepare something, and whatever misses it will say so.
		if len(l.classes) > declared {
			l.open = true
		}
	})
}

// harmless are statements that only tell Ruby where to find files.
func (l *Library) harmless(stmt syntax.Node) bool {
	found := false
	syntax.Walk(stmt, func(n syntax.Node) bool {
		if g, ok := n.(*syntax.GVar); ok && (g.Name == "$LOAD_PATH" || g.Name == "$:") {
			found = true
		}
		return !found
	})
	return found
}

func (l *Library) failed(stmt syntax.Node, err error) {
	file := l.in.HereFile()
	why := err.Error()
	if e, ok := err.(*ruby.Error); ok && e.Kind == ruby.Raised {
		why = e.Class + ": " + e.Message
	}
	place := source.Place{Span: stmt.Span()}
	if file != nil {
		place.File = l.display(file.Name)
	}
	l.note(place, why)
}

func (l *Library) note(place source.Place, why string) {
	l.notes = append(l.notes, Note{place, why})
}

// display is a file under the name that people know.
func (l *Library) display(path string) *source.File {
	f := l.names[path]
	if f == nil {
		text, _ := l.files.Read(path)
		f = source.NewFile(l.files.Display(path), text)
		l.names[path] = f
	}
	return f
}

// require loads a helper file of a module. What no module has is Puppet's or Ruby's own.
func (l *Library) require(in *ruby.Interp, feature string, relative bool) bool {
	feature = strings.TrimSuffix(feature, ".rb")
	switch {
	case relative:
		file := in.HereFile()
		if file == nil {
			return false
		}
		l.load(filepath.Join(filepath.Dir(file.Name), feature) + ".rb")
		return true
	case filepath.IsAbs(feature):
		l.load(filepath.Clean(feature) + ".rb")
		return true
	}
	if path, ok := l.files.Feature(feature); ok {
		l.load(path)
		return true
	}
	return strings.HasPrefix(feature, "puppet")
}

// constant answers for what only Puppet has: it can be named, included and inherited from, but not asked.
func (l *Library) constant(in *ruby.Interp, scope, name string) (ruby.Object, bool) {
	full := scope + "::" + name
	switch {
	case scope == "Puppet::Type":
		// A type of that name, or nothing: types are loaded when they are first named.
		if c := l.class(strings.ToLower(name)); c != nil {
			return c, true
		}
		return nil, false
	case scope == "Puppet" || strings.HasPrefix(scope, "Puppet::"):
		m := ruby.NewModule(full)
		in.SetConst(scope, name, m)
		return m, true
	}
	return nil, false
}

// class is the Ruby class of a type, whoever defines it.
func (l *Library) class(name string) ruby.Object {
	if c := l.classes[name]; c != nil {
		return c
	}
	if t := Known(name); t != nil {
		v := func(list []Attribute) ruby.Object {
			out := make([]ruby.Object, len(list))
			for i, a := range list {
				var values []ruby.Object
				for _, s := range a.Values {
					if !strings.HasPrefix(s, "/") {
						values = append(values, ruby.NewString(s))
					}
				}
				out[i] = ruby.NewArray(ruby.NewString(a.Name), ruby.NewArray(values...))
			}
			return ruby.NewArray(out...)
		}
		base, _ := l.in.Constant("Puppet::Type")
		c, err := l.in.Send(base, "table", ruby.NewString(name), v(t.Properties), v(t.Params), texts(t.Namevars))
		if err != nil {
			panic("resource: prelude.rb: " + err.Error())
		}
		l.classes[name] = c.(*ruby.Class)
		return c
	}
	if l.typ(name); l.classes[name] != nil {
		return l.classes[name]
	}
	return nil
}

func texts(list []string) ruby.Object {
	out := make([]ruby.Object, len(list))
	for i, s := range list {
		out[i] = ruby.NewString(s)
	}
	return ruby.NewArray(out...)
}

// call is the module Reading of prelude.rb.
func (l *Library) call(in *ruby.Interp, name string, args []ruby.Object, block *ruby.Proc) (ruby.Object, bool) {
	text := func(i int) string { return in.ToS(args[i]) }
	switch name {
	case "version":
		return ruby.NewString(l.version), true
	case "versioncmp":
		return ruby.Int(value.VersionCompare(text(0), text(1))), true
	case "refuse":
		in.Refuse(text(0))
	case "enter":
		l.classes[text(0)] = args[1].(*ruby.Class)
	case "body":
		l.body(in, args[0].(*ruby.Class), args[1].(*ruby.Proc))
	case "providers":
		return texts(l.files.Providers(text(0))), true
	case "attempt":
		return l.attempt(in, block), true
	case "metaparams":
		names := make([]string, len(metaparams))
		for i, m := range metaparams {
			names[i] = m.Name
		}
		return texts(names), true
	case "type":
		if c := l.class(text(0)); c != nil {
			return c, true
		}
	case "read":
		if args[0] == l.self {
			l.reads = append(l.reads, text(1))
		}
	case "reference":
		return ruby.NewString(value.CapitalizeSegments(text(0)) + "[" + text(1) + "]"), true
	case "find", "resources", "refs":
		return l.ask(in, name, args), true
	default:
		return nil, false
	}
	return ruby.Nil{}, true
}

// attempt runs a block and gives its value, and what is the matter when it has none.
func (l *Library) attempt(in *ruby.Interp, block *ruby.Proc) ruby.Object {
	v, err := in.CallBlock(block)
	if err != nil {
		return ruby.NewArray(ruby.Nil{}, ruby.NewString(err.Error()))
	}
	return ruby.NewArray(v, ruby.Nil{})
}

// body runs what is declared in a type, or in an attribute of one.
func (l *Library) body(in *ruby.Interp, c *ruby.Class, block *ruby.Proc) {
	l.depth++
	defer func() { l.depth-- }()
	inType := l.depth == 1
	in.ClassBody(c, block, func(stmt syntax.Node, err error) {
		l.failed(stmt, err)
		if inType && !l.plain(in, c, stmt) {
			l.open = true
		}
	})
}

// plain reads the name of an attribute off a declaration that could not be run, such as one whose parent class is not
// known.
func (l *Library) plain(in *ruby.Interp, c *ruby.Class, stmt syntax.Node) bool {
	name, attr, call := ruby.LiteralCall(stmt)
	switch {
	case call == nil, attr == "":
		return false
	case name == "newparam", name == "newproperty":
	default:
		return name == "autorequire" || name == "autobefore" || name == "autosubscribe" || name == "autonotify"
	}
	options := ruby.NewHash()
	options.Put(ruby.Symbol("namevar"), ruby.Bool(ruby.NamesTrue(call, "namevar")))
	if has, err := in.Send(c, "attrclass", ruby.Symbol(attr)); err == nil && has != ruby.Object(ruby.Nil{}) {
		return true
	}
	_, err := in.Send(c, name, ruby.Symbol(attr), options)
	return err == nil
}

// describe fills a Type from its class.
func (l *Library) describe(t *Type, class *ruby.Class) error {
	d, err := l.in.Send(class, "description")
	if err != nil {
		return err
	}
	v, err := l.in.Value(d)
	if err != nil {
		return err
	}
	h := v.(*value.Hash)
	at := func(key string) value.Value { x, _ := h.Get(value.String(key)); return x }
	attrs := func(key string) []Attribute {
		var out []Attribute
		for _, e := range at(key).(*value.Array).Elems {
			pair := e.(*value.Array).Elems
			out = append(out, Attribute{Name: value.ToString(pair[0]), Values: stringsOf(pair[1])})
		}
		return out
	}
	yes := func(key string) bool { b, _ := at(key).(value.Bool); return bool(b) }
	t.Properties, t.Params = attrs("properties"), attrs("parameters")
	t.Namevars = stringsOf(at("namevars"))
	t.Isomorphic, t.Refreshable, t.SelfRefresh = yes("isomorphic"), yes("refreshable"), yes("self_refresh")
	t.Ensurable = t.IsProperty("ensure")
	if t.Titles, err = l.titles(t.Name, class); err != nil {
		l.note(source.Place{File: l.in.HereFile()}, "title patterns: "+err.Error())
		l.open = true
		t.Titles = nil
	}
	return l.autos(t, class)
}

func stringsOf(v value.Value) []string {
	a, _ := v.(*value.Array)
	if a == nil {
		return nil
	}
	var out []string
	for _, e := range a.Elems {
		out = append(out, value.ToString(e))
	}
	return out
}

// titles reads the title patterns, which a type may compute.
func (l *Library) titles(typ string, class *ruby.Class) ([]TitlePattern, error) {
	list, err := l.in.Send(class, "title_patterns")
	if err != nil {
		return nil, err
	}
	patterns, ok := ruby.Elements(list)
	if !ok {
		return nil, fmt.Errorf("they are no array")
	}
	out := []TitlePattern{}
	for _, p := range patterns {
		pair, ok := ruby.Elements(p)
		if !ok || len(pair) < 2 {
			return nil, fmt.Errorf("one is no pair of a pattern and its attributes")
		}
		re := ruby.Compiled(pair[0])
		if re == nil {
			return nil, fmt.Errorf("one has no regular expression")
		}
		pattern := TitlePattern{Source: re.String()}
		attrs, _ := ruby.Elements(pair[1])
		procs := make([]*ruby.Proc, len(attrs))
		for i, a := range attrs {
			name := a
			if parts, ok := ruby.Elements(a); ok && len(parts) > 0 {
				name = parts[0]
				if len(parts) > 1 {
					if p, ok := parts[1].(*ruby.Proc); ok && !p.IsIdentity() {
						procs[i] = p
					}
				}
			}
			s, _ := ruby.Text(name)
			pattern.Attrs = append(pattern.Attrs, s)
		}
		if len(out) == 0 && pattern.Source == "(.*)" && len(attrs) == 1 && procs[0] == nil {
			return nil, nil // the whole title is the namevar
		}
		at, computes := len(out), slices.ContainsFunc(procs, func(p *ruby.Proc) bool { return p != nil })
		pattern.Values = func(title string) ([]value.Value, bool) {
			if computes {
				return l.titleLibrary().match(typ, at, title)
			}
			return capture(re, len(attrs), title)
		}
		out = append(out, pattern)
	}
	return out, nil
}

// titleLibrary runs the functions of title patterns. It is a Library of its own, since titles are read while an
// automatic relation of this one is running.
func (l *Library) titleLibrary() *Library {
	l.titlesOnce.Do(func() { l.titlesLib = NewLibrary(l.files, l.version) })
	return l.titlesLib
}

// match applies pattern number at of a type. A capture goes through the function that its attribute may have.
func (l *Library) match(typ string, at int, title string) ([]value.Value, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.typ(typ)
	class := l.classes[typ]
	if class == nil {
		return nil, false
	}
	l.in.Refill()
	list, err := l.in.Send(class, "title_patterns")
	if err != nil {
		return nil, false
	}
	patterns, _ := ruby.Elements(list)
	if at >= len(patterns) {
		return nil, false
	}
	pair, _ := ruby.Elements(patterns[at])
	attrs, _ := ruby.Elements(pair[1])
	out, fits := capture(ruby.Compiled(pair[0]), len(attrs), title)
	if !fits {
		return nil, false
	}
	for i, a := range attrs {
		parts, _ := ruby.Elements(a)
		if len(parts) < 2 {
			continue
		}
		p, ok := parts[1].(*ruby.Proc)
		if !ok {
			continue
		}
		o, err := l.in.CallBlock(p, l.in.FromValue(out[i], 0))
		if err != nil {
			return nil, false
		}
		if out[i], err = l.in.Value(o); err != nil {
			return nil, false
		}
	}
	return out, true
}
