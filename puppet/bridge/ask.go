package bridge

import (
	"errors"
	"fmt"
	"strings"

	"bunraku/provenance"
	"bunraku/puppet/eval"
	"bunraku/puppet/types"
	"bunraku/puppet/value"
)

// A question is one that Ruby code asks while it runs.
type question struct {
	b     *Bridge
	f     *frame
	scope *eval.Scope
	args  []value.Value
	m     *value.Hash
	ref   provenance.Ref // of the answer; the own engine traces what its code makes of it
}

// frameOf is the call that a question belongs to: the innermost, or the one whose scope the code holds.
func (b *Bridge) frameOf(m *value.Hash) *frame {
	n := len(b.frames) - 1
	if i, is := m.At("scope").(value.Int); is && i >= 0 {
		n = int(i)
	}
	if n < 0 || n >= len(b.frames) {
		return nil
	}
	return b.frames[n]
}

// answer answers one question. What the code is told counts as looked at by every call under way.
func (b *Bridge) answer(f *frame, name string, m *value.Hash) (value.Value, error) {
	q := &question{b: b, f: f, scope: f.call.Scope, m: m}
	if i, is := m.At("scope").(value.Int); is && i < 0 {
		q.scope = f.call.Eval.Top()
	}
	ask := b.questions[name]
	if ask == nil {
		return nil, fmt.Errorf("Ruby asks for %s, which nobody knows", name)
	}
	sent, _ := m.At("arguments").(*value.Array)
	if sent == nil {
		sent = value.NewArray()
	}
	v, err := b.reader(f).value(sent)
	if err != nil {
		return nil, err
	}
	q.args = v.(*value.Array).Elems
	return ask(q)
}

// questionTable is all that Ruby code can ask.
func questionTable() map[string]func(*question) (value.Value, error) {
	return map[string]func(*question) (value.Value, error){
		"variable":         (*question).variable,
		"unknown_variable": (*question).unknownVariable,
		"variables":        (*question).variables,
		"bound":            func(q *question) (value.Value, error) { return value.Bool(q.scope.Bound(q.text(0))), nil },
		"set":              (*question).set,
		"call":             (*question).call,
		"yield":            (*question).yield,
		"old_function":     (*question).oldFunction,
		"old_call":         (*question).oldCall,
		"log":              (*question).log,
		"method":           (*question).method,
		"explain":          func(q *question) (value.Value, error) { return value.Undef{}, nil },
		"choose":           (*question).choose,

		"instance": func(q *question) (value.Value, error) {
			return typed(q, 0, func(t types.T) value.Value { return value.Bool(types.IsInstance(t, q.arg(1))) })
		},
		"assignable": (*question).assignable,
		"same":       func(q *question) (value.Value, error) { return value.Bool(value.Equal(q.arg(0), q.arg(1))), nil },
		"canonical": func(q *question) (value.Value, error) {
			return typed(q, 0, func(t types.T) value.Value { return value.String(t.String()) })
		},
		"generalize": func(q *question) (value.Value, error) {
			return typed(q, 0, func(t types.T) value.Value { return types.Generalize(t) })
		},
		"infer":     func(q *question) (value.Value, error) { return types.Infer(q.arg(0)), nil },
		"infer_set": func(q *question) (value.Value, error) { return types.InferSet(q.arg(0)), nil },
		"parse":     func(q *question) (value.Value, error) { return q.f.call.Eval.ParseType(q.text(0)) },
		"mismatch":  (*question).mismatch,
		"elements":  (*question).elements,
		"text":      func(q *question) (value.Value, error) { return value.String(value.ToString(q.arg(0))), nil },
		"to_data":   func(q *question) (value.Value, error) { return types.ToData(q.arg(0)) },

		"resource":     (*question).resource,
		"resources":    (*question).resources,
		"own_resource": (*question).ownResource,
		"defaults":     (*question).defaults,
		"source": func(q *question) (value.Value, error) {
			return value.Strings(q.scope.Source(), q.scope.Module(), q.scope.SourceKind()), nil
		},
		"parent_module": (*question).parentModule,
		"classes":       (*question).classes,
		"tags":          (*question).tags,
		"top?":          func(q *question) (value.Value, error) { return value.Bool(q.scope == q.f.call.Eval.Top()), nil },
		"scope_text":    (*question).scopeText,
		"known_class": func(q *question) (value.Value, error) {
			return value.Bool(q.f.call.Eval.KnownClass(q.text(0))),
				nil
		},
		"known_type": func(q *question) (value.Value, error) {
			return value.Bool(q.f.call.Eval.KnownType(q.text(0))),
				nil
		},
		"name_attribute": (*question).nameAttribute,
		"node":           func(q *question) (value.Value, error) { return value.String(q.f.call.Eval.Node()), nil },
		"stack":          (*question).stack,

		"find_template": func(q *question) (value.Value, error) { return q.site(Site.Template) },
		"find_file":     func(q *question) (value.Value, error) { return q.site(Site.File) },
		"module":        func(q *question) (value.Value, error) { return q.site(Site.Module) },
		"modules":       (*question).modules,
	}
}

