package lint

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const recordedMetadata = "testdata/metadata.json.recorded"

// metadataCases are texts that metadata-json-lint was asked about: a good one, with one thing changed each.
func metadataCases() []string {
	good := map[string]any{
		"name": "a-b", "version": "1.2.3", "author": "A", "summary": "S", "license": "Apache-2.0", "source": "https://x.y/z",
		"project_page": "https://x.y", "issues_url": "https://x.y/i", "tags": []any{"t"},
		"dependencies": []any{map[string]any{"name": "puppetlabs/stdlib",
			"version_requirement": ">= 4.0.0 < 10.0.0"}},
		"requirements":            []any{map[string]any{"name": "puppet", "version_requirement": ">= 7.0.0 < 9.0.0"}},
		"operatingsystem_support": []any{map[string]any{"operatingsystem": "Debian", "operatingsystemrelease": []any{"12"}}},
	}
	text := func(change map[string]any) string {
		all := map[string]any{}
		for k, v := range good {
			all[k] = v
		}
		for k, v := range change {
			if all[k] = v; v == "none" {
				delete(all, k)
			}
		}
		out, err := json.MarshalIndent(all, "", "  ")
		if err != nil {
			panic(err)
		}
		return string(out) + "\n"
	}
	cases := []string{text(nil), strings.TrimSpace(text(nil)), "{\n", "{}\n", `{"name": "a\\b"}` + "\n",
		`{"name": "\u12"}` + "\n",
		`{"name": "\q"}` + "\n", strings.Replace(text(nil), "1.2.3", `1.2\u002e3`, 1)}
	keys := []string{"author", "data_provider", "dependencies", "description", "issues_url", "license",
		"operatingsystem_support",
		"name", "project_page", "requirements", "source", "summary", "tags", "version", "types", "checksum"}
	for _, key := range keys {
		for _, v := range []any{"none", "text", nil, 1, 1.5, true, []any{}, []any{"a", 1}, map[string]any{}} {
			if s, isText := v.(string); key == "version" && v != nil && !isText || key == "license" && !isText ||
				key == "dependencies" && (s == "text" || v != nil && !isText && fmt.Sprint(v) != "[]") ||
				key == "requirements" && fmt.Sprint(v) == "[a 1]" {
				continue // it stops with an error of its own
			}
			cases = append(cases, text(map[string]any{key: v}))
		}
	}
	for _, v := range []string{"1.0", "01.0.0", "1.0.0-rc1", "1.0.0-01", "v1.0.0", "1.0.0+b", ""} {
		cases = append(cases, text(map[string]any{"version": v}))
	}
	for _, v := range []string{"A-b", "a/b", "a-B", "ab", "a-b-c", "a-b_c1", "a-1b", "ä-b"} {
		cases = append(cases, text(map[string]any{"name": v}),
			text(map[string]any{"dependencies": []any{map[string]any{"name": v, "version_requirement": "1.x"}}}))
	}
	for _, v := range []string{"MIT", "mit", "GPL-3.0-only", "GPL-3.0", "proprietary", "Apache 2.0", ""} {
		cases = append(cases, text(map[string]any{"license": v}))
	}
	for _, v := range []string{"http://", "x", "git@x:y.git", "http://a b", "foo bar:x", "https://x.y:80/z", "http:///x",
		"//x/y", "",
		"1http://x", "mailto:a@b"} {
		cases = append(cases, text(map[string]any{"project_page": v}))
	}
	for _, v := range []string{"", "foo", ">= 1.0.0 <", ">=2.0.0 <1.0.0", "1.x", ">= 1.x", "^1.2", ">= 1.2.x",
		">= 4.0.0 < 5.0.x",
		"  ", "a || b", ">= 1", "1.2.3 - 2.0.0", "> 1.*", "=1.2.*"} {
		cases = append(cases, text(map[string]any{"requirements": []any{map[string]any{"name": "puppet",
			"version_requirement": v}}}),
			text(map[string]any{"dependencies": []any{map[string]any{"name": "a/b", "version_requirement": v},
				map[string]any{"name": "a/b", "version_range": "x"}, map[string]any{"name": "c-d"}}}))
	}
	cases = append(cases, text(map[string]any{"summary": strings.Repeat("ä", 144)}),
		text(map[string]any{"summary": strings.Repeat("a", 145)}),
		text(map[string]any{"requirements": []any{map[string]any{"name": "pe"}, map[string]any{"name": "PE"},
			map[string]any{"name": "pe"}}}),
		text(map[string]any{"operatingsystem_support": []any{map[string]any{"operatingsystemrelease": []any{12}}, "x"}}))
	return cases
}

