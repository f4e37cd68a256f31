package resource_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"bunraku/internal/live"
	"bunraku/puppet/catalog"
	"bunraku/puppet/resource"
)

// tableFirst finds types as the compiler does.
type tableFirst struct{ *resource.Library }

func (l tableFirst) Type(name string) *resource.Type {
	if t := resource.Known(name); t != nil {
		return t
	}
	return l.Library.Type(name)
}

// The automatic relations of every resource in the shared catalogs are those that the agent's types ask for.
func TestAutomaticRelationsAsPuppet(t *testing.T) {
	live.Puppet(t)
	files := debian(t)
	paths := live.Catalogs(t)
	answers := strings.Split(strings.TrimSpace(live.Ruby(t, "testdata/autorelations.rb", strings.Join(paths, "\n"),
		live.ModulesDir)), "\n")
	types := tableFirst{resource.NewLibrary(files, "7.23.0")}
	found, total, unread := 0, 0, map[string]int{}
	for i, path := range paths {
		name := filepath.Base(filepath.Dir(path))
		var want struct {
			Relations [][3]string
			Failed    [][2]string
		}
		if err := json.Unmarshal([]byte(answers[i]), &want); err != nil {
			t.Fatal(err)
		}
		for _, f := range want.Failed {
			t.Logf("%s: Puppet cannot make %s: %s", name, f[0], f[1])
		}
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		c, err := catalog.Read(text)
		if err != nil {
			t.Fatal(err)
		}
		g := catalog.NewGraph(c, types)
		notRead := map[string]bool{}
		for _, u := range g.Unread {
			notRead[u.Resource.Ref()+" "+u.Kind.String()+" "+u.Target] = true
			unread[u.Resource.Type+" "+u.Kind.String()+" "+u.Target+": "+u.Why]++
		}
		ours, auto := map[[2]string]bool{}, map[[2]string]bool{}
		for _, rel := range append(append([]catalog.Relation(nil), g.Relations...), g.Skipped...) {
			pair := [2]string{rel.From.Ref(), rel.To.Ref()}
			ours[pair] = true
			if rel.Auto {
				auto[pair] = true
			}
		}
		theirs := map[[2]string]bool{}
		for _, rel := range want.Relations {
			pair := [2]string{rel[2], rel[0]}
			if rel[1] == "before" || rel[1] == "notify" {
				pair = [2]string{rel[0], rel[2]}
			}
			if theirs[pair] || pair[0] == pair[1] {
				continue
			}
			theirs[pair] = true
			total++
			kind, _, _ := strings.Cut(rel[2], "[")
			switch {
			case ours[pair]:
				found++
			case notRead[rel[0]+" "+rel[1]+" "+strings.ToLower(kind)]:
			default:
				t.Errorf("%s: %s -> %s (%s) is missing", name, pair[0], pair[1], rel[1])
			}
		}
		for pair := range auto {
			if !theirs[pair] {
				t.Errorf("%s: %s -> %s is not Puppet's", name, pair[0], pair[1])
			}
		}
	}
	for why, n := range unread {
		t.Logf("not read: %s (%d times)", why, n)
	}
	t.Logf("score: automatic relations %d/%d", found, total)
}
