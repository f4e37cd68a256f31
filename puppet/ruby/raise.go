package ruby

import (
	"errors"
	"fmt"
	"strings"

	"bunraku/puppet/onigmo"
	"bunraku/puppet/value"
	"bunraku/source"
)

// Kind sorts the ways in which a run can fail.
type Kind uint8

// The kinds.
const (
	Raised      Kind = iota // an exception of the program's
	Unsupported             // something that Ruby can do and we cannot
	Refused                 // something that must not be done: it asks the world, or chance
	Bound                   // a limit was hit
	Unknown                 // something was looked at that nobody could compute; the message says why
)

// An Error is how a run failed.
type Error struct {
	Kind    Kind
	Class   string // of the exception
	Message string
	Place   source.Place
}

func (e *Error) Error() string {
	switch e.Kind {
	case Unsupported:
		return "not supported without Ruby: " + e.Message
	case Refused:
		return "refused: " + e.Message
	case Bound:
		return "stopped: " + e.Message
	case Unknown:
		return "unknown: " + e.Message
	}
	return e.Message
}

type raised struct{ exc *Exception }

type limitHit struct{ what string }

type denied struct {
	kind Kind
	what string
}

func (in *Interp) unsupported(what string) { panic(&denied{Unsupported, what}) }
func (in *Interp) refuse(what string)      { panic(&denied{Refused, what}) }

// Refuse ends the run because something was asked for that templates may not have.
func (in *Interp) Refuse(what string) { in.refuse(what) }

// Unsupported ends the run because of something that needs real Ruby.
func (in *Interp) Unsupported(what string) { in.unsupported(what) }

// Look ends the run if an object is a value that nobody could compute, for hosts that decide by it.
func (in *Interp) Look(o Object) { look(o) }

// LookAt is Look for a value of Puppet's.
func (in *Interp) LookAt(v value.Value) {
	if o, ok := v.(*value.Opaque); ok {
		panic(&denied{Unknown, o.Why})
	}
}

// Raise raises an exception of a class that the runtime has.
func (in *Interp) Raise(class, message string) { in.raise(class, "%s", message) }

// raise raises one of Ruby's own exceptions.
func (in *Interp) raise(class, format string, args ...any) {
	in.chargeUnwinding()
	msg := format
	if len(args) > 0 {
		msg = fmt.Sprintf(format, args...)
	}
	c := in.rt.class(class)
	if c == nil {
		panic("ruby: no exception class " + class)
	}
	panic(&raised{&Exception{class: c, msg: NewString(msg), at: in.at, line: in.line(), cause: in.curExc}})
}

func (in *Interp) line() int {
	if in.file == nil {
		return 0
	}
	return in.file.LineOf(in.at.Start)
}

// try runs f and returns the exception that it ended with, if any. Other ends pass through.
func (in *Interp) try(f func()) (exc *Exception) {
	depth := in.used.depth
	defer func() {
		if r := recover(); r != nil {
			x, ok := r.(*raised)
			if !ok {
				panic(r)
			}
			in.unwind(depth)
			exc = x.exc
		}
	}()
	f()
	return nil
}

func (in *Interp) asError(r any) error {
	place := source.Place{File: in.file, Span: in.at}
	switch r := r.(type) {
	case *raised:
		place.Span = r.exc.at
		e := &Error{Kind: Raised, Class: r.exc.class.name, Place: place}
		if x := in.try(func() { e.Message = in.message(r.exc) }); x != nil {
			e.Message = r.exc.class.name
		}
		return e
	case *limitHit:
		return &Error{Kind: Bound, Message: r.what, Place: place}
	case *denied:
		return &Error{Kind: r.kind, Message: r.what, Place: place}
	case *jump:
		switch r.kind {
		case "throw":
			return &Error{Kind: Raised, Class: "UncaughtThrowError", Message: "uncaught throw " +
				in.inspectOf(r.target.(Object)), Place: place}
		case "break", "next", "redo", "retry":
			return &Error{Kind: Raised, Class: "LocalJumpError", Message: "unexpected " + r.kind, Place: place}
		}
		return nil
	}
	if _, host := r.(interface{ HostPanic() }); host || hard(r) {
		return nil
	}
	// A bug of ours. The program is not to blame, and its host can leave its text open.
	return &Error{Kind: Unsupported, Message: fmt.Sprintf("internal error: %v", r), Place: place}
}

// message is an exception's text.
func (in *Interp) message(e *Exception) string {
	if e.class.user {
		if m := in.findMethod(e.class, "message"); m != nil && m.builtin == nil {
			return in.toS(in.invoke(m, e, nil, nil))
		}
		if m := in.findMethod(e.class, "to_s"); m != nil && m.builtin == nil {
			return in.toS(in.invoke(m, e, nil, nil))
		}
	}
	if isNil(e.msg) {
		return e.class.name
	}
	return in.toS(e.msg)
}

