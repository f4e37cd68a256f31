package environment

import (
	"os"
	"path/filepath"
)

// Inside reports whether a file, with all links followed, lies in the environment, in a module, or elsewhere on the module path. What
// strangers wrote shall not read anything else of the machine that compiles it. A module that is a link itself is where it points to.
func (e *Environment) Inside(path string) bool {
	if e.opt.Outside {
		return true
	}
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return os.IsNotExist(err) // then nothing is read
	}
	e.find()
	e.rootsOnce.Do(func() {
		list := append([]string{e.Dir}, e.ModulePath...)
		for _, m := range e.order {
			list = append(list, m.Dir)
		}
		for _, dir := range list {
			if root, err := filepath.EvalSymlinks(dir); dir != "" && err == nil {
				e.roots = append(e.roots, root)
			}
		}
	})
	if real, err = filepath.Abs(real); err != nil {
		return false
	}
	for _, root := range e.roots {
		if rel, err := filepath.Rel(root, real); err == nil && filepath.IsLocal(rel) {
			return true
		}
	}
	return false
}

// linked reports whether a file is reached through a link below dir.
func linked(dir, path string) bool {
	for p := path; len(p) > len(dir); p = filepath.Dir(p) {
		if info, err := os.Lstat(p); err == nil && info.Mode()&os.ModeSymlink != 0 {
			return true
		}
	}
	return false
}
