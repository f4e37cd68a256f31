package lsp

import (
	"errors"
	"path"
	"regexp"
	"slices"
	"strings"

	"bunraku/puppet/lookup/datafile"
	"bunraku/puppet/value"
	"bunraku/source"
)

// Which files there are is told by their names below the folder: where the folder lies on somebody's disk says nothing.

// isData reports whether a file of a folder holds Hiera's data. What is hidden, belongs to tests or holds facts does
// not, and neither does hiera.yaml, which says where the data are.
func isData(dir, p string) bool {
	below := path.Join("/", path.Base(dir), strings.TrimPrefix(p, dir))
	return mayBeData(dir, p) && (strings.Contains(below, "/data/") || strings.Contains(below, "/hiera"))
}

// mayBeData reports whether a file holds data if somebody says that data are where it is.
func mayBeData(dir, p string) bool {
	switch path.Ext(p) {
	case ".yaml", ".yml", ".eyaml", ".json":
	default:
		return false
	}
	for _, part := range strings.Split(strings.TrimPrefix(p, dir), "/") {
		if strings.HasPrefix(part, ".") || noData[part] {
			return false
		}
	}
	return !isSettings(p)
}

// mayMention reports whether a file that has no names itself may have texts that are some: functions and types in Ruby,
// plans in YAML, and what says which parameters a task takes.
func mayMention(dir, p string) bool {
	below := strings.TrimPrefix(p, dir)
	return path.Ext(p) == ".rb" && strings.Contains(below, "/lib/") ||
		path.Ext(p) == ".yaml" && strings.Contains(below, "/plans/") || ofTask(p)
}

// ofTask reports whether a file says which parameters a task takes.
func ofTask(p string) bool { return path.Ext(p) == ".json" && path.Base(path.Dir(p)) == "tasks" }

// isData reports whether a file holds data, by where it is or because a hiera.yaml says so.
func (f *folder) isData(p string) bool {
	root := f.lookedAtIn(p)
	if isData(root, p) {
		return true
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	return mayBeData(root, p) &&
		slices.ContainsFunc(f.datadirs, func(dir string) bool { return strings.HasPrefix(p, dir) })
}

// datadirs are the directories that files called hiera.yaml name, of any version. Of one whose name is computed it is
// the part before that; a name that is computed altogether says nothing.
func datadirs(view source.Files, settings []string) (dirs []string) {
	var in func(home string, v value.Value)
	in = func(home string, v value.Value) {
		switch v := v.(type) {
		case *value.Array:
			for _, x := range v.Elems {
				in(home, x)
			}
		case *value.Hash:
			for _, e := range v.Entries() {
				key, _ := e.Key.(value.String)
				dir, is := e.Value.(value.String)
				if !is || strings.TrimPrefix(string(key), ":") != "datadir" {
					in(home, e.Value)
					continue
				}
				fixed, _, computed := strings.Cut(string(dir), "%{")
				if computed {
					fixed = path.Dir(fixed + "x")
				}
				if computed && (fixed == "." || fixed == "/") {
					continue
				}
				if !path.IsAbs(fixed) {
					fixed = path.Join(home, fixed)
				}
				dirs = append(dirs, strings.TrimSuffix(path.Clean(fixed), "/")+"/")
			}
		}
	}
	for _, p := range settings {
		if c, err := view.Read(p); err == nil {
			if n, err := datafile.ReadYAML(source.NewFile(p, c.Text)); err == nil { // one that is broken says nothing
				in(path.Dir(p), n.Value)
			}
		}
	}
	slices.Sort(dirs)
	return slices.Compact(dirs)
}

// noData are directories whose files are no data.
var noData = map[string]bool{"spec": true, "facts": true, "node_modules": true}

// isSettings reports whether a file says where Hiera's data are.
func isSettings(p string) bool { return path.Base(p) == "hiera.yaml" }

// matters reports whether answers may depend on a file that was written, or on a directory that came or went: one of
// the folder's, or one that the command line names. Nothing depends on what lies in hidden directories, where other
// programs write all the time.
func (f *folder) matters(p string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	roots := []string{f.dir}
	if f.disk != nil {
		roots = append(roots, f.disk.Roots()...)
	}
	if f.opt.Classifier != nil {
		roots = append(roots, source.Absolute(f.opt.Classifier.String()))
	}
	for _, root := range roots {
		if p == root {
			return true
		}
		below, is := strings.CutPrefix(p, strings.TrimSuffix(root, "/")+"/")
		if !is || hidden.MatchString(below) {
			continue
		}
		switch path.Ext(p) {
		case "", ".pp", ".epp", ".erb", ".yaml", ".yml", ".json", ".eyaml", ".conf", ".rb", ".pem", ".assert", ".assume":
			return true
		case ".gitmodules":
			return path.Base(p) == ".gitmodules"
		}
		if anything.MatchString("/"+path.Dir(below)+"/") ||
			slices.ContainsFunc(f.datadirs, func(dir string) bool { return strings.HasPrefix(p, dir) }) {
			return true
		}
	}
	return false
}

// Directories whose files nothing reads, and those whose files may be called anything.
var (
	hidden   = regexp.MustCompile(`(?:^|/)\.[^/]*/`)
	anything = regexp.MustCompile(`/(?:templates|files|lib|data|facts|facts\.d|hiera[^/]*)/`)
)

// wrong is what keeps an open file that is no code from being read: of data, hiera.yaml and metadata.json here, of
// others as the program says.
func (f *folder) wrong(d *document) source.Diagnostics {
	var err error
	if f.isData(d.path) || isSettings(d.path) || path.Base(d.path) == "metadata.json" {
		_, err = f.ws.Data(source.NewMemory([]string{"/"}, map[string]string{d.path: d.text}, nil), d.path)
	}
	var trouble *source.Diagnostic
	switch {
	case errors.As(err, &trouble):
	case f.server.opt.Other != nil:
		list := f.server.opt.Other(source.NewFile(d.path, d.text))
		for i, x := range list {
			shown := *x
			shown.Summary = quotedRuby.ReplaceAllString(shown.Summary, "$1")
			list[i] = &shown
		}
		return list
	default:
		return nil
	}
	shown := *trouble
	shown.Summary = strings.TrimPrefix(shown.Summary, "("+d.path+"): ")
	if path.Ext(d.path) == ".json" {
		shown.Summary, shown.Place.Span = datafile.BrokenJSON(d.text)
	}
	return source.Diagnostics{&shown}
}

// Messages about data that cannot be read quote a word of it, as Puppet's do. A password that begins with an asterisk
// is an alias that nobody knows, to YAML.
var (
	quotedData = regexp.MustCompile(
		`(Unknown alias|invalid value for Float\(\)|\.conf\): String: \d+): .*|(the alias) \*\S+( contains itself)`)
	quotedRuby = regexp.MustCompile(`^(syntax error), unexpected .*`)
)

// unquoted is a message without what it quotes of data.
func unquoted(message string) string { return quotedData.ReplaceAllString(message, "$1$2$3") }
