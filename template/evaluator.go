package template

import (
	"fmt"
	"strings"

	"bunraku/eval"
	"bunraku/provenance"
	"bunraku/source"
	"bunraku/value"
)

// An Engine renders the templates of one compile. It is what a World needs to be functions.Templates.
type Engine struct {
	Cache *Cache
	// Find finds a template by Puppet's name for it (module/file.erb), and the path that Puppet's errors show.
	Find func(name string) (f *source.File, path string, err error)

	leaves map[*Template]provenance.Ref
	set    map[*eval.Scope]Objects
}

// Template3 renders one template for the functions template and inline_template. What needs real Ruby comes back as an opaque value.
func (e *Engine) Template3(c *eval.Call, template string, inline bool) (value.Value, provenance.Ref, error) {
	var t *Template
	o := Options{Runtime: e.Cache.Runtime(), MaybeFrozen: true, Trace: c.Trace(), Leaves: func(t *Template) provenance.Ref { return e.leavesOf(t, c.Trace()) }}
	if inline {
		t = e.Cache.Inline(template)
	} else {
		f, path, err := e.Find(template)
		if err != nil {
			return nil, 0, err
		}
		if f == nil {
			return nil, 0, fmt.Errorf("Could not find template '%s'", template)
		}
		t = e.Cache.File(f, path)
		o.Name = template
	}
	if e.set == nil {
		e.set = map[*eval.Scope]Objects{}
	}
	if e.set[c.Scope] == nil {
		e.set[c.Scope] = Objects{}
	}
	o.Objects = e.set[c.Scope]
	r, err := t.Render(ScopeHost{c}, o)
	if err != nil {
		if NeedsRuby(err) {
			return &value.Opaque{Why: strings.TrimSpace(err.(*source.Diagnostic).Summary)}, 0, nil
		}
		return nil, 0, fmt.Errorf("%s", err.(*source.Diagnostic).Summary)
	}
	return value.String(r.Text), r.Ref, nil
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

// Missing is what decides which variables there are not: branches that were not taken would have set them.
func (h ScopeHost) Missing() provenance.Ref { return h.C.Scope.Ghosts() }

// Unknown follows the setting strict.
func (h ScopeHost) Unknown(name string) error {
	switch h.C.Eval.Settings().Strict {
	case eval.StrictError:
		return fmt.Errorf("Undefined variable '%s'; ", name)
	case eval.StrictWarning:
		h.C.Warn("E0301", fmt.Sprintf("Undefined variable '%s'; ", name))
	}
	return nil
}

// HasFunction reports whether Puppet has a function of that name.
func (h ScopeHost) HasFunction(name string) bool {
	return h.C.Eval.World().Function(name) != nil || h.C.Eval.HasUserFunction(name)
}

// Call calls a function. The evaluator does not say what its result comes from: for one that is not pure it may be anything read so far.
func (h ScopeHost) Call(name string, args []value.Value) (value.Value, provenance.Ref, error) {
	v, err := h.C.Eval.CallFunction(h.C.Scope, name, args, nil, h.C.Place)
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

// Tags are the catalog's: the names of its classes with their parts.
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

// Changed writes a variable back that a template changed in place.
func (h ScopeHost) Changed(name string, v value.Value, ref provenance.Ref) {
	h.C.Scope.Replace(name, v, ref)
}
