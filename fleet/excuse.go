package fleet

import (
	"cmp"
	"context"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"bunraku/provenance"
	"bunraku/puppet/compiler"
	"bunraku/puppet/environment"
	"bunraku/puppet/eval"
	"bunraku/puppet/facts"
	"bunraku/puppet/outline"
	"bunraku/puppet/value"
	"bunraku/source"
)

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
	// NeedsFiles: only a server has a file.
	NeedsFiles
	// NeedsValues: it went on without data, files that only a server has, or facts that only machines have, and the error
	// may hang on them, or not.
	NeedsValues
	// NeedsVariables: a classifier is to set a variable.
	NeedsVariables
	// NeedsFacts: the error may hang on facts that were invented, or that only real nodes have.
	NeedsFacts
	// NeedsOthers: it takes for granted that something else is declared beside it.
	NeedsOthers
	// Refuses: the code says itself that it is not for this system, or not to be used so.
	Refuses
	// NeedsUse: the error may hang on the title and the values that were invented for a define.
	NeedsUse
	// NoEnvironment: the tree is no environment as it is, and what is wrong with it as one is nothing to its users.
	NoEnvironment
	// NotTried: none of many nodes that were tried compiles, for what the detail says of most.
	NotTried
)

// excuse finds out whether an invented node failed for something that the tree cannot help. It goes by what the failure
// is about (source.Subject), not by its words. Whether the error hangs on invented facts is tried: another machine with
// the same operating system either meets the same error, or not.
func excuse(ctx context.Context, c *compiler.Snapshot, n *Invention, failed *eval.Result) (*Excuse, error) {
	d, absent := failed.Failure, false
	own := outline.Capitalized(n.Class)
	var needed []string
	if name := foreignFact(n.System, d); name != "" {
		return &Excuse{NeedsFacts, name}, nil
	}
	if why := noEnvironment(c, d); why != "" {
		return &Excuse{NoEnvironment, why}, nil
	}
	if eval.AboutUnknown(d) {
		if x := stoodIn(failed); x != nil {
			return x, nil
		}
	}
	for _, s := range d.About {
		switch s.Kind {
		case source.MissingClass, source.MissingFunction, source.MissingResourceType, source.MissingType:
			if strings.HasSuffix(s.Name, "::") || strings.Contains(s.Name, "::::") { // made of a value that is not there
				return &Excuse{NeedsFacts, d.Summary}, nil
			}
			if name := c.Lacks(s.Kind, s.Name, compiler.StandInAny); name != "" {
				return &Excuse{NeedsModule, name}, nil
			}
			if n.Define != "" && strings.Contains(s.Name, plainTitle) { // made of the title, or of a value
				return &Excuse{NeedsUse, d.Summary}, nil
			}
			absent = true // no value brings it
		case source.MissingKey:
			needed = append(needed, "'"+s.Name+"'")
		case source.MissingVariable:
			early, x := tooEarly(c.Environment(), d, s.Name)
			switch {
			case early && x != nil:
				return x, nil
			case early:
			case s.Of != "" && (n.Class != "" || n.Define != ""): // another class of the module is to set it
				return &Excuse{NeedsOthers, d.Summary}, nil
			case !strings.Contains(s.Name, "::") && facts.Legacy[s.Name] == "":
				return &Excuse{NeedsVariables, "$" + s.Name}, nil
			}
		case source.MissingParameter:
			if class, is := strings.CutPrefix(s.Of, "Class["); n.Class != "" && s.Of == "Class["+own+"]" {
				needed = append(needed, "$"+s.Name)
			} else if is { // what Hiera has for real nodes
				needed = append(needed, "'"+outline.Class(strings.TrimSuffix(class, "]"))+"::"+s.Name+"'")
			}
		case source.MissingResource:
			if n.Class != "" || n.Define != "" {
				return &Excuse{NeedsOthers, d.Summary}, nil
			}
		case source.MissingNode:
			if n.Class != "" || n.Define != "" { // the site has node statements, and none for a node of this name
				return &Excuse{Refuses, "no node statement is for other nodes"}, nil
			}
		case source.MissingFile:
			switch module, _, in := strings.Cut(s.Name, "/"); {
			case !in || !moduleName.MatchString(module): // a path on a server
				return &Excuse{NeedsFiles, "'" + s.Name + "'"}, nil
			case c.Environment().Module(module) == nil:
				return &Excuse{NeedsModule, module}, nil
			}
		case source.MissingFact:
			return &Excuse{NeedsFacts, s.Name}, nil
		case source.Refusal:
			return &Excuse{Refuses, d.Summary}, nil
		}
	}
	if d.Code == codeTaken && n.Class != "" && strings.Contains(d.Summary, "Class["+own+"]") &&
		!declaresItself(c, n.Class, d) {
		return &Excuse{NeedsOthers, d.Summary}, nil // the class that declares it is the one to ask for
	}
	if len(needed) > 0 {
		kind := NeedsParameters
		if needed[0][0] == '\'' {
			kind = NeedsData
		}
		return &Excuse{kind, strings.Join(needed, ", ")}, nil
	}
	if names, err := lackedValues(ctx, c, n, failed); err != nil || len(names) > 0 {
		return valuesOf(n, names), err
	}
	if names, err := lackedFacts(ctx, c, n, failed); err != nil || len(names) > 0 {
		return &Excuse{NeedsFacts, strings.Join(names, ", ")}, err
	}
	if n.Define != "" && !absent {
		return &Excuse{NeedsUse, d.Summary}, nil
	}
	for _, other := range n.rivals(d) {
		other.Trial = true
		res, err := c.Compile(ctx, other.Node)
		if err != nil {
			return nil, err
		}
		f := res.Failure
		if other.System.OS != n.System.OS && d.Code != codeNoChoice && (f == nil || f.Place != d.Place) {
			continue // the code has something else for that system
		}
		if f == nil || f.Code != d.Code || f.Place != d.Place ||
			strings.ReplaceAll(f.Summary, " for "+other.Name, "") != strings.ReplaceAll(d.Summary, " for "+n.Name, "") {
			return &Excuse{NeedsFacts, d.Summary}, nil
		}
	}
	return stoodIn(failed), nil
}

