package eval

import (
	"errors"
	"slices"

	"bunraku/provenance"
	"bunraku/puppet/syntax"
	"bunraku/puppet/types"
	"bunraku/puppet/value"
	"bunraku/source"
)

// access is `left[keys]`: indexing, slicing, specialising a type, naming a resource, reading a resource's attribute.
func (ev *Evaluator) access(e *syntax.Access, sc *Scope) (value.Value, provenance.Ref) {
	left, lr, path, under := ev.left(e, sc)
	if path != "" {
		return ev.accessFact(e, left, lr, path, under, sc)
	}
	if len(e.Keys) == 1 && ev.trace == nil {
		if v, key := ev.accessOne(left, e.Keys[0], sc); v != nil {
			return v, 0
		} else if key != nil {
			return ev.accessAll(e, left, 0, []value.Value{key}, nil, sc)
		}
	}
	if t, ok := left.(*types.Resource); ok && len(e.Keys) == 1 {
		key, kr := ev.eval(e.Keys[0], sc)
		if r := specialised(t, key); r != nil {
			return r, ev.trace.Join(kr, lr)
		}
		return ev.accessAll(e, left, lr, []value.Value{key}, []provenance.Ref{ev.deep(key, kr)}, sc)
	}
	keys := make([]value.Value, 0, len(e.Keys))
	var refs []provenance.Ref
	if ev.trace != nil {
		refs = ev.roomFor(len(e.Keys))
	}
	for _, k := range e.Keys {
		v, r := ev.eval(k, sc)
		keys = append(keys, v)
		if ev.trace != nil {
			refs = append(refs, ev.deep(v, r))
		}
	}
	return ev.accessAll(e, left, lr, keys, refs, sc)
}

// accessOne is the plain cases of one key; without a result it gives the key that it evaluated.
func (ev *Evaluator) accessOne(left value.Value, x syntax.Expr, sc *Scope) (result, key value.Value) {
	key, _ = ev.eval(x, sc)
	left, _ = ev.latest(left, 0)
	switch left := left.(type) {
	case *value.Hash:
		if k, ok := key.(value.String); ok {
			if e := left.EntryString(string(k)); e != nil {
				return e.Value, key
			}
			return value.Undef{}, key
		}
	case *value.Array:
		if k, ok := key.(value.Int); ok && k >= 0 && int(k) < len(left.Elems) {
			return left.Elems[k], key
		}
	case *types.Resource:
		if r := specialised(left, key); r != nil {
			return r, key
		}
	}
	return nil, key
}

// specialised is the plain case of naming a resource; nil for the others.
func specialised(t *types.Resource, key value.Value) value.Value {
	if k, ok := key.(value.String); ok && t.Type != "" && !t.HasTitle && k != "" && types.IsTypeName(t.Type) {
		return types.NewResource(t.Type, string(k), true)
	}
	return nil
}

func (ev *Evaluator) accessAll(e *syntax.Access, left value.Value, lr provenance.Ref, keys []value.Value,
	refs []provenance.Ref, sc *Scope) (value.Value, provenance.Ref) {
	left, lr = ev.latest(left, lr)
	o := opaque(keys...)
	if o == nil {
		if o = opaque(left); o != nil && len(keys) == 1 {
			if h, is := o.Has.(*value.Hash); is {
				if x := h.Entry(keys[0]); x != nil {
					return x.Value, ev.op("[]", append(refs, lr)...)
				}
			}
		}
	}
	if o != nil {
		return o, ev.op("[]", append(refs, lr)...)
	}
	switch left := left.(type) {
	case *value.Array:
		return ev.indexArray(e, left, lr, keys, refs, sc)
	case *value.Hash:
		return ev.indexHash(e, left, lr, keys, refs)
	case value.String:
		part := value.String(ev.substring(e, string(left), keys))
		if ev.isBytes(left) {
			part = ev.Bytes(string(part))
		}
		return part, ev.op("[]", append(refs, lr)...)
	case value.Binary:
		return value.Binary(ev.substring(e, string(left), keys)), ev.op("[]", append(refs, lr)...)
	case *types.Resource:
		if left.Type == "" && len(keys) == 1 {
			if r, ok := keys[0].(*types.Resource); ok {
				if r.Declared {
					ev.failf("E0241", e.Keys[0].Span(),
						"Evaluation Error: First argument to Resource[] must be a resource type or a String. Got %s.", types.Infer(r))
				}
				return r, refs1(refs)
			}
		}
		return ev.accessEntry(e, left, lr, keys, refs)
	case *types.Class:
		return ev.accessEntry(e, left, lr, keys, refs)
	case *value.Object:
		return ev.accessObject(e, left, lr, keys, refs)
	case value.Type:
		t, err := types.Access(left, keys)
		if err != nil {
			ev.accessError(e, err)
		}
		return t, ev.trace.Join(append(refs, lr)...)
	}
	ev.failValue(&source.Diagnostic{Code: "E0240", Place: ev.place(e.Left.Span()), About: missingFact(e.Left),
		Summary: "Evaluation Error: Operator '[]' is not applicable to " + article(types.Label(left)) + "."}, left, lr)
	return nil, 0
}

