package redact

import (
	"bytes"
	"testing"
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
