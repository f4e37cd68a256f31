package serve_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"bunraku/internal/live"
	"bunraku/serve"
)

// agentSites are small environments, each about one thing that a run asks of a server, and the files that a run makes.
// $p is the agent's playground.
var agentSites = []struct {
	name, site, more string
	want             map[string]string
}{
	{"a class with data", `class m(String $x, Hash $h = {}) { file { "${facts['playground']}/a": content => "${x} ${h}\n" } }`,
		"-- production/hiera.yaml --\nversion: 5\nhierarchy:\n  - { name: n, paths: ['%{trusted.certname}.yaml', 'c.yaml'] }\n" +
			"-- production/data/c.yaml --\nm::x: common\nm::h: { a: 1 }\n-- production/data/agent.example.yaml --\nm::x: own\n",
		map[string]string{"a": "own {a => 1}\n"}},
	{"a define and its loop", `class m { $p = $facts['playground'] ['a', 'b'].each |$i, $n| { m::one { "${p}/${n}": n => $i } } }`,
		"-- production/modules/m/manifests/one.pp --\ndefine m::one(Integer $n) { file { $title: content => \"${n}\\n\" } }\n",
		map[string]string{"a": "0\n", "b": "1\n"}},
	{"order and refresh", `class m { $p = $facts['playground']
  file { "${p}/conf": content => "x\n" } ~> exec { "/bin/sh -c 'echo fresh >>${p}/log'": refreshonly => true } }`, "",
		map[string]string{"conf": "x\n", "log": "fresh\n"}},
	{"virtual resources", `class m { $p = $facts['playground']
  @file { "${p}/yes": content => 'y', tag => 'wanted' } @file { "${p}/no": content => 'n' } File <| tag == 'wanted' |> }`, "",
		map[string]string{"yes": "y", "no": ""}},
	{"exported and collected at home", `class m { $p = $facts['playground']
  @@file { "${p}/exported": content => 'e' } file { "${p}/plain": content => 'p' } }`, "",
		map[string]string{"plain": "p", "exported": ""}},
	{"a sensitive parameter", `class m(Sensitive[String] $s = Sensitive('hush')) {
  file { "${facts['playground']}/s": content => $s, mode => '0600', show_diff => false } }`, "",
		map[string]string{"s": "hush"}},
	{"deferred and sensitive", `class m { $p = $facts['playground']
  file { "${p}/d": content => Deferred('new', [String, 42]) }
  file { "${p}/e": content => Sensitive(Deferred('inline_epp', ['<%= $x %>!', { 'x' => 'later' }])) } }`, "",
		map[string]string{"d": "42", "e": "later!"}},
	{"a function in Ruby", `class m { file { "${facts['playground']}/f": content => m::twice('ab') } }`,
		"-- production/modules/m/lib/puppet/functions/m/twice.rb --\nPuppet::Functions.create_function(:'m::twice') do\n" +
			"  dispatch :twice do\n    param 'String', :s\n  end\n  def twice(s)\n    s * 2\n  end\nend\n",
		map[string]string{"f": "abab"}},
	{"an external fact", `class m { file { "${facts['playground']}/x": content => "${facts['outside']}" } }`,
		"-- production/modules/m/facts.d/outside.txt --\noutside=from facts.d\n",
		map[string]string{"x": "from facts.d"}},
	{"a tree with modes and what to ignore",
		`class m { file { "${facts['playground']}/t": ensure => directory, recurse => true,
  source => 'puppet:///modules/m/t', ignore => ['*.bak'], mode => '0640' } }`,
		"-- production/modules/m/files/t/one --\n1\n-- production/modules/m/files/t/sub/two --\n2\n" +
			"-- production/modules/m/files/t/sub/x.bak --\nno\n",
		map[string]string{"t/one": "1\n", "t/sub/two": "2\n", "t/sub/x.bak": ""}},
	{"purging what is not there", `class m { $p = $facts['playground']
  file { "${p}/d": ensure => directory, recurse => true, purge => true } file { "${p}/d/keep": content => 'k' }
  file { "${p}/gone": ensure => absent } file { "${p}/link": ensure => link, target => "${p}/d/keep" } }`, "",
		map[string]string{"d/keep": "k", "link": "k", "gone": ""}},
	{"names that are not ASCII", `class m { $p = $facts['playground']
  file { "${p}/grün": content => "naïve ✓\n" } file { "${p}/from": source => 'puppet:///modules/m/ö+ä %41' } }`,
		"-- production/modules/m/files/ö+ä %41 --\nfound\n",
		map[string]string{"grün": "naïve ✓\n", "from": "found\n"}},
}

// TestScoreServeAgentSites runs a real agent twice on each of the sites: it makes the files, exits with 2, and then
// finds nothing to do. With ids of code the catalogs are static, which must not change a thing.
func TestScoreServeAgentSites(t *testing.T) {
	live.NotShort(t, "it runs a real agent")
	live.Puppet(t)
	good := 0
	for i, x := range agentSites {
		archive := "-- production/environment.conf --\nmodulepath = modules\n-- production/manifests/site.pp --\n" +
			"node default { include m }\n-- production/modules/m/manifests/init.pp --\n" + x.site + "\n" + x.more
		r := start(t, archive, func(o *serve.Options) {
			o.Log = textLog(&lockedBuffer{})
			if i%2 == 1 {
				o.CodeID = script(t, "echo one\n")
				o.CodeContent = script(t, "cat "+o.Environments[0]+"/\"$1/$3\"\n")
			}
		})
		a := newAgent(t, r, "agent.example")
		a.write("playground/gone", "to go")
		out, code := a.run()
		ok := code == 2
		for name, want := range x.want {
			text, err := os.ReadFile(filepath.Join(a.path("playground"), name))
			if want == "" && !os.IsNotExist(err) || want != "" && string(text) != want {
				ok = false
				out += fmt.Sprintf("\n%s: %q %v, not %q", name, text, err, want)
			}
		}
		again, second := a.run()
		if !ok || second != 0 || strings.Contains(out+again, "hush") {
			t.Errorf("%s: exit %d, then %d\n%s\n%s", x.name, code, second, out, again)
			continue
		}
		good++
	}
	t.Logf("score: sites applied by a real agent %d/%d", good, len(agentSites))
}
