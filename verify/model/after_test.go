package model_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"bunraku/puppet/value"
	"bunraku/verify/model"

	"github.com/google/go-cmp/cmp"
)

// What a run does on a machine that has another catalog.
func TestAfter(t *testing.T) {
	const nginx = "package { 'nginx': } -> file { '/etc/nginx/nginx.conf': content => '%s' } ~> " +
		"service { 'nginx': ensure => running, enable => true }\n"
	site1 := func(text string) string { return strings.ReplaceAll(nginx, "%s", text) }
	for _, x := range []struct {
		name, old, new string
		want           []string
	}{
		{"nothing", site1("a"), site1("a"), nil},
		{"a file that a service reads", site1("a"), site1("b"),
			[]string{"File[/etc/nginx/nginx.conf] changed content", "Service[nginx] restarted by File[/etc/nginx/nginx.conf]"}},
		{"a mode", "file { '/srv/a': content => 'x', mode => '0644' }", "file { '/srv/a': content => 'x', mode => '0600' }",
			[]string{"File[/srv/a] changed mode"}},
		{"a new package", site1("a"), site1("a") + "package { 'htop': }", []string{"Package[htop] installed"}},
		{"a package that another has pulled in", "package { 'nginx': }", "package { ['nginx', 'nginx-common']: }", nil},
		{"an account that a package has made", "package { 'mosquitto': }", "package { 'mosquitto': }\n" +
			"user { 'mosquitto': ensure => present }", nil},
		{"a package that goes", site1("a") + "package { 'htop': }", site1("a") + "package { 'htop': ensure => absent }",
			[]string{"Package[htop] removed"}},
		{"what is left behind", site1("a") + "package { 'htop': }\nfile { '/srv/a': content => 'a' }", site1("a"),
			[]string{"left Package[htop]", "left File[/srv/a]"}},
		{"what waits for being told", "file { '/srv/a': content => 'a' } ~> exec { '/bin/cp /srv/a /srv/b': refreshonly => true }",
			"file { '/srv/a': content => 'b' } ~> exec { '/bin/cp /srv/a /srv/b': refreshonly => true }",
			[]string{"File[/srv/a] changed content", "Exec[/bin/cp /srv/a /srv/b] runs"}},
		{"what runs every time", "exec { '/bin/true': }", "exec { '/bin/true': }", []string{"Exec[/bin/true] runs again"}},
		{"through a class", "class a { file { '/srv/a': content => 'a' } } class b { service { 'cron': ensure => running } }\n" +
			"include a\ninclude b\nClass['a'] ~> Class['b']",
			"class a { file { '/srv/a': content => 'b' } } class b { service { 'cron': ensure => running } }\n" +
				"include a\ninclude b\nClass['a'] ~> Class['b']",
			[]string{"File[/srv/a] changed content", "Service[cron] restarted by File[/srv/a]"}},
		{"purging", "file { '/srv/d': ensure => directory, recurse => true, purge => true }\nfile { '/srv/d/a': content => 'a' }\n" +
			"file { '/srv/d/b': content => 'b' }",
			"file { '/srv/d': ensure => directory, recurse => true, purge => true }\nfile { '/srv/d/a': content => 'a' }",
			[]string{"File[/srv/d] purges /srv/d/b"}},
		{"a service that stops", site1("a"), "service { 'nginx': ensure => stopped, enable => false }",
			[]string{"Service[nginx] stopped enable", "left Package[nginx]", "left File[/etc/nginx/nginx.conf]"}},
		{"a failure", "file { '/srv/a': ensure => file }", "file { '/srv/a': ensure => file }\nfile { '/nowhere/b': " +
			"content => 'b' } -> file { '/srv/c': content => 'c' }\nfile { '/srv/d': content => 'd' }",
			[]string{"File[/srv/d] created", "File[/nowhere/b] fails: /nowhere does not exist", "File[/srv/c] is skipped"}},
		{"an account", "user { 'a': ensure => present, uid => 1500 }", "user { 'a': ensure => present, uid => 1501 }\n" +
			"user { 'b': ensure => present }", []string{"User[a] changed uid", "User[b] created"}},
		{"a command that is told", "file { '/srv/a': content => 'a' } ~> exec { '/bin/touch /srv/b': creates => '/srv/b' }",
			"file { '/srv/a': content => 'b' } ~> exec { '/bin/touch /srv/b': creates => '/srv/b' }",
			[]string{"File[/srv/a] changed content", "Exec[/bin/touch /srv/b] runs by File[/srv/a]"}},
		{"a sleeper", site1("a"), strings.ReplaceAll(site1("b"), "content", "noop => true, content"), nil},
	} {
		t.Run(x.name, func(t *testing.T) {
			opt := model.Options{Platform: "debian-12", Listing: builtIn(t, "debian-12")}
			u, err := model.After(context.Background(), model.Side{Graph: site(t, x.old)}, model.Side{Graph: site(t, x.new)},
				opt,
				nil)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(x.want, upgradeWords(u)); d != "" {
				t.Error(d)
			}
			if u.Runs == 0 {
				t.Error("the old catalog does not come to rest")
			}
		})
	}
}

