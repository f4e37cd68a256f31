package mutate

import (
	"bunraku/provenance"
	"bunraku/puppet/syntax"
	"bunraku/puppet/value"
)

// NodeName is the name of the node that is compiled: it can be one that the program has a node statement for, or a
// fresh one.
func NodeName(trees []*syntax.File, now string) *Place {
	key := Named(provenance.LabelKey{Kind: provenance.NodeName})
	p := &Place{Kind: Node, Was: key, Is: key}
	list := []value.Value{value.String("fresh.example.com"), value.String("fresh")}
	for _, tree := range trees {
		eachNode(tree, func(n syntax.Node) bool {
			if d, ok := n.(*syntax.NodeDef); ok {
				for _, h := range d.Hosts {
					if v, ok := datum(h); ok {
						list = append(list, v)
					}
				}
			}
			return true
		})
	}
	p.Val = others(value.String(now), list)
	return p
}
