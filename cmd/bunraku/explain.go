package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"bunraku/explain"
	"bunraku/explain/trial"
	"bunraku/fleet"
	"bunraku/puppet/compiler"
	"bunraku/puppet/eval"
	"bunraku/report"
	"bunraku/serve"
	"bunraku/source"

	"github.com/spf13/cobra"
)

// explainFlags are what `explain` can be asked.
type explainFlags struct {
	compileFlags
	where, expression, dependency bool
	whyNot, blame, all            bool
	reaches, from, format         string
	against, since, policy        string
	set, fact                     []string
	at, state                     string
	confirm, finding              string
	ref, attribute                string // what is asked about
}

func (a *app) explainCommand() *cobra.Command {
	var f explainFlags
	c := &cobra.Command{
		Use:   "explain ENV --node NAME REF [ATTRIBUTE]",
		Short: "Say why: where a value comes from, what decides it, what a place can change",
		Long: `Compiles one node and says where a value of its catalog comes from: the line that set it, the parameters and variables it went
through, the Hiera level or fact it was copied from and the levels that it hides, the conditions on the way, the classes around it.
The node's facts are found in ENV/facts by the name that --node gives, or are those of --facts.

REF is a resource, File[/etc/motd] or Class[ntp], alone or with an attribute, or tags; a line of a file, /etc/ntp.conf:3; a pattern, 'File[/etc/*]'; a variable,
'$ntp::servers'; a relation, 'Package[ntp] -> Service[ntp]'; hiera:KEY; fact:NAME; or tag:NAME. Any name that only one resource has
will do alone.

With --against another node or revision is compiled too, and what makes REF another there is told; --since finds the commit that
changed it; --set and --fact say what would differ, on the whole node when there is no REF. --finding says where what check has
found comes from. A code alone, such as V101, is documented.

Places that decide the value are confirmed by changing them and compiling again: the nearest few, or with --confirm all.

What is promised: no change of data outside the places that --dependency lists, and no new key, file or fact at the absences it lists,
changes this value, as long as the code keeps its shape. Sensitive values are never printed, only their places.`,
		Example: `  bunraku explain examples/shop --node web2.shop.example 'Class[profile::nginx]' port
  bunraku explain examples/shop --node web2.shop.example --why-not 'Service[postgresql]'
  bunraku explain examples/shop --reaches data/common.yaml:13`,
		Args: arguments(1, 3, "what to explain"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if !cmd.Flags().Changed("blame") {
				f.blame = a.terminal.out
			}
			return a.explain(cmd, &f, args)
		},
	}
	f.add(c)
	fs := c.Flags()
	fs.BoolVar(&f.where, "where", false, "only the one place that the value was copied from")
	fs.BoolVar(&f.expression, "expression", false, "only the term of operations and places that made the value")
	fs.BoolVar(&f.dependency, "dependency", false, "only the places that decide the value, all of them")
	fs.StringVar(&f.confirm, "confirm", "few",
		"change the places that decide the value, compile again, and say which of them alter it: all, few (the nearest) or none")
	fs.Lookup("confirm").NoOptDefVal = "all"
	fs.BoolVar(&f.whyNot, "why-not", false, "say why REF is not in the catalog")
	fs.StringVar(&f.reaches, "reaches", "",
		"the reverse: what can a change at `PLACE` alter? FILE:LINE, FILE:LINE-LINE (of a hunk), FILE, DIRECTORY/, "+
			"hiera:KEY or fact:NAME; without --facts, on every node of ENV/facts")
	fs.StringVar(&f.against, "against", "",
		"why is REF another for this `NODE`, or at this revision? Both are compiled and compared")
	fs.StringVar(&f.since, "since", "", "which commit since `REV` changed REF?")
	fs.StringArrayVar(&f.set, "set", nil,
		"what if a Hiera key had another value? `KEY=VALUE` or KEY=VALUE@LEVEL, the value in YAML; may be repeated")
	fs.StringArrayVar(&f.fact, "fact", nil, "what if a fact were another? `NAME=VALUE`; may be repeated")
	fs.StringVar(&f.policy, "policy", "",
		"hold a node, or all, against the rules of a `FILE`: which data may reach what, who may decide what; takes no REF")
	fs.StringVar(&f.finding, "finding", "",
		"where do the resources of a finding of check come from? Its `ID`: its code, or its fingerprint; takes no REF")
	fs.BoolVar(&f.all, "all", false, "leave nothing out of the answer, however long it gets")
	fs.StringVar(&f.from, "from", "", "answer from a `FILE` that compile --provenance wrote, without compiling")
	fs.StringVar(&f.at, "at", "",
		"answer of the catalog that serve gave to --node last at a `TIME`: now, 2026-11-16, 2026-11-16T10:30 or with "+
			"seconds and zone")
	fs.StringVar(&f.state, "state", defaultState, "with --at: the `DIR` that the server keeps its things in")
	fs.BoolVar(&f.blame, "blame", false, "say who last changed each line, as git knows it (the default on a terminal)")
	fs.StringVar(&f.format, "format", "text", "text or json")
	c.MarkFlagsMutuallyExclusive("where", "expression", "dependency", "why-not", "reaches", "against", "since", "policy",
		"finding")
	c.MarkFlagsMutuallyExclusive("from", "against", "since", "set", "policy", "finding")
	c.MarkFlagsMutuallyExclusive("from", "fact")
	c.MarkFlagsMutuallyExclusive("at", "from", "against", "since", "set", "fact", "policy", "finding")
	return c
}

