package mutate

import (
	"fmt"
	"strings"

	"bunraku/provenance"
	"bunraku/puppet/value"
)

// InFacts lists a node's facts, nested ones too: each can have another value or be missing. stems are values that lead
// to other data files.
func InFacts(facts *value.Hash, stems []string, h *Hints) []*Place {
	var out []*Place
	var walk func(v value.Value, path, parent string, element bool)
	walk = func(v value.Value, path, parent string, element bool) {
		p := &Place{Kind: Fact, Fact: path, Was: factNames(path), Is: factNames(path)}
		switch v := v.(type) {
		case *value.Hash:
			for _, e := range v.Entries() {
				walk(e.Value, path+"."+value.ToString(e.Key), path, false)
			}
		case *value.Array:
			for i, e := range v.Elems {
				walk(e, path+"."+fmt.Sprint(i), path, true)
			}
		}
		p.Val = others(v, append(h.within(path, v), Alternatives(v, append(stems[:len(stems):len(stems)], h.Pool...))...))
		out = append(out, p)
		if !element { // without it: which facts there are is said by the one around it
			gone := &Place{Kind: Fact, Fact: path, Val: []value.Value{nil}, Was: factNames(path), Is: MissingFact(path)}
			if parent != "" {
				gone.Was = factNames(path, parent)
				gone.Is = factNames(path, parent)
			}
			out = append(out, gone)
		}
	}
	for _, e := range facts.Entries() {
		walk(e.Value, value.ToString(e.Key), "", false)
	}
	return out
}

// within are values that differ from a fact in what the program compares it, or something in it, with.
func (h *Hints) within(path string, v value.Value) []value.Value {
	out := append([]value.Value{}, h.Compared(path)...)
	if hash, ok := v.(*value.Hash); ok {
		for _, e := range hash.Entries() {
			for i, inner := range h.within(path+"."+value.ToString(e.Key), e.Value) {
				if i < 3 {
					b := hash.From(0)
					b.Set(e.Key, inner)
					out = append(out, b.Hash())
				}
			}
		}
	}
	return out
}

// others are the values of a list that differ from each other and from v.
func others(v value.Value, list []value.Value) []value.Value {
	out := []value.Value{v}
	for _, o := range list {
		out = addNew(out, o)
	}
	return out[1:min(len(out), choices+5)]
}

// NewFact is a fact that was asked for in vain.
func NewFact(name string, values []value.Value) *Place {
	return &Place{Kind: Missing, Fact: name, Val: values, Was: MissingFact(name), Is: factNames(name)}
}

// MissingFact is the absence of a fact.
func MissingFact(name string) Names {
	return Names{Key: provenance.LabelKey{Kind: provenance.Absence, Path: "fact " + name},
		More: func(k provenance.LabelKey) bool {
			return k.Kind == provenance.Absence && k.Path == "more facts"
		}}
}

// factNames are a fact, all that is in it, and others.
func factNames(path string, more ...string) Names {
	return Names{Key: provenance.LabelKey{Kind: provenance.Fact, Path: path}, More: func(k provenance.LabelKey) bool {
		if k.Kind != provenance.Fact {
			return false
		}
		for _, m := range more {
			if k.Path == m {
				return true
			}
		}
		return strings.HasPrefix(k.Path, path+".")
	}}
}

// SetFact gives a fact another value, or takes it away.
func SetFact(facts *value.Hash, path string, v value.Value) *value.Hash {
	out, _ := set(facts, strings.Split(path, "."), v).(*value.Hash)
	return out
}

// set follows segments; a name with a dot in it is tried before the part in front of the dot.
func set(in value.Value, path []string, v value.Value) value.Value {
	switch in := in.(type) {
	case *value.Hash:
		n := len(path)
		for ; n > 1; n-- {
			if in.EntryString(strings.Join(path[:n], ".")) != nil {
				break
			}
		}
		name, rest := strings.Join(path[:n], "."), path[n:]
		b := value.NewHashBuilder(in.Len())
		found := false
		for _, e := range in.Entries() {
			if value.ToString(e.Key) == name {
				found = true
				if len(rest) > 0 {
					e.Value = set(e.Value, rest, v)
				} else if v == nil {
					continue
				} else {
					e.Value = v
				}
			}
			b.SetEntry(e)
		}
		if !found && v != nil {
			b.SetString(name, v)
		}
		return b.Hash()
	case *value.Array:
		elems := append([]value.Value(nil), in.Elems...)
		for i := range elems {
			if fmt.Sprint(i) == path[0] {
				if len(path) > 1 {
					elems[i] = set(elems[i], path[1:], v)
				} else if v != nil {
					elems[i] = v
				}
			}
		}
		return value.NewArray(elems...)
	}
	return in
}
