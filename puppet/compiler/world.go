package compiler

import (
	"maps"
	"slices"
	"strings"

	"bunraku/provenance"
	"bunraku/puppet/bridge"
	"bunraku/puppet/eval"
	"bunraku/puppet/lookup"
	"bunraku/puppet/resource"
	"bunraku/puppet/syntax"
	"bunraku/puppet/template"
	"bunraku/puppet/trace"
	"bunraku/puppet/types"
	"bunraku/puppet/value"
	"bunraku/source"
)

// world is what one compile sees of its surroundings (eval.World).
type world struct {
	c         *Snapshot
	called    string // what the environment is called for the node
	functions map[string]*eval.Function
	session   *lookup.Session
	host      *lookupHost // of the scope that asked last
	contexts  map[*lookup.Context]*value.Object
	erb       template.Engine
	ruby      *bridge.Bridge  // of this compile; nil until a function in Ruby is called
	absent    Absent          // what becomes of what modules would bring that are not there
	classes   []eval.Assigned // what the node is asked to have
	cover     *source.Cover   // is told what of the tree is used; nil for nobody
	log       *trace.Log      // of what is asked; nil for nobody
	asked     map[askedFunction]bool
}

// askedFunction is a function's name, and who asked.
type askedFunction struct {
	name string
	from *source.File
}

// world is what one compile sees.
func (c *Snapshot) world(log *trace.Log) *world {
	w := &world{c: c, called: c.env.Name, functions: c.functions, log: log}
	w.erb = template.Engine{Cache: c.templates, Find: w.findERB, Ruby: c.rubyTemplate(), Covering: log != nil}
	if c.opt.Ruby != RubyOff {
		w.erb.Hooks = w.templateHooks
	}
	return w
}

// Template3 renders an ERB template (functions.Templates).
func (w *world) Template3(c *eval.Call, name string, inline bool) (value.Value, provenance.Ref, error) {
	if w.cover != nil && !inline {
		if _, path, err := w.c.findERB(name); err == nil && path != "" {
			w.cover.Key(path, "")
		}
	}
	return w.erb.Template3(c, name, inline)
}

// TemplateChanges lists the variables that an ERB template may change in place (eval.Renderer).
func (w *world) TemplateChanges(name string) []string {
	f, path, err := w.c.findERB(name)
	if f == nil || err != nil {
		return nil
	}
	return w.c.templates.File(f, path).MayChange()
}

// findERB asks for a template.
func (w *world) findERB(name string) (*source.File, string, error) {
	w.log.Ask(trace.Question{Kind: trace.ERB, Of: name})
	return w.c.findERB(name)
}

// findERB reads a template once.
func (c *Snapshot) findERB(name string) (*source.File, string, error) {
	if t, ok := c.sources.Load(name); ok {
		t := t.(*erbFile)
		return t.source, t.path, nil
	}
	path, ok := c.env.TemplateFile(name)
	if !ok {
		return nil, "", nil
	}
	text, err := c.env.Read(path)
	if err != nil {
		return nil, path, err
	}
	t, _ := c.sources.LoadOrStore(name, &erbFile{source.NewFile(c.env.Display(path), text), path})
	return t.(*erbFile).source, path, nil
}

// erbFile is a template that was found.
type erbFile struct {
	source *source.File
	path   string
}

func (w *world) Manifest(module, rest string) (*syntax.File, source.Diagnostics) {
	return w.file(trace.Question{Kind: trace.Manifest, Of: module, Part: rest})
}

func (w *world) FunctionFile(name string) (*syntax.File, source.Diagnostics) {
	return w.file(trace.Question{Kind: trace.Function, Of: name})
}

func (w *world) TypeFile(name string) (*syntax.File, source.Diagnostics) {
	return w.file(trace.Question{Kind: trace.TypeAlias, Of: name})
}

// RubyType implements eval.RubyTypes.
func (w *world) RubyType(name string) (string, bool) {
	file := strings.ToLower(strings.ReplaceAll(name, "::", "/"))
	q := trace.Question{Kind: trace.Library, Of: "puppet/datatypes/" + file}
	w.log.Ask(q)
	path, found := w.c.env.LibraryFile(q.Of)
	return w.c.env.Display(path), found
}

