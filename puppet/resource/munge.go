package resource

import (
	"path"
	"strings"
)

// Munge is what the agent makes of the value of a key attribute before it compares names. The compiler does not: in a
// catalog a path stands as it was written (trap 6 is about titles only).
func (t *Type) Munge(attr, s string) string {
	switch {
	case t == nil:
		return s
	case t.Name == "file" && attr == "path":
		if len(s) > 1 && strings.Trim(s, "/") == "" {
			return s // a share on Windows, thinks Puppet
		}
		return ExpandPath(s)
	case t.Name == "mount" && attr == "name":
		return trimSlashes(s)
	}
	return s
}

// ExpandPath is an absolute path without dots and doubled slashes. A path that is not absolute is left alone: what it
// means depends on where the agent runs.
func ExpandPath(s string) string {
	if !strings.HasPrefix(s, "/") {
		return s
	}
	return path.Clean(s)
}

// trimSlashes is gsub(%r{^(.+?)/*$}, '\1'): slashes go from the end of each line, except from one that has nothing
// else.
func trimSlashes(s string) string {
	lines := strings.Split(s, "\n")
	for i, line := range lines {
		if bare := strings.TrimRight(line, "/"); bare != "" {
			lines[i] = bare
		} else if line != "" {
			lines[i] = "/"
		}
	}
	return strings.Join(lines, "\n")
}
