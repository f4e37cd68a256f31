package report_test

import (
	"strings"
	"testing"

	"bunraku/puppet/catalog"
	"bunraku/puppet/syntax"
	"bunraku/report"
	"bunraku/source"
)

// declared makes the resource that a manifest declares at a type's first mention, as the compiler would place it.
func declared(f *source.File, typ, title string) *catalog.Resource {
	at := strings.Index(f.Text, strings.ToLower(typ)+" {")
	return &catalog.Resource{Type: typ, Title: title,
		Place: source.Place{File: f, Span: source.Span{Start: uint32(at), End: uint32(len(f.Text))}}}
}

func TestAddAttribute(t *testing.T) {
	for _, x := range []struct{ name, before, title, attr, val, after string }{
		{"aligned, on a line of its own", "file { '/a':\n  ensure  => file,\n  content => 'x',\n}\n", "/a", "notify",
			"Service['s']",
			"file { '/a':\n  ensure  => file,\n  content => 'x',\n  notify  => Service['s'],\n}\n"},
		{"no comma at the end", "file { '/a':\n  ensure => file\n}\n", "/a", "require", "Package['p']",
			"file { '/a':\n  ensure => file,\n  require => Package['p'],\n}\n"},
		{"a comment behind", "file { '/a':\n  ensure => file # ours\n}\n", "/a", "notify", "Service['s']",
			"file { '/a':\n  ensure => file,\n  notify => Service['s'], # ours\n}\n"},
		{"a comma behind a comment", "file { '/a':\n  ensure => file # x, y\n  , }\n", "/a", "notify", "Service['s']",
			"file { '/a':\n  ensure => file # x, y\n  ,\n  notify => Service['s'], }\n"},
		{"one line", "file { '/a': ensure => file }\n", "/a", "require", "Package['p']",
			"file { '/a': ensure => file, require => Package['p'] }\n"},
		{"one line with a comma", "file { '/a': ensure => file, }\n", "/a", "require", "Package['p']",
			"file { '/a': ensure => file, require => Package['p'], }\n"},
		{"nothing but a title", "exec { '/bin/x': }\n", "/bin/x", "creates", "'/x'", "exec { '/bin/x': creates => '/x' }\n"},
		{"nothing but a title, in lines", "  exec { '/bin/x':\n  }\n", "/bin/x", "creates", "'/x'",
			"  exec { '/bin/x':\n    creates => '/x',\n  }\n"},
		{"a title with a colon", "exec { 'a: b': }\n", "a: b", "creates", "'/x'", "exec { 'a: b': creates => '/x' }\n"},
		{"one more", "file { '/a':\n  require => Package['q'],\n}\n", "/a", "require", "Package['p']",
			"file { '/a':\n  require => [Package['q'], Package['p']],\n}\n"},
		{"one more of several", "file { '/a':\n  require => [Package['q'], User['u'],],\n}\n", "/a", "require",
			"Package['p']",
			"file { '/a':\n  require => [Package['q'], User['u'], Package['p'],],\n}\n"},
		{"one more of many in one", "file { '/a': require => Package['q', 'r'] }\n", "/a", "require", "Package['p']",
			"file { '/a': require => [Package['q', 'r'], Package['p']] }\n"},
		{"the body with the title",
			"file {\n  default: mode => '0600';\n  '/b': ensure => file;\n  ['/a', '/c']: ensure => file;\n}\n", "/a", "notify",
			"Service['s']",
			"file {\n  default: mode => '0600';\n  '/b': ensure => file;\n  ['/a', '/c']: ensure => file, notify => " +
				"Service['s'];\n}\n"},
		{"a heredoc", "file { '/a':\n  ensure  => file,\n  content => @(END),\n    hello\n    | END\n}\n", "/a", "notify",
			"Service['s']",
			"file { '/a':\n  notify  => Service['s'],\n  ensure  => file,\n  content => @(END),\n    hello\n    | END\n}\n"},
		{"tabs", "\tfile { '/a':\n\t\tensure => file,\n\t}\n", "/a", "notify", "Service['s']",
			"\tfile { '/a':\n\t\tensure => file,\n\t\tnotify => Service['s'],\n\t}\n"},
		{"a value in lines", "file { '/a':\n  content => epp('x', {\n      'a' => 1,\n  }),\n}\n", "/a", "notify",
			"Service['s']",
			"file { '/a':\n  content => epp('x', {\n      'a' => 1,\n  }),\n  notify  => Service['s'],\n}\n"},

		{"several titles that cannot be told apart", "file { $a: ensure => file; $b: ensure => file }\n", "/a", "notify",
			"Service['s']", ""},
		{"a hash of attributes", "file { '/a': * => $x }\n", "/a", "notify", "Service['s']", ""},
		{"what cannot be added to", "exec { '/bin/x': creates => '/y' }\n", "/bin/x", "creates", "'/x'", ""},
		{"a call", "create_resources('file', $x) # file {\n", "/a", "notify", "Service['s']", ""},
	} {
		t.Run(x.name, func(t *testing.T) {
			f := source.NewFile("a.pp", x.before)
			typ := "File"
			if strings.Contains(x.before, "exec {") {
				typ = "Exec"
			}
			e, ok := report.AddAttribute(declared(f, typ, x.title), x.attr, x.val)
			if ok != (x.after != "") {
				t.Fatalf("%v %q", ok, e.Text)
			}
			if !ok {
				return
			}
			got := x.before[:e.Place.Span.Start] + e.Text + x.before[e.Place.Span.End:]
			if got != x.after {
				t.Errorf("got\n%swant\n%s", got, x.after)
			}
			if _, ds := syntax.Parse(source.NewFile("a.pp", got), syntax.Options{}); ds.HasErrors() {
				t.Error(ds[0])
			}
		})
	}
}

