package eval_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"bunraku/internal/live"
	"bunraku/puppet/catalog"
	"bunraku/puppet/eval"
	"bunraku/puppet/syntax"
	"bunraku/puppet/types"
	"bunraku/puppet/value"
	"bunraku/source"
)

var (
	record   = flag.Bool("record", false, "ask real Puppet for the answers of testdata/*/*.txtar")
	onlyCase = flag.String("case", "", "compare only the cases whose name matches")
)

// A testCase is one idea: a program, and what Puppet 7.23 makes of it. In the archive its files are NAME/site.pp (whose
// first line says the idea) or NAME/manifests/*.pp, NAME/modules/…, NAME/facts.json, NAME/enc.json (what a node
// classifier says), NAME/settings (lines `key: value`), and the answer, which only -record writes: NAME/want.json or
// NAME/want.err. Where Puppet 8.11 or an OpenVox answers otherwise than the one before it (languages), its own answer
// stands behind, for instance NAME/want.8.json.
type testCase struct {
	archive  string
	name     string // within the archive
	files    []txtar.File
	facts    json.RawMessage
	enc      json.RawMessage // nil for none
	settings map[string]string
	answers  map[string]*txtar.File // by language; none for those that answer as the one before
}

// languages are what cases are recorded for, each named with the one whose answers it mostly shares.
var languages = []struct {
	name, before string
	language     source.Language
}{{"7", "", source.Puppet7}, {"8", "7", source.Puppet8}, {"openvox8", "8", source.OpenVox8},
	{"openvox9", "openvox8", source.OpenVox9}}

// want is the recorded answer of a language.
func (c *testCase) want(language string) *txtar.File {
	for i := len(languages) - 1; i >= 0; i-- {
		if l := languages[i]; l.name == language {
			if w := c.answers[language]; w != nil {
				return w
			}
			language = l.before
		}
	}
	return nil
}

// answerFile reports which language's answer a file of a case is, if it is one.
func answerFile(name string) (language string, ok bool) {
	rest, ok := strings.CutPrefix(name, "want.")
	if !ok {
		return "", false
	}
	if language, _, ok = strings.Cut(rest, "."); !ok {
		language = "7"
	}
	return language, true
}

// answerName is the name of a language's answer: want.json for Puppet 7's, want.8.json for Puppet 8's.
func answerName(language, ending string) string {
	if language == "7" {
		return "want." + ending
	}
	return "want." + language + "." + ending
}

func (c *testCase) String() string { return strings.TrimSuffix(c.archive, ".txtar") + "/" + c.name }

func (c *testCase) node() string {
	if n := c.settings["node"]; n != "" {
		return n
	}
	return "default"
}

func (c *testCase) classifier() json.RawMessage {
	if c.enc == nil {
		return json.RawMessage("{}")
	}
	return c.enc
}

// loadCases reads every archive; the order is that of the files.
func loadCases(t *testing.T) []*testCase {
	t.Helper()
	archives, _ := filepath.Glob("testdata/*/*.txtar")
	only := regexp.MustCompile(*onlyCase)
	var cases []*testCase
	for _, path := range archives {
		a, err := txtar.ParseFile(path)
		if err != nil {
			t.Fatal(err)
		}
		name, _ := filepath.Rel("testdata", path)
		var c *testCase
		seen := map[string]bool{}
		for i, f := range a.Files {
			dir, rest, ok := strings.Cut(f.Name, "/")
			if !ok {
				t.Fatalf("%s: %s is not CASE/FILE", name, f.Name)
			}
			if c == nil || c.name != dir {
				if seen[dir] {
					t.Fatalf("%s: the case %s is there twice", name, dir)
				}
				seen[dir] = true
				c = &testCase{archive: filepath.ToSlash(name), name: dir, facts: json.RawMessage("{}"),
					settings: map[string]string{}, answers: map[string]*txtar.File{}}
				if only.MatchString(c.String()) {
					cases = append(cases, c)
				}
			}
			if language, ok := answerFile(rest); ok {
				c.answers[language] = &a.Files[i]
				continue
			}
			switch rest {
			case "facts.json":
				c.facts = f.Data
			case "enc.json":
				c.enc = f.Data
			case "settings":
				for _, line := range strings.Split(strings.TrimSpace(string(f.Data)), "\n") {
					k, v, _ := strings.Cut(line, ":")
					c.settings[strings.TrimSpace(k)] = strings.TrimSpace(v)
				}
			default:
				if len(c.files) == 0 && !bytes.HasPrefix(f.Data, []byte("# ")) {
					t.Fatalf("%s: %s does not begin with the idea of the case", name, f.Name)
				}
				c.files = append(c.files, txtar.File{Name: rest, Data: f.Data})
			}
		}
	}
	return cases
}

