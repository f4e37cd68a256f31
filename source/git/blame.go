package git

import (
	"bytes"
	"container/heap"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"bunraku/budget"
	"bunraku/source"
)

// Who last changed a line: beginning with a text whose lines are all under suspicion, each commit hands those lines on
// to its parents that they already had; what no parent had is the commit's own. Of a merge, a parent that has the very
// same file takes all; else the parents are asked in turn. A file that a parent does not have is looked for among
// those that went away (rename.go). Commits are taken by date, the latest first, so that what several children hand on
// is mostly compared at once; the answer does not hang on it.

// A Change is who last changed a line. Its texts are printable.
type Change struct {
	Commit  ID // "" for what is not committed yet
	Author  string
	Time    int64 // of the author, in seconds since 1970
	Summary string
}

// blameWork bounds one question, in bytes that are inflated, copied and compared.
const blameWork = 8 << 30

// maxBlameFile bounds a file of the work tree that is asked about.
const maxBlameFile = 16 << 20

// Blame tells who last changed lines (counted from 1) of a file as a revision has it. Lines that are not there get no
// answer.
func (r *Repo) Blame(ctx context.Context, rev, name string, lines []int) (changes map[int]Change, err error) {
	defer budget.Catch(&err)
	id, err := r.Resolve(rev)
	if err != nil {
		return nil, err
	}
	w := r.blamer(ctx)
	c, err := w.commit(id)
	if err != nil {
		return nil, err
	}
	s := &suspect{commit: c, path: name}
	if err := w.place(s); err != nil {
		return nil, err
	}
	if s.mode&modeType != modeRegular {
		return nil, fmt.Errorf("%s is not a file in %s", printable(name), printable(rev))
	}
	text, err := r.expect(s.blob, blobKind, w.spend)
	if err != nil {
		return nil, err
	}
	s.lines = suspected(text, lines)
	w.suspect(s)
	return w.run()
}

// BlameFile is Blame for a file of the work tree as it is now, by its path. Lines that are not committed have no
// commit.
func (r *Repo) BlameFile(ctx context.Context, file string, lines []int) (changes map[int]Change, err error) {
	defer budget.Catch(&err)
	name, err := r.relative(file)
	if err != nil {
		return nil, err
	}
	d, err := openDoor(r.work)
	if err != nil {
		return nil, err
	}
	defer d.close()
	text, err := d.read(filepath.FromSlash(name), maxBlameFile)
	if err != nil {
		return nil, err
	}
	w := r.blamer(ctx)
	parents, err := r.workParents()
	if err != nil {
		return nil, err
	}
	// The work tree stands for a commit that is made now of what is there.
	now := &suspect{commit: &Commit{Parents: parents}, path: name, mode: modeRegular, now: true}
	if now.text, err = w.stored(name, text, parents); err != nil {
		return nil, err
	}
	now.lines = suspected(now.text, lines)
	w.suspect(now)
	return w.run()
}

// relative is the path of a file below the work tree, with slashes. Links on the way to it are followed, but not the
// last.
func (r *Repo) relative(file string) (string, error) {
	dir, err := filepath.EvalSymlinks(filepath.Dir(file))
	if err == nil {
		dir, err = filepath.Abs(dir)
	}
	if err != nil {
		return "", err
	}
	rel, err := filepath.Rel(r.work, filepath.Join(dir, filepath.Base(file)))
	if err != nil || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
		return "", &source.Refused{Path: file, Why: "lies outside of " + r.work}
	}
	return filepath.ToSlash(rel), nil
}

// workParents are what the next commit would have as parents: HEAD, and what is being merged.
func (r *Repo) workParents() ([]ID, error) {
	head, err := r.Resolve("HEAD")
	if err != nil {
		return nil, err
	}
	parents := []ID{head}
	text, err := r.own.read("MERGE_HEAD", 1<<16)
	if err != nil {
		return parents, nil
	}
	for line := range strings.Lines(string(text)) {
		if id, ok := idAfter([]byte(strings.TrimSpace(line)), "", r.format.size); ok {
			parents = append(parents, id)
		}
	}
	return parents, nil
}

// stored is what git would store of a file of the work tree.
func (w *blamer) stored(name string, text []byte, parents []ID) ([]byte, error) {
	c, err := w.commit(parents[0])
	if err != nil {
		return nil, err
	}
	t := &Tree{r: w.r, mount: "/", root: c.Tree, rules: map[string][]attributeRule{}}
	how, err := t.conversion(node{path: strings.Split(name, "/")})
	if err != nil || how.text == textNo && how.encoding == "" && !how.ident {
		return text, err
	}
	var old []byte
	if mode, id, err := w.r.lookup(c.Tree, name, w.spend); err == nil && mode&modeType == modeRegular {
		if old, err = w.r.expect(id, blobKind, w.spend); err != nil {
			return nil, err
		}
	}
	return how.toBlob(text, old), nil
}

