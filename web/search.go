package web

import (
	"cmp"
	"context"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"bunraku/report"
)

// The search box: nodes, resources, values, keys, files and findings, by any words of them. "8443 web2" finds the port.

type found struct {
	Kind      string `json:"kind"` // node, resource, value, key, finding, file
	Title     string `json:"title"`
	Detail    string `json:"detail,omitempty"`
	Node      string `json:"node,omitempty"`
	Ref       string `json:"ref,omitempty"`
	Attribute string `json:"attribute,omitempty"`
	ID        string `json:"id,omitempty"`
	Count     int    `json:"count,omitempty"` // of nodes
	score     int
}

// most is how many answers a search gives.
const most = 40

func (st *state) search(ctx context.Context, q url.Values) (any, error) {
	words := strings.Fields(strings.ToLower(clip(q.Get("q"), clipTitle)))
	out := []found{}
	if len(words) == 0 {
		return map[string]any{"results": out, "more": 0}, nil
	}
	has := func(text string) bool {
		text = strings.ToLower(text)
		return !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(text, w) })
	}
	whole := strings.Join(words, " ")
	exact := func(text string) int {
		switch text = strings.ToLower(text); {
		case text == whole:
			return 0
		case strings.HasPrefix(text, whole):
			return 1
		}
		return 2
	}
	for i := range st.nodes {
		if n := &st.nodes[i]; has(n.name) {
			out = append(out, found{Kind: "node", Title: n.name, Node: n.name, Detail: n.status, score: exact(n.name)})
		}
	}
	for _, p := range st.run.Problems {
		if has(p.Code + " " + report.Meaning(p.Code) + " " + p.Summary) {
			out = append(out, found{Kind: "finding", Title: p.Code + " " + clip(p.Summary, clipTitle), ID: p.Fingerprint,
				Count: len(p.Nodes), score: 3 + exact(p.Code)})
		}
	}
	out = append(out, st.searchKeys(has, exact)...)
	slots, more := st.searchSlots(ctx, words, exact)
	out = append(out, slots...)
	slices.SortStableFunc(out, func(a, b found) int { return cmp.Or(a.score-b.score, len(a.Title)-len(b.Title)) })
	if len(out) > most {
		more += len(out) - most
		out = out[:most]
	}
	return map[string]any{"results": out, "more": more}, nil
}

// searchKeys finds keys of Hiera's, and files.
func (st *state) searchKeys(has func(string) bool, exact func(string) int) (out []found) {
	root, listed := st.root()+"/", map[string]bool{}
	file := func(id string) {
		if name := strings.TrimPrefix(id, root); !listed[id] && has(name) {
			listed[id] = true
			out = append(out, found{Kind: "file", Title: name, ID: id, score: 4 + exact(name)})
		}
	}
	if st.cover != nil {
		seen := map[string]bool{}
		for _, i := range st.cover.Items {
			if i.Kind != "key" {
				continue
			}
			if !seen[i.Name] && has(i.Name) {
				seen[i.Name] = true
				out = append(out, found{Kind: "key", Title: i.Name, Detail: "Hiera key", ID: i.Name, score: 2 + exact(i.Name)})
			}
			if i.Place.Known() {
				file(i.Place.File.Name)
			}
		}
	}
	for _, f := range slices.Concat(st.files, st.ruby) {
		file(st.display(f))
	}
	return out
}

// A slotKey is an attribute with one value, wherever it is; or (without an attribute) a resource.
type slotKey struct{ ref, attribute, value string }

// searchSlots finds resources and their values. A word may name the node; all others must be in the slot.
func (st *state) searchSlots(ctx context.Context, words []string, exact func(string) int) (out []found, more int) {
	named := make([][]bool, len(words)) // which nodes a word names, worked out when a slot lacks it
	names := func(w int) []bool {
		if named[w] == nil {
			named[w] = make([]bool, len(st.nodes))
			for i := range st.nodes {
				named[w][i] = strings.Contains(strings.ToLower(st.nodes[i].name), words[w])
			}
		}
		return named[w]
	}
	at := map[slotKey]int{}
	lacks := make([]bool, len(words))
	try := func(t *thing, p param) {
		// The same slot may be on other nodes in other resources: the same value, and something else that differs.
		var only [][]bool
		for w := range words {
			if lacks[w] && !holds(p.name, words[w]) && !holds(p.text, words[w]) {
				only = append(only, names(w))
			}
		}
		first, count := -1, 0
		for _, i := range t.nodes {
			if !slices.ContainsFunc(only, func(in []bool) bool { return !in[i] }) {
				count++
				if first < 0 {
					first = int(i)
				}
			}
		}
		if count == 0 {
			return
		}
		key := slotKey{t.ref, p.name, p.text}
		if i, there := at[key]; there {
			out[i].Count += count
			return
		}
		if len(out) > 20*most {
			more++
			return
		}
		f := found{Kind: "resource", Title: t.ref, Ref: t.ref, Node: st.nodes[first].name, Count: count,
			score: 5 + exact(t.ref)}
		if p.name != "" {
			f.Kind, f.Attribute, f.Title, f.Detail = "value", p.name, t.ref+" "+p.name, p.text
			f.score = 6 + min(exact(p.text), exact(p.name))
			if slices.Contains(words, strings.ToLower(p.text)) {
				f.score = 2
			}
		}
		at[key] = len(out)
		out = append(out, f)
	}
	for i := range st.table.things {
		if i%4096 == 0 && ctx.Err() != nil { // somebody types on
			return nil, 0
		}
		t := &st.table.things[i]
		possible := true
		for w, word := range words {
			lacks[w] = !holds(t.ref, word)
			possible = possible && (!lacks[w] || slices.Contains(names(w), true) ||
				slices.ContainsFunc(t.params, func(p param) bool { return holds(p.name, word) || holds(p.text, word) }))
		}
		if !possible {
			continue
		}
		try(t, param{})
		for _, p := range t.params {
			try(t, p)
		}
	}
	return out, more
}

// holds reports whether a text has a word in it, whose letters are small, without regard to capitals.
func holds(text, word string) bool {
	if len(text) < len(word) {
		return false
	}
	if word == "" {
		return true
	}
	small, capital := word[0], word[0]
	if 'a' <= small && small <= 'z' {
		capital -= 'a' - 'A'
	}
	for i := 0; i+len(word) <= len(text); i++ {
		if c := text[i]; c >= utf8.RuneSelf {
			return strings.Contains(strings.ToLower(text), word) // capitals of all scripts
		} else if (c == small || c == capital) && strings.EqualFold(text[i:i+len(word)], word) {
			return true
		}
	}
	for _, c := range []byte(text[len(text)-len(word)+1:]) {
		if c >= utf8.RuneSelf {
			return strings.Contains(strings.ToLower(text), word)
		}
	}
	return false
}
