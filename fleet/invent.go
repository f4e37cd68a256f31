package fleet

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"bunraku/provenance"
	"bunraku/puppet/catalog"
	"bunraku/puppet/compiler"
	"bunraku/puppet/environment"
	"bunraku/puppet/eval"
	"bunraku/puppet/facts"
	"bunraku/puppet/outline"
	"bunraku/puppet/syntax"
	"bunraku/puppet/value"
	"bunraku/source"
)

// A tree as it was cloned has no facts, and its nodes are known to nobody but its owner. So nodes are invented:
// machines with the built-in facts of common systems (facts.Systems) that are given what the tree has to give. Of a
// module that is each public class, on the systems that its metadata.json names; of a control repo the nodes that it
// names itself (node statements, Hiera's files by node) and, failing those, each role.
//
// An invented node is a question, not a machine: what is said of it must not be taken for something that is said of a
// host. Its name says so everywhere, and an error that rests on what was invented, rather than on what the tree says,
// is no error of the tree's (excuse).

// An Invention is a node that was invented.
type Invention struct {
	compiler.Node
	Class  string // that it was given; "" for a node that the tree names
	Define string // of which it was given an instance; "" for none
	System facts.System
	Origin string // why there is one, in a few words
	// Legacy tells that it has facter's old names among its facts: the language has them, or the code takes them for
	// granted.
	Legacy bool

	claimed   bool           // the tree says itself that it is for this system
	guessed   bool           // the class speaks of another system than the rest of its site, be it only by its name
	around    bool           // a class around its own was declared first, since it does not compile alone
	stdlib    bool           // it has the facts that stdlib brings to agents
	elsewhere []facts.System // to be tried where the code refuses this one
	use       string         // of a define: its attributes
	another   string         // a longer name that the tree means as well, since it gives only a part of it
	says      []saying       // of itself, for the main manifests
	levels    []saying       // likewise, for the hierarchy
	certified *value.Hash    // what somebody says of its certificate; nil for nothing
	helpless  *helpless      // of its plan
	tree      *treeDefaults  // likewise
}

// Title is how the node is shown: "apache on debian-12 (invented)".
func (i Invention) Title() string {
	return cmp.Or(i.Class, i.Define, i.Name) + " on " + i.System.ID + " (invented)"
}

// nameless reports whether the tree does not say how the node is called, or not wholly.
func (i *Invention) nameless() bool {
	return i.Class != "" || i.Define != "" || i.Name == otherNode || i.another != ""
}

// A Plan is the nodes to invent for a tree, and what of it they leave out.
type Plan struct {
	Nodes []Invention
	// Classes and Defines are how many public ones there are in the modules that were looked through.
	Classes, Defines int
	// Unknown are the systems that the tree names and that have no built-in facts.
	Unknown []string
	// Wanted are the modules that the tree needs and that are not there.
	Wanted []string
	// Hollow is how many of them are git submodules that nobody has fetched.
	Hollow int
	// OldNames are facts that hierarchies ask for by names of old of facter's, which the nodes have for that.
	OldNames []string
	// Alone tells that the tree is a module.
	Alone bool
}

// Systems are those that the nodes have.
func (p *Plan) Systems() (out []facts.System) {
	for _, n := range p.Nodes {
		if !slices.ContainsFunc(out, func(s facts.System) bool { return s.ID == n.System.ID }) {
			out = append(out, n.System)
		}
	}
	return out
}

// InventOptions choose among the nodes that could be invented.
type InventOptions struct {
	Legacy     bool // facter's old names, too
	AllSystems bool // every release that metadata.json names, not only the newest of each system
	Own        func(file string) bool
	Classes    []string // only these; nil for all
	// Certificate is what somebody says of a node's certificate, by keys of $trusted; nil for nothing.
	Certificate func(name string) *value.Hash
}

// Invent plans nodes for a tree without facts.
func Invent(env *environment.Environment, opt InventOptions) *Plan {
	p := planned(env, opt)
	for i := range p.Nodes {
		p.Nodes[i].Facts = p.Nodes[i].Facts.Loaded()
	}
	return p
}

