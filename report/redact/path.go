package redact

import (
	"regexp"
	"strconv"
	"strings"
)

// A password may be a word that a file is called by, too: candlepin of templates/_candlepin_database.conf.epp. Where a
// file of the tree is named by its whole path, nobody learns more from that than from the tree, and without it nobody
// finds the place.

// Files has somebody asked whether a path is that of a file of the tree. Such paths stay as they are.
func (s *Secrets) Files(is func(path string) bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.isFile, s.asked = is, map[string]bool{}
}

// word is what may be a path, or one of the screen's colours.
var word = regexp.MustCompile("\x1b[0-9a-f]{24}[0-9;]*m|[\\w./+~@-]+")

// withoutFiles has a mark in place of each path of a file that has a secret in it, and gives those paths back.
func (s *Secrets) withoutFiles(text string, all *strings.Replacer) (out string, paths []string) {
	s.mu.RLock()
	is := s.isFile
	s.mu.RUnlock()
	if is == nil || strings.Contains(text, "\x00") {
		return text, nil
	}
	out = word.ReplaceAllStringFunc(text, func(w string) string {
		path := strings.TrimRight(w, ".-")
		if w[0] == '\x1b' || !strings.Contains(path, "/") {
			return w
		}
		// A path may be the secret itself.
		if hidden := all.Replace(path); hidden == path || hidden == Blot || !s.knownFile(is, path) {
			return w
		}
		paths = append(paths, path)
		return "\x00" + strconv.Itoa(len(paths)-1) + "\x00" + w[len(path):]
	})
	return out, paths
}

// knownFile asks once for each path.
func (s *Secrets) knownFile(is func(string) bool, path string) bool {
	s.mu.RLock()
	known, asked := s.asked[path]
	s.mu.RUnlock()
	if asked {
		return known
	}
	known = is(path)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked[path] = known
	return known
}

// placed is a text with paths in the places of their marks.
func placed(text string, paths []string) string {
	for i, path := range paths {
		text = strings.Replace(text, "\x00"+strconv.Itoa(i)+"\x00", path, 1)
	}
	return text
}
