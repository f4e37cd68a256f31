// Package lint says about manifests what puppet-lint says: every check of puppet-lint 4.3.0 and of the plugins that
// Vox Pupuli uses, by the same names, with the same options and control comments, at the same lines and columns.
//
//	lint.go      Linter, Finding: one file and all checks
//	config.go    options, and .puppet-lint.rc
//	token.go, lexer.go, slurp.go    puppet-lint's tokens
//	index.go     which tokens are resources, classes, titles
//	control.go   lint:ignore comments
//	checks.go    the list of all checks; the files beside it have them by subject
//	edit.go      mending
//	metadata.go  metadata.json, as metadata-json-lint checks it
//
// It may import budget, source, environment, value and datafile. Start reading at Linter.File.
package lint

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"bunraku/budget"
	"bunraku/source"
)

// A Finding is one thing that a check says about a file.
type Finding struct {
	Check   string
	Error   bool // and not a warning
	Line    int  // as puppet-lint counts them, from 1
	Column  int
	Message string
	Ignored bool   // a control comment says so
	Reason  string // of that comment

	fix func() bool // mends it among the tokens; nil if there is no way, false if not this one
}

// Level is "error" or "warning".
func (f *Finding) Level() string {
	if f.Error {
		return "error"
	}
	return "warning"
}

// A Linter checks files, each on its own. Goroutines may share one.
type Linter struct {
	opt     Options
	enabled []*check
	bare    bool // a check that takes comments out of resources runs
}

// New makes a linter.
func New(opt Options) *Linter {
	l := &Linter{opt: opt}
	for i := range checks {
		c := &checks[i]
		if on, said := opt.Checks[c.name]; on || !said && !c.off {
			l.enabled = append(l.enabled, c)
			l.bare = l.bare || c.name == "arrow_alignment" || c.name == "space_before_arrow"
		}
	}
	return l
}

// A Result is what was found in one file.
type Result struct {
	Findings []Finding // by line and column; each once
	Notes    []Note    // what is wrong with control comments
}

// A file is what checks see.
type file struct {
	path   string // absolute
	lines  []string
	tokens []*token
	opt    *Options
	budget *budget.Budget

	partner               []*token
	resources             []resource
	indexed               bool
	classList, defineList []definition
	both                  []definition
	// bareResources is set where the tokens of resources have no comments: two of puppet-lint's checks take them out,
	// for all checks.
	bareResources bool

	check    *check
	findings []Finding
	unread   bool // the text is none
	broken   bool // the tokens are not all of the text, or make no sense
}

// stepLimit bounds the work for one file: a few seconds of it.
const stepLimit = 40 << 20

// perFinding is what a finding costs: nobody reads two hundred thousand of them about one file.
const perFinding = 200

func (f *file) spend(n int) { f.budget.Spend(int64(n), "looking for problems") }

// warn and fail report a problem at a token.
func (f *file) warn(t *token, message string) *Finding { return f.say(false, t.line, t.col, message) }
func (f *file) fail(t *token, message string) *Finding { return f.say(true, t.line, t.col, message) }

func (f *file) say(isError bool, line, col int, message string) *Finding {
	f.spend(perFinding)
	f.findings = append(f.findings, Finding{Check: f.check.name, Error: isError, Line: line, Column: col,
		Message: message})
	return &f.findings[len(f.findings)-1]
}

// File checks one file: a manifest, or a file of data if its name ends like one. path is what decides where classes
// belong; it should be absolute. An error means that the context ended.
func (l *Linter) File(ctx context.Context, path, text string) (res Result, err error) {
	b := budget.New(ctx, budget.Limits{Steps: stepLimit, Depth: maxNesting})
	res, err = l.file(b, path, text)
	var over *budget.Exceeded
	if errors.As(err, &over) {
		err = nil
		res.Findings = append(res.Findings, Finding{Check: "syntax", Error: true, Line: 1, Column: 1,
			Message: fmt.Sprintf("this file takes too long to check (%s)", over)})
	}
	return res, err
}

func (l *Linter) file(b *budget.Budget, path, text string) (res Result, err error) {
	defer budget.Catch(&err)
	f, notes := l.check(b, path, text)
	if f != nil {
		res = Result{Findings: tidy(f.findings), Notes: notes}
	}
	return res, nil
}

// check runs the checks over a text. A text that is nothing to check gives nil.
func (l *Linter) check(b *budget.Budget, path, text string) (f *file, notes []Note) {
	f, problem := l.open(b, path, text)
	if f == nil {
		return nil, nil
	}
	var ignore ignores
	switch {
	case problem == nil:
		ignore, notes = controls(f.tokens)
	case IsData(f.path):
		problem = nil // a file of data is split into tokens for the sake of its comments only
	default:
		f.findings = append(f.findings, *problem)
		f.broken = true
	}
	if f.unread {
		return f, nil
	}
	if bad := l.runChecks(f, ignore); bad != nil {
		f.findings, f.broken = []Finding{*bad}, true
		if problem != nil {
			f.findings = []Finding{*problem, *bad}
		}
	}
	return f, notes
}

