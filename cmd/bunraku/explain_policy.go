package main

import (
	"fmt"

	"bunraku/explain"
	"bunraku/fleet"
	"bunraku/puppet/compiler"
	"bunraku/source"

	"github.com/spf13/cobra"
)

// explainPolicy holds a node, or all of them, against a policy: which data may reach what, and who may decide what.
func (a *app) explainPolicy(cmd *cobra.Command, f *explainFlags, env string) error {
	opt := a.options(cmd, &f.compileFlags)
	opt.Trace = true
	ws := compiler.NewWorkspace(env, opt)
	view := ws.Disk()
	named := source.NewDir(source.DirOptions{Roots: []string{f.policy, env}})
	policy, trouble, err := fleet.ReadPolicy(named, env, f.policy)
	if err != nil {
		return err
	}
	if len(trouble) > 0 {
		a.report(trouble)
		return &exitError{code: exitFailed}
	}
	var nodes []compiler.Node
	if f.node == "" && f.facts == "" {
		all, err := fleet.Nodes(view, env, "")
		if err != nil {
			return err
		}
		for _, n := range all {
			nodes = append(nodes, compiler.Node{Facts: n})
		}
	}
	if len(nodes) == 0 {
		node, err := a.node(&f.compileFlags, view, env)
		if err != nil {
			return err
		}
		nodes = append(nodes, node)
	}
	c, err := ws.Snapshot(cmd.Context(), view)
	if err != nil {
		return err
	}
	found := []explain.Violation{}
	unknown := 0
	for _, n := range nodes {
		rec, err := a.compileRecord(cmd.Context(), c, n)
		if err != nil {
			return err
		}
		list, err := policy.Check(rec)
		if err != nil {
			return err
		}
		found, unknown = append(found, list...), unknown+rec.Opaque()
	}
	if err := a.answer(f, found, func() {
		explain.PolicyText(a.out, found, explain.Show{Style: a.out.Style(), All: f.all})
		if len(found) == 0 {
			fmt.Fprintf(a.out, "%s: no rule is broken on %s\n", f.policy, plural(len(nodes), "node"))
		}
		if unknown > 0 {
			fmt.Fprintf(a.out, "%s could not be computed: what reaches them is not known\n", plural(unknown, "value"))
		}
	}); err != nil {
		return err
	}
	switch {
	case len(found) > 0:
		return &exitError{code: exitNo}
	case unknown > 0:
		return &exitError{code: exitUnknown}
	}
	return nil
}
