package web

import (
	"bytes"
	"compress/gzip"
	"embed"
	"io/fs"
	"net/http"
	"path"
	"strings"
)

// dist is what `make web` has built of ui/: the pages, and in SOURCES the digest of what they were built from.
//
//go:embed all:dist
var dist embed.FS

// pages are the paths of the pages; each is the same document, whose script finds out what it shows.
var pages = []string{"/", "/fleet", "/node", "/value", "/findings", "/finding", "/diff", "/file", "/hiera", "/order",
	"/code", "/mupuppet", "/smartfrog"}

// assets are the built files, by the path under which they are served. A path is looked up as it is, so no spelling of
// one leads anywhere else.
type assets map[string]*asset

type asset struct {
	kind         string
	plain, small []byte // small is compressed
	forever      bool   // its name has a digest of it
}

var kinds = map[string]string{".html": "text/html; charset=utf-8", ".js": "text/javascript; charset=utf-8",
	".css": "text/css; charset=utf-8", ".svg": "image/svg+xml"}

func newAssets() assets {
	all := assets{}
	err := fs.WalkDir(dist, "dist", func(name string, d fs.DirEntry, err error) error {
		kind := kinds[path.Ext(name)]
		if err != nil || d.IsDir() || kind == "" {
			return err
		}
		text, err := dist.ReadFile(name)
		if err != nil {
			return err
		}
		var small bytes.Buffer
		z, _ := gzip.NewWriterLevel(&small, gzip.BestCompression) // the level is a good one
		_, _ = z.Write(text)                                      // a buffer takes everything
		_ = z.Close()
		at := strings.TrimPrefix(name, "dist")
		all[at] = &asset{kind, text, small.Bytes(), strings.HasPrefix(at, "/assets/")}
		return nil
	})
	if err != nil {
		panic(err) // it is part of the program
	}
	for _, page := range pages {
		all[page] = all["/index.html"]
	}
	delete(all, "/index.html")
	return all
}

// ServeHTTP implements http.Handler.
func (all assets) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	a := all[r.URL.Path]
	if a == nil {
		http.Error(w, "there is no such page", http.StatusNotFound)
		return
	}
	h := w.Header()
	h.Set("Content-Type", a.kind)
	h.Set("Vary", "Accept-Encoding")
	if a.forever {
		h.Set("Cache-Control", "private, max-age=31536000, immutable")
	}
	text := a.plain
	if strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
		h.Set("Content-Encoding", "gzip")
		text = a.small
	}
	if r.Method != http.MethodHead {
		_, _ = w.Write(text) // whoever went away does not want it
	}
}
