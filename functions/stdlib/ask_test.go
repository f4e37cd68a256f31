package stdlib_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"bunraku/catalog"
	"bunraku/eval"
	"bunraku/internal/live"
	"bunraku/source"
	"bunraku/syntax"
	"bunraku/value"
)

// A question is an expression, or a manifest when it begins with a line that says so.
type question string

const manifestMark = "# manifest\n"

func (q question) isManifest() bool { return strings.HasPrefix(string(q), manifestMark) }

// askPuppet asks the installed Puppet everything in one process. An answer is a rendered value, or "! " and the error.
func askPuppet(t *testing.T, qs []question, environment string) []string {
	t.Helper()
	var in strings.Builder
	enc := json.NewEncoder(&in)
	enc.SetEscapeHTML(false)
	for _, q := range qs {
		key := "expr"
		if q.isManifest() {
			key = "manifest"
		}
		if err := enc.Encode(map[string]string{key: string(q)}); err != nil {
			t.Fatal(err)
		}
	}
	lines := strings.Split(strings.TrimSuffix(live.Ruby(t, "testdata/oracle.rb", in.String(), environment, factsFile), "\n"), "\n")
	if len(lines) != len(qs) {
		t.Fatalf("%d questions, %d answers", len(qs), len(lines))
	}
	out := make([]string, len(qs))
	for i, line := range lines {
		var a struct {
			Value     *string
			Error     *string
			Resources []struct {
				Ref        string
				Tags       []string
				Parameters json.RawMessage
			}
		}
		if err := json.Unmarshal([]byte(line), &a); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		switch {
		case a.Error != nil:
			out[i] = "! " + mask(*a.Error)
		case a.Value != nil:
			out[i] = *a.Value
		default:
			var b strings.Builder
			for _, r := range a.Resources {
				fmt.Fprintf(&b, "%s %s %s\n", r.Ref, strings.Join(r.Tags, ","), r.Parameters)
			}
			out[i] = strings.TrimSuffix(b.String(), "\n")
		}
	}
	return out
}

// askUs is the same question to ourselves. nine is the directory of modules with stdlib 9, or empty.
func askUs(q question, nine string) string {
	w := newTestWorld(nine)
	text := string(q)
	if !q.isManifest() {
		text = "probe([" + text + "\n])" // in an array, since a value that is not known goes past every function
	}
	tree, ds := syntax.Parse(source.NewFile("t.pp", text), syntax.Options{})
	if !ds.HasErrors() {
		ds = append(ds, syntax.Validate(tree, syntax.Options{})...)
	}
	for _, d := range ds {
		if d.Severity == source.Error {
			return "! " + d.Summary
		}
	}
	in := eval.Input{Node: "n1.example.com", Environment: "production", Main: []*syntax.File{tree}, Facts: facts(), Settings: eval.Language(7)}
	r := eval.Compile(w, in)
	switch {
	case r.Failure != nil:
		return "! " + mask(r.Failure.Summary)
	case !q.isManifest():
		return render(w.caught)
	}
	var b strings.Builder
	for _, res := range r.Catalog.Resources {
		if ref := res.Ref(); ref == "Stage[main]" || ref == "Class[Settings]" {
			continue
		}
		tags := append([]string(nil), res.Tags...)
		slices.Sort(tags)
		fmt.Fprintf(&b, "%s %s %s\n", res.Ref(), strings.Join(tags, ","), parameters(res))
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func parameters(r *catalog.Resource) string {
	var full struct{ Parameters json.RawMessage }
	text, err := catalog.JSON{}.AppendResource(nil, r)
	if err == nil {
		err = json.Unmarshal(text, &full)
	}
	if err != nil {
		return err.Error()
	}
	if full.Parameters == nil {
		return "{}"
	}
	return string(full.Parameters)
}

var (
	hint   = regexp.MustCompile(`\n(?:Did you mean\?|\n +)(?s:.*)`)
	place  = regexp.MustCompile(` \((?:file: [^,()]*)?(?:, )?(?:line: \d+)?(?:, column: \d+)?\)`)
	object = regexp.MustCompile(`#<#?<?(?:Class:)?([\w:]+)[^\n]*>`)
)

// mask takes out of Ruby's own messages what is never the same twice, or of no use to anyone.
func mask(s string) string {
	// An error in a define is told by Puppet with the statement around, by us with the way there beside it.
	s = strings.Replace(s, "Evaluation Error: Error while evaluating a Resource Statement, Evaluation Error:", "Evaluation Error:", 1)
	if strings.Contains(s, "undefined method") {
		s = hint.ReplaceAllString(s, "")
	}
	return object.ReplaceAllString(place.ReplaceAllString(s, ""), "#<$1>")
}

// render writes a value as testdata/oracle.rb does.
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
