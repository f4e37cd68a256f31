package diff

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"

	"bunraku/puppet/catalog"
	"bunraku/puppet/environment"
	"bunraku/puppet/resource"
	"bunraku/puppet/value"
	"bunraku/source"
)

// Catalogs name the files of modules, `source => puppet:///modules/…`, and do not hold them. A commit that changes such
// a file changes no catalog and still changes machines, so the files are looked up on both sides and compared: texts
// line by line, others by digest and size, directories with recurse => true file by file, as far as they come to the
// machine: agents pass over what is too deep, what is ignored, and what another resource of the catalog looks after.
// Links are made again as they are, unless links => follow is said.
// Resources of other types that fetch such a file, as concat_fragment does, are told by what stands in an attribute.

// Contents compares files of modules between two states of the tree. What many nodes name is compared once. It may be
// used by many goroutines.
type Contents struct {
	from, to *environment.Environment
	modes    bool // which files may be run is known of both

	mu        sync.Mutex
	done      map[contentsKey][]contentsChange
	libraries *[2]*library      // the Ruby that agents have; nil until it is asked for
	functions map[string]string // by name: why it may come to something else
	others    map[string]bool   // by directory of modules: some file in it is not the same
}

type contentsKey struct {
	from, to string // sources, lists joined
	recurse  bool
	all      bool // of several directories, the files of all
	follow   bool // what links lead to comes to the machine, and not the links
	modes    bool // whether a file may be run comes with it
}

// A contentsChange is a file that is not the same on both sides.
type contentsChange struct {
	file     string // below the source, "" for itself
	old, new value.Value
	blocks   []Block
	unknown  string
	mode     bool      // it is whether the file may be run
	dir      bool      // it is a directory that came or went
	place    [2]string // the file's path on either side
}

// NewContents compares files of modules of two environments; modes tells that whether a file may be run counts.
func NewContents(from, to *environment.Environment, modes bool) *Contents {
	return &Contents{from: from, to: to, modes: modes, done: map[contentsKey][]contentsChange{}, others: map[string]bool{}}
}

// Between compares two other environments in the same way.
func (c *Contents) Between(from, to *environment.Environment) *Contents {
	return NewContents(from, to, c.modes)
}

// Compare says which files that a catalog names are not the same on both sides, for a node whose catalog is: s is
// either of them.
func (c *Contents) Compare(s Side, opt Options) []*Change {
	x := &comparison{opt: opt, to: s, oldOwn: ownOf(&s)}
	x.newOwn, x.opt.Contents = x.oldOwn, c
	for _, r := range s.Catalog.Resources {
		x.contents(r, r)
	}
	x.changes = opt.leave(x.changes)
	slices.SortStableFunc(x.changes, before)
	return x.changes
}

// Ignored is Ignored of a node whose catalog is the same on both sides.
func (c *Contents) Ignored(s Side, opt Options) bool {
	all, less := opt.all()
	return less && len(c.Compare(s, all)) > 0
}

// contents compares what a resource of both sides only names: the files of modules, and the functions that agents run.
func (c *comparison) contents(r, s *catalog.Resource) {
	if r.IsContainer() || strings.Contains(r.Type, "::") { // what it hands on is what counts
		return
	}
	c.deferred(r, s)
	c.located(r, s)
	c.rich(r, s)
	if strings.TrimPrefix(r.Type, catalog.ForOthers) == "File" {
		c.files(r, s)
		return
	}
	for i := range s.Params {
		p := &s.Params[i]
		old, new := valuesIn(r.Get(p.Name)), valuesIn(p.Value)
		for i := range min(len(old), len(new)) { // where one has more, the attribute itself is another one
			was, is := moduleTexts(old[i]), moduleTexts(new[i])
			if len(was) == 0 || len(is) == 0 {
				continue
			}
			key := contentsKey{from: strings.Join(was, "\x00"), to: strings.Join(is, "\x00"), follow: true}
			for _, f := range c.opt.Contents.compare(key) {
				c.file(r, s, f)
			}
		}
	}
}

