package resource

import (
	"path"
	"slices"
	"strconv"
	"strings"

	"bunraku/puppet/value"
)

// A Recursion is how far a file resource with recurse goes below its path, in the tree of its source and in that of the
// machine alike.
type Recursion struct {
	Limit  int      // how many directories deep; -1 for all the way
	Ignore []string // patterns of names that it passes over, with what is below
}

// RecursionOf reads recurselimit and ignore.
func RecursionOf(get func(attr string) value.Value) Recursion {
	out := Recursion{Limit: -1}
	if n, err := strconv.Atoi(value.ToString(get("recurselimit"))); err == nil {
		out.Limit = n
	}
	switch v := get("ignore").(type) {
	case nil, value.Undef:
	case *value.Array:
		for _, e := range value.Flatten(v).Elems {
			out.Ignore = append(out.Ignore, value.ToString(e))
		}
	default:
		out.Ignore = []string{value.ToString(v)}
	}
	return out
}

// Reaches reports whether it comes to a path, given from the top: not too deep, and no name on the way is ignored.
func (r Recursion) Reaches(below string) bool {
	names := strings.Split(below, "/")
	return (r.Limit < 0 || len(names) <= r.Limit) && !slices.ContainsFunc(names, r.ignores)
}

// ignores matches a name as File.fnmatch does without flags: no star, question mark or set stands for a dot in front.
func (r Recursion) ignores(name string) bool {
	return slices.ContainsFunc(r.Ignore, func(pattern string) bool {
		if name[:min(1, len(name))] == "." && strings.IndexAny(pattern, "*?[") == 0 {
			return false
		}
		ok, err := path.Match(strings.ReplaceAll(pattern, "[!", "[^"), name)
		return ok && err == nil
	})
}
