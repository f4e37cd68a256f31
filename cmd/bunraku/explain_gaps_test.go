package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A gap is a question that once had a wrong, weak or no answer, on a small environment.
type gap struct {
	name  string
	files map[string]string
	args  []string // after `explain DIR --node n`
	code  int
	want  []string // in this order
	not   []string
}

const oneLevel = "version: 5\nhierarchy:\n  - {name: all, path: common.yaml}\n"

// site is an environment of one manifest, and more files by name and text.
func site(code string, more ...string) map[string]string {
	files := map[string]string{"manifests/site.pp": code}
	for i := 0; i < len(more); i += 2 {
		files[more[i]] = more[i+1]
	}
	return files
}

var (
	byRole = []string{"facts/n.json", `{"name":"n","values":{"role":"web"}}`,
		"hiera.yaml", "version: 5\nhierarchy:\n  - {name: Role, path: 'role/%{facts.role}.yaml'}\n"}
	twoIncludes = "class base { notify { 'n': } }\nclass a { include base }\nclass b { include base }\ninclude " +
		"a\ninclude b\n"
	eachOfHash = site("lookup('h').each |$k, $v| { notify { $k: message => $v } }\n", "hiera.yaml", oneLevel,
		"data/common.yaml", "h:\n  one: 1\n  two: 2\n")
	tagged = site("class web::front { notify { 'n': tag => 'blue' } }\ninclude web::front\n")
)