func refs1(refs []provenance.Ref) provenance.Ref {
	if len(refs) == 0 {
		return 0
	}
	return refs[0]
}

// accessError reports what types.Access refused; it says which key was to blame.
func (ev *Evaluator) accessError(e *syntax.Access, err error) {
	var arg *types.ArgError
	if !errors.As(err, &arg) {
		ev.runtime(e, err.Error())
	}
	at := e.Span()
	if arg.Index >= 0 && arg.Index < len(e.Keys) {
		at = e.Keys[arg.Index].Span()
	}
	ev.fail("E0241", at, "Evaluation Error: "+err.Error())
}

func flatKeys(keys []value.Value) []value.Value {
	if !slices.ContainsFunc(keys, nested) {
		return keys
	}
	return value.Flatten(value.NewArray(keys...)).Elems
}

func nested(v value.Value) bool {
	_, ok := v.(*value.Array)
	return ok
}

func (ev *Evaluator) keySpan(e *syntax.Access, i int) source.Span {
	if i < len(e.Keys) {
		return e.Keys[i].Span()
	}
	return e.Where
}

func (ev *Evaluator) indexArray(e *syntax.Access, a *value.Array, lr provenance.Ref, keys []value.Value,
	refs []provenance.Ref, sc *Scope) (value.Value, provenance.Ref) {
	keys = flatKeys(keys)
	index := func(i int) int64 {
		at := ev.keySpan(e, i)
		v := keys[i]
		if s, ok := v.(value.String); ok {
			if n, ok := value.ToNumber(string(s)); ok {
				ev.strictly("E0223", at, "The string '"+string(s)+"' was automatically coerced to the numerical value "+
					value.ToString(n))
				v = n
			}
		}
		n, ok := v.(value.Int)
		if !ok {
			if f, isFloat := v.(value.Float); isFloat {
				ev.failf("E0242", at, "Evaluation Error: An Array[] cannot use %s where Integer is expected",
					types.Generalize(types.Infer(f)))
			}
			ev.failf("E0242", at, "Evaluation Error: The value '%s' cannot be converted to Numeric.", value.ToString(v))
		}
		return int64(n)
	}
	n := int64(len(a.Elems))
	join := func() provenance.Ref { return ev.trace.Join(append(refs, lr)...) }
	switch len(keys) {
	case 1:
		i := index(0)
		if i < 0 {
			i += n
		}
		if i < 0 || i >= n {
			return value.Undef{}, join()
		}
		if ev.trace == nil {
			return a.Elems[i], 0
		}
		if a.Ref(int(i)) == 0 && lr != 0 { // a function made all of it at once
			return a.Elems[i], ev.trace.Op("[]", append(refs, lr)...)
		}
		return a.Elems[i], ev.trace.With(a.Ref(int(i)), append(refs, lr)...)
	case 2:
		from, count := index(0), index(1)
		if from < 0 {
			from += n
		}
		if count < 0 {
			count = n - from + count + 1
		}
		if from < 0 {
			count += from
			from = 0
		}
		if from > n || count < 0 {
			return &value.Array{}, join()
		}
		return a.Slice(int(from), int(min(from+count, n))), join()
	}
	ev.failf("E0243", e.Left.Span(), "Evaluation Error: Array supports [] with one or two arguments. Got %d", len(keys))
	return nil, 0
}

func (ev *Evaluator) indexHash(e *syntax.Access, h *value.Hash, lr provenance.Ref, keys []value.Value,
	refs []provenance.Ref) (value.Value, provenance.Ref) {
	switch len(keys) {
	case 0:
		ev.failf("E0243", e.Left.Span(), "Evaluation Error: Hash supports [] with one or more arguments. Got 0")
	case 1:
		entry := h.Entry(keys[0])
		if ev.trace == nil {
			if entry == nil {
				return value.Undef{}, 0
			}
			return entry.Value, 0
		}
		if entry == nil {
			return value.Undef{}, ev.trace.Join(ev.Missed(h, lr, keys[0], refs)...)
		}
		if h == ev.facts { // one fact does not depend on which others there are
			return entry.Value, ev.trace.With(entry.Ref, refs...)
		}
		if entry.Ref == 0 && entry.KeyRef == 0 && lr != 0 {
			return entry.Value, ev.trace.Op("[]", append(refs, lr)...)
		}
		return entry.Value, ev.Found(h, entry, append(refs, lr)...)
	}
	b := value.NewArrayBuilder(len(keys))
	for _, k := range keys {
		if entry := h.Entry(k); entry != nil && !value.IsUndef(entry.Value) {
			b.AddRef(entry.Value, entry.Ref)
		}
	}
	return b.Array(), ev.trace.Join(ev.deep(h, lr), ev.trace.Join(refs...))
}