func (w *world) Template(name string) (*syntax.File, source.Diagnostics) {
	q := trace.Question{Kind: trace.Template, Of: name}
	if f := w.c.file(q); f.file != nil {
		w.cover.Key(f.path, "")
	}
	return w.file(q)
}

// file asks for a file of code.
func (w *world) file(q trace.Question) (*syntax.File, source.Diagnostics) {
	w.log.Ask(q)
	f := w.c.file(q)
	return f.file, f.diags
}

func (w *world) Module(f *syntax.File) string { return w.c.moduleOf(f.Source) }

// moduleOf is the name of the module that a file belongs to, "" for none.
func (c *Snapshot) moduleOf(f *source.File) string {
	name, ok := c.modules.Load(f)
	if !ok {
		name = ""
		if m := c.env.ModuleOf(c.env.Path(f)); m != nil {
			name = m.Name
		}
		c.modules.Store(f, name)
	}
	return name.(string)
}

func (w *world) Path(f *source.File) string { return w.c.env.Path(f) }

func (w *world) Function(name string) *eval.Function { return w.FunctionFrom(name, nil) }

// FunctionFrom is the function that code in a file sees: Puppet's own come first, then modules (eval.Viewer).
func (w *world) FunctionFrom(name string, from *source.File) *eval.Function {
	f := w.functions[name]
	if f == nil {
		w.asksFunction(name, from)
		f = w.c.moduleFunction(name, from)
	}
	return w.c.opt.Mocks.function(name, f)
}

// asksFunction notes which function of a module was asked for, and by whom.
func (w *world) asksFunction(name string, from *source.File) {
	if !w.log.Active() {
		return
	}
	k := askedFunction{name, from}
	if w.asked[k] && !w.log.Framed() {
		return
	}
	if w.asked == nil {
		w.asked = map[askedFunction]bool{}
	}
	w.asked[k] = true
	q := trace.Question{Kind: trace.Native, Of: name}
	if from != nil {
		q.Part = w.c.moduleOf(from)
	}
	w.log.Ask(q)
}

// FunctionNames are the functions that we have in Go, for suggestions.
func (w *world) FunctionNames() []string {
	names := slices.Collect(maps.Keys(w.functions))
	for name := range w.c.natives {
		if w.c.moduleFunction(name, nil) != nil {
			names = append(names, name)
		}
	}
	return names
}

func (w *world) ResourceType(name string) *resource.Type {
	if w.log != nil {
		w.log.Again(w.c.asksType(name))
	}
	return w.c.resourceType(name)
}

// Lookup asks Hiera.
func (w *world) Lookup(sc *eval.Scope, key string, how eval.LookupOptions) (eval.Answer, error) {
	if w.session == nil {
		w.session = w.c.lookup.Session(sc.Trace(), func(d *source.Diagnostic) { sc.Warn(d) })
		w.session.Within(sc.Budget()).Logging(w.log).Telling(sc.Evaluator().TakesBytes, sc.Evaluator().Decrypted).
			Without(sc.Evaluator().NoLevel).Covering(w.cover)
	}
	if w.host == nil || w.host.sc != sc {
		w.host = &lookupHost{sc, w}
	}
	res, err := w.session.Find(key, w.host,
		lookup.Query{Merge: how.Merge, Override: how.Override, Defaults: how.Defaults})
	if err != nil {
		return eval.Answer{}, err
	}
	return eval.Answer{Value: res.Value, Found: res.Found, Ref: res.Ref}, nil
}

// lookupHost is the scope in which Hiera interpolates.
type lookupHost struct {
	sc *eval.Scope
	w  *world
}

func (h *lookupHost) Variable(name string) (value.Value, provenance.Ref, bool) {
	v, r, found := h.sc.Variable(name)
	h.sc.LooksInto(v)
	return v, r, found
}