// declaresItself reports whether what a failure is of stands in the code of a class: then all who include that meet it.
func declaresItself(c *compiler.Snapshot, name string, d *source.Diagnostic) bool {
	class, file := classOf(c.Environment(), name)
	return class != nil && d.Place.File != nil && d.Place.File.Name == file.Source.Name &&
		class.Span().Start <= d.Place.Span.Start && d.Place.Span.End <= class.Span().End
}

// valuesOf is the excuse of a failure that may hang on values of Hiera's: parameters of the class that a node is of,
// and other keys.
func valuesOf(n *Invention, keys []string) *Excuse {
	var own, others []string
	for _, key := range keys {
		if at := strings.LastIndex(key, "::"); n.Class != "" && at > 0 && key[:at] == n.Class {
			own = append(own, "$"+key[at+2:])
		} else {
			others = append(others, "'"+key+"'")
		}
	}
	kind := NeedsData
	if len(own) > 0 {
		kind = NeedsParameters
	}
	return &Excuse{kind, strings.Join(append(own, others...), ", ")}
}

// stoodIn is the excuse of a failure that may hang on what stands in for modules, data or files; nil if it comes
// whatever these are. It is the last one to be asked for: where a fact that was invented or a refusal is known to be
// why, that is told.
func stoodIn(failed *eval.Result) *Excuse {
	if failed.Certain {
		return nil
	}
	on := failed.GuessedOn
	if len(on) == 0 {
		on = failed.StandIns
	}
	if names := notFound(on); len(names) > 0 {
		return &Excuse{NeedsValues, failed.Failure.Summary + "; without " + Listed(names)}
	}
	if names := Modules(failed.StandIns); len(names) > 0 {
		return &Excuse{NeedsModule, Listed(names)}
	}
	return nil
}

// moduleName is what a module may be called.
var moduleName = regexp.MustCompile(`^[a-z]\w*$`)

// codeTaken is that of a title that is taken.
const codeTaken = "E0510"

