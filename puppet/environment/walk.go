package environment

import (
	"path/filepath"
	"sort"
	"strings"

	"bunraku/source"
)

// PuppetFiles lists the manifests and templates below a directory in a fixed order.
func PuppetFiles(view source.Files, root string) ([]string, error) {
	return FilesBelow(view, root, func(name, _ string) bool {
		ext := filepath.Ext(name)
		return ext == ".pp" || ext == ".epp"
	})
}

// FilesBelow lists the files below a directory that somebody wants, in a fixed order and as the user calls them. Hidden
// directories and the fixtures that module tests download are not the user's code. wanted gets a file's name and its
// way from the directory. A single file is itself.
func FilesBelow(view source.Files, root string, wanted func(name, below string) bool) ([]string, error) {
	abs := source.Absolute(root)
	info, err := view.Stat(abs)
	if err != nil {
		return nil, source.Named(err, abs, root)
	}
	if !info.IsDir() {
		return []string{root}, nil
	}
	var files []string
	err = source.Walk(view, abs, func(path string, e source.Entry) bool {
		if e.IsDir() && !e.Link {
			return !strings.HasPrefix(e.Name, ".") && (e.Name != "fixtures" || filepath.Base(filepath.Dir(path)) != "spec")
		}
		below := strings.TrimPrefix(strings.TrimPrefix(path, abs), "/")
		if !e.IsDir() && wanted(e.Name, below) {
			files = append(files, filepath.Join(root, below))
		}
		return true
	})
	sort.Strings(files)
	return files, err
}
