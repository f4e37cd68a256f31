package compiler

import (
	"slices"
	"strings"

	"bunraku/provenance"
	"bunraku/puppet/syntax"
	"bunraku/puppet/value"
	"bunraku/source"
)

const mostRivals = 24 // for one place

// rivals are the texts at the other places that the slots name. Where a place matters because it could be like another
// one (an option of a case, a key of a hash, the name of a class), putting the other one's text there shows it.
func (l *lab) rivals(slots []string) (out []string) {
	add := func(s string) {
		if s != "" && len(s) < 80 && !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	for _, s := range slots {
		for _, label := range l.view.Depends(s) {
			switch {
			case label.Kind == provenance.Fact:
				var v value.Value = l.facts()
				for _, name := range strings.Split(label.Path, ".") {
					h, _ := v.(*value.Hash)
					if h == nil {
						break
					}
					v = h.At(name)
				}
				if text, ok := v.(value.String); ok {
					add(string(text))
				}
			case label.Kind == provenance.Literal && label.Place.Known():
				add(plainText(label.Place.Text()))
			}
		}
	}
	return out[:min(len(out), mostRivals)]
}

// plainText is the text of a literal string or name, "" for anything else.
func plainText(code string) string {
	f, ds := syntax.Parse(source.NewFile("literal.pp", code), syntax.Options{})
	if ds.HasErrors() || len(f.Body.Stmts) != 1 {
		return ""
	}
	switch x := f.Body.Stmts[0].(type) {
	case *syntax.Str:
		return x.Value
	case *syntax.Name:
		return x.Value
	}
	return ""
}
