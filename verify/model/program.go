package model

import (
	"slices"
	"strings"

	"bunraku/puppet/value"
	"bunraku/verify/fs"

	"mvdan.cc/sh/v3/syntax"
)

// A command needs its program. Programs of the base system are on every machine. Of the others, those are waited for
// that a package of the catalog brings, by its list, or, if there is none, by its name (convention C4: a program that
// no list has, called like a package of the catalog, is that package's). What remains is there if another resource puts
// it there; else, where the programs of a fresh machine are known, it is not, unless some package of the catalog pulls
// it in, which is an open point.

// needProgram fails while the program of a command is not there.
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
	if places := b.lacking(it, s, places, base, command); len(places) > 0 {
		if from := b.namedAfter(it, base); len(from) > 0 {
			for _, pkg := range from {
				there = append(there, fs.And{b.pk.installed(pkg), b.brings(pkg, "program "+base)})
			}
			return fs.Seq{fs.If{Cond: there, Else: why}}
		}
		// One that is called otherwise may pull it in.
		open := (b.baseBlind || slices.ContainsFunc(b.ofType("Package"), b.adds)) && !b.elsewhere(places, base)
		b.programs = append(b.programs, program{places[0], base, open})
		var there fs.Or
		for _, p := range places {
			there = append(there, exists(p))
		}
		return fs.Seq{fs.If{Cond: there, Else: fs.Fail{Why: program{name: base}.lacking()}}}
	}
	return nil
}

// validator fails while the program is not there that is to try a file before it is put in place; a file that is as it
// should be is not tried. Where a program without a path is looked for depends on how the agent was started.
func (b *builder) validator(it *item, kept fs.Pred) fs.Seq {
	command, ok := it.text("validate_cmd")
	if !ok {
		return nil
	}
	s := b.newShell(it)
	if name, ok := s.programOf(command); !ok || !strings.HasPrefix(name, "/") {
		return nil
	}
	need := b.needProgram(it, s, command)
	if len(need) == 0 {
		return nil
	}
	return fs.Seq{fs.If{Cond: kept, Else: need}}
}

// systemPath are the directories of which it is known which programs are in them at first. Those below /usr/local are
// empty.
var systemPath = []fs.Path{"/usr/bin", "/usr/sbin", "/bin", "/sbin", "/usr/local/bin", "/usr/local/sbin"}

// builtins are commands that shells have of themselves, for which an agent looks in vain, or not at all.
var builtins = strings.Fields(`. : [ alias bg break cd command continue eval exec exit export fg getopts hash if for while case until jobs read
	readonly return set shift source test time times trap type typeset ulimit umask unalias unset wait`)

// A program is one that no fresh machine has and somebody runs.
type program struct {
	at   fs.Path
	name string
	open bool // some package of the catalog may pull it in
}

// lacking says that it is not there.
func (x program) lacking() string { return "there is no program " + x.name }

// lackPrograms makes the machine one on which programs are that somebody runs and nobody puts there, so that one which
// is missing hides nothing else; what it is like without them is asked at the end.
func (b *builder) lackPrograms(used *paths) {
	for _, x := range b.programs {
		if b.made(x.at) || used.new[x.at] || b.fresh.At(x.at).Kind != fs.None {
			continue
		}
		b.fresh.Put(x.at, fs.File)
		b.assume = append(b.assume, exists(x.at))
		if x.open {
			b.open(there(x.at, fs.File), "%s is there", x.at)
		} else {
			b.m.Lacks = append(b.m.Lacks, Point{x.lacking(), there(x.at, fs.File)})
		}
	}
}

// lacking are the places of a program that no fresh machine has, for who can only hope that another resource puts it
// there; none if that is not known, or somebody may bring it.
func (b *builder) lacking(it *item, s *shell, places []string, base, command string) (out []fs.Path) {
	provider, _ := it.text("provider")
	if !b.basePrograms || len(places) == 0 || slices.Contains(builtins, base) || strings.ContainsAny(base, "=$`*?{") ||
		provider == "shell" && strings.ContainsAny(command, "|&;") || len(s.unread) > 0 {
		return nil // a command that nobody has read is taken to succeed (convention C1)
	}
	for _, place := range places {
		p := b.path(place)
		if !slices.ContainsFunc(systemPath, func(d fs.Path) bool { return p.Parent() == d }) || b.broughtBy(it, p) {
			return nil
		}
		if !slices.Contains(out, p) {
			out = append(out, p)
		}
	}
	if slices.ContainsFunc(out, func(p fs.Path) bool { return b.accepts("%s is there", p) }) {
		return nil
	}
	return out
}

// elsewhere reports whether a package of the catalog is known to have a program, and none of these is its place: then
// nobody brings it there as well.
func (b *builder) elsewhere(places []fs.Path, program string) bool {
	return slices.ContainsFunc(systemPath, func(d fs.Path) bool {
		p := b.path(string(d) + "/" + program)
		return !slices.Contains(places, p) && slices.ContainsFunc(b.pk.owners[p], func(pkg string) bool {
			return b.basis[pkg] == nil && !b.removes(pkg)
		})
	})
}

// adds reports whether a package is not on every machine and the catalog wants it.
func (b *builder) adds(pkg *item) bool { return b.basis[pkg.name] == nil && !b.removes(pkg.name) }

// namedAfter are the packages of the catalog, of those without a list, that a program is called after: awscli and aws.
// One of them brings it, or nobody does, and who runs it without waiting for them fails either way. There are none if a
// package that is called otherwise, and may bring it, comes before.
func (b *builder) namedAfter(it *item, program string) (out []string) {
	var others []*item
	for _, pkg := range b.ofType("Package") {
		switch {
		case !b.adds(pkg):
		case b.pk.known[pkg.name] == nil && systemProvider(pkg) &&
			(kin(pkg.name, fs.Path(program)) || len(program) > 2 && strings.HasPrefix(pkg.name, program)):
			out = append(out, pkg.name)
		default:
			others = append(others, pkg)
		}
	}
	if len(out) > 0 && slices.ContainsFunc(others, func(pkg *item) bool { return b.cg.Path(pkg.r, it.r, false) != nil }) {
		return nil
	}
	return out
}

// broughtBy reports whether something whose products are not all known may put a program at a place: a tree from
// elsewhere, or a command that speaks of its directory.
func (b *builder) broughtBy(asker *item, p fs.Path) bool {
	dir := string(p.Parent())
	return slices.ContainsFunc(b.items, func(it *item) bool {
		if it == nil || it == asker || sleeps(it) {
			return false
		}
		may := it.rec.Build == nil && it.rec.Line == nil || it.r.Type == "Archive" || it.r.Type == "Vcsrepo"
		switch it.r.Type {
		case "File":
			may = strings.HasPrefix(dir+"/", it.name+"/") && it.or("recurse", "false") != "false"
		case "Exec":
			command := " " + it.or("command", it.name) + " "
			may = strings.Contains(command, dir+" ") || strings.Contains(command, dir+"/ ") ||
				strings.Contains(command, "install ") || strings.Contains(command, "make ")
		case "Package":
			may = !systemProvider(it) // pip and gem install programs, too
		}
		return may && b.cg.Path(asker.r, it.r, false) == nil // what comes after it brings it nothing
	})
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
