package model

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"bunraku/verify/fs"

	"mvdan.cc/sh/v3/syntax"
)

// call reads a simple command; input is what a pipe gives it.
func (s *shell) call(c *syntax.CallExpr, input string) action {
	if len(c.Args) == 0 {
		for _, a := range c.Assigns {
			delete(s.env, a.Name.Value)
			if a.Value != nil {
				if v, ok := s.word(a.Value); ok {
					s.env[a.Name.Value] = v
				}
			}
		}
		return action{do: fs.Skip{}}
	}
	words := make([]string, len(c.Args))
	exact := true
	for i, w := range c.Args {
		known := false
		words[i], known = s.word(w)
		if !known {
			words[i] = statementText(w)
			exact = false
		}
	}
	text := statementText(c)
	if a, ok := s.command(words, exact, input, text); ok {
		return a
	}
	return s.unknown(text)
}

// command finds the model of a simple command. exact says that every word is known; others are as they are written.
func (s *shell) command(words []string, exact bool, input, text string) (action, bool) {
	name, args := path.Base(words[0]), words[1:]
	if inner, ok := wrapped(name, args); ok {
		if s.depth++; s.depth > 5 {
			return action{}, false
		}
		defer func() { s.depth-- }()
		if len(inner) == 1 { // a text for another shell
			return s.nested(inner[0])
		}
		return s.command(inner, exact, input, text)
	}
	if name == "test" || name == "[" || name == "grep" || name == "egrep" || name == "cmp" || name == "diff" ||
		name == "false" {
		if exact {
			if p, ok := s.testCall(words); ok {
				return test(p), true
			}
		}
		s.note("the test is taken to say yes in the end: " + shorten(text))
		return action{do: fs.Act{}}, true
	}
	if a, ok := s.outside(name, args, text); ok {
		return a, true
	}
	if name == "rm" && !exact {
		return s.removeAll(args)
	}
	if !exact {
		return action{}, false
	}
	return s.files(name, args, input, text)
}

// wrapped finds the command that another one runs: env, sudo, nice and their kin, and the text for a shell.
func wrapped(name string, args []string) ([]string, bool) {
	skip := func(withValue string) []string {
		for len(args) > 0 && strings.HasPrefix(args[0], "-") {
			if len(args[0]) == 2 && strings.Contains(withValue, args[0][1:]) && len(args) > 1 {
				args = args[1:]
			}
			args = args[1:]
		}
		return args
	}
	switch name {
	case "sh", "bash", "dash", "su", "runuser":
		for i, a := range args {
			if (a == "-c" || a == "-lc" || a == "--command") && i+1 < len(args) {
				return args[i+1 : i+2], true
			}
		}
	case "env":
		for len(args) > 0 && (strings.HasPrefix(args[0], "-") || strings.Contains(args[0], "=")) {
			args = args[1:]
		}
		return args, len(args) > 1
	case "sudo":
		rest := skip("ugh")
		return rest, len(rest) > 1
	case "nice", "ionice":
		rest := skip("nc")
		return rest, len(rest) > 1
	case "nohup", "time", "exec", "command", "setsid":
		return args, len(args) > 1
	case "timeout":
		rest := skip("sk")
		if len(rest) > 2 {
			return rest[1:], true
		}
	}
	return nil, false
}

// nested reads a text for another shell.
func (s *shell) nested(text string) (action, bool) {
	file, ok := parse(text)
	if !ok {
		return action{}, false
	}
	if len(file.Stmts) == 1 {
		if c, ok := file.Stmts[0].Cmd.(*syntax.CallExpr); ok {
			return s.redirects(file.Stmts[0], s.call(c, "")), true
		}
	}
	return action{do: s.list(file.Stmts, fs.Skip{}, fail)}, true
}

// removeAll is rm -rf DIR/*: what is below a directory goes.
func (s *shell) removeAll(args []string) (action, bool) {
	flags, args := split(args)
	out := fs.Seq{}
	for _, a := range args {
		dir, all := strings.CutSuffix(a, "/*")
		p, ok := s.absolute(dir)
		if !all || !ok || strings.ContainsAny(dir, "*?[$`{~") || !strings.ContainsAny(flags, "rR") {
			return action{}, false
		}
		out = append(out, s.b.clearBelow(p))
	}
	s.note("rm with a pattern is taken to remove hidden files too")
	return action{do: out}, len(out) > 0
}

