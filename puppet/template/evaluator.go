package template

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"syscall"

	"bunraku/provenance"
	"bunraku/puppet/eval"
	"bunraku/puppet/ruby"
	"bunraku/puppet/value"
	"bunraku/source"
)

// An Engine renders the templates of one compile. It is what a World needs to be functions.Templates.
type Engine struct {
	Cache *Cache
	// Find finds a template by Puppet's name for it (module/file.erb), and the path that Puppet's errors show.
	Find func(name string) (f *source.File, path string, err error)
	// Ruby renders what our interpreter cannot, or may not. Nil when there is no other: then the text is opaque.
	Ruby func(c *eval.Call, name, path, text string) (value.Value, provenance.Ref, error)

	// Hooks are what the code of templates can reach; nil for nothing.
	Hooks func(*eval.Call, *ruby.Interp) ruby.Hooks

	// Covering has what runs of templates noted (Covered).
	Covering bool

	covered map[string]*covered // by name
	memory  ruby.Account        // of the templates that are being rendered, each in the one before
	globals ruby.Globals
	leaves  map[*Template]provenance.Ref
	set     map[*eval.Scope]Objects
	defined map[string]*Template // methods that templates have defined
}

// Template3 renders one template for the functions template and inline_template. What needs real Ruby comes back as an
// opaque value.
func (e *Engine) Template3(c *eval.Call, template string, inline bool) (value.Value, provenance.Ref, error) {
	var t *Template
	o := Options{Limits: e.Limits(c), Runtime: e.Cache.Runtime(), MaybeFrozen: true, Trace: c.Trace(),
		Leaves: func(t *Template) provenance.Ref { return e.leavesOf(t, c.Trace()) }}
	if e.Hooks != nil {
		o.Hooks = func(in *ruby.Interp) ruby.Hooks { return e.Hooks(c, in) }
	}
	if inline {
		t = e.Cache.Inline(template, c.TextAt(template))
	} else {
		f, path, err := e.Find(template)
		if err != nil {
			if u := (*source.Unknown)(nil); errors.As(err, &u) {
				return &value.Opaque{Why: u.Error()}, 0, nil
			}
			if errors.Is(err, syscall.EISDIR) {
				return nil, 0, fmt.Errorf("Failed to parse template %s:\n  Detail: %w\n", template, err)
			}
			return nil, 0, err
		}
		if f == nil {
			if o := c.Eval.NoFile(template); o != nil {
				return o, 0, nil
			}
			return nil, 0, &source.Matter{Text: "Could not find template '" + template + "'",
				About: []source.Subject{{Kind: source.MissingFile, Name: template}}}
		}
		t = e.Cache.File(f, path)
		o.Name = template
		if e.Covering {
			o.Coverage = e.coverage(template, t)
		}
	}
	if e.set == nil {
		e.set, e.defined = map[*eval.Scope]Objects{}, map[string]*Template{}
	}
	if e.set[c.Scope] == nil {
		e.set[c.Scope] = Objects{}
	}
	o.Objects, o.Defined = e.set[c.Scope], e.defined
	r, err := t.Render(ScopeHost{c}, o)
	if err != nil {
		if o.Coverage != nil { // what is said of it speaks of lines
			o.Coverage.whole = true
		}
		d := err.(*source.Diagnostic)
		if d.Code == CodeUnknown {
			return &value.Opaque{Why: d.Summary, Absent: eval.IsAbsent(d.Summary)}, c.Trace().Everything(), nil
		}
		if e.Ruby != nil && (NeedsRuby(err) || d.Code == CodeSyntax) {
			v, ref, err := e.Ruby(c, o.Name, t.Path, t.File.Text)
			return v, e.wholly(t, c.Trace(), ref), err
		}
		if NeedsRuby(err) {
			return &value.Opaque{Why: d.Place.String() + ": " + d.Label}, 0, nil
		}
		return nil, 0, eval.FailedAt(&source.Matter{Text: d.Summary, About: d.About}, d.Place, "here, in the template")
	}
	return value.String(r.Text), r.Ref, nil
}

// Limits are those of Ruby code of this compile: it shares memory and global variables with the templates.
func (e *Engine) Limits(c *eval.Call) ruby.Limits {
	limits := ruby.DefaultLimits()
	limits.Steps, limits.Budget, limits.Shared, limits.State = 0, c.Budget(), &e.memory, &e.globals
	limits.OlderYAML = c.Eval.Settings().OlderYAML
	return limits
}

