package compiler_test

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"bunraku/puppet/compiler"
)

// What a tree says is never a permission: whatever names a file outside, nothing of it is shown, the node's trouble
// says which flag allows it, and the flag does.
func TestTreeGivesNoPermission(t *testing.T) {
	const secret = "TOP-SECRET"
	for name, c := range map[string]struct {
		files map[string]string // "-> x" is a link; OUT is the directory outside
		flag  bool              // a flag is named
	}{
		"modulepath": {map[string]string{"environment.conf": "modulepath = modules:OUT",
			"manifests/site.pp": "fail(file('OUT/plain'))"}, true},
		"modulepath root": {map[string]string{"environment.conf": "modulepath = modules:/",
			"manifests/site.pp": "fail(file('OUT/plain'))"}, true},
		"module in it": {map[string]string{"environment.conf": "modulepath = OUT",
			"manifests/site.pp": "fail(file('evil/text'))"}, true},
		"linked module": {map[string]string{"modules/rootfs": "-> /", "manifests/site.pp": "fail(file('OUT/plain'))"},
			true},
		"linked module path": {map[string]string{"modules": "-> OUT", "manifests/site.pp": "fail(file('evil/text'))"}, true},
		"manifest":           {map[string]string{"environment.conf": "manifest = OUT/plain"}, true},
		"linked manifest":    {map[string]string{"manifests/site.pp": "-> OUT/plain"}, true},
		"linked manifests":   {map[string]string{"manifests": "-> OUT/code"}, true},
		"linked class": {map[string]string{"modules/m/manifests/init.pp": "-> OUT/plain",
			"manifests/site.pp": "include m"}, true},
		"linked function": {map[string]string{"modules/m/functions/f.pp": "-> OUT/plain", "manifests/site.pp": "m::f()"},
			true},
		"linked type": {map[string]string{"modules/m/types/t.pp": "-> OUT/plain",
			"manifests/site.pp": "$x = 1 ? { M::T => 1, default => 2 }"}, true},
		"linked epp": {map[string]string{"modules/m/templates/t.epp": "-> OUT/plain",
			"manifests/site.pp": "fail(epp('m/t.epp'))"}, true},
		"linked erb": {map[string]string{"modules/m/templates/t.erb": "-> OUT/plain",
			"manifests/site.pp": "fail(template('m/t.erb'))"}, true},
		"linked conf": {map[string]string{"environment.conf": "-> OUT/plain", "manifests/site.pp": ""}, true},
		"linked metadata": {map[string]string{"modules/m/metadata.json": "-> OUT/plain",
			"modules/m/manifests/init.pp": "class m {}", "manifests/site.pp": "include m"}, true},
		"linked resource": {map[string]string{"modules/m/lib/puppet/type/t.rb": "-> OUT/plain",
			"manifests/site.pp": "t { 'x': }"}, false},
		"linked hiera.yaml": {map[string]string{"hiera.yaml": "-> OUT/plain", "manifests/site.pp": "lookup('x')"}, true},
		"datadir": {map[string]string{"hiera.yaml": hieraLevel("datadir: OUT, path: data.yaml"),
			"manifests/site.pp": "fail(lookup('x'))"}, true},
		"linked data": {map[string]string{"hiera.yaml": hieraLevel("path: d.yaml"), "data/d.yaml": "-> OUT/data.yaml",
			"manifests/site.pp": "fail(lookup('x'))"}, true},
		"linked data dir": {map[string]string{"hiera.yaml": hieraLevel("path: data.yaml"), "data": "-> OUT",
			"manifests/site.pp": "fail(lookup('x'))"}, true},
		"glob": {map[string]string{"hiera.yaml": hieraLevel("glob: 'OUT/*.yaml'"),
			"manifests/site.pp": "fail(lookup('x'))"}, false},
		"glob from the top": {map[string]string{"hiera.yaml": hieraLevel("glob: '/**/data.yaml'"),
			"manifests/site.pp": "fail(lookup('x'))"}, false},
		"relative link": {map[string]string{"hiera.yaml": hieraLevel("path: d.yaml"),
			"data/d.yaml": "-> ../../outside/data.yaml", "manifests/site.pp": "fail(lookup('x'))"}, true},
		"link over a link": {map[string]string{"up": "-> ..", "modules/m/files/f": "-> ../../../up/outside/plain",
			"manifests/site.pp": "fail(file('m/f'))"}, true},
		"absolute template": {map[string]string{"manifests/site.pp": "fail(template('OUT/plain'))"}, true},
		"absolute epp":      {map[string]string{"manifests/site.pp": "fail(epp('OUT/code/x.epp'))"}, true},
		"cached_file_data": {map[string]string{"hiera.yaml": hieraLevel("lookup_key: 'm::d'"),
			"modules/m/functions/d.pp": "function m::d($k, $o, $c) { $c.cached_file_data('OUT/plain') }",
			"manifests/site.pp":        "fail(lookup('x'))"}, true},
	} {
		t.Run(name, func(t *testing.T) {
			top := t.TempDir()
			out, dir := filepath.Join(top, "outside"), filepath.Join(top, "production")
			write(t, out, map[string]string{"plain": secret + " {", "code/x.pp": secret + " {", "code/x.epp": secret,
				"data.yaml": "x: " + secret, "evil/files/text": secret, "evil/manifests/init.pp": "class evil {}"})
			write(t, dir, map[string]string{"README": ""})
			for path, text := range c.files {
				text = strings.ReplaceAll(text, "OUT", out)
				if to, link := strings.CutPrefix(text, "-> "); link {
					os.MkdirAll(filepath.Dir(filepath.Join(dir, path)), 0o755)
					if err := os.Symlink(to, filepath.Join(dir, path)); err != nil {
						t.Fatal(err)
					}
				} else {
					write(t, dir, map[string]string{path: text})
				}
			}
			told := tellAll(t, dir, compiler.Options{})
			if strings.Contains(told, secret) {
				t.Errorf("it is shown:\n%s", told)
			}
			if c.flag && !strings.Contains(told, "--root "+top) && !strings.Contains(told, "--root /") {
				t.Errorf("no flag is named:\n%s", told)
			}
			if told := tellAll(t, dir, compiler.Options{Outside: true}); strings.Contains(told, "outside of what may be read") {
				t.Errorf("with leave:\n%s", told)
			}
		})
	}
}

