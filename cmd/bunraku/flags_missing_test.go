package main

import (
	"strings"
	"testing"
)

// A flag that names nothing is refused, and not passed over; of a module path it is told.
func TestMissingFlags(t *testing.T) {
	s := newTree(t, 1, 0, map[string]string{"manifests/site.pp": "notify { lookup('k', { default_value => 'no' }): }\n"})
	t.Chdir(s.dir)
	for _, command := range [][]string{{"compile", "."}, {"check", "."}, {"diff", "HEAD"}, {"impact", "HEAD"},
		{"diff", "HEAD..HEAD"}} {
		for _, flag := range []string{"--hiera=nope.yaml", "--datadir=/srv/hd=nope", "--root=nope"} {
			code, _, errs := call(append(command, flag)...)
			if name, _, _ := strings.Cut(flag, "="); code != 1 || !strings.Contains(errs, name) || !strings.Contains(errs, "there is no") {
				t.Errorf("%v %s: exit %d\n%s", command, flag, code, errs)
			}
		}
		code, _, errs := call(append(command, "--modulepath=modules:nope")...)
		if code == 1 || !strings.Contains(errs, "there is no directory nope") {
			t.Errorf("%v: exit %d\n%s", command, code, errs)
		}
	}
}