// A line that the machine has is there, whoever has put it there.
func TestAfterLines(t *testing.T) {
	line := func(title, text string) string {
		return "file_line { '" + title + "': path => '/srv/l', line => '" + text + "' }\n"
	}
	const file = "file { '/srv/l': ensure => file }\n"
	for _, x := range []struct {
		old, new string
		want     []string
	}{
		{file + line("a", "A=1"), file + line("a", "A=1") + line("b", "A=1"), nil},
		{file + line("a", "A=1"), file + line("b", "A=1"), nil},
		{file + line("a", "A=1"), file + line("a", "A=2"), []string{"File_line[a] changed"}},
		{"file { '/srv/l': content => \"B\\nA=1\\n\" }", file + line("a", "A=1"), nil},
		{"file { '/srv/l': content => \"B\\nA=1\\n\" }", file + line("a", "A"), []string{"File_line[a] changed"}},
	} {
		u, err := model.After(context.Background(), model.Side{Graph: withLines(t, x.old)},
			model.Side{Graph: withLines(t, x.new)}, model.Options{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		got := slices.DeleteFunc(upgradeWords(u), func(w string) bool { return strings.HasPrefix(w, "left ") })
		if !slices.Equal(got, x.want) {
			t.Errorf("from %s to %s:\n%q, want %q", x.old, x.new, got, x.want)
		}
	}
}

// What a source holds is not in a catalog.
func TestAfterSource(t *testing.T) {
	g := site(t, "file { '/srv/a': source => 'puppet:///modules/m/a' } ~> service { 'cron': ensure => running }")
	holds := func(text string) model.Side {
		has := &model.Served{Kind: model.PlainFile, Text: text}
		return model.Side{Graph: g, Source: func(string) *model.Served { return has }}
	}
	u, err := model.After(context.Background(), holds("x"), holds("y"), model.Options{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"File[/srv/a] changed content", "Service[cron] restarted by File[/srv/a]"}
	if d := cmp.Diff(want, upgradeWords(u)); d != "" {
		t.Error(d)
	}
}

// Pairs of which one has the text of its source as content, and one another text, are not alike: only one restarts.
func TestPairLikenessSource(t *testing.T) {
	like := func(content string) string {
		old := site(t, "file { '/srv/a': source => 'puppet:///modules/m/a' }").Catalog
		new := site(t, "file { '/srv/a': content => '"+content+"' }").Catalog
		holds := func(string) *model.Served { return &model.Served{Kind: model.PlainFile, Text: "x"} }
		a, b := model.PairLikeness(old, new, holds, holds)
		return value.Inspect(a.Resource("File", "/srv/a").Get("held")) + value.Inspect(b.Resource("File",
			"/srv/a").Get("content"))
	}
	if like("x") == like("y") {
		t.Error(like("x"))
	}
	if like("y") != like("z") {
		t.Error(like("y"), like("z"))
	}
}

func upgradeWords(u *model.Upgrade) (out []string) {
	for _, a := range u.Acts {
		words := a.Resource.Ref() + " " + string(a.Verb)
		if len(a.What) > 0 {
			words += " " + strings.Join(a.What, ", ")
		}
		if a.Told != nil {
			words += " by " + a.Told.Ref()
		}
		if a.Again {
			words += " again"
		}
		out = append(out, words)
	}
	for _, f := range u.Failed {
		out = append(out, f.Resource.Ref()+" fails: "+f.Why)
	}
	for _, r := range u.Skipped {
		out = append(out, r.Ref()+" is skipped")
	}
	for _, r := range u.Left {
		out = append(out, "left "+r.Ref())
	}
	return out
}
