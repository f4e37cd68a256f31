package main

import (
	"bunraku/judge"
	"bunraku/puppet/catalog"
	"bunraku/report"
	"bunraku/source"
)

type findingJSON struct {
	Code     string `json:"code"`
	Severity string `json:"severity"`
	Title    string `json:"title"`
	Grade    string `json:"grade,omitempty"`
	About    string `json:"about,omitempty"`
	Place    string `json:"place,omitempty"`
	// where the user's own code brings in what is declared in somebody else's
	Beside      string         `json:"beside,omitempty"`
	Note        string         `json:"note,omitempty"`
	Nodes       []string       `json:"nodes,omitempty"`
	More        int            `json:"more,omitempty"` // others that the same words declare, with the same fault
	Resources   []resourceJSON `json:"resources"`
	Initial     []string       `json:"initial,omitempty"`
	Runs        []runJSON      `json:"runs,omitempty"`
	Fix         *fixJSON       `json:"fix,omitempty"`
	Fingerprint string         `json:"fingerprint"`
	Ignored     *ignoredJSON   `json:"ignored,omitempty"`
}

type resourceJSON struct {
	Ref   string `json:"ref"`
	Place string `json:"place,omitempty"`
}

type runJSON struct {
	Order  []string `json:"order,omitempty"`
	Result string   `json:"result"`
}

type fixJSON struct {
	Resource resourceJSON `json:"resource"`
	Text     string       `json:"text"`
	Verified bool         `json:"verified"`
	// Statement says that Text is a statement of its own, for the user's code: Resource is declared in somebody else's.
	// Beside is a place for it.
	Statement bool       `json:"statement,omitempty"`
	Beside    string     `json:"beside,omitempty"`
	Edits     []editJSON `json:"edits,omitempty"`
}

// editJSON replaces what is between two places of a file: lines and columns from 1, columns in characters.
type editJSON struct {
	File      string `json:"file"`
	Line      int    `json:"line"`
	Column    int    `json:"column"`
	EndLine   int    `json:"end_line"`
	EndColumn int    `json:"end_column"`
	Text      string `json:"text"`
}

type ignoredJSON struct {
	By     string `json:"by"`
	Reason string `json:"reason,omitempty"`
}

type noteJSON struct {
	Resource string `json:"resource"`
	Model    string `json:"model"`
	Text     string `json:"text"`
}

// answersJSON are the verdicts about one catalog.
type answersJSON struct {
	Platform      string         `json:"platform,omitempty"`
	Base          []string       `json:"base,omitempty"` // what machines have before their first run
	Modelled      map[string]int `json:"modelled,omitempty"`
	Deterministic string         `json:"deterministic,omitempty"`
	Partial       bool           `json:"partial,omitempty"` // there is more than the findings say
	Success       string         `json:"succeeds,omitempty"`
	Idempotent    string         `json:"idempotent,omitempty"`
	Quiet         string         `json:"quiet,omitempty"`
	Unknown       []string       `json:"unknown,omitempty"`
	Needed        []string       `json:"needed,omitempty"`   // what would have to be assumed to prove success
	Accepted      []string       `json:"accepted,omitempty"` // what was assumed
	Unread        []unreadJSON   `json:"unread,omitempty"`   // automatic relations
}

type verifyJSON struct {
	Node string `json:"node"`
	answersJSON
	Problems []problemJSON `json:"problems,omitempty"`
	Findings []findingJSON `json:"findings"`
	After    *upgradeJSON  `json:"after,omitempty"`
	Assumed  []string      `json:"assumed,omitempty"`
	Notes    []noteJSON    `json:"notes,omitempty"`
}

func answersOf(v *judge.Verdict) answersJSON {
	out := answersJSON{Platform: v.Platform}
	if r := v.Report; r != nil {
		m := r.Model
		out.Modelled = map[string]int{"exact": m.Exact, "approximate": m.Approximate, "not": m.Unmodelled}
		out.Deterministic, out.Success = r.Deterministic.String(), r.Success.String()
		out.Partial = r.Partial
		out.Idempotent, out.Quiet = r.Idempotent.String(), r.Quiet.String()
		out.Unknown, out.Unread = r.Unknown, toUnreadJSON(m.Catalog.Unread)
		out.Accepted = m.Accepted
		for _, p := range r.Needed {
			out.Needed = append(out.Needed, p.Text)
		}
	}
	return out
}

func (v *verification) json() verifyJSON {
	doc := verifyJSON{Node: v.Catalog.Name, answersJSON: answersOf(v.Verdict), Findings: []findingJSON{},
		After: v.after.json()}
	for _, p := range v.run.Problems {
		if p.Finding == nil {
			doc.Problems = append(doc.Problems, problemOf(p.Diagnostic))
		} else {
			doc.Findings = append(doc.Findings, toFindingJSON(p))
		}
	}
	doc.Base = v.judge.flags.base
	if v.Report != nil {
		doc.Assumed = v.Report.Model.Assumed
		for _, n := range v.Report.Model.Notes {
			doc.Notes = append(doc.Notes, noteJSON{n.Resource.Ref(), n.Exact.String(), n.Text})
		}
	}
	return doc
}

func resourceOf(r *catalog.Resource) resourceJSON { return resourceJSON{r.Ref(), declaredAt(r)} }

func toFindingJSON(p *report.Problem) findingJSON {
	f := p.Finding
	out := findingJSON{Code: f.Code, Severity: p.Severity.String(), Title: f.Title, Grade: f.Grade, About: f.About,
		Place: f.At.String(), Beside: p.Beside.String(), Note: f.Note,
		Nodes: p.Nodes, More: f.More, Initial: f.Initial, Resources: []resourceJSON{}, Fingerprint: p.Fingerprint}
	for _, r := range f.Resources {
		out.Resources = append(out.Resources, resourceOf(r))
	}
	for _, r := range f.Runs {
		run := runJSON{Result: r.Result}
		for _, x := range r.Order {
			run.Order = append(run.Order, x.Ref())
		}
		out.Runs = append(out.Runs, run)
	}
	if r := p.Remedy; r != nil {
		out.Fix = &fixJSON{Resource: resourceOf(f.Fix.Resource), Text: remedyText(r, f.Fix), Verified: f.Fix.Verified,
			Statement: r.Statement != ""}
		for _, x := range p.Fixes {
			out.Fix.Edits = append(out.Fix.Edits, editsOf(x)...)
		}
	}
	if p.Suppressed.By != "" {
		out.Ignored = &ignoredJSON{p.Suppressed.By, p.Suppressed.Reason}
	}
	return out
}

func editsOf(fix source.Fix) (out []editJSON) {
	for _, e := range fix.Edits {
		f := e.Place.File
		from, to := f.Position(e.Place.Span.Start), f.Position(e.Place.Span.End)
		out = append(out, editJSON{f.Name, from.Line, from.Column, to.Line, to.Column, e.Text})
	}
	return out
}
