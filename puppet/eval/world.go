package eval

import (
	"bunraku/budget"
	"bunraku/provenance"
	"bunraku/puppet/outline"
	"bunraku/puppet/resource"
	"bunraku/puppet/syntax"
	"bunraku/puppet/types"
	"bunraku/puppet/value"
	"bunraku/source"
)

// World is everything the evaluator asks of its surroundings. It is small on purpose: tests use one made of maps.
// Names are lower case and fully qualified, without leading colons, unless said otherwise.
type World interface {
	// Manifest is the parsed manifest that ought to hold a module's class or define: rest is the name behind the module's,
	// "" for the module's init.pp. It returns nil when there is no such file; diagnostics say why a file cannot be used.
	Manifest(module, rest string) (*syntax.File, source.Diagnostics)
	// FunctionFile is the parsed file that ought to define a function written in Puppet.
	FunctionFile(name string) (*syntax.File, source.Diagnostics)
	// TypeFile is the parsed file that ought to define a type alias; the name is as written: Apache::LogLevel.
	TypeFile(name string) (*syntax.File, source.Diagnostics)
	// Template is a parsed EPP template, by Puppet's name for it: module/file.epp.
	Template(name string) (*syntax.File, source.Diagnostics)
	// Module tells which module a file belongs to, "" for none.
	Module(f *syntax.File) string
	// Path is the file's name as Puppet writes it into catalogs.
	Path(f *source.File) string

	// Function is a function written in Go, or nil.
	Function(name string) *Function
	// ResourceType is a resource type that is no define, or nil.
	ResourceType(name string) *resource.Type

	// Lookup asks Hiera for a key.
	Lookup(sc *Scope, key string, how LookupOptions) (Answer, error)
}

// A Viewer is a World in which code of different files may see different functions by one name.
type Viewer interface {
	FunctionFrom(name string, from *source.File) *Function
}

// A Renderer is a World that knows which variables a template may change in place.
type Renderer interface {
	TemplateChanges(name string) []string
}

// LookupOptions are what code may say about a question to Hiera; class parameters say nothing.
type LookupOptions struct {
	Merge    value.Value // a strategy's name, or a hash with its options; nil for what lookup_options say
	Override *value.Hash // answers before any data is looked at
	Defaults *value.Hash // default_values_hash
}

// An Answer is what Hiera found.
type Answer struct {
	Value value.Value
	Found bool
	Ref   provenance.Ref // of the value when found, of the absences when not
}

// A Function is one built-in, declared once: its signatures in Puppet's type syntax, what it does, how data flows
// through it.
type Function struct {
	Name       string
	Doc        string // one or two sentences; the reference page is made of them
	Dispatches []Dispatch
	Flow       Flow
	Does       outline.Effect // to the catalog, besides giving a value; a call that does more is refused
	// Acts says of one that may do anything (outline.Anything) whether its code changes the catalog or variables at all.
	// Nil: it may.
	Acts    func() bool
	Unknown bool // it is called with opaque arguments too; others are not, and give an opaque value
	Seeks   bool // it looks for what its arguments name: a file, a key, a variable, a function, a resource, a tag
	// Raw functions take whatever is given: Puppet's old 3.x functions check their arguments themselves.
	Raw func(*Call) (value.Value, error)

	compiled signatures
}

// A Dispatch is one signature with its implementation. Signature is Puppet's own text of it, for instance
// `Callable[String, Optional[Integer]]`; a block, if taken, is the last parameter: `Callable[Array, Callable[1, 2]]`.
// Names are the parameters' names, for error messages.
type Dispatch struct {
	Signature string
	Names     []string
	Run       func(*Call) (value.Value, error)
}

// Flow says how provenance goes through a function, unless the implementation sets Call.Ref itself.
type Flow uint8

const (
	Pure     Flow = iota // the result depends on all arguments
	Effect               // for its effect; it returns undef
	Observer             // the implementation sets Call.Ref, or the result depends on nothing
	Reader               // it asks what has been declared so far, and so depends on all of that
)

// A Call is one call of a built-in: plain values in, a plain value out. Functions that copy elements of their arguments
// may look at Refs and set Ref to say so; everyone else ignores both.
type Call struct {
	Eval  *Evaluator
	Scope *Scope
	Name  string
	Args  []value.Value
	Refs  []provenance.Ref // one per argument; nil when tracing is off
	Block *Lambda          // or nil
	Place source.Place

	Ref provenance.Ref // set by the implementation when it knows better than Flow where the result comes from

	broke provenance.Ref              // the decisions that ended the iteration early
	does  outline.Effect              // what the function's record allows
	seen  map[value.Value]value.Value // containers of its arguments, and what they became in resources
}

// Copies has what the containers of the arguments have become in the resources that the function declares: they are
// copied once, however many resources get them.
func (c *Call) Copies() map[value.Value]value.Value {
	if c.seen == nil {
		c.seen = map[value.Value]value.Value{}
	}
	return c.seen
}

// Arg is argument i, or undef when it was not given.
func (c *Call) Arg(i int) value.Value {
	if i < len(c.Args) {
		return c.Args[i]
	}
	return value.Undef{}
}

// TextAt is where the text stands that one of the arguments is, as far as tracing knows: the literal or datum that it
// was copied from, else the call.
func (c *Call) TextAt(text string) source.Place {
	if c.Eval.trace == nil {
		return source.Place{}
	}
	for i, a := range c.Args {
		if s, is := a.(value.String); is && string(s) == text {
			if l, ok := c.Eval.trace.Where(c.ArgRef(i)); ok && l.Place.File != nil {
				return l.Place
			}
		}
	}
	return c.Place
}

// ArgRef is the provenance of argument i.
func (c *Call) ArgRef(i int) provenance.Ref {
	if i < len(c.Refs) {
		return c.Refs[i]
	}
	return 0
}

// Judge compares types within the budget of this compile.
func (c *Call) Judge() *types.Judge { return c.Eval.judge }

// Budget is what bounds the work of this compile. A function counts every loop that its arguments can make long, and
// whatever it keeps.
func (c *Call) Budget() *budget.Budget { return c.Eval.budget }

// Trace is the trace of this evaluation, nil when tracing is off.
func (c *Call) Trace() *provenance.Trace { return c.Eval.trace }

// Control is what decided that the call is made.
func (c *Call) Control() provenance.Ref { return c.Eval.ctl }
