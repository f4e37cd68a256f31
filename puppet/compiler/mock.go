package compiler

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync/atomic"

	"bunraku/provenance"
	"bunraku/puppet/catalog"
	"bunraku/puppet/eval"
	"bunraku/puppet/lookup/datafile"
	"bunraku/puppet/value"
	"bunraku/source"
)

// Mocks are answers for functions, written down beforehand: for what is written in Ruby, asks a network, or is secret.
// A file is a list of entries, in YAML or JSON: function, arguments (any, when left out), and result or error.
type Mocks struct {
	file  *source.File
	list  []*mock
	names map[string]bool
}

type mock struct {
	function  string
	arguments *value.Array   // nil for any
	node      *datafile.Node // of the result, nil when it is an error
	failure   string
	place     source.Place
	used      atomic.Bool
}

// ReadMocks reads a file of answers. What is wrong with it is a *source.Diagnostic with its place.
func ReadMocks(path string) (*Mocks, error) {
	c, err := source.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return parseMocks(source.NewFile(filepath.ToSlash(path), c.Text))
}

func parseMocks(f *source.File) (*Mocks, error) {
	read := datafile.ReadYAML
	if strings.HasSuffix(f.Name, ".json") {
		read = datafile.ReadJSON
	}
	root, err := read(f)
	if err != nil {
		return nil, err
	}
	m := &Mocks{file: f, names: map[string]bool{}}
	if root == nil {
		return m, nil
	}
	if _, is := root.Value.(*value.Array); !is {
		return nil, m.trouble(root, "a file of mocks is a list of entries")
	}
	for _, kid := range root.Kids {
		e, err := m.entry(kid.Node)
		if err != nil {
			return nil, err
		}
		m.list = append(m.list, e)
		m.names[e.function] = true
	}
	return m, nil
}

func (m *Mocks) trouble(n *datafile.Node, text string) error {
	return &source.Diagnostic{Code: "K0101", Summary: text, Place: n.Place(m.file),
		Help: "an entry has function, arguments (optional), and result or error"}
}

func (m *Mocks) entry(n *datafile.Node) (*mock, error) {
	h, is := n.Value.(*value.Hash)
	if !is {
		return nil, m.trouble(n, "a mock is a hash")
	}
	e := &mock{place: n.Place(m.file)}
	for i, entry := range h.Entries() {
		kid := n.Kids[i].Node
		if o := unknownIn(entry.Value); o != nil {
			return nil, m.trouble(kid, "this value cannot be given: "+o.Why)
		}
		switch key := value.ToString(entry.Key); key {
		case "function":
			name, is := entry.Value.(value.String)
			if !is || name == "" {
				return nil, m.trouble(kid, "function is the name of one")
			}
			e.function = strings.TrimPrefix(string(name), "::")
			e.place = kid.Place(m.file)
		case "arguments":
			list, is := entry.Value.(*value.Array)
			if !is {
				return nil, m.trouble(kid, "arguments is a list; leave it out to answer all calls")
			}
			e.arguments = catalog.FromData(list).(*value.Array)
		case "result":
			e.node = kid
		case "error":
			text, is := entry.Value.(value.String)
			if !is || text == "" {
				return nil, m.trouble(kid, "error is a text")
			}
			e.failure = string(text)
		default:
			return nil, m.trouble(kid, fmt.Sprintf("a mock has no %q", key))
		}
	}
	switch {
	case e.function == "":
		return nil, m.trouble(n, "a mock without function")
	case e.node == nil && e.failure == "":
		return nil, m.trouble(n, "a mock without result or error")
	case e.node != nil && e.failure != "":
		return nil, m.trouble(n, "a mock with both result and error")
	}
	return e, nil
}

// unknownIn finds what a data file cannot say, such as a Ruby symbol.
func unknownIn(v value.Value) *value.Opaque {
	switch v := v.(type) {
	case *value.Opaque:
		return v
	case *value.Array:
		for _, e := range v.Elems {
			if o := unknownIn(e); o != nil {
				return o
			}
		}
	case *value.Hash:
		for _, e := range v.Entries() {
			if o := unknownIn(e.Value); o != nil {
				return o
			}
		}
	}
	return nil
}

// function is what calls of a name come to: a mock that fits, or else what would be called without.
func (m *Mocks) function(name string, otherwise *eval.Function) *eval.Function {
	if m == nil || !m.names[name] {
		return otherwise
	}
	f := &eval.Function{Name: name, Flow: eval.Observer, Unknown: true}
	if otherwise != nil {
		f.Does, f.Acts = otherwise.Does, otherwise.Acts
	}
	f.Raw = func(c *eval.Call) (value.Value, error) {
		for _, e := range m.list {
			if e.function == name && e.fits(c.Args) {
				e.used.Store(true)
				return e.answer(c, m.file)
			}
		}
		return c.Pass(otherwise)
	}
	return f
}

func (e *mock) fits(args []value.Value) bool {
	return e.arguments == nil || value.Same(e.arguments, value.NewArray(args...))
}

// answer gives the result; which mock it is depends on the arguments.
func (e *mock) answer(c *eval.Call, f *source.File) (value.Value, error) {
	tr := c.Trace()
	why := make([]provenance.Ref, len(c.Args))
	for i := range c.Args {
		why[i] = c.ArgRef(i)
		if in, is := c.Args[i].(provenance.Contents); is && tr != nil {
			why[i] = tr.Deep(why[i], in)
		}
	}
	if e.node == nil {
		return nil, errors.New(e.failure)
	}
	v, r := e.node.Traced(tr, provenance.Datum, f, "mock "+e.function)
	if rich := catalog.FromData(v); !value.Same(rich, v) {
		v = rich
	}
	c.Ref = tr.With(r, why...)
	return v, nil
}

// UnusedMocks are notes about answers that nobody asked for.
func (c *Snapshot) UnusedMocks() source.Diagnostics {
	var out source.Diagnostics
	if m := c.opt.Mocks; m != nil {
		for _, e := range m.list {
			if !e.used.Load() {
				out = append(out, &source.Diagnostic{Code: "K0102", Severity: source.Note, Summary: "this mock of " + e.function +
					" answered no call", Place: e.place,
					Help: "no compile called the function, or none with these arguments"})
			}
		}
	}
	return out
}
