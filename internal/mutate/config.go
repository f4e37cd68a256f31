package mutate

import (
	"fmt"
	"strings"

	"bunraku/provenance"
	"bunraku/puppet/lookup/datafile"
	"bunraku/puppet/value"
	"bunraku/source"
)

// InConfig lists the data of a hiera.yaml: which files each level has, and where they are. The rest of it is code. A
// level's files are one place, however many it names.
func InConfig(f *source.File, path string) []*Place {
	root := ReadData(f)
	if root == nil {
		return nil
	}
	var out []*Place
	var texts []string
	add := func(n *datafile.Node, label string) {
		names := Names{Key: provenance.LabelKey{Kind: provenance.Datum, File: f.Name, Path: label}}
		eachText(n, func(n *datafile.Node, text string) {
			texts = append(texts, text)
			out = append(out, &Place{Kind: Config, Path: path, Span: n.Span, Was: names, Is: names})
		})
	}
	if n := root.Entry("defaults"); n != nil {
		if dir := n.Entry("datadir"); dir != nil {
			add(dir, "defaults.datadir")
		}
	}
	if list := root.Entry("hierarchy"); list != nil {
		for i, level := range list.Kids {
			for _, key := range []string{"path", "paths", "glob", "globs", "datadir"} {
				if n := level.Node.Entry(key); n != nil {
					add(n, fmt.Sprintf("hierarchy.%d.%s", i, key))
				}
			}
		}
	}
	for _, p := range out { // a level can have what another has
		var list []string
		for _, t := range append([]string{"fresh.yaml"}, texts...) {
			list = append(list, Flow(value.String(t)))
		}
		p.New = unique(Flow(value.String(strings.Trim(f.Slice(p.Span), `'"`))), choices, list)
	}
	return out
}

// eachText visits the strings of a value or list.
func eachText(n *datafile.Node, visit func(n *datafile.Node, text string)) {
	if s, ok := n.Value.(value.String); ok && n.Span.Start < n.Span.End {
		visit(n, string(s))
	}
	for _, k := range n.Kids {
		eachText(k.Node, visit)
	}
}
