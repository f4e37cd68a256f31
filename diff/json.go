package diff

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"bunraku/puppet/catalog"
	"bunraku/puppet/types"
	"bunraku/puppet/value"
)

// The report as JSON, for programs. Fields are only ever added. What is Sensitive is not in it.

type jsonReport struct {
	Version  int            `json:"version"`
	Kind     string         `json:"kind"`
	Name     string         `json:"name"`
	From     string         `json:"from"`
	To       string         `json:"to"`
	Invented bool           `json:"invented,omitempty"`
	Counts   map[string]int `json:"counts"` // nodes by state
	Nodes    []jsonNode     `json:"nodes"`
	Groups   []jsonGroup    `json:"groups"`
	Failures []jsonFailure  `json:"failures"`
	NotKnown []jsonChange   `json:"not_known"`
	// what a run does to machines that have the old catalog
	Consequences []jsonConsequence `json:"consequences"`
	Findings     []jsonConsequence `json:"findings"`
	Hunks        []jsonHunk        `json:"hunks"`
	Notes        []string          `json:"notes"`
}

type jsonNode struct {
	Name   string   `json:"name"`
	State  string   `json:"state"`
	Groups []string `json:"groups,omitempty"`
	Empty  bool     `json:"empty,omitempty"`
	Why    string   `json:"why,omitempty"`
	// it differs in what is ignored
	Ignored bool `json:"ignored,omitempty"`
}

type jsonGroup struct {
	ID      string       `json:"id"`
	Nodes   []string     `json:"nodes"`
	Cause   *jsonCause   `json:"cause,omitempty"`
	Changes []jsonChange `json:"changes"`
}

type jsonCause struct {
	Hunks   []jsonHunk `json:"hunks"`
	Either  bool       `json:"either,omitempty"`
	Sure    bool       `json:"sure"`
	Through []string   `json:"through,omitempty"` // nodes whose exports are others
	Other   string     `json:"other,omitempty"`
}

type jsonHunk struct {
	File          string `json:"file"`
	Old           *Range `json:"old,omitempty"`
	New           *Range `json:"new,omitempty"`
	Commit        string `json:"commit,omitempty"`
	Author        string `json:"author,omitempty"`
	Title         string `json:"title,omitempty"`
	WithoutEffect string `json:"without_effect,omitempty"`
	NoEffectSeen  string `json:"no_effect_seen,omitempty"`
}

type jsonChange struct {
	Kind       string          `json:"kind"`
	Resource   string          `json:"resource"`
	To         string          `json:"to,omitempty"`
	Attribute  string          `json:"attribute,omitempty"`
	File       string          `json:"file,omitempty"`
	Old        json.RawMessage `json:"old,omitempty"`
	New        json.RawMessage `json:"new,omitempty"`
	Sensitive  bool            `json:"sensitive,omitempty"`
	Gone       bool            `json:"gone,omitempty"`
	Container  bool            `json:"container,omitempty"`
	Unexpected bool            `json:"unexpected,omitempty"`
	Example    bool            `json:"example,omitempty"` // what is shown is of the first node; others have their own
	Text       string          `json:"text,omitempty"`
	Lines      []jsonBlock     `json:"lines,omitempty"`
	OldAt      *Spot           `json:"old_at,omitempty"`
	NewAt      *Spot           `json:"new_at,omitempty"`
	Nodes      []string        `json:"nodes,omitempty"`
	Cause      *jsonCause      `json:"cause,omitempty"` // of what is not known; changes have that of their group
}

type jsonBlock struct {
	OldLine int      `json:"old_line"`
	NewLine int      `json:"new_line"`
	Old     []string `json:"old"`
	New     []string `json:"new"`
}

type jsonFailure struct {
	State   string     `json:"state"`
	Code    string     `json:"code"`
	Message string     `json:"message"`
	Was     string     `json:"was,omitempty"` // the message of the old side, if it is another one
	At      string     `json:"at,omitempty"`
	Nodes   []string   `json:"nodes"`
	Cause   *jsonCause `json:"cause,omitempty"`
}

// JSON is the report as plain data.
func (r *Report) JSON() any {
	out := jsonReport{Version: 1, Kind: "diff", Name: r.Name, From: r.From, To: r.To, Invented: r.Invented,
		Counts: map[string]int{}, Nodes: []jsonNode{}, Groups: []jsonGroup{}, Failures: []jsonFailure{},
		NotKnown: []jsonChange{}, Hunks: []jsonHunk{}, Consequences: r.jsonConsequences(r.Consequences),
		Findings: r.jsonConsequences(r.Findings),
		Notes:    append([]string{}, r.Notes...)}
	groups := make([][]string, len(r.Nodes))
	for _, g := range r.Groups {
		j := jsonGroup{ID: g.Letter, Nodes: r.Names(g.Nodes), Cause: g.Cause.json(), Changes: []jsonChange{}}
		for _, it := range g.Items {
			j.Changes = append(j.Changes, it.Change.json())
		}
		for _, n := range g.Nodes {
			groups[n] = append(groups[n], g.Letter)
		}
		out.Groups = append(out.Groups, j)
	}
	for i, n := range r.Nodes {
		out.Counts[n.State.String()]++
		out.Nodes = append(out.Nodes, jsonNode{n.Name, n.State.String(), groups[i], n.Empty, n.Excuse, n.Ignored})
	}
	for _, f := range r.Failures {
		j := jsonFailure{State: f.State.String(), Code: f.Code, Message: f.Summary, Nodes: r.Names(f.Nodes),
			Cause: f.Cause.json()}
		if f.Place.Known() {
			j.At = f.Place.String()
		}
		if f.Was != nil {
			j.Was = f.Was.Summary
		}
		out.Failures = append(out.Failures, j)
	}
	for _, it := range r.Unknown {
		j := it.Change.json()
		j.Nodes, j.Cause = r.Names(it.Nodes), it.Cause.json()
		out.NotKnown = append(out.NotKnown, j)
	}
	for _, h := range r.Hunks {
		out.Hunks = append(out.Hunks, h.json())
	}
	return out
}

