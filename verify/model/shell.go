package model

import (
	"maps"
	"slices"
	"strings"

	"bunraku/verify/fs"

	"mvdan.cc/sh/v3/syntax"
)

// A shell reads commands as programs. What a command does is told by command.go (files) and outside.go (everything
// else); this file knows the language: lists, conditions, loops over words, redirections, variables whose value is
// known.
//
// A simple command that nobody has read is in the program as an unknown effect on what it names, and is remembered in
// unread.
type shell struct {
	b       *builder
	name    string // of the resource, for what unread commands make
	cwd     string
	env     map[string]string
	unread  []string  // commands whose effect nobody knows
	beside  []string  // what is not modelled of commands that were read
	once    bool      // it is not known that running it again changes nothing
	strips  []fs.Path // directories called like an archive, which are left out when it is unpacked
	creates []string  // what the resource says that it creates
	depth   int
	work    int  // statements and words looked at
	long    bool // that is too much
}

// A command is read if it is no longer than any that people write; any other is one that nobody has read. Loops in
// loops, and alternatives behind alternatives, multiply.
const (
	maxCommandText = 64 << 10 // bytes
	maxCommandWork = 1 << 16  // looks at a statement or a word
	maxCommand     = 10_000   // operations of the program that it becomes
)

// look counts one look.
func (s *shell) look() {
	s.b.opt.Budget.Spend(1, "reading commands")
	s.work++
	s.long = s.long || s.work > maxCommandWork
}

// bulk counts the operations of a program, up to a limit.
func bulk(e fs.Expr, limit int) int {
	switch e := e.(type) {
	case fs.Seq:
		n := 1
		for _, x := range e {
			if n += bulk(x, limit-n); n > limit {
				break
			}
		}
		return n
	case fs.If:
		n := 1 + bulk(e.Then, limit-1)
		if n <= limit {
			n += bulk(e.Else, limit-n)
		}
		return n
	}
	return 1
}

// An action is what a simple command does. do fails if ok does not hold; a nil ok always holds.
type action struct {
	ok fs.Pred
	do fs.Expr
}

var fail = fs.Fail{Why: "the command fails"}

// newShell makes a reader for the commands of an exec.
func (b *builder) newShell(it *item) *shell {
	s := &shell{b: b, name: it.r.Ref(), env: map[string]string{}}
	s.cwd, _ = it.text("cwd")
	s.creates = it.list("creates")
	for _, e := range it.list("environment") {
		if name, value, ok := strings.Cut(e, "="); ok {
			s.env[name] = value
		}
	}
	return s
}

// program reads a command: what it does if it succeeds in every part that must, and otherwise the given program.
func (s *shell) program(command string, otherwise fs.Expr) fs.Expr {
	file, ok := parse(command)
	if !ok {
		return s.act(s.unknown(command), fs.Skip{}, otherwise)
	}
	out := s.list(file.Stmts, fs.Skip{}, otherwise)
	if s.long || bulk(out, maxCommand) > maxCommand {
		s.unread, s.beside, s.long = nil, nil, true
		return s.act(s.unknown(command), fs.Skip{}, otherwise)
	}
	return out
}

// parse reads the syntax of a command.
func parse(command string) (*syntax.File, bool) {
	if len(command) > maxCommandText {
		return nil, false
	}
	file, err := syntax.NewParser().Parse(strings.NewReader(command), "")
	return file, err == nil
}

// act goes on with one program after a success and with another after a failure.
func (s *shell) act(a action, yes, no fs.Expr) fs.Expr {
	body := join(a.do, yes)
	if _, fails := no.(fs.Fail); fails || a.ok == nil {
		return body
	}
	return fs.If{Cond: a.ok, Then: body, Else: no}
}

func join(x, y fs.Expr) fs.Expr {
	if _, skip := y.(fs.Skip); skip {
		return x
	}
	if _, skip := x.(fs.Skip); skip {
		return y
	}
	return fs.Seq{x, y}
}

// list is a; b; c: only the last one decides.
func (s *shell) list(stmts []*syntax.Stmt, yes, no fs.Expr) fs.Expr {
	if len(stmts) == 0 {
		return yes
	}
	out := fs.Seq{}
	for _, st := range stmts[:len(stmts)-1] {
		out = append(out, s.stmt(st, fs.Skip{}, fs.Skip{}))
		if _, plain := st.Cmd.(*syntax.CallExpr); plain && s.moves(st) {
			s.note("cd is taken to succeed: " + statementText(st))
			s.moved(st)
		} else if s.moves(st) {
			s.cwd = ""
		}
	}
	last := s.stmt(stmts[len(stmts)-1], yes, no)
	if len(out) == 0 {
		return last
	}
	return append(out, last)
}

