package template

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"bunraku/provenance"
	"bunraku/puppet/ruby"
	"bunraku/puppet/value"
	"bunraku/source"
)

// Codes of the diagnostics that a rendering can end with.
const (
	CodeRaised      = "T0001" // the template raised an exception
	CodeSyntax      = "T0002" // its Ruby cannot be read
	CodeUnsupported = "T0003" // it needs real Ruby
	CodeRefused     = "T0004" // it asks for what templates may not have
	CodeBound       = "T0005" // it was stopped at a bound
	CodeUnknown     = "T0006" // it looked at a value that nobody could compute
)

// NeedsRuby reports whether a rendering failed only because we are not Ruby, or do not let templates ask the world.
func NeedsRuby(err error) bool {
	var d *source.Diagnostic
	return errors.As(err, &d) && (d.Code == CodeUnsupported || d.Code == CodeRefused)
}

// A Host is what a template can see of Puppet.
type Host interface {
	// Variable looks a variable up, by its qualified or unqualified name.
	Variable(name string) (value.Value, provenance.Ref, bool)
	// Exists answers scope.exist?.
	Exists(name string) (provenance.Ref, bool)
	// Variables calls f for every variable that is visible without qualification: outer scopes first, as scope.to_hash
	// lists them.
	Variables(f func(name string, v value.Value, r provenance.Ref))
	// Unknown is told of a variable that was asked for and is not there. An error fails the template.
	Unknown(name string) error
	// HasFunction3 and Call3 are scope.function_NAME, which only 3.x functions have; Call is scope.call_function. The ref
	// is what the result depends on beyond its arguments.
	HasFunction3(name string) bool
	Call3(name string, args []value.Value) (value.Value, provenance.Ref, error)
	Call(name string, args []value.Value) (value.Value, provenance.Ref, error)
	// Set gives a variable of the scope a value.
	Set(name string, v value.Value) error
	// Classes and Tags are those of the catalog so far.
	Classes() []string
	Tags() []string
	// Scope is the scope's own text: Scope(Class[main]).
	Scope() string
	// Log takes what the template logs.
	Log(level, text string)
}

// Options say how to render.
type Options struct {
	Runtime *ruby.Runtime
	Limits  ruby.Limits                      // the zero value stands for ruby.DefaultLimits
	Trace   *provenance.Trace                // nil: no provenance
	Leaves  func(t *Template) provenance.Ref // the first leaf of the template's literals, in Trace
	Name    string                           // as the manifest calls the template; "" for an inline one
	Objects Objects                          // what templates of the same scope have set so far; may be nil
	// Defined are methods that templates have defined so far, each with the template; may be nil. What a template defines
	// are methods of all templates in Puppet. Here each has its own: one that calls another's needs real Ruby.
	Defined map[string]*Template
	// MaybeFrozen says that strings come from manifests. Puppet freezes literals and not what functions make, and nobody
	// can tell them apart here; so a template that changes one needs real Ruby.
	MaybeFrozen bool
	Hooks       func(*ruby.Interp) ruby.Hooks // what its code can reach; nil for nothing
	Coverage    *Coverage                     // is told what runs; nil for nobody
}

// Objects are variables that templates set with scope.setvar, by name. Other templates that render in the same scope
// see the very same objects, which they may change: a template hands a hash to the templates it includes.
type Objects map[string]ruby.Object

// Literals are the spans of a template's literals, its text among them, by ordinal.
func (t *Template) Literals() []source.Span { return t.literals }

