package model

import (
	"maps"
	"regexp"
	"slices"
	"strings"

	"bunraku/puppet/value"
	"bunraku/verify"
	"bunraku/verify/fs"
)

const (
	absent  = "absent"
	present = "present"
)

// A line is a part of a file that one resource looks after beside others: a host of /etc/hosts, a key of
// authorized_keys, a setting of an ini file. It has a variable of its own, so that two lines of one file commute as
// they do on a machine; whoever writes the file as a whole writes its lines too. The content of the file is what is
// beside the lines.
type line struct {
	variable string
	value    string         // when it is there as declared
	words    []string       // a text that has all of them on one line has it
	match    *regexp.Regexp // or: a text in which some line matches
	none     *regexp.Regexp // or: a text in which no line matches
	has      func(text string) bool
	text     string // what it adds to the file, if that is known
}

// entry is a line that a text has if all the words are on one of its lines.
func entry(variable, value string, words ...string) line {
	return line{variable: variable, value: value, words: words}
}

// iniHas finds a setting with its value in a section.
func iniHas(section, setting, value, separator string) func(string) bool {
	return func(text string) bool {
		in := ""
		for row := range strings.SplitSeq(text, "\n") {
			row = strings.TrimSpace(row)
			if name, ok := strings.CutPrefix(row, "["); ok {
				in = strings.TrimSuffix(name, "]")
				continue
			}
			key, v, ok := strings.Cut(row, strings.TrimSpace(separator))
			if ok && in == section && strings.TrimSpace(key) == setting && strings.TrimSpace(v) == strings.TrimSpace(value) {
				return true
			}
		}
		return false
	}
}

// within reports whether a text has the line.
func (l line) within(text string) bool {
	if l.has != nil {
		return l.has(text)
	}
	if l.none != nil {
		return !slices.ContainsFunc(strings.Split(text, "\n"), l.none.MatchString)
	}
	for row := range strings.SplitSeq(strings.TrimSuffix(text, "\n"), "\n") {
		switch {
		case l.match != nil:
			if l.match.MatchString(row) {
				return true
			}
		case len(l.words) == 0 || strings.HasPrefix(strings.TrimSpace(row), "#"):
		case !slices.ContainsFunc(l.words, func(w string) bool { return !strings.Contains(row, w) }):
			return true
		}
	}
	return false
}

// addLine makes a line known to everybody who writes its file.
func (b *builder) addLine(p fs.Path, l line, values ...string) {
	if slices.ContainsFunc(b.lines[p], func(x line) bool { return x.variable == l.variable }) {
		return
	}
	b.variable(l.variable, values...)
	b.lines[p] = append(b.lines[p], l)
}

// declareLine finds the line that a resource looks after.
func (b *builder) declareLine(it *item) {
	path, l, ok := b.lineOf(it)
	if !ok {
		return
	}
	b.addLine(b.path(path), l, absent, l.value, "other")
}

// lineOf says where a resource's line is and what it is.
func (b *builder) lineOf(it *item) (path string, l line, ok bool) {
	if it.rec.Line == nil {
		return "", line{}, false
	}
	return it.rec.Line(it, b)
}

// or is an attribute as text, with what it is unless somebody says otherwise.
func (it *item) or(attr, unset string) string {
	if s, ok := it.text(attr); ok {
		return s
	}
	return unset
}

// wish is every attribute that says what a line is to be.
func (it *item) wish() string {
	var s []string
	for _, p := range it.r.Params {
		if !it.rec.harmless(p.Name) && p.Name != "ensure" && p.Name != "target" {
			it.read(p.Name)
			s = append(s, p.Name+"="+strings.Join(it.list(p.Name), " "))
		}
	}
	slices.Sort(s)
	return present + " " + strings.Join(s, " ")
}

func (it *item) hostLine(*builder) (string, line, bool) {
	return it.or("target", "/etc/hosts"), entry("host "+it.name, it.wish(), it.name, it.or("ip", "")), true
}

func (it *item) aliasLine(*builder) (string, line, bool) {
	return it.or("target", "/etc/aliases"), entry("mail alias "+it.name, it.wish(), it.name+":"), true
}

func (it *item) hostKeyLine(*builder) (string, line, bool) {
	return it.or("target", "/etc/ssh/ssh_known_hosts"), entry("host key "+it.name, it.wish(), it.name, it.or("key", "")),
		true
}

func (it *item) mountLine(*builder) (string, line, bool) {
	return it.or("target", "/etc/fstab"), entry("fstab entry "+it.name, it.wish(), it.name, it.or("device", "")), true
}

func (it *item) keyLine(b *builder) (string, line, bool) {
	path := it.or("target", "")
	if path == "" {
		path = b.home(it.or("user", "")) + "/.ssh/authorized_keys"
	}
	if path[0] != '/' {
		return "", line{}, false
	}
	return path, entry("key "+it.name+" in "+path, it.wish(), it.or("key", it.name)), true
}

