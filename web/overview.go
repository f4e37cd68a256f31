package web

import (
	"context"
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"bunraku/audit"
	"bunraku/diff"
	"bunraku/fleet"
	"bunraku/report"
	"bunraku/source"
)

// The first screen: what fails, what the work tree changes, what was found, and which nodes all of that is about.

type overview struct {
	Name     string        `json:"name"`
	Version  string        `json:"version"`
	Took     float64       `json:"took"` // seconds
	Trouble  string        `json:"trouble,omitempty"`
	Nodes    nodeCounts    `json:"nodes"`
	Failures []*problemRow `json:"failures"`
	Findings []*problemRow `json:"findings"`
	More     int           `json:"more"` // findings that are not listed
	Ignored  int           `json:"ignored"`
	Change   *changeView   `json:"change,omitempty"`
	Coverage []coverRow    `json:"coverage"`
	Excuses  []excuseRow   `json:"excuses"`
	Wanted   []string      `json:"wanted"` // modules that are named and not there
}

type nodeCounts struct {
	Real     int `json:"real"`
	Invented int `json:"invented"`
	NotDone  int `json:"not_done"`
	Failing  int `json:"failing"`
	Found    int `json:"found"`
	Unknown  int `json:"unknown"`
	Fine     int `json:"fine"`
}

type problemRow struct {
	ID       string   `json:"id"`
	Code     string   `json:"code"`
	Severity string   `json:"severity"`
	Summary  string   `json:"summary"`
	At       string   `json:"at,omitempty"`
	File     string   `json:"file,omitempty"`
	Line     int      `json:"line,omitempty"`
	Nodes    []string `json:"nodes"`
	Count    int      `json:"count"` // of nodes
	Fix      bool     `json:"fix,omitempty"`
	Ignored  string   `json:"ignored,omitempty"`
}

type coverRow struct {
	Kind string `json:"kind"`
	Used int    `json:"used"`
	Of   int    `json:"of"`
}

type excuseRow struct {
	Reason string   `json:"reason"`
	Names  []string `json:"names"`
	Count  int      `json:"count"`
}

type changeView struct {
	Pending bool       `json:"pending,omitempty"`
	Error   string     `json:"error,omitempty"`
	From    string     `json:"from,omitempty"`
	To      string     `json:"to,omitempty"`
	Changed int        `json:"changed"`
	Fails   int        `json:"fails"`
	Same    int        `json:"same"`
	Unknown int        `json:"unknown"`
	Groups  []groupRow `json:"groups"`
	More    int        `json:"more"` // groups that are not listed
}

type groupRow struct {
	ID      string `json:"id"`
	Summary string `json:"summary"`
	Nodes   int    `json:"nodes"`
}

// few is how many of a kind the first screen lists.
const few = 8

// about is what all pages want to know: what the tree is called, and which part of its paths goes without saying.
func (st *state) about(context.Context, url.Values) (any, error) {
	return map[string]string{"name": st.run.Name, "version": st.site.opt.Version,
		"root": st.root()}, nil
}

// root is what the names of all files of the tree begin with.
func (st *state) root() string { return filepath.ToSlash(filepath.Clean(st.site.opt.Root)) }

func (st *state) overview(context.Context, url.Values) (any, error) {
	out := &overview{Version: st.site.opt.Version, Took: st.took.Seconds(), Failures: []*problemRow{},
		Findings: []*problemRow{}, Coverage: []coverRow{}, Excuses: []excuseRow{}, Wanted: []string{}, Name: st.run.Name}
	if st.trouble != nil {
		out.Trouble = st.trouble.Error()
		return out, nil
	}
	for i := range st.nodes {
		n := &st.nodes[i]
		if n.invented {
			out.Nodes.Invented++
		} else {
			out.Nodes.Real++
		}
		switch n.status {
		case "fails":
			out.Nodes.Failing++
		case "found":
			out.Nodes.Found++
		case "unknown":
			out.Nodes.Unknown++
		default:
			out.Nodes.Fine++
		}
	}
	out.Nodes.NotDone = len(st.excused)
	for _, p := range st.run.Problems {
		switch {
		case p.Suppressed.By != "":
			out.Ignored++
		case breaks(p):
			out.Failures = append(out.Failures, rowOf(p))
		case len(out.Findings) < few:
			out.Findings = append(out.Findings, rowOf(p))
		default:
			out.More++
		}
	}
	out.Change = st.changeView()
	if st.cover != nil {
		for _, kind := range audit.Kinds {
			if used, of := st.cover.Count(kind); of > 0 {
				out.Coverage = append(out.Coverage, coverRow{kind, used, of})
			}
		}
	}
	out.Excuses = st.excuses()
	if st.plan != nil {
		out.Wanted = append(out.Wanted, st.plan.Wanted...)
	}
	return out, nil
}

