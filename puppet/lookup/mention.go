package lookup

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"bunraku/source"
)

// A Mention is a place in the environment's data that has a text, in a file that the node reads or in one that another
// node would.
type Mention struct {
	Place source.Place
	Path  string // of the datum or key
	Level string
	Here  bool   // the node reads this file
	Needs []Need // what would have to be otherwise for the node to read it
}

// A Need is a variable in the path of a level's files, what it is and what it would have to be.
type Need struct {
	Variable  string
	Is, Wants string
}

// Mentions finds a text, as a key or as a string, in all files that the levels of the environment could lead to. At
// most the given number of places are found.
func (s *Session) Mentions(scope Scope, text string, most int) (out []Mention) {
	inv := s.newInvocation(scope, Query{})
	ly, err := inv.environmentLayer()
	if err != nil || ly == nil || ly.config.version < 4 {
		return nil
	}
	r, err := inv.hierarchy(ly)
	if err != nil {
		return nil
	}
	seen := map[string]bool{}
	for _, lv := range r.levels {
		f, ours := lv.filesOf()
		if !ours {
			continue
		}
		for _, loc := range lv.locations {
			paths := []string{filepath.Clean(loc.path)}
			if strings.Contains(loc.pattern, "%{") {
				others, _ := s.l.others(&wider{path: paths[0], pattern: loc.pattern})
				slices.Sort(others)
				paths = append(paths, others...)
			}
			for i, path := range paths {
				if seen[path] {
					continue
				}
				seen[path] = true
				d, err := s.l.load(path, f)
				if err != nil || d == nil || d.Hash() == nil {
					continue
				}
				var needs []Need
				if i > 0 {
					needs = inv.needs(loc.pattern, paths[0], path)
				}
				d.Root.Mentions("", text, func(at source.Span, key string) {
					if len(out) < most {
						out = append(out, Mention{Place: source.Place{File: d.Source, Span: at}, Path: key, Level: lv.name,
							Here: i == 0, Needs: needs})
					}
				})
			}
		}
	}
	return out
}

// needs compares what a path is made of with what another file's path would be made of.
func (inv *invocation) needs(pattern, is, wants string) (out []Need) {
	names := interpolation.FindAllString(pattern, -1)
	parts := interpolation.Split(pattern, -1)
	for i, p := range parts {
		parts[i] = regexp.QuoteMeta(p)
	}
	like, err := regexp.Compile("^" + strings.Join(parts, "(.*)") + "$")
	if err != nil {
		return nil
	}
	a, b := like.FindStringSubmatch(is), like.FindStringSubmatch(wants)
	for i, name := range names {
		name = strings.TrimPrefix(strings.TrimSpace(strings.TrimSuffix(strings.TrimPrefix(name, "%{"), "}")), "::")
		if a != nil && b != nil && a[i+1] != b[i+1] {
			out = append(out, Need{Variable: name, Is: a[i+1], Wants: b[i+1]})
		}
	}
	return out
}
