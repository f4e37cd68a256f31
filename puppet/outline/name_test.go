package outline_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"bunraku/puppet/outline"
	"bunraku/puppet/syntax"
	"bunraku/source"
)

// TestNamesStandThere: where a name is said to stand, it stands, in the example and in Debian's modules; and cutting a
// file anywhere breaks nothing.
func TestNamesStandThere(t *testing.T) {
	roots := []string{"../../examples/shop"}
	if !testing.Short() {
		modules, _ := filepath.Glob("/usr/share/puppet/modules/*") // links, mostly
		roots = append(roots, modules...)
	}
	effects := func(f string) outline.Effect {
		switch f {
		case "include", "require", "contain":
			return outline.Includes
		case "create_resources", "ensure_resource":
			return outline.Makes
		}
		return 0
	}
	files, names := 0, 0
	for _, root := range roots {
		if real, err := filepath.EvalSymlinks(root); err == nil {
			root = real
		}
		_ = filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || filepath.Ext(p) != ".pp" && filepath.Ext(p) != ".epp" {
				return nil
			}
			text, err := os.ReadFile(p)
			if err != nil {
				return nil
			}
			files++
			for _, end := range []int{len(text), len(text) / 2, len(text) / 3} {
				file := source.NewFile(p, string(text[:end]))
				parse := syntax.Parse
				if filepath.Ext(p) == ".epp" {
					parse = syntax.ParseEPP
				}
				tree, _ := parse(file, syntax.Options{})
				for _, n := range outline.Names(tree, effects) {
					if n.Open {
						continue // nobody says its name
					}
					names++
					got := strings.ToLower(strings.TrimPrefix(file.Slice(n.Span), "::"))
					want := strings.ToLower(n.Name)
					if n.Kind == outline.ResourceName {
						want = strings.TrimSuffix(want[strings.Index(want, "[")+1:], "]")
					}
					if strings.Contains(got, "${") || n.Pattern {
						continue // a part of it is computed
					}
					if got == "" || !strings.HasSuffix(want, got) && !strings.HasSuffix(strings.TrimLeft(got, "@"), want) {
						t.Errorf("%s: %q stands where %+v should", source.Place{File: file, Span: n.Span}, got, n)
					}
				}
			}
			return nil
		})
	}
	if files < 10 || names < 100 {
		t.Errorf("only %d names in %d files", names, files)
	}
	t.Logf("%d names in %d files", names, files)
}

// TestNamesERB: variables of templates, and what only looks like one.
func TestNamesERB(t *testing.T) {
	text := "@no <%= @a %><%# @no %><% @b.each do |x| -%>me@example <%= scope['::x::y'] + scope.lookupvar('z') %>" +
		"<%% @no %><%= 'me@no' + @@no + @_erbout %><%= 'mail @no' + \"to @no #{@c}\" # @no\n+ @d.gsub(/'@no/, @e) %>" +
		"<% f = <<END\n #{@g}\nEND\n if @h / 2 > @i/3 # it's @no %><%= 1 if @j == ?' || @k %>" +
		"<%= \"#@l #@@no \\#@no \\#{@no} #{[1].map { |x| x } + @m} #{@n}\" + '#@no #{@no}' %><%= @last"
	var got []string
	for _, n := range outline.NamesERB(text) {
		got = append(got, n.Name)
		if text[n.Span.Start:n.Span.End] != n.Name {
			t.Errorf("%+v", n)
		}
	}
	if s := strings.Join(got, " "); s != "a b x::y z c d e g h i j k l m n last" {
		t.Error(s)
	}
}

// TestNamesDeep: what is indexed again and again is looked at once for each time.
func TestNamesDeep(t *testing.T) {
	const deep = 50_000
	text := "$x = Resource[a]['b']\n$y = a" + strings.Repeat("[1]", deep)
	tree, _ := syntax.Parse(source.NewFile("x.pp", text), syntax.Options{})
	start := time.Now()
	names := outline.Names(tree, func(string) outline.Effect { return 0 })
	if took := time.Since(start); took > 5*time.Second {
		t.Errorf("it takes %s", took)
	}
	if len(names) == 0 || names[1].Name != "a" {
		t.Errorf("%v", names)
	}
}
