package audit

import (
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"bunraku/puppet/compiler"
	"bunraku/puppet/environment"
	"bunraku/puppet/facts"
	"bunraku/puppet/lookup/datafile"
	"bunraku/puppet/outline"
	"bunraku/puppet/resource"
	"bunraku/puppet/syntax"
	"bunraku/puppet/value"
	"bunraku/source"
)

// Codes of what is said about data.
const (
	Unreadable    = "H0501" // a data file that cannot be read, used or not
	codeTwice     = "H0502" // a key twice in one file
	codeNobody    = "H0503" // a key that nothing takes
	codeDataValue = "H0504" // a value that its parameter does not accept
	codeNever     = "H0505" // a level that can never match
	codeDatadir   = "H0506" // a directory of data that is not there
	codeDeadAlias = "H0507" // an interpolation that leads to no key
	codeSealed    = "H0508" // an encrypted value that no level decrypts
	codeNoHiera   = "H0510" // data without a hiera.yaml
)

// A dataFile is a file that a hierarchy may read.
type dataFile struct {
	path   string
	module string // whose hiera.yaml names it; "" for the environment
	file   *datafile.File
	err    error
	opened bool // a level that decrypts reads it
}

// entries are the keys of the top level.
func (f *dataFile) entries() (keys []string) {
	h := f.file.Hash()
	if h == nil {
		return nil
	}
	for _, e := range h.Entries() {
		keys = append(keys, value.ToString(e.Key))
	}
	return keys
}

func (f *dataFile) keyPlace(i int) source.Place {
	return source.Place{File: f.file.Source, Span: f.file.Root.Kids[i].Key}
}

// A hiera is a hiera.yaml of version 5.
type hiera struct {
	module string
	dir    string
	file   *datafile.File
	levels []levelText
	other  bool // some level asks for more than files: who knows which keys it has
}

// A levelText is a path of a level as it is written.
type levelText struct {
	name, datadir, path string
	glob                bool
	node                *datafile.Node // of the path
	dirNode             *datafile.Node // of the directory, if one is named
	opens               bool           // it decrypts
	plain               bool           // the format is YAML, JSON or HOCON, encrypted or not
}

// configured visits the directories that may have a hiera.yaml: the environment's, and those of its own modules.
func (t *Tree) configured(visit func(dir, module string)) {
	if t.env.Dir != "" {
		visit(t.env.Dir, "")
	}
	for _, m := range t.env.Modules() {
		if t.own(filepath.Join(m.Dir, "manifests", "init.pp")) {
			visit(m.Dir, m.Name)
		}
	}
}

// checkConfigs tells of a hiera.yaml over which every lookup fails, whether a node looks anything up or not.
func (t *Tree) checkConfigs() {
	t.configured(func(dir, module string) {
		p := filepath.Join(dir, "hiera.yaml")
		if !source.Exists(t.env.Files(), p) {
			return
		}
		var told *source.Diagnostic
		if err := t.snap.CheckHiera(p, module != ""); errors.As(err, &told) {
			d := *told
			if d.Severity = source.Warning; d.Place.File == nil {
				d.Place.File = source.NewFile(t.env.Display(p), "")
			}
			t.say(&d)
		}
	})
}

// hieras are the configurations of the tree.
func (t *Tree) hieras() (out []*hiera) {
	t.configured(func(dir, module string) {
		p := filepath.Join(dir, "hiera.yaml")
		text, err := t.env.Read(p)
		if err != nil {
			return
		}
		src := source.NewFile(t.env.Display(p), text)
		root, err := datafile.ReadYAML(src)
		if err != nil || root == nil {
			return // checkConfigs tells
		}
		h := &hiera{module: module, dir: dir, file: datafile.NewFile(src, root)}
		if h.file.Hash() == nil {
			return
		}
		if v, ok := h.file.Hash().At("version").(value.Int); ok && v == 5 {
			h.read()
			out = append(out, h)
		}
	})
	return out
}