// regexpError turns the end of a search into ours.
func (in *Interp) regexpError(err error) {
	switch {
	case errors.Is(err, onigmo.ErrSteps), errors.Is(err, onigmo.ErrDepth):
		panic(&limitHit{strings.TrimPrefix(err.Error(), "regular expression: ")})
	case errors.Is(err, onigmo.ErrText):
		in.raise("ArgumentError", "invalid byte sequence in UTF-8")
	}
	in.raise("RegexpError", "%s", err.Error())
}

// exceptionNames are Ruby's exception classes, each with the one above it.
const exceptionNames = `Exception Object
NoMemoryError Exception
ScriptError Exception
LoadError ScriptError
NotImplementedError ScriptError
SyntaxError ScriptError
SecurityError Exception
SignalException Exception
Interrupt SignalException
SystemExit Exception
SystemStackError Exception
StandardError Exception
ArgumentError StandardError
UncaughtThrowError ArgumentError
EncodingError StandardError
FiberError StandardError
IOError StandardError
EOFError IOError
IndexError StandardError
KeyError IndexError
StopIteration IndexError
LocalJumpError StandardError
NameError StandardError
NoMethodError NameError
RangeError StandardError
FloatDomainError RangeError
RegexpError StandardError
RuntimeError StandardError
FrozenError RuntimeError
SystemCallError StandardError
Errno::ENOENT SystemCallError
Errno::EISDIR SystemCallError
Errno::EACCES SystemCallError
Errno::ENOTDIR SystemCallError
ThreadError StandardError
TypeError StandardError
ZeroDivisionError StandardError`

func (rt *Runtime) exceptions(def func(string, *Class, ...[]builtin) *Class) {
	for _, line := range strings.Split(exceptionNames, "\n") {
		name, super, _ := strings.Cut(line, " ")
		if name == "Exception" {
			rt.exception = def(name, rt.class(super), exceptionTable())
			continue
		}
		def(name, rt.class(super))
	}
}

func exceptionTable() []builtin {
	exc := func(c *call) *Exception { return c.self.(*Exception) }
	return []builtin{
		{"message", 0, 0, func(c *call) Object { return c.in.str(c.in.message(exc(c))) }},
		{"to_s", 0, 0, func(c *call) Object {
			e := exc(c)
			if isNil(e.msg) {
				return c.in.str(e.class.name)
			}
			return c.in.str(c.in.toS(e.msg))
		}},
		{"full_message", 0, -1, func(c *call) Object { c.in.unsupported("full_message"); return nil }},
		{"inspect", 0, 0, func(c *call) Object {
			e := exc(c)
			s := c.in.message(e)
			if s == "" {
				return c.in.str(e.class.name)
			}
			return c.in.str("#<" + e.class.name + ": " + s + ">")
		}},
		{"backtrace", 0, 0, func(c *call) Object {
			e := exc(c)
			if e.line == 0 {
				return Nil{}
			}
			name := ""
			if c.in.file != nil {
				name = c.in.file.Name
			}
			return NewArray(NewString(fmt.Sprintf("%s:%d:in `result'", name, e.line)))
		}},
		{"set_backtrace", 1, 1, func(c *call) Object { return c.arg(0) }},
		{"cause", 0, 0, func(c *call) Object {
			if e := exc(c); e.cause != nil {
				return e.cause
			}
			return Nil{}
		}},
		{"exception", 0, 1, func(c *call) Object {
			if !c.has(0) {
				return c.self
			}
			e := *exc(c)
			e.msg = c.arg(0)
			return &e
		}},
		{"initialize", 0, -1, func(c *call) Object {
			if c.has(0) {
				exc(c).msg = c.arg(0)
			}
			return Nil{}
		}},
		{"==", 1, 1, func(c *call) Object { return Bool(c.self == c.arg(0)) }},
	}
}

// makeException is what raise(args) raises.
func (in *Interp) makeException(args []Object) *Exception {
	if n := len(args); n > 0 {
		if h, ok := args[n-1].(*Hash); ok && h.kw {
			args = args[:n-1] // cause: and the like
		}
	}
	switch len(args) {
	case 0:
		if in.curExc != nil {
			return in.curExc
		}
		return &Exception{class: in.rt.class("RuntimeError"), msg: NewString(""), at: in.at, line: in.line()}
	case 1:
		if s, ok := args[0].(*String); ok {
			return &Exception{class: in.rt.class("RuntimeError"), msg: s, at: in.at, line: in.line(), cause: in.curExc}
		}
	}
	var e *Exception
	switch x := args[0].(type) {
	case *Class:
		if !in.subclass(x, in.rt.exception) {
			in.raise("TypeError", "exception class/object expected")
		}
		e, _ = in.send(x, "new", args[1:min(2, len(args))], nil).(*Exception)
	case *Exception:
		e = x
		if len(args) > 1 {
			k := *x
			k.msg = args[1]
			e = &k
		}
	}
	if e == nil {
		in.raise("TypeError", "exception class/object expected")
	}
	if e.line == 0 {
		e.at, e.line = in.at, in.line()
	}
	if e.cause == nil && in.curExc != e {
		e.cause = in.curExc
	}
	return e
}

func (in *Interp) subclass(c, of *Class) bool {
	for _, a := range in.ancestors(c) {
		if a == of {
			return true
		}
	}
	return false
}
