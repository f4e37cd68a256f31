package lookup

import (
	"path/filepath"

	"bunraku/budget"
	"bunraku/provenance"
	"bunraku/puppet/lookup/datafile"
	"bunraku/puppet/trace"
	"bunraku/puppet/value"
	"bunraku/source"
)

// What Hiera asks of the world is logged here, and answered again for a trace (package trace): which files there are,
// whether they can be read as data, and what they have under a key. What is interpolated is asked of the scope, which
// logs its own questions.

// Logging has the questions of the session collected.
func (s *Session) Logging(l *trace.Log) *Session {
	s.log = l
	return s
}

// asksExists notes that it matters whether a file is there.
func (s *Session) asksExists(path string) bool {
	if s.log != nil && !s.coarse {
		s.log.Ask(trace.Question{Kind: trace.Exists, Of: filepath.Clean(path)})
	}
	return s.exists(path)
}

// asksConfig notes that a hiera.yaml matters, or that there is none.
func (s *Session) asksConfig(path string) {
	if s.log != nil {
		s.log.Ask(trace.Question{Kind: trace.Config, Of: filepath.Clean(path)})
	}
}

// asksData notes that it matters whether a file can be read as data.
func (s *Session) asksData(d *loaded) {
	if s.log != nil && !s.coarse {
		s.log.Ask(trace.Question{Kind: trace.Data, Of: d.name})
	}
}

// asksGlob notes that it matters which files there are.
func (s *Session) asksGlob(pattern string) {
	if s.log != nil && !s.coarse {
		s.log.Ask(trace.Question{Kind: trace.Glob, Of: pattern})
	}
}

// asksKey notes that a key of a data file matters, or that it has none of the name.
func (s *Session) asksKey(d *loaded, key string) {
	if s.log != nil && !s.coarse {
		s.log.Ask(trace.Question{Kind: trace.Datum, Of: d.name, Part: key})
	}
}

// asksSecrets notes that the keys which open secrets matter.
func (s *Session) asksSecrets(options *value.Hash) {
	if s.log == nil {
		return
	}
	for _, name := range []string{"pkcs7_public_key", "pkcs7_private_key"} {
		if path := textOf(options, name, ""); path != "" {
			s.log.Ask(trace.Question{Kind: trace.Content, Of: keyPath(path)})
		}
	}
}

// dataName is how questions call a file that is read as data of a format.
func dataName(path string, f format) string {
	return filepath.Clean(path) + [...]string{"", "\x00json", "\x00hocon"}[f]
}

// formatOf is what dataName was made of.
func formatOf(name string) (string, format) {
	for _, f := range []format{jsonFormat, hoconFormat} {
		if end := dataName("", f)[1:]; len(name) > len(end) && name[len(name)-len(end):] == end {
			return name[:len(name)-len(end)], f
		}
	}
	return name, yamlFormat
}

// Answer writes the answer to a question that a session asked of files; it is false for other questions. The budget
// bounds globs.
func (l *Lookup) Answer(q trace.Question, b *budget.Budget, t *trace.Text) bool {
	switch q.Kind {
	case trace.Exists:
		t.Flag(l.exists(q.Of))
	case trace.Glob:
		s := &Session{l: l, budget: b}
		for _, path := range s.globbed(q.Of) {
			t.String(path)
		}
	case trace.Config:
		if !l.exists(q.Of) {
			t.String("none")
			return true
		}
		file, err := l.load(q.Of, yamlFormat)
		l.state(file, err, q.Of, t)
		if err == nil && file.Root != nil {
			t.Value(file.Root.Value)
		}
	case trace.Data:
		path, f := formatOf(q.Of)
		file, err := l.load(path, f)
		l.state(file, err, path, t)
	case trace.Datum:
		file, err := l.load(formatOf(q.Of))
		if err != nil {
			t.String("none")
			return true
		}
		if n := file.Entry(q.Part); n != nil {
			t.Number(int(n.Has))
			symbols(n, t)
			for _, s := range n.Bytes() {
				t.String(s)
			}
			t.Value(n.Value)
		}
	default:
		return false
	}
	return true
}

// state writes whether a file can be read, and whether it is a hash; where that ends a compile, or leads to a warning,
// all of it counts.
func (l *Lookup) state(file *datafile.File, err error, path string, t *trace.Text) {
	switch {
	case err != nil:
		t.String("broken")
		c, _ := l.opt.Files.Read(filepath.Clean(path)) // what cannot be read is as its error says
		t.String(c.Text)
		t.String(err.Error())
	case file.Hash() != nil:
		t.String("hash")
	default:
		t.String("other")
		if file.Root != nil {
			t.Value(file.Root.Value)
		}
	}
}

// symbols writes the Ruby symbols of data, which its value does not tell apart.
func symbols(n *datafile.Node, t *trace.Text) {
	if n.Has&datafile.Symbols == 0 {
		return
	}
	t.String(n.Symbol)
	for _, k := range n.Kids {
		symbols(k.Node, t)
	}
}

// A pathScope is a Scope that is told when only a part of a variable is wanted.
type pathScope interface {
	VariableAt(name string, steps []value.Value) (v value.Value, ref provenance.Ref, known bool)
}

// variableAt reads a variable of which only what lies at the end of some steps is used.
func variableAt(sc Scope, name string, steps []value.Value) (value.Value, provenance.Ref, bool) {
	if s, is := sc.(pathScope); is && len(steps) > 0 {
		return s.VariableAt(name, steps)
	}
	return sc.Variable(name)
}

// VariableAt implements pathScope.
func (s localScope) VariableAt(name string, steps []value.Value) (value.Value, provenance.Ref, bool) {
	if name == s.name {
		return s.it.v, s.it.ref, true
	}
	return variableAt(s.Scope, name, steps)
}

// keyPath is where a key that eyaml's options name lies.
func keyPath(path string) string {
	if !filepath.IsAbs(path) {
		path = source.Absolute(path)
	}
	return filepath.Clean(path)
}