// Render runs the template. The error is a *source.Diagnostic whose summary is what Puppet says.
func (t *Template) Render(h Host, o Options) (*Rendering, error) {
	if len(t.trouble) > 0 {
		d := *t.trouble[0]
		return nil, t.failed(o, CodeSyntax, d.Summary, d.Place.Span, d.Place.Line())
	}
	if o.Limits == (ruby.Limits{}) {
		o.Limits = ruby.DefaultLimits()
	}
	in := o.Runtime.New(o.Limits)
	if o.Trace != nil {
		in.Out = make([]ruby.Segment, 0, t.parts.Load())
		in.Trace(o.Trace, func(*ruby.Program) provenance.Ref {
			if o.Leaves == nil {
				return 0
			}
			return o.Leaves(t)
		})
	}
	in.MaybeFrozen, in.Gettext = o.MaybeFrozen, true
	if o.Hooks != nil {
		in.Hooks = o.Hooks(in)
	}
	if o.Coverage != nil {
		in.Ran = o.Coverage.mark
	}
	in.OutSize = int(t.size.Load())
	defer in.Leave()
	w := &wrapper{t: t, h: h, in: in, set: o.Objects, defined: o.Defined}
	for _, name := range t.defines {
		if o.Defined != nil && o.Defined[name] == nil {
			o.Defined[name] = t
		}
	}
	if u, ok := h.(interface{ Unwrapped(value.Value) }); ok {
		in.Unwrapped = u.Unwrapped
	}
	if k, ok := h.(interface{ Secrets() ruby.Secrets }); ok {
		in.Secrets = k.Secrets()
	}
	if k, ok := h.(Keeper); ok {
		in.Frozen = k.Frozen
	}
	self := w.object()
	v, err := in.Run(t.program, self)
	if err != nil {
		w.giveUp(err, o.Trace)
		return nil, t.wrap(o, err, w.about)
	}
	text, isText := ruby.Text(v)
	if !isText {
		// a template that returns early gives what it returned
		if text, err = in.Show(v); err != nil {
			w.giveUp(err, o.Trace)
			return nil, t.wrap(o, err, w.about)
		}
	}
	t.size.Store(int64(len(text)))
	in.MadeOfPieces(text)
	r := &Rendering{Text: text}
	if o.Trace != nil {
		t.trace(r, in, o.Trace)
	}
	w.giveBack(r.Ref)
	return r, nil
}

// trace joins what the interpreter's segments and reads come from.
func (t *Template) trace(r *Rendering, in *ruby.Interp, tr *provenance.Trace) {
	r.template = t
	t.parts.Store(int64(len(in.Out)))
	if !slices.ContainsFunc(in.Out, func(s ruby.Segment) bool { return s.Start > len(r.Text) }) {
		r.segments = in.Out // else the template took back what it had written: only the whole is known
	}
	all := in.Everything()
	if r.segments == nil {
		r.Ref = tr.Op("template", all...)
		return
	}
	refs := make([]provenance.Ref, 0, len(r.segments))
	for i := range r.segments {
		refs = append(refs, r.segments[i].Ref)
	}
	r.Ref = tr.With(tr.Op("concat", refs...), all...)
}

// Parts are the pieces of the text, in order, without gaps; none when tracing is off, or the template took back what it
// had written.
func (r *Rendering) Parts() []Part {
	parts := make([]Part, len(r.segments))
	for i, s := range r.segments {
		end := len(r.Text)
		if i+1 < len(r.segments) {
			end = r.segments[i+1].Start
		}
		parts[i] = Part{Start: s.Start, End: end, Place: r.template.place(s.At), Ref: s.Ref}
	}
	return parts
}

// wrap words an error as Puppet does; about is what a function lacked that it called.
func (t *Template) wrap(o Options, err error, about []source.Subject) error {
	var e *ruby.Error
	if !errors.As(err, &e) {
		return err
	}
	if e.Kind == ruby.Unknown {
		return &source.Diagnostic{Code: CodeUnknown, Summary: e.Message, Place: t.place(e.Place.Span)}
	}
	code := map[ruby.Kind]string{ruby.Raised: CodeRaised, ruby.Unsupported: CodeUnsupported, ruby.Refused: CodeRefused,
		ruby.Bound: CodeBound}[e.Kind]
	detail := e.Message
	if e.Kind != ruby.Raised {
		detail = e.Error()
	}
	// Puppet tells the line of ERB's Ruby, which differs from the template's behind a comment of several lines.
	d := t.failed(o, code, detail, t.span(e.Place.Span), e.Place.Line()-1)
	d.About = about
	if NeedsRuby(d) {
		d.Label = detail // what it is that takes real Ruby
	}
	return d
}

