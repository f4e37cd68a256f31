package smartfrog

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"bunraku/source"
)

// A loader reads the files that a specification includes. Each is read and parsed once, however often it is included.
type loader struct {
	files fs.FS
	opt   Options
	units map[*Include]*Spec
	known map[string]*Spec // by path in files
	chain []*unit          // the files being read, the main one first
	diags source.Diagnostics
}

// A unit is a file with its path in the file system that includes are read from.
type unit struct {
	path string
	spec *Spec
}

// load parses a file and what it includes.
func (l *loader) load(f *source.File, at string) *Spec {
	spec, diags := Parse(f, l.opt)
	for _, d := range diags {
		d.Stack = l.stack()
	}
	l.diags = append(l.diags, diags...)
	l.known[at] = spec
	l.chain = append(l.chain, &unit{at, spec})
	for _, s := range spec.includes {
		l.include(s)
	}
	l.chain = l.chain[:len(l.chain)-1]
	return spec
}

func (l *loader) include(s *Include) {
	here := l.chain[len(l.chain)-1]
	at := path.Join(path.Dir(here.path), s.Path)
	fail := func(code, format string, args ...any) *source.Diagnostic {
		d := &source.Diagnostic{
			Code: code, Summary: "include: " + fmt.Sprintf(format, args...),
			Place: source.Place{File: here.spec.File, Span: s.PathSpan}, Stack: l.stack()[:len(l.chain)-1],
		}
		l.diags = append(l.diags, d)
		return d
	}
	if path.IsAbs(s.Path) || !fs.ValidPath(at) {
		d := fail(codeIncludeOutside, "`%s` is outside the directory that may be read", s.Path)
		d.Help = "includes are read below one directory only; --include-root chooses it"
		return
	}
	for i, u := range l.chain {
		if u.path != at {
			continue
		}
		names := ""
		for _, u := range l.chain[i:] {
			names += u.path + " → "
		}
		d := fail(codeIncludeCycle, "`%s` includes itself: %s%s", s.Path, names, at)
		d.Help = "move what both files need into a third one"
		return
	}
	if spec, ok := l.known[at]; ok {
		l.units[s] = spec
		return
	}
	if l.files == nil {
		fail(codeIncludeFile, "cannot read `%s`: nothing may be included here", s.Path)
		return
	}
	text, err := fs.ReadFile(l.files, at)
	if err != nil {
		fail(codeIncludeFile, "cannot read `%s`: %s", s.Path, reason(err))
		return
	}
	shown := path.Join(path.Dir(here.spec.File.Name), s.Path)
	l.units[s] = l.load(source.NewFile(shown, string(text)), at)
}

// stack tells how the current file came to be read.
func (l *loader) stack() []string {
	var list []string
	for _, u := range l.chain {
		list = append(list, u.spec.File.Name)
	}
	return list
}

// reason is an error without the path, which the message has already.
func reason(err error) string {
	var p *fs.PathError
	if errors.As(err, &p) {
		err = p.Err
	}
	return strings.TrimPrefix(err.Error(), "openat: ")
}