func (s *shell) stmt(st *syntax.Stmt, yes, no fs.Expr) fs.Expr {
	if s.look(); s.long {
		return fs.Skip{}
	}
	if st.Negated {
		yes, no = no, yes
	}
	if st.Background || st.Coprocess {
		return s.act(s.unknown(statementText(st)), yes, no)
	}
	switch c := st.Cmd.(type) {
	case nil:
		return s.act(s.redirects(st, action{do: fs.Skip{}}), yes, no)
	case *syntax.CallExpr:
		return s.act(s.redirects(st, s.call(c, "")), yes, no)
	case *syntax.TestClause:
		if p, ok := s.testExpr(c.X); ok {
			return s.act(test(p), yes, no)
		}
	case *syntax.Subshell:
		if len(st.Redirs) == 0 {
			cwd, env := s.cwd, maps.Clone(s.env)
			defer func() { s.cwd, s.env = cwd, env }()
			return s.list(c.Stmts, yes, no)
		}
	case *syntax.Block:
		if len(st.Redirs) == 0 {
			return s.list(c.Stmts, yes, no)
		}
	case *syntax.BinaryCmd:
		if len(st.Redirs) == 0 {
			switch c.Op {
			case syntax.AndStmt:
				cwd := s.cwd
				s.moved(c.X)
				right := s.stmt(c.Y, yes, no)
				s.cwd = cwd
				return s.stmt(c.X, right, no)
			case syntax.OrStmt:
				cwd := s.cwd
				if s.moves(c.X) {
					s.cwd = ""
				}
				right := s.stmt(c.Y, yes, no)
				s.cwd = cwd
				return s.stmt(c.X, yes, right)
			case syntax.Pipe, syntax.PipeAll:
				return s.pipe(st, c, yes, no)
			}
		}
	case *syntax.IfClause:
		if len(st.Redirs) == 0 {
			return s.ifClause(c, yes, no)
		}
	case *syntax.ForClause:
		if words, ok := s.loop(c); ok && len(st.Redirs) == 0 {
			return s.unroll(c, words, yes, no)
		}
	}
	return s.act(s.unknown(statementText(st)), yes, no)
}

// moved follows cd. Where it is not certain that a cd has happened, the directory is unknown.
func (s *shell) moved(st *syntax.Stmt) {
	if !s.moves(st) {
		return
	}
	c, ok := st.Cmd.(*syntax.CallExpr)
	if both, is := st.Cmd.(*syntax.BinaryCmd); is && both.Op == syntax.AndStmt {
		s.moved(both.X)
		s.moved(both.Y)
		return
	}
	if ok && len(c.Args) == 2 && !st.Negated {
		if dir, ok := s.word(c.Args[1]); ok {
			if p, ok := s.absolute(dir); ok {
				s.cwd = string(p)
				return
			}
		}
	}
	s.cwd = ""
}

// moves reports whether a statement may change the directory for those that follow it.
func (s *shell) moves(n syntax.Node) bool {
	found := false
	syntax.Walk(n, func(n syntax.Node) bool {
		if s.look(); s.long {
			return false
		}
		switch n := n.(type) {
		case *syntax.Subshell, *syntax.CmdSubst:
			return false
		case *syntax.CallExpr:
			if len(n.Args) > 0 {
				name := n.Args[0].Lit()
				found = found || name == "cd" || name == "pushd" || name == "popd"
			}
		}
		return true
	})
	return found
}

func (s *shell) ifClause(c *syntax.IfClause, yes, no fs.Expr) fs.Expr {
	otherwise := yes
	cwd := s.cwd
	if slices.ContainsFunc(c.Cond, func(st *syntax.Stmt) bool { return s.moves(st) }) {
		s.cwd = ""
	}
	switch {
	case c.Else != nil && len(c.Else.Cond) > 0:
		otherwise = s.ifClause(c.Else, yes, no)
	case c.Else != nil:
		otherwise = s.list(c.Else.Then, yes, no)
	}
	then := s.list(c.Then, yes, no)
	s.cwd = cwd
	return s.list(c.Cond, then, otherwise)
}

// loop finds the words that a loop goes through.
func (s *shell) loop(c *syntax.ForClause) ([]string, bool) {
	it, ok := c.Loop.(*syntax.WordIter)
	if !ok || len(it.Items) > 50 {
		return nil, false
	}
	var words []string
	for _, w := range it.Items {
		t, ok := s.word(w)
		if !ok {
			return nil, false
		}
		words = append(words, t)
	}
	return words, true
}

