package lsp

import (
	"net/url"
	"path"
	"strings"
)

// pathOf is the absolute path that a URI names, "" if it is no file of this machine.
func pathOf(uri string) string {
	u, err := url.Parse(uri)
	if err != nil || u.Scheme != "file" || u.Host != "" && u.Host != "localhost" || !strings.HasPrefix(u.Path, "/") {
		return ""
	}
	return path.Clean(u.Path)
}

// uriOf is the URI of an absolute path. Clients spell them in several ways; an open file is told by its path.
func uriOf(p string) string { return (&url.URL{Scheme: "file", Path: p}).String() }