// split separates single-letter and long flags from arguments.
func split(words []string) (flags string, args []string) {
	for i, w := range words {
		switch {
		case w == "--":
			return flags, append(args, words[i+1:]...)
		case strings.HasPrefix(w, "--"):
			flags += map[string]string{"--parents": "p", "--recursive": "r", "--force": "f", "--symbolic": "s", "--append": "a",
				"--directory": "d", "--archive": "r", "--no-dereference": "n"}[w]
		case len(w) > 1 && w[0] == '-':
			flags += w[1:]
		default:
			args = append(args, w)
		}
	}
	return flags, args
}

// options separates options that take a value from the rest: -m 0755, -m0755, --mode=0755.
func options(words []string, short string, long ...string) (values map[string]string, rest []string) {
	values = map[string]string{}
	for i := 0; i < len(words); i++ {
		w := words[i]
		if name, v, ok := strings.Cut(w, "="); ok && slices.Contains(long, name) {
			values[name] = v
			continue
		}
		if slices.Contains(long, w) && i+1 < len(words) {
			i++
			values[w] = words[i]
			continue
		}
		if len(w) > 1 && w[0] == '-' && w[1] != '-' {
			at := strings.IndexAny(w, short)
			if at > 0 {
				if at > 1 {
					rest = append(rest, w[:at])
				}
				switch {
				case at+1 < len(w):
					values[w[at:at+1]] = w[at+1:]
				case i+1 < len(words):
					i++
					values[w[at:at+1]] = words[i]
				}
				continue
			}
		}
		rest = append(rest, w)
	}
	return values, rest
}

func first(values map[string]string, names ...string) (string, bool) {
	for _, n := range names {
		if v, ok := values[n]; ok {
			return v, true
		}
	}
	return "", false
}

// files reads the commands that people use on files.
func (s *shell) files(name string, words []string, input, text string) (action, bool) {
	switch name {
	case "mkdir", "install":
		return s.makes(name, words)
	case "tar", "unzip", "gunzip", "bunzip2", "unxz", "git", "svn", "hg":
		return s.unpacks(name, words, text)
	case "curl", "wget":
		return s.downloads(name, words, text)
	case "sed", "perl":
		return s.edits(name, words)
	case "tee":
		return s.tees(words, input)
	case "openssl", "ssh-keygen", "rndc-confgen", "gpg", "keytool", "certtool", "dd", "truncate", "fallocate", "postmap",
		"htpasswd", "mksquashfs", "a2enmod", "a2dismod",
		"a2ensite", "a2dissite", "a2enconf", "a2disconf", "update-alternatives":
		return s.produces(name, words, text)
	case "cd":
		if p, ok := s.absolute(strings.Join(words, "")); ok {
			return test(fs.Is{Path: p, Kind: fs.Dir}), true
		}
		return action{}, false
	}
	flags, args := split(words)
	has := func(f string) bool { return strings.ContainsAny(flags, f) }
	var paths []fs.Path
	for _, a := range args {
		p, ok := s.absolute(a)
		if !ok && name != "chmod" && name != "chown" && name != "chgrp" && name != "ln" {
			return action{}, false
		}
		paths = append(paths, p)
	}
	switch name {
	case "touch":
		return each(paths, s.touch)
	case "rm", "unlink":
		return each(paths, func(p fs.Path) action { return s.rm(p, has("rR"), has("f")) })
	case "rmdir":
		return each(paths, func(p fs.Path) action {
			empty := fs.EmptyDir{Path: p}
			return action{ok: empty, do: fs.If{Cond: empty, Then: fs.Rm{Path: p},
				Else: fs.Fail{Why: string(p) + " is no empty directory"}}}
		})
	case "cp", "mv":
		if len(paths) < 2 || has("tT") {
			return action{}, false
		}
		to := paths[len(paths)-1]
		into := len(paths) > 2 || strings.HasSuffix(args[len(args)-1], "/")
		return each(paths[:len(paths)-1], func(from fs.Path) action {
			return s.copies(from, to, into, has("rRa"),
				name == "mv")
		})
	case "ln":
		return s.links(flags, args, paths)
	case "chmod", "chown", "chgrp":
		if len(args) < 2 || slices.Contains(paths[1:], "") {
			return action{}, false
		}
		if has("R") {
			s.note("what " + name + " -R does below " + strings.Join(args[1:], " ") + " is not modelled")
		}
		return s.change(name, args[0], paths[1:])
	}
	return action{}, false
}

