package types

import (
	"maps"
	"slices"
	"strings"
)

// The aliases that Puppet itself defines. Data and RichData mention themselves.
var (
	DataT        = makeData()
	RichDataKeyT = &Alias{Of: "RichDataKey", To: &Variant{Types: []T{StringT, NumericT}}}
	RichDataT    = makeRichData()
	lookupKeyT   = &Alias{Of: "Puppet::LookupKey", To: RichDataKeyT}
	LookupValueT = &Alias{Of: "Puppet::LookupValue", To: RichDataT}
)

func makeData() *Alias {
	a := &Alias{Of: "Data", recursive: true}
	a.To = &Variant{Types: []T{ScalarDataT, UndefT, &Hash{Key: StringT, Val: a}, &Array{Elem: a}}}
	return a
}

func makeRichData() *Alias {
	a := &Alias{Of: "RichData", recursive: true}
	a.To = &Variant{Types: []T{ScalarT, SemVerRangeT, BinaryT, SensitiveT, TypeT, TypeSetT, URIT, ObjectT, UndefT,
		DefaultT,
		&Hash{Key: RichDataKeyT, Val: a}, &Array{Elem: a}}}
	return a
}

// builtins are the types that exist without any module, by lower-case name.
var builtins = map[string]T{
	"integer": IntegerT, "float": FloatT, "numeric": NumericT, "init": InitT, "iterable": IterableT, "iterator": IteratorT,
	"string": StringT, "binary": BinaryT, "sensitive": SensitiveT, "enum": EnumT, "boolean": BooleanT, "pattern": PatternT,
	"regexp": RegexpT, "array": ArrayT, "hash": HashT, "class": ClassT, "resource": ResourceT, "collection": CollectionT,
	"scalar": ScalarT, "scalardata": ScalarDataT, "catalogentry": CatalogEntryT, "undef": UndefT, "notundef": NotUndefT,
	"default": DefaultT, "any": AnyT, "variant": VariantT, "optional": OptionalT, "runtime": RuntimeT, "type": TypeT,
	"tuple": TupleT, "struct": StructT, "object": ObjectT, "typealias": aliasT, "typereference": TypeRefT,
	"typeset":  TypeSetT,
	"callable": CallableT, "semver": SemVerT, "semverrange": SemVerRangeT, "timestamp": TimestampT, "timespan": TimespanT,
	"uri": URIT,

	"data": DataT, "richdata": RichDataT, "richdatakey": RichDataKeyT, "puppet::lookupkey": lookupKeyT,
	"puppet::lookupvalue": LookupValueT,
	"deferred":            DeferredT, "error": ErrorT, "puppet::lookupcontext": LookupContextT,
}

// BuiltInNames are the names of the types that exist without any module, in lower case.
func BuiltInNames() []string { return slices.Sorted(maps.Keys(builtins)) }

var aliasT = &Alias{Of: "UnresolvedAlias", To: TypeRefT}

// builtinResources are the resource types whose names are types even before any resource type is loaded.
var builtinResources = map[string]string{"component": "Component", "exec": "Exec", "file": "File",
	"filebucket": "Filebucket", "group": "Group",
	"node": "Node", "notify": "Notify", "package": "Package", "resources": "Resources", "schedule": "Schedule",
	"service": "Service",
	"stage":   "Stage", "tidy": "Tidy", "user": "User", "whit": "Whit"}

// BuiltinNames are the names of the types that exist without any module.
func BuiltinNames() (names []string) {
	for name, t := range builtins {
		if t != T(aliasT) && !strings.Contains(name, "::") {
			names = append(names, ToString(t))
		}
	}
	slices.Sort(names)
	return names
}

// Builtin is the type of that name which needs no loading, in any case ("Integer", "integer"), or nil.
func Builtin(name string) T {
	if t, has := builtins[name]; has {
		return t
	}
	low := lower(name)
	if t, has := builtins[low]; has {
		return t
	}
	if n, has := builtinResources[low]; has {
		return NewResource(n, "", false)
	}
	return nil
}

// Origin is how Puppet's loaders say where the type of that name was set, which nobody can define anew; "" if it is
// free. Error and Puppet::LookupContext are loaded only when somebody asks for them.
func Origin(name string) string {
	low := lower(name)
	_, builtin := builtins[low]
	_, resource := builtinResources[low]
	switch {
	case low == "error" || low == "puppet::lookupcontext":
		return ""
	case resource || low == "data" || low == "deferred" || strings.HasPrefix(low, "rich") && builtin ||
		strings.Contains(low, "::") && builtin:
		return "Set at unknown location"
	case builtin:
		return "Originally set by Puppet-Type-System/Static-Loader."
	}
	return ""
}

func lower(s string) string {
	for i := 0; i < len(s); i++ {
		if c := s[i]; 'A' <= c && c <= 'Z' {
			b := []byte(s)
			for j := i; j < len(b); j++ {
				if c := b[j]; 'A' <= c && c <= 'Z' {
					b[j] = c + 'a' - 'A'
				}
			}
			return string(b)
		}
	}
	return s
}