// substring indexes by characters; a position outside is the empty string.
func (ev *Evaluator) substring(e *syntax.Access, s string, keys []value.Value) string {
	keys = flatKeys(keys)
	if len(keys) != 1 && len(keys) != 2 {
		ev.failf("E0243", e.Left.Span(), "Evaluation Error: String supports [] with one or two arguments. Got %d", len(keys))
	}
	index := func(i int) int64 {
		v := keys[i]
		if t, ok := v.(value.String); ok {
			if n, ok := value.ToNumber(string(t)); ok {
				v = n
			}
		}
		n, ok := v.(value.Int)
		if !ok {
			name := "Undef"
			switch v.(type) {
			case value.Undef:
			case value.Default:
				name = "Default"
			default:
				name = types.Generalize(types.Infer(v)).String()
			}
			ev.failf("E0242", ev.keySpan(e, i),
				"Evaluation Error: A substring operation does not accept %s as a character index. Expected an Integer",
				article(name))
		}
		return int64(n)
	}
	runes := []rune(s)
	n := int64(len(runes))
	from, count := index(0), int64(1)
	if from < 0 {
		from += n
	}
	if len(keys) == 2 {
		count = index(1)
		if count < 0 {
			count = n - from + count + 1
		}
		if from < 0 {
			count += from
			from = 0
		}
	}
	if from < 0 || from >= n || count <= 0 {
		return ""
	}
	part := string(runes[from:min(from+count, n)])
	if ev.Secret(s) {
		ev.Made(part)
	}
	return part
}

// accessResource is File['a'], File['a', 'b'], Resource['file', 'a'], and File['a']['mode']; the same for classes.
func (ev *Evaluator) accessEntry(e *syntax.Access, t value.Type, lr provenance.Ref, keys []value.Value,
	refs []provenance.Ref) (value.Value, provenance.Ref) {
	switch t := t.(type) {
	case *types.Resource:
		if t.HasTitle {
			return ev.attributes(e, t.Type, t.Title, lr, keys, refs)
		}
	case *types.Class:
		if t.Of != "" {
			return ev.attributes(e, "Class", t.Of, lr, keys, refs)
		}
	}
	v, err := types.Access(t, keys)
	if err != nil {
		ev.accessError(e, err)
	}
	ref := ev.trace.Join(append(refs, lr)...)
	if a, ok := v.(*value.Array); ok && ev.trace != nil {
		a.Refs = make([]provenance.Ref, len(a.Elems))
		for i := range a.Refs {
			a.Refs[i] = ref
		}
	}
	return v, ref
}

// attributes reads attributes of a resource that is in the catalog already, as they are now (rule 6).
func (ev *Evaluator) attributes(e *syntax.Access, typ, title string, lr provenance.Ref, keys []value.Value,
	refs []provenance.Ref) (value.Value, provenance.Ref) {
	res := ev.find(typ, title)
	if res == nil {
		shown := title
		if typ == "Class" {
			shown = canonical(title)
		}
		ev.failf("E0246", e.Where, "Evaluation Error: Resource not found: %s['%s']", capitalized(typ), shown)
	}
	flat := flatKeys(keys)
	var out []value.Value
	var outRefs []provenance.Ref
	for i, k := range flat {
		name, ok := k.(value.String)
		if !ok || !ev.validParameter(res, string(name)) {
			ev.failf("E0247", ev.keySpan(e, i), "Evaluation Error: The resource %s['%s'] does not have a parameter called '%s'",
				capitalized(typ), title, value.ToString(k))
		}
		v, r := ev.attributeNow(res, string(name))
		out = append(out, v)
		outRefs = append(outRefs, ev.trace.With(r, append(append([]provenance.Ref{lr, res.existence,
			ev.overriding(res, res.param(string(name))), ev.moment()}, refs...), ev.mayTouch(res, string(name)))...))
	}
	if len(out) == 1 {
		return out[0], outRefs[0]
	}
	a := value.NewArray(out...)
	if ev.trace != nil {
		a.Refs = outRefs
	}
	return a, lr
}

// attributeNow is an attribute's present value, or the default that is in force for it.
func (ev *Evaluator) attributeNow(res *Resource, name string) (value.Value, provenance.Ref) {
	if name == "title" {
		return value.String(res.Title), res.titleRef
	}
	var unset provenance.Ref // set, but to undef
	if p := res.param(name); p != nil {
		if !value.IsUndef(p.value) {
			return ev.latest(p.value, p.ref)
		}
		unset = ev.trace.Join(p.ref)
	}
	if res.scope != nil {
		if d := res.scope.defaultFor(res.Type, name); d != nil {
			return ev.latest(d.value, ev.trace.With(d.ref, unset))
		}
	}
	return value.Undef{}, unset
}

// accessObject reads an attribute of a Pcore object by its name.
func (ev *Evaluator) accessObject(e *syntax.Access, o *value.Object, lr provenance.Ref, keys []value.Value,
	refs []provenance.Ref) (value.Value, provenance.Ref) {
	if len(keys) == 1 {
		if entry := o.Attrs.Entry(keys[0]); entry != nil {
			return entry.Value, ev.trace.With(entry.Ref, append(refs, lr)...)
		}
	}
	ev.failf("E0240", e.Left.Span(), "Evaluation Error: Operator '[]' is not applicable to %s.", article(types.Label(o)))
	return nil, 0
}