func (q *question) arg(i int) value.Value {
	if i < len(q.args) {
		return q.args[i]
	}
	return value.Undef{}
}

func (q *question) text(i int) string { return value.ToString(q.arg(i)) }

// saw notes what an answer depends on, in the calls around too: they wait for this one.
func (q *question) saw(v value.Value, r provenance.Ref) {
	if own := q.b.own; own != nil {
		q.ref = r
		own.in.Read(r)
		return
	}
	for _, f := range q.b.frames {
		f.saw(v, r)
	}
}

// sofar is what the code has seen, and so what it hands over may come from.
func (q *question) sofar() provenance.Ref {
	if q.b.own != nil {
		return q.b.own.in.Now()
	}
	return q.f.sofar
}

// everything is for answers that depend on all that the compile has done so far.
func (q *question) everything() {
	if tr := q.f.call.Trace(); tr != nil {
		q.saw(value.Undef{}, tr.Everything())
	}
}

// parentModule is the module of the code around a scope: of the class that it inherits from or, for want of one, of
// whoever declared it first.
func (q *question) parentModule() (value.Value, error) {
	q.everything()
	if around := q.scope.Around(); around != nil {
		return value.String(around.Module()), nil
	}
	return value.Undef{}, nil
}

// ---- variables

func (q *question) variable() (value.Value, error) {
	v, r, found := q.scope.Variable(q.text(0))
	q.saw(v, r)
	if o := unknown(v); o != nil {
		return nil, &opaque{o}
	}
	return value.NewArray(v, value.Bool(found)), nil
}

// opaque is raised when code looks at a value that is not known: then neither is what the code makes of it.
type opaque struct{ value *value.Opaque }

func (o *opaque) Error() string { return o.value.Why }

func (q *question) unknownVariable() (value.Value, error) {
	name := q.text(0)
	switch name {
	case "module_name", "caller_module_name":
		return value.Undef{}, nil
	}
	switch q.f.call.Eval.Settings().Strict {
	case eval.StrictError:
		return nil, &classed{"ArgumentError", fmt.Sprintf("Undefined variable '%s'; ", name)}
	case eval.StrictWarning:
		q.f.call.Warn("E0301", fmt.Sprintf("Undefined variable '%s'; ", name))
	}
	return value.Undef{}, nil
}

// variables are all that can be seen, the outermost first; those that are not known are left out.
func (q *question) variables() (value.Value, error) {
	undefs, _ := q.arg(0).(value.Bool)
	all := bool(undefs)
	var entries []value.Entry
	q.scope.Variables(func(name string, v value.Value, r provenance.Ref) {
		if (all || !value.IsUndef(v)) && unknown(v) == nil {
			entries = append(entries, value.Entry{Key: value.String(name), Value: v})
			q.saw(v, r)
		}
	})
	b := value.NewHashBuilder(len(entries))
	for i := len(entries) - 1; i >= 0; i-- {
		b.SetEntry(entries[i])
	}
	return b.Hash(), nil
}

func (q *question) set() (value.Value, error) {
	name := q.text(0)
	switch {
	case q.scope.Bound(name):
		return nil, fmt.Errorf("Cannot reassign variable '$%s'", name)
	case name == "trusted" || name == "facts" || name == "server_facts":
		return nil, fmt.Errorf("Attempt to assign to a reserved variable name: '%s'", name)
	}
	q.scope.Set(name, q.arg(1), q.sofar())
	return q.arg(1), nil
}

// ---- functions

// call is call_function. What Ruby passes on may come from anything that it has seen.
func (q *question) call() (value.Value, error) {
	list, is := q.arg(1).(*value.Array)
	if !is {
		list = value.NewArray(q.arg(1))
	}
	return q.invoke(strings.ToLower(q.text(0)), list.Elems, q.block())
}