func (s *shell) unroll(c *syntax.ForClause, words []string, yes, no fs.Expr) fs.Expr {
	name := c.Loop.(*syntax.WordIter).Name.Value
	old, had := s.env[name]
	out := fs.Seq{}
	if slices.ContainsFunc(c.Do, func(st *syntax.Stmt) bool { return s.moves(st) }) {
		s.cwd = ""
	}
	for i, w := range words {
		if s.look(); s.long {
			break
		}
		s.env[name] = w
		if i == len(words)-1 {
			out = append(out, s.list(c.Do, yes, no))
		} else {
			out = append(out, s.list(c.Do, fs.Skip{}, fs.Skip{}))
		}
	}
	delete(s.env, name)
	if had {
		s.env[name] = old
	}
	if len(words) == 0 {
		return yes
	}
	return out
}

// pipe is a | b: both do what they do, and the last one decides. What the first one says goes to the second one.
func (s *shell) pipe(st *syntax.Stmt, c *syntax.BinaryCmd, yes, no fs.Expr) fs.Expr {
	right, ok := c.Y.Cmd.(*syntax.CallExpr)
	if !ok {
		return s.act(s.unknown(statementText(st)), yes, no)
	}
	left := s.stmt(c.X, fs.Skip{}, fs.Skip{})
	return join(left, s.act(s.redirects(c.Y, s.call(right, s.output(c.X))), yes, no))
}

// redirects adds what > and >> do to an action.
func (s *shell) redirects(st *syntax.Stmt, a action) action {
	for _, r := range st.Redirs {
		appends := false
		switch r.Op {
		case syntax.DplOut, syntax.RdrIn, syntax.DplIn, syntax.Hdoc, syntax.DashHdoc, syntax.WordHdoc:
			continue
		case syntax.RdrOut, syntax.RdrAll, syntax.RdrClob:
		case syntax.AppOut, syntax.AppAll:
			appends = true
		default:
			return s.unknown(statementText(st))
		}
		text, known := s.word(r.Word)
		p, ok := s.absolute(text)
		switch {
		case !known || !ok:
			return s.unknown(statementText(st))
		case p.Under("/dev") || p.Under("/proc") || p.Under("/sys"):
		default:
			a = both(a, s.store(p, s.output(st), appends))
		}
	}
	return a
}

// both does one action after the other.
func both(a, b action) action {
	out := action{do: join(a.do, b.do), ok: a.ok}
	switch {
	case a.ok == nil:
		out.ok = b.ok
	case b.ok != nil:
		out.ok = fs.And{a.ok, b.ok}
	}
	return out
}

// store puts text into a file, or behind what is there.
func (s *shell) store(p fs.Path, text string, appends bool) action {
	up := fs.Is{Path: p.Parent(), Kind: fs.Dir}
	ok := fs.And{up, fs.Not{P: fs.Is{Path: p, Kind: fs.Dir}}}
	if !appends {
		return action{ok: ok, do: s.put(p, fs.Str(text))}
	}
	is := fs.ContentOf{Path: p}
	more := fs.Seq{fs.If{Cond: fs.Equal{A: is, B: fs.Str("")}, Then: fs.Write{Path: p, Content: fs.Str(text)},
		Else: fs.Write{Path: p, Content: fs.Apply{Func: "append " + text, Args: []fs.Term{is}}}}}
	for _, l := range s.b.lines[p] {
		if l.within(text) {
			more = append(more, fs.Assign{Var: l.variable, Value: fs.Str(l.value)})
		}
	}
	return action{ok: ok, do: fs.If{Cond: fs.Is{Path: p, Kind: fs.None}, Then: s.b.create(p, fs.Str(text)), Else: more}}
}

// put makes p a file with the given content.
func (s *shell) put(p fs.Path, content fs.Term) fs.Expr {
	return fs.If{Cond: fs.Is{Path: p, Kind: fs.None}, Then: s.b.create(p, content), Else: s.b.write(p, content)}
}

// output is what a command says: its text if that is known, else something that stands for it.
func (s *shell) output(st *syntax.Stmt) string {
	for _, r := range st.Redirs {
		if r.Hdoc != nil {
			if text, ok := s.word(r.Hdoc); ok {
				if c, is := st.Cmd.(*syntax.CallExpr); is && len(c.Args) == 1 && c.Args[0].Lit() == "cat" {
					return text
				}
			}
		}
	}
	if text, ok := s.saying(st); ok {
		return text
	}
	if st.Cmd == nil {
		return ""
	}
	return "output of " + statementText(st)
}