func (it *item) cronLine(b *builder) (string, line, bool) {
	user := it.or("user", "root")
	dir := "/var/spool/cron/crontabs/"
	if b.redHat() {
		dir = "/var/spool/cron/"
	}
	return dir + user, entry("cron job "+it.name+" of "+user, it.wish(), it.or("command", it.name)), true
}

func (it *item) fileLine(*builder) (string, line, bool) {
	path, text := it.or("path", ""), it.or("line", "")
	if !strings.HasPrefix(path, "/") {
		return "", line{}, false
	}
	it.read("match", "after", "multiple", "append_on_no_match", "replace", "encoding", "match_for_absence",
		"replace_all_matches_not_matching_line")
	l := entry("line "+it.r.Title+" of "+path, present+" "+text, text)
	l.text = text
	l.has = func(content string) bool { return slices.Contains(strings.Split(content, "\n"), text) }
	return path, l, true
}

func (it *item) iniLine(*builder) (string, line, bool) {
	path := it.or("path", "")
	if !strings.HasPrefix(path, "/") {
		return "", line{}, false
	}
	setting, value := it.or("setting", ""), it.or("value", "")
	where := it.or("section", "") + "/" + setting + "/" + it.or("subsetting", "")
	l := entry("setting "+where+" of "+path, present+" "+value+it.wish(), setting, value)
	if it.r.Type == "Ini_setting" {
		l.has = iniHas(it.or("section", ""), setting, value, it.or("key_val_separator", " = "))
	}
	return path, l, true
}

func (it *item) sysctlLine(*builder) (string, line, bool) {
	return it.or("target", "/etc/sysctl.conf"), entry("setting "+it.name+" of the kernel", it.wish(), it.name,
		it.or("val", it.or("value", ""))), true
}

func (it *item) postgresLine(*builder) (string, line, bool) {
	path := it.or("target", "/etc/postgresql.conf")
	return path, entry("setting "+it.name+" of "+path, it.wish(), it.name, it.or("value", "")), true
}

func (it *item) yumLine(*builder) (string, line, bool) {
	path := it.or("target", "/etc/yum.repos.d/"+it.name+".repo")
	return path, entry("repository "+it.name, it.wish(), "["+it.name+"]"), true
}

func (it *item) augeasLine(*builder) (string, line, bool) {
	path := it.or("incl", "")
	if path == "" {
		path = strings.TrimPrefix(it.or("context", ""), "/files")
	}
	if !strings.HasPrefix(path, "/") {
		return "", line{}, false
	}
	return path, entry("changes "+it.r.Title+" of "+path, it.wish()), true
}

// settingLine is the line of a type made of ini_setting.
func (it *item) settingLine(*builder) (string, line, bool) {
	path := settingFiles[it.r.Type]
	section, setting, _ := strings.Cut(it.name, "/")
	l := entry("setting "+it.r.Title+" of "+path, it.wish())
	l.has = iniHas(section, setting, it.or("value", ""), "=")
	return path, l, true
}

