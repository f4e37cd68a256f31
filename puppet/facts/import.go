package facts

import (
	"encoding/json"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"bunraku/puppet/lookup/datafile"
	"bunraku/puppet/value"
	"bunraku/source"
)

// Import reads facts in every shape that people have them in, also those that a compile does not take: Foreman's, whose
// facts are flat and whose values are texts, and facterdb's, which all have one name. Nodes of facterdb and onceover
// are called after their files.
func Import(f *source.File, base string) ([]*Facts, error) {
	if all, err := foreman(f); all != nil || err != nil {
		return all, err
	}
	all, err := ParseAll(f, base)
	if err == nil && len(all) == 1 && filepath.Ext(f.Name) == ".facts" { // facterdb: foo.example.com, all of them
		all[0].Name = base
	}
	return all, err
}

// foreman reads what Foreman's API or hammer answers: {"results": {NODE: {"os::family": TEXT}}}, or a list of
// {"Host": …, "Fact": …, "Value": …}. It returns nil for anything else.
func foreman(f *source.File) ([]*Facts, error) {
	text := strings.TrimLeft(strings.TrimPrefix(f.Text, "\ufeff"), " \t\r\n")
	if !strings.HasPrefix(text, "{") && !strings.HasPrefix(text, "[") {
		return nil, nil
	}
	root, err := datafile.ReadJSON(f)
	if err != nil || root == nil {
		return nil, nil // whoever reads other shapes tells
	}
	flat := map[string]map[string]string{}
	var order []string
	add := func(node, fact string, v value.Value) {
		if flat[node] == nil {
			flat[node] = map[string]string{}
			order = append(order, node)
		}
		if !value.IsUndef(v) { // a fact that has parts
			flat[node][strings.ReplaceAll(fact, "::", ".")] = value.ToString(v)
		}
	}
	switch root.Value.(type) {
	case *value.Hash:
		results := root.Entry("results")
		if results == nil {
			return nil, nil
		}
		nodes, ok := results.Value.(*value.Hash)
		if !ok {
			return nil, nil
		}
		for i, e := range nodes.Entries() {
			facts, ok := results.Kids[i].Node.Value.(*value.Hash)
			if !ok {
				return nil, trouble(f, results.Kids[i].Node, "Foreman's facts of a node are a hash")
			}
			for _, x := range facts.Entries() {
				add(value.ToString(e.Key), value.ToString(x.Key), x.Value)
			}
		}
	case *value.Array:
		for _, k := range root.Kids {
			host, fact, v := k.Node.Entry("Host"), k.Node.Entry("Fact"), k.Node.Entry("Value")
			if host == nil || fact == nil || v == nil {
				return nil, nil
			}
			add(value.ToString(host.Value), value.ToString(fact.Value), v.Value)
		}
	default:
		return nil, nil
	}
	var out []*Facts
	for _, node := range order {
		out = append(out, &Facts{Name: node, Values: unfold(flat[node])})
	}
	return out, nil
}

// unfold makes a tree of flat names. Foreman keeps all values as texts; those that are numbers or booleans on the
// built-in systems become that again.
func unfold(flat map[string]string) *value.Hash {
	kinds := like()
	type branch map[string]any
	root := branch{}
	for _, name := range sortedNames(flat) {
		at := root
		parts := strings.Split(name, ".")
		for _, p := range parts[:len(parts)-1] {
			next, ok := at[p].(branch)
			if !ok {
				next = branch{}
				at[p] = next
			}
			at = next
		}
		at[parts[len(parts)-1]] = typed(flat[name], kinds[name])
	}
	var build func(b branch) *value.Hash
	build = func(b branch) *value.Hash {
		h := value.NewHashBuilder(len(b))
		for _, k := range sortedNames(b) {
			switch x := b[k].(type) {
			case branch:
				h.SetString(k, build(x))
			case value.Value:
				h.SetString(k, x)
			}
		}
		return h.Hash()
	}
	return build(root)
}

