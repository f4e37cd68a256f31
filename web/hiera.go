package web

import (
	"cmp"
	"context"
	"maps"
	"net/url"
	"slices"
	"strings"

	"bunraku/puppet/catalog"
	"bunraku/puppet/value"
)

// Hiera: keys by levels for one node: which level answers, which lose, what no node ever asks for, and what is
// misspelt.

type hieraPage struct {
	Node     string        `json:"node"`
	Nodes    []string      `json:"nodes"` // to choose from, as many as anybody reads
	All      bool          `json:"all"`   // they are all
	Levels   []levelView   `json:"levels"`
	Keys     []keyView     `json:"keys"`
	Total    int           `json:"total"` // of keys that match
	Problems []*problemRow `json:"problems"`
	Key      string        `json:"key,omitempty"`
	Others   []otherValue  `json:"others"` // of the chosen key, where it is a class's parameter
	Slot     string        `json:"slot,omitempty"`
	Param    string        `json:"param,omitempty"`
	Places   []keyPlace    `json:"places"` // of the chosen key, in all files
	Matrix   *nodeMatrix   `json:"matrix,omitempty"`
	Counts   keyCounts     `json:"counts"`
}

// keyCounts are how many keys there are of each kind that somebody may want to mend.
type keyCounts struct {
	Dead     int `json:"dead"`
	Shadowed int `json:"shadowed"`
	Misspelt int `json:"misspelt"`
}

type levelView struct {
	Name string `json:"name"`
	File string `json:"file"`
}

type keyView struct {
	Key  string `json:"key"`
	Dead bool   `json:"dead,omitempty"` // no node asks for it
	// Shadowed are places whose value no node gets, since a level further up answers on every one that comes there.
	Shadowed int        `json:"shadowed,omitempty"`
	Misspelt string     `json:"misspelt,omitempty"` // what nothing takes, and what may have been meant
	Merge    string     `json:"merge,omitempty"`
	Cells    []cellView `json:"cells"`
	Only     bool       `json:"elsewhere,omitempty"` // this node does not read a file that has it
}

type cellView struct {
	Level     int    `json:"level"`
	Value     string `json:"value"`
	Used      bool   `json:"used,omitempty"`
	Sensitive bool   `json:"sensitive,omitempty"`
	File      string `json:"file,omitempty"`
	Line      int    `json:"line,omitempty"`
}

type keyPlace struct {
	File string `json:"file"`
	Line int    `json:"line"`
	Used bool   `json:"used"`
}

// mostNodes is how many nodes a list has to choose from.
const mostNodes = 200

// mostKeys is how many keys a page has; a filter shows others.
const mostKeys = 150

func (st *state) hieraPage(ctx context.Context, q url.Values) (any, error) {
	page := &hieraPage{Node: q.Get("node"), Nodes: []string{}, Levels: []levelView{}, Keys: []keyView{},
		Problems: []*problemRow{}, Others: []otherValue{}, Places: []keyPlace{}, Key: clip(q.Get("key"), clipTitle)}
	class, param := parameterOf(page.Key)
	first := ""
	having := st.table.having(classRef(class), len(st.nodes))
	for i := range st.nodes {
		if n := &st.nodes[i]; n.compiles {
			first = cmp.Or(first, n.name)
			if page.Node == "" && having[i] >= 0 {
				page.Node = n.name // that has the class
			}
			if page.All = len(page.Nodes) < mostNodes; page.All {
				page.Nodes = append(page.Nodes, n.name)
			}
		}
	}
	page.Node = cmp.Or(page.Node, first)
	for _, p := range st.run.Problems {
		if isData(p.Where.File) && p.Suppressed.By == "" {
			page.Problems = append(page.Problems, rowOf(p))
		}
	}
	if page.Node == "" || st.cover == nil {
		return page, nil
	}
	rec, err := st.record(ctx, page.Node)
	if err != nil {
		return nil, err
	}
	kinds := st.keyKinds()
	for _, k := range kinds {
		page.Counts.add(k)
	}
	if k := kinds[page.Key]; k != nil {
		page.Places = k.places
		if page.Matrix, err = st.matrix(ctx, page.Key); err != nil {
			return nil, err
		}
	}
	words := strings.Fields(strings.ToLower(q.Get("q")))
	numbers := map[string]int{}
	for _, key := range slices.Sorted(maps.Keys(kinds)) {
		kind := kinds[key]
		if slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(strings.ToLower(key), w) }) ||
			!kind.is(q.Get("only")) {
			continue
		}
		if page.Total++; len(page.Keys) >= mostKeys && key != page.Key || ctx.Err() != nil {
			continue
		}
		row := keyView{Key: clip(key, clipTitle), Dead: kind.dead(), Shadowed: kind.shadowed(), Misspelt: kind.misspelt,
			Cells: []cellView{}}
		a, err := rec.Explain("hiera:"+key, "")
		if err != nil {
			row.Only = true
			page.Keys = append(page.Keys, row)
			continue
		}
		if a.Merge != "first" {
			row.Merge = a.Merge
		}
		for _, l := range a.Levels {
			name := l.Layer + "\x00" + l.Level + "\x00" + l.File
			i, there := numbers[name]
			if !there {
				i = len(page.Levels)
				numbers[name] = i
				page.Levels = append(page.Levels, levelView{l.Level, l.File})
			}
			if !l.Found {
				continue
			}
			row.Cells = append(row.Cells, cellOf(l, i, a.Sensitive))
		}
		page.Keys = append(page.Keys, row)
	}
	if class != "" {
		if list := st.others(classRef(class), param, page.Node); slices.ContainsFunc(list,
			func(o otherValue) bool { return !o.Absent }) {
			page.Others, page.Slot, page.Param = list, classRef(class), param
		}
	}
	return page, nil
}

