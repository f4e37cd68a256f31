package git

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync"
	"syscall"

	"bunraku/budget"
	"bunraku/source"
)

// A Tree is a revision as a view of files: what a checkout of it would hold, mounted at some path. Contents are blobs,
// with line ends and encodings as the revision's own .gitattributes ask for (and no configuration: autocrlf is false).
// What a filter would make of a blob nobody can know without running it: such a file's content is *source.Unknown. A
// submodule is a directory whose content is *Submodule. Nothing is read before it is asked for.
type Tree struct {
	r      *Repo
	mount  string
	commit ID
	root   ID

	mu     sync.Mutex // guards what follows
	budget *budget.Budget
	rules  map[string][]attributeRule // of the .gitattributes, by directory
	lacks  error                      // the first object that was asked for and could not be had
}

// An object that cannot be had (a partial clone has not fetched it, it is damaged, the budget is spent) is not a file
// that is not there. But whoever asks a view whether something exists, or goes on with the next of several files, takes
// every error for a no. So the view remembers that an answer was none, and whoever has made something of its answers
// asks it at the end, as he asks a directory whether it changed meanwhile.
var _ source.Live = (*Tree)(nil)

// viewWork bounds the bytes that one view inflates, copies and compares.
const viewWork = 4 << 30

// maxLinks bounds how many links lie on one path, as Linux does.
const maxLinks = 40

// Submodule says that a path lies in a submodule, whose files are in another repository.
type Submodule struct {
	Path   string // of the submodule
	Commit ID     // that it stands at
}

func (s *Submodule) Error() string {
	return fmt.Sprintf("%s is a submodule (commit %s); its files are not in this repository", s.Path, short(s.Commit))
}

// Tree is the view of a revision, mounted at an absolute path.
func (r *Repo) Tree(rev, mount string) (*Tree, error) {
	id, err := r.Resolve(rev)
	if err != nil {
		return nil, err
	}
	c, err := r.Commit(id)
	if err != nil {
		return nil, err
	}
	t := &Tree{r: r, mount: path.Clean(mount), commit: id, root: c.Tree, rules: map[string][]attributeRule{}}
	t.limit()
	return t, nil
}

// Commit is the commit that the view shows.
func (t *Tree) Commit() ID { return t.commit }

// Roots is where the revision is mounted.
func (t *Tree) Roots() []string { return []string{t.mount} }

func (t *Tree) spend(n int64) {
	if t.budget == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.budget.Spend(n, "git objects")
}