// An attribute that a default gives would be lost; one that an arrow gives would not.
func TestAddAttributeKeepsWhatDefaultsGive(t *testing.T) {
	const text = "File { notify => Service['a'] }\nfile { '/a': ensure => file }\nFile['/a'] ~> Service['b']\n"
	f := source.NewFile("a.pp", text)
	r := declared(f, "File", "/a")
	place := func(s string) source.Place {
		i := uint32(strings.Index(text, s))
		return source.Place{File: f, Span: source.Span{Start: i, End: i + uint32(len(s))}}
	}
	r.Params = []catalog.Param{{Name: "notify", Place: place("notify => Service['a']")}}
	if _, ok := report.AddAttribute(r, "notify", "Service['s']"); ok {
		t.Error("the default's notify would be hidden")
	}
	r.Params[0].Place = place("~>")
	if _, ok := report.AddAttribute(r, "notify", "Service['s']"); !ok {
		t.Error("an arrow adds to what is there")
	}
}

// What is lacking is declared before the statement that needs it, in the same body.
func TestDeclare(t *testing.T) {
	for _, x := range []struct{ name, before, after string }{
		{"a file", "file { '/a/b': }\n", "D\nE\nfile { '/a/b': }\n"},
		{"a class", "class x {\n  file { '/a/b':\n    ensure => file,\n  }\n}\n",
			"class x {\n  D\n  E\n  file { '/a/b':\n    ensure => file,\n  }\n}\n"},
		{"under a comment", "class x {\n\t# what it is\n\t# for\n\tfile { '/a/b': }\n}\n",
			"class x {\n\tD\n\tE\n\t# what it is\n\t# for\n\tfile { '/a/b': }\n}\n"},
		{"under the comment of the file", "# The site.\nfile { '/a/b': }\n", "# The site.\nD\nE\nfile { '/a/b': }\n"},
		{"one line", "if true { file { '/a/b': } }\n", "if true { D E file { '/a/b': } }\n"},
		{"a chain", "define x {\n  package { 'p': }\n  -> file { '/a/b': }\n  ~> service { 's': }\n}\n",
			"define x {\n  D\n  E\n  package { 'p': }\n  -> file { '/a/b': }\n  ~> service { 's': }\n}\n"},
		{"an option of a case", "case 1 {\n  default: {\n    file { '/a/b': }\n  }\n}\n",
			"case 1 {\n  default: {\n    D\n    E\n    file { '/a/b': }\n  }\n}\n"},
		{"a lambda", "[1].each |$x| { file { '/a/b': } }\n", "[1].each |$x| { D E file { '/a/b': } }\n"},
		{"part of an expression", "$x = file { '/a/b': }\n", ""},
		{"created by a function", "create_resources('file', {})\n", ""},
	} {
		f := source.NewFile("x.pp", x.before)
		r := declared(f, "File", "/a/b")
		e, ok := report.Declare(r, []string{"user { 'd': }", "user { 'e': }"})
		got := ""
		if ok {
			got = x.before[:e.Place.Span.Start] + e.Text + x.before[e.Place.Span.End:]
		}
		want := strings.NewReplacer("D", "user { 'd': }", "E", "user { 'e': }").Replace(x.after)
		if got != want {
			t.Errorf("%s:\n%s\nwant:\n%s", x.name, got, want)
		}
	}
}
