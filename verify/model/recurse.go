package model

import (
	"path"
	"slices"
	"strconv"
	"strings"

	"bunraku/puppet/resource"
	"bunraku/verify"
	"bunraku/verify/fs"
)

// A sweep is what a resource does to the paths below another one that somebody names: file with recurse, tidy. It can
// only be written down when all programs are known (see sweeps).
type sweep struct {
	top   fs.Path
	reach resource.Recursion // how far it goes
	keeps bool               // what the catalog manages is left alone, with what is below
	knows []fs.Path          // what it comes to whether somebody names it or not
	visit func(q fs.Path) (do fs.Expr, whole bool)
	body  fs.Seq // what all that comes to
	rest  bool   // the children nobody names go too
}

// sweeps completes the programs of resources that go through a tree. Puppet generates a resource for everything that it
// finds below the top, and drops those at or below a path that the catalog manages.
func (b *builder) sweeps() {
	var named []fs.Path
	u := newPaths()
	for _, it := range b.items {
		if it != nil {
			u.expr(it.program)
			u.pred(it.post)
		}
	}
	b.tidied(u)
	for p := range u.kind {
		named = append(named, p)
	}
	named = append(named, b.opt.named...)
	slices.Sort(named)
	named = slices.Compact(named)
	for _, it := range b.items {
		if it == nil || it.sweep == nil {
			continue
		}
		s := it.sweep
		all := named
		if len(s.knows) > 0 {
			all = slices.Concat(named, s.knows)
			slices.Sort(all)
			all = slices.Compact(all)
		}
		var managed []fs.Path
		if s.keeps {
			for q := range b.files {
				if q.Under(s.top) {
					managed = append(managed, q)
				}
			}
		}
		body := fs.Seq{}
		var children, done []fs.Path
		for _, q := range all {
			if !q.Under(s.top) {
				continue
			}
			if q.Parent() == s.top {
				children = append(children, q)
			}
			if atOrBelow(q, done) || atOrBelow(q, managed) || !s.reaches(q) {
				continue
			}
			do, whole := s.visit(q)
			if whole {
				done = append(done, q)
			}
			if do != nil {
				body = append(body, do)
			}
		}
		if s.rest {
			body = append(body, fs.Clear{Path: s.top, Keep: children})
		}
		s.body = body
	}
}

// reaches reports whether a resource with a sweep, or without, comes to a path.
func (it *item) reaches(top, p fs.Path) bool {
	return p == top || p.Under(top) && it.sweep != nil && it.sweep.reaches(p)
}

// tidied says what is not exact about tidy: agents look for what it removes before they do anything else, so what is
// made in the same run stays until the next one, and what goes is a file of the catalog like others, which other
// resources come after.
func (b *builder) tidied(u *paths) {
	for _, it := range b.items {
		if it == nil || it.r.Type != "Tidy" {
			continue
		}
		top := b.path(it.name)
		for _, p := range sortedKeys(u.new) {
			if b.files[p] == nil && it.reaches(top, p) {
				it.noteOnce(verify.Approximate, "what a run makes at %s goes only with the next one", p)
			}
		}
		for p, lines := range b.lines {
			if b.files[p] == nil && len(lines) > 0 && it.reaches(top, p) {
				it.noteOnce(verify.Approximate, "what it removes goes before lines of such files are looked at")
			}
		}
	}
}

func atOrBelow(q fs.Path, tops []fs.Path) bool {
	return slices.ContainsFunc(tops, func(t fs.Path) bool { return q == t || q.Under(t) })
}

// reaches reports whether the sweep comes to q: not too deep, and no name on the way is passed over.
func (s *sweep) reaches(q fs.Path) bool {
	return s.reach.Reaches(strings.TrimPrefix(string(q[len(s.top):]), "/"))
}