// files compares what the sources of a file hold, if both sides take it from a module.
func (c *comparison) files(r, s *catalog.Resource) {
	old, new := sources(r), sources(s)
	if len(old) == 0 || len(new) == 0 {
		return
	}
	all, _ := s.Get("sourceselect").(value.String)
	links, _ := s.Get("links").(value.String)
	reach := resource.RecursionOf(s.Get)
	var told []string
	for _, f := range c.opt.Contents.compare(contentsKey{strings.Join(old, "\x00"), strings.Join(new, "\x00"), recurses(s),
		all == "all", links == "follow", c.opt.Contents.modes && takesModes(s)}) {
		if f.file != "" && (!reach.Reaches(f.file) || c.owned(placeOf(s), placeOf(s)+"/"+f.file)) {
			continue
		}
		if f.dir && (len(told) > 0 && f.file == "" || slices.ContainsFunc(told, func(file string) bool {
			return strings.HasPrefix(file, f.file+"/")
		})) { // what is in it says it
			continue
		}
		told = append(told, f.file)
		c.file(r, s, f)
	}
}

// file tells of one that is not the same.
func (c *comparison) file(r, s *catalog.Resource, f contentsChange) {
	x := &Change{Kind: ModuleFile, Name: s.Name(), Attribute: "content", File: f.file, Old: f.old, New: f.new,
		old: r, new: s}
	if f.mode {
		x.Attribute = "mode"
	}
	if f.unknown != "" {
		x.Kind, x.Text = NotKnown, f.unknown
	}
	for _, x := range x.split(f.blocks) {
		c.add(x)
		x.OldAt, x.NewAt = Spot{File: f.place[0]}, Spot{File: f.place[1]}
	}
}

// takesModes reports whether a file has the mode of its source: source_permissions says so, and it has no mode itself.
func takesModes(r *catalog.Resource) bool {
	use, _ := r.Get("source_permissions").(value.String)
	return (use == "use" || use == "use_when_creating") && r.Get("mode") == nil
}

// owned reports whether a file resource below the top is at a path of the new catalog, or on the way there.
func (c *comparison) owned(top, at string) bool {
	if c.paths == nil {
		c.paths = map[string]bool{}
		for _, r := range c.to.Catalog.Resources {
			if r.Type == "File" {
				c.paths[placeOf(r)] = true
			}
		}
	}
	for ; len(at) > len(top); at = path.Dir(at) {
		if c.paths[at] {
			return true
		}
	}
	return false
}

// placeOf is where a file resource is.
func placeOf(r *catalog.Resource) string { return path.Clean(cmp.Or(pathOf(r), r.Title)) }

// sources are what a file may be copied from, if a file of a module is among that.
func sources(r *catalog.Resource) (out []string) {
	if e, _ := r.Get("ensure").(value.String); e == "absent" {
		return nil
	}
	return moduleTexts(r.Get("source"))
}

// valuesIn are a value and those in the hashes that it holds: each may name files.
func valuesIn(v value.Value) []value.Value {
	out := []value.Value{v}
	switch v := v.(type) {
	case *value.Array:
		for _, e := range v.Elems {
			if _, isText := e.(value.String); !isText {
				out = append(out, valuesIn(e)[1:]...)
			}
		}
	case *value.Hash:
		for _, e := range v.Entries() {
			out = append(out, valuesIn(e.Value)...)
		}
	}
	return out
}

// moduleTexts are the texts of a value, if a file of a module is among them.
func moduleTexts(v value.Value) (out []string) {
	modules := false
	for _, s := range resource.SourcesOf(v) {
		modules = modules || s.Module != "" || mountOf(s.Text) != nil
		out = append(out, s.Text)
	}
	if !modules {
		return nil
	}
	return out
}

func recurses(r *catalog.Resource) bool {
	switch v := r.Get("recurse").(type) {
	case value.Bool:
		return bool(v)
	case value.String:
		return v == "true" || v == "remote" || v == "inf"
	}
	return false
}

