package web

import (
	"context"
	"net/url"
	"path"
	"slices"
	"strings"

	"bunraku/audit"
	"bunraku/fleet"
	"bunraku/puppet/syntax"
	"bunraku/source"
)

// Code: files with how many nodes have something from each line, grey where no node ever came.
//
// Data files are shown by their keys only: whether a datum is secret is known for what nodes have read, and not for the
// rest of the file.

type codePage struct {
	Files    []codeFile    `json:"files,omitempty"`
	Frogs    []string      `json:"frogs,omitempty"` // specifications of SmartFrog
	Nodes    int           `json:"nodes"`
	File     string        `json:"file,omitempty"`
	Lines    []codeLine    `json:"lines,omitempty"`
	Keys     []keyPlaceRow `json:"keys,omitempty"`
	Problems []*problemRow `json:"problems,omitempty"`
	Clipped  bool          `json:"clipped,omitempty"`
}

type codeFile struct {
	File     string `json:"file"`
	Nodes    int    `json:"nodes"` // that have something from it
	Lines    int    `json:"lines"`
	Grey     int    `json:"grey"` // lines that no node came to
	Broken   bool   `json:"broken,omitempty"`
	Problems int    `json:"problems"`
	// Uncounted says that nobody knows whether anything came to it: it has neither classes nor defines nor branches.
	Uncounted bool `json:"uncounted,omitempty"`
}

type codeLine struct {
	Text  string `json:"t"`
	Nodes int    `json:"n,omitempty"`
	Grey  bool   `json:"g,omitempty"`
}

type keyPlaceRow struct {
	Key  string `json:"key"`
	Line int    `json:"line"`
	Used bool   `json:"used"`
}

// definitions is where classes and defines are, by plain name.
func definitions(cover *audit.Coverage) map[string]source.Place {
	out := map[string]source.Place{}
	if cover != nil {
		for _, i := range cover.Items {
			if i.Kind == "class" || i.Kind == "define" {
				out[i.Name] = i.Place
			}
		}
	}
	return out
}

func (st *state) codePage(_ context.Context, q url.Values) (any, error) {
	page := &codePage{Nodes: len(st.nodes)}
	file := q.Get("file")
	if file == "" {
		return st.codeFiles(page), nil
	}
	page.File = file
	for _, p := range st.run.Problems {
		if p.Where.File == file && p.Suppressed.By == "" {
			page.Problems = append(page.Problems, rowOf(p))
		}
	}
	if isData(file) {
		if st.cover != nil {
			for _, i := range st.cover.Items {
				if i.Kind == "key" && i.Place.Known() && i.Place.File.Name == file {
					page.Keys = append(page.Keys, keyPlaceRow{clip(i.Name, clipTitle), i.Place.Line(), i.Used})
				}
			}
		}
		if page.Keys == nil {
			return nil, notFound("%s is none of the files whose lines are shown", clip(file, clipTitle))
		}
		return page, nil
	}
	text, grey, err := st.lines(file)
	if err != nil {
		return nil, err
	}
	counts := st.table.heat[file]
	for n := 1; n <= text.LineCount(); n++ {
		if n > 20_000 {
			page.Clipped = true
			break
		}
		page.Lines = append(page.Lines, codeLine{clip(strings.TrimRight(text.Line(n), "\r\n"), clipLine), counts[n],
			grey[n] && counts[n] == 0})
	}
	return page, nil
}

// lines are those of a manifest or a template, and which of them no node came to.
func (st *state) lines(file string) (*source.File, map[int]bool, error) {
	for _, p := range st.ruby {
		if st.display(p) == file {
			text, err := st.rubyTemplate(p)
			grey := map[int]bool{}
			for n := 1; err == nil && st.unused(file) && n <= text.LineCount(); n++ {
				grey[n] = true
			}
			return text, grey, err
		}
	}
	at := slices.IndexFunc(st.files, func(p string) bool { return st.display(p) == file })
	if at < 0 { // no path is made of what somebody asks
		return nil, nil, notFound("%s is none of the files whose lines are shown", clip(file, clipTitle))
	}
	tree, _, err := st.site.plain.Parse(st.snap.Files(), st.files[at], fleet.IsPlan(st.files[at]))
	if err != nil {
		return nil, nil, err
	}
	st.hideWritten(tree)
	return tree.Source, st.grey(tree), nil
}

// rubyTemplate reads a template in ERB.
func (st *state) rubyTemplate(p string) (*source.File, error) {
	c, err := st.snap.Files().Read(p)
	if err != nil {
		return nil, err
	}
	return source.NewFile(st.display(p), c.Text), nil
}

// unused reports whether a template was rendered on no node. Of other people's modules nobody counts it.
func (st *state) unused(template string) bool {
	return st.cover != nil && slices.ContainsFunc(st.cover.Items, func(i audit.Item) bool {
		return i.Kind == "template" && i.Name == template && !i.Used
	})
}

func (st *state) display(p string) string { return st.snap.Environment().Display(p) }