// had notes that an object cannot be had.
func (t *Tree) had(err error) error {
	if err == nil {
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.lacks == nil {
		t.lacks = err
	}
	return err
}

// Confirm is why something that was asked could not be answered; nil if all was.
func (t *Tree) Confirm() (err error) {
	defer budget.Catch(&err)
	t.spend(0) // it is spent, or it is not
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.lacks
}

// Fresh is a view of the same revision that has not been asked for what is not there.
func (t *Tree) Fresh() source.Files {
	if t.Confirm() == nil {
		return t
	}
	fresh := &Tree{r: t.r, mount: t.mount, commit: t.commit, root: t.root, rules: map[string][]attributeRule{}}
	fresh.limit()
	return fresh
}

// limit bounds the work of the view.
func (t *Tree) limit() {
	if !t.r.opt.Lasting {
		t.budget = budget.New(context.Background(), budget.Limits{Steps: viewWork})
	}
}

// A node is what a path leads to, all links followed.
type node struct {
	mode uint32
	id   ID
	path []string // below the mount
}

func (t *Tree) full(parts []string) string {
	return path.Join(append([]string{t.mount}, parts...)...)
}

// below cuts a path into its parts below the mount.
func (t *Tree) below(name string) ([]string, error) {
	if name == t.mount {
		return nil, nil
	}
	rel, ok := strings.CutPrefix(name, strings.TrimSuffix(t.mount, "/")+"/")
	if !ok {
		return nil, &source.Refused{Path: name, Why: "lies outside of " + t.mount}
	}
	return strings.Split(rel, "/"), nil
}

func notThere(op, name string) error { return &fs.PathError{Op: op, Path: name, Err: fs.ErrNotExist} }

// find follows a path, and links on it.
func (t *Tree) find(op, name string) (node, error) {
	todo, err := t.below(name)
	if err != nil {
		return node{}, err
	}
	root := node{mode: modeDir, id: t.root}
	stack := []node{root}
	for links := 0; len(todo) > 0; {
		part := todo[0]
		todo = todo[1:]
		at := stack[len(stack)-1]
		t.spend(1)
		switch {
		case at.mode&modeType == modeModule:
			return node{}, t.dangling(&Submodule{t.full(at.path), at.id}, links, at, part, todo)
		case at.mode&modeType != modeDir:
			return node{}, notThere(op, name)
		case part == "" || part == ".":
			continue
		case part == "..":
			if len(stack) == 1 {
				return node{}, t.leaving(name, path.Join(append([]string{path.Dir(t.mount)}, todo...)...))
			}
			stack = stack[:len(stack)-1]
			continue
		}
		e, ok, err := t.child(at.id, part)
		if err != nil {
			return node{}, err
		}
		if !ok {
			return node{}, t.dangling(notThere(op, name), links, at, part, todo)
		}
		if e.mode&modeType != modeLink {
			stack = append(stack, node{e.mode, e.id, append(slices.Clip(at.path), part)})
			continue
		}
		if links++; links > maxLinks {
			return node{}, &fs.PathError{Op: op, Path: name, Err: syscall.ELOOP}
		}
		data, err := t.blob(e.id)
		if err != nil {
			return node{}, err
		}
		target := string(data)
		if target == "" || len(target) > 4096 || strings.ContainsRune(target, 0) {
			return node{}, notThere(op, name)
		}
		parts := strings.Split(target, "/")
		if path.IsAbs(target) {
			if parts, err = t.below(path.Clean(target)); err != nil {
				return node{}, t.leaving(name, path.Join(append([]string{target}, todo...)...))
			}
			stack = stack[:1]
		}
		todo = append(slices.Clone(parts), todo...)
	}
	return stack[len(stack)-1], nil
}

// dangling is the error of a path that ends at a part of a directory, if links were followed to come there.
func (t *Tree) dangling(err error, links int, at node, part string, rest []string) error {
	if links == 0 {
		return err
	}
	return &source.Dangling{Err: err, To: path.Join(append([]string{t.full(at.path), part}, rest...)...)}
}

// leaving is the error of a path with a link on it that leads out of the revision.
func (t *Tree) leaving(name, to string) error {
	return &source.Dangling{Err: &source.Refused{Path: name, Why: "leads outside of " + t.mount}, To: to}
}

func (t *Tree) child(tree ID, name string) (treeEntry, bool, error) {
	entries, err := t.entries(tree)
	if err != nil {
		return treeEntry{}, false, err
	}
	i, ok := slices.BinarySearchFunc(entries, name, func(e treeEntry, n string) int { return strings.Compare(e.name, n) })
	if !ok {
		return treeEntry{}, false, nil
	}
	return entries[i], true, nil
}

func (t *Tree) entries(tree ID) ([]treeEntry, error) {
	entries, err := t.r.tree(tree, t.spend)
	return entries, t.had(err)
}

func (t *Tree) blob(id ID) ([]byte, error) {
	data, err := t.r.expect(id, blobKind, t.spend)
	return data, t.had(err)
}

// Stat says what a path leads to. The size of a file whose content is not known is that of its blob.
func (t *Tree) Stat(name string) (info source.Info, err error) {
	defer budget.Catch(&err)
	n, err := t.find("stat", name)
	if err != nil {
		return source.Info{}, err
	}
	return t.info(name, n)
}

func (t *Tree) info(name string, n node) (source.Info, error) {
	if k := kindOfMode(n.mode); k != source.Regular {
		return source.Info{Kind: k}, nil
	}
	size, err := t.r.size(n.id, t.spend)
	if t.had(err) != nil {
		return source.Info{}, err
	}
	exec := n.mode&0o100 != 0
	how, err := t.conversion(n)
	if err != nil {
		return source.Info{}, err
	}
	if (how.crlf || how.encoding != "" || how.ident) && size <= t.r.opt.MaxObject {
		content, err := t.content(name, n)
		var unknown *source.Unknown
		if errors.As(err, &unknown) {
			return source.Info{Kind: source.Regular, Size: size, Exec: exec}, nil
		}
		return source.Info{Kind: source.Regular, Size: int64(len(content.Text)), Exec: exec}, err
	}
	return source.Info{Kind: source.Regular, Size: size, Exec: exec}, nil
}

func kindOfMode(mode uint32) source.Kind {
	switch mode & modeType {
	case modeDir, modeModule:
		return source.Directory
	case modeRegular:
		return source.Regular
	}
	return source.Other
}

// itself is what is at a path that is not the top, and the directory that it is in: a link is not followed, but those
// on the way are.
func (t *Tree) itself(name string) (at node, e treeEntry, err error) {
	if at, err = t.find("lstat", path.Dir(name)); err != nil {
		return at, e, err
	}
	if at.mode&modeType != modeDir {
		return at, e, notThere("lstat", name)
	}
	e, ok, err := t.child(at.id, path.Base(name))
	if err == nil && !ok {
		err = notThere("lstat", name)
	}
	return at, e, err
}

// Lstat says what is at a path; a link there is not followed, but those on the way are.
func (t *Tree) Lstat(name string) (in source.Inode, err error) {
	defer budget.Catch(&err)
	if name == t.mount {
		return source.Inode{Name: path.Base(name), Kind: source.Directory}, nil
	}
	at, e, err := t.itself(name)
	if err != nil {
		return in, err
	}
	in = source.Inode{Name: e.name}
	if e.mode&modeType == modeLink {
		to, err := t.blob(e.id)
		in.Link, in.Target, in.Size = true, string(to), int64(len(to))
		return in, err
	}
	info, err := t.info(name, node{e.mode, e.id, append(slices.Clip(at.path), e.name)})
	in.Kind, in.Size, in.Exec = info.Kind, info.Size, info.Exec
	return in, err
}

// Executable reports whether a file is one that may be run.
func (t *Tree) Executable(name string) (x bool, err error) {
	defer budget.Catch(&err)
	n, err := t.find("stat", name)
	return err == nil && n.mode&modeType == modeRegular && n.mode&0o100 != 0, err
}

// Real is the path with all links resolved.
func (t *Tree) Real(name string) (real string, err error) {
	defer budget.Catch(&err)
	n, err := t.find("stat", name)
	if err != nil {
		return "", err
	}
	return t.full(n.path), nil
}

// Link is what the link at a path says; "" if what is there is no link.
func (t *Tree) Link(name string) (target string, err error) {
	defer budget.Catch(&err)
	if name == t.mount {
		return "", nil
	}
	_, e, err := t.itself(name)
	if err != nil || e.mode&modeType != modeLink {
		return "", err
	}
	to, err := t.blob(e.id)
	return string(to), err
}

// List is what a directory holds.
func (t *Tree) List(name string) (list []source.Entry, err error) {
	defer budget.Catch(&err)
	n, err := t.find("list", name)
	if err != nil {
		return nil, err
	}
	switch n.mode & modeType {
	case modeModule:
		return nil, &Submodule{t.full(n.path), n.id}
	case modeDir:
	default:
		return nil, &fs.PathError{Op: "list", Path: name, Err: errors.New("not a directory")}
	}
	entries, err := t.entries(n.id)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		entry := source.Entry{Name: e.name, Kind: kindOfMode(e.mode)}
		if e.mode&modeType == modeLink {
			entry.Link = true
			if to, err := t.find("list", path.Join(t.full(n.path), e.name)); err == nil {
				entry.Kind = kindOfMode(to.mode)
			}
		}
		list = append(list, entry)
	}
	slices.SortFunc(list, func(a, b source.Entry) int { return strings.Compare(a.Name, b.Name) })
	return list, nil
}

