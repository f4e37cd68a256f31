package classifier

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"bunraku/puppet/lookup/datafile"
	"bunraku/puppet/value"
	"bunraku/source"
)

// An Answer is what a classifier says of one node.
type Answer struct {
	Classes     []Class
	Parameters  *value.Hash // top-scope variables; nil for none
	Environment string      // "" if the answer does not say it

	file *source.File
	root *datafile.Node
}

// A Class is one that the node gets.
type Class struct {
	Name   string
	Params *value.Hash // nil or empty for none: then the class is included
}

// Bytes are the strings of it that Ruby takes for bytes.
func (a *Answer) Bytes() []string { return a.root.Bytes() }

// Place is where an answer says something: "classes", "demo", "port", for instance. It is as much of the way as there
// is.
func (a *Answer) Place(steps ...string) source.Place {
	n := a.root
	at := n.Span
	for i, s := range steps {
		if list, is := n.Value.(*value.Array); is { // of classes, which are called by their names, or of anything
			for i, e := range list.Elems {
				if value.ToString(e) == s {
					return n.Kids[i].Node.Place(a.file)
				}
			}
		}
		next := n.Step(s)
		if next == nil {
			break
		}
		if h, is := n.Value.(*value.Hash); is && len(steps) == 2 && i == 1 && steps[0] == "classes" { // it is its key
			return source.Place{File: a.file, Span: n.Kids[h.Position(s)].Key} // Step has found it there
		}
		n, at = next, next.Span
	}
	return source.Place{File: a.file, Span: at}
}

// everyone is the name under which an answer is kept that holds for all nodes.
const everyone = ""

// many are the answers of a file, by the names of nodes, which are taken apart when somebody asks for them.
type many struct {
	file *source.File
	by   map[string]*datafile.Node
}

// parseMany reads a file that has one answer for all nodes, or one for each by its name. An answer that makes no sense
// costs nobody else theirs.
func parseMany(f *source.File) (*many, error) {
	root, err := read(f)
	if err != nil {
		return nil, err
	}
	h, is := root.Value.(*value.Hash)
	if !is {
		return nil, bad(f, root, "a classifier's answers are a hash, and this is %s", kind(root.Value))
	}
	for _, e := range h.Entries() {
		switch value.ToString(e.Key) {
		case "classes", "parameters", "environment":
			return &many{f, map[string]*datafile.Node{everyone: root}}, nil
		}
	}
	out := &many{f, map[string]*datafile.Node{}}
	for i, e := range h.Entries() {
		out.by[strings.ToLower(value.ToString(e.Key))] = root.Kids[i].Node
	}
	return out, nil
}

// parse reads one answer.
func parse(f *source.File, name string) (*Answer, error) {
	root, err := read(f)
	if err != nil {
		return nil, ofNode(err, f.Name, name)
	}
	return answer(f, root, name)
}

// ofNode says that a text cannot be read, and whose answer it was to be.
func ofNode(err error, file, name string) error {
	var d *source.Diagnostic
	if !errors.As(err, &d) || d.Code == "E0572" {
		return err
	}
	in := *d
	in.Summary = "Could not load external node results for " + name + ": " +
		strings.TrimPrefix(d.Summary, "("+filepath.ToSlash(file)+"): ")
	return &in
}

func read(f *source.File) (*datafile.Node, error) {
	root, err := datafile.ReadYAML(f) // JSON is YAML
	if err == nil && root == nil {
		err = bad(f, nil, "a classifier's answer is a hash, and this is nothing")
	}
	return root, err
}

// bad is an answer that is none.
func bad(f *source.File, n *datafile.Node, format string, args ...any) *source.Diagnostic {
	d := &source.Diagnostic{Code: "E0572", Summary: fmt.Sprintf(format, args...), Place: source.Place{File: f},
		Help: "an answer is YAML with classes (a list, or a hash with their parameters), parameters and environment"}
	if n != nil {
		d.Place = n.Place(f)
	}
	return d
}

