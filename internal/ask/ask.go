// Package ask is for tests: it puts the same question, an expression or a manifest, to real Puppet and to ourselves,
// and writes both answers in one notation. It also makes questions: random calls of functions (shape.go).
//
// Puppet is asked by oracle.rb, everything in one process. It may import eval, catalog and what is below them. No
// program code may import it. Start reading at Site.
package ask

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"bunraku/internal/live"
	"bunraku/puppet/catalog"
	"bunraku/puppet/eval"
	"bunraku/puppet/lookup/datafile"
	"bunraku/puppet/syntax"
	"bunraku/puppet/value"
	"bunraku/source"
)

// A Question is an expression, or a manifest when it begins with ManifestMark.
type Question string

// ManifestMark is the first line of a question that is a manifest.
const ManifestMark = "# manifest\n"

func (q Question) isManifest() bool { return strings.HasPrefix(string(q), ManifestMark) }

// A Site is where questions are asked.
type Site struct {
	Environment string              // a directory
	Facts       string              // a file in JSON
	Logs        bool                // the answer to a manifest has what was logged, too
	Mask        func(string) string // takes out of messages what is never the same twice
	MaskValues  bool                // of values too
	Language    source.Language     // which Puppet is asked, and which one we are; 7 by default
}

// node is the name of the node that asks; oracle.rb has it, too.
const node = "n1.example.com"

func (s Site) answer(text string) string {
	if s.MaskValues {
		return s.Mask(text)
	}
	return text
}

// Puppet asks the Puppet of the site's language. An answer is a rendered value, or the resources of a manifest, or "! "
// and the error.
func (s Site) Puppet(t testing.TB, qs []Question) []string {
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
	oracle := live.Installed(t)
	if s.Language.Eight() {
		oracle = live.Other(t, s.Language.String())
	}
	script := filepath.Join(live.Root(), "internal", "ask", "oracle.rb")
	lines := strings.Split(strings.TrimSuffix(oracle.Ruby(t, script, in.String(), s.Environment, s.Facts), "\n"), "\n")
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
			Logs [][2]string
		}
		if err := json.Unmarshal([]byte(line), &a); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		switch {
		case a.Error != nil:
			out[i] = "! " + s.Mask(*a.Error)
		case a.Value != nil:
			out[i] = s.answer(*a.Value)
		default:
			var b strings.Builder
			for _, r := range a.Resources {
				fmt.Fprintf(&b, "%s %s %s\n", r.Ref, strings.Join(r.Tags, ","), r.Parameters)
			}
			for _, l := range a.Logs {
				if s.Logs && !strings.Contains(l[1], "is deprecated") { // which is said once in a process
					fmt.Fprintf(&b, "log %s %s\n", l[0], l[1])
				}
			}
			out[i] = strings.TrimSuffix(b.String(), "\n")
		}
	}
	return out
}

// A Probe catches the value of an expression. A world that is asked must have its Function by the name probe.
type Probe struct{ caught value.Value }

// Function is the function that catches. Its argument stands in an array, since a value that is not known goes past
// every function.
func (p *Probe) Function() *eval.Function {
	return &eval.Function{Name: "probe", Unknown: true, Raw: func(c *eval.Call) (value.Value, error) {
		p.caught = c.Arg(0).(*value.Array).Elems[0]
		return value.Undef{}, nil
	}}
}

// Us asks ourselves, in a world that has the probe.
func (s Site) Us(w eval.World, p *Probe, q Question) string {
	text := string(q)
	if !q.isManifest() {
		text = "probe([" + text + "\n])"
	}
	set := eval.Language(max(s.Language, source.Puppet7))
	opt := syntax.Options{Strict: set.Strict, Language: set.Language}
	tree, ds := syntax.Parse(source.NewFile("t.pp", text), opt)
	if !ds.HasErrors() {
		ds = append(ds, syntax.Validate(tree, opt)...)
	}
	for _, d := range ds {
		if d.Severity == source.Error {
			return "! " + d.Summary
		}
	}
	r := eval.Compile(w, eval.Input{Node: node, Environment: "production", Main: []*syntax.File{tree},
		Facts: ReadFacts(s.Facts), Settings: set})
	switch {
	case r.Failure != nil:
		return "! " + s.Mask(r.Failure.Summary)
	case !q.isManifest():
		return s.answer(render(p.caught))
	}
	var b strings.Builder
	for _, res := range r.Catalog.Resources {
		if ref := res.Ref(); ref == "Stage[main]" || ref == "Class[Settings]" {
			continue
		}
		fmt.Fprintf(&b, "%s %s %s\n", res.Ref(), strings.Join(slices.Sorted(slices.Values(res.Tags)), ","), parameters(res))
	}
	for _, l := range r.Logs {
		if s.Logs {
			fmt.Fprintf(&b, "log %s %s\n", l.Level, l.Text)
		}
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

// ReadFacts reads a file of facts in JSON.
func ReadFacts(path string) *value.Hash {
	text, err := os.ReadFile(path)
	if err != nil {
		panic(err)
	}
	n, err := datafile.ReadJSON(source.NewFile(path, string(text)))
	if err != nil {
		panic(err)
	}
	return n.Value.(*value.Hash)
}