// failed words an error as the functions template and inline_template do.
func (t *Template) failed(o Options, code, detail string, at source.Span, line int) *source.Diagnostic {
	d := &source.Diagnostic{Code: code, Place: source.Place{File: t.File, Span: at}}
	if o.Name == "" {
		d.Summary = "Failed to parse inline template: " + detail
		return d
	}
	d.Summary = fmt.Sprintf("Failed to parse template %s:\n  Filepath: %s\n  Line: %d\n  Detail: %s\n", o.Name, t.Path,
		line, detail)
	return d
}

// wrapper is what self is in a template.
type wrapper struct {
	t     *Template
	h     Host
	in    *ruby.Interp
	scope ruby.Object
	set   Objects
	// defined are methods of other templates too.
	defined map[string]*Template
	texts   map[string]ruby.Object // strings are objects too: @a and scope['a'] are one
	views   [2]*view               // scope.to_hash, without and with what is undef
	read    []string               // variables with arrays and hashes that the template has in hand
	about   []source.Subject       // what the function lacked that failed last
}

// A Keeper is a Host whose arrays and hashes a template may change in place: they are the very objects that Puppet
// holds, so whoever else holds them sees what the template adds. It takes back what they have become, nil if nobody
// knows, and hears of variables whose containers a template might have changed.
type Keeper interface {
	Changed(was, now value.Value, ref provenance.Ref)
	MightChange(name string, why provenance.Ref)
	// Latest is what a container has become, and Changes counts those that have become something else.
	Latest(v value.Value) value.Value
	Changes() int
	// Frozen reports whether a container may not be changed.
	Frozen(v value.Value) bool
}

// giveBack tells the host what the template changed.
func (w *wrapper) giveBack(ref provenance.Ref) {
	k, ok := w.h.(Keeper)
	if !ok {
		return
	}
	if end := w.in.Protect(func() { w.in.Altered(func(was, now value.Value) { k.Changed(was, now, ref) }) }); end != nil {
		w.in.Forsaken(func(was value.Value) { k.Changed(was, nil, ref) })
	}
	if why := w.in.ChangesRef(); why != 0 {
		for _, name := range w.read {
			k.MightChange(name, why)
		}
	}
}

// giveUp is giveBack for a template that did not come to its end. An exception may be rescued by who called for it.
func (w *wrapper) giveUp(err error, tr *provenance.Trace) {
	var ref provenance.Ref
	if tr != nil {
		ref = tr.Op("template", w.in.Everything()...)
	}
	var e *ruby.Error
	if errors.As(err, &e) && e.Kind == ruby.Raised {
		w.giveBack(ref)
	} else if k, ok := w.h.(Keeper); ok {
		w.in.Forsaken(func(was value.Value) { k.Changed(was, nil, ref) })
	}
}

// handOver tells the host what the template has changed so far, because the host is about to go on. What the host
// changes meanwhile is the template's when the function that it returns is called.
func (w *wrapper) handOver() func() {
	k, ok := w.h.(Keeper)
	if !ok {
		return func() {}
	}
	w.in.Altered(func(was, now value.Value) { k.Changed(was, now, w.in.Now()) })
	before := k.Changes()
	return func() {
		if k.Changes() != before {
			w.in.Refresh(k.Latest)
		}
	}
}

func (w *wrapper) object() ruby.Object {
	return w.in.NewNative("Puppet::Parser::TemplateWrapper", "template["+w.fileText()+"]", w.call)
}

func (w *wrapper) fileText() string {
	if w.t.Path == "inline template" {
		return "inline"
	}
	return w.t.Path
}

