package model

import (
	"slices"
	"strings"

	"bunraku/puppet/value"
	"bunraku/verify/fs"

	"mvdan.cc/sh/v3/syntax"
)

// A command needs its program. Programs of the base system are on every machine; of the others it is only asked where a
// package of the catalog brings them, by its list, or, if there is none, by its name (convention C4: a program that no
// list has, called like a package of the catalog, is that package's).

// needProgram fails while the program of a command that some package of the catalog brings is not there.
func (b *builder) needProgram(it *item, s *shell, command string) fs.Seq {
	if b.opt.Packages == Paper {
		return nil
	}
	name, ok := s.programOf(command)
	if !ok {
		return nil
	}
	places := []string{name}
	if !strings.HasPrefix(name, "/") {
		places = nil
		for _, d := range searchPath(it) {
			places = append(places, strings.TrimSuffix(d, "/")+"/"+name)
		}
	}
	var there fs.Or
	seen := map[fs.Path]bool{}
	for _, place := range places {
		p := b.path(place)
		if seen[p] {
			continue
		}
		seen[p] = true
		if b.files[p] != nil || b.onBase(p) {
			return nil // a file that is managed is a file like any other, and what every machine has is there
		}
		if b.pk.lists(p) {
			there = append(there, fs.Is{Path: p, Kind: fs.File}, fs.Is{Path: p, Kind: fs.Link})
			there = append(there, b.dependents(p)...)
		}
	}
	base := name[strings.LastIndex(name, "/")+1:]
	why := fs.Fail{Why: "there is no program " + base + " yet"}
	if len(there) > 0 {
		return fs.Seq{fs.If{Cond: there, Else: why}}
	}
	system := !strings.HasPrefix(name, "/") || strings.HasPrefix(name, "/usr/bin/") ||
		strings.HasPrefix(name, "/usr/sbin/") ||
		strings.HasPrefix(name, "/bin/") || strings.HasPrefix(name, "/sbin/")
	if list, asked := b.pk.known[base]; asked && list == nil && system && len(places) > 0 && b.manages("Package", base) &&
		!b.removes(base) {
		return fs.Seq{fs.If{Cond: fs.And{b.pk.installed(base), b.brings(base, "program "+base)}, Else: why}}
	}
	return nil
}

// dependents say that a package of the catalog is installed which pulls in one that has a file: no machine has the one
// without the other, which the initial states do not say.
func (b *builder) dependents(p fs.Path) (out []fs.Pred) {
	for _, it := range b.ofType("Package") {
		for _, owner := range b.pk.owners[p] {
			if slices.Contains(b.pk.needs[it.name], owner) && !b.removes(it.name) {
				out = append(out, b.pk.installed(it.name))
			}
		}
	}
	return out
}

// removes reports whether the catalog takes a package away.
func (b *builder) removes(pkg string) bool {
	for _, it := range b.ofType("Package") {
		if e, _ := it.text("ensure"); it.name == pkg && (e == absent || e == "purged") {
			return true
		}
	}
	return false
}

// searchPath is where an exec looks for its program.
func searchPath(it *item) (out []string) {
	if it.r.Get("path") == nil || it.r.Get("path") == (value.Undef{}) {
		return nil
	}
	for _, p := range it.list("path") {
		for d := range strings.SplitSeq(p, ":") {
			if strings.HasPrefix(d, "/") {
				out = append(out, d)
			}
		}
	}
	return out
}

// programOf is the name of the program that a command runs first, whatever happens.
func (s *shell) programOf(command string) (string, bool) {
	file, ok := parse(command)
	if !ok || len(file.Stmts) == 0 {
		return "", false
	}
	for st := file.Stmts[0]; ; {
		switch c := st.Cmd.(type) {
		case *syntax.BinaryCmd:
			st = c.X
			continue
		case *syntax.Subshell:
			if len(c.Stmts) > 0 {
				st = c.Stmts[0]
				continue
			}
		case *syntax.Block:
			if len(c.Stmts) > 0 {
				st = c.Stmts[0]
				continue
			}
		case *syntax.CallExpr:
			if len(c.Args) == 0 {
				return "", false
			}
			var words []string
			for _, w := range c.Args {
				t, known := s.word(w)
				if !known && len(words) == 0 {
					return "", false
				}
				words = append(words, t)
			}
			name := words[0]
			if inner, ok := wrapped(name[strings.LastIndex(name, "/")+1:], words[1:]); ok && len(inner) > 0 {
				if len(inner) == 1 {
					if s.depth++; s.depth > 5 {
						return "", false
					}
					defer func() { s.depth-- }()
					return s.programOf(inner[0])
				}
				return inner[0], inner[0] != ""
			}
			return name, name != ""
		}
		return "", false
	}
}