// each does the same for every path.
func each(paths []fs.Path, do func(fs.Path) action) (action, bool) {
	out := action{do: fs.Skip{}}
	for _, p := range paths {
		out = both(out, do(p))
	}
	return out, len(paths) > 0
}

func (s *shell) touch(p fs.Path) action {
	none := fs.Is{Path: p, Kind: fs.None}
	return action{ok: fs.Or{fs.Not{P: none}, fs.Is{Path: p.Parent(), Kind: fs.Dir}},
		do: fs.If{Cond: none, Then: s.b.create(p, fs.Str(""))}}
}

func (s *shell) rm(p fs.Path, recursive, force bool) action {
	none := fs.Is{Path: p, Kind: fs.None}
	noDir := fs.Not{P: fs.Is{Path: p, Kind: fs.Dir}}
	switch {
	case recursive && force:
		return action{do: s.b.removeTree(p)}
	case recursive:
		return action{ok: fs.Not{P: none}, do: fs.If{Cond: none, Then: fs.Fail{Why: string(p) + " does not exist"},
			Else: s.b.removeTree(p)}}
	case force:
		return action{ok: noDir, do: fs.If{Cond: none, Else: s.b.removeFile(p)}}
	}
	return action{ok: fs.And{fs.Not{P: none}, noDir}, do: s.b.removeFile(p)}
}

// copies is cp and mv. What is in a directory that is copied is not known to the model beyond the directory.
func (s *shell) copies(from, to fs.Path, into, recursive, move bool) action {
	file, dir := fs.Is{Path: from, Kind: fs.File}, fs.Is{Path: from, Kind: fs.Dir}
	target := func(to fs.Path) fs.Expr {
		if to == from {
			return fs.Fail{Why: string(from) + " is copied onto itself"}
		}
		out := fs.If{Cond: fs.Is{Path: to, Kind: fs.Dir}, Then: fs.Fail{Why: string(to) + " is a directory"},
			Else: s.put(to, fs.ContentOf{Path: from})}
		seq := fs.Seq{out}
		if move {
			seq = append(seq, s.b.remove(from))
		}
		return seq
	}
	inside := to + "/" + fs.Path(path.Base(string(from)))
	place := target(inside)
	if !into {
		place = fs.If{Cond: fs.Is{Path: to, Kind: fs.Dir}, Then: target(inside), Else: target(to)}
	}
	missing := fs.Fail{Why: string(from) + " does not exist"}
	if !recursive && !move {
		ok := fs.And{file, fs.Is{Path: to.Parent(), Kind: fs.Dir}, fs.Not{P: fs.Is{Path: inside, Kind: fs.Dir}}}
		if inside == from {
			ok = append(ok, fs.Not{P: fs.Is{Path: to, Kind: fs.Dir}})
		}
		return action{ok: ok, do: fs.If{Cond: file, Then: place, Else: missing}}
	}
	tree := fs.Seq{fs.EnsureDir(to)}
	if move {
		tree = append(tree, s.b.removeTree(from))
	}
	s.note("what a directory holds is not copied here: " + string(from))
	return action{ok: fs.Or{file, dir}, do: fs.If{Cond: file, Then: place,
		Else: fs.If{Cond: dir, Then: tree, Else: missing}}}
}