// like are the kinds of values that facts have on the built-in systems, by path.
func like() map[string]value.Value {
	out := map[string]value.Value{}
	var walk func(path string, v value.Value)
	walk = func(path string, v value.Value) {
		if h, ok := v.(*value.Hash); ok {
			for _, e := range h.Entries() {
				walk(strings.TrimPrefix(path+"."+value.ToString(e.Key), "."), e.Value)
			}
			return
		}
		out[path] = v
	}
	for _, id := range []string{"debian-12", "redhat-9"} {
		if s, ok := FindSystem(id); ok {
			walk("", s.Facts("x", true).Values)
		}
	}
	return out
}

func typed(text string, kind value.Value) value.Value {
	switch kind.(type) {
	case value.Bool:
		if text == "true" || text == "false" {
			return value.Bool(text == "true")
		}
	case value.Int:
		if n, err := strconv.ParseInt(text, 10, 64); err == nil {
			return value.Int(n)
		}
	case value.Float:
		if n, err := strconv.ParseFloat(text, 64); err == nil {
			return value.Float(n)
		}
	}
	return value.String(text)
}

// A Onceover is what a spec/onceover.yaml says: classes, and the nodes whose facts are in spec/factsets.
type Onceover struct{ Classes, Nodes []string }

// ReadOnceover reads a spec/onceover.yaml; nil if the file is none.
func ReadOnceover(f *source.File) (*Onceover, error) {
	root, err := datafile.ReadYAML(f)
	if err != nil {
		return nil, err
	}
	if root == nil || root.Entry("test_matrix") == nil && root.Entry("nodes") == nil {
		return nil, nil
	}
	o := &Onceover{}
	for key, into := range map[string]*[]string{"classes": &o.Classes, "nodes": &o.Nodes} {
		if n := root.Entry(key); n != nil {
			for _, k := range n.Kids {
				*into = append(*into, value.ToString(k.Node.Value))
			}
		}
	}
	return o, nil
}

// WithTrusted is the facts of a node with some keys of $trusted given; the others are what its certificate says.
func (x *Facts) WithTrusted(given *value.Hash) *Facts {
	x = x.Loaded()
	out := *x
	b := value.NewHashBuilder(6)
	base := Trusted(strings.ToLower(x.Name), nil, nil)
	if x.Trusted != nil {
		base = x.Trusted
	}
	for _, e := range base.Entries() {
		b.SetEntry(e)
	}
	for _, e := range given.Entries() {
		b.SetEntry(e)
	}
	out.Trusted = b.Hash()
	return &out
}

// JSON is the facts as a file that Read takes: the node's name, its facts, and what its certificate says if that is
// known.
func (x *Facts) JSON() string {
	var b strings.Builder
	b.WriteString("{\n  \"name\": " + jsonText(x.Name) + ",\n")
	if x.Trusted != nil {
		b.WriteString("  \"trusted\": ")
		writeJSON(&b, x.Trusted, 1)
		b.WriteString(",\n")
	}
	b.WriteString("  \"values\": ")
	writeJSON(&b, x.Values, 1)
	b.WriteString("\n}\n")
	return b.String()
}

func writeJSON(b *strings.Builder, v value.Value, depth int) {
	indent := "\n" + strings.Repeat("  ", depth+1)
	switch v := v.(type) {
	case *value.Hash:
		b.WriteString("{")
		for i, e := range v.Entries() {
			if i > 0 {
				b.WriteString(",")
			}
			b.WriteString(indent + jsonText(value.ToString(e.Key)) + ": ")
			writeJSON(b, e.Value, depth+1)
		}
		if v.Len() > 0 {
			b.WriteString(indent[:len(indent)-2])
		}
		b.WriteString("}")
	case *value.Array:
		b.WriteString("[")
		for i, e := range v.Elems {
			if i > 0 {
				b.WriteString(",")
			}
			b.WriteString(indent)
			writeJSON(b, e, depth+1)
		}
		if v.Len() > 0 {
			b.WriteString(indent[:len(indent)-2])
		}
		b.WriteString("]")
	case value.Undef:
		b.WriteString("null")
	case value.Bool, value.Int, value.Float:
		b.WriteString(value.ToString(v))
	default:
		b.WriteString(jsonText(value.ToString(v)))
	}
}

// jsonText is a text as JSON has it.
func jsonText(s string) string {
	text, err := json.Marshal(s)
	if err != nil {
		return `""` // no string fails
	}
	return string(text)
}

func sortedNames[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
