package ask

import (
	"fmt"
	"regexp"
	"strings"

	"bunraku/puppet/catalog"
	"bunraku/puppet/value"
)

var (
	hint   = regexp.MustCompile(`\n(?:Did you mean\?|\n +)(?s:.*)`)
	place  = regexp.MustCompile(` \((?:file: [^,()]*)?(?:, )?(?:line: \d+)?(?:, column: \d+)?\)`)
	object = regexp.MustCompile(`#<#?<?(?:Class:)?([\w:]+)[^\n]*>`)
)

// WithoutHint takes out what Ruby adds to a message to be helpful.
func WithoutHint(s string) string { return hint.ReplaceAllString(s, "") }

// WithoutPlaces takes out where Puppet says that something stands.
func WithoutPlaces(s string) string { return place.ReplaceAllString(s, "") }

// WithoutObjects leaves of an object that Ruby shows the name of its class.
func WithoutObjects(s string) string { return object.ReplaceAllString(s, "#<$1>") }

// Mask takes out of Ruby's own messages what is never the same twice, or of no use to anyone.
func Mask(s string) string {
	if strings.Contains(s, "undefined method") {
		s = WithoutHint(s)
	}
	return WithoutObjects(WithoutPlaces(s))
}

// render writes a value as oracle.rb does.
func render(v value.Value) string {
	list := func(vs []value.Value) string {
		parts := make([]string, len(vs))
		for i, e := range vs {
			parts[i] = render(e)
		}
		return strings.Join(parts, ", ")
	}
	switch v := v.(type) {
	case nil, value.Undef:
		return "undef"
	case value.Default:
		return "default"
	case value.Bool, value.Int, value.Float:
		return value.ToString(v)
	case value.String:
		text, err := catalog.JSON{}.AppendValue(nil, v)
		if err != nil {
			return fmt.Sprintf("Bytes(%x)", string(v))
		}
		return string(text)
	case *value.Array:
		return "[" + list(v.Elems) + "]"
	case *value.Hash:
		var parts []string
		for _, e := range v.Entries() {
			parts = append(parts, render(e.Key)+" => "+render(e.Value))
		}
		return "{" + strings.Join(parts, ", ") + "}"
	case *value.Regexp:
		return "Regexp(" + v.Source + ")"
	case *value.Sensitive:
		return "Sensitive(" + render(v.Value) + ")"
	case value.Type:
		return "Type(" + v.String() + ")"
	case *value.Iterator:
		return v.String() + " of " + render(v.Array())
	case value.Binary:
		return "Binary(" + v.Base64() + ")"
	case *value.SemVer:
		return "Version(" + v.String() + ")"
	case *value.SemVerRange:
		return "VersionRange(" + v.String() + ")"
	case value.Timestamp:
		return "Timestamp(" + v.String() + ")"
	case value.Timespan:
		return "Timespan(" + v.String() + ")"
	case *value.URI:
		return "URI(" + v.String() + ")"
	case *value.Deferred:
		return "Deferred(" + value.ToString(v) + ")"
	case *value.Object:
		return v.Type.Name() + "(" + value.ToString(v) + ")"
	case *value.Opaque:
		return "Opaque(" + v.Why + ")"
	}
	return fmt.Sprintf("%T", v)
}
