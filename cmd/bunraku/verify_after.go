package main

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"bunraku/fleet"
	"bunraku/judge"
	"bunraku/puppet/catalog"
	"bunraku/puppet/compiler"
	"bunraku/puppet/environment"
	"bunraku/source"
	"bunraku/verify"
	"bunraku/verify/model"

	"github.com/spf13/cobra"
)

// An upgrade is the answer to --after.
type upgrade struct {
	*model.Upgrade        // nil if it cannot be said
	title          string // of the old catalog
	reason         string // why it cannot be said
}

// after says what a run does to a machine that has another catalog: one in a file, or this node's at a revision.
func (a *app) after(ctx context.Context, cmd *cobra.Command, j *judging, flags *verifyFlags, s *subject) (*upgrade,
	error) {
	u := &upgrade{title: flags.after}
	old := judge.Suspect{Platform: s.Platform, Shown: s.Shown, Types: s.Types}
	var err error
	switch {
	case isFile(flags.after):
		u.title = filepath.Base(flags.after)
		if old.Catalog, err = a.readCatalog(flags.after); err != nil {
			return nil, err
		}
	case s.env == "":
		return nil, fail("%s is no file; beside --catalog, --after takes a catalog in a file", flags.after)
	default:
		if old, err = a.earlier(ctx, cmd, flags, s, u); err != nil || u.reason != "" {
			return u, err
		}
	}
	u.Upgrade, u.reason, err = j.Judge.After(ctx, old, s.Suspect)
	return u, err
}

func isFile(name string) bool {
	_, err := source.ReadFile(name)
	return err == nil
}

// earlier compiles a node at a revision.
func (a *app) earlier(ctx context.Context, cmd *cobra.Command, flags *verifyFlags, s *subject,
	u *upgrade) (judge.Suspect, error) {
	opt := a.options(cmd, &flags.compileFlags)
	ws := compiler.NewWorkspace(s.env, opt)
	revs, err := fleet.NewRevisions(s.env, ws.Disk(), environment.Options{ModulePath: opt.ModulePath,
		BaseModulePath: opt.BaseModulePath, Outside: opt.Outside, Roots: opt.Roots}, givenBy(opt, nil))
	if err != nil {
		return judge.Suspect{}, err
	}
	defer revs.Close()
	rev, err := revs.Open(flags.after)
	if err != nil {
		return judge.Suspect{}, err
	}
	u.title = rev.Title
	snap, err := ws.Snapshot(ctx, rev.Files)
	if err != nil {
		return judge.Suspect{}, fmt.Errorf("%s: %w", rev.Title, err)
	}
	defer snap.Close()
	r, err := snap.Compile(ctx, s.node)
	if err != nil {
		return judge.Suspect{}, err
	}
	a.keep(r)
	if r.Failure != nil {
		u.reason = "the node does not compile there: " + r.Failure.Summary
		return judge.Suspect{}, nil
	}
	return fleet.NewSuspect(snap.Current(), r, s.node.Facts), nil
}

// upgradeJSON is the answer in JSON.
type upgradeJSON struct {
	After   string        `json:"after"`
	Unknown string        `json:"unknown,omitempty"` // why nothing can be said
	Rests   bool          `json:"comes_to_rest"`     // the old catalog does
	Acts    []actJSON     `json:"acts"`
	Maybe   []string      `json:"maybe,omitempty"` // what acts only on other machines that have the old catalog
	Failed  []failureJSON `json:"failed,omitempty"`
	Skipped []string      `json:"skipped,omitempty"`
	Left    []string      `json:"left_behind,omitempty"`
	Open    []string      `json:"taken_for_true,omitempty"`
	Rough   []noteJSON    `json:"not_known,omitempty"`
}

type actJSON struct {
	Resource resourceJSON `json:"resource"`
	Verb     string       `json:"verb"`
	What     []string     `json:"what,omitempty"`
	Because  string       `json:"because_of,omitempty"`
	Again    bool         `json:"every_run,omitempty"`
	Always   bool         `json:"always,omitempty"` // on every machine that has the old catalog
	Rough    bool         `json:"rough,omitempty"`
}

