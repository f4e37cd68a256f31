package main

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// A hunk whose effect another one hides is not without effect if the other one would do something else without it.
func TestDiffHiddenAndNeeded(t *testing.T) {
	pad := strings.Repeat("\n", 8)
	s := newTree(t, 3, 1, map[string]string{"manifests/site.pp": "$k = 1" + pad + "notify { \"k${k}\": }" + pad +
		"if $k == 2 { notify { 'two': } }\n"})
	s.edit("manifests/site.pp", "$k = 1", "$k = 2")
	s.edit("manifests/site.pp", "$k == 2", "$k == 1")
	_, out := s.diff("--from", "HEAD")
	if strings.Contains(out, "without effect") || !strings.Contains(out, "no effect seen   manifests/site.pp:17   "+
		"(other hunks undo or hide what it does, and would do something else without it)") {
		t.Error(out)
	}
}

// What a run does is told of nodes together if only a secret in a name tells it apart, and alike by one run and by two
// parts.
func TestDiffSecretNamesInParts(t *testing.T) {
	s := newTree(t, 6, 1, map[string]string{"manifests/site.pp": "$s = Sensitive(\"geheim1-${facts['fqdn']}\")\n" +
		"exec { \"/bin/e ${s.unwrap}\": }\n"})
	s.edit("manifests/site.pp", "geheim1", "geheim2")
	parts := filepath.Join(t.TempDir(), "parts")
	for _, shard := range []string{"1/2", "2/2"} {
		s.diff("--from", "HEAD", "--shard", shard, "--out", parts)
	}
	t.Chdir(s.dir)
	took := regexp.MustCompile(`[0-9.]+ m?s\b`)
	_, one, _ := call("diff", "--from", "HEAD")
	_, both, _ := call("diff", "merge", parts, "--from", "HEAD")
	one, both = took.ReplaceAllString(one, ""), took.ReplaceAllString(both, "")
	if one != both || strings.Count(one, "runs Exec") != 1 || !strings.Contains(one, "on 6 nodes") {
		t.Errorf("%s\n%s", one, both)
	}
}
