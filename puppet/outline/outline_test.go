package outline_test

import (
	"fmt"
	"strings"
	"testing"

	"bunraku/puppet/outline"
	"bunraku/puppet/syntax"
	"bunraku/source"
)

var effects = map[string]outline.Effect{
	"include": outline.Includes, "contain": outline.Includes | outline.Contains,
	"require":          outline.Includes | outline.Requires,
	"create_resources": outline.Makes, "ensure_packages": outline.Packages, "realize": outline.Realizes,
	"tag":           outline.Tags,
	"hiera_include": outline.DeclaresAny, "call": outline.Calls, "ruby": outline.Anything,
}

var kinds = map[outline.Kind]string{
	outline.Declares: "declares", outline.Sets: "sets", outline.Defaults: "defaults", outline.Called: "calls",
	outline.RequiresHere: "requires", outline.TagsHere: "tags", outline.DoesAnything: "anything",
}

// Each piece of code with what it does, "?" for what is computed.
func TestUses(t *testing.T) {
	for _, c := range []struct{ code, want string }{
		{"include a, '::B::c'", "calls include; declares Class[a]; declares Class[b::c]"},
		{"include $x", "calls include; declares Class[?]"},
		{"contain a", "calls contain; declares Class[a]; sets Class[A] ***"},
		{"require a", "calls require; requires; declares Class[a]"},
		{"['a', 'b'].include", "calls include; declares Class[a]; declares Class[b]"},
		{"class { 'a': x => 1 }", "declares Class[a]"},
		{"class { [$x, 'a']: }", "declares Class[?]; declares Class[a]"},
		{"file { '/a': ; \"/${x}\": ; default: mode => '1' }", "declares File[/a]; declares File[?]"},
		{"::apache::vhost { 'a': }", "declares Apache::Vhost[a]"},
		{"Resource['file'] { 'a': }", "declares ?[?]"},
		{"File['/a', '/b'] { mode => '1' }", "sets File[/a] mode; sets File[/b] mode"},
		{"File['/a'] { * => $x }", "sets File[/a] ?"},
		{"$x { mode => '1' }", ""},
		{"File <| |> { mode => '1' }", "sets File[?] mode; sets File[?] *; collects File[?]"},
		{"File <<| |>>", "collects File[?]"},
		{"File { mode => '1', owner => 'r' }", "defaults File[?] mode; defaults File[?] owner"},
		{"File['a'] -> Class['b::c']",
			"sets File[a] before; sets File[a] notify; sets Class[B::C] before; sets Class[B::C] notify"},
		{"realize(File['a'])", "calls realize; collects ?[?]"},
		{"tag('x')", "calls tag; tags"},
		{"create_resources('apache::vhost', {})", "calls create_resources; declares Apache::Vhost[?]"},
		{"create_resources('@user', {})", "calls create_resources; declares User[?]"},
		{"create_resources('class', {})", "calls create_resources; declares ?[?]"},
		{"create_resources($t, {})", "calls create_resources; declares ?[?]"},
		{"ensure_packages($l)", "calls ensure_packages; declares Package[?]"},
		{"hiera_include('classes')", "calls hiera_include; declares ?[?]"},
		{"call('include', 'a')", "calls call; calls include; declares Class[a]"},
		{"call($f, 'a')", "calls call; anything"},
		{"ruby()", "calls ruby; anything"},
		{"if $x { include a } else { [1].each |$i| { notify { 'n': } } }",
			"calls include; declares Class[a]; calls each; declares Notify[n]"},
		{"class c { include a }  define d { include b }  function f() { include e }", ""},
	} {
		tree, ds := syntax.Parse(source.NewFile("t.pp", c.code), syntax.Options{})
		if ds.HasErrors() {
			if c.want != "" {
				t.Errorf("%s: %v", c.code, ds)
			}
			continue
		}
		var got []string
		for u := range outline.Uses(tree.Body.Stmts, func(name string) outline.Effect { return effects[name] }) {
			if u.At == nil {
				t.Errorf("%s: a use without a place", c.code)
			}
			got = append(got, show(u))
		}
		if s := strings.Join(got, "; "); s != c.want {
			t.Errorf("%s\n got %s\nwant %s", c.code, s, c.want)
		}
	}
}

func show(u outline.Use) string {
	or := func(s string) string {
		if s == "" {
			return "?"
		}
		return s
	}
	verb := kinds[u.Kind]
	switch {
	case u.Kind == outline.Called:
		return verb + " " + u.Name
	case u.Kind >= outline.RequiresHere:
		return verb
	case u.Collected:
		verb = "collects"
	}
	s := fmt.Sprintf("%s %s[%s]", verb, or(u.Type), or(u.Name))
	if u.Kind == outline.Sets || u.Kind == outline.Defaults {
		s += " " + or(u.Attr)
	}
	return s
}

// A reader may stop early.
func TestUsesStop(t *testing.T) {
	tree, _ := syntax.Parse(source.NewFile("t.pp", "include a\ninclude b\nfile { 'c': }"), syntax.Options{})
	n := 0
	for range outline.Uses(tree.Body.Stmts, func(string) outline.Effect { return outline.Includes }) {
		if n++; n == 2 {
			break
		}
	}
	if n != 2 {
		t.Errorf("read %d uses, want 2", n)
	}
}
