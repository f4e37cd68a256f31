package main

import (
	"slices"
	"strings"
	"testing"
)

// The sides are named as for git, behind the environment or in its place.
func TestDiffRanges(t *testing.T) {
	s := newTree(t, 1, 0, map[string]string{"manifests/site.pp": "notify { 'zero': }\n"})
	s.git("checkout", "-q", "-b", "feature")
	s.edit("manifests/f.pp", "", "notify { 'feature': }\n")
	s.commit("feature")
	s.git("checkout", "-q", "main")
	s.edit("manifests/m.pp", "", "notify { 'main': }\n")
	s.commit("main goes on")
	t.Chdir(s.dir)
	both := []string{"- Notify[main]", "+ Notify[feature]"}
	back := []string{"+ Notify[main]", "- Notify[feature]"}
	one, none := both[1:], []string(nil)
	for _, c := range []struct {
		args  string
		wants []string
	}{
		{"main..feature", both}, {"main feature", both}, {"--from main --to feature", both},
		{"main...feature", one}, {"...feature", one}, {"HEAD~1..feature", one}, {"HEAD~1 feature", one},
		{"main", none}, {"feature", back}, {"feature...main", back[:1]}, {"main..", none}, {"feature..", back},
	} {
		for _, env := range []string{"", ". ", s.dir + " "} {
			for _, command := range []string{"diff", "impact"} {
				args := append([]string{command}, strings.Fields(env+c.args)...)
				code, out, _ := call(args...)
				if want := 2 * min(len(c.wants), 1); code != want {
					t.Errorf("%v: exit code %d, want %d\n%s", args, code, want, out)
				}
				for _, part := range slices.Concat(both, back) {
					if got, want := strings.Contains(out, part), slices.Contains(c.wants, part); command == "diff" && got != want {
						t.Errorf("%v: says %q: %v, want %v\n%s", args, part, got, want, out)
					}
				}
			}
		}
	}
	s.git("worktree", "add", "-q", "../other", "feature")
	if _, out, _ := call("diff", ".", "../other"); !strings.Contains(out, both[0]) || !strings.Contains(out, both[1]) {
		t.Errorf("two directories:\n%s", out)
	}
	if _, out, _ := call("diff", "../site", "../other"); !strings.Contains(out, both[0]) ||
		!strings.Contains(out, both[1]) {
		t.Errorf("two directories beside this one:\n%s", out)
	}
	for args, want := range map[string]string{
		". ../nowhere":        "../nowhere is neither a revision nor a directory\n",
		"manifest":            `is not known here: no branch, tag or commit is called so, nor a directory`,
		"./none main":         "there is no file or directory ./none",
		"main..nowhere":       `revision "nowhere": is not known here`,
		"nowhere...main":      `revision "nowhere": is not known here`,
		"main --to feature":   `the sides are named twice: by flags, and by "main"`,
		". main feature more": `"more" is too much`,
	} {
		code, out, err := call(append([]string{"diff"}, strings.Fields(args)...)...)
		if code != 1 || !strings.Contains(err, want) {
			t.Errorf("diff %s: %d, %q\n%s", args, code, err, out)
		}
	}
	plain := t.TempDir() // without a repository
	t.Chdir(plain)
	p := &repository{t, plain}
	p.put("one/manifests/site.pp", "notify { 'a': }\n")
	if code, _, err := call("diff", "one", "two"); code != 1 || !strings.Contains(err, "two is no directory, and ") ||
		!strings.HasSuffix(err, " is in no git repository\n") {
		t.Errorf("%d, %q", code, err)
	}
}

// What stands before a range is the environment, also if it is not there: nobody takes it for a revision.
func TestDiffNoEnvironment(t *testing.T) {
	s := newTree(t, 1, 0, map[string]string{"manifests/site.pp": "notify { 'a': }\n"})
	t.Chdir(s.dir)
	for _, command := range []string{"diff", "impact"} {
		code, _, errs := call(command, "env/prod", "HEAD..HEAD")
		if code != 1 || strings.Contains(errs, "revision") || !strings.Contains(errs, "there is no file or directory env/prod") {
			t.Errorf("%s: exit %d\n%s", command, code, errs)
		}
	}
}