// read takes in the levels of the hierarchies.
func (h *hiera) read() {
	text := func(n *datafile.Node) string {
		if n == nil {
			return ""
		}
		s, _ := n.Value.(value.String)
		return string(s)
	}
	entry := func(n *datafile.Node, key string) *datafile.Node {
		if n == nil {
			return nil
		}
		return n.Entry(key)
	}
	defaults := h.file.Entry("defaults")
	for _, list := range []string{"hierarchy", "default_hierarchy"} {
		node := h.file.Entry(list)
		if node == nil {
			continue
		}
		for _, k := range node.Kids {
			l := levelText{name: text(entry(k.Node, "name")), datadir: "data", plain: true}
			for _, from := range []*datafile.Node{defaults, k.Node} {
				if d := entry(from, "datadir"); d != nil {
					l.datadir, l.dirNode = text(d), d
				}
				for _, f := range []string{"data_hash", "lookup_key", "data_dig", "hiera3_backend"} {
					if n := entry(from, f); n != nil {
						l.opens = text(n) == "eyaml_lookup_key"
						l.plain = slices.Contains([]string{"yaml_data", "json_data", "hocon_data", "eyaml_lookup_key"}, text(n))
					}
				}
			}
			h.other = h.other || !l.plain
			for _, key := range []string{"path", "glob"} {
				if n := entry(k.Node, key); n != nil {
					l.path, l.node, l.glob = text(n), n, key == "glob"
					h.levels = append(h.levels, l)
				}
				if n := entry(k.Node, key+"s"); n != nil {
					for _, x := range n.Kids {
						l.path, l.node, l.glob = text(x.Node), x.Node, key == "glob"
						h.levels = append(h.levels, l)
					}
				}
			}
			if n := entry(k.Node, "mapped_paths"); n != nil && len(n.Kids) == 3 {
				l.path = strings.ReplaceAll(text(n.Kids[2].Node), "%{"+text(n.Kids[1].Node)+"}", "%{any}")
				l.node = n.Kids[2].Node
				h.levels = append(h.levels, l)
			}
		}
	}
}

var interpolation = regexp.MustCompile(`%\{[^}]*\}`)

// pattern is what the files of a level are called: what is interpolated may be anything.
func (l *levelText) pattern() *regexp.Regexp {
	var b strings.Builder
	b.WriteString("^")
	rest := l.path
	for {
		i := interpolation.FindStringIndex(rest)
		piece := rest
		if i != nil {
			piece = rest[:i[0]]
		}
		quoted := regexp.QuoteMeta(piece)
		if l.glob {
			quoted = strings.NewReplacer(`\*\*`, `.*`, `\*`, `[^/]*`, `\?`, `.`, `\{`, `.*`, `\}`, `.*`, `\[`, `.*`, `\]`,
				`.*`).Replace(quoted)
		}
		b.WriteString(quoted)
		if i == nil {
			break
		}
		b.WriteString(".*")
		rest = rest[i[1]:]
	}
	b.WriteString("$")
	re, err := regexp.Compile(b.String())
	if err != nil {
		return regexp.MustCompile(`.*`)
	}
	return re
}

// data are the files that the hierarchies may read.
func (t *Tree) data() []*dataFile {
	if t.dataDone {
		return t.dataFiles
	}
	t.dataDone = true
	seen := map[string]*dataFile{}
	for _, h := range t.hieras() {
		for _, l := range h.levels {
			if !l.plain || strings.Contains(l.datadir, "%{") {
				continue
			}
			base := l.datadir
			if !filepath.IsAbs(base) {
				base = filepath.Join(h.dir, base)
			}
			re := l.pattern()
			// A directory that is not there has no files; that is told elsewhere.
			_ = source.Walk(t.env.Files(), base, func(p string, e source.Entry) bool {
				if strings.HasPrefix(e.Name, ".") || e.IsDir() {
					return !strings.HasPrefix(e.Name, ".")
				}
				rel, err := filepath.Rel(base, p)
				if err != nil || !re.MatchString(filepath.ToSlash(rel)) {
					return true
				}
				if seen[p] == nil {
					seen[p] = t.readData(p, h.module)
					t.dataFiles = append(t.dataFiles, seen[p])
				}
				seen[p].opened = seen[p].opened || l.opens
				return true
			})
		}
	}
	slices.SortFunc(t.dataFiles, func(a, b *dataFile) int { return strings.Compare(a.path, b.path) })
	return t.dataFiles
}

