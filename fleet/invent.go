package fleet

import (
	"cmp"
	"context"
	"encoding/json"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"bunraku/provenance"
	"bunraku/puppet/compiler"
	"bunraku/puppet/environment"
	"bunraku/puppet/eval"
	"bunraku/puppet/facts"
	"bunraku/puppet/outline"
	"bunraku/puppet/syntax"
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
	System facts.System
	Origin string // why there is one, in a few words

	legacy bool
}

// Title is how the node is shown: "apache on debian-12 (invented)".
func (i Invention) Title() string {
	return cmp.Or(i.Class, i.Name) + " on " + i.System.ID + " (invented)"
}

// A Plan is the nodes to invent for a tree, and what of it they leave out.
type Plan struct {
	Nodes []Invention
	// Classes is how many public classes there are in the modules that were looked through.
	Classes int
	// Unknown are the systems that the tree names and that have no built-in facts.
	Unknown []string
	// Wanted are the modules that the tree needs and that are not there.
	Wanted []string
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
}

// Invent plans nodes for a tree without facts.
func Invent(env *environment.Environment, opt InventOptions) *Plan {
	p := &Plan{Wanted: Wanted(env)}
	if m := env.Alone(); m != nil {
		p.module(env, m, opt)
	} else {
		p.site(env, opt)
	}
	return p
}

// module invents a node for each public class of a module, on the systems that its metadata names.
func (p *Plan) module(env *environment.Environment, m *environment.Module, opt InventOptions) {
	systems := p.supported(env, m, opt.AllSystems)
	if len(systems) == 0 {
		systems = []facts.System{p.likeliest(env, func(*environment.Module) bool { return true })}
	}
	for _, class := range p.classesOf(env, m) {
		for _, s := range systems {
			p.Nodes = append(p.Nodes, invent(class, s, "a public class of the module", opt.Legacy))
		}
	}
}

// invent is a node with a class.
func invent(class string, s facts.System, origin string, legacy bool) Invention {
	name := strings.ReplaceAll(strings.ReplaceAll(class, "::", "-"), "_", "-") + "." + s.ID + ".invented"
	return Invention{Node: compiler.Node{Name: name, Facts: s.Facts(name, legacy),
		Classes: []eval.Assigned{{Name: class}}},
		Class: class, System: s, Origin: origin, legacy: legacy}
}

// named is a node that the tree names.
func named(name string, s facts.System, origin string, legacy bool) Invention {
	return Invention{Node: compiler.Node{Name: name, Facts: s.Facts(name, legacy)}, System: s, Origin: origin,
		legacy: legacy}
}

// site invents the nodes that a control repo names and, if it names none, a node for each role or, without those, each
// profile.
func (p *Plan) site(env *environment.Environment, opt InventOptions) {
	own := func(m *environment.Module) bool {
		return opt.Own == nil || opt.Own(filepath.Join(m.Dir, "manifests", "init.pp"))
	}
	system := p.likeliest(env, own)
	seen := map[string]bool{}
	add := func(i Invention) {
		if key := i.Title(); !seen[key] {
			seen[key] = true
			p.Nodes = append(p.Nodes, i)
		}
	}
	for _, name := range statedNodes(env) {
		add(named(name, system, "a node statement", opt.Legacy))
	}
	for _, name := range nodesWithData(env) {
		add(named(name, system, "Hiera has data of it", opt.Legacy))
	}
	for _, kind := range []string{"role", "profile", ""} {
		if kind != "role" && len(p.Nodes) > 0 {
			break
		}
		for _, m := range env.Modules() {
			if !own(m) || kind != "" && strings.TrimSuffix(m.Name, "s") != kind {
				continue
			}
			for _, class := range p.classesOf(env, m) {
				origin := cmp.Or(kind, "class")
				add(invent(class, system, "a "+origin, opt.Legacy))
			}
		}
	}
}

