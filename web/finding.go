package web

import (
	"bytes"
	"cmp"
	"context"
	"net/url"
	"slices"
	"strings"

	"bunraku/fleet"
	"bunraku/puppet/catalog"
	"bunraku/report"
	"bunraku/source"
	"bunraku/verify/model"
)

// What is wrong: all of it, and one thing in full, with the runs that show it side by side, step by step, and the edit
// that mends it as a patch.

func (st *state) findingsPage(context.Context, url.Values) (any, error) {
	rows := []*problemRow{}
	for _, p := range st.run.Problems {
		rows = append(rows, rowOf(p))
	}
	return map[string]any{"problems": rows}, nil
}

type findingPage struct {
	*problemRow
	Meaning string       `json:"meaning,omitempty"`
	Detail  []string     `json:"detail"`
	Help    string       `json:"help,omitempty"`
	Stack   []string     `json:"stack"`
	All     []string     `json:"all"` // nodes, as many as anybody reads
	Lines   []sourceLine `json:"lines"`
	Refs    []string     `json:"refs"` // resources that it is about
	Initial []string     `json:"initial"`
	Lanes   []laneView   `json:"lanes"`
	Fix     string       `json:"patch,omitempty"`
	Verdict string       `json:"fix_verdict,omitempty"`
	Lesson  *lessonView  `json:"lesson,omitempty"`
}

type laneView struct {
	Title  string     `json:"title"`
	Result string     `json:"result"`
	Failed bool       `json:"failed,omitempty"`
	Steps  []stepView `json:"steps"`
}

type stepView struct {
	Ref     string       `json:"ref"`
	Main    bool         `json:"main,omitempty"` // the finding is about it
	Changes []changeLine `json:"changes,omitempty"`
	More    int          `json:"more,omitempty"` // changes that are not listed
	Failed  string       `json:"failed,omitempty"`
	Quiet   int          `json:"quiet,omitempty"` // in place of a resource: how many that play no part
}

type changeLine struct {
	What   string `json:"what"`
	Before string `json:"before"`
	After  string `json:"after"`
}

type lessonView struct {
	What    string `json:"what"`
	Example string `json:"example"`
	Cure    string `json:"cure"`
}

func (st *state) findingPage(ctx context.Context, q url.Values) (any, error) {
	i := slices.IndexFunc(st.run.Problems, func(p *report.Problem) bool { return p.Fingerprint == q.Get("id") })
	if i < 0 {
		return nil, notFound("there is no such finding any more: perhaps it was mended")
	}
	p := st.run.Problems[i]
	page := &findingPage{problemRow: rowOf(p), Meaning: report.Meaning(p.Code), Help: clip(p.Help, clipLine),
		Detail: []string{}, Stack: append([]string{}, p.Stack...),
		All: append([]string{}, p.Nodes[:min(500, len(p.Nodes))]...), Lines: []sourceLine{}, Refs: []string{},
		Initial: []string{}, Lanes: []laneView{}}
	line := func(at source.Place, role string, hidden bool) {
		if at.Known() && !hidden {
			page.Lines = append(page.Lines, sourceLine{File: at.File.Name, Line: at.Line(),
				Text: clip(at.File.Line(at.Line()), clipLine), Role: clip(role, clipCell)})
		}
	}
	line(p.Place, cmp.Or(p.Label, "here"), p.Hidden)
	for _, r := range p.Diagnostic.Related {
		line(r.Place, r.Label, r.Hidden)
	}
	if l, there := report.LessonOf(p.Code); there {
		page.Lesson = &lessonView{l.What, l.Example, l.Cure}
	}
	if p.Finding == nil {
		page.Detail = texts(p.Detail)
		return page, nil
	}
	st.evidence(ctx, page, p)
	return page, nil
}

func texts(s string) []string {
	if s == "" {
		return []string{}
	}
	return strings.Split(clip(s, clipValue), "\n")
}

