package diff

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"bunraku/puppet/catalog"
)

var recording = flag.Bool("record", false, "ask octocatalog-diff and write testdata/octocatalog.json")

// A question is what octocatalog-diff is asked.
type question struct {
	From  []any               `json:"from"`
	To    []any               `json:"to"`
	Args  []string            `json:"args"`
	Rules []map[string]string `json:"rules,omitempty"` // expressions that are already taken apart
}

// An octoCase is a question about two of the catalogs below, and the answer.
type octoCase struct {
	On   string   `json:"on"`
	Args []string `json:"args"`
	// Differs says why our answer is another one; Means is the question whose answer it is, Want the answer where
	// octocatalog-diff gives it to no question.
	Differs string              `json:"differs,omitempty"`
	Means   []string            `json:"means,omitempty"`
	Rules   []map[string]string `json:"rules,omitempty"` // of Means
	Want    []string            `json:"want,omitempty"`
	// The answer, and that to Means: what is left.
	Left  []string `json:"left"`
	Meant []string `json:"meant,omitempty"`
	// Diff is all of the answer, where there are no arguments.
	Diff json.RawMessage `json:"diff,omitempty"`
}

type octoGolden struct {
	Catalogs map[string][2][]any `json:"catalogs"` // from, to
	Cases    []*octoCase         `json:"cases"`
	Random   []string            `json:"random"` // digests of the answers
}

const octoFile = "testdata/octocatalog.json"

// randomCases is how many questions are made up.
const randomCases = 1000

// ask asks octocatalog-diff.
func ask(t *testing.T, list []question) []json.RawMessage {
	t.Helper()
	clone := filepath.Join(os.Getenv("BUNRAKU_FETCHED"), "octocatalog-diff")
	if _, err := os.Stat(filepath.Join(clone, "lib")); err != nil {
		t.Skip("octocatalog-diff is not fetched: set BUNRAKU_FETCHED (bench/fetched.txt says what belongs there)")
	}
	in, err := json.Marshal(map[string]any{"cases": list})
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("ruby", filepath.Join("testdata", "octocatalog.rb"))
	cmd.Env = append(os.Environ(), "OCTOCATALOG="+clone)
	cmd.Stdin, cmd.Stderr = bytes.NewReader(in), os.Stderr
	text, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	var out []json.RawMessage
	if err := json.Unmarshal(text, &out); err != nil || len(out) != len(list) {
		t.Fatalf("%v: %.300s", err, text)
	}
	return out
}

// all are the arguments that every question has: by default octocatalog-diff has this filter, and we have none.
func (q question) all() question {
	q.Args = append([]string{"--no-suppress-absent-file-details"}, q.Args...)
	return q
}

// diffOf is the list of an answer, one JSON a difference, sorted; that it refused to answer is one, too.
func diffOf(t *testing.T, answer json.RawMessage) []string {
	t.Helper()
	var a struct {
		Diff  []any
		Error string
	}
	if err := exactly(answer, &a); err != nil {
		t.Fatal(err)
	}
	if a.Error != "" {
		return []string{"error"}
	}
	out := []string{}
	for _, d := range a.Diff {
		text, _ := json.Marshal(d)
		out = append(out, string(text))
	}
	slices.Sort(out)
	return out
}

// brief is each difference as people write it: ~ File[/a]::parameters::mode.
func brief(diffs []string) []string {
	out := []string{}
	for _, d := range diffs {
		var x []any
		if json.Unmarshal([]byte(d), &x) != nil {
			out = append(out, d)
			continue
		}
		key := strings.SplitN(x[1].(string), "\f", 3)
		text := fmt.Sprintf("%s %s[%s]", x[0], key[0], key[1])
		if len(key) > 2 {
			text += "::" + strings.ReplaceAll(key[2], "\f", "::")
		}
		out = append(out, text)
	}
	slices.Sort(out)
	return out
}

// ours is our answer to a question, in the same form. What only we tell is left out first.
func ours(t *testing.T, q question) []string {
	t.Helper()
	opt := Options{}
	var err error
	var ignore, attrs, filters []string
	for i := 0; i < len(q.Args); i += 2 {
		switch v := q.Args[i+1]; q.Args[i] {
		case "--ignore":
			ignore = append(ignore, v)
		case "--ignore-attr":
			attrs = append(attrs, v)
		case "--ignore-tags":
			opt.IgnoreTags = append(opt.IgnoreTags, strings.Split(v, ",")...)
		case "--filters":
			filters = append(filters, v)
		default:
			t.Fatal(q.Args)
		}
	}
	if opt.Ignore, err = ParseRules(append(ignore, "Class[*]")); err != nil {
		return []string{"error"}
	}
	more, err := AttributeRules(append(attrs, "::parameters::before,::parameters::require"))
	if err != nil {
		return []string{"error"}
	}
	opt.Ignore = append(opt.Ignore, more...)
	if opt.Filters, err = ParseFilters(filters); err != nil {
		return []string{"error"}
	}
	read := func(resources []any) Side {
		text, _ := json.Marshal(map[string]any{"name": "node", "resources": resources})
		c, err := catalog.Read(text)
		if err != nil {
			t.Fatal(err)
		}
		return Side{Catalog: c}
	}
	out := []string{}
	for _, c := range Compare(read(q.From), read(q.To), opt) {
		for _, d := range c.octocatalog() {
			text, _ := json.Marshal(d)
			var x any
			_ = exactly(text, &x) // so that keys are in order
			text, _ = json.Marshal(x)
			out = append(out, string(text))
		}
	}
	slices.Sort(out)
	return out
}

