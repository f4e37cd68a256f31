package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"time"

	"bunraku/lint"
	"bunraku/report"
	"bunraku/source"

	"github.com/spf13/cobra"
)

// lintFlags are the switches of check --lint. Those of puppet-lint itself have its names; what they say adds to
// .puppet-lint.rc.
type lintFlags struct {
	lint   string // "also" or "only"; "" for not at all
	config string
	words  []string // as puppet-lint would be given them
}

// lintConfig is looked for in ENV, and where the command runs.
const lintConfig = ".puppet-lint.rc"

func (l *lintFlags) add(c *cobra.Command) {
	f := c.Flags()
	f.StringVar(&l.lint, "lint", "", "say what puppet-lint and its plugins say, too; with =`only` say nothing else")
	f.Lookup("lint").NoOptDefVal = "also"
	f.StringVar(&l.config, "lint-config", "",
		"a `FILE` of options of puppet-lint; by default .puppet-lint.rc in ENV or here")
	word := func(name, usage, value string, hidden bool) {
		f.Var(&lintWord{&l.words, name, value != ""}, name, usage)
		flag := f.Lookup(name)
		if flag.Hidden = hidden; value == "" {
			flag.NoOptDefVal = "true"
		}
	}
	word("only-checks", "with --lint: no checks but these, a `LIST` with commas", "LIST", false)
	word("ignore-paths", "with --lint: leave out files by a `LIST` of patterns", "LIST", false)
	word("fail-on-warnings", "with --lint: exit with 2 also when there are only warnings", "", false)
	word("relative", "with --lint: a module's directory may have any name", "", false)
	word("show-ignored", "with --lint: show what control comments ignore", "", false)
	word("error-level", "with --lint: all, warning or error: the `LEVEL` that is shown", "LEVEL", true)
	word("top-scope-variables", "with --lint: a `LIST` of variables at top scope that are no facts", "LIST", true)
	word("no-metadata_json-check", "with --lint: leave out metadata.json", "", true)
	for _, c := range lint.Checks() {
		word("no-"+c.Name+"-check", "with --lint: leave out a check", "", true)
		if c.Off {
			word(c.Name+"-check", "with --lint: turn on a check", "", true)
		}
	}
}

// A lintWord is a flag that is passed on to puppet-lint's options.
type lintWord struct {
	words *[]string
	name  string
	value bool
}

func (w *lintWord) String() string { return "" }

// Set implements pflag.Value.
func (w *lintWord) Set(text string) error {
	word := "--" + w.name
	if w.value {
		word += "=" + text
	}
	*w.words = append(*w.words, word)
	return nil
}

// Type implements pflag.Value.
func (w *lintWord) Type() string {
	if w.value {
		return "string"
	}
	return "bool"
}

// A linting is what lint has found out.
type linting struct {
	opt   lint.Options
	files int
	read  []lint.Checked
	// hidden are findings that --error-level does not show; they decide about the exit code all the same
	hidden bool
	mine   map[*report.Problem]bool
	alone  bool // nothing else is checked, and tells of what concerns both
}

// lint checks the files below root and adds what it finds to a run.
func (a *app) lint(ctx context.Context, view source.Files, root string, j *judging, flags *lintFlags,
	run *report.Run) (*linting, error) {
	if flags.lint != "also" && flags.lint != "only" {
		return nil, fail("--lint has no value, or it is only, not %q", flags.lint)
	}
	out := &linting{mine: map[*report.Problem]bool{}, alone: flags.lint == "only"}
	trouble, err := out.configure(root, flags)
	if err != nil {
		return nil, err
	}
	for _, d := range trouble {
		run.Add(nil, d)
	}
	linter := lint.New(out.opt)
	files, unread, err := linter.Files(view, root, j.own)
	if err != nil {
		return nil, err
	}
	if out.alone {
		for _, d := range unread {
			run.Add(nil, d)
		}
	}
	out.files = len(files)
	bar := a.progress("linting", len(files))
	checked, err := linter.Check(ctx, view, files, bar.step)
	bar.stop()
	if errors.Is(err, context.Canceled) {
		return nil, fail("interrupted")
	}
	if err != nil {
		return nil, err
	}
	out.read = checked
	for i := range checked {
		c := &checked[i]
		if c.Unread != nil && (out.alone || filepath.Ext(files[i]) != ".pp") {
			run.Add(nil, c.Unread)
		}
		for _, note := range c.Notes {
			run.Add(nil, c.Describe(note))
		}
		for i := range c.Findings {
			f := &c.Findings[i]
			out.hidden = out.hidden || !f.Ignored && (f.Error || out.opt.FailOnWarnings || j.flags.failOn != "error")
		}
		for _, f := range linter.Shown(c) {
			p := run.Add(nil, c.Diagnostic(&f))
			out.mine[p] = true
			if f.Ignored {
				p.Suppressed = report.Suppression{By: "comment", Reason: f.Reason}
			}
		}
	}
	return out, nil
}

// configure reads .puppet-lint.rc and the flags.
func (l *linting) configure(root string, flags *lintFlags) (trouble source.Diagnostics, err error) {
	names := []string{filepath.Join(root, lintConfig), lintConfig}
	if flags.config != "" {
		names = []string{flags.config}
	}
	for _, name := range names {
		content, err := source.ReadFile(name)
		var none *fs.PathError
		if errors.As(err, &none) && flags.config == "" {
			continue
		}
		if err != nil {
			return nil, err
		}
		trouble = l.opt.ReadConfig(source.NewFile(filepath.ToSlash(name), content.Text))
		break
	}
	if _, refused := l.opt.Arguments(flags.words); len(refused) > 0 {
		return nil, fail("%s", refused[0].Why)
	}
	return trouble, nil
}