// A suspect is a file of a commit that may have brought lines about.
type suspect struct {
	commit *Commit
	path   string
	mode   uint32
	blob   ID
	trail  []ID // the trees on the way to it, from the top
	now    bool // it is the work tree,
	text   []byte
	lines  []suspectLine
}

// A suspectLine is a line that was asked for, and where it stands in the suspect.
type suspectLine struct{ asked, at int }

func suspected(text []byte, lines []int) []suspectLine {
	n := len(trimLines(splitLines(text)))
	var out []suspectLine
	for _, l := range lines {
		if l >= 1 && l <= n {
			out = append(out, suspectLine{l, l - 1})
		}
	}
	return out
}

type suspectKey struct {
	commit ID
	path   string
}

type blamer struct {
	walk
	waiting map[suspectKey]*suspect
	queue   byAge
	found   map[int]Change
	names   *mailmap
}

func (r *Repo) blamer(ctx context.Context) *blamer {
	b := budget.New(ctx, budget.Limits{Steps: blameWork})
	return &blamer{
		walk:    walk{r, func(n int64) { b.Spend(n, "blame") }},
		waiting: map[suspectKey]*suspect{},
		found:   map[int]Change{},
	}
}

// suspect adds lines to a suspect that waits, or makes one wait.
func (w *blamer) suspect(s *suspect) {
	if len(s.lines) == 0 {
		return
	}
	key := suspectKey{s.commit.ID, s.path}
	if old := w.waiting[key]; old != nil {
		old.lines = append(old.lines, s.lines...)
		return
	}
	w.waiting[key] = s
	heap.Push(&w.queue, s)
}

func (w *blamer) run() (map[int]Change, error) {
	for w.queue.Len() > 0 {
		s := heap.Pop(&w.queue).(*suspect)
		delete(w.waiting, suspectKey{s.commit.ID, s.path})
		w.spend.spend(1000)
		if err := w.pass(s); err != nil {
			return nil, err
		}
		if err := w.charge(s); err != nil {
			return nil, err
		}
	}
	return w.found, nil
}

// charge blames a suspect for the lines that are left.
func (w *blamer) charge(s *suspect) error {
	if len(s.lines) == 0 {
		return nil
	}
	c := Change{Commit: s.commit.ID, Author: s.commit.Author.Name, Time: s.commit.Author.Time, Summary: s.commit.Summary}
	if s.now {
		c = Change{}
	} else {
		if w.names == nil {
			w.names = w.readMailmap()
		}
		c.Author = w.names.name(s.commit.Author)
	}
	for _, l := range s.lines {
		w.found[l.asked] = c
	}
	return nil
}

// place finds a suspect's file in its commit.
func (w *blamer) place(s *suspect) error {
	return w.placeFrom(s, nil)
}

// placeFrom is place where much is known of a child: below the first tree that both share, all is shared.
func (w *blamer) placeFrom(s, child *suspect) error {
	tree, rest := s.commit.Tree, s.path
	s.mode, s.blob, s.trail = 0, "", nil
	for level := 0; ; level++ {
		if child != nil && child.path == s.path && level < len(child.trail) && child.trail[level] == tree {
			s.mode, s.blob = child.mode, child.blob
			s.trail = append(s.trail, child.trail[level:]...)
			return nil
		}
		s.trail = append(s.trail, tree)
		name, after, more := strings.Cut(rest, "/")
		mode, id, err := w.r.lookup(tree, name, w.spend)
		if err != nil {
			return err
		}
		if !more {
			s.mode, s.blob = mode, id
			return nil
		}
		if mode&modeType != modeDir || mode == 0 {
			return nil
		}
		tree, rest = id, after
	}
}

// pass hands lines on to the parents of a suspect; what is left is its own.
func (w *blamer) pass(s *suspect) error {
	origins := make([]*suspect, len(s.commit.Parents))
	for i, id := range s.commit.Parents {
		c, err := w.commit(id)
		if err != nil {
			return err
		}
		o := &suspect{commit: c, path: s.path}
		if err := w.placeFrom(o, s); err != nil {
			return err
		}
		if o.mode&modeType != s.mode&modeType {
			if o.mode != 0 && o.mode&modeType != modeDir {
				o = nil // something else stood there: it was not moved
			}
			origins[i] = o
			continue
		}
		if w.same(o, s) {
			return w.passAll(s, o)
		}
		origins[i] = o
	}
	for i, o := range origins {
		if o == nil || o.mode&modeType == s.mode&modeType {
			continue
		}
		origins[i] = nil
		if s.now {
			continue
		}
		was, ok, err := w.renamed(o.commit, s.commit, s.path, s.mode, s.blob)
		if err != nil {
			return err
		}
		if !ok {
			continue
		}
		o = &suspect{commit: o.commit, path: was.path}
		if err := w.place(o); err != nil {
			return err
		}
		if w.same(o, s) {
			return w.passAll(s, o)
		}
		origins[i] = o
	}
	for i, o := range origins {
		if o == nil || slices.ContainsFunc(origins[:i], func(p *suspect) bool { return p != nil && p.blob == o.blob }) {
			continue
		}
		if err := w.passSome(s, o); err != nil {
			return err
		}
		if len(s.lines) == 0 {
			break
		}
	}
	return nil
}

