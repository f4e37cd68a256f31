package template

import (
	"encoding/json"
	"flag"
	"fmt"
	"hash/fnv"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"bunraku/internal/live"
	"bunraku/puppet/ruby"
	"bunraku/puppet/value"
	"bunraku/source"
)

type job struct {
	File string          `json:"file,omitempty"`
	Text string          `json:"text,omitempty"`
	Vars json.RawMessage `json:"vars"`
}

type answer struct {
	Text  *string
	Error string
	Line  int
}

func ask(t testing.TB, jobs []job) []answer {
	t.Helper()
	in, err := json.Marshal(jobs)
	if err != nil {
		t.Fatal(err)
	}
	var out []answer
	if err := json.Unmarshal([]byte(live.Ruby(t, "testdata/oracle.rb", string(in))), &out); err != nil {
		t.Fatal(err)
	}
	return out
}

// asJSON keeps the order of hashes, which encoding/json's maps would not.
func asJSON(v value.Value) string {
	switch v := v.(type) {
	case value.Undef:
		return "null"
	case *value.Array:
		var parts []string
		for _, e := range v.Elems {
			parts = append(parts, asJSON(e))
		}
		return "[" + strings.Join(parts, ",") + "]"
	case value.Default:
		return odd("default", `""`)
	case *value.Regexp:
		return odd("regexp", asJSON(value.String(v.Source)))
	case *value.Hash:
		if slices.ContainsFunc(v.Entries(), func(e value.Entry) bool { _, text := e.Key.(value.String); return !text }) {
			var pairs []string
			for _, e := range v.Entries() {
				pairs = append(pairs, "["+asJSON(e.Key)+","+asJSON(e.Value)+"]")
			}
			return odd("hash", "["+strings.Join(pairs, ",")+"]")
		}
		var parts []string
		for _, e := range v.Entries() {
			parts = append(parts, asJSON(value.String(value.ToString(e.Key)))+":"+asJSON(e.Value))
		}
		return "{" + strings.Join(parts, ",") + "}"
	case value.String:
		b, _ := json.Marshal(string(v))
		return string(b)
	}
	return value.ToString(v)
}

// odd is a value that JSON has no form for.
func odd(kind, value string) string { return `{"\u0000":["` + kind + `",` + value + `]}` }

var addresses = regexp.MustCompile(`0x[0-9a-f]{8,}`)

// render renders with us, in the shape of the oracle's answers. err is set when we say that we cannot.
func render(rt *ruby.Runtime, t *Template, vars *value.Hash, name string) (a answer, err error) {
	limits := ruby.DefaultLimits()
	r, err := t.Render(&mapHost{vars: vars}, Options{Runtime: rt, Limits: limits, Name: name})
	if err != nil {
		d := err.(*source.Diagnostic)
		if d.Code != CodeRaised {
			return a, err
		}
		_, detail, _ := strings.Cut(d.Summary, "\n  Detail: ")
		if name == "" {
			_, detail, _ = strings.Cut(d.Summary, "inline template: ")
		}
		return answer{Error: addresses.ReplaceAllString(strings.TrimSuffix(detail, "\n"), "0x0"), Line: lineOf(d)}, nil
	}
	return answer{Text: &r.Text}, nil
}

// lineOf is the line that the error tells.
func lineOf(d *source.Diagnostic) int {
	if m := regexp.MustCompile(`\n  Line: (\d+)\n`).FindStringSubmatch(d.Summary); m != nil {
		n, _ := strconv.Atoi(m[1])
		return n
	}
	return d.Place.Line()
}

var (
	sets  = flag.Int("sets", 0, "how many sets of variables each template is rendered with")
	first = flag.Int("first", 0, "the number of the first set")
)

func setsPerTemplate() int {
	if *sets > 0 {
		return *sets
	}
	if os.Getenv("BUNRAKU_ACCEPT") != "" {
		return 60
	}
	return 12
}

// Every template of Debian's modules renders as Ruby's ERB renders it. Bar: at least 97 % of the files without anything
// unsupported, and all that is rendered byte-equal. A template that raises in both counts as equal; how often even the
// message and line agree is told as well.
func TestScoreTemplates(t *testing.T) {
	files := live.Files(t, ".erb")
	rt := ruby.NewRuntime()
	type run struct {
		file string
		tmpl *Template
		vars *value.Hash
	}
	var runs []run
	var jobs []job
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		tmpl := Parse(source.NewFile(name, string(text)))
		kinds := kinds(string(text), variableNames(string(text)))
		for n := *first; n < *first+setsPerTemplate(); n++ {
			h := fnv.New64a()
			fmt.Fprintf(h, "%s %d", strings.TrimPrefix(name, live.ModulesDir), n)
			vars := variables(string(text), kinds, n, int64(h.Sum64()>>1))
			runs = append(runs, run{name, tmpl, vars})
			jobs = append(jobs, job{File: name, Vars: json.RawMessage(asJSON(vars))})
		}
	}
	want := ask(t, jobs)
	unable := map[string]string{}
	var rendered, raised, sameError, wrong, shown int
	for i, r := range runs {
		got, err := render(rt, r.tmpl, r.vars, "x")
		short := strings.TrimPrefix(r.file, live.ModulesDir+"/")
		if err != nil {
			if want[i].Text == nil && strings.HasPrefix(want[i].Error, "SyntaxError") &&
				err.(*source.Diagnostic).Code == CodeSyntax {
				raised++
				sameError++
				continue
			}
			if unable[r.file] == "" {
				t.Logf("cannot: %s: %v", short, err)
			}
			unable[r.file] = err.Error()
			continue
		}
		switch {
		case got.Text != nil && want[i].Text != nil && *got.Text == *want[i].Text:
			rendered++
		case got.Text == nil && want[i].Text == nil:
			raised++
			_, msg, _ := strings.Cut(want[i].Error, ": ")
			if got.Error == msg && got.Line == want[i].Line {
				sameError++
			} else if shown++; shown <= 15 {
				t.Logf("%s: another error\n  ours: %d: %s\n  Ruby: %d: %s", short, got.Line, got.Error, want[i].Line, want[i].Error)
			}
		default:
			if wrong++; wrong <= 15 {
				t.Errorf("%s\n  vars %s\n%s", short, asJSON(r.vars), difference(got, want[i]))
			}
		}
	}
	ok := len(files) - len(unable)
	t.Logf("score: templates %d/%d", ok, len(files))
	t.Logf("score: template renderings byte-equal %d/%d", rendered, rendered+wrong)
	t.Logf("score: template errors with the same text and line %d/%d", sameError, raised)
	if ok*100 < len(files)*97 {
		t.Errorf("only %d of %d templates need no Ruby; the bar is 97 %%", ok, len(files))
	}
	if wrong > 0 {
		t.Errorf("%d renderings differ", wrong)
	}
}

func difference(got, want answer) string {
	show := func(a answer) string {
		if a.Text == nil {
			return fmt.Sprintf("error at %d: %s", a.Line, a.Error)
		}
		return fmt.Sprintf("%q", *a.Text)
	}
	a, b := show(got), show(want)
	i := 0
	for i < len(a) && i < len(b) && a[i] == b[i] {
		i++
	}
	cut := func(s string) string {
		from := max(0, i-60)
		return s[from:min(len(s), i+100)]
	}
	if got.Text != nil && want.Text != nil {
		return "  ours …" + cut(a) + "\n  Ruby …" + cut(b)
	}
	return "  ours " + a[:min(len(a), 300)] + "\n  Ruby " + b[:min(len(b), 300)]
}
