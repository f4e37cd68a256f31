// Package report turns what was found into what people and other programs read: problems with their places, grouped
// over nodes, fingerprinted, perhaps suppressed; edits that mend them; and the formats of other tools.
//
//	report.go     Run, Node, Problem; findings as diagnostics
//	edit.go       an attribute added to the words that declare a resource
//	patch.go      all edits together, as a unified diff
//	ignore.go     `# bunraku:ignore` comments
//	baseline.go   problems that were known before
//	sarif.go, github.go, junit.go
//
// It may import source, syntax, catalog and verify/model. Start reading at Run.
package report

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"bunraku/puppet/catalog"
	"bunraku/source"
	"bunraku/verify/model"
)

// Undecided is the code of what stayed unknown. It is no problem of the user's, so it is told beside the problems.
const Undecided = "V301"

// A Run is everything that one command has to say.
type Run struct {
	Command  string // "check"
	Version  string
	Name     string // of what was looked at
	Problems []*Problem
	Nodes    []*Node
	Part     bool                   // there are nodes that were not looked at
	Own      func(file string) bool // whether a file is the user's to edit; nil if all are
	// Hide blots out secrets; nil if there are none. Fingerprints are of what is left: who knows all but the secret could
	// find that by trying.
	Hide func(string) string

	byPrint map[string]*Problem
}

// A Node is what became of one node.
type Node struct {
	Name string
	// where the user's own code brings in a resource that is declared elsewhere, if that is known
	Beside   map[*catalog.Resource]source.Place
	Failed   bool // there is no catalog
	Problems []*Problem
	Unknown  []string // what stayed undecided, and why
	// Unverified says why the catalog was not verified, "" if it was, or nobody wanted that.
	Unverified string
}

// A Problem is one thing that is wrong, wherever it shows up.
type Problem struct {
	*source.Diagnostic
	Finding     *model.Finding // what verify said, of the first node; nil for anything else
	Where       Location
	Related     []Location
	Nodes       []string // that have it; none if it is about a file
	Fingerprint string   // the same as long as it is the same problem: it has no line numbers in it
	Suppressed  Suppression
	Remedy      *Remedy // how Finding's fix is to be written; nil if there is none
	// Beside is where the user's own code brings in what the finding is about, if that is declared in somebody else's.
	Beside source.Place
}

// A Suppression says why a problem does not count; "" if it does.
type Suppression struct {
	By     string // "comment" or "baseline"
	Reason string
}

// A Location is a place for machines: lines and columns from 1, columns in characters. Line 0 means the whole file,
// File "" nowhere.
type Location struct {
	File                             string
	Line, Column, EndLine, EndColumn int
	Text                             string // what is there
}

// locate gives the first line of a place.
func locate(p source.Place, text string) Location {
	if !p.Known() {
		return Location{Text: text}
	}
	from := p.File.Position(p.Span.Start)
	to := p.File.Position(p.Span.End)
	if to.Line != from.Line {
		to = p.File.Position(p.File.Offset(source.Position{Line: from.Line, Column: 1}) + uint32(len(p.File.Line(from.Line))))
	}
	return Location{p.File.Name, from.Line, from.Column, from.Line, max(to.Column, from.Column+1), text}
}

// LocateResource is where a resource is declared.
func LocateResource(r *catalog.Resource) Location {
	if !r.Place.Known() && r.File != "" {
		return Location{File: r.File, Line: r.Line, EndLine: r.Line, Text: r.Ref()}
	}
	return locate(r.Place, r.Ref())
}

// Add takes in a diagnostic, about a node or (nil) about a file. The same one about several nodes is one problem.
func (run *Run) Add(n *Node, d *source.Diagnostic) *Problem {
	d = d.Named()
	p := &Problem{Diagnostic: d, Where: locate(d.Place, d.Label)}
	for _, r := range d.Related {
		p.Related = append(p.Related, locate(r.Place, r.Label))
	}
	summary := d.Summary
	key := []string{p.Where.File, d.Place.String()}
	if d.Severity == source.Note {
		key = append(key, d.Detail) // what it lists may be another list on another node
	}
	parts := []string{d.Code, filepath.Base(p.Where.File), summary}
	if n != nil && run.byPrint[whole(parts, key)] == nil { // a message that names the node is the same message on another
		parts[2] = regexp.MustCompile(`(^|[\s'"])`+regexp.QuoteMeta(n.Name)+`($|[\s'".,])`).ReplaceAllString(summary, "$1$2")
	}
	return run.add(n, p, parts, key...)
}

