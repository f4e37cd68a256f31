package web

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"net/url"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"bunraku/puppet/environment"
	"bunraku/smartfrog"
	"bunraku/source"
)

// SmartFrog: a specification of the tree, equation by equation of its formal semantics, what became of it, and where
// one of its values comes from.

type frogPage struct {
	Files    []string       `json:"files,omitempty"` // to choose from, if none is chosen
	File     string         `json:"file,omitempty"`
	Extended bool           `json:"extended,omitempty"`
	Steps    []frogStep     `json:"steps"`
	Total    int            `json:"total"`
	Sources  []frogSource   `json:"sources"`
	Result   string         `json:"result,omitempty"`
	Refused  []refusal      `json:"refused"`
	Value    *frogValue     `json:"value,omitempty"`
	Missing  string         `json:"missing,omitempty"` // why there is no such value
	Ref      string         `json:"ref,omitempty"`
	numbers  map[string]int // of sources
}

type frogStep struct {
	Rule   string `json:"rule"`
	Within string `json:"within"`
	Target string `json:"target,omitempty"`
	Says   string `json:"says"`
	Source int    `json:"source"`
	Line   int    `json:"line"`
}

type frogSource struct {
	File  string   `json:"file"`
	Lines []string `json:"lines"`
}

// A frogValue is one attribute of the result, and its way from where it was written.
type frogValue struct {
	Where   frogPlace   `json:"where"`
	Steps   []frogPlace `json:"steps"`
	Hides   []frogPlace `json:"hides"`
	Decides []frogPlace `json:"decides"`
}

type frogPlace struct {
	Kind string `json:"kind,omitempty"`
	From string `json:"from,omitempty"`
	File string `json:"file"`
	Line int    `json:"line"`
	Text string `json:"text"`
}

// Bounds of a specification that somebody steps through.
const (
	mostWork = 200_000
	mostSize = 20_000
	mostFrog = 500 // files to choose from
)

// specifications are the files of SmartFrog in the tree.
func (st *state) specifications() ([]string, error) {
	files, _, err := environment.FilesBelow(st.snap.Files(), st.site.opt.Root, func(name, _ string) bool {
		return isFrog(name)
	})
	return files, err // a directory that cannot be listed has none to show
}

func isFrog(name string) bool { return path.Ext(name) == ".sf" }

// frogFiles are the files that may be included: what else a tree holds may be secret, and would be shown as a mistake.
type frogFiles struct{ fs.FS }

// ReadFile implements fs.ReadFileFS, which is how a view is read.
func (f frogFiles) ReadFile(name string) ([]byte, error) {
	if !isFrog(name) {
		return nil, &fs.PathError{Op: "open", Path: name, Err: errors.New("only files that end in .sf are included here")}
	}
	return fs.ReadFile(f.FS, name)
}

func (st *state) smartfrogPage(ctx context.Context, q url.Values) (any, error) {
	files, err := st.specifications()
	if err != nil {
		return nil, err
	}
	page := &frogPage{Steps: []frogStep{}, Sources: []frogSource{}, Refused: []refusal{}, File: q.Get("file"),
		Ref:      clip(q.Get("ref"), clipTitle),
		Extended: q.Get("extended") != "", numbers: map[string]int{}}
	if page.File == "" {
		for _, f := range files[:min(len(files), mostFrog)] {
			page.Files = append(page.Files, st.display(f))
		}
		return page, nil
	}
	at := slices.IndexFunc(files, func(p string) bool { return st.display(p) == page.File })
	if at < 0 { // no path is made of what somebody asks
		return nil, notFound("%s is none of the specifications of the tree", clip(page.File, clipTitle))
	}
	root, file := source.Absolute(st.site.opt.Root), source.Absolute(files[at])
	text, err := st.snap.Files().Read(file)
	if err != nil {
		return nil, err
	}
	below, err := filepath.Rel(root, file)
	if err != nil {
		return nil, err
	}
	main := source.NewFile(page.File, text.Text)
	page.source(main)
	observe := func(e smartfrog.Equation) {
		if page.Total++; page.Total > mostDerived || ctx.Err() != nil {
			return
		}
		page.Steps = append(page.Steps, frogStep{Rule: "Definition " + e.Definition,
			Within: clip(e.Within.String(), clipCell),
			Target: clip(e.Target.String(), clipCell), Says: clip(e.Says, clipCell), Source: page.source(e.Place.File),
			Line: e.Place.Line()})
	}
	result, trouble := smartfrog.Compile(main, frogFiles{source.FS(st.snap.Files(), root)},
		smartfrog.Options{Path: filepath.ToSlash(below),
			Extended: page.Extended, MaxWork: mostWork, MaxSize: mostSize, Observe: observe})
	for _, d := range trouble {
		page.Refused = append(page.Refused, refusalOf(d))
	}
	if result == nil {
		return page, nil
	}
	var b bytes.Buffer
	if err := result.WriteYAML(&b); err != nil {
		return nil, err
	}
	page.Result = clip(b.String(), clipValue)
	page.explain(result)
	return page, nil
}

// explain says where the chosen value comes from.
func (page *frogPage) explain(result *smartfrog.Result) {
	if page.Ref == "" {
		return
	}
	ref, ok := smartfrog.ParseReference(page.Ref)
	if !ok {
		page.Missing = "a reference is written like s2:web:port"
		return
	}
	x, trouble := result.Explain(ref)
	if trouble != nil {
		page.Missing = clip(trouble.Summary, clipLine)
		return
	}
	steps := func(list []smartfrog.Step) []frogPlace {
		out := []frogPlace{}
		for _, s := range list {
			p := placed(s.Place)
			p.Kind = string(s.Kind)
			if s.From != nil {
				p.From = clip(s.From.String(), clipCell)
			}
			out = append(out, p)
		}
		return out
	}
	page.Value = &frogValue{Where: placed(x.Where), Steps: steps(x.Steps), Hides: steps(x.Hides), Decides: []frogPlace{}}
	for _, p := range x.Dependency[:min(len(x.Dependency), 200)] {
		page.Value.Decides = append(page.Value.Decides, placed(p))
	}
}

func placed(p source.Place) frogPlace {
	return frogPlace{File: p.File.Name, Line: p.Line(), Text: clip(strings.TrimSpace(p.File.Line(p.Line())), clipCell)}
}

// source is the number of a file, whose lines are sent once.
func (page *frogPage) source(f *source.File) int {
	n, there := page.numbers[f.Name]
	if !there {
		n = len(page.Sources)
		page.numbers[f.Name] = n
		page.Sources = append(page.Sources, frogSource{f.Name, sourceLines(f)})
	}
	return n
}

// mostLines is how many lines of a file are sent to step through.
const mostLines = 2_000

// sourceLines are the lines of a file that is stepped through.
func sourceLines(f *source.File) []string {
	out := []string{}
	for n := 1; n <= min(f.LineCount(), mostLines); n++ {
		out = append(out, clip(strings.TrimRight(f.Line(n), "\r\n"), clipLine))
	}
	return out
}

// refusalOf is why something is refused.
func refusalOf(d *source.Diagnostic) refusal {
	r := refusal{Code: d.Code, Summary: clip(d.Summary, clipLine), Help: d.Help}
	if d.Place.Known() {
		r.Line = d.Place.Line()
	}
	return r
}
