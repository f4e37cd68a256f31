package model

import (
	"maps"
	"path"
	"slices"
	"strings"

	"bunraku/verify"
	"bunraku/verify/fs"
	"bunraku/verify/listing"
)

// removed is the state of a package whose configuration files were left behind.
const removed = "removed"

// packages is what the catalog's packages bring, with those that they pull in.
//
// Erratum: Rehearsal had no dependencies, so it could not find the conflict of its own §2.2: golang-go needs perl, and
// removing perl removes golang-go.
type packages struct {
	b        *builder
	known    map[string]*listing.Package
	order    []string            // all names, sorted
	needs    map[string][]string // transitive, sorted
	owners   map[fs.Path][]string
	keep     map[fs.Path]bool     // paths worth tracking
	used     map[string]bool      // that have a variable
	leaving  bool                 // somebody removes a package
	replaces map[string]bool      // configuration files are replaced (configfiles => replace)
	guess    map[string][]fs.Path // directories that packages without a list are taken to bring
	scripts  map[string][]fs.Path // files that the scripts of packages are taken to make
	tracked  map[string]tracked   // by package; filled when track has decided
}

// tracked are the paths of a package that matter, parents first.
type tracked struct{ dirs, files []fs.Path }

func newPackages(b *builder) *packages {
	pk := &packages{b: b, known: map[string]*listing.Package{}, needs: map[string][]string{},
		owners: map[fs.Path][]string{}, keep: map[fs.Path]bool{}, used: map[string]bool{}, guess: map[string][]fs.Path{},
		replaces: map[string]bool{}, scripts: map[string][]fs.Path{}, tracked: map[string]tracked{}}
	for _, it := range b.items {
		if it != nil && it.r.Type == "Package" && systemProvider(it) {
			pk.find(it.name)
			if c, _ := it.text("configfiles"); c == "replace" {
				pk.replaces[it.name] = true
			}
			switch e, _ := it.text("ensure"); e {
			case "absent", "purged":
				pk.leaving = true
			}
		}
	}
	for name, p := range pk.known {
		pk.order = append(pk.order, name)
		if p == nil {
			continue
		}
		for _, f := range p.Files {
			q := b.path(f)
			pk.owners[q] = append(pk.owners[q], name)
		}
	}
	slices.Sort(pk.order)
	for _, name := range pk.order {
		pk.needs[name] = pk.closure(name)
	}
	return pk
}

// find reads the list of a package and of all that it pulls in.
func (pk *packages) find(name string) {
	if _, ok := pk.known[name]; ok {
		return
	}
	p, err := pk.b.opt.Image.Package(name)
	if p == nil && err == nil {
		p, err = pk.b.opt.Listing.Package(name)
	}
	if err != nil && pk.b.err == nil {
		pk.b.err = err
	}
	pk.known[name] = p
	if p == nil {
		return
	}
	for _, d := range p.Depends {
		pk.find(d)
	}
}

func (pk *packages) closure(name string) []string {
	seen := map[string]bool{name: true}
	work := []string{name}
	for len(work) > 0 {
		p := pk.known[work[0]]
		work = work[1:]
		if p == nil {
			continue
		}
		for _, d := range p.Depends {
			if !seen[d] {
				seen[d] = true
				work = append(work, d)
			}
		}
	}
	delete(seen, name)
	out := make([]string, 0, len(seen))
	for d := range seen {
		out = append(out, d)
	}
	slices.Sort(out)
	return out
}

// lists reports whether some package brings a file.
func (pk *packages) lists(p fs.Path) bool { return len(pk.owners[p]) > 0 }

// track decides which listed paths matter: those that another resource or another package speaks about. What a single
// package has to itself can neither conflict nor be seen, so it is left out; the verdicts stay the same.
func (pk *packages) track() {
	u := newPaths()
	for _, it := range pk.b.items {
		if it != nil {
			u.expr(it.program)
			u.pred(it.post)
		}
	}
	for t := range pk.b.trees() {
		u.trees[t] = true
	}
	named := map[fs.Path]bool{}
	for _, p := range pk.b.opt.named {
		named[p] = true
	}
	for p, owners := range pk.owners {
		if u.kind[p] || named[p] || u.inTree(p) || len(owners) > 1 && pk.b.opt.Packages == Paper {
			pk.keep[p] = true
		}
	}
	for _, name := range pk.order {
		if l := pk.known[name]; l != nil {
			for _, d := range l.Dirs {
				if q := pk.b.path(d); u.kind[q] || named[q] || u.inTree(q) {
					pk.keep[q] = true
				}
			}
		}
	}
	pk.guessDirs(u)
	pk.guessFiles(u)
}

