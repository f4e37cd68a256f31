package lookup

import (
	"os"
	"path/filepath"
	"sort"
	"strings"
)

// glob is Ruby's Dir.glob for the patterns of a hiera.yaml: * ? [a-z] {a,b} and ** for any depth of directories. Names that start with a
// dot match only a pattern that does. The result is sorted as Ruby sorts it, directory by directory.
func glob(pattern string) []string {
	var out []string
	for _, p := range braces(pattern) {
		parts := strings.Split(p, "/")
		start := ""
		if strings.HasPrefix(p, "/") {
			start, parts = "/", parts[1:]
		}
		out = append(out, globParts(start, parts)...)
	}
	return out
}

// braces writes {a,b} out.
func braces(p string) []string {
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
					out = append(out, braces(p[:start]+alt+p[i+1:])...)
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

// globParts walks a directory once with all ways in which the pattern can go on, as Ruby does: that gives the order of the result.
func globParts(dir string, parts []string) []string {
	var out []string
	var walk func(path string, ways [][]string)
	walk = func(path string, ways [][]string) {
		magic := false
		for _, w := range ways {
			if len(w) == 0 {
				out = append(out, path)
				break
			}
		}
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
				if sub := filepath.Join(path, w[0]); exists(sub) {
					walk(sub, [][]string{w[1:]})
				}
			}
			return
		}
		for _, name := range names(path) {
			sub := filepath.Join(path, name)
			var next [][]string
			for _, w := range open {
				switch hidden := strings.HasPrefix(name, "."); {
				case w[0] == "**" && len(w) > 1:
					if !hidden && isDir(sub) {
						next = append(next, w)
					}
				case hidden && !strings.HasPrefix(w[0], "."):
				default:
					if ok, err := filepath.Match(strings.ReplaceAll(w[0], "**", "*"), name); ok && err == nil {
						next = append(next, w[1:])
					}
				}
			}
			if len(next) > 0 {
				walk(sub, next)
			}
		}
	}
	walk(dir, [][]string{parts})
	return out
}

func isDir(path string) bool {
	info, err := os.Lstat(path) // ** does not follow links
	return err == nil && info.IsDir()
}

func names(dir string) []string {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	out := make([]string, len(entries))
	for i, e := range entries {
		out[i] = e.Name()
	}
	sort.Strings(out)
	return out
}