// served finds the side file of the catalog that a node got at a time.
func (f *explainFlags) served() error {
	if f.node == "" {
		return fail("--at needs a node: --node NAME")
	}
	at := time.Now()
	if f.at != "now" {
		known := false
		for _, layout := range []string{time.RFC3339, "2006-01-02T15:04:05", "2006-01-02T15:04", "2006-01-02 15:04:05",
			"2006-01-02 15:04", "2006-01-02"} {
			if t, err := time.ParseInLocation(layout, f.at, time.Local); err == nil {
				at, known = t, true
				if layout == "2006-01-02" { // all of the day
					at = t.AddDate(0, 0, 1)
				}
				break
			}
		}
		if !known {
			return fail("--at is a time such as 2026-11-16T10:30, not %q", f.at)
		}
	}
	path, _, err := serve.SideFile(f.state, f.node, at)
	if err != nil {
		return fail("%v; `bunraku serve --provenance AGE` keeps them", err)
	}
	f.from = path
	return nil
}

func (a *app) explain(cmd *cobra.Command, f *explainFlags, args []string) (err error) {
	if f.at != "" {
		if err := f.served(); err != nil {
			return err
		}
	}
	if f.from != "" {
		// A side file comes from anywhere: what does not fit together in it shows only when it is used.
		defer func() {
			var bug *source.Diagnostic
			if p := recover(); p != nil || errors.As(err, &bug) && bug.Code == source.CodeBug {
				err = fail("%s is damaged: it says things that do not go together; `bunraku compile --provenance FILE` writes it anew", f.from)
			}
		}()
	}
	if f.format != "text" && f.format != "json" {
		return fail("unknown format %q: text or json", f.format)
	}
	if len(args) == 1 && report.IsCode(args[0]) && !fleet.Exists(source.NewDir(source.DirOptions{Roots: []string{"."}}),
		source.Absolute(args[0])) {
		return a.explainCode(f, args[0])
	}
	if f.confirm != "all" && f.confirm != "few" && f.confirm != "none" {
		return fail("--confirm is all, few or none, not %q", f.confirm)
	}
	if f.policy != "" {
		if len(args) != 1 {
			return fail("--policy takes no REF")
		}
		return a.explainPolicy(cmd, f, args[0])
	}
	if f.finding != "" {
		if len(args) != 1 {
			return fail("--finding takes no REF")
		}
		return a.explainFinding(cmd, f, args[0])
	}
	whatIf := len(f.set)+len(f.fact) > 0
	if whatIf && f.reaches == "" && !f.whyNot {
		return a.whatIf(cmd, f, args)
	}
	if (f.reaches != "") != (len(args) == 1) {
		if f.reaches != "" {
			return fail("--reaches takes no REF")
		}
		return fail("say what to explain: File[/etc/motd], Class[ntp], '$ntp::servers', hiera:KEY (or --reaches PLACE)")
	}
	file, _, isPlace := strings.Cut(f.reaches, ":")
	if (isPlace || strings.ContainsAny(file, "/.")) && f.from == "" && file != "hiera" && file != "fact" {
		if view := compiler.NewWorkspace(args[0], a.options(cmd, &f.compileFlags)).Disk(); !fleet.Exists(view,
			fleet.Within(view, args[0], file)) {
			return fail("there is no file %s%s", file, nearPath(filepath.Join(args[0], file)))
		}
	}
	if f.reaches != "" && f.from == "" && f.facts == "" && f.node == "" {
		return a.reachesAll(cmd, f, args[0])
	}
	switch {
	case f.against != "":
		return a.explainAgainst(cmd, f, args)
	case f.since != "":
		return a.explainSince(cmd, f, args)
	}
	if len(args) > 1 {
		f.ref = args[1]
	}
	if len(args) == 3 {
		f.attribute = args[2]
	}
	rec, bench, err := a.recordFor(cmd, f, args[0])
	if err != nil {
		return err
	}
	rec.All = f.all || f.format == "json"
	show := explain.Show{Style: a.out.Style(), All: f.all}
	switch {
	case f.reaches != "":
		answer, err := rec.Reaches(f.reaches)
		if err != nil {
			return a.notFound(f, err)
		}
		return a.answer(f, answer, func() { answer.Text(a.out, show) })
	case f.whyNot && len(args) < 3: // why an attribute is not set is told without it
		answer, err := rec.WhyNot(args[1])
		if err != nil {
			return a.notFound(f, err)
		}
		if err := a.answer(f, answer, func() { answer.Text(a.out, show) }); err != nil || !answer.Present {
			return err
		}
		return &exitError{code: exitNo}
	}
	attribute := ""
	if len(args) == 3 {
		attribute = args[2]
	}
	answer, err := rec.Explain(args[1], attribute)
	if err != nil {
		return a.notFound(f, err)
	}
	switch {
	case f.where:
		show.View = explain.WhereView
	case f.expression:
		show.View = explain.ExpressionView
	case f.dependency:
		show.View = explain.DependencyView
	}
	if show.View == explain.Whole && f.confirm != "none" {
		if err := a.confirm(cmd.Context(), f, bench, rec, answer, args[1], attribute); err != nil {
			return err
		}
	}
	if f.blame {
		blame(answer, show.View == explain.DependencyView)
	}
	return a.answer(f, answer, func() { answer.Text(a.out, show) })
}

