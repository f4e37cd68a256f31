package lsp

import (
	"path"
	"regexp"
	"strconv"
	"strings"

	"bunraku/source"
)

// Some texts are code and no files: a template that is given as a text. What is wrong with one is told where the
// manifest renders it, which an editor can open.

// isFile reports whether a text is that of a file. Those that are none have names without directories.
func (f *folder) isFile(file *source.File) bool {
	if strings.Contains(file.Name, "/") {
		return true
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	p := path.Join(f.dir, file.Name)
	return f.base != nil && f.base.byPath[p] != nil || f.disk != nil && source.Exists(f.disk, p)
}

// calledAt is how a call ends of those that lead to a problem.
var calledAt = regexp.MustCompile(`(\S+):(\d+)$`)

// inFile is a problem where the innermost call in a file leads to it, if it stands in a text that is none; nil if no
// file is known.
func (f *folder) inFile(d *source.Diagnostic) *source.Diagnostic {
	if f.isFile(d.Place.File) {
		return d
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	for i := len(d.Stack) - 1; i >= 0 && f.base != nil; i-- {
		m := calledAt.FindStringSubmatch(d.Stack[i])
		if m == nil {
			continue
		}
		p := m[1]
		if !path.IsAbs(p) {
			p = path.Join(f.dir, p)
		}
		e := f.base.byPath[p]
		n, err := strconv.Atoi(m[2])
		if e == nil || err != nil || n < 1 || n > 1+strings.Count(e.file.Text, "\n") {
			continue
		}
		line := e.file.Line(n)
		start := e.file.Offset(source.Position{Line: n, Column: 1})
		code := strings.TrimLeft(line, " \t")
		out := *d
		out.Place = source.Place{File: e.file, Span: source.Span{Start: start + uint32(len(line)-len(code)),
			End: start + uint32(len(strings.TrimRight(line, " \t\r\n")))}}
		return &out
	}
	return nil
}
