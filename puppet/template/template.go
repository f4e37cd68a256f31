// Package template renders Puppet's ERB templates without Ruby: ERB's text is turned into Ruby as erb.rb does it
// (erb.go), that is parsed once (Cache) and run by package ruby with what a template can see of Puppet (render.go,
// scope.go): @variables, scope[...], scope.lookupvar, scope.function_*, has_variable?, classes and tags.
//
// A rendering is the text and its parts: each knows the span of the template that made it and what it depends on. How
// that comes about: ERB becomes Ruby of the form _erbout << "text"; _erbout << (expression).to_s, and every piece of
// that Ruby remembers the part of the template that it stands for (piece). While it runs with tracing on, the
// interpreter notes every read, of literals, instance variables and what the host is asked for, and which decisions are
// in force; each << to the output begins a segment that depends on what was read for it since the statement before
// (package ruby, trace.go). So a text of the template in a loop depends on what the loop goes through, and an
// expression on its own reads. A template that takes back what it has written keeps only the whole (Template.trace).
// Errors are worded as the functions template and inline_template word them. What needs real Ruby is told apart from
// what is wrong, so that a caller can leave the text open instead of failing.
//
// A template sees Puppet through a Host. evaluator.go makes one of an eval.Scope, and an Engine gives the functions
// template and inline_template what they need.
//
// It may import eval and below. Start reading at Template.Render.
package template

import (
	"sort"
	"strings"
	"sync"
	"sync/atomic"

	"bunraku/provenance"
	"bunraku/puppet/ruby"
	"bunraku/puppet/ruby/syntax"
	"bunraku/source"
)

// A Template is a parsed template. It can be rendered by several goroutines at once.
type Template struct {
	File *source.File
	Path string // as Puppet's errors show it; the file's name unless set

	program  *ruby.Program
	pieces   []piece
	trouble  source.Diagnostics
	literals []source.Span
	size     atomic.Int64 // of the last text
	parts    atomic.Int64 // that it had, when tracing
	defines  []string     // the methods that its code defines, which all templates have from then on
	usesOnce sync.Once
	uses     uses // of variables
}

// Parse reads a template. What is wrong with its Ruby is told when it is rendered, as in Puppet, and by Trouble.
func Parse(f *source.File) *Template { return parse(f, f.Name) }

// parse parses a template that Ruby knows by a name, its __FILE__.
func parse(f *source.File, name string) *Template {
	t := &Template{File: f, Path: f.Name}
	code, pieces := compile(strings.TrimPrefix(f.Text, "\uFEFF"))
	if strings.HasPrefix(f.Text, "\uFEFF") {
		for i := range pieces {
			pieces[i].from += 3
			pieces[i].to += 3
		}
	}
	t.pieces = pieces
	program, ds := ruby.Parse(source.NewFile(name, code))
	t.program = program
	syntax.Walk(program.Body, func(n syntax.Node) bool {
		if d, is := n.(*syntax.Def); is && d.Singleton == nil {
			t.defines = append(t.defines, d.Name)
		}
		_, class := n.(*syntax.ClassDef)
		return !class
	})
	for _, d := range ds {
		d.Place = t.place(d.Place.Span)
		t.trouble = append(t.trouble, d)
	}
	for _, n := range program.Literals() {
		t.literals = append(t.literals, t.span(n.Span()))
	}
	return t
}

// Trouble is what is wrong with the Ruby in a template.
func (t *Template) Trouble() source.Diagnostics { return t.trouble }

// A piece says which part of the template a part of the generated Ruby comes from.
type piece struct {
	at, end  uint32 // in the Ruby
	from, to uint32 // in the template
	text     bool   // the template's own text: the Ruby is its dump
}

// span maps a span of the generated Ruby to the template.
func (t *Template) span(s source.Span) source.Span {
	a, okA := t.offset(s.Start, false)
	b, okB := t.offset(s.End, true)
	switch {
	case okA && okB:
		return source.Span{Start: a, End: max(a, b)}
	case okA:
		return source.Span{Start: a, End: a}
	case okB:
		return source.Span{Start: b, End: b}
	}
	return source.Span{}
}

func (t *Template) offset(at uint32, end bool) (uint32, bool) {
	i := sort.Search(len(t.pieces), func(i int) bool { return t.pieces[i].end >= at })
	if !end {
		i = sort.Search(len(t.pieces), func(i int) bool { return t.pieces[i].end > at })
	}
	if i == len(t.pieces) {
		if i == 0 {
			return 0, false
		}
		return t.pieces[i-1].to, true
	}
	p := t.pieces[i]
	switch {
	case at <= p.at && (end || at < p.at):
		return p.from, true
	case p.text && end:
		return p.to, true
	case p.text:
		return p.from, true
	}
	return min(p.from+at-p.at, p.to), true
}

func (t *Template) place(s source.Span) source.Place {
	return source.Place{File: t.File, Span: t.span(s)}
}

// A Cache keeps parsed templates, and Ruby's classes, for all compiles of a process.
type Cache struct {
	rt func() *ruby.Runtime

	mu     sync.Mutex
	files  map[*source.File]*Template
	inline map[inlineKey]*Template
}

// NewCache makes an empty cache.
func NewCache() *Cache {
	return &Cache{rt: sync.OnceValue(ruby.NewRuntime), files: map[*source.File]*Template{},
		inline: map[inlineKey]*Template{}}
}

// Runtime is Ruby's classes, made at the first call.
func (c *Cache) Runtime() *ruby.Runtime { return c.rt() }

// MayChange lists the variables that the template may change in place.
func (t *Template) MayChange() (names []string) {
	if t.program == nil {
		return nil
	}
	for _, name := range t.program.MayChange() {
		names = append(names, strings.TrimPrefix(name, "@"))
	}
	return names
}

// File is the template of a file.
func (c *Cache) File(f *source.File, path string) *Template {
	c.mu.Lock()
	defer c.mu.Unlock()
	t := c.files[f]
	if t == nil {
		t = parse(f, source.Absolute(path))
		t.Path = path
		c.files[f] = t
	}
	return t
}

// maxInline bounds the texts of inline templates that are kept.
const maxInline = 2000

// Inline is the template of a text that stands at a place, if that is known.
func (c *Cache) Inline(text string, at source.Place) *Template {
	c.mu.Lock()
	defer c.mu.Unlock()
	k := inlineKey{text, at}
	t := c.inline[k]
	if t == nil {
		f := source.NewFile("inline template", text)
		f.Within = at
		t = parse(f, "(erb)")
		if len(c.inline) < maxInline {
			c.inline[k] = t
		}
	}
	return t
}

type inlineKey struct {
	text string
	at   source.Place
}

// A Part is a piece of a rendering: the text from Start to End, which Place made, and which depends on Ref.
type Part struct {
	Start, End int
	Place      source.Place
	Ref        provenance.Ref
}

// A Rendering is what a template gives.
type Rendering struct {
	Text string
	Ref  provenance.Ref // of the text as a whole

	template *Template
	segments []ruby.Segment // when tracing
}