// globs matches a name as File.fnmatch does with dot files: what path.Match has is what Puppet's documentation
// promises.
func globs(patterns []string, name string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool {
		ok, err := path.Match(p, name)
		return ok && err == nil
	})
}

// recursion is what a file resource does below its path.
func (b *builder) recursion(it *item, p fs.Path, recurse string, purge, force bool, source string, has *Served) {
	if recurse != "true" && recurse != "remote" && recurse != "inf" {
		return
	}
	s := &sweep{top: p, reach: resource.RecursionOf(it.r.Get), keeps: true}
	attrs := func(q fs.Path, dir bool) fs.Expr {
		set, test := b.attrs(it, q, dir)
		if len(set) == 0 {
			return nil
		}
		return fs.If{Cond: fs.Or{fs.Is{Path: q, Kind: fs.None}, test}, Else: set}
	}
	local := strings.HasPrefix(source, "/")
	from := func(q fs.Path) fs.Path { return fs.Clean(source + string(q[len(p):])) }
	if has != nil {
		for below := range has.Below {
			s.knows = append(s.knows, p+"/"+fs.Path(below))
		}
	} else if source != "" && !local {
		it.note(verify.Approximate, "which files come with its source is not known")
	}
	s.visit = func(q fs.Path) (fs.Expr, bool) {
		gone, whole := b.purged(q, force)
		if !purge {
			gone, whole = nil, false
		}
		if recurse == "remote" {
			gone, whole = nil, false // only what the source has is looked at
		}
		came := Served{}
		if has != nil {
			came = has.Below[strings.TrimPrefix(string(q[len(p):]), "/")]
		}
		rest := attrs(q, came.Kind == fs.Dir)
		if rest == nil {
			rest = fs.Skip{}
		}
		switch {
		case came.Kind != fs.None:
			become := b.becomes(q, came, force)
			if !it.truth("replace", true) {
				become = fs.If{Cond: fs.Is{Path: q, Kind: fs.None}, Then: become}
			}
			return fs.Seq{become, rest}, false
		case has != nil:
			return orElse(gone, rest), false
		case local:
			f := from(q)
			is := func(k fs.Kind) fs.Pred { return fs.Is{Path: f, Kind: k} }
			return fs.If{Cond: is(fs.None), Then: orElse(gone, rest), Else: fs.Seq{
				fs.If{Cond: is(fs.Dir), Then: b.makeDir(q), Else: b.way(q, force)},
				fs.If{Cond: is(fs.File), Then: b.makeFile(q, fs.ContentOf{Path: f})},
				fs.If{Cond: is(fs.Link), Then: b.makeLink(q, fs.ContentOf{Path: f})},
				rest}}, false
		case source != "":
			brought := fs.Holds{Name: source + " brings " + string(q)}
			return fs.If{Cond: brought, Then: fs.Seq{b.makeFile(q, fs.Str("what "+source+string(q[len(p):])+" holds")), rest},
				Else: orElse(gone, rest)}, false
		}
		if gone != nil {
			return gone, whole
		}
		return rest, false
	}
	if purge && force && recurse != "remote" && len(s.reach.Ignore) == 0 && source == "" {
		s.rest = true
	}
	it.sweep = s
}

func orElse(e, otherwise fs.Expr) fs.Expr {
	if e != nil {
		return e
	}
	return otherwise
}

// purged is what becomes of something that nobody manages in a directory that is purged. Without force, directories
// stay.
func (b *builder) purged(q fs.Path, force bool) (fs.Expr, bool) {
	if force {
		return b.removeTree(q), true
	}
	return fs.If{Cond: fs.Or{fs.Is{Path: q, Kind: fs.File}, fs.Is{Path: q, Kind: fs.Link}}, Then: b.remove(q)}, false
}

// way is what Puppet does to a directory where something else should be.
func (b *builder) way(q fs.Path, force bool) fs.Expr {
	clear := fs.Expr(fs.Fail{Why: string(q) + " is a directory"})
	if force {
		clear = b.removeTree(q)
	}
	return fs.If{Cond: fs.Is{Path: q, Kind: fs.Dir}, Then: clear}
}

