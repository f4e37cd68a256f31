// Package facts reads what is known of a node: facter's JSON and YAML, `puppet facts`, what a Puppet server keeps, and
// PuppetDB's factsets, lists of facts and inventory. Each value remembers where it stands, so that an answer can be
// traced to a line of the facts.
//
// It may import source, provenance, value, and the reader of data files, lookup/datafile. Start reading at Read.
package facts

import (
	"path/filepath"
	"strings"

	"bunraku/puppet/lookup/datafile"
	"bunraku/puppet/value"
	"bunraku/source"
)

// Facts is one node's facts.
type Facts struct {
	Name        string      // the node's name
	Environment string      // where the source says it, "" otherwise
	Values      *value.Hash // as Puppet sees them: null is the empty string
	Trusted     *value.Hash // the node's trusted data where the source has it, nil otherwise
	// Trouble says why the facts cannot be read; there are no values then, and no catalog.
	Trouble *source.Diagnostic

	light *file         // the values are not here, but in a file: see Loaded
	later func() *Facts // they are not here yet: likewise
	file  *source.File
	nodes map[string]*datafile.Node // of the facts at the top
	paths map[string]source.Span    // of their names
}

// New makes facts of values that stand nowhere, such as those that an agent sends.
func New(name string, values *value.Hash) *Facts {
	b := value.NewHashBuilder(values.Len())
	for _, e := range values.Entries() {
		if key := value.ToString(e.Key); key != timestamp {
			b.SetString(key, sanitize(e.Value, nil))
		}
	}
	return &Facts{Name: name, Values: b.Hash()}
}

// timestamp is no fact, but the server's own mark.
const timestamp = "_timestamp"

// Read reads a file of facts about one node. The file's name tells the node's name when nothing in it does.
func Read(files source.Files, path string) (*Facts, error) {
	f, base, err := open(files, path)
	if err != nil {
		return nil, err
	}
	return Parse(f, base)
}

// open reads a file that is called by a path of the user's, and says what its name tells of the node's.
func open(files source.Files, path string) (*source.File, string, error) {
	abs := source.Absolute(path)
	c, err := files.Read(abs)
	if err != nil {
		return nil, "", source.Named(err, abs, path)
	}
	return source.NewFile(filepath.ToSlash(path), c.Text), stem(path), nil
}

// Parse reads facts from a text, JSON if it looks so, otherwise YAML. otherwise is the node's name when nothing in the
// text tells it.
func Parse(f *source.File, otherwise string) (*Facts, error) {
	all, err := ParseAll(f, otherwise)
	if err != nil {
		return nil, err
	}
	if len(all) != 1 {
		return nil, trouble(f, nil, "facts about one node are wanted, and there are "+value.ToString(value.Int(len(all))))
	}
	return all[0], nil
}

// Unread stands for the node that a file is called after, in which no facts can be read.
func Unread(path string, why *source.Diagnostic) *Facts {
	return &Facts{Name: stem(path), Values: value.NewHash(), Trouble: why}
}

// ReadAll reads a file that may hold facts about many nodes, as PuppetDB answers.
func ReadAll(files source.Files, path string) ([]*Facts, error) {
	f, base, err := open(files, path)
	if err != nil {
		return nil, err
	}
	return ParseAll(f, base)
}

// ParseAll is Parse for a text that may speak of many nodes.
func ParseAll(f *source.File, otherwise string) ([]*Facts, error) {
	var root *datafile.Node
	var err error
	if t := strings.TrimLeft(strings.TrimPrefix(f.Text, "\ufeff"), " \t\r\n"); strings.HasPrefix(t, "{") ||
		strings.HasPrefix(t, "[") {
		if root, err = datafile.ReadJSON(f); err != nil {
			if r, yamlErr := datafile.ReadYAMLObject(f); yamlErr == nil { // YAML may start with a bracket too
				root, err = r, nil
			} else {
				err = broken(f)
			}
		}
	} else {
		root, err = datafile.ReadYAMLObject(f)
	}
	switch {
	case err != nil:
		return nil, err
	case root == nil:
		return nil, trouble(f, nil, "there are no facts in this file")
	}
	switch root.Value.(type) {
	case *value.Hash:
		facts, err := one(f, root, otherwise)
		if err != nil {
			return nil, err
		}
		return []*Facts{facts}, nil
	case *value.Array:
		return many(f, root, otherwise)
	}
	return nil, trouble(f, root, "facts must be a hash")
}

// broken says what is wrong with facts in JSON.
func broken(f *source.File) error {
	what, where := datafile.BrokenJSON(f.Text)
	return &source.Diagnostic{Code: "F0102", Summary: "the facts " + what, Place: source.Place{File: f, Span: where},
		Help: "perhaps a download was cut off: ask facter --json, puppet facts or PuppetDB again"}
}

func trouble(f *source.File, n *datafile.Node, text string) error {
	p := source.Place{File: f}
	if n != nil {
		p.Span = n.Span
	}
	return &source.Diagnostic{Code: "F0101", Summary: text, Place: p,
		Help: "facter --json, puppet facts, or PuppetDB's factsets give facts that can be read"}
}

