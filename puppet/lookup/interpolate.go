package lookup

import (
	"cmp"
	"regexp"
	"strings"

	"bunraku/provenance"
	"bunraku/puppet/value"
)

// interpolate resolves every %{…} of a value, keys included. Methods (lookup, alias, literal, scope) are for data;
// hiera.yaml may only name variables.
func (inv *invocation) interpolate(it item, methods bool) (item, error) {
	switch v := it.v.(type) {
	case value.String:
		if !strings.Contains(string(v), "%{") {
			return it, nil
		}
		return inv.interpolateString(string(v), it.ref, methods)
	case *value.Array:
		if !hasInterpolation(v) {
			return it, nil
		}
		b := value.NewArrayBuilder(v.Len())
		for i, e := range v.Elems {
			sub, err := inv.interpolate(item{e, v.Ref(i)}, methods)
			if err != nil {
				return item{}, err
			}
			b.AddRef(sub.v, sub.ref)
		}
		return item{b.Array(), inv.s.trace.Op("interpolate", it.ref)}, nil
	case *value.Hash:
		if !hasInterpolation(v) {
			return it, nil
		}
		b := value.NewHashBuilder(v.Len())
		spine := inv.s.trace.Op("interpolate", it.ref) // no copy of what is written there
		for _, e := range v.Entries() {
			key, err := inv.interpolate(item{e.Key, e.KeyRef}, methods)
			if err != nil {
				return item{}, err
			}
			sub, err := inv.interpolate(item{e.Value, e.Ref}, methods)
			if err != nil {
				return item{}, err
			}
			if key.ref != e.KeyRef { // which keys there are depends on what was interpolated into them
				spine = inv.s.trace.Op("keys", spine, key.ref)
			}
			b.SetEntry(value.Entry{Key: key.v, KeyRef: key.ref, Value: sub.v, Ref: sub.ref})
		}
		return item{b.Hash(), spine}, nil
	}
	return it, nil
}

// hasInterpolation reports whether any text in v contains %{.
func hasInterpolation(v value.Value) bool {
	switch v := v.(type) {
	case value.String:
		return strings.Contains(string(v), "%{")
	case *value.Array:
		for _, e := range v.Elems {
			if hasInterpolation(e) {
				return true
			}
		}
	case *value.Hash:
		for _, e := range v.Entries() {
			if hasInterpolation(e.Key) || hasInterpolation(e.Value) {
				return true
			}
		}
	}
	return false
}

var methodCall = regexp.MustCompile(`(?m)^([0-9A-Za-z_]+)\((?:"([^"]+)"|'([^']+)')\)$`)

func (inv *invocation) interpolateString(subject string, ref provenance.Ref, methods bool) (item, error) {
	defer inv.explain.push(&Event{Kind: Interpolating, Name: subject})()
	inv.s.budget.Spend(int64(1+len(subject)>>6), "an interpolation of Hiera")
	var out strings.Builder
	refs := []provenance.Ref{ref}
	single := provenance.Ref(0)
	var hole *value.Opaque
	rest := subject
	for {
		open := strings.Index(rest, "%{")
		if open < 0 {
			break
		}
		end := strings.IndexByte(rest[open+2:], '}')
		if end < 0 {
			break
		}
		out.WriteString(rest[:open])
		match := rest[open : open+2+end+1]
		expr := value.Strip(rest[open+2 : open+2+end])
		rest = rest[open+2+end+1:]
		if emptyInterpolation(expr) {
			continue
		}
		method, key := "scope", expr
		if m := methodOf(expr); m != nil {
			if !methods {
				return item{}, fail("H0301", "Interpolation using method syntax is not allowed in this context")
			}
			method, key = m[1], m[2]+m[3]
		}
		if method == "alias" && match != subject {
			return item{},
				fail("H0302", "'alias' interpolation is only permitted if the expression is equal to the entire string")
		}
		it, err := inv.call(method, key, subject)
		if err != nil {
			return item{}, err
		}
		if method == "alias" {
			return item{it.v, inv.s.trace.With(it.ref, ref)}, nil
		}
		name := key
		if method == "scope" {
			name = "scope:" + key
		}
		if err := inv.enter(name); err != nil {
			return item{}, err
		}
		it, err = inv.interpolate(it, methods)
		inv.leave()
		if err != nil {
			return item{}, err
		}
		if o, is := it.v.(*value.Opaque); is { // a text with a hole in it is a hole, and asks for its other parts
			hole = cmp.Or(hole, o)
			refs = append(refs, it.ref)
			continue
		}
		out.WriteString(rubyText(it.v))
		refs = append(refs, inv.s.deep(it))
		if _, is := it.v.(value.String); is && match == subject {
			single = it.ref
		}
	}
	if hole != nil {
		return item{hole, inv.s.trace.Op("interpolate", refs...)}, nil
	}
	out.WriteString(rest)
	inv.s.budget.Keep(int64(out.Len()), "an interpolation of Hiera")
	t := inv.s.trace
	if t == nil {
		return item{v: value.String(out.String())}, nil
	}
	if single != 0 { // the whole text is a copy
		return item{value.String(out.String()), t.With(single, ref)}, nil
	}
	return item{value.String(out.String()), t.Op("interpolate", refs...)}, nil
}

