package model

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"bunraku/verify/fs"

	"mvdan.cc/sh/v3/syntax"
)

// readTest reads a shell command as a test that changes nothing.
func (s *shell) readTest(command string) (fs.Pred, bool) {
	file, ok := parse(command)
	if !ok || len(file.Stmts) != 1 {
		return nil, false
	}
	return s.test(file.Stmts[0])
}

// test is an action that only looks.
func test(p fs.Pred) action {
	return action{ok: p, do: fs.If{Cond: p, Else: fs.Fail{Why: "the test says no"}}}
}

// test reads a statement as a test.
func (s *shell) test(st *syntax.Stmt) (fs.Pred, bool) {
	if s.look(); s.long {
		return nil, false
	}
	for _, r := range st.Redirs {
		text, known := s.word(r.Word)
		p, ok := s.absolute(text)
		if r.Op != syntax.DplOut && !(known && ok && (p.Under("/dev") || r.Op == syntax.RdrIn)) {
			return nil, false
		}
	}
	var p fs.Pred
	ok := false
	switch c := st.Cmd.(type) {
	case *syntax.CallExpr:
		var words []string
		for _, w := range c.Args {
			t, known := s.word(w)
			if !known {
				return nil, false
			}
			words = append(words, t)
		}
		p, ok = s.testCall(words)
	case *syntax.TestClause:
		p, ok = s.testExpr(c.X)
	case *syntax.Subshell:
		if len(c.Stmts) == 1 {
			p, ok = s.test(c.Stmts[0])
		}
	case *syntax.BinaryCmd:
		x, known := s.test(c.X)
		y, knownToo := s.test(c.Y)
		ok = known && knownToo
		switch c.Op {
		case syntax.AndStmt:
			p = fs.And{x, y}
		case syntax.OrStmt:
			p = fs.Or{x, y}
		case syntax.Pipe:
			return s.filtered(c)
		default:
			return nil, false
		}
	}
	if !ok {
		return nil, false
	}
	if st.Negated {
		p = fs.Not{P: p}
	}
	return p, true
}

// filtered reads cat FILE | grep PATTERN, and echo TEXT | cmp -s - FILE.
func (s *shell) filtered(c *syntax.BinaryCmd) (fs.Pred, bool) {
	if p, text, ok := s.compared(c); ok {
		return fs.And{fs.Is{Path: p, Kind: fs.File}, fs.ContentIs(p, fs.Str(text))}, true
	}
	cat, ok := c.X.Cmd.(*syntax.CallExpr)
	grep, isCall := c.Y.Cmd.(*syntax.CallExpr)
	if !ok || !isCall || len(cat.Args) != 2 || path.Base(cat.Args[0].Lit()) != "cat" || len(c.X.Redirs) > 0 {
		return nil, false
	}
	var words []string
	for _, w := range append(slices.Clone(grep.Args), cat.Args[1]) {
		t, known := s.word(w)
		if !known {
			return nil, false
		}
		words = append(words, t)
	}
	return s.testCall(words)
}

// compared reads echo TEXT | cmp -s - FILE.
func (s *shell) compared(c *syntax.BinaryCmd) (p fs.Path, text string, ok bool) {
	said, known := s.saying(c.X)
	cmp, isCall := c.Y.Cmd.(*syntax.CallExpr)
	if !known || !isCall || len(c.X.Redirs)+len(c.Y.Redirs) > 0 || len(cmp.Args) != 4 ||
		path.Base(cmp.Args[0].Lit()) != "cmp" || cmp.Args[1].Lit() != "-s" || cmp.Args[2].Lit() != "-" {
		return "", "", false
	}
	if file, known := s.word(cmp.Args[3]); known {
		p, ok = s.absolute(file)
	}
	return p, said, ok
}

// testCall reads a simple command as a test: test and [, grep, and those that ask for an account, a package, a service
// or two files.
func (s *shell) testCall(words []string) (fs.Pred, bool) {
	if len(words) == 0 {
		return nil, false
	}
	name, args := path.Base(words[0]), words[1:]
	switch name {
	case "true", ":":
		return fs.True{}, true
	case "false":
		return fs.Or{}, true
	case "[":
		if len(args) == 0 || args[len(args)-1] != "]" {
			return nil, false
		}
		return s.testWords(args[:len(args)-1])
	case "test":
		return s.testWords(args)
	case "grep", "egrep", "fgrep":
		return s.grep(name, args)
	case "cmp", "diff":
		return s.compare(args)
	case "id":
		if len(args) > 0 && s.b.users[args[len(args)-1]] {
			return fs.Not{P: fs.VarIs("user "+args[len(args)-1], absent)}, true
		}
	case "getent":
		if len(args) == 2 && (args[0] == "passwd" && s.b.users[args[1]] || args[0] == "group" && s.b.groups[args[1]]) {
			return fs.Not{P: fs.VarIs(map[string]string{"passwd": "user ", "group": "group "}[args[0]]+args[1], absent)}, true
		}
	case "systemctl", "service":
		return s.serviceTest(name, args)
	}
	return nil, false
}