func hieraLevel(level string) string {
	return "version: 5\ndefaults: {datadir: data, data_hash: yaml_data}\nhierarchy:\n  - {name: a, " + level + "}\n"
}

// tellAll compiles and gives everything that is said about it.
func tellAll(t *testing.T, dir string, opt compiler.Options) string {
	t.Helper()
	c, err := compiler.NewWorkspace(dir, opt).Open(context.Background())
	var told strings.Builder
	if err == nil {
		result, failed := c.Compile(context.Background(), compiler.Node{Name: "n.example.com"})
		err = failed
		if result != nil {
			if result.Failure != nil {
				told.WriteString(result.Failure.Summary + "\n" + result.Failure.Detail + "\n" + result.Failure.Help + "\n" +
					result.Failure.Place.Text())
			}
			for _, w := range result.Warnings {
				told.WriteString(w.Summary + "\n" + w.Help + "\n")
			}
		}
	}
	if err != nil {
		told.WriteString(err.Error())
	}
	return told.String()
}

// Devices, pipes, and files of any size, wherever something is read, are refused at once.
func TestNoDevices(t *testing.T) {
	base := map[string]string{
		"environment.conf": "",
		"manifests/site.pp": "include m\nm::f()\n$x = 1 ? { M::T => 1, default => 2 " +
			"}\nfail(\"${lookup('x')}${file('m/f')}${template('m/t.erb')}${epp('m/t.epp')}\")\nt { 'x': }",
		"hiera.yaml": hieraLevel("path: d.yaml"), "data/d.yaml": "x: 1", "modules/m/manifests/init.pp": "class m {}",
		"modules/m/functions/f.pp": "function m::f() {}",
		"modules/m/types/t.pp":     "type M::T = Integer", "modules/m/files/f": "f", "modules/m/templates/t.erb": "t",
		"modules/m/templates/t.epp": "t",
		"modules/m/metadata.json":   "{}", "modules/m/hiera.yaml": "version: 5", "modules/m/lib/puppet/type/t.rb": "",
		"modules/m/lib/puppet/functions/g.rb": "",
	}
	for place := range base {
		for _, make := range map[string]func(path string) error{
			"zero":   func(path string) error { return os.Symlink("/dev/zero", path) },
			"pipe":   func(path string) error { return syscall.Mkfifo(path, 0o644) },
			"sparse": func(path string) error { os.WriteFile(path, nil, 0o644); return os.Truncate(path, 20<<30) },
			"loop":   func(path string) error { return os.Symlink(filepath.Base(path), path) },
		} {
			dir := filepath.Join(t.TempDir(), "production")
			write(t, dir, base)
			path := filepath.Join(dir, place)
			os.Remove(path)
			if err := make(path); err != nil {
				t.Fatal(err)
			}
			tellAll(t, dir, compiler.Options{})
			if place == "manifests/site.pp" { // with leave, a device is still none that is read
				tellAll(t, dir, compiler.Options{Outside: true})
			}
		}
	}
	dir := filepath.Join(t.TempDir(), "production")
	write(t, dir,
		map[string]string{"hiera.yaml": hieraLevel(
			"lookup_key: eyaml_lookup_key, path: d.yaml, options: {pkcs7_public_key: /dev/zero, pkcs7_private_key: /dev/zero}"),
			"data/d.yaml":       "x: ENC[PKCS7,MIIBeQYJKoZIhvcNAQcDoIIBajCC]",
			"manifests/site.pp": "notify { 'x': message => lookup('x') }"})
	for _, opt := range []compiler.Options{{}, {Outside: true}} {
		if told := tellAll(t, dir, opt); !strings.Contains(told, "there is no key") {
			t.Errorf("a device as a key: %s", told)
		}
	}
}

// Work that data can multiply counts on the compile's budget, which names what it was doing.
func TestDataWorkIsBounded(t *testing.T) {
	doubling := "k0: xxxxxxxxxxxxxxxx\n"
	for i := range 60 {
		doubling += strings.NewReplacer("N", strconv.Itoa(i+1), "P",
			strconv.Itoa(i)).Replace("kN: \"%{lookup('kP')}%{lookup('kP')}\"\n")
	}
	for name, files := range map[string]map[string]string{
		"doubling": {"hiera.yaml": hieraLevel("path: d.yaml"), "data/d.yaml": doubling,
			"manifests/site.pp": "$x = lookup('k60')"},
		"braces": {"hiera.yaml": hieraLevel("glob: '" + strings.Repeat("{a,b}", 30) + "'"),
			"manifests/site.pp": "$x = lookup('x', undef, undef, 1)"},
	} {
		told := siteOf(t, files, compiler.Options{})
		if told.Failure == nil || !strings.HasPrefix(told.Failure.Code, "E09") ||
			!strings.Contains(told.Failure.Summary+told.Failure.Detail, "Hiera") &&
				!strings.Contains(told.Failure.Summary+told.Failure.Detail, "hiera.yaml") {
			t.Errorf("%s: %v", name, told.Failure)
		}
	}
}
