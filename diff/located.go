package diff

import (
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"

	"bunraku/puppet/catalog"
	"bunraku/puppet/environment"
)

// Code may hand a machine the path that a file of the environment has where catalogs are compiled: a file whose source
// is "${module_directory('m')}/files/a", a command that runs a script of a module. Machines that compile their own
// catalog, with puppet apply, have the file there; others have their own files, or none. So where it is not the same on
// both sides, what comes of it is not known. What other attributes and the contents of files name is for people, and
// for programs of which nobody here knows what they read.

// hasThere are the attributes that name what is read or run on a machine, by type.
var hasThere = map[string][]string{"File": {"source"}, "Exec": {"command", "onlyif", "unless", "refresh"}}

// located tells of files of the environment that a resource names by their paths and that are not the same.
func (c *comparison) located(r, s *catalog.Resource) {
	typ := strings.TrimPrefix(s.Type, catalog.ForOthers)
	for _, name := range hasThere[typ] {
		texts := textsIn(s.Get(name))
		if name == "command" && s.Get(name) == nil {
			texts = []string{s.Title}
		}
		for _, text := range texts {
			if p := c.opt.Contents.otherPath(text, typ == "File" && recurses(s)); p != "" {
				c.add(&Change{Kind: NotKnown, Name: s.Name(), Attribute: name, old: r, new: s,
					Text: "machines that have the environment read " + p + " there, which is not the same"})
				break
			}
		}
	}
}

// pathRest is how a path goes on in a command.
var pathRest = regexp.MustCompile("^(/[^\\s'\"`;|&<>()/]+)+")

// otherPath is a file of the environment that a text names by its path and that is not the same on both sides, for
// display; below is whether all files below a directory count. "" is given if there is none.
func (c *Contents) otherPath(text string, below bool) string {
	if c.from == nil || c.to == nil {
		return ""
	}
	for _, dir := range slices.Concat([]string{c.to.Dir}, c.from.ModulePath, c.to.ModulePath) {
		for rest := text; dir != "" && dir != "/"; {
			_, after, found := strings.Cut(rest, dir)
			if !found {
				break
			}
			rest = after
			if at := pathRest.FindString(after); at != "" && c.otherAt(path.Clean(dir+at), below) {
				return c.to.Display(path.Clean(dir + at))
			}
		}
	}
	return ""
}

// otherAt reports whether what is at a path is not the same on both sides.
func (c *Contents) otherAt(at string, below bool) bool {
	var is [2]map[string]moduleFile
	for i, env := range []*environment.Environment{c.from, c.to} {
		is[i] = map[string]moduleFile{}
		info, err := env.Files().Stat(at)
		switch {
		case err != nil: // nothing is there
		case !info.IsDir():
			is[i][""] = readModuleFile(env.Files(), at, true)
		case below:
			if err := walkSource(env.Files(), at, true, func(p string, dir bool) {
				if is[i][p] = (moduleFile{there: true, dir: true}); !dir {
					is[i][p] = readModuleFile(env.Files(), p, true)
				}
			}); err != nil {
				is[i][""] = moduleFile{err: err.Error()}
			}
		}
	}
	return !maps.EqualFunc(is[0], is[1], moduleFile.same)
}
