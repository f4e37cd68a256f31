package model

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"bunraku/internal/live"
	"bunraku/puppet/catalog"
	"bunraku/puppet/compiler"
)

// events are ways from a file that changes to a command that waits for an event, and whether it arrives, as Puppet 7.23
// has it. FILE, EXEC, DIR and N are filled in.
var events = []struct {
	name    string
	arrives bool
	site    string
}{
	{"notify", true, `FILE ~> EXEC`},
	{"order only", false, `FILE -> EXEC`},
	{"through what swallows events", false, `FILE ~> file { 'DIR': ensure => directory } ~> EXEC`},
	{"through a user", false, `FILE ~> user { 'u N': name => 'root', ensure => present } ~> EXEC`},
	{"from a class", true, `class c N { FILE } class c N; Class['c N'] ~> EXEC`},
	{"from a class, order only", false, `class c N { FILE } class c N; Class['c N'] -> EXEC`},
	{"to a class", true, `class c N { EXEC } class c N; FILE ~> Class['c N']`},
	{"to a class within", true, `class d N { EXEC } class c N { contain d N } class c N; FILE ~> Class['c N']`},
	{"to a class that is only included", false,
		`class d N { EXEC } class c N { include d N } class c N; FILE ~> Class['c N']`},
	{"from a define", true, `define d N { FILE } d N { 'x': } ~> EXEC`},
	{"through an empty class", false, `class c N { } class c N; FILE ~> Class['c N'] ~> EXEC`},
	{"through a command", true, `FILE ~> exec { '/bin/true N': command => '/bin/true', refreshonly => true } ~> EXEC`},
	{"subscribe", true, `FILE EXEC Exec['e N'] { subscribe => File['DIR/f'] }`},
}

// eventSites fills in the table, for a scratch directory.
func eventSites(root string) (dirs, sites []string) {
	for i, x := range events {
		dir := filepath.Join(root, fmt.Sprint(i))
		site := strings.NewReplacer(
			"FILE", "file { 'DIR/f': content => 'x' }",
			"EXEC", "exec { 'e N': command => '/usr/bin/touch DIR/mark', refreshonly => true }",
			"class c N;", "include c N",
		).Replace(x.site)
		dirs = append(dirs, dir)
		sites = append(sites, strings.NewReplacer("DIR", dir, " N", fmt.Sprint(i)).Replace(strings.NewReplacer("/true N",
			fmt.Sprint("/true ", i)).Replace(site)))
	}
	return dirs, sites
}

func TestEventsReach(t *testing.T) {
	root := t.TempDir()
	dirs, sites := eventSites(root)
	manifest := filepath.Join(root, "site.pp")
	if err := os.WriteFile(manifest, []byte(strings.Join(sites, "\n")), 0o644); err != nil {
		t.Fatal(err)
	}
	c, err := compiler.NewWorkspace(manifest, compiler.Options{Language: 7,
		Roots: []string{live.ModulesDir}}).Open(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	r, err := c.Compile(context.Background(), compiler.Node{Name: "node"})
	if err != nil || r.Failure != nil {
		t.Fatal(err, r.Failure)
	}
	out := refreshes(catalog.NewGraph(r.Catalog, Types{}))
	for i, x := range events {
		if got := out.reachesSomebody(r.Catalog.Resource("File", dirs[i]+"/f")); got != x.arrives {
			t.Errorf("%s: we say %v, Puppet %v\n%s", x.name, got, x.arrives, sites[i])
		}
	}
}

// TestEventsReachPuppet asks real Puppet about the table: one run of the agent's own machinery in a scratch directory.
func TestEventsReachPuppet(t *testing.T) {
	live.Accept(t)
	live.Puppet(t)
	root := t.TempDir()
	dirs, sites := eventSites(root)
	for _, dir := range dirs {
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	cmd := live.Command("puppet", "apply", "--confdir", filepath.Join(root, "conf"), "--vardir",
		filepath.Join(root, "var"), "-e", strings.Join(sites, "\n"))
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for i, x := range events {
		if _, err := os.Stat(filepath.Join(dirs[i], "mark")); (err == nil) != x.arrives {
			t.Errorf("%s: the table says %v\n%s", x.name, x.arrives, sites[i])
		}
	}
}