// testWords reads the words of test.
func (s *shell) testWords(words []string) (fs.Pred, bool) {
	switch {
	case len(words) > 0 && words[0] == "!":
		p, ok := s.testWords(words[1:])
		return fs.Not{P: p}, ok
	case slices.Contains(words, "-a"), slices.Contains(words, "-o"):
		op := "-a"
		if slices.Contains(words, "-o") { // it binds less
			op = "-o"
		}
		i := slices.Index(words, op)
		x, ok := s.testWords(words[:i])
		y, ok2 := s.testWords(words[i+1:])
		if op == "-a" {
			return fs.And{x, y}, ok && ok2
		}
		return fs.Or{x, y}, ok && ok2
	case len(words) == 1:
		return truth(words[0] != ""), true
	case len(words) == 2:
		return s.unary(words[0], words[1])
	case len(words) == 3:
		return binary(words[0], words[1], words[2])
	}
	return nil, false
}

func truth(yes bool) fs.Pred {
	if yes {
		return fs.True{}
	}
	return fs.Or{}
}

func (s *shell) unary(op, arg string) (fs.Pred, bool) {
	switch op {
	case "-n":
		return truth(arg != ""), true
	case "-z":
		return truth(arg == ""), true
	}
	p, ok := s.absolute(arg)
	if !ok {
		return nil, false
	}
	is := func(k fs.Kind) fs.Pred { return fs.Is{Path: p, Kind: k} }
	switch op {
	case "-e", "-r", "-w", "-x": // root may do anything
		return exists(p), true
	case "-f":
		return is(fs.File), true
	case "-d":
		return is(fs.Dir), true
	case "-L", "-h":
		return is(fs.Link), true
	case "-s":
		return fs.Or{is(fs.Dir), fs.And{is(fs.File), fs.Not{P: fs.ContentIs(p, fs.Str(""))}}}, true
	}
	return nil, false
}

func binary(x, op, y string) (fs.Pred, bool) {
	switch op {
	case "=", "==":
		return truth(x == y), true
	case "!=":
		return truth(x != y), true
	}
	return nil, false
}

// testExpr reads [[ … ]].
func (s *shell) testExpr(x syntax.TestExpr) (fs.Pred, bool) {
	switch x := x.(type) {
	case *syntax.ParenTest:
		return s.testExpr(x.X)
	case *syntax.UnaryTest:
		if x.Op == syntax.TsNot {
			p, ok := s.testExpr(x.X)
			return fs.Not{P: p}, ok
		}
		w, ok := x.X.(*syntax.Word)
		if !ok {
			return nil, false
		}
		text, ok := s.word(w)
		if !ok {
			return nil, false
		}
		return s.unary(x.Op.String(), text)
	case *syntax.BinaryTest:
		switch x.Op {
		case syntax.AndTest, syntax.OrTest:
			p, ok := s.testExpr(x.X)
			q, ok2 := s.testExpr(x.Y)
			if x.Op == syntax.AndTest {
				return fs.And{p, q}, ok && ok2
			}
			return fs.Or{p, q}, ok && ok2
		}
	}
	return nil, false
}

// grep asks whether a line of a file matches: the file gets a variable for the answer, which everybody who changes the
// file changes too.
func (s *shell) grep(name string, args []string) (fs.Pred, bool) {
	var pattern, file string
	var given, fixed, extended, folded, whole, words bool
	extended, fixed = name == "egrep", name == "fgrep"
	for i := 0; i < len(args); i++ {
		a := args[i]
		switch {
		case a == "--":
		case a == "-e" && i+1 < len(args):
			i++
			pattern, given = args[i], true
		case strings.HasPrefix(a, "--"):
			switch a {
			case "--quiet", "--silent", "--no-messages":
			case "--extended-regexp":
				extended = true
			case "--fixed-strings":
				fixed = true
			case "--ignore-case":
				folded = true
			case "--line-regexp":
				whole = true
			default:
				return nil, false
			}
		case len(a) > 1 && a[0] == '-' && !given:
			for _, f := range a[1:] {
				switch f {
				case 'q', 's', 'h', 'n', 'o':
				case 'E':
					extended = true
				case 'F':
					fixed = true
				case 'i':
					folded = true
				case 'x':
					whole = true
				case 'w':
					words = true
				default:
					return nil, false
				}
			}
		case !given:
			pattern, given = a, true
		case file == "":
			file = a
		default:
			return nil, false
		}
	}
	p, ok := s.absolute(file)
	if !ok || p.Under("/proc") || p.Under("/sys") || p.Under("/dev") {
		return nil, false
	}
	re, err := expression(pattern, fixed, extended, folded, whole, words)
	if err != nil {
		return nil, false
	}
	v := s.b.search(p, re)
	return fs.And{fs.Is{Path: p, Kind: fs.File}, fs.VarIs(v, present)}, true
}