// VariableAt reads a variable of which only what lies at the end of some steps is used.
func (h *lookupHost) VariableAt(name string, steps []value.Value) (value.Value, provenance.Ref, bool) {
	v, r, found := h.sc.VariableAt(name, steps)
	at := v
	for _, s := range steps {
		if hash, is := at.(*value.Hash); is {
			at, _ = hash.Get(s)
		}
	}
	h.sc.LooksInto(at)
	return v, r, found
}

// WhyUnknown implements lookup.Reasons.
func (h *lookupHost) WhyUnknown(name string) string { return h.sc.WhyUnknown(name) }

func (h *lookupHost) CallingClass() string { return h.sc.CallingClass() }

// Call runs a data provider that is written in the Puppet language.
func (h *lookupHost) Call(c *lookup.FunctionCall) (value.Value, provenance.Ref, error) {
	ev := h.sc.Evaluator()
	if !ev.HasUserFunction(c.Name) {
		h.w.asksFunction(c.Name, nil)
		if len(h.w.c.env.RubyFunctions(c.Name)) == 0 {
			return nil, 0, lookup.ErrNoFunction
		}
		if h.w.c.opt.Ruby != RubyOwn {
			return nil, 0, lookup.ErrRuby
		}
	}
	args := []value.Value{c.Options, h.w.contextOf(c.Context)}
	switch c.Kind {
	case "lookup_key":
		args = append([]value.Value{value.String(c.Key)}, args...)
	case "data_dig":
		args = append([]value.Value{value.NewArray(c.Segments...)}, args...)
	}
	v, r, err := ev.Provide(ev.Top(), c.Name, args, ev.Asking())
	if o, open := v.(*value.Opaque); open {
		c.Unknown = o.Why
		return nil, r, lookup.ErrRuby
	}
	return v, r, err
}

// Asking implements lookup.Asker.
func (h *lookupHost) Asking() provenance.Ref { return h.sc.Evaluator().Asking() }

func (h *lookupHost) New(typ value.Value, args []value.Value) (value.Value, error) {
	t, ok := typ.(value.Type)
	if !ok {
		var err error
		if t, err = h.sc.Evaluator().ParseType(value.ToString(typ)); err != nil {
			return nil, err
		}
	}
	return types.New(t, args...)
}

// The files that functions may read are those of modules (functions.Files).

func (w *world) FindFile(name string) (string, bool) {
	w.log.Ask(trace.Question{Kind: trace.FindFile, Of: name})
	return w.c.env.FindFile(name)
}

func (w *world) FindTemplate(name string) (string, bool) {
	w.log.Ask(trace.Question{Kind: trace.FindTemplate, Of: name})
	return w.c.env.FindTemplate(name)
}

func (w *world) ReadFile(path string) ([]byte, error) {
	w.log.Ask(trace.Question{Kind: trace.Content, Of: path})
	text, err := w.c.env.Read(path)
	return []byte(text), err
}

func (w *world) ModuleDirectory(module string) (string, bool) {
	w.log.Ask(trace.Question{Kind: trace.Directory, Of: module})
	m := w.c.env.Module(module)
	if m == nil {
		return "", false
	}
	return m.Dir, true
}

// Level is the level of Hiera that has a key's value in a file (eval.Levels).
func (w *world) Level(sc *eval.Scope, key, file string) (name string) {
	var told lookup.Explanation
	session := w.c.lookup.Session(nil, nil)
	if _, err := session.Find(key, &lookupHost{sc, w}, lookup.Query{Explain: &told}); err != nil {
		return ""
	}
	var walk func(e *lookup.Event, level string)
	walk = func(e *lookup.Event, level string) {
		switch {
		case e.Kind == lookup.Searching && e.Name != key: // its options
			return
		case e.Kind == lookup.Level:
			level = e.Name
		case e.Kind == lookup.Location && e.Outcome == lookup.Found && w.c.env.Display(e.Path) == file:
			if _, quoted, ok := strings.Cut(level, `"`); ok && name == "" {
				name = strings.TrimSuffix(quoted, `"`)
			}
		}
		for _, s := range e.Steps {
			walk(s, level)
		}
	}
	for _, e := range told.Steps {
		walk(e, "")
	}
	return name
}
