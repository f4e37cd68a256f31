package compiler_test

import (
	"fmt"
	"hash/fnv"
	"io/fs"
	"maps"
	"math/rand/v2"
	"path"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"bunraku/internal/mutate"
	"bunraku/puppet/compiler"
	"bunraku/puppet/facts"
	"bunraku/puppet/syntax"
	"bunraku/puppet/trace"
	"bunraku/puppet/value"
	"bunraku/source"
)

// A mutant is a change of the files or of the node, at random.
type mutant struct {
	kind       string
	structural bool
	what       string            // for people
	texts      map[string]string // files that are new, or have another text, by path
	gone       []string          // files that are not there
	node       compiler.Node
	read       bool // it lies in what the node read, or was looked for
}

// quiet are the kinds that cannot change a catalog, which are counted apart.
const quiet = "comments and blanks"

// Kinds that only soundness is asked of: code that goes is code that was read.
const (
	emptied  = "a body that is emptied"
	lost     = "a statement that goes"
	reshaped = "a fact of another shape"
)

// sharp reports whether mutants of a kind that change nothing are to be recognised.
func sharp(kind string) bool {
	return kind != quiet && kind != emptied && kind != lost && kind != reshaped
}

// A garden grows the mutants of one node's compile.
type garden struct {
	*rand.Rand
	dir    string
	files  source.Files
	node   compiler.Node
	trace  *trace.Trace
	path   []string // the module path
	code   []string // files of code that were read, in order
	data   []string // of data
	erb    []string
	ruby   []string // of functions and types
	config []string // hiera.yaml
	absent []string // files that were looked for and are not there
	places map[string][]*mutate.Place
	trees  map[string]*syntax.File
	hints  *mutate.Hints
	names  struct{ modules, functions, types, resources, aliases []string }
}

func newGarden(dir string, files source.Files, node compiler.Node, t *trace.Trace, base *compiler.Snapshot) *garden {
	g := &garden{dir: dir, files: files, node: node, trace: t, path: base.Environment().ModulePath,
		places: map[string][]*mutate.Place{},
		trees:  map[string]*syntax.File{}}
	note := func(list *[]string, s string) {
		if s != "" && !slices.Contains(*list, s) {
			*list = append(*list, s)
		}
	}
	for _, e := range t.Sorted() {
		of, _, _ := strings.Cut(e.Of, "\x00")
		switch e.Kind {
		case trace.Code:
			note(&g.code, of)
		case trace.Manifest:
			note(&g.names.modules, of)
		case trace.Content:
			if strings.HasSuffix(of, ".rb") && source.Exists(files, of) {
				note(&g.ruby, of)
			}
		case trace.Native, trace.Function:
			note(&g.names.functions, of)
		case trace.Attributes:
			note(&g.names.resources, of)
			for _, p := range base.TypeFiles(of) {
				note(&g.ruby, p)
			}
		case trace.TypeAlias:
			note(&g.names.aliases, of)
		case trace.ERB:
			if module, rest, ok := strings.Cut(of, "/"); ok {
				for _, dir := range g.path {
					if p := path.Join(dir, module, "templates", rest); source.Exists(files, p) {
						note(&g.erb, p)
						break
					}
				}
			}
		}
	}
	g.findData()
	var trees []*syntax.File
	for _, p := range g.code {
		if f := g.parse(p, g.text(p)); f != nil {
			g.trees[p] = f
			trees = append(trees, f)
		}
	}
	g.hints = mutate.Survey(trees)
	g.hints.Pool = []string{"fresh", "present", "web"}
	return g
}

