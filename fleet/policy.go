package fleet

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"bunraku/explain"
	"bunraku/puppet/compiler"
	"bunraku/report"
	"bunraku/source"
	"bunraku/verify/model"
)

// Policed is what a policy says of the nodes of a check.
type Policed struct {
	Policy     *explain.Policy
	Violations [][]explain.Violation // by node, in the order of Checked
	Unknown    []int                 // likewise, how many values could not be computed
}

// ReadPolicy reads the policy of an environment, and who owns its files if it asks for that; nil when there is none.
// file is "" for the environment's own.
func ReadPolicy(view source.Files, root, file string) (*explain.Policy, source.Diagnostics, error) {
	own := file == ""
	if own {
		file = filepath.ToSlash(filepath.Join(root, explain.PolicyFile))
	}
	text, err := view.Read(source.Absolute(file))
	if own && errors.Is(err, fs.ErrNotExist) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, source.Named(err, source.Absolute(file), file)
	}
	p, trouble := explain.ParsePolicy(source.NewFile(file, text.Text))
	p.Root = filepath.ToSlash(filepath.Clean(root))
	if !p.NeedsOwners() {
		return p, trouble, nil
	}
	for _, name := range explain.OwnersFiles {
		text, err := view.Read(source.Absolute(filepath.Join(root, name)))
		if err == nil {
			p.Owners = explain.ParseOwners(text.Text)
			return p, trouble, nil
		}
	}
	return nil, nil, errors.New(file + " asks who owns files, and there is no CODEOWNERS in " +
		strings.Join(explain.OwnersFiles, ", "))
}

// police holds all nodes that compile against the environment's policy, if it has one. They are compiled once more,
// with the trace on.
func (c *Check) police(ctx context.Context) error {
	p, trouble, err := ReadPolicy(c.View, c.Root, "")
	if err != nil || p == nil {
		return err
	}
	c.Trouble = append(c.Trouble, trouble...)
	if trouble.HasErrors() {
		return nil
	}
	snap, err := c.Workspace.Traced().Snapshot(ctx, c.View)
	if err != nil {
		return err
	}
	out := &Policed{Policy: p, Violations: make([][]explain.Violation, len(c.Checked)),
		Unknown: make([]int, len(c.Checked))}
	errs := make([]error, len(c.Checked))
	bar := c.progress("holding nodes against the policy", len(c.Checked))
	defer bar.Stop()
	source.Each(ctx, len(c.Checked), func(i int) {
		defer bar.Step()
		if c.Checked[i].Catalog != nil {
			out.Violations[i], out.Unknown[i], errs[i] = police(ctx, snap, p, c.Given[i].Node, c.Watch)
		}
	})
	if err := errors.Join(errs...); err != nil && ctx.Err() == nil {
		return err
	}
	c.Policed = out
	return ctx.Err()
}

func police(ctx context.Context, snap *compiler.Snapshot, p *explain.Policy, node compiler.Node, watch Watch) (
	[]explain.Violation,
	int, error) {
	res, err := snap.Compile(ctx, node)
	if err != nil || res.Failure != nil {
		return nil, 0, err
	}
	watch(res)
	rec := explain.Of(res.Record())
	list, err := p.Check(rec)
	return list, rec.Opaque(), err
}

// tell puts violations into a run: those of one rule, resource and place are one finding.
func (d *Policed) tell(run *report.Run, nodes []Checked) {
	for i := range nodes {
		var findings []*model.Finding
		for j := range d.Violations[i] {
			v := &d.Violations[i][j]
			if !slices.ContainsFunc(findings, func(f *model.Finding) bool { return f.About == v.Why }) {
				findings = append(findings, finding(v))
			}
		}
		for _, f := range findings {
			run.AddFinding(nodes[i].Verdict.Node, f)
		}
		if n := d.Unknown[i]; n > 0 {
			nodes[i].Verdict.Node.Unknown = append(nodes[i].Verdict.Node.Unknown,
				"whether "+d.Policy.File.Name+" holds: not all values of the catalog could be computed")
		}
	}
}

// finding is a violation as check shows it.
func finding(v *explain.Violation) *model.Finding {
	f := &model.Finding{Code: "V401", Title: "data where they may not be", About: v.Why, At: v.At}
	if v.Flow != "explicit" {
		f.Code, f.Title = "V402", "decided by what may not"
	}
	if v.Of.Place.Known() {
		f.Resources = append(f.Resources, v.Of)
	}
	f.Note = v.Place.Describe()
	if path := explain.PathText(v.Path); path != "" {
		f.Note += ", through " + path
	}
	return f
}