// A keyKind is what is known of a key over all nodes.
type keyKind struct {
	places   []keyPlace
	misspelt string
}

// dead reports whether no node asks for the key.
func (k *keyKind) dead() bool {
	return !slices.ContainsFunc(k.places, func(p keyPlace) bool { return p.Used })
}

// shadowed counts the places that no node gets to, though nodes ask for the key.
func (k *keyKind) shadowed() (n int) {
	if k.dead() {
		return 0
	}
	for _, p := range k.places {
		if !p.Used {
			n++
		}
	}
	return n
}

// is reports whether the key is of a kind that somebody looks for; "" is any.
func (k *keyKind) is(kind string) bool {
	switch kind {
	case "dead":
		return k.dead()
	case "shadowed":
		return k.shadowed() > 0
	case "misspelt":
		return k.misspelt != ""
	}
	return true
}

func (c *keyCounts) add(k *keyKind) {
	c.Dead += b2i(k.is("dead"))
	c.Shadowed += b2i(k.is("shadowed"))
	c.Misspelt += b2i(k.is("misspelt"))
}

// codeNobody is what check says of a key that nothing takes.
const codeNobody = "H0503"

// keyKinds are all keys of the tree's data, by name.
func (st *state) keyKinds() map[string]*keyKind {
	out := map[string]*keyKind{}
	type spot struct {
		file string
		line int
	}
	said := map[spot]string{}
	for _, p := range st.run.Problems {
		if p.Code == codeNobody && p.Suppressed.By == "" && p.Place.Known() {
			said[spot{p.Place.File.Name, p.Place.Line()}] = clip(strings.TrimSpace(p.Summary+". "+p.Help), clipCell)
		}
	}
	for _, i := range st.cover.Items {
		if i.Kind != "key" || !i.Place.Known() {
			continue
		}
		k := out[i.Name]
		if k == nil {
			k = &keyKind{}
			out[i.Name] = k
		}
		at := keyPlace{i.Place.File.Name, i.Place.Line(), i.Used}
		k.places = append(k.places, at)
		k.misspelt = cmp.Or(k.misspelt, said[spot{at.File, at.Line}])
	}
	return out
}

// parameterOf is the parameter of a class that a key is looked up for by itself.
func parameterOf(key string) (class, param string) {
	if at := strings.LastIndex(key, "::"); at > 0 {
		return value.CapitalizeSegments(key[:at]), key[at+2:]
	}
	return "", ""
}

// classRef is how the resource of a class is shown.
func classRef(class string) string {
	return clip(catalog.Name{Type: "Class", Title: class}.String(), clipTitle)
}

// isData reports whether a file holds Hiera's data, or says where they are.
func isData(file string) bool {
	for _, ext := range []string{".yaml", ".yml", ".eyaml", ".json", ".conf"} {
		if strings.HasSuffix(file, ext) {
			return true
		}
	}
	return false
}
