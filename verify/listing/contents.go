package listing

import (
	"bytes"
)

// readContents reads a Contents file of a Debian or Ubuntu archive: a path without its leading slash, blanks, and the
// packages that have it, each behind its section: "etc/motd   admin/base-files,misc/other". Old files have a heading
// first. Directories are not listed and configuration files are not marked.
func readContents(l *lines, each func(path string, packages [][]byte) error, skip func()) error {
	var packages [][]byte
	heading := false
	for {
		line, ok := l.next()
		if !ok {
			return l.err
		}
		if l.n == 1 && bytes.HasPrefix(line, []byte("This file maps")) {
			heading = true
		}
		if heading {
			if words := bytes.Fields(line); len(words) == 2 && string(words[0]) == "FILE" && string(words[1]) == "LOCATION" {
				heading = false
			}
			continue
		}
		at := bytes.LastIndexAny(line, " \t")
		if at < 0 {
			if len(line) > 0 {
				skip()
			}
			continue
		}
		path := bytes.TrimRight(line[:at], " \t")
		packages = packages[:0]
		for p := range bytes.SplitSeq(line[at+1:], []byte(",")) {
			if i := bytes.LastIndexByte(p, '/'); i >= 0 {
				p = p[i+1:]
			}
			if len(p) > 0 {
				packages = append(packages, p)
			}
		}
		if len(path) == 0 || len(packages) == 0 {
			skip()
			continue
		}
		clean, err := cleanPath(path)
		if err != nil {
			return l.trouble("%v", err)
		}
		if clean == "" {
			skip()
			continue
		}
		if err := each(clean, packages); err != nil {
			return err
		}
	}
}