// Others are what is neither a file nor a directory of the revision: links, and submodules with the commits that they
// stand at. What cannot be read is passed over: whoever asks for something there is told.
func (t *Tree) Others() (links []string, modules map[string]ID) {
	modules = map[string]ID{}
	var walk func(dir string, tree ID)
	walk = func(dir string, tree ID) {
		entries, _ := t.r.tree(tree, nil)
		for _, e := range entries {
			switch at := path.Join(dir, e.name); e.mode & modeType {
			case modeDir:
				walk(at, e.id)
			case modeLink:
				links = append(links, at)
			case modeModule:
				modules[at] = e.id
			}
		}
	}
	walk(t.mount, t.root)
	return links, modules
}

// Read is the content of a regular file.
func (t *Tree) Read(name string) (content source.Content, err error) {
	defer budget.Catch(&err)
	n, err := t.find("read", name)
	if err != nil {
		return source.Content{}, err
	}
	if n.mode&modeType == modeModule {
		return source.Content{}, &Submodule{t.full(n.path), n.id}
	}
	if n.mode&modeType != modeRegular {
		return source.Content{}, &fs.PathError{Op: "read", Path: name, Err: syscall.EISDIR}
	}
	return t.content(name, n)
}

func (t *Tree) content(name string, n node) (source.Content, error) {
	how, err := t.conversion(n)
	if err != nil {
		return source.Content{}, err
	}
	switch {
	case how.filter != "":
		return source.Content{}, &source.Unknown{Path: name,
			Why: "the filter " + printable(how.filter) + ", which is not run, makes it of blob " + short(n.id)}
	case how.unclear != "":
		return source.Content{}, &source.Unknown{Path: name, Why: how.unclear + ", in which blob " + short(n.id) + " is written"}
	}
	key := cacheKey{kind: 'c', id: n.id, how: how}
	if v, ok := t.r.cache.get(key); ok {
		return v.(source.Content), nil
	}
	data, err := t.r.expect(n.id, blobKind, t.spend)
	var big *TooBig
	if errors.As(err, &big) { // that is an answer
		return source.Content{}, &source.Refused{Path: name, Why: fmt.Sprintf("has %d bytes", big.Size)}
	}
	if t.had(err) != nil {
		return source.Content{}, err
	}
	if !how.plain() {
		t.spend(int64(len(data)))
		data = how.toWorkTree(data, n.id)
	}
	content := source.NewContent(string(data))
	t.r.cache.put(key, content, int64(len(data)))
	return content, nil
}

