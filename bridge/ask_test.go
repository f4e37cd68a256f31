package bridge_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"bunraku/catalog"
	"bunraku/internal/live"
	"bunraku/value"
)

// askPuppet asks the installed Puppet everything in one process. An answer is a rendered value, or "! " and the error.
func askPuppet(t *testing.T, exprs []string) []string {
	t.Helper()
	var in strings.Builder
	enc := json.NewEncoder(&in)
	enc.SetEscapeHTML(false)
	for _, e := range exprs {
		if err := enc.Encode(map[string]string{"expr": e}); err != nil {
			t.Fatal(err)
		}
	}
	lines := strings.Split(strings.TrimSuffix(live.Ruby(t, oracle, in.String(), environmentDir, factsFile), "\n"), "\n")
	if len(lines) != len(exprs) {
		t.Fatalf("%d questions, %d answers", len(exprs), len(lines))
	}
	out := make([]string, len(exprs))
	for i, line := range lines {
		var a struct{ Value, Error *string }
		if err := json.Unmarshal([]byte(line), &a); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		if a.Error != nil {
			out[i] = "! " + mask(*a.Error)
		} else {
			out[i] = mask(*a.Value)
		}
	}
	return out
}

var (
	place   = regexp.MustCompile(` \((?:file: [^,()]*)?(?:, )?(?:line: \d+)?(?:, column: \d+)?\)`)
	object  = regexp.MustCompile(`#<#?<?(?:Class:)?([\w:]+)[^\n]*>`)
	home    = absolute(environmentDir)
	parent  = home[:strings.LastIndexByte(home, '/')]
	address = regexp.MustCompile(`(#<[\w:]+):0x[0-9a-f]+`)
	hint    = regexp.MustCompile(`\n(?:Did you mean\?|\n +)(?s:.*)`)
	scratch = regexp.MustCompile(`/tmp/(\w+?)\d{8}-\d+-\w+`)
	loading = regexp.MustCompile(`(?:/[\w.-]+)*/production/`)
)

// mask takes out what is never the same twice: addresses of objects, what Ruby adds to be helpful, and where the files are.
func mask(s string) string {
	s = strings.ReplaceAll(s, parent, "")
	s = address.ReplaceAllString(hint.ReplaceAllString(s, ""), "$1")
	s = scratch.ReplaceAllString(s, "/tmp/$1")
	s = loading.ReplaceAllString(s, "/production/")
	return object.ReplaceAllString(place.ReplaceAllString(s, ""), "#<$1>")
}

// render writes a value as the oracle does.
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
		return mask(string(text))
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