// findData finds the files that Hiera read, in the environment and in modules.
func (g *garden) findData() {
	for _, dir := range g.moduleDirs() {
		if p := path.Join(dir, "hiera.yaml"); source.Exists(g.files, p) {
			g.config = append(g.config, p)
		}
		_ = source.Walk(g.files, path.Join(dir, "data"), func(p string, e source.Entry) bool {
			if e.Kind == source.Regular {
				g.data = append(g.data, p)
			}
			return true
		})
		if fs := g.node.Facts; dir == g.dir && fs != nil {
			for _, name := range []string{"nodes/" + fs.Name, "roles/other", "os/Debian-12", "os/Debian", "os/RedHat",
				"tiers/silver"} {
				if p := path.Join(dir, "data", name+".yaml"); !source.Exists(g.files, p) {
					g.absent = append(g.absent, p)
				}
			}
		}
	}
}

// keys are those that were looked up.
func (g *garden) keys() (keys []string) {
	for _, e := range g.trace.Entries {
		switch e.Kind {
		case trace.LayerFirst, trace.LayerAll, trace.Datum:
			if key, _, _ := strings.Cut(e.Part, "\x00"); key != "lookup_options" {
				keys = append(keys, key)
			}
		}
	}
	return keys
}

func (g *garden) text(p string) string {
	c, err := g.files.Read(p)
	if err != nil {
		return ""
	}
	return c.Text
}

func (g *garden) parse(p, text string) *syntax.File {
	parse := syntax.Parse
	if strings.HasSuffix(p, ".epp") {
		parse = syntax.ParseEPP
	}
	f, ds := parse(source.NewFile(p, text), syntax.Options{})
	if ds.HasErrors() {
		return nil
	}
	return f
}

func pick[T any](g *garden, list []T) (x T) {
	if len(list) == 0 {
		return x
	}
	return list[g.IntN(len(list))]
}

// grow makes a mutant; nil when what it tried does not apply. A third are structural.
func (g *garden) grow(seed uint64) *mutant {
	h := fnv.New64a()
	h.Write([]byte(g.dir))
	g.Rand = rand.New(rand.NewPCG(seed, h.Sum64()))
	m := &mutant{node: g.node, texts: map[string]string{}, read: true}
	var ok bool
	if g.IntN(3) == 0 {
		m.structural = true
		ok = pick(g, []func(*mutant) bool{g.shadowModule, g.shadowFunction, g.shadowType, g.statement, g.file, g.level,
			g.sibling, g.metadata, g.moved, g.newData, g.dropped, g.dropped, g.reshaped})(m)
	} else {
		ok = pick(g, []func(*mutant) bool{g.literal, g.literal, g.literal, g.template, g.datum, g.datum, g.inserted, g.fact,
			g.missing, g.name, g.comment, g.configText, g.rubyText})(m)
	}
	if !ok {
		return nil
	}
	return m
}

// dropped takes a statement away, or all that a body has.
func (g *garden) dropped(m *mutant) bool {
	p := pick(g, g.code)
	tree := g.trees[p]
	if tree == nil {
		return false
	}
	var bodies []syntax.Body
	var find func(v reflect.Value)
	find = func(v reflect.Value) {
		switch v.Kind() {
		case reflect.Pointer, reflect.Interface:
			if _, isFile := v.Interface().(*source.File); !v.IsNil() && !isFile {
				find(v.Elem())
			}
		case reflect.Slice:
			for i := range v.Len() {
				find(v.Index(i))
			}
		case reflect.Struct:
			if b, is := v.Interface().(syntax.Body); is && len(b.Stmts) > 0 {
				bodies = append(bodies, b)
			}
			for i := range v.NumField() {
				if v.Type().Field(i).IsExported() {
					find(v.Field(i))
				}
			}
		}
	}
	find(reflect.ValueOf(tree.Body))
	b := pick(g, bodies)
	if len(b.Stmts) == 0 {
		return false
	}
	span := b.Stmts[0].Span().Join(b.Stmts[len(b.Stmts)-1].Span())
	m.kind = emptied
	if len(b.Stmts) > 1 && g.IntN(2) == 0 {
		span, m.kind = pick(g, b.Stmts).Span(), lost
	}
	text := g.text(p)
	m.what = p + ": " + text[span.Start:span.End]
	m.texts[p] = text[:span.Start] + text[span.End:]
	return true
}