// rivals are other machines that might have been invented as well as this one: what is said of the tree must be so on
// each of them. One has the same system and, if nobody named the first, another name. Where the tree does not say which
// system it is for, the other releases of it are as good; and where something was chosen that is not there, so are the
// other systems that the tree speaks of.
func (i *Invention) rivals(d *source.Diagnostic) (out []Invention) {
	other := *i
	if i.nameless() {
		other.Name = cmp.Or(i.another, "another-"+other.Name)
	}
	other.Facts = i.told(i.System.Other(other.Name, i.Legacy))
	out = append(out, other)
	if i.claimed {
		return out
	}
	for _, s := range facts.Systems {
		if s.OS == i.System.OS && s.ID != i.System.ID {
			out = append(out, *i.on(s, i.Legacy))
		}
	}
	if d.Code == codeNoChoice || len(d.About) > 0 {
		for _, s := range i.elsewhere {
			out = append(out, *i.on(s, i.Legacy))
		}
	}
	return out
}

// codeNoChoice is that of a selector none of whose entries fits.
const codeNoChoice = "E0230"

// noEnvironment says why a tree is no environment as it is, if that is all that a failure is about: without an
// environment.conf nobody says that it is one. Main manifests of which two say the same are then applied one at a time,
// and a hiera.yaml of version 3 is the global one, of the tree as /etc/puppet.
func noEnvironment(c *compiler.Snapshot, d *source.Diagnostic) string {
	env := c.Environment()
	if env.Dir == "" || saysEnvironment(env) {
		return ""
	}
	if d.Code == "E0101" && len(d.Related) == 1 && isMain(env, d.Place.File) && isMain(env, d.Related[0].Place.File) &&
		d.Place.File.Name != d.Related[0].Place.File.Name {
		return eachAlone(d.Related[0].Place.File.Name, d.Place.File.Name)
	}
	if strings.Contains(d.Summary, "hiera.yaml version 3 cannot be used in an environment") { // whoever asks for data
		return "its hiera.yaml is one for all environments"
	}
	return ""
}

// saysEnvironment reports whether a tree says itself that it is an environment.
func saysEnvironment(env *environment.Environment) bool {
	return env.Dir != "" && source.Exists(env.Files(), filepath.Join(source.Absolute(env.Dir), "environment.conf"))
}

// eachAlone says that two main manifests are not meant for one environment.
func eachAlone(a, b string) string { return "each main manifest is one of its own: " + a + ", " + b }

// lackedValues are the keys of Hiera, parameters of classes among them, that have a default which is no value, and on
// whose values a failure may hang: code that takes undef for a port, or makes a title of it, is for those who give one.
// A default that its own type refuses is the tree's fault.
func lackedValues(ctx context.Context, c *compiler.Snapshot, n *Invention, failed *eval.Result) (names []string,
	err error) {
	node := n.Node
	elsewhere := givenElsewhere(c.Environment(), failed)
	node.Elsewhere = elsewhere
	is, res, err := failsOtherwise(ctx, c, node, failed)
	if err != nil || !is {
		return nil, err
	}
	all := slices.DeleteFunc(Lacked(res.StandIns, source.MissingKey), func(key string) bool {
		return slices.Contains(Lacked(failed.StandIns, source.MissingKey), key)
	})
	for _, key := range all[:min(len(all), maxLacked)] {
		node.Elsewhere = func(k string, none bool) bool { return k == key && elsewhere(k, none) }
		switch is, _, err := failsOtherwise(ctx, c, node, failed); {
		case err != nil:
			return nil, err
		case is:
			names = append(names, key)
		}
	}
	if len(names) == 0 { // it hangs on more than one of them
		return all, nil
	}
	return names, nil
}

// ofNone matches what is said of a value that is none: whoever says so was meant to be given another one. Where code
// asks whether a value is none, what it then comes to is its own doing.
var ofNone = regexp.MustCompile(`(?i)\bundef\b|\bnil\b|''|""|empty string|/\.e(pp|rb)`)