func (w *blamer) same(o, s *suspect) bool {
	if s.now {
		return w.r.name(object{blobKind, s.text}) == o.blob
	}
	return o.blob == s.blob
}

func (w *blamer) passAll(s, o *suspect) error {
	o.lines, s.lines = s.lines, nil
	w.suspect(o)
	return nil
}

// passSome compares a suspect with what a parent had and hands on the lines that did not change.
func (w *blamer) passSome(s, o *suspect) error {
	old, err := w.r.expect(o.blob, blobKind, w.spend)
	if err != nil {
		return err
	}
	text := s.text
	if !s.now {
		if text, err = w.r.expect(s.blob, blobKind, w.spend); err != nil {
			return err
		}
	}
	slices.SortFunc(s.lines, func(a, b suspectLine) int { return a.at - b.at })
	changes := hunks(old, text, w.spend)
	var mine []suspectLine
	shift, next := 0, 0
	for _, l := range s.lines {
		for next < len(changes) && changes[next].b1 <= l.at {
			shift = changes[next].a1 - changes[next].b1
			next++
		}
		if next < len(changes) && changes[next].b0 <= l.at {
			mine = append(mine, l)
		} else {
			o.lines = append(o.lines, suspectLine{l.asked, l.at + shift})
		}
	}
	s.lines = mine
	w.suspect(o)
	return nil
}

// byAge is a heap of suspects, the work tree and the latest commit first.
type byAge []*suspect

func (h byAge) Len() int { return len(h) }
func (h byAge) Less(i, j int) bool {
	if h[i].now != h[j].now {
		return h[i].now
	}
	return h[i].commit.Date > h[j].commit.Date
}
func (h byAge) Swap(i, j int) { h[i], h[j] = h[j], h[i] }
func (h *byAge) Push(s any)   { *h = append(*h, s.(*suspect)) }
func (h *byAge) Pop() any {
	old := *h
	s := old[len(old)-1]
	*h = old[:len(old)-1]
	return s
}

// A mailmap says which names people go by now.
type mailmap struct{ names map[[2]string]string }

// readMailmap reads .mailmap at the top of HEAD; one that cannot be read says nothing.
func (w *blamer) readMailmap() *mailmap {
	m := &mailmap{map[[2]string]string{}}
	id, err := w.r.Resolve("HEAD")
	if err != nil {
		return m
	}
	c, err := w.commit(id)
	if err != nil {
		return m
	}
	mode, blob, err := w.r.lookup(c.Tree, ".mailmap", w.spend)
	if err != nil || mode&modeType != modeRegular {
		return m
	}
	text, err := w.r.expect(blob, blobKind, w.spend)
	if err != nil || len(text) > maxAttributeFile {
		return m
	}
	return parseMailmap(text)
}

var errMailmap = errors.New("no name")

// parseMailmap reads lines of "Name <email>", "Name <email> <old email>" and "Name <email> Old Name <old email>".
func parseMailmap(text []byte) *mailmap {
	m := &mailmap{map[[2]string]string{}}
	for line := range bytes.Lines(text) {
		if bytes.HasPrefix(line, []byte("#")) {
			continue
		}
		name, email, rest, err := mailmapPart(string(line))
		if err != nil {
			continue
		}
		oldName, oldEmail, _, err := mailmapPart(rest)
		if err != nil {
			oldName, oldEmail = "", email
		}
		if name != "" {
			m.names[[2]string{strings.ToLower(oldName), strings.ToLower(oldEmail)}] = printable(name)
		}
	}
	return m
}

func mailmapPart(s string) (name, email, rest string, err error) {
	name, after, ok := strings.Cut(s, "<")
	email, rest, closed := strings.Cut(after, ">")
	if !ok || !closed {
		return "", "", "", errMailmap
	}
	return strings.TrimSpace(name), strings.TrimSpace(email), rest, nil
}

func (m *mailmap) name(p Person) string {
	if n, ok := m.names[[2]string{strings.ToLower(p.Name), strings.ToLower(p.Email)}]; ok {
		return n
	}
	if n, ok := m.names[[2]string{"", strings.ToLower(p.Email)}]; ok {
		return n
	}
	return p.Name
}