func (q *question) invoke(name string, args []value.Value, block *eval.Lambda) (value.Value, error) {
	c := q.f.call
	var refs []provenance.Ref
	if c.Trace() != nil {
		refs = make([]provenance.Ref, len(args))
		for i := range refs {
			refs[i] = q.sofar()
		}
	}
	v, r, known, err := c.Invoke(q.scope, name, args, refs, block)
	if !known {
		return nil, &classed{"Bunraku::NoFunction", fmt.Sprintf("Function %s(): Unknown function: '%s'", c.Name, name)}
	}
	if err != nil {
		return nil, err
	}
	q.saw(v, r)
	if o := unknown(v); o != nil {
		return nil, &opaque{o}
	}
	return v, nil
}

// block is the block that Ruby code gives to a call.
func (q *question) block() *eval.Lambda {
	number, is := q.m.At("block").(value.Int)
	if !is {
		return nil
	}
	least, _ := q.m.At("required").(value.Int)
	most, _ := q.m.At("most").(value.Int)
	return q.f.call.NewBlock(int(least), int(most), func(args []value.Value, refs []provenance.Ref) (value.Value,
		provenance.Ref, error) {
		if q.b.own != nil {
			return q.b.own.yield(number, args, refs)
		}
		for i, a := range args {
			if o := unknown(a); o != nil {
				return nil, 0, &opaque{o}
			}
			if i < len(refs) {
				q.saw(a, refs[i])
			}
		}
		v, err := q.b.do(do("yield").set("block", number).set("arguments", value.NewArray(args...)))
		if err == nil {
			v, err = q.b.reader(q.f).value(v)
		}
		return v, q.f.sofar, err
	})
}

// yield calls the block that the manifest gave to a function.
func (q *question) yield() (value.Value, error) {
	block := q.f.call.Block
	if block == nil {
		return nil, errors.New("no block given (yield)")
	}
	args, _ := q.arg(0).(*value.Array)
	if args == nil {
		args = value.NewArray()
	}
	var refs []provenance.Ref
	if q.f.call.Trace() != nil {
		refs = make([]provenance.Ref, args.Len())
		for i := range refs {
			refs[i] = q.sofar()
		}
	}
	v, err := block.Call(args.Elems, refs)
	if err != nil {
		return nil, &classed{"ArgumentError", err.Error()}
	}
	q.saw(v, block.LastRef())
	if o := unknown(v); o != nil {
		return nil, &opaque{o}
	}
	return v, nil
}

// oldFunction says where a 3.x function is that Ruby code calls as function_NAME: the path of its file, true when it is
// written in Go, undef when there is none.
func (q *question) oldFunction() (value.Value, error) {
	name := q.text(0)
	if q.b.opt.Site != nil {
		if path := q.b.opt.Site.OldFunction(name); path != "" {
			return value.String(path), nil
		}
	}
	modern := q.b.opt.Site != nil && q.b.opt.Site.Modern(name)
	if modern || q.f.call.Eval.World().Function(name) == nil {
		return value.Undef{}, nil
	}
	return value.Bool(true), nil
}

func (q *question) oldCall() (value.Value, error) {
	list, _ := q.arg(1).(*value.Array)
	if list == nil {
		list = value.NewArray()
	}
	return q.invoke(q.text(0), list.Elems, nil)
}

// choose finds the signature that a function wants for itself, or words the mismatch.
func (q *question) choose() (value.Value, error) {
	fn := q.b.loaded[q.text(0)]
	args, is := q.arg(1).(*value.Array)
	if fn == nil || !is {
		return nil, fmt.Errorf("%s has no signatures", q.text(0))
	}
	n, err := fn.choose(args.Elems, q.f.call.Block)
	if err != nil {
		return value.String(err.Error()), nil
	}
	return value.Int(n), nil
}

func (q *question) log() (value.Value, error) {
	q.f.call.Log(q.text(0), q.text(1))
	return value.Undef{}, nil
}

// method calls a method of an object that Puppet itself made: the context that functions which give data to Hiera see.
func (q *question) method() (value.Value, error) {
	o, is := q.arg(0).(*value.Object)
	name := q.text(1)
	if !is {
		return nil, fmt.Errorf("%s is no object with a method %s", q.text(0), name)
	}
	if v, has := o.Attrs.GetString(name); has {
		return v, nil
	}
	host, is := o.Host.(eval.Host)
	if name == "cached_file_text" {
		name = "cached_file_data"
	}
	if !is || host.Method(name) == nil {
		return nil, fmt.Errorf("no method %s", name)
	}
	args, _ := q.arg(2).(*value.Array)
	if args == nil {
		args = value.NewArray()
	}
	refs := make([]provenance.Ref, args.Len())
	if q.f.call.Trace() != nil {
		for i := range refs {
			refs[i] = q.sofar()
		}
	}
	v, r, err := q.f.call.InvokeFunction(q.scope, host.Method(name), args.Elems, refs)
	if err != nil {
		return nil, err
	}
	q.saw(v, r)
	return v, nil
}

