package functions

import (
	"math/big"

	"bunraku/provenance"
	"bunraku/puppet/eval"
	"bunraku/puppet/types"
	"bunraku/puppet/value"
)

// What packages of module functions (functions/stdlib) share with Puppet's own: the ways of 3.x functions, of Ruby, and
// of provenance.

// Legacy makes a record of a 3.x function; see legacy.
func Legacy(name, doc string, flow eval.Flow, arity int, run func(*eval.Call) (value.Value, error)) *eval.Function {
	return legacy(name, doc, flow, arity, run)
}

// ToLegacy turns arguments into what a 3.x function gets. When the function is done, so are they.
func ToLegacy(c *eval.Call, args []value.Value) (done func(), err error) {
	during := &oldCall{call: c}
	for i, a := range args {
		if args[i], err = (toOld{during}).value(a, true); err != nil {
			break
		}
	}
	return func() { during.call = nil }, err
}

// Restore turns references, as 3.x functions see them, back into types, at every depth.
func Restore(v value.Value) value.Value {
	switch v := v.(type) {
	case *puppetResource:
		if r, is := v.of.(*types.Resource); is && !r.HasTitle {
			return types.NewResource(r.Type, "", true) // what was given without a title has an empty one
		}
		return v.of
	case *value.Array:
		for i, e := range v.Elems {
			if Restore(e) == e {
				continue
			}
			b := value.NewArrayBuilder(v.Len())
			for j, e := range v.Elems {
				if j >= i {
					e = Restore(e)
				}
				b.AddRef(e, v.Ref(j))
			}
			return b.Array()
		}
	case *value.Hash:
		for _, e := range v.Entries() {
			if Restore(e.Value) == e.Value && Restore(e.Key) == e.Key {
				continue
			}
			b := value.NewHashBuilder(v.Len())
			for _, e := range v.Entries() {
				e.Key, e.Value = Restore(e.Key), Restore(e.Value)
				b.SetEntry(e)
			}
			return b.Hash()
		}
	}
	return v
}

// AsAttribute is what a 3.x function was given as an attribute holds it: a reference is the resource itself there.
func AsAttribute(v value.Value) value.Value {
	switch v := Restore(v).(type) {
	case *types.Class:
		return &types.Class{Of: v.Of, Declared: true}
	case *types.Resource:
		return &types.Resource{Type: v.Type, Title: v.Title, HasTitle: v.HasTitle, Declared: true}
	case *value.Array:
		b := value.NewArrayBuilder(v.Len())
		for i, e := range v.Elems {
			b.AddRef(AsAttribute(e), v.Ref(i))
		}
		return b.Array()
	case *value.Hash:
		b := value.NewHashBuilder(v.Len())
		for _, e := range v.Entries() {
			e.Value = AsAttribute(e.Value)
			b.SetEntry(e)
		}
		return b.Hash()
	default:
		return v
	}
}

// Reference is the text of a reference as a 3.x function sees it: File[/etc/motd].
func Reference(v value.Value) (text string, is bool) {
	r, is := v.(*puppetResource)
	if !is {
		return "", false
	}
	return r.text, true
}

// RubyClass is what Ruby calls the class of a value.
func RubyClass(v value.Value) string { return rubyClass(v) }

// RubyString is Ruby's to_s.
func RubyString(v value.Value) string { return rubyString(v) }

// RubyInspect is Ruby's inspect.
func RubyInspect(v value.Value) string { return rubyInspect(v) }

// RubyEqual is Ruby's ==.
func RubyEqual(a, b value.Value) bool { return rubyEqual(a, b) }

// RubyCompare is Ruby's <=>; ok is false where it answers nil.
func RubyCompare(a, b value.Value) (order int, ok bool) { return rubyCompare(a, b) }

// RubySort sorts as Ruby does on Debian, which shows in errors.
func RubySort[E any](list []E, cmp func(a, b E) (int, error)) error { return mergeSort(list, cmp) }

// RubyJoin is Ruby's Array#join.
func RubyJoin(list []value.Value, sep string) string { return joinRuby(list, sep) }

// NoMethod is Ruby's NoMethodError.
func NoMethod(method string, v value.Value) error { return noMethod(method, v) }

// NoConversion is Ruby's TypeError of a value given where another class is needed.
func NoConversion(v value.Value, into string) error { return noConversion(v, into) }

// NotComparable is Ruby's error of a sort where <=> answers nil.
func NotComparable(a, b value.Value) error { return notComparable(a, b) }

// LeadingInt is Ruby's String#to_i.
func LeadingInt(s string) *big.Int { return leadingInt(s) }

// LeadingFloat is Ruby's String#to_f.
func LeadingFloat(s string) float64 { return leadingFloat(s) }

// FloatToInt is Ruby's Float#to_i.
func FloatToInt(f float64) (value.Value, error) { return floatToInt(f) }

// Integer is a number of any size as a value, which Puppet may refuse.
func Integer(n *big.Int) (value.Value, error) { return outOfRange(n) }

// VersionCompare is the function versioncmp.
func VersionCompare(a, b string) (value.Value, error) { return versionCompare(a, b, false) }

// SplitText is Ruby's split by a string.
func SplitText(s, sep string) []string { return splitText(s, sep) }

// FqdnRand is the function fqdn_rand on legacy arguments.
func FqdnRand(c *eval.Call) (value.Value, error) { return fqdnRand(c) }

// CreateResources is the function create_resources on legacy arguments.
func CreateResources(c *eval.Call) (value.Value, error) { return createResources(c) }

// Wholly is the provenance of argument i with everything in it.
func Wholly(c *eval.Call, i int) provenance.Ref { return wholly(c, i) }

// Everything is the provenance of all arguments with everything in them.
func Everything(c *eval.Call) provenance.Ref { return everything(c) }

// Computed is the provenance of a value that a function made of others.
func Computed(c *eval.Call, from ...provenance.Ref) provenance.Ref { return computed(c, from...) }

// Absent is the provenance of something looked for and not found.
func Absent(c *eval.Call, what string) provenance.Ref { return absent(c, what) }

// Present is the provenance of a file's content.
func Present(c *eval.Call, path string) provenance.Ref { return present(c, path) }
