package audit_test

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"bunraku/audit"
	"bunraku/puppet/compiler"
)

// site is a control repo in which nothing is wrong.
var site = map[string]string{
	"environment.conf": "modulepath = modules\n",
	"hiera.yaml": `version: 5
defaults: {datadir: data, data_hash: yaml_data}
hierarchy:
  - {name: nodes, path: "nodes/%{trusted.certname}.yaml"}
  - {name: os, path: "os/%{facts.os.family}.yaml"}
  - {name: common, path: common.yaml}
`,
	"data/common.yaml":  "web::port: 80\nweb::names: [a, b]\nweb::site: \"%{lookup('web::port')}\"\nother: 1\n",
	"data/nodes/a.yaml": "web::port: 8080\n",
	"manifests/site.pp": "$tier = 'x'\nnode 'a' { include web, web::sub }\nnode default { $o = lookup('other') }\n",
	"modules/web/manifests/init.pp": `class web(Integer $port = 80, Array[String] $names = [], $site = undef, Web::Mode $mode = '0644') {
  $conf = "/etc/web/${port}"
  file { $conf: content => template('web/conf.erb'), mode => $mode }
  file { '/etc/web/static': source => 'puppet:///modules/web/static.txt' }
  web::vhost { $names: port => $port }
  $names.each |$i, $n| { notify { "${i} ${n} ${tier}": } }
  if defined('nosuch::thing') { include nosuch::thing }
  if $facts['networking'] { web::log("x") }
}
`,
	"modules/web/manifests/vhost.pp": "define web::vhost(Integer $port, $ensure = present) {\n" +
		"  file { \"/etc/web/${title}\": ensure => $ensure, content => epp('web/vhost', {port => $port}), notify => " +
		"$notify }\n}\n",
	"modules/web/manifests/sub.pp":    "class web::sub inherits web { web::log(\"${port} ${web::conf}\") }\n",
	"modules/web/functions/log.pp":    "function web::log(String $text, $level = 'info') { notice($text) }\n",
	"modules/web/types/mode.pp":       "type Web::Mode = Pattern[/\\A[0-7]{4}\\z/]\n",
	"modules/web/templates/conf.erb":  "port <%= @port %>\n<% @names.each do |n| %><%= n %><% end %><%= @fqdn %>\n",
	"modules/web/templates/vhost.epp": "<%- | $port | -%>\n<%= $port %>\n",
	"modules/web/files/static.txt":    "x\n",
}

// check writes a tree and audits it.
func check(t *testing.T, files map[string]string) []string { return checkWanting(t, files, false) }

