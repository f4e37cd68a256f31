package syntax

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"bunraku/source"
)

// fieldsByKind reads JSON token by token, since the order of fields is part of the format, and notes the fields of each
// kind.
func fieldsByKind(t *testing.T, text []byte, seen map[string][]string) {
	t.Helper()
	dec := json.NewDecoder(strings.NewReader(string(text)))
	dec.UseNumber()
	var value func()
	token := func() json.Token {
		tok, err := dec.Token()
		if err != nil {
			t.Fatalf("%v in %s", err, text)
		}
		return tok
	}
	value = func() {
		switch tok := token(); tok {
		case json.Delim('['):
			for dec.More() {
				value()
			}
			token()
		case json.Delim('{'):
			kind := ""
			var fields []string
			for dec.More() {
				name := token().(string)
				if name == "kind" {
					kind = token().(string)
					continue
				}
				fields = append(fields, name)
				value()
			}
			token()
			if kind == "" {
				return
			}
			if !slices.Equal(fields[:3], []string{"span", "line", "col"}) {
				t.Errorf("%s begins with %v", kind, fields[:3])
			}
			if old, ok := seen[kind]; ok && !slices.Equal(old, fields[3:]) {
				t.Errorf("%s has fields %v and %v", kind, old, fields[3:])
			}
			seen[kind] = fields[3:]
		}
	}
	value()
}

// TestJSONDocumented compares docs/parse-json.md with what the cases give.
func TestJSONDocumented(t *testing.T) {
	seen := map[string][]string{"Nop": {}} // no program has one
	for _, c := range pnCases(t) {
		path, text := c.input()
		f, _ := parseText(path, text)
		fieldsByKind(t, AppendJSON(nil, f), seen)
	}
	f, _ := Parse(source.NewFile("plan.pp", "plan a($x) { apply($x) { } }"), Options{Tasks: true})
	fieldsByKind(t, AppendJSON(nil, f), seen)

	doc, err := os.ReadFile(filepath.Join("..", "..", "docs", "parse-json.md"))
	if err != nil {
		t.Fatal(err)
	}
	documented := map[string][]string{}
	row := regexp.MustCompile("(?m)^\\| `(\\w+)` \\|([^|]*)\\|")
	word := regexp.MustCompile("`(\\w+)`")
	for _, m := range row.FindAllStringSubmatch(string(doc), -1) {
		fields := []string{}
		for _, w := range word.FindAllStringSubmatch(m[2], -1) {
			fields = append(fields, w[1])
		}
		documented[m[1]] = fields
	}
	for kind, fields := range seen {
		if want, ok := documented[kind]; !ok || !slices.Equal(fields, want) {
			t.Errorf("%s has the fields %v; documented are %v", kind, fields, want)
		}
	}
	for kind := range documented {
		if _, ok := seen[kind]; !ok {
			t.Errorf("%s is documented, but no case has one", kind)
		}
	}
}

func TestJSONExample(t *testing.T) {
	f, _ := parseText("site.pp", "notice('hello!') # hi 1\n")
	doc, err := os.ReadFile(filepath.Join("..", "..", "docs", "parse-json.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, example, _ := strings.Cut(string(doc), "```json\n")
	example, _, _ = strings.Cut(example, "```")
	if got, want := canonical(t, string(AppendJSON(nil, f))), canonical(t, example); got != want {
		t.Errorf("the example in the documentation differs:\n%s", difference(got, want))
	}
}

func canonical(t *testing.T, text string) string {
	t.Helper()
	var v any
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatal(err)
	}
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestJSONStrings(t *testing.T) {
	for _, s := range []string{"", "a\"b\\c\n\r\t\x00\x1f\x7f", "åäö→😀", "a\xffb\xc3", "\u2028"} {
		var got string
		text := appendJSONString(nil, s)
		if err := json.Unmarshal(text, &got); err != nil || !utf8.Valid(text) {
			t.Errorf("%q: %s: %v", s, text, err)
		}
		if want := strings.ToValidUTF8(s, "\uFFFD"); got != want && utf8.ValidString(s) {
			t.Errorf("%q: got %q", s, got)
		}
	}
}

// TestJSONValues looks at the values that the shape of the tree does not show.
func TestJSONValues(t *testing.T) {
	f, _ := parseText("v.pp", "[0x1F, 9223372036854775808, 1.50, \"a\", b-c]\nfile { '/å': * => $h, x +> 1 }")
	text := string(AppendJSON(nil, f))
	for _, want := range []string{
		`"value":31,"radix":16,"text":"0x1F"`, `"value":9223372036854775808,"radix":10`, `"value":1.5,"text":"1.50"`,
		`"quote":"double","value":"a"`, `"quote":"bare","value":"b-c"`,
		`"name":null,"nameSpan":[58,59],"splat":true,"op":"=>"`,
		`"kind":"AttrOp","span":[67,73],"line":2,"col":23,"name":"x","nameSpan":[67,68],"splat":false,"op":"+>"`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%s is not in %s", want, text)
		}
	}
}

func TestJSONRealFiles(t *testing.T) {
	files := realFiles()
	if len(files) == 0 {
		t.Skipf("no Puppet modules in %s and no corpus in %s", modules, shared())
	}
	bytes := 0
	for _, path := range files {
		f, diags := parseFile(t, path)
		if diags.HasErrors() {
			continue
		}
		text := AppendJSON(nil, f)
		if !json.Valid(text) || !utf8.Valid(text) {
			t.Errorf("%s: no JSON", path)
		}
		bytes += len(text)
	}
	t.Logf("%d files, %d bytes", len(files), bytes)
}