// call answers the methods of a template's self, and reads @variables.
func (w *wrapper) call(in *ruby.Interp, name string, args []ruby.Object, block *ruby.Proc) (ruby.Object, bool) {
	if v, ok := strings.CutPrefix(name, "@"); ok {
		val, ref, found := w.variable(v)
		if !found || value.IsUndef(val) {
			in.Read(ref)
			return nil, false
		}
		in.SetIvarRef(name, ref)
		o := w.value(v, val, ref)
		switch val.(type) {
		case *value.Array, *value.Hash:
			w.read = append(w.read, v)
		}
		return o, true
	}
	arity := func(n int) {
		if len(args) != n {
			in.Raise("ArgumentError", fmt.Sprintf("wrong number of arguments (given %d, expected %d)", len(args), n))
		}
	}
	switch name {
	case "scope", "respond_to? scope":
		arity(0)
		return w.scopeObject(), true
	case "file":
		if w.t.Path == "inline template" {
			return ruby.Nil{}, true
		}
		return ruby.NewString(w.t.Path), true
	case "has_variable?", "respond_to? has_variable?":
		arity(1)
		return ruby.Bool(w.known(in.ToS(args[0]))), true
	case "instance_variables":
		return w.instanceVariables(), true
	case "classes":
		arity(0)
		return list(w.h.Classes()), true
	case "all_tags":
		arity(0)
		return list(w.h.Tags()), true
	case "tags":
		in.Raise("NotImplementedError", "Call 'all_tags' instead.")
	case "debug", "info", "notice", "warning", "err", "alert", "emerg", "crit":
		arity(1)
		w.h.Log(name, in.ToS(args[0]))
		return ruby.Nil{}, true
	case "_":
		arity(1)
		return args[0], true
	}
	name = strings.TrimPrefix(name, "respond_to? ")
	if other := w.defined[name]; other != nil && other != w.t {
		in.Unsupported("the method " + name + " of another template")
	}
	return nil, false
}

// value is the object of a variable.
func (w *wrapper) value(name string, v value.Value, ref provenance.Ref) ruby.Object {
	if _, ok := v.(value.String); !ok {
		return w.in.FromValue(v, ref)
	}
	o := w.texts[name]
	if o == nil {
		o = w.in.FromValue(v, ref)
		if w.texts == nil {
			w.texts = map[string]ruby.Object{}
		}
		w.texts[name] = o
	}
	return o
}

func list(names []string) ruby.Object {
	out := make([]ruby.Object, len(names))
	for i, n := range names {
		out[i] = ruby.NewString(n)
	}
	return ruby.NewArray(out...)
}

// instanceVariables are the names of a template's own variables, then those that scope.to_hash has: in that order
// Puppet sets them.
func (w *wrapper) instanceVariables() ruby.Object {
	names := []ruby.Object{ruby.Symbol("@__scope__")}
	if w.t.Path != "inline template" {
		names = append(names, ruby.Symbol("@__file__"))
	}
	w.in.Lasting(func() {
		if m, ok := w.h.(interface{ Missing() provenance.Ref }); ok {
			w.in.Read(m.Missing())
		}
		w.h.Variables(func(name string, v value.Value, r provenance.Ref) {
			w.in.Read(r)
			w.in.LookAt(v)
			if !value.IsUndef(v) {
				names = append(names, ruby.Symbol("@"+unword.ReplaceAllString(name, "_")))
			}
		})
	})
	return ruby.NewArray(names...)
}

// unword are the characters that the name of an instance variable cannot have.
var unword = regexp.MustCompile(`[^\pL\pN_]`)

// known is scope.include?: the variable is there and not undef.
func (w *wrapper) known(name string) bool {
	v, ref, found := w.h.Variable(name)
	w.in.Read(ref)
	w.in.LookAt(v)
	return found && !value.IsUndef(v)
}
