package web

import (
	"cmp"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"bunraku/diff"
	"bunraku/report"
	"bunraku/source"
)

// A report as one file: for the artifacts of a CI server, opened from a disk, without a network. It is whole without
// scripts; with them there is a box that narrows it down. The policy in its head allows exactly the one style and the
// one script that are in it, by their digests, and no request at all.
//
// The head holds nothing of the tree and is written as it is; the rest goes through the caller's screen.

//go:embed static.css
var staticStyle string

//go:embed static.js
var staticScript string

//go:embed static.html
var staticPages string

var staticTemplates = template.Must(template.New("").Funcs(template.FuncMap{
	"plural": func(n int, one string) string {
		if n == 1 {
			return "1 " + one
		}
		return fmt.Sprintf("%d %ss", n, one)
	},
	"join": strings.Join,
	"clip": func(s string) string { return clip(s, clipLine) },
	"lines": func(list []string) []string {
		if len(list) > mostOfText {
			return append(slices.Clip(list[:mostOfText]), fmt.Sprintf("… and %d more lines", len(list)-mostOfText))
		}
		return list
	},
	"few": func(list []string) []string {
		const few = 12
		if len(list) > few {
			return append(slices.Clip(list[:few]), fmt.Sprintf("and %d more", len(list)-few))
		}
		return list
	},
}).Parse(staticPages))

