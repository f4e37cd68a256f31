package types

import (
	"fmt"
	"math"
	"strings"

	"bunraku/puppet/value"
)

// An ArgError is trouble with the parameters of a type that Puppet reports as such. Index says which argument is to
// blame, -1 for all. Other errors of Access come from deeper down: Puppet leads them in with "Error while evaluating a
// '[]' expression, ".
type ArgError struct {
	Index int
	Msg   string
}

func (e *ArgError) Error() string { return e.Msg }

func argErr(i int, format string, args ...any) error {
	return &ArgError{i, fmt.Sprintf(format, args...)}
}

// Access is t[args] with evaluated arguments, as the Puppet language does it: Integer[1, 2], File['a', 'b']. The result
// is a type, or an array of types when a resource or class reference names several. Reading an attribute of a resource
// (File['a']['mode']) is not a matter of types: the caller sees to resources and classes that have a title before.
func Access(t T, args []value.Value) (value.Value, error) {
	switch t := t.(type) {
	case *Resource:
		return accessResource(t, args)
	case *Class:
		return accessClass(t, args)
	case *Hash, *Struct, *Init, *Callable:
	default:
		args = value.Flatten(&value.Array{Elems: args}).Elems
	}
	switch t := t.(type) {
	case *Hash:
		args = value.Flatten(&value.Array{Elems: args}).Elems
		return accessHash(args)
	case *Array:
		return accessArray(args)
	case *Collection:
		if len(args) < 1 || len(args) > 2 {
			return nil, arity("Collection-Type", 1, 2, len(args))
		}
		size, err := sizeArg(0, args)
		return &Collection{Size: toSize(size)}, err
	case *String:
		if len(args) < 1 || len(args) > 2 {
			return nil, argErr(-1, "String supports [] with one or two arguments. Got %d", len(args))
		}
		size, err := sizeArg(0, args)
		return &String{Size: toSize(size)}, err
	case *Integer:
		return accessInteger(args)
	case *Float:
		return accessFloat(args)
	case *Boolean:
		if err := keys(t, args, 1, 1, "TrueClass or FalseClass", isOf[value.Bool]); err != nil {
			return nil, err
		}
		if args[0].(value.Bool) {
			return TrueT, nil
		}
		return FalseT, nil
	case *Enum:
		fold := false
		if n := len(args); n > 0 {
			if b, is := args[n-1].(value.Bool); is {
				fold, args = bool(b), args[:n-1]
			}
		}
		if err := keys(t, args, 1, math.MaxInt, "String", isOf[value.String]); err != nil {
			return nil, err
		}
		return NewEnum(stringsOf(args), fold), nil
	case *Variant:
		if err := keys(t, args, 1, math.MaxInt, "Any-Type", isOf[T]); err != nil {
			return nil, err
		}
		return NewVariant(typesOf(args)...), nil
	case *Tuple:
		return accessTuple(t, args)
	case *Struct:
		if err := keys(t, args, 1, 1, "Hash", isOf[*value.Hash]); err != nil {
			return nil, err
		}
		return NewStruct(args[0].(*value.Hash))
	case *Callable:
		return accessCallable(args)
	case *Regexp:
		if len(args) != 1 {
			return nil, arityOf(t, 1, 0, len(args))
		}
		if err := keys(t, args, 1, 1, "String or Regexp", isOf[value.String], isOf[*value.Regexp]); err != nil {
			return nil, err
		}
		return newRegexpType(args[0])
	case *Pattern:
		if err := keys(t, args, 1, math.MaxInt, "String or Regexp or Pattern-Type or Regexp-Type", isOf[value.String],
			isOf[*value.Regexp], isOf[*Pattern], isOf[*Regexp]); err != nil {
			return nil, err
		}
		return newPattern(args)
	case *Optional:
		if len(args) != 1 {
			return nil, arity("Optional-Type", 1, 0, len(args))
		}
		if s, is := args[0].(value.String); is {
			return NewOptional(Literal(string(s))), nil
		}
		return around("Optional-Type", args, func(x T) T { return &Optional{T: x} })
	case *NotUndef:
		switch len(args) {
		case 0:
			return NotUndefT, nil
		case 1:
		default:
			return nil, arity("NotUndef-Type", 0, 1, len(args))
		}
		switch x := args[0].(type) {
		case value.String:
			return NewNotUndef(Literal(string(x))), nil
		case T:
			return NewNotUndef(x), nil
		}
		return nil, argErr(0, "NotUndef-Type[] argument must be a Type or a String. Got %s", RubyClass(args[0]))
	case *Type:
		return around("Type-Type", args, func(x T) T { return &Type{T: x} })
	case *Iterable:
		return around("Iterable-Type", args, func(x T) T { return &Iterable{T: x} })
	case *Iterator:
		return around("Iterator-Type", args, func(x T) T { return &Iterator{T: x} })
	case *Sensitive:
		return around("Sensitive-Type", args, func(x T) T { return NewSensitive(x) })
	case *Init:
		if len(args) == 0 {
			return nil, argErr(-1, "Init-Type[] arguments must be types. Got NilClass")
		}
		x, is := args[0].(T)
		if !is {
			return nil, argErr(0, "Init-Type[] arguments must be types. Got %s", RubyClass(args[0]))
		}
		return NewInit(x, args[1:])
	case *SemVer:
		if err := keys(t, args, 1, math.MaxInt, "String or SemanticPuppet::VersionRange", isOf[value.String],
			isOf[*value.SemVerRange]); err != nil {
			return nil, err
		}
		return newSemVerType(args)
	case *Timespan:
		if len(args) > 2 {
			return nil, arityOf(t, 0, 2, len(args))
		}
		return newTimespanType(args)
	case *Timestamp:
		if len(args) > 2 {
			return nil, arityOf(t, 0, 2, len(args))
		}
		return newTimestampType(args)
	case *URI:
		if len(args) != 1 {
			return nil, arity("URI-Type", 1, 0, len(args))
		}
		return newURIType(args[0])
	case *Runtime:
		if err := keys(t, args, 2, 2, "String or String", isOf[value.String]); err != nil {
			return nil, err
		}
		return &Runtime{Runtime: string(args[0].(value.String)), Of: string(args[1].(value.String))}, nil
	case *Object:
		if t != ObjectT && t.Of != "" {
			return newObjectExt(t, args)
		}
		if h, is := single(args); is {
			return NewObject(h)
		}
		return nil, arity("Object-Type", 1, 0, len(args))
	case *TypeSet:
		if h, is := single(args); is {
			return NewTypeSet("", h, nil)
		}
		return nil, arity("TypeSet-Type", 1, 0, len(args))
	case *TypeReference:
		return nil, argErr(-1, "Resource type not found: %s", t.Text)
	}
	return nil, argErr(-1, "Operator '[]' is not applicable to %s.", AAn(t.String()+"-Type"))
}

