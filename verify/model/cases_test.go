package model_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"bunraku/internal/live"
	"bunraku/puppet/catalog"
	"bunraku/puppet/facts"
	"bunraku/puppet/value"
	"bunraku/source"
	"bunraku/verify"
	"bunraku/verify/listing"
	"bunraku/verify/model"
)

// TestCases verifies every recorded catalog and prints how much of it is modelled. Times are printed, not judged.
func TestCases(t *testing.T) {
	files := live.Catalogs(t)
	var exact, approximate, unmodelled, findings, proved int
	var longest time.Duration
	for _, file := range files {
		name := filepath.Base(filepath.Dir(file))
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		c, err := catalog.Read(text)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		g := catalog.NewGraph(c, model.Types{})
		opt := model.Options{Platform: platform(t, filepath.Join(filepath.Dir(file), "facts.json"))}
		if opt.Listing, err = listing.Select(listing.Choice{Platform: opt.Platform, Embedded: true}); err != nil {
			t.Fatal(err)
		}
		m, err := model.Build(g, opt)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		r, err := m.Verify(context.Background(), verify.DefaultOptions())
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		took := time.Since(began)
		longest = max(longest, took)
		exact, approximate, unmodelled = exact+m.Exact, approximate+m.Approximate, unmodelled+m.Unmodelled
		findings += len(r.Findings)
		if len(r.Findings)+len(r.Unknown) == 0 {
			proved++
		}
		t.Logf("%-26s %4d exact %4d approximate %3d not, %d findings, deterministic %s, succeeds %s, idempotent %s, %4d ms",
			name, m.Exact, m.Approximate, m.Unmodelled, len(r.Findings), r.Deterministic, r.Success, r.Idempotent,
			took.Milliseconds())
		for _, f := range r.Findings {
			for _, x := range f.Resources {
				t.Logf("   %s %s", f.Code, x.Ref())
			}
		}
	}
	all := float64(exact + approximate + unmodelled)
	t.Logf("score: %d catalogs, %d proved, %d findings; resources %.1f %% exact, %.1f %% approximate, %.1f %% not; "+
		"longest %d ms", len(files), proved, findings,
		100*float64(exact)/all, 100*float64(approximate)/all, 100*float64(unmodelled)/all, longest.Milliseconds())
}

func platform(t *testing.T, file string) string {
	t.Helper()
	f, err := facts.Read(source.NewDir(source.DirOptions{Roots: []string{file}}), file)
	if err != nil {
		t.Fatal(err)
	}
	osFact, _ := f.Values.At("os").(*value.Hash)
	if osFact == nil {
		return ""
	}
	name := value.Downcase(value.ToString(osFact.At("name")))
	if release, ok := osFact.At("release").(*value.Hash); ok {
		name += "-" + value.ToString(release.At("major"))
	}
	return name
}
