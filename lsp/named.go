package lsp

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"bunraku/puppet/lookup/datafile"
	"bunraku/puppet/value"
	"bunraku/source"
)

// Data need not look like data: a level of a hiera.yaml may name files in HOCON, files whose names end with nothing,
// a directory of which a part is computed, a hidden one. So beside the files that lie where data lie there are those
// that the paths and globs of some level can come to.

// A dataNamer is what a level of a hiera.yaml says of where its files are.
type dataNamer struct {
	fixed string         // the directory that is not computed, with a slash at its end
	paths *regexp.Regexp // what the paths of files look like
}

// dataNamers are those of all files called hiera.yaml. Any datadir of a file may be that of any path in it.
func dataNamers(view source.Files, settings []string) (out []dataNamer) {
	for _, p := range settings {
		c, err := view.Read(p)
		if err != nil {
			continue
		}
		n, err := datafile.ReadYAML(source.NewFile(p, c.Text))
		if err != nil || n == nil {
			continue
		}
		dirs, paths := []string{"data", "hieradata"}, []string(nil)
		saysWhere(n, &dirs, &paths)
		slices.Sort(dirs)
		for _, dir := range slices.Compact(dirs) {
			for _, file := range paths {
				whole := path.Join(dir, file)
				if !path.IsAbs(whole) {
					whole = path.Join(path.Dir(p), whole)
				}
				fixed := whole
				if i := strings.IndexAny(whole, "%*?[{"); i >= 0 {
					fixed = whole[:i]
				}
				fixed = strings.TrimSuffix(fixed[:strings.LastIndexByte(fixed, '/')+1], "/") + "/"
				out = append(out, dataNamer{fixed, pathsLike(whole)})
			}
		}
	}
	return out
}

// saysWhere gathers the directories and paths that settings name, at any depth.
func saysWhere(n *datafile.Node, dirs, paths *[]string) {
	var texts func(n *datafile.Node, to *[]string)
	texts = func(n *datafile.Node, to *[]string) {
		if s, is := n.Value.(value.String); is {
			*to = append(*to, string(s))
		}
		for _, kid := range n.Kids {
			texts(kid.Node, to)
		}
	}
	if _, is := n.Value.(*value.Array); is {
		for _, kid := range n.Kids {
			saysWhere(kid.Node, dirs, paths)
		}
	}
	for key, kid := range entries(n) {
		switch strings.TrimPrefix(key, ":") {
		case "datadir":
			texts(kid.Node, dirs)
		case "path", "paths", "glob", "globs", "mapped_paths":
			texts(kid.Node, paths)
		case "hierarchy":
			if _, list := kid.Node.Value.(*value.Array); list { // of version 3, without what the name ends with
				for _, level := range kid.Node.Kids {
					if s, is := level.Node.Value.(value.String); is {
						*paths = append(*paths, string(s)+".*")
					}
				}
			}
			saysWhere(kid.Node, dirs, paths)
		default:
			saysWhere(kid.Node, dirs, paths)
		}
	}
}

// putInPath is what paths and globs of a hiera.yaml have for parts of which nobody knows what they are.
var putInPath = regexp.MustCompile(`%\{[^}]*\}|\*\*|[*?]|\[[^\]]*\]|\{[^}]*\}`)

// pathsLike matches the paths that a path or glob of a hiera.yaml may come to.
func pathsLike(text string) *regexp.Regexp {
	var b strings.Builder
	b.WriteByte('^')
	at := 0
	for _, m := range putInPath.FindAllStringIndex(text, -1) {
		b.WriteString(regexp.QuoteMeta(text[at:m[0]]))
		switch text[m[0]:m[1]] {
		case "*", "?":
			b.WriteString(`[^/]*`)
		default:
			b.WriteString(`.*`)
		}
		at = m[1]
	}
	b.WriteString(regexp.QuoteMeta(text[at:]) + "$")
	return regexp.MustCompile(b.String())
}

// namedData are the files that settings can name: of some that are looked at anyway, and of those in directories that
// nobody looks into otherwise.
func (f *folder) namedData(view source.Files, settings, some []string) map[string]bool {
	out := map[string]bool{}
	names := dataNamers(view, settings)
	add := func(p string) {
		if slices.ContainsFunc(names, func(n dataNamer) bool {
			return strings.HasPrefix(p, n.fixed) && n.paths.MatchString(p)
		}) {
			out[p] = true
		}
	}
	for _, p := range some {
		add(p)
	}
	walked := map[string]bool{}
	for _, n := range names {
		below, is := strings.CutPrefix(n.fixed, strings.TrimSuffix(f.dir, "/")+"/")
		if !is || walked[n.fixed] || !slices.ContainsFunc(strings.Split(below, "/"), unlooked) {
			continue
		}
		walked[n.fixed] = true
		_ = source.WalkOn(view, strings.TrimSuffix(n.fixed, "/"), func(p string, e source.Entry) bool {
			if !e.IsDir() && !isCode(p) {
				add(p)
			}
			return e.Name != ".git"
		}, func(string, error) error { return nil })
	}
	return out
}

// isCode reports whether a file is code, whatever a path of data may come to.
func isCode(p string) bool {
	ext := path.Ext(p)
	return ext == ".pp" || ext == ".epp" || ext == ".erb"
}

// unlooked reports whether nobody looks into a directory of a name.
func unlooked(name string) bool { return strings.HasPrefix(name, ".") || noData[name] }
