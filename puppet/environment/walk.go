package environment

import (
	"path/filepath"
	"slices"
	"sort"
	"strings"

	"bunraku/source"
)

// PuppetFiles lists the manifests and templates below a directory in a fixed order, and tells of directories that
// cannot be listed. What a module serves is none.
func PuppetFiles(view source.Files, root string) (files []string, unread source.Diagnostics, err error) {
	at := filepath.Base(source.Absolute(root))
	return FilesBelow(view, root, func(name, below string) bool {
		ext := filepath.Ext(name)
		return ext == ".pp" && (isCode(at) || !served(below)) || ext == ".epp"
	})
}

// served reports whether a file lies in files/ or templates/ of a module: agents get it, as it is or rendered. What
// ends in .pp there is a policy package of SELinux, or a manifest that is still to be made. A directory that is called
// so among a module's code is a part of the names of classes.
func served(below string) bool {
	dirs := strings.Split(filepath.ToSlash(filepath.Dir(below)), "/")
	return slices.ContainsFunc(dirs, func(d string) bool { return d == "files" || d == "templates" }) &&
		!slices.ContainsFunc(dirs, isCode)
}

// isCode reports whether a module has code in a directory of a name.
func isCode(dir string) bool { return dir == "manifests" || dir == "functions" }

// FilesBelow lists the files below a directory that somebody wants, in a fixed order and as the user calls them. What
// is hidden (editors lay such files beside those that one writes at) and the fixtures that module tests download are
// not the user's code. wanted gets a file's name and its way from the directory. A single file is itself. A directory
// that cannot be listed costs what is in it, which is told, and nothing else.
func FilesBelow(view source.Files, root string, wanted func(name, below string) bool) (files []string,
	unread source.Diagnostics, err error) {
	abs := source.Absolute(root)
	info, err := view.Stat(abs)
	if err != nil {
		return nil, nil, source.Named(err, abs, root)
	}
	if !info.IsDir() {
		return []string{root}, nil, nil
	}
	as := func(path string) string {
		return filepath.Join(root, strings.TrimPrefix(strings.TrimPrefix(path, abs), "/"))
	}
	err = source.WalkOn(view, abs, func(path string, e source.Entry) bool {
		if strings.HasPrefix(e.Name, ".") {
			return false
		}
		if e.IsDir() && !e.Link {
			return e.Name != "fixtures" || filepath.Base(filepath.Dir(path)) != "spec" || isCode(filepath.Base(abs)) ||
				slices.ContainsFunc(strings.Split(filepath.ToSlash(strings.TrimPrefix(path, abs)), "/"), isCode)
		}
		if !e.IsDir() && wanted(e.Name, strings.TrimPrefix(strings.TrimPrefix(path, abs), "/")) {
			files = append(files, as(path))
		}
		return true
	}, func(dir string, err error) error {
		if dir == abs {
			return source.Named(err, abs, root)
		}
		unread = append(unread, source.Unread(err, as(dir)))
		return nil
	})
	sort.Strings(files)
	return files, unread, err
}
