package stdlib

import (
	"errors"
	"fmt"
	"strings"

	"bunraku/provenance"
	"bunraku/puppet/eval"
	"bunraku/puppet/functions"
	"bunraku/puppet/outline"
	"bunraku/puppet/types"
	"bunraku/puppet/value"
)

// A run is what a function does with the arguments of a call.
type run func(*eval.Call) (value.Value, error)

// An old is a 3.x function: it counts and checks its arguments itself. Its run may be called by other functions with
// arguments that were not turned into what Puppet 3 had (of).
type old struct {
	name, doc string
	flow      eval.Flow
	arity     int // as functions.Legacy has it; -1 for any
	run       run
}

// statement marks an old function whose value is thrown away.
const statement = eval.Effect

// does is what functions do to the catalog, by name.
var does = map[string]outline.Effect{
	"ensure_resource":              outline.Makes,
	"ensure_resources":             outline.Makes,
	"ensure_packages":              outline.Packages,
	"stdlib::ensure_packages":      outline.Packages,
	"create_ini_settings":          outline.DeclaresAny,
	"inifile::create_ini_settings": outline.DeclaresAny,
}

// seeks are the functions that look for what their arguments name, by name.
var seeks = map[string]bool{"get_module_path": true, "load_module_metadata": true, "loadjson": true, "loadyaml": true,
	"glob": true, "getvar": true}

// record makes the function as Puppet code calls it.
func (o old) record() *eval.Function {
	return functions.Legacy(o.name, o.doc, o.flow, o.arity, func(c *eval.Call) (value.Value, error) {
		v, err := o.run(c)
		if err != nil || o.flow == statement {
			return value.Undef{}, err
		}
		return functions.Restore(value.OrUndef(v)), nil
	})
}

// new4 makes a 4.x function of one signature.
func new4(name, doc string, flow eval.Flow, signature string, names []string, f run) *eval.Function {
	return &eval.Function{Name: name, Doc: doc, Flow: flow,
		Dispatches: []eval.Dispatch{{Signature: signature, Names: names, Run: f}}}
}

// of is the call of another function on behalf of c.
func of(c *eval.Call, name string, args ...value.Value) *eval.Call {
	c.Copies() // are those of both
	d := *c
	d.Name, d.Args, d.Block, d.Ref = name, args, nil, 0
	return &d
}

// A parseError is Puppet::ParseError. Some functions rescue it and let Ruby's own errors pass.
type parseError string

func (e parseError) Error() string { return string(e) }

func parseErrorf(format string, args ...any) error { return parseError(fmt.Sprintf(format, args...)) }

// An argumentError is Ruby's ArgumentError.
type argumentError string

func (e argumentError) Error() string { return string(e) }

// given is the usual complaint about the number of arguments.
func given(c *eval.Call, want string) error {
	return parseErrorf("%s(): Wrong number of arguments given (%d for %s)", c.Name, len(c.Args), want)
}

func class(v value.Value) string {
	if _, is := v.(*value.Deferred); is {
		return "#<Class>" // Puppet makes its class on the way, without a name
	}
	return functions.RubyClass(v)
}

// className is the name of a value's class, which the class that Puppet makes on the way has not.
func className(v value.Value) string {
	if _, is := v.(*value.Deferred); is {
		return ""
	}
	return functions.RubyClass(v)
}

func text(v value.Value) string { return functions.RubyString(v) }

func inspect(v value.Value) string {
	switch v.(type) {
	case *value.Deferred, value.Timespan, value.Timestamp, value.Binary:
		return "#<" + strings.Trim(class(v), "#<>") + ">"
	}
	return functions.RubyInspect(v)
}

func noMethod(method string, v value.Value) error {
	if _, is := v.(*value.Deferred); is {
		return fmt.Errorf("undefined method `%s' for #<Class>", method)
	}
	return functions.NoMethod(method, v)
}

func noConversion(v value.Value, into string) error {
	if _, is := v.(*value.Deferred); is {
		return fmt.Errorf("no implicit conversion of #<Class> into %s", into)
	}
	return functions.NoConversion(v, into)
}

// truthy is Ruby's truth of argument i, false when it was not given.
func truthy(c *eval.Call, i int) bool { return i < len(c.Args) && value.Truthy(c.Args[i]) }

// bool1 and its kin make values of plain answers.
func bool1(b bool, err error) (value.Value, error) {
	if err != nil {
		return nil, err
	}
	return value.Bool(b), nil
}

func string1(s string, err error) (value.Value, error) {
	if err != nil {
		return nil, err
	}
	return value.String(s), nil
}

// eql is Ruby's eql?. References have none of their own: each is itself only.
func eql(a, b value.Value) bool {
	_, x := functions.Reference(a)
	_, y := functions.Reference(b)
	if x || y {
		return a == b
	}
	return value.Same(a, b)
}

func contains(list []value.Value, v value.Value, same func(a, b value.Value) bool) bool {
	for _, e := range list {
		if same(e, v) {
			return true
		}
	}
	return false
}

// listed is Ruby's Array(v).
func listed(v value.Value) *value.Array {
	switch v := v.(type) {
	case nil, value.Undef:
		return value.EmptyArray
	case *value.Array:
		return v
	case *value.Hash:
		return v.Pairs()
	}
	return value.NewArray(v)
}

// spine joins the provenance of the arguments themselves, without what is in them.
func spine(c *eval.Call) provenance.Ref { return c.Trace().Join(c.Refs...) }

// whole is the provenance of a value with everything in it.
func whole(c *eval.Call, v value.Value, r provenance.Ref) provenance.Ref {
	if in, is := v.(provenance.Contents); is {
		return c.Trace().Deep(r, in)
	}
	return r
}

// variable reads a variable that the scope sees; undef when there is none.
func variable(c *eval.Call, name string) (value.Value, provenance.Ref, bool) {
	v, r, found := c.Scope.Variable(name)
	if !found {
		return value.Undef{}, r, false
	}
	return v, r, true
}

// mismatch is the error of a call that fits no signature.
func mismatch(name string, args []value.Value, block *types.Callable, sigs ...types.Signature) error {
	return errors.New(types.DescribeSignatures(name, sigs, args, block))
}

// randomly is the provenance of a value that differs from compile to compile.
func randomly(c *eval.Call, what string) provenance.Ref {
	c.Eval.ReadClock()
	return functions.Computed(c, functions.Everything(c),
		c.Trace().Leaf(provenance.Label{Kind: provenance.World, Path: what}))
}

// accepted checks arguments against a signature that is not known before the compile.
func accepted(c *eval.Call, t value.Type, names []string) error {
	sig := t.(*types.Callable)
	var block *types.Callable
	if c.Block != nil {
		block = c.Block.Type()
	}
	if sig.Accepts(c.Args, block) {
		return nil
	}
	return mismatch(c.Name, c.Args, block, types.Signature{Type: sig, Names: names})
}
