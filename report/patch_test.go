package report

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// What patch(1) makes of a diff is the text that the diff was made for.
func TestUnifiedAgainstPatch(t *testing.T) {
	tool, err := exec.LookPath("patch")
	if err != nil {
		t.Skip("patch is not installed")
	}
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 1))
		var a, b []string
		for i := range r.IntN(60) {
			line := fmt.Sprintf("line %d\n", r.IntN(8)+i/4*10)
			a = append(a, line)
			switch r.IntN(12) {
			case 0:
			case 1:
				b = append(b, "changed\n")
			case 2:
				b = append(b, line, "new\n")
			default:
				b = append(b, line)
			}
		}
		if len(a) == 0 {
			continue
		}
		if seed%3 == 0 && len(b) > 0 {
			b[len(b)-1] = strings.TrimSuffix(b[len(b)-1], "\n")
		}
		if seed%4 == 0 {
			a[len(a)-1] = strings.TrimSuffix(a[len(a)-1], "\n")
		}
		var diff bytes.Buffer
		unified(&diff, a, b)
		if diff.Len() == 0 {
			if strings.Join(a, "") != strings.Join(b, "") {
				t.Fatalf("seed %d: no diff", seed)
			}
			continue
		}
		file := filepath.Join(t.TempDir(), "f")
		if err := os.WriteFile(file, []byte(strings.Join(a, "")), 0o644); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(tool, "--fuzz=0", "-s", file)
		cmd.Stdin = strings.NewReader("--- f\n+++ f\n" + diff.String())
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("seed %d: %v %s\n%s", seed, err, out, diff.String())
		}
		got, err := os.ReadFile(file)
		if err != nil && len(b) > 0 { // patch removes a file that becomes empty
			t.Fatal(err)
		}
		if string(got) != strings.Join(b, "") {
			t.Fatalf("seed %d: got\n%s\nwant\n%s\ndiff\n%s", seed, got, strings.Join(b, ""), diff.String())
		}
	}
}

func TestIgnoreComments(t *testing.T) {
	for _, x := range []struct{ text, codes, reason string }{
		{"V101", "V101", ""},
		{"V101 because", "V101", "because"},
		{"V101,V203 because of it", "V101 V203", "because of it"},
		{"V101, V203 , W0650", "V101 V203 W0650", ""},
		{"because V101", "", "because V101"},
		{"", "", ""},
	} {
		codes, reason := splitCodes(x.text)
		if strings.Join(codes, " ") != x.codes || reason != x.reason {
			t.Errorf("%q: %q %q", x.text, codes, reason)
		}
	}
}

func TestEscapes(t *testing.T) {
	if got := property("a,b:c%\r\n"); got != "a%2Cb%3Ac%25%0D%0A" {
		t.Error(got)
	}
	if got := data("a,b:c%\r\n"); got != "a,b:c%25%0D%0A" {
		t.Error(got)
	}
	for in, want := range map[string]string{"a b/ü.pp": "a%20b/%C3%BC.pp", "/a b": "file:///a%20b", "./x:y.pp": "./x:y.pp", "./x/y.pp": "x/y.pp"} {
		if got := uriOf(in); got != want {
			t.Errorf("%s: %s, want %s", in, got, want)
		}
	}
	if got := clean("a\x00b\x1b[1m\tc\n"); got != "a\uFFFDb\uFFFD[1m\tc\n" {
		t.Errorf("%q", got)
	}
}