func (c *Contents) compare(key contentsKey) []contentsChange {
	c.mu.Lock()
	defer c.mu.Unlock()
	done, ok := c.done[key]
	if !ok {
		x, y := c.find(c.from, key.from, key), c.find(c.to, key.to, key)
		var names []string
		for name := range x {
			names = append(names, name)
		}
		for name := range y {
			if _, both := x[name]; !both {
				names = append(names, name)
			}
		}
		slices.SortFunc(names, func(m, n string) int { // directories behind what is in them
			aDir, bDir := x[m].dir || y[m].dir, x[n].dir || y[n].dir
			switch {
			case aDir && bDir:
				return strings.Compare(n, m)
			case aDir:
				return 1
			case bDir:
				return -1
			}
			return strings.Compare(m, n)
		})
		for _, name := range names {
			a, b := x[name], y[name]
			if key.modes && a.isFile() && b.isFile() && a.exec != b.exec {
				done = append(done, contentsChange{file: name, mode: true, place: [2]string{a.path, b.path},
					unknown: cmp.Or(a.doubt, b.doubt), old: a.mode(), new: b.mode()})
			}
			if a.same(b) {
				continue
			}
			d := contentsChange{file: name, place: [2]string{a.path, b.path}}
			d.dir = (a.dir || !a.there) && (b.dir || !b.there) && a.err == "" && b.err == ""
			d.unknown = cmp.Or(a.err, b.err, a.doubt, b.doubt)
			d.old, d.new = a.value(), b.value()
			if d.unknown == "" && !a.link && !b.link && !a.dir && !b.dir && isText(a.text) && isText(b.text) {
				d.blocks = blocks(a.text, b.text)
			}
			done = append(done, d)
		}
		c.done[key] = done
	}
	return done
}

// A moduleFile is one that a module brings to a machine.
type moduleFile struct {
	there bool
	link  bool
	dir   bool   // it is a directory, and comes with what is in it
	exec  bool   // it may be run
	text  string // of a link, where it leads
	path  string // for people
	err   string // why it is not known
	made  bool   // then the text is what the content is made of: where that is the same, so is the content
	doubt string // why machines may have something else
}

func (f moduleFile) isFile() bool { return f.there && !f.link && !f.dir && f.err == "" }

// mode is what git keeps of the mode of a file.
func (f moduleFile) mode() value.Value {
	if f.exec {
		return value.String("executable")
	}
	return value.String("not executable")
}

// same reports whether two come to the same on a machine.
func (f moduleFile) same(g moduleFile) bool {
	return f.told() && g.told() && f.there == g.there && f.link == g.link && f.dir == g.dir && f.text == g.text
}

// told reports whether files of the same text are the same.
func (f moduleFile) told() bool { return f.err == "" || f.made }

// value is the content, or for what is no text what can be said of it.
func (f moduleFile) value() value.Value {
	switch {
	case !f.there:
		return nil
	case f.made:
		return value.String("")
	case f.link:
		return value.String("a link to " + f.text)
	case f.dir:
		return value.String("a directory")
	case isText(f.text):
		return value.String(f.text)
	}
	return value.String(digestText(f.text))
}

// digestText is what can be said of bytes that are no text.
func digestText(bytes string) string {
	return fmt.Sprintf("%s, %d bytes", value.DigestText(bytes), len(bytes))
}

// find is the file that a list of sources comes to, or all files below it, by their paths below it. What stands behind
// a source that nobody here can look at may never come to a machine.
func (c *Contents) find(env *environment.Environment, sources string, key contentsKey) map[string]moduleFile {
	out := map[string]moduleFile{}
	if env == nil {
		return map[string]moduleFile{"": {err: "the modules are not at hand"}}
	}
	doubt := ""
	read := func(at string) moduleFile {
		f := readModuleFile(env.Files(), at, key.follow)
		f.path, f.doubt = env.Display(f.path), doubt
		return f
	}
	below := func(top string) {
		if err := walkSource(env.Files(), top, key.follow, func(p string, dir bool) {
			name := strings.TrimPrefix(p, top+"/")
			if _, first := out[name]; first {
				return
			}
			if out[name] = (moduleFile{there: true, dir: true, path: env.Display(p), doubt: doubt}); !dir {
				out[name] = read(p)
			}
		}); err != nil {
			out[""] = moduleFile{err: err.Error()}
		}
	}
	for text := range strings.SplitSeq(sources, "\x00") {
		from := resource.ReadSource(text)
		if m := mountOf(text); m != nil {
			if m.server != "" {
				doubt = "whether " + m.server + " has these modules"
			}
			tops := m.tops(env, key.recurse)
			for _, at := range tops {
				if info, err := env.Files().Stat(at); err != nil || !info.IsDir() {
					out[""] = read(at)
				} else if key.recurse {
					below(at)
				}
			}
			if len(tops) > 0 && !key.all {
				return out
			}
			continue
		}
		switch {
		case from.Module == "":
			doubt = "whether a machine takes " + text + " in place of it"
			continue
		case from.Server != "":
			doubt = "whether " + from.Server + " has these modules"
		}
		module, rest, _ := strings.Cut(from.Module, "/")
		m := env.Module(module)
		if m == nil || !filepath.IsLocal("./"+rest) { // the server does not go up from there
			continue
		}
		at := path.Join(m.Dir, from.Dir, rest)
		info, err := env.Files().Stat(at)
		if err != nil {
			continue
		}
		if target, _ := env.Files().Link(at); !info.IsDir() || target != "" && !key.follow {
			if len(out) == 0 {
				out[""] = read(at)
			}
			return out
		}
		if _, first := out[""]; !first {
			out[""] = moduleFile{there: true, dir: true, path: env.Display(at), doubt: doubt}
		}
		if key.recurse {
			below(at)
		}
		if !key.all {
			return out
		}
	}
	if _, found := out[""]; !found && doubt != "" {
		out[""] = moduleFile{doubt: doubt}
	}
	return out
}

