package eval

import (
	"fmt"
	"strconv"
	"strings"

	"bunraku/provenance"
	"bunraku/puppet/value"
	"bunraku/source"
)

// What an external classifier says of the node comes in with places in its answer (Input.Said). Each value of it is a
// leaf of the trace, named by what it is in the answer.

// said is where the answer says something; unknown if there is no answer with places.
func (ev *Evaluator) said(steps ...string) source.Place {
	if ev.in.Said == nil {
		return source.Place{}
	}
	return ev.in.Said(steps...)
}

// assignedBy is what decides that the node has a class.
func (ev *Evaluator) assignedBy(class string) provenance.Ref {
	if ev.trace == nil {
		return 0
	}
	return ev.trace.Leaf(provenance.Label{Kind: provenance.World, Path: "the classifier's class " + class,
		Place: ev.said("classes", class)})
}

// saidValue gives a value of the answer a leaf, and one to everything in it.
func (ev *Evaluator) saidValue(v value.Value, what string, steps ...string) (value.Value, provenance.Ref) {
	if ev.trace == nil {
		return v, 0
	}
	ref := ev.trace.Leaf(provenance.Label{Kind: provenance.World, Path: what, Place: ev.said(steps...)})
	inner := func(v value.Value, name string) (value.Value, provenance.Ref) {
		return ev.saidValue(v, what+"."+name, append(steps[:len(steps):len(steps)], name)...)
	}
	switch v := v.(type) {
	case *value.Array:
		b := value.NewArrayBuilder(v.Len())
		for i, e := range v.Elems {
			b.AddRef(inner(e, strconv.Itoa(i)))
		}
		return b.Array(), ref
	case *value.Hash:
		b := value.NewHashBuilder(v.Len())
		for _, e := range v.Entries() {
			x, r := inner(e.Value, value.ToString(e.Key))
			b.SetEntry(value.Entry{Key: e.Key, KeyRef: ref, Value: x, Ref: r})
		}
		return b.Hash(), ref
	}
	return v, ref
}

// nodeParameters are the classifier's: variables of the top scope. They come before facts and what the server says of
// itself, and Puppet warns of each of those that they hide.
func (ev *Evaluator) nodeParameters(set func(name string, v value.Value, r provenance.Ref)) {
	if ev.in.Parameters == nil {
		return
	}
	for _, e := range ev.in.Parameters.Entries() {
		name := value.ToString(e.Key)
		wrong, code := "", "E0210"
		switch name {
		case "environment", "trusted": // those are the server's to say
			continue
		case "facts", "server_facts":
			wrong = assignsReserved(name)
		case "module_name":
			wrong, code = "Cannot reassign variable '$module_name'", "E0211"
		}
		if name != "" && strings.Trim(name, "0123456789") == "" {
			wrong = "Cannot assign to a numeric match result variable '$" + name + "'"
		}
		if wrong != "" {
			ev.failAt(&source.Diagnostic{Code: code, Place: ev.said("parameters", name), Summary: wrong})
		}
		v, ref := ev.saidValue(e.Value, "the classifier's parameter "+name, "parameters", name)
		ev.comesIn(v, "", ev.said("parameters", name))
		set(name, v, ref)
		for _, hidden := range []*value.Hash{ev.in.Facts, ev.in.ServerFacts} {
			if hidden == nil {
				continue
			}
			if h := hidden.EntryString(name); h != nil {
				ev.hides(name, ev.said("parameters", name), e.Value, h.Value)
			}
		}
	}
}

// hides warns of a variable of the top scope that two have given.
func (ev *Evaluator) hides(name string, at source.Place, first, second value.Value) {
	ev.warnOf("W0110", at, fmt.Sprintf("The node parameter '%s' for node '%s' was already set to '%s'. It could not be set "+
		"to '%s'", name, ev.in.Node, rubyText(first), rubyText(second)))
}