// givenElsewhere tells of which keys other nodes may have values: those whose default is none, if the failure is about
// such a value, and all of a module of which data are missing here.
func givenElsewhere(env *environment.Environment, failed *eval.Result) func(key string, none bool) bool {
	all, nothing := env.Dir != "" && noData(env, env.Dir), ofNone.MatchString(failed.Failure.Summary)
	lacking := map[string]bool{}
	module := func(key string) string { name, _, _ := strings.Cut(key, "::"); return name }
	for _, key := range Lacked(failed.StandIns, source.MissingKey) {
		lacking[module(key)] = true
	}
	return func(key string, none bool) bool {
		if none && nothing || all {
			return true
		}
		name := module(key)
		is, known := lacking[name]
		if m := env.Module(name); !known && m != nil {
			is = noData(env, m.Dir)
			lacking[name] = is
		}
		return is
	}
}

// inData is a directory that a hiera.yaml names.
var inData = regexp.MustCompile(`(?m)^[ \t-]*datadir:[ \t]*["']?([^"'\s%]+)["']?[ \t]*(?:#.*)?$`)

// noData reports whether a directory is not there of which the hiera.yaml of an environment or a module says that the
// data are in it.
func noData(env *environment.Environment, dir string) bool {
	text, err := env.Read(filepath.Join(dir, "hiera.yaml"))
	return err == nil && slices.ContainsFunc(inData.FindAllStringSubmatch(text, -1), func(m []string) bool {
		at := m[1]
		if !source.IsAbs(at) {
			at = filepath.Join(source.Absolute(dir), at)
		}
		return !source.Exists(env.Files(), at)
	})
}

// missingData tells of which keys the data are not there: of all if the environment's hiera.yaml names a directory that
// it has not, else those of modules of which that holds.
func missingData(env *environment.Environment) func(key string) bool {
	var all *bool
	of := map[string]bool{}
	return func(key string) bool {
		if all == nil {
			is := env.Dir != "" && noData(env, env.Dir)
			all = &is
		}
		name, _, _ := strings.Cut(key, "::")
		is, known := of[name]
		if m := env.Module(name); !*all && !known && m != nil {
			is = noData(env, m.Dir)
			of[name] = is
		}
		return *all || is
	}
}

// maxLacked bounds the keys that are tried.
const maxLacked = 50

// lackedFacts are the facts on which a failure may hang: first of those that a compile looked for in vain, then of all
// that were invented but for the operating system. That is tried: where nobody knows their values (package eval,
// opaque.go), a compile that comes to the same failure, and is certain to, comes to it whatever they are. Data count
// that other machines have.
func lackedFacts(ctx context.Context, c *compiler.Snapshot, n *Invention, failed *eval.Result) ([]string, error) {
	f := *n.Facts.Loaded()
	names, inRuby := absentFacts(failed), namedInRuby(failed.Failure, f.Values)
	names = slices.DeleteFunc(names, func(name string) bool { // no fact, whatever machines have
		early, _ := tooEarly(c.Environment(), failed.Failure, name)
		return early && slices.ContainsFunc(failed.Failure.Names(source.MissingVariable), func(missing string) bool {
			return strings.TrimPrefix(missing, "::") == name
		})
	})
	for _, name := range append(slices.Clip(names), inRuby...) {
		f.Values = withUnknown(f.Values, strings.Split(name, "."), eval.NoFact(name))
	}
	if len(names)+len(inRuby) > 0 {
		node := n.Node
		node.Facts = &f
		if is, res, err := failsOtherwise(ctx, c, node, failed); err != nil || is {
			if len(names) == 0 {
				names = []string{failed.Failure.Summary}
			}
			return guessedOn(res, names...), err
		}
	}
	f = n.unknown(f)
	for _, path := range levelFacts(c.Environment()) {
		if _, there := at(f.Values, path); !there { // the others are what unknown made of them
			f.Values = withUnknown(f.Values, path, eval.NoFact(strings.Join(path, ".")))
		}
	}
	node := n.Node
	node.Facts, node.Elsewhere = &f, givenElsewhere(c.Environment(), failed)
	if is, res, err := failsOtherwise(ctx, c, node, failed); err != nil || is {
		return guessedOn(res, failed.Failure.Summary), err
	}
	return nil, nil
}