// conversion reads the .gitattributes from the top down to a file. Those that are links are not followed, as git does
// not.
func (t *Tree) conversion(n node) (conversion, error) {
	var dirs []attributeDir
	tree, dir := t.root, ""
	for i := range n.path {
		rules, err := t.rulesOf(dir, tree)
		if err != nil {
			return conversion{}, err
		}
		if len(rules) > 0 {
			dirs = append(dirs, attributeDir{dir, rules})
		}
		if i == len(n.path)-1 {
			break
		}
		e, ok, err := t.child(tree, n.path[i])
		if err != nil || !ok {
			return conversion{}, err
		}
		tree, dir = e.id, dir+n.path[i]+"/"
	}
	if len(dirs) == 0 {
		return conversion{}, nil
	}
	return conversionOf(attributes(strings.Join(n.path, "/"), dirs, t.spend)), nil
}

func (t *Tree) rulesOf(dir string, tree ID) ([]attributeRule, error) {
	t.mu.Lock()
	rules, ok := t.rules[dir]
	t.mu.Unlock()
	if ok {
		return rules, nil
	}
	e, ok, err := t.child(tree, ".gitattributes")
	if err != nil {
		return nil, err
	}
	if ok && e.mode&modeType == modeRegular {
		data, err := t.blob(e.id)
		if err != nil {
			return nil, err
		}
		if len(data) > maxAttributeFile {
			why := fmt.Sprintf("has %d bytes", len(data))
			return nil, &source.Refused{Path: path.Join(t.mount, dir, ".gitattributes"), Why: why}
		}
		rules = parseAttributes(data, dir == "")
	}
	t.mu.Lock()
	t.rules[dir] = rules
	t.mu.Unlock()
	return rules, nil
}