func (s *shell) links(flags string, args []string, paths []fs.Path) (action, bool) {
	if len(args) != 2 || paths[1] == "" {
		return action{}, false
	}
	at := paths[1]
	if strings.HasSuffix(args[1], "/") {
		at += "/" + fs.Path(path.Base(args[0]))
	}
	none, up := fs.Is{Path: at, Kind: fs.None}, fs.Is{Path: at.Parent(), Kind: fs.Dir}
	out := fs.Seq{}
	ok := fs.And{up, none}
	if strings.Contains(flags, "f") {
		out = append(out, fs.If{Cond: fs.Or{fs.Is{Path: at, Kind: fs.File}, fs.Is{Path: at, Kind: fs.Link}},
			Then: s.b.remove(at)})
		ok = fs.And{up, fs.Not{P: fs.Is{Path: at, Kind: fs.Dir}}}
	}
	if !strings.Contains(flags, "s") { // another name for the same file
		if paths[0] == "" {
			return action{}, false
		}
		s.note("two names of one file are taken for two files: " + string(at))
		return action{ok: append(ok, fs.Is{Path: paths[0], Kind: fs.File}), do: append(out, fs.Cp{From: paths[0], To: at})},
			true
	}
	return action{ok: ok, do: append(out, fs.Ln{Path: at, Target: fs.Str(args[0])})}, true
}

// change sets an attribute.
func (s *shell) change(name, value string, paths []fs.Path) (action, bool) {
	out := fs.Seq{}
	var ok fs.And
	set := func(a fs.Attr, v string) {
		for _, p := range paths {
			out = append(out, fs.SetAttr{Path: p, Attr: a, Value: fs.Str(v)})
			ok = append(ok, exists(p))
		}
	}
	switch name {
	case "chmod":
		if strings.Trim(value, "01234567") != "" {
			s.note("a mode that depends on the old one is taken for one that does not: " + value)
		}
		set(fs.Mode, fullMode(value))
	case "chgrp":
		set(fs.Group, value)
	default:
		owner, group, isBoth := strings.Cut(strings.Replace(value, ".", ":", 1), ":")
		if owner != "" {
			set(fs.Owner, owner)
		}
		if isBoth && group != "" {
			set(fs.Group, group)
		}
	}
	return action{ok: ok, do: out}, true
}

// makes is mkdir and install.
func (s *shell) makes(name string, words []string) (action, bool) {
	values, rest := options(words, map[string]string{"mkdir": "m", "install": "mogt"}[name], "--mode", "--owner",
		"--group")
	flags, args := split(rest)
	mode, hasMode := first(values, "m", "--mode")
	attrs := func(p fs.Path) fs.Seq {
		out := fs.Seq{}
		if hasMode {
			out = append(out, fs.SetAttr{Path: p, Attr: fs.Mode, Value: fs.Str(fullMode(mode))})
		}
		if v, ok := first(values, "o", "--owner"); ok {
			out = append(out, fs.SetAttr{Path: p, Attr: fs.Owner, Value: fs.Str(v)})
		}
		if v, ok := first(values, "g", "--group"); ok {
			out = append(out, fs.SetAttr{Path: p, Attr: fs.Group, Value: fs.Str(v)})
		}
		return out
	}
	var paths []fs.Path
	for _, a := range args {
		for _, b := range braces(a) {
			p, ok := s.absolute(b)
			if !ok {
				return action{}, false
			}
			paths = append(paths, p)
		}
	}
	if name == "install" && !strings.Contains(flags, "d") {
		if _, t := values["t"]; t || len(paths) != 2 {
			return action{}, false
		}
		from, to := paths[0], paths[1]
		file := fs.Is{Path: from, Kind: fs.File}
		put := append(fs.Seq{s.put(to, fs.ContentOf{Path: from})}, attrs(to)...)
		inside := to + "/" + fs.Path(path.Base(string(from)))
		putInside := append(fs.Seq{s.put(inside, fs.ContentOf{Path: from})}, attrs(inside)...)
		do := fs.Seq{fs.If{Cond: file, Else: fs.Fail{Why: string(from) + " does not exist"}},
			fs.If{Cond: fs.Is{Path: to, Kind: fs.Dir}, Then: putInside, Else: put}}
		if strings.Contains(flags, "D") {
			do = append(ensureDirs(to.Parent()), do...)
		}
		return action{ok: file, do: do}, true
	}
	all := name == "install" || strings.Contains(flags, "p")
	return each(paths, func(p fs.Path) action {
		none, up := fs.Is{Path: p, Kind: fs.None}, fs.Is{Path: p.Parent(), Kind: fs.Dir}
		if !all {
			return action{ok: fs.And{none, up}, do: append(fs.Seq{fs.Mkdir{Path: p}}, attrs(p)...)}
		}
		var ok fs.And
		for d := p; !d.IsRoot(); d = d.Parent() {
			ok = append(ok, fs.Or{fs.Is{Path: d, Kind: fs.Dir}, fs.Is{Path: d, Kind: fs.None}})
		}
		// mkdir -p leaves the mode of a directory that is there alone; install -d does not.
		do := ensureDirs(p)
		if a := attrs(p); len(a) > 0 && name == "mkdir" {
			do = fs.Seq{fs.If{Cond: fs.Is{Path: p, Kind: fs.Dir}, Else: append(do, a...)}}
		} else {
			do = append(do, a...)
		}
		return action{ok: ok, do: do}
	})
}

