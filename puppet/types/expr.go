package types

import (
	"fmt"
	"strings"

	"bunraku/puppet/syntax"
	"bunraku/puppet/value"
	"bunraku/source"
)

// A Load finds a type by name that is not built in; nil without an error means that there is none. Names come as
// written.
type Load func(name string) (T, error)

// FromExpr reads a type expression as Puppet reads the right side of a type alias: only literals and type names, no
// variables. file is where e stands; it may be nil, and is only used in messages. An unknown name gives a
// TypeReference.
func FromExpr(e syntax.Expr, file *source.File, load Load) (T, error) {
	x := &interpreter{file, load}
	v, err := x.any(e)
	if err != nil {
		return nil, err
	}
	t, is := v.(T)
	if !is {
		return nil, x.notAType(e)
	}
	return t, nil
}

// Parse reads a type from text, as the signatures of functions are written.
func Parse(text string, load Load) (T, error) {
	if t := Builtin(text); t != nil {
		return t, nil
	}
	if text == "Array[1]" {
		return NewArray(nil, Range(1, NoMax)), nil // a shorthand that only exists in this very form
	}
	f := source.NewFile("", text)
	tree, diags := syntax.Parse(f, syntax.Options{})
	if diags.HasErrors() {
		return nil, fmt.Errorf("%s", diags[0].Summary)
	}
	stmts := tree.Body.Stmts
	if len(stmts) != 1 {
		var all source.Span // comments around the statements do not count
		if n := len(stmts); n > 0 {
			all = source.Span{Start: stmts[0].Span().Start, End: stmts[n-1].Span().End}
		}
		return nil, fmt.Errorf("The expression <%s> is not a valid type specification.", f.Slice(all))
	}
	return FromExpr(stmts[0], f, load)
}

// MustParse is Parse for texts of our own.
func MustParse(text string) T {
	t, err := Parse(text, nil)
	if err != nil {
		panic("types: " + text + ": " + err.Error())
	}
	return t
}

// Lookup finds a type by name: built in, or through load. It gives a TypeReference for an unknown name.
func Lookup(name string, load Load) (T, error) {
	bare := strings.TrimPrefix(name, "::")
	if t, has := builtins[lower(bare)]; has {
		return t, nil
	}
	if load != nil {
		t, err := load(bare)
		if t != nil || err != nil {
			return t, err
		}
	}
	if n, has := builtinResources[lower(bare)]; has {
		return NewResource(n, "", false), nil
	}
	return &TypeReference{Text: name}, nil
}

type interpreter struct {
	file *source.File
	load Load
}

func (x *interpreter) text(n syntax.Node) string {
	if x.file == nil {
		return ""
	}
	return x.file.Slice(n.Span())
}

func (x *interpreter) notAType(n syntax.Node) error {
	return fmt.Errorf("The expression <%s> is not a valid type specification.", x.text(n))
}

func (x *interpreter) count(name, want string, got int) error {
	return fmt.Errorf("Invalid number of type parameters specified: %s requires %s, %d provided", name, want, got)
}

// any evaluates a literal or type expression.
func (x *interpreter) any(e syntax.Expr) (value.Value, error) {
	switch e := e.(type) {
	case *syntax.Ref:
		return Lookup(e.Value, x.load)
	case *syntax.Access:
		return x.access(e)
	case *syntax.Name:
		return value.String(e.Value), nil
	case *syntax.Str:
		return value.String(e.Value), nil
	case *syntax.Heredoc:
		return x.any(e.X)
	case *syntax.Int:
		return value.Int(e.Value), nil
	case *syntax.Float:
		return value.Float(e.Value), nil
	case *syntax.Bool:
		return value.Bool(e.Value), nil
	case *syntax.Undef:
		return value.Undef{}, nil
	case *syntax.Default:
		return value.Default{}, nil
	case *syntax.Regexp:
		return value.NewRegexp(e.Source)
	case *syntax.List:
		b := value.NewArrayBuilder(len(e.Elems))
		for _, el := range e.Elems {
			v, err := x.any(el)
			if err != nil {
				return nil, err
			}
			b.Add(v)
		}
		return b.Array(), nil
	case *syntax.Hash:
		b := value.NewHashBuilder(len(e.Entries))
		for _, en := range e.Entries {
			k, err := x.any(en.Key)
			if err != nil {
				return nil, err
			}
			v, err := x.any(en.Value)
			if err != nil {
				return nil, err
			}
			b.Set(k, v)
		}
		return b.Hash(), nil
	case *syntax.Unary:
		if e.Op == syntax.OpMinus {
			v, err := x.any(e.X)
			switch n := v.(type) {
			case value.Int:
				return -n, err
			case value.Float:
				return -n, err
			}
		}
	}
	return nil, x.notAType(e)
}

func (x *interpreter) access(e *syntax.Access) (value.Value, error) {
	args := make([]value.Value, len(e.Keys))
	for i, k := range e.Keys {
		v, err := x.any(k)
		if err != nil {
			return nil, err
		}
		args[i] = v
	}
	ref, is := e.Left.(*syntax.Ref)
	if !is {
		return nil, x.notAType(e)
	}
	return x.parameterized(e, ref, args)
}

// A paramRule says how many parameters a type takes in a type expression; hi < 0 is no limit.
type paramRule struct {
	name, want string
	lo, hi     int
}