// lineResource models a resource that looks after a line.
func (b *builder) lineResource(it *item) bool {
	path, l, ok := b.lineOf(it)
	if !ok {
		return false
	}
	p := b.path(path)
	ensure, _ := it.text("ensure")
	goal := l.value
	if ensure == "absent" {
		goal = absent
	}
	put, done := set(l.variable, goal)
	if l.text != "" {
		told := fs.Seq{put}
		for _, other := range b.lines[p] {
			switch same := other.text == l.text && other.variable != l.variable; {
			case goal == absent && same:
				told = append(told, fs.Assign{Var: other.variable, Value: fs.Str(absent)})
			case goal != absent && (same || other.match != nil && other.match.MatchString(l.text)):
				told = append(told, fs.Assign{Var: other.variable, Value: fs.Str(other.value)})
			}
		}
		put = told
	}
	need := fs.Seq{}
	switch it.r.Type {
	case "Ssh_authorized_key", "Cron":
		if user, ok := it.text("user"); ok {
			need = append(need, b.needAccount("user", user)...)
		}
		if it.r.Type == "Ssh_authorized_key" && goal != absent {
			need = append(need, fs.EnsureDir(p.Parent()))
		}
	case "Augeas":
		b.augeas(it, p)
	case "Mount":
		b.mounted(it, &need)
	}
	if it.r.Type == "File_line" {
		// It reads the file in any case, and fails if that is not there.
		if !b.made(p) {
			b.edited = append(b.edited, p)
		}
		file := fs.Or{fs.Is{Path: p, Kind: fs.File}, b.followed(p)}
		put = b.replaces(it, p, put)
		it.program, it.post = fs.Seq{fs.If{Cond: file, Else: fs.Fail{Why: string(p) + " does not exist"}},
			fs.If{Cond: done, Else: put}}, fs.And{file, done}
		return true
	}
	if goal == absent {
		it.program = fs.If{Cond: done, Else: append(need, put)}
		it.post = done
		return true
	}
	if it.r.Type == "Mount" && ensure == "" {
		// It alters an entry that is there; agents pass over what is absent if nobody says what it should be.
		none := fs.Or{fs.Not{P: fs.Is{Path: p, Kind: fs.File}}, fs.VarIs(l.variable, absent)}
		it.program, it.post = append(need, fs.If{Cond: fs.Or{none, done}, Else: put}), fs.Or{none, done}
		return true
	}
	if b.private(p) {
		// Nobody else looks at the file, so only its directory matters.
		b.needed = append(b.needed, p.Parent())
		home := fs.If{Cond: fs.Is{Path: p.Parent(), Kind: fs.Dir}, Else: fs.Fail{Why: string(p.Parent()) + " does not exist"}}
		it.program, it.post = append(need, fs.If{Cond: done, Else: fs.Seq{home, put}}), done
		return true
	}
	here := fs.Is{Path: p, Kind: fs.File}
	// What is not there has no lines, so making it leaves them alone.
	made := fs.Seq{fs.Creat{Path: p, Content: fs.Str("")}}
	if it.rec.Made != "" {
		if slices.Contains(baseFiles, p) && len(b.lines[p]) > 0 && b.lines[p][0].variable == l.variable { // once is enough
			b.assume = append(b.assume, here) // nobody has a machine without it
		}
		made = append(made, fs.SetAttr{Path: p, Attr: fs.Mode, Value: fs.Str(it.rec.Made)})
	}
	it.program = append(need, fs.If{Cond: fs.And{done, here}, Else: fs.Seq{
		fs.If{Cond: fs.Is{Path: p, Kind: fs.Dir}, Then: fs.Fail{Why: string(p) + " is a directory"}},
		fs.If{Cond: fs.Is{Path: p, Kind: fs.None}, Then: made},
		put,
	}})
	it.post = done // what is not there has no lines
	return true
}

// followed says that p is a link to something. One that the catalog makes leads to where it says; others are taken to
// lead somewhere.
func (b *builder) followed(p fs.Path) fs.Pred {
	link := fs.Is{Path: p, Kind: fs.Link}
	target, known := b.links[p]
	if !known || b.files[p] == nil {
		return link
	}
	to, ends := b.links.Resolve(fs.Clean(target), true)
	if !ends {
		return link
	}
	if !b.made(to) {
		b.sources = append(b.sources, to)
	}
	elsewhere := fs.Not{P: fs.Equal{A: fs.ContentOf{Path: p}, B: fs.Str(target)}}
	return fs.And{link, fs.Or{elsewhere, fs.Is{Path: to, Kind: fs.File}}}
}

// augeas says what is not known of changes to a file's tree: whether a file that somebody writes as a whole has them,
// and whether inserting happens twice.
func (b *builder) augeas(it *item, p fs.Path) {
	if !b.private(p) {
		it.note(verify.Approximate, "whether %s has the changes already is not known", p)
	}
	for _, c := range it.list("changes") {
		for row := range strings.SplitSeq(c, "\n") {
			switch word, _, _ := strings.Cut(strings.TrimSpace(row), " "); word {
			case "", "set", "rm", "remove", "clear", "touch", "setm", "clearm", "defvar", "defnode", "mv", "move", "rename":
			default:
				if _, guarded := it.text("onlyif"); !guarded {
					it.note(verify.Approximate, "%s is taken to happen once", word)
				}
			}
		}
	}
}

// replaces is what a file_line with a match does to the lines of others: those that match are replaced by its own.
func (b *builder) replaces(it *item, p fs.Path, put fs.Expr) fs.Expr {
	match, ok := it.text("match")
	if !ok || !it.truth("replace", true) {
		return put
	}
	re, err := regexp.Compile(match)
	if err != nil {
		it.note(verify.Approximate, "which lines its match replaces is not known: %s", shorten(match))
		return put
	}
	own, _ := it.text("line")
	ensure, _ := it.text("ensure")
	out := fs.Seq{put}
	for _, other := range b.ofType("File_line") {
		path, l, is := b.lineOf(other)
		if is && other != it && b.path(path) == p && l.text != "" && re.MatchString(l.text) &&
			(l.text != own || ensure == absent) {
			out = append(out, fs.Assign{Var: l.variable, Value: fs.Str(absent)})
		}
	}
	return out
}

