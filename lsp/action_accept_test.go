package lsp_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"bunraku/internal/live"
	"bunraku/puppet/outline"
	"bunraku/puppet/syntax"
	"bunraku/source"
)

// misspell writes a word as people do who type fast.
func misspell(r *rand.Rand, word string) string {
	i := 1 + r.IntN(len(word)-2)
	switch r.IntN(3) {
	case 0:
		return word[:i] + word[i+1:]
	case 1:
		return word[:i] + word[i:i+1] + word[i:]
	}
	return word[:i] + word[i+1:i+2] + word[i:i+1] + word[i+2:]
}

// said is what was said of all files, each with its file.
func (c *client) said() (out []map[string]any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, uri := range slices.Sorted(maps.Keys(c.shown)) {
		for _, x := range c.shown[uri]["diagnostics"].([]any) {
			d := maps.Clone(x.(map[string]any))
			d["uri"] = uri
			out = append(out, d)
		}
	}
	return out
}

// like tells a problem from others, wherever it stands.
func like(d map[string]any) string {
	message, _, _ := strings.Cut(fmt.Sprint(d["message"]), "\n")
	return fmt.Sprint(d["uri"], " ", d["code"], " ", message)
}

// TestAcceptActions misspells names of the sites, one at a time, and looks at what is said then: of the problems that
// an edit could take away, most have one, and each edit applies, takes its problem away and brings no other.
func TestAcceptActions(t *testing.T) {
	live.Accept(t)
	want := 1000
	if s := os.Getenv("BUNRAKU_EACH"); s != "" { // fewer, for a look
		want, _ = strconv.Atoi(s)
	}
	sites := siteFiles(t)
	r := rand.New(rand.NewPCG(6, 60))
	names := slices.Sorted(maps.Keys(sites))
	all, fixed := map[string]int{}, map[string]int{}
	count := 0
	var without []string
	for i, site := range names {
		n := navigate(t, sites[site])
		n.quick = true
		n.rest()
		type spot struct {
			file string
			name outline.Name
		}
		var spots []spot
		for _, file := range slices.Sorted(maps.Keys(sites[site])) {
			if filepath.Ext(file) != ".pp" || strings.Contains(file, "spec/") || strings.Contains(file, "plans/") {
				continue
			}
			tree, list := syntax.Parse(source.NewFile(file, sites[site][file]), syntax.Options{})
			if list.HasErrors() {
				continue
			}
			for _, x := range outline.Names(tree, func(string) outline.Effect { return outline.Includes }) {
				if !x.Defines && x.Kind != outline.ResourceName && x.Kind != outline.LocalName {
					spots = append(spots, spot{file, x})
				}
			}
		}
		version := 1
		for tries := 0; count < want*(i+1)/len(names) && tries < 3*want/len(names) && len(spots) > 0; tries++ {
			s := spots[r.IntN(len(spots))]
			text := sites[site][s.file]
			word := text[s.name.Span.Start:s.name.Span.End]
			last := word[strings.LastIndex(word, ":")+1:]
			if len(last) < 4 {
				continue
			}
			at := s.name.Span.End - uint32(len(last))
			wrong := text[:at] + misspell(r, last) + text[s.name.Span.End:]
			if wrong == text {
				continue
			}
			path := filepath.Join(n.dir, s.file)
			n.open(path, text)
			n.rest()
			base := map[string]int{}
			for _, d := range n.said() {
				base[like(d)]++
			}
			version++
			n.edit(path, version, nil, wrong)
			n.rest()
			for _, d := range n.said() {
				if base[like(d)] > 0 || d["severity"] == 3.0 {
					continue
				}
				count++
				code := d["code"].(string)
				all[code]++
				if n.mendedBy(d, base, &version) {
					fixed[code]++
				} else {
					without = append(without, fmt.Sprintf("%s: %s for %s: %s", site, wrong[at:][:len(last)], last, like(d)))
				}
				n.edit(path, version+1, nil, wrong)
				version++
				n.rest()
			}
			n.notify("textDocument/didClose", map[string]any{"textDocument": map[string]any{"uri": "file://" + path}})
			n.rest()
		}
		n.bye()
	}
	fixable, got := 0, 0
	for code, k := range all {
		if fixed[code] > 0 { // an edit is known for some of it
			fixable += k
			got += fixed[code]
		}
		t.Logf("%s: %d of %d", code, fixed[code], k)
	}
	t.Logf("%d problems; of %d with a code that edits are known for, %d get one (bar 60 %%), and each takes its problem away "+
		"and brings no other", count, fixable, got)
	for _, w := range without[:min(40, len(without))] {
		t.Log(w)
	}
	if got*100 < fixable*60 {
		t.Error("the bar is missed")
	}
}

// mendedBy applies the first edit that is offered for a problem, and looks at what is said then; it reports whether one
// is offered.
func (n *nav) mendedBy(d map[string]any, base map[string]int, version *int) bool {
	n.t.Helper()
	before := map[string]int{}
	for _, x := range n.said() {
		before[like(x)]++
	}
	list := n.ask("textDocument/codeAction", map[string]any{"textDocument": map[string]any{"uri": d["uri"]},
		"range": d["range"], "context": map[string]any{"diagnostics": []any{d}, "only": []string{"quickfix"}}}).([]any)
	for _, a := range list {
		action := a.(map[string]any)
		if !slices.ContainsFunc(action["diagnostics"].([]any), func(x any) bool {
			return x.(map[string]any)["message"] == d["message"]
		}) {
			continue
		}
		for uri, edits := range changesOf(action["edit"]) {
			path := strings.TrimPrefix(uri, "file://")
			text, open := n.to.TextOf(uri)
			if !open {
				body, err := os.ReadFile(path)
				if err != nil {
					n.t.Fatal(err)
				}
				text = string(body)
				n.open(path, text)
			}
			all := edits
			slices.SortFunc(all, func(a, b any) int { return -comparePlaces(a, b) })
			for _, e := range all {
				text = applied(text, e.(map[string]any))
			}
			*version++
			n.edit(path, *version, nil, text)
		}
		n.rest()
		after := map[string]int{}
		for _, x := range n.said() {
			after[like(x)]++
			if k := like(x); after[k] > max(before[k], base[k]) && x["severity"] != 3.0 {
				n.t.Errorf("%q for %s brings %s", action["title"], like(d), k)
			}
		}
		if after[like(d)] >= before[like(d)] {
			n.t.Errorf("%q does not take away %s", action["title"], like(d))
		}
		return true
	}
	return false
}
