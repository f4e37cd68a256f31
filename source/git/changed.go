package git

import (
	"path"
	"slices"

	"bunraku/budget"
)

// Changed lists the paths below a directory of the view whose files are not the same in another view of the same
// repository: added, removed, with other bytes, another mode or another link. Whole directories that are the same are
// not looked into, so it costs what has changed. Attributes that convert a file's text may have changed as well; then
// all files below are looked at.
func (t *Tree) Changed(other *Tree, dir string) (paths []string, err error) {
	defer budget.Catch(&err)
	parts, err := t.below(dir)
	if err != nil {
		return nil, err
	}
	c := &comparison{a: t, b: other}
	for i := range parts { // attributes of what lies above count, too
		name := append(slices.Clone(parts[:i]), ".gitattributes")
		was, err := t.at(name)
		if err != nil {
			return nil, err
		}
		is, err := other.at(name)
		if err != nil {
			return nil, err
		}
		c.all = c.all || was.id != is.id
	}
	a, err := t.at(parts)
	if err != nil {
		return nil, err
	}
	b, err := other.at(parts)
	if err != nil {
		return nil, err
	}
	if err := c.compare(a, b, parts); err != nil {
		return nil, err
	}
	slices.Sort(c.paths)
	return c.paths, nil
}

// at is what stands at a path itself, links not followed; an entry without an id if there is nothing.
func (t *Tree) at(parts []string) (treeEntry, error) {
	e := treeEntry{mode: modeDir, id: t.root}
	for _, p := range parts {
		if e.mode&modeType != modeDir {
			return treeEntry{}, nil
		}
		next, ok, err := t.child(e.id, p)
		if err != nil || !ok {
			return treeEntry{}, err
		}
		e = next
	}
	return e, nil
}

// Stores reports whether git has the same for a path of the view in another one: if the files are not the same, their
// attributes are not.
func (t *Tree) Stores(other *Tree, name string) (same bool) {
	parts, err := t.below(name)
	if err != nil {
		return false
	}
	a, errA := t.at(parts)
	b, errB := other.at(parts)
	return errA == nil && errB == nil && a.id != "" && a.id == b.id && a.mode == b.mode
}

// A comparison walks two trees at once.
type comparison struct {
	a, b  *Tree
	all   bool // attributes have changed above: equal blobs may be different files
	paths []string
}

// alike reports whether a blob is the same file on both sides.
func (c *comparison) alike(e treeEntry, parts []string) (bool, error) {
	if e.mode&modeType != modeRegular {
		return true, nil
	}
	n := node{path: parts, mode: e.mode, id: e.id}
	a, err := c.a.conversion(n)
	if err != nil {
		return false, err
	}
	b, err := c.b.conversion(n)
	if err != nil || a == b {
		return err == nil, err
	}
	x, errX := c.a.content("", n)
	y, errY := c.b.content("", n)
	return errX == nil && errY == nil && x.Digest == y.Digest, nil
}

func (c *comparison) compare(a, b treeEntry, parts []string) error {
	if a.id == b.id && a.mode == b.mode && !c.all {
		return nil
	}
	aDir, bDir := a.id != "" && a.mode&modeType == modeDir, b.id != "" && b.mode&modeType == modeDir
	if a.id == b.id && a.mode == b.mode && !aDir {
		if same, err := c.alike(a, parts); same || err != nil {
			return err
		}
	}
	if !aDir && a.id != "" || !bDir && b.id != "" {
		c.paths = append(c.paths, path.Join(append([]string{c.a.mount}, parts...)...))
	}
	if !aDir && !bDir {
		return nil
	}
	before, after, names := map[string]treeEntry{}, map[string]treeEntry{}, []string(nil)
	for _, side := range []struct {
		t   *Tree
		dir bool
		id  ID
		in  map[string]treeEntry
	}{{c.a, aDir, a.id, before}, {c.b, bDir, b.id, after}} {
		if !side.dir {
			continue
		}
		list, err := side.t.entries(side.id)
		if err != nil {
			return err
		}
		side.t.spend(int64(len(list)))
		for _, e := range list {
			side.in[e.name] = e
			names = append(names, e.name)
		}
	}
	was := c.all
	defer func() { c.all = was }()
	c.all = c.all || before[".gitattributes"].id != after[".gitattributes"].id
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		if err := c.compare(before[name], after[name], append(slices.Clip(parts), name)); err != nil {
			return err
		}
	}
	return nil
}
