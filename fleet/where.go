package fleet

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"bunraku/puppet/catalog"
	"bunraku/puppet/compiler"
	"bunraku/puppet/eval"
	"bunraku/puppet/facts"
	"bunraku/puppet/value"
	"bunraku/source"
)

// A Where is a condition on a node's facts: os.family=RedHat, networking.fqdn=web*, trusted.extensions.pp_role!=db.
type Where struct {
	path    []string
	pattern string
	not     bool
}

// ParseWhere reads one.
func ParseWhere(text string) (*Where, error) {
	path, pattern, found := strings.Cut(text, "=")
	if path = strings.TrimPrefix(strings.TrimSpace(path), "facts."); !found || path == "" || path == "!" {
		return nil, fmt.Errorf("%q is no condition: os.family=RedHat, or os.family!=RedHat", text)
	}
	w := &Where{pattern: strings.TrimSpace(pattern)}
	path, w.not = strings.CutSuffix(path, "!")
	w.path = strings.Split(strings.TrimSpace(path), ".")
	return w, nil
}

// Holds reports whether a node's facts are so. What is not there is the empty text.
func (w *Where) Holds(f *facts.Facts) bool {
	if f = f.Loaded(); f == nil {
		return false
	}
	path, at := w.path, value.Value(f.Values)
	if path[0] == "trusted" && f.Trusted != nil {
		path, at = path[1:], f.Trusted
	}
	for _, step := range path {
		switch v := at.(type) {
		case *value.Hash:
			at = v.At(step)
		case *value.Array:
			if i, err := strconv.Atoi(step); err == nil && i >= 0 && i < v.Len() {
				at = v.Elems[i]
			} else {
				at = nil
			}
		default:
			at = nil
		}
	}
	text := ""
	if at != nil {
		text = value.ToString(at)
	}
	return Match(w.pattern, text) != w.not
}

// Filter leaves nodes out of which some condition does not hold.
func Filter(nodes []Node, where []*Where) []Node {
	return slices.DeleteFunc(slices.Clone(nodes), func(n Node) bool {
		return slices.ContainsFunc(where, func(w *Where) bool { return !w.Holds(n.Facts) })
	})
}

// Having leaves out nodes that have none of some classes on either side, by patterns of their names. Whether nodes that
// compile on neither side would is not known: they are left out, and named.
func (c *Comparing) Having(ctx context.Context, nodes []Node, patterns []string) (out []Node, unsure []string,
	err error) {
	if len(patterns) == 0 {
		return nodes, nil, nil
	}
	patterns = slices.Clone(patterns)
	for i := range patterns {
		patterns[i] = strings.ToLower(strings.TrimPrefix(patterns[i], "::"))
	}
	has, known, errs := make([]bool, len(nodes)), make([]bool, len(nodes)), make([]error, len(nodes))
	look := func(i int, snap *compiler.Snapshot, n compiler.Node) {
		if has[i] || errs[i] != nil {
			return
		}
		var res *eval.Result
		if res, errs[i] = snap.Compile(ctx, n); errs[i] == nil && res.Catalog != nil {
			c.Watch(res)
			known[i], has[i] = true, hasClass(res.Catalog, patterns)
		}
	}
	source.Each(ctx, len(nodes), func(i int) {
		look(i, c.From, c.old(nodes[i]))
		look(i, c.To, c.new(nodes[i]))
	})
	for i, n := range nodes {
		switch {
		case errs[i] != nil:
			return nil, nil, errs[i]
		case has[i]:
			out = append(out, n)
		case !known[i]:
			unsure = append(unsure, n.Title())
		}
	}
	return out, unsure, ctx.Err()
}

// hasClass reports whether a catalog has a class whose name matches.
func hasClass(c *catalog.Catalog, patterns []string) bool {
	return slices.ContainsFunc(c.Classes, func(name string) bool {
		return slices.ContainsFunc(patterns, func(p string) bool { return Match(p, name) })
	})
}
