package web

import (
	"cmp"
	"context"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"

	"bunraku/diff"
	"bunraku/puppet/value"
)

// The fleet: nodes by status, narrowed by facts and classes. A page asks for the rows that it shows and no others, so a
// hundred thousand nodes cost it no more than a hundred.

type fleetPage struct {
	Total    int        `json:"total"` // of all nodes
	Count    int        `json:"count"` // that match
	Offset   int        `json:"offset"`
	Rows     []fleetRow `json:"rows"`
	Statuses []facet    `json:"statuses"`
	Changes  []facet    `json:"changes"`         // what the tree's change does to nodes
	Group    string     `json:"group,omitempty"` // of changes that all of them have, in words
	Facets   []facetOf  `json:"facets,omitempty"`
}

type fleetRow struct {
	Name      string   `json:"name"`
	Status    string   `json:"status"`
	Resources int      `json:"resources"`
	Codes     []string `json:"codes"`
	System    string   `json:"system"`
	Change    string   `json:"change,omitempty"`
	Invented  bool     `json:"invented,omitempty"`
}

type facetOf struct {
	Name   string  `json:"name"`
	Values []facet `json:"values"`
	More   int     `json:"more,omitempty"` // values that are not listed
}

type facet struct {
	Value string `json:"value"`
	Count int    `json:"count"`
}

// maxFacet is how many values of a facet are listed.
const maxFacet = 12

func (st *state) fleetPage(_ context.Context, q url.Values) (any, error) {
	offset, _ := strconv.Atoi(q.Get("offset"))
	limit, err := strconv.Atoi(q.Get("limit"))
	if err != nil || limit < 0 || limit > 500 {
		limit = 100
	}
	list := st.list(q)
	page := &fleetPage{Total: len(st.nodes), Count: len(list.found), Rows: []fleetRow{}, Statuses: list.statuses,
		Changes: list.changes}
	if g := st.group(q.Get("group")); g != nil {
		page.Group = clip(g.Summary(), clipTitle)
	}
	page.Offset = min(max(offset, 0), len(list.found))
	changes := st.changes()
	for _, i := range list.found[page.Offset:min(page.Offset+limit, len(list.found))] {
		page.Rows = append(page.Rows, st.fleetRow(i, changes))
	}
	if q.Get("facets") != "" {
		if part := q.Get("facet"); part != "" {
			page.Facets = st.facets(list.found, q, strings.ToLower(part))
			return page, nil
		}
		list.once.Do(func() { list.facets = st.facets(list.found, q, "") })
		page.Facets = list.facets
	}
	return page, nil
}

// A fleetList is the nodes that a question is about, in order. Pages ask for a few rows of it at a time.
type fleetList struct {
	found    []int
	statuses []facet
	changes  []facet
	once     sync.Once
	facets   []facetOf
}

// maxLists is how many are kept.
const maxLists = 16

// list finds the nodes that a question is about.
func (st *state) list(q url.Values) *fleetList {
	key := url.Values{"q": q["q"], "status": q["status"], "change": q["change"], "sort": q["sort"], "fact": q["fact"],
		"class": q["class"], "group": q["group"]}.Encode()
	st.lists.mu.Lock()
	defer st.lists.mu.Unlock()
	if l := st.lists.by[key]; l != nil {
		return l
	}
	l := &fleetList{statuses: []facet{}, changes: []facet{}}
	match, changes := st.matcher(q), st.changes()
	status, change := q.Get("status"), q.Get("change")
	statuses, changed := map[string]int{}, map[string]int{} // each as many as there would be if it were chosen
	for i := range st.nodes {
		if !match(i) {
			continue
		}
		n := &st.nodes[i]
		fits, becomes := status == "" || status == n.status, change == "" || change == changes[n.name]
		if becomes {
			statuses[n.status]++
		}
		if fits {
			changed[changes[n.name]]++
		}
		if fits && becomes {
			l.found = append(l.found, i)
		}
	}
	st.sort(l.found, q.Get("sort"))
	for _, s := range []string{"fails", "found", "unknown", "fine"} {
		l.statuses = append(l.statuses, facet{s, statuses[s]})
	}
	for _, s := range []diff.State{diff.Fails, diff.Changed, diff.Mended, diff.Gone,
		diff.Comes, diff.Unknown} {
		if word := s.String(); changed[word] > 0 || change == word {
			l.changes = append(l.changes, facet{word, changed[word]})
		}
	}
	if len(st.lists.by) >= maxLists || st.lists.by == nil {
		st.lists.by = map[string]*fleetList{}
	}
	st.lists.by[key] = l
	return l
}

// matcher says which nodes a question is about: a part of the name, fact=PATH:VALUE and class=NAME as often as one
// likes, and the letter of a group of changes.
func (st *state) matcher(q url.Values) func(i int) bool {
	text := strings.ToLower(q.Get("q"))
	var have map[string]bool // the group
	if letter := q.Get("group"); letter != "" {
		have = map[string]bool{}
		if g := st.group(letter); g != nil {
			for _, i := range g.Nodes {
				have[st.change.report.Nodes[i].Name] = true
			}
		}
	}
	var having [][]int32
	for _, c := range q["class"] {
		having = append(having, st.table.having(classRef(value.CapitalizeSegments(c)), len(st.nodes)))
	}
	return func(i int) bool {
		n := &st.nodes[i]
		if text != "" && !strings.Contains(strings.ToLower(n.name), text) {
			return false
		}
		if have != nil && !have[n.name] {
			return false
		}
		for _, f := range q["fact"] {
			path, want, _ := strings.Cut(f, ":")
			if st.fact(i, path) != want {
				return false
			}
		}
		return !slices.ContainsFunc(having, func(h []int32) bool { return h[i] < 0 })
	}
}