// covered is a template with what has run of it.
type covered struct {
	t *Template
	c *Coverage
}

// coverage is what has run of a template in this compile.
func (e *Engine) coverage(name string, t *Template) *Coverage {
	if e.covered == nil {
		e.covered = map[string]*covered{}
	}
	if e.covered[name] == nil {
		e.covered[name] = &covered{t, &Coverage{}}
	}
	return e.covered[name].c
}

// Covered is a function that calls another for each template that was rendered, with its name and the pattern of what
// ran. It holds nothing of the compile.
func (e *Engine) Covered() func(visit func(name, pattern string)) {
	all := e.covered
	return func(visit func(name, pattern string)) {
		for _, name := range slices.Sorted(maps.Keys(all)) {
			visit(name, all[name].t.Pattern(all[name].c))
		}
	}
}

// wholly is a text that may come from anything in its template: nobody has seen which part made what.
func (e *Engine) wholly(t *Template, tr *provenance.Trace, ref provenance.Ref) provenance.Ref {
	if tr == nil {
		return 0
	}
	all := []provenance.Ref{ref, tr.Leaf(provenance.Label{Kind: provenance.World, Path: "file " + t.Path})}
	first := e.leavesOf(t, tr)
	for i := range t.literals {
		all = append(all, tr.Read(first+provenance.Ref(i)))
	}
	return tr.Op("template", all...)
}

// leavesOf gives each literal of a template its leaf, once per compile.
func (e *Engine) leavesOf(t *Template, tr *provenance.Trace) provenance.Ref {
	if tr == nil {
		return 0
	}
	if r, ok := e.leaves[t]; ok {
		return r
	}
	if e.leaves == nil {
		e.leaves = map[*Template]provenance.Ref{}
	}
	r := tr.Literals(t.File, len(t.literals), func(ordinal int) source.Span { return t.literals[ordinal] })
	e.leaves[t] = r
	return r
}

// ScopeHost is a Host for a call made by the evaluator: the template sees the caller's scope.
type ScopeHost struct{ C *eval.Call }

// Variable is a variable of the scope.
func (h ScopeHost) Variable(name string) (value.Value, provenance.Ref, bool) {
	return h.C.Scope.Variable(name)
}

// Exists is whether the scope knows a variable, be it undef.
func (h ScopeHost) Exists(name string) (provenance.Ref, bool) { return h.C.Scope.Exists(name) }

// PeekAt is one of Variables, of which only what lies at the end of some steps is used.
func (h ScopeHost) PeekAt(name string, steps []value.Value) (value.Value, provenance.Ref, bool) {
	return h.C.Scope.PeekAt(name, steps)
}

// Variables lists what is visible, outermost first.
func (h ScopeHost) Variables(f func(name string, v value.Value, r provenance.Ref)) {
	type entry struct {
		name string
		v    value.Value
		r    provenance.Ref
	}
	var all []entry
	h.C.Scope.Variables(func(name string, v value.Value, r provenance.Ref) { all = append(all, entry{name, v, r}) })
	for i := len(all) - 1; i >= 0; i-- {
		f(all[i].name, all[i].v, all[i].r)
	}
}

// Peek is one of Variables.
func (h ScopeHost) Peek(name string) (value.Value, provenance.Ref, bool) {
	return h.C.Scope.Peek(name)
}

// Unwrapped notes a secret that the template lays bare.
func (h ScopeHost) Unwrapped(v value.Value) { h.C.Eval.Bare(v) }

// Secrets knows which texts are secret.
func (h ScopeHost) Secrets() ruby.Secrets { return h.C.Eval }

// Missing is what decides which variables there are not: branches that were not taken would have set them.
func (h ScopeHost) Missing() provenance.Ref { return h.C.Scope.Ghosts() }

// Unknown follows the setting strict.
func (h ScopeHost) Unknown(name string) error {
	switch h.C.Eval.Settings().Strict {
	case eval.StrictError:
		return &source.Matter{Text: fmt.Sprintf("Undefined variable '%s'; %s", name, h.C.Scope.WhyUnknown(name)),
			About: h.C.Scope.Missing(name)}
	case eval.StrictWarning:
		h.C.Warn("E0301", fmt.Sprintf("Undefined variable '%s'; %s", name, h.C.Scope.WhyUnknown(name)))
	}
	return nil
}