// askMetadata asks metadata-json-lint.
func askMetadata(t *testing.T, texts []string) [][]string {
	dir := fetched(t)
	args := []string{"-I", filepath.Join(dir, "metadata-json-lint", "lib")}
	for _, gem := range []string{"json-schema", "addressable", "public_suffix", "spdx-licenses"} {
		lib := filepath.Join(dir, "lint-gems", gem, "lib")
		if _, err := os.Stat(lib); err != nil {
			t.Skipf("%s is not in $BUNRAKU_FETCHED/lint-gems", gem)
		}
		args = append(args, "-I", lib)
	}
	cmd := exec.Command("ruby", append(args, "testdata/metadata.rb")...)
	var in strings.Builder
	for _, text := range texts {
		line, err := json.Marshal(text)
		if err != nil {
			t.Fatal(err)
		}
		in.Write(append(line, '\n'))
	}
	cmd.Stdin = strings.NewReader(in.String())
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	var answers [][]string
	lines := bufio.NewScanner(strings.NewReader(string(out)))
	lines.Buffer(nil, 1<<26)
	for lines.Scan() {
		var found [][]string
		if err := json.Unmarshal(lines.Bytes(), &found); err != nil {
			answers = append(answers, []string{"crash " + lines.Text()})
			continue
		}
		said := []string{}
		for _, f := range found {
			said = append(said, strings.Join(f, " "))
		}
		slices.Sort(said)
		answers = append(answers, said)
	}
	if len(answers) != len(texts) {
		t.Fatalf("%d answers to %d questions", len(answers), len(texts))
	}
	return answers
}

// ourMetadata is what we say, in the same form. What a parser says about bad JSON is its own affair.
func ourMetadata(text string) []string {
	said := []string{}
	for _, f := range New(Options{}).Metadata("metadata.json", text).Findings {
		said = append(said, f.Level()+" "+strings.TrimPrefix(f.Check, "metadata_json_")+" "+f.Message)
	}
	slices.Sort(said)
	return said
}

func parserWords(said []string) []string {
	out := []string{}
	for _, s := range said {
		if strings.HasPrefix(s, "error file Unable to parse metadata.json: ") && !strings.Contains(s, "Invalid escape") {
			s = "error file Unable to parse metadata.json"
		}
		out = append(out, s)
	}
	return out
}

// TestMetadata compares what we say about metadata.json with what metadata-json-lint said.
func TestMetadata(t *testing.T) {
	cases := metadataCases()
	if *record {
		text, err := json.MarshalIndent(askMetadata(t, cases), "", " ")
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(recordedMetadata, append(text, '\n'), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(recordedMetadata)
	if err != nil {
		t.Fatal(err)
	}
	var answers [][]string
	if err := json.Unmarshal(text, &answers); err != nil {
		t.Fatal(err)
	}
	if len(answers) != len(cases) {
		t.Fatalf("%d answers to %d questions; record them: go test ./lint -run TestMetadata -record", len(answers),
			len(cases))
	}
	findings := 0
	for i, want := range answers {
		got := slices.Compact(ourMetadata(cases[i]))
		if len(want) == 1 && strings.HasPrefix(want[0], "crash") {
			t.Errorf("metadata-json-lint stops at this one, %s:\n%s", want[0], cases[i])
			continue
		}
		findings += len(want)
		if !slices.Equal(parserWords(got), parserWords(want)) {
			t.Errorf("%s--- we say\n%s\n--- metadata-json-lint says\n%s", cases[i], strings.Join(got, "\n"), strings.Join(want,
				"\n"))
		}
	}
	t.Logf("%d texts, %d findings", len(cases), findings)
}
