package trace

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"bunraku/puppet/syntax"
	"bunraku/source"
)

var words = regexp.MustCompile(`\w+`)

// Every word of a file counts somewhere: in what loading shows, in a piece, in a comparison, or in a definition that is
// asked for as a whole. A part of the tree that no question covers would let a node pass for unchanged that is not.
func TestEveryWordCounts(t *testing.T) {
	var files []string
	err := filepath.WalkDir(filepath.Join("..", "..", "examples", "shop"),
		func(path string, e os.DirEntry, err error) error {
			if ext := filepath.Ext(path); ext == ".pp" || ext == ".epp" {
				files = append(files, path)
			}
			return err
		})
	if err != nil {
		t.Fatal(err)
	}
	texts := map[string]string{
		"a.epp": "<%- | String $a = 'd', Integer[1, 9] $b = 2 | -%>\ntext <%= $a %> <%= $facts['os']['name'] ? { 'x' => " +
			"'y', default => \"i${b}\" } %>\n" +
			"<% if $a == 'q' { %><%= $b + 1 %> in <% } else { %>out <%= { $c = 3  $c } %><% } -%>\n" +
			"<% [1, 2].each |$i, $j = 4| { -%>\nrow <%= $i %> <%= case $a { 'k': { 'l' } default: { 'm' } } %>\n<% } -%>\n",
		"a.pp": "function f(Integer $x, *$y) >> Integer { $x and $y[0] or true }\ntype T = Enum['a', 'b']\n" +
			"define d($p = lookup('k', {default_value => 'v'})) { file { \"/x/${title}\": * => { mode => '0644' } } }\n" +
			"node /we(b)/, 'db' { include c  D <| tag == 'u' |> { p => 'w' }  File['/x/z'] { owner => 'o' } }\n" +
			"class c inherits e { Exec { path => '/bin' }  $v = { k1 => ['l1', $w] }  unless $v { notify { 'n': } }  d { " +
			"['t1', 't2']: p => $v[k1] } -> Notify['n'] }\n",
	}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		texts[name] = string(text)
	}
	changed := 0
	for name, text := range texts {
		was, ok := everything(name, text)
		if !ok {
			t.Errorf("%s does not parse", name)
			continue
		}
		for _, at := range words.FindAllStringIndex(text, -1) {
			word := text[at[0]:at[1]]
			other := text[:at[0]] + word + "1" + text[at[1]:]
			is, ok := everything(name, other)
			if !ok || comment(text, at[0]) {
				continue
			}
			if changed++; is == was {
				line := 1 + strings.Count(text[:at[0]], "\n")
				t.Errorf("%s:%d: nothing asks for %q: %s", name, line, word, strings.Split(text, "\n")[line-1])
			}
		}
	}
	if changed < 500 {
		t.Errorf("only %d words were changed", changed)
	}
}

// comment reports whether a place is in a comment, as far as one line tells.
func comment(text string, at int) bool {
	line := text[strings.LastIndexByte(text[:at], '\n')+1 : at]
	return strings.HasPrefix(strings.TrimSpace(line), "#") || strings.Contains(line, " # ") ||
		strings.Contains(line, "<%#")
}

// everything is all that questions may ask of a file.
func everything(name, text string) (string, bool) {
	parse := syntax.Parse
	if filepath.Ext(name) == ".epp" {
		parse = syntax.ParseEPP
	}
	f, ds := parse(source.NewFile(name, text), syntax.Options{})
	if ds.HasErrors() {
		return "", false
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%q\n", Outline([]*syntax.File{f}, true))
	for _, n := range f.Defs {
		w := &writer{}
		if _, alias := n.(*syntax.TypeAlias); alias {
			w.definition(n)
		}
		fmt.Fprintf(&b, "%s %q\n", NameOf(n), w.Text)
	}
	for _, p := range PiecesOf(f).order {
		fmt.Fprintf(&b, "%s %q", p.Name, p.Digest())
		for _, x := range p.Tests() {
			fmt.Fprintf(&b, " %v", LiteralValue(x))
		}
		b.WriteByte('\n')
	}
	return b.String(), true
}
