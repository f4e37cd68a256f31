package web

import (
	"context"
	"net/url"
)

// diffPage is what the tree changes: the document that `diff --format json` prints, with marks.
func (st *state) diffPage(context.Context, url.Values) (any, error) {
	c := st.change
	switch {
	case c == nil || c.report == nil && c.err == nil && !c.pending:
		return map[string]any{"state": "none"}, nil
	case c.pending:
		return map[string]any{"state": "pending"}, nil
	case c.err != nil:
		return map[string]any{"state": "failed", "error": c.err.Error()}, nil
	}
	summaries := map[string]string{}
	for _, g := range c.report.Groups {
		summaries[g.Letter] = clip(g.Summary(), clipTitle)
	}
	out := map[string]any{"state": "done", "report": c.report.JSON(), "summaries": summaries}
	marks, err := st.groupMarks()
	if out["marks"] = marks; err != nil { // the change can be read without them
		out["unmarked"] = err.Error()
	}
	return out, nil
}