// Fix checks a manifest and mends what it can. It returns the new text, the findings that are mended, and those that
// are left. A text that lint cannot read, or that would take too long, stays as it is.
func (l *Linter) Fix(ctx context.Context, path, text string) (fixed string, mended, left []Finding, err error) {
	b := budget.New(ctx, budget.Limits{Steps: stepLimit, Depth: maxNesting})
	fixed, mended, left, err = l.fix(b, path, text)
	var over *budget.Exceeded
	if errors.As(err, &over) {
		res, err := l.File(ctx, path, text)
		return text, nil, res.Findings, err
	}
	return fixed, mended, left, err
}

func (l *Linter) fix(b *budget.Budget, path, text string) (fixed string, mended, left []Finding, err error) {
	fixed = text
	defer budget.Catch(&err)
	f, _ := l.check(b, path, text)
	if f == nil {
		return text, nil, nil, nil
	}
	if f.written() != text {
		f.broken = true // some of the text is in no token, and would be lost
	}
	for i := range f.findings {
		x := &f.findings[i]
		if !f.broken && !x.Ignored && x.fix != nil && x.Check != "syntax" && x.fix() {
			mended = append(mended, *x)
		} else {
			left = append(left, *x)
		}
		f.spend(len(f.tokens) / 8)
	}
	if !f.broken {
		fixed = f.written()
	}
	return fixed, tidy(mended), tidy(left), nil
}

// open reads the tokens of a file. A file that is nothing to check gives none. A text that cannot be read has no
// tokens and a problem; what needs no tokens is checked all the same.
func (l *Linter) open(b *budget.Budget, path, text string) (f *file, problem *Finding) {
	if text == "" || strings.HasPrefix(text, "\x8f\xff\x7c\xf9") { // a policy of SELinux is called .pp, too
		return nil, nil
	}
	if i := invalidUTF8(text); i >= 0 {
		at := source.NewFile(path, text).Position(uint32(i))
		return &file{path: path, unread: true}, &Finding{Check: "syntax", Error: true, Line: at.Line, Column: at.Column,
			Message: "Syntax error (not UTF-8)"}
	}
	f = &file{path: path, lines: strings.Split(text, "\n"), opt: &l.opt, budget: b, bareResources: l.bare}
	func() {
		defer func() {
			switch p := recover().(type) {
			case nil:
			case *lexError:
				problem = &Finding{Check: "syntax", Error: true, Line: p.line, Column: p.col, Message: "Syntax error"}
				if p.reason != "" {
					problem.Message += " (" + p.reason + ")"
				}
			default:
				panic(p)
			}
		}()
		f.tokens = tokenise(text, b)
	}()
	return f, problem
}

func invalidUTF8(s string) int {
	if utf8.ValidString(s) {
		return -1
	}
	for i, r := range s {
		if r == utf8.RuneError {
			if _, n := utf8.DecodeRuneInString(s[i:]); n == 1 {
				return i
			}
		}
	}
	return -1
}

// runChecks runs all of them. If the braces of resources cannot be followed, that is all that there is to say.
func (l *Linter) runChecks(f *file, ignore ignores) (bad *Finding) {
	defer func() {
		switch p := recover().(type) {
		case nil:
		case *syntaxError:
			bad = &Finding{Check: "syntax", Error: true, Line: p.at.line, Column: p.at.col, Message: "Syntax error"}
		default:
			panic(p)
		}
	}()
	data := IsData(f.path)
	for _, c := range l.enabled {
		if data && c.name != "legacy_facts" {
			continue
		}
		f.check = c
		first := len(f.findings)
		c.run(f)
		for i := range f.findings[first:] {
			x := &f.findings[first+i]
			if reason, ok := ignore.reason(f, x.Check, x.Line); ok && x.Check != "syntax" {
				x.Ignored, x.Reason = true, reason
			}
		}
	}
	return nil
}

// tidy sorts findings and says each once. puppet-lint says some of them several times: what a plugin finds in a
// defined type, as often as plugins ran before it.
func tidy(all []Finding) []Finding {
	slices.SortStableFunc(all, func(a, b Finding) int {
		return cmp.Or(a.Line-b.Line, a.Column-b.Column, strings.Compare(a.Check, b.Check), strings.Compare(a.Message,
			b.Message))
	})
	return slices.CompactFunc(all, func(a, b Finding) bool {
		return a.Line == b.Line && a.Column == b.Column && a.Check == b.Check && a.Message == b.Message
	})
}

// IsData reports whether a file is one of data, in which only legacy facts are looked for.
func IsData(path string) bool {
	switch strings.ToLower(filepath.Ext(path)) {
	case ".yaml", ".yml":
		return true
	}
	return false
}