// group is a group of the tree's change, by its letter; nil if there is none.
func (st *state) group(letter string) *diff.Group {
	if st.change == nil || st.change.report == nil {
		return nil
	}
	for _, g := range st.change.report.Groups {
		if g.Letter == letter {
			return g
		}
	}
	return nil
}

// changes is what the tree's change does to each node.
func (st *state) changes() map[string]string {
	out := map[string]string{}
	if st.change == nil || st.change.report == nil {
		return out
	}
	for _, n := range st.change.report.Nodes {
		switch n.State {
		case diff.Changed, diff.Mended, diff.Fails, diff.Unknown:
			out[n.Name] = n.State.String()
		}
	}
	return out
}

// gravity is the order of statuses.
var gravity = map[string]int{"fails": 0, "found": 1, "unknown": 2, "fine": 3}

// sort puts nodes in order: by status, resources or name.
func (st *state) sort(list []int, by string) {
	down := strings.HasPrefix(by, "-")
	slices.SortStableFunc(list, func(i, j int) int {
		x, y := &st.nodes[i], &st.nodes[j]
		var c int
		switch strings.TrimPrefix(by, "-") {
		case "name":
			c = strings.Compare(x.name, y.name)
		case "resources":
			c = len(x.things) - len(y.things)
		case "system":
			c = strings.Compare(st.system(i), st.system(j))
		default:
			c = gravity[x.status] - gravity[y.status]
		}
		if down {
			c = -c
		}
		return cmp.Or(c, strings.Compare(x.name, y.name))
	})
}

func (st *state) fleetRow(i int, changes map[string]string) fleetRow {
	n := &st.nodes[i]
	row := fleetRow{Name: n.name, Status: n.status, Codes: []string{}, System: st.system(i), Invented: n.invented,
		Change: changes[n.name], Resources: len(n.things)}
	for _, p := range n.found.Open() {
		if !slices.Contains(row.Codes, p.Code) {
			row.Codes = append(row.Codes, p.Code)
		}
	}
	return row
}

// system is what a node runs.
func (st *state) system(i int) string {
	return strings.TrimSpace(st.fact(i, "os.name") + " " + st.fact(i, "os.release.major"))
}

// fact is a fact of a node as a text, by its path; "" if there is none. Those that no facet has are read again.
func (st *state) fact(i int, path string) string {
	for k, kept := range keptFacts {
		if kept == path {
			return st.nodes[i].facts[k]
		}
	}
	n, err := st.given(i)
	if err != nil || n.Facts == nil {
		return ""
	}
	return factOf(n.Facts.Values, path)
}

// facets count the values by which some nodes can be told apart, and those that were chosen, so that they can be let
// go; only those that have a part in them, if one is given.
func (st *state) facets(list []int, q url.Values, part string) (out []facetOf) {
	add := func(name string, counts map[string]int, always bool) {
		f := facetOf{Name: name}
		for v, n := range counts {
			if strings.Contains(strings.ToLower(v), part) {
				f.Values = append(f.Values, facet{v, n})
			}
		}
		always = always || part != ""
		slices.SortFunc(f.Values, func(a, b facet) int { return cmp.Or(b.Count-a.Count, strings.Compare(a.Value, b.Value)) })
		if len(f.Values) > 1 || always && len(f.Values) == 1 {
			kept := f.Values[:min(maxFacet, len(f.Values))]
			for _, v := range f.Values[len(kept):] {
				if slices.Contains(q["class"], v.Value) ||
					slices.Contains(q["fact"], strings.TrimPrefix(name, "fact:")+":"+v.Value) {
					kept = append(slices.Clip(kept), v)
				}
			}
			f.More = len(f.Values) - len(kept)
			f.Values = kept
			out = append(out, f)
		}
	}
	for _, path := range keptFacts {
		counts := map[string]int{}
		for _, i := range list {
			if v := st.fact(i, path); v != "" {
				counts[v]++
			}
		}
		// What almost every node has another value of tells nobody apart.
		if len(counts) <= 40 || 2*len(counts) <= len(list) {
			chosen := slices.ContainsFunc(q["fact"], func(f string) bool { return strings.HasPrefix(f, path+":") })
			add("fact:"+path, counts, chosen)
		}
	}
	classes := map[string]int{}
	in, compiled := make([]bool, len(st.nodes)), 0
	for _, i := range list {
		in[i] = true
		compiled += b2i(st.nodes[i].compiles)
	}
	for t := range st.table.things {
		if x := &st.table.things[t]; x.class != "" {
			for _, i := range x.nodes {
				if in[i] {
					classes[x.class]++
				}
			}
		}
	}
	for name, n := range classes {
		if n == compiled && compiled > 1 && !slices.Contains(q["class"], name) {
			delete(classes, name)
		}
	}
	add("class", classes, true)
	return out
}
