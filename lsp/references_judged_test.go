package lsp_test

import (
	"cmp"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"bunraku/internal/live"
)

// testdata/judged-references.txt has 200 references that the server gave for random things of the sites, and what a
// reader of the code said of each: yes, it means that thing, or no. Its lines are
//
//	yes  site_enucatl  parameter dns::client::server_ipv4  modules/dns/manifests/client.pp:5  manifests/site.pp:57
//
// (the site, the thing, where it is defined, the reference; a space in a path is written %20), for the commits that
// bench/fetched.txt names.
const judgedReferences = "testdata/judged-references.txt"

// TestAcceptJudgedReferences: what was judged to be a reference is one, and what was judged to be none is none.
// BUNRAKU_JUDGE=FILE writes 200 fresh ones with their lines, to be judged.
func TestAcceptJudgedReferences(t *testing.T) {
	live.Accept(t)
	sites := siteFiles(t)
	if path := os.Getenv("BUNRAKU_JUDGE"); path != "" {
		if err := os.WriteFile(path, []byte(sampleReferences(t, sites)), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	text, err := os.ReadFile(judgedReferences)
	if err != nil {
		t.Fatal(err)
	}
	bySite := map[string][][]string{}
	for line := range strings.Lines(string(text)) {
		if f := strings.Fields(line); len(f) >= 6 && (f[0] == "yes" || f[0] == "no") {
			bySite[f[1]] = append(bySite[f[1]], f)
		}
	}
	judged, held := 0, 0
	for _, site := range slices.Sorted(maps.Keys(bySite)) {
		n := everywhere(t, sites[site])
		named := map[string]thing{}
		for kind, list := range things(site, sites[site]) {
			for _, x := range list {
				named[kind+" "+x.name+" "+x.defined(sites[site])] = x
			}
		}
		for _, f := range bySite[site] {
			name, at := strings.Join(f[2:len(f)-1], " "), strings.ReplaceAll(f[len(f)-1], "%20", " ")
			x, there := named[name]
			if !there {
				t.Errorf("%s has no %s", site, name)
				continue
			}
			judged++
			file, line, _ := strings.Cut(at, ":")
			given := slices.ContainsFunc(slices.Collect(maps.Keys(n.referencesOf(x, sites[site][x.file]))), func(s stand) bool {
				return s.file == file && fmt.Sprint(s.line) == line
			})
			if given == (f[0] == "yes") {
				held++
			} else {
				t.Errorf("%s: %s: a reference: %v; judged: %s", site, strings.Join(f[2:], " "), given, f[0])
			}
		}
		n.bye()
	}
	t.Logf("of %d references that were judged by a reader, %d are as judged (bar all of 200)", judged, held)
	if judged < 200 {
		t.Error("the bar is missed")
	}
}

// defined is where a thing is defined, its file and line.
func (x thing) defined(files map[string]string) string {
	return fmt.Sprintf("%s:%d", strings.ReplaceAll(x.file, " ", "%20"), 1+strings.Count(files[x.file][:x.at], "\n"))
}

// sampleReferences are 200 random references of random things, of each kind about as many; not where a thing is
// defined.
func sampleReferences(t *testing.T, sites map[string]map[string]string) string {
	type sample struct {
		x    thing
		at   stand
		line string
	}
	byKind := map[string][]sample{}
	r := rand.New(rand.NewPCG(200, 5))
	for _, site := range slices.Sorted(maps.Keys(sites)) {
		n := everywhere(t, sites[site])
		all := things(site, sites[site])
		for _, kind := range slices.Sorted(maps.Keys(all)) {
			list := all[kind]
			r.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
			for _, x := range list[:min(len(list), 25)] {
				text := sites[site][x.file]
				places := slices.SortedFunc(maps.Keys(n.referencesOf(x, text)), func(a, b stand) int {
					return cmp.Or(strings.Compare(a.file, b.file), a.line-b.line)
				})
				places = slices.DeleteFunc(places, func(s stand) bool {
					return s.file == x.file && s.line == 1+strings.Count(text[:x.at], "\n")
				})
				if len(places) == 0 {
					continue
				}
				at := places[r.IntN(len(places))]
				lines := strings.Split(sites[site][at.file], "\n")
				byKind[kind] = append(byKind[kind], sample{x, at, lines[min(at.line, len(lines))-1]})
			}
		}
		n.bye()
	}
	var b strings.Builder
	kinds := slices.SortedFunc(maps.Keys(byKind), func(a, b string) int { return len(byKind[a]) - len(byKind[b]) })
	left := 200
	for i, kind := range kinds {
		list := byKind[kind]
		r.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
		take := min(len(list), left/(len(kinds)-i))
		left -= take
		for _, s := range list[:take] {
			fmt.Fprintf(&b, "?  %s  %s %s  %s  %s:%d\n\t\t%s\n", s.x.site, s.x.kind, s.x.name, s.x.defined(sites[s.x.site]),
				strings.ReplaceAll(s.at.file, " ", "%20"), s.at.line, strings.TrimSpace(s.line))
		}
	}
	return b.String()
}
