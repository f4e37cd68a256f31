package eval_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"bunraku/internal/live"
	"bunraku/puppet/catalog"
	"bunraku/puppet/eval"
	"bunraku/puppet/syntax"
	"bunraku/source"
)

var nodeStatement = regexp.MustCompile(`(?m)^\s*node\s`)

// compileText compiles one manifest for the node `default`, without facts.
func compileText(name, text string, set eval.Settings) (*eval.Result, source.Diagnostics) {
	f := source.NewFile(name, text)
	tree, ds := syntax.Parse(f, syntax.Options{})
	if !ds.HasErrors() {
		ds = append(ds, syntax.Validate(tree, syntax.Options{})...)
	}
	if ds.HasErrors() {
		return nil, ds
	}
	return eval.Compile(newMapWorld(set.Language), eval.Input{Node: "default", Environment: "production",
		Main: []*syntax.File{tree}, Settings: set}), ds
}

// wire is a catalog as the µPuppet corpus writes it.
type wire struct {
	Resources []wireResource `json:"resources"`
	Edges     [][2]string    `json:"edges"`
	Classes   []string       `json:"classes"`
}

type wireResource struct {
	Type, Title string
	Parameters  map[string]json.RawMessage
	Virtual     bool
	Exported    bool
}

func bookkeeping(ref string) bool {
	return ref == "Stage[main]" || ref == "Class[Settings]" || ref == "Class[main]"
}

func wireOf(t *testing.T, c *catalog.Catalog) string {
	t.Helper()
	var b strings.Builder
	for _, r := range c.Resources {
		if bookkeeping(r.Ref()) {
			continue
		}
		fmt.Fprintf(&b, "%s virtual=%v exported=%v\n", r.Ref(), r.Virtual, r.Exported)
		params := map[string]json.RawMessage{}
		for _, p := range r.Params {
			text, err := catalog.JSON{}.AppendValue(nil, p.Value)
			if err != nil {
				t.Fatal(err)
			}
			params[p.Name] = text
		}
		text, err := json.Marshal(params)
		if err != nil {
			t.Fatal(err)
		}
		b.WriteString("  " + string(text) + "\n")
	}
	set := map[string]bool{}
	for _, e := range c.Edges {
		if s, d := e.Source.Ref(), e.Target.Ref(); !bookkeeping(s) && !bookkeeping(d) {
			set[s+" -> "+d] = true
		}
	}
	for _, k := range sorted(set) {
		b.WriteString(k + "\n")
	}
	return b.String()
}

func sorted(set map[string]bool) []string {
	var out []string
	for k := range set {
		out = append(out, k)
	}
	for i := range out {
		for j := i; j > 0 && out[j] < out[j-1]; j-- {
			out[j], out[j-1] = out[j-1], out[j]
		}
	}
	return out
}

func wantedWire(t *testing.T, text []byte) string {
	t.Helper()
	var w wire
	if err := json.Unmarshal(text, &w); err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, r := range w.Resources {
		fmt.Fprintf(&b, "%s[%s] virtual=%v exported=%v\n", r.Type, r.Title, r.Virtual, r.Exported)
		params, _ := json.Marshal(r.Parameters)
		b.WriteString("  " + string(params) + "\n")
	}
	set := map[string]bool{}
	for _, e := range w.Edges {
		set[e[0]+" -> "+e[1]] = true
	}
	for _, k := range sorted(set) {
		b.WriteString(k + "\n")
	}
	return b.String()
}

// TestScoreUpuppet compiles the µPuppet corpus: the same catalog in the same order as Puppet 7.23, or an error of the
// same words at the same line.
func TestScoreUpuppet(t *testing.T) {
	root := live.Shared(t, "corpus", "upuppet")
	var index []struct {
		File            string `json:"file"`
		StrictVariables bool   `json:"strict_variables"`
	}
	text, err := os.ReadFile(filepath.Join(root, "index.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &index); err != nil {
		t.Fatal(err)
	}
	good := 0
	for _, x := range index {
		manifest, err := os.ReadFile(filepath.Join(root, x.File))
		if err != nil {
			t.Fatal(err)
		}
		src := string(manifest)
		if !nodeStatement.MatchString(src) {
			src += "\nnode default { include main }\n"
		}
		set := eval.Language(7)
		set.StrictVariables = x.StrictVariables
		if why := compareCorpus(t, root, x.File, src, set); why != "" {
			t.Errorf("%s: %s", x.File, why)
		} else {
			good++
		}
	}
	t.Logf("score: upuppet %d/%d", good, len(index))
}

func compareCorpus(t *testing.T, root, file, src string, set eval.Settings) string {
	base := filepath.Join(root, strings.TrimSuffix(file, ".pp"))
	res, ds := compileText(filepath.Base(file), src, set)
	if want, err := os.ReadFile(base + ".json"); err == nil {
		if ds.HasErrors() {
			return "does not parse: " + ds[0].String()
		}
		if res.Failure != nil {
			return "fails: " + res.Failure.String()
		}
		if got, want := wireOf(t, res.Catalog), wantedWire(t, want); got != want {
			return "catalogs differ\n--- got\n" + got + "--- want\n" + want
		}
		return ""
	}
	want, err := os.ReadFile(base + ".err")
	if err != nil {
		return "no answer recorded"
	}
	line, _, _ := strings.Cut(string(want), "\n")
	var got *source.Diagnostic
	switch {
	case ds.HasErrors():
		for _, d := range ds {
			if d.Severity == source.Error {
				got = d
				break
			}
		}
	case res.Failure != nil:
		got = res.Failure
	default:
		return "compiles, but Puppet says: " + line
	}
	return sameError(got, line)
}

var (
	lineNumber = regexp.MustCompile(`\bline: (\d+)`)
	places     = regexp.MustCompile(`\s*(\(file: [^)]*\)|on node \S+$)`)
	setBy      = regexp.MustCompile(`by (#<[^>]*>|\S+)( at)?; cannot`)
)

// sameError compares a diagnostic with Puppet's message. Puppet appends the place of the error and then that of each
// define around it; ours is at the innermost, and its words are found in Puppet's.
func sameError(got *source.Diagnostic, line string) string {
	if strings.Contains(line, "stack level too deep") {
		return "" // Puppet gives up without a place; we say which class inherits from itself
	}
	at := false
	lines := lineNumber.FindAllStringSubmatch(line, -1)
	for _, m := range lines {
		at = at || m[1] == fmt.Sprint(got.Place.Line())
	}
	if len(lines) > 0 && !at {
		return fmt.Sprintf("error at line %d: %s\n  Puppet: %s", got.Place.Line(), got.Summary, line)
	}
	plain := func(s string) string { return setBy.ReplaceAllString(places.ReplaceAllString(s, ""), "by X; cannot") }
	if !strings.Contains(line, "Language validation logged") && !strings.Contains(plain(line), plain(got.Summary)) {
		return fmt.Sprintf("error: %s\n  Puppet: %s", plain(got.Summary), plain(line))
	}
	return ""
}
