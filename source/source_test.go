package source

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestPositions(t *testing.T) {
	f := NewFile("f", "ab\nñ𝄞x\r\n\nend")
	for _, c := range []struct {
		offset uint32
		want   string
		utf16  int
	}{{0, "1:1", 0}, {2, "1:3", 2}, {3, "2:1", 0}, {5, "2:2", 1}, {9, "2:3", 3}, {12, "3:1", 0}, {13, "4:1", 0},
		{16, "4:4", 3}, {99, "4:4", 3}} {
		if got := f.Position(c.offset).String(); got != c.want {
			t.Errorf("offset %d is at %s, want %s", c.offset, got, c.want)
		}
		if got := f.UTF16Column(c.offset); got != c.utf16 {
			t.Errorf("offset %d is at UTF-16 column %d, want %d", c.offset, got, c.utf16)
		}
	}
	for n, want := range []string{"", "ab", "ñ𝄞x", "", "end", ""} {
		if got := f.Line(n); got != want {
			t.Errorf("line %d is %q, want %q", n, got, want)
		}
	}
	if f.LineCount() != 4 {
		t.Errorf("%d lines", f.LineCount())
	}
}

// A position maps back to the offset it came from, for every offset that begins a character.
func TestOffsetInvertsPosition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOf(rapid.SampledFrom([]string{"a", "é", "𝄞", "\n", " ", "bc"})).Draw(t, "text"), "")
		f := NewFile("f", text)
		for i := range text {
			if got := f.Offset(f.Position(uint32(i))); got != uint32(i) {
				t.Fatalf("offset %d came back as %d in %q", i, got, text)
			}
		}
	})
}

func TestRender(t *testing.T) {
	f := NewFile("site.pp", "class a {\n\tfile { 'x' }\n}\n")
	d := &Diagnostic{
		Code: "X1", Summary: "something is wrong", Place: Place{f, Span{18, 21}}, Label: "here", Detail: "first\nsecond",
		Related: []Related{{Place: Place{f, Span{0, 5}}, Label: "and here"}}, Stack: []string{"main", "class a"},
		Help: "mend it",
	}
	want := `error[X1]: something is wrong
   site.pp:2:9
   2 |  file { 'x' }
     |         ^^^ here
   site.pp:1:1
   1 | class a {
     | ^^^^^ and here
   first
   second
   by: main > class a
   help: mend it
`
	if got := d.String(); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	if got := d.Error(); got != "site.pp:2:9: something is wrong" {
		t.Errorf("Error is %q", got)
	}
	long := NewFile("long.pp", strings.Repeat("x", 500)+"!"+strings.Repeat("y", 500))
	text := (&Diagnostic{Summary: "far out", Place: Place{long, Span{500, 501}}}).String()
	for line := range strings.Lines(text) {
		if len([]rune(line)) > 180 {
			t.Errorf("a line of %d characters was shown", len([]rune(line)))
		}
	}
	if !strings.Contains(text, "!") || !strings.Contains(text, "^") {
		t.Errorf("the subject is not shown:\n%s", text)
	}
}

func TestSort(t *testing.T) {
	a, b := NewFile("a", "xx"), NewFile("b", "xx")
	ds := Diagnostics{{Code: "2", Place: Place{b, Span{0, 1}}}, {Code: "3", Place: Place{a, Span{1, 2}}},
		{Code: "1", Place: Place{a, Span{0, 1}}, Severity: Warning}}
	ds.Sort()
	if got := ds[0].Code + ds[1].Code + ds[2].Code; got != "132" {
		t.Errorf("sorted as %s", got)
	}
	if !ds.HasErrors() || ds.Count(Warning) != 1 || (Diagnostics{ds[0]}).HasErrors() {
		t.Error("severities are miscounted")
	}
}