// guessedOn are the facts on which something was guessed; others if none was.
func guessedOn(res *eval.Result, others ...string) []string {
	if res == nil {
		return nil
	}
	if on := Lacked(res.GuessedOn, source.MissingFact); len(on) > 0 {
		return on
	}
	return others
}

// failsOtherwise reports whether a node of which something is not known comes to another failure, or to none, or is not
// certain to come to the same.
func failsOtherwise(ctx context.Context, c *compiler.Snapshot, node compiler.Node, failed *eval.Result) (bool,
	*eval.Result, error) {
	node.Trial = true
	res, err := c.Compile(ctx, node)
	if err != nil {
		return false, nil, err
	}
	now, d := res.Failure, failed.Failure
	same := now != nil && now.Code == d.Code && now.Place == d.Place && now.Summary == d.Summary
	return !same || !res.Certain && failed.Certain, res, nil
}

// inLevel is a fact that a level of a hierarchy asks for.
var inLevel = regexp.MustCompile(`%\{ *(?:::)?(facts\.)?([a-z]\w*(?:\.\w+)*) *\}`)

// levelFacts are the facts that the hierarchy of an environment asks for and that are not taken as they are.
func levelFacts(env *environment.Environment) [][]string {
	return slices.DeleteFunc(asksFor(env, env.Dir), func(path []string) bool { return sure.MatchString(path[0]) })
}

// asksFor are the facts that the hierarchy of a directory asks for, but for variables that the main manifests set.
func asksFor(env *environment.Environment, dir string) (paths [][]string) {
	if dir == "" {
		return nil
	}
	text, err := env.Read(filepath.Join(dir, "hiera.yaml"))
	if err != nil {
		return nil
	}
	main, _ := env.Manifests()
	for _, m := range inLevel.FindAllStringSubmatch(commented.ReplaceAllString(text, ""), -1) {
		path := strings.Split(m[2], ".")
		setBy := func(file string) bool { return sets(env, file, path[0], m[1] == "facts.") }
		if !(m[1] != "facts." && (path[0] == "facts" || path[0] == "trusted" || path[0] == "server_facts") ||
			slices.ContainsFunc(main, setBy)) {
			paths = append(paths, path)
		}
	}
	return paths
}

// commented is a comment of YAML.
var commented = regexp.MustCompile(`(?m)(^|[ \t])#.*$`)

// sure are facts that are taken as they are: they go with the operating system, or with the Puppet that is looked at.
var sure = regexp.MustCompile(`^(os|osfamily|operatingsystem\w*|lsb\w*|kernel|puppetversion|clientversion|stdlib_\w+)$`)

// unknown are the facts of a machine of which only the operating system is known, its name if somebody gave it one,
// and what it says of itself.
func (i *Invention) unknown(f facts.Facts) facts.Facts {
	named := !i.nameless()
	name := func(key string) bool {
		return named && slices.Contains([]string{"fqdn", "hostname", "domain", "certname"}, key)
	}
	b := value.NewHashBuilder(f.Values.Len())
	for _, e := range f.Values.Entries() {
		key := value.ToString(e.Key)
		inner, nested := e.Value.(*value.Hash)
		switch {
		case sure.MatchString(key), name(key), named && key == "clientcert":
			b.SetEntry(e)
		case nested && key == "networking":
			net := value.NewHashBuilder(inner.Len())
			for _, x := range inner.Entries() {
				if at := value.ToString(x.Key); !name(at) {
					x.Value = eval.NoFact(key + "." + at)
				}
				net.SetEntry(x)
			}
			b.SetString(key, net.Hash())
		default:
			b.SetString(key, eval.NoFact(key))
		}
	}
	f.Values = b.Hash()
	t := value.NewHashBuilder(8)
	for _, e := range i.Trusted().Entries() {
		switch key := value.ToString(e.Key); {
		case i.certifies(key):
		case key == "extensions" || key == "external":
			e.Value = eval.NoFact("trusted." + key)
		case !name(key) && key != "authenticated":
			e.Value = eval.NoFact("trusted." + key)
		}
		t.SetEntry(e)
	}
	f.Trusted = t.Hash()
	return *say(&f, i.says)
}

