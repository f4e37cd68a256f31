package lsp_test

import (
	"maps"
	"strings"
	"testing"
)

// TestRenameUnseen: what keeps a rename away in code that no node comes to, where it is not a text that is the name;
// and what looks like that and does not.
func TestRenameUnseen(t *testing.T) {
	const (
		x    = "modules/web/manifests/x.pp"
		y    = "modules/web/manifests/y.pp"
		n    = "modules/web/manifests/n.pp"
		erb  = "modules/web/templates/t.erb"
		made = "class web::x (Web::W $size) {\n  notify { \"x ${size}\": }\n  if $facts['never'] {\n    "
	)
	sealed := map[string]string{
		"hiera.yaml": "version: 5\nhierarchy:\n  - name: Common\n    path: common.yaml\n    lookup_key: eyaml_lookup_key\n" +
			"    options: {pkcs7_private_key: /nowhere/a.pem, pkcs7_public_key: /nowhere/b.pem}\n",
		"data/common.yaml": "some_key: 1\nweb::x::size: 3\nweb::x::pw: ENC[PKCS7,MIIBeQYJKoZIhvcNAQcDoIIBajCCAWYCAQAx]\n",
		x: "class web::x (Web::W $size, String $pw) {\n  $own = \"${pw} ${size}\"\n  notify { \"x ${size}\": }\n" +
			"  file { '/x': content => \"x ${pw}\" }\n  notify { 'x': message => $pw }\n  web::y { 'z': size => $own }\n}\n"}
	for _, c := range []struct {
		files          map[string]string
		file, word, to string
		why            string
		also, wanted   string // a file, and what it has then
	}{
		// A class knows its own name.
		{files: map[string]string{x: made + "notice($title)\n  }\n}\n"}, file: x, word: "web::x", to: "web::xx",
			why: "x.pp:4 has $title, which is the name of the class"},
		{files: map[string]string{x: made + "notice(\"/srv/${name}\")\n  }\n}\n"}, file: x, word: "web::x", to: "web::xx",
			why: "x.pp:4 has $name"},
		{files: map[string]string{x: made + "[1].each |$i| { notice($title) }\n  }\n}\n"}, file: x, word: "web::x",
			to: "web::xx", why: "x.pp:4 has $title"},
		{files: map[string]string{n: "class web::n {\n  notice($web::x::title)\n}\n"}, file: x, word: "web::x",
			to: "web::xx", why: "n.pp:2 has $title"},
		{files: map[string]string{x: made + "notice(template('web/t.erb'))\n  }\n}\n", erb: "<%= @title %>\n"}, file: x,
			word: "web::x", to: "web::xx", why: "t.erb:1 has $title"},
		{files: map[string]string{x: made + "notice(template('web/t.erb'))\n  }\n}\n", erb: "<%= scope['name'] %>\n"},
			file: x, word: "web::x", to: "web::xx", why: "t.erb:1 has $name"},
		{files: map[string]string{y: "define web::y ($size = 1) {\n  notify { \"y ${title}\": }\n}\n"}, file: y,
			word: "web::y", to: "web::yy"},
		{files: map[string]string{n: "class web::n {\n  notice($title)\n}\n"}, file: x, word: "web::x", to: "web::xx"},

		// Every part of a name is a tag.
		{files: map[string]string{n: "class web::n {\n  File <| tag == 'x' |>\n}\n"}, file: x, word: "web::x",
			to: "web::xx", why: "n.pp:2 asks for the tag x"},
		{files: map[string]string{n: "class web::n {\n  if tagged('x') { }\n}\n"}, file: x, word: "web::x", to: "web::xx",
			why: "n.pp:2 asks for the tag x"},
		{files: map[string]string{n: "class web::n {\n  if tagged('xx') { }\n}\n"}, file: x, word: "web::x", to: "web::xx",
			why: "n.pp:2 asks for the tag xx"},
		{files: map[string]string{n: "class web::n {\n  File <| tag == 'y' |>\n}\n"}, file: y, word: "web::y",
			to: "web::yy", why: "n.pp:2 asks for the tag y"},
		{files: map[string]string{erb: "<% if tags.include?('x') %>x<% end %>\n"}, file: x, word: "web::x", to: "web::xx",
			why: "t.erb:1 asks for the tag x"},
		{files: map[string]string{n: "class web::n {\n  File <| tag == 'web' |>\n  if tagged('z') { }\n}\n"}, file: x,
			word: "web::x", to: "web::xx"},

		// A template that two render names the variables of both by one word.
		{files: map[string]string{n: "class web::n {\n  $v = 1\n  $x = template('web/t.erb')\n}\n", erb: "<%= @v %>\n",
			"modules/web/manifests/o.pp": "class web::o {\n  $v = 2\n  $x = template('web/t.erb')\n}\n"}, file: n, word: "v",
			to: "w", why: "t.erb:1 names web::o::v by the same word"},
		{files: map[string]string{n: "class web::n {\n  $v = 1\n  $x = template('web/t.erb')\n}\n", erb: "<%= @v %>\n",
			"modules/web/manifests/o.pp": "class web::o {\n  $x = template('web/t.erb')\n}\n"}, file: n, word: "v", to: "w",
			also: erb, wanted: "@w"},
		{files: map[string]string{n: "class web::n {\n  $fqdn = 1\n  $x = template('web/t.erb')\n}\n",
			erb: "<%= @fqdn %>\n", "modules/web/manifests/o.pp": "class web::o {\n  $x = template('web/t.erb')\n}\n"},
			file: n, word: "fqdn", to: "w", why: "t.erb:1 names the fact fqdn by the same word"},

		// What is set on some of the ways only is that of a scope farther out on the others.
		{files: map[string]string{n: "class web::n {\n  if $web::x::size > 1 { $low = 2 }\n  notice($low)\n}\n",
			"manifests/low.pp": "$low = 1\n"}, file: n, word: "low", to: "w",
			why: "n.pp:2 sets web::n::low on some of the ways"},
		{files: map[string]string{n: "class web::n {\n  case 1 { 2: { $low = 2 } default: { notice($low) } }\n}\n",
			"manifests/low.pp": "$low = 1\n"}, file: "manifests/low.pp", word: "low", to: "w", why: "otherwise it is low"},
		{files: map[string]string{n: "class web::n {\n  if $web::x::size > 1 { $fqdn = 2 }\n  notice($fqdn)\n}\n"}, file: n,
			word: "fqdn", to: "w", why: "n.pp:2 names the fact fqdn"},
		{files: map[string]string{n: "class web::n {\n  case 1 {\n    2: { $low = 2 }\n    3: { fail('no') }\n" +
			"    default: { if true { $low = 3 } else { $a = $low = 4 } }\n  }\n  notice($low)\n}\n",
			"manifests/low.pp": "$low = 1\n"}, file: n, word: "low)", to: "w", also: n, wanted: "notice($w)"},

		// A template sees what is local where it is rendered, and what it reads early also through another.
		{files: map[string]string{n: "class web::n {\n  [1].each |$low| { notice(template('web/t.erb')) }\n}\n",
			erb: "<%= @low %>\n"}, file: n, word: "low", to: "w", why: "t.erb:1 sees it"},
		{files: map[string]string{n: "class web::n {\n  $low = 1\n  [1].each |$i| {\n    $low = $i\n" +
			"    notice(template('web/o.erb'))\n  }\n}\n", erb: "<%= @low %>\n",
			"modules/web/templates/o.erb": "<%= scope.function_template(['web/t.erb']) %>\n"}, file: n, word: "low", to: "w",
			why: "t.erb:1 is also rendered where modules/web/manifests/n.pp:4 sets one"},
		{files: map[string]string{n: "function web::n($low) {\n  template('web/t.erb')\n}\n", erb: "<%= @low %>\n"}, file: n,
			word: "low", to: "w", why: "t.erb:1 sees it"},
		{files: map[string]string{n: "class web::n {\n  $x = template('web/o.erb')\n  $low = 1\n}\n", erb: "<%= @low %>\n",
			"modules/web/templates/o.erb": "<%= scope.function_template(['web/t.erb']) %>\n", "manifests/low.pp": "$low = 1\n"},
			file: "manifests/low.pp", word: "low", to: "w", also: erb, wanted: "<%= @w %>"},

		// A hash is taken apart by its keys, a list is not.
		{files: map[string]string{n: "class web::n {\n  [$v, $w] = { 'v' => 1, 'w' => 2 }\n}\n"}, file: n, word: "v",
			to: "vv", why: "n.pp:2 may take it out of a hash"},
		{files: map[string]string{n: "class web::n ($h) {\n  [$v, $w] = $h['x']\n  notice($w)\n}\n"}, file: n, word: "w)",
			to: "ww", why: "n.pp:2 may take it out of a hash"},
		{files: map[string]string{n: "function web::n($h) {\n  [$v, [$w]] = [1, $h]\n}\n"}, file: n, word: "w]]",
			to: "ww", why: "n.pp:2 may take it out of a hash"},
		{files: map[string]string{n: "class web::n ($h) {\n  [$v, $w] = ([1, $h])\n  notice($w)\n}\n"}, file: n,
			word: "w)", to: "ww", also: n, wanted: "[$v, $ww] = "},
		{files: map[string]string{n: "class web::n ($h) {\n  [$v, $w] = $h.split(',')\n}\n"}, file: n, word: "w]",
			to: "ww", also: n, wanted: "[$v, $ww] = "},

		// What is defined in a class is called after it.
		{files: map[string]string{n: "class web::n {\n  class part { }\n  include web::n::part\n}\n"}, file: n, word: "web::n",
			to: "web::nn", why: "n.pp:2 defines web::n::part inside of it"},

		// Files of the environment's own functions and types are called after them.
		{files: map[string]string{"functions/own.pp": "function own() { 1 }\n", n: "class web::n {\n  $x = own()\n}\n"},
			file: "functions/own.pp", word: "own", to: "mine", also: "functions/mine.pp", wanted: "function mine()"},
		{files: map[string]string{"types/own.pp": "type Own = Integer\n", n: "class web::n (Own $x) {\n}\n"},
			file: "types/own.pp", word: "Own", to: "Mine", also: "types/mine.pp", wanted: "type Mine ="},

		// Words of Hiera's own settings are no names.
		{files: map[string]string{
			"hiera.yaml": "version: 5\ndefaults:\n  datadir: data\n  data_hash: yaml_data\nhierarchy:\n" +
				"  - name: size\n    path: common.yaml\n  - name: other\n    paths: [size, \"size.yaml\"]\n",
			n: "class web::n ($h) {\n  create_resources('web::y', $h)\n}\n"}, file: y, word: "size", to: "width"},
		{files: map[string]string{n: "class web::n ($h) {\n  create_resources('web::y', $h)\n}\n",
			"hiera.yaml": "version: 5\nhierarchy:\n  - name: a\n    path: common.yaml\n  - name: b\n    lookup_key: web::z\n" +
				"    options:\n      size: 3\n"}, file: y, word: "size", to: "width", why: "hiera.yaml:8 has size as a text"},
		{files: map[string]string{n: "class web::n ($h) {\n  create_resources('web::m', $h)\n}\n",
			"modules/web/manifests/m.pp": "define web::m ($merge = 1, $strategy = 1) {\n}\n",
			"data/common.yaml":           "some_key: 1\nlookup_options:\n  some_key:\n    merge:\n      strategy: deep\n"},
			file: "modules/web/manifests/m.pp", word: "strategy", to: "width"},

		// Of a key with a path Hiera looks up the first part, also if the rest is computed.
		{files: map[string]string{n: "class web::n {\n  $x = lookup(\"some_key.${facts['a']}.b\")\n}\n"},
			file: "data/common.yaml", word: "some_key", to: "other_key", also: n, wanted: "\"other_key.${facts['a']}.b\""},
		{files: map[string]string{n: "class web::n {\n  $k = \"some_key.${facts['a']}\"\n  $x = lookup($k)\n}\n"},
			file: "data/common.yaml", word: "some_key", to: "other_key", also: n, wanted: "\"other_key.${facts['a']}\""},
		{files: map[string]string{n: "class web::n {\n  $x = lookup(\"web::x::size.${facts['a']}\")\n}\n"}, file: x,
			word: "size", to: "width", also: n, wanted: "\"web::x::width.${facts['a']}\""},
		{files: map[string]string{n: "class web::n {\n  $x = lookup(\"web::x::size.${facts['a']}\")\n}\n"}, file: x,
			word: "web::x", to: "web::xx", also: n, wanted: "\"web::xx::size.${facts['a']}\""},
		{files: map[string]string{n: "class web::n {\n  $x = lookup(\"some_${facts['a']}.b\")\n}\n"},
			file: "data/common.yaml", word: "some_key", to: "other_key", why: "n.pp:2 may put the name some_key together"},
		{files: map[string]string{n: "class web::n {\n  $x = lookup(\"some_key_${facts['a']}.b\")\n}\n"},
			file: "data/common.yaml", word: "some_key", to: "other_key"},

		// A secret without a key has a name.
		{files: sealed, file: x, word: "pw", to: "password", also: "data/common.yaml", wanted: "web::x::password: ENC"},
		{files: sealed, file: x, word: "size", to: "width"},
		{files: sealed, file: x, word: "web::x", to: "web::xx"},
		{files: sealed, file: x, word: "own", to: "mine"},
	} {
		base, _, _ := unreached()
		maps.DeleteFunc(base, func(p, _ string) bool { return strings.Contains(p, "unreached") })
		maps.Copy(base, c.files)
		nav := navigate(t, base)
		edit, why := nav.renameIn(c.file, c.word, 1, c.to)
		if c.why == "" && why != "" || !strings.Contains(why, c.why) || c.why != "" && why == "" {
			t.Errorf("%s as %s with\n%v\n%q, want %q", c.word, c.to, c.files, why, c.why)
		}
		if c.also != "" && why == "" {
			if is := nav.written(edit)[c.also]; !strings.Contains(is, c.wanted) {
				t.Errorf("%s is then\n%s", c.also, is)
			}
		}
		nav.bye()
	}
}
