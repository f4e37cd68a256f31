package types

import (
	"errors"
	"strings"

	"bunraku/puppet/value"
)

// DescribeMismatch says why actual does not fit expected, in Puppet's words; name leads the message.
func DescribeMismatch(name string, expected, actual T) string {
	return (*Judge)(nil).DescribeMismatch(name, expected, actual)
}

// DescribeMismatch is the same within the judge's budget.
func (j *Judge) DescribeMismatch(name string, expected, actual T) string {
	ms := (&describer{judge: j}).describe(expected, actual, path{{kind: atSubject, key: name}})
	if len(ms) == 1 {
		return strings.TrimSpace(ms[0].String())
	}
	return joinMismatches(ms)
}

func joinMismatches(ms []*mismatch) string {
	s := make([]string, len(ms))
	for i, m := range ms {
		s[i] = m.String()
	}
	return strings.Join(s, "\n ")
}

// AssertInstance is an error unless v is of type t: "SUBJECT has wrong type, expects …".
func AssertInstance(subject string, t T, v value.Value) error {
	return (*Judge)(nil).AssertInstance(subject, t, v)
}

// AssertInstance is the same within the judge's budget.
func (j *Judge) AssertInstance(subject string, t T, v value.Value) error {
	if j.IsInstance(t, v) {
		return nil
	}
	return errors.New(j.DescribeMismatch(subject+" has wrong type,", t, InferSet(v)))
}

// ValidateParameters checks the arguments given to a class, define or other thing with named parameters. subject is
// "Class[Nginx]" or the like. deferredReturn tells the return type of a Deferred's function, nil for unknown; it may be
// nil.
func (j *Judge) ValidateParameters(subject string, params *Struct, given *value.Hash, missingOK bool,
	deferredReturn func(*value.Deferred) T) error {
	d := &describer{judge: j}
	var ms []*mismatch
	for _, e := range given.Entries() {
		if name := value.ToString(e.Key); params.find(name) == nil {
			ms = append(ms, &mismatch{kind: unknownParameter, key: name})
		}
	}
	for i := range params.Elems {
		e := &params.Elems[i]
		name := e.Name()
		v, has := given.GetString(name)
		at := path{{kind: atParameter, key: name}}
		if !has {
			if !missingOK && !isA[*Optional](e.Key) {
				ms = append(ms, &mismatch{kind: missingParameter, key: name})
			}
			continue
		}
		if later, is := v.(*value.Deferred); is {
			if deferredReturn == nil {
				continue
			}
			if r := deferredReturn(later); r != nil && !j.Assignable(Generalize(e.Val), Generalize(r)) {
				ms = append(ms, d.describe(e.Val, r, at)...)
			}
			continue
		}
		if !j.IsInstance(e.Val, v) {
			ms = append(ms, d.describe(e.Val, InferSet(v), at)...)
		}
	}
	return mismatchError(subject, ms)
}

// ValidateDefault checks the default value of a parameter.
func ValidateDefault(subject, param string, t T, v value.Value) error {
	if IsInstance(t, v) {
		return nil
	}
	return mismatchError(subject, (&describer{}).describe(t, Generalize(InferSet(v)),
		path{{kind: atParameter, key: param}}))
}

func mismatchError(subject string, ms []*mismatch) error {
	switch len(ms) {
	case 0:
		return nil
	case 1:
		return errors.New(subject + ":" + ms[0].String())
	}
	return errors.New(subject + ":\n " + joinMismatches(ms))
}

// A describer puts one mismatch into words. What aliases stand for may be huge, so every step is counted.
type describer struct {
	judge *Judge
	open  map[[2]T]bool // what is being described
}

func (d *describer) spend(n int) {
	if d.judge != nil {
		d.judge.guard.memo.budget.Spend(int64(n), comparing)
	}
}

// describe lists what is wrong with actual.
func (d *describer) describe(expected, actual T, at path) []*mismatch {
	d.spend(1 + len(at))
	question := [2]T{expected, actual}
	if d.open[question] { // an alias has led back to itself: here Puppet runs out of stack
		return []*mismatch{typeMismatch(at, expected, actual)}
	}
	if d.open == nil {
		d.open = map[[2]T]bool{}
	}
	d.open[question] = true
	defer delete(d.open, question)
	unresolved := ""
	accept(expected, &guard{}, func(t T) {
		d.spend(1)
		if r, is := t.(*TypeReference); is && unresolved == "" {
			unresolved = r.Text
		}
	})
	if unresolved != "" {
		return []*mismatch{{kind: unresolvedType, path: at, key: unresolved}}
	}
	return d.describeAs(Normalize(expected), expected, actual, at)
}