// planned is Invent for those who choose among the nodes: facts are made of a node when somebody wants them.
func planned(env *environment.Environment, opt InventOptions) *Plan {
	var old []string
	if !opt.Legacy {
		old = oldNames(env, opt.Own)
		opt.Legacy = len(old) > 0
	}
	p := nodesFor(env, opt)
	p.OldNames = old
	for i := range p.Nodes {
		n := &p.Nodes[i]
		if opt.Certificate != nil {
			n.certified = opt.Certificate(n.Name)
		}
		n.Facts = facts.Later(n.Name, func() *facts.Facts { return n.told(n.System.Facts(n.Name, n.Legacy)) })
	}
	return p
}

// nodesFor are the nodes of a plan, with no more facts than those of their systems.
func nodesFor(env *environment.Environment, opt InventOptions) *Plan {
	p := &Plan{Wanted: compiler.Wanted(env), Hollow: len(env.Hollow())}
	if len(opt.Classes) > 0 {
		p.given(env, opt)
		return p
	}
	if m := env.Alone(); m != nil {
		p.Alone = true
		p.module(env, m, opt)
	} else {
		p.site(env, opt)
	}
	brought := env.Module("stdlib") != nil || slices.Contains(p.Wanted, "stdlib")
	tried, defaults := &helpless{}, &treeDefaults{env: env}
	for i := range p.Nodes {
		n := &p.Nodes[i]
		n.stdlib, n.helpless, n.tree = brought, tried, defaults
	}
	return p
}

// builtIn are the facts of a machine with a system and a name, made when somebody wants them.
func builtIn(s facts.System, name string, legacy bool) *facts.Facts {
	return facts.Later(name, func() *facts.Facts { return s.Facts(name, legacy) })
}

// withStdlib adds the facts that stdlib brings to agents, as they are on the node's system.
func (i *Invention) withStdlib(f *facts.Facts) *facts.Facts {
	if !i.stdlib {
		return f
	}
	system, _, _ := strings.Cut(i.System.ID, "-")
	add := map[string]string{"service_provider": "systemd", "package_provider": "dnf", "root_home": "/root"}
	switch system {
	case "debian", "ubuntu":
		add["package_provider"] = "apt"
	case "sles":
		add["package_provider"] = "zypper"
	case "amazon":
		if i.System.Release == "2" {
			add["package_provider"] = "yum"
		}
	case "freebsd":
		add["service_provider"], add["package_provider"] = "freebsd", "pkgng"
	case "macos":
		add = map[string]string{"service_provider": "launchd", "package_provider": "pkgdmg", "root_home": "/var/root"}
	case "windows":
		add = map[string]string{"service_provider": "windows", "package_provider": "windows"}
	}
	b := value.NewHashBuilder(f.Values.Len() + len(add))
	for _, e := range f.Values.Entries() {
		b.SetEntry(e)
	}
	for _, name := range slices.Sorted(maps.Keys(add)) {
		b.SetString(name, value.String(add[name]))
	}
	f.Values = b.Hash()
	return f
}

// module invents a node for each public class of a module, on the systems that its metadata names.
func (p *Plan) module(env *environment.Environment, m *environment.Module, opt InventOptions) {
	systems := p.supported(env, m, opt.AllSystems)
	var signs *signs
	if len(systems) == 0 {
		signs = newSigns(env, []*environment.Module{m})
	}
	for _, d := range p.publicOf(env, m) {
		if signs != nil { // each is for the system that its code speaks of
			systems = []facts.System{signs.of(d)}
		}
		for _, s := range systems {
			switch d.def.(type) {
			case *syntax.Class:
				n := invent(d.name, s, "a public class of the module", opt.Legacy)
				n.Part, n.claimed = true, signs == nil
				if signs != nil {
					n.elsewhere = signs.others(s)
				}
				p.Nodes = append(p.Nodes, n)
			case *syntax.Define:
				n := newUse(env, d, s, opt.Legacy)
				n.claimed = signs == nil
				p.Nodes = append(p.Nodes, n)
			}
		}
	}
}

