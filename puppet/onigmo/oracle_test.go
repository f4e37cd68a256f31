package onigmo

import (
	"bufio"
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"bunraku/internal/live"
)

var record = flag.Bool("record", false, "ask Ruby and write testdata/match.txtar")

// A question is a pattern and a text.
type question struct {
	Src, Text string
	Flags     Flags
}

func (q question) MarshalJSON() ([]byte, error) {
	return marshal([]any{q.Src, q.Text, rubyFlags(q.Flags)})
}

func rubyFlags(f Flags) int {
	n := 0
	if f&IgnoreCase != 0 {
		n |= 1
	}
	if f&Extended != 0 {
		n |= 2
	}
	if f&Multiline != 0 {
		n |= 4
	}
	return n
}

func (q *question) UnmarshalJSON(b []byte) error {
	n := 0
	if err := json.Unmarshal(b, &[]any{&q.Src, &q.Text, &n}); err != nil {
		return err
	}
	q.Flags = 0
	for i, f := range [...]Flags{IgnoreCase, Extended, Multiline} {
		if n&(1<<i) != 0 {
			q.Flags |= f
		}
	}
	return nil
}

func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return bytes.TrimSpace(b.Bytes()), err
}

// askRuby answers all questions in one process.
func askRuby(t testing.TB, qs []question) []string {
	live.Puppet(t)
	var in bytes.Buffer
	for _, q := range qs {
		b, err := marshal(q)
		if err != nil {
			t.Fatal(err)
		}
		in.Write(append(b, '\n'))
	}
	cmd := live.Command("ruby", "testdata/oracle.rb")
	cmd.Stdin = &in
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("ruby: %v\n%s", err, errs.String())
	}
	var answers []string
	sc := bufio.NewScanner(bytes.NewReader(out))
	sc.Buffer(nil, 1<<24)
	for sc.Scan() {
		answers = append(answers, sc.Text())
	}
	if len(answers) != len(qs) {
		t.Fatalf("%d questions, %d answers\n%s", len(qs), len(answers), errs.String())
	}
	return answers
}

// ours is our answer in the same form.
func ours(q question) string {
	re, err := Compile(q.Src, q.Flags)
	if err != nil {
		b, _ := marshal(err.Error())
		return string(b)
	}
	loc, err := re.Find(q.Text, 0)
	if err != nil {
		b, _ := marshal(err.Error())
		return string(b)
	}
	if loc == nil {
		return "null"
	}
	b, _ := marshal(loc)
	return string(b)
}

// slow is our answer without Go's engine.
func slow(q question) string {
	t, err := parse(q.Src, q.Flags, false)
	if err != nil {
		b, _ := marshal(err.Error())
		return string(b)
	}
	p, err := t.compile()
	if err != nil {
		b, _ := marshal(err.Error())
		return string(b)
	}
	loc, err := p.search(q.Text, 0)
	if err != nil {
		b, _ := marshal(err.Error())
		return string(b)
	}
	if loc == nil {
		return "null"
	}
	b, _ := marshal(loc)
	return string(b)
}

func compare(t *testing.T, qs []question, answers []string) {
	t.Helper()
	bad := 0
	for i, q := range qs {
		want := strings.ReplaceAll(answers[i], " ", "")
		if want == `"timeout"` || oddFold(q) {
			continue
		}
		for _, engine := range []struct {
			name string
			f    func(question) string
		}{{"compiled", ours}, {"backtracking", slow}} {
			got := engine.f(q)
			if err := Check(q.Src); q.Flags == 0 && (err != nil) != strings.HasPrefix(want, `"`) {
				t.Errorf("Check(%q): %v, Ruby says %s", q.Src, err, want)
			}
			if strings.ReplaceAll(got, " ", "") != want {
				if bad++; bad <= 40 {
					t.Errorf("%s: /%s/ on %q flags %d\n got %s\nwant %s", engine.name, q.Src, q.Text, q.Flags, got, answers[i])
				}
			}
		}
	}
	if bad > 40 {
		t.Errorf("… %d differences in all", bad)
	}
}

