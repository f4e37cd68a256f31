package catalog

import (
	"strings"

	"bunraku/puppet/resource"
)

// AppendDOT appends the graph for Graphviz: resources with containment as dotted lines, relations as arrows (bold ones
// refresh, dashed ones are automatic).
func (g *Graph) AppendDOT(dst []byte) []byte {
	add := func(parts ...string) {
		for _, p := range parts {
			dst = append(dst, p...)
		}
	}
	add("digraph ", quoteDOT(g.Catalog.Name), " {\n  rankdir = LR\n  node [shape = box, fontsize = 9]\n")
	for i, r := range g.Catalog.Resources {
		add("  ", quoteDOT(r.Ref()))
		if g.container(i) {
			add(" [style = rounded]")
		}
		add("\n")
	}
	for _, e := range g.Catalog.Edges {
		add("  ", quoteDOT(e.Source.Ref()), " -> ", quoteDOT(e.Target.Ref()), " [style = dotted, arrowhead = none]\n")
	}
	for _, rel := range g.Relations {
		add("  ", quoteDOT(rel.From.Ref()), " -> ", quoteDOT(rel.To.Ref()))
		switch {
		case rel.Auto:
			add(" [style = dashed, tooltip = ", quoteDOT(rel.String()), "]")
		case rel.Kind == resource.Notify || rel.Kind == resource.Subscribe:
			add(" [style = bold]")
		}
		add("\n")
	}
	add("}\n")
	return dst
}

func quoteDOT(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(s) + `"`
}