// expression translates a basic or extended regular expression.
func expression(pattern string, fixed, extended, folded, whole, words bool) (*regexp.Regexp, error) {
	text := pattern
	switch {
	case fixed:
		text = regexp.QuoteMeta(pattern)
	case !extended:
		text = basic(pattern)
	}
	if words {
		text = `\b(?:` + text + `)\b`
	}
	if whole {
		text = `^(?:` + text + `)$`
	}
	if folded {
		text = "(?i)" + text
	}
	return regexp.Compile(text)
}

// basic swaps what needs a backslash and what loses its meaning by one: \( \) \{ \} \| \+ \? are special in a basic
// expression, and without the backslash they are not. A * at the beginning is a star.
func basic(pattern string) string {
	var out strings.Builder
	class := false
	for i := 0; i < len(pattern); i++ {
		c := pattern[i]
		switch {
		case class:
			out.WriteByte(c)
			class = c != ']' || pattern[i-1] == '['
		case c == '[':
			class = true
			out.WriteByte(c)
		case c == '\\' && i+1 < len(pattern):
			i++
			if strings.IndexByte("(){}|+?", pattern[i]) >= 0 {
				out.WriteByte(pattern[i])
			} else {
				out.WriteString(pattern[i-1 : i+1])
			}
		case strings.IndexByte("(){}|+?", c) >= 0, c == '*' && i == 0:
			out.WriteByte('\\')
			out.WriteByte(c)
		default:
			out.WriteByte(c)
		}
	}
	return out.String()
}

// search makes the variable that says whether a line of a file matches.
func (b *builder) search(p fs.Path, re *regexp.Regexp) string {
	l := line{variable: "a line of " + string(p) + " matches " + re.String(), value: present, match: re}
	b.addLine(p, l, absent, present)
	return l.variable
}

// compare reads cmp -s A B and diff -q A B.
func (s *shell) compare(args []string) (fs.Pred, bool) {
	var paths []fs.Path
	for _, a := range args {
		if strings.HasPrefix(a, "-") {
			continue
		}
		p, ok := s.absolute(a)
		if !ok {
			return nil, false
		}
		paths = append(paths, p)
	}
	if len(paths) != 2 {
		return nil, false
	}
	is := func(i int) fs.Pred { return fs.Is{Path: paths[i], Kind: fs.File} }
	return fs.And{is(0), is(1), fs.Equal{A: fs.ContentOf{Path: paths[0]}, B: fs.ContentOf{Path: paths[1]}}}, true
}

// serviceTest reads systemctl is-active NAME, systemctl is-enabled NAME and service NAME status, of services that the
// catalog manages.
func (s *shell) serviceTest(command string, args []string) (fs.Pred, bool) {
	args = slices.DeleteFunc(slices.Clone(args), func(a string) bool { return strings.HasPrefix(a, "-") })
	if len(args) != 2 {
		return nil, false
	}
	verb, name := args[0], args[1]
	if command == "service" {
		verb, name = name, verb
	}
	name = strings.TrimSuffix(name, ".service")
	if !s.b.manages("Service", name) {
		return nil, false
	}
	switch verb {
	case "status", "is-active":
		return fs.VarIs("service "+name, "running"), true
	case "is-enabled":
		return fs.VarIs("start of service "+name, "true"), true
	}
	return nil, false
}

// manages reports whether the catalog has a resource of a type by that name.
func (b *builder) manages(typ, name string) bool {
	if b.names == nil {
		b.names = map[[2]string]bool{}
		for _, it := range b.items {
			if it != nil {
				b.names[[2]string{it.r.Type, it.name}] = true
				b.names[[2]string{it.r.Type, strings.TrimSuffix(it.name, ".service")}] = true
			}
		}
	}
	return b.names[[2]string{typ, name}]
}

// ofType lists the catalog's resources of a type.
func (b *builder) ofType(typ string) []*item {
	if b.types == nil {
		b.types = map[string][]*item{}
		for _, it := range b.items {
			if it != nil {
				b.types[it.r.Type] = append(b.types[it.r.Type], it)
			}
		}
	}
	return b.types[typ]
}