// oddFold reports questions about the case of letters beyond ASCII in classes. Onigmo's answers there follow no rule
// that we could find: /[é]/i matches É, /[à-ê]/i does not, /[^é]/i does, /[[:upper:]]/i matches я but not é.
func oddFold(q question) bool {
	ascii := true
	for i := 0; i < len(q.Text); i++ {
		ascii = ascii && q.Text[i] < 0x80
	}
	return !ascii && (q.Flags&IgnoreCase != 0 || strings.Contains(q.Src, "(?i")) && strings.ContainsAny(q.Src, "[p")
}

// TestKnownProperties: properties that Ruby knows and we have no table for are legal, and searching with them says so.
func TestKnownProperties(t *testing.T) {
	for _, src := range []string{`\p{In_Basic_Latin}`, `\p{Emoji}`, `\p{Age=6.0}`} {
		if err := Check(src); err != nil {
			t.Errorf("Check(%s): %v", src, err)
		}
		if _, err := Compile(src, 0); err == nil || !strings.Contains(err.Error(), "not supported") {
			t.Errorf("Compile(%s): %v", src, err)
		}
	}
}

const golden = "testdata/match.txtar"

// TestRecorded compares with answers recorded from Ruby. `go test -record` asks again.
func TestRecorded(t *testing.T) {
	if *record {
		qs := corpus()
		answers := askRuby(t, qs)
		var b bytes.Buffer
		for i, q := range qs {
			j, _ := marshal(q)
			fmt.Fprintf(&b, "%s\t%s\n", j, answers[i])
		}
		ar := &txtar.Archive{Comment: []byte("Answers of Ruby 3.1's Regexp: [source, text, flags], a tab, then the offsets " +
			"of the first match and its groups, null, or the error.\n"),
			Files: []txtar.File{{Name: "match", Data: b.Bytes()}}}
		if err := os.WriteFile(golden, txtar.Format(ar), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	ar, err := txtar.ParseFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	var qs []question
	var answers []string
	for line := range strings.Lines(string(ar.Files[0].Data)) {
		in, out, _ := strings.Cut(strings.TrimRight(line, "\n"), "\t")
		var q question
		if err := json.Unmarshal([]byte(in), &q); err != nil {
			t.Fatal(err)
		}
		qs, answers = append(qs, q), append(answers, out)
	}
	if len(qs) < 300 {
		t.Errorf("only %d recorded cases", len(qs))
	}
	compare(t, qs, answers)
}

// TestLive compares generated patterns with the installed Ruby.
func TestLive(t *testing.T) {
	if testing.Short() {
		t.Skip("short run")
	}
	qs := generated(liveCases(), 7)
	compare(t, qs, askRuby(t, qs))
}

// liveCases is how many generated patterns to try; BUNRAKU_CASES asks for more.
func liveCases() int {
	if n, err := strconv.Atoi(os.Getenv("BUNRAKU_CASES")); err == nil {
		return n
	}
	return 3000
}

func BenchmarkFind(b *testing.B) {
	for _, src := range []string{`^(\w+)\.example\.com$`, `(?<a>\d+)-\k<a>`, `foo|bar|baz`,
		`\A[a-z0-9_]+(::[a-z0-9_]+)*\z`} {
		re := MustCompile(src)
		b.Run(src, func(b *testing.B) {
			for b.Loop() {
				re.Find("apache::vhost::default.example.com 12-12", 0)
			}
		})
	}
}

func BenchmarkCheck(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		Check(`^(\w+)\.example\.com$`)
	}
}

func FuzzCompile(f *testing.F) {
	for _, q := range corpus() {
		f.Add(q.Src, q.Text)
	}
	f.Fuzz(func(t *testing.T, src, text string) {
		err := Check(src)
		re, err2 := Compile(src, 0)
		if err != nil && (err2 == nil || err.Error() != err2.Error()) {
			t.Fatalf("Check says %v of /%s/, Compile %v", err, src, err2)
		}
		if err2 == nil {
			re.Find(text, 0)
		}
	})
}
