package web

import (
	"context"
	"slices"
	"sync"

	"bunraku/explain"
	"bunraku/puppet/catalog"
	"bunraku/source"
)

// One key on many nodes: which level answers each of them, and which lose. What the levels have for a node is known
// only from a compile with provenance, so the page has a few nodes: first one of each value that nodes make of the key,
// then others by name. A level has the same column for all nodes, whichever file it reads for each.

type nodeMatrix struct {
	Levels []string  `json:"levels"`
	Rows   []nodeRow `json:"rows"`
	Nodes  int       `json:"nodes"` // that there are
}

type nodeRow struct {
	Node  string     `json:"node"`
	Cells []cellView `json:"cells"`
	None  bool       `json:"none,omitempty"` // no level of this node has the key
	Idle  bool       `json:"idle,omitempty"` // it lacks the class whose parameter the key is, and asks for nothing
}

// mostRows is how many nodes a key is shown for.
const mostRows = 24

// matrices are those that were asked for, by key.
type matrices struct {
	mu sync.Mutex
	by map[string]*nodeMatrix
}

// mostMatrices is how many are kept.
const mostMatrices = 32

// matrix is what the levels have for a key on some nodes.
func (st *state) matrix(ctx context.Context, key string) (*nodeMatrix, error) {
	st.matrices.mu.Lock()
	m := st.matrices.by[key]
	st.matrices.mu.Unlock()
	if m != nil {
		return m, nil
	}
	nodes := st.someNodes(key)
	answers, errs := make([]*explain.Answer, len(nodes)), make([]error, len(nodes))
	source.Each(ctx, len(nodes), func(i int) {
		rec, err := st.passing(ctx, nodes[i])
		if err != nil {
			errs[i] = err
			return
		}
		if a, err := rec.Explain("hiera:"+key, ""); err == nil {
			answers[i] = a
		}
	})
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	m = &nodeMatrix{Levels: []string{}, Rows: []nodeRow{}}
	for i := range st.nodes {
		if st.nodes[i].compiles {
			m.Nodes++
		}
	}
	secret := slices.ContainsFunc(answers, func(a *explain.Answer) bool { return a != nil && a.Sensitive })
	columns := map[string]int{}
	class, _ := parameterOf(key)
	having := st.table.having(classRef(class), len(st.nodes))
	for i, a := range answers {
		row := nodeRow{Node: st.nodes[nodes[i]].name, Cells: []cellView{}, None: a == nil,
			Idle: class != "" && having[nodes[i]] < 0}
		if a != nil {
			for _, l := range a.Levels {
				name := l.Layer + "\x00" + l.Level
				if _, there := columns[name]; !there {
					columns[name] = len(m.Levels)
					m.Levels = append(m.Levels, clip(l.Level, clipTitle))
				}
				if l.Found {
					row.Cells = append(row.Cells, cellOf(l, columns[name], secret))
				}
			}
		}
		m.Rows = append(m.Rows, row)
	}
	st.matrices.mu.Lock()
	defer st.matrices.mu.Unlock()
	if st.matrices.by == nil || len(st.matrices.by) >= mostMatrices {
		st.matrices.by = map[string]*nodeMatrix{}
	}
	st.matrices.by[key] = m
	return m, nil
}

// someNodes are the nodes that a key is shown for, by number.
func (st *state) someNodes(key string) (out []int) {
	class, param := parameterOf(key)
	first, rest := []int{}, []int{}
	seen := map[string]bool{}
	for i, thing := range st.table.having(classRef(class), len(st.nodes)) {
		if !st.nodes[i].compiles {
			continue
		}
		value := "\x00"
		if thing >= 0 {
			if text, there := st.table.things[thing].text(param); there {
				value = text
			}
		}
		if !seen[value] && len(first) < mostRows {
			seen[value] = true
			first = append(first, i)
		} else if len(rest) < mostRows {
			rest = append(rest, i)
		}
	}
	out = append(first, rest[:min(len(rest), mostRows-len(first))]...)
	slices.Sort(out)
	return out
}

// cellOf is what a level has.
func cellOf(l explain.LevelSpot, column int, secret bool) cellView {
	c := cellView{Level: column, Used: l.Used, Sensitive: l.Sensitive || secret}
	if c.Value = clip(jsonText(l.Value), clipCell); c.Sensitive {
		c.Value = catalog.Redacted
	}
	if l.At != nil {
		c.File, c.Line = l.At.File, l.At.Line
	}
	return c
}
