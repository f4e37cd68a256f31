package mutate

import (
	"fmt"
	"path/filepath"
	"strings"

	"bunraku/provenance"
	"bunraku/puppet/lookup/datafile"
	"bunraku/puppet/value"
	"bunraku/source"
)

// InConfig lists the scalars of a hiera.yaml, each a place by its way from the top. Keys are code.
func InConfig(f *source.File, path string) []*Place {
	root := ReadData(f)
	if root == nil {
		return nil
	}
	var out []*Place
	texts := map[string][]string{} // by the last key on the way
	var walk func(n *datafile.Node, way []string)
	walk = func(n *datafile.Node, way []string) {
		if h, is := n.Value.(*value.Hash); is {
			for i, e := range h.Entries() {
				walk(n.Kids[i].Node, append(way[:len(way):len(way)], datafile.Segment(e.Key)))
			}
			return
		}
		if _, is := n.Value.(*value.Array); is {
			for i, k := range n.Kids {
				walk(k.Node, append(way[:len(way):len(way)], fmt.Sprint(i)))
			}
			return
		}
		if n.Span.Start >= n.Span.End {
			return
		}
		names := Named(provenance.LabelKey{Kind: provenance.Datum, File: f.Name, Path: strings.Join(way, ".")})
		out = append(out, &Place{Kind: Config, Path: path, Span: n.Span, Was: names, Is: names})
		texts[purpose(way)] = append(texts[purpose(way)], value.ToString(n.Value))
	}
	walk(root, nil)
	for _, p := range out { // a level can have what another has
		kind := purpose(strings.Split(p.Was.Key.Path, "."))
		var list []string
		for _, t := range append([]string{"fresh" + filepath.Ext(strings.Trim(f.Slice(p.Span), `'"`))}, texts[kind]...) {
			list = append(list, Flow(value.String(t)))
		}
		switch kind {
		case "version":
			list = []string{"3", "4", "6"}
		case "data_hash":
			list = append(list, `"json_data"`)
		}
		p.New = unique(Flow(value.String(strings.Trim(f.Slice(p.Span), `'"`))), choices, list)
	}
	return out
}

// purpose is what a scalar is for: the last key on its way.
func purpose(way []string) string {
	for i := len(way) - 1; i >= 0; i-- {
		if strings.Trim(way[i], "0123456789") != "" {
			return strings.TrimSuffix(way[i], "s")
		}
	}
	return ""
}