// private reports whether a file is spoken of by its lines only: no file resource, package, purge or command names it
// or what is above it.
func (b *builder) private(p fs.Path) bool {
	if b.files[p] != nil || b.pk.lists(p) {
		return false
	}
	for d := p.Parent(); !d.IsRoot(); d = d.Parent() {
		if it := b.files[d]; it != nil && (it.r.Get("purge") != nil || it.r.Get("force") != nil ||
			value.ToString(it.r.Get("ensure")) != "directory") {
			return false
		}
	}
	if b.spoken == nil {
		b.spoken = map[fs.Path]bool{}
		for _, it := range b.items {
			if it != nil && it.r.Type == "Exec" {
				u := newPaths()
				u.expr(b.readExec(it).program)
				maps.Copy(b.spoken, u.own)
			}
		}
		maps.DeleteFunc(b.spoken, func(p fs.Path, _ bool) bool { return b.base(p) })
	}
	for d := p; !d.IsRoot(); d = d.Parent() {
		if b.spoken[d] {
			return false
		}
	}
	return true
}

// mounted is the other half of mount: the file system itself. The mount point must be there.
func (b *builder) mounted(it *item, program *fs.Seq) {
	ensure, _ := it.text("ensure")
	it.read("remounts", "atboot", "dump", "pass", "blockdevice")
	cell := "mounted " + it.name
	b.variable(cell, "no", "yes")
	switch ensure {
	case "mounted":
		p := b.path(it.name)
		*program = append(*program, fs.If{Cond: fs.Is{Path: p, Kind: fs.Dir},
			Then: fs.Assign{Var: cell, Value: fs.Str("yes")}, Else: fs.Fail{Why: "the mount point " + it.name +
				" does not exist"}})
		it.note(verify.Approximate, "what the file system holds is not modelled")
	case "unmounted", "absent":
		*program = append(*program, fs.Assign{Var: cell, Value: fs.Str("no")})
	}
}

// create makes a file, with the lines that its content has.
func (b *builder) create(p fs.Path, content fs.Term) fs.Expr {
	return b.withLines(p, content, fs.Creat{Path: p, Content: content})
}

// write replaces the content of a file, lines included.
func (b *builder) write(p fs.Path, content fs.Term) fs.Expr {
	return b.withLines(p, content, fs.Write{Path: p, Content: content})
}

// remove deletes what is at p; its lines go with it.
func (b *builder) remove(p fs.Path) fs.Expr { return b.withLines(p, nil, fs.Rm{Path: p}) }

// removeFile is rm: what is at p must be there and no directory.
func (b *builder) removeFile(p fs.Path) fs.Expr {
	b.removed = append(b.removed, p)
	return fs.If{Cond: fs.Is{Path: p, Kind: fs.Dir}, Then: fs.Fail{Why: string(p) + " is a directory"}, Else: b.remove(p)}
}

func (b *builder) withLines(p fs.Path, content fs.Term, e fs.Expr) fs.Expr {
	lines := b.lines[p]
	if len(lines) == 0 {
		return e
	}
	out := fs.Seq{e}
	for _, l := range lines {
		out = append(out, fs.Assign{Var: l.variable, Value: l.in(content)})
	}
	return out
}

// linesAre says that the lines of p are those of a content.
func (b *builder) linesAre(p fs.Path, content fs.Term) fs.And {
	var out fs.And
	for _, l := range b.lines[p] {
		out = append(out, fs.Equal{A: fs.VarOf{Name: l.variable}, B: l.in(content)})
	}
	return out
}

// in is the state of the line in a file with the given content; nil for no file.
func (l line) in(content fs.Term) fs.Term {
	if content == nil {
		return fs.Str(absent)
	}
	c, ok := content.(fs.Const)
	if !ok {
		return fs.Apply{Func: l.variable, Args: []fs.Term{content}}
	}
	if text, ok := c.Value.IsText(); ok && l.within(text) {
		return fs.Str(l.value)
	}
	return fs.Str(absent)
}

// removeTree is rm -rf.
func (b *builder) removeTree(p fs.Path) fs.Expr {
	out := fs.Seq{fs.RemoveTree(p)}
	for _, q := range b.filesWithLines() {
		if q == p || q.Under(p) {
			out = append(out, b.withLines(q, nil, fs.Skip{}))
		}
	}
	return out
}

// clearBelow is rm -rf p/*.
func (b *builder) clearBelow(p fs.Path) fs.Expr {
	out := fs.Seq{fs.Clear{Path: p}}
	for _, q := range b.filesWithLines() {
		if q.Under(p) {
			out = append(out, b.withLines(q, nil, fs.Skip{}))
		}
	}
	return out
}

func (b *builder) filesWithLines() []fs.Path {
	out := make([]fs.Path, 0, len(b.lines))
	for p := range b.lines {
		out = append(out, p)
	}
	slices.Sort(out)
	return out
}
