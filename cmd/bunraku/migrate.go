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

// migrate compiles every node under two languages and says what stands in the way: the nodes that check looks at, with
// the same classes and trusted data, invented ones where nobody has collected facts.
func (a *app) migrate(ctx context.Context, cmd *cobra.Command, root string, flags *checkFlags) error {
	for _, name := range []string{"format", "coverage", "lint", "all-systems"} {
		if cmd.Flags().Changed(name) {
			return fail("--%s says nothing beside two languages: `check --language %s --%s` looks at one", name, flags.later, name)
		}
	}
	opt := a.options(cmd, &flags.compileFlags)
	opt.StandIn = true
	before := compiler.NewWorkspace(root, opt)
	opt.Language = flags.later
	after := compiler.NewWorkspace(root, opt)
	c := &fleet.Check{Workspace: before, View: before.Disk(), Root: root, Facts: flags.facts, Assign: flags.assign,
		Certified: flags.certified, Brief: true, Invent: fleet.InventOptions{Legacy: true, Classes: flags.classes}}
	if flags.node != "" {
		c.Choose = func(all []fleet.Node) ([]fleet.Node, error) { return chosen(all, flags, root) }
	}
	if err := c.FindNodes(ctx); err != nil {
		return err
	}
	switch {
	case len(c.Nodes) == 0 && len(c.Abroad) > 0:
		return nobodyHere(c.Abroad)
	case len(c.Nodes) == 0:
		return fail("there are no facts, and nothing to invent a node for: put the nodes' facts into facts/, or give --facts DIR")
	}
	t := &moving{app: a, from: flags.language.Title(), to: flags.later.Title(), quiet: flags.fix, told: map[string]bool{}}
	g := migrate.New(root, before, after, c.View)
	moves := make([]*migrate.Move, len(c.Nodes))
	bar := a.progress("nodes", len(c.Nodes))
	for i, n := range c.Nodes {
		m, err := g.Node(ctx, n.Node)
		if err != nil {
			bar.stop()
			return err
		}
		if n.Invented != nil {
			m.Node = n.Invented.Title()
		}
		moves[i] = m
		bar.step()
	}
	bar.stop()
	for i, m := range moves {
		if c.Plan != nil && m.Failure != nil {
			t.excused++ // for want of something that nobody has invented, as far as anybody knows
			continue
		}
		if m.Partial {
			t.partial++
		}
		if err := g.Confirm(ctx, m, c.Nodes[i].Node); err != nil {
			return err
		}
		t.tell(m)
	}
	fmt.Fprintln(t.summary(), t.sum(len(moves), c.Plan != nil))
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
	case t.same == 0 || t.partial > 0 && c.Plan == nil:
		return &exitError{code: exitUnknown}
	}
	return nil
}

// sum is the last line: how many of the nodes fare how.
func (t *moving) sum(nodes int, invented bool) string {
	kind := "node"
	if invented {
		kind = "invented node"
	}
	text := fmt.Sprintf("%s: %d the same under %s, %d after edits, %d not", plural(nodes, kind), t.same, t.to, t.edited,
		t.refused)
	if !invented {
		text += fmt.Sprintf("; %d refused by both", t.failed)
	}
	if t.excused > 0 {
		text += fmt.Sprintf("; %d not compared, for want of something that check names", t.excused)
	}
	if t.partial > 0 {
		text += fmt.Sprintf("; %d compared without what hangs on modules that are not here", t.partial)
	}
	return text
}

// A moving tells what becomes of nodes.
type moving struct {
	*app
	from, to                      string
	quiet                         bool // the patch is all that is wanted
	told                          map[string]bool
	same, edited, refused, failed int
	excused                       int // invented nodes that the earlier language does not compile either
	partial                       int // nodes whose modules are not all there
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
