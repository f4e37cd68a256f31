package fleet

import (
	"context"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"

	"bunraku/diff"
	"bunraku/puppet/catalog"
	"bunraku/puppet/compiler"
	"bunraku/puppet/environment"
	"bunraku/puppet/eval"
	"bunraku/puppet/functions/stdlib"
	"bunraku/puppet/resource"
	"bunraku/puppet/trace"
	"bunraku/source"
	"bunraku/source/git"
)

// A Puppetfile names versions of modules, and a submodule is a commit of another repository: neither holds their files.
// Both sides of a comparison then have the same files of them, those that lie on the disk, or none. If the sides want
// different ones, two equal compiles say nothing: what uses such a module is not known. What does not use it may only
// change if another version brings something that was looked for elsewhere; that is told of all nodes.

// A Moved is a module that the two sides want in different versions, and have the same files of, or none.
type Moved struct {
	Name string // of the module; "" if it is another directory, which anything may use
	Why  string
	dirs []string // where its files are, if there are any
	data bool     // it is no module of the module path, and Hiera may look into it
	has  source.Files
	rest bool // it is all modules that are not there
	// apart tells that one side has files of its own, in git, and the other means some that are not: what they have is
	// not the same, and still says nothing.
	apart bool
}

// Title names it for people.
func (m *Moved) Title() string {
	if m.Name != "" {
		return m.Name
	}
	if m.rest {
		return "modules that are not there"
	}
	return path.Base(m.dirs[0])
}

// Moved finds them. from and to are the environments of the sides.
func (r *Revisions) Moved(old, new *Revision, from, to *environment.Environment) (all []Moved) {
	was, is := environment.Pins(old.Files, r.env), environment.Pins(new.Files, r.env)
	names := maps.Clone(was)
	maps.Copy(names, is)
	rest := was[""] != is[""] || r.evaluates(old, new, said(was)+said(is), slices.Concat(from.ModulePath, to.ModulePath))
	if rest { // what the rest means nobody knows: it may name any module that is not a side's own
		for _, m := range slices.Concat(from.Modules(), to.Modules()) {
			names[m.Name] = ""
		}
	}
	all = r.beside(old, new, from, to, was, is)
	for _, name := range slices.Sorted(maps.Keys(names)) {
		before, after := from.Module(name), to.Module(name)
		if before == nil && after == nil && slices.ContainsFunc(all, func(m Moved) bool { return m.data && m.Name == name }) {
			continue
		}
		if name == "" || !rest && was[name] == is[name] || r.owns(old, before) && r.owns(new, after) {
			continue
		}
		m := Moved{Name: name, has: new.Files, Why: "the Puppetfile wants another version of the module " + name +
			", which is not fetched", apart: r.owns(old, before) != r.owns(new, after)}
		for _, x := range []*environment.Module{before, after} {
			if x != nil && !slices.Contains(m.dirs, x.Dir) {
				m.dirs = append(m.dirs, x.Dir)
			}
		}
		all = append(all, m)
	}
	if rest {
		all = append(all, Moved{rest: true,
			Why: "the Puppetfile is another one, and modules that it may name are not fetched"})
	}
	stood, stands := r.submodules(old, new), r.submodules(new, old)
	dirs := maps.Clone(stood)
	maps.Copy(dirs, stands)
	for _, dir := range slices.Sorted(maps.Keys(dirs)) {
		was, is := stood[dir] == "" && r.has(old, dir), stands[dir] == "" && r.has(new, dir)
		if stood[dir] == stands[dir] || was && r.checkedOut(new, dir) || is && r.checkedOut(old, dir) {
			continue
		}
		m := Moved{has: new.Files, dirs: []string{dir}, apart: was != is}
		m.Why = "the submodule " + strings.TrimPrefix(dir, r.env+"/") + " is at another commit, whose files are not here"
		if stood[dir] == "" || stands[dir] == "" {
			m.Why = strings.TrimPrefix(dir, r.env+"/") + " is a submodule on one side, whose files are not here"
		} else if strings.Contains(stood[dir]+stands[dir], edited) {
			m.Why = "files of the submodule " + strings.TrimPrefix(dir, r.env+"/") + " were edited, and both sides have them"
		}
		if slices.Contains(from.ModulePath, path.Dir(dir)) || slices.Contains(to.ModulePath, path.Dir(dir)) {
			m.Name = path.Base(dir)
		}
		all = append(all, m)
	}
	return all
}

