package compiler

import (
	"strings"

	"bunraku/provenance"
	"bunraku/puppet/eval"
	"bunraku/puppet/lookup"
	"bunraku/puppet/record"
	"bunraku/puppet/types"
	"bunraku/puppet/value"
	"bunraku/source"
)

// levels asks Hiera once more about a finished compile, now for what each level has: a compile stops at the first one
// that answers. in is what was compiled.
func (c *Snapshot) levels(in eval.Input) func(key string, from eval.Left) *record.Hiera {
	in.Budget, in.Log = nil, nil // they are gone with the compile
	var session *lookup.Session
	return func(key string, from eval.Left) *record.Hiera {
		if session == nil {
			session = c.Hiera(source.StrictWarning).Session(nil, nil)
		}
		scope := &leftScope{c, in, from}
		out := &record.Hiera{Key: key, Merge: "first"}
		var told lookup.Explanation
		res, err := session.Find(key, scope, lookup.Query{Explain: &told})
		if err != nil || !res.Found {
			return out
		}
		out.Found, out.Value = true, res.Value
		for _, e := range told.Steps {
			eachEvent(e, key, func(e *lookup.Event) {
				if e.Kind == lookup.Merging && len(e.Steps) > 1 && e.Name != "" {
					out.Merge = e.Name
				}
			})
		}
		if out.Merge == "first" { // ask again so that all levels answer
			all := "unique"
			if _, ok := res.Value.(*value.Hash); ok {
				all = "hash"
			}
			var more lookup.Explanation
			if _, err := session.Find(key, scope, lookup.Query{Merge: value.String(all), Explain: &more}); err == nil {
				told = more
			}
		}
		out.Levels = levelsOf(c, &told, key, func(path string) []source.Place {
			return session.Concealed(scope, path, key, c.declaredSensitive)
		})
		for _, e := range told.Steps {
			eachQuoted(e, false, func(key string) { out.Quotes = append(out.Quotes, key) })
		}
		return out
	}
}

// mentions looks for a text in the data of a finished compile's environment.
func (c *Snapshot) mentions(in eval.Input) func(text string, from eval.Left) []record.Mention {
	const most = 200
	in.Budget, in.Log = nil, nil
	return func(text string, from eval.Left) (out []record.Mention) {
		session := c.Hiera(source.StrictWarning).Session(nil, nil)
		for _, m := range session.Mentions(&leftScope{c, in, from}, text, most) {
			r := record.Mention{Place: m.Place, Path: m.Path, Level: m.Level, Here: m.Here}
			for _, n := range m.Needs {
				r.Needs = append(r.Needs, record.Need(n))
			}
			out = append(out, r)
		}
		return out
	}
}

// eachEvent visits the steps of a lookup, without those that looked for its options or for what is interpolated.
func eachEvent(e *lookup.Event, key string, visit func(*lookup.Event)) {
	if e.Kind == lookup.Searching && e.Name == "lookup_options" && key != "lookup_options" ||
		e.Kind == lookup.Interpolating {
		return
	}
	visit(e)
	for _, s := range e.Steps {
		eachEvent(s, key, visit)
	}
}

// eachQuoted visits the keys that data ask for.
func eachQuoted(e *lookup.Event, within bool, visit func(key string)) {
	within = within || e.Kind == lookup.Interpolating
	if within && e.Kind == lookup.Searching && e.Name != "lookup_options" {
		visit(e.Name)
	}
	for _, s := range e.Steps {
		eachQuoted(s, within, visit)
	}
}

// levelsOf lists the files that a lookup looked at for its key; secret says what of a file's is Sensitive by another.
func levelsOf(c *Snapshot, told *lookup.Explanation, key string, secret func(path string) []source.Place) (
	out []record.Level) {
	env := c.Environment()
	var walk func(e *lookup.Event, layer, level string)
	walk = func(e *lookup.Event, layer, level string) {
		switch e.Kind {
		case lookup.Searching:
			if e.Name == "lookup_options" && key != "lookup_options" {
				return
			}
		case lookup.Interpolating: // lookups of other keys within
			return
		case lookup.Layer:
			layer = layerName(e.Name)
		case lookup.Level:
			level = quoted(e.Name)
		case lookup.Location:
			lv := record.Level{Layer: layer, Name: level, File: env.Display(e.Path),
				Exists: e.Outcome != lookup.LocationNotFound}
			if e.Outcome == lookup.Found {
				lv.Found, lv.Value, lv.Place, lv.Secret = true, e.Value, e.Place, secret(e.Path)
			}
			out = append(out, lv)
		}
		for _, s := range e.Steps {
			walk(s, layer, level)
		}
	}
	for _, e := range told.Steps {
		walk(e, "", "")
	}
	return out
}

// layerName is "environment" of "Environment Data Provider (hiera configuration version 5)".
func layerName(s string) string {
	s, _, _ = strings.Cut(s, " Data Provider")
	return strings.ToLower(s)
}

// quoted is NAME of `Hierarchy entry "NAME"`.
func quoted(s string) string {
	if i := strings.IndexByte(s, '"'); i >= 0 {
		return strings.TrimSuffix(s[i+1:], "\"")
	}
	return s
}

// leftScope is where Hiera interpolates for a compile that has ended.
type leftScope struct {
	c    *Snapshot
	in   eval.Input
	from eval.Left
}

// Variable implements lookup.Scope.
func (s *leftScope) Variable(name string) (value.Value, provenance.Ref, bool) {
	if v := s.from.Variable(name); v != nil {
		return v, 0, true
	}
	return value.Undef{}, 0, false
}

// CallingClass implements lookup.Scope.
func (s *leftScope) CallingClass() string { return s.from.CallingClass() }

// Call implements lookup.Scope: no code is run.
func (s *leftScope) Call(*lookup.FunctionCall) (value.Value, provenance.Ref, error) {
	return nil, 0, lookup.ErrRuby
}

// New implements lookup.Scope.
func (s *leftScope) New(typ value.Value, args []value.Value) (value.Value, error) {
	t, ok := typ.(value.Type)
	if !ok {
		var err error
		if t, err = eval.ParseType(s.c.world(nil), s.in, value.ToString(typ)); err != nil {
			return nil, err
		}
	}
	return types.New(t, args...)
}