// reshaped makes a fact that others lie in something else: a text, nothing, an empty container.
func (g *garden) reshaped(m *mutant) bool {
	var list []string
	for _, e := range g.node.Facts.Values.Entries() {
		if _, is := e.Value.(*value.Hash); is {
			list = append(list, value.ToString(e.Key))
		}
	}
	name := pick(g, list)
	if name == "" {
		return false
	}
	i := g.IntN(3)
	m.kind = reshaped
	g.setFact(m, mutate.NewFact(name, []value.Value{value.String("fresh"), value.EmptyHash, value.EmptyArray}), i)
	return true
}

// ---- one datum

func (g *garden) place(m *mutant, p string, list func() []*mutate.Place) bool {
	if p == "" {
		return false
	}
	places, known := g.places[p]
	if !known {
		for _, x := range list() {
			if x.Choices() > 0 && len(x.New) > 0 {
				places = append(places, x)
			}
		}
		g.places[p] = places
	}
	x := pick(g, places)
	if x == nil {
		return false
	}
	i := g.IntN(len(x.New))
	text := g.text(p)
	m.kind, m.what = string(x.Kind), x.Describe(text, i)
	m.texts[p] = x.Apply(text, i)
	maps.Copy(m.texts, x.Beside)
	return true
}

func (g *garden) literal(m *mutant) bool {
	p := pick(g, g.code)
	tree := g.trees[p]
	return tree != nil && g.place(m, p, func() []*mutate.Place { return mutate.InManifest(tree, p, g.hints) })
}

func (g *garden) template(m *mutant) bool {
	p := pick(g, g.erb)
	return g.place(m, p, func() []*mutate.Place { return mutate.InERB(source.NewFile(p, g.text(p)), p) })
}

func (g *garden) datum(m *mutant) bool {
	p := pick(g, g.data)
	return g.place(m, p, func() []*mutate.Place { return mutate.InData(source.NewFile(p, g.text(p)), p, g.hints) })
}

func (g *garden) configText(m *mutant) bool {
	p := pick(g, g.config)
	return g.place(m, p, func() []*mutate.Place { return mutate.InConfig(source.NewFile(p, g.text(p)), p) })
}

var rubyWord = regexp.MustCompile(`'[^'\n]*'|:[a-z_]+|\b\d+\b`)

// rubyText changes a word of a function or type that is written in Ruby.
func (g *garden) rubyText(m *mutant) bool {
	p := pick(g, g.ruby)
	text := g.text(p)
	at := pick(g, rubyWord.FindAllStringIndex(text, -1))
	if at == nil {
		return false
	}
	fresh := map[byte]string{'\'': "'fresh'", ':': ":fresh"}[text[at[0]]]
	if fresh == "" {
		fresh = "83"
	}
	m.kind, m.what = "Ruby of functions and types", p+": "+text[at[0]:at[1]]
	m.texts[p] = text[:at[0]] + fresh + text[at[1]:]
	return m.texts[p] != text
}

// inserted adds a key to a data file: one that somebody looks up, or one that nobody does.
func (g *garden) inserted(m *mutant) bool {
	p := pick(g, g.data)
	if !strings.HasSuffix(p, ".yaml") {
		return false
	}
	key := pick(g, g.keys())
	if g.IntN(2) == 0 {
		key = fmt.Sprintf("nobody::asks%d", g.IntN(100))
	}
	if key == "" {
		return false
	}
	values := []value.Value{value.String("fresh"), value.Int(7), value.EmptyArray}
	x := mutate.Insert(source.NewFile(p, g.text(p)), p, key, values)
	if x == nil || len(x.New) == 0 {
		return false
	}
	i := g.IntN(len(x.New))
	m.kind, m.what = string(mutate.Insertion), key+" in "+p
	m.texts[p] = x.Apply(g.text(p), i)
	return true
}