// given invents a node for each class that the user names, on the systems that a module names, or the likeliest one.
func (p *Plan) given(env *environment.Environment, opt InventOptions) {
	systems, claimed := []facts.System{newSigns(env, env.Modules()).system}, false
	if m := env.Alone(); m != nil {
		p.Alone = true
		if list := p.supported(env, m, opt.AllSystems); len(list) > 0 {
			systems, claimed = list, true
		}
	}
	for _, class := range opt.Classes {
		for _, s := range systems {
			n := invent(outline.Class(class), s, "--classes", opt.Legacy)
			n.claimed = claimed
			p.Nodes = append(p.Nodes, n)
		}
	}
}

// invent is a node with a class.
func invent(class string, s facts.System, origin string, legacy bool) Invention {
	name := inventedName(class, s)
	return Invention{Node: compiler.Node{Name: name, Unclassified: true, Absent: compiler.StandInAny,
		Facts:   builtIn(s, name, legacy),
		Classes: []eval.Assigned{{Name: class}}},
		Class: class, System: s, Origin: origin, Legacy: legacy}
}

// inventedName is the name of a node that the tree does not name.
func inventedName(of string, s facts.System) string {
	return strings.ReplaceAll(strings.ReplaceAll(of, "::", "-"), "_", "-") + "." + s.ID + ".invented"
}

// named is a node that the tree names.
func named(name string, s facts.System, origin string, legacy bool) Invention {
	return Invention{Node: compiler.Node{Name: name, Unclassified: true, Absent: compiler.StandInAny,
		Facts: builtIn(s, name, legacy)}, System: s, Origin: origin,
		Legacy: legacy}
}

// on is the node with other facts: those of another system, or with facter's old names.
func (i *Invention) on(s facts.System, legacy bool) *Invention {
	out := *i
	if out.Class != "" || out.Define != "" {
		out.Name = inventedName(cmp.Or(out.Class, out.Define), s)
	}
	out.System, out.Legacy = s, legacy
	out.Facts = out.told(s.Facts(out.Name, legacy))
	return &out
}

// told adds to facts what the node has besides those of its system. What gives it its class goes before what somebody
// says of its certificate: else it would not be a node of the class.
func (i *Invention) told(f *facts.Facts) *facts.Facts {
	f = i.withStdlib(f)
	if i.certified != nil {
		f = f.WithTrusted(i.certified)
	}
	return say(f, append(slices.Clip(i.says), i.levels...))
}

// certifies reports whether somebody says what stands under a key of $trusted.
func (i *Invention) certifies(key string) bool {
	if i.certified == nil {
		return false
	}
	_, is := i.certified.GetString(key)
	return is
}

// site invents the nodes that a control repo names and, if it names none, a node for each role or, without those, each
// profile. Each class gets the system that its code speaks of most, and the others that the tree speaks of if its code
// refuses that one.
func (p *Plan) site(env *environment.Environment, opt InventOptions) {
	var own []*environment.Module
	for _, m := range env.Modules() {
		if opt.Own == nil || opt.Own(filepath.Join(m.Dir, "manifests", "init.pp")) {
			own = append(own, m)
		}
	}
	signs, asked := newSigns(env, own), askings(env)
	seen := map[string]bool{}
	add := func(i Invention) {
		if key := i.Title(); !seen[key] {
			seen[key] = true
			i.elsewhere = signs.others(i.System)
			p.Nodes = append(p.Nodes, i)
		}
	}
	for _, n := range statedNodes(env) {
		i := named(n.name, signs.system, n.origin, opt.Legacy)
		i.another = n.another
		add(i)
	}
	for _, name := range nodesWithData(env) {
		add(named(name, signs.system, "Hiera has data of it", opt.Legacy))
	}
	for _, kind := range []string{"role", "profile", ""} {
		if kind != "role" && len(p.Nodes) > 0 {
			break
		}
		for _, m := range own {
			if kind != "" && strings.TrimSuffix(m.Name, "s") != kind {
				continue
			}
			for _, d := range p.publicOf(env, m) {
				if _, is := d.def.(*syntax.Class); is {
					n := invent(d.name, signs.of(d), "a "+cmp.Or(kind, "class"), opt.Legacy)
					n.Part, n.guessed = kind != "role", n.System.ID != signs.system.ID
					n.says = sayings(asked, d.name, n.Facts)
					add(n)
				}
			}
		}
	}
	if len(p.Nodes) == 0 && declaresForAll(env) {
		add(named(otherNode, signs.system, "the main manifest", opt.Legacy))
	}
}

