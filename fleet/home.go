package fleet

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"bunraku/puppet/compiler"
	"bunraku/source"
)

// A classifier may put nodes into an environment that lies beside the one that is looked at. Such a node is none of
// this one's: it gets nothing of its code, and so is neither checked nor compared here. What it exports, though,
// PuppetDB hands out to nodes of all environments; so it takes part in the exchange, compiled from where it belongs, as
// that is on disk.

// Abroad are the nodes of one such environment.
type Abroad struct {
	Environment string
	Dir         string // where it lies, or would
	There       bool
	Nodes       []Node
}

// AtHome tells the nodes of an environment from those that its classifier puts into others beside it, which come in the
// order of their environments' names. A node that the classifier does not know stays: compiling it says so.
func AtHome(ctx context.Context, c *compiler.Snapshot, nodes []Node) (here []Node, others []*Abroad, err error) {
	if !c.Classifies() {
		return nodes, nil, nil
	}
	homes := make([]Abroad, len(nodes))
	errs := make([]error, len(nodes))
	source.Each(ctx, len(nodes), func(i int) {
		h := &homes[i]
		h.Dir, h.Environment, h.There, errs[i] = c.Home(ctx, nodes[i].Node)
	})
	if ctx.Err() != nil {
		return nil, nil, context.Cause(ctx)
	}
	by := map[string]*Abroad{}
	for i, n := range nodes {
		if errs[i] != nil {
			return nil, nil, errs[i]
		}
		h := homes[i]
		if h.There && h.Dir == source.Absolute(c.Environment().Dir) {
			here = append(here, n)
			continue
		}
		if by[h.Environment] == nil {
			by[h.Environment] = &h
			others = append(others, &h)
		}
		if h.There {
			n.Home = h.Dir
		}
		by[h.Environment].Nodes = append(by[h.Environment].Nodes, n)
	}
	slices.SortFunc(others, func(a, b *Abroad) int { return strings.Compare(a.Environment, b.Environment) })
	return here, others, nil
}

// Exporters are the nodes abroad that can be compiled: of environments that are there.
func Exporters(others []*Abroad) (out []Node) {
	for _, a := range others {
		if a.There {
			out = append(out, a.Nodes...)
		}
	}
	return out
}

// Text says which nodes are left out, and where they are looked at.
func (a *Abroad) Text() string {
	names := make([]string, len(a.Nodes))
	for i, n := range a.Nodes {
		names[i] = n.Title()
	}
	const few = 3
	list := strings.Join(names[:min(few, len(names))], ", ")
	if more := len(names) - few; more > 0 {
		list += fmt.Sprintf(" and %d more", more)
	}
	return fmt.Sprintf("the classifier puts %s into the environment '%s' (%s)", counted(len(a.Nodes), "node"),
		a.Environment, list)
}

// Diagnostic tells it as a finding: one of no weight, unless the environment is not there.
func (a *Abroad) Diagnostic() *source.Diagnostic {
	if !a.There {
		return &source.Diagnostic{Code: "N0111", Severity: source.Warning, Summary: a.Text() + ", which is not there",
			Help: "a server has no catalog for them; it would be the directory " + a.Environment + " beside this one"}
	}
	return &source.Diagnostic{Code: "N0110", Severity: source.Note, Summary: a.Text() + ": they are not looked at here",
		Help: "the directory " + a.Environment + " beside this one is where they are looked at"}
}
