package source

import (
	"path"
	"strings"
)

// Ignored reports whether git passes over a path of a work tree that it does not know: it, or a directory that it lies
// in, matches a line of a .gitignore file. files is a view of the work tree, which is at root. The lists that a user
// keeps for himself, outside of the tree, are not read.
func Ignored(files Files, root, name string, dir bool) bool {
	rel, inside := strings.CutPrefix(name, strings.TrimSuffix(root, "/")+"/")
	if !inside {
		return false
	}
	parts := strings.Split(rel, "/")
	var dirs []ignoreDir
	for i := range parts {
		at := strings.Join(parts[:i], "/")
		if text, err := files.Read(path.Join(root, at, ".gitignore")); err == nil && len(text.Text) <= maxIgnoreFile {
			dirs = append(dirs, ignoreDir{at, parseIgnore(text.Text)})
		}
		if ignored(dirs, strings.Join(parts[:i+1], "/"), dir || i < len(parts)-1) {
			return true
		}
	}
	return false
}

// Longer files and lines are not read, as git does not.
const (
	maxIgnoreFile = 4 << 20
	maxIgnoreLine = 2048
)

// An ignoreDir is a directory with the lines of its .gitignore.
type ignoreDir struct {
	dir   string
	rules []ignoreRule
}

// An ignoreRule is a line of a .gitignore file.
type ignoreRule struct {
	not   bool // it takes back what a line before says
	dir   bool // only directories
	base  bool // it is matched with the last name of a path
	match Pattern
}

func parseIgnore(text string) (rules []ignoreRule) {
	for line := range strings.Lines(strings.TrimPrefix(text, "\ufeff")) {
		line = strings.TrimRight(line, "\r\n")
		for strings.HasSuffix(line, " ") && !strings.HasSuffix(line, `\ `) {
			line = line[:len(line)-1]
		}
		if line == "" || line[0] == '#' || len(line) >= maxIgnoreLine {
			continue
		}
		var r ignoreRule
		line, r.not = strings.CutPrefix(line, "!")
		line, r.dir = strings.CutSuffix(line, "/")
		r.base = !strings.Contains(line, "/")
		r.match = ParsePattern(strings.TrimPrefix(line, "/"))
		rules = append(rules, r)
	}
	return rules
}

// ignored reports what the deepest and last line that matches says.
func ignored(dirs []ignoreDir, name string, dir bool) bool {
	for i := len(dirs) - 1; i >= 0; i-- {
		rest := strings.TrimPrefix(strings.TrimPrefix(name, dirs[i].dir), "/")
		for j := len(dirs[i].rules) - 1; j >= 0; j-- {
			r := &dirs[i].rules[j]
			text := rest
			if r.base {
				text = path.Base(rest)
			}
			if (!r.dir || dir) && r.match.Match(text) {
				return !r.not
			}
		}
	}
	return false
}
