package model

import (
	"path"
	"slices"
	"strings"

	"bunraku/verify/fs"

	"mvdan.cc/sh/v3/syntax"
)

// readCommand reads a shell command as a program. It gives up on anything whose effect it does not know in full.
func (b *builder) readCommand(command, cwd string) (fs.Expr, bool) {
	file, err := syntax.NewParser().Parse(strings.NewReader(command), "")
	if err != nil {
		return nil, false
	}
	s := &shell{b: b, cwd: cwd}
	return s.list(file.Stmts)
}

// readTest reads a shell command as a test that changes nothing.
func (b *builder) readTest(command, cwd string) (fs.Pred, bool) {
	file, err := syntax.NewParser().Parse(strings.NewReader(command), "")
	if err != nil || len(file.Stmts) != 1 {
		return nil, false
	}
	s := &shell{b: b, cwd: cwd}
	return s.test(file.Stmts[0])
}

// A shell reads statements.
type shell struct {
	b   *builder
	cwd string
}

func (s *shell) list(stmts []*syntax.Stmt) (fs.Expr, bool) {
	var out fs.Seq
	for _, st := range stmts {
		e, ok := s.stmt(st)
		if !ok {
			return nil, false
		}
		out = append(out, e)
	}
	return out, true
}

func (s *shell) stmt(st *syntax.Stmt) (fs.Expr, bool) {
	if st.Background || st.Coprocess || st.Negated {
		return nil, false
	}
	var out fs.Seq
	switch c := st.Cmd.(type) {
	case nil:
	case *syntax.CallExpr:
		e, ok := s.call(c)
		if !ok {
			return nil, false
		}
		out = append(out, e)
	case *syntax.Subshell:
		return s.only(st, c.Stmts)
	case *syntax.Block:
		return s.only(st, c.Stmts)
	case *syntax.BinaryCmd:
		if len(st.Redirs) > 0 {
			return nil, false
		}
		right, ok := s.stmt(c.Y)
		if !ok {
			return nil, false
		}
		if test, ok := s.test(c.X); ok {
			switch c.Op {
			case syntax.AndStmt:
				return fs.If{Cond: test, Then: right, Else: fs.Fail{Why: "the test before && says no"}}, true
			case syntax.OrStmt:
				return fs.If{Cond: test, Else: right}, true
			}
			return nil, false
		}
		left, ok := s.stmt(c.X)
		if !ok || c.Op != syntax.AndStmt {
			return nil, false
		}
		return fs.Seq{left, right}, true
	case *syntax.IfClause:
		if len(st.Redirs) > 0 || len(c.Cond) != 1 || c.Else != nil {
			return nil, false
		}
		test, ok := s.test(c.Cond[0])
		if !ok {
			return nil, false
		}
		then, ok := s.list(c.Then)
		return fs.If{Cond: test, Then: then}, ok
	default:
		return nil, false
	}
	for _, r := range st.Redirs {
		e, ok := s.redirect(r, st)
		if !ok {
			return nil, false
		}
		out = append(out, e)
	}
	return out, true
}

func (s *shell) only(st *syntax.Stmt, list []*syntax.Stmt) (fs.Expr, bool) {
	if len(st.Redirs) > 0 {
		return nil, false
	}
	return s.list(list)
}

// redirect is what > and >> do: the output of a command nobody has run is a constant of its text.
func (s *shell) redirect(r *syntax.Redirect, st *syntax.Stmt) (fs.Expr, bool) {
	switch r.Op {
	case syntax.DplOut, syntax.RdrIn, syntax.DplIn:
		return fs.Skip{}, true
	case syntax.RdrOut, syntax.AppOut, syntax.RdrAll, syntax.AppAll, syntax.RdrClob:
	default:
		return nil, false
	}
	p, ok := s.path(r.Word)
	if !ok {
		return nil, false
	}
	if p.Under("/dev") {
		return fs.Skip{}, true
	}
	var text strings.Builder
	if st.Cmd != nil {
		if err := syntax.NewPrinter().Print(&text, st.Cmd); err != nil {
			return nil, false
		}
	}
	output := fs.Str("output of " + text.String())
	if r.Op == syntax.AppOut || r.Op == syntax.AppAll {
		return fs.If{Cond: fs.Is{Path: p, Kind: fs.None}, Then: s.b.create(p, output),
			Else: fs.Write{Path: p, Content: fs.Apply{Func: "append " + text.String(), Args: []fs.Term{fs.ContentOf{Path: p}}}}}, true
	}
	return s.put(p, output), true
}

// put makes p a file with the given content.
func (s *shell) put(p fs.Path, content fs.Term) fs.Expr {
	return fs.If{Cond: fs.Is{Path: p, Kind: fs.None}, Then: s.b.create(p, content), Else: s.b.write(p, content)}
}