func (g *garden) setFact(m *mutant, x *mutate.Place, i int) {
	f := *g.node.Facts
	f.Values = mutate.SetFact(f.Values, x.Fact, x.Val[i])
	m.node.Facts = &f
	m.what = x.Describe("", i)
}

func (g *garden) fact(m *mutant) bool {
	var list []*mutate.Place
	for _, x := range mutate.InFacts(g.node.Facts.Values, nil, g.hints) {
		if len(x.Val) > 0 {
			list = append(list, x)
		}
	}
	x := pick(g, list)
	if x == nil {
		return false
	}
	m.kind = string(mutate.Fact)
	g.setFact(m, x, g.IntN(len(x.Val)))
	return true
}

// noFact are names of variables that no fact has.
var noFact = regexp.MustCompile(`^(\d+|title|name)$`)

// missing adds a fact that was asked for and is not there, or any.
func (g *garden) missing(m *mutant) bool {
	names := []string{"fresh_fact"}
	for _, e := range g.trace.Entries {
		steps := strings.Split(strings.TrimSuffix(e.Of, "\x00"), "\x00")
		if e.Kind != trace.Fact || len(steps) != 2 || steps[0] != "facts" || noFact.MatchString(steps[1]) {
			continue
		}
		if _, has := g.node.Facts.Values.GetString(steps[1]); !has {
			names = append(names, steps[1])
		}
	}
	m.kind = string(mutate.Missing)
	g.setFact(m, mutate.NewFact(pick(g, names), []value.Value{value.String("fresh"), value.Bool(true)}), g.IntN(2))
	return true
}

func (g *garden) name(m *mutant) bool {
	name := pick(g, []string{"other", "n1.example.com", "db7.example.com", "web", "x.y"})
	if g.IntN(2) == 0 {
		name = fmt.Sprintf("n%d.example.com", g.IntN(1000))
	}
	m.kind, m.what = string(mutate.Node), "the node is "+name
	m.node.Name = name
	f := *g.node.Facts
	f.Name, f.Trusted = name, facts.Trusted(name, nil, nil)
	m.node.Facts = &f
	return true
}

// comment adds comments and blanks to code or data.
func (g *garden) comment(m *mutant) bool {
	m.kind = quiet
	switch p := pick(g, slices.Concat(g.code, g.data, g.config)); {
	case p == "" || strings.HasSuffix(p, ".epp") || strings.HasSuffix(p, ".json"):
		return false
	case strings.HasSuffix(p, ".pp"):
		tree := g.trees[p]
		if tree == nil {
			return false
		}
		var at []uint32 // where definitions and statements begin
		for _, d := range tree.Defs {
			at = append(at, d.Span().Start)
		}
		for _, s := range tree.Body.Stmts {
			at = append(at, s.Span().Start)
		}
		start := pick(g, at)
		text := g.text(p)
		m.what = p
		m.texts[p] = text[:start] + pick(g, []string{"\n# fresh\n", "\n\n\n", "/* a\nb */ ", "  "}) + text[start:]
	default:
		m.what = p
		m.texts[p] = "# fresh\n" + g.text(p) + "\n# more\n\n"
	}
	return true
}

// ---- structure

// shadowModule adds a module, mostly one that hides another, in front of the module path.
func (g *garden) shadowModule(m *mutant) bool {
	m.kind = "a module that hides another"
	name := pick(g, append(slices.Clone(g.names.modules), "spare", "unheard"))
	base := g.path[0]
	if source.Exists(g.files, path.Join(base, name)) && len(g.path) > 1 {
		base = g.path[1] // then it is hidden itself
	}
	dir := path.Join(base, name)
	if source.Exists(g.files, dir) || !strings.HasPrefix(dir, g.dir+"/") {
		return false
	}
	m.what = dir
	m.texts[dir+"/manifests/init.pp"] = "class " + name + pick(g, []string{" { }\n", " { notify { 'shadow': } }\n"})
	if g.IntN(2) == 0 { // with the same files, of which one differs
		for _, other := range g.path {
			if old := path.Join(other, name); source.Exists(g.files, old) {
				g.copyTree(m, old, dir)
				break
			}
		}
	}
	return true
}