// one reads a hash in whichever shape it is.
func one(f *source.File, root *datafile.Node, otherwise string) (*Facts, error) {
	text := func(key string) string {
		if n := root.Entry(key); n != nil {
			if s, is := n.Value.(value.String); is {
				return string(s)
			}
		}
		return ""
	}
	isHash := func(n *datafile.Node) bool {
		if n == nil {
			return false
		}
		_, is := n.Value.(*value.Hash)
		return is
	}
	values, facts := root.Entry("values"), root.Entry("facts")
	switch {
	case isHash(values) && (text("name") != "" || root.Entry("timestamp") != nil): // puppet facts find, the server's cache
		return build(f, values, text("name"), text("environment"), root.Entry("trusted"), otherwise), nil
	case isHash(facts) && text("certname") != "" && facts.Entry("data") != nil: // a factset
		return pairs(f, facts.Entry("data"), text("certname"), text("environment"), otherwise)
	case isHash(facts) && text("certname") != "": // inventory
		return build(f, facts, text("certname"), text("environment"), root.Entry("trusted"), otherwise), nil
	case isHash(facts) && (len(root.Kids) == 1 || len(root.Kids) == 2 && isHash(root.Entry("trusted"))): // called facts
		return build(f, facts, "", "", root.Entry("trusted"), otherwise), nil
	}
	// No fact is called trusted: it is what the node's certificate says.
	return build(f, root, "", "", root.Entry("trusted"), otherwise), nil
}

// many reads a list: factsets or inventory entries, or PuppetDB's single facts.
func many(f *source.File, root *datafile.Node, otherwise string) ([]*Facts, error) {
	var out []*Facts
	single := map[string][]datafile.Kid{}
	var order []string
	for _, k := range root.Kids {
		if _, is := k.Node.Value.(*value.Hash); !is {
			return nil, trouble(f, k.Node, "a list of facts must consist of hashes")
		}
		name, fact := k.Node.Entry("certname"), k.Node.Entry("name")
		if fact != nil && k.Node.Entry("value") != nil {
			node := otherwise
			if name != nil {
				node = value.ToString(name.Value)
			}
			if single[node] == nil {
				order = append(order, node)
			}
			single[node] = append(single[node], k)
			continue
		}
		facts, err := one(f, k.Node, otherwise)
		if err != nil {
			return nil, err
		}
		out = append(out, facts)
	}
	for _, node := range order {
		facts, err := pairs(f, &datafile.Node{Value: root.Value, Kids: single[node]}, node, "", otherwise)
		if err != nil {
			return nil, err
		}
		out = append(out, facts)
	}
	return out, nil
}

// pairs reads a list of {name, value} hashes.
func pairs(f *source.File, list *datafile.Node, name, environment, otherwise string) (*Facts, error) {
	x := newFacts(f, environment)
	b := value.NewHashBuilder(len(list.Kids))
	for _, k := range list.Kids {
		fact, v := k.Node.Entry("name"), k.Node.Entry("value")
		if fact == nil || v == nil {
			return nil, trouble(f, k.Node, "a fact of a factset has a name and a value")
		}
		x.add(b, value.ToString(fact.Value), fact.Span, v)
	}
	x.finish(b, name, otherwise)
	return x, nil
}

func newFacts(f *source.File, environment string) *Facts {
	return &Facts{Environment: environment, file: f, nodes: map[string]*datafile.Node{}, paths: map[string]source.Span{}}
}

func build(f *source.File, n *datafile.Node, name, environment string, trusted *datafile.Node,
	otherwise string) *Facts {
	x := newFacts(f, environment)
	h := n.Value.(*value.Hash)
	b := value.NewHashBuilder(h.Len())
	for i, e := range h.Entries() {
		if n.Kids[i].Node != trusted {
			x.add(b, value.ToString(e.Key), n.Kids[i].Key, n.Kids[i].Node)
		}
	}
	x.finish(b, name, otherwise)
	if trusted != nil {
		if given, is := trusted.Value.(*value.Hash); is {
			x = x.WithTrusted(given)
		}
	}
	return x
}

func (x *Facts) add(b *value.HashBuilder, name string, at source.Span, n *datafile.Node) {
	if name == timestamp {
		return
	}
	b.SetString(name, sanitize(n.Value, n))
	x.nodes[name], x.paths[name] = n, at
}

// finish takes the facts and finds the node's name: what the source says, then the fact networking.fqdn, then fqdn,
// clientcert, hostname.
func (x *Facts) finish(b *value.HashBuilder, name, otherwise string) {
	x.Values = b.Hash()
	x.Name = otherwise
	net, _ := x.Values.At("networking").(*value.Hash)
	if net == nil {
		net = value.EmptyHash
	}
	for _, v := range []value.Value{value.String(name), net.At("fqdn"), x.Values.At("fqdn"), x.Values.At("clientcert"),
		net.At("hostname"), x.Values.At("hostname")} {
		if s, is := v.(value.String); is && s != "" {
			x.Name = string(s)
			return
		}
	}
}

// sanitize is what Puppet does to facts: whatever is no data becomes its text, and null the empty one.
func sanitize(v value.Value, n *datafile.Node) value.Value {
	if n != nil && n.Symbol != "" {
		return value.String(n.Symbol)
	}
	kid := func(i int) *datafile.Node {
		if n == nil || i >= len(n.Kids) {
			return nil
		}
		return n.Kids[i].Node
	}
	switch v := v.(type) {
	case value.Undef:
		return value.String("")
	case value.Default:
		return value.String("default")
	case *value.Array:
		b := value.NewArrayBuilder(v.Len())
		for i, e := range v.Elems {
			b.Add(sanitize(e, kid(i)))
		}
		return b.Array()
	case *value.Hash:
		b := value.NewHashBuilder(v.Len())
		for i, e := range v.Entries() {
			b.Set(sanitize(e.Key, nil), sanitize(e.Value, kid(i)))
		}
		return b.Hash()
	}
	return v
}