func methodOf(expr string) []string {
	if strings.IndexByte(expr, '(') < 0 {
		return nil
	}
	return methodCall.FindStringSubmatch(expr)
}

func emptyInterpolation(expr string) bool {
	switch expr {
	case "", "::", `""`, "''", `"::"`, "'::'":
		return true
	}
	return false
}

// call evaluates one method of an interpolation.
func (inv *invocation) call(method, key, subject string) (item, error) {
	switch method {
	case "lookup", "hiera", "alias":
		sub := inv.child(inv.scope)
		if hs, is := inv.scope.(hieraScope); is && !inv.isGlobalOnly() {
			sub.scope = hs.Scope
		}
		return sub.interpolated(key)
	case "scope":
		return inv.scopeLookup(key, subject)
	case "literal":
		return item{v: value.String(key)}, nil
	}
	return item{}, fail("H0303", "Unknown interpolation method '"+method+"'")
}

// interpolated is lookup of a key that falls back on the empty string.
func (inv *invocation) interpolated(key string) (item, error) {
	k, err := ParseKey(key)
	if err != nil {
		return item{}, err
	}
	done := inv.begin(k, k.Module)
	defer done()
	res, err := inv.lookupFunction([]string{key}, Query{Default: value.String(""), HasDefault: true,
		Override: inv.override, Defaults: inv.defaults})
	return item{res.Value, res.Ref}, err
}

// scopeLookup reads a variable, and digs into it when the key has segments.
func (inv *invocation) scopeLookup(key, subject string) (item, error) {
	segments, ok := splitKey(key)
	if !ok {
		return item{}, fail("H0201", "Syntax error in string: "+subject)
	}
	root, is := segments[0].(value.String)
	if !is {
		return item{}, fail("H0213", "Scope variable name "+value.ToString(segments[0])+" is a Integer, not a string")
	}
	it, err := inv.variable(string(root), segments[1:])
	if err != nil {
		return item{}, err
	}
	if !value.IsUndef(it.v) && len(segments) > 1 {
		if facts, is := it.v.(*value.Hash); is && root == "facts" && facts.Entry(segments[1]) != nil {
			it.ref = 0 // which other facts there are does not matter to one that is there
		}
		sub, found, err := inv.dig(key, segments[1:], it)
		if err != nil {
			return item{}, err
		}
		if it = sub; !found {
			it.v = value.Undef{}
		}
	}
	if inv.reads != nil {
		*inv.reads = append(*inv.reads, scopeRead{key: key, root: string(root), segments: segments[1:], v: it.v, ref: it.ref})
	}
	return it, nil
}

// variable looks in the overrides, the scope, and the default values, in this order. Only what lies at the end of the
// steps is used of it.
func (inv *invocation) variable(name string, steps []value.Value) (item, error) {
	defer inv.explain.push(&Event{Kind: Scoped, Name: "Global Scope"})()
	if e := entry(inv.override, name); e != nil {
		inv.explain.outcome(FoundInOverrides, name, e.Value)
		return item{e.Value, e.Ref}, nil
	}
	v, ref, known := variableAt(inv.scope, name, steps)
	if !known && (entry(inv.defaults, name) == nil || !inv.s.l.opt.Language.Eight()) {
		if err := inv.undefined(name); err != nil {
			return item{}, err
		}
	}
	if !known {
		v = value.Undef{}
	}
	if value.IsUndef(v) && !known {
		if e := entry(inv.defaults, name); e != nil {
			inv.explain.outcome(FoundInDefaults, name, e.Value)
			return item{e.Value, e.Ref}, nil
		}
		return item{value.Undef{}, ref}, nil
	}
	inv.explain.found(name, v)
	return item{value.OrUndef(v), ref}, nil
}

func entry(h *value.Hash, key string) *value.Entry {
	if h == nil {
		return nil
	}
	return h.EntryString(key)
}

// rubyText is Ruby's to_s, which gsub applies to what its block returns.
func rubyText(v value.Value) string {
	switch v := v.(type) {
	case value.Undef:
		return ""
	case value.String:
		return string(v)
	case *value.Array, *value.Hash:
		return value.Inspect(v)
	}
	return value.ToString(v)
}