// guessDirs deals with directories that somebody needs and nobody makes, while lists are missing: one that is called
// like a package without a list is taken to come with it, any other to be on every machine. One that a list may leave
// out is taken to come with the package if that has a directory of its own above it. All is said.
func (pk *packages) guessDirs(u *paths) {
	b := pk.b
	unlisted := slices.DeleteFunc(slices.Clone(pk.order),
		func(n string) bool { return !pk.isForeign(n) || b.basis[n] != nil })
	listed := slices.DeleteFunc(slices.Clone(pk.order), func(n string) bool { return pk.known[n] == nil })
	unknown := len(unlisted) > 0 || b.baseBlind || slices.ContainsFunc(b.items, func(it *item) bool {
		return it != nil &&
			it.exact == verify.Opaque
	})
	if !unknown && !slices.ContainsFunc(listed, func(n string) bool {
		return pk.known[n].NoEmpty ||
			pk.known[n].Partial
	}) {
		return
	}
	var wanted []fs.Path
	seen := map[fs.Path]bool{}
	for _, d := range b.needed {
		u.below[d] = true
	}
	for d := range u.below {
		for ; !d.IsRoot() && !seen[d]; d = d.Parent() {
			seen[d] = true
			if !u.made[d] && !pk.keep[d] && !b.base(d) {
				wanted = append(wanted, d)
			}
		}
	}
	slices.Sort(wanted)
	for _, d := range wanted {
		if names := called(d, unlisted); len(names) > 0 && packageLand(d) {
			for _, n := range names {
				pk.guessDir(n, d, u)
			}
			b.m.Assumed = append(b.m.Assumed, string(d)+" comes with package "+strings.Join(names, " and ")+
				", of which there is no file list")
			continue
		}
		if names := pk.above(d, listed); len(names) > 0 {
			for _, n := range names {
				pk.guessDir(n, d, u)
			}
			b.m.Assumed = append(b.m.Assumed, string(d)+" comes with package "+strings.Join(names, " and ")+
				", whose list may leave it out")
			continue
		}
		if !packageLand(d) && b.baseKnown || b.accepts("%s is there", d) {
			continue
		}
		// A list that leaves things out leaves out what the package pulls in, too.
		relative := slices.ContainsFunc(listed, func(n string) bool {
			return pk.known[n].Partial && b.basis[n] == nil &&
				kin(n, d)
		})
		if !unknown && !relative {
			continue
		}
		b.open(there(d, fs.Dir), "%s is there", d)
		b.present, b.based = append(b.present, d), nil
		b.m.Assumed = append(b.m.Assumed, string(d)+" is there: no package list says who brings it")
	}
}

// guessDir takes a package to bring a directory, with those above it that the catalog declares itself: a package
// manager makes whatever is missing on the way.
func (pk *packages) guessDir(name string, d fs.Path, u *paths) {
	if up := d.Parent(); u.made[up] && !pk.keep[up] && !pk.b.base(up) && !slices.Contains(pk.guess[name], up) {
		pk.guessDir(name, up, u)
	}
	pk.guess[name] = append(pk.guess[name], d)
}

// packageLand reports whether packages put things at a place: not below /home, /srv, /usr/local or what people make
// themselves (convention C2).
func packageLand(p fs.Path) bool {
	if p.Under("/usr/local") || p == "/usr/local" {
		return false
	}
	top, _, _ := strings.Cut(strings.TrimPrefix(string(p), "/"), "/")
	return slices.Contains([]string{"etc", "usr", "var", "opt", "bin", "sbin", "run"}, top) ||
		strings.HasPrefix(top, "lib")
}