var paramRules = map[string]paramRule{
	"array": {"Array", "1 to 3", 1, 3}, "hash": {"Hash", "2 to 4", 2, 4}, "collection": {"Collection", "1 to 2", 1, 2},
	"class":  {"Class", "1", 1, 1},
	"regexp": {"Regexp", "1", 1, 1}, "pattern": {"Pattern", "1 or more", 1, -1}, "uri": {"URI", "1", 1, 1},
	"variant": {"Variant", "1 or more", 1, -1},
	"tuple":   {"Tuple", "1 or more", 1, -1}, "struct": {"Struct", "1", 1, 1}, "boolean": {"Boolean", "1", 1, 1},
	"integer": {"Integer", "1 or 2", 1, 2},
	"object":  {"Object", "1", 1, 1}, "typeset": {"Object", "1", 1, 1}, "iterable": {"Iterable", "1", 1, 1},
	"iterator": {"Iterator", "1", 1, 1},
	"float":    {"Float", "1 or 2", 1, 2}, "string": {"String", "1 to 2", 1, 2},
	"sensitive": {"Sensitive", "0 to 1", 0, 1},
	"optional":  {"Optional", "1", 1, 1},
	"notundef":  {"NotUndef", "0 to 1", 0, 1}, "type": {"Type", "1", 1, 1}, "runtime": {"Runtime", "2", 2, 2},
	"timespan":  {"Timespan", "0 to 2", 0, 2},
	"timestamp": {"Timestamp", "0 to 2", 0, 2}, "semver": {"SemVer", "1 or more", 1, -1},
}

func (x *interpreter) parameterized(e *syntax.Access, ref *syntax.Ref, args []value.Value) (value.Value, error) {
	name := lower(strings.TrimPrefix(ref.Value, "::"))
	if r, has := paramRules[name]; has && (len(args) < r.lo || r.hi >= 0 && len(args) > r.hi) {
		return nil, x.count(r.name, r.want, len(args))
	}
	switch name {
	case "any", "data", "catalogentry", "scalar", "undef", "numeric", "default", "semverrange":
		return nil, fmt.Errorf("Not a parameterized type <%s>", ref.Value)
	case "array", "hash", "collection", "string", "integer", "variant", "tuple", "iterable", "iterator", "type",
		"sensitive", "init":
		if v, err := Access(builtins[name], args); err == nil {
			return v, nil
		} else if _, shape := err.(*ArgError); !shape {
			return nil, err
		}
		return nil, x.notAType(e)
	case "enum":
		n := len(args)
		if n > 0 && isOf[value.Bool](args[n-1]) {
			n--
		}
		if n < 1 {
			return nil, x.count("Enum", "1 or more", n)
		}
		for _, a := range args[:n] {
			if !isOf[value.String](a) {
				return nil, fmt.Errorf("Enum parameters must be identifiers or strings")
			}
		}
	case "boolean":
		if !isOf[value.Bool](args[0]) {
			return nil, fmt.Errorf("Boolean parameter must be true or false")
		}
	case "struct":
		if !isOf[*value.Hash](args[0]) {
			return nil, x.notAType(e)
		}
	case "optional", "notundef":
		if len(args) == 1 && !isOf[T](args[0]) && !isOf[value.String](args[0]) {
			return nil, x.notAType(e)
		}
	case "class":
		if s, is := args[0].(value.String); is {
			return &Class{Of: strings.TrimPrefix(string(s), "::")}, nil
		}
	case "resource":
		return x.resource(args)
	}
	if t, has := builtins[name]; has {
		if a, alias := t.(*Alias); alias {
			return nil, fmt.Errorf("Not a parameterized type <%s>", a.Of)
		}
		return Access(t, args)
	}
	t, err := Lookup(ref.Value, x.load)
	if err != nil {
		return nil, err
	}
	switch t := t.(type) {
	case *TypeReference:
		return &TypeReference{Text: x.text(e)}, nil
	case *Resource:
		if len(args) != 1 {
			return nil, x.count(ref.Value, "1", len(args))
		}
		if s, is := args[0].(value.String); is {
			return NewResource(t.Type, string(s), true), nil
		}
		return nil, x.notAType(e)
	case *Object:
		return newObjectExt(t, args)
	}
	return nil, fmt.Errorf("Not a parameterized type <%s>", ref.Value)
}

func (x *interpreter) resource(args []value.Value) (value.Value, error) {
	if len(args) < 1 || len(args) > 2 {
		return nil, x.count("Resource", "1 or 2", len(args))
	}
	r := &Resource{}
	switch k := args[0].(type) {
	case *Resource:
		r.Type = k.Type
	case *TypeReference:
		r.Type = value.CapitalizeSegments(k.Text)
	case value.String:
		r.Type = value.CapitalizeSegments(string(k))
	default:
		return nil, fmt.Errorf("The type name cannot be a %s", RubyClass(args[0]))
	}
	if !IsTypeName(r.Type) {
		return nil, fmt.Errorf("Illegal type name '%s'", r.Type)
	}
	if len(args) == 2 {
		s, is := args[1].(value.String)
		if !is {
			return nil, fmt.Errorf("The title cannot be a %s", RubyClass(args[1]))
		}
		r.Title, r.HasTitle = string(s), true
	}
	return r, nil
}
