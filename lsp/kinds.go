package lsp

import (
	"errors"
	"path"
	"strings"

	"bunraku/puppet/lookup/datafile"
	"bunraku/source"
)

// Which files there are is told by their names below the folder: where the folder lies on somebody's disk says nothing.

// isData reports whether a file of a folder holds Hiera's data. What is hidden, belongs to tests or holds facts does
// not, and neither does hiera.yaml, which says where the data are.
func isData(dir, p string) bool {
	switch path.Ext(p) {
	case ".yaml", ".yml", ".eyaml", ".json":
	default:
		return false
	}
	below := path.Join("/", path.Base(dir), strings.TrimPrefix(p, dir))
	for _, part := range strings.Split(strings.TrimPrefix(p, dir), "/") {
		if strings.HasPrefix(part, ".") || noData[part] {
			return false
		}
	}
	return !isSettings(p) && (strings.Contains(below, "/data/") || strings.Contains(below, "/hiera"))
}

// noData are directories whose files are no data.
var noData = map[string]bool{"spec": true, "facts": true, "node_modules": true}

// isSettings reports whether a file says where Hiera's data are.
func isSettings(p string) bool { return path.Base(p) == "hiera.yaml" }

// wrong is what keeps an open file that is no code from being read: of data, hiera.yaml and metadata.json here, of
// others as the program says.
func (f *folder) wrong(d *document) source.Diagnostics {
	file := source.NewFile(d.path, d.text)
	var err error
	switch data := isData(f.dir, d.path); {
	case data && path.Ext(d.path) == ".json", path.Base(d.path) == "metadata.json":
		_, err = datafile.ReadJSON(file)
	case data, isSettings(d.path):
		_, err = datafile.ReadYAML(file)
	}
	var trouble *source.Diagnostic
	switch {
	case errors.As(err, &trouble):
	case f.server.opt.Other != nil:
		return f.server.opt.Other(file)
	default:
		return nil
	}
	shown := *trouble
	shown.Summary = strings.TrimPrefix(shown.Summary, "("+d.path+"): ")
	if path.Ext(d.path) == ".json" {
		shown.Summary, shown.Place.Span = datafile.BrokenJSON(d.text)
	}
	return source.Diagnostics{&shown}
}
