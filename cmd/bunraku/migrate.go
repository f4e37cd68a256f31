package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"

	"bunraku/fleet"
	"bunraku/fleet/migrate"
	"bunraku/puppet/compiler"
	"bunraku/report"
	"bunraku/source"

	"github.com/spf13/cobra"
)

// A languagesFlag is one language or two, separated by a comma.
type languagesFlag struct{ first, later *source.Language }

func (f *languagesFlag) String() string {
	if *f.later != 0 {
		return f.first.String() + "," + f.later.String()
	}
	return f.first.String()
}

// Set implements pflag.Value.
func (f *languagesFlag) Set(text string) (err error) {
	first, later, two := strings.Cut(text, ",")
	if *f.first, err = source.ParseLanguage(first); err == nil && two {
		*f.later, err = source.ParseLanguage(later)
	}
	return err
}

// Type implements pflag.Value.
func (f *languagesFlag) Type() string { return "NAME" }

// migrate compiles every node that has facts under two languages and says what stands in the way.
func (a *app) migrate(ctx context.Context, cmd *cobra.Command, root string, flags *checkFlags) error {
	opt := a.options(cmd, &flags.compileFlags)
	before := compiler.NewWorkspace(root, opt)
	opt.Language = flags.later
	after := compiler.NewWorkspace(root, opt)
	view := before.Disk()
	real, err := fleet.Nodes(view, root, flags.facts)
	if err != nil {
		return err
	}
	if len(real) == 0 {
		return fail("there are no facts: put the nodes' facts into facts/, or give --facts DIR")
	}
	t := &moving{app: a, from: flags.language.Title(), to: flags.later.Title(), quiet: flags.fix, told: map[string]bool{}}
	g := migrate.New(root, before, after, view)
	var nodes []compiler.Node
	var moves []*migrate.Move
	for _, n := range fleet.Real(real) {
		if flags.node != "" && !strings.EqualFold(n.Facts.Name, flags.node) {
			continue
		}
		m, err := g.Node(ctx, n.Node)
		if err != nil {
			return err
		}
		nodes, moves = append(nodes, n.Node), append(moves, m)
	}
	for i, m := range moves {
		if err := g.Confirm(ctx, m, nodes[i]); err != nil {
			return err
		}
		t.tell(m)
	}
	fmt.Fprintf(t.summary(), "%s: %d the same under %s, %d after edits, %d not; %d refused by both\n",
		plural(len(moves), "node"), t.same, t.to, t.edited, t.refused, t.failed)
	if flags.fix {
		files, texts, err := g.Edited()
		if err != nil {
			return err
		}
		if err := a.migrationPatch(root, files, texts); err != nil {
			return err
		}
	}
	switch {
	case t.failed > 0:
		return &exitError{code: exitFailed}
	case t.refused > 0 || t.edited > 0:
		return &exitError{code: exitNo}
	}
	return nil
}

// A moving tells what becomes of nodes.
type moving struct {
	*app
	from, to                      string
	quiet                         bool // the patch is all that is wanted
	told                          map[string]bool
	same, edited, refused, failed int
}

// summary is where the last line goes: beside a patch, not into it.
func (t *moving) summary() io.Writer {
	if t.quiet {
		return t.err
	}
	return t.out
}

func (t *moving) tell(m *migrate.Move) {
	text := ""
	switch {
	case m.Failure != nil:
		t.failed++
		text = fmt.Sprintf("%s does not compile under %s either:\n", m.Node, t.from)
	case m.Same() && len(m.Steps) == 0:
		t.same++
	case m.Same():
		t.edited++
		text = fmt.Sprintf("%s compiles under %s to the same catalog after %s\n", m.Node, t.to,
			plural(countEdits(m), "edit"))
	case m.Done && len(m.Changes) > 0:
		t.refused++
		text = fmt.Sprintf("%s compiles under %s to another catalog:\n  %s\n", m.Node, t.to,
			strings.Join(m.Changes, "\n  "))
	case m.Done:
		t.refused++
		text = fmt.Sprintf("%s compiles under %s, but the edits change it under %s:\n  %s\n", m.Node, t.to, t.from,
			strings.Join(m.Earlier, "\n  "))
	default:
		t.refused++
		text = fmt.Sprintf("%s does not compile under %s\n", m.Node, t.to)
	}
	if t.quiet {
		return
	}
	fmt.Fprint(t.out, text)
	if m.Failure != nil {
		t.report(source.Diagnostics{m.Failure})
	}
	for _, s := range m.Steps {
		key := s.Trouble.Summary + s.Trouble.Place.String()
		if t.told[key] {
			continue
		}
		t.told[key] = true
		d := *s.Trouble
		d.Help = t.help(m, s)
		t.report(source.Diagnostics{&d})
	}
}

func countEdits(m *migrate.Move) (n int) {
	for _, s := range m.Steps {
		n += len(s.Edits)
	}
	return n
}

// help is what to write.
func (t *moving) help(m *migrate.Move, s migrate.Step) string {
	if len(s.Edits) == 0 {
		return "no edit is known that both take"
	}
	var parts []string
	for _, e := range s.Edits {
		text := strings.TrimSpace(e.Text)
		switch {
		case text == "" && e.Place.Text() != "":
			parts = append(parts, fmt.Sprintf("at %s leave out `%s`", e.Place, shorten(e.Place.Text())))
		case e.Place.Span.Start == e.Place.Span.End:
			parts = append(parts, fmt.Sprintf("at %s put in `%s`", e.Place, shorten(text)))
		default:
			parts = append(parts, fmt.Sprintf("at %s write `%s`", e.Place, shorten(text)))
		}
	}
	out := strings.Join(parts, ", ")
	if !m.Same() {
		out += ", which takes this away"
	}
	return out
}

// shorten is a text on one line.
func shorten(text string) string { return strings.Join(strings.Fields(text), " ") }

// migrationPatch prints the edits as a patch.
func (a *app) migrationPatch(root string, files []*source.File, texts []string) error {
	base := patchBase(root)
	var patch bytes.Buffer
	fit := func(line string) bool { return source.Harmless(line) && a.secrets.Hide(line) == line }
	n, left := report.Patch(&patch, base, fit, files, texts)
	if err := a.out.Raw(patch.String()); err != nil {
		return err
	}
	for _, name := range left {
		fmt.Fprintf(a.err, "note: the edit of %s is not in the patch: lines beside it hold a secret, or what a terminal "+
			"would obey\n", name)
	}
	if base != "" && n > 0 {
		fmt.Fprintf(a.err, "note: the patch is for %[1]s: git -C %[1]s apply, or patch -d %[1]s -p1\n", base)
	}
	return nil
}