func (t *Tree) readData(p, module string) *dataFile {
	f := &dataFile{path: p, module: module}
	f.file, f.err = t.snap.Data(p)
	return f
}

// checkData looks at every data file under the hierarchies, used or not, and at the hierarchies.
func (t *Tree) checkData() {
	t.checkConfigs()
	hieras := t.hieras()
	t.complete = len(hieras) > 0 && t.env.Alone() == nil // others have data beside a module's
	for _, h := range hieras {
		t.complete = t.complete && !h.other
		t.dataAbroad = t.dataAbroad || h.other
		for _, l := range h.levels {
			t.dataAbroad = t.dataAbroad || strings.Contains(l.datadir, "%{") || filepath.IsAbs(l.datadir)
			t.complete = t.complete && l.plain && !strings.Contains(l.datadir, "%{") && !filepath.IsAbs(l.datadir)
			if !l.glob && !strings.Contains(l.path, "%{") && // a file that is not committed may have any key
				!source.Exists(t.env.Files(), filepath.Join(h.dir, l.datadir, l.path)) {
				t.complete = false
			}
		}
	}
	t.levels(hieras)
	files := t.data()
	taken := t.taken()
	keys := map[string]bool{}
	for _, f := range files {
		if f.file != nil {
			for _, k := range f.entries() {
				keys[k] = true
			}
		}
	}
	for _, f := range files {
		t.dataFile(f, taken, keys)
	}
	if t.env.Dir != "" && !t.snap.GlobalHiera() {
		t.noHiera()
	}
}

// noHiera tells of data that nothing reads, since there is no hiera.yaml.
func (t *Tree) noHiera() {
	if source.Exists(t.env.Files(), filepath.Join(t.env.Dir, "hiera.yaml")) {
		return
	}
	for _, dir := range []string{"hieradata", "hiera", "data"} {
		base := filepath.Join(t.env.Dir, dir)
		found := ""
		_ = source.Walk(t.env.Files(), base, func(p string, e source.Entry) bool { // one that is not there has none
			if ext := filepath.Ext(p); found == "" && !e.IsDir() && (ext == ".yaml" || ext == ".eyaml" || ext == ".yml") {
				found = p
			}
			return found == ""
		})
		if found == "" {
			continue
		}
		help := "if the server has one, name a copy of it with --hiera FILE (and --datadir FROM=TO for its directories)"
		// One that a module puts onto machines, or else one that is given to Puppet by hand; any other that lies in a module
		// is that module's own, or of its tests.
		server, put := "", false
		_ = source.Walk(t.env.Files(), t.env.Dir, func(p string, e source.Entry) bool {
			if e.Name == "hiera.yaml" && !e.IsDir() {
				if below, in := t.belowModule(p); !in && server == "" || strings.HasPrefix(below, "files/") {
					server, put = t.env.Display(p), in
				}
			}
			return !strings.HasPrefix(e.Name, ".") && e.Name != "spec" && !put
		})
		if server != "" {
			help = fmt.Sprintf("%s may be the server's: try --hiera %[1]s (and --datadir FROM=TO for its directories)", server)
		}
		t.say(&source.Diagnostic{Code: codeNoHiera, Severity: source.Warning, Help: help,
			Summary: "the root has no hiera.yaml: as it is, nothing reads the data in " + t.env.Display(base)})
		return
	}
}

// belowModule is the way to a file from the root of the module that it lies in, if it lies in one.
func (t *Tree) belowModule(path string) (below string, in bool) {
	for _, m := range t.env.Modules() {
		if below, in = strings.CutPrefix(path, m.Dir+"/"); in {
			return filepath.ToSlash(below), true
		}
	}
	return "", false
}

