package report

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// patched applies hunks without fuzz, as patch(1) does.
func patched(t *testing.T, a []string, diff string) string {
	t.Helper()
	var out []string
	at := 0
	for line := range strings.Lines(diff) {
		var from, count, to, n int
		switch {
		case strings.HasPrefix(line, "@@"):
			if _, err := fmt.Sscanf(line, "@@ -%d,%d +%d,%d @@", &from, &count, &to, &n); err != nil {
				t.Fatal(err)
			}
			if count == 0 {
				from++
			}
			out = append(out, a[at:from-1]...)
			at = from - 1
		case strings.HasPrefix(line, "\\"):
			last := &out[len(out)-1]
			*last = strings.TrimSuffix(*last, "\n")
		case line[0] == '+':
			out = append(out, line[1:])
		default:
			if strings.TrimSuffix(a[at], "\n") != strings.TrimSuffix(line[1:], "\n") {
				t.Fatalf("line %d is %q, not %q", at+1, a[at], line[1:])
			}
			if line[0] == ' ' {
				out = append(out, a[at])
			}
			at++
		}
	}
	return strings.Join(append(out, a[at:]...), "")
}

// Applying a diff gives the text that it was made for.
func TestUnified(t *testing.T) {
	for seed := range uint64(500) {
		r := rand.New(rand.NewPCG(seed, 1))
		var a, b []string
		for i := range 1 + r.IntN(60) {
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
		if seed%3 == 0 && len(b) > 0 {
			b[len(b)-1] = strings.TrimSuffix(b[len(b)-1], "\n")
		}
		var diff bytes.Buffer
		unified(&diff, a, b, func(string) bool { return true })
		if got := patched(t, a, diff.String()); got != strings.Join(b, "") {
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
	for in, want := range map[string]string{"a b/ü.pp": "a%20b/%C3%BC.pp", "/a b": "file:///a%20b", "./x:y.pp": "./x:y.pp",
		"./x/y.pp": "x/y.pp"} {
		if got := uriOf(in); got != want {
			t.Errorf("%s: %s, want %s", in, got, want)
		}
	}
	if got := clean("a\x00b\x1b[1m\tc\n"); got != "a\uFFFDb\uFFFD[1m\tc\n" {
		t.Errorf("%q", got)
	}
}