// fails reports whether a problem of lint makes the exit code 2.
func (l *linting) fails(p *report.Problem, failOn string) bool {
	return p.Suppressed.By == "" && (p.Severity == source.Error ||
		p.Severity == source.Warning && (l.opt.FailOnWarnings || failOn != "error"))
}

// lintOnly is check --lint=only.
func (a *app) lintOnly(ctx context.Context, root string, flags *checkFlags) error {
	began := time.Now()
	j, err := a.newJudge(&flags.judgeFlags, root)
	if err != nil {
		return err
	}
	defer func() { a.tellLists(j.Close()) }()
	run := &report.Run{Command: "check", Version: version, Name: filepath.Base(source.Absolute(root)), Own: j.own,
		Hide: j.hide}
	view := source.NewDir(source.DirOptions{Roots: []string{root}})
	found, err := a.lint(ctx, view, root, j, &flags.lintFlags, run)
	if err != nil {
		return err
	}
	j.lint = found
	if err := j.suppress(run, nil, nil); err != nil {
		return err
	}
	if flags.fix || found.opt.Fix {
		return a.mendLint(ctx, found, j)
	}
	done, err := a.finish(j, run)
	switch {
	case err != nil || done:
	case flags.format == "json":
		answer := answerJSON{Files: found.files, Problems: []problemJSON{}, Findings: []findingJSON{}}
		for _, p := range run.Problems {
			answer.Problems = append(answer.Problems, problemOf(p.Diagnostic))
		}
		err = a.writeJSON(answer)
	default:
		a.showLint(run, found)
		fmt.Fprintf(a.out, "%s   %s   %s\n", run.Name, found.summary(), seconds(time.Since(began)))
	}
	if err != nil {
		return err
	}
	for _, p := range run.Problems {
		if j.fails(p) {
			return &exitError{code: exitNo}
		}
	}
	if found.hidden && found.levelHides() {
		return &exitError{code: exitNo}
	}
	return nil
}

// levelHides reports whether --error-level leaves something out.
func (l *linting) levelHides() bool { return l.opt.ErrorLevel != "" && l.opt.ErrorLevel != "all" }

// mendLint prints what lint can mend as a patch, and tells what is left.
func (a *app) mendLint(ctx context.Context, found *linting, j *judging) error {
	linter := lint.New(found.opt)
	var files []*source.File
	var texts []string
	mended, errs, warnings := 0, 0, 0
	for i := range found.read {
		c := &found.read[i]
		if len(c.Findings) == 0 || lint.IsMetadata(c.Source.Name) || lint.IsData(c.Source.Name) {
			continue
		}
		text, done, left, err := linter.Fix(ctx, source.Absolute(c.Source.Name), c.Source.Text)
		if err != nil {
			return err
		}
		files, texts = append(files, c.Source), append(texts, text)
		mended += len(done)
		for i := range left {
			switch {
			case left[i].Ignored:
			case left[i].Error:
				errs++
			default:
				warnings++
			}
		}
	}
	base := patchBase(j.env)
	var patch bytes.Buffer
	fit := func(line string) bool { return source.Harmless(line) && j.hide(line) == line }
	_, unfit := report.Patch(&patch, base, fit, files, texts)
	if err := a.out.Raw(patch.String()); err != nil {
		return err
	}
	for _, name := range unfit {
		fmt.Fprintf(a.err, "note: what is to be mended in %s is not in the patch: a line there is not fit to be printed\n",
			name)
	}
	fmt.Fprintf(a.err, "note: the patch mends %s; %s and %s are left\n", plural(mended, "finding"), plural(errs, "error"),
		plural(warnings, "warning"))
	if errs > 0 || warnings > 0 && (found.opt.FailOnWarnings || j.flags.failOn != "error") {
		return &exitError{code: exitNo}
	}
	return nil
}

// maxLintShown is how many findings of lint are shown in full; of the others there is one line each.
const maxLintShown = 25

// showLint prints what lint has found, and what it has to say about its options.
func (a *app) showLint(run *report.Run, found *linting) {
	style := a.out.Style()
	shown := 0
	for _, p := range run.Problems {
		if !found.mine[p] {
			if p.Finding == nil && len(p.Nodes) == 0 && len(p.Code) > 0 && (p.Code[0] == 'L' || found.alone) {
				p.Render(a.out, style)
			}
			continue
		}
		if p.Suppressed.By == "comment" {
			fmt.Fprintf(a.out, "ignored[%s]: %s\n   %s %s\n", p.Code, p.Summary, p.Place, p.Suppressed.Reason)
			continue
		}
		if p.Suppressed.By != "" {
			continue
		}
		if shown++; shown <= maxLintShown {
			p.Render(a.out, style)
			continue
		}
		fmt.Fprintf(a.out, "%s: %s[%s]: %s\n", p.Place, p.Severity, p.Code, p.Summary)
	}
}

// summary counts the findings.
func (l *linting) summary() string {
	errs, warnings, ignored := 0, 0, 0
	for p := range l.mine {
		switch {
		case p.Suppressed.By != "":
			ignored++
		case p.Severity == source.Error:
			errs++
		default:
			warnings++
		}
	}
	text := fmt.Sprintf("lint: %s, %s in %s", plural(errs, "error"), plural(warnings, "warning"), plural(l.files, "file"))
	if errs+warnings == 0 {
		text = fmt.Sprintf("lint: nothing to say about %s", plural(l.files, "file"))
	}
	if ignored > 0 {
		text += fmt.Sprintf(" (%d ignored)", ignored)
	}
	return text
}
