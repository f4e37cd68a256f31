package fleet

import (
	"context"
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
	if h.New.None() {
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
// them as often as the old state when it left that. Of what came or went in several steps nothing is said.
func (r *Revisions) blameTurn(ctx context.Context, h *diff.Hunk, old, new *Revision, in source.Files,
	lines diff.Range) {
	if old.Tree == nil {
		return
	}
	file, err := in.Read(h.Path)
	if err != nil {
		return
	}
	part := strings.SplitAfter(file.Text, "\n")
	if !h.Whole {
		part = part[lines.First-1 : lines.End]
	}
	times := func(files source.Files) (n int) {
		now, err := files.Read(h.Path)
		switch {
		case err != nil:
			return 0
		case h.Came || h.Went: // whatever it says
			return 1
		case h.Mode:
			if info, err := files.Stat(h.Path); err == nil && info.Exec {
				return 1
			}
			return 0
		}
		for all := strings.SplitAfter(now.Text, "\n"); len(all) >= len(part); all = all[1:] {
			if slices.Equal(all[:len(part)], part) {
				n++
			}
		}
		return n
	}
	from, to := times(old.Files), times(new.Files)
	turned := func(side git.ID) bool {
		bases, err := r.Repo.MergeBase(ctx, side, old.Tree.Commit())
		return err == nil && slices.ContainsFunc(bases, func(b git.ID) bool {
			t, err := r.Repo.Tree(b.String(), r.Repo.WorkTree())
			return err == nil && times(t) == from
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
		switch times(t) {
		case to:
		case from:
			if i == 0 && new.Tree == nil {
				h.Commit = NotCommitted
			}
			return
		default:
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
			switch n := times(before); {
			case n == from:
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