// braces expands one pair of braces: mkdir -p /srv/{a,b}.
func braces(w string) []string {
	head, rest, ok := strings.Cut(w, "{")
	list, tail, ok2 := strings.Cut(rest, "}")
	if !ok || !ok2 || !strings.Contains(list, ",") {
		return []string{w}
	}
	var out []string
	for part := range strings.SplitSeq(list, ",") {
		out = append(out, head+part+tail)
	}
	return out
}

// ensureDirs is mkdir -p.
func ensureDirs(p fs.Path) fs.Seq {
	var up []fs.Path
	for d := p; !d.IsRoot(); d = d.Parent() {
		up = append(up, d)
	}
	out := fs.Seq{}
	for _, d := range slices.Backward(up) {
		out = append(out, fs.EnsureDir(d))
	}
	return out
}

// reads says that a file must be there: an archive to unpack, a key to convert.
func (s *shell) reads(p fs.Path) action {
	if !s.b.made(p) {
		s.b.sources = append(s.b.sources, p)
	}
	file := fs.Is{Path: p, Kind: fs.File}
	return action{ok: file, do: fs.If{Cond: file, Else: fs.Fail{Why: string(p) + " does not exist"}}}
}

// unpacks is tar, unzip, git clone: a tree from elsewhere. What is in it is unknown but for what creates says (see
// exec).
func (s *shell) unpacks(name string, words []string, text string) (action, bool) {
	switch name {
	case "tar":
		return s.tar(words, text)
	case "unzip":
		values, rest := options(words, "d")
		_, args := split(rest)
		if len(args) == 0 {
			return action{}, false
		}
		dir, ok := first(values, "d")
		if !ok {
			dir = s.cwd
		}
		archive, ok := s.absolute(args[0])
		into, ok2 := s.absolute(dir)
		if !ok || !ok2 {
			return action{}, false
		}
		s.note("what is in " + args[0] + " is not known")
		return both(s.reads(archive), action{do: append(fs.Seq{fs.EnsureDir(into), fs.Act{}},
			s.b.unpacked(into, s.creates)...)}), true
	case "gunzip", "bunzip2", "unxz":
		_, args := split(words)
		if len(args) != 1 {
			return action{}, false
		}
		from, ok := s.absolute(args[0])
		to := from[:len(from)-len(path.Ext(string(from)))]
		if !ok || to == from {
			return action{}, false
		}
		return both(s.reads(from), action{do: fs.Seq{s.put(to,
			fs.Apply{Func: name, Args: []fs.Term{fs.ContentOf{Path: from}}}), s.b.remove(from)}}), true
	}
	_, args := split(words)
	if len(args) < 2 || args[0] != "clone" && args[0] != "checkout" {
		if len(args) > 0 && args[0] == "config" {
			s.note("settings of " + name + " are nobody else's business")
			return action{do: fs.Act{}}, true
		}
		return action{}, false
	}
	to := strings.TrimSuffix(path.Base(args[1]), ".git")
	if len(args) > 2 {
		to = args[2]
	}
	p, ok := s.absolute(to)
	if !ok || name == "git" && args[0] == "checkout" {
		return action{}, false
	}
	s.note("what is in the working copy " + string(p) + " is not known")
	free := fs.Or{fs.Is{Path: p, Kind: fs.None}, fs.EmptyDir{Path: p}}
	return action{ok: free, do: fs.If{Cond: free,
		Then: append(append(ensureDirs(p), fs.Act{}), s.b.unpacked(p, s.creates)...),
		Else: fs.Fail{Why: string(p) + " exists and is not empty"}}}, true
}