// declaresForAll reports whether the main manifests have something for every node: more than definitions, variables and
// messages.
func declaresForAll(env *environment.Environment) bool { return inMain(env, nil, declares) }

// inMain reports whether a statement of the main manifests, outside of definitions or in a node statement for some
// hosts, is one of some.
func inMain(env *environment.Environment, hosts func(syntax.Expr) bool, is func(syntax.Expr) bool) bool {
	files, err := env.Manifests()
	if err != nil {
		return false
	}
	for _, path := range files {
		tree, ds, err := env.Parse(path)
		if err != nil || ds.HasErrors() {
			return false
		}
		if slices.ContainsFunc(tree.Body.Stmts, is) {
			return true
		}
		for _, d := range tree.Defs {
			n, node := d.(*syntax.NodeDef)
			if node && hosts != nil && slices.ContainsFunc(n.Hosts, hosts) && slices.ContainsFunc(n.Body.Stmts, is) {
				return true
			}
		}
	}
	return false
}

// mayDeclareFor reports whether the main manifests put something into the catalog of a node under a condition.
func mayDeclareFor(env *environment.Environment, of *catalog.Catalog) bool {
	return inMain(env, func(h syntax.Expr) bool {
		return slices.ContainsFunc(of.Resources, func(r *catalog.Resource) bool {
			if r.Type != "Node" {
				return false
			}
			switch h.(type) {
			case *syntax.Default:
				return r.Title == "default"
			case *syntax.Regexp:
				return strings.HasPrefix(r.Title, "__node_regexp__")
			}
			return slices.Contains(syntax.StaticNames(h), r.Title)
		})
	}, mayDeclare)
}

// declares reports whether a statement may put something into a catalog.
func declares(s syntax.Expr) (does bool) {
	syntax.Walk(s, func(n syntax.Node) bool {
		switch n := n.(type) {
		case syntax.Definition, *syntax.Assign, *syntax.Defaults:
			return false
		case *syntax.Resource:
			does = true
		case *syntax.Call:
			name, _ := n.Functor.(*syntax.Name)
			does = does || name != nil && declaring[outline.Class(name.Value)]
		case *syntax.MethodCall:
			does = does || declaring[n.Functor.Name.Value]
		}
		return true
	})
	return does
}

// mayDeclare reports whether a statement puts something into a catalog under a condition.
func mayDeclare(s syntax.Expr) (does bool) {
	syntax.Walk(s, func(n syntax.Node) bool {
		switch n := n.(type) {
		case syntax.Definition:
			return false
		case *syntax.If:
			does = does || slices.ContainsFunc(slices.Concat(n.Then.Stmts, n.Else.Stmts), declares)
		case *syntax.Option:
			does = does || slices.ContainsFunc(n.Then.Stmts, declares)
		}
		return true
	})
	return does
}

// declaring are the functions by which main manifests give nodes something.
var declaring = map[string]bool{"include": true, "contain": true, "require": true, "hiera_include": true,
	"lookup": true, "create_resources": true, "ensure_packages": true, "ensure_resource": true}

// manifestsOf are the files that hold a module's classes and defines.
func manifestsOf(env *environment.Environment, m *environment.Module) []string {
	files, _, err := environment.PuppetFiles(env.Files(), filepath.Join(m.Dir, "manifests"))
	if err != nil { // it has none
		return nil
	}
	return files
}

