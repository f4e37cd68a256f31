package fleet

import (
	"errors"
	"path"
	"slices"
	"strings"

	"bunraku/puppet/environment"
	"bunraku/puppet/lookup/datafile"
	"bunraku/puppet/value"
	"bunraku/source"
	"bunraku/source/git"
)

// A checkout of a revision leaves what git ignores in its place: modules that were fetched, data with secrets, facts
// from PuppetDB. So it lies under every revision. What of it counts is what Puppet reads: modules, parts of these and
// of the environment, its manifests, where any side's hiera.yaml looks for data, where links of a revision lead to, and
// what flags name. Of the latter that which no commit has is the user's own, whether git ignores it or not.

// What Puppet reads of a module, and of an environment besides its modules; and the facts, which we read.
var (
	moduleParts = []string{"manifests", "functions", "types", "lib", "files", "templates", "facts.d", "data", "hiera.yaml",
		"metadata.json"}
	environmentParts = append([]string{"hieradata", "environment.conf", path.Base(FactsDir(""))}, moduleParts...)
)

// findIgnored finds what git ignores of an environment, as it is in a state.
func (r *Revisions) findIgnored(files source.Files) {
	if r.head == nil {
		return
	}
	opt := r.opt
	opt.Files = files
	e, err := environment.Open(r.env, opt)
	if err != nil {
		return // it may be broken; the sides tell
	}
	for _, dir := range e.ModulePath {
		dir = r.Home(dir)
		list, err := r.disk.List(dir)
		if err != nil {
			continue
		}
		for _, x := range list {
			if x.IsDir() {
				r.ignoredIn(path.Join(dir, x.Name), moduleParts, x.Link)
				r.ignoredData(files, path.Join(dir, x.Name, "hiera.yaml"))
			}
		}
	}
	r.ignoredIn(r.env, environmentParts, false)
	r.ignoredAt(e.Manifest)
	r.ignoredData(files, path.Join(r.env, "hiera.yaml"))
	for _, dir := range r.given.Data {
		r.ignoredAt(source.Absolute(dir))
	}
	if r.given.Hiera != "" {
		r.ignoredAt(source.Absolute(r.given.Hiera))
		r.ignoredData(files, source.Absolute(r.given.Hiera))
	}
}

// findUntracked finds what flags name, or a hiera.yaml that one names, and neither of two states that are compared has,
// nor the commit that the work tree stands on.
func (r *Revisions) findUntracked(old, new *Revision) {
	if r.head == nil {
		return
	}
	for _, at := range r.givenPlaces() {
		at = r.Home(at)
		_, err := r.head.Stat(at)
		if err != nil && inDir(r.Repo.WorkTree(), at) && source.Exists(r.disk, at) && !old.Commits(at) && !new.Commits(at) &&
			!slices.ContainsFunc(slices.Concat(r.ignored, r.untracked),
				func(dir string) bool { return inDir(dir, at) }) {
			r.untracked = append(r.untracked, at)
		}
	}
}

// ignoredAt finds what git ignores of a file or directory.
func (r *Revisions) ignoredAt(at string) {
	at = r.Home(at)
	if _, err := r.disk.List(at); err == nil {
		r.ignoredIn(at, nil, false)
	} else if source.Exists(r.disk, at) && r.Repo.Ignored(r.disk, at, false) {
		r.ignore(at)
	}
}

// ignore takes in a file or directory that git ignores, unless it lies in one that it has.
func (r *Revisions) ignore(at string) {
	if !slices.ContainsFunc(r.ignored, func(dir string) bool { return inDir(dir, at) }) {
		r.ignored = append(r.ignored, at)
	}
}

// manyFiles is how many ignored files of a directory count as all of it, if git knows nothing of it: each by itself
// would have to be asked whenever something is read.
const manyFiles = 64

