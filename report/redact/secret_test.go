package redact

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"bunraku/puppet/catalog"
	"bunraku/puppet/value"
)

// TestHide: secrets go in every spelling and when an ellipsis has cut them; ordinary names stay.
func TestHide(t *testing.T) {
	s := &Secrets{}
	s.Add(`it's "5 > 4" & 100%`)
	s.Add("hunter2-hunter2")
	s.Add("abc")
	s.Add("nginx")
	s.plain = map[string]bool{"nginx": true}
	for _, x := range [][2]string{
		{`<it's "5 > 4" & 100%>`, "<" + Blot + ">"},
		{`it's \"5 > 4\" & 100%`, Blot},
		{`it's \"5 \u003e 4\" \u0026 100%`, Blot},
		{`it&#39;s &#34;5 &gt; 4&#34; &amp; 100%`, Blot},
		{`it's "5 > 4" & 100%25`, Blot},
		{`it\'s "5 > 4" & 100%`, Blot},
		{"pw hunter2-hunter2hunter2-hunter2", "pw " + Blot + Blot},
		{"pw hunter2-h…, hunt…, hun…", "pw " + Blot + "…, " + Blot + "…, hun…"},
		{"abc nginx", "abc nginx"},
	} {
		if got := s.Hide(x[0]); got != x[1] {
			t.Errorf("%s: got %s, want %s", x[0], got, x[1])
		}
	}
	var b bytes.Buffer
	g := NewScreen(&b, s, false)
	for _, part := range []string{"a hunt", "er2-hunter2 b\nhun", "ter2-hun", "ter2"} {
		if n, err := g.Write([]byte(part)); n != len(part) || err != nil {
			t.Fatal(n, err)
		}
	}
	if err := g.Flush(); err != nil {
		t.Fatal(err)
	}
	if want := "a " + Blot + " b\n" + Blot; b.String() != want {
		t.Errorf("got %q, want %q", b.String(), want)
	}
}

// Documents keep their keys and numbers, whatever is secret; data does not.
func TestHideJSON(t *testing.T) {
	s := &Secrets{}
	for _, x := range []string{"name", "4711", "line"} {
		s.Add(x)
	}
	got := s.HideJSON(`{"name": "a name", "line": 4711, "x": [4711], "parameters": {"name": 4711, "l": [1, 4711, {"line": 47110}]}, "value": 4711, "line": 4711}`)
	want := `{"name": "a ` + Blot + `", "line": 4711, "x": [4711], "parameters": {"` + Blot + `": "` + Blot +
		`", "l": [1, "` + Blot + `", {"` + Blot + `": 47110}]}, "value": "` + Blot + `", "line": 4711}`
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if got := s.HideXML(`<case name="a name" line="4711">name<a/></case>`); got != `<case name="a `+Blot+`" line="`+Blot+
		`">`+Blot+`<a/></case>` {
		t.Error(got)
	}
}

func TestSpellings(t *testing.T) {
	s := &Secrets{}
	s.Add("hunter2$x'y\"")
	for _, x := range []string{"aHVudGVyMiR4J3ki", base64.StdEncoding.EncodeToString([]byte("user:hunter2$x'y\":z")),
		base64.StdEncoding.EncodeToString([]byte("u hunter2$x'y\"")),
		`hunter2\$x'y\"`, `hunter2$x'\''y"`, `hunter2$x\'y"`, `hunter2%24x%27y%22`, `hunter2$x'y\\\"`} {
		if got := s.Hide(x); !strings.Contains(got, Blot) || strings.Contains(got, "hunter2") {
			t.Errorf("%s: %s", x, got)
		}
	}
}

// Nothing is left of a text that is spelt twice or three times.
func TestSpellingsOfSpellings(t *testing.T) {
	const secret = `a"b\c<d&e'fgh$1%2`
	s := &Secrets{}
	s.AddBared(&value.Sensitive{Value: value.String(secret)})
	for _, inner := range []string{secret, asJSON(secret, false), value.Quote(secret), value.QuoteDouble(secret),
		value.Quote(value.Quote(secret)), strconv.Quote(secret)} {
		for _, middle := range []string{inner, value.Quote("x " + inner), value.Quote("x\n" + inner)} {
			for _, x := range []string{middle, asJSON(middle, true), asJSON(middle, false), asXML(middle),
				asOrder.Replace(middle)} {
				if got := s.Hide(x); strings.ContainsAny(strings.Replace(got, Blot, "", 1), "abcdefgh") {
					t.Errorf("%s: %s", x, got)
				}
			}
		}
	}
}

// TestAddCatalogIsLight: what a node's name is cut out of does not stay in memory with it.
func TestAddCatalogIsLight(t *testing.T) {
	live := func() uint64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	const size, nodes = 1 << 19, 64
	s := &Secrets{}
	before := live()
	for i := range nodes {
		facts := strings.Repeat("x", size) + fmt.Sprintf(" n%d.example.com", i)
		s.AddCatalog(&catalog.Catalog{Name: facts[size+1:]})
	}
	if more := int64(live()) - int64(before); more > nodes*size/8 {
		t.Errorf("the names of %d nodes with %d bytes of facts keep %d bytes", nodes, size, more)
	}
	if !s.plain["n63"] || !s.plain["n63.example.com"] {
		t.Error("the names are not known")
	}
}
