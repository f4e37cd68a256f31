package datafile

import (
	"strings"

	"bunraku/value"
)

// hoconResolver replaces substitutions by what they stand for.
type hoconResolver struct {
	p     *hoconParser
	root  *hoconValue
	busy  map[*hoconValue]bool
	steps int
}

const maxHOCONSteps = 1 << 20

// resolve gives a value without substitutions at its top; nil stands for an optional substitution that has nothing.
func (r *hoconResolver) resolve(v *hoconValue) (*hoconValue, error) {
	if r.steps++; r.steps > maxHOCONSteps {
		return nil, r.p.fail(int(v.span.Start), "too many substitutions")
	}
	switch v.kind {
	case hoconSubst:
		return r.substitute(v)
	case hoconConcat:
		var parts []*hoconValue
		for _, e := range v.elems {
			if e.kind == hoconBlank {
				parts = append(parts, e)
				continue
			}
			part, err := r.resolve(e)
			if err != nil {
				return nil, err
			}
			if part != nil {
				parts = append(parts, part)
			}
		}
		solid := 0
		var only *hoconValue
		for _, e := range parts {
			if e.kind != hoconBlank {
				solid++
				only = e
			}
		}
		switch {
		case solid == 0 && len(parts) == 0:
			return nil, nil
		case solid == 1 && only.kind != hoconScalar:
			return only, nil
		case solid == 1 && len(parts) == 1:
			return only, nil
		}
		return concatenate(r.p, parts, v.span)
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

func (r *hoconResolver) substitute(v *hoconValue) (*hoconValue, error) {
	name := strings.Join(v.path, ".")
	if r.busy[v] {
		return nil, r.p.fail(int(v.span.Start), "Cycle in a substitution: ${"+name+"}")
	}
	r.busy[v] = true
	defer delete(r.busy, v)
	var found *hoconValue
	var err error
	if v.self != nil && equalPath(v.self, v.path) { // a field that mentions itself means what it was before
		if v.before != nil {
			found, err = r.resolve(v.before)
		}
	} else {
		found, err = r.find(v.path)
	}
	if err != nil {
		return nil, err
	}
	if found == nil && !v.maybe {
		return nil, r.p.fail(int(v.span.Start), "Could not resolve substitution to a value: ${"+name+"}")
	}
	return found, nil
}

func equalPath(a, b []string) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
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
				m.set(value.String(k), v.spans[k], n)
			}
		}
		n := m.node(v.span)
		if n.size > maxSize {
			return nil, r.p.fail(int(v.span.Start), "substitutions make this value too large")
		}
		return n, nil
	}
	return scalar(v.scalar, v.span), nil
}