func TestNearest(t *testing.T) {
	names := []string{"owner", "group", "mode", "content", "ensure"}
	for in, want := range map[string]string{"onwer": "owner", "ensrue": "ensure", "contents": "content", "Mode": "mode",
		"xyzzy": "", "owner": "", "": ""} {
		if got := Nearest(in, names); got != want {
			t.Errorf("nearest to %q is %q, want %q", in, got, want)
		}
	}
	long := []string{"apache::mod::dav", "apache::mod::sll", "/etc/motd", "/etc/passwd", "Profile::Nginx"}
	for in, want := range map[string]string{"apache::mod::xyz": "", "apache::mod::ssl": "apache::mod::sll",
		"/etc/mtd": "/etc/motd", "/etc/host": "", "profile::ngnix": "Profile::Nginx", "profil::nginx": "Profile::Nginx"} {
		if got := Nearest(in, long); got != want {
			t.Errorf("nearest to %q is %q, want %q", in, got, want)
		}
	}
	// Words that two names share make them no nearer: what differs has to look misspelt.
	for in, c := range map[string]string{"cinder::backup": "galera::backup", "redis::instance": "mariadb::instance",
		"apt::source": "scap::source", "rabbitmq_exporter": "graphite_exporter", "db_type": "db_name",
		"service_package": "service_name", "logdir": "confdir", "packages::py27_mercurial": "win_packages::mercurial",
		"icingaweb2::module::director": "icinga::web::director", "issue_net": "use_issue_net",
		"db_port": "db_host", "es5": "es6", "php74_fpm": "php82_fpm", "web2.example": "web1.example",
		"profile::stack::dev::cinder::backup": "role::cloud::stack::dev::cinder_backups"} {
		if got := Nearest(in, []string{c}); got != "" {
			t.Errorf("nearest to %q is %q", in, got)
		}
	}
	for in, c := range map[string]string{"web_sever_port": "web_server_port", "webserver_port": "web_server_port",
		"git_data_dir": "git_data_dirs", "osm/populate_admin": "osm/populate_admin.erb", "m::mian::x": "m::main::x",
		"healtchcheck_options": "healthcheck_options", "kafka_messages_max": "kafka_message_max", "vhots": "vhosts",
		"web1.example": "web01.example", "es06_data": "es6_data", "es5_dat": "es6_data"} {
		if got := Nearest(in, []string{c}); got != c {
			t.Errorf("nearest to %q is %q, want %q", in, got, c)
		}
	}
	short := []string{"a", "x", "id", "of", "uid", "gid", "port", "A1"}
	for in, want := range map[string]string{"b": "", "y": "", "ab": "", "ix": "", "udi": "uid", "prot": "port",
		"pot": "port", "a1": "A1", "ports": "port", "gids": "gid", "zz": ""} {
		if got := Nearest(in, short); got != want {
			t.Errorf("nearest to %q is %q, want %q", in, got, want)
		}
	}
}

// A name of any length, and any number of them, is answered at once.
func TestNearestIsBounded(t *testing.T) {
	long := strings.Repeat("a", 5<<20)
	if got := Nearest(long+"b", []string{long, long + "c"}); got != "" {
		t.Errorf("found %d letters", len(got))
	}
	many := []string{"ownre"}
	for range 1 << 20 {
		many = append(many, strings.Repeat("x", 200))
	}
	if got := Nearest("owner", many); got != "ownre" {
		t.Errorf("found %q", got)
	}
	if n := testing.AllocsPerRun(1, func() { Nearest(strings.Repeat("x", 199), many) }); n > 10000 {
		t.Errorf("%v allocations for a suggestion", n)
	}
}

// A list of paths is cut at colons; where drives have letters, not at theirs.
func TestSplitPaths(t *testing.T) {
	for _, c := range []struct {
		list          string
		plain, drives []string
	}{
		{"modules:/etc/a:b", []string{"modules", "/etc/a", "b"}, []string{"modules", "/etc/a", "b"}},
		{`C:/code/site:modules`, []string{"C", "/code/site", "modules"}, []string{"C:/code/site", "modules"}},
		{`site:C:\code;d:/b;modules`, []string{"site", "C", `\code;d`, "/b;modules"},
			[]string{"site", `C:\code`, "d:/b", "modules"}},
		{"a:b", []string{"a", "b"}, []string{"a", "b"}},
		{"", []string{""}, []string{""}},
	} {
		if got := splitPaths(c.list, false); !slices.Equal(got, c.plain) {
			t.Errorf("%s is %q", c.list, got)
		}
		if got := splitPaths(c.list, true); !slices.Equal(got, c.drives) {
			t.Errorf("%s is %q where there are drives", c.list, got)
		}
	}
}
