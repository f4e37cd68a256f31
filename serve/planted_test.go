package serve_test

import (
	"fmt"
	"slices"
	"strings"
)

// A plant is something in which the trees of two servers differ. It stands in a class of its own, profile::pN, whose
// body is one or the other; N in any of its texts is its number. More are files beside the class, ours and theirs.
type plant struct {
	kind         string
	ours, theirs string
	more         map[string][2]string
	// what is told of it: kind, resource and attribute of each difference, and the place that they are told under
	want   []string
	cause  string
	groups int // 1 if it is not said
}

const (
	inManifest = "modules/profile/manifests/pN.pp:"
	inTemplate = "modules/profile/templates/pN.epp"
	inData     = "data/common.yaml:"
)

// plants are differences of many kinds. Numbers of lines count from the head of the class on.
var plants = []plant{
	{kind: "attribute", ours: "file { '/pN':\n  mode => '0644',\n}", theirs: "file { '/pN':\n  mode => '0600',\n}",
		want: []string{"attribute File[/pN] mode"}, cause: inManifest + "3"},
	{kind: "attribute that only we have", ours: "file { '/pN':\n  ensure => file,\n  owner => 'root',\n}",
		theirs: "file { '/pN':\n  ensure => file,\n}", want: []string{"attribute File[/pN] owner"}, cause: inManifest + "4"},
	{kind: "attribute that only they have", ours: "file { '/pN':\n  ensure => file,\n}",
		theirs: "file { '/pN':\n  ensure => file,\n  owner => 'root',\n}", want: []string{"attribute File[/pN] owner"},
		cause: inManifest + "2"},
	{kind: "two attributes of two places", ours: "file { '/pN':\n  owner => 'a',\n  group => 'a',\n}",
		theirs: "file { '/pN':\n  owner => 'a',\n  group => 'b',\n}", want: []string{"attribute File[/pN] group"},
		cause: inManifest + "4"},
	{kind: "resource that only we have", ours: "notify { 'a pN': }\nnotify { 'b pN': }", theirs: "notify { 'a pN': }",
		want: []string{"added Notify[b pN] "}, cause: inManifest + "3"},
	{kind: "resource that only they have", ours: "notify { 'a pN': }", theirs: "notify { 'a pN': }\nnotify { 'b pN': }",
		want: []string{"removed Notify[b pN] "}, cause: "theirs: " + inManifest + "3"},
	{kind: "renamed resource", ours: "file { '/pN/x': content => 'N' }", theirs: "file { '/pN/y': content => 'N' }",
		want: []string{"renamed File[/pN/y] "}, cause: inManifest + "2"},
	{kind: "edge", ours: "package { 'pN': }\nfile { '/pN': ensure => file }\nPackage['pN'] -> File['/pN']",
		theirs: "package { 'pN': }\nfile { '/pN': ensure => file }", want: []string{"attribute Package[pN] before"},
		cause: inManifest + "4"},
	{kind: "edge that only they have", ours: "package { 'pN': }\nservice { 'pN': ensure => running }",
		theirs: "package { 'pN': }\nservice { 'pN': ensure => running }\nPackage['pN'] ~> Service['pN']",
		want:   []string{"attribute Package[pN] notify"}, cause: inManifest + "2"},
	{kind: "require", ours: "package { ['a pN', 'b pN']: }\nfile { '/pN':\n  require => Package['a pN'],\n}",
		theirs: "package { ['a pN', 'b pN']: }\nfile { '/pN':\n  require => Package['b pN'],\n}",
		want:   []string{"attribute File[/pN] require"}, cause: inManifest + "4"},
	{kind: "class that only we have", ours: "include profile::pN::more", theirs: "",
		more: map[string][2]string{"modules/profile/manifests/pN/more.pp": {"class profile::pN::more {\n  notify { 'more pN': }\n}\n",
			"class profile::pN::more {\n  notify { 'more pN': }\n}\n"}},
		want:  []string{"added Class[Profile::PN::More] ", "added Notify[more pN] "},
		cause: inManifest + "2"},
	{kind: "tags", ours: "tag 'x'\nnotify { 'pN': }", theirs: "notify { 'pN': }",
		want: []string{"attribute Class[Profile::PN] tags"}, cause: inManifest + "2"},
	{kind: "tags that only they have", ours: "notify { 'pN': }", theirs: "notify { 'pN': tag => 'x' }",
		want: []string{"attribute Notify[pN] tag", "attribute Notify[pN] tags"}, cause: inManifest + "2"},
	{kind: "class that only they have", theirs: "include profile::pN::more", ours: "",
		more: map[string][2]string{"modules/profile/manifests/pN/more.pp": {"class profile::pN::more {\n  notify { 'more pN': }\n}\n",
			"class profile::pN::more {\n  notify { 'more pN': }\n}\n"}},
		want:  []string{"removed Class[Profile::PN::More] ", "removed Notify[more pN] "},
		cause: "theirs: Class[Profile::PN::More]"},
	{kind: "Sensitive", ours: "file { '/pN':\n  content => Sensitive('hushN'),\n}",
		theirs: "file { '/pN':\n  content => Sensitive('HUSHN'),\n}", want: []string{"attribute File[/pN] content"},
		cause: inManifest + "3"},
	{kind: "secret on one side", ours: "file { '/pN':\n  content => Sensitive('hushN'),\n}",
		theirs: "file { '/pN':\n  content => 'hushN',\n}", want: []string{"attribute File[/pN] content"},
		cause: inManifest + "3"},
	{kind: "line of a template", ours: "file { '/pN': content => epp('profile/pN.epp') }",
		theirs: "file { '/pN': content => epp('profile/pN.epp') }",
		more: map[string][2]string{inTemplate: {"one\ntwo of <%= $facts['fqdn'] %>\nthree\n",
			"one\n2 of <%= $facts['fqdn'] %>\nthree\n"}},
		want: []string{"attribute File[/pN] content"}, cause: inTemplate + ":2"},
	{kind: "two lines of a template", ours: "file { '/pN': content => epp('profile/pN.epp') }",
		theirs: "file { '/pN': content => epp('profile/pN.epp') }",
		more: map[string][2]string{inTemplate: {"one\n<%= $facts['fqdn'] %>\nthree\nfour\nfive\n",
			"ONE\n<%= $facts['fqdn'] %>\nthree\nfour\nFIVE\n"}},
		want: []string{"attribute File[/pN] content", "attribute File[/pN] content"}, cause: inTemplate + ":", groups: 2},
	{kind: "two lines of one text", ours: "file { '/pN': content => \"one\\ntwo\\nthree\\nfour\\n\" }",
		theirs: "file { '/pN': content => \"ONE\\ntwo\\nthree\\nFOUR\\n\" }",
		want:   []string{"attribute File[/pN] content", "attribute File[/pN] content"}, cause: inManifest + "2"},
	{kind: "text of ERB", ours: "file { '/pN': content => template('profile/pN.erb') }",
		theirs: "file { '/pN': content => template('profile/pN.erb') }",
		more: map[string][2]string{"modules/profile/templates/pN.erb": {"one\n<%= @facts['fqdn'] %>\n",
			"ONE\n<%= @facts['fqdn'] %>\n"}},
		want: []string{"attribute File[/pN] content"}, cause: "modules/profile/"},
	{kind: "type of a value", ours: "exec { '/bin/pN': timeout => 1 }",
		theirs: "exec { '/bin/pN': timeout => '1' }", want: []string{"attribute Exec[/bin/pN] timeout"}, cause: inManifest + "2"},
	{kind: "whole number or not", ours: "profile::value { 'pN': v => 1 }", theirs: "profile::value { 'pN': v => 1.0 }",
		want: []string{"attribute Profile::Value[pN] v"}, cause: inManifest + "2"},
	{kind: "order of a list", ours: "user { 'pN': groups => ['a', 'b'] }", theirs: "user { 'pN': groups => ['b', 'a'] }",
		want: []string{"attribute User[pN] groups"}, cause: inManifest + "2"},
	{kind: "element of a list", ours: "user { 'pN': groups => ['a', 'b'] }", theirs: "user { 'pN': groups => ['a', 'c', 'b'] }",
		want: []string{"attribute User[pN] groups"}, cause: inManifest + "2"},
	{kind: "order of keys", ours: "profile::value { 'pN': v => { 'a' => 1, 'b' => 2 } }",
		theirs: "profile::value { 'pN': v => { 'b' => 2, 'a' => 1 } }", want: []string{"attribute Profile::Value[pN] v"},
		cause: inManifest + "2"},
	{kind: "empty or nothing", ours: "profile::value { 'pN': v => '' }", theirs: "profile::value { 'pN': v => [] }",
		want: []string{"attribute Profile::Value[pN] v"}, cause: inManifest + "2"},
	{kind: "true or a text", ours: "profile::value { 'pN': v => true }", theirs: "profile::value { 'pN': v => 'true' }",
		want: []string{"attribute Profile::Value[pN] v"}, cause: inManifest + "2"},
	{kind: "datum", ours: "file { '/pN/a': content => lookup('keyN') }\nfile { '/pN/b': content => lookup('keyN') }",
		theirs: "file { '/pN/a': content => lookup('keyN') }\nfile { '/pN/b': content => lookup('keyN') }",
		more:   map[string][2]string{"data/common.yaml": {"keyN: ours\n", "keyN: theirs\n"}},
		want:   []string{"attribute File[/pN/a] content", "attribute File[/pN/b] content"}, cause: inData},
	{kind: "level of data", ours: "file { '/pN': content => \"a ${lookup('keyN')} b\" }",
		theirs: "file { '/pN': content => \"a ${lookup('keyN')} b\" }",
		more:   map[string][2]string{"data/common.yaml": {"keyN: common\n", "keyN: common\n"}, "data/more.yaml": {"", "keyN: more\n"}},
		want:   []string{"attribute File[/pN] content"}, cause: inData},
	{kind: "parameter of a class by data", ours: "include profile::pN::param", theirs: "include profile::pN::param",
		more: map[string][2]string{"modules/profile/manifests/pN/param.pp": {
			"class profile::pN::param(String $v) {\n  notify { 'pN': message => $v }\n}\n",
			"class profile::pN::param(String $v) {\n  notify { 'pN': message => $v }\n}\n"},
			"data/common.yaml": {"profile::pN::param::v: ours\n", "profile::pN::param::v: theirs\n"}},
		want: []string{"attribute Class[Profile::PN::Param] v", "attribute Notify[pN] message"}, cause: inData},
	{kind: "version of a module", ours: "include libN", theirs: "include libN",
		more: map[string][2]string{"modules/libN/metadata.json": {`{"name":"x-libN","version":"2.0.0","author":"x","license":"x","summary":"x","source":"x","dependencies":[]}`,
			`{"name":"x-libN","version":"1.0.0","author":"x","license":"x","summary":"x","source":"x","dependencies":[]}`},
			"modules/libN/manifests/init.pp": {"class libN($v = 'two') {\n  file { '/libN': content => $v }\n}\n",
				"class libN($v = 'one') {\n  file { '/libN': content => $v }\n}\n"}},
		want:  []string{"attribute Class[LibN] v", "attribute File[/libN] content"},
		cause: "modules/libN/manifests/init.pp:1"},
	{kind: "function", ours: "notify { 'pN': message => profile::fN() }", theirs: "notify { 'pN': message => profile::fN() }",
		more: map[string][2]string{"modules/profile/functions/fN.pp": {"function profile::fN() {\n  'ours'\n}\n",
			"function profile::fN() {\n  'theirs'\n}\n"}},
		want: []string{"attribute Notify[pN] message"}, cause: "modules/profile/functions/fN.pp:2"},
	{kind: "default of a define", ours: "profile::pN::d { ['a', 'b']: }", theirs: "profile::pN::d { ['a', 'b']: }",
		more: map[string][2]string{"modules/profile/manifests/pN/d.pp": {
			"define profile::pN::d($v = 'ours') {\n  file { \"/pN/${title}\": content => $v }\n}\n",
			"define profile::pN::d($v = 'theirs') {\n  file { \"/pN/${title}\": content => $v }\n}\n"}},
		want: []string{"attribute File[/pN/a] content", "attribute File[/pN/b] content", "attribute Profile::PN::D[a] v",
			"attribute Profile::PN::D[b] v"}, cause: "modules/profile/manifests/pN/d.pp:1"},
	{kind: "defaults of a type", ours: "File { owner => 'a' }\nfile { ['/pN/a', '/pN/b']: ensure => file }",
		theirs: "File { owner => 'b' }\nfile { ['/pN/a', '/pN/b']: ensure => file }",
		want:   []string{"attribute File[/pN/a] owner", "attribute File[/pN/b] owner"}, cause: inManifest + "2"},
	{kind: "collector that overrides", ours: "file { '/pN': mode => '0600' }\nFile <| title == '/pN' |> { mode => '0640' }",
		theirs: "file { '/pN': mode => '0600' }\nFile <| title == '/pN' |> { mode => '0644' }",
		want:   []string{"attribute File[/pN] mode"}, cause: inManifest + "3"},
	{kind: "virtual resource", ours: "@notify { 'pN': }\nrealize(Notify['pN'])", theirs: "@notify { 'pN': }",
		want: []string{"added Notify[pN] "}, cause: inManifest + "2"},
	{kind: "container", ours: "include profile::pN::a\ninclude profile::pN::b",
		theirs: "include profile::pN::a\ninclude profile::pN::b",
		more: map[string][2]string{
			"modules/profile/manifests/pN/a.pp": {"class profile::pN::a {\n  notify { 'pN': }\n}\n", "class profile::pN::a { }\n"},
			"modules/profile/manifests/pN/b.pp": {"class profile::pN::b { }\n", "class profile::pN::b {\n  notify { 'pN': }\n}\n"}},
		want: []string{"relation Notify[pN] "}, cause: "modules/profile/manifests/pN/a.pp:2"},
	{kind: "deferred", ours: "notify { 'pN': message => Deferred('join', [['a'], 'ours']) }",
		theirs: "notify { 'pN': message => Deferred('join', [['a'], 'theirs']) }", want: []string{"attribute Notify[pN] message"},
		cause: inManifest + "2"},
	{kind: "end of a text", ours: "file { '/pN': content => \"text\\n\" }", theirs: "file { '/pN': content => \"text\" }",
		want: []string{"attribute File[/pN] content"}, cause: inManifest + "2"},
	{kind: "letters", ours: "file { '/pN': content => 'é' }", theirs: "file { '/pN': content => \"e\\u0301\" }",
		want: []string{"attribute File[/pN] content"}, cause: inManifest + "2"},
	{kind: "what is a node's own", ours: "file { '/pN': content => \"ours ${facts['fqdn']}\" }",
		theirs: "file { '/pN': content => \"theirs ${facts['fqdn']}\" }", want: []string{"attribute File[/pN] content"},
		cause: inManifest + "2"},
	{kind: "some nodes of a role", ours: "$w = $facts['odd'] ? { true => 'ours', default => 'same' }\nfile { '/pN': content => $w }",
		theirs: "$w = $facts['odd'] ? { true => 'theirs', default => 'same' }\nfile { '/pN': content => $w }",
		want:   []string{"attribute File[/pN] content"}, cause: inManifest + "2"},
	{kind: "order of resources", ours: "notify { 'a pN': }\nnotify { 'b pN': }\nnotify { 'c pN': }",
		theirs: "notify { 'b pN': }\nnotify { 'c pN': }\nnotify { 'a pN': }", want: []string{"relation Notify[a pN] "},
		cause: inManifest + "2"},
	{kind: "metaparameter", ours: "notify { 'pN': noop => true }", theirs: "notify { 'pN': noop => false }",
		want: []string{"attribute Notify[pN] noop"}, cause: inManifest + "2"},
}