func (g *garden) copyTree(m *mutant, from, to string) {
	n := 0
	_ = source.Walk(g.files, from, func(p string, e source.Entry) bool {
		if e.Kind == source.Regular && n < 200 && !strings.Contains(p, "/spec/") {
			n++
			m.texts[to+strings.TrimPrefix(p, from)] = g.text(p)
		}
		return true
	})
}

// moduleDirs are the directories of modules and of the environment that can be written to.
func (g *garden) moduleDirs() []string {
	dirs := []string{g.dir}
	for _, base := range g.path {
		if !strings.HasPrefix(base, g.dir+"/") {
			continue
		}
		entries, _ := g.files.List(base)
		for _, e := range entries {
			dirs = append(dirs, path.Join(base, e.Name))
		}
	}
	return dirs
}

func (g *garden) add(m *mutant, p, text string) bool {
	if source.Exists(g.files, p) {
		return false
	}
	m.what = "new " + p
	m.texts[p] = text
	return true
}

func (g *garden) shadowFunction(m *mutant) bool {
	m.kind = "a function that hides another, or none"
	name := pick(g, append(slices.Clone(g.names.functions), "fresh_function", "include", "base::fresh"))
	module, rest, qualified := strings.Cut(name, "::")
	dir := pick(g, g.moduleDirs())
	if g.IntN(2) == 0 {
		file := name
		if qualified {
			dir, file = path.Join(g.path[0], module), rest
		}
		p := path.Join(dir, "functions", strings.ReplaceAll(file, "::", "/")+".pp")
		return g.add(m, p, "function "+name+"(*$x) { 'shadow' }\n")
	}
	sub := pick(g, []string{"lib/puppet/functions", "lib/puppet/parser/functions"})
	p := path.Join(dir, sub, strings.ReplaceAll(name, "::", "/")+".rb")
	return g.add(m, p, "Puppet::Functions.create_function(:'"+name+"') { }\n")
}

func (g *garden) shadowType(m *mutant) bool {
	m.kind = "a type that hides another, or none"
	dir := pick(g, g.moduleDirs())
	if g.IntN(2) == 0 {
		name := pick(g, append(slices.Clone(g.names.aliases), "Fresh", "Base::Fresh"))
		module, rest, qualified := strings.Cut(strings.ToLower(name), "::")
		p := path.Join(g.dir, "types", strings.ToLower(name)+".pp")
		if qualified {
			p = path.Join(g.path[0], module, "types", strings.ReplaceAll(rest, "::", "/")+".pp")
		}
		return g.add(m, p, "type "+name+" = Any\n")
	}
	name := pick(g, append(slices.Clone(g.names.resources), "fresh_type", "file", "notify"))
	switch g.IntN(3) {
	case 0:
		return g.add(m, path.Join(g.dir, ".resource_types", name+".pp"), "# fresh\n")
	case 1:
		return g.add(m, path.Join(dir, "lib/puppet/provider", name, "fresh.rb"), "# fresh\n")
	}
	text := "Puppet::Type.newtype(:" + name + ") do\n  newparam(:name, namevar: true)\nend\n"
	return g.add(m, path.Join(dir, "lib/puppet/type", name+".rb"), text)
}