// answer prints one in the format that was asked for.
func (a *app) answer(f *explainFlags, v any, text func()) error {
	if f.format == "text" {
		text()
		return nil
	}
	return a.writeJSON(v)
}

// notFound reports a question that names nothing: the answer is "no", with what may have been meant.
func (a *app) notFound(f *explainFlags, err error) error {
	var n *explain.NotFound
	if !errors.As(err, &n) {
		return err
	}
	code := exitNo
	if n.Unknown {
		code = exitUnknown
	}
	if f.format == "json" {
		list := n.Suggestions
		if list == nil {
			list = []string{}
		}
		if err := a.answer(f, map[string]any{"version": 1, "kind": "not found", "message": n.Message, "suggestions": list},
			nil); err != nil {
			return err
		}
		return &exitError{code: code}
	}
	fmt.Fprintf(a.err, "bunraku: %s\n", n.Message)
	switch len(n.Suggestions) {
	case 0:
	case 1:
		fmt.Fprintf(a.err, "  did you mean %s?\n", n.Suggestions[0])
	default:
		fmt.Fprintf(a.err, "  did you mean one of these?\n")
		for _, s := range n.Suggestions {
			fmt.Fprintf(a.err, "    %s\n", s)
		}
	}
	return &exitError{code: code}
}

// recordFor compiles, or reads a side file.
func (a *app) recordFor(cmd *cobra.Command, f *explainFlags, env string) (*explain.Record, *trial.Bench, error) {
	if f.from != "" {
		ws := compiler.NewWorkspace(env, a.options(cmd, &f.compileFlags))
		ask := question{}
		if !f.whyNot && f.reaches == "" {
			ask = question{f.ref, f.attribute}
		}
		rec, err := readRecord(ws.Disk(), f.from, env, ask)
		if err != nil || !f.whyNot {
			return rec, nil, err
		}
		c, err := ws.Open(cmd.Context()) // nothing is compiled: the manifests are read
		if err != nil {
			return nil, nil, err
		}
		rec.Code = c.Code()
		return rec, nil, nil
	}
	opt := a.options(cmd, &f.compileFlags)
	opt.Trace = true
	o, err := a.open(cmd.Context(), &f.compileFlags, env, opt)
	if err != nil {
		return nil, nil, err
	}
	rec, err := a.openedRecord(cmd.Context(), o)
	if err != nil {
		return nil, nil, err
	}
	return rec, trial.New(rec, env, opt, o.node), nil
}

// confirm finds out which places of an answer decide the value. A side file knows only those whose data stand in it.
func (a *app) confirm(ctx context.Context, f *explainFlags, bench *trial.Bench, rec *explain.Record,
	answer *explain.Answer,
	ref, attribute string) error {
	most := 0
	if f.confirm == "few" {
		if most = trials(rec.Trace.Len()); bench == nil || most == 0 {
			answer.Confirm()
			return nil
		}
	} else if bench == nil {
		return fail("--confirm compiles, which --from does not; leave one of them out")
	}
	return bench.Confirm(ctx, answer, ref, attribute, most)
}