// A mount serves a directory of each module as if they were one: what the agent itself fetches before it runs.
type mount struct{ server, dir, rest string }

var mounted = regexp.MustCompile(`^(?i:puppet):/(?:/([^/]*)/)?(plugins|pluginfacts|locales)(?:/([^?]*))?(?:\?.*)?$`)

// mountOf is the mount that a source names, nil if it names none.
func mountOf(text string) *mount {
	m := mounted.FindStringSubmatch(text)
	if m == nil {
		return nil
	}
	dir := map[string]string{"plugins": "lib", "pluginfacts": "facts.d", "locales": "locales"}[m[2]]
	return &mount{m[1], dir, m[3]}
}

// tops are what a source in a mount is: the path in the first module that has it, or with all that is below it the
// directories of all modules, whatever path is named.
func (m *mount) tops(env *environment.Environment, recurse bool) (tops []string) {
	if !filepath.IsLocal("./" + m.rest) {
		return nil
	}
	for _, x := range env.Modules() {
		at := path.Join(x.Dir, m.dir)
		if !source.Exists(env.Files(), path.Join(at, m.rest)) {
			continue
		}
		if info, err := env.Files().Stat(path.Join(at, m.rest)); !recurse || err == nil && !info.IsDir() {
			return []string{path.Join(at, m.rest)}
		}
		tops = append(tops, at)
	}
	return tops
}

// mostFollowed bounds what is visited by links: a few that lead to one another have very many ways.
const mostFollowed = 1 << 16

// walkSource visits what is below a directory. Links are not followed, or all of them are: a directory that is
// below itself then is an error, as it is for agents.
func walkSource(files source.Files, dir string, follow bool, visit func(p string, dir bool)) error {
	var above []string
	left := mostFollowed
	var walk func(dir string) error
	walk = func(dir string) error {
		real, err := files.Real(dir)
		if err == nil && slices.Contains(above, real) {
			err = &fs.PathError{Op: "list", Path: dir, Err: syscall.ELOOP}
		}
		if err != nil {
			return err
		}
		above = append(above, real)
		defer func() { above = above[:len(above)-1] }()
		list, err := files.List(dir)
		for _, e := range list {
			p := path.Join(dir, e.Name)
			if left--; left < 0 && follow {
				return fmt.Errorf("%s: with links followed there are more than %d files", dir, mostFollowed)
			}
			goes := e.IsDir() && (!e.Link || follow)
			if visit(p, goes); !goes {
				continue
			}
			if err := walk(p); err != nil {
				return err
			}
		}
		return err
	}
	return walk(dir)
}

// readModuleFile is a file as it comes to a machine: a link that is not followed is where it leads. Its path is where
// the bytes are.
func readModuleFile(files source.Files, at string, follow bool) moduleFile {
	if target, err := files.Link(at); err == nil && target != "" && !follow {
		return moduleFile{there: true, link: true, text: target, path: at}
	}
	text, err := files.Read(at)
	f := moduleFile{there: true, text: text.Text, path: at, exec: executable(files, at)}
	if err != nil {
		f.err = err.Error()
	}
	var unknown *source.Unknown
	if errors.As(err, &unknown) {
		f.text, f.made = unknown.Why, true
	}
	dir, errDir := files.Real(path.Dir(at))
	if real, err := files.Real(at); err == nil && errDir == nil && real != path.Join(dir, path.Base(at)) {
		f.path = real
	}
	return f
}
