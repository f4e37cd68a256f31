package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A name with dots leads where the system goes: up from a directory that is there. What it comes to is a cause as any
// other file. (Puppet 7.23 finds each of them.)
func TestDiffDots(t *testing.T) {
	for name, c := range map[string]struct{ expr, file string }{
		"template":     {"template('m/../x')", "modules/m/x"},
		"epp":          {"epp('m/../x.epp')", "modules/m/x.epp"},
		"file":         {"file('m/../../o/files/x')", "modules/o/files/x"},
		"environment":  {"file('m/../../../data/x')", "data/x"},
		"back again":   {"file('m/d/../x')", "modules/m/files/x"},
		"binary_file":  {"String(binary_file('m/d/../x'))", "modules/m/files/x"},
		"through link": {"file('m/link/../x')", "modules/o/files/x"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newTree(t, 1, 0, map[string]string{"manifests/site.pp": "notify { 'a': message => " + c.expr + " }\n",
				"modules/m/files/d/q": "", "modules/m/templates/q": "", "modules/o/files/d/q": "", c.file: "one"})
			if err := os.Symlink("../../o/files/d", filepath.Join(s.dir, "modules/m/files/link")); err != nil {
				t.Fatal(err)
			}
			s.commit("a link")
			s.put(c.file, "two")
			code, out := s.diff("--from", "HEAD")
			if code != 2 || !strings.Contains(out, "from  "+c.file) {
				t.Errorf("%d\n%s", code, out)
			}
		})
	}
	t.Run("what it goes through", func(t *testing.T) {
		s := newTree(t, 1, 0, map[string]string{"modules/m/files/d/q": "", "modules/m/x": "",
			"manifests/site.pp": "notify { 'a': message => [find_file('m/d/../../x'), find_file('m/../x')] }\n"})
		if err := os.RemoveAll(filepath.Join(s.dir, "modules/m/files/d")); err != nil {
			t.Fatal(err)
		}
		code, out := s.diff("--from", "HEAD")
		if code != 2 || !strings.Contains(out, "'modules/m/files/d/../../x'") {
			t.Errorf("%d\n%s", code, out)
		}
	})
}

// The server gives out no file above the files of a module.
func TestDiffDotsServed(t *testing.T) {
	s := newTree(t, 1, 0, map[string]string{"modules/m/files/d/q": "", "modules/m/x": "one",
		"manifests/site.pp": "file { '/a': source => 'puppet:///modules/m/../x' }\n"})
	s.put("modules/m/x", "two")
	if code, out := s.diff("--from", "HEAD"); code != 0 {
		t.Errorf("%d\n%s", code, out)
	}
}

// A directory is no file, which Puppet says in Ruby's words.
func TestDirectoryNoFile(t *testing.T) {
	for expr, want := range map[string]string{
		"file('m/d')":        "Error while evaluating a Function Call, Is a directory @ io_fread - X/modules/m/files/d",
		"binary_file('m/d')": "Error while evaluating a Function Call, Is a directory @ io_fread - X/modules/m/files/d",
		"epp('m/d.epp')":     "Error while evaluating a Function Call, Is a directory @ io_fread - X/modules/m/templates/d.epp",
		"template('m/d.epp')": "Error while evaluating a Function Call, Failed to parse template m/d.epp:\n" +
			"     Detail: Is a directory @ io_fread - X/modules/m/templates/d.epp\n",
	} {
		s := newTree(t, 1, 0, map[string]string{"modules/m/files/d/q": "", "modules/m/templates/d.epp/q": "",
			"manifests/site.pp": "$x = " + expr + "\n"})
		code, _, errs := call("compile", s.dir, "--node", "n000")
		if code == 0 || !strings.Contains(errs, strings.ReplaceAll(want, "X", s.dir)) {
			t.Errorf("%s: %d\n%s", expr, code, errs)
		}
	}
}
