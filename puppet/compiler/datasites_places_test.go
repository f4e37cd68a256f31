package compiler

import (
	"math/rand/v2"
	"path/filepath"
	"testing"

	"bunraku/puppet/facts"
	"bunraku/puppet/value"
)

// placeSites are small environments that are rich in one sort of place each.
var placeSites = map[string]map[string]string{
	"keys": {
		"hiera.yaml": "version: 5\ndefaults:\n  datadir: data\n  data_hash: yaml_data\nhierarchy:\n" +
			"  - name: \"common.yaml\"\n    path: \"%{facts.os}.yaml\"\n  - name: two\n    paths: ['common.yaml', " +
			"'last.yaml']\n",
		"data/a.yaml": "h:\n  one: 1\n  two: 2\n  three: {x: 5, y: 6}\nlist:\n  - p\n  - q\n",
		"data/common.yaml": "lookup_options:\n  m: {merge: deep}\nm:\n  a: {x: 1}\n  b: {y: 2}\n" +
			"s: 'plain'\ni:\n  - \"%{facts.os}\"\n  - fixed\n",
		"data/last.yaml": "m:\n  a: {z: 3}\n  c: {}\nonly: here\n",
		"data/b.yaml":    "h: {nine: 9}\n",
		"site.pp": `$h = lookup('h')
$h.each |$k, $v| { notify { $k: message => "is ${v}" } }
$size = $h.size
$keys = $h.keys
$hit = $h['two']
$miss = $h['none']
$deep = lookup('h.three.x')
$dug = $h.dig('three', 'y')
$m = lookup('m')
$m.each |$k, $v| { notify { "m ${k}": message => $v } }
$has = 'b' in $m
$sum = $m + { 'd' => 4 }
$some = $m.filter |$k, $v| { $k != 'a' }
$mapped = $h.map |$k, $v| { "${k}!" }
$only = lookup('only')
$nothing = lookup('renamed_key', Any, 'first', 'none')
$under = lookup('h.renamed_key', Any, 'first', 'none')
$i = lookup('i')
if 'one' in $h { notify { 'has one': } }
notify { 'json': message => "${h}" }
create_resources('notify', { 'cr' => { 'message' => $h['one'] } })
$first = $h.reduce |$m, $e| { $m }
$slices = $h.length
`,
	},
	"aliases": {
		"hiera.yaml": "version: 5\nhierarchy:\n  - {name: all, path: common.yaml}\n",
		"data/common.yaml": "base: &base\n  a: 1\n  b: 2\nother: &other\n  a: 7\n  q: 3\nword: &word hello\n" +
			"v: *word\nw: [*word, *base]\nmerged:\n  <<: *base\n  b: 5\n  c: 6\nlater:\n  c: 0\n  <<: [*base, *other]\n" +
			"again: &again\n  <<: *other\n  z: 1\ntwice:\n  <<: *again\n",
		"site.pp": `$v = lookup('v')
$w = lookup('w')
lookup('merged').each |$k, $x| { notify { "merged ${k}": message => $x } }
lookup('later').each |$k, $x| { notify { "later ${k}": message => $x } }
$twice = lookup('twice')
$a = lookup('twice.a')
$none = lookup('merged.renamed_key', Any, 'first', 'none')
`,
	},
	"functions": {
		"hiera.yaml": "version: 5\nhierarchy:\n  - name: hash\n    data_hash: site::hash\n    options:\n      extra: " +
			"more\n      unused: no\n" +
			"  - name: key\n    lookup_key: site::key\n    options: {prefix: 'p-'}\n  - name: file\n    path: common.yaml\n",
		"data/common.yaml": "plain: 1\n",
		"modules/site/functions/hash.pp": `function site::hash(Hash $options, Puppet::LookupContext $context) {
  $extra = $options['extra']
  $all = { 'fromhash' => 'value', 'computed' => "is ${extra}", 'nested' => { 'x' => 1, 'y' => 2 } }
  $all
}
`,
		"modules/site/functions/key.pp": `function site::key(String $key, Hash $options, Puppet::LookupContext $context) {
  if $key == 'fromkey' { "${options['prefix']}${key}" } else { $context.not_found() }
}
`,
		"modules/site/functions/add.pp": `function site::add($a, $b = 'bee') { "${a}-${b}" }
`,
		"modules/site/functions/other.pp": `function site::other($a, $b = 'bee') { "other ${a}" }
`,
		"site.pp": `$fromhash = lookup('fromhash')
$computed = lookup('computed')
$nested = lookup('nested.x')
lookup('nested').each |$k, $v| { notify { $k: message => $v } }
$fromkey = lookup('fromkey')
$plain = lookup('plain')
$none = lookup('nobody', Any, 'first', 'none')
notify { 'c': message => call('site::add', 'arg') }
notify { 'd': message => call('site::other', 'x', 'y') }
`,
	},
	"includes": {
		"hiera.yaml":       "version: 5\nhierarchy:\n  - {name: all, path: common.yaml}\n",
		"data/common.yaml": "use: true\nclasses: [a, b]\n",
		"site.pp": `class base { notify { 'base': } }
class a { include base }
class b { include base }
class c { notify { 'c': } }
if lookup('use') { include a }
include b
include lookup('classes')
if true or lookup('use') { include c }
if lookup('use') and $facts['os'] == 'a' { include c }
notify { 'or': message => (lookup('use') or true) }
`,
	},
	"texts": {
		"hiera.yaml":       "version: 5\nhierarchy:\n  - {name: all, path: common.yaml}\n",
		"data/common.yaml": "t: \"<%= $x %> and <%= $x %>\"\ne: '<%= @x %> erb'\nx: 1\n",
		"site.pp": `$x = lookup('x')
$epp = inline_epp('a <%= $x %> b')
$dataepp = inline_epp(lookup('t'), { 'x' => 5 })
$erb = inline_template('a <%= @x %> b')
$dataerb = inline_template(lookup('e'))
$parts = split('a,b,c', ',')
$second = $parts[1]
$m = 'postgresql-13'.match(/(\w+)-(\d+)/)
$version = $m[2]
$cased = 'v42' ? { /^v(\d+)$/ => $1, default => 'none' }
case 'w43' { /^w(\d+)$/: { $num = $1 } default: { $num = 0 } }
notify { 'loop': message => inline_template("<% ['u','v'].each do |e| %><%= e %>;<% end %>") }
`,
	},
}

// TestPlacesOfSites changes every place of those environments in every way that is known, one at a time.
func TestPlacesOfSites(t *testing.T) {
	for _, name := range sorted(placeSites) {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "production")
			files := map[string]string{"environment.conf": "modulepath = modules\nmanifest = site.pp\n"}
			for k, v := range placeSites[name] {
				files[k] = v
			}
			write(t, dir, files)
			node := Node{Name: "n", Facts: &facts.Facts{Name: "n", Values: value.NewHash(value.String("os"), value.String("a"))}}
			l, err := openLab("places", name, dir, Options{Language: 7}, node)
			if err != nil || l == nil {
				t.Fatal("it does not compile", err)
			}
			c := newTally()
			if err := c.whereAndExpression(l); err != nil {
				t.Fatal(err)
			}
			used, idle, err := l.list()
			if err != nil {
				t.Fatal(err)
			}
			for _, p := range append(used, idle...) {
				for i := range p.Choices() {
					if _, err := c.try(l, p, i); err != nil {
						t.Fatal(err)
					}
				}
			}
			if err := c.tryTogether(l, used, 200, rand.New(rand.NewPCG(1, uint64(len(name))))); err != nil {
				t.Fatal(err)
			}
			report(t, c)
		})
	}
}