// statement adds or takes away a node statement.
func (g *garden) statement(m *mutant) bool {
	m.kind = "a node statement"
	p := ""
	for _, c := range g.code {
		inside, is := strings.CutPrefix(c, g.dir)
		if g.trees[c] != nil && is && !strings.HasPrefix(inside, "/modules/") && !strings.HasPrefix(inside, "/site/") {
			p = c
			if g.IntN(2) == 0 {
				break
			}
		}
	}
	if p == "" {
		return false
	}
	text := g.text(p)
	var nodes []*syntax.NodeDef
	all := false
	for _, d := range g.trees[p].Defs {
		if n, is := d.(*syntax.NodeDef); is {
			nodes = append(nodes, n)
		}
	}
	if n := pick(g, nodes); n != nil && g.IntN(3) == 0 {
		m.what, m.texts[p] = "without a node statement", text[:n.Span().Start]+text[n.Span().End:]
		return true
	}
	name := strings.ToLower(g.node.Facts.Name)
	all = len(nodes) == 0 // the first one is everybody's business
	host := pick(g, []string{"'fresh.example.com'", "/^fresh/", "/./", "'" + name + "'", "'fresh'", "default",
		"'other.example.com', 'b.example.com'"})
	if all && g.IntN(2) == 0 {
		host = "default"
	}
	m.what = "node " + host
	m.texts[p] = text + "\nnode " + host + " { notify { 'fresh node': } }\n"
	return true
}

// file adds or takes away a file: a manifest of the site, of a module, a template.
func (g *garden) file(m *mutant) bool {
	m.kind = "a file of code added or removed"
	if g.IntN(3) == 0 {
		if p := pick(g, slices.Concat(g.code, g.erb)); p != "" {
			m.what, m.gone = "without "+p, []string{p}
			return true
		}
	}
	dir := path.Dir(pick(g, g.code))
	name := fmt.Sprintf("fresh%d", g.IntN(9))
	module := ""
	for _, mod := range g.names.modules {
		if strings.Contains(dir, "/"+mod+"/manifests") {
			module = mod + "::"
		}
	}
	what := module + name
	text := pick(g, []string{"class " + what + " { }\n", "define " + what + " { }\n", "# nothing\n", "class " + what +
		" {\n"})
	return g.add(m, path.Join(dir, name+".pp"), text)
}

// newData adds or takes away a file of data, also where one was looked for.
func (g *garden) newData(m *mutant) bool {
	m.kind = "a file of data added or removed"
	if g.IntN(4) == 0 {
		p := pick(g, g.data)
		m.what, m.gone = "without "+p, []string{p}
		return p != ""
	}
	p := pick(g, g.absent)
	if g.IntN(2) == 0 && len(g.data) > 0 { // beside others, where a glob may find it
		p = path.Join(path.Dir(pick(g, g.data)), fmt.Sprintf("%02d.yaml", g.IntN(30)))
	}
	if p == "" || !strings.HasPrefix(p, g.dir+"/") {
		return false
	}
	text := "nobody::asks: 1\n"
	if key := pick(g, g.keys()); key != "" && g.IntN(2) == 0 {
		text = "'" + key + "': fresh\n"
	}
	return g.add(m, p, pick(g, []string{text, text, "--- {}\n", "# nothing\n"}))
}

var hierarchyLine = regexp.MustCompile(`(?m)^hierarchy:\n`)

// level adds a level to a hierarchy, or takes one away.
func (g *garden) level(m *mutant) bool {
	m.kind = "a level of Hiera"
	p := pick(g, g.config)
	text := g.text(p)
	at := hierarchyLine.FindStringIndex(text)
	if at == nil {
		return false
	}
	lines := strings.SplitAfter(text[at[1]:], "\n")
	if g.IntN(3) == 0 && len(lines) > 2 {
		i := g.IntN(len(lines) - 1)
		if !strings.HasPrefix(lines[i], "  - {") {
			return false
		}
		m.what = "without " + lines[i]
		m.texts[p] = text[:at[1]] + strings.Join(slices.Delete(lines, i, i+1), "")
		return true
	}
	m.what = "one more"
	m.texts[p] = text[:at[1]] + fmt.Sprintf("  - { name: fresh, path: 'fresh%d.yaml' }\n", g.IntN(3)) + text[at[1]:]
	if dir := path.Join(path.Dir(p), "data"); g.IntN(2) == 0 {
		m.texts[dir+"/fresh1.yaml"] = "nobody::asks: 1\n"
	}
	return true
}

