package lsp

import (
	"context"
	"slices"
	"strings"

	"bunraku/source"
)

// Modules may lie outside of the folder, where environment.conf or the command line says. Of those that may be read,
// names lead there and are found there; nothing of them is edited.

// findElsewhere finds the modules that a compile comes to outside of the folder. There are none where nothing else may
// be read, and where nobody knows they are those that there were.
func (f *folder) findElsewhere(view source.Files) {
	var dirs []string
	if slices.ContainsFunc(view.Roots(), func(root string) bool { return root != f.dir && !f.holds(root) }) {
		snap, err := f.ws.Snapshot(context.Background(), view)
		if err != nil {
			return // the compile says why
		}
		defer snap.Close()
		for _, m := range snap.Environment().Modules() {
			if m.Dir != f.dir && !f.holds(m.Dir) && !strings.HasPrefix(f.dir, m.Dir+"/") {
				dirs = append(dirs, m.Dir)
			}
		}
		slices.Sort(dirs)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.modules = slices.Compact(dirs)
}

// elsewhere are the directories of modules outside of the folder.
func (f *folder) elsewhere() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.modules
}

// lookedAtIn is the directory that a file is looked at in: the folder, or the module elsewhere that has it.
func (f *folder) lookedAtIn(p string) string {
	for _, dir := range f.elsewhere() {
		if strings.HasPrefix(p, dir+"/") {
			return dir
		}
	}
	return f.dir
}