// levels looks at the levels of the hierarchies: directories that are not there, and variables that nobody has.
func (t *Tree) levels(hieras []*hiera) {
	for _, h := range hieras {
		told := map[string]bool{}
		for _, l := range h.levels {
			at := source.Place{File: h.file.Source}
			if l.node != nil {
				at = l.node.Place(h.file.Source)
			}
			for _, in := range interpolation.FindAllString(l.path+" "+l.datadir, -1) {
				if why := t.neverThere(strings.TrimSpace(in[2 : len(in)-1])); why != "" {
					t.say(&source.Diagnostic{Code: codeNever, Severity: source.Warning, Place: at, Help: why,
						Summary: "the level \"" + l.name + "\" can never match: nothing has " + in})
				}
			}
			dir := l.datadir
			if !filepath.IsAbs(dir) {
				dir = filepath.Join(h.dir, dir)
			}
			if strings.Contains(dir, "%{") || told[dir] || !l.plain || filepath.IsAbs(l.datadir) {
				continue
			}
			if file := filepath.Join(dir, l.path); !l.glob && !strings.Contains(l.path, "%{") &&
				!source.Exists(t.env.Files(), file) {
				// A file that is not there may be one that is not committed; beside its neighbour it is a slip.
				if x := slipOf("", filepath.Base(file), t.unreadIn(filepath.Dir(file), h, dir)); x != "" {
					t.say(&source.Diagnostic{Code: codeNever, Severity: source.Warning, Place: at, Help: x,
						Summary: "the level \"" + l.name + "\" can never match: there is no " + t.env.Display(file)})
				}
			}
			if !source.Exists(t.env.Files(), dir) && !t.ofAbsent(dir) {
				told[dir] = true
				if l.dirNode != nil {
					at = l.dirNode.Place(h.file.Source)
				}
				var dirs []string
				entries, _ := t.env.Files().List(h.dir) // no directory has no names
				for _, e := range entries {
					if e.IsDir() {
						dirs = append(dirs, e.Name)
					}
				}
				t.say(&source.Diagnostic{Code: codeDatadir, Severity: source.Warning, Place: at,
					Summary: "the directory of data " + t.env.Display(dir) + " is not there", Help: near(l.datadir, dirs)})
			}
		}
	}
}

// unreadIn are the files of a directory that no level of a hierarchy reads by their names.
func (t *Tree) unreadIn(dir string, h *hiera, datadir string) (names []string) {
	entries, _ := t.env.Files().List(dir) // no directory has no names
	for _, e := range entries {
		rel, err := filepath.Rel(datadir, filepath.Join(dir, e.Name))
		read := e.IsDir() || err != nil || slices.ContainsFunc(h.levels, func(l levelText) bool {
			return l.path == filepath.ToSlash(rel)
		})
		if !read {
			names = append(names, e.Name)
		}
	}
	return names
}

// ofAbsent reports whether a directory would be that of a module which somebody has yet to fetch.
func (t *Tree) ofAbsent(dir string) bool {
	for _, to := range environment.Puppetfile(t.env.Files(), t.env.Dir) { // also beside the modules
		rel, err := filepath.Rel(filepath.Join(t.env.Dir, filepath.FromSlash(to)), dir)
		if err == nil && filepath.IsLocal(rel) {
			return true
		}
	}
	for _, base := range t.env.ModulePath {
		rel, err := filepath.Rel(base, dir)
		if err != nil || !filepath.IsLocal(rel) {
			continue
		}
		module, _, _ := strings.Cut(filepath.ToSlash(rel), "/")
		if slices.Contains(compiler.Wanted(t.env), module) {
			return true
		}
	}
	return false
}

// trustedKeys are the keys of $trusted.
var trustedKeys = []string{"authenticated", "certname", "domain", "hostname", "extensions", "external"}

