package lookup

import (
	"path/filepath"
	"slices"
	"strings"
)

// glob is Ruby's Dir.glob for the patterns of a hiera.yaml: * ? [a-z] {a,b} and ** for any depth of directories. Names
// that start with a dot match only a pattern that does. The result is sorted as Ruby sorts it, directory by directory.
func (s *Session) glob(pattern string) []string {
	g := &globber{s: s}
	for _, p := range g.braces(pattern) {
		parts := strings.Split(p, "/")
		start := ""
		if strings.HasPrefix(p, "/") {
			start, parts = "/", parts[1:]
		}
		g.walk(start, [][]string{parts})
	}
	return g.out
}

// globbed is glob without directories, and without links to nowhere.
func (s *Session) globbed(pattern string) []string {
	return slices.DeleteFunc(s.glob(pattern), func(path string) bool {
		info, err := s.l.opt.Files.Stat(filepath.Clean(path))
		return err == nil && info.IsDir() || err != nil && !s.exists(path)
	})
}

// A globber finds the files of a pattern. Alternatives multiply and ** goes everywhere, so every step counts.
type globber struct {
	s   *Session
	out []string
}

func (g *globber) spend(n int) { g.s.budget.Spend(int64(n), "a glob of hiera.yaml") }

// braces writes {a,b} out.
func (g *globber) braces(p string) []string {
	g.spend(1 + len(p))
	depth, start := 0, -1
	for i := 0; i < len(p); i++ {
		switch p[i] {
		case '\\':
			i++
		case '{':
			if depth == 0 {
				start = i
			}
			depth++
		case '}':
			if depth--; depth == 0 && start >= 0 {
				var out []string
				for _, alt := range splitAlternatives(p[start+1 : i]) {
					out = append(out, g.braces(p[:start]+alt+p[i+1:])...)
				}
				return out
			}
		}
	}
	return []string{p}
}

func splitAlternatives(s string) []string {
	var out []string
	depth, from := 0, 0
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '{':
			depth++
		case '}':
			depth--
		case ',':
			if depth == 0 {
				out, from = append(out, s[from:i]), i+1
			}
		}
	}
	return append(out, s[from:])
}

// walk goes through a directory once with all ways in which the pattern can go on, as Ruby does: that gives the order
// of the result.
func (g *globber) walk(path string, ways [][]string) {
	g.spend(1 + len(ways))
	for _, w := range ways {
		if len(w) == 0 {
			g.out = append(g.out, path)
			break
		}
	}
	magic := false
	var open [][]string // ** may stand for nothing: its rest goes on from here as well
	for _, w := range ways {
		for len(w) > 1 && w[0] == "**" {
			open, magic = append(open, w), true
			w = w[1:]
		}
		if len(w) > 0 {
			open = append(open, w)
			magic = magic || strings.ContainsAny(w[0], `*?[\\`)
		}
	}
	if !magic {
		for _, w := range open {
			if sub := filepath.Join(path, w[0]); g.s.l.exists(sub) {
				g.walk(sub, [][]string{w[1:]})
			}
		}
		return
	}
	entries, _ := g.s.l.opt.Files.List(filepath.Clean(path)) // what cannot be listed has no entries
	for _, e := range entries {
		g.spend(len(open))
		var next [][]string
		for _, w := range open {
			switch hidden := strings.HasPrefix(e.Name, "."); {
			case w[0] == "**" && len(w) > 1:
				if !hidden && e.IsDir() && !e.Link { // ** does not follow links
					next = append(next, w)
				}
			case hidden && !strings.HasPrefix(w[0], "."):
			default:
				if ok, err := filepath.Match(strings.ReplaceAll(w[0], "**", "*"), e.Name); ok && err == nil {
					next = append(next, w[1:])
				}
			}
		}
		if len(next) > 0 {
			g.walk(filepath.Join(path, e.Name), next)
		}
	}
}