// OldFunctions is a World that knows which 3.x functions there are, of Puppet and of modules. One of modules may be
// another than what Puppet code finds under the name.
type OldFunctions interface {
	Function3x(name string) *eval.Function
}

func (h ScopeHost) function3x(name string) *eval.Function {
	if w, ok := h.C.Eval.World().(OldFunctions); ok {
		return w.Function3x(name)
	}
	return h.C.Eval.World().Function(name)
}

// HasFunction3 reports whether there is a 3.x function of that name.
func (h ScopeHost) HasFunction3(name string) bool { return h.function3x(name) != nil }

// newOnly are the functions of Puppet whose 3.x form only says so.
const newOnly = ` assert_type binary_file break defined dig each epp filter find_file hiera hiera_array hiera_hash hiera_include inline_epp lest lookup
 map match new next reduce regsubst return reverse_each slice split step strftime then type with `

// Call3 calls a 3.x function.
func (h ScopeHost) Call3(name string, args []value.Value) (value.Value, provenance.Ref, error) {
	f := h.function3x(name)
	if f == h.C.Eval.World().Function(name) && slices.Contains(strings.Fields(newOnly), name) {
		return nil, 0, fmt.Errorf("%s() can only be called using the 4.x function API. See Scope#call_function", name)
	}
	v, err := h.C.Eval.Rescue(h.C.Scope, func() (value.Value, error) {
		return h.C.Eval.CallBuiltin(h.C.Scope, f, args,
			h.C.Place)
	})
	if f.Flow == eval.Pure {
		return v, 0, err
	}
	return v, h.C.Trace().Everything(), err
}

// Call calls a function. The evaluator does not say what its result comes from: for one that is not pure it may be
// anything read so far.
func (h ScopeHost) Call(name string, args []value.Value) (value.Value, provenance.Ref, error) {
	v, err := h.C.Eval.Rescue(h.C.Scope, func() (value.Value, error) {
		return h.C.Eval.CallFunction(h.C.Scope, name, args, nil, h.C.Place)
	})
	if f := h.C.Eval.World().Function(name); f != nil && f.Flow == eval.Pure {
		return v, 0, err
	}
	return v, h.C.Trace().Everything(), err
}

// Set sets a variable that is not set yet.
func (h ScopeHost) Set(name string, v value.Value) error {
	if _, _, found := h.C.Scope.Variable(name); found {
		return fmt.Errorf("Cannot reassign variable '$%s'", name)
	}
	h.C.Scope.Set(name, v, 0)
	return nil
}

// Classes are the catalog's.
func (h ScopeHost) Classes() []string { return h.C.Eval.Classes() }

// Tags are the catalog's: the names of its classes with their parts, and of what kind they are. (The class settings is
// none of the program.)
func (h ScopeHost) Tags() []string {
	var out []string
	seen := map[string]bool{}
	add := func(s string) {
		if s != "" && !seen[s] {
			seen[s] = true
			out = append(out, s)
		}
	}
	for _, c := range h.C.Eval.Classes() {
		switch {
		case h.C.Eval.Find("Node", c) != nil:
			add("node")
		case c != "settings":
			add("class")
		}
		add(c)
		if strings.Contains(c, "::") {
			for _, p := range strings.Split(c, "::") {
				add(p)
			}
		}
	}
	return out
}

// Scope is how Puppet prints the scope.
func (h ScopeHost) Scope() string {
	if r := h.C.Scope.Resource(); r != nil {
		return fmt.Sprintf("Scope(%s[%s])", r.Type, r.Title)
	}
	return "Scope()"
}

// Log records a message.
func (h ScopeHost) Log(level, text string) { h.C.Log(level, text) }

// Changed takes back an array or hash that a template changed in place.
func (h ScopeHost) Changed(was, now value.Value, ref provenance.Ref) { h.C.Eval.Change(was, now, ref) }

// MightChange notes what decided that a variable was not changed in place.
func (h ScopeHost) MightChange(name string, why provenance.Ref) { h.C.Scope.MightReplace(name, why) }

// Latest is what an array or hash is by now.
func (h ScopeHost) Latest(v value.Value) value.Value { return h.C.Eval.Latest(v) }

// Changes counts what is no longer what it was.
func (h ScopeHost) Changes() int { return h.C.Eval.Changes() }

// Frozen reports whether Puppet has frozen an array or hash.
func (h ScopeHost) Frozen(v value.Value) bool { return h.C.Eval.Frozen(v) }