// supported are the systems that a module's metadata.json names: the newest release of each, or all of them.
func (p *Plan) supported(env *environment.Environment, m *environment.Module, all bool) (out []facts.System) {
	text, err := env.Read(filepath.Join(m.Dir, "metadata.json"))
	if err != nil {
		return nil
	}
	var data struct {
		Systems []struct {
			OS       string   `json:"operatingsystem"`
			Releases []string `json:"operatingsystemrelease"`
		} `json:"operatingsystem_support"`
	}
	if json.Unmarshal([]byte(text), &data) != nil {
		return nil // whoever reads metadata says so
	}
	add := func(s facts.System) {
		if !slices.ContainsFunc(out, func(o facts.System) bool { return o.ID == s.ID }) {
			out = append(out, s)
		}
	}
	for _, o := range data.Systems {
		var found []facts.System
		for _, r := range o.Releases {
			if s, ok := facts.SystemOf(o.OS, r); ok {
				found = append(found, s)
			}
		}
		if len(o.Releases) == 0 {
			if s, ok := facts.SystemOf(o.OS, ""); ok {
				found = append(found, s)
			}
		}
		switch {
		case len(found) == 0:
			p.Unknown = append(p.Unknown, strings.TrimSpace(o.OS+" "+strings.Join(o.Releases, ", ")))
		case all:
			for _, s := range found {
				add(s)
			}
		default: // the order of facts.Systems is that of releases
			last := slices.MaxFunc(found, func(a, b facts.System) int { return cmp.Compare(number(a), number(b)) })
			add(last)
		}
	}
	return out
}

func number(s facts.System) int {
	return slices.IndexFunc(facts.Systems, func(o facts.System) bool { return o.ID == s.ID })
}

var private = regexp.MustCompile(`(?m)^\s*#\s*@api\s+private\b`)

// A public is a class or define that others may use.
type public struct {
	name string
	def  syntax.Definition
	file *syntax.File
}

// publicOf are a module's public classes and defines, by name. Those that somebody calls private, or that end the
// compile when others declare them, are not for a node to have.
func (p *Plan) publicOf(env *environment.Environment, m *environment.Module) (all []public) {
	for _, path := range manifestsOf(env, m) {
		tree, ds, err := env.Parse(path)
		if err != nil || ds.HasErrors() {
			continue // it is reported elsewhere
		}
		for _, d := range tree.Defs {
			switch d := d.(type) {
			case *syntax.Class:
				if !isPrivate(tree.Source, d, d.Body) && env.Finds(outline.Class(d.Name), path) {
					p.Classes++
					all = append(all, public{outline.Class(d.Name), d, tree})
				}
			case *syntax.Define:
				if !isPrivate(tree.Source, d, d.Body) && env.Finds(outline.Class(d.Name), path) {
					p.Defines++
					all = append(all, public{outline.Class(d.Name), d, tree})
				}
			}
		}
	}
	slices.SortFunc(all, func(a, b public) int { return strings.Compare(a.name, b.name) })
	return all
}

// isPrivate reports whether a class or define is for its own module only: its comment says so, or its code ends the
// compile elsewhere.
func isPrivate(f *source.File, d syntax.Definition, body syntax.Body) bool {
	before := f.Text[:d.Span().Start]
	start := len(before)
	for start > 0 { // the comment lines right before it
		line := strings.LastIndexByte(before[:max(start-1, 0)], '\n') + 1
		if !strings.HasPrefix(strings.TrimSpace(before[line:start]), "#") {
			break
		}
		start = line
	}
	if private.MatchString(before[start:]) {
		return true
	}
	for u := range outline.Uses(body.Stmts, func(string) outline.Effect { return 0 }) {
		if u.Kind == outline.Called && (u.Name == "assert_private" || u.Name == "private") {
			return true
		}
	}
	return false
}

// otherNode is the name of a node that no node statement names.
const otherNode = "any-other.invented"

// A statedNode is a node that a main manifest names, or one that it means; another is a name that it means as well.
type statedNode struct{ name, another, origin string }

// statedNodes are the nodes that the main manifests name, and one for each regular expression.
func statedNodes(env *environment.Environment) (nodes []statedNode) {
	files, err := env.Manifests()
	if err != nil {
		return nil
	}
	for _, path := range files {
		tree, ds, err := env.Parse(path)
		if err != nil || ds.HasErrors() {
			continue
		}
		for _, d := range tree.Defs {
			n, ok := d.(*syntax.NodeDef)
			if !ok {
				continue
			}
			for _, h := range n.Hosts {
				if _, is := h.(*syntax.Default); is && len(n.Body.Stmts) > 0 {
					nodes = append(nodes, statedNode{otherNode, "", "the node statement for all others"})
				}
				if re, is := h.(*syntax.Regexp); is {
					if name, another := nodeSample(re.Source); name != "" {
						nodes = append(nodes, statedNode{name, another, "a node statement, /" + re.Source + "/"})
					}
					continue
				}
				for _, name := range syntax.StaticNames(h) {
					if name != "" {
						nodes = append(nodes, statedNode{strings.ToLower(name), "", "a node statement"})
					}
				}
			}
		}
	}
	return nodes
}