// saying is the text that a command says, if that is known.
func (s *shell) saying(st *syntax.Stmt) (string, bool) {
	c, ok := st.Cmd.(*syntax.CallExpr)
	if !ok || len(c.Args) == 0 {
		return "", false
	}
	var words []string
	for _, w := range c.Args {
		t, known := s.word(w)
		if !known {
			return "", false
		}
		words = append(words, t)
	}
	return said(words)
}

// said is the output of echo and of the simple use of printf.
func said(words []string) (string, bool) {
	switch words[0] {
	case "echo", "/bin/echo", "/usr/bin/echo":
		end := "\n"
		words = words[1:]
		for len(words) > 0 && (words[0] == "-n" || words[0] == "-e" || words[0] == "-ne") {
			if strings.Contains(words[0], "n") {
				end = ""
			}
			words = words[1:]
		}
		return strings.ReplaceAll(strings.Join(words, " "), `\n`, "\n") + end, true
	case "printf", "/usr/bin/printf":
		switch {
		case len(words) == 2 && !strings.Contains(words[1], "%"):
			return strings.ReplaceAll(words[1], `\n`, "\n"), true
		case len(words) == 3 && (words[1] == "%s" || words[1] == `%s\n`):
			return words[2] + strings.Repeat("\n", strings.Count(words[1], `\n`)), true
		}
	}
	return "", false
}

// statementText is the text of a statement.
func statementText(n syntax.Node) string {
	var out strings.Builder
	if err := syntax.NewPrinter(syntax.SingleLine(true)).Print(&out, n); err != nil {
		return ""
	}
	return strings.TrimSuffix(out.String(), "\n")
}

// word is the text of a word, if its expansions are known.
func (s *shell) word(w *syntax.Word) (string, bool) {
	var out strings.Builder
	ok := true
	for _, part := range w.Parts {
		switch part := part.(type) {
		case *syntax.Lit:
			if strings.ContainsAny(part.Value, "*?[~{") && len(part.Value) > 1 && !strings.Contains(part.Value, `\`) {
				ok = false
			}
			out.WriteString(unescape(part.Value))
		case *syntax.SglQuoted:
			out.WriteString(part.Value)
		case *syntax.DblQuoted:
			for _, p := range part.Parts {
				switch p := p.(type) {
				case *syntax.Lit:
					out.WriteString(unescapeQuoted(p.Value))
				case *syntax.ParamExp:
					ok = s.param(p, &out) && ok
				default:
					ok = false
				}
			}
		case *syntax.ParamExp:
			ok = s.param(part, &out) && ok
		default:
			ok = false
		}
	}
	return out.String(), ok
}

// param is $name or ${name} with a value that is known.
func (s *shell) param(p *syntax.ParamExp, out *strings.Builder) bool {
	if p.Excl || p.Length || p.Width || p.Index != nil || p.Slice != nil || p.Repl != nil || p.Exp != nil {
		return false
	}
	v, ok := s.env[p.Param.Value]
	out.WriteString(v)
	return ok
}

func unescape(s string) string {
	if !strings.Contains(s, `\`) {
		return s
	}
	var out strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) {
			i++
		}
		out.WriteByte(s[i])
	}
	return out.String()
}

func unescapeQuoted(s string) string {
	return strings.NewReplacer(`\\`, `\`, `\"`, `"`, `\$`, `$`, "\\`", "`").Replace(s)
}

// absolute is the path that a word means.
func (s *shell) absolute(text string) (fs.Path, bool) {
	switch {
	case strings.HasPrefix(text, "/"):
		return s.b.path(text), true
	case strings.HasPrefix(s.cwd, "/") && text != "":
		return s.b.path(s.cwd + "/" + text), true
	}
	return "", false
}

// unknown is a command nobody has read: it may change the contents of what it names.
func (s *shell) unknown(command string) action {
	if !slices.Contains(s.unread, command) {
		s.unread = append(s.unread, command)
	}
	out := fs.Seq{}
	for _, p := range s.b.named(command) {
		if s.b.files[p] == nil && !s.b.pk.lists(p) {
			continue
		}
		out = append(out, fs.If{Cond: fs.Is{Path: p, Kind: fs.File},
			Then: s.b.write(p, fs.Apply{Func: s.name, Args: []fs.Term{fs.ContentOf{Path: p}}})})
	}
	return action{do: append(out, fs.Act{})}
}

// note remembers what is not modelled of a command that was read.
func (s *shell) note(text string) {
	if !slices.Contains(s.beside, text) {
		s.beside = append(s.beside, text)
	}
}
