package compiler_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"bunraku/internal/live"
	"bunraku/puppet/compiler"
	"bunraku/puppet/lookup"
	"bunraku/source"
)

// Data that hiera.yaml says is elsewhere is found where the user says it is, in the global layer and in the
// environment's, and only then.
func TestDataDirs(t *testing.T) {
	root := t.TempDir()
	env := filepath.Join(root, "production")
	write(t, root, map[string]string{
		"conf/hiera.yaml":    "version: 5\nhierarchy:\n  - {name: g, datadir: /srv/global, path: g.yaml}\n",
		"here/global/g.yaml": "g: global\n",
		"here/hiera/a.yaml":  "a: moved\n",
		"production/hiera.yaml": "version: 5\ndefaults: {datadir: /etc/puppet/hieradata, data_hash: " +
			"yaml_data}\nhierarchy:\n  - {name: a, path: a.yaml}\n",
		"production/manifests/site.pp": "notify { ['a', 'g']: message => \"${lookup('a', {'default_value' => 'none'})} " +
			"${lookup('g', {'default_value' => 'none'})}\" }\n",
	})
	dirs := []lookup.DataDir{{From: "/etc/puppet/hieradata", To: filepath.Join(root, "here/hiera")},
		{From: "/srv/", To: filepath.Join(root, "here")}}
	got := weSay(compileSite(t, env, compiler.Options{GlobalHiera: filepath.Join(root, "conf/hiera.yaml"),
		DataDirs: dirs}))
	if !slices.Equal(got.Notified, []string{"moved global", "moved global"}) {
		t.Errorf("%+v", got)
	}
	if got := weSay(compileSite(t, env, compiler.Options{})); !strings.Contains(got.Error,
		"the file lies outside of what may be read") {
		t.Errorf("without being told: %+v", got)
	}
}

// Every setting that Puppet has, $settings has, and no other.
func TestSettingsAsPuppet(t *testing.T) {
	for _, l := range []source.Language{source.Puppet7, source.Puppet8} {
		t.Run(l.String(), func(t *testing.T) {
			o := live.Installed(t)
			if l != source.Puppet7 {
				o = live.Other(t, l.String())
			}
			dir := filepath.Join(t.TempDir(), "production")
			write(t, dir,
				map[string]string{"manifests/site.pp": "notify { 'n': message => $settings::all_local.keys.sort.join(' ') " +
					"}\nnotify { 'u': message => \"${settings::user} ${settings::storeconfigs} ${settings::reports}\" }\n"})
			want := askLanguages(t, o, []*languageCase{{dir: dir}})[0]
			got, failure := (&languageCase{dir: dir}).answerIn(t, l)
			if failure != nil || got != want {
				t.Errorf("ours (%v)\n%s\nPuppet's\n%s", failure, got, want)
			}
			if strings.Count(want, " ") < 200 {
				t.Errorf("Puppet answers with few settings: %s", want)
			}
		})
	}
}

// What environment.conf says of settings that no compile needs, code sees all the same.
func TestConfiguredSettingsAsPuppet(t *testing.T) {
	const asks = "notify { 'n': message => ['config_version', 'environment_timeout', 'rich_data', 'static_catalogs', " +
		"'environment_data_provider'].map |$s| { $v = $settings::all_local[$s] " +
		"\"${s}=${v}/${$v =~ Integer}${$v =~ Float}${$v =~ Boolean}\" }.join(' ') }\n"
	for _, conf := range []string{"", "config_version = /bin/echo $environment\n", "environment_timeout = unlimited\n",
		"environment_timeout = 5m\n", "environment_timeout = 3\n", "static_catalogs = false\n", "rich_data = false\n",
		"environment_data_provider = none\n"} {
		dir := filepath.Join(t.TempDir(), "production")
		write(t, dir, map[string]string{"manifests/site.pp": asks, "environment.conf": conf})
		want := askLanguages(t, live.Installed(t), []*languageCase{{dir: dir}})[0]
		if got, failure := (&languageCase{dir: dir}).answerIn(t, source.Puppet7); failure != nil || got != want {
			t.Errorf("%sours (%v)\n%s\nPuppet's\n%s", conf, failure, got, want)
		}
	}
}

// A directory of a module's files is found as a file is.
func TestFindDirectory(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "production")
	write(t, dir,
		map[string]string{"manifests/site.pp": "notify { 'n': message => [find_file('m/dir'), find_file('m/dir/x'), " +
			"find_file('m/no'), find_template('m/dir')] }\n",
			"modules/m/files/dir/x": "x", "modules/m/templates/dir/x": "x"})
	c := &languageCase{dir: dir}
	want := askLanguages(t, live.Installed(t), []*languageCase{c})[0]
	if got, failure := c.answerIn(t, source.Puppet7); failure != nil || got != want {
		t.Errorf("ours (%v)\n%s\nPuppet's\n%s", failure, got, want)
	}
}

// The mark that Windows puts before a text is no part of it; of bytes it is.
func TestFileWithMark(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "production")
	write(t, dir, map[string]string{"manifests/site.pp": "notify { 'n': message => [file('m/a'), file('m/a').length, " +
		"String(binary_file('m/a')), file('m/b').length] }\n",
		"modules/m/files/a": "\uFEFFhello", "modules/m/files/b": "x\uFEFF"})
	c := &languageCase{dir: dir}
	want := askLanguages(t, live.Installed(t), []*languageCase{c})[0]
	if got, failure := c.answerIn(t, source.Puppet7); failure != nil || got != want {
		t.Errorf("ours (%v)\n%s\nPuppet's\n%s", failure, got, want)
	}
}