var byNode = regexp.MustCompile(`["']?([\w./-]*/)%\{(?:::)?(?:trusted\.certname|facts\.(?:networking\.)?fqdn|fqdn|clientcert|facts\.clientcert)\}(\.ya?ml|\.json)`)

// nodesWithData are the nodes that the hierarchy has files of.
func nodesWithData(env *environment.Environment) (names []string) {
	if env.Dir == "" {
		return nil
	}
	text, err := env.Read(filepath.Join(env.Dir, "hiera.yaml"))
	if err != nil {
		return nil
	}
	for _, m := range byNode.FindAllStringSubmatch(text, -1) {
		for _, base := range []string{"data", "hieradata", "hiera", ""} {
			entries, err := env.Files().List(filepath.Join(env.Dir, base, m[1]))
			if err != nil {
				continue
			}
			for _, e := range entries {
				if name, is := strings.CutSuffix(e.Name, m[2]); is && !e.IsDir() {
					names = append(names, strings.ToLower(name))
				}
			}
			break
		}
	}
	slices.Sort(names)
	return names
}

// alongside are the node with the classes around its own declared first, the nearest alone and then the next: many
// classes and defines are parts that only those make whole (apache for apache::mod::ssl). A define gets the path of a
// file as its title, too.
func (i *Invention) alongside(env *environment.Environment) (out []compiler.Node) {
	parts := strings.Split(cmp.Or(i.Class, i.Define), "::")
	if i.Define != "" {
		node := i.Node
		node.Code = use{i.Define, pathTitle, "", i.use}.parse()
		out = append(out, node)
	}
	for n := len(parts) - 1; n > 0; n-- {
		around := strings.Join(parts[:n], "::")
		if !isClass(env, around) {
			continue
		}
		node := i.Node
		if i.Define != "" { // main manifests come before the classes of a classifier
			node.Code = use{i.Define, plainTitle, around, i.use}.parse()
			out = append(out, node)
			node.Code = use{i.Define, pathTitle, around, i.use}.parse()
		} else {
			node.Classes = append([]eval.Assigned{{Name: around}}, i.Classes...)
		}
		out = append(out, node)
	}
	return out
}

// isClass reports whether a module has a class of a name, and not a define.
func isClass(env *environment.Environment, name string) bool {
	class, _ := classOf(env, name)
	return class != nil
}

// classOf is a class of a module, and its file; nil if there is none of the name.
func classOf(env *environment.Environment, name string) (*syntax.Class, *syntax.File) {
	module, rest, _ := strings.Cut(name, "::")
	path, there := env.ManifestFile(module, rest)
	if !there {
		return nil, nil
	}
	tree, ds, err := env.Parse(path)
	if err != nil || ds.HasErrors() {
		return nil, nil
	}
	for _, d := range tree.Defs {
		if c, is := d.(*syntax.Class); is && outline.Class(c.Name) == name {
			return c, tree
		}
	}
	return nil, nil
}