// staticHead is the same for all reports.
func staticHead() string {
	digest := func(text string) string {
		sum := sha256.Sum256([]byte(text))
		return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
	}
	return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src ` + digest(staticStyle) +
		`; script-src ` +
		digest(staticScript) + `; base-uri 'none'; form-action 'none'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<style>` + staticStyle + `</style>
`
}

// staticTail brings the script.
func staticTail() string { return "<script>" + staticScript + "</script>\n</body>\n</html>\n" }

// A Page is where a report is written: Raw takes what is ours, Text what came from the tree and goes through a screen.
type Page struct {
	Raw  func(text string) error
	Text io.Writer
	// Root is the tree that paths are shown from: where it lay on the machine that wrote the report helps nobody.
	Root string
}

// within is a text without the way to the tree in front of its paths.
func (p Page) within(text string) string {
	if root := filepath.ToSlash(filepath.Clean(p.Root)); p.Root != "" && root != "." && root != "/" {
		return strings.ReplaceAll(text, root+"/", "")
	}
	return text
}

func (p Page) write(name string, data any) error {
	if err := p.Raw(staticHead()); err != nil {
		return err
	}
	if err := staticTemplates.ExecuteTemplate(spelling{p.Text}, name, data); err != nil {
		return err
	}
	return p.Raw(staticTail())
}

// spelling writes what would turn the direction of writing, or be seen as nothing, so that people can read it. The
// screen would write a reference to the character, which browsers obey.
type spelling struct{ to io.Writer }

func (s spelling) Write(p []byte) (int, error) {
	if _, err := io.WriteString(s.to, spelt(string(p))); err != nil {
		return 0, err
	}
	return len(p), nil
}

// CheckReport writes what a check has found as one page. notes are what else there is to say of it.
func CheckReport(to Page, run *report.Run, notes []string) error {
	type finding struct {
		*report.Problem
		Severity string
		Lines    []sourceLine
		Initial  string
		Runs     []laneView
		Fix      string
		Verified bool
	}
	type node struct {
		Name, Status string
		Codes        []string
		Unknown      int
	}
	data := struct {
		Run                                                       *report.Run
		Findings                                                  []finding
		Nodes                                                     []node
		Notes                                                     []string
		Errors, Warnings, Ignored, Failing, Found, NotKnown, Fine int
	}{Run: run, Notes: notes, Ignored: run.Suppressed()}
	for _, p := range run.Problems {
		if p.Suppressed.By != "" {
			continue
		}
		f := finding{Problem: p, Severity: severity(p.Diagnostic.Severity)}
		switch p.Diagnostic.Severity {
		case source.Error:
			data.Errors++
		case source.Warning:
			data.Warnings++
		}
		line := func(at source.Place, role string, hidden bool) {
			if at.Known() && !hidden {
				f.Lines = append(f.Lines, sourceLine{File: to.within(at.File.Name), Line: at.Line(),
					Text: clip(strings.TrimSpace(at.File.Line(at.Line())), clipLine), Role: role})
			}
		}
		line(p.Place, p.Label, p.Hidden)
		for _, r := range p.Diagnostic.Related {
			line(r.Place, r.Label, r.Hidden)
		}
		if x := p.Finding; x != nil {
			f.Initial = "on a fresh machine"
			if len(x.Initial) > 0 {
				f.Initial = "on a machine where " + strings.Join(x.Initial, ", ")
			}
			heads, _ := report.Heads(x)
			for i, r := range x.Runs {
				f.Runs = append(f.Runs, laneView{Title: heads[i], Result: clip(r.Result, clipLine)})
			}
			if x.Fix != nil {
				f.Fix, f.Verified = x.Fix.String(), x.Fix.Verified
				if p.Remedy != nil {
					f.Fix = cmp.Or(p.Remedy.Statement, f.Fix)
				}
			}
		}
		data.Findings = append(data.Findings, f)
	}
	for _, n := range run.Nodes {
		x := node{Name: n.Name, Status: "fine", Unknown: len(n.Unknown)}
		for _, p := range n.Open() {
			if !slices.Contains(x.Codes, p.Code) {
				x.Codes = append(x.Codes, p.Code)
			}
		}
		switch {
		case n.Failed:
			x.Status = "does not compile"
			data.Failing++
		case len(x.Codes) > 0:
			x.Status = "findings"
			data.Found++
		case len(n.Unknown) > 0:
			x.Status = "not all known"
			data.NotKnown++
		default:
			data.Fine++
		}
		data.Nodes = append(data.Nodes, x)
	}
	return to.write("check", data)
}

// DiffReport writes what a change does as one page.
func DiffReport(to Page, r *diff.Report) error {
	type telling struct{ Word, Text, Nodes string }
	type count struct {
		State string
		Nodes int
	}
	type change struct {
		*diff.Item
		Sign, Word, Old, New string
	}
	type group struct {
		*diff.Group
		Summary string
		Nodes   []string
		Changes []change
		Because string
	}
	data := struct {
		R                                          *diff.Report
		Counts                                     []count
		Groups                                     []group
		Consequences, Findings, Failures, NotKnown []telling
	}{R: r}
	for s := diff.NotDone; s <= diff.Excused; s++ {
		if n := r.Count(s); n > 0 {
			data.Counts = append(data.Counts, count{s.String(), n})
		}
	}
	nodes := func(list []int) string {
		names := r.Names(list)
		if len(names) > 6 {
			return fmt.Sprintf("%s and %d more", strings.Join(names[:6], ", "), len(names)-6)
		}
		return strings.Join(names, ", ")
	}
	for _, c := range r.Told() {
		data.Consequences = append(data.Consequences, telling{c.Kind.String(), clip(c.Text, clipLine), nodes(c.Nodes)})
	}
	for _, c := range r.Findings {
		data.Findings = append(data.Findings, telling{c.Kind.String(), clip(c.Text, clipLine), nodes(c.Nodes)})
	}
	for _, f := range r.Failures {
		at := ""
		if f.Place.Known() {
			at = " at " + to.within(f.Place.String())
		}
		data.Failures = append(data.Failures, telling{f.State.String(), clip(f.Summary, clipLine) + at, nodes(f.Nodes)})
	}
	for _, it := range r.Unknown {
		data.NotKnown = append(data.NotKnown, telling{clip(it.Name.String(), clipLine) + " " + it.Attribute,
			clip(it.Text, clipLine), nodes(it.Nodes)})
	}
	for _, g := range r.Groups {
		x := group{Group: g, Summary: clip(g.Summary(), clipTitle), Nodes: r.Names(g.Nodes)}
		if g.Cause != nil {
			var list []string
			for _, h := range g.Cause.Hunks {
				list = append(list, to.within(h.String()))
			}
			glue := " and "
			if g.Cause.Either {
				glue = " or "
			}
			x.Because = cmp.Or(strings.Join(list, glue), g.Cause.Other)
			if g.Cause.Sure {
				x.Because += ", confirmed by compiling"
			}
		}
		for _, it := range g.Items {
			c := change{Item: it, Sign: "~", Word: it.Kind.String()}
			switch it.Kind {
			case diff.Added:
				c.Sign = "+"
			case diff.Removed:
				c.Sign = "−"
			case diff.Attribute:
				if c.Word = ""; it.Secret {
					c.Old, c.New = "Sensitive, not shown", "Sensitive, not shown"
				} else if len(it.Blocks) == 0 {
					c.Old, c.New = clip(diff.Shown(it.Old), clipLine), clip(diff.Shown(it.New), clipLine)
				}
			}
			x.Changes = append(x.Changes, c)
		}
		data.Groups = append(data.Groups, x)
	}
	return to.write("diff", data)
}
