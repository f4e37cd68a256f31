package web

import (
	"cmp"
	"context"
	"net/url"
	"slices"
	"strings"

	"bunraku/report"
)

// The search box: nodes, resources, values, keys, files and findings, by any words of them. "8443 web2" finds the port.

// A slot is an attribute with one value, wherever it is; or (without an attribute) a resource.
type slot struct {
	ref, attribute, value string
	text                  string // all of it, in small letters
	nodes                 []int
}

// maxSlots is how many are looked through; more than that is no answer while somebody types.
const maxSlots = 400_000

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

// index gathers the slots, when somebody searches for the first time.
func (st *state) index() []*slot {
	st.searches.Do(func() {
		type key struct{ ref, attribute, value string }
		at := map[key]*slot{}
		add := func(node int, ref, attribute, value string) {
			k := key{ref, attribute, value}
			s := at[k]
			if s == nil {
				if len(st.slots) >= maxSlots {
					return
				}
				s = &slot{ref: ref, attribute: attribute, value: value, text: strings.ToLower(ref + " " + attribute + " " + value)}
				at[k] = s
				st.slots = append(st.slots, s)
			}
			s.nodes = append(s.nodes, node)
		}
		for i := range st.nodes {
			if st.nodes[i].Catalog == nil {
				continue
			}
			for _, r := range st.nodes[i].Catalog.Resources {
				ref := clip(r.Ref(), clipTitle)
				add(i, ref, "", "")
				for _, p := range r.Params {
					add(i, ref, p.Name, shown(r, p.Name))
				}
			}
		}
	})
	return st.slots
}

// most is how many answers a search gives.
const most = 40

func (st *state) search(_ context.Context, q url.Values) (any, error) {
	words := strings.Fields(strings.ToLower(clip(q.Get("q"), clipTitle)))
	out := []found{}
	if len(words) == 0 || st.trouble != nil {
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
		if n := &st.nodes[i]; has(n.Name) {
			out = append(out, found{Kind: "node", Title: n.Name, Node: n.Name, Detail: st.statuses[i], score: exact(n.Name)})
		}
	}
	for _, p := range st.run.Problems {
		if has(p.Code + " " + report.Meaning(p.Code) + " " + p.Summary) {
			out = append(out, found{Kind: "finding", Title: p.Code + " " + clip(p.Summary, clipTitle), ID: p.Fingerprint,
				Count: len(p.Nodes), score: 3 + exact(p.Code)})
		}
	}
	out = append(out, st.searchKeys(has, exact)...)
	more := 0
	for _, s := range st.index() {
		// A word may name the node; all others must be in the slot.
		nodes := s.nodes
		fits := true
		for _, w := range words {
			if strings.Contains(s.text, w) {
				continue
			}
			nodes = slices.DeleteFunc(slices.Clone(nodes), func(i int) bool {
				return !strings.Contains(strings.ToLower(st.nodes[i].Name), w)
			})
			if len(nodes) == 0 {
				fits = false
				break
			}
		}
		if !fits {
			continue
		}
		if len(out) > 20*most {
			more++
			continue
		}
		f := found{Kind: "resource", Title: s.ref, Ref: s.ref, Node: st.nodes[nodes[0]].Name, Count: len(nodes),
			score: 5 + exact(s.ref)}
		if s.attribute != "" {
			f.Kind, f.Attribute, f.Title, f.Detail = "value", s.attribute, s.ref+" "+s.attribute, s.value
			f.score = 6 + min(exact(s.value), exact(s.attribute))
			if slices.Contains(words, strings.ToLower(s.value)) {
				f.score = 2
			}
		}
		out = append(out, f)
	}
	slices.SortStableFunc(out, func(a, b found) int { return cmp.Or(a.score-b.score, len(a.Title)-len(b.Title)) })
	if len(out) > most {
		more += len(out) - most
		out = out[:most]
	}
	return map[string]any{"results": out, "more": more}, nil
}

// searchKeys finds keys of Hiera's, and files.
func (st *state) searchKeys(has func(string) bool, exact func(string) int) (out []found) {
	if st.cover != nil {
		seen := map[string]bool{}
		for _, i := range st.cover.Items {
			if i.Kind == "key" && !seen[i.Name] && has(i.Name) {
				seen[i.Name] = true
				out = append(out, found{Kind: "key", Title: i.Name, Detail: "Hiera key", ID: i.Name, score: 2 + exact(i.Name)})
			}
		}
	}
	for _, f := range st.files {
		if name := st.snap.Environment().Display(f); has(name) {
			out = append(out, found{Kind: "file", Title: name, ID: name, score: 4 + exact(name)})
		}
	}
	return out
}
