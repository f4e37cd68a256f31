package datafile

import (
	"strings"

	"bunraku/puppet/value"
	"bunraku/source"
)

// ReadHOCON reads a text in HOCON, JSON's human form: comments, unquoted words, paths as keys, objects that merge,
// lists and texts that are joined, and substitutions ${a.b}. It follows the Ruby library that Puppet's hocon_data
// calls. Includes are not followed, and a substitution never falls back on the process's environment.
func ReadHOCON(f *source.File) (*Node, error) {
	text := strings.TrimPrefix(f.Text, "\ufeff")
	p := &hoconParser{file: f, text: text, shift: len(f.Text) - len(text), line: 1, lexer: hoconLexer{text: text, line: 1}}
	tree, err := p.document()
	if err != nil {
		return nil, err
	}
	root, err := p.build(tree, nil)
	if err != nil {
		return nil, err
	}
	if root.kind != hoconObject {
		return nil, p.fault(tree.line, tree.span, " has type LIST rather than object at file root")
	}
	r := &hoconResolver{p: p, root: root}
	return r.node(root)
}

// A hoconValue is a value before its substitutions are resolved.
type hoconValue struct {
	kind   hoconKind
	span   source.Span
	scalar value.Value
	line   int
	text   string        // of a scalar: as written, for joining
	word   bool          // of a scalar: it was not quoted
	elems  []*hoconValue // of a list, a concatenation, or a merge (older first)
	keys   []string      // of an object, in order
	fields map[string]*hoconValue
	spans  map[string]source.Span // of the keys
	path   []string               // of a substitution
	maybe  bool                   // ${?path}
	before *hoconValue            // of a substitution: what its own field held before, for references to itself
	self   []string               // of a substitution: the path of the field it stands in
}

type hoconKind uint8

const (
	hoconScalar hoconKind = iota
	hoconList
	hoconObject
	hoconSubst
	hoconConcat
	hoconMerge
)

func newObject(span source.Span) *hoconValue {
	return &hoconValue{kind: hoconObject, span: span, fields: map[string]*hoconValue{}, spans: map[string]source.Span{}}
}

// get is what a path holds so far, or nil.
func (o *hoconValue) get(path []string) *hoconValue {
	for _, k := range path {
		if o == nil || o.kind != hoconObject {
			return nil
		}
		o = o.fields[k]
	}
	return o
}

// setBefore tells the substitutions in a value what the value's field held before.
func (v *hoconValue) setBefore(before *hoconValue, full []string) {
	switch v.kind {
	case hoconSubst:
		if v.self == nil {
			v.before, v.self = before, full
		}
	case hoconConcat, hoconList:
		for _, e := range v.elems {
			e.setBefore(before, full)
		}
	}
}

// set assigns a path of an object: objects merge, other values replace.
func (o *hoconValue) set(path []string, span source.Span, v *hoconValue) {
	if len(path) > 1 {
		sub := newObject(v.span)
		sub.set(path[1:], span, v)
		v = sub
	}
	key := path[0]
	old, had := o.fields[key]
	if !had {
		o.keys = append(o.keys, key)
		o.fields[key], o.spans[key] = v, span
		return
	}
	o.fields[key] = mergeHOCON(old, v)
	o.spans[key] = span
}

// mergeHOCON puts newer over older. The newer object's keys come first, as in the Ruby library.
func mergeHOCON(older, newer *hoconValue) *hoconValue {
	open := func(v *hoconValue) bool { return v.kind == hoconSubst || v.kind == hoconConcat || v.kind == hoconMerge }
	switch {
	case older.kind == hoconObject && newer.kind == hoconObject:
		o := newObject(newer.span)
		for _, k := range newer.keys {
			o.keys = append(o.keys, k)
			o.fields[k], o.spans[k] = newer.fields[k], newer.spans[k]
		}
		for _, k := range older.keys {
			if mine, has := o.fields[k]; has {
				o.fields[k] = mergeHOCON(older.fields[k], mine)
			} else {
				o.keys = append(o.keys, k)
				o.fields[k], o.spans[k] = older.fields[k], older.spans[k]
			}
		}
		return o
	case open(newer) || open(older) && newer.kind == hoconObject:
		return &hoconValue{kind: hoconMerge, span: newer.span, elems: []*hoconValue{older, newer}}
	}
	return newer
}