// withUnknown is a hash with a value that is not known at a path; what is in the way there is as it was.
func withUnknown(h *value.Hash, path []string, v *value.Opaque) *value.Hash {
	b := value.NewHashBuilder(h.Len() + 1)
	for _, e := range h.Entries() {
		b.SetEntry(e)
	}
	switch below, there := h.GetString(path[0]); {
	case len(path) == 1:
		b.SetString(path[0], v)
	case !there:
		b.SetString(path[0], withUnknown(value.EmptyHash, path[1:], v))
	default:
		if inner, is := below.(*value.Hash); is {
			b.SetString(path[0], withUnknown(inner, path[1:], v))
		}
	}
	return b.Hash()
}

// absentFacts are the facts that a compile looked for in vain. What the operating system is, old names of facter's tell
// as well as new ones (withLegacy).
func absentFacts(res *eval.Result) (names []string) {
	if res.Trace == nil {
		return nil
	}
	for _, l := range res.Trace.Depends(res.FailureRef) {
		// A variable such as $_role is a site's own code's, and one of a class is no fact.
		if name, is := strings.CutPrefix(l.Path, "fact "); is && l.Kind == provenance.Absence && !sure.MatchString(name) &&
			!strings.HasPrefix(name, "_") && !strings.Contains(name, "::") && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// namedInRuby are names that facts may have and these do not, as the template or Ruby file writes them that a failure
// is in: what is asked of the hash of all facts there is not told apart.
func namedInRuby(d *source.Diagnostic, given *value.Hash) (names []string) {
	places := []source.Place{d.Place}
	for _, r := range d.Related {
		places = append(places, r.Place)
	}
	for _, p := range places {
		if p.File == nil {
			continue
		}
		text := p.File.Text
		if strings.HasSuffix(p.File.Name, ".pp") { // an inline template
			text = text[p.Span.Start:p.Span.End]
		}
		for _, m := range rubyWord.FindAllStringSubmatch(text, -1) {
			name := m[1] + m[2]
			if _, there := given.GetString(name); !there && !slices.Contains(names, name) && len(names) < maxLacked {
				names = append(names, name)
			}
		}
	}
	return names
}

// rubyWord is a word as Ruby has it in quotes, or behind a colon.
var rubyWord = regexp.MustCompile(`['"]([a-z]\w*)['"]|[\s(\[,]:([a-z]\w*)`)

// traced compiles a node once more, once somebody asks: the result says where its values come from.
func traced(ctx context.Context, c *compiler.Snapshot, n compiler.Node) func() *eval.Result {
	return sync.OnceValue(func() *eval.Result {
		n.Traced = true
		res, err := c.Compile(ctx, n)
		if err != nil { // whoever looks on is told
			return &eval.Result{}
		}
		return res
	})
}

// guesses reports whether a part of a value is the invented machine's.
func (i *Invention) guesses(t *provenance.Trace, value provenance.Ref) bool {
	return slices.ContainsFunc(t.Flows(value), func(at provenance.Ref) bool {
		l, is := t.Label(at)
		return is && i.invents(l)
	})
}

// invents reports whether what stands at a place is the invented machine's and not the tree's: a fact or the node's
// name, but for the name that the tree has itself, and for a system that it says it is for.
func (i *Invention) invents(l provenance.Label) bool {
	switch l.Kind {
	case provenance.NodeName:
		return i.nameless()
	case provenance.Absence:
		return strings.HasPrefix(l.Path, "fact ")
	case provenance.Fact:
		path := cmp.Or(facts.Legacy[l.Path], l.Path)
		switch top, _, _ := strings.Cut(path, "."); {
		case top == "os" || top == "kernel":
			return !i.claimed
		case top == "clientcert" || path == "networking.fqdn" || path == "networking.hostname" || path == "networking.domain":
			return i.nameless()
		}
		return true
	}
	return false
}