// evidence adds what verify has found out.
func (st *state) evidence(ctx context.Context, page *findingPage, p *report.Problem) {
	f := p.Finding
	if f.Note != "" {
		page.Detail = append(page.Detail, clip(f.Note, clipLine))
	}
	page.Initial = append(page.Initial, f.Initial...)
	for _, r := range f.Resources {
		page.Refs = append(page.Refs, clip(r.Ref(), clipTitle))
	}
	heads, _ := report.Heads(f)
	replayed := st.replay(ctx, p)
	for i, r := range f.Runs {
		lane := laneView{Title: heads[i], Result: clip(r.Result, clipLine), Steps: []stepView{}}
		if i < len(replayed) {
			lane.Failed = replayed[i].Failed != ""
			lane.Steps = steps(replayed[i].Steps, f.Resources)
		} else {
			for _, x := range r.Order {
				lane.Steps = append(lane.Steps, stepView{Ref: clip(x.Ref(), clipTitle), Main: true})
			}
		}
		page.Lanes = append(page.Lanes, lane)
	}
	if f.Fix == nil {
		return
	}
	page.Verdict = "not verified: " + f.Fix.String()
	if f.Fix.Verified {
		page.Verdict = "verified: with it, and with all other edits, the finding is gone and nothing else breaks"
	}
	var patch bytes.Buffer
	hide := st.site.opt.Secrets.Hide
	(&report.Run{Problems: []*report.Problem{p}, Own: st.site.own}).Patch(&patch, st.site.opt.Root,
		func(line string) bool { return source.Harmless(line) && hide(line) == line })
	if page.Fix = clip(patch.String(), clipValue); page.Fix == "" && p.Remedy != nil {
		page.Fix = cmp.Or(p.Remedy.Statement, f.Fix.String())
	}
}

// replay runs a finding once more. If what it was found with is no longer there, its first node is judged again.
func (st *state) replay(ctx context.Context, p *report.Problem) []model.Lane {
	if x := st.reports[p.Finding]; x != nil {
		return x.Replay(p.Finding)
	}
	if p.Finding.Evidence == nil || len(p.Nodes) == 0 {
		return nil
	}
	i, there := st.byName[p.Nodes[0]]
	if !there {
		return nil
	}
	given, err := st.given(i)
	if err != nil {
		return nil
	}
	res, err := st.snap.Compile(ctx, given)
	if err != nil || res.Failure != nil {
		return nil
	}
	st.site.opt.Watch(res)
	v, err := st.judge.Judge(ctx, fleet.NewSuspect(st.snap, res, given.Facts))
	if err != nil || v.Report == nil {
		return nil
	}
	for j := range v.Report.Findings {
		if f := &v.Report.Findings[j]; f.Code == p.Finding.Code && slices.EqualFunc(f.Resources, p.Finding.Resources,
			func(a, b *catalog.Resource) bool { return a.Name() == b.Name() }) {
			return v.Report.Replay(f)
		}
	}
	return nil
}

// most of the changes of one step, and of the steps of a lane, that are shown.
const (
	mostChanges = 12
	mostSteps   = 60
)

// steps are those that a finding is about or that do something to what those touch; the rest is counted.
func steps(all []model.ReplayStep, about []*catalog.Resource) []stepView {
	touched := map[string]bool{}
	for _, s := range all {
		if slices.Contains(about, s.Resource) {
			for _, c := range s.Changes {
				touched[c.What] = true
			}
		}
	}
	out := []stepView{}
	quiet := 0
	flush := func() {
		if quiet > 0 {
			out = append(out, stepView{Quiet: quiet})
			quiet = 0
		}
	}
	for _, s := range all {
		main := slices.Contains(about, s.Resource)
		part := main || s.Failed != "" || slices.ContainsFunc(s.Changes,
			func(c model.StateChange) bool { return touched[c.What] })
		if !part || len(out) >= mostSteps && !main && s.Failed == "" {
			quiet++
			continue
		}
		flush()
		v := stepView{Ref: clip(s.Resource.Ref(), clipTitle), Main: main, Failed: clip(s.Failed, clipLine)}
		for i, c := range s.Changes {
			if i == mostChanges {
				v.More = len(s.Changes) - i
				break
			}
			v.Changes = append(v.Changes, changeLine{clip(c.What, clipCell), clip(c.Before, clipCell), clip(c.After, clipCell)})
		}
		out = append(out, v)
	}
	flush()
	return out
}
