package fleet

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"bunraku/provenance"
	"bunraku/puppet/compiler"
	"bunraku/puppet/eval"
	"bunraku/puppet/facts"
	"bunraku/puppet/outline"
	"bunraku/puppet/syntax"
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
	// NeedsValues: it went on without data or files that only a server has, and the error may hang on them, or not.
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
	// NotTried: none of many nodes that the tree names compiles, for what the detail says of most.
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
	if eval.IsUnknownText(d.Summary) || slices.ContainsFunc(d.About, isUnknown) {
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
			switch {
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
	if d.Code == codeTaken && n.Class != "" && strings.Contains(d.Summary, "Class["+own+"]") {
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
		return &Excuse{NeedsParameters, strings.Join(names, ", ")}, err
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
	if writtenDown(d) {
		return nil, nil
	}
	return stoodIn(failed), nil
}

// stoodIn is the excuse of a failure that may hang on what stands in for data or files; nil if nothing does. It is the
// last one to be asked for: where a fact that was invented or a refusal is known to be why, that is told. Values that
// are not known may have decided what came before the failure, or be what it is about. What is wrong with a name that
// is written down is so whatever the values are, and so is a title that is taken where no decision hung on one.
func stoodIn(failed *eval.Result) *Excuse {
	on := failed.GuessedOn
	if len(on) == 0 {
		on = failed.StandIns
		if d := failed.Failure; d.Code == codeTaken && !eval.IsUnknownText(d.Summary) {
			return nil
		}
	}
	names := append(Lacked(on, source.MissingKey), Lacked(on, source.MissingFile)...)
	if len(names) == 0 {
		return nil
	}
	return &Excuse{NeedsValues, failed.Failure.Summary + "; without " + Listed(names)}
}

// isUnknown reports whether what a failure is about is made of a value that is not known.
func isUnknown(s source.Subject) bool { return eval.IsUnknownText(s.Name) }

// writtenDown reports whether a failure is about a name that is written down.
func writtenDown(d *source.Diagnostic) bool {
	return d.Code == codeNoAttribute || slices.ContainsFunc(d.About, func(s source.Subject) bool {
		switch s.Kind {
		case source.MissingClass, source.MissingFunction, source.MissingResourceType, source.MissingType,
			source.MissingParameter, source.MissingKey:
			return true
		}
		return false
	})
}

// moduleName is what a module may be called.
var moduleName = regexp.MustCompile(`^[a-z]\w*$`)

// The codes of an attribute that its type has not and of a title that is taken.
const codeNoAttribute, codeTaken = "E0580", "E0510"

// rivals are other machines that might have been invented as well as this one: what is said of the tree must be so on
// each of them. One has the same system and, if nobody named the first, another name. Where the tree does not say which
// system it is for, the other releases of it are as good; and where something was chosen that is not there, so are the
// other systems that the tree speaks of.
func (i *Invention) rivals(d *source.Diagnostic) (out []Invention) {
	other := *i
	if other.Class != "" || other.Define != "" || other.Name == otherNode {
		other.Name = "another-" + other.Name
	}
	other.Facts = say(i.withStdlib(i.System.Other(other.Name, i.Legacy)), i.says)
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
	if env.Dir == "" || source.Exists(env.Files(), filepath.Join(source.Absolute(env.Dir), "environment.conf")) {
		return ""
	}
	switch d.Code {
	case "E0101":
		main, err := env.Manifests()
		isMain := func(f *source.File) bool {
			return f != nil && slices.ContainsFunc(main, func(p string) bool { return env.Display(p) == f.Name })
		}
		if err == nil && len(d.Related) == 1 && isMain(d.Place.File) && isMain(d.Related[0].Place.File) &&
			d.Place.File.Name != d.Related[0].Place.File.Name {
			return "each main manifest is one of its own: " + d.Related[0].Place.File.Name + ", " + d.Place.File.Name
		}
	case "E0601":
		if strings.Contains(d.Summary, "version 3") {
			return "its hiera.yaml is one for all environments"
		}
	}
	return ""
}

// maxLacked bounds the parameters that are tried.
const maxLacked = 12

// lackedValues are the parameters of a module's class whose default is no value and that it does not do without,
// although their types allow it: another one fails for undef, a title is made of it, an assertion asks for more. Each
// is tried with a value. A default that its own type refuses is the tree's fault.
func lackedValues(ctx context.Context, c *compiler.Snapshot, n *Invention, failed *eval.Result) (names []string,
	err error) {
	d := failed.Failure
	ofNothing := strings.Contains(d.Summary, "got Undef") || strings.Contains(d.Summary, ` for nil:`) ||
		strings.Contains(d.Summary, ` for "":String`) || d.Code == "E0224" && strings.Contains(d.Summary, " value '' ") ||
		d.Code == "E0503" && (strings.HasSuffix(d.Summary, "undef") || strings.Contains(d.Summary, "Empty string"))
	if n.Class == "" || !ofNothing {
		return nil, nil
	}
	class, file := classOf(c.Environment(), n.Class)
	if class == nil {
		return nil, nil
	}
	differs := func(attributes string) (bool, error) {
		node := n.Node
		node.Trial = true
		node.Code = use{define: "class", title: n.Class, attributes: attributes}.parse()
		res, err := c.Compile(ctx, node)
		if err != nil {
			return false, err
		}
		f := res.Failure
		return f == nil || f.Code != d.Code || f.Place != d.Place || f.Summary != d.Summary, nil
	}
	if other, err := differs(""); err != nil || other {
		return nil, err // it was compiled with something around it
	}
	m := maker{env: c.Environment()}
	for _, p := range class.Params {
		if !isNothing(p.Default) || len(names) == maxLacked {
			continue
		}
		if p.Type != nil && d.Place.File != nil && d.Place.File.Name == file.Source.Name &&
			p.Default.Span() == d.Place.Span { // the type refuses it
			return nil, nil
		}
		text, ok := m.value(optional(p.Type), file.Source, 0)
		if !ok || text == "undef" {
			continue
		}
		helps, err := differs(fmt.Sprintf("  %s => %s,\n", p.Name, text))
		if err != nil {
			return nil, err
		}
		if helps {
			names = append(names, "$"+p.Name)
		}
	}
	return names, nil
}

// isNothing reports whether a default stands for no value: undef, or an empty text.
func isNothing(e syntax.Expr) bool {
	switch e := e.(type) {
	case *syntax.Undef:
		return true
	case *syntax.Str:
		return e.Value == ""
	}
	return false
}

// optional is the type that an Optional has inside; another type as it is.
func optional(typ syntax.Expr) syntax.Expr {
	if a, is := typ.(*syntax.Access); is && len(a.Keys) == 1 {
		if r, is := a.Left.(*syntax.Ref); is && r.Value == "Optional" {
			return a.Keys[0]
		}
	}
	return typ
}

// lackedFacts are the facts that a compile looked for in vain and on which its failure may hang. That is tried: where
// nobody knows their values (package eval, opaque.go), a compile that comes to the same failure and has decided nothing
// on a fact would come to it with any value of it.
func lackedFacts(ctx context.Context, c *compiler.Snapshot, n *Invention, failed *eval.Result) ([]string, error) {
	names := absentFacts(failed)
	if len(names) == 0 {
		return nil, nil
	}
	f, node := *n.Facts.Loaded(), n.Node
	for _, name := range names {
		f.Values = withUnknown(f.Values, strings.Split(name, "."), eval.NoFact(name))
	}
	node.Facts, node.Trial = &f, true
	res, err := c.Compile(ctx, node)
	if err != nil {
		return nil, err
	}
	if now, d := res.Failure, failed.Failure; now == nil || now.Code != d.Code || now.Place != d.Place ||
		now.Summary != d.Summary {
		return names, nil
	}
	return Lacked(res.GuessedOn, source.MissingFact), nil
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

// absentFacts are the facts that a compile looked for in vain, but for those that every machine lacks now.
func absentFacts(res *eval.Result) (names []string) {
	if res.Trace == nil {
		return nil
	}
	for _, l := range res.Trace.Depends(res.FailureRef) {
		// A variable such as $_role is a site's own code's, and one of a class is no fact.
		if name, is := strings.CutPrefix(l.Path, "fact "); is && l.Kind == provenance.Absence && facts.Legacy[name] == "" &&
			!strings.HasPrefix(name, "_") && !strings.Contains(name, "::") && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

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
	nameless := i.Class != "" || i.Define != "" || i.Name == otherNode
	switch l.Kind {
	case provenance.NodeName:
		return nameless
	case provenance.Absence:
		return strings.HasPrefix(l.Path, "fact ")
	case provenance.Fact:
		path := cmp.Or(facts.Legacy[l.Path], l.Path)
		switch top, _, _ := strings.Cut(path, "."); {
		case top == "os" || top == "kernel":
			return !i.claimed
		case top == "clientcert" || path == "networking.fqdn" || path == "networking.hostname" || path == "networking.domain":
			return nameless
		}
		return true
	}
	return false
}
