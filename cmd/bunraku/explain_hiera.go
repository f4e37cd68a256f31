package main

import (
	"strings"

	"bunraku/explain"
	"bunraku/provenance"
	"bunraku/puppet/compiler"
	"bunraku/puppet/eval"
	"bunraku/puppet/lookup"
	"bunraku/puppet/types"
	"bunraku/puppet/value"
	"bunraku/source"
)

// hieraOf asks Hiera once more, now for what each level has: a compile stops at the first one that answers.
func hieraOf(c *compiler.Snapshot, result *eval.Result) func(key string) *explain.Hiera {
	var session *lookup.Session
	return func(key string) *explain.Hiera {
		if session == nil {
			session = c.Hiera(source.StrictWarning).Session(nil, nil)
		}
		scope := &explainScope{result.ScopeOf(classOf(key))}
		out := &explain.Hiera{Key: key, Merge: "first"}
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
		out.Levels = levelsOf(c, &told, key)
		return out
	}
}

// classOf is the class whose parameter a key may be.
func classOf(key string) string {
	if i := strings.LastIndex(key, "::"); i > 0 {
		return key[:i]
	}
	return ""
}

// eachEvent visits the steps of a lookup, without those that looked for its options.
func eachEvent(e *lookup.Event, key string, visit func(*lookup.Event)) {
	if e.Kind == lookup.Searching && e.Name == "lookup_options" && key != "lookup_options" {
		return
	}
	visit(e)
	for _, s := range e.Steps {
		eachEvent(s, key, visit)
	}
}

// levelsOf lists the files that a lookup looked at for its key.
func levelsOf(c *compiler.Snapshot, told *lookup.Explanation, key string) (out []explain.Level) {
	env := c.Environment()
	var walk func(e *lookup.Event, layer, level string)
	walk = func(e *lookup.Event, layer, level string) {
		switch e.Kind {
		case lookup.Searching:
			if e.Name == "lookup_options" && key != "lookup_options" {
				return
			}
		case lookup.Layer:
			layer = layerName(e.Name)
		case lookup.Level:
			level = quoted(e.Name)
		case lookup.Location:
			lv := explain.Level{Layer: layer, Name: level, File: env.Display(e.Path), Exists: e.Outcome != lookup.LocationNotFound}
			if e.Outcome == lookup.Found {
				lv.Found, lv.Value, lv.Place = true, e.Value, e.Place
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

// explainScope is where Hiera interpolates.
type explainScope struct{ sc *eval.Scope }

func (s *explainScope) Variable(name string) (value.Value, provenance.Ref, bool) {
	return s.sc.Variable(name)
}

func (s *explainScope) CallingClass() string { return s.sc.CallingClass() }

func (s *explainScope) Call(*lookup.FunctionCall) (value.Value, provenance.Ref, error) {
	return nil, 0, lookup.ErrRuby
}

func (s *explainScope) New(typ value.Value, args []value.Value) (value.Value, error) {
	t, ok := typ.(value.Type)
	if !ok {
		var err error
		if t, err = s.sc.Evaluator().ParseType(value.ToString(typ)); err != nil {
			return nil, err
		}
	}
	return types.New(t, args...)
}