// describeAs is describe of a normalized type; original is what messages name.
func (d *describer) describeAs(expected, original, actual T, at path) []*mismatch {
	switch e := expected.(type) {
	case *Variant:
		return d.describeVariant(e, original, actual, at)
	case *Struct:
		return d.describeStruct(e, original, actual, at)
	case *Hash:
		return d.describeHash(e, original, actual, at)
	case *Tuple:
		return d.describeTuple(e, original, actual, at, wrongSize)
	case *Array:
		return d.describeArray(e, original, actual, at)
	case *Callable:
		return d.describeCallable(e, original, actual, at)
	case *Optional:
		if isA[*Undef](actual) || e.T == nil {
			return nil
		}
		if isA[*Alias](original) {
			return d.describeAs(e.T, original, actual, at)
		}
		return d.describeAs(e.T, expected, actual, at)
	case *Pattern, *Enum:
		m := typeMismatch(at, original, actual)
		m.kind = wrongPattern
		return []*mismatch{m}
	case *Alias:
		return d.describeAs(Normalize(e.To), expected, actual, at)
	}
	if d.judge.Assignable(expected, actual) {
		return nil
	}
	return []*mismatch{typeMismatch(at, original, actual)}
}

func (d *describer) describeVariant(e *Variant, original, actual T, at path) []*mismatch {
	ts := e.Types
	if isA[*Optional](original) {
		ts = append([]T{UndefT}, ts...)
	}
	var all [][]*mismatch
	for i, t := range ts {
		ms := d.describe(t, actual, at.plus(pathElem{kind: atVariant, n: i}))
		if len(ms) == 0 {
			return nil
		}
		all = append(all, ms)
	}
	ms := mergeDescriptions(len(at), wrongSize, all)
	if isA[*Alias](original) && len(ms) == 1 {
		return []*mismatch{typeMismatch(at, original, actual)}
	}
	return ms
}

// mergeDescriptions makes one mismatch of all when every alternative fails at the same place in the same way.
func mergeDescriptions(varying int, size mismatchKind, all [][]*mismatch) []*mismatch {
	var ms []*mismatch
	for _, d := range all {
		ms = append(ms, d...)
	}
	for _, k := range [...]mismatchKind{size, missingBlock, unexpectedBlock, wrongType} {
		var of []*mismatch
		for _, m := range ms {
			if m.is(k) {
				of = append(of, m)
			}
		}
		if len(of) != len(all) || len(of) == 0 {
			continue
		}
		one := of[0]
		for _, m := range of[1:] {
			if !one.path.canonical().equal(m.path.canonical()) {
				one = nil
				break
			}
			one = one.merge(m)
		}
		if one != nil {
			ms = []*mismatch{one}
			break
		}
	}
	ms = uniqBlocks(ms)
	if len(ms) == 1 {
		return []*mismatch{ms[0].chop(varying)}
	}
	return ms
}

// uniqBlocks drops repeated complaints about blocks, the only ones that Puppet recognizes as equal.
func uniqBlocks(ms []*mismatch) []*mismatch {
	var out []*mismatch
	for _, m := range ms {
		dup := false
		if m.kind == missingBlock || m.kind == unexpectedBlock {
			for _, o := range out {
				dup = dup || o.kind == m.kind && o.path.canonical().equal(m.path.canonical())
			}
		}
		if !dup {
			out = append(out, m)
		}
	}
	return out
}

func (d *describer) describeArray(e *Array, original, actual T, at path) []*mismatch {
	var ms []*mismatch
	switch a := actual.(type) {
	case *Tuple:
		size := a.Size
		if size == nil {
			size = Range(int64(len(a.Types)), int64(len(a.Types)))
		}
		if !orAnySize(e.Size).covers(size) {
			return []*mismatch{sizeMismatch(wrongSize, at, orAnySize(e.Size), size)}
		}
		for i, t := range a.Types {
			if !d.judge.Assignable(e.Elem, t) {
				ms = append(ms, d.describe(e.Elem, t, at.plus(pathElem{kind: atIndex, n: i}))...)
			}
		}
		return ms
	case *Array:
		if e.Size != nil && !e.Size.covers(orAnySize(a.Size)) {
			return []*mismatch{sizeMismatch(wrongSize, at, e.Size, orAnySize(a.Size))}
		}
		return []*mismatch{typeMismatch(at, original, NewArray(a.Elem, nil))}
	}
	return []*mismatch{typeMismatch(at, original, actual)}
}

// requiredKeys counts the keys that must be there.
func (s *Struct) requiredKeys() int64 {
	n := int64(0)
	for i := range s.Elems {
		if !s.Elems[i].optional() {
			n++
		}
	}
	return n
}

