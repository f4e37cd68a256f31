package compiler_test

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"bunraku/internal/live"
	"bunraku/puppet/catalog"
	"bunraku/puppet/compiler"
	"bunraku/puppet/eval"
	"bunraku/puppet/facts"
	"bunraku/puppet/types"
	"bunraku/puppet/value"
	"bunraku/source"
)

var record = flag.Bool("record", false, "ask real Puppets for the answers of testdata/languages")

// languages are the Puppets whose answers are recorded; one that answers as the one before it has no answer of its own.
var languages = []source.Language{source.Puppet7, source.Puppet8, source.OpenVox8, source.OpenVox9}

// A languageCase is a small site about something that differs between Puppets, or might. In the archives of
// testdata/languages its files are NAME/manifests/site.pp and whatever else an environment has, NAME/facts.json,
// NAME/settings (lines `key: value` with strict and strict_variables), and the answers, which only -record writes:
// NAME/want.7, NAME/want.8 and so on. An answer is the error, or the resources, one a line, with what was warned of.
type languageCase struct {
	archive, name string
	settings      map[string]string
	answers       map[source.Language]string
	dir           string
}

func (c *languageCase) String() string { return c.archive + "/" + c.name }

// want is what a language answers.
func (c *languageCase) want(l source.Language) string {
	for i := slices.Index(languages, l); i >= 0; i-- {
		if a, is := c.answers[languages[i]]; is {
			return a
		}
	}
	return ""
}

func languageCases(t *testing.T) (cases []*languageCase) {
	t.Helper()
	archives, err := filepath.Glob(filepath.Join("testdata", "languages", "*.txtar"))
	if err != nil || len(archives) == 0 {
		t.Fatal("no cases", err)
	}
	root := t.TempDir()
	for _, path := range archives {
		a, err := txtar.ParseFile(path)
		if err != nil {
			t.Fatal(err)
		}
		var c *languageCase
		for _, f := range a.Files {
			name, rest, _ := strings.Cut(f.Name, "/")
			if c == nil || c.name != name {
				c = &languageCase{archive: strings.TrimSuffix(filepath.Base(path), ".txtar"), name: name,
					settings: map[string]string{}, answers: map[source.Language]string{}}
				c.dir = filepath.Join(root, c.archive, name, "production")
				cases = append(cases, c)
			}
			if language, is := strings.CutPrefix(rest, "want."); is {
				l, err := source.ParseLanguage(language)
				if err != nil {
					t.Fatal(err)
				}
				c.answers[l] = string(f.Data)
				continue
			}
			if rest == "settings" {
				for line := range strings.Lines(string(f.Data)) {
					k, v, _ := strings.Cut(line, ":")
					c.settings[k] = strings.TrimSpace(v)
				}
				continue
			}
			write(t, c.dir, map[string]string{rest: string(f.Data)})
		}
	}
	return cases
}

// askLanguages asks a Puppet about the cases.
func askLanguages(t *testing.T, o *live.Oracle, cases []*languageCase) []string {
	t.Helper()
	var in []string
	for _, c := range cases {
		line := c.dir
		for _, k := range []string{"strict", "strict_variables"} {
			if v := c.settings[k]; v != "" {
				line += " " + k + "=" + v
			}
		}
		in = append(in, line)
	}
	lines := strings.Split(strings.TrimSpace(o.Ruby(t, filepath.Join("testdata", "said.rb"), strings.Join(in, "\n"))),
		"\n")
	if len(lines) != len(cases) {
		t.Fatalf("%d answers for %d cases", len(lines), len(cases))
	}
	out := make([]string, len(lines))
	for i, line := range lines {
		var a struct {
			Error     *string
			Warnings  []string
			Resources []string
		}
		if err := json.Unmarshal([]byte(line), &a); err != nil {
			t.Fatal(err)
		}
		out[i] = strings.ReplaceAll(sayAll(a.Error, a.Warnings, a.Resources), cases[i].dir+"/", "")
	}
	return out
}