// otherwise tries what may make an invented node compile that does not: facter's old names, if the code takes them for
// granted; what levels of the hierarchy have files for; the classes around its own; another system, if the code refuses
// this one or asks for what it lacks, or if only the class seems to be for it. It gives back the first failure if
// nothing helps.
func otherwise(ctx context.Context, c *compiler.Snapshot, n *Invention, failed *eval.Result) (*eval.Result, *Invention,
	error) {
	failed, n, err := withLegacy(ctx, c, n, failed)
	if err != nil || failed.Failure == nil {
		return failed, n, err
	}
	if failed, n, err = withLevels(ctx, c, n, failed); err != nil || failed.Failure == nil {
		return failed, n, err
	}
	if len(n.levels) > 0 { // past the main manifest it may ask for more
		if failed, n, err = withLegacy(ctx, c, n, failed); err != nil || failed.Failure == nil {
			return failed, n, err
		}
	}
	for _, around := range n.alongside(c.Environment()) {
		around.Facts = n.Facts
		res, err := c.Compile(ctx, around)
		with := *n
		with.Node, with.around = around, true
		if err != nil || res.Failure == nil {
			return res, &with, err
		}
		if isPart(failed.Failure) { // what the whole lacks is the reason
			if failed, n, err = withLegacy(ctx, c, &with, res); err != nil || failed.Failure == nil {
				return failed, n, err
			}
		}
	}
	guessed := n.guessed && len(failed.Failure.About) == 0 // what is not there is so on every system
	if len(failed.Failure.Names(source.Refusal)) == 0 && len(failed.Failure.Names(source.MissingFact)) == 0 && !guessed &&
		foreignFact(n.System, failed.Failure) == "" {
		return failed, n, nil
	}
	for _, s := range n.elsewhere {
		other := n.on(s, n.Legacy)
		res, err := c.Compile(ctx, other.Node)
		if err != nil || res.Failure == nil || guessed { // on the likeliest system it is what it is
			return res, other, err
		}
	}
	return failed, n, nil
}

// withLegacy is a node with facter's old names, if it fails otherwise with them or not at all.
func withLegacy(ctx context.Context, c *compiler.Snapshot, n *Invention, failed *eval.Result) (*eval.Result, *Invention,
	error) {
	legacy := false
	for _, name := range failed.Failure.Names(source.MissingVariable) {
		legacy = legacy || facts.Legacy[name] != "" && !n.Legacy
	}
	if !legacy && (n.Legacy || n.helpless.has(failed) || !lacksLegacy(failed)) {
		return failed, n, nil
	}
	old := n.on(n.System, true)
	res, err := c.Compile(ctx, old.Node)
	if err != nil || res.Failure == nil || legacy || !sameFailure(failed, res) {
		return res, old, err
	}
	n.helpless.add(failed)
	return failed, n, nil
}

// foreignFact is an old name of facter's that a failure misses and that a system does not have, under no name; "" for
// none. Whoever reads it is not for that system.
func foreignFact(s facts.System, d *source.Diagnostic) string {
	for _, name := range d.Names(source.MissingVariable) {
		name = strings.TrimPrefix(name, "::")
		if _, has := s.Facts("any", true).Values.GetString(name); facts.Legacy[name] != "" && !has {
			return name
		}
	}
	return ""
}

// A helpless is failures, by where they are, that facter's old names do not mend: what one node has tried all others of
// a plan need not. It may be nil.
type helpless struct{ places sync.Map }

func failedAt(r *eval.Result) string { return r.Failure.Code + " " + r.Failure.Place.String() }

func sameFailure(a, b *eval.Result) bool { return failedAt(a) == failedAt(b) }

func (h *helpless) add(r *eval.Result) {
	if h != nil {
		h.places.Store(failedAt(r), true)
	}
}

func (h *helpless) has(r *eval.Result) bool {
	if h == nil {
		return false
	}
	_, is := h.places.Load(failedAt(r))
	return is
}

// lacksLegacy reports whether a failure hangs on a fact by an old name of facter's, $facts['lsbdistcodename'].
func lacksLegacy(failed *eval.Result) bool {
	return failed.Trace != nil && slices.ContainsFunc(failed.Trace.Depends(failed.FailureRef),
		func(l provenance.Label) bool {
			name, is := strings.CutPrefix(l.Path, "fact ")
			return is && l.Kind == provenance.Absence && facts.Legacy[name] != ""
		})
}

// isPart reports whether a failure says that something else ought to have been declared before.
func isPart(d *source.Diagnostic) bool {
	return slices.ContainsFunc(d.About, func(s source.Subject) bool {
		return s.Kind == source.MissingVariable && s.Of != "" || s.Kind == source.MissingResource || s.Kind == source.Refusal
	})
}