// A Puppetfile is Ruby, and may read what it likes: a list, or more of itself. Which file it reads stands in it in some
// form, whole or in parts, in the same line or far from where it is read. So one that reads or evaluates anything may
// read every file of the environment of which a part of the path is a word of it; of manifests, data, templates and the
// like, which are named by common words, only those that it calls by their whole names, and of modules by their paths.
// Where names are made by the code, by a pattern or in a text, it may be any other file.
var (
	reading = regexp.MustCompile("\\b(load|\\w*eval|require|require_relative|import|open|glob|system|exec|spawn|\\w*popen|sysopen|" +
		"Dir|Find|File|IO|Pathname|YAML|JSON|Psych|Kernel)\\b|%x|load_file|`|\\bread")
	// ofModule is a line of what Pins has of one module, and plain a text in it that is one as it stands: it reads
	// nothing
	ofModule = regexp.MustCompile(`(?m)^\d+ mod\b.*$|^\d+ :?\w+(:| =>) ['"][^'"]*['"],?$`)
	plain    = regexp.MustCompile(`'[^'\\]*'|"[^"\\#]*"`)
	computed = regexp.MustCompile(`#\{|\*|\bENV\b|\bglob\b|\b(Dir|Find|Pathname)\b`)
	here     = regexp.MustCompile(`#\{\s*(__dir__|File\.dirname\(__FILE__\)|here)\s*\}`)
	pathOf   = regexp.MustCompile(`[A-Za-z0-9_.-]*(/[A-Za-z0-9_.-]+)+`)
	wordOf   = regexp.MustCompile(`[A-Za-z0-9_.-]*[A-Za-z0-9_-]`)
)

// namedApart are directories of an environment that hold what nodes read and no lists of modules.
var namedApart = []string{"manifests", "data", "hieradata", "templates", "facts", "functions", "types", "spec"}

// said is all that a Puppetfile says, of modules and besides.
func said(pins map[string]string) (text string) {
	for _, name := range slices.Sorted(maps.Keys(pins)) {
		text += pins[name] + "\n"
	}
	return text
}

// withoutNames leaves out how modules are called, where they come from and their versions.
func withoutNames(said string) string {
	return ofModule.ReplaceAllStringFunc(said, func(line string) string { return plain.ReplaceAllString(line, "''") })
}

// evaluates reports whether a file that a Puppetfile may evaluate, or read a list from, is not the same on both sides.
// said is what the Puppetfiles say, without comments; modules is the module path.
func (r *Revisions) evaluates(old, new *Revision, said string, modules []string) bool {
	if !reading.MatchString(withoutNames(said)) {
		return false
	}
	list, err := r.Changed(context.Background(), old, new, []string{r.env})
	if err != nil {
		return true
	}
	isFile := func(files source.Files, p string) bool {
		info, err := files.Stat(p)
		return err == nil && !info.IsDir()
	}
	rest := pathOf.ReplaceAllStringFunc(said, func(text string) string {
		if p := path.Join(r.env, text); isFile(old.Files, p) || isFile(new.Files, p) {
			return " " // it is that file, and none with a part of its name
		}
		return text
	})
	words := map[string]bool{}
	for _, w := range wordOf.FindAllString(rest, -1) {
		words[w], words[strings.TrimLeft(w, ".")] = true, true
	}
	made := computed.MatchString(here.ReplaceAllString(said, ""))
	return slices.ContainsFunc(list, func(p string) bool {
		rel, inside := strings.CutPrefix(p, r.env+"/")
		parts := strings.Split(rel, "/")
		name := parts[len(parts)-1]
		switch {
		case !inside || rel == "Puppetfile" || rel == "Puppetfile.lock": // what these say is compared
			return false
		case strings.Contains(said, rel):
			return true
		case slices.ContainsFunc(modules, func(dir string) bool { return strings.HasPrefix(p, dir+"/") }):
			return false
		case slices.Contains(namedApart, parts[0]):
			return words[name]
		}
		parts = append(parts, strings.TrimSuffix(name, path.Ext(name)))
		return made || slices.ContainsFunc(parts, func(part string) bool { return words[part] })
	})
}