// checkWanting is the same of a tree of which some modules are not there, maybe.
func checkWanting(t *testing.T, files map[string]string, wanting bool) []string {
	dir := t.TempDir()
	for name, text := range files {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		err := error(nil)
		if to, link := strings.CutPrefix(text, "-> "); link {
			err = os.Symlink(filepath.FromSlash(to), file)
		} else {
			err = os.WriteFile(file, []byte(text), 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	ws := compiler.NewWorkspace(dir, compiler.Options{StandIn: true})
	snap, err := ws.Open(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	var said []string
	for _, d := range audit.New(snap, nil, wanting).Check() {
		line := d.Code + " " + d.Summary
		if d.Help != "" {
			line += " (" + d.Help + ")"
		}
		said = append(said, strings.ReplaceAll(line, dir+"/", ""))
	}
	return said
}

// A tree in which nothing is wrong is not blamed; each fault that is planted in it is found, and nothing else.
func TestPlanted(t *testing.T) {
	if said := check(t, site); len(said) > 0 {
		t.Fatalf("nothing is wrong, and yet:\n%s", strings.Join(said, "\n"))
	}
	in := "modules/web/manifests/init.pp"
	for _, c := range []struct{ file, old, new, want string }{
		{in, "  $conf =", "  include web::sb\n  $conf =",
			"U0101 there is no class web::sb (did you mean web::sub?)"},
		{in, "web::log(", "include web::vhost web::log(",
			"U0101 there is no class web::vhost (web::vhost is a define: declare it with a title)"},
		{"modules/web/manifests/sub.pp", "inherits web", "inherits web::wen",
			"U0101 there is no class web::wen to inherit from"},
		{in, "web::vhost { $names", "web::vhots { $names", "U0102 there is no define web::vhots (did you mean web::vhost?)"},
		{in, "file { $conf", "fiel { $conf", "U0102 there is no resource type fiel (did you mean file?)"},
		{in, "mode => $mode", "moed => $mode", "U0103 File has no attribute moed (did you mean mode?)"},
		{in, "port => $port }", "prot => 1, port => $port }", "U0103 Web::Vhost has no parameter prot (did you mean port?)"},
		{in, "web::log(", "web::lgo(", "U0104 there is no function web::lgo (did you mean web::log?)"},
		{in, "web::log(\"x\")", "flaten([1])", "U0104 there is no function flaten (did you mean flatten?)"},
		{in, "web::log(\"x\")", "[1].flaten", "U0104 there is no function flaten (did you mean flatten?)"},
		{in, "/etc/web/${port}", "/etc/web/${prot}", "U0105 nothing sets $prot (did you mean $port?)"},
		{"modules/web/manifests/sub.pp", "${web::conf}", "${web::cnof}",
			"U0105 class web sets no variable cnof (did you mean conf?)"},
		{"modules/web/manifests/sub.pp", "${web::conf}", "${web::nosuch::conf}",
			"U0105 there is no class web::nosuch to have a variable conf"},
		{in, "web/conf.erb", "web/conv.erb", "U0106 there is no template modules/web/templates/conv.erb (did you mean " +
			"web/conf.erb?)"},
		{"modules/web/manifests/vhost.pp", "'web/vhost'", "'web/vhsot'",
			"U0106 there is no template modules/web/templates/vhsot.epp (did you mean web/vhost.epp?)"},
		{in, "static.txt", "statik.txt", "U0107 there is no file modules/web/files/statik.txt (did you mean " +
			"web/static.txt?)"},
		{in, "web::log(\"x\")", "web::log()", "U0108 web::log() takes 1 to 2 arguments, and gets 0"},
		{in, "web::log(\"x\")", "split('x')", "U0108 split() takes 2 arguments, and gets 1"},
		{in, "Integer $port = 80", "Integer $port = '80'",
			"U0109 the default of $port is no Integer (write 80 without quotes)"},
		{in, "port => $port }", "port => 'x' }", "U0109 parameter port of Web::Vhost is no Integer"},
		{in, "mode = '0644'", "mode = '644'", "U0109 the default of $mode is no Web::Mode"},
		{in, ": port => $port }", ": }", "U0110 Web::Vhost needs a value of $port"},
		{in, "Web::Mode", "Web::Moed", "U0111 there is no type Web::Moed (did you mean Web::Mode?)"},
		{in, "Array[String]", "Arary[String]", "U0111 there is no type Arary (did you mean Array?)"},
		{in, "$names.each |$i,", "$names.each |Integr $i,", "U0111 there is no type Integr (did you mean Integer?)"},
		{"modules/web/manifests/sub.pp", "web::sub inherits", "web::sub($x = $web::cnof) inherits",
			"U0105 class web sets no variable cnof (did you mean conf?)"},
		{"modules/web/manifests/sub.pp", "web::sub inherits", "web::sub($x = split('x')) inherits",
			"U0108 split() takes 2 arguments, and gets 1"},
		{in, "include nosuch::thing }", "include nosuch::thing web::vhost { 'x': port => 'x' } }",
			"U0109 parameter port of Web::Vhost is no Integer"},
		{in, "include nosuch::thing }", "downcase('x', 'y') }", "U0108 downcase() takes 1 argument, and gets 2"},
		{in, "web::vhost { $names: port", "nosuch::x { 'x': source => 'puppet:///modules/web/statik.txt' }\n" +
			"web::vhost { $names: port",
			"U0107 there is no file modules/web/files/statik.txt (did you mean web/static.txt?)"},
		{"modules/web/templates/vhost.epp", "<%= $port", "<%= $prot", "U0105 nothing sets $prot (did you mean $port?)"},
		{"modules/web/templates/conf.erb", "<% end %>", "", "U0201 the template's Ruby does not parse"},
		{"modules/web/templates/conf.erb", "@port", "@prot",
			"U0202 no caller of the template sets @prot (did you mean @port?)"},
		{"data/nodes/a.yaml", "8080", "[1", "H0501"},
		{"data/common.yaml", "other", "web::port: 81\nother",
			"H0502 the key web::port stands here twice: the last one counts"},
		{"data/nodes/a.yaml", "web::port", "web::prot",
			"H0503 nothing takes the key web::prot: class web has no parameter prot (did you mean port?)"},
		{"data/nodes/a.yaml", "web::port", "web:port",
			"H0503 nothing takes the key web:port: one colon joins no names (did you mean web::port?)"},
		{"data/nodes/a.yaml", "web::port", "web::vhost::port",
			"H0503 nothing takes the key web::vhost::port: web::vhost is a define, whose parameters Hiera does not give"},
		{"data/nodes/a.yaml", "8080", "'8080'", "H0504 the value of web::port is no Integer"},
		{"hiera.yaml", "trusted.certname", "trusted.certnam",
			`H0505 the level "nodes" can never match: nothing has %{trusted.certnam} (did you mean certname?)`},
		{"hiera.yaml", "facts.os.family", "facts.netwroking.fqdn",
			`H0505 the level "os" can never match: nothing has %{facts.netwroking.fqdn} (did you mean facts.networking?)`},
		{"hiera.yaml", "facts.os.family", "facts.os.fmaily",
			`H0505 the level "os" can never match: nothing has %{facts.os.fmaily} (did you mean facts.os.family?)`},
		{"hiera.yaml", "facts.os.family", "fatcs.os.family",
			`H0505 the level "os" can never match: nothing has %{fatcs.os.family} (did you mean facts?)`},
		{"hiera.yaml", "facts.os.family", "osfamly",
			`H0505 the level "os" can never match: nothing has %{osfamly} (did you mean osfamily?)`},
		{"hiera.yaml", "path: common.yaml", "path: comnon.yaml",
			`H0505 the level "common" can never match: there is no data/comnon.yaml (did you mean common.yaml?)`},
		{"hiera.yaml", "path: common.yaml}", "path: comnon.yaml}\n  - {name: any, path: \"%{role}.yaml\"}",
			`H0505 the level "common" can never match: there is no data/comnon.yaml (did you mean common.yaml?)`},
		{"hiera.yaml", "datadir: data", "datadir: dtaa",
			"H0506 the directory of data dtaa is not there (did you mean data?)"},
		{"data/common.yaml", "lookup('web::port')", "lookup('web::prot')",
			"H0507 no data has the key web::prot, which lookup() asks for (did you mean web::port?)"},
		{"data/nodes/a.yaml", "8080", "ENC[PKCS7,MII=]", "H0508 no level decrypts this file: the value stays as it is"},
	} {
		files := map[string]string{}
		for n, text := range site {
			files[n] = text
		}
		if !strings.Contains(files[c.file], c.old) {
			t.Fatalf("%s has no %q", c.file, c.old)
		}
		files[c.file] = strings.Replace(files[c.file], c.old, c.new, 1)
		said := check(t, files)
		found := slices.ContainsFunc(said, func(s string) bool { return strings.HasPrefix(s, c.want) })
		if !found || len(said) != 1 {
			t.Errorf("%s: %s\n  want %s\n  said %s", c.file, c.new, c.want, strings.Join(said, "\n       "))
		}
	}
}

// Data that nothing reads, since there is no hiera.yaml, is told.
func TestNoHiera(t *testing.T) {
	said := check(t, map[string]string{"environment.conf": "", "manifests/site.pp": "", "hieradata/common.yaml": "a: 1\n",
		"modules/puppet/files/hiera.yaml":  "version: 5\n",
		"modules/puppet/manifests/init.pp": "class puppet { file { '/x': source => 'puppet:///modules/puppet/hiera.yaml' } }\n"})
	if len(said) != 1 || !strings.HasPrefix(said[0],
		"H0510 the root has no hiera.yaml: as it is, nothing reads the data in hieradata") ||
		!strings.Contains(said[0], "try --hiera modules/puppet/files/hiera.yaml") {
		t.Errorf("said %q", said)
	}
}

// What cannot be judged is not: names of modules that are not there, that do not parse, or that are computed.
func TestNotJudged(t *testing.T) {
	files := map[string]string{}
	for n, text := range site {
		files[n] = text
	}
	files["modules/web/manifests/more.pp"] = `class web::more($x, Gone::Type $y = 3) {
  include gone::thing, "web::${x}"
  gone::define { 'x': y => 1 }
  gone::function(1)
  notify { "${gone::params::x} ${enc_variable} ${x}": message => template("web/${x}.erb"), }
  file { '/x': source => ["puppet:///modules/web/${x}", 'puppet:///modules/web/nope'] }
  file { '/y': source => "puppet:///modules/gone/y", content => template('gone/y.erb') }
  create_resources($x, {})
  class { $x: anything => 1 }
  Resource[$x]['t'] -> Gone::Define['x']
}
`
	files["data/common.yaml"] += "gone::key: 1\nweb::more::y: x\n"
	if said := check(t, files); len(said) > 0 {
		t.Errorf("said %s", strings.Join(said, "\n"))
	}
	files["modules/web/manifests/broken.pp"] = "class web::broken {\n"
	files["modules/web/manifests/user.pp"] = "class web::user { include web::broken }\n"
	if said := check(t, files); len(said) > 0 {
		t.Errorf("beside a broken file: said %s", strings.Join(said, "\n"))
	}
}

// What cannot be told for another reason is not told: each case is a fault that is none, beside one that is.
func TestNoneOfIt(t *testing.T) {
	in := "modules/web/manifests/init.pp"
	for _, c := range []struct {
		name        string
		more        map[string]string // added to a file
		said, sound string            // what is said of it, and what makes it sound, in that file
	}{
		{"a class that is kept out of the repository",
			map[string]string{"modules/web/manifests/more.pp": "class web::more { include web::kept $x = $web::kept::x }\n",
				"manifests/site.pp": "node 'b' { include web::more }\n"},
			"U0101 there is no class web::kept", ".gitignore: modules/web/manifests/kept.pp\n"},
		{"a class that several files define",
			map[string]string{"modules/web/manifests/more.pp": "class web::more { notice($conf::gone) }\n",
				"manifests/site.pp":              "node 'b' { include web::more }\n",
				"modules/conf/manifests/init.pp": "class conf { }\n"},
			"U0105 class conf sets no variable gone", "manifests/one.pp: class conf { $gone = 1 }\n"},
		{"a key that a function asks for which is not here",
			map[string]string{"data/common.yaml": "web::vhost::mode: 1\n"},
			"H0503 nothing takes the key web::vhost::mode: web::vhost is a define, whose parameters Hiera does not give",
			"manifests/site.pp: $x = simplib::lookup('web::vhost::mode', {})\n"},
	} {
		files := maps.Clone(site)
		for n, text := range c.more {
			files[n] += text
		}
		if said := check(t, files); len(said) == 0 || !strings.HasPrefix(said[0], c.said) {
			t.Errorf("%s: without it, said %q", c.name, said)
		}
		file, text, _ := strings.Cut(c.sound, ": ")
		files[file] += text
		if said := check(t, files); len(said) > 0 {
			t.Errorf("%s: said %q", c.name, said)
		}
	}
	for _, c := range []struct{ file, old, new string }{ // es6_port is no misspelt es5_port
		{in, "$conf =", "$es6_port = 1 notice($es5_port)\n  $conf ="},
		{"modules/web/templates/conf.erb", "port <%= @port", "port <%= @port5"},
	} {
		files := maps.Clone(site)
		files[c.file] = strings.Replace(files[c.file], c.old, c.new, 1)
		if said := check(t, files); len(said) > 0 {
			t.Errorf("%s: said %q", c.new, said)
		}
	}
}

// Names that modules may bring which are not there are judged all the same if they are a slip of the fingers away from
// one that is there, and stand nowhere else.
func TestSlips(t *testing.T) {
	in := "modules/web/manifests/init.pp"
	for _, c := range []struct{ file, old, new, want string }{
		{in, "  $conf =", "  include stroe::sub\n  $conf =", "U0101 there is no class stroe::sub (did you mean store::sub?)"},
		{in, "  $conf =", "  stroe::part { 'x': }\n  $conf =",
			"U0102 there is no define stroe::part (did you mean store::part?)"},
		{in, "file { $conf", "fiel { $conf", "U0102 there is no resource type fiel (did you mean file?)"},
		{in, "web::log(\"x\")", "flaten([1])", "U0104 there is no function flaten (did you mean flatten?)"},
		{in, "web::log(\"x\")", "stroe::log('x')", "U0104 there is no function stroe::log (did you mean store::log?)"},
		{in, "  $conf =", "  notice($stroe::conf)\n  $conf =",
			"U0105 there is no class stroe to have a variable conf (did you mean store::conf?)"},
		{in, "Array[String]", "Arary[String]", "U0111 there is no type Arary (did you mean Array?)"},
		{"data/common.yaml", "web::names", "stroe::names",
			"H0503 nothing takes the key stroe::names: there is no class stroe (did you mean store::names?)"},
		{in, "  $conf =", "  if $port > 1 { $opening = 1 notice($openning) }\n  $conf =",
			"U0105 nothing sets $openning (did you mean $opening?)"},
		{in, "  $conf =", "  if $port > 1 { $opening = 1 } else { $opening = $openning }\n  $conf =", ""},
		{in, "  $conf =", "  notice($openning) $opening = 1\n  $conf =", ""},
		{in, "  $conf =", "  fiel { 'x': } fiel { 'y': }\n  $conf =", ""},
		{in, "  $conf =", "  include gone, gone::sub\n  gone { 'y': } gone()\n  $conf =", ""},
		{in, "  $conf =", "  include wbe, stores::sub\n  $conf =", ""},
		{"data/common.yaml", "web::names", "gone::names", ""},
	} {
		files := maps.Clone(site)
		if !strings.Contains(files[c.file], c.old) {
			t.Fatalf("%s has no %q", c.file, c.old)
		}
		files[c.file] = strings.Replace(files[c.file], c.old, c.new, 1)
		files["modules/store/manifests/init.pp"] = "class store($names = []) { $conf = 1 }\n"
		files["modules/store/manifests/sub.pp"] = "class store::sub { }\n"
		files["modules/store/manifests/part.pp"] = "define store::part { }\n"
		files["modules/store/functions/log.pp"] = "function store::log($text) { }\n"
		if said := strings.Join(checkWanting(t, files, true), "\n"); said != c.want {
			t.Errorf("%s: %s\n  want %s\n  said %s", c.file, c.new, c.want, said)
		}
	}
	t.Run("module", func(t *testing.T) {
		module := func(key, interpolated string) map[string]string {
			files := maps.Clone(site)
			files["hiera.yaml"] += "  - {name: secrets, path: not_committed.yaml}\n"
			files["modules/part/hiera.yaml"] = site["hiera.yaml"]
			files["modules/part/data/common.yaml"] = "part::port: 80\npart::label: \"%{lookup('" +
				interpolated + "')}\"\n" + key + ": x\n"
			files["modules/part/manifests/init.pp"] = "class part($port, $label, $more) { }\n"
			return files
		}
		for _, c := range []struct{ key, interpolated, want string }{
			{"part::more", "part::port", ""},
			{"part::more", "other::port", ""},
			{"prat::more", "part::port",
				"H0503 nothing takes the key prat::more: data of the module part has keys of part only (Puppet leaves it out)"},
			{"part::more", "part::prot",
				"H0507 no data has the key part::prot, which lookup() asks for (did you mean part::port?)"},
		} {
			if said := strings.Join(checkWanting(t, module(c.key, c.interpolated), true), "\n"); said != c.want {
				t.Errorf("%s, %s\n  want %s\n  said %s", c.key, c.interpolated, c.want, said)
			}
		}
	})
}

// A module of another version than somebody wants is told, where that is wanted.
func TestDependencies(t *testing.T) {
	metadata := func(name, version, dependencies string) string {
		return `{"name": "` + name + `", "version": "` + version + `", "author": "a", "license": "x", "source": "x", ` +
			`"dependencies": [` + dependencies + `]}`
	}
	for _, c := range []struct{ requirement, pinned, version, want string }{
		{">= 1.0.0 < 3.0.0", "2.1.0", "2.1.0", ""},
		{">= 1.0.0 < 2.0.0", "2.1.0", "2.1.0",
			"N0204 the module store is there in version 2.1.0, and web wants >= 1.0.0 < 2.0.0"},
		{"2.x", "2.2.0", "2.1.0", "N0204 the module store is there in version 2.1.0, and the Puppetfile has 2.2.0"},
		{"whatever", "latest", "2.1.0", ""},
		{">= 9.0.0", "9.0.0", "unknown", ""},
	} {
		files := maps.Clone(site)
		files["Puppetfile"] = "mod 'a-store', '" + c.pinned + "'\nmod 'b/gone', '1.0.0'\nmod 'store2', :git => 'x'\n"
		files["modules/web/metadata.json"] = metadata("a-web", "1.0.0",
			`{"name": "a/store", "version_requirement": "`+c.requirement+`"}, {"name": "a/gone", "version_requirement": "1.x"}`)
		files["modules/store/metadata.json"] = metadata("a-store", c.version, "")
		files["modules/store/manifests/init.pp"] = "class store { }\n"
		if said := strings.Join(checkWanting(t, files, true), "\n"); said != c.want {
			t.Errorf("%s, %s, %s\n  want %s\n  said %s", c.requirement, c.pinned, c.version, c.want, said)
		}
	}
}
