package model

import (
	"path"
	"strings"

	"bunraku/puppet/catalog"
	"bunraku/verify/fs"

	"mvdan.cc/sh/v3/syntax"
)

// Guards for commands that put a known text into a file. One that appends a line need not run if the file has the line:
// that is the witness of its success, as a path is of a command that makes one (verify-claims §7, 3b). One that writes
// the whole file need not run if that is what the file holds (3a); it must not be less, so the whole text is compared.

// A putting is what a command puts where, if that is all it does.
type putting struct {
	text    string
	file    fs.Path
	appends bool
	says    string // the words that say the text
}

// lineGuard is the test whether a file has the line that an exec appends to it.
func (b *builder) lineGuard(r *catalog.Resource) (string, bool) {
	x, it, ok := b.putting(r)
	line, whole := strings.CutSuffix(x.text, "\n")
	if !ok || !x.appends || !whole || line == "" || strings.ContainsAny(line, "\n\\") || line[0] == '-' {
		return "", false
	}
	return named(it, "/bin/grep") + " -qxF " + quoteWord(line) + " " + quoteWord(string(x.file)), true
}

// textGuard is the test whether a file holds the text that an exec puts into it.
func (b *builder) textGuard(r *catalog.Resource) (string, bool) {
	x, it, ok := b.putting(r)
	if !ok || x.appends || strings.ContainsRune(x.says, '\\') {
		return "", false
	}
	return x.says + " | " + named(it, "/usr/bin/cmp") + " -s - " + quoteWord(string(x.file)), true
}

// putting reads the command of an exec without guards: echo TEXT > FILE, or >>, or the same behind sh -c.
func (b *builder) putting(r *catalog.Resource) (x putting, it *item, ok bool) {
	it = b.itemAt(r)
	if it == nil || r.Type != "Exec" || r.Get("unless") != nil || r.Get("onlyif") != nil || r.Get("creates") != nil ||
		it.truth("refreshonly", false) {
		return x, it, false
	}
	command := it.or("command", it.name)
	s := b.newShell(it)
	file, ok := parse(command)
	for ok && len(file.Stmts) == 1 && len(file.Stmts[0].Redirs) == 0 {
		call, is := file.Stmts[0].Cmd.(*syntax.CallExpr)
		if !is || len(call.Args) != 3 || path.Base(call.Args[0].Lit()) != "sh" || call.Args[1].Lit() != "-c" {
			break
		}
		inner, known := s.word(call.Args[2])
		if !known {
			return x, it, false
		}
		file, ok = parse(inner)
	}
	if !ok || len(file.Stmts) != 1 || len(file.Stmts[0].Redirs) != 1 || file.Stmts[0].Negated || file.Stmts[0].Background {
		return x, it, false
	}
	st := file.Stmts[0]
	to := st.Redirs[0]
	if x.text, ok = s.saying(st); !ok || to.N != nil || to.Op != syntax.RdrOut && to.Op != syntax.AppOut {
		return x, it, false
	}
	name, known := s.word(to.Word)
	if x.file, ok = s.absolute(name); !ok || !known || string(x.file) != name {
		return x, it, false
	}
	x.appends = to.Op == syntax.AppOut
	x.says = statementText(st.Cmd)
	if echo := st.Cmd.(*syntax.CallExpr).Args[0].Lit(); !strings.HasPrefix(echo, "/") {
		place := map[string]string{"echo": "/bin/echo", "printf": "/usr/bin/printf"}[echo]
		x.says = named(it, place) + strings.TrimPrefix(x.says, echo)
	}
	return x, it, true
}

// named is how a guard names a program: with its place, unless the exec looks for programs there.
func named(it *item, place string) string {
	for _, d := range searchPath(it) {
		if strings.TrimSuffix(d, "/") == path.Dir(place) {
			return path.Base(place)
		}
	}
	return place
}

// quoteWord is a word of a command, in quotes where it needs them.
func quoteWord(s string) string {
	if strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-=:,@%+") == "" && s != "" {
		return s
	}
	return quoteWords([]string{s})
}