// ---- types

func typed(q *question, i int, f func(types.T) value.Value) (value.Value, error) {
	t, is := q.arg(i).(types.T)
	if !is {
		return nil, fmt.Errorf("%s is not a type", q.text(i))
	}
	return f(t), nil
}

func (q *question) assignable() (value.Value, error) {
	other, is := q.arg(1).(types.T)
	if !is {
		return value.Bool(false), nil
	}
	return typed(q, 0, func(t types.T) value.Value { return value.Bool(types.Assignable(t, other)) })
}

func (q *question) mismatch() (value.Value, error) {
	actual, is := q.arg(2).(types.T)
	if !is {
		actual = types.InferSet(q.arg(2))
	}
	return typed(q, 1, func(t types.T) value.Value { return value.String(types.DescribeMismatch(q.text(0), t, actual)) })
}

func (q *question) elements() (value.Value, error) {
	it := types.IterableOn(q.arg(0))
	if it == nil {
		return value.Undef{}, nil
	}
	return it.Array(), nil
}

// ---- the catalog so far

func (q *question) describe(r *eval.Resource) value.Value {
	if r == nil {
		return value.Undef{}
	}
	params, refs := r.Parameters()
	known := value.NewHashBuilder(params.Len())
	for _, e := range params.Entries() {
		if unknown(e.Value) == nil {
			known.Set(e.Key, e.Value)
		}
	}
	for _, ref := range refs {
		q.saw(params, ref)
	}
	if own := q.b.own; own != nil {
		own.in.Deep(params, 0)
	}
	return value.NewArray(value.String(r.Type), value.String(r.Title), known.Hash())
}

func (q *question) resource() (value.Value, error) {
	ev := q.f.call.Eval
	q.saw(value.Undef{}, ev.MayExist(q.text(0), q.text(1)))
	q.everything()
	return q.describe(ev.Find(q.text(0), q.text(1))), nil
}

func (q *question) resources() (value.Value, error) {
	q.everything()
	var all []value.Value
	for _, r := range q.f.call.Eval.Resources() {
		all = append(all, q.describe(r))
	}
	return value.NewArray(all...), nil
}

// nameAttribute is the attribute whose value a resource's title is by default.
func (q *question) nameAttribute() (value.Value, error) {
	if t := q.f.call.Eval.World().ResourceType(strings.ToLower(q.text(0))); t != nil && len(t.Namevars) == 1 {
		return value.String(t.Namevars[0]), nil
	}
	return value.String("name"), nil
}

func (q *question) ownResource() (value.Value, error) { return q.describe(q.scope.Resource()), nil }

func (q *question) defaults() (value.Value, error) {
	h := q.scope.Defaults(value.CapitalizeSegments(q.text(0)))
	q.everything()
	return h, nil
}

func (q *question) classes() (value.Value, error) {
	q.everything()
	return value.Strings(q.f.call.Eval.Classes()...), nil
}

// tags are the names of the catalog's classes with their parts.
func (q *question) tags() (value.Value, error) {
	q.everything()
	seen := map[string]bool{}
	var out []string
	add := func(s string) {
		if s != "" && !seen[s] {
			seen[s] = true
			out = append(out, s)
		}
	}
	for _, c := range q.f.call.Eval.Classes() {
		add(c)
		if strings.Contains(c, "::") {
			for _, p := range strings.Split(c, "::") {
				add(p)
			}
		}
	}
	return value.Strings(out...), nil
}

func (q *question) scopeText() (value.Value, error) {
	if r := q.scope.Resource(); r != nil {
		return value.String("Scope(" + r.Ref() + ")"), nil
	}
	return value.String("Scope()"), nil
}

func (q *question) stack() (value.Value, error) {
	var out []value.Value
	for _, p := range q.f.call.Places() {
		if p.Known() {
			out = append(out, value.NewArray(value.String(q.f.call.Eval.World().Path(p.File)), value.Int(p.Line())))
		}
	}
	return value.NewArray(out...), nil
}

// ---- files

func (q *question) site(find func(Site, string) string) (value.Value, error) {
	if q.b.opt.Site == nil {
		return value.Undef{}, nil
	}
	if path := find(q.b.opt.Site, q.text(0)); path != "" {
		return value.String(path), nil
	}
	return value.Undef{}, nil
}

func (q *question) modules() (value.Value, error) {
	var out []value.Value
	if q.b.opt.Site != nil {
		for _, m := range q.b.opt.Site.Modules() {
			out = append(out, value.Strings(m[0], m[1]))
		}
	}
	return value.NewArray(out...), nil
}
