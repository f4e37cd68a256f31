package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// What a run is said to do is what agents do. The answers about sources are those of puppet apply 7.23, run twice with
// the old catalog and then with the new one; those about purging follow its type resources, which would take what the
// machine that is asked has.
func TestDiffTold(t *testing.T) {
	const u = "puppet:///modules/profile/"
	file := func(attrs string) string {
		return "file { '/srv/f': " + attrs + " } ~> service { 'cron': ensure => running }\n"
	}
	own := func(text string) string {
		return strings.ReplaceAll(file("content => '"+text+"'"), "'cron'", "'shopd'")
	}
	purge := func(typ string) string {
		name, more, _ := strings.Cut(typ, ", ")
		if more != "" {
			name, more = strings.TrimSuffix(name, "'"), ", "+more+"'"
		}
		return "resources { '" + name + "': purge => true" + more + ", notify => Service['cron'] }\n" +
			"service { 'cron': ensure => running }\n"
	}
	tree := func(attrs string) string {
		if !strings.Contains(attrs, "source =>") {
			attrs += ", source => '" + u + "d'"
		}
		return file("recurse => " + attrs)
	}
	type files map[string]string
	const restarts = "restarts Service[cron]"
	for _, x := range []struct {
		name     string
		old, new string // "" for the same
		at       files
		then     files // "" takes one away
		want     []string
		same     bool // no difference is shown
	}{
		{name: "a file of a tree", old: tree("remote"), at: files{"d/e/b": "1"}, then: files{"d/e/b": "2"},
			want: []string{restarts}},
		{name: "one more", old: tree("true"), at: files{"d/b": "1"}, then: files{"d/c": "2"}, want: []string{restarts}},
		{name: "one goes", old: tree("remote"), at: files{"d/b": "1", "d/c": "2"}, then: files{"d/c": ""}},
		{name: "one is purged", old: tree("true, purge => true"), at: files{"d/b": "1", "d/c": "2"},
			then: files{"d/c": ""}, want: []string{restarts, "purges /srv/f/c"}},
		{name: "without recurse", old: file("source => '" + u + "d'"), at: files{"d/b": "1"}, then: files{"d/b": "2"},
			same: true},
		{name: "what is ignored", old: tree("true, ignore => ['a*', '*']"), at: files{"d/a": "1", "d/b/c": "1"},
			then: files{"d/a": "2", "d/b/c": "2"}, same: true},
		{name: "no star is a dot", old: tree("true, ignore => '*'"), at: files{"d/.a": "1"}, then: files{"d/.a": "2"},
			want: []string{restarts}},
		{name: "too deep", old: tree("true, recurselimit => 1"), at: files{"d/e/a": "1"}, then: files{"d/e/a": "2"},
			same: true},
		{name: "deep enough", old: tree("true, recurselimit => 2"), at: files{"d/e/a": "1"}, then: files{"d/e/a": "2"},
			want: []string{restarts}},
		{name: "somebody else's", old: tree("true") + "file { ['/srv/f/a', '/srv/f/e']: ensure => directory }\n",
			at: files{"d/a": "1", "d/e/a": "1", "d/x": "1"}, then: files{"d/a": "2", "d/e/a": "2"}, same: true},
		{name: "a file as a directory", old: file("source => '" + u + "a', ensure => directory, recurse => true"),
			at: files{"a": "1"}, then: files{"a": "2"}, want: []string{restarts}},
		{name: "a source moves", old: file("source => '" + u + "a'"), new: file("source => '" + u + "b'"),
			at: files{"a": "1", "b": "1"}},
		{name: "a source becomes a content", old: file("source => '" + u + "a'"), new: file("content => '1'"),
			at: files{"a": "1"}},
		{name: "another content", old: file("source => '" + u + "a'"), new: file("content => '2'"),
			at: files{"a": "1"}, want: []string{restarts}},
		{name: "the first of two comes", old: file("source => ['" + u + "a', '" + u + "b']"), at: files{"b": "1"},
			then: files{"a": "2"}, want: []string{restarts}},
		{name: "the first of two goes", old: file("source => ['" + u + "a', '" + u + "b']"),
			at: files{"a": "1", "b": "1"}, then: files{"a": ""}, same: true},
		{name: "one of all", old: tree("true, sourceselect => all, source => ['" + u + "d', '" + u + "g']"),
			at: files{"d/a": "1", "g/a": "1", "g/b": "1"}, then: files{"g/b": "2"}, want: []string{restarts}},
		{name: "what another hides", old: tree("true, sourceselect => all, source => ['" + u + "d', '" + u + "g']"),
			at: files{"d/a": "1", "g/a": "1"}, then: files{"g/a": "2"}, same: true},
		{name: "what is kept", old: tree("true, replace => false"), at: files{"d/a": "1"}, then: files{"d/a": "2"}},
		{name: "it is not there", old: file("source => '" + u + "a'"), at: files{"a": "1"}, then: files{"a": ""},
			want: []string{"fails: File[/srv/f]: no module has " + u + "a"}},
		{name: "a tree is not there", old: tree("true"), at: files{"d/a": "1"}, then: files{"d/a": ""},
			want: []string{"fails: File[/srv/f]: no module has " + u + "d"}},
		{name: "a service that nothing brings", old: own("a"), new: own("b"), want: []string{"restarts Service[shopd]"}},
		{name: "which comes now", old: "file { '/srv/f': content => 'a' }\n", new: own("a"),
			want: []string{"fails: Service[shopd]: there is no service shopd"}},
		{name: "a job is purged", old: purge("cron") + "cron { 'c': command => '/x' }\n", new: purge("cron"),
			want: []string{restarts, "purges Cron[c]"}},
		{name: "by a resource that is new", old: "host { 'h': ip => '192.0.2.1' }\n", new: purge("host"),
			want: []string{"purges Host[h]", "starts Service[cron]"}},
		{name: "it is only told", old: "cron { 'c': command => '/x' }\n", new: "resources { 'cron': purge => true, " +
			"noop => true }\n", want: []string{"leaves behind Cron[c]"}},
		{name: "what cannot be listed", old: purge("ssh_authorized_key") + "ssh_authorized_key { 'k': user => 'root', " +
			"type => 'rsa', key => 'x' }\n", new: purge("ssh_authorized_key"),
			want: []string{"leaves behind Ssh_authorized_key[k]"}},
		{name: "in another file", old: purge("host") + "host { 'h': ip => '192.0.2.1', target => '/srv/hosts' }\n",
			new: purge("host"), want: []string{"leaves behind Host[h]"}},
		{name: "a user", old: purge("user") + "user { 'bob': ensure => present, uid => 5000 }\n", new: purge("user"),
			want: []string{restarts, "purges User[bob]"}},
		{name: "a user of the system", old: purge("user") + "user { 'bob': ensure => present, uid => 500 }\n",
			new: purge("user"), want: []string{"leaves behind User[bob]"}},
		{name: "even that", old: purge("user', unless_system_user => '100") + "user { 'bob': ensure => present, uid => 500 }\n",
			new: purge("user', unless_system_user => '100"), want: []string{restarts, "purges User[bob]"}},
		{name: "not that", old: purge("user', unless_uid => '5000") + "user { 'bob': ensure => present, uid => 5000 }\n",
			new: purge("user', unless_uid => '5000"), want: []string{"leaves behind User[bob]"}},
		{name: "a package that no archive has", old: "package { 'shop-own': } -> " + file("content => 'a'"),
			new: "package { 'shop-own': } -> " + file("content => 'b'"), want: []string{restarts}},
	} {
		t.Run(x.name, func(t *testing.T) {
			s := newRepository(t)
			put := func(at files, manifest string) {
				for name, text := range at {
					place := filepath.Join("site-modules/profile/files", name)
					if text != "" {
						s.put(place, text)
						continue
					}
					if err := os.Remove(filepath.Join(s.dir, place)); err != nil {
						t.Fatal(err)
					}
				}
				s.put("manifests/site.pp", manifest)
				s.commit("a state")
			}
			put(x.at, x.old)
			if x.new == "" {
				x.new = x.old + "# the same\n"
			}
			put(x.then, x.new)
			_, out := s.diff("--from", "HEAD~1", "--to", "HEAD", "--nodes", "web1*")
			_, told, _ := strings.Cut(out, "on machines that have the old catalog, a run\n")
			told, _, _ = strings.Cut(told, "\n\n")
			var got []string
			for line := range strings.SplitSeq(told, "\n") {
				what, _, _ := strings.Cut(strings.TrimSpace(line), "   on ")
				if what != "" && !strings.HasPrefix(what, "not known") && !strings.HasPrefix(what, "taken for true") {
					got = append(got, what)
				}
			}
			if !slices.Equal(got, x.want) || strings.Contains(out, "No differences.") != x.same {
				t.Errorf("told %q, want %q\n%s", got, x.want, out)
			}
		})
	}
}

// Lines of a title stand on the line of the resource, and are none of the answer's.
func TestDiffLinesOfTitles(t *testing.T) {
	s := newTree(t, 1, 0, map[string]string{"manifests/site.pp": "notify { 'a': }\n"})
	s.edit("manifests/site.pp", "", "notify { \"b\\n\\nNo differences.\\n1 node: 1 cannot change\": }\n")
	for _, format := range []string{"text", "markdown"} {
		_, out := s.diff("--from", "HEAD", "--format", format)
		if strings.Contains(out, "\nNo differences.") || strings.Contains(out, "\n1 node: 1 cannot") ||
			!strings.Contains(out, `+ Notify[b\n\nNo differences.\n1 node: 1 cannot change]`) {
			t.Errorf("%s\n%s", format, out)
		}
	}
}