// An answer is what Puppet, or we, make of a case.
type answer struct {
	OK        bool              `json:"ok"`
	Error     string            `json:"error"`
	Errors    []string          `json:"errors"`
	Classes   []string          `json:"classes"`
	Tags      []string          `json:"tags"`
	Resources []json.RawMessage `json:"resources"`
	Edges     [][2]string       `json:"edges"`
	Logs      [][2]string       `json:"logs"`
}

// What every catalog has is left out of the records, unless it is not as it always is.
var usual = map[string]bool{
	`{"type":"Stage","title":"main","tags":["stage"],"exported":false,"kind":"compilable_type","parameters":{"name":"main"}}`: true,
	`{"type":"Class","title":"Settings","tags":["class","settings"],"exported":false,"kind":"unknown"}`:                       true,
	`{"type":"Class","title":"main","tags":["class"],"exported":false,"kind":"unknown","parameters":{"name":"main"}}`:         true,
	`["Stage[main]","Class[Settings]"]`: true,
	`["Stage[main]","Class[main]"]`:     true,
}

// text is the catalog as the records have it: Puppet's own JSON of each resource, one a line. Where a case asks for
// them, what was logged stands behind, each message once and without its place: Puppet repeats a warning in every round
// of a loop.
func (a *answer) text(logs bool) string {
	var b strings.Builder
	one := func(v any) string {
		var buf bytes.Buffer
		enc := json.NewEncoder(&buf)
		enc.SetEscapeHTML(false)
		if err := enc.Encode(v); err != nil {
			panic(err)
		}
		return strings.TrimSpace(buf.String())
	}
	list := func(name string, lines []string) {
		fmt.Fprintf(&b, ",\n%q:[", name)
		sep := "\n"
		for _, l := range lines {
			if !usual[l] {
				b.WriteString(sep + l)
				sep = ",\n"
			}
		}
		b.WriteString("]")
	}
	fmt.Fprintf(&b, "{\"classes\":%s,\n\"tags\":%s", one(a.Classes), one(a.Tags))
	var lines []string
	for _, r := range a.Resources {
		lines = append(lines, string(r))
	}
	list("resources", lines)
	lines = nil
	for _, e := range a.Edges {
		lines = append(lines, one(e))
	}
	list("edges", lines)
	if logs {
		lines = nil
		for _, l := range a.Logs {
			l[1] = places.ReplaceAllString(l[1], "")
			lines = append(lines, one(l))
		}
		slices.Sort(lines)
		list("logs", slices.Compact(lines))
	}
	b.WriteString("}\n")
	return b.String()
}

// wanted is the answer as a file of the archive.
func (c *testCase) wanted(language string, a *answer) txtar.File {
	if a.OK {
		return txtar.File{Name: c.name + "/" + answerName(language, "json"),
			Data: []byte(a.text(c.settings["logs"] == "true"))}
	}
	text := a.Error
	if strings.Contains(text, "Language validation logged") {
		text += "\n" + strings.Join(a.Errors, "\n")
	}
	return txtar.File{Name: c.name + "/" + answerName(language, "err"), Data: []byte(text + "\n")}
}

// askPuppet compiles the cases with a real Puppet, in one process.
func askPuppet(t *testing.T, o *live.Oracle, cases []*testCase) []*answer {
	t.Helper()
	type question struct {
		Name     string            `json:"name"`
		Files    map[string]string `json:"files"`
		Node     string            `json:"node"`
		Facts    json.RawMessage   `json:"facts"`
		Enc      json.RawMessage   `json:"enc"`
		Settings map[string]string `json:"settings"`
	}
	var qs []question
	for _, c := range cases {
		q := question{c.String(), map[string]string{}, c.node(), c.facts, c.classifier(), c.settings}
		for _, f := range c.files {
			q.Files[f.Name] = string(f.Data)
		}
		qs = append(qs, q)
	}
	in, err := json.Marshal(qs)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(o.Ruby(t, "testdata/oracle.rb", string(in))), "\n")
	if len(lines) != len(cases) {
		t.Fatalf("%d answers for %d cases", len(lines), len(cases))
	}
	out := make([]*answer, len(lines))
	for i, l := range lines {
		out[i] = &answer{}
		if err := json.Unmarshal([]byte(l), out[i]); err != nil {
			t.Fatalf("%s: %v", l, err)
		}
	}
	return out
}