// sayAll is an answer as it is recorded. How often something is warned of, and in which order, is no matter.
func sayAll(err *string, warnings, resources []string) string {
	var b strings.Builder
	if err != nil {
		fmt.Fprintf(&b, "error: %s\n", strings.ReplaceAll(*err, "\n", "\n\t"))
	}
	var said []string
	for _, w := range warnings {
		said = append(said, "warning: "+strings.ReplaceAll(words(w), "\n", " ")+"\n")
	}
	slices.Sort(said)
	for _, w := range slices.Compact(said) {
		b.WriteString(w)
	}
	for _, r := range resources {
		b.WriteString(r + "\n")
	}
	return b.String()
}

// answerIn is our answer, and the failure if it is one.
func (c *languageCase) answerIn(t *testing.T, l source.Language) (string, *source.Diagnostic) {
	t.Helper()
	opt := compiler.Options{Language: l, Strict: c.settings["strict"], ServerFacts: value.EmptyHash}
	if v := c.settings["strict_variables"]; v != "" {
		is := v == "true"
		opt.StrictVariables = &is
	}
	ws, err := compiler.NewWorkspace(c.dir, opt).Open(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	defer ws.Close()
	node := compiler.Node{Name: "n.example.com"}
	if text, err := os.ReadFile(filepath.Join(c.dir, "facts.json")); err == nil {
		if node.Facts, err = facts.Parse(source.NewFile("facts.json", string(text)), node.Name); err != nil {
			t.Fatal(err)
		}
		node.Facts.Name = node.Name
	}
	res, err := ws.Compile(context.Background(), node)
	if err != nil {
		t.Fatal(err)
	}
	if res.Failure != nil {
		res.Failure.Summary = strings.ReplaceAll(res.Failure.Summary, c.dir+"/", "")
	}
	return strings.ReplaceAll(sayAll(nil, warned(res), wireLines(t, res.Catalog)), c.dir+"/", ""), res.Failure
}

func warned(res *eval.Result) (out []string) {
	for _, w := range res.Warnings {
		if w.Severity == source.Warning {
			out = append(out, w.Summary)
		}
	}
	for _, l := range res.Logs {
		if l.Level == "warning" {
			out = append(out, l.Text)
		}
	}
	return out
}

func wireLines(t *testing.T, c *catalog.Catalog) (out []string) {
	t.Helper()
	if c == nil {
		return nil
	}
	for _, r := range c.Resources {
		if ref := r.Ref(); ref == "Stage[main]" || ref == "Class[Settings]" || ref == "Class[main]" {
			continue
		}
		text, err := catalog.JSON{Types: types.ToData}.AppendResource(nil, r)
		if err != nil {
			t.Fatal(err)
		}
		var wire struct {
			Type, Title string
			Tags        json.RawMessage
			Parameters  json.RawMessage
			Sensitive   json.RawMessage `json:"sensitive_parameters"`
		}
		if err := json.Unmarshal(text, &wire); err != nil {
			t.Fatal(err)
		}
		line := fmt.Sprintf("%s[%s] %s %s", wire.Type, wire.Title, wire.Tags, wire.Parameters)
		if wire.Sensitive != nil {
			line += " sensitive " + string(wire.Sensitive)
		}
		out = append(out, strings.ReplaceAll(line, "\n", "\\n"))
	}
	return out
}

// differsFrom says how our answer differs from a recorded one, "" when it does not.
func (c *languageCase) differsFrom(t *testing.T, l source.Language, want string) (why string) {
	defer func() {
		if p := recover(); p != nil {
			why = fmt.Sprintf("panic: %v", p)
		}
	}()
	got, failure := c.answerIn(t, l)
	refused, is := strings.CutPrefix(want, "error: ")
	if !is {
		if failure != nil {
			return "fails: " + failure.String() + "\n  Puppet: " + want
		}
		if got != want {
			return "ours:\n" + got + "Puppet's:\n" + want
		}
		return ""
	}
	refused, warnings := cutWarnings(refused)
	if failure == nil {
		return "compiles, but Puppet says: " + refused + "\n" + got
	}
	if why := sameMessage(failure, refused); why != "" {
		return why
	}
	places := []*source.Diagnostic{failure}
	for _, r := range failure.Related { // where Puppet names the data, we name it beside the call
		places = append(places, &source.Diagnostic{Place: r.Place})
	}
	if !slices.ContainsFunc(places, func(d *source.Diagnostic) bool { return samePlace(d, refused) == "" }) {
		return samePlace(failure, refused)
	}
	if got != warnings {
		return "ours:\n" + got + "Puppet's:\n" + warnings
	}
	return ""
}

// cutWarnings parts the message of an error from what was warned of before it.
func cutWarnings(answer string) (message, warnings string) {
	message, warnings, _ = strings.Cut(answer, "\nwarning: ")
	if warnings != "" {
		warnings = "warning: " + warnings
	}
	return strings.ReplaceAll(strings.TrimSuffix(message, "\n"), "\n\t", "\n"), warnings
}

// TestScoreLanguages compares what we make of the cases with what each Puppet made of them when they were recorded.
func TestScoreLanguages(t *testing.T) {
	cases := languageCases(t)
	if *record {
		recordLanguages(t, cases)
	}
	for _, l := range languages {
		t.Run(l.String(), func(t *testing.T) {
			good := 0
			for _, c := range cases {
				if why := c.differsFrom(t, l, c.want(l)); why != "" {
					t.Errorf("%s: %s", c, why)
					continue
				}
				good++
			}
			t.Logf("score: cases about what differs between languages, %s %d/%d", l.Title(), good, len(cases))
		})
	}
}

// recordLanguages writes the answers of every Puppet that is there into the archives.
func recordLanguages(t *testing.T, cases []*languageCase) {
	t.Helper()
	for i, l := range languages {
		o := live.Installed(t)
		if l != source.Puppet7 {
			o = live.Other(t, l.String())
		}
		for j, a := range askLanguages(t, o, cases) {
			c := cases[j]
			delete(c.answers, l)
			if i == 0 || c.want(languages[i-1]) != a {
				c.answers[l] = a
			}
		}
	}
	of := map[string]*languageCase{}
	for _, c := range cases {
		of[c.String()] = c
	}
	archives, _ := filepath.Glob(filepath.Join("testdata", "languages", "*.txtar"))
	for _, path := range archives {
		a, err := txtar.ParseFile(path)
		if err != nil {
			t.Fatal(err)
		}
		var files []txtar.File
		var last *languageCase
		flush := func() {
			for _, l := range languages {
				if last == nil {
					continue
				}
				if text, is := last.answers[l]; is {
					files = append(files, txtar.File{Name: last.name + "/want." + l.String(), Data: []byte(text)})
				}
			}
		}
		for _, f := range a.Files {
			name, rest, _ := strings.Cut(f.Name, "/")
			if c := of[strings.TrimSuffix(filepath.Base(path), ".txtar")+"/"+name]; c != last {
				flush()
				last = c
			}
			if !strings.HasPrefix(rest, "want.") {
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

// TestScoreSites8 compiles the sites and the refusals as Puppet 8 does, which must be there: the same catalogs, or the
// same errors.
func TestScoreSites8(t *testing.T) {
	o := live.Other(t, "8")
	dirs := append(live.Sites(t), live.Refusals(t)...)
	equal, refused := 0, 0
	for i, answer := range o.Compile(t, dirs) {
		why, failed := compareAnswer(t, dirs[i], answer, compiler.Options{Language: source.Puppet8})
		if failed {
			refused++
		}
		if why != "" {
			t.Errorf("%s: %s", filepath.Base(dirs[i]), why)
			continue
		}
		equal++
	}
	t.Logf("score: sites and refusals, Puppet 8 %d/%d (%d of them refused)", equal, len(dirs), refused)
}