// signs are words by which code shows what system it is written for.
var signs = map[string][]string{
	"debian-12":    {"debian", "apt::", "apt-get", "/etc/apt"},
	"ubuntu-24.04": {"ubuntu"},
	"redhat-9":     {"redhat", "centos", "rocky", "almalinux", "yumrepo", "/etc/yum"},
	"sles-15":      {"suse", "zypp"},
	"freebsd-14":   {"freebsd"},
	"macos-14":     {"darwin", "macos"},
	"windows-2022": {"windows", "powershell", "c:\\\\", "c:/"},
}

// likeliest is the system to take when nothing says which: the one that the tree's own code speaks of most, Debian
// failing that.
func (p *Plan) likeliest(env *environment.Environment, own func(*environment.Module) bool) facts.System {
	count := map[string]int{"debian-12": 1}
	for _, m := range env.Modules() {
		if !own(m) {
			continue
		}
		for _, path := range manifestsOf(env, m) {
			text, err := env.Read(path)
			if err != nil {
				continue
			}
			text = strings.ToLower(text)
			for id, words := range signs {
				for _, w := range words {
					count[id] += strings.Count(text, w)
				}
			}
		}
	}
	best := "debian-12"
	for _, s := range facts.Systems {
		if count[s.ID] > count[best] {
			best = s.ID
		}
	}
	s, _ := facts.FindSystem(best)
	return s
}

// manifestsOf are the files that hold a module's classes and defines.
func manifestsOf(env *environment.Environment, m *environment.Module) []string {
	files, err := environment.PuppetFiles(env.Files(), filepath.Join(m.Dir, "manifests"))
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

// classesOf are a module's public classes, by name. Those that somebody calls private, or that end the compile when
// others declare them, are not for a node to have.
func (p *Plan) classesOf(env *environment.Environment, m *environment.Module) (names []string) {
	for _, path := range manifestsOf(env, m) {
		tree, ds, err := env.Parse(path)
		if err != nil || ds.HasErrors() {
			continue // it is reported elsewhere
		}
		for _, d := range tree.Defs {
			c, ok := d.(*syntax.Class)
			if !ok || isPrivate(tree.Source, c) {
				continue
			}
			p.Classes++
			names = append(names, outline.Class(c.Name))
		}
	}
	slices.Sort(names)
	return names
}

// isPrivate reports whether a class is for its own module only: its comment says so, or its code ends the compile
// elsewhere.
func isPrivate(f *source.File, c *syntax.Class) bool {
	before := f.Text[:c.Span().Start]
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
	for u := range outline.Uses(c.Body.Stmts, func(string) outline.Effect { return 0 }) {
		if u.Kind == outline.Called && (u.Name == "assert_private" || u.Name == "private") {
			return true
		}
	}
	return false
}

// statedNodes are the nodes that the main manifests name.
func statedNodes(env *environment.Environment) (names []string) {
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
				for _, name := range syntax.StaticNames(h) {
					if name != "" {
						names = append(names, strings.ToLower(name))
					}
				}
			}
		}
	}
	return names
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
// classes are parts that only those make whole (apache for apache::mod::ssl).
func (i *Invention) alongside(env *environment.Environment) (out []compiler.Node) {
	parts := strings.Split(i.Class, "::")
	for n := len(parts) - 1; n > 0; n-- {
		if _, there := env.ManifestFile(parts[0], strings.Join(parts[1:n], "::")); there {
			node := i.Node
			node.Classes = append([]eval.Assigned{{Name: strings.Join(parts[:n], "::")}}, node.Classes...)
			out = append(out, node)
		}
	}
	return out
}

// An Excuse is why an error of an invented node is none of the tree's.
type Excuse struct {
	Kind   ExcuseKind
	Detail string // a module, or parameters
}

// An ExcuseKind is a kind of excuse.
type ExcuseKind uint8

const (
	// NeedsModule: a module is not there.
	NeedsModule ExcuseKind = iota
	// NeedsParameters: the class cannot do without values that only its user knows.
	NeedsParameters
	// NeedsData: Hiera has no value for a key that the code cannot do without.
	NeedsData
	// NeedsVariables: a classifier is to set a variable.
	NeedsVariables
	// NeedsFacts: the error may hang on facts that were invented, or that only real nodes have.
	NeedsFacts
	// NeedsOthers: it takes for granted that something else is declared beside it.
	NeedsOthers
	// Refuses: the code says itself that it is not for this system, or not to be used so.
	Refuses
)