// neverThere says why an interpolation of hiera.yaml can have no value; "" if it may have one.
func (t *Tree) neverThere(expr string) string {
	name := strings.TrimPrefix(expr, "::")
	parts := strings.Split(name, ".")
	switch parts[0] {
	case "trusted":
		if len(parts) > 1 && !slices.Contains(trustedKeys, parts[1]) {
			return near(parts[1], trustedKeys)
		}
	case "facts":
		if len(parts) < 2 || !plainWord(parts[1]) || t.customFact(parts[1]) {
			break
		}
		// A fact that nobody knows may come from elsewhere; a slip in a name that everybody knows does not.
		if !isFact(parts[1]) {
			return slipOf("facts.", parts[1], slices.Sorted(maps.Keys(knownFacts())))
		}
		for i := 2; i < len(parts); i++ {
			path := strings.Join(parts[1:i], ".")
			if known := t.factsUnder(path); !slices.Contains(known, parts[i]) {
				return slipOf("facts."+path+".", parts[i], known)
			}
		}
	default:
		if !plainWord(parts[0]) || t.set(parts[0], nil, nil) {
			break
		}
		known := append([]string{"facts", "trusted", "server_facts"}, slices.Sorted(maps.Keys(knownFacts()))...)
		if len(parts) > 1 {
			known = known[:3]
		}
		return slipOf("", parts[0], known)
	}
	return ""
}

// slipOf is advice to a name that is not among those that are known, if it is a slip.
func slipOf(before, name string, known []string) string {
	for _, k := range known {
		if alike(name, k) {
			return meant(before + k)
		}
	}
	return ""
}

// factsUnder are the names that the facts of the built-in systems have below a path. Every level of a hierarchy asks.
func (t *Tree) factsUnder(path string) []string {
	if names, known := t.under[path]; known {
		return names
	}
	var names []string
	for _, s := range facts.Systems {
		names = append(names, s.Under(path)...)
	}
	slices.Sort(names)
	t.under[path] = slices.Compact(names)
	return t.under[path]
}

func plainWord(s string) bool { return word.FindString(s) == s }

// taken are the keys that code asks for: parameters of classes, and the names that lookups have. Patterns are for names
// that are partly computed.
type takenKeys struct {
	params   map[string]*syntax.Param
	of       map[string]*definition
	lookups  map[string]bool
	patterns []*regexp.Regexp
	any      bool // some lookup's name is wholly computed
}

var lookupFunctions = map[string]bool{"lookup": true, "hiera": true, "hiera_array": true, "hiera_hash": true,
	"hiera_include": true}

func (t *Tree) taken() *takenKeys {
	k := &takenKeys{params: map[string]*syntax.Param{}, of: map[string]*definition{}, lookups: map[string]bool{}}
	for name, d := range t.classes {
		for _, p := range d.params {
			k.params[name+"::"+p.Name], k.of[name+"::"+p.Name] = p, d
		}
	}
	visit := func(e syntax.Expr, in *source.File) {
		syntax.Walk(e, func(n syntax.Node) bool {
			var name string
			var args []syntax.Expr
			switch n := n.(type) {
			case *syntax.Call:
				if f, ok := n.Functor.(*syntax.Name); ok {
					name, args = outline.Class(f.Value), n.Args
				}
			case *syntax.MethodCall:
				name, args = n.Functor.Name.Value, append([]syntax.Expr{n.Functor.Left}, n.Args...)
			}
			switch {
			case lookupFunctions[name] && len(args) > 0:
				k.add(args[0])
			case name != "" && t.unreadable(name, in): // it may look up what it is given
				for _, a := range args {
					switch a := a.(type) {
					case *syntax.Str:
						k.add(a)
					case *syntax.Interpolated:
						if slices.ContainsFunc(a.Parts, func(p syntax.Expr) bool {
							s, ok := p.(*syntax.Str)
							return ok && strings.Contains(s.Value, "::")
						}) {
							k.add(a)
						}
					}
				}
			}
			return true
		})
	}
	for _, m := range t.allFiles {
		for _, s := range m.Body.Stmts {
			visit(s, m.Source)
		}
		for _, d := range m.Defs {
			switch d := d.(type) {
			case *syntax.Class:
				for _, p := range d.Params {
					if p.Default != nil {
						visit(p.Default, m.Source)
					}
				}
			case *syntax.Define:
				for _, p := range d.Params {
					if p.Default != nil {
						visit(p.Default, m.Source)
					}
				}
			}
		}
	}
	for _, m := range t.env.Modules() { // plans, Ruby and templates look up, too, and name what they ask for
		for _, sub := range []string{"plans", "lib", "templates"} {
			at := filepath.Join(m.Dir, sub)
			_ = source.Walk(t.env.Files(), at, func(p string, e source.Entry) bool { // one that is not there has nothing
				if text, err := t.env.Read(p); !e.IsDir() && err == nil {
					runs(text, &wordBytes, func(w string) {
						if w = strings.Trim(w, ":"); strings.Contains(w, "::") {
							k.lookups[w] = true
						}
					})
				}
				return true
			})
		}
	}
	for _, f := range t.data() {
		if f.file != nil && f.file.Root != nil {
			texts(f.file.Root, func(n *datafile.Node, s string) {
				for _, m := range inData.FindAllStringSubmatch(s, -1) {
					root, _, _ := strings.Cut(m[2], ".")
					k.lookups[root] = true
				}
			})
		}
	}
	return k
}