// trials is how many compiles an answer may take beside the one that it is about: they must not be felt. What a compile
// costs is told by the size of its trace, so that the same question has the same answer on every machine.
func trials(nodes int) int {
	const most, bearable = 8, 80_000
	return min(most, bearable/max(nodes, 1))
}

func (a *app) compileRecord(ctx context.Context, c *compiler.Snapshot, node compiler.Node) (*explain.Record, error) {
	return a.openedRecord(ctx, &opened{Snapshot: c, node: node})
}

func (a *app) openedRecord(ctx context.Context, o *opened) (*explain.Record, error) {
	result, err := o.compile(ctx)
	if err != nil {
		return nil, err
	}
	a.keep(result)
	if result.Failure != nil {
		a.report(source.Diagnostics{result.Failure})
		return nil, &exitError{code: exitFailed}
	}
	return explain.Of(result.Record()), nil
}

// reachesAll asks the reverse question of every node.
func (a *app) reachesAll(cmd *cobra.Command, f *explainFlags, env string) error {
	opt := a.options(cmd, &f.compileFlags)
	opt.Trace = true
	ws := compiler.NewWorkspace(env, opt)
	view := ws.Disk()
	nodes, err := fleet.Nodes(view, env, "")
	if err != nil {
		return err
	}
	if len(nodes) == 0 {
		return noFacts(view, env)
	}
	c, err := ws.Snapshot(cmd.Context(), view)
	if err != nil {
		return err
	}
	var answers []*explain.ReachAnswer
	var none error
	for i, n := range nodes {
		rec, err := a.compileRecord(cmd.Context(), c, compiler.Node{Facts: n})
		if err != nil {
			return err
		}
		answer, err := rec.Reaches(f.reaches)
		var n *explain.NotFound
		if errors.As(err, &n) {
			none = err
			answer.Slots = nil
		} else if err != nil {
			return err
		}
		answers = append(answers, answer)
		if f.format == "text" {
			if i > 0 {
				fmt.Fprintln(a.out)
			}
			answer.Text(a.out, explain.Show{Style: a.out.Style(), All: f.all})
		}
	}
	if f.format == "json" {
		return a.answer(f, answers, nil)
	}
	for _, x := range answers {
		if len(x.Slots) > 0 {
			return nil
		}
	}
	if none == nil {
		return nil
	}
	return a.notFound(f, none)
}

// A question is what is asked of a side file; the zero question needs all of it.
type question struct{ ref, attribute string }

// sideText reads the file that the user named. Nobody asks what its digest is, and it may be large: a plain file is
// read as it is, and what is none is refused as everywhere.
func sideText(path string) ([]byte, error) {
	if info, err := os.Lstat(path); err == nil && info.Mode().IsRegular() {
		return os.ReadFile(path)
	}
	text, err := source.ReadFile(path)
	return []byte(text.Text), err
}

// readRecord reads a side file. Its files are looked for where they were, and in the environment that was named now.
func readRecord(view source.Files, path, env string, ask question) (*explain.Record, error) {
	text, err := sideText(path)
	if err != nil {
		return nil, err
	}
	open := func(name, root string) (string, []byte, error) {
		if rest, inside := strings.CutPrefix(name, root+"/"); inside {
			name = filepath.ToSlash(filepath.Join(env, rest))
		} else if name == root {
			name = env
		}
		text, err := view.Read(source.Absolute(name))
		return name, []byte(text.Text), err
	}
	var rec *explain.Record
	if ask.ref != "" {
		rec, err = explain.LoadFor(text, open, ask.ref, ask.attribute)
	} else {
		rec, err = explain.Load(text, open)
	}
	var other *explain.OtherVersion
	if errors.As(err, &other) {
		return nil, fail("%s cannot be read: %v; `bunraku compile %s --node NAME --provenance %s` writes it anew", path, err,
			env, path)
	}
	if err != nil {
		return nil, fail("%s cannot be read: %v; `bunraku compile --provenance FILE` writes such files", path, err)
	}
	return rec, nil
}

// writeProvenance writes the side file of a compile.
func writeProvenance(path, env string, hide func(string) string, result *eval.Result) error {
	text, err := explain.Save(explain.Of(result.Record()), filepath.ToSlash(filepath.Clean(env)), hide)
	if err != nil {
		return err
	}
	return report.WriteFile(path, text)
}
