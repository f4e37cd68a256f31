package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"bunraku/explain"
	"bunraku/fleet"
	"bunraku/puppet/catalog"
	"bunraku/puppet/compiler"
	"bunraku/source"
)

var entryLine = regexp.MustCompile(`^( *(?:- )?)("?[\w:.]+"?)(: *)(.*)$`)

// TestLinesThatAlterNothing: of every line of data of which --reaches says that a change there alters nothing, the
// value is changed and the key renamed, and nothing alters. Of other lines --reaches and --dependency agree.
func TestLinesThatAlterNothing(t *testing.T) {
	opt := compiler.Options{Trace: true}
	ws := compiler.NewWorkspace(shop, opt)
	view := ws.Disk()
	nodes, err := fleet.Nodes(view, shop, "")
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	base, err := ws.Snapshot(ctx, view)
	if err != nil {
		t.Fatal(err)
	}
	compile := func(s *compiler.Snapshot, n compiler.Node) (*explain.Record, string) {
		t.Helper()
		res, err := s.Compile(ctx, n)
		if err != nil {
			t.Fatal(err)
		}
		if res.Failure != nil {
			return nil, res.Failure.Summary
		}
		text, err := catalog.JSON{}.Append(nil, res.Catalog)
		if err != nil {
			t.Fatal(err)
		}
		return explain.Of(res.Record()), string(text)
	}
	var files []string
	filepath.WalkDir(filepath.Join(shop, "data"), func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			files = append(files, path)
		}
		return nil
	})
	silent, loud := 0, 0
	for _, n := range nodes {
		node := compiler.Node{Facts: n}
		rec, before := compile(base, node)
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			lines := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
			for i := range lines { // the lines of a hunk reach what one of them reaches
				name, all := source.NewFile(file, "").Name, map[explain.Reach]bool{}
				for n := i; n < min(i+4, len(lines)); n++ {
					maps.Copy(all, reached(t, rec, fmt.Sprintf("%s:%d", name, n+1)))
				}
				if hunk := reached(t, rec, fmt.Sprintf("%s:%d-%d", name, i+1, i+4)); !maps.Equal(hunk, all) {
					t.Errorf("%s: %s:%d-%d reaches %d slots, and its lines %d", rec.Catalog.Name, name, i+1, i+4, len(hunk),
						len(all))
				}
			}
			for i, line := range lines {
				place := source.NewFile(file, "").Name + ":" + strconv.Itoa(i+1)
				_, err := rec.Reaches(place)
				var none *explain.NotFound
				if !errors.As(err, &none) {
					loud++
					continue
				}
				m := entryLine.FindStringSubmatch(line)
				if m == nil || m[4] == "" {
					continue
				}
				silent++
				for _, with := range []string{m[1] + m[2] + m[3] + `"changed by the test"`, m[1] + "renamed_by_the_test" + m[3] +
					m[4]} {
					changed := append([]string{}, lines...)
					changed[i] = with
					over, err := source.NewOverlay(view, map[string]string{source.Absolute(file): strings.Join(changed, "\n") + "\n"})
					if err != nil {
						t.Fatal(err)
					}
					s, err := ws.Snapshot(ctx, over)
					if err != nil {
						t.Fatal(err)
					}
					if _, after := compile(s, node); after != before {
						t.Errorf("%s: %s was said to alter nothing, and %q does\n%v", rec.Catalog.Name, place, with, none.Message)
					}
				}
			}
		}
	}
	if silent < 5 || loud < 5 {
		t.Errorf("%d lines alter nothing and %d something: the test has lost its teeth", silent, loud)
	}
	t.Logf("%d lines alter nothing, %d something", silent, loud)
}

// reached are the slots that a place reaches, whatever the way.
func reached(t *testing.T, rec *explain.Record, of string) map[explain.Reach]bool {
	t.Helper()
	a, err := rec.Reaches(of)
	if none := new(explain.NotFound); errors.As(err, &none) {
		return nil
	} else if err != nil {
		t.Fatal(err)
	}
	out := map[explain.Reach]bool{}
	for _, s := range a.Slots {
		s.How = ""
		out[s] = true
	}
	return out
}