// above finds the packages that have a directory of their own above one that their lists may leave out.
func (pk *packages) above(p fs.Path, names []string) (out []string) {
	for _, n := range names {
		for d := p.Parent(); pk.known[n].Silent(string(p)) && !d.IsRoot() && !pk.b.base(d); d = d.Parent() {
			if _, ok := slices.BinarySearch(pk.known[n].Dirs, string(d)); ok {
				out = append(out, n)
				break
			}
		}
	}
	return out
}

// called finds the packages that a part of a path is called after: /etc/mysql/conf.d and mysql-server.
func called(p fs.Path, names []string) []string {
	for part := range strings.SplitSeq(string(p), "/") {
		var out []string
		for _, n := range names {
			stem, _, _ := strings.Cut(n, "-")
			if part != "" && (n == part || stem == part && len(stem) > 2) {
				out = append(out, n)
			}
		}
		if len(out) > 0 {
			return out
		}
	}
	return nil
}

// bring finds the packages that an account comes with, if nobody declares it and not every machine has it: those that
// are called like it, or that bring something that is. What packages do when they are installed beyond unpacking files
// is in no list, so this is a guess, and is said. Files, execs and cron jobs of such an account fail before one of the
// packages is installed.
func (b *builder) bring(kind, name string) (cell string, ok bool) {
	managed := map[string]map[string]bool{"user": b.users, "group": b.groups}[kind]
	cell = kind + " " + name
	if managed[name] {
		return cell, true
	}
	if b.opt.Packages == Paper || name == "" || strings.Trim(name, "0123456789") == "" {
		return "", false
	}
	if has, _ := b.baseAccount(kind, name); has || slices.Contains(agentUsers, name) {
		return "", false
	}
	if from, asked := b.accounts[cell]; asked {
		return cell, len(from) > 0 || b.nobody[cell]
	}
	var from []string
	for _, it := range b.ofType("Package") {
		if !systemProvider(it) {
			continue
		}
		if e, _ := it.text("ensure"); e != absent && e != "purged" &&
			(b.pk.makes(it.name, cell) || b.pk.suggests(it.name, name)) {
			from = append(from, it.name)
		}
	}
	if sure := slices.DeleteFunc(slices.Clone(from), func(n string) bool { return !b.pk.makes(n, cell) }); len(sure) > 0 {
		from = sure // who is known to make it, makes it
	}
	b.accounts[cell] = from
	if len(from) == 0 {
		b.nobody[cell] = true
		switch _, known := b.baseAccount(kind, name); {
		case b.accepts("%s is there", cell):
			b.variable(cell, present, absent)
		case known && !b.mayMakeAccounts():
			b.variable(cell, absent, present)
		default:
			b.variable(cell, present, absent)
			b.open(func(s *fs.State, yes bool) {
				s.Vars[cell] = fs.Text(map[bool]string{true: present, false: absent}[yes])
			}, "%s is there", cell)
		}
		return cell, true
	}
	b.variable(cell, absent, present)
	if !b.pk.makes(from[0], cell) {
		b.m.Assumed = append(b.m.Assumed, cell+" comes with package "+strings.Join(from, " or ")+
			": nothing else in the catalog makes it")
	}
	return cell, true
}

// mayMakeAccounts reports whether something in the catalog could make an account that it does not name: the scripts of
// packages, a type without a model. Commands are taken to make what they name (convention C1).
func (b *builder) mayMakeAccounts() bool {
	if b.makers == verify.Unknown {
		b.makers = verify.No // for those that ask while this is found out
		if b.findMakers() {
			b.makers = verify.Yes
		}
	}
	return b.makers == verify.Yes
}

func (b *builder) findMakers() bool {
	return slices.ContainsFunc(b.items, func(it *item) bool {
		if it == nil || sleeps(it) {
			return false
		}
		if it.r.Type == "Package" {
			st, _ := b.opt.Listing.Standing(it.name)
			return b.basis[it.name] == nil && !b.removes(it.name) &&
				(st != listing.Bounded || b.pk.known[it.name] != nil) && !b.pk.scripted(it.name)
		}
		return it.rec.Build == nil && it.rec.Line == nil
	})
}

