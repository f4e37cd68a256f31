package types

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"strings"
	"sync"
	"time"

	"bunraku/puppet/onigmo"
	"bunraku/puppet/value"
)

// A Converter makes instances of types. Its fields are what conversions need of the world; the zero Converter does
// without. It remembers the signatures of constructors, so keep one rather than calling New on the package often.
type Converter struct {
	Now  func() value.Timestamp // for Timestamp(); the clock when nil
	Load Load                   // for Type('Name')
	// Shared keeps the signatures for several converters; nil when this one keeps its own.
	Shared *Converter

	mu   sync.Mutex
	sigs map[string][]Signature
}

// signatures are those of a constructor, made once.
func (c *Converter) signatures(k *constructor) []Signature {
	if c.Shared != nil {
		return c.Shared.signatures(k)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	s, has := c.sigs[k.key]
	if !has {
		s = k.signatures()
		if c.sigs == nil {
			c.sigs = map[string][]Signature{}
		}
		c.sigs[k.key] = s
	}
	return s
}

// New is T.new(args), also written T(args): the conversions of the Puppet language. An argument that is an instance
// already is returned as it is. Errors are worded as Puppet does.
func New(t T, args ...value.Value) (value.Value, error) { return (&Converter{}).New(t, args...) }

// New makes an instance of t.
func (c *Converter) New(t T, args ...value.Value) (value.Value, error) {
	if len(args) == 1 && !isA[*Init](t) && IsInstance(t, args[0]) {
		return args[0], nil
	}
	for _, a := range args {
		if o, is := a.(*value.Opaque); is {
			return o, nil // nothing can be made of what is not known
		}
	}
	v, err := c.convert(t, args)
	if err != nil {
		return nil, err
	}
	return v, AssertInstance("Converted value from "+t.String()+".new()", t, v)
}

func (c *Converter) convert(t T, args []value.Value) (value.Value, error) {
	switch t := t.(type) {
	case *Alias:
		return c.convert(t.To, args)
	case *Optional:
		if t.T == nil {
			return nil, errors.New("undefined method `new_function' for nil:NilClass")
		}
		return c.convert(t.T, args)
	case *NotUndef:
		if t.T != nil {
			return c.convert(t.T, args)
		}
	case *Init:
		return c.convertInit(t, args)
	case *Object:
		return t.newInstance(args)
	case *ObjectExt:
		return t.Base.newInstance(args)
	}
	k := constructorOf(t)
	if k == nil {
		return nil, fmt.Errorf("Creation of new instance of type '%s' is not supported", t)
	}
	if v, done := quick(t, args); done {
		return v, nil
	}
	sigs := c.signatures(k)
	for i, s := range sigs {
		if s.Type.Accepts(args, nil) {
			return k.make(c, i, args)
		}
	}
	if k.mismatch != nil {
		msg, err := k.mismatch(args)
		if err != nil {
			return nil, err
		}
		if msg != "" {
			return nil, errors.New("'" + k.name + "' " + msg)
		}
	}
	return nil, errors.New(DescribeSignatures(k.name, sigs, args, nil))
}

func (c *Converter) convertInit(t *Init, args []value.Value) (value.Value, error) {
	if t.T == nil {
		return nil, errors.New("Creation of new instance of type 'Init' is not supported")
	}
	if t.made.err != nil {
		return nil, t.made.err
	}
	if len(args) != 1 {
		sig := Signature{Type: NewCallable(NewTuple([]T{AnyT}, Range(1, 1)), nil, nil), Names: []string{"value"}}
		if len(t.Args) > 0 {
			return nil, errors.New(DescribeSignatures("new_Init", []Signature{sig}, args, nil))
		}
		arr := Signature{Type: NewCallable(NewTuple([]T{ArrayT}, Range(1, 1)), nil, nil), Names: []string{"value"}}
		return nil, errors.New(DescribeSignatures("new_Init", []Signature{arr, sig}, args, nil))
	}
	if len(t.Args) > 0 {
		return c.New(t.T, append([]value.Value{args[0]}, t.Args...)...)
	}
	if list, is := args[0].(*value.Array); is && !IsInstance(t.made.single, list) {
		return c.New(t.T, list.Elems...)
	}
	return c.New(t.T, args[0])
}

// constructors are the ways to make an instance of t, nil when there are none.
func constructors(t T) []Signature {
	switch t := t.(type) {
	case *Alias:
		return constructors(t.To)
	case *Object:
		if t == ObjectT {
			return nil
		}
		return t.signatures()
	case *ObjectExt:
		return t.Base.signatures()
	}
	if k := constructorOf(t); k != nil {
		return k.signatures()
	}
	return nil
}

// A constructor is how one kind of type makes instances.
type constructor struct {
	key        string // tells constructors apart whose names are the same
	name       string
	signatures func() []Signature
	// make converts arguments that fit signature number i.
	make func(c *Converter, i int, args []value.Value) (value.Value, error)
	// mismatch words the refusal of arguments that fit no signature; "" leaves it to the signatures.
	mismatch func(args []value.Value) (string, error)
}

func constructorOf(t T) *constructor {
	switch t.(type) {
	case *Integer:
		return &constructor{"integer new", "new", integerSigs, makeInteger, refuseInteger}
	case *Float:
		return &constructor{"float new_float", "new_float", floatSigs, makeFloat, refuse("Float", "Optional[Boolean]")}
	case *Numeric:
		return &constructor{"float new_numeric", "new_numeric", floatSigs, makeNumeric,
			refuse("Numeric", "Optional[Boolean]")}
	case *Boolean:
		return &constructor{"boolean new_boolean", "new_boolean", booleanSigs, makeBoolean, refuse("Boolean", "")}
	case *String:
		return &constructor{"string new_string", "new_string", stringSigs, makeString, nil}
	case *Array, *Tuple:
		return &constructor{"array new_array", "new_array", arraySigs, makeArray, refuse("Array", "Optional[Boolean]")}
	case *Hash, *Struct:
		return &constructor{"hash new_hash", "new_hash", hashSigs, makeHash, nil}
	case *Regexp:
		return &constructor{"regexp new_float", "new_float", regexpSigs, makeRegexp, nil} // the name is Puppet's
	case *Type:
		return &constructor{"type new_type", "new_type", typeSigs, makeType, nil}
	case *NotUndef, *Unit:
		return &constructor{"unit new_unit", "new_unit", unitSigs, makeUnit, nil}
	case *Sensitive:
		return &constructor{"sensitive new_Sensitive", "new_Sensitive", sensitiveSigs, makeSensitive, nil}
	case *Binary:
		return &constructor{"binary new_Binary", "new_Binary", binarySigs, makeBinary, nil}
	case *SemVer:
		return &constructor{"semVer new_Version", "new_Version", semVerSigs, makeSemVer, refuseSemVer}
	case *SemVerRange:
		return &constructor{"semVerRange new_VersionRange", "new_VersionRange", semVerRangeSigs, makeSemVerRange, nil}
	case *Timespan:
		return &constructor{"timespan new_timespan", "new_timespan", timespanSigs, makeTimespan, nil}
	case *Timestamp:
		return &constructor{"timestamp new_timestamp", "new_timestamp", timestampSigs, makeTimestamp, nil}
	case *URI:
		return &constructor{"uri new_error", "new_error", uriSigs, makeURI, nil} // the name is Puppet's
	}
	return nil
}

// quick does the conversions that manifests make most, without a look at signatures.
func quick(t T, args []value.Value) (value.Value, bool) {
	if len(args) != 1 {
		return nil, false
	}
	switch t.(type) {
	case *String:
		switch v := args[0].(type) {
		case value.Int, value.Bool, value.Undef, value.Default:
			return value.String(value.ToString(v)), true
		}
	case *Integer:
		switch v := args[0].(type) {
		case value.String:
			if plainDigits(string(v)) {
				n, err := toInteger(v, value.Undef{})
				return n, err == nil
			}
		case value.Bool, value.Float:
			n, err := toInteger(v, value.Undef{})
			return n, err == nil
		}
	case *Boolean:
		if s, is := args[0].(value.String); is && (s == "true" || s == "false") {
			return value.Bool(s == "true"), true
		}
	}
	return nil, false
}

// plainDigits reports whether s is a decimal number without sign, blanks or leading zero.
func plainDigits(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return s != "" && (s[0] != '0' || s == "0")
}

// refuse makes the message of the number-like types: "The string 'x' cannot be converted to Float".
func refuse(to, second string) func([]value.Value) (string, error) {
	return func(args []value.Value) (string, error) {
		if len(args) == 0 || len(args) > 2 || len(args) == 2 && (second == "" || !isOf[value.Bool](args[1])) {
			return "", nil
		}
		return cannotConvert(args[0], to), nil
	}
}

func cannotConvert(from value.Value, to string) string {
	if s, is := from.(value.String); is && to != "Array" {
		return "The string '" + string(s) + "' cannot be converted to " + to
	}
	return "Value of type " + Generalize(Infer(from)).String() + " cannot be converted to " + to
}

func refuseInteger(args []value.Value) (string, error) {
	if h, is := single(args); is {
		if from, has := h.GetString("from"); has {
			if !IsInstance(integerConvertible(), from) {
				return cannotConvert(from, "Integer"), nil
			}
		}
		radix := h.At("radix")
		if !value.IsUndef(radix) && !isOf[value.Default](radix) {
			if err := checkRadix(radix); err != nil {
				return "", err
			}
		}
		return "", AssertInstance("Integer.new", integerNamedArgs(), h)
	}
	if len(args) == 0 || len(args) > 3 || len(args) > 1 && !isOf[value.Int](args[1]) || len(args) > 2 &&
		!isOf[value.Bool](args[2]) {
		return "", nil
	}
	if len(args) > 1 {
		if err := checkRadix(args[1]); err != nil {
			return "", err
		}
	}
	return cannotConvert(args[0], "Integer"), nil
}

func checkRadix(v value.Value) error {
	if n, is := v.(value.Int); is && (n == 2 || n == 8 || n == 10 || n == 16) {
		return nil
	}
	return fmt.Errorf("Illegal radix: %s, expected 2, 8, 10, 16, or default", value.ToString(v))
}

func refuseSemVer(args []value.Value) (string, error) {
	if len(args) == 1 {
		if s, is := args[0].(value.String); is {
			return "The string '" + string(s) + "' cannot be converted to a SemVer", nil
		}
	}
	return "", nil
}

// named takes arguments from a hash, by name; missing ones are undef.
func named(h *value.Hash, names ...string) []value.Value {
	out := make([]value.Value, len(names))
	for i, n := range names {
		out[i] = h.At(n)
	}
	return out
}

func arg(args []value.Value, i int) value.Value {
	if i < len(args) {
		return args[i]
	}
	return value.Undef{}
}

func makeInteger(_ *Converter, i int, args []value.Value) (value.Value, error) {
	if i == 1 {
		args = named(args[0].(*value.Hash), "from", "radix", "abs")
	}
	v, err := toInteger(args[0], arg(args, 1))
	if err != nil {
		return nil, err
	}
	if value.Truthy(arg(args, 2)) && v < 0 {
		v = -v
	}
	return v, nil
}

func toInteger(from, radix value.Value) (value.Int, error) {
	switch from := from.(type) {
	case value.Int:
		return from, nil
	case value.Float:
		return value.Int(int64(from)), nil
	case value.Bool:
		if from {
			return 1, nil
		}
		return 0, nil
	case value.Timespan:
		return value.Int(from.Seconds()), nil
	case value.Timestamp:
		return value.Int(from.Sec), nil
	case value.String:
		base := 0
		if r, is := radix.(value.Int); is {
			base = int(r)
		}
		n, err := value.ParseRubyInt(string(from), base)
		if err != nil {
			if closed, ok := closeSign(string(from)); ok {
				if m, err2 := value.ParseRubyInt(closed, base); err2 == nil {
					n, err = m, nil
				}
			}
		}
		if err != nil {
			return 0, err
		}
		return bigInt(n)
	}
	return 0, fmt.Errorf("can't convert %s into Integer", RubyClass(from))
}

func bigInt(n *big.Int) (value.Int, error) {
	if !n.IsInt64() {
		return 0, fmt.Errorf("The integer %s is outside of the range of 64 bits", n)
	}
	return value.Int(n.Int64()), nil
}

// closeSign removes blanks between a sign and its number.
func closeSign(s string) (string, bool) {
	if len(s) < 2 || s[0] != '+' && s[0] != '-' || s[1] != ' ' && s[1] != '\t' {
		return "", false
	}
	return s[:1] + strings.TrimLeft(s[1:], " \t"), true
}

func makeFloat(_ *Converter, i int, args []value.Value) (value.Value, error) {
	if i == 1 {
		args = named(args[0].(*value.Hash), "from", "abs")
	}
	f, err := toFloat(args[0])
	if err != nil {
		return nil, err
	}
	if value.Truthy(arg(args, 1)) {
		f = value.Float(math.Abs(float64(f)))
	}
	return f, nil
}

func toFloat(from value.Value) (value.Float, error) {
	switch from := from.(type) {
	case value.Float:
		return from, nil
	case value.Int:
		return value.Float(from), nil
	case value.Bool:
		if from {
			return 1, nil
		}
		return 0, nil
	case value.Timespan:
		return value.Float(from.Float()), nil
	case value.Timestamp:
		return value.Float(from.Float()), nil
	case value.String:
		s := string(from)
		if len(s) > 1 && s[0] == '0' && s[1]|0x20 == 'b' {
			n, err := value.ParseRubyInt(s, 0)
			if err != nil {
				return 0, err
			}
			f, _ := new(big.Float).SetInt(n).Float64()
			return value.Float(f), nil
		}
		f, err := value.ParseRubyFloat(s)
		if err != nil {
			if closed, ok := closeSign(s); ok {
				if g, err2 := value.ParseRubyFloat(closed); err2 == nil {
					return value.Float(g), nil
				}
			}
			return 0, err
		}
		return value.Float(f), nil
	}
	return 0, fmt.Errorf("can't convert %s into Float", RubyClass(from))
}

func makeNumeric(_ *Converter, i int, args []value.Value) (value.Value, error) {
	if i == 1 {
		args = named(args[0].(*value.Hash), "from", "abs")
	}
	v := args[0]
	switch from := args[0].(type) {
	case value.Bool:
		v = value.Int(0)
		if from {
			v = value.Int(1)
		}
	case value.Timespan:
		v = value.Float(from.Float())
	case value.Timestamp:
		v = value.Float(from.Float())
	case value.String:
		s := string(from)
		if len(s) > 1 && s[0] == '0' && (s[1]|0x20 == 'b' || s[1]|0x20 == 'x') {
			n, err := value.ParseRubyInt(s, 0)
			if err != nil {
				return nil, err
			}
			return bigInt(n)
		}
		n, ok := value.ToNumber(s)
		if !ok {
			return value.Undef{}, nil
		}
		v = n
	}
	if value.Truthy(arg(args, 1)) {
		switch n := v.(type) {
		case value.Int:
			if n < 0 {
				v = -n
			}
		case value.Float:
			v = value.Float(math.Abs(float64(n)))
		}
	}
	return v, nil
}

func makeBoolean(_ *Converter, _ int, args []value.Value) (value.Value, error) {
	switch from := args[0].(type) {
	case value.Bool:
		return from, nil
	case value.Int:
		return value.Bool(from != 0), nil
	case value.Float:
		return value.Bool(from != 0), nil
	case value.String:
		switch value.Downcase(string(from)) {
		case "false", "no", "n":
			return value.Bool(false), nil
		}
	}
	return value.Bool(true), nil
}

func makeArray(_ *Converter, i int, args []value.Value) (value.Value, error) {
	switch from := args[0].(type) {
	case *value.Array:
		return from, nil
	case *value.Hash:
		if i == 0 {
			return from.Pairs(), nil
		}
	case value.Binary:
		if i == 0 {
			b := value.NewArrayBuilder(len(from))
			for k := 0; k < len(from); k++ {
				b.Add(value.Int(from[k]))
			}
			return b.Array(), nil
		}
	}
	if i == 1 {
		return value.NewArray(args[0]), nil
	}
	return IterableOn(args[0]).Array(), nil
}

func makeHash(_ *Converter, i int, args []value.Value) (value.Value, error) {
	switch i {
	case 0:
		if opt, is := arg(args, 1).(value.String); is {
			return hashTree(args[0].(*value.Array), opt == "hash_tree")
		}
		fallthrough
	case 1:
		b := value.NewHashBuilder(8)
		for _, e := range args[0].(*value.Array).Elems {
			p := e.(*value.Array)
			b.Set(p.Elems[0], p.Elems[1])
		}
		return b.Hash(), nil
	}
	var flat []value.Value
	switch from := args[0].(type) {
	case *value.Hash:
		return from, nil
	case *value.Array:
		flat = from.Elems
	default:
		if !IsInstance(IterableT, from) {
			return nil, errors.New(strings.Replace(cannotConvert(from, "Array"), "to Array", "to Hash", 1))
		}
		flat = IterableOn(from).Array().Elems
	}
	if len(flat)%2 != 0 {
		return nil, errors.New("odd number of arguments for Hash")
	}
	return value.NewHash(flat...), nil
}

func makeRegexp(_ *Converter, _ int, args []value.Value) (value.Value, error) {
	src := string(args[0].(value.String))
	if value.Truthy(arg(args, 1)) {
		src = onigmo.Quote(src)
	}
	return value.NewRegexp(src)
}

func makeType(c *Converter, _ int, args []value.Value) (value.Value, error) {
	return Parse(string(args[0].(value.String)), c.Load)
}

func makeUnit(_ *Converter, _ int, args []value.Value) (value.Value, error) { return args[0], nil }

func makeSensitive(_ *Converter, i int, args []value.Value) (value.Value, error) {
	if i == 0 {
		return args[0], nil
	}
	return &value.Sensitive{Value: args[0]}, nil
}

func (c *Converter) now() value.Timestamp {
	if c.Now != nil {
		return c.Now()
	}
	return value.TimestampOf(time.Now())
}
