package types

import "strings"

// The signatures of the constructors, in the words of Puppet's new_function blocks, local types included: messages show
// them. They are made anew at each call; a Converter keeps them.

// locals are type aliases that exist only in one constructor's signatures.
type locals map[string]T

func (l locals) load(name string) (T, error) { return l[name], nil }

// let defines a local type.
func (l locals) let(name, text string) {
	t, err := Parse(text, l.load)
	if err != nil {
		panic("types: " + text + ": " + err.Error())
	}
	l[name] = &Alias{Of: name, To: Normalize(t)}
}

// sig reads "Type name" parameters; a ? behind the name makes it and all that follow optional.
func (l locals) sig(params ...string) Signature {
	var ts []T
	var names []string
	required := int64(0)
	for _, p := range params {
		cut := strings.LastIndexByte(p, ' ')
		t, err := Parse(p[:cut], l.load)
		if err != nil {
			panic("types: " + p + ": " + err.Error())
		}
		name := p[cut+1:]
		if !strings.HasSuffix(name, "?") {
			required++
		}
		ts, names = append(ts, t), append(names, strings.TrimSuffix(name, "?"))
	}
	return Signature{Type: NewCallable(NewTuple(ts, Range(required, int64(len(ts)))), nil, nil), Names: names}
}

const (
	floatPattern   = `\A[+-]?\s*(?:(?:(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE]-?\d+)?)|(?:0[xX][0-9A-Fa-f]+)|(?:0[0-7]+)|(?:0[bB][01]+))\z`
	integerPattern = `\A[+-]?\s*(?:(?:\d+)|(?:0[xX][0-9A-Fa-f]+)|(?:0[bB][01]+))\z`
	formatPattern  = `^%([\s\[+#0{<(|-]*)([1-9][0-9]*)?(?:\.([0-9]+))?([a-zA-Z])$`
)

func integerLocals() locals {
	l := locals{}
	l.let("Radix", "Variant[Default, Integer[2,2], Integer[8,8], Integer[10,10], Integer[16,16]]")
	l.let("Convertible", "Variant[Numeric, Boolean, Pattern[/"+integerPattern+"/], Timespan, Timestamp]")
	l.let("NamedArgs", "Struct[{from => Convertible, Optional[radix] => Radix, Optional[abs] => Boolean}]")
	return l
}

func integerConvertible() T { return integerLocals()["Convertible"] }
func integerNamedArgs() T   { return integerLocals()["NamedArgs"] }

func integerSigs() []Signature {
	l := integerLocals()
	return []Signature{l.sig("Convertible from", "Radix radix?", "Boolean abs?"), l.sig("NamedArgs hash_args")}
}

func floatSigs() []Signature {
	l := locals{}
	l.let("Convertible", "Variant[Numeric, Boolean, Pattern[/"+floatPattern+"/], Timespan, Timestamp]")
	l.let("NamedArgs", "Struct[{from => Convertible, Optional[abs] => Boolean}]")
	return []Signature{l.sig("Convertible from", "Boolean abs?"), l.sig("NamedArgs hash_args")}
}

func booleanSigs() []Signature {
	return []Signature{locals{}.sig("Variant[Integer, Float, Boolean, Enum['false','true','yes','no','y','n',true]] from")}
}

func stringSigs() []Signature {
	l := locals{}
	l.let("Format", "Pattern[/"+formatPattern+"/]")
	l.let("ContainerFormat",
		"Struct[{Optional[format] => Format, Optional[separator] => String, Optional[separator2] => String, "+
			"Optional[string_formats] => Hash[Type, Format]}]")
	l.let("TypeMap", "Hash[Type, Variant[Format, ContainerFormat]]")
	l.let("Convertible", "Any")
	l.let("Formats", "Variant[Default, String[1], TypeMap]")
	return []Signature{l.sig("Convertible from", "Formats string_formats?")}
}

func arraySigs() []Signature {
	l := locals{}
	return []Signature{l.sig("Variant[Array,Hash,Binary,Iterable] from", "Boolean[false] wrap?"),
		l.sig("Any from", "Boolean[true] wrap")}
}

func hashSigs() []Signature {
	l := locals{}
	l.let("KeyValueArray", "Array[Tuple[Any,Any],1]")
	l.let("TreeArray", "Array[Tuple[Array,Any],1]")
	l.let("NewHashOption", "Enum[tree, hash_tree]")
	return []Signature{l.sig("TreeArray from", "NewHashOption build_option?"), l.sig("KeyValueArray from"),
		l.sig("Any from")}
}

