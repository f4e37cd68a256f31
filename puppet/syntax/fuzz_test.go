package syntax

import (
	"strings"
	"testing"
	"time"

	"bunraku/internal/live"
	"bunraku/source"
)

// seeds are small programs with every construct, for the fuzzers to start from.
var seeds = []string{
	"class a::b(Integer $x = 1, *$rest) inherits c { file { ['/a', \"/b${x}\"]: ensure => file, * => $h; default: mode " +
		"+> '1' } }",
	"define d { @@user { 'x': } User <<| tag == 'a' and x != 1 |>> { uid => 1 } -> Class['b'] ~> File[a] }",
	"node 'a.b', /c\\d/, default { include x, y; notice $::a::b[1, 2].each |$k, $v| >> Any { next 1 } }",
	"$a = @(\"END\":json/tn$)\n  {\"a\": \"${b}\\n\"}\n  | - END\n",
	"case $x { 1, *$y: { } /re\\/x/: { } default: { } } unless ! $a in [1] { } else { } $q = $z ? { undef => 0x1F, " +
		"default => 017 }",
	"function f(Array[String, 1] $a) >> Hash { if $a =~ /b/ { $1 } elsif - 1.5e3 < 2 { \"\\u{1F600}\" } }",
	"type T = Variant[Enum['a'], Pattern[/x/]] type O = { attributes => { a => Integer } }",
	"'it''s' \"\" \"$\" \"${}\" \"${a.b[c]}\" # comment\n/* more */",
}

var templates = []string{
	"<%- | String $a, $b = 1 | -%>\ntext <%= $a %> <%# gone -%>\n<% if $b { -%> yes <%- } else { %> no %%> <%% <% } %>",
	"<%= { a => 1 } %><%= [1].each |$x| { %><%= $x -%><% } %>",
}

// within fails the fuzz run when something takes far longer than its size allows, by CPU time: machines are busy with
// other things, too.
func within(t *testing.T, size int, run func()) {
	began := live.CPU()
	run()
	if limit, took := 2*time.Second+time.Duration(size)*20*time.Microsecond, live.CPU()-began; took > limit {
		t.Fatalf("took %v of CPU time for %d bytes", took, size)
	}
}

func FuzzScan(f *testing.F) {
	for _, s := range seeds {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		within(t, len(text), func() {
			var ds source.Diagnostics
			s := scanner{file: source.NewFile("f.pp", text), src: text, diags: &ds}
			last := uint32(0)
			for range 2*len(text) + 10 {
				tok := s.next()
				if tok.kind == tEOF {
					return
				}
				if tok.end < tok.start || int(tok.end) > len(text) {
					t.Fatalf("token %d at %d..%d of %d", tok.kind, tok.start, tok.end, len(text))
				}
				if tok.kind != tHeredoc && tok.start < last {
					t.Fatalf("token at %d behind %d", tok.start, last)
				}
				last = tok.start
				if tok.kind == tFail && s.pos >= len(text) {
					return
				}
			}
			t.Fatalf("more tokens than characters: %q", text)
		})
	})
}

func fuzzTree(t *testing.T, tree *File, ds source.Diagnostics, text string) {
	for _, d := range ds {
		if int(d.Place.Span.End) > len(text) {
			t.Fatalf("diagnostic beyond the text: %v", d.Place.Span)
		}
		_ = d.String()
	}
	ds = append(ds, Validate(tree, Options{})...)
	check := func(n Node) bool {
		if s := n.Span(); s.Start > s.End || int(s.End) > len(text) {
			t.Fatalf("%T at %v of %d", n, s, len(text))
		}
		return true
	}
	if !ds.HasErrors() {
		for _, s := range tree.Body.Stmts {
			Walk(s, check)
		}
		if tree.Epp != nil {
			Walk(tree.Epp, check)
		}
		LiteralSpans(tree)
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range seeds {
		f.Add(s)
		f.Add(strings.ReplaceAll(s, " ", "\r\n"))
	}
	f.Fuzz(func(t *testing.T, text string) {
		within(t, len(text), func() {
			tree, ds := Parse(source.NewFile("f.pp", text), Options{Tasks: len(text)%2 == 0})
			fuzzTree(t, tree, ds, text)
		})
	})
}

func FuzzEPP(f *testing.F) {
	for _, s := range append(templates, seeds...) {
		f.Add(s)
		f.Add("<% " + s + " -%>\n")
	}
	f.Fuzz(func(t *testing.T, text string) {
		within(t, len(text), func() {
			tree, ds := ParseEPP(source.NewFile("f.epp", text), Options{})
			fuzzTree(t, tree, ds, text)
		})
	})
}
