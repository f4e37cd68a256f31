package web

import (
	"cmp"
	"context"
	"net/url"
	"slices"
	"strings"

	"bunraku/puppet/catalog"
	"bunraku/puppet/value"
)

// Hiera: keys by levels for one node: which level answers, which lose, what no node ever asks for, and what is misspelt.

type hieraPage struct {
	Node     string        `json:"node"`
	Nodes    []string      `json:"nodes"` // to choose from
	Levels   []levelView   `json:"levels"`
	Keys     []keyView     `json:"keys"`
	Total    int           `json:"total"` // of keys that match
	Problems []*problemRow `json:"problems"`
	Key      string        `json:"key,omitempty"`
	Others   []otherValue  `json:"others"` // of the chosen key, where it is a class's parameter
	Slot     string        `json:"slot,omitempty"`
	Param    string        `json:"param,omitempty"`
	Places   []keyPlace    `json:"places"` // of the chosen key, in all files
}

type levelView struct {
	Name string `json:"name"`
	File string `json:"file"`
}

type keyView struct {
	Key   string     `json:"key"`
	Dead  bool       `json:"dead,omitempty"` // no node asks for it
	Merge string     `json:"merge,omitempty"`
	Cells []cellView `json:"cells"`
	Only  bool       `json:"elsewhere,omitempty"` // this node does not read a file that has it
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

// mostKeys is how many keys a page has; a filter shows others.
const mostKeys = 150

func (st *state) hieraPage(ctx context.Context, q url.Values) (any, error) {
	page := &hieraPage{Node: q.Get("node"), Nodes: []string{}, Levels: []levelView{}, Keys: []keyView{},
		Problems: []*problemRow{}, Others: []otherValue{}, Places: []keyPlace{}, Key: clip(q.Get("key"), clipTitle)}
	class, param := parameterOf(page.Key)
	first := ""
	for i := range st.nodes {
		if n := &st.nodes[i]; n.Catalog != nil {
			first = cmp.Or(first, n.Name)
			if page.Node == "" && class != "" && n.Catalog.Resource("Class", class) != nil {
				page.Node = n.Name // that has the class
			}
			if len(page.Nodes) < 500 {
				page.Nodes = append(page.Nodes, n.Name)
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
	used := map[string]bool{}
	var keys []string
	for _, i := range st.cover.Items {
		if i.Kind != "key" {
			continue
		}
		if _, seen := used[i.Name]; !seen {
			keys = append(keys, i.Name)
		}
		used[i.Name] = used[i.Name] || i.Used
		if i.Name == page.Key && i.Place.Known() {
			page.Places = append(page.Places, keyPlace{i.Place.File.Name, i.Place.Line(), i.Used})
		}
	}
	slices.Sort(keys)
	words := strings.Fields(strings.ToLower(q.Get("q")))
	numbers := map[string]int{}
	for _, key := range keys {
		if slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(strings.ToLower(key), w) }) ||
			q.Get("dead") != "" && used[key] {
			continue
		}
		if page.Total++; len(page.Keys) >= mostKeys && key != page.Key || ctx.Err() != nil {
			continue
		}
		row := keyView{Key: clip(key, clipTitle), Dead: !used[key], Cells: []cellView{}}
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
			c := cellView{Level: i, Used: l.Used, Sensitive: l.Sensitive || a.Sensitive}
			if c.Value = clip(jsonText(l.Value), clipCell); c.Sensitive {
				c.Value = catalog.Redacted
			}
			if l.At != nil {
				c.File, c.Line = l.At.File, l.At.Line
			}
			row.Cells = append(row.Cells, c)
		}
		page.Keys = append(page.Keys, row)
	}
	if class != "" {
		name := catalog.Name{Type: "Class", Title: class}
		if list := st.others(name, param, page.Node); slices.ContainsFunc(list, func(o otherValue) bool { return !o.Absent }) {
			page.Others, page.Slot, page.Param = list, name.String(), param
		}
	}
	return page, nil
}

// parameterOf is the parameter of a class that a key is looked up for by itself.
func parameterOf(key string) (class, param string) {
	if at := strings.LastIndex(key, "::"); at > 0 {
		return value.CapitalizeSegments(key[:at]), key[at+2:]
	}
	return "", ""
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