func isOf[K any](v value.Value) bool {
	_, is := v.(K)
	return is
}

func stringsOf(args []value.Value) []string {
	out := make([]string, len(args))
	for i, a := range args {
		out[i] = string(a.(value.String))
	}
	return out
}

func typesOf(args []value.Value) []T {
	out := make([]T, len(args))
	for i, a := range args {
		out[i] = a.(T)
	}
	return out
}

// keys checks the number and the kinds of arguments.
func keys(t T, args []value.Value, lo, hi int, expected string, kinds ...func(value.Value) bool) error {
	if len(args) < lo || len(args) > hi {
		return arityOf(t, 1, hi, len(args))
	}
	for i, a := range args {
		ok := false
		for _, k := range kinds {
			ok = ok || k(a)
		}
		if !ok {
			return argErr(i, "Error creating type specialization of %s, Cannot use %s where %s is expected", typeLabel(t),
				keyTypeName(a), expected)
		}
	}
	return nil
}

func typeLabel(t T) string { return AAn(t.String() + "-Type") }

func upFirst(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

func arityOf(t T, lo, hi, n int) error { return arity(upFirst(typeLabel(t)), lo, hi, n) }

// arity is the message about a wrong number of parameters; hi 0 means the same as lo.
func arity(label string, lo, hi, n int) error {
	switch {
	case hi == math.MaxInt || hi < 0:
		return argErr(-1, "%s[] accepts %d or more arguments. Got %d", label, lo, n)
	case hi != 0 && hi != lo:
		return argErr(-1, "%s[] accepts %d to %d arguments. Got %d", label, lo, hi, n)
	case lo == 1:
		return argErr(-1, "%s[] accepts %d argument. Got %d", label, lo, n)
	}
	return argErr(-1, "%s[] accepts %d arguments. Got %d", label, lo, n)
}

// keyTypeName names the type of a wrong argument.
func keyTypeName(v value.Value) string {
	switch v.(type) {
	case value.Undef:
		return "Undef"
	case value.Default:
		return "Default"
	}
	return Generalize(Infer(v)).String()
}

func around(label string, args []value.Value, make func(T) T) (value.Value, error) {
	if len(args) != 1 {
		return nil, arity(label, 1, 0, len(args))
	}
	t, is := args[0].(T)
	if !is {
		return nil, argErr(0, "%s[] arguments must be types. Got %s", label, RubyClass(args[0]))
	}
	return make(t), nil
}

// bound is an integer argument or default.
func bound(v value.Value, missing int64) (int64, bool) {
	switch v := v.(type) {
	case value.Int:
		return int64(v), true
	case value.Default:
		return missing, true
	}
	return 0, false
}

// checkedRange is the range between two bounds; the upper one is missing, or written, which even the greatest integer
// can be.
func checkedRange(lo, hi int64, written bool) (*Integer, error) {
	if lo > hi {
		return nil, fmt.Errorf("'from' must be less or equal to 'to'. Got (%d, %d", lo, hi)
	}
	if written {
		return exactly(lo, hi), nil
	}
	return Range(lo, hi), nil
}

// written reports whether the upper of two bounds is a number.
func written(args []value.Value) bool {
	if len(args) < 2 {
		return false
	}
	_, is := args[1].(value.Int)
	return is
}

// sizeArg makes a size of one Integer type, or one or two integers; first is the index of args[0] for blame.
func sizeArg(first int, args []value.Value) (*Integer, error) {
	if len(args) == 1 {
		if t, is := args[0].(*Integer); is {
			return t, nil
		}
	}
	lo, hi := int64(NoMin), int64(NoMax)
	for i, a := range args {
		missing := int64(NoMin)
		if i == 1 {
			missing = NoMax
		}
		n, ok := bound(a, missing)
		if !ok {
			return nil,
				argErr(first+i,
					"A Type's size constraint arguments must be a single Integer type, or 1-2 integers (or default). Got %s",
					AAn(RubyClass(a)))
		}
		if i == 0 {
			lo = n
		} else {
			hi = n
		}
	}
	return checkedRange(lo, hi, written(args))
}

func accessInteger(args []value.Value) (value.Value, error) {
	if len(args) < 1 || len(args) > 2 {
		return nil, argErr(-1, "Integer-Type supports [] with one or two arguments (from, to). Got %d", len(args))
	}
	lo, hi := int64(NoMin), int64(NoMax)
	for i, a := range args {
		n, ok := bound(a, [...]int64{NoMin, NoMax}[i])
		if !ok {
			return nil, argErr(i, "Integer-Type [] requires all arguments to be integers (or default). Got %s", RubyClass(a))
		}
		if i == 0 {
			lo = n
		} else {
			hi = n
		}
	}
	return checkedRange(lo, hi, written(args))
}

func accessFloat(args []value.Value) (value.Value, error) {
	if len(args) < 1 || len(args) > 2 {
		return nil, argErr(-1, "Float-Type supports [] with one or two arguments (from, to). Got %d", len(args))
	}
	b := [2]float64{math.Inf(-1), math.Inf(1)}
	for i, a := range args {
		switch a := a.(type) {
		case value.Float:
			b[i] = float64(a)
		case value.Int:
			b[i] = float64(a)
		case value.Default:
		default:
			return nil, argErr(i, "Float-Type [] requires all arguments to be floats, or integers (or default). Got %s",
				RubyClass(a))
		}
	}
	return newFloat(b[0], b[1])
}

func newFloat(lo, hi float64) (T, error) {
	if lo > hi {
		return nil, fmt.Errorf("'from' must be less or equal to 'to'. Got (%s, %s", value.FormatFloat(lo),
			value.FormatFloat(hi))
	}
	return &Float{From: lo, To: hi}, nil
}

func accessArray(args []value.Value) (value.Value, error) {
	if len(args) < 1 || len(args) > 3 {
		return nil, arity("Array-Type", 1, 3, len(args))
	}
	t, is := args[0].(T)
	if !is {
		if len(args) != 2 {
			return nil, argErr(0, "Array-Type[] arguments must be types. Got %s", RubyClass(args[0]))
		}
		size, err := sizeArg(0, args)
		return NewArray(nil, size), err
	}
	if len(args) == 1 {
		return NewArray(t, nil), nil
	}
	size, err := sizeArg(1, args[1:])
	return NewArray(t, size), err
}

func accessHash(args []value.Value) (value.Value, error) {
	if len(args) == 2 && isOf[value.Int](args[0]) && isOf[value.Int](args[1]) {
		size, err := checkedRange(int64(args[0].(value.Int)), int64(args[1].(value.Int)), true)
		return NewHash(nil, nil, size), err
	}
	for i := 0; i < len(args) && i < 2; i++ {
		if !isOf[T](args[i]) {
			return nil, argErr(i, "Hash-Type[] arguments must be types. Got %s", RubyClass(args[i]))
		}
	}
	var size *Integer
	switch len(args) {
	case 2:
	case 3, 4:
		var err error
		if size, err = sizeArg(2, args[2:]); err != nil {
			return nil, err
		}
	default:
		return nil, arity("Hash-Type", 2, 4, len(args))
	}
	return NewHash(args[0].(T), args[1].(T), size), nil
}

// isRange reports whether v can be a bound of a size: an integer or default.
func isRange(v value.Value) bool {
	switch v := v.(type) {
	case value.Int, value.Default:
		return true
	case value.String:
		return v == "default"
	}
	return false
}

func rangeBound(v value.Value, missing int64) int64 {
	if n, is := v.(value.Int); is {
		return int64(n)
	}
	return missing
}

// splitSize takes the one or two size arguments off the end of args.
func splitSize(args []value.Value) ([]value.Value, *Integer, error) {
	n := len(args)
	if n >= 2 && isRange(args[n-2]) && isRange(args[n-1]) {
		size, err := checkedRange(rangeBound(args[n-2], NoMin), rangeBound(args[n-1], NoMax), written(args[n-2:]))
		return args[:n-2], size, err
	}
	if n >= 1 && isRange(args[n-1]) {
		return args[:n-1], Range(rangeBound(args[n-1], NoMin), NoMax), nil
	}
	return args, nil, nil
}

func accessTuple(t *Tuple, args []value.Value) (value.Value, error) {
	args, size, err := splitSize(args)
	if err != nil {
		return nil, err
	}
	if err := keys(t, args, 1, math.MaxInt, "Any-Type", isOf[T]); err != nil {
		return nil, err
	}
	return NewTuple(typesOf(args), size), nil
}

func accessCallable(args []value.Value) (value.Value, error) {
	var ret T
	if len(args) > 0 {
		if list, is := args[0].(*value.Array); is {
			if len(args) != 2 {
				return nil, arityOf(CallableT, 2, 2, len(args))
			}
			r, is := args[1].(T)
			if !is {
				return nil, argErr(1, "Error creating type specialization of %s, Cannot use %s where Any-Type is expected",
					typeLabel(CallableT), keyTypeName(args[1]))
			}
			ret, args = r, list.Elems
		}
	}
	var block T
	if n := len(args); n > 0 {
		if b, is := args[n-1].(T); is && isCallable(b, true) {
			block, args = b, args[:n-1]
		}
	}
	args, size, err := splitSize(args)
	if err != nil {
		return nil, err
	}
	var ts []T
	for _, a := range args {
		ts = append(ts, typeOf(a))
	}
	if len(ts) == 0 && size != nil && size.To > 0 {
		ts = []T{UnitT}
	}
	return NewCallable(NewTuple(ts, size), block, ret), nil
}

// typeOf is the type itself, or the general type of another value (of a string: a Ruby class of that name).
func typeOf(v value.Value) T {
	switch v := v.(type) {
	case T:
		return v
	case value.String:
		return &Runtime{Runtime: "ruby", Of: string(v)}
	}
	return Generalize(Infer(v))
}