// beside finds what a Puppetfile puts outside of the module path: data, mostly. Where that is a directory of modules,
// anything may use it.
func (r *Revisions) beside(old, new *Revision, from, to *environment.Environment,
	was, is map[string]string) (all []Moved) {
	paths := slices.Concat(from.ModulePath, to.ModulePath)
	dirs := slices.Concat(environment.Puppetfile(old.Files, r.env), environment.Puppetfile(new.Files, r.env))
	slices.Sort(dirs)
	for _, rel := range slices.Compact(dirs) {
		name, dir := path.Base(rel), path.Join(r.env, rel)
		if was[name] == is[name] && was[""] == is[""] || slices.Contains(paths, path.Dir(dir)) ||
			r.has(old, dir) && r.has(new, dir) {
			continue
		}
		m := Moved{Name: name, dirs: []string{dir}, has: new.Files, data: true,
			Why: "the Puppetfile wants another version of " + rel + ", which is not fetched"}
		if slices.ContainsFunc(paths, func(p string) bool { return p == dir || strings.HasPrefix(p, dir+"/") }) {
			m.Name = ""
		}
		all = append(all, m)
	}
	return all
}

// owns reports whether the files of a module are a side's own, and not those of the disk.
func (r *Revisions) owns(side *Revision, m *environment.Module) bool {
	return m != nil && r.has(side, m.Dir)
}

// has reports whether what is in a directory is a side's own.
func (r *Revisions) has(side *Revision, at string) bool {
	if side.Tree != nil {
		return side.Commits(at) && !slices.Contains(side.Lent, at)
	}
	rel, inside := strings.CutPrefix(at, r.env+"/")
	laid := func(dir string) bool {
		return source.Exists(environment.Disk(dir, r.opt), path.Join(source.Absolute(dir), rel))
	}
	return inside && !slices.ContainsFunc(r.given.With, laid) && !slices.ContainsFunc(r.ignored, func(dir string) bool {
		return at == dir || strings.HasPrefix(at, dir+"/")
	}) && source.Exists(side.Files, at)
}

// checkedOut reports whether a submodule's files are a side's own: it is the work tree, and has them.
func (r *Revisions) checkedOut(side *Revision, dir string) bool {
	list, err := r.disk.List(dir)
	return side.Title == WorkTree && err == nil && len(list) > 0
}

// submodules are those of a side, with the commits that it has them at. Of the work tree they are what is checked out;
// which there are is told by the last commit and by the other side.
func (r *Revisions) submodules(side, other *Revision) map[string]string {
	out := map[string]string{}
	of := func(submodules map[string]git.ID) {
		for dir, id := range submodules {
			out[dir] = id.String()
		}
	}
	if r.Repo == nil || side.Tree != nil || side.Title != WorkTree {
		of(side.submodules)
		return out
	}
	of(other.submodules)
	if r.head != nil {
		_, submodules := r.head.Others()
		of(submodules)
	}
	for dir := range out {
		if sub, err := git.Open(dir, git.Options{Roots: r.disk.Roots()}); err == nil {
			if id, err := sub.Resolve("HEAD"); err == nil && sub.WorkTree() == dir {
				out[dir] = id.String()
				if r.edited(sub) {
					out[dir] += edited
				}
			}
			sub.Close()
		}
	}
	return out
}

// edited is told of a submodule behind its commit if its files are others.
const edited = ", edited"

// edited reports whether the files of a submodule are not those of its commit.
func (r *Revisions) edited(sub *git.Repo) bool {
	tree, err := sub.Tree("HEAD", sub.WorkTree())
	if err != nil {
		return true
	}
	own := &Revisions{Repo: sub, env: sub.WorkTree(), disk: r.disk}
	list, err := own.Changed(context.Background(), &Revision{Files: tree, Tree: tree},
		&Revision{Title: WorkTree, Files: r.disk}, []string{sub.WorkTree()})
	return err != nil || len(list) > 0
}

// moved is why a compile may come to something else on the two sides though all that they have is the same; "" if it
// uses nothing that moved.
func (c *Comparing) moved(res *eval.Result) string {
	if len(c.Moved) == 0 {
		return ""
	}
	for i := range c.Moved {
		m := &c.Moved[i]
		switch {
		case m.Name == "" && !m.rest, m.rest && res.Failure != nil, res.Questions == nil, m.standsIn(res),
			res.Catalog != nil && m.fills(res.Catalog):
			return m.Why
		}
	}
	for _, e := range res.Questions().Entries {
		for i := range c.Moved {
			if m := &c.Moved[i]; m.answers(e.Question) {
				return m.Why
			}
		}
	}
	return ""
}

// undecided compares a node that compiles on one side only, if it uses something on the other that moved: with what is
// meant there it may compile. Nothing is given if it uses nothing such.
func (c *Comparing) undecided(n Node, was, is *eval.Result) []*diff.Change {
	fails, side := was, c.To
	if was.Failure == nil {
		fails, is, side = is, was, c.From
	}
	why := c.moved(fails)
	if is.Failure != nil || why == "" {
		return nil
	}
	both := c.side(side, is)
	both.Open = why + "; without them: " + n.reason(fails.Failure).Summary
	opt := c.Options
	opt.Contents = nil // its files may be those of the module
	return diff.Compare(both, both, opt)
}

