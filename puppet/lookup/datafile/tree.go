package datafile

import (
	"strings"

	"bunraku/source"

	"go.yaml.in/yaml/v3"
)

// A Tree is what a YAML text says before anybody decides what the parts of it are: for readers that make other things
// of them than plain data.
type Tree struct {
	Kind   TreeKind
	Tag    string // as written, with !! for YAML's own; "" for none
	Text   string // of a scalar; of an alias the anchor's name
	Quoted bool   // a scalar that is a text whatever it looks like
	Anchor string
	Items  []*Tree // of a sequence its elements, of a mapping keys and values in turn
	To     *Tree   // of an alias: what it stands for
}

// A TreeKind is what a Tree is.
type TreeKind uint8

// The kinds of trees.
const (
	ScalarTree TreeKind = iota
	SequenceTree
	MappingTree
	AliasTree
)

// ParseYAML reads the first document of a text; nil for a text without one. An error is worded as Psych words it.
func ParseYAML(f *source.File) (t *Tree, err error) {
	defer cannotBeRead(f, func(d *source.Diagnostic) { t, err = nil, d })
	text := strings.TrimPrefix(f.Text, "\ufeff")
	doc, err := parseYAML(f, text)
	if doc == nil || err != nil || len(doc.Content) == 0 {
		return nil, err
	}
	r := &yamlReader{file: f, shift: len(f.Text) - len(text), lines: yamlLines(text)}
	return r.tree(doc.Content[0], map[*yaml.Node]*Tree{}), nil
}

func (r *yamlReader) tree(n *yaml.Node, made map[*yaml.Node]*Tree) *Tree {
	t := &Tree{Tag: tagOf(n), Anchor: n.Anchor}
	if n.Anchor != "" {
		made[n] = t
	}
	switch n.Kind {
	case yaml.AliasNode:
		t.Kind, t.Text, t.To = AliasTree, n.Value, made[n.Alias]
		return t
	case yaml.ScalarNode:
		t.Text = n.Value
		t.Quoted = n.Style&quotedStyles != 0 && t.Tag == ""
		if t.Quoted && n.Style&yaml.TaggedStyle == 0 {
			_, plain := r.properties(r.start(n))
			t.Quoted = !plain
		}
	case yaml.SequenceNode:
		t.Kind = SequenceTree
	case yaml.MappingNode:
		t.Kind = MappingTree
	}
	t.Items = make([]*Tree, len(n.Content))
	for i, c := range n.Content {
		t.Items[i] = r.tree(c, made)
	}
	return t
}