// ignoredIn finds what git ignores: a directory, or some of its parts, or what lies in them. A link is followed unless
// it was found through another one: it may lead back.
func (r *Revisions) ignoredIn(dir string, parts []string, linked bool) {
	list, err := r.disk.List(dir)
	if err != nil || r.looked[dir] {
		return
	}
	var to *source.Dangling
	if _, err := r.head.Stat(dir); errors.As(err, &to) && !inDir(r.Repo.WorkTree(), to.To) {
		return // a link of the commit leads out of the repository: there git ignores nothing
	}
	if link, _ := r.disk.Link(dir); link != "" {
		if _, err := r.head.Link(dir); err != nil { // nobody but the disk has it: a link is no directory to git
			if r.Repo.Ignored(r.disk, dir, false) {
				r.ignore(dir)
			}
			return
		}
	}
	if r.looked == nil {
		r.looked = map[string]bool{}
	}
	r.looked[dir] = parts == nil
	ignored := func(x source.Entry) bool { return r.Repo.Ignored(r.disk, path.Join(dir, x.Name), false) }
	tracked := map[string]bool{}
	if known, err := r.head.List(dir); err == nil {
		for _, x := range known {
			tracked[x.Name] = true
		}
	} else if r.Repo.Ignored(r.disk, dir, true) || len(list) > manyFiles && !slices.ContainsFunc(list,
		func(x source.Entry) bool { return x.IsDir() || !ignored(x) }) {
		r.ignore(dir)
		return
	}
	for _, x := range list {
		at := path.Join(dir, x.Name)
		switch {
		case parts != nil && !slices.Contains(parts, x.Name), x.Name == ".git":
		case x.IsDir() && x.Link && linked:
		case x.IsDir():
			r.ignoredIn(at, nil, linked || x.Link)
		case !tracked[x.Name] && ignored(x):
			r.ignore(at)
		}
	}
}

// findLinked finds what git ignores where a link of a revision leads to.
func (r *Revisions) findLinked(tree *git.Tree, link string) {
	var to *source.Dangling
	if _, err := tree.Stat(link); r.head == nil || !errors.As(err, &to) {
		return
	}
	if info, err := r.disk.Stat(to.To); err == nil && r.Repo.Ignored(r.disk, to.To, info.IsDir()) {
		r.ignore(to.To)
	}
}

// ignoredData finds what git ignores where a hiera.yaml looks for data.
func (r *Revisions) ignoredData(files source.Files, config string) {
	for _, at := range DataPlaces(files, config) {
		r.ignoredAt(at)
	}
}

// DataPlaces are where a hiera.yaml looks for data: the directories by the name of datadir, and the files and
// directories that a path leads to from there.
func DataPlaces(files source.Files, config string) []string {
	text, err := files.Read(config)
	if err != nil {
		return nil
	}
	file, err := datafile.YAMLFile(source.NewFile("", text.Text))
	if err != nil || file.Hash() == nil {
		return nil // who looks something up is told
	}
	root := path.Dir(config)
	places := []string{fixedPart(root, "data")}
	eachText(file.Hash(), "", func(key, text string) {
		if strings.TrimPrefix(key, ":") == "datadir" {
			places = append(places, fixedPart(root, text))
		}
	})
	dirs := slices.Clone(places)
	eachText(file.Hash(), "", func(key, text string) {
		if !strings.HasPrefix(text, "..") && !strings.HasPrefix(text, "/") {
			return
		}
		switch key {
		case "path", "paths", "glob", "globs", "mapped_paths":
			for _, dir := range dirs {
				places = append(places, fixedPart(dir, text))
			}
		}
	})
	return places
}

// eachText visits all texts of a value with the keys that they stand below.
func eachText(v value.Value, key string, visit func(key, text string)) {
	switch v := v.(type) {
	case value.String:
		visit(key, string(v))
	case *value.Array:
		for _, x := range v.Elems {
			eachText(x, key, visit)
		}
	case *value.Hash:
		for _, e := range v.Entries() {
			eachText(e.Value, value.ToString(e.Key), visit)
		}
	}
}

// fixedPart is the file or directory that a text of a hiera.yaml names, or that all lie in that it may name, where a
// part of it is another one for each node.
func fixedPart(root, text string) string {
	if i := strings.IndexAny(text, "%*?[{"); i >= 0 {
		text = text[:strings.LastIndex(text[:i], "/")+1]
	}
	if path.IsAbs(text) {
		return path.Clean(text)
	}
	return path.Join(root, text)
}