// sure leaves out the changes of what is written in a module that only one side has, and of its files: what the other
// one means may have them, too.
func (c *Comparing) sure(changes []*diff.Change, was, is *eval.Result) []*diff.Change {
	if was.Open == "" && is.Open == "" {
		return changes
	}
	names := func(m *Moved, x *diff.Change) bool {
		return x.Kind == diff.ModuleFile && slices.ContainsFunc([]*eval.Result{was, is}, func(res *eval.Result) bool {
			r := res.Catalog.Resource(x.Name.Type, x.Name.Title)
			return r != nil && m.named(r)
		})
	}
	return slices.DeleteFunc(changes, func(x *diff.Change) bool {
		return x.Kind != diff.NotKnown && slices.ContainsFunc(c.Moved, func(m Moved) bool {
			return m.apart && (names(&m, x) || slices.ContainsFunc(m.dirs, func(dir string) bool {
				dir = c.To.Environment().Display(dir) + "/"
				return strings.HasPrefix(x.OldAt.File, dir) || strings.HasPrefix(x.NewAt.File, dir)
			}))
		})
	})
}

// standsIn reports whether a compile went on without the module. Which module brings a plain name is not known.
func (m *Moved) standsIn(res *eval.Result) bool {
	return slices.ContainsFunc(res.StandIns, func(s eval.StandIn) bool {
		return m.rest || s.Module == m.Name || s.IsUnnamed()
	})
}

// fills reports whether a catalog names a file of the module, or may do so on agents, or a function that these have
// from it.
func (m *Moved) fills(c *catalog.Catalog) bool {
	return slices.ContainsFunc(c.Resources, func(r *catalog.Resource) bool {
		return m.named(r) || slices.ContainsFunc(r.Params, func(p catalog.Param) bool { return diff.FoundByAgents(r, &p) })
	})
}

// named reports whether a resource names a file of the module, or such a function.
func (m *Moved) named(r *catalog.Resource) bool {
	return !m.rest && slices.ContainsFunc(r.Params, func(p catalog.Param) bool {
		return slices.ContainsFunc(resource.SourcesOf(p.Value), func(s resource.Source) bool {
			name, _, _ := strings.Cut(s.Module, "/")
			return name == m.Name
		}) || slices.ContainsFunc(diff.Deferred(p.Value), func(name string) bool {
			name = strings.ToLower(name)
			return strings.HasPrefix(name, m.Name+"::") || m.brings(name)
		})
	})
}

// answers reports whether the answer to a question is the module's.
func (m *Moved) answers(q trace.Question) bool {
	if m.rest {
		return false
	}
	for _, dir := range m.dirs {
		if q.Of == dir || strings.HasPrefix(q.Of, dir+"/") {
			return true
		}
	}
	if m.data {
		return (q.Kind == trace.LayerFirst || q.Kind == trace.LayerAll) && strings.HasPrefix(q.Of, "::")
	}
	of := strings.ToLower(q.Of)
	switch q.Kind {
	case trace.Manifest, trace.Directory:
		return q.Of == m.Name
	case trace.LayerFirst, trace.LayerAll:
		return strings.TrimPrefix(q.Of, "::default ") == m.Name
	case trace.Template, trace.FindFile, trace.FindTemplate, trace.ERB:
		return strings.HasPrefix(q.Of, m.Name+"/")
	case trace.Function, trace.TypeAlias, trace.Native, trace.Native3, trace.TypeFile, trace.Described, trace.Library,
		trace.Providers, trace.Attributes, trace.Accepts:
		return strings.HasPrefix(of, m.Name+"::") || m.brings(of)
	}
	return false
}

// brings reports whether the module has a function, a data type, a resource type or a library of a name.
func (m *Moved) brings(name string) bool {
	if m.Name == "stdlib" && len(m.dirs) == 0 { // what is built in of it stands in
		return stdlib.Module(compiler.StandInVersion)[name] != nil || name == "anchor" || name == "file_line"
	}
	for _, dir := range m.dirs {
		for _, file := range []string{"puppet/functions/" + name + ".rb", "puppet/parser/functions/" + name + ".rb",
			"puppet/type/" + name + ".rb", "puppet/provider/" + name, name + ".rb"} {
			if source.Exists(m.has, path.Join(dir, "lib", file)) {
				return true
			}
		}
	}
	return false
}