func (s *shell) tar(words []string, text string) (action, bool) {
	if len(words) > 0 && words[0] != "" && words[0][0] != '-' {
		words = slices.Clone(words)
		words[0] = "-" + words[0] // the old way to write flags
	}
	values, rest := options(words, "fC", "--file", "--directory")
	flags, _ := split(rest)
	if slices.Contains(rest, "--extract") {
		flags += "x"
	}
	dir, ok := first(values, "C", "--directory")
	if !ok {
		dir = s.cwd
	}
	file, given := first(values, "f", "--file")
	switch {
	case strings.Contains(flags, "x"):
		into, ok := s.absolute(dir)
		if !ok {
			return action{}, false
		}
		is := fs.Is{Path: into, Kind: fs.Dir}
		s.b.needed = append(s.b.needed, into)
		out := action{ok: is, do: append(fs.Seq{fs.If{Cond: is, Else: fs.Fail{Why: dir + " does not exist"}}, fs.Act{}},
			s.b.unpacked(into, s.creates)...)}
		s.note("what is in the archive is not known")
		if given && file != "-" {
			archive, ok := s.absolute(file)
			if !ok {
				return action{}, false
			}
			if strings.Contains(text, "--strip") { // what is called like the archive is what it has at its root
				stem, _, _ := strings.Cut(path.Base(string(archive)), ".t")
				s.strips = append(s.strips, into+fs.Path("/"+stem))
			}
			out = both(s.reads(archive), out)
		}
		return out, true
	case strings.Contains(flags, "c") && given && file != "-":
		p, ok := s.absolute(file)
		return s.store(p, "output of "+text, false), ok
	case strings.Contains(flags, "t"):
		return action{do: fs.Act{}}, true
	}
	return action{}, false
}

// downloads is curl and wget: a file from elsewhere.
func (s *shell) downloads(name string, words []string, text string) (action, bool) {
	short, long := "oHdXuTAebmCxyYwFK", []string{"--output", "--header", "--data", "--request", "--user", "--user-agent",
		"--proxy", "--retry", "--connect-timeout", "--max-time", "--cacert", "--cert", "--key", "--write-out"}
	if name == "wget" {
		short, long = "OPoaUtTeQwl", []string{"--output-document", "--directory-prefix", "--header", "--user", "--password",
			"--user-agent", "--tries", "--timeout", "--post-data"}
	}
	values, rest := options(words, short, long...)
	flags, args := split(rest)
	url := ""
	for _, a := range args {
		if strings.Contains(a, "://") || url == "" {
			url = a
		}
	}
	base := path.Base(url)
	if i := strings.IndexAny(base, "?#"); i >= 0 {
		base = base[:i]
	}
	target, makes := "", false // wget makes the directory that it is given
	if name == "curl" {
		target, _ = first(values, "o", "--output")
		if target == "" && (strings.Contains(flags, "O") || slices.Contains(rest, "--remote-name")) {
			target = base
		}
		if target == "" || target == "-" { // it only shows
			return action{do: fs.Act{}}, true
		}
	} else {
		ok := false
		if target, ok = first(values, "O", "--output-document"); !ok {
			target = base
			if dir, ok := first(values, "P", "--directory-prefix"); ok {
				target, makes = dir+"/"+base, true
			}
		}
		if target == "-" || strings.Contains(flags, "spider") {
			return action{do: fs.Act{}}, true
		}
	}
	p, ok := s.absolute(target)
	if !ok {
		return action{}, false
	}
	if p.Under("/dev") {
		return action{do: fs.Act{}}, true
	}
	stored := s.store(p, "what "+url+" holds", false)
	if made, ok := s.makes("mkdir", []string{"-p", string(p.Parent())}); makes && ok {
		return both(made, stored), true
	}
	return stored, true
}