var (
	missingName  = regexp.MustCompile(`(?i)(?:could not find (?:declared )?class (?:::)?|Unknown function: '|Unknown resource type: '|Resource type not found: |Could not find parent resource type '(?:::)?|unresolved type '|Evaluation Error: Unknown Type: )'?([a-z]\w*)(::|\b)`)
	missingKind  = regexp.MustCompile(`Unknown (?:function|resource type): '(\w+)'`)
	missingData  = regexp.MustCompile(`did not find a value for (?:the name|any of the names) ('[^']+'|\[.*\])`)
	missingVar   = regexp.MustCompile(`Unknown variable: '(?:::)?(\w+)'`)
	missingParam = regexp.MustCompile(`expects a value for parameter '(\w+)'`)
)

// excuse finds out whether an invented node failed for something that the tree cannot help. Whether the error hangs on
// invented facts is tried: another machine with the same operating system either meets the same error, or not.
func excuse(ctx context.Context, c *compiler.Snapshot, n *Invention, failed *eval.Result, wanted []string) (*Excuse,
	error) {
	d := failed.Failure
	if m := missingName.FindStringSubmatch(d.Summary); m != nil && c.Environment().Module(strings.ToLower(m[1])) == nil &&
		(m[2] != "" || strings.Contains(d.Summary, " class ")) {
		return &Excuse{NeedsModule, strings.ToLower(m[1])}, nil
	}
	// which of them would bring it is not known
	if m := missingKind.FindStringSubmatch(d.Summary); m != nil && len(wanted) > 0 {
		return &Excuse{NeedsModule, "that brings " + m[1]}, nil
	}
	if m := missingData.FindStringSubmatch(d.Summary); m != nil {
		return &Excuse{NeedsData, m[1]}, nil
	}
	if m := missingVar.FindStringSubmatch(d.Summary); m != nil && facts.Legacy[m[1]] == "" {
		return &Excuse{NeedsVariables, "$" + m[1]}, nil
	}
	if n.Class != "" && strings.Contains(d.Summary, "Class["+catalogName(n.Class)+"]") {
		var names []string
		for _, m := range missingParam.FindAllStringSubmatch(d.Summary, -1) {
			names = append(names, "$"+m[1])
		}
		if len(names) > 0 {
			return &Excuse{NeedsParameters, strings.Join(names, ", ")}, nil
		}
	}
	if n.Class != "" && (d.Code == "E0551" || d.Code == "E0552" || strings.Contains(d.Detail, "has not been evaluated")) {
		return &Excuse{NeedsOthers, d.Summary}, nil
	}
	if n.Class != "" && d.Code == "E0570" { // the site has node statements, and none for a node of this name
		return &Excuse{Refuses, "no node statement is for other nodes"}, nil
	}
	if d.Code == failCode {
		return &Excuse{Refuses, d.Summary}, nil
	}
	if names := absentFacts(failed); len(names) > 0 {
		return &Excuse{NeedsFacts, strings.Join(names, ", ")}, nil
	}
	other := n.Node
	other.Facts = n.System.Other(n.Name, n.legacy)
	res, err := c.Compile(ctx, other)
	if err != nil {
		return nil, err
	}
	if res.Failure == nil || res.Failure.Code != d.Code || res.Failure.Place != d.Place {
		return &Excuse{NeedsFacts, d.Summary}, nil
	}
	return nil, nil
}

// absentFacts are the facts that a compile looked for in vain, but for those that every machine lacks now.
func absentFacts(res *eval.Result) (names []string) {
	if res.Trace == nil {
		return nil
	}
	for _, l := range res.Trace.Depends(res.FailureRef) {
		if name, is := strings.CutPrefix(l.Path, "fact "); is && l.Kind == provenance.Absence && facts.Legacy[name] == "" &&
			!slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// failCode is that of the function fail.
const failCode = "E0401"

// catalogName is a class's name as messages have it.
func catalogName(class string) string { return outline.Capitalized(class) }