func (c *Cause) json() *jsonCause {
	if c == nil {
		return nil
	}
	out := &jsonCause{Hunks: []jsonHunk{}, Either: c.Either, Sure: c.Sure, Through: c.Through, Other: c.Other}
	for _, h := range c.Hunks {
		out.Hunks = append(out.Hunks, h.json())
	}
	return out
}

func (h *Hunk) json() jsonHunk {
	out := jsonHunk{File: h.File, Commit: h.Commit, Author: h.Author, Title: h.Title, WithoutEffect: h.Effect,
		NoEffectSeen: h.Unseen}
	if !h.Old.None() {
		out.Old = &h.Old
	}
	if !h.New.None() {
		out.New = &h.New
	}
	return out
}

// rawJSON is a value without secrets; nil for none.
func rawJSON(v value.Value) json.RawMessage {
	if v == nil {
		return nil
	}
	text, err := catalog.JSON{Types: types.ToData, Redact: true}.AppendValue(nil, v)
	if err != nil || !json.Valid(text) {
		text, _ = json.Marshal(strings.ToValidUTF8(Shown(v), "\ufffd"))
	}
	return text
}

func (c *Change) json() jsonChange {
	out := jsonChange{Kind: c.Kind.String(), Resource: c.Name.String(), Attribute: c.Attribute, File: c.File,
		Sensitive: c.Secret, Gone: c.Gone, Container: c.Container, Unexpected: c.Unexpected, Example: c.Example, Text: c.Text}
	if c.Kind == Renamed {
		out.To = c.To.String()
	}
	if !c.Secret {
		out.Old, out.New = rawJSON(c.Old), rawJSON(c.New)
	}
	for _, b := range c.Blocks {
		out.Lines = append(out.Lines, jsonBlock{b.OldLine, b.NewLine, append([]string{}, b.Old...),
			append([]string{}, b.New...)})
	}
	if c.OldAt.File != "" {
		out.OldAt = &c.OldAt
	}
	if c.NewAt.File != "" {
		out.NewAt = &c.NewAt
	}
	return out
}

// Octocatalog is the report in the words of octocatalog-diff's JSON: for one node what it prints, for several an object
// with that for each. It has no notion of what is not known, of relations and of cycles; they are left out.
func (r *Report) Octocatalog() any {
	all := map[string]any{}
	for _, n := range r.Nodes {
		list := []any{}
		for _, it := range n.Changes {
			list = append(list, it.Change.octocatalog()...)
		}
		header := "diff " + r.From + "/" + n.Name + " " + r.To + "/" + n.Name
		all[n.Name] = map[string]any{"diff": list, "header": header}
		if len(r.Nodes) == 1 {
			return all[n.Name]
		}
	}
	return all
}

// octocatalog is a change as arrays: its kind, what it is about, what was and is there, and where.
func (c *Change) octocatalog() (out []any) {
	if c.Kind == NotKnown || c.Kind == Relation || c.Kind == Cycle || c.Part > 0 { // told with the first part of the text
		return nil
	}
	where := func(s Spot) any {
		if s.File == "" {
			return map[string]any{"file": nil, "line": nil}
		}
		return map[string]any{"file": s.File, "line": s.Line}
	}
	entries := c.left
	if entries == nil {
		entries = c.entries()
	}
	for _, e := range entries {
		key := strings.Join(append([]string{e.name.Type, cmp.Or(pathOf(e.r), e.name.Title)}, e.path...), "\f")
		switch {
		case e.kind == '+':
			out = append(out, []any{"+", key, octocatalogResource(c.new), where(c.NewAt)})
		case e.kind == '-':
			out = append(out, []any{"-", key, octocatalogResource(c.old), where(c.OldAt)})
		case c.Secret:
			out = append(out, []any{string(e.kind), key, catalog.Redacted, catalog.Redacted, where(c.OldAt), where(c.NewAt)})
		case e.differs():
			out = append(out, []any{string(e.kind), key, rawJSON(e.old), rawJSON(e.new), where(c.OldAt), where(c.NewAt)})
		}
	}
	return out
}

// octocatalogResource is a resource that comes or goes.
func octocatalogResource(r *catalog.Resource) any {
	params := map[string]any{}
	for _, p := range r.Params {
		switch {
		case p.Name == "path" && pathOf(r) != "": // it stands for the title
		case r.IsSensitive(p.Name):
			params[p.Name] = catalog.Redacted
		case relationship(p.Name) || p.Name == "tag":
			params[p.Name] = rawJSON(arranged(p.Value))
		default:
			params[p.Name] = rawJSON(p.Value)
		}
	}
	out := map[string]any{"type": r.Type, "title": cmp.Or(pathOf(r), r.Title), "exported": r.Exported}
	if len(r.Tags) > 0 {
		out["tags"] = sorted(slices.Clone(r.Tags))
	}
	if len(params) > 0 {
		out["parameters"] = params
	}
	return out
}
