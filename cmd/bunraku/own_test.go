package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// foreignRepo has a module outside of the environment with a missing order, by a define that is used twice, a command
// without a guard, and a fault in the user's own code.
var foreignRepo = map[string]string{
	"env/environment.conf":  "modulepath = site:../elsewhere\n",
	"env/manifests/site.pp": "include role\n",
	"env/site/role/manifests/init.pp": "class role {\n  include vendor\n  package { 'squid': }\n  file { " +
		"'/etc/squid/own': content => 'x' }\n}\n",
	"env/facts/a.json": strings.Replace(facts12, "NAME", "a.example", 1),
	"elsewhere/vendor/manifests/init.pp": "class vendor {\n  package { 'nginx': }\n  vendor::conf { ['x', 'y']: }\n  " +
		"exec { '/bin/mkdir /srv/v': }\n}\n",
	"elsewhere/vendor/manifests/conf.pp": "define vendor::conf {\n  file { \"/etc/nginx/${title}\": content => 'x' }\n}\n",
	"lists/nginx":                        "/etc/nginx/nginx.conf\n",
	"lists/squid":                        "/etc/squid/squid.conf\n",
}

// TestForeignCode: no patch and no edit touches a file outside of the environment, or one that a Puppetfile brings.
// What mends it comes as statements, which do what they say when they are written beside the include.
func TestForeignCode(t *testing.T) {
	for _, kind := range []string{"outside", "linked", "Puppetfile"} {
		t.Run(kind, func(t *testing.T) {
			dir := writeRepo(t, foreignRepo)
			env := filepath.Join(dir, "env")
			switch kind {
			case "linked":
				must(t, os.WriteFile(filepath.Join(env, "environment.conf"), []byte("modulepath = site:modules\n"), 0o644))
				must(t, os.Symlink("../elsewhere", filepath.Join(env, "modules")))
			case "Puppetfile":
				must(t, os.WriteFile(filepath.Join(env, "environment.conf"), []byte("modulepath = site:modules\n"), 0o644))
				must(t, os.Rename(filepath.Join(dir, "elsewhere"), filepath.Join(env, "modules")))
				must(t, os.WriteFile(filepath.Join(env, "Puppetfile"),
					[]byte("forge 'https://forge.example'\nmod 'acme/vendor', '1.2.3'\n"), 0o644))
			}
			t.Chdir(env)
			args := []string{"check", "--packages", filepath.Join(dir, "lists")}
			if kind != "Puppetfile" {
				args = append(args, "--root", filepath.Join(dir, "elsewhere"))
			}
			code, patch, notes := call(append(args, "--fix")...)
			if code != exitNo || strings.Contains(patch, "vendor/") || applyPatch(t, ".", patch) != 1 {
				t.Fatalf("exit %d\n%s%s", code, patch, notes)
			}
			var statements []string
			for line := range strings.Lines(notes) {
				if text, ok := strings.CutPrefix(line, "  "); ok {
					statements = append(statements, text)
				} else if want := "write there, for example beside site/role/manifests/init.pp:2:3:\n"; !strings.HasSuffix(line,
					want) {
					t.Errorf("no %q in %q", want, line)
				}
			}
			want := []string{"Package['nginx'] -> [File['/etc/nginx/x'], File['/etc/nginx/y']]\n",
				"Exec <| title == '/bin/mkdir /srv/v' |> { creates => '/srv/v' }\n"}
			if strings.Join(statements, "") != strings.Join(want, "") {
				t.Errorf("got %q, want %q\n%s", statements, want, notes)
			}
			for _, format := range []string{"sarif", "json", "github", "junit"} {
				_, out, _ := call(append(args, "--format", format)...)
				for _, edit := range []string{"artifactChanges", `"edits"`} {
					if strings.Contains(out, edit) {
						t.Errorf("%s has %s:\n%s", format, edit, out)
					}
				}
				if format == "github" && !strings.Contains(out, "file=site/role/manifests/init.pp,line=2,") {
					t.Errorf("nothing beside the line that brings the module in:\n%s", out)
				}
			}
			file := filepath.Join("site", "role", "manifests", "init.pp")
			text, err := os.ReadFile(file)
			must(t, err)
			must(t, os.WriteFile(file, []byte(strings.Replace(string(text), "include vendor\n", "include vendor\n"+
				strings.Join(statements, ""), 1)), 0o644))
			if code, out, notes := call(args...); code != exitFine || !strings.Contains(out, "Nothing found.") {
				t.Errorf("exit %d\n%s%s", code, out, notes)
			}
			must(t, os.WriteFile(file, []byte(strings.Replace(string(text), "  include vendor\n",
				"  # bunraku:ignore V101,V201 the vendor is told\n  include vendor\n", 1)), 0o644))
			for _, command := range []string{"check", "verify"} {
				if code, out, notes := call(append([]string{command, "."}, args[1:]...)...); code != exitFine ||
					!strings.Contains(out, "2 ignored") {
					t.Errorf("%s: exit %d\n%s%s", command, code, out, notes)
				}
			}
		})
	}
}

// TestPatchFromElsewhere: a patch for an environment that lies outside of the current directory names its files from
// there.
func TestPatchFromElsewhere(t *testing.T) {
	repo := writeRepo(t, map[string]string{"manifests/site.pp": "exec { '/bin/mkdir /srv/a': }\n",
		"facts/a.json": strings.Replace(facts12, "NAME", "a", 1)})
	t.Chdir(filepath.Join(repo, "facts"))
	for _, env := range []string{repo, ".."} {
		_, patch, notes := call("check", "--fix", env)
		if !strings.HasPrefix(patch, "--- a/manifests/site.pp\n+++ b/manifests/site.pp\n") ||
			!strings.Contains(notes, "note: the patch is for "+env+": git -C "+env+" apply") {
			t.Errorf("%s: %s%s", env, patch, notes)
		}
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
