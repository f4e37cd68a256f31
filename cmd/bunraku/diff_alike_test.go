package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

// A digest stands for each text of the store in which a secret occurs, so the store may not know which file of a module
// a catalog names: then it does not say that the file has not changed.
func TestDiffStoreSealsSources(t *testing.T) {
	for _, source := range []string{"'puppet:///modules/m/production.conf'",
		"Sensitive('puppet:///modules/m/production.conf')",
		"['puppet:///modules/m/none', 'puppet:///modules/m/production.conf']"} {
		s := newTree(t, 2, 1, map[string]string{
			"manifests/site.pp": "notify { 'n': message => Sensitive('production') }\n" +
				"file { '/etc/x': source => " + source + " }\n",
			"modules/m/files/production.conf": "one\n"})
		s.write("modules/m/files/production.conf", "two\n")
		store := filepath.Join(t.TempDir(), "store")
		for _, args := range [][]string{nil, {"--store", store}, {"--store", store}} {
			if code, out := s.diff(append([]string{"--from", "HEAD"}, args...)...); code != exitNo ||
				!strings.Contains(out, "2 nodes: 2 changed") {
				t.Errorf("%s %q: exit %d\n%s", source, args, code, out)
			}
		}
	}
}

// Nodes that have the same two catalogs have the same changes, and what follows hangs on what they run and have
// mounted as well.
func TestDiffConsequencesOfOtherPlatforms(t *testing.T) {
	for _, c := range []struct{ name, was, is, some, others string }{
		{"systems", "service { 's': ensure => running }\n",
			"service { 's': ensure => running }\npackage { 'p': ensure => absent }\n",
			`"os": {"name": "Debian", "family": "Debian", "release": {"major": "12"}}`,
			`"os": {"name": "Rocky", "family": "RedHat", "release": {"major": "9"}}`},
		{"mounts", "", "file { '/data/x': content => '1' }\n", `"mountpoints": {"/data": {}}`, `"mountpoints": {"/srv": {}}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			const nodes = 4
			s := newTree(t, 1, 1, map[string]string{"manifests/site.pp": "notify { 'x': }\n" + c.was})
			for i := range nodes {
				facts := []string{c.some, c.others}[i%2]
				s.write(fmt.Sprintf("facts/n%03d.json", i), fmt.Sprintf(`{"name": "n%03d", "values": {%s}}`, i, facts))
			}
			s.write("manifests/site.pp", "notify { 'x': }\n"+c.is)
			_, want := s.diff("--from", "HEAD", "--format", "json")
			if strings.Count(want, `"n000"`) == strings.Count(want, `"n001"`) {
				t.Fatalf("nothing follows on some nodes only\n%s", want)
			}
			store := filepath.Join(t.TempDir(), "store")
			if _, got := s.diff("--from", "HEAD", "--format", "json", "--store", store); got != want {
				t.Errorf("with a store\n%s\nwithout\n%s", got, want)
			}
		})
	}
}

// What a store keeps of values that JSON has no word for can be read and compared.
func TestDiffStoreOfRichValues(t *testing.T) {
	const kept = "notify { 'rich': message => [type('a'), Integer[1, 2], SemVer('1.2.3'), Timespan(3), /x/, default] }\n"
	s := newTree(t, 2, 1, map[string]string{"manifests/site.pp": kept})
	s.write("manifests/site.pp", kept+"notify { 'more': }\n")
	store := filepath.Join(t.TempDir(), "store")
	for _, args := range [][]string{nil, {"--store", store}, {"--store", store}} {
		if code, out := s.diff(append([]string{"--from", "HEAD"}, args...)...); code != exitNo ||
			!strings.Contains(out, "2 nodes: 2 changed") {
			t.Errorf("%q: exit %d\n%s", args, code, out)
		}
	}
}

// A secret that is Sensitive on one side only has changed, wherever it stands, although a digest is all that a store
// has of it on either side.
func TestDiffStoreOfBaredSecrets(t *testing.T) {
	const secret = "$s = Sensitive('secretpw')\nnotify { 'a': message => $s }\n"
	for _, use := range []string{"notify { 'b': message => $x }\n", "notify { 'b': message => [$x] }\n",
		"notify { 'b': message => { 'k' => $x } }\n", "notify { 'b': message => { $x => 1 } }\n",
		"notify { 'b': message => [Deferred('f', [$x])] }\n", "class c($p) { }\nclass { 'c': p => [$x] }\n"} {
		s := newTree(t, 2, 1, map[string]string{"manifests/site.pp": secret + "$x = $s\n" + use})
		s.write("manifests/site.pp", secret+"$x = 'secretpw'\n"+use)
		store := filepath.Join(t.TempDir(), "store")
		for _, args := range [][]string{nil, {"--store", store}, {"--store", store}} {
			if code, out := s.diff(append([]string{"--from", "HEAD"}, args...)...); code != exitNo ||
				!strings.Contains(out, "2 nodes: 2 changed") {
				t.Errorf("%s%q: exit %d\n%s", use, args, code, out)
			}
		}
	}
}
