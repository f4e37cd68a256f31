package syntax

import (
	"slices"
	"strings"
	"testing"

	"bunraku/source"
)

// TestResumeInTemplates: the parameters of a template that break off at a brace too many are a mistake like others.
func TestResumeInTemplates(t *testing.T) {
	for _, text := range []string{"<%- |Integer[]}", "<%- | Integer[] } $port | -%>\nport <%= $port %>\n"} {
		if _, list := ParseEPP(source.NewFile("x.epp", text), Options{Language: source.Puppet8}); !list.HasErrors() {
			t.Errorf("%q: no mistake is told", text)
		}
	}
}

// TestEchoes: what is wrong behind an error is told where something certainly begins anew, or when something between
// them was read to its end. Until then it may be wrong for what came before.
func TestEchoes(t *testing.T) {
	for text, want := range map[string][]int{
		"$a = = 1\n  ensure => present,\n  mode => '1',\n":         {1},
		"$a = = 1\n$b = = 2\n":                                     {1},
		"$a = = 1\n$b = 2\n$c = = 3\n":                             {1, 3},
		"class a {\n  $a = = 1\n}\nclass b {\n  $a = = 1\n}\n":     {2, 5},
		"class a { 'b':\n  c => d,\n  e => f,\n}\n$a = = 1\n":      {1, 5},
		"if true {\n  notice(1)\n  }\n}\nelse {\n  notice(2)\n}\n": {4},
		"file { '/a' ensure => file }\nnotify { 'a' b => 1 }\n":    {1, 2},
	} {
		_, list := Parse(source.NewFile("x.pp", text), Options{Language: source.Puppet8})
		var got []int
		for _, d := range list {
			got = append(got, d.Place.File.Position(d.Place.Span.Start).Line)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q: errors on the lines %v, not %v", text, got, want)
		}
	}
	_, list := Parse(source.NewFile("x.pp", "<<<<<<< HEAD\n$a = 1\n"), Options{Language: source.Puppet8})
	if len(list) != 1 || !strings.Contains(list[0].Help, "conflict") {
		t.Errorf("a mark of a conflict is not told as one: %v", list)
	}
}
