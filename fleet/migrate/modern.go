package migrate

import (
	"strings"

	"bunraku/puppet/facts"
	"bunraku/puppet/value"
	"bunraku/source"
)

// ModernFact is the edit that reads the structured fact in place of one with an old name that a node's facts lack; nil
// if an error is about something else, or if the fact has no other name that says the same.
func ModernFact(d *source.Diagnostic, node *facts.Facts) *source.Edit {
	place := d.Place.Outer()
	m := unknownVariable.FindStringSubmatch(d.Summary)
	if m == nil || !place.Known() || node == nil || node.Values == nil {
		return nil
	}
	t := &try{old: node}
	name := strings.TrimPrefix(m[1], "::")
	code := parseTree(place.File)
	path, exact := facts.Modern(name, node.Values)
	if code == nil || path == nil || !exact || value.IsUndef(at(node.Values, path)) {
		return nil
	}
	for _, v := range code.variables(m[1], place) {
		for _, read := range t.reads(name) {
			x := code.instead(v, read)
			return &source.Edit{Place: source.Place{File: x.file, Span: x.at}, Text: x.text}
		}
	}
	return nil
}
