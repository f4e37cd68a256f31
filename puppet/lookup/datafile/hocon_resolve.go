package datafile

import (
	"errors"
	"slices"
	"strings"

	"bunraku/puppet/value"
)

// hoconResolver replaces substitutions by what they stand for.
type hoconResolver struct {
	p     *hoconParser
	root  *hoconValue
	busy  []*hoconValue // the substitutions that are being resolved
	steps int
}

const maxHOCONSteps = 1 << 20

// resolve gives a value without substitutions at its top; nil stands for an optional substitution that has nothing.
func (r *hoconResolver) resolve(v *hoconValue) (*hoconValue, error) {
	if r.steps++; r.steps > maxHOCONSteps {
		return nil, r.p.failAt(v.line, v.span, "too many substitutions")
	}
	switch v.kind {
	case hoconSubst:
		return r.substitute(v)
	case hoconConcat:
		var parts []*hoconValue
		for _, e := range v.elems {
			part, err := r.resolve(e)
			if err != nil {
				return nil, err
			}
			if part != nil {
				parts = append(parts, part)
			}
		}
		parts, err := r.p.join(parts, v.span)
		if err != nil || len(parts) == 0 {
			return nil, err
		}
		return parts[0], nil
	case hoconMerge:
		newer, err := r.resolve(v.elems[1])
		if err != nil {
			return nil, err
		}
		if newer != nil && newer.kind != hoconObject {
			return newer, nil
		}
		older, err := r.resolve(v.elems[0])
		switch {
		case err != nil:
			return nil, err
		case newer == nil:
			return older, nil
		case older == nil || older.kind != hoconObject:
			return newer, nil
		}
		return mergeHOCON(older, newer), nil
	}
	return v, nil
}

// A hoconCycle is a substitution that is asked for while it is being resolved. The one that asked says so.
type hoconCycle struct{ through string }

func (e *hoconCycle) Error() string { return "cycle: " + e.through }

func (r *hoconResolver) substitute(v *hoconValue) (*hoconValue, error) {
	if slices.Contains(r.busy, v) {
		return nil, r.cycle(v)
	}
	r.busy = append(r.busy, v)
	defer func() { r.busy = r.busy[:len(r.busy)-1] }()
	var found *hoconValue
	var err error
	if v.self != nil && slices.Equal(v.self, v.path) { // a field that mentions itself means what it was before
		if v.before != nil {
			found, err = r.resolve(v.before)
		} else {
			err = r.cycle(v)
		}
	} else {
		found, err = r.find(v.path)
	}
	if err != nil {
		return nil, r.caught(v, err)
	}
	if found == nil && !v.maybe {
		return nil, r.p.failAt(v.line, v.span, "Could not resolve substitution to a value: "+v.json())
	}
	return found, nil
}

// cycle is the error of asking for a substitution again.
func (r *hoconResolver) cycle(v *hoconValue) error {
	names := make([]string, 0, len(r.busy)+1)
	for _, b := range r.busy {
		names = append(names, b.json())
	}
	return &hoconCycle{strings.Join(append(names, v.json()), ", ")}
}

// caught is what a substitution makes of an error on the way to its value: a cycle is its own error, or nothing if it
// may be absent.
func (r *hoconResolver) caught(v *hoconValue, err error) error {
	var cycle *hoconCycle
	switch {
	case !errors.As(err, &cycle):
		return err
	case v.maybe:
		return nil
	}
	return r.p.failAt(v.line, v.span, "Could not resolve substitution to a value: "+v.json()+
		" was part of a cycle of substitutions involving "+cycle.through)
}

// find follows a path from the root.
func (r *hoconResolver) find(path []string) (*hoconValue, error) {
	v := r.root
	for _, key := range path {
		o, err := r.resolve(v)
		if err != nil {
			return nil, err
		}
		if o == nil || o.kind != hoconObject {
			return nil, nil
		}
		if v = o.fields[key]; v == nil {
			return nil, nil
		}
	}
	return r.resolve(v)
}

// node turns a value into the tree that every format gives.
func (r *hoconResolver) node(v *hoconValue) (*Node, error) {
	if v.kind == hoconSubst && !slices.Contains(r.busy, v) { // it is not done before all that it stands for is
		found, err := r.substitute(v)
		if err != nil || found == nil {
			return nil, err
		}
		r.busy = append(r.busy, v)
		defer func() { r.busy = r.busy[:len(r.busy)-1] }()
		n, err := r.node(found)
		if err != nil {
			return nil, r.caught(v, err)
		}
		return n, nil
	}
	v, err := r.resolve(v)
	if err != nil || v == nil {
		return nil, err
	}
	switch v.kind {
	case hoconList:
		var kids []Kid
		for _, e := range v.elems {
			n, err := r.node(e)
			if err != nil {
				return nil, err
			}
			if n != nil {
				kids = append(kids, Kid{Node: n})
			}
		}
		return array(kids, v.span), nil
	case hoconObject:
		m := &hashMaker{}
		for _, k := range v.keys {
			n, err := r.node(v.fields[k])
			if err != nil {
				return nil, err
			}
			if n != nil {
				m.set(value.String(k), Kid{Key: v.spans[k], Node: n})
			}
		}
		n := m.node(v.span)
		if n.size > maxSize {
			return nil, r.p.failAt(v.line, v.span, "substitutions make this value too large")
		}
		return n, nil
	}
	return scalar(v.scalar, v.span), nil
}
