package lsp

import (
	"net/url"
	"path"
	"strings"
)

// pathOf is the absolute path that a URI names, "" if it is no file of this machine.
func pathOf(uri string) string {
	u, err := url.Parse(uri)
	if err != nil || u.Scheme != "file" || u.Host != "" && u.Host != "localhost" || !strings.HasPrefix(u.Path, "/") ||
		strings.Contains(u.Path, "\x00") { // no file is called so
		return ""
	}
	return path.Clean(u.Path)
}

// uriOf is the URI of an absolute path. Clients spell them in several ways; an open file is told by its path.
func uriOf(p string) string { return (&url.URL{Scheme: "file", Path: p}).String() }

// uriOf is the URI of a file as the client calls it, if it has it open.
func (s *Server) uriOf(p string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.uriLocked(p)
}

func (s *Server) uriLocked(p string) string {
	for _, d := range s.docs {
		if d.path == p {
			return d.uri
		}
	}
	return uriOf(p)
}