var gaps = []gap{
	{name: "bodies that call() reaches",
		files: site("function fn($a, $b = 'bee') { \"${a}-${b}\" }\nnotify { 'c': message => call('fn', 'arg') }\n"),
		args:  []string{"Notify[c]", "message", "--dependency"}, want: []string{"1:22,", "function fn($a, $b = 'bee')"}},
	{name: "two levels with the same directory, each with its own",
		files: site("notify { 'c': message => lookup('k') }\n", "data/common.yaml", "k: 1\n", "hiera.yaml",
			"version: 5\nhierarchy:\n  - name: \"common.yaml\"\n    datadir: data\n    path: \"none.yaml\"\n"+
				"  - name: two\n    datadir: data\n    path: \"common.yaml\"\n"),
		args: []string{"Notify[c]", "message", "--dependency"},
		want: []string{"4:14", "datadir: data", "5:11", "7:14", "datadir: data", "8:11", `path: "common.yaml"`},
		not:  []string{"3:11", "6:11"}},
	{name: "names and options of Hiera functions, and the keys of what they return",
		files: site("function data($options, $context) { $h = { 'k' => $options['x'] } $h }\nnotify { 'c': message => "+
			"lookup('k') }\n",
			"hiera.yaml", "version: 5\nhierarchy:\n  - name: f\n    data_hash: data\n    options:\n      x: extra\n"),
		args: []string{"Notify[c]", "message", "--dependency"},
		want: []string{"hiera.yaml", "4:16", "data_hash: data", "x: extra", "site.pp", "1:44"}},
	{name: "every key of a hash is a place", files: eachOfHash, args: []string{"Notify[two]", "--dependency"},
		want: []string{"data/common.yaml", "which entries h has", "3:3", "two: 2"}},
	{name: "a line of a hash reaches what its key makes", files: eachOfHash,
		args: []string{"--reaches", "data/common.yaml:3"}, want: []string{"reaches", "Notify[two] (its title)"}},
	{name: "an alias is a place",
		files: site("notify { 'c': message => lookup('v') }\n", "hiera.yaml", oneLevel, "data/common.yaml",
			"w: &a hello\nv: *a\n"),
		args: []string{"Notify[c]", "message", "--dependency"},
		want: []string{"data/common.yaml", "1:7", "w: &a hello", "2:1,4", "v: *a"}},
	{name: "an attribute that is not set and resembles one that is",
		files: site("service { 'haproxy': hasrestart => true }\n"), args: []string{"Service[haproxy]", "restart"},
		want: []string{"restart is not set on Service[haproxy]"}},
	{name: "an array with interpolated elements is no copy",
		files: site("$x = 'u'\nclass c($l) { }\ninclude c\n", "hiera.yaml", oneLevel, "data/common.yaml",
			"c::l:\n  - \"%{x}-a\"\n  - b\n"),
		args: []string{"Class[c]", "l", "--where"}, want: []string{"It was computed, not copied from one place"}},
	{name: "elements of split have the data that made them",
		files: site("$v = split('12.13.14', '[.]')[1]\nnotify { 'c': message => \"postgresql${v}-server\" }\n"),
		args:  []string{"Notify[c]", "message"}, want: []string{"'postgresql13-server'", "1:12", "split("}},
	{name: "captures in a selector",
		files: site("$v = 'v42' ? { /^v(\\d+)$/ => $1, default => 'none' }\nnotify { 'c': message => \"is ${v}\" }\n"),
		args:  []string{"Notify[c]", "message", "--expression"}, want: []string{"$1('v42'"}, not: []string{"$1()"}},
	{name: "of two includes one chain is listed, in both directions", files: site(twoIncludes),
		args: []string{"--reaches", "manifests/site.pp:2"}, want: []string{"Notify[n]"}},
	{name: "a relation along a chain",
		files: site("notify { ['a', 'b', 'c']: }\nNotify['a'] -> Notify['b']\nNotify['b'] -> Notify['c']\n"),
		args:  []string{"Notify[a] -> Notify[c]"},
		want: []string{"Notify[a] comes before Notify[c], in 2 steps", "site.pp:2:", "Notify[a] comes before Notify[b]",
			"site.pp:3:", "Notify[b] comes before Notify[c]"}},
	{name: "a relation through classes",
		files: site("class i { package { 'p': } }\nclass s { service { 's': } }\ninclude i, s\nClass['i'] -> Class['s']\n"),
		args:  []string{"Package[p] -> Service[s]"},
		want: []string{"in 3 steps", "Class[I] contains Package[p]", "Class[I] comes before Class[S]",
			"Class[S] contains Service[s]"}},
	{name: "an automatic relation", files: site("group { 'app': }\nfile { '/srv/app': group => 'app' }\n"),
		args: []string{"Group[app] -> File[/srv/app]"},
		want: []string{"File[/srv/app] requires Group[app] (automatic, by its group)", "site.pp:2:"}},
	{name: "a relation the other way round",
		files: site("notify { ['a', 'b']: }\nNotify['a'] -> Notify['b']\n"), args: []string{"Notify[b] -> Notify[a]"},
		code: 2,
		want: []string{"nothing orders Notify[b] before Notify[a]", "the other way round", "cycle"}},
	{name: "code that ran with other titles", files: site("$list = ['a', 'b']\npackage { $list: }\n"),
		args: []string{"--why-not", "Package[c]"},
		want: []string{"ran", "site.pp:2:", "this ran, with the 2 titles a, b", "titles", "site.pp:1:"},
		not:  []string{"did not run"}},
	{name: "nested lookups are not mixed up",
		files: site("notify { 'c': message => lookup('a') }\n", "hiera.yaml", oneLevel, "data/common.yaml",
			"a: \"%{lookup('b')}\"\nb: used\n"),
		args: []string{"hiera:a"}, want: []string{"value", "common.yaml:1:4"}, not: []string{"hidden"}},
	{name: "a realize that was passed over",
		files: site("$x = false\n@user { 'guest': }\nif $x { realize(User['guest']) }\n"),
		args:  []string{"--why-not", "User[guest]"},
		want:  []string{"virtual", "passed over", "skipped", "would be realized", "$x (false)"}},
	{name: "data that another node reads",
		files: site("package { lookup('packages'): }\n", append(byRole, "data/role/web.yaml", "packages: [nginx]\n",
			"data/role/db.yaml", "packages:\n  - postgresql\n")...),
		args: []string{"--why-not", "Package[postgresql]"},
		want: []string{"data", "data/role/db.yaml:2:5", "Hiera key packages.0",
			"read where facts.role is 'db'; here it is 'web'"}},
	{name: "a key that another node has",
		files: site("notify { 'x': }\n", append(byRole, "data/role/web.yaml", "a: 1\n", "data/role/db.yaml",
			"port: 5432\n")...),
		args: []string{"--why-not", "hiera:port"},
		want: []string{"Hiera key port is not there for n", "data/role/db.yaml:1:1", "read where facts.role is 'db'"}},
	{name: "all that include a class", files: site(twoIncludes), args: []string{"Class[base]"},
		want: []string{"declared", "site.pp:2:", "also by", "site.pp:3:"}},
	{name: "a resource by the name that it has on the machine",
		files: site("service { 'httpd': name => 'apache2', ensure => running }\n"), args: []string{"apache2"},
		want: []string{"Service[httpd]"}},
	{name: "a pattern", files: site("file { ['/etc/a.conf', '/etc/b.conf', '/srv/x']: }\n"),
		args: []string{"File[/etc/*.conf]"}, want: []string{"2 resources", "File[/etc/a.conf]", "File[/etc/b.conf]"},
		not: []string{"/srv/x"}},
	{name: "tags", files: tagged, args: []string{"Notify[n]", "tags"},
		want: []string{"blue  (its attribute tag)", "front  (in class web::front)", "notify  (its type)"}},
	{name: "who has a tag", files: tagged, args: []string{"tag:blue"},
		want: []string{"1 resource", "Notify[n]", "its attribute tag"}},
}