// Roles with plants, and all of them: nodes of the others are the same on both sides, but for the roles that have no
// catalog on their side or on ours.
const plantedRoles, plantRoles, failsTheirs, failsOurs = 16, 20, 17, 18

// rolesOf are the roles of the nodes that have a plant.
func rolesOf(plant int) []int {
	list := []int{plant % plantedRoles, plant * 3 % plantedRoles}
	slices.Sort(list)
	return slices.Compact(list)
}

func numbered(text string, n int) string {
	for _, before := range []string{"p", "P", "key", "lib", "Lib", "hush", "HUSH", "f", "'"} {
		text = strings.ReplaceAll(text, before+"N", fmt.Sprintf("%s%02d", before, n))
	}
	return text
}

// plantedTree is one of the two trees, as an archive.
func plantedTree(theirs bool) string {
	files := map[string]string{"environment.conf": "modulepath = modules\n",
		"hiera.yaml":           "version: 5\nhierarchy:\n  - { name: more, path: more.yaml }\n  - { name: common, path: common.yaml }\n",
		"data/more.yaml":       "",
		"manifests/site.pp":    "node default { include \"role::r${facts['role']}\" }\n",
		"modules/keep/.keep":   "",
		"modules/role/.keep":   "",
		"data/common.yaml":     "same: same\n",
		"modules/profile/.fix": ""}
	files["modules/profile/manifests/value.pp"] = "define profile::value($v) {\n  notify { \"value ${title}\": }\n}\n"
	files["modules/profile/manifests/base.pp"] = "class profile::base {\n  file { '/base': content => \"base ${facts['fqdn']}\\n\" }\n" +
		"  package { 'base': ensure => present }\n}\n"
	roles := make([]string, plantRoles)
	for n, p := range plants {
		body := p.ours
		if theirs {
			body = p.theirs
		}
		files[numbered("modules/profile/manifests/pN.pp", n)] = numbered("class profile::pN {\n"+body+"\n}\n", n)
		for name, text := range p.more {
			side := text[0]
			if theirs {
				side = text[1]
			}
			files[numbered(name, n)] += numbered(side, n)
		}
		for _, r := range rolesOf(n) {
			roles[r] += numbered("  include profile::pN\n", n)
		}
	}
	if theirs {
		roles[failsTheirs] += "  fail('only there')\n"
	} else {
		roles[failsOurs] += "  fail('only here')\n"
	}
	for r, includes := range roles {
		files[fmt.Sprintf("modules/role/manifests/r%d.pp", r)] = fmt.Sprintf("class role::r%d {\n  include profile::base\n%s}\n", r, includes)
	}
	var b strings.Builder
	for name, text := range files {
		if text != "" && !strings.HasSuffix(text, "\n") {
			text += "\n"
		}
		fmt.Fprintf(&b, "-- production/%s --\n%s", name, text)
	}
	return b.String()
}