// answer takes a node's answer apart. What Puppet passes over is passed over: other keys, and null.
func answer(f *source.File, root *datafile.Node, name string) (*Answer, error) {
	h, is := root.Value.(*value.Hash)
	if !is {
		return nil, bad(f, root, "Could not load external node results for %s: it is %s, and no hash", name, kind(root.Value))
	}
	a := &Answer{file: f, root: root}
	for i, e := range h.Entries() {
		n := root.Kids[i].Node
		if _, is := e.Key.(value.String); !is {
			d := bad(f, n, "Could not load external node results for %s: key is %s, not a string or symbol", name,
				rubyClass(e.Key))
			d.Place.Span = root.Kids[i].Key
			return nil, d
		}
		if !truthy(e.Value) {
			continue
		}
		switch value.ToString(e.Key) {
		case "classes":
			if err := a.classes(n); err != nil {
				return nil, err
			}
		case "parameters":
			if _, is := e.Value.(*value.Hash); !is {
				return nil, bad(f, n, "the parameters of a node are a hash, and this is %s", kind(e.Value))
			}
			a.Parameters = plainHash(n)
		case "environment":
			s, is := e.Value.(value.String)
			if !is && n.Symbol == "" {
				return nil, bad(f, n, "the environment of a node is a name, and this is %s", kind(e.Value))
			}
			if a.Environment = string(s); n.Symbol != "" {
				a.Environment = n.Symbol
			}
			if a.Environment == "" { // Puppet takes it for an environment that has nothing in it
				return nil, bad(f, n, "the environment of a node is a name, and this is an empty string")
			}
		}
	}
	return a, nil
}

func (a *Answer) classes(n *datafile.Node) error {
	switch v := n.Value.(type) {
	case *value.Array:
		for i, e := range v.Elems {
			s, is := e.(value.String)
			if sym := n.Kids[i].Node.Symbol; sym != "" {
				s, is = value.String(sym), true
			}
			if !is {
				return bad(a.file, n.Kids[i].Node, "a class is a name, and this is %s", kind(e))
			}
			a.Classes = append(a.Classes, Class{Name: string(s)})
		}
	case *value.Hash:
		for i, e := range v.Entries() {
			c := Class{Name: value.ToString(e.Key)}
			p := n.Kids[i].Node
			switch params := e.Value.(type) {
			case *value.Hash:
				// Puppet looks for the parameters under the class's own name: under another one that leads to it there are
				// none.
				if c.Params = plainHash(p); params.Len() > 0 && c.Name != canonical(c.Name) {
					c.Params = value.EmptyHash
				}
			case *value.Array:
				if params.Len() > 0 {
					return bad(a.file, p, "the parameters of class %s are a hash, and this is %s", c.Name, kind(e.Value))
				}
			case value.String:
				if params != "" {
					return bad(a.file, p, "the parameters of class %s are a hash, and this is %s", c.Name, kind(e.Value))
				}
			default:
				if truthy(e.Value) {
					return bad(a.file, p, "the parameters of class %s are a hash, and this is %s", c.Name, kind(e.Value))
				}
			}
			a.Classes = append(a.Classes, c)
		}
	default:
		return bad(a.file, n, "classes are a list or a hash, and this is %s", kind(n.Value))
	}
	return nil
}

// canonical is a class's name as its definition has it.
func canonical(name string) string { return strings.ToLower(strings.TrimPrefix(name, "::")) }

// truthy is what Ruby takes for true.
func truthy(v value.Value) bool {
	switch v := v.(type) {
	case nil, value.Undef:
		return false
	case value.Bool:
		return bool(v)
	}
	return true
}

// kind names what something is.
func kind(v value.Value) string {
	switch v.(type) {
	case *value.Hash:
		return "a hash"
	case *value.Array:
		return "a list"
	case value.String:
		return "a string"
	case value.Int, value.Float:
		return "a number"
	case value.Bool:
		return "true or false"
	case nil, value.Undef:
		return "nothing"
	}
	return "something else"
}

// rubyClass is what a key that is no string is to Ruby, with an article.
func rubyClass(v value.Value) string {
	switch v.(type) {
	case value.Int:
		return "a Integer"
	case value.Float:
		return "a Float"
	case value.Bool:
		if truthy(v) {
			return "a TrueClass"
		}
		return "a FalseClass"
	case nil, value.Undef:
		return "a NilClass"
	case *value.Array:
		return "a Array"
	case *value.Hash:
		return "a Hash"
	}
	return "something else"
}

// plainHash is a hash with strings for the symbols that are values in it.
func plainHash(n *datafile.Node) *value.Hash { return plain(n).(*value.Hash) }

func plain(n *datafile.Node) value.Value {
	if n.Has&datafile.Symbols == 0 {
		return n.Value
	}
	if n.Symbol != "" {
		return value.String(n.Symbol)
	}
	switch v := n.Value.(type) {
	case *value.Hash:
		b := value.NewHashBuilder(v.Len())
		for i, e := range v.Entries() {
			b.Set(e.Key, plain(n.Kids[i].Node))
		}
		return b.Hash()
	case *value.Array:
		b := value.NewArrayBuilder(v.Len())
		for _, k := range n.Kids {
			b.Add(plain(k.Node))
		}
		return b.Array()
	}
	return n.Value
}
