package compiler_test

import (
	"context"
	"maps"
	"strings"
	"testing"

	"bunraku/puppet/compiler"
)

// sharpSite has one of each thing that may change without anybody noticing.
var sharpSite = map[string]string{
	"manifests/site.pp": `
node 'n1.example.com' { include a }
node 'other' { notify { 'other': } }
`,
	"hiera.yaml": "version: 5\nhierarchy:\n  - { name: node, path: 'n/%{trusted.certname}.yaml' }\n  - " +
		"{ name: c, path: c.yaml }\n",
	"data/c.yaml":                "lookup_options:\n  list: { merge: unique }\nlist: [a, b]\nk: v\n",
	"data/n/n1.example.com.yaml": "list: [b]\n",
	"modules/a/manifests/init.pp": `
class a($way = 'left') {
  $unread = 'never'
  $read = 'always'
  case $way {
    'up': { notify { 'up': } }
    'LEFT': { notify { 'left': } }
    'down': { notify { 'down': } }
    default: { }
  }
  if $way == 'right' or $way != 'left' { notify { 'right': } }
  $x = $facts['os'] ? { 'Windows' => 1, undef => 2, default => 3 }
  notify { "${read} ${x}": }
  notify { lookup('k', { 'default_value' => 'unused' }): }
  notify { lookup('absent', { 'default_value' => 'used' }): }
  notify { "${lookup('list', { 'merge' => 'unique' })}": }
  notify { 'erb': message => template('a/t.erb') }
  thing { 'x': size => 1 }
}
`,
	"modules/a/templates/t.erb": "<%= @facts['os'] %> <%= @facts['net']['ip'] %>\n",
	"modules/a/lib/puppet/type/thing.rb": `
Puppet::Type.newtype(:thing) do
  desc 'A thing'
  newparam(:name, namevar: true)
  newparam(:size) { desc 'how large' }
  newparam(:colour)
end
`,
}

// A trace holds exactly as long as nothing is another that the compile has noticed.
func TestTraceSharp(t *testing.T) {
	const facts = `{"os":"Debian","net":{"ip":"10.0.0.1","mtu":1500},"uptime":7}`
	for _, c := range []struct {
		file, from, to string
		holds          bool
	}{
		{"modules/a/manifests/init.pp", "'never'", "'ever'", true},
		{"modules/a/manifests/init.pp", "'never'", "['never', { 'a' => 1 }]", true},
		{"modules/a/manifests/init.pp", "'never'", "$way", false},
		{"modules/a/manifests/init.pp", "'always'", "'often'", false},
		{"modules/a/manifests/init.pp", "'up':", "'UPWARD':", true},
		{"modules/a/manifests/init.pp", "'up':", "undef:", true},
		{"modules/a/manifests/init.pp", "'up':", "'Left':", false},
		{"modules/a/manifests/init.pp", "'LEFT':", "'left':", true},
		{"modules/a/manifests/init.pp", "'LEFT':", "'lift':", false},
		{"modules/a/manifests/init.pp", "'down':", "'left':", true}, // it is not come to
		{"modules/a/manifests/init.pp", "== 'right'", "== 'wrong'", true},
		{"modules/a/manifests/init.pp", "== 'right'", "== 'left'", false},
		{"modules/a/manifests/init.pp", "!= 'left'", "!= 'Left'", true},
		{"modules/a/manifests/init.pp", "!= 'left'", "!= 'up'", false},
		{"modules/a/manifests/init.pp", "'Windows'", "'Solaris'", true},
		{"modules/a/manifests/init.pp", "'Windows'", "'debian'", false},
		{"modules/a/manifests/init.pp", "'unused'", "['still unused']", true},
		{"modules/a/manifests/init.pp", "'used'", "'still used'", false},
		{"modules/a/manifests/init.pp", "lookup('k', {", "lookup('l', {", false},
		{"modules/a/manifests/init.pp", "size => 1", "size => 2", false},
		{"modules/a/templates/t.erb", "['ip']", "['mtu']", false},
		{"modules/a/lib/puppet/type/thing.rb", "'A thing'", "'Some thing' # or other", true},
		{"modules/a/lib/puppet/type/thing.rb", ":colour", ":shade", true},
		{"modules/a/lib/puppet/type/thing.rb", ":size", ":weight", false},
		{"modules/a/lib/puppet/type/thing.rb", "newparam(:name, namevar: true)", "newparam(:id, namevar: true)", false},
		{"data/c.yaml", "list: [a, b]", "list: [a, b, b, a]", true},
		{"data/c.yaml", "list: [a, b]", "list: [a, c]", false},
		{"data/c.yaml", "k: v", "k: w", false},
		{"data/c.yaml", "{ merge: unique }", "{ merge: unique, other: 1 }", true},
		{"data/c.yaml", "{ merge: unique }", "{ merge: first }", false},
		{"manifests/site.pp", "node 'other'", "node 'another'", true},
		{"manifests/site.pp", "node 'other'", "node 'a'", false}, // the name of a class
		{"manifests/site.pp", "node 'other'", "node /n1/", true}, // a name comes first
		{"manifests/site.pp", "node 'n1.example.com'", "node 'n2.example.com'", false},
		{"facts", `"uptime":7`, `"uptime":8`, true},
		{"facts", `"mtu":1500`, `"mtu":9000`, true},
		{"facts", `"ip":"10.0.0.1"`, `"ip":"10.0.0.2"`, false},
		{"facts", `"os":"Debian"`, `"os":"Ubuntu"`, false},
	} {
		was := inMemory(t, "sharp", sharpSite, "n1.example.com", facts, compiler.Options{})
		if was == nil {
			t.Fatal("the site does not compile")
		}
		texts, now := maps.Clone(sharpSite), facts
		if texts[c.file] = strings.Replace(texts[c.file], c.from, c.to, 1); c.file == "facts" {
			delete(texts, "facts")
			now = strings.Replace(facts, c.from, c.to, 1)
		} else if texts[c.file] == sharpSite[c.file] {
			t.Fatalf("there is no %s in %s", c.from, c.file)
		}
		next := inMemory(t, "sharp", texts, "n1.example.com", now, compiler.Options{})
		if next == nil { // it does not compile any more
			if c.holds {
				t.Errorf("%s: %s → %s ends the compile", c.file, c.from, c.to)
			}
			continue
		}
		holds, why, err := next.base.Holds(context.Background(), was.trace, next.node)
		if err != nil {
			t.Fatal(err)
		}
		if holds != c.holds {
			t.Errorf("%s: %s → %s: the trace holds: %v (%s)", c.file, c.from, c.to, holds, why)
		}
		if same := was.is.text == next.is.text; holds && !same {
			t.Errorf("%s: %s → %s: another catalog", c.file, c.from, c.to)
		}
	}
}
