package fleet

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"bunraku/diff"
	"bunraku/source"
	"bunraku/source/git"
)

// Who wrote a hunk is a courtesy: bounded in number, time and history, and never an error.
const (
	blameHunks   = 60
	blameCommits = 300
	blameTime    = 2 * time.Second
)

// NotCommitted stands for the commit of lines that are only in the work tree.
const NotCommitted = "not committed"

// Blame finds the commits that the hunks of causes come from.
func (r *Revisions) Blame(ctx context.Context, report *diff.Report, old, new *Revision) {
	if r.Repo == nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, blameTime)
	defer cancel()
	seen := map[*diff.Hunk]bool{}
	about := func(c *diff.Cause) {
		if c == nil {
			return
		}
		for _, h := range c.Hunks {
			if !seen[h] && len(seen) < blameHunks && ctx.Err() == nil {
				seen[h] = true
				r.blame(ctx, h, old, new)
			}
		}
	}
	for _, it := range report.All() {
		about(it.Cause)
	}
	for _, f := range report.Failures {
		about(f.Cause)
	}
}

// Converted reports whether a file that is not the same in two revisions is the same to git: its attributes changed.
func Converted(old, new *Revision, path string) bool {
	return old.Tree != nil && new.Tree != nil && old.Tree.Stores(new.Tree, path)
}

// blame finds the commit of one hunk.
func (r *Revisions) blame(ctx context.Context, h *diff.Hunk, old, new *Revision) {
	if Converted(old, new, h.Path) { // no commit has changed its lines
		return
	}
	if h.New.None() || h.Link {
		r.blameTurn(ctx, h, old, new, old.Files, h.Old)
		return
	}
	var lines []int
	for n := h.New.First; n <= h.New.End && len(lines) < 50; n++ {
		lines = append(lines, n)
	}
	var changes map[int]git.Change
	var err error
	if new.Tree != nil {
		rel, _ := filepath.Rel(r.Repo.WorkTree(), h.Path)
		changes, err = r.Repo.Blame(ctx, new.Tree.Commit().String(), filepath.ToSlash(rel), lines)
	} else {
		changes, err = r.Repo.BlameFile(ctx, h.Path, lines)
	}
	if err != nil {
		return
	}
	var last *git.Change // the youngest of those of its lines
	for _, n := range lines {
		c, ok := changes[n]
		switch {
		case !ok:
		case c.Commit == "":
			h.Commit = NotCommitted
			return
		case last == nil || c.Time > last.Time:
			last = &c
		}
	}
	switch {
	case last == nil:
	case old.Tree != nil && r.within(ctx, last.Commit, old.Tree.Commit()): // only where they stand is new
		r.blameTurn(ctx, h, old, new, new.Files, h.New)
	default:
		h.Commit, h.Author, h.Title = last.Commit.String(), last.Author, last.Summary
	}
}

// within reports whether a commit is another one, or one before it.
func (r *Revisions) within(ctx context.Context, c, of git.ID) bool {
	bases, err := r.Repo.MergeBase(ctx, c, of)
	return err == nil && slices.Contains(bases, c)
}

// blameTurn finds the commit that took lines away from a file or brought them there: a parent had them as often as the
// old state, and it has them as often as the new one. A merge only takes over what one of its sides did, if that had
// them as often as the old state when it left that. Of what came or went in several steps nothing is said. A link is
// one line, whatever was in its place before: the commit is the last that made it what it is.
func (r *Revisions) blameTurn(ctx context.Context, h *diff.Hunk, old, new *Revision, in source.Files,
	lines diff.Range) {
	if old.Tree == nil {
		return
	}
	what := linkAt(h.Path)
	if !h.Link {
		file, err := in.Read(h.Path)
		if err != nil {
			return
		}
		part := strings.SplitAfter(file.Text, "\n")
		if !h.Whole {
			part = part[lines.First-1 : lines.End]
		}
		what = timesOf(h, part)
	}
	from, to := what(old.Files), what(new.Files)
	turned := func(side git.ID) bool {
		bases, err := r.Repo.MergeBase(ctx, side, old.Tree.Commit())
		return err == nil && slices.ContainsFunc(bases, func(b git.ID) bool {
			t, err := r.Repo.Tree(b.String(), r.Repo.WorkTree())
			return err == nil && what(t) == from
		})
	}
	start := "HEAD"
	if new.Tree != nil {
		start = new.Tree.Commit().String()
	}
	id, err := r.Repo.Resolve(start)
	if err != nil || from == to {
		return
	}
	for i := 0; i < blameCommits && ctx.Err() == nil; i++ {
		t, err := r.Repo.Tree(id.String(), r.Repo.WorkTree())
		if err != nil {
			return
		}
		if n := what(t); n != to {
			if i == 0 && new.Tree == nil && (n == from || h.Link) {
				h.Commit = NotCommitted
			}
			return
		}
		c, err := r.Repo.Commit(id)
		if err != nil || id == old.Tree.Commit() {
			return
		}
		had := false
		var next *git.ID
		for _, p := range c.Parents {
			before, err := r.Repo.Tree(p.String(), r.Repo.WorkTree())
			if err != nil {
				return
			}
			switch n := what(before); {
			case n == from || h.Link && n != to:
				had = true
			case n == to && next == nil && (len(c.Parents) == 1 || turned(p)):
				next = &p
			}
		}
		switch {
		case next != nil:
			id = *next
		case had && !r.within(ctx, id, old.Tree.Commit()):
			h.Commit, h.Author, h.Title = id.String(), c.Author.Name, c.Summary
			return
		default:
			return
		}
	}
}

// timesOf tells how often a state has the lines of a hunk.
func timesOf(h *diff.Hunk, part []string) func(source.Files) string {
	return func(files source.Files) string {
		now, err := files.Read(h.Path)
		n := 0
		switch {
		case err != nil:
		case h.Came || h.Went: // whatever it says
			n = 1
		case h.Mode:
			if info, err := files.Stat(h.Path); err == nil && info.Exec {
				n = 1
			}
		default:
			for all := strings.SplitAfter(now.Text, "\n"); len(all) >= len(part); all = all[1:] {
				if slices.Equal(all[:len(part)], part) {
					n++
				}
			}
		}
		return fmt.Sprint(n)
	}
}

// linkAt tells what a state has at the path of a link.
func linkAt(p string) func(source.Files) string {
	return func(files source.Files) string {
		if target, err := files.Link(p); err != nil || target != "" {
			return "a link to " + target // or nothing
		}
		info, err := files.Stat(p)
		return fmt.Sprint(info.Kind, err == nil)
	}
}
