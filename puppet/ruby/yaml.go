package ruby

import (
	"unicode/utf8"

	"bunraku/puppet/psych"
)

// toYAML is o.to_yaml.
func (in *Interp) toYAML(o Object, args []Object) string {
	opt := psych.Options{Room: func(n int) {
		if n > in.limits.Size {
			in.room(n)
		}
	}}
	fold := 0
	if len(args) > 0 {
		if h, ok := args[len(args)-1].(*Hash); ok {
			for _, k := range h.keys() {
				n, number := h.at(k).(Int)
				switch in.toS(k) {
				case "line_width":
					opt.Width, fold = int(n), max(int(n), 0)
				case "indentation":
					opt.Indentation = int(n)
				case "header":
					opt.Header, number = truthy(h.at(k)), true
				default:
					number = false
				}
				if !number {
					in.unsupported("to_yaml with the option " + in.toS(k))
				}
			}
		}
	}
	g := yamlGraph{in, fold, map[Object]*psych.Node{}}
	opt.Older = in.limits.OlderYAML
	return psych.Emit(g.node(o), opt)
}

// A yamlGraph makes the nodes of objects; a container that is there twice is one node.
type yamlGraph struct {
	in        *Interp
	foldAbove int
	made      map[Object]*psych.Node
}

func (g *yamlGraph) node(o Object) *psych.Node {
	in := g.in
	in.step()
	in.enter()
	defer in.leave()
	switch o := o.(type) {
	case *Array:
		return g.container(o, psych.Sequence, o.els())
	case *Hash:
		items := make([]Object, 0, 2*o.len())
		for _, e := range o.pairs() {
			items = append(items, e.key, e.val)
		}
		return g.container(o, psych.Mapping, items)
	case *Set:
		in.unsupported("to_yaml of a Set")
	case Nil, nil:
		return &psych.Node{}
	case Bool, Int, *Big:
		return &psych.Node{Text: in.toS(o)}
	case Float:
		if in.limits.OlderYAML {
			return &psych.Node{Text: psych.OlderFloat(float64(o))}
		}
		return &psych.Node{Text: psych.Float(float64(o))}
	case Symbol:
		if o == "" {
			in.unsupported("to_yaml of an empty symbol")
		}
		return &psych.Node{Text: ":" + string(o)}
	case *String:
		if o.binary && !isASCII(o.String()) || !utf8.ValidString(o.String()) {
			in.unsupported("to_yaml of binary data")
		}
		in.room(len(o.String()))
		if in.limits.OlderYAML {
			return psych.Older(o.String(), g.foldAbove)
		}
		return psych.Text(o.String(), g.foldAbove)
	case *Regexp:
		return &psych.Node{Text: in.inspectOf(o), Tag: "!ruby/regexp"}
	case *Foreign:
		in.unsupported("to_yaml of " + in.toS(o))
	}
	in.unsupported("to_yaml of a " + in.classOf(o).name)
	return nil
}

func (g *yamlGraph) container(o Object, kind psych.Kind, items []Object) *psych.Node {
	n := g.made[o]
	if n == nil {
		n = &psych.Node{Kind: kind}
		g.made[o] = n
		for _, e := range items {
			n.Items = append(n.Items, g.node(e))
		}
	}
	return n
}
