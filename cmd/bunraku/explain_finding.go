package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"bunraku/explain"
	"bunraku/fleet"
	"bunraku/puppet/compiler"
	"bunraku/report"
	"bunraku/source"
	"bunraku/verify/model"

	"github.com/spf13/cobra"
)

// findingAnswer is a finding with where its resources come from.
type findingAnswer struct {
	Version   int               `json:"version"`
	Kind      string            `json:"kind"`
	Node      string            `json:"node"`
	Finding   findingJSON       `json:"finding"`
	Resources []*explain.Answer `json:"resources"`
	Order     []findingOrder    `json:"order,omitempty"` // of two resources: what orders them
}

// findingOrder is what is known about the order of two resources.
type findingOrder struct {
	Answer *explain.Answer `json:"answer,omitempty"`
	No     string          `json:"no,omitempty"` // why nothing orders them
}

// shortPrint is how much of a fingerprint is shown: enough to tell the findings of a tree apart.
const shortPrint = 12

// explainFinding looks at the tree as check does, finds the finding that was named, and says where its resources come
// from, on the first node that has it.
func (a *app) explainFinding(cmd *cobra.Command, f *explainFlags, env string) error {
	ctx := cmd.Context()
	j, err := a.newJudge(&judgeFlags{format: "text", failOn: "error", solver: "built-in", budget: model.DefaultUnits}, env)
	if err != nil {
		return err
	}
	defer j.Close()
	opt := a.options(cmd, &f.compileFlags)
	opt.StandIn = true
	ws := compiler.NewWorkspace(env, opt)
	c := &fleet.Check{Workspace: ws, View: ws.Disk(), Root: env, Facts: f.facts, Judge: j.Judge, Watch: a.keep,
		Invent:    fleet.InventOptions{Legacy: f.language == source.Puppet7, Own: j.own, Classes: f.classes},
		NodesOnly: true, Assign: f.assign, Certified: f.certified, Exchange: a.exchanging(&f.compileFlags)}
	if f.node != "" {
		c.Choose = func(all []fleet.Node) ([]fleet.Node, error) {
			return chosen(all, &checkFlags{compileFlags: f.compileFlags}, env)
		}
	}
	if err := c.Do(ctx); err != nil {
		return err
	}
	run := &report.Run{Command: "check", Version: version, Own: j.own, Hide: j.hide}
	c.Tell(run)
	if err := j.suppress(run, c.Sources, func(string, int) bool { return false }); err != nil {
		return err
	}
	p, err := theFinding(run, f.finding, len(c.Checked))
	if err != nil {
		return a.notFound(f, err)
	}
	at := slices.IndexFunc(c.Checked, func(n fleet.Checked) bool { return slices.Contains(p.Nodes, n.Name) })
	if at < 0 {
		return fail("%s is about no node", f.finding)
	}
	opt.Trace = true
	traced, err := compiler.NewWorkspace(env, opt).Snapshot(ctx, c.View)
	if err != nil {
		return err
	}
	rec, err := a.compileRecord(ctx, traced, c.Given[at].Node)
	if err != nil {
		return err
	}
	rec.All = f.all || f.format == "json"
	answer, err := findingOf(ctx, rec, p)
	if err != nil {
		return err
	}
	answer.Node = c.Checked[at].Name
	return a.answer(f, answer, func() { a.showFindingAnswer(f, p, answer) })
}

// theFinding is the finding that an id names: its fingerprint, as much of it as tells it from others, or its code.
func theFinding(run *report.Run, id string, nodes int) (*report.Problem, error) {
	var found []*report.Problem
	var all []string
	for _, p := range run.Problems {
		if p.Finding == nil {
			continue
		}
		line := p.Fingerprint[:min(shortPrint, len(p.Fingerprint))] + "   " + p.Code + " " + report.Headline(p.Finding)
		all = append(all, line)
		if strings.EqualFold(p.Code, id) || len(id) >= 4 && strings.HasPrefix(p.Fingerprint, strings.ToLower(id)) {
			found = append(found, p)
		}
	}
	if open := slices.DeleteFunc(slices.Clone(found), func(p *report.Problem) bool { return p.Suppressed.By != "" }); len(
		open) == 1 {
		return open[0], nil // the one that check shows
	}
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		if len(all) == 0 {
			return nil, &explain.NotFound{Message: "there is no finding on " + plural(nodes, "node")}
		}
		return nil, &explain.NotFound{Message: "no finding is called " + id, Suggestions: all}
	}
	same := slices.DeleteFunc(all, func(line string) bool {
		return !slices.ContainsFunc(found, func(p *report.Problem) bool { return strings.HasPrefix(p.Fingerprint, line[:4]) })
	})
	return nil, &explain.NotFound{Message: plural(len(found), "finding") + " could be meant by " + id, Suggestions: same}
}

// findingOf asks where the resources of a finding come from, and what orders the first two.
func findingOf(ctx context.Context, rec *explain.Record, p *report.Problem) (*findingAnswer, error) {
	out := &findingAnswer{Version: 1, Kind: "finding", Finding: toFindingJSON(p), Resources: []*explain.Answer{}}
	var refs []string
	for _, r := range p.Finding.Resources {
		answer, err := rec.Explain(r.Ref(), "")
		var none *explain.NotFound
		if errors.As(err, &none) {
			continue // of another catalog, as with --after
		}
		if err != nil {
			return nil, err
		}
		refs = append(refs, r.Ref())
		out.Resources = append(out.Resources, answer)
	}
	if len(refs) != 2 {
		return out, ctx.Err()
	}
	for _, arrow := range []string{refs[0] + " -> " + refs[1], refs[1] + " -> " + refs[0]} {
		answer, err := rec.Explain(arrow, "")
		var none *explain.NotFound
		switch {
		case err == nil:
			out.Order = []findingOrder{{Answer: answer}}
			return out, nil
		case errors.As(err, &none):
			out.Order = append(out.Order, findingOrder{No: none.Message})
		default:
			return nil, err
		}
	}
	return out, nil
}

// showFindingAnswer prints the finding as check does, and then its resources one by one.
func (a *app) showFindingAnswer(f *explainFlags, p *report.Problem, answer *findingAnswer) {
	showFinding(a.out, a.out.Style(), p)
	fmt.Fprintf(a.out, "   on   %s\n   id   %s\n", names(p.Nodes), p.Fingerprint[:min(shortPrint, len(p.Fingerprint))])
	show := explain.Show{Style: a.out.Style(), All: f.all}
	for _, r := range answer.Resources {
		fmt.Fprintln(a.out)
		r.Text(a.out, show)
	}
	for _, o := range answer.Order {
		fmt.Fprintln(a.out)
		if o.Answer != nil {
			o.Answer.Text(a.out, show)
			continue
		}
		fmt.Fprintln(a.out, o.No)
		break // the other way round is denied as well
	}
}
