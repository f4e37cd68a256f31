package fleet_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"bunraku/fleet"
	"bunraku/internal/live"
	"bunraku/puppet/compiler"
)

// features are things that a commit may change, each in a line of its own: with the nodes' names and addresses in
// texts, titles, lists and numbers, or without. A § is where a version stands.
var features = []struct{ file, line string }{
	{"/site/modules/m/templates/a.epp", "name <%= $facts['networking']['hostname'] %> §"},
	{"/site/modules/m/templates/a.epp", "address=<%= $facts['networking']['ip'] %>;§"},
	{"/site/modules/m/templates/a.epp", "servers <%= join($m::servers, ' ') %> §"},
	{"/site/modules/m/templates/a.epp", "<% $m::servers.each |$s| { -%>member <%= $s %> §\n<% } -%>"},
	{"/site/modules/m/templates/b.erb", "<%= @facts['networking']['fqdn'] %> is §"},
	{"/site/modules/m/manifests/init.pp", "  notify { 'c': message => " +
		"\"${trusted['certname']}:${facts['networking']['ip']} §\" }"},
	{"/site/modules/m/manifests/init.pp", "  notify { 'n': message => \"${trusted['hostname']} of ${trusted['domain']} §\" }"},
	{"/site/modules/m/manifests/init.pp", "  notify { 'h': message => $trusted['hostname'], loglevel => 'l§' }"},
	{"/site/modules/m/manifests/init.pp", "  notify { \"${trusted['hostname']}-§\": }"},
	{"/site/modules/m/manifests/init.pp", "  file { \"/srv/${facts['networking']['hostname']}\": mode => '060§' }"},
	{"/site/modules/m/manifests/init.pp", "  file { \"/srv/x${facts['networking']['hostname']}-§\": }"},
	{"/site/modules/m/manifests/init.pp", "  cron { 'd': command => '/bin/true', minute => fqdn_rand(60, 'x§') }"},
	{"/site/modules/m/manifests/init.pp", "  package { 'p§': }"},
	{"/site/modules/m/manifests/init.pp", "  exec { '/bin/e': path => $m::servers + ['§'] }"},
	{"/site/modules/m/manifests/init.pp", "  if $facts['role'] == 'web' { notify { 'w': message => 'web §' } }"},
	{"/site/data/common.yaml", "m::greeting: \"hello %{facts.networking.fqdn} §\""},
	{"/site/data/common.yaml", "m::level: §"},
}

// planted is the site with the versions of its features.
func planted(versions []int) map[string]string {
	files := map[string]string{
		"/site/manifests/site.pp": "include m\n",
		"/site/hiera.yaml": "version: 5\nhierarchy:\n  - name: all\n    paths: ['nodes/%{trusted.certname}.yaml', " +
			"'common.yaml']\n",
		"/site/modules/m/manifests/init.pp": "class m (Array $servers, String $greeting, Integer $level, String $own = '') {\n" +
			"  file { '/a': content => epp('m/a.epp') }\n  file { '/b': content => template('m/b.erb') }\n" +
			"  file { '/g': content => $greeting }\n  file { '/l': content => \"${facts['networking']['ip']} ${level} " +
			"${own}\" }\n}\n",
		"/site/modules/m/templates/a.epp": "# for people\n", "/site/modules/m/templates/b.erb": "# b\n",
		"/site/data/common.yaml": "lookup_options: {m::servers: {merge: unique}}\nm::servers: [s1, s2, s3]\n",
	}
	for i, f := range features {
		line := strings.ReplaceAll(f.line, "§", fmt.Sprint(versions[i])) + "\n# -\n" // no two lines that change touch
		if text, pp := strings.CutSuffix(files[f.file], "}\n"); pp {
			files[f.file] = text + line + "}\n"
		} else if strings.HasSuffix(f.file, ".epp") || strings.HasSuffix(f.file, ".erb") {
			files[f.file] += strings.Replace(line, "# -", "--", 1)
		} else {
			files[f.file] += line
		}
	}
	const nodes = 12
	for i := range nodes {
		name := fmt.Sprintf("n%d.site%d.example", i, i)
		role := []string{"web", "db"}[i%2]
		files["/site/facts/"+name+".json"] = fmt.Sprintf(
			`{"fqdn": %q, "role": %q, "networking": {"hostname": "n%d", "fqdn": %q, "ip": "192.0.2.%d"}}`,
			name, role, i, name, i)
		order := []string{"s1", "s2", "s3", "s4"}
		rand.New(rand.NewPCG(uint64(i), 1)).Shuffle(len(order), func(a, b int) { order[a], order[b] = order[b], order[a] })
		files["/site/data/nodes/"+name+".yaml"] = "m::servers: [" + strings.Join(order, ", ") + "]\nm::own: 'own " + name +
			"'\n"
	}
	return files
}

// TestScoreDiffGroups plants changes of several kinds on nodes that differ in names, addresses, own data and the order
// of lists: each kind is one group.
func TestScoreDiffGroups(t *testing.T) { groups(t, 30) }

// TestAcceptDiffGroups is the bar: 200 of them.
func TestAcceptDiffGroups(t *testing.T) {
	live.Accept(t)
	groups(t, 200)
}

func groups(t *testing.T, rounds int) {
	base := make([]int, len(features))
	for i := range base {
		base[i] = 1
	}
	s := &site{t: t, root: "/site", files: planted(base)}
	s.ws = compiler.NewWorkspace(s.root, compiler.Options{StandIn: true, Questions: true, Trace: true})
	real, err := fleet.Nodes(s.view(s.files), s.root, "")
	if err != nil {
		t.Fatal(err)
	}
	s.nodes = fleet.Real(real)
	random := rand.New(rand.NewPCG(4, 19))
	right := 0
	for round := range rounds {
		versions := append([]int{}, base...)
		kinds := 1 + random.IntN(5)
		if round < len(features) {
			kinds = 1 // each by itself first
		}
		chosen := random.Perm(len(features))[:kinds]
		if kinds == 1 && round < len(features) {
			chosen = []int{round}
		}
		for _, i := range chosen {
			versions[i] = 2
		}
		r, _ := s.report(planted(versions))
		if len(r.Groups) == kinds {
			right++
			continue
		}
		var lines []string
		for _, g := range r.Groups {
			lines = append(lines, fmt.Sprint(g.Nodes, " ", g.Items[0].Slot(), " ", g.Cause.Hunks))
		}
		for _, i := range chosen {
			lines = append(lines, "planted "+features[i].line)
		}
		for _, f := range r.Failures {
			lines = append(lines, f.Summary)
		}
		t.Errorf("%d kinds of changes are %d groups:\n%s", kinds, len(r.Groups), strings.Join(lines, "\n"))
	}
	t.Logf("score: diff groups %d/%d", right, rounds)
}