type failureJSON struct {
	Resource string `json:"resource"`
	Why      string `json:"why"`
	Again    bool   `json:"every_run,omitempty"`
}

func (u *upgrade) json() *upgradeJSON {
	if u == nil {
		return nil
	}
	out := &upgradeJSON{After: u.title, Unknown: u.reason, Acts: []actJSON{}}
	if u.Upgrade == nil {
		return out
	}
	out.Rests = u.Runs > 0
	for _, act := range u.Acts {
		x := actJSON{Resource: resourceOf(act.Resource), Verb: string(act.Verb), What: act.What, Again: act.Again,
			Always: act.Always, Rough: act.Exact != verify.Exact}
		if act.Told != nil {
			x.Because = act.Told.Ref()
		}
		out.Acts = append(out.Acts, x)
	}
	for _, r := range u.Maybe {
		out.Maybe = append(out.Maybe, r.Ref())
	}
	for _, f := range u.Failed {
		out.Failed = append(out.Failed, failureJSON{f.Resource.Ref(), f.Why, f.Again})
	}
	for _, r := range u.Skipped {
		out.Skipped = append(out.Skipped, r.Ref())
	}
	for _, r := range u.Left {
		out.Left = append(out.Left, r.Ref())
	}
	out.Open = u.Open
	for _, n := range u.Rough {
		out.Rough = append(out.Rough, noteJSON{Resource: n.Resource.Ref(), Text: n.Text})
	}
	return out
}

// text shows the answer.
func (u *upgrade) text(w io.Writer) {
	fmt.Fprintf(w, "\non a machine that has %s\n", u.title)
	if u.Upgrade == nil {
		fmt.Fprintf(w, "   not known: %s\n", u.reason)
		return
	}
	if u.Runs == 0 {
		fmt.Fprintf(w, "   the old catalog does not come to rest; this is what follows its third run from a fresh machine\n")
	}
	for _, act := range u.Acts {
		fmt.Fprintf(w, "   %s %s\n", act.Resource.Ref(), actText(act))
	}
	if len(u.Acts)+len(u.Failed) == 0 {
		fmt.Fprintf(w, "   a run changes nothing\n")
	}
	if len(u.Maybe) > 0 {
		fmt.Fprintf(w, "   on other machines that have it, perhaps: %s\n", refs(u.Maybe))
	}
	for _, f := range u.Failed {
		again := ""
		if f.Again {
			again = ", as in every run of the old catalog"
		}
		fmt.Fprintf(w, "   %s fails%s: %s\n", f.Resource.Ref(), again, f.Why)
	}
	if len(u.Skipped) > 0 {
		fmt.Fprintf(w, "   skipped, since what they depend on fails: %s\n", refs(u.Skipped))
	}
	if len(u.Left) > 0 {
		fmt.Fprintf(w, "   left behind: %s\n", refs(u.Left))
	}
	if len(u.Open) > 0 {
		fmt.Fprintf(w, "   taken for true: %s\n", strings.Join(u.Open, "; "))
	}
	for _, n := range u.Rough {
		fmt.Fprintf(w, "   not known what %s does: %s\n", n.Resource.Ref(), n.Text)
	}
}

// actText says what a run does by a resource.
func actText(act model.Act) string {
	text := string(act.Verb)
	if len(act.What) > 0 {
		text += ": " + strings.Join(act.What, ", ")
	}
	if act.Told != nil {
		text += " because of " + act.Told.Ref()
	}
	if act.Again {
		text += ", as in every run"
	}
	if act.Always {
		text += ", always"
	}
	if act.Exact != verify.Exact {
		text += " (modelled only roughly)"
	}
	return text
}

func refs(list []*catalog.Resource) string {
	var out []string
	for _, r := range list {
		out = append(out, r.Ref())
	}
	return strings.Join(out, ", ")
}