// unreadable reports whether what a function does is not in the manifests: it is written in Ruby, or it is not here.
func (t *Tree) unreadable(name string, from *source.File) bool {
	return t.funcs[name] == nil &&
		(t.snap.Code().Effect(name)&outline.Anything != 0 || !t.snap.Callee(name, from).Known)
}

var inData = regexp.MustCompile(`%\{(lookup|hiera|alias)\(['"]([^'"%]+)['"]\)\}`)

// oneColon is a colon by itself between two words.
var oneColon = regexp.MustCompile(`(\w):(\w)`)

// texts visits the strings of data.
func texts(n *datafile.Node, visit func(n *datafile.Node, s string)) {
	if s, ok := n.Value.(value.String); ok {
		visit(n, string(s))
	}
	for _, k := range n.Kids {
		texts(k.Node, visit)
	}
}

// add takes in the name that a lookup asks for.
func (k *takenKeys) add(e syntax.Expr) {
	switch e := e.(type) {
	case *syntax.List:
		for _, x := range e.Elems {
			k.add(x)
		}
	case *syntax.Str, *syntax.Name:
		for _, n := range syntax.StaticNames(e) {
			root, _, _ := strings.Cut(n, ".")
			k.lookups[root] = true
		}
	case *syntax.Interpolated:
		var b strings.Builder
		b.WriteString("^")
		plain := 0
		for _, p := range e.Parts {
			if s, ok := p.(*syntax.Str); ok {
				b.WriteString(regexp.QuoteMeta(s.Value))
				plain += len(s.Value)
			} else {
				b.WriteString(".*")
			}
		}
		if plain < 2 {
			k.any = true
		}
		if re, err := regexp.Compile(b.String()); err == nil {
			k.patterns = append(k.patterns, re)
		}
	case *syntax.Hash: // lookup({name => …})
		for _, x := range e.Entries {
			if names := syntax.StaticNames(x.Key); len(names) == 1 && names[0] == "name" {
				k.add(x.Value)
				return
			}
		}
		k.any = true
	default:
		k.any = true
	}
}

// has reports whether something may ask for a key.
func (k *takenKeys) has(key string) bool {
	if k.lookups[key] || k.params[key] != nil || key == "lookup_options" {
		return true
	}
	return slices.ContainsFunc(k.patterns, func(re *regexp.Regexp) bool { return re.MatchString(key) })
}

