package smartfrog

import (
	"encoding/json"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestPrintRandom prints random results and reads them back.
func TestPrintRandom(t *testing.T) {
	for seed := range runs(200, 5_000) {
		g := &generator{chooser: seeded{rand.New(rand.NewPCG(uint64(seed), 17))}}
		r, diags := compileText(specText(g.specification()), Options{})
		if r == nil {
			t.Fatal(diags)
		}
		checkPrinted(t, r, Options{})
	}
}

// TestPrintHP reads what HP's compiler printed of the examples in SmartFrog's own distribution, and prints the same bytes.
func TestPrintHP(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(sharedCorpus(t), "production-sf-dist", "*.sf"))
	if err != nil || len(files) == 0 {
		t.Fatal("no files", err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		r, diags := compileText("sfConfig extends {\n"+string(text)+"\n}", Options{Extended: true})
		if r == nil {
			t.Errorf("%s: %v", file, diags)
			continue
		}
		var b strings.Builder
		if err := r.WriteSF(&b); err != nil {
			t.Fatal(err)
		}
		if strings.TrimSpace(b.String()) != strings.TrimSpace(string(text)) {
			t.Errorf("%s:\n%s", file, b.String())
		}
	}
}

// TestPrintJSONStrings tries every character below U+0250 and some that are special to some reader.
func TestPrintJSONStrings(t *testing.T) {
	var all strings.Builder
	for r := rune(0); r < 0x250; r++ {
		all.WriteRune(r)
	}
	all.WriteString("\u2028\u2029\uFEFF\uFFFD\uFFFE\U0001F600")
	var b strings.Builder
	p := newPrinter(&b)
	p.quote(all.String())
	if err := p.w.Flush(); err != nil {
		t.Fatal(err)
	}
	var back string
	if err := json.Unmarshal([]byte(b.String()), &back); err != nil || back != all.String() {
		t.Errorf("%v: %q", err, b.String())
	}
	if again, bad := unquote(b.String()); bad != nil || again != all.String() {
		t.Errorf("%+v: %q", bad, b.String())
	}
	for _, r := range b.String() {
		if r < ' ' || r == 0x7f || r == 0x85 {
			t.Errorf("%U is written as it is", r)
		}
	}
}