func (d *describer) describeHash(e *Hash, original, actual T, at path) []*mismatch {
	var ms []*mismatch
	switch a := actual.(type) {
	case *Struct:
		size := Range(a.requiredKeys(), int64(len(a.Elems)))
		if !orAnySize(e.Size).covers(size) {
			return []*mismatch{sizeMismatch(wrongSize, at, orAnySize(e.Size), size)}
		}
		for i := range a.Elems {
			x := &a.Elems[i]
			if !d.judge.Assignable(e.Key, x.Key) {
				ms = append(ms, d.describe(e.Key, x.Key, at.plus(pathElem{kind: atEntryKey, key: x.Name()}))...)
			}
			if !d.judge.Assignable(e.Val, x.Val) {
				ms = append(ms, d.describe(e.Val, x.Val, at.plus(pathElem{kind: atEntry, key: x.Name()}))...)
			}
		}
		return ms
	case *Hash:
		if e.Size != nil && !e.Size.covers(orAnySize(a.Size)) {
			return []*mismatch{sizeMismatch(wrongSize, at, e.Size, orAnySize(a.Size))}
		}
		return []*mismatch{typeMismatch(at, original, NewHash(a.Key, a.Val, nil))}
	}
	return []*mismatch{typeMismatch(at, original, actual)}
}

func (d *describer) describeStruct(e *Struct, original, actual T, at path) []*mismatch {
	var ms []*mismatch
	switch a := actual.(type) {
	case *Struct:
		for i := range e.Elems {
			x := &e.Elems[i]
			name := x.Name()
			o := a.find(name)
			if o == nil {
				if !x.optional() {
					ms = append(ms, &mismatch{kind: missingKey, path: at, key: name})
				}
				continue
			}
			if !d.judge.Assignable(x.Key, o.Key) {
				ms = append(ms, d.describe(x.Key, o.Key, at.plus(pathElem{kind: atEntryKey, key: name}))...)
			}
			if !d.judge.Assignable(x.Val, o.Val) {
				ms = append(ms, d.describe(x.Val, o.Val, at.plus(pathElem{kind: atEntry, key: name}))...)
			}
		}
		for i := range a.Elems {
			if name := a.Elems[i].Name(); e.find(name) == nil {
				ms = append(ms, &mismatch{kind: unknownKey, path: at, key: name})
			}
		}
		return ms
	case *Hash:
		size := Range(e.requiredKeys(), int64(len(e.Elems)))
		if !size.covers(orAnySize(a.Size)) {
			return []*mismatch{sizeMismatch(wrongSize, at, size, orAnySize(a.Size))}
		}
		return []*mismatch{typeMismatch(at, original, NewHash(a.Key, a.Val, nil))}
	}
	return []*mismatch{typeMismatch(at, original, actual)}
}

func (d *describer) describeTuple(e *Tuple, original, actual T, at path, size mismatchKind) []*mismatch {
	if e.EqualType(actual) || len(e.Types) == 0 && isA[*Array](actual) {
		return nil
	}
	want := e.sizeRange()
	var ms []*mismatch
	switch a := actual.(type) {
	case *Tuple:
		if !want.covers(a.sizeRange()) {
			return []*mismatch{sizeMismatch(size, at, want, a.sizeRange())}
		}
		if len(e.Types) == 0 {
			return nil
		}
		for i, t := range a.Types {
			n := min(i, len(e.Types)-1)
			ms = append(ms, d.describe(e.Types[n], t, at.plus(pathElem{kind: atIndex, n: n}))...)
		}
		return ms
	case *Array:
		if !want.covers(orAnySize(a.Size)) {
			return []*mismatch{sizeMismatch(size, at, want, orAnySize(a.Size))}
		}
		for i, t := range e.Types {
			ms = append(ms, d.describe(t, a.Elem, at.plus(pathElem{kind: atIndex, n: i}))...)
		}
		return ms
	}
	return []*mismatch{typeMismatch(at, original, actual)}
}

func (d *describer) describeCallable(e *Callable, original, actual T, at path) []*mismatch {
	a, is := actual.(*Callable)
	if !is {
		return []*mismatch{typeMismatch(at, original, actual)}
	}
	if e.Params == nil && e.Return == nil {
		return nil
	}
	if e.Params != nil && a.Params != nil {
		if ms := d.describeTuple(e.Params, e.Params, a.Params, at, wrongCount); len(ms) > 0 {
			return ms
		}
	}
	if ret, got := orAny(e.Return), orAny(a.Return); !d.judge.Assignable(ret, got) {
		return []*mismatch{typeMismatch(at.plus(pathElem{kind: atReturn, key: "return"}), ret, got)}
	}
	if want, got := orUndef(e.Block), orUndef(a.Block); !d.judge.Assignable(got, want) {
		return []*mismatch{typeMismatch(at.plus(pathElem{kind: atBlock, key: "block"}), want, got)}
	}
	return nil
}
