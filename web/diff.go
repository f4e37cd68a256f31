package web

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
)

// diffPage is what the tree changes: the document that `diff --format json` prints, as much of it as anybody reads,
// with marks.
func (st *state) diffPage(context.Context, url.Values) (any, error) {
	c := st.change
	switch {
	case c == nil || c.report == nil && c.err == nil && !c.pending:
		return map[string]any{"state": "none"}, nil
	case c.pending:
		return map[string]any{"state": "pending"}, nil
	case c.err != nil:
		return map[string]any{"state": "failed", "error": clip(c.err.Error(), clipLine)}, nil
	}
	summaries := map[string]string{}
	for _, g := range c.report.Groups {
		summaries[g.Letter] = clip(g.Summary(), clipTitle)
	}
	if err := c.document(st.site.opt.Secrets.HideJSON); err != nil {
		return nil, err
	}
	out := map[string]any{"state": "done", "report": c.readable, "summaries": summaries}
	marks, err := st.groupMarks()
	if out["marks"] = marks; err != nil { // the change can be read without them
		out["unmarked"] = err.Error()
	}
	return out, nil
}

// How much of a change a page has of each.
const (
	mostGroups    = 300
	mostOfGroup   = 300 // changes
	mostOfText    = 400 // lines of one block
	mostOfNodes   = 50  // names
	mostHunks     = 1_000
	mostElsewhere = 300 // consequences, failures, what is not known
)

// readable is the document of a change as far as people read: lists end somewhere and say how many they leave out
// (`more`), names of nodes are counted (`count`), and no text is longer than a line may be.
func readable(text []byte) (map[string]any, error) {
	var d map[string]any
	if err := json.Unmarshal(text, &d); err != nil {
		return nil, err
	}
	delete(d, "nodes") // the fleet's page has them
	more := map[string]int{}
	shorten := func(in map[string]any, key string, most int) (list []any, left int) {
		list, _ = in[key].([]any)
		if len(list) > most {
			left = len(list) - most
			list = list[:most]
			in[key] = list
		}
		return list, left
	}
	each := func(list []any, f func(map[string]any)) {
		for _, x := range list {
			if x, is := x.(map[string]any); is {
				f(x)
			}
		}
	}
	counted := func(x map[string]any) {
		all, _ := x["nodes"].([]any)
		x["count"] = len(all)
		shorten(x, "nodes", mostOfNodes)
	}
	for key, most := range map[string]int{"groups": mostGroups, "failures": mostElsewhere, "not_known": mostElsewhere,
		"consequences": mostElsewhere, "findings": mostElsewhere, "hunks": mostHunks} {
		list, left := shorten(d, key, most)
		if left > 0 {
			more[key] = left
		}
		if key != "hunks" {
			each(list, counted)
		}
	}
	groups, _ := d["groups"].([]any)
	each(groups, func(g map[string]any) {
		changes, left := shorten(g, "changes", mostOfGroup)
		if left > 0 {
			g["more"] = left
		}
		each(changes, func(c map[string]any) {
			blocks, left := shorten(c, "lines", mostOfText)
			if left > 0 {
				c["text"] = fmt.Sprintf("%d more blocks of lines are not shown", left)
			}
			each(blocks, func(b map[string]any) {
				for _, side := range []string{"old", "new"} {
					if lines, left := shorten(b, side, mostOfText); left > 0 {
						b[side] = append(lines, fmt.Sprintf("… and %d more lines", left))
					}
				}
			})
		})
	})
	d["more"] = more
	return shortened(d).(map[string]any), nil
}

// shortened is a document whose texts are of a length that can be read.
func shortened(v any) any {
	switch v := v.(type) {
	case string:
		return clip(v, clipLine)
	case []any:
		for i := range v {
			v[i] = shortened(v[i])
		}
	case map[string]any:
		for key := range v {
			v[key] = shortened(v[key])
		}
	}
	return v
}
