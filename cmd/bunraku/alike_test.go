package main

import (
	"context"
	"strings"
	"testing"

	"bunraku/judge"
	"bunraku/puppet/compiler"
	"bunraku/source"
	"bunraku/verify/model"
)

// TestLikeness: nodes are verified together if and only if nothing that matters to a proof sets them apart.
func TestLikeness(t *testing.T) {
	const site = `file { '/etc/motd': content => "I am ${trusted['certname']}\n" }
file { '/etc/issue': content => "Welcome to ${trusted['certname']}\n", mode => $mode }
define d($x) { file { "/srv/${title}": content => $x } }
d { 'greeting': x => $trusted['certname'] }
`
	for _, x := range []struct {
		name, more string
		alike      bool
	}{
		{"their names in files", "$mode = '0644'", true},
		{"a mode", "$mode = $trusted['certname'] ? { 'a' => '0644', default => '0600' }", false},
		{"one more resource", "$mode = '0644' if $trusted['certname'] == 'a' { notify { 'x': } }", false},
		{"a command that reads the file", "$mode = '0644' exec { '/bin/true': unless => '/bin/grep -q a /etc/motd' }", false},
		{"a command that reads it from its directory",
			"$mode = '0644' exec { '/bin/true': cwd => '/etc', unless => '/bin/grep -q a motd' }", false},
		{"a command that reads another", "$mode = '0644' exec { '/bin/true': unless => '/bin/grep -q a /etc/passwd' }", true},
		{"which texts are equal", "$mode = '0644' file { '/etc/x': content => \"I am a\n\" }", false},
		{"a relation of a define",
			"$mode = '0644' D['greeting'] -> notify { 'x': } if $trusted['certname'] == 'a' { Notify['x'] -> " +
				"File['/etc/motd'] }", false},
		{"a title", "$mode = '0644' notify { $trusted['certname']: }", false},
	} {
		t.Run(x.name, func(t *testing.T) {
			repo := writeRepo(t, map[string]string{"manifests/site.pp": x.more + "\n" + site})
			c, err := compiler.NewWorkspace(repo, compiler.Options{}).Open(context.Background())
			must(t, err)
			j := judge.New(judge.Options{})
			var keys []string
			for _, name := range []string{"a", "b"} {
				r, err := c.Compile(context.Background(), compiler.Node{Name: name})
				must(t, err)
				if r.Failure != nil {
					t.Fatal(r.Failure)
				}
				keys = append(keys, j.Likeness(judge.Suspect{Catalog: r.Catalog, Platform: "debian-12", Types: c}))
			}
			if (keys[0] == keys[1]) != x.alike {
				t.Errorf("alike: %v, want %v", keys[0] == keys[1], x.alike)
			}
		})
	}
}

// An assertion about some nodes, and the platform, set nodes apart too.
func TestLikenessOfSurroundings(t *testing.T) {
	c, err := compiler.NewWorkspace(writeRepo(t, map[string]string{"manifests/site.pp": "notify { 'x': }"}),
		compiler.Options{}).Open(context.Background())
	must(t, err)
	assertions, trouble := model.ParseAssertions(source.NewFile("x", "[a*]\nfile /etc/x exists\n"))
	if trouble.HasErrors() {
		t.Fatal(trouble)
	}
	key := func(name, platform string) string {
		r, err := c.Compile(context.Background(), compiler.Node{Name: name})
		must(t, err)
		return judge.New(judge.Options{Assert: assertions}).Likeness(judge.Suspect{Catalog: r.Catalog, Platform: platform,
			Types: c})
	}
	if key("a1", "debian-12") != key("a2", "debian-12") || key("b1", "debian-12") != key("b2", "debian-12") {
		t.Error("nodes of one kind differ")
	}
	if key("a1", "debian-12") == key("b1", "debian-12") || key("a1", "debian-12") == key("a1", "rocky-9") {
		t.Error("nodes of two kinds are alike")
	}
}

// TestCheckAgreesWithVerify: check says of every node what verify says of it alone, also if the node was not verified
// itself.
func TestCheckAgreesWithVerify(t *testing.T) {
	files := map[string]string{"manifests/site.pp": `package { 'nginx': }
file { '/etc/nginx/conf.d/x.conf': content => "server_name ${facts['networking']['fqdn']};\n" }
if $facts['networking']['fqdn'] =~ /^b/ { exec { '/bin/mkdir /srv/b': } }
`}
	names := []string{"a1", "a2", "b1", "b2", "a3"}
	for _, n := range names {
		files["facts/"+n+".json"] = strings.Replace(facts12, "NAME", n, 1)
	}
	repo := writeRepo(t, files)
	_, all, _ := call("check", repo)
	for _, n := range names {
		_, one, _ := call("verify", repo, "--node", n)
		for line := range strings.Lines(all) {
			if codes, ok := strings.CutPrefix(strings.TrimSpace(line), n+" "); ok {
				for _, code := range []string{"V101", "V201", "V203"} {
					if strings.Contains(codes, code) != strings.Contains(one, code) {
						t.Errorf("%s: check says %s, verify\n%s", n, codes, one)
					}
				}
			}
		}
	}
	if !strings.Contains(all, "on   a1, a2, a3 and 2 more") || !strings.Contains(all, "on   b1, b2\n") {
		t.Errorf("nodes are missing:\n%s", all)
	}
}