// dataFile looks at one file of data.
func (t *Tree) dataFile(f *dataFile, taken *takenKeys, keys map[string]bool) {
	if f.err != nil {
		d := &source.Diagnostic{Code: Unreadable, Severity: source.Warning,
			Summary: "the data of " + t.env.Display(f.path) + " cannot be read: " + f.err.Error()}
		if told, ok := f.err.(*source.Diagnostic); ok {
			d.Summary, d.Place, d.Detail, d.Hidden = told.Summary, told.Place, told.Detail, true // who knows what it holds
			if filepath.Ext(f.path) == ".json" && told.Place.File != nil {                       // Ruby's words quote it
				d.Summary, d.Place.Span = datafile.BrokenJSON(told.Place.File.Text)
				d.Summary = "the data " + d.Summary
			}
		}
		t.say(d)
		return
	}
	if f.file.Root == nil || f.file.Hash() == nil {
		return
	}
	src := f.file.Source
	for _, twice := range f.file.Twice {
		t.say(&source.Diagnostic{Code: codeTwice, Severity: source.Warning, Hidden: t.secret(twice.Key, taken),
			Place:   source.Place{File: src, Span: twice.Again},
			Summary: "the key " + twice.Key + " stands here twice: the last one counts",
			Related: []source.Related{{Place: source.Place{File: src, Span: twice.First}, Label: "the first",
				Hidden: t.secret(twice.Key, taken)}}})
	}
	for i, e := range f.file.Hash().Entries() {
		key := value.ToString(e.Key)
		if f.module != "" && key != "lookup_options" && !strings.HasPrefix(key, f.module+"::") {
			t.say(&source.Diagnostic{Code: codeNobody, Severity: source.Warning, Hidden: t.secret(key, taken),
				Place: f.keyPlace(i), Help: "Puppet leaves it out",
				Summary: "nothing takes the key " + key + ": data of the module " + f.module + " has keys of " + f.module +
					" only"})
			continue
		}
		joined := oneColon.ReplaceAllString(key, "$1::$2")
		switch {
		case joined == key && strings.Contains(key, "::"):
			t.key(f, i, key, e.Value, taken)
		case joined != key && taken.params[joined] != nil && !taken.has(key):
			t.say(&source.Diagnostic{Code: codeNobody, Severity: source.Warning, Hidden: t.secret(key, taken),
				Place: f.keyPlace(i), Help: meant(joined), Summary: "nothing takes the key " + key + ": one colon joins no names"})
		}
	}
	texts(f.file.Root, func(n *datafile.Node, s string) {
		if strings.HasPrefix(strings.TrimSpace(s), "ENC[PKCS7,") && !f.opened && !t.said["sealed "+f.path] {
			t.said["sealed "+f.path] = true
			t.say(&source.Diagnostic{Code: codeSealed, Severity: source.Warning, Place: n.Place(src),
				Summary: "no level decrypts this file: the value stays as it is",
				Help:    "give its level lookup_key: eyaml_lookup_key in hiera.yaml"})
		}
		for _, m := range inData.FindAllStringSubmatch(s, -1) {
			root, _, _ := strings.Cut(m[2], ".")
			if keys[root] || t.said["key "+root] {
				continue
			}
			help := near(root, names(keys))
			if !t.complete { // some data are not here; but a slip they do not have
				if help = slipOf("", root, names(keys)); help == "" {
					continue
				}
			}
			t.said["key "+root] = true
			t.say(&source.Diagnostic{Code: codeDeadAlias, Severity: source.Warning, Place: n.Place(src), Help: help,
				Summary: "no data has the key " + root + ", which " + m[1] + "() asks for"})
		}
	})
}