// sibling breaks a file that lies beside one that was read, or one that was read.
func (g *garden) sibling(m *mutant) bool {
	m.kind = "a syntax error in a sibling"
	var all []string
	for _, p := range slices.Concat(g.code, g.data) {
		entries, _ := g.files.List(path.Dir(p))
		for _, e := range entries {
			if q := path.Join(path.Dir(p), e.Name); e.Kind == source.Regular && !slices.Contains(all, q) &&
				(g.IntN(4) == 0 || !slices.Contains(g.code, q) && !slices.Contains(g.data, q)) {
				all = append(all, q)
			}
		}
	}
	p := pick(g, all)
	if p == "" {
		return false
	}
	m.what = p
	m.texts[p] = g.text(p) + "\n}} : [\n"
	return true
}

// metadata changes what a module says of itself.
func (g *garden) metadata(m *mutant) bool {
	m.kind = "metadata of a module"
	var all []string
	for _, base := range g.path {
		for _, name := range g.names.modules {
			if p := path.Join(base, name, "metadata.json"); source.Exists(g.files, p) {
				all = append(all, p)
			}
		}
	}
	p := pick(g, all)
	if p == "" {
		return false
	}
	text := g.text(p)
	is := text
	switch g.IntN(5) {
	case 0:
		is = regexp.MustCompile(`"version":\s*"[^"]*"`).ReplaceAllString(text, `"version": "99.9.9"`)
	case 1:
		is = strings.Replace(text, `"dependencies": [`, `"dependencies": [{"name": "fresh-fresh"},`, 1)
		is = strings.Replace(is, "},]", "}]", 1)
	case 2:
		is = strings.Replace(text, "{", `{"summary": "fresh", `, 1)
	case 3:
		is = "{"
	case 4:
		is = strings.Replace(text, `"license"`, `"no_license"`, 1)
	}
	m.what, m.texts[p] = p, is
	return is != text
}

// moved moves a definition within its file, or into a file of its own.
func (g *garden) moved(m *mutant) bool {
	m.kind = "a definition that moved"
	p := pick(g, g.code)
	tree, text := g.trees[p], g.text(p)
	if tree == nil || tree.Epp != nil {
		return false
	}
	var defs []syntax.Definition
	for _, d := range tree.Defs {
		switch d.(type) {
		case *syntax.Class, *syntax.Define, *syntax.Function:
			defs = append(defs, d)
		}
	}
	d := pick(g, defs)
	if d == nil {
		return false
	}
	span := d.Span()
	rest, def := text[:span.Start]+text[span.End:], text[span.Start:span.End]
	m.what = fmt.Sprintf("%.40q of %s", def, p)
	m.texts[p] = pick(g, []string{def + "\n" + rest, rest + "\n" + def + "\n", "\n\n" + text})
	return m.texts[p] != text
}

// ---- views

// edited is a view with other texts, and without some files.
type edited struct {
	source.Files
	gone []string
}

func edit(under source.Files, m *mutant) (source.Files, error) {
	over, err := source.NewOverlay(under, m.texts)
	if err != nil {
		return nil, err
	}
	return &edited{over, m.gone}, nil
}

func (e *edited) lacks(p string) error {
	if slices.Contains(e.gone, p) {
		return &fs.PathError{Op: "open", Path: p, Err: fs.ErrNotExist}
	}
	return nil
}

func (e *edited) Read(p string) (source.Content, error) {
	if err := e.lacks(p); err != nil {
		return source.Content{}, err
	}
	return e.Files.Read(p)
}

func (e *edited) Stat(p string) (source.Info, error) {
	if err := e.lacks(p); err != nil {
		return source.Info{}, err
	}
	return e.Files.Stat(p)
}

func (e *edited) Real(p string) (string, error) {
	if err := e.lacks(p); err != nil {
		return "", err
	}
	return e.Files.Real(p)
}

func (e *edited) List(p string) ([]source.Entry, error) {
	list, err := e.Files.List(p)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(slices.Clone(list), func(x source.Entry) bool {
		return slices.Contains(e.gone, path.Join(p, x.Name))
	}), nil
}