// breaks reports whether a problem keeps something from compiling.
func breaks(p *report.Problem) bool {
	return p.Finding == nil && p.Severity == source.Error
}

// rowOf is a problem in a line.
func rowOf(p *report.Problem) *problemRow {
	row := &problemRow{ID: p.Fingerprint, Code: p.Code, Severity: severity(p.Severity),
		Summary: clip(p.Summary, clipTitle),
		File:    p.Where.File, Line: p.Where.Line, Count: len(p.Nodes),
		Nodes: append([]string{}, p.Nodes[:min(few, len(p.Nodes))]...),
		Fix:   len(p.Fixes) > 0}
	if p.Suppressed.By != "" {
		row.Ignored = "by a " + p.Suppressed.By + ": " + p.Suppressed.Reason
	}
	if p.Place.Known() {
		row.At = p.Place.String()
	} else if p.Where.File != "" {
		row.At = p.Where.File
	}
	return row
}

func severity(s source.Severity) string {
	switch s {
	case source.Error:
		return "error"
	case source.Warning:
		return "warning"
	}
	return "note"
}

// status is what became of a node, in a word.
func status(n *fleet.Checked) string {
	switch {
	case n.Catalog == nil:
		return "fails"
	case slices.ContainsFunc(n.Verdict.Node.Open(), func(p *report.Problem) bool { return p.Severity != source.Note }):
		return "found"
	case n.Verdict.Undecided || len(n.Verdict.Node.Unknown) > 0 || n.Opaque > 0 || n.Partial:
		return "unknown"
	}
	return "fine"
}

// changeView is the change in figures, and its first groups.
func (st *state) changeView() *changeView {
	c := st.change
	switch {
	case c == nil || !c.pending && c.report == nil && c.err == nil:
		return nil
	case c.pending:
		return &changeView{Pending: true, Groups: []groupRow{}}
	case c.err != nil:
		return &changeView{Error: c.err.Error(), Groups: []groupRow{}}
	}
	r := c.report
	v := &changeView{From: r.From, To: r.To, Changed: r.Count(diff.Changed) + r.Count(diff.Mended),
		Fails: r.Count(diff.Fails),
		Same:  r.Count(diff.Equal) + r.Count(diff.CannotChange), Unknown: r.Count(diff.Unknown) + r.Count(diff.FailsBoth),
		Groups: []groupRow{}}
	for _, g := range r.Groups {
		if len(v.Groups) == few {
			v.More = len(r.Groups) - few
			break
		}
		v.Groups = append(v.Groups, groupRow{g.Letter, clip(g.Summary(), clipTitle), len(g.Nodes)})
	}
	return v
}

// excuses are the nodes that were not looked at, by reason.
func (st *state) excuses() []excuseRow {
	out := []excuseRow{}
	at := map[string]int{}
	for _, x := range st.excused {
		reason := excuseText(x.Excuse)
		i, there := at[reason]
		if !there {
			i = len(out)
			at[reason] = i
			out = append(out, excuseRow{Reason: reason, Names: []string{}})
		}
		out[i].Count++
		if len(out[i].Names) < few {
			out[i].Names = append(out[i].Names, strings.TrimSuffix(x.Name, " (invented)"))
		}
	}
	return out
}

// excuseText is why a node was not looked at.
func excuseText(e *fleet.Excuse) string {
	words := map[fleet.ExcuseKind]string{
		fleet.NeedsModule:     "the module is not there: ",
		fleet.NeedsParameters: "must be given: ",
		fleet.NeedsData:       "Hiera has no value of ",
		fleet.NeedsFiles:      "only a server has ",
		fleet.NeedsValues:     "it may hang on data, files or facts that were not found: ",
		fleet.NeedsVariables:  "nobody sets, as a classifier would: ",
		fleet.NeedsFacts:      "it may hang on facts that were invented: ",
		fleet.NeedsOthers:     "something must be declared beside it: ",
		fleet.Refuses:         "the code refuses: ",
		fleet.NeedsUse:        "it may hang on the invented use: ",
		fleet.NoEnvironment:   "the tree is no environment as it is: ",
		fleet.NotTried:        "none of the others that were tried compiles, most for: ",
	}
	return words[e.Kind] + clip(strings.Join(strings.Fields(e.Detail), " "), clipCell)
}
