package report

import (
	"encoding/json"
	"io"
	"net/url"
	"path/filepath"
	"strings"

	"bunraku/source"
)

// SARIF prints a run as SARIF 2.1.0 (OASIS), which code hosts and editors read: rules, results with their places, fixes
// and suppressions. Columns count characters.
func (run *Run) SARIF(w io.Writer) error {
	out := sarifRun{ColumnKind: "unicodeCodePoints", Results: []sarifResult{}}
	out.Tool.Driver = sarifDriver{Name: "bunraku", Version: run.Version, Rules: []sarifRule{}}
	index := map[string]int{}
	for _, p := range run.Problems {
		at, ok := index[p.Code]
		if !ok {
			at = len(out.Tool.Driver.Rules)
			index[p.Code] = at
			out.Tool.Driver.Rules = append(out.Tool.Driver.Rules, sarifRuleOf(p))
		}
		out.Results = append(out.Results, sarifResultOf(p, at))
	}
	invocation := sarifInvocation{Successful: true}
	for _, n := range run.Nodes {
		invocation.Successful = invocation.Successful && !n.Failed
		for _, u := range n.Unknown {
			invocation.Notes = append(invocation.Notes, sarifNotification{sarifReference{Undecided}, "note",
				sarifText{n.Name + ": undecided: " + u}})
		}
	}
	out.Invocations = []sarifInvocation{invocation}
	return writeJSON(w, sarifLog{"https://json.schemastore.org/sarif-2.1.0.json", "2.1.0", []sarifRun{out}})
}

func sarifRuleOf(p *Problem) sarifRule {
	r := sarifRule{ID: p.Code, Short: sarifText{Meaning(p.Code)}}
	if r.Short.Text == "" {
		r.Short.Text = p.Summary
	}
	r.Default.Level = sarifLevel(p.Severity)
	return r
}

func sarifLevel(s source.Severity) string { return s.String() }

func sarifResultOf(p *Problem, rule int) sarifResult {
	r := sarifResult{RuleID: p.Code, RuleIndex: rule, Level: sarifLevel(p.Severity), Message: sarifText{p.Message()}}
	if p.Where.File != "" {
		r.Locations = []sarifLocation{sarifLocationOf(p.Where)}
	}
	for i, l := range p.Related {
		if l.File == "" {
			continue
		}
		x := sarifLocationOf(l)
		x.ID = i + 1
		x.Message = &sarifText{l.Text}
		r.Related = append(r.Related, x)
	}
	r.Fingerprints = map[string]string{"bunraku/v1": p.Fingerprint}
	for _, fix := range p.Fixes {
		r.Fixes = append(r.Fixes, sarifFixOf(fix))
	}
	switch p.Suppressed.By {
	case "comment":
		r.Suppressions = []sarifSuppression{{"inSource", p.Suppressed.Reason}}
	case "baseline":
		r.Suppressions = []sarifSuppression{{"external", p.Suppressed.Reason}}
	}
	if len(p.Nodes) > 0 {
		r.Properties = map[string]any{"nodes": p.Nodes}
	}
	return r
}

// Message is all that is to be said in plain text, one line after the other.
func (p *Problem) Message() string {
	s := p.Summary
	if p.Detail != "" {
		s += "\n" + p.Detail
	}
	if p.Help != "" {
		s += "\nhelp: " + p.Help
	}
	return s
}

func sarifLocationOf(l Location) sarifLocation {
	var out sarifLocation
	out.Physical.Artifact.URI = uriOf(l.File)
	if l.Line > 0 {
		out.Physical.Region = &sarifRegion{l.Line, l.Column, l.EndLine, l.EndColumn}
	}
	return out
}

// uriOf is a path as a URI: relative ones stay relative to where the command ran.
func uriOf(file string) string {
	u := url.URL{Path: strings.TrimPrefix(filepath.ToSlash(file), "./")}
	if strings.HasPrefix(u.Path, "/") {
		u.Scheme = "file"
	}
	return u.String()
}

func sarifFixOf(fix source.Fix) sarifFix {
	out := sarifFix{Description: sarifText{fix.Message}}
	for _, e := range fix.Edits {
		from, to := e.Place.File.Position(e.Place.Span.Start), e.Place.File.Position(e.Place.Span.End)
		change := sarifChange{}
		change.Artifact.URI = uriOf(e.Place.File.Name)
		change.Replacements = []sarifReplacement{{sarifRegion{from.Line, from.Column, to.Line, to.Column}, sarifText{e.Text}}}
		out.Changes = append(out.Changes, change)
	}
	return out
}

func writeJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}

type sarifLog struct {
	Schema  string     `json:"$schema"`
	Version string     `json:"version"`
	Runs    []sarifRun `json:"runs"`
}

type sarifRun struct {
	Tool        sarifTool         `json:"tool"`
	Invocations []sarifInvocation `json:"invocations"`
	ColumnKind  string            `json:"columnKind"`
	Results     []sarifResult     `json:"results"`
}

type sarifTool struct {
	Driver sarifDriver `json:"driver"`
}

type sarifDriver struct {
	Name    string      `json:"name"`
	Version string      `json:"version,omitempty"`
	Rules   []sarifRule `json:"rules"`
}

type sarifRule struct {
	ID      string    `json:"id"`
	Short   sarifText `json:"shortDescription"`
	Default struct {
		Level string `json:"level"`
	} `json:"defaultConfiguration"`
}

type sarifText struct {
	Text string `json:"text"`
}

type sarifInvocation struct {
	Successful bool                `json:"executionSuccessful"`
	Notes      []sarifNotification `json:"toolExecutionNotifications,omitempty"`
}

type sarifNotification struct {
	Descriptor sarifReference `json:"descriptor"`
	Level      string         `json:"level"`
	Message    sarifText      `json:"message"`
}

type sarifReference struct {
	ID string `json:"id"`
}

type sarifResult struct {
	RuleID       string             `json:"ruleId"`
	RuleIndex    int                `json:"ruleIndex"`
	Level        string             `json:"level"`
	Message      sarifText          `json:"message"`
	Locations    []sarifLocation    `json:"locations,omitempty"`
	Related      []sarifLocation    `json:"relatedLocations,omitempty"`
	Fingerprints map[string]string  `json:"partialFingerprints"`
	Fixes        []sarifFix         `json:"fixes,omitempty"`
	Suppressions []sarifSuppression `json:"suppressions,omitempty"`
	Properties   map[string]any     `json:"properties,omitempty"`
}

type sarifLocation struct {
	ID       int        `json:"id,omitempty"`
	Message  *sarifText `json:"message,omitempty"`
	Physical struct {
		Artifact sarifArtifact `json:"artifactLocation"`
		Region   *sarifRegion  `json:"region,omitempty"`
	} `json:"physicalLocation"`
}

type sarifArtifact struct {
	URI string `json:"uri"`
}

type sarifRegion struct {
	StartLine   int `json:"startLine"`
	StartColumn int `json:"startColumn,omitempty"`
	EndLine     int `json:"endLine,omitempty"`
	EndColumn   int `json:"endColumn,omitempty"`
}

type sarifFix struct {
	Description sarifText     `json:"description"`
	Changes     []sarifChange `json:"artifactChanges"`
}

type sarifChange struct {
	Artifact     sarifArtifact      `json:"artifactLocation"`
	Replacements []sarifReplacement `json:"replacements"`
}

type sarifReplacement struct {
	Deleted  sarifRegion `json:"deletedRegion"`
	Inserted sarifText   `json:"insertedContent"`
}

type sarifSuppression struct {
	Kind          string `json:"kind"`
	Justification string `json:"justification,omitempty"`
}
