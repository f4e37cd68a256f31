package stdlib

import (
	"strings"
	"unicode/utf8"

	"bunraku/puppet/functions"
	"bunraku/puppet/psych"
	"bunraku/puppet/types"
	"bunraku/puppet/value"
)

// errNotPlain is the error of a value that would be written as a Ruby object.
type errNotPlain struct{ class string }

func (e errNotPlain) Error() string { return "cannot write a " + e.class + " as YAML" }

// yamlText is Ruby's to_yaml with its options.
func yamlText(v value.Value, options *value.Hash, older bool) (text string, err error) {
	g := yamlGraph{made: map[value.Value]*psych.Node{}, text: psych.Text, float: psych.Float}
	if older {
		g.text, g.float = psych.Older, psych.OlderFloat
	}
	opt := psych.Options{Older: older}
	if options != nil {
		if n, is := options.At("line_width").(value.Int); is {
			opt.Width, g.foldAbove = int(n), max(int(n), 0)
		}
		if n, is := options.At("indentation").(value.Int); is {
			opt.Indentation = int(n)
		}
		opt.Header = value.Truthy(options.At("header"))
	}
	root, err := g.node(v)
	if err != nil {
		return "", err
	}
	return psych.Emit(root, opt), nil
}

// A yamlGraph makes the nodes of values. One that is there twice is one node, but for empty ones: those are one value
// all over the program, and not in Puppet.
type yamlGraph struct {
	foldAbove int
	made      map[value.Value]*psych.Node
	text      func(s string, foldAbove int) *psych.Node
	float     func(float64) string
}

func (g *yamlGraph) node(v value.Value) (*psych.Node, error) {
	switch v := v.(type) {
	case *value.Array:
		return g.container(v, psych.Sequence, v.Elems)
	case *value.Hash:
		items := make([]value.Value, 0, 2*v.Len())
		for _, e := range v.Entries() {
			items = append(items, e.Key, e.Value)
		}
		return g.container(v, psych.Mapping, items)
	case *types.Resource:
		if !v.HasTitle {
			return nil, errNotPlain{functions.RubyClass(v)}
		}
		n, err := g.node(value.NewHash(value.String("type_name"), value.String(capitalized(v.Type)), value.String("title"),
			value.String(v.Title), value.String("downcased_name"), value.String(strings.ToLower(v.Type))))
		if err == nil {
			n.Tag = "!ruby/object:Puppet::Pops::Types::PResourceType"
		}
		return n, err
	case nil, value.Undef:
		return &psych.Node{}, nil
	case value.Bool, value.Int:
		return &psych.Node{Text: value.ToString(v)}, nil
	case value.Float:
		return &psych.Node{Text: g.float(float64(v))}, nil
	case value.Default:
		return &psych.Node{Text: ":default"}, nil
	case *value.Regexp:
		return &psych.Node{Text: value.Inspect(v), Tag: "!ruby/regexp"}, nil
	case value.String:
		if !utf8.ValidString(string(v)) {
			return nil, errNotPlain{"binary string"}
		}
		return g.text(string(v), g.foldAbove), nil
	}
	return nil, errNotPlain{functions.RubyClass(v)}
}

func (g *yamlGraph) container(v value.Value, kind psych.Kind, items []value.Value) (*psych.Node, error) {
	if n := g.made[v]; n != nil {
		return n, nil
	}
	n := &psych.Node{Kind: kind}
	if len(items) > 0 {
		g.made[v] = n
	}
	for _, e := range items {
		i, err := g.node(e)
		if err != nil {
			return nil, err
		}
		n.Items = append(n.Items, i)
	}
	return n, nil
}
