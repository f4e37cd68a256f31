package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// shardCode are lines that a site may have, each with a version (§) that a commit may change. Some say the same text,
// and have it from elsewhere: a fact of the node's own, its data, the role's, all nodes' or the code.
var shardCode = []string{
	`file { '/level': content => "level ${lookup('level')}\nfor ${lookup('who')} §\n" }`,
	`file { '/name': content => "I am ${trusted['certname']} §\n" }`,
	`file { '/who': content => "${lookup('who')} §" }`,
	`if $facts['role'] == 'a' { notify { 'w': message => "${facts['networking']['ip']} §" } } else { notify { 'w': message => "192.0.2.1 §" } }`,
	`file { "/srv/${facts['hostname']}": ensure => directory, mode => '075§' }`,
	`if $facts['odd'] { file { '/odd': content => "x §" } } else { file { '/odd': content => "x §", owner => 'root' } }`,
	`if $facts['role'] == 'b' and '§' > '4' { fail("no place for ${trusted['certname']}") }`,
	`package { ['p', 'q§']: ensure => installed } -> service { 's': ensure => running, subscribe => File['/etc/s'] }`,
	`file { '/etc/s': content => Sensitive("pw ${lookup('level')} §-very-secret") }`,
	`cron { 'c': command => '/bin/true', minute => fqdn_rand(60, '§') }`,
	`class k (String $v = lookup('who')) { notify { 'k': message => $v } notify { 'k§': } }
include k`,
	`file { '/erb': content => inline_template("<%= @facts['hostname'] %> <%= scope.call_function('lookup', ['level']) %> §\n") }`,
	`exec { "/bin/e ${facts['hostname']}": unless => '/bin/test §', require => File['/level'] }`,
	`if $facts['odd'] { exec { '/bin/again': subscribe => File['/level'], refreshonly => true } }`,
}

// A randomSite is what a site is in one state.
type randomSite struct {
	versions []int
	data     map[string]string
}

func (r randomSite) write(s *repository) {
	var code strings.Builder
	for i, line := range shardCode {
		if v := r.versions[i]; v > 0 || i < 2 || i == 8 {
			code.WriteString(strings.ReplaceAll(line, "§", fmt.Sprint(v)) + "\n# " + fmt.Sprint(i) + "\n\n\n")
		}
	}
	s.put("manifests/site.pp", code.String())
	for name, text := range r.data {
		s.put("data/"+name+".yaml", text)
	}
}

// put writes a file.
func (s *repository) put(file, text string) {
	at := filepath.Join(s.dir, file)
	if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
		s.t.Fatal(err)
	}
	if err := os.WriteFile(at, []byte(text), 0o644); err != nil {
		s.t.Fatal(err)
	}
}

// Whatever changes on whatever nodes, the parts of any number of shards, made with a store or without, come to what one
// run says, with a store or without.
func TestShardsOfAnything(t *testing.T) {
	turns := 30
	if testing.Short() {
		turns = 5
	}
	for seed := range uint64(turns) {
		random := rand.New(rand.NewPCG(seed, 9))
		nodes := 2 + random.IntN(9)
		s := newTree(t, 0, 0, map[string]string{"hiera.yaml": "version: 5\nhierarchy: [{name: n, paths: " +
			"['%{trusted.certname}.yaml', '%{facts.role}.yaml', all.yaml]}]\n"})
		r := randomSite{data: map[string]string{}}
		for range shardCode {
			r.versions = append(r.versions, random.IntN(4))
		}
		datum := func(i int) string {
			return []string{"who: '%{facts.networking.ip}'\n", fmt.Sprintf("who: '192.0.2.%d'\n", i), "who: '192.0.2.1'\n",
				"who: '%{trusted.certname}'\n", "level: 1\n", "level: 2\n", "level: '%{facts.hostname}'\n"}[random.IntN(7)]
		}
		files := []string{"a", "b"}
		for i := range nodes {
			name := fmt.Sprintf("n%d.site.example", i)
			s.put("facts/"+name+".json", fmt.Sprintf(`{"name": %q, "values": {"fqdn": %q, "hostname": "n%d", "role": %q, `+
				`"odd": %t, "networking": {"ip": "192.0.2.%d", "hostname": "n%d", "fqdn": %q}}}`, name, name, i,
				[]string{"a", "b"}[random.IntN(2)], random.IntN(2) == 0, i, i, name))
			if files = append(files, name); random.IntN(2) == 0 {
				r.data[name] = datum(i)
			}
		}
		r.data["all"] = "who: nobody\nlevel: 0\n"
		r.data["a"] = datum(0)
		r.write(s)
		s.commit("first")
		for range 1 + random.IntN(5) {
			if random.IntN(2) == 0 {
				r.versions[random.IntN(len(r.versions))] = random.IntN(7)
			} else {
				i := random.IntN(len(files))
				r.data[files[i]] = datum(max(0, i-2))
			}
		}
		r.write(s)
		format := [][]string{{"--format", "json"}, {"--full"}, {"--by", "node", "--full"},
			{"--format", "markdown"}}[random.IntN(4)]
		store := []string{"--store", filepath.Join(t.TempDir(), "store")}
		_, want, _ := call(slices.Concat([]string{"diff", s.dir, "--from", "HEAD"}, format)...)
		want = seconds_.ReplaceAllString(want, "N s")
		for range 2 {
			_, got, _ := call(slices.Concat([]string{"diff", s.dir, "--from", "HEAD"}, format, store)...)
			if got = seconds_.ReplaceAllString(got, "N s"); got != want {
				t.Fatalf("seed %d, with a store:\n%s--- want\n%s", seed, got, want)
			}
		}
		for _, args := range [][]string{nil, {"--store", filepath.Join(t.TempDir(), "another")}} {
			n := 1 + random.IntN(5)
			dir := s.shards(n, args...)
			_, got, err := call(slices.Concat([]string{"diff", "merge", dir, "--env", s.dir, "--from", "HEAD"}, format)...)
			if got = seconds_.ReplaceAllString(got, "N s"); got != want {
				t.Fatalf("seed %d, %d parts %v: %s\n%s--- want\n%s", seed, n, args, err, got, want)
			}
		}
	}
}
