package environment

import (
	"path/filepath"
	"sort"
	"strings"

	"bunraku/source"
)

// PuppetFiles lists the manifests and templates below a directory in a fixed order. Hidden directories and the fixtures
// that module tests download are not the user's code.
func PuppetFiles(view source.Files, root string) ([]string, error) {
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
		if ext := filepath.Ext(path); (ext == ".pp" || ext == ".epp") && !e.IsDir() {
			files = append(files, filepath.Join(root, strings.TrimPrefix(path, abs)))
		}
		return true
	})
	sort.Strings(files)
	return files, err
}