// AddFinding takes in a finding of verify about a node.
func (run *Run) AddFinding(n *Node, f *model.Finding) *Problem {
	p := &Problem{Finding: f, Beside: n.beside(f), Remedy: run.remedy(f)}
	p.Diagnostic = p.diagnostic()
	parts := []string{f.Code, f.About}
	switch {
	case f.At.Known():
		p.Where = locate(f.At, f.About)
	case p.Beside.Known():
		p.Where = locate(p.Beside, "")
	}
	for _, r := range f.Resources {
		parts = append(parts, r.Ref())
		at := LocateResource(r)
		if main := subject(f); main == r && p.Where.File == "" {
			p.Where = at
		} else if at.File != "" {
			p.Related = append(p.Related, at)
		}
	}
	return run.add(n, p, parts)
}

// add takes in a problem with the parts of its fingerprint, and what else tells it apart.
func (run *Run) add(n *Node, p *Problem, parts []string, key ...string) *Problem {
	p.Fingerprint = run.fingerprint(parts)
	id := whole(parts, key)
	if run.byPrint == nil {
		run.byPrint = map[string]*Problem{}
	}
	if have := run.byPrint[id]; have != nil {
		p = have
	} else {
		run.byPrint[id] = p
		run.Problems = append(run.Problems, p)
	}
	if n != nil && !slices.Contains(p.Nodes, n.Name) {
		p.Nodes = append(p.Nodes, n.Name)
		n.Problems = append(n.Problems, p)
	}
	return p
}

// whole tells problems apart that have the same fingerprint.
func whole(parts, key []string) string { return strings.Join(slices.Concat(parts, key), "\x00") }

// beside looks up the place for a finding.
func (n *Node) beside(f *model.Finding) source.Place {
	if f.Fix != nil {
		if at := n.Beside[f.Fix.Resource]; at.Known() {
			return at
		}
	}
	return n.Beside[subject(f)]
}

// subject is the resource that a finding is shown at: the one to edit, or the first.
func subject(f *model.Finding) *catalog.Resource {
	if f.Fix != nil && slices.Contains(f.Resources, f.Fix.Resource) {
		return f.Fix.Resource
	}
	if len(f.Resources) > 0 {
		return f.Resources[0]
	}
	return nil
}

func (run *Run) fingerprint(parts []string) string {
	text := strings.Join(parts, "\x00")
	if run.Hide != nil {
		text = run.Hide(text)
	}
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:10])
}

// diagnostic tells about a finding as about anything else that is wrong with a program.
func (p *Problem) diagnostic() *source.Diagnostic {
	f := p.Finding
	d := &source.Diagnostic{Code: f.Code, Summary: Headline(f), Place: f.At, Label: f.About}
	if f.Warning {
		d.Severity = source.Warning
	}
	if !d.Place.Known() {
		d.Place = p.Beside
	}
	if main := subject(f); main != nil && !d.Place.Known() {
		d.Place = main.Place
	}
	for _, r := range f.Resources {
		if r.Place.Known() && r.Place != d.Place {
			d.Related = append(d.Related, source.Related{Place: r.Place, Label: r.Ref()})
		}
	}
	d.Detail = strings.Join(Evidence(f), "\n")
	if p.Remedy != nil {
		d.Help = p.Remedy.help()
		if f.Fix.Verified && p.Remedy.Edit != nil {
			verb := "Add "
			if len(f.Fix.Declares) > 0 {
				verb = "Declare "
			}
			d.Fixes = append(d.Fixes, source.Fix{Message: verb + f.Fix.String(), Edits: []source.Edit{*p.Remedy.Edit}})
		}
	}
	return d
}