// concatModule is as much of the concat module as a catalog needs.
var concatModule = []string{"modules/concat/lib/puppet/type/concat_file.rb",
	"Puppet::Type.newtype(:concat_file) do\n  newparam(:path, namevar: true)\n  newparam(:order)\nend\n",
	"modules/concat/lib/puppet/type/concat_fragment.rb",
	"Puppet::Type.newtype(:concat_fragment) do\n  newparam(:name, namevar: true)\n  newparam(:target)\n  " +
		"newparam(:order)\n" +
		"  newparam(:content)\nend\n"}

// outside are questions from the outside in: lines of files, whole files, code.
var outside = []gap{
	{name: "a line of a rendered file",
		files: site("class m($hosts = ['a', 'b']) { file { '/etc/x': content => template('m/x.erb') } }\ninclude m\n",
			"modules/m/templates/x.erb", "# head\n<% @hosts.each do |h| -%>\nserver <%= h %>;\n<% end -%>\n"),
		args: []string{"/etc/x:2"}, want: []string{"/etc/x:2   server a;", "content", "File[/etc/x]", "written", "x.erb:3:1",
			"data", "site.pp:1:"}},
	{name: "a line of a file that concat puts together",
		files: site("concat_file { '/etc/c': }\n"+
			"concat_fragment { 'two': target => '/etc/c', order => '20', content => \"b\\nc\\n\" }\n"+
			"concat_fragment { 'one': target => '/etc/c', order => '10', content => \"a\\n\" }\n", concatModule...),
		args: []string{"/etc/c:2"},
		want: []string{"/etc/c:2   b", "fragment", "Concat_fragment[two]: part of Concat_file[/etc/c]"}},
	{name: "a line that is edited later", files: site("host { 'h': ip => '10.0.0.1' }\n"), args: []string{"/etc/hosts:3"},
		want: []string{"may change", "Host[h]"}},
	{name: "a line of a module's file",
		files: site("file { '/etc/x': source => 'puppet:///modules/m/x' }\n", "modules/m/files/x", "one\ntwo\n"),
		args:  []string{"/etc/x:2"}, want: []string{"/etc/x:2   two", "source", "written", "modules/m/files/x:2:1"}},
	{name: "a line that no resource writes", files: site("notify { 'x': }\n"), args: []string{"/etc/nope:1"}, code: 2,
		want: []string{"nothing in the catalog of n writes /etc/nope", "not from the catalog"}},
	{name: "an inline template stands in the manifest",
		files: site("$x = 1\nnotify { 'a': message => inline_template('v <%= @x %> w') }\n"),
		args:  []string{"Notify[a]", "message", "--expression"}, want: []string{"site.pp:2:", "v "},
		not: []string{"inline template:1"}},
	{name: "all of a file", files: eachOfHash, args: []string{"--reaches", "data/common.yaml"},
		want: []string{"Notify[one]", "Notify[two]"}},
	{name: "all of a directory", files: eachOfHash, args: []string{"--reaches", "data/"},
		want: []string{"Notify[one]", "Notify[two]"}},
	{name: "code without a datum may matter", files: site("$a = 1\n$b = $a\nnotify { 'n': message => $b }\n"),
		args: []string{"--reaches", "manifests/site.pp:2"}, code: 2, want: []string{"no datum at", "may matter"},
		not: []string{"alters nothing"}},
	{name: "a key of another name would alter something",
		files: site("notify { 'n': message => lookup('k', Any, 'first', 'none') }\n", "hiera.yaml", oneLevel,
			"data/common.yaml", "unused: 1\n"),
		args: []string{"--reaches", "data/common.yaml:1"}, code: 2,
		want: []string{"its value alters nothing; a key of another name here would: ", "k"}},
}

