package main

import (
	"bytes"
	"fmt"
	"strings"

	"bunraku/diff"
	"bunraku/report"
	"bunraku/report/redact"
	"bunraku/source"
	"bunraku/web"
)

// diffFormats are the formats of diff.
const diffFormats = "text, json, octocatalog, markdown, html, github, gitlab, sarif or junit"

// showDiff prints a report in the format that was asked for.
func (a *app) showDiff(r *diff.Report, f *diffFlags, show diff.Show, files source.Files) error {
	switch f.format {
	case "text":
		r.Text(a.out, show)
		return nil
	case "json":
		return a.writeJSON(r.JSON())
	case "octocatalog":
		return a.writeJSON(r.Octocatalog())
	case "markdown":
		return r.Markdown(a.out)
	case "html":
		return web.DiffReport(a.page(f.root), r)
	}
	run := diffProblems(r, files, f.fromTop, a.secrets.Hide)
	switch f.format {
	case "github":
		return run.GitHub(a.out.GitHub())
	case "gitlab":
		return run.GitLab(a.out.As(source.Quoted))
	case "sarif":
		return run.SARIF(a.out.As(source.Quoted))
	case "junit":
		return run.JUnit(a.out.As(source.Markup), func(p *report.Problem) bool { return p.Code == codeUnexpected })
	}
	return fail("unknown format %q: %s", f.format, diffFormats)
}

// Codes of what diff finds.
const (
	codeChange     = "D101"
	codeFails      = "D102"
	codeCycle      = "D103"
	codeUnexpected = "D104"
	codeFound      = "D105"
	codeNotKnown   = "D201"
	codeNotDone    = "D202"
)

// fromTop is a file as platforms call it, who show what was found at its line: as seen from the top of the repository.
func (f *diffFlags) fromTop(name string) string {
	at := source.Absolute(name)
	if f.top == "" || !inside(at, []string{f.top}) {
		return name
	}
	return strings.TrimPrefix(at, f.top+"/")
}

// diffProblems is a report as problems with places, for formats that show such: every group at the hunk that makes it.
// named is how these call files.
func diffProblems(r *diff.Report, files source.Files, named, hide func(string) string) *report.Run {
	run := &report.Run{Command: "diff", Version: version, Name: r.Name, Hide: hide}
	nodes := make([]*report.Node, len(r.Nodes))
	for i, n := range r.Nodes {
		nodes[i] = &report.Node{Name: n.Name, Failed: n.State == diff.Fails || n.State == diff.FailsBoth}
		run.Nodes = append(run.Nodes, nodes[i])
	}
	add := func(d *source.Diagnostic, on []int) {
		for _, n := range on {
			run.Add(nodes[n], d)
		}
	}
	opened := map[string]*source.File{}
	for _, g := range r.Groups {
		code, severity := codeChange, source.Note
		switch {
		case g.Unexpected():
			code, severity = codeUnexpected, source.Error
		case g.Items[0].Kind == diff.Cycle && !g.Items[0].Gone:
			code, severity = codeCycle, source.Error
		}
		add(&source.Diagnostic{Code: code, Severity: severity, Place: causePlace(g.Cause, files, named, opened),
			Summary: g.Summary()}, g.Nodes)
	}
	for _, f := range r.Failures {
		d := *f.Diagnostic
		d.Summary = f.State.String() + ": " + d.Summary
		d.Code = codeFails
		if at := causePlace(f.Cause, files, named, opened); at.Known() {
			d.Place = at
		} else if at := d.Place.File; at != nil && named(at.Name) != at.Name {
			d.Place.File = source.NewFile(named(at.Name), at.Text)
		}
		if f.State != diff.Fails {
			d.Severity = source.Warning
		}
		add(&d, f.Nodes)
	}
	for _, x := range r.Findings {
		if x.Kind == diff.EffectFinds {
			add(&source.Diagnostic{Code: codeFound, Severity: source.Warning, Summary: "new: " + x.Text}, x.Nodes)
		}
	}
	excused := map[string]*source.Diagnostic{}
	for i, n := range r.Nodes {
		if n.State != diff.Excused {
			continue
		}
		d := excused[n.Excuse]
		if d == nil {
			d = &source.Diagnostic{Code: codeNotDone, Severity: source.Warning, Summary: "not compared: " + n.Excuse}
			if n.New != nil && n.New.Place.Known() {
				d.Place = n.New.Place
				d.Place.File = source.NewFile(named(d.Place.File.Name), d.Place.File.Text)
			}
			excused[n.Excuse] = d
		}
		add(d, []int{i})
	}
	for _, it := range r.Unknown {
		at := it.Name.String()
		if it.Attribute != "" {
			at += " " + it.Attribute
		}
		why, _, _ := strings.Cut(it.Text, "\n")
		add(&source.Diagnostic{Code: codeNotKnown, Severity: source.Warning,
			Place:   causePlace(it.Cause, files, named, opened),
			Summary: fmt.Sprintf("whether %s changes is not known: %s", at, why)}, it.Nodes)
	}
	run.Sort()
	return run
}

// causePlace is the line of the new state that a cause stands in; unknown if there is none.
func causePlace(c *diff.Cause, files source.Files, named func(string) string,
	opened map[string]*source.File) source.Place {
	if c == nil || files == nil {
		return source.Place{}
	}
	for _, h := range c.Hunks {
		if h.Went {
			continue
		}
		f := opened[h.Path]
		if f == nil {
			text, err := files.Read(h.Path)
			if err != nil {
				continue
			}
			f = source.NewFile(named(h.File), text.Text)
			opened[h.Path] = f
		}
		line := min(max(h.New.First, 1), max(f.LineCount(), 1))
		at := f.Offset(source.Position{Line: line, Column: 1})
		return source.Place{File: f, Span: source.Span{Start: at, End: at + uint32(len(f.Line(line)))}}
	}
	return source.Place{}
}

// into writes what print prints to a file, with secrets hidden as on the screen.
func (a *app) into(file string, print func() error) error {
	var text bytes.Buffer
	screen, terminal := a.out, a.terminal.out
	a.out, a.terminal.out = redact.NewScreen(&text, a.secrets, false), false
	err := print()
	if err == nil {
		err = a.out.Flush()
	}
	a.out, a.terminal.out = screen, terminal
	if err != nil {
		return err
	}
	return report.WriteFile(file, text.Bytes())
}