func digest(lines []string) string {
	sum := sha256.Sum256([]byte(strings.Join(lines, "\n")))
	return hex.EncodeToString(sum[:6])
}

// Every expression, flag and filter that octocatalog-diff documents, and many that nobody wrote, leave what it leaves.
func TestOctocatalog(t *testing.T) {
	g := &octoGolden{Catalogs: octoCatalogs(), Cases: octoCases()}
	if *recording {
		g.record(t)
	}
	text, err := os.ReadFile(octoFile)
	if err != nil {
		t.Fatal(err)
	}
	var was octoGolden
	if err := exactly(text, &was); err != nil {
		t.Fatal(err)
	}
	if len(was.Cases) != len(g.Cases) || len(was.Random) != randomCases {
		t.Fatal("the cases are others than those that were recorded")
	}
	for i, c := range was.Cases {
		if c.On != g.Cases[i].On || !slices.Equal(c.Args, g.Cases[i].Args) {
			t.Fatalf("%v was not recorded", g.Cases[i].Args)
		}
		on := was.Catalogs[c.On]
		got := ours(t, question{From: on[0], To: on[1], Args: c.Args})
		want := c.Left
		switch {
		case c.Differs != "" && c.Want != nil:
			want = c.Want
		case c.Differs != "":
			want = c.Meant
		}
		if c.Differs != "" && slices.Equal(want, c.Left) {
			t.Errorf("%s %v: octocatalog-diff does the same: there is no difference", c.On, c.Args)
		}
		if !slices.Equal(brief(got), want) {
			t.Errorf("%s %v:\n%s", c.On, c.Args, delta(brief(got), want))
		}
		if c.Diff != nil && c.Differs == "" {
			if want := diffOf(t, c.Diff); !slices.Equal(got, want) {
				t.Errorf("%s %v:\n%s", c.On, c.Args, delta(got, want))
			}
		}
	}
	bad, does := 0, 0
	for i, want := range was.Random {
		q := randomQuestion(uint64(i))
		got := ours(t, q)
		if !slices.Equal(got, ours(t, question{From: q.From, To: q.To})) {
			does++
		}
		if digest(got) != want {
			if bad++; bad <= 5 {
				text, _ := json.Marshal(q)
				t.Errorf("random %d: %s\nwe leave\n%s", i, text, strings.Join(got, "\n"))
			}
		}
	}
	if does < randomCases/2 {
		t.Errorf("only %d of %d random questions leave something out", does, randomCases)
	}
	if bad > 0 {
		t.Errorf("%d of %d random questions have another answer", bad, randomCases)
	}
}

// delta is in what two answers differ.
func delta(got, want []string) string {
	var out []string
	for _, x := range want {
		if !slices.Contains(got, x) {
			out = append(out, "it leaves, we do not:  "+x)
		}
	}
	for _, x := range got {
		if !slices.Contains(want, x) {
			out = append(out, "we leave, it does not: "+x)
		}
	}
	return strings.Join(out, "\n")
}

// record asks for the answers.
func (g *octoGolden) record(t *testing.T) {
	t.Helper()
	var asked []question
	for _, c := range g.Cases {
		on := g.Catalogs[c.On]
		asked = append(asked, question{From: on[0], To: on[1], Args: c.Args}.all(),
			question{From: on[0], To: on[1], Args: append([]string{}, c.Means...), Rules: c.Rules}.all())
	}
	for i := range uint64(randomCases) {
		asked = append(asked, randomQuestion(i).all())
	}
	answers := ask(t, asked)
	for i, c := range g.Cases {
		diffs := diffOf(t, answers[2*i])
		c.Left = brief(diffs)
		if c.Differs != "" && c.Want == nil {
			c.Meant = brief(diffOf(t, answers[2*i+1]))
		}
		if len(c.Args) == 0 {
			c.Diff = answers[2*i]
		}
	}
	for i, a := range answers[2*len(g.Cases):] {
		diffs := diffOf(t, a)
		if got := ours(t, randomQuestion(uint64(i))); !slices.Equal(got, diffs) {
			text, _ := json.Marshal(randomQuestion(uint64(i)))
			t.Logf("random %d: %s\n%.200s\n%s", i, text, a, delta(got, diffs))
		}
		g.Random = append(g.Random, digest(diffs))
	}
	var b bytes.Buffer
	b.WriteString("{\"catalogs\": {")
	for i, name := range keys(g.Catalogs) {
		fmt.Fprintf(&b, "%s\n%s: [", comma(i), line(name))
		for k, side := range g.Catalogs[name] {
			fmt.Fprintf(&b, "%s\n  [", comma(k))
			for j, r := range side {
				fmt.Fprintf(&b, "%s\n    %s", comma(j), line(r))
			}
			b.WriteString("]")
		}
		b.WriteString("]")
	}
	b.WriteString("},\n\"cases\": [")
	for i, c := range g.Cases {
		fmt.Fprintf(&b, "%s\n%s", comma(i), line(c))
	}
	b.WriteString("],\n\"random\": [")
	for i, d := range g.Random {
		if b.WriteString(comma(i)); i%8 == 0 {
			b.WriteString("\n")
		}
		b.WriteString(line(d))
	}
	b.WriteString("]}\n")
	if err := os.WriteFile(octoFile, b.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
}

func comma(i int) string {
	if i == 0 {
		return ""
	}
	return ","
}

func line(v any) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(err)
	}
	return strings.TrimSpace(b.String())
}
