package smartfrog

import (
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"bunraku/source"
)

// nested is a text with n opening and n closing pieces around a middle.
func nested(open, middle, closing string, n int) string {
	return strings.Repeat(open, n) + middle + strings.Repeat(closing, n)
}

// TestDeep compiles and prints a specification that is nested as deep as anybody may ask for, in all formats.
func TestDeep(t *testing.T) {
	const depth = 60_000
	text := "sfConfig extends {" + nested("a extends {", "b 1;", "}", depth) + "}"
	for _, opt := range []Options{{}, {Extended: true}} {
		r, diags := compileText(text, opt)
		if r == nil {
			t.Fatal(diags)
		}
		for _, write := range []func(io.Writer) error{r.WriteJSON, r.WriteYAML, r.WriteSF} {
			var b strings.Builder
			if err := write(&b); err != nil {
				t.Fatal(err)
			}
			if got := strings.Count(b.String(), "a"); got < depth {
				t.Errorf("only %d of %d levels are written", got, depth)
			}
			if b.Len() > 40*depth {
				t.Errorf("%d levels take %d bytes", depth, b.Len())
			}
		}
		path := Reference(strings.Split(strings.Repeat("a:", depth)+"b", ":"))
		if x, problem := r.Explain(path); problem != nil || x.Value != Number("1") {
			t.Errorf("explain: %v", problem)
		}
	}
}

// TestLimits asks for more than there may be. Each limit has a diagnostic, and none takes long.
func TestLimits(t *testing.T) {
	doubling := func(lines int, value string) string {
		var b strings.Builder
		b.WriteString("a0 extends { x 1; y 2; }\n")
		for i := range lines {
			fmt.Fprintf(&b, value, i+1, i, i)
		}
		fmt.Fprintf(&b, "sfConfig extends { r extends a%d }\n", lines)
		return b.String()
	}
	includes := fstest.MapFS{}
	for i := range 40 {
		includes[fmt.Sprintf("f%d.sf", i)] = &fstest.MapFile{Data: fmt.Appendf(nil,
			"#include \"f%d.sf\"; #include \"f%d.sf\";", i+1, i+1)}
	}
	for i := range 40 {
		includes[fmt.Sprintf("g%d.sf", i)] = &fstest.MapFile{Data: fmt.Appendf(nil,
			"#include \"g%d.sf\"; #include \"g%d.sf\";", i+1, i+1)}
	}
	includes["g40.sf"] = &fstest.MapFile{}
	includes["f40.sf"] = &fstest.MapFile{Data: []byte("x 1;")}
	var placements strings.Builder
	path := strings.Repeat("a:", 5_000)
	placements.WriteString("sfConfig extends {}\nt extends {" + nested("a extends {", "", "}", 5_000) + "}\n")
	for range maxNesting / 5_000 {
		// The tree becomes 5,000 levels deeper with every pair of lines.
		placements.WriteString("u extends {" + nested("a extends {", "", "}", 5_000) + "}\nu:" + path +
			"a extends t\nt extends u\n")
	}
	placements.WriteString("sfConfig:k extends t\n")
	tests := []struct {
		name, text, code string
		opt              Options
	}{
		{"nested blocks", nested("a extends {", "", "}", maxNesting+1), codeNesting, Options{}},
		{"nested vectors", "a " + nested("[", "", "]", maxNesting+1) + ";", codeNesting, Options{}},
		{"nested placements, extended", placements.String(), codeSize, Options{Extended: true}},
		{"doubling by links", doubling(60, "a%d extends { x a%d; y a%d; }\n"), codeSize, Options{}},
		{"doubling by prototypes", doubling(60, "a%d extends { x extends a%d y extends a%d }\n"), codeSize, Options{}},
		{"doubling by links, extended", doubling(60, "a%d extends { x a%d; y a%d; }\n"), codeSize, Options{Extended: true}},
		{"doubling by inherited links", "v 1;\n" + strings.Replace(doubling(60,
			"a%d extends { x extends a%d y extends a%d }\n"), "y 2;", "y v;", 1), codeSize, Options{Extended: true}},
		{"includes of includes", "sfConfig extends {\n#include \"f0.sf\";\n}", codeWork, Options{MaxWork: 100_000}},
		{"includes of includes of nothing", "#include \"g0.sf\";\nsfConfig extends {}", codeWork, Options{MaxWork: 100_000}},
		{"many errors", "sfConfig extends {" + strings.Repeat("a b;", 1000) + "}", codeMany, Options{}},
		{"many syntax errors", "sfConfig extends {" + strings.Repeat("a ;\n", 1000) + "}", codeMany, Options{}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			start := time.Now()
			r, diags := Compile(source.NewFile("main.sf", test.text), includes, test.opt)
			if r != nil {
				t.Fatal("there is a result")
			}
			last := diags[len(diags)-1]
			if last.Code != test.code {
				t.Errorf("%s: %s", last.Code, last.Summary)
			}
			if len(diags) > maxErrors+1 {
				t.Errorf("%d diagnostics", len(diags))
			}
			t.Logf("%s after %v", last.Summary, time.Since(start).Round(time.Millisecond))
		})
	}
}