// makeDir makes q a directory, whatever file or link was there.
func (b *builder) makeDir(q fs.Path) fs.Expr {
	return fs.If{Cond: fs.Is{Path: q, Kind: fs.Dir}, Else: fs.Seq{
		fs.If{Cond: fs.Is{Path: q, Kind: fs.None}, Else: b.remove(q)}, fs.Mkdir{Path: q}}}
}

// makeLink makes q a link, whatever file or link was there.
func (b *builder) makeLink(q fs.Path, target fs.Term) fs.Expr {
	good := fs.And{fs.Is{Path: q, Kind: fs.Link}, fs.Equal{A: fs.ContentOf{Path: q}, B: target}}
	return fs.If{Cond: good, Else: fs.Seq{fs.If{Cond: fs.Is{Path: q, Kind: fs.None}, Else: b.remove(q)},
		fs.Ln{Path: q, Target: target}}}
}

// makeFile makes q a file, whatever file or link was there.
func (b *builder) makeFile(q fs.Path, content fs.Term) fs.Expr {
	return fs.If{Cond: fs.ContentIs(q, content),
		Else: fs.Seq{fs.If{Cond: fs.Is{Path: q, Kind: fs.Link}, Then: b.remove(q)},
			fs.If{Cond: fs.Is{Path: q, Kind: fs.None}, Then: b.create(q, content), Else: b.write(q, content)}}}
}

// tidy is the tidy type: files that are old or large enough go, but for those that the catalog manages. How old and how
// large they are is not known; with neither said, all that match go.
func (b *builder) tidy(it *item) {
	if !strings.HasPrefix(it.name, "/") {
		it.note(verify.Opaque, "the path %q is not absolute", it.name)
		return
	}
	top := b.path(it.name)
	matches := it.list("matches")
	recurse, _ := it.text("recurse")
	_, aged := it.text("age")
	_, sized := it.text("size")
	dirs := it.truth("rmdirs", false)
	pick := func(q fs.Path) fs.Expr {
		if b.files[q] != nil || len(matches) > 0 && !globs(matches, path.Base(string(q))) {
			return nil
		}
		is := fs.Or{fs.Is{Path: q, Kind: fs.File}, fs.Is{Path: q, Kind: fs.Link}}
		if dirs {
			is = append(is, fs.Is{Path: q, Kind: fs.Dir})
		}
		var cond fs.Pred = is
		if aged || sized {
			it.note(verify.Approximate, "whether %s is old or large enough is not known", q)
			cond = fs.And{is, fs.Holds{Name: it.r.Ref() + " picks " + string(q)}}
		}
		if dirs { // by force, whatever is in them
			for f := range b.files {
				if f.Under(q) {
					it.noteOnce(verify.Approximate, "when %s goes, before or after what is managed below it, is not modelled", q)
				}
			}
			return fs.If{Cond: cond, Then: b.removeTree(q)}
		}
		return fs.If{Cond: cond, Then: b.remove(q)}
	}
	it.program = fs.Skip{}
	if do := pick(top); do != nil {
		it.program = do
	}
	if recurse == "" || recurse == "false" {
		return
	}
	s := &sweep{top: top, reach: resource.Recursion{Limit: -1}}
	if n, err := strconv.Atoi(recurse); err == nil {
		s.reach.Limit = n
	}
	s.visit = func(q fs.Path) (fs.Expr, bool) { return pick(q), false }
	it.sweep = s
}

// trees are the tops of what is swept, so that the files of packages below them count.
func (b *builder) trees() map[fs.Path]bool {
	out := map[fs.Path]bool{}
	for _, it := range b.items {
		if it != nil && it.sweep != nil {
			out[it.sweep.top] = true
		}
	}
	return out
}