// key looks at one entry: is it a parameter of a class, and of the parameter's type?
func (t *Tree) key(f *dataFile, i int, key string, v value.Value, taken *takenKeys) {
	cut := strings.LastIndex(key, "::")
	class := key[:cut]
	if d := t.classes[class]; d != nil && d.several {
		return
	}
	if p := taken.params[key]; p != nil {
		d := taken.of[key]
		if p.Type == nil || hasInterpolation(v) || !t.resolves(p.Type, 0) || value.IsUndef(v) {
			return
		}
		text := d.file.tree.Source.Text[p.Type.Span().Start:p.Type.Span().End]
		if strings.ContainsAny(text, "$#\n") || t.converted(key) {
			return
		}
		if fits, known := t.snap.Accepts(text, v); known && !fits {
			t.say(&source.Diagnostic{Code: codeDataValue, Severity: source.Warning, Hidden: t.secret(key, taken),
				Place:   f.file.Root.Kids[i].Node.Place(f.file.Source),
				Summary: fmt.Sprintf("the value of %s is no %s", key, text),
				Related: []source.Related{{Place: source.Place{File: d.file.tree.Source, Span: p.Where},
					Label: "the parameter is declared here"}}})
		}
		return
	}
	if taken.any && t.classes[class] == nil || taken.has(key) || resource.IsMetaparam(key[cut+2:]) {
		return
	}
	if !t.there(class) {
		if x := t.slip(key, slices.Sorted(maps.Keys(taken.params))); x != "" && t.absent(class) {
			t.say(&source.Diagnostic{Code: codeNobody, Severity: source.Warning, Hidden: t.secret(key, taken),
				Place: f.keyPlace(i), Help: meant(x),
				Summary: "nothing takes the key " + key + ": there is no class " + class})
		}
		return
	}
	d := t.classes[class]
	switch {
	case d != nil:
		help := near(key[cut+2:], d.paramNames())
		if help == "" && taken.any {
			return
		}
		t.say(&source.Diagnostic{Code: codeNobody, Severity: source.Warning, Hidden: t.secret(key, taken),
			Place: f.keyPlace(i), Help: help,
			Summary: "nothing takes the key " + key + ": class " + class + " has no parameter " + key[cut+2:]})
	case t.defines[class] != nil:
		t.say(&source.Diagnostic{Code: codeNobody, Severity: source.Warning, Hidden: t.secret(key, taken),
			Place:   f.keyPlace(i),
			Summary: "nothing takes the key " + key + ": " + class + " is a define, whose parameters Hiera does not give"})
	default:
		meant := slices.DeleteFunc(names(t.classes), func(c string) bool { // a module gives its own classes data only
			return f.module != "" && c != f.module && !strings.HasPrefix(c, f.module+"::")
		})
		t.say(&source.Diagnostic{Code: codeNobody, Severity: source.Warning, Hidden: t.secret(key, taken),
			Place:   f.keyPlace(i),
			Summary: "nothing takes the key " + key + ": there is no class " + class, Help: near(class, meant)})
	}
}

// converted reports whether lookup_options may make another value of a key's.
func (t *Tree) converted(key string) bool {
	for _, f := range t.data() {
		if f.file == nil || f.file.Root == nil {
			continue
		}
		options := f.file.Entry("lookup_options")
		if options == nil {
			continue
		}
		h, _ := options.Value.(*value.Hash)
		if h == nil {
			continue
		}
		for _, e := range h.Entries() {
			name := value.ToString(e.Key)
			if o, ok := e.Value.(*value.Hash); ok && !value.IsUndef(o.At("convert_to")) {
				if name == key || strings.HasPrefix(name, "^") && mayMatch(name, key) {
					return true
				}
			}
		}
	}
	return false
}

// mayMatch reports whether a key is one of those that a pattern of lookup_options stands for, as far as that is known.
func mayMatch(pattern, key string) bool {
	re, err := regexp.Compile(pattern)
	return err != nil || re.MatchString(key)
}

// hasInterpolation reports whether a value has a text that is computed, or encrypted.
func hasInterpolation(v value.Value) bool {
	switch v := v.(type) {
	case value.String:
		return strings.Contains(string(v), "%{") || strings.Contains(string(v), "ENC[")
	case *value.Array:
		return slices.ContainsFunc(v.Elems, hasInterpolation)
	case *value.Hash:
		for _, e := range v.Entries() {
			if hasInterpolation(e.Key) || hasInterpolation(e.Value) {
				return true
			}
		}
	case *value.Opaque:
		return true
	}
	return false
}

var secretWord = regexp.MustCompile(`(?i)pass|secret|token|key|cred|private`)

// secret reports whether the value of a key is not to be shown: its parameter is Sensitive, or its name sounds so.
func (t *Tree) secret(key string, taken *takenKeys) bool {
	if d := taken.of[key]; d != nil {
		if p := taken.params[key]; p.Type != nil &&
			strings.Contains(d.file.tree.Source.Text[p.Type.Span().Start:p.Type.Span().End], "Sensitive") {
			return true
		}
	}
	return secretWord.MatchString(key) || t.converted(key) // to Sensitive, as a rule
}
