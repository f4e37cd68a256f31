package report_test

import (
	"testing"

	"bunraku/report"
	"bunraku/source"
)

// A declaration names another by the words of its title where these mean the one resource, and only there.
func TestWords(t *testing.T) {
	for _, x := range []struct {
		name, text, want string
		several          bool
	}{
		{"a loop", "$l.each |$i| { file { \"/a${i}\": } exec { \"b${i}\": } }", "File[\"/a${i}\"]", false},
		{"a define", "define d { file { $name: } exec { \"x ${title}\": } }", "File[$name]", false},
		{"a class", "class c($d) { file { \"${d}/x\": } exec { 'x': } }", "File[\"${d}/x\"]", false},
		{"behind it", "define d { exec { 'x': } file { \"/a/${name}\": } }", "File[\"/a/${name}\"]", false},
		{"perhaps an array", "define d($dirs) { file { $dirs: } exec { 'x': } }", "File[$dirs]", true},
		{"one branch", "define d { if $x { file { \"/a/${name}\": } exec { 'x': } } }", "File[\"/a/${name}\"]", false},
		{"one option", "define d { case $x { 1: { file { \"/a/${name}\": } exec { 'x': } } } }", "File[\"/a/${name}\"]",
			false},

		{"a plain title", "define d { file { '/a': } exec { 'x': } }", "", false},
		{"several titles", "define d { file { [\"/a/${name}\"]: } exec { 'x': } }", "", false},
		{"set later", "define d { exec { 'x': } $p = \"/a/${name}\" file { \"${p}/y\": } }", "", false},
		{"two branches", "$l.each |$i| { if $i { file { \"/a${i}\": } } else { exec { 'x': } } }", "", false},
		{"two options", "$l.each |$i| { case $i { 1: { file { \"/a${i}\": } } 2: { exec { 'x': } } } }", "", false},
		{"another block", "$l.each |$i| { file { \"/a${i}\": } } exec { 'x': }", "", false},
		{"bodies that cannot be told apart", "define d { file { \"/a/${name}\": ; \"/b/${name}\": } exec { 'x': } }", "",
			false},
	} {
		f := source.NewFile("a.pp", x.text)
		if got, single := report.Words(declared(f, "File", "/a/1"), declared(f, "Exec", "x")); got != x.want || got != "" &&
			single == x.several {
			t.Errorf("%s: %q, want %q; single %v", x.name, got, x.want, single)
		}
	}
}