// recordCases writes what a Puppet answers into the archives, where it is not what the one before it answered.
func recordCases(t *testing.T, language string, before string, cases []*testCase) {
	changed := map[string]bool{}
	for i, a := range askPuppet(t, oracle(t, language), cases) {
		c := cases[i]
		w := c.wanted(language, a)
		c.answers[language] = &w
		if b := c.want(before); b != nil && sameAnswer(b, &w) {
			delete(c.answers, language)
		}
		changed[c.archive] = true
	}
	of := map[string]*testCase{}
	for _, c := range cases {
		of[c.String()] = c
	}
	for name := range changed {
		path := filepath.Join("testdata", name)
		a, err := txtar.ParseFile(path)
		if err != nil {
			t.Fatal(err)
		}
		var files []txtar.File
		var last *testCase
		flush := func() {
			for _, l := range languages {
				if last != nil && last.answers[l.name] != nil {
					files = append(files, *last.answers[l.name])
				}
			}
		}
		for _, f := range a.Files {
			dir, rest, _ := strings.Cut(f.Name, "/")
			c := of[strings.TrimSuffix(name, ".txtar")+"/"+dir]
			if c != last {
				flush()
				last = c
			}
			if _, is := answerFile(rest); !is || c == nil {
				files = append(files, f)
			}
		}
		flush()
		a.Files = files
		if err := os.WriteFile(path, txtar.Format(a), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// oracle is the Puppet of a language.
func oracle(t *testing.T, language string) *live.Oracle {
	if language == "7" {
		return live.Installed(t)
	}
	return live.Other(t, language)
}

// sameAnswer compares two answers: both catalogs or both errors, and the same text.
func sameAnswer(a, b *txtar.File) bool {
	return strings.HasSuffix(a.Name, ".json") == strings.HasSuffix(b.Name, ".json") && string(a.Data) == string(b.Data)
}

// caseWorld has the files of one case.
type caseWorld struct {
	*mapWorld
	files map[string]string
	trees map[string]*syntax.File
	opt   syntax.Options
}

func (w *caseWorld) parse(path string) (*syntax.File, source.Diagnostics) {
	if f := w.trees[path]; f != nil {
		return f, nil
	}
	text, ok := w.files[path]
	if !ok {
		return nil, nil
	}
	parse := syntax.Parse
	if strings.HasSuffix(path, ".epp") {
		parse = syntax.ParseEPP
	}
	f, ds := parse(source.NewFile(path, text), w.opt)
	if !ds.HasErrors() {
		ds = append(ds, syntax.Validate(f, w.opt)...)
		ds = append(ds, syntax.ValidatePlacement(f, path, syntax.Site{ModulePath: []string{"modules"},
			Manifest: "manifests"})...)
	}
	w.trees[path] = f
	return f, ds
}

func (w *caseWorld) Manifest(module, rest string) (*syntax.File, source.Diagnostics) {
	if rest == "" {
		rest = "init"
	}
	return w.parse("modules/" + module + "/manifests/" + strings.ReplaceAll(rest, "::", "/") + ".pp")
}

func (w *caseWorld) FunctionFile(name string) (*syntax.File, source.Diagnostics) {
	module, rest, ok := strings.Cut(name, "::")
	if !ok {
		rest = module
	}
	return w.parse("modules/" + module + "/functions/" + strings.ReplaceAll(rest, "::", "/") + ".pp")
}

func (w *caseWorld) TypeFile(name string) (*syntax.File, source.Diagnostics) {
	module, rest, ok := strings.Cut(strings.ToLower(name), "::")
	if !ok {
		rest = "init"
	}
	return w.parse("modules/" + module + "/types/" + strings.ReplaceAll(rest, "::", "/") + ".pp")
}

func (w *caseWorld) Template(name string) (*syntax.File, source.Diagnostics) {
	module, rest, _ := strings.Cut(name, "/")
	return w.parse("modules/" + module + "/templates/" + rest)
}

func (w *caseWorld) Module(f *syntax.File) string {
	if rest, ok := strings.CutPrefix(f.Source.Name, "modules/"); ok {
		module, _, _ := strings.Cut(rest, "/")
		return module
	}
	return ""
}

// compileCase compiles a case with our evaluator.
func compileCase(t *testing.T, c *testCase, language source.Language, trace bool) (*eval.Result, source.Diagnostics) {
	t.Helper()
	set := eval.Language(language)
	set.Trace = trace
	if v := c.settings["strict_variables"]; v != "" {
		set.StrictVariables = v == "true"
	}
	if v := c.settings["strict"]; v != "" {
		var err error
		if set.Strict, err = source.ParseStrictness(v); err != nil {
			t.Fatal(err)
		}
	}
	w := &caseWorld{newMapWorld(language), map[string]string{}, map[string]*syntax.File{},
		syntax.Options{Strict: set.Strict, Language: language}}
	var main []*syntax.File
	var all source.Diagnostics
	for _, f := range c.files {
		w.files[f.Name] = string(f.Data)
	}
	for _, f := range c.files {
		if f.Name == "site.pp" || strings.HasPrefix(f.Name, "manifests/") {
			tree, ds := w.parse(f.Name)
			all = append(all, ds...)
			main = append(main, tree)
		}
	}
	if all.HasErrors() {
		return nil, all
	}
	facts, err := catalog.ReadJSON(c.facts)
	if err != nil {
		t.Fatalf("%s: facts: %v", c, err)
	}
	host, domain, _ := strings.Cut(c.node(), ".")
	var domainValue value.Value = value.Undef{}
	if domain != "" {
		domainValue = value.String(domain)
	}
	str := func(s string) value.Value { return value.String(s) }
	facts = sanitized(facts)
	in := eval.Input{Node: c.node(), Environment: "production", Main: main, Settings: set, Facts: facts.(*value.Hash),
		Trusted: hashOf("authenticated", str("remote"), "certname", str(c.node()), "extensions", value.EmptyHash, "hostname",
			str(host),
			"domain", domainValue, "external", value.EmptyHash),
		ServerFacts: hashOf("serverversion", str(language.Version()), "servername", str("puppet.example.com"), "serverip",
			str("192.0.2.1"), "environment", str("production"))}
	enc, err := catalog.ReadJSON(c.classifier())
	if err != nil {
		t.Fatalf("%s: enc: %v", c, err)
	}
	if e := enc.(*value.Hash).EntryString("parameters"); e != nil {
		in.Parameters = e.Value.(*value.Hash)
	}
	if e := enc.(*value.Hash).EntryString("classes"); e != nil {
		switch v := e.Value.(type) {
		case *value.Array:
			for _, x := range v.Elems {
				in.Classes = append(in.Classes, eval.Assigned{Name: value.ToString(x)})
			}
		case *value.Hash:
			for _, x := range v.Entries() {
				params, _ := x.Value.(*value.Hash)
				in.Classes = append(in.Classes, eval.Assigned{Name: value.ToString(x.Key), Params: params})
			}
		}
	}
	return eval.Compile(w, in), all
}

// sanitized facts have the empty string for null, as package facts reads them.
func sanitized(v value.Value) value.Value {
	switch v := v.(type) {
	case value.Undef:
		return value.String("")
	case *value.Array:
		b := value.NewArrayBuilder(len(v.Elems))
		for _, x := range v.Elems {
			b.AddRef(sanitized(x), 0)
		}
		return b.Array()
	case *value.Hash:
		b := value.NewHashBuilder(v.Len())
		for _, e := range v.Entries() {
			b.SetString(value.ToString(e.Key), sanitized(e.Value))
		}
		return b.Hash()
	}
	return v
}

func hashOf(pairs ...any) *value.Hash {
	b := value.NewHashBuilder(len(pairs) / 2)
	for i := 0; i < len(pairs); i += 2 {
		b.SetString(pairs[i].(string), pairs[i+1].(value.Value))
	}
	return b.Hash()
}

// answerOf is our catalog as an answer.
func answerOf(t *testing.T, c *catalog.Catalog, res *eval.Result, ds source.Diagnostics) *answer {
	a := &answer{OK: true, Classes: c.Classes, Tags: c.Tags}
	for _, r := range c.Resources {
		text, err := catalog.JSON{Types: types.ToData}.AppendResource(nil, r)
		if err != nil {
			t.Fatal(err)
		}
		a.Resources = append(a.Resources, text)
	}
	for _, e := range c.Edges {
		a.Edges = append(a.Edges, [2]string{e.Source.Ref(), e.Target.Ref()})
	}
	for _, l := range res.Logs {
		if l.Level != "debug" && l.Level != "info" { // what a server hears by default
			a.Logs = append(a.Logs, [2]string{l.Level, l.Text})
		}
	}
	for _, d := range append(ds, res.Warnings...) {
		a.Logs = append(a.Logs, [2]string{"warning", d.Summary})
	}
	return a
}

// compareCase says how our answer differs from the recorded one, "" when it does not.
func compareCase(t *testing.T, c *testCase, language source.Language, trace bool) (why string) {
	t.Helper()
	defer func() {
		if p := recover(); p != nil {
			why = fmt.Sprintf("panic: %v", p)
		}
	}()
	answer := c.want(language.String())
	if answer == nil {
		return "no answer recorded"
	}
	res, ds := compileCase(t, c, language, trace)
	want := string(answer.Data)
	if strings.HasSuffix(answer.Name, ".json") {
		if ds.HasErrors() {
			return "does not parse: " + ds[0].String()
		}
		if res.Failure != nil {
			return "fails: " + res.Failure.String()
		}
		if got := answerOf(t, res.Catalog, res, ds).text(c.settings["logs"] == "true"); got != want {
			return "catalogs differ\n" + lineDiff(got, want)
		}
		return ""
	}
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
		return "compiles, but Puppet says: " + want
	}
	lines := strings.Split(strings.TrimSpace(want), "\n")
	if len(lines) == 1 || !strings.Contains(lines[0], "Language validation logged") {
		return sameError(got, strings.TrimSpace(want))
	}
	for _, l := range lines[1:] {
		if why = sameError(got, l); why == "" {
			return ""
		}
	}
	return why
}

// lineDiff shows the lines that only one of two texts has.
func lineDiff(got, want string) string {
	var b strings.Builder
	only := func(mark, a, other string) {
		has := map[string]int{}
		for _, l := range strings.Split(other, "\n") {
			has[strings.TrimRight(l, ",]}")]++
		}
		for _, l := range strings.Split(a, "\n") {
			if k := strings.TrimRight(l, ",]}"); has[k] > 0 {
				has[k]--
			} else {
				b.WriteString(mark + l + "\n")
			}
		}
	}
	only("  got  ", got, want)
	only("  want ", want, got)
	if b.Len() == 0 {
		return "  the order of lines differs\n" + got + want
	}
	return b.String()
}

// TestScoreCases compares what we make of every case with what each Puppet made of it when it was recorded. Tracing
// must change nothing.
func TestScoreCases(t *testing.T) {
	for _, l := range languages {
		t.Run(l.name, func(t *testing.T) {
			cases := loadCases(t)
			if *record {
				recordCases(t, l.name, l.before, cases)
				cases = loadCases(t)
			}
			good := 0
			for _, c := range cases {
				if why := compareCase(t, c, l.language, false); why != "" {
					t.Errorf("%s: %s", c, why)
					continue
				}
				good++
				if l.language > source.Puppet8 {
					continue // traced as in 8
				}
				if why := compareCase(t, c, l.language, true); why != "" {
					t.Errorf("%s, traced: %s", c, why)
				}
			}
			t.Logf("score: cases, %s %d/%d", l.language.Title(), good, len(cases))
		})
	}
}

// TestRecordsAreTrue asks every Puppet again that is there.
func TestRecordsAreTrue(t *testing.T) {
	for _, l := range languages {
		t.Run(l.name, func(t *testing.T) {
			o := oracle(t, l.name)
			cases := loadCases(t)
			for i, a := range askPuppet(t, o, cases) {
				c := cases[i]
				w := c.wanted(l.name, a)
				if was := c.want(l.name); was == nil || !sameAnswer(was, &w) {
					t.Errorf("%s: Puppet says now\n%s", c, w.Data)
				}
			}
		})
	}
}
