package smartfrog

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"bunraku/internal/live"
	"bunraku/source"
)

// sharedCorpus returns the directory of the recorded answers of other compilers, or skips the test.
func sharedCorpus(t testing.TB) string {
	t.Helper()
	return live.Shared(t, "corpus", "smartfrog")
}

// compileFile compiles a file of the disk; includes are read below its directory.
func compileFile(t testing.TB, path string, opt Options) (*Result, source.Diagnostics) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return Compile(source.NewFile(filepath.Base(path), string(text)), os.DirFS(filepath.Dir(path)), opt)
}

// kindOf returns the kind of the first error: err1 … err43, parse, include, order, limit.
func kindOf(diags source.Diagnostics) string {
	for _, d := range diags {
		if d.Severity == source.Error {
			kind, _, _ := strings.Cut(d.Summary, ":")
			return kind
		}
	}
	return ""
}

func jsonOf(t testing.TB, r *Result) string {
	t.Helper()
	var b strings.Builder
	if err := r.WriteJSON(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// An answer is what a compiler says of a specification: the result, as JSON without blanks, or the kind of the error.
type answer struct{ json, kind string }

func ourAnswer(t testing.TB, path string, opt Options) answer {
	t.Helper()
	r, diags := compileFile(t, path, opt)
	if r == nil {
		return answer{kind: kindOf(diags)}
	}
	return answer{json: compact(t, jsonOf(t, r))}
}

// recordedAnswer reads name.json or name.err.
func recordedAnswer(t testing.TB, sf string) answer {
	t.Helper()
	stem := strings.TrimSuffix(sf, ".sf")
	if text, err := os.ReadFile(stem + ".json"); err == nil {
		return answer{json: compact(t, string(text))}
	}
	text, err := os.ReadFile(stem + ".err")
	if err != nil {
		t.Fatalf("%s has no recorded answer", sf)
	}
	kind, _, _ := strings.Cut(string(text), "\n")
	return answer{kind: strings.TrimSpace(kind)}
}

// compact removes the blanks of JSON and keeps the order of the keys.
func compact(t testing.TB, text string) string {
	t.Helper()
	var b strings.Builder
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	first, key := true, false
	var open []json.Delim
	for {
		tok, err := d.Token()
		if err != nil {
			break
		}
		if delim, ok := tok.(json.Delim); ok && (delim == '}' || delim == ']') {
			open = open[:len(open)-1]
			b.WriteString(delim.String())
			first, key = false, len(open) > 0 && open[len(open)-1] == '{'
			continue
		}
		if len(open) > 0 && !first && (open[len(open)-1] == '[' || key) {
			b.WriteString(",")
		}
		first = false
		switch tok := tok.(type) {
		case json.Delim:
			b.WriteString(tok.String())
			open = append(open, tok)
			first, key = true, tok == '{'
			continue
		case json.Number:
			n, ok := canonicalNumber(tok.String())
			if !ok {
				t.Fatalf("%q is no number", tok)
			}
			b.WriteString(n)
		default:
			s, err := json.Marshal(tok)
			if err != nil {
				t.Fatal(err)
			}
			b.Write(s)
		}
		if len(open) > 0 && open[len(open)-1] == '{' {
			if key {
				b.WriteString(":")
			}
			key = !key
		}
	}
	return b.String()
}

// specsBelow lists the specifications below a directory, without the outputs of HP's compiler.
func specsBelow(t testing.TB, dir string) []string {
	t.Helper()
	var list []string
	err := filepath.WalkDir(dir, func(path string, _ os.DirEntry, err error) error {
		if strings.HasSuffix(path, ".sf") && !strings.HasSuffix(path, ".production.sf") {
			list = append(list, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(list)
	return list
}

// scoreRecorded compares our answers with all recorded ones below a directory.
func scoreRecorded(t *testing.T, dir string, opt Options, instead map[string]answer) (right, all int) {
	for _, sf := range specsBelow(t, dir) {
		want := recordedAnswer(t, sf)
		rel, _ := filepath.Rel(dir, sf)
		if decided, ok := instead[filepath.ToSlash(rel)]; ok {
			want = decided
		}
		all++
		if got := ourAnswer(t, sf, opt); got != want {
			t.Errorf("%s:\n got %+v\nwant %+v", rel, got, want)
		} else {
			right++
		}
	}
	return right, all
}

// TestScore counts the recorded answers that we give too. `make score` reads its log.
func TestScore(t *testing.T) {
	dir := sharedCorpus(t)
	right, all := scoreRecorded(t, filepath.Join(dir, "core"), Options{}, nil)
	t.Logf("score: smartfrog core %d/%d", right, all)
	right, all = scoreRecorded(t, filepath.Join(dir, "quickcheck"), Options{}, nil)
	t.Logf("score: smartfrog quickcheck %d/%d", right, all)
	right, all = scoreProbes(t, filepath.Join(dir, "probes"))
	t.Logf("score: smartfrog probes %d/%d", right, all)
	right, all = scoreExtended(t, filepath.Join(dir, "extended"))
	t.Logf("score: smartfrog extended %d/%d", right, all)
}

// decidedProbes are the probes on which the Haskell and the Scala compiler agree and we do not follow them.
var decidedProbes = []string{"id_dot", "str_newline", "str_slash"}

// scoreProbes compares with the probes on which the Haskell and the Scala compiler agree.
func scoreProbes(t *testing.T, dir string) (right, all int) {
	text, err := os.ReadFile(filepath.Join(dir, "index.json"))
	if err != nil {
		t.Fatal(err)
	}
	type said struct {
		OK    json.RawMessage
		Error string
	}
	var index map[string]map[string]said
	if err := json.Unmarshal(text, &index); err != nil {
		t.Fatal(err)
	}
	answerOf := func(s said) answer {
		if s.OK != nil {
			return answer{json: compact(t, string(s.OK))}
		}
		return answer{kind: s.Error}
	}
	names := make([]string, 0, len(index))
	for name := range index {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		haskell, scala := answerOf(index[name]["haskell"]), answerOf(index[name]["scala"])
		if haskell != scala || haskell == (answer{}) || slices.Contains(decidedProbes, name) {
			continue
		}
		all++
		if got := ourAnswer(t, filepath.Join(dir, name+".sf"), Options{}); got != haskell {
			t.Errorf("probe %s:\n got %+v\nwant %+v", name, got, haskell)
		} else {
			right++
		}
	}
	return right, all
}

// scoreExtended compares with the answers of the extended compiler, and what we print as SmartFrog with the output of
// HP's.
func scoreExtended(t *testing.T, dir string) (right, all int) {
	// The extended compiler merges components. Figure 12 of the paper says that they are replaced, and that is decided.
	figure12 := answer{json: `{"p2":{"q1":2,"q2":2,"q4":{"b":3,"c":4},"q3":3}}`}
	right, all = scoreRecorded(t, dir, Options{Extended: true}, map[string]answer{"figure8.sf": figure12})
	for _, sf := range specsBelow(t, dir) {
		hp, err := os.ReadFile(strings.TrimSuffix(sf, ".sf") + ".production.sf")
		if err != nil {
			continue
		}
		all++
		r, diags := compileFile(t, sf, Options{Extended: true})
		if r == nil {
			t.Errorf("%s: %v", sf, diags)
			continue
		}
		var b strings.Builder
		if err := r.WriteSF(&b); err != nil {
			t.Fatal(err)
		}
		if strings.TrimSpace(b.String()) != strings.TrimSpace(string(hp)) {
			t.Errorf("%s as SmartFrog:\n%s\nHP's compiler:\n%s", filepath.Base(sf), b.String(), hp)
		} else {
			right++
		}
	}
	return right, all
}
