package smartfrog

import (
	"encoding/json"
	"io"
	"strings"
	"testing"
	"testing/fstest"

	"bunraku/source"
)

// FuzzCompile looks for a specification that the compiler does not survive, or takes too long over, in either
// semantics. What compiles must print as JSON that can be read and as SmartFrog that means the same; every attribute of
// it must have an explanation.
func FuzzCompile(f *testing.F) {
	for _, cases := range allCases(f) {
		for _, c := range cases {
			f.Add(string(c.files["main.sf"].Data))
		}
	}
	f.Add("sfConfig extends { a \"\\u12\"; b [|1|]; -- 2; #include \"other.sf\"; }")
	f.Fuzz(func(t *testing.T, text string) {
		files := fstest.MapFS{"other.sf": &fstest.MapFile{Data: []byte(text)}, "main.sf": &fstest.MapFile{Data: []byte(text)}}
		for _, extended := range []bool{false, true} {
			opt := Options{Extended: extended, MaxWork: 20_000, MaxSize: 20_000}
			r, diags := Compile(source.NewFile("main.sf", text), files, opt)
			for _, d := range diags {
				if d.String() == "" || d.Summary == "" || d.Code == "" {
					t.Fatalf("an empty diagnostic: %+v", d)
				}
			}
			if r == nil {
				if !diags.HasErrors() {
					t.Fatal("no result, and no error")
				}
				continue
			}
			checkPrinted(t, r, opt)
			for _, path := range slotsOf(r, 50) {
				x, problem := r.Explain(referenceOf(path)[1:])
				if problem != nil {
					t.Fatal(problem)
				}
				if err := x.WriteText(io.Discard); err != nil {
					t.Fatal(err)
				}
			}
		}
	})
}

// checkPrinted reads back what the printers write.
func checkPrinted(t testing.TB, r *Result, opt Options) {
	t.Helper()
	text := jsonOf(t, r)
	if !json.Valid([]byte(text)) {
		t.Fatalf("no JSON: %s", text)
	}
	if err := r.WriteYAML(io.Discard); err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := r.WriteSF(&b); err != nil {
		t.Fatal(err)
	}
	again, diags := compileText("sfConfig extends {\n"+b.String()+"}\n", opt)
	if again == nil {
		t.Fatalf("%v in what we print as SmartFrog:\n%s", diags, b.String())
	}
	if got, want := storeText(again.Config), storeText(r.Config); got != want {
		t.Fatalf("printed as SmartFrog it becomes\n%s\nand was\n%s", got, want)
	}
}
