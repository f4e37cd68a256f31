package datafile

import (
	"path/filepath"
	"strings"

	"bunraku/source"

	"go.yaml.in/yaml/v3"
)

// A Repeated is a key that stands in one hash twice.
type Repeated struct {
	Key          string
	First, Again source.Span
}

// Twice finds the keys that stand twice in one hash of a YAML file, where the last one silently counts.
func Twice(f *source.File) (out []Repeated) {
	if ext := filepath.Ext(f.Name); ext == ".json" || ext == ".conf" {
		return nil
	}
	text := strings.TrimPrefix(f.Text, "\uFEFF")
	doc, trouble := decodeYAML(text)
	if trouble != nil || doc == nil {
		return nil // whoever reads the file tells
	}
	lines := yamlLines(text)
	span := func(n *yaml.Node) source.Span {
		at := yamlOffset(text, lines, n.Line-1, n.Column-1)
		return source.Span{Start: uint32(at), End: uint32(min(at+len(n.Value), len(text)))}
	}
	var walk func(n *yaml.Node)
	walk = func(n *yaml.Node) {
		if n.Kind == yaml.MappingNode {
			seen := map[string]*yaml.Node{}
			for i := 0; i+1 < len(n.Content); i += 2 {
				k := n.Content[i]
				if k.Kind != yaml.ScalarNode || k.Value == "<<" {
					continue
				}
				if first := seen[k.Tag+k.Value]; first != nil {
					out = append(out, Repeated{k.Value, span(first), span(k)})
				} else {
					seen[k.Tag+k.Value] = k
				}
			}
		}
		if n.Kind != yaml.AliasNode {
			for _, c := range n.Content {
				walk(c)
			}
		}
	}
	walk(doc)
	return out
}