// word is the text of a word without expansions.
func word(w *syntax.Word) (string, bool) {
	var out strings.Builder
	for _, part := range w.Parts {
		switch part := part.(type) {
		case *syntax.Lit:
			if strings.ContainsAny(part.Value, "*?[~{") {
				return "", false
			}
			out.WriteString(strings.ReplaceAll(part.Value, `\`, ""))
		case *syntax.SglQuoted:
			out.WriteString(part.Value)
		case *syntax.DblQuoted:
			for _, p := range part.Parts {
				l, ok := p.(*syntax.Lit)
				if !ok {
					return "", false
				}
				out.WriteString(l.Value)
			}
		default:
			return "", false
		}
	}
	return out.String(), true
}

func (s *shell) path(w *syntax.Word) (fs.Path, bool) {
	text, ok := word(w)
	if !ok {
		return "", false
	}
	return s.absolute(text)
}

func (s *shell) absolute(text string) (fs.Path, bool) {
	switch {
	case strings.HasPrefix(text, "/"):
		return s.b.path(text), true
	case s.cwd != "" && text != "":
		return s.b.path(s.cwd + "/" + text), true
	}
	return "", false
}

// harmlessCommands change no file that anybody manages.
var harmlessCommands = []string{"true", ":", "echo", "printf", "sleep", "sync", "systemctl", "service", "invoke-rc.d", "ldconfig", "udevadm", "sysctl",
	"modprobe", "test", "[", "systemd-tmpfiles", "rndc", "newaliases", "grep", "egrep", "fgrep", "which", "cat", "ls", "id", "pgrep", "hostname", "ifup", "ifdown", "swapon", "exit"}

// call reads a simple command.
func (s *shell) call(c *syntax.CallExpr) (fs.Expr, bool) {
	var words []string
	exact := true
	for _, w := range c.Args {
		t, ok := word(w)
		exact = exact && ok
		words = append(words, t)
	}
	if len(words) == 0 {
		return fs.Skip{}, len(c.Assigns) > 0
	}
	name := path.Base(words[0])
	switch {
	case name == "test" || name == "[":
		p, ok := s.testCall(words)
		return fs.If{Cond: p, Else: fs.Fail{Why: "the test says no"}}, ok && exact
	case slices.Contains(harmlessCommands, name) && words[0] != "":
		return fs.Act{}, true
	case (name == "apt-get" || name == "apt" || name == "yum" || name == "dnf") && slices.ContainsFunc(words[1:], func(w string) bool {
		return w == "update" || w == "makecache" || w == "clean"
	}):
		return fs.Act{}, true
	}
	if !exact {
		return nil, false
	}
	flags, args := split(words[1:])
	var paths []fs.Path
	for _, a := range args {
		p, ok := s.absolute(a)
		if !ok && name != "chmod" && name != "chown" && name != "chgrp" && name != "ln" {
			return nil, false
		}
		paths = append(paths, p)
	}
	return s.files(name, flags, args, paths)
}

// split separates single-letter and long flags from arguments.
func split(words []string) (flags string, args []string) {
	for i, w := range words {
		switch {
		case w == "--":
			return flags, append(args, words[i+1:]...)
		case strings.HasPrefix(w, "--"):
			flags += map[string]string{"--parents": "p", "--recursive": "r", "--force": "f", "--symbolic": "s"}[w]
		case len(w) > 1 && w[0] == '-':
			flags += w[1:]
		default:
			args = append(args, w)
		}
	}
	return flags, args
}

// files reads the commands that people use on files.
func (s *shell) files(name, flags string, args []string, paths []fs.Path) (fs.Expr, bool) {
	var out fs.Seq
	has := func(f string) bool { return strings.ContainsAny(flags, f) }
	switch name {
	case "mkdir":
		if has("m") {
			return nil, false
		}
		for _, p := range paths {
			if !has("p") {
				out = append(out, fs.Mkdir{Path: p})
				continue
			}
			var up []fs.Path
			for d := p; !d.IsRoot(); d = d.Parent() {
				up = append(up, d)
			}
			for _, d := range slices.Backward(up) {
				out = append(out, fs.EnsureDir(d))
			}
		}
	case "touch":
		for _, p := range paths {
			out = append(out, fs.If{Cond: fs.Is{Path: p, Kind: fs.None}, Then: s.b.create(p, fs.Str(""))})
		}
	case "rm", "unlink":
		for _, p := range paths {
			switch {
			case has("rR"):
				out = append(out, s.b.removeTree(p))
			case has("f"):
				out = append(out, fs.If{Cond: fs.Is{Path: p, Kind: fs.None}, Else: s.b.removeFile(p)})
			default:
				out = append(out, s.b.removeFile(p))
			}
		}
	case "rmdir":
		for _, p := range paths {
			out = append(out, fs.If{Cond: fs.Is{Path: p, Kind: fs.Dir}, Then: fs.Rm{Path: p}, Else: fs.Fail{Why: string(p) + " is no directory"}})
		}
	case "cp", "mv":
		if len(paths) != 2 || has("rRt") {
			return nil, false
		}
		from, to := paths[0], paths[1]
		out = append(out, fs.If{Cond: fs.Is{Path: from, Kind: fs.File}, Else: fs.Fail{Why: string(from) + " does not exist"}},
			fs.If{Cond: fs.Is{Path: to, Kind: fs.Dir}, Then: fs.Fail{Why: string(to) + " is a directory"}},
			s.put(to, fs.ContentOf{Path: from}))
		if name == "mv" {
			out = append(out, s.b.remove(from))
		}
	case "ln":
		if len(args) != 2 || !has("s") || paths[1] == "" {
			return nil, false
		}
		if has("f") {
			out = append(out, fs.If{Cond: fs.Or{fs.Is{Path: paths[1], Kind: fs.File}, fs.Is{Path: paths[1], Kind: fs.Link}}, Then: s.b.remove(paths[1])})
		}
		out = append(out, fs.Ln{Path: paths[1], Target: fs.Str(args[0])})
	case "chmod", "chown", "chgrp":
		if len(args) < 2 || has("R") {
			return nil, false
		}
		return s.change(name, args[0], paths[1:])
	default:
		return nil, false
	}
	return out, len(paths) > 0
}

// change sets an attribute.
func (s *shell) change(name, value string, paths []fs.Path) (fs.Expr, bool) {
	var out fs.Seq
	set := func(a fs.Attr, v string) {
		for _, p := range paths {
			out = append(out, fs.SetAttr{Path: p, Attr: a, Value: fs.Str(v)})
		}
	}
	if slices.Contains(paths, "") {
		return nil, false
	}
	switch name {
	case "chmod":
		if strings.Trim(value, "01234567") != "" {
			return nil, false
		}
		set(fs.Mode, fullMode(value))
	case "chgrp":
		set(fs.Group, value)
	default:
		owner, group, both := strings.Cut(value, ":")
		if owner != "" {
			set(fs.Owner, owner)
		}
		if both && group != "" {
			set(fs.Group, group)
		}
	}
	return out, true
}

// test reads a statement as a test.
func (s *shell) test(st *syntax.Stmt) (fs.Pred, bool) {
	for _, r := range st.Redirs {
		if p, ok := s.path(r.Word); !(ok && p.Under("/dev")) && r.Op != syntax.DplOut {
			return nil, false
		}
	}
	var p fs.Pred
	switch c := st.Cmd.(type) {
	case *syntax.CallExpr:
		var words []string
		for _, w := range c.Args {
			t, ok := word(w)
			if !ok && !(t == "" && len(words) == 0) {
				// The lone [ is a literal that looks like a pattern.
				return nil, false
			}
			if l := w.Lit(); l == "[" {
				t = l
			}
			words = append(words, t)
		}
		q, ok := s.testCall(words)
		if !ok {
			return nil, false
		}
		p = q
	case *syntax.BinaryCmd:
		x, ok := s.test(c.X)
		y, ok2 := s.test(c.Y)
		if !ok || !ok2 {
			return nil, false
		}
		switch c.Op {
		case syntax.AndStmt:
			p = fs.And{x, y}
		case syntax.OrStmt:
			p = fs.Or{x, y}
		default:
			return nil, false
		}
	default:
		return nil, false
	}
	if st.Negated {
		p = fs.Not{P: p}
	}
	return p, true
}

// testCall reads test and [.
func (s *shell) testCall(words []string) (fs.Pred, bool) {
	if len(words) == 0 {
		return nil, false
	}
	switch path.Base(words[0]) {
	case "true", ":":
		return fs.True{}, true
	case "false":
		return fs.Or{}, true
	case "[":
		if words[len(words)-1] != "]" {
			return nil, false
		}
		words = words[:len(words)-1]
	case "test":
	default:
		return nil, false
	}
	words = words[1:]
	if len(words) > 0 && words[0] == "!" {
		p, ok := s.testCall(append([]string{"test"}, words[1:]...))
		return fs.Not{P: p}, ok
	}
	if len(words) != 2 {
		return nil, false
	}
	p, ok := s.absolute(words[1])
	if !ok {
		return nil, false
	}
	switch words[0] {
	case "-e":
		return exists(p), true
	case "-f":
		return fs.Is{Path: p, Kind: fs.File}, true
	case "-d":
		return fs.Is{Path: p, Kind: fs.Dir}, true
	case "-L", "-h":
		return fs.Is{Path: p, Kind: fs.Link}, true
	}
	return nil, false
}