// edits is sed -i. An edit that finds nothing to do the second time is a part of the file like a line is.
func (s *shell) edits(name string, words []string) (action, bool) {
	if name == "perl" {
		return action{}, false
	}
	inPlace := false
	var scripts, files []string
	extended := false
	for i := 0; i < len(words); i++ {
		w := words[i]
		switch {
		case strings.HasPrefix(w, "-i"), strings.HasPrefix(w, "--in-place"):
			inPlace = true
		case w == "-e" || w == "--expression":
			if i++; i < len(words) {
				scripts = append(scripts, words[i])
			}
		case w == "-r" || w == "-E" || w == "--regexp-extended":
			extended = true
		case w == "-ri" || w == "-Ei":
			extended, inPlace = true, true
		case w == "-ie": // an edit in place with a backup that is called like the file and an e
			return action{}, false
		case strings.HasPrefix(w, "-"):
			return action{}, false
		case len(scripts) == 0:
			scripts = append(scripts, w)
		default:
			files = append(files, w)
		}
	}
	if !inPlace {
		return action{do: fs.Act{}}, true
	}
	out := action{do: fs.Skip{}}
	for _, f := range files {
		p, ok := s.absolute(f)
		if !ok {
			return action{}, false
		}
		for _, script := range scripts {
			out = both(out, s.edit(p, script, extended))
		}
	}
	return out, len(files) > 0 && len(scripts) > 0
}

var substitution = regexp.MustCompile(`^s([/|#,:@!])((?:\\.|[^\\])*?)([/|#,:@!])((?:\\.|[^\\])*?)([/|#,:@!])[gIi]*$`)

// edit is one sed script on one file.
func (s *shell) edit(p fs.Path, script string, extended bool) action {
	file := fs.Is{Path: p, Kind: fs.File}
	missing := fs.Fail{Why: string(p) + " does not exist"}
	m := substitution.FindStringSubmatch(script)
	var pattern *regexp.Regexp
	replacement := ""
	if m != nil && m[1] == m[3] && m[3] == m[5] && !strings.ContainsAny(m[4], "&") &&
		!regexp.MustCompile(`\\[0-9]`).MatchString(m[4]) {
		re, err := expression(strings.ReplaceAll(m[2], `\`+m[1], m[1]), false, extended, false, false, false)
		replacement = unescape(m[4])
		// A replacement that the expression finds again may be replaced again; with an anchor it must be tried as a line of
		// its own.
		if err == nil && (!re.MatchString(replacement) ||
			re.ReplaceAllString(replacement, regexp.QuoteMeta(replacement)) == replacement) {
			pattern = re
		}
	} else if strings.HasSuffix(script, "/d") && strings.HasPrefix(script, "/") {
		if re, err := expression(script[1:len(script)-2], false, extended, false, false, false); err == nil {
			pattern = re
		}
	}
	if pattern == nil {
		for _, l := range s.b.lines[p] {
			if l.match != nil {
				s.note("what the edit does to lines that are searched for is not known: " + script)
			}
		}
		return action{ok: file, do: fs.If{Cond: file,
			Then: s.b.write(p, fs.Apply{Func: "sed " + script, Args: []fs.Term{fs.ContentOf{Path: p}}}), Else: missing}}
	}
	l := line{variable: "edit " + script + " of " + string(p), value: present, none: pattern}
	s.b.addLine(p, l, absent, present)
	do := fs.Seq{fs.Assign{Var: l.variable, Value: fs.Str(present)}}
	for _, other := range s.b.lines[p] {
		switch {
		case other.match == nil:
		case replacement != "" && other.match.MatchString(replacement):
			do = append(do, fs.Assign{Var: other.variable, Value: fs.Str(present)})
			s.note("the edit is taken to find something to replace: " + script)
		case other.match.String() == pattern.String():
			do = append(do, fs.Assign{Var: other.variable, Value: fs.Str(absent)})
		}
	}
	return action{ok: file, do: fs.If{Cond: file, Then: do, Else: missing}}
}

func (s *shell) tees(words []string, input string) (action, bool) {
	flags, args := split(words)
	out := action{do: fs.Skip{}}
	for _, a := range args {
		p, ok := s.absolute(a)
		if !ok || input == "" {
			return action{}, false
		}
		if !p.Under("/dev") {
			out = both(out, s.store(p, input, strings.Contains(flags, "a")))
		}
	}
	return out, true
}