func (g *gap) write(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range g.files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// TestExplainGaps asks what was once answered wrongly.
func TestExplainGaps(t *testing.T) {
	for _, g := range slices.Concat(gaps, outside) {
		t.Run(g.name, func(t *testing.T) {
			dir := g.write(t)
			code, out, err := call(append([]string{"explain", dir, "--node", "n"}, g.args...)...)
			text := out + err
			if code != g.code {
				t.Errorf("exit %d, want %d", code, g.code)
			}
			rest := text
			for _, w := range g.want {
				i := strings.Index(rest, w)
				if i < 0 {
					t.Errorf("%q is missing, or not in its place", w)
					break
				}
				rest = rest[i+len(w):]
			}
			for _, w := range g.not {
				if strings.Contains(text, w) {
					t.Errorf("%q must not be there", w)
				}
			}
			if t.Failed() {
				t.Log(strings.ReplaceAll(text, dir, ""))
			}
		})
	}
}

// TestUnsetNearest: of the decisions against an attribute that one comes first whose branch would have set it.
func TestUnsetNearest(t *testing.T) {
	dir := t.TempDir()
	writeFiles(t, filesBelow(dir, map[string]string{"site.pp": `notify { 'n': }
if $facts['a'] { Notify { message => 'a' } }
if $facts['b'] { Notify <| noop == true |> { message => 'b' } }
if $facts['c'] { Notify <| |> { message => 'c' } }
if $facts['x'] { Notify['n'] { message => 'x' } }
if $facts['d'] { Notify <| |> { message => 'd' } }
`, "n.json": "{}"}))
	for _, more := range [][]string{nil, {"--why-not"}} {
		_, out, errs := call(append([]string{"explain", filepath.Join(dir, "site.pp"), "--node", "n", "--facts",
			filepath.Join(dir, "n.json"), "Notify[n]", "message"}, more...)...)
		missing := inOrder(out, "message is not set on Notify[n]", "declared", "\n  if ", "site.pp:5:4", "$facts['x']")
		if missing != "" || strings.Contains(strings.Split(out, "site.pp:5:4")[0], "site.pp:2:4") {
			t.Errorf("%q is missing in\n%s%s", missing, out, errs)
		}
	}
}

// TestWhyNotReasons asks for what is not there, for one reason each.
func TestWhyNotReasons(t *testing.T) {
	for _, c := range []struct {
		name, code, ref string
		want            []string
		not             string
	}{
		{"a class that nothing asks for", "class c { notify { 'n': } }\n", "Class[c]",
			[]string{"defined", "site.pp:1:1", "this is the class, and no code of this environment asks for it"}, "No code"},
		{"a define that nothing declares", "define d { notify { $title: } }\n", "D[x]",
			[]string{"defined", "site.pp:1:1", "this is what declares it"}, "No code"},
		{"a collector that asks for others", "@notify { 'n': tag => 'a' }\nNotify<| tag == 'b' |>\n" +
			"if $facts['x'] { Notify<| tag == 'c' |> }\n", "Notify[n]",
			[]string{"virtual", "site.pp:1:1", "skipped", "site.pp:3:", "missed", "site.pp:2:1", "this asks for others"}, ""},
		{"an early return", "class c {\n  if $facts['x'] == undef {\n    return()\n  }\n  notify { 'n': }\n}\ninclude c\n",
			"Notify[n]", []string{"ended", "site.pp:2:3", "this ended the code here", "if", "site.pp:2:6", "then",
				"site.pp:5:"}, "did not run"},
		{"a key that create_resources did not get", "create_resources('notify', { 'a' => {} })\n", "Notify[n]",
			[]string{"ran", "site.pp:1:1", "this ran, with the 1 title a"}, "No code"},
		{"what ran is nearer than a branch that might", "define d { notify { \"the ${title} of it\": } }\nd { 'x': }\n" +
			"if $facts['x'] { notify { $facts['x']: } }\n", "Notify[the n of it]",
			[]string{"ran", "site.pp:1:", "the x of it", "titles", "site.pp:2:", "skipped", "site.pp:3:"}, ""},
		{"a title of a branch that does not fit", "if $facts['x'] { notify { \"a ${facts['x']}\": } }\n", "Notify[b]",
			[]string{"No code in this environment declares it"}, "skipped"},
		{"what ran nearest to the title", "['a'].each |$x| { notify { $x: } }\nnotice('far')\n" +
			"$y = $facts['x'] ? { undef => 'c', default => 'n' }\nnotify { $y: }\n", "Notify[n]",
			[]string{"ran", "site.pp:4:", "title c", "ran", "site.pp:1:"}, ""},
		{"a branch nearer to the title than what ran", "['a'].each |$x| { notify { $x: } }\n['c', 'n'].each |$x| {\n" +
			"  if $x == 'n' { next() }\n  notify { $x: }\n}\n", "Notify[n]",
			[]string{"ended", "site.pp:3:3", "ran", "site.pp:1:"}, ""},
		{"an arrow that was passed over", "notify { ['a', 'b']: }\nif $facts['x'] {\n  Notify['a'] -> Notify['b']\n}\n",
			"Notify[a] -> Notify[b]", []string{"Notify[a] -> Notify[b] does not hold", "skipped", "site.pp:3:3", "if",
				"site.pp:2:4"}, ""},
		{"a require that was passed over", "notify { ['a', 'b']: }\nif $facts['x'] {\n" +
			"  Notify['b'] { require => Notify['a'] }\n}\n",
			"Notify[a] -> Notify[b]", []string{"skipped", "site.pp:3:3", "if", "site.pp:2:4"}, ""},
		{"a relation that nothing would make", "notify { ['a', 'b']: }\n", "Notify[a] -> Notify[b]",
			[]string{"No branch that was passed over orders them"}, ""},
		{"a relation that is there", "notify { 'a': } -> notify { 'b': }\n", "Notify[a] -> Notify[b]",
			[]string{"Notify[a] -> Notify[b] holds for n"}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			writeFiles(t, filesBelow(dir, map[string]string{"site.pp": c.code, "n.json": "{}"}))
			_, out, errs := call("explain", filepath.Join(dir, "site.pp"), "--node", "n", "--facts",
				filepath.Join(dir, "n.json"), "--why-not", c.ref)
			if missing := inOrder(out, c.want...); missing != "" || c.not != "" && strings.Contains(out, c.not) {
				t.Errorf("%q is missing, or %q is not, in\n%s%s", missing, c.not, out, errs)
			}
		})
	}
}