// Verified reports whether a problem has a fix that was tried.
func (p *Problem) Verified() bool { return p.Remedy != nil && p.Finding.Fix.Verified }

// Retract takes back the edit that mends a problem: it is right for its nodes and wrong for others. The advice stays,
// unverified.
func (p *Problem) Retract() {
	f := *p.Finding
	fix := *f.Fix
	fix.Verified = false
	f.Fix = &fix
	remedy := *p.Remedy
	remedy.fix = &fix
	p.Finding, p.Remedy = &f, &remedy
	p.Diagnostic = p.diagnostic()
}

// Headline is the first line of a finding, without its code.
func Headline(f *model.Finding) string {
	s := f.Title
	if f.Grade != "" {
		s += " (" + f.Grade + ")"
	}
	var about []string
	if f.About != "" {
		about = append(about, f.About)
	} else {
		for _, r := range f.Resources {
			about = append(about, r.Ref())
		}
	}
	if len(about) > 0 {
		s += ": " + strings.Join(about, " and ")
	}
	return s
}

// Evidence is what a finding shows: why, from which machine, which run leads where.
func Evidence(f *model.Finding) []string {
	var out []string
	if f.Note != "" {
		out = append(out, f.Note)
	}
	switch {
	case len(f.Initial) > 0:
		out = append(out, "on a machine where "+strings.Join(f.Initial, ", "))
	case len(f.Runs) > 0:
		out = append(out, "on a fresh machine")
	}
	heads, width := Heads(f)
	for i, r := range f.Runs {
		line := "  " + heads[i] + strings.Repeat(" ", width-len([]rune(heads[i]))) + "   " + r.Result
		if i == len(f.Runs)-1 {
			line += "   replayed"
		}
		out = append(out, line)
	}
	if f.More > 0 {
		out = append(out, fmt.Sprintf("and %d more that the same lines declare", f.More))
	}
	return out
}

// Heads names the runs of a finding, with the length of the longest name.
func Heads(f *model.Finding) (heads []string, width int) {
	for i, r := range f.Runs {
		h := orderText(r.Order)
		switch {
		case h != "":
		case len(f.Runs) == 1:
			h = "the run"
		default:
			h = []string{"first run", "second run"}[min(i, 1)]
		}
		heads = append(heads, h)
		width = max(width, len([]rune(h)))
	}
	return heads, width
}

// orderText names the resources of an order: by type if that is enough.
func orderText(order []*catalog.Resource) string {
	types := map[string]bool{}
	for _, r := range order {
		types[r.Type] = true
	}
	var names []string
	for _, r := range order {
		if len(types) == len(order) {
			names = append(names, strings.ToLower(r.Type))
		} else {
			names = append(names, r.Ref())
		}
	}
	return strings.Join(names, ", then ")
}

// Sort puts the gravest first, then by code and place: the same problems always come in the same order.
func (run *Run) Sort() {
	slices.SortStableFunc(run.Problems, func(x, y *Problem) int {
		return cmp.Or(first(x)-first(y), int(x.Severity)-int(y.Severity), strings.Compare(x.Code, y.Code),
			strings.Compare(x.Where.File, y.Where.File), x.Where.Line-y.Where.Line)
	})
}

// first puts an empty catalog before everything else: whatever is said of the node then is said of nothing.
func first(p *Problem) int {
	if p.Code == "V904" {
		return 0
	}
	return 1
}

// Count says how many problems of a severity count.
func (run *Run) Count(s source.Severity) (n int) {
	for _, p := range run.Problems {
		if p.Suppressed.By == "" && p.Severity == s {
			n++
		}
	}
	return n
}

// Suppressed says how many problems do not count.
func (run *Run) Suppressed() (n int) {
	for _, p := range run.Problems {
		if p.Suppressed.By != "" {
			n++
		}
	}
	return n
}

// Open are the problems of a node that count.
func (n *Node) Open() (open []*Problem) {
	for _, p := range n.Problems {
		if p.Suppressed.By == "" {
			open = append(open, p)
		}
	}
	return open
}