func regexpSigs() []Signature {
	return []Signature{locals{}.sig("String pattern", "Boolean escape?")}
}

func typeSigs() []Signature { return []Signature{locals{}.sig("String[1] type_string")} }

func unitSigs() []Signature { return []Signature{locals{}.sig("Any from")} }

func sensitiveSigs() []Signature {
	return []Signature{locals{}.sig("Sensitive value"), locals{}.sig("Any value")}
}

func binarySigs() []Signature {
	l := locals{}
	l.let("ByteInteger", "Integer[0,255]")
	l.let("Base64Format", `Enum["%b", "%u", "%B", "%s", "%r"]`)
	l.let("StringHash", `Struct[{value => String, "format" => Optional[Base64Format]}]`)
	l.let("ArrayHash", "Struct[{value => Array[ByteInteger]}]")
	l.let("BinaryArgsHash", "Variant[StringHash, ArrayHash]")
	return []Signature{l.sig("String str", "Base64Format format?"), l.sig("Array[ByteInteger] byte_array"),
		l.sig("BinaryArgsHash hash_args")}
}

func semVerSigs() []Signature {
	const full = `(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-([0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*))?(?:\+([0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*))?`
	l := locals{}
	l.let("PositiveInteger", "Integer[0,default]")
	l.let("SemVerQualifier", `Pattern[/\A(?<part>[0-9A-Za-z-]+)(?:\.\g<part>)*\Z/]`)
	l.let("SemVerPattern", `Pattern[/\A`+full+`\Z/]`)
	l.let("SemVerHash",
		"Struct[{major=>PositiveInteger,minor=>PositiveInteger,patch=>PositiveInteger,Optional[prerelease]=>SemVerQualifier,Optional[build]=>SemVerQualifier}]")
	return []Signature{l.sig("SemVerPattern str"),
		l.sig("PositiveInteger major", "PositiveInteger minor", "PositiveInteger patch", "SemVerQualifier prerelease?",
			"SemVerQualifier build?"),
		l.sig("SemVerHash hash_args")}
}

func semVerRangeSigs() []Signature {
	l := locals{}
	l.let("SemVerRangeString", "String[1]")
	l.let("SemVerRangeHash",
		"Struct[{min=>Variant[Default,SemVer],Optional[max]=>Variant[Default,SemVer],Optional[exclude_max]=>Boolean}]")
	return []Signature{l.sig("SemVerRangeString str"), l.sig("Variant[Default,SemVer] min", "Variant[Default,SemVer] max",
		"Boolean exclude_max?"), l.sig("SemVerRangeHash hash_args")}
}

func timespanSigs() []Signature {
	l := locals{}
	l.let("Formats", "Variant[String[2],Array[String[2], 1]]")
	return []Signature{l.sig("Variant[Integer,Float] seconds"), l.sig("String[1] string", "Formats format?"),
		l.sig("Integer days", "Integer hours", "Integer minutes", "Integer seconds", "Integer milliseconds?",
			"Integer microseconds?", "Integer nanoseconds?"),
		l.sig("Struct[{string => String[1], Optional[format] => Formats}] hash_arg"),
		l.sig("Struct[{Optional[negative] => Boolean, Optional[days] => Integer, Optional[hours] => Integer, " +
			"Optional[minutes] => Integer, Optional[seconds] => Integer, Optional[milliseconds] => Integer, " +
			"Optional[microseconds] => Integer, Optional[nanoseconds] => Integer}] hash_arg")}
}

func timestampSigs() []Signature {
	l := locals{}
	l.let("Formats", "Variant[String[2],Array[String[2], 1]]")
	return []Signature{{Type: NewCallable(NewTuple(nil, Range(0, 0)), nil, nil)}, l.sig("Variant[Integer,Float] seconds"),
		l.sig("String[1] string", "Formats format?", "String[1] timezone?"),
		l.sig("Struct[{string => String[1], Optional[format] => Formats, Optional[timezone] => String[1]}] hash_arg")}
}

func uriSigs() []Signature {
	return []Signature{locals{}.sig("String[1] uri"),
		{Type: NewCallable(NewTuple([]T{uriInitType()}, Range(1, 1)), nil, nil), Names: []string{"hash"}}}
}

func uriInitType() T {
	s := &Struct{}
	for _, p := range uriParts {
		if p == "port" {
			s.Elems = append(s.Elems, optKey(p, Range(0, NoMax)))
		} else {
			s.Elems = append(s.Elems, optKey(p, NonEmpty))
		}
	}
	return s
}