// scripted reports whether it is known which accounts a package makes, with all that it pulls in.
func (pk *packages) scripted(pkg string) bool {
	return !slices.ContainsFunc(append([]string{pkg}, pk.needs[pkg]...),
		func(n string) bool { return pk.b.basis[n] == nil && !pk.b.opt.Listing.Scripted(n) })
}

// makes reports whether a package is known to make an account.
func (pk *packages) makes(pkg, account string) bool {
	list, err := pk.b.opt.Listing.Accounts(pkg)
	if err != nil && pk.b.err == nil {
		pk.b.err = err
	}
	return slices.Contains(list, account)
}

// suggests reports whether a package looks as if it brings an account.
func (pk *packages) suggests(pkg, account string) bool {
	stem, _, _ := strings.Cut(pkg, "-")
	if stem == account || pkg == account || len(account) >= 4 && strings.HasPrefix(stem, account) {
		return true
	}
	l := pk.known[pkg]
	if l == nil {
		return false
	}
	named := func(p string) bool { return path.Base(p) == account }
	return slices.ContainsFunc(l.Files, named) || slices.ContainsFunc(l.Dirs, named)
}

// accountsOf are the accounts that a package is taken to bring, as programs.
func (pk *packages) accountsOf(pkg string) fs.Seq {
	var out fs.Seq
	for _, cell := range slices.Sorted(maps.Keys(pk.b.accounts)) {
		if slices.Contains(pk.b.accounts[cell], pkg) {
			brings := fs.Pred(fs.True{})
			if !pk.makes(pkg, cell) {
				brings = pk.b.brings(pkg, cell)
			}
			out = append(out, fs.If{Cond: fs.And{brings, fs.VarIs(cell, absent)},
				Then: fs.Assign{Var: cell, Value: fs.Str(present)}})
		}
	}
	return out
}

// dirs and files are the tracked paths of a package, parents first.
func (pk *packages) dirs(name string) []fs.Path  { return pk.paths(name).dirs }
func (pk *packages) files(name string) []fs.Path { return pk.paths(name).files }

// paths finds the tracked paths of a package once: lists are long and asked often.
func (pk *packages) paths(name string) tracked {
	t, ok := pk.tracked[name]
	if !ok {
		t.files = pk.findFiles(name)
		t.dirs = pk.findDirs(name, t.files)
		pk.tracked[name] = t
	}
	return t
}