// codeFiles lists the manifests and templates.
func (st *state) codeFiles(page *codePage) *codePage {
	problems := map[string]int{}
	for _, p := range st.run.Problems {
		if p.Suppressed.By == "" {
			problems[p.Where.File]++
		}
	}
	if frogs, err := st.specifications(); err == nil {
		for _, p := range frogs[:min(len(frogs), mostFrog)] {
			page.Frogs = append(page.Frogs, st.display(p))
		}
	}
	page.Files = []codeFile{}
	idle, counted := map[string]bool{}, map[string]bool{}
	if st.cover != nil {
		for _, i := range st.cover.Items {
			if i.Kind == "template" {
				idle[i.Name] = !i.Used
				counted[i.Name] = true
			} else if i.Place.Known() {
				counted[i.Place.File.Name] = true
			}
		}
	}
	row := func(p string) codeFile {
		f := codeFile{File: st.display(p)}
		f.Problems = problems[f.File]
		for _, n := range st.table.heat[f.File] {
			f.Nodes = max(f.Nodes, n)
		}
		return f
	}
	for _, p := range st.ruby {
		f := row(p)
		text, err := st.rubyTemplate(p)
		if f.Broken = err != nil; !f.Broken {
			f.Lines = text.LineCount()
		}
		if f.Uncounted = !counted[f.File]; idle[f.File] {
			f.Grey = f.Lines
		}
		page.Files = append(page.Files, f)
	}
	for _, p := range st.files {
		f := row(p)
		tree, found, err := st.site.plain.Parse(st.snap.Files(), p, fleet.IsPlan(p))
		f.Broken = err != nil || found.HasErrors()
		if err == nil && tree != nil {
			f.Lines = tree.Source.LineCount()
			f.Grey = len(st.grey(tree))
			if idle[f.File] {
				f.Grey = f.Lines
			}
			f.Uncounted = f.Grey+f.Nodes == 0 && !counted[f.File] && !st.main[f.File]
		}
		page.Files = append(page.Files, f)
	}
	slices.SortFunc(page.Files, func(a, b codeFile) int { return strings.Compare(a.File, b.File) })
	return page
}

// grey are the lines of a manifest that no node came to: classes and defines that none has, branches that none took,
// and what stands outside of them in a file that no compile begins with, as examples do.
func (st *state) grey(tree *syntax.File) map[int]bool {
	out := map[int]bool{}
	if st.cover == nil || tree == nil {
		return out
	}
	missed := map[uint32]bool{}
	for _, i := range st.cover.Items {
		if !i.Used && i.Place.Known() && i.Place.File.Name == tree.Source.Name && i.Kind != "key" {
			missed[i.Place.Span.Start] = true
		}
	}
	shade := func(from, to uint32) {
		for n := tree.Source.LineOf(from); n <= tree.Source.LineOf(max(from, to-1)); n++ {
			out[n] = true
		}
	}
	if name := tree.Source.Name; path.Ext(name) == ".pp" && !st.main[name] {
		for _, s := range tree.Body.Stmts {
			if _, is := s.(syntax.Definition); !is {
				shade(s.Span().Start, s.Span().End)
			}
		}
	}
	if len(missed) == 0 {
		return out
	}
	for _, d := range tree.Defs {
		switch d := d.(type) {
		case *syntax.Class:
			if missed[d.NameAt.Start] {
				shade(d.Span().Start, d.Span().End)
			}
		case *syntax.Define:
			if missed[d.NameAt.Start] {
				shade(d.Span().Start, d.Span().End)
			}
		}
	}
	block := func(list []syntax.Expr) {
		if len(list) > 0 && missed[list[0].Span().Start] {
			shade(list[0].Span().Start, list[len(list)-1].Span().End)
		}
	}
	for _, s := range tree.Body.Stmts {
		syntax.Walk(s, func(n syntax.Node) bool {
			switch n := n.(type) {
			case *syntax.If:
				block(n.Then.Stmts)
				block(n.Else.Stmts)
			case *syntax.Option:
				block(n.Then.Stmts)
			case *syntax.Selector:
				for _, e := range n.Entries {
					block([]syntax.Expr{e.Value})
				}
			}
			return true
		})
	}
	return out
}

// hideWritten takes in the texts that code wraps in Sensitive where it stands, since no compile may have come there.
func (st *state) hideWritten(tree *syntax.File) {
	hide := func(args []syntax.Expr) {
		for _, a := range args {
			syntax.Walk(a, func(n syntax.Node) bool {
				if s, is := n.(*syntax.Str); is {
					st.site.opt.Secrets.Add(s.Value)
				}
				return true
			})
		}
	}
	sensitive := func(x syntax.Expr) bool {
		r, is := x.(*syntax.Ref)
		return is && strings.TrimPrefix(r.Value, "::") == "Sensitive"
	}
	for _, s := range tree.Body.Stmts {
		syntax.Walk(s, func(n syntax.Node) bool {
			switch n := n.(type) {
			case *syntax.Call:
				if sensitive(n.Functor) {
					hide(n.Args)
				}
			case *syntax.MethodCall:
				if n.Functor != nil && sensitive(n.Functor.Left) {
					hide(n.Args)
				}
			}
			return true
		})
	}
}
