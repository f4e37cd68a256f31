package stdlib

import (
	"strings"

	"bunraku/puppet/functions"
	"bunraku/puppet/onigmo"
	"bunraku/puppet/value"
)

// A tomlWriter is stdlib's TomlDumper: plain values first, then tables, then arrays of tables, each sorted by key.
type tomlWriter struct{ b strings.Builder }

var bareKey = onigmo.MustCompile(`^[a-zA-Z0-9_-]*$`)

func tomlText(h *value.Hash) (string, error) {
	var w tomlWriter
	err := w.table(h, nil)
	return w.b.String(), err
}

// tomlPairs are the entries of a hash by kind.
type tomlPairs struct{ simple, nested, tables []value.Entry }

func sortPairs(h *value.Hash) (p tomlPairs, err error) {
	keys := append([]value.Value(nil), h.Keys().Elems...)
	err = functions.RubySort(keys, func(a, b value.Value) (int, error) {
		o, ok := functions.RubyCompare(a, b)
		if !ok {
			return 0, functions.NotComparable(a, b)
		}
		return o, nil
	})
	if err != nil {
		return p, err
	}
	for _, k := range keys {
		e := *h.Entry(k)
		switch v := e.Value.(type) {
		case *value.Hash:
			p.nested = append(p.nested, e)
			continue
		case *value.Array:
			if v.Len() > 0 {
				if _, is := v.Elems[0].(*value.Hash); is {
					p.tables = append(p.tables, e)
					continue
				}
			}
		}
		p.simple = append(p.simple, e)
	}
	return p, nil
}

func (w *tomlWriter) table(h *value.Hash, prefix []string) error {
	p, err := sortPairs(h)
	if err != nil {
		return err
	}
	if len(prefix) > 0 && (len(p.simple) > 0 || h.Len() == 0) {
		w.b.WriteString("[" + strings.Join(prefix, ".") + "]\n")
	}
	return w.pairs(p, prefix)
}

func (w *tomlWriter) pairs(p tomlPairs, prefix []string) error {
	deeper := func(k value.Value) ([]string, error) {
		key, err := tomlKey(k)
		return append(append([]string(nil), prefix...), key), err
	}
	for _, e := range p.simple {
		key, err := tomlKey(e.Key)
		if err != nil {
			return err
		}
		w.b.WriteString(key + " = " + tomlValue(e.Value) + "\n")
	}
	for _, e := range p.nested {
		at, err := deeper(e.Key)
		if err != nil {
			return err
		}
		if err := w.table(e.Value.(*value.Hash), at); err != nil {
			return err
		}
	}
	for _, e := range p.tables {
		at, err := deeper(e.Key)
		if err != nil {
			return err
		}
		for _, child := range e.Value.(*value.Array).Elems {
			w.b.WriteString("[[" + strings.Join(at, ".") + "]]\n")
			h, is := child.(*value.Hash)
			if !is {
				return noMethod("keys", child)
			}
			p, err := sortPairs(h)
			if err != nil {
				return err
			}
			if err := w.pairs(p, at); err != nil {
				return err
			}
		}
	}
	return nil
}

func tomlKey(k value.Value) (string, error) {
	if s := text(k); matches(bareKey, s) {
		return s, nil
	}
	s, is := k.(value.String)
	if !is {
		return "", noMethod("gsub", k)
	}
	return `"` + strings.ReplaceAll(string(s), `"`, `\"`) + `"`, nil
}

var rubyMarks = strings.NewReplacer(`\#$`, "#$", `\#@`, "#@", `\#{`, "#{")

func tomlValue(v value.Value) string {
	switch v := v.(type) {
	case value.String:
		return rubyMarks.Replace(inspect(v))
	case *value.Regexp:
		return value.InspectString(inspect(v))
	}
	return inspect(v)
}