func (pk *packages) findDirs(name string, files []fs.Path) []fs.Path {
	var out []fs.Path
	if l := pk.known[name]; l != nil {
		need := map[fs.Path]bool{}
		for _, d := range l.Dirs {
			if q := pk.b.path(d); pk.keep[q] {
				need[q] = true
			}
		}
		for _, f := range files {
			for d := f.Parent(); !d.IsRoot(); d = d.Parent() {
				need[d] = true
			}
		}
		for d := range need {
			out = append(out, d)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func (pk *packages) findFiles(name string) []fs.Path {
	var out []fs.Path
	if l := pk.known[name]; l != nil {
		for _, f := range l.Files {
			if q := pk.b.path(f); pk.keep[q] {
				out = append(out, q)
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func (pk *packages) config(name string, p fs.Path) bool {
	l := pk.known[name]
	return l != nil && pk.b.opt.Packages != Paper && !pk.replaces[name] && l.Config(string(p))
}

func cellOf(name string) string { return "package " + name }

// cell makes the variable of a package.
func (pk *packages) cell(name string) string {
	c := cellOf(name)
	if !pk.used[name] {
		pk.used[name] = true
		if pk.b.basis[name] != nil && !pk.leaving {
			pk.b.variable(c, present) // no machine is without it
			return c
		}
		pk.b.variable(c, absent, present)
		if pk.leaving && pk.b.opt.Packages == Dpkg {
			pk.b.variable(c, removed)
		}
	}
	return c
}

// installed says that a package is there.
func (pk *packages) installed(name string) fs.Pred {
	c := pk.cell(name)
	if pk.leaving && pk.b.opt.Packages == Dpkg {
		return fs.And{fs.Not{P: fs.VarIs(c, absent)}, fs.Not{P: fs.VarIs(c, removed)}}
	}
	return fs.Not{P: fs.VarIs(c, absent)}
}

// matters reports whether a package that is pulled in can be told from one that is not.
func (pk *packages) matters(name string) bool {
	if len(pk.files(name)) > 0 || len(pk.dirs(name)) > 0 {
		return true
	}
	return pk.b.manages("Package", name)
}

// unpack puts the files of one package on the machine and gives it a state.
func (pk *packages) unpack(name, state string) fs.Seq {
	var out fs.Seq
	for _, d := range pk.dirs(name) {
		out = append(out, fs.EnsureDir(d))
	}
	for _, f := range pk.files(name) {
		out = append(out, pk.place(name, f))
	}
	return append(out, fs.Assign{Var: pk.cell(name), Value: fs.Str(state)})
}

// place puts one file there: the switch between the models of §3.3 and of dpkg.
func (pk *packages) place(name string, f fs.Path) fs.Expr {
	shipped := fs.Str("what " + name + " ships")
	if len(pk.owners[f]) > 1 {
		shipped = fs.Str("what " + strings.Join(pk.owners[f], " and ") + " ship")
	}
	none := fs.Is{Path: f, Kind: fs.None}
	switch {
	case pk.b.opt.Packages == Paper:
		return pk.b.create(f, shipped)
	case pk.config(name, f):
		// The old one is kept (--force-confold, noreplace); the new one goes to .dpkg-dist, which nobody looks at.
		return fs.If{Cond: none, Then: pk.b.create(f, shipped), Else: fs.If{Cond: fs.Is{Path: f, Kind: fs.Dir},
			Then: fs.Fail{Why: string(f) + " is a directory"}}}
	}
	return fs.Seq{fs.If{Cond: fs.Or{fs.Is{Path: f, Kind: fs.File}, fs.Is{Path: f, Kind: fs.Link}}, Then: pk.b.remove(f)},
		pk.b.create(f, shipped)}
}

// install installs a package and what it pulls in.
func (pk *packages) install(name, state string) fs.Seq {
	var out fs.Seq
	for _, d := range pk.needs[name] {
		if pk.matters(d) {
			out = append(out, fs.If{Cond: pk.installed(d), Else: pk.unpack(d, present)})
		}
	}
	return append(out, pk.unpack(name, state)...)
}

// upgrade replaces the files of a package that is there, configuration kept.
func (pk *packages) upgrade(name, state string) fs.Seq {
	var out fs.Seq
	if pk.b.opt.Packages != Paper {
		for _, f := range pk.files(name) {
			if !pk.config(name, f) {
				out = append(out, pk.place(name, f))
			}
		}
	}
	return append(out, fs.Assign{Var: pk.cell(name), Value: fs.Str(state)})
}

// remove takes a package away, and those that need it.
func (pk *packages) remove(name string, purge bool) fs.Seq {
	var out fs.Seq
	for _, other := range pk.order {
		if other != name && slices.Contains(pk.needs[other], name) && pk.matters(other) {
			out = append(out, fs.If{Cond: pk.installed(other), Then: pk.erase(other, false)})
		}
	}
	return append(out, pk.erase(name, purge)...)
}

func (pk *packages) erase(name string, purge bool) fs.Seq {
	var out fs.Seq
	files := pk.files(name)
	keeps := false
	for _, f := range files {
		if !purge && pk.config(name, f) {
			keeps = true
			continue
		}
		out = append(out, fs.If{Cond: fs.Or{fs.Is{Path: f, Kind: fs.File}, fs.Is{Path: f, Kind: fs.Link}},
			Then: pk.b.remove(f)})
	}
	dirs := pk.dirs(name)
	for _, d := range slices.Backward(dirs) {
		if !pk.b.base(d) && !slices.Contains(debianDirs, d) && !slices.Contains(redHatDirs, d) { // others have it, too
			out = append(out, fs.If{Cond: fs.EmptyDir{Path: d}, Then: fs.Rm{Path: d}})
		}
	}
	state := absent
	if keeps && pk.b.opt.Packages == Dpkg {
		state = removed
	}
	return append(out, fs.Assign{Var: pk.cell(name), Value: fs.Str(state)})
}

// systemProvider reports whether a package comes from the system's own archive.
func systemProvider(it *item) bool {
	switch p, _ := it.text("provider"); p {
	case "", "apt", "dpkg", "aptitude", "yum", "dnf", "rpm", "zypper", "up2date":
		return true
	}
	return false
}

// packageResource is the package type.
func (b *builder) packageResource(it *item) {
	it.read("name", "configfiles")
	for _, a := range []string{"install_options", "uninstall_options"} {
		if v := it.list(a); len(v) > 0 {
			it.note(verify.Approximate, "%s are taken to change nothing: %s", a, shorten(strings.Join(v, " ")))
		}
	}
	ensure, given := it.text("ensure")
	if !given {
		ensure = present
	}
	pk := b.pk
	name := it.name
	if !systemProvider(it) {
		provider, _ := it.text("provider")
		cell := "package " + name + " (" + provider + ")"
		b.variable(cell, absent, present)
		goal := ensure
		switch ensure {
		case "installed", present:
			goal = present
		case "purged":
			goal = absent
		}
		put, done := set(cell, goal)
		if goal == present {
			put, done = fs.If{Cond: fs.VarIs(cell, absent), Then: put}, fs.Not{P: fs.VarIs(cell, absent)}
		}
		it.program, it.post = put, done
		it.note(verify.Approximate, "the files of %s packages are not modelled", provider)
		return
	}
	if pk.isForeign(name) && ensure != absent && ensure != "purged" {
		it.note(verify.Approximate, "no file list of package %s", name)
	}
	if src := b.opt.Image.OtherSource(); src != "" && b.basis[name] == nil && ensure != absent && ensure != "purged" {
		if st, whole := b.opt.Listing.Standing(name); whole && st == listing.Foreign && pk.known[name] == nil &&
			!b.accepts("package %s is in the archive", name) {
			b.open(nil, "package %s is in the archive", name)
		}
	}
	cell := pk.cell(name)
	there := pk.installed(name)
	if ensure != absent && ensure != "purged" && pk.nonesuch(it) {
		it.program, it.post = fs.If{Cond: there, Else: pk.missing(name)}, there
		return
	}
	b.packageEnsure(it, ensure, cell, there)
	if ensure != absent && ensure != "purged" && b.fromElsewhere(it) {
		it.program = fs.If{Cond: there, Then: it.program, Else: fs.Seq{
			fs.If{Cond: b.indexed(), Else: fs.Fail{Why: "no source that has been updated has package " + name}}, it.program}}
	}
	if ensure != absent && ensure != "purged" {
		b.origin(it, there)
	}
	if g := pk.guess[name]; len(g) > 0 && ensure != absent && ensure != "purged" {
		// Directories that are only guessed are there afterwards, whether it was installed or not: that much is the guess.
		var dirs fs.Seq
		for _, d := range g {
			dirs = append(dirs, fs.If{Cond: b.brings(name, string(topOf(d, g))), Then: fs.EnsureDir(d)})
		}
		it.program = append(dirs, it.program)
	}
	if made := pk.scripts[name]; len(made) > 0 && ensure != absent && ensure != "purged" {
		var files fs.Seq
		for _, p := range made {
			files = append(files, fs.If{Cond: fs.And{b.brings(name, string(p)), fs.Is{Path: p, Kind: fs.None}},
				Then: b.create(p, fs.Str("what a package makes"))}) // only one of them does
		}
		it.program = fs.If{Cond: there, Then: it.program, Else: append(files, it.program)}
	}
	if a := pk.accountsOf(name); len(a) > 0 && ensure != absent && ensure != "purged" {
		it.program = append(a, it.program)
	}
	if src, ok := it.text("source"); ok && strings.HasPrefix(src, "/") && ensure != absent && ensure != "purged" {
		from := b.path(src)
		b.sources = append(b.sources, from)
		it.program = fs.If{Cond: it.post, Else: fs.Seq{fs.If{Cond: fs.Is{Path: from, Kind: fs.File},
			Else: fs.Fail{Why: src + " does not exist"}}, it.program}}
	}
	if mark, ok := it.text("mark"); ok {
		put, done := set("mark of package "+name, mark)
		it.program, it.post = fs.Seq{it.program, put}, fs.And{it.post, done}
	}
}

// packageEnsure is what ensure asks for.
func (b *builder) packageEnsure(it *item, ensure, cell string, there fs.Pred) {
	pk, name := b.pk, it.name
	switch ensure {
	case present, "installed":
		it.program, it.post = fs.If{Cond: there, Else: pk.install(name, present)}, there
	case absent:
		b.lookedOnce(it)
		it.program, it.post = fs.If{Cond: there, Then: pk.remove(name, false)}, fs.Not{P: there}
	case "purged":
		b.lookedOnce(it)
		it.program, it.post = fs.If{Cond: fs.VarIs(cell, absent), Else: pk.remove(name, true)}, fs.VarIs(cell, absent)
	case "held":
		it.note(verify.Approximate, "a held package is taken for a present one")
		it.program, it.post = fs.If{Cond: there, Else: pk.install(name, present)}, there
	default: // latest, or a version
		it.program = fs.If{Cond: fs.VarIs(cell, ensure), Else: fs.If{Cond: there, Then: pk.upgrade(name, ensure),
			Else: pk.install(name, ensure)}}
		it.post = fs.VarIs(cell, ensure)
		b.variable(cell, absent, ensure)
	}
}

// lookedOnce notes a removal that takes along a package which the catalog wants: agents look at all packages once,
// before the first, and so do not see that it is gone.
func (b *builder) lookedOnce(it *item) {
	for _, other := range b.ofType("Package") {
		if e := other.or("ensure", present); e != absent && e != "purged" &&
			slices.Contains(b.pk.needs[other.name], it.name) {
			it.note(verify.Opaque, "what it takes along agents find only in the next run: %s", other.r.Ref())
		}
	}
}

// topOf is the highest of some paths at or above one of them.
func topOf(d fs.Path, of []fs.Path) fs.Path {
	for slices.Contains(of, d.Parent()) {
		d = d.Parent()
	}
	return d
}

// baseInstalled makes the packages of the base system those of the fresh machine, with all that matters of them.
func (pk *packages) baseInstalled() {
	for _, name := range pk.order {
		if pk.b.basis[name] == nil || !pk.used[name] {
			continue
		}
		for _, d := range pk.dirs(name) {
			pk.b.fresh.Put(d, fs.Dir)
		}
		for _, f := range pk.files(name) {
			if pk.b.fresh.At(f).Kind == fs.None {
				pk.b.fresh.Put(f, fs.File)
			}
		}
		pk.b.fresh.Vars[cellOf(name)] = fs.Text(present)
	}
}

// close adds what packages say about a machine. The directories and files that are no configuration of those that are
// installed are there; and where one has a directory there is nothing else, installed or not: on no machine that people
// have is /etc/mysql a file.
func (pk *packages) close() {
	seen := map[fs.Path]bool{}
	for _, name := range pk.order {
		if !pk.used[name] {
			continue
		}
		var there fs.And
		for _, d := range slices.Concat(pk.dirs(name), pk.guess[name]) {
			there = append(there, fs.Is{Path: d, Kind: fs.Dir})
			if !seen[d] && pk.b.opt.Packages != Paper {
				seen[d] = true
				pk.b.assume = append(pk.b.assume, fs.Or{fs.Is{Path: d, Kind: fs.Dir}, fs.Is{Path: d, Kind: fs.None}})
			}
		}
		for _, f := range pk.files(name) {
			if !pk.config(name, f) && pk.b.opt.Packages != Paper {
				there = append(there, fs.Or{fs.Is{Path: f, Kind: fs.File}, fs.Is{Path: f, Kind: fs.Link}})
			}
		}
		if len(there) > 0 {
			pk.b.assume = append(pk.b.assume, fs.Or{fs.Not{P: pk.installed(name)}, there})
		}
	}
	if len(seen) > 0 {
		pk.b.m.Assumed = append(pk.b.m.Assumed, "where a package has a directory there is no file and no link")
	}
}
