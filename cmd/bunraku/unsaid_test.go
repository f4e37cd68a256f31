package main

import (
	"strings"
	"testing"
)

// What check said of public trees and was not so, each in its smallest form: testdata/judged.txt has the places.
func TestUnsaid(t *testing.T) {
	const metadata = `{"name": "me-m", "version": "1.0.0", "author": "me", "license": "x", "source": "x", "dependencies": [],
		"operatingsystem_support": [{"operatingsystem": "Debian", "operatingsystemrelease": ["12"]}]}`
	for _, c := range []struct {
		name  string
		files map[string]string
		want  []string
		not   []string
	}{
		{"a plan of the module that one stands in", map[string]string{"metadata.json": metadata,
			"manifests/init.pp": "class m { }", "plans/init.pp": "plan m(TargetSpec $targets) { run_command('x', $targets) }"},
			nil, []string{"P0001"}},
		{"a class that is called after plans", map[string]string{"metadata.json": metadata,
			"manifests/plans/a.pp": "class m::plans::a { notify { 'x': tag => [apply, 'x'] } }"},
			nil, []string{"P0001"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Chdir(writeRepo(t, c.files))
			_, out, errText := call("check")
			for _, w := range c.want {
				if !strings.Contains(out+errText, w) {
					t.Errorf("no %q", w)
				}
			}
			for _, w := range c.not {
				if strings.Contains(out+errText, w) {
					t.Errorf("there is %q", w)
				}
			}
			if t.Failed() {
				t.Log(out + errText)
			}
		})
	}
}
