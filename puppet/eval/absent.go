package eval

import (
	"slices"
	"strings"

	"bunraku/puppet/syntax"
	"bunraku/puppet/types"
	"bunraku/puppet/value"
	"bunraku/source"
)

// Modules that are not there. A tree as it was cloned names modules (in a Puppetfile, in metadata.json) that somebody
// has yet to fetch. Puppet ends the compile at the first word of theirs. Whoever only wants to look at what is there
// (a World that is Lacking) goes on with a stand-in, of which nothing is claimed:
//
//   - a resource of theirs is in the catalog as it was declared, with any attribute; what a define would declare is
// not;
//   - a class of theirs is in the catalog without parameters and code; its variables are opaque;
//   - a function of theirs gives an opaque value, and what it does is left out;
//   - a type of theirs accepts everything, and whether something is of it is opaque.
//
// In the same way it can do without data that Hiera has not got, and code cannot do without (a key that is looked up, a
// parameter of a class), without files that only a server has, and without facts that a module brings to machines:
// their values are opaque.
//
// All this is what opaque.go says of values that are not known: from the first stand-in on what looks absent may be
// there (ev.guesses), and what hangs on an opaque value is only possible. No warning is made of any of it, since it
// says nothing about the code; Result.StandIns lists it, once for the compile.

// Lacking is a World that goes on where modules are not there.
type Lacking interface {
	// Lacks is the module that would bring something and is not there: a class, a function, a resource type or a data
	// type. It is "" if no such module is known of; then it is missing, as Puppet says. Which module brings a plain name
	// is not known (Unnamed). A key (source.MissingKey) is Hiera's, a file (source.MissingFile) a server's and a fact
	// (source.MissingFact) a machine's, unless the want of it is an error.
	Lacks(kind source.SubjectKind, name string) string
}

// A StandIn is something that a compile went on without: what a module would bring that is not there, data that Hiera
// has not got, a file that only a server has, or a fact that only machines have.
type StandIn struct {
	Module string
	// Kind is MissingClass, MissingFunction, MissingResourceType, MissingType, MissingKey, MissingFile or MissingFact.
	Kind source.SubjectKind
	Name string
}

// Unnamed is what a module is called of which is only known that it would bring a name.
func Unnamed(name string) string { return unnamed + name }

const unnamed = "that brings "

// IsUnnamed reports whether nobody knows which module it is, and whether there is one at all.
func (s StandIn) IsUnnamed() bool { return strings.HasPrefix(s.Module, unnamed) }

// OnlyType reports whether it is a type of a module that is known to be missing.
func (s StandIn) OnlyType() bool { return s.Kind == source.MissingType && !s.IsUnnamed() }

// absentWhy is how the causes end of what is not known for want of a module.
const absentWhy = " is not there"

// The causes begin so of what is not known for want of data, of files that only a server has, and of facts.
const (
	noDataWhy = "Hiera has no value of "
	noFileWhy = "only a server has the file "
	noFactWhy = "the node has no fact "
)

// IsAbsent reports whether a cause is the want of a module, of data, of a server's file or of a fact.
func IsAbsent(why string) bool {
	return strings.HasPrefix(why, "the module ") && strings.HasSuffix(why, absentWhy) ||
		strings.HasPrefix(why, noDataWhy) || strings.HasPrefix(why, noFileWhy) || strings.HasPrefix(why, noFactWhy)
}

// IsUnknownText reports whether a text holds a value that was not known.
func IsUnknownText(text string) bool { return strings.Contains(strings.ToLower(text), "(unknown: ") }

// NoData stands in for the value of a key that Hiera has not got; nil where that is an error, as in Puppet.
func (ev *Evaluator) NoData(key string) *value.Opaque {
	return ev.without(source.MissingKey, key, noDataWhy)
}

// NoFile stands in for what is made of a file that is not there; nil where that is an error, as in Puppet.
func (ev *Evaluator) NoFile(name string) *value.Opaque {
	return ev.without(source.MissingFile, name, noFileWhy)
}

// ofMachine stands in for a fact that is read by its own name, and that a module brings to machines; nil for others.
func (ev *Evaluator) ofMachine(name string) *value.Opaque {
	if name = strings.TrimPrefix(name, "::"); strings.Contains(name, "::") {
		return nil
	}
	return ev.without(source.MissingFact, name, noFactWhy)
}

func (ev *Evaluator) without(kind source.SubjectKind, name, why string) *value.Opaque {
	w, is := ev.world.(Lacking)
	if !is || w.Lacks(kind, name) == "" {
		return nil
	}
	if s := (StandIn{Kind: kind, Name: name}); !slices.Contains(ev.standIns, s) {
		ev.standIns = append(ev.standIns, s)
	}
	ev.holes = true
	return &value.Opaque{Why: why + name, Absent: true}
}

// Elsewhere stands in for what other nodes may have as the value of a key where this one has a default: v, or nil for
// one that nobody has looked at. It is nil where nobody asks for that.
func (ev *Evaluator) Elsewhere(key string, v value.Value) *value.Opaque {
	ev.takes(key)
	if ev.in.Elsewhere == nil || !ev.in.Elsewhere(key, v != nil && isNone(v)) {
		return nil
	}
	if s := (StandIn{Kind: source.MissingKey, Name: key}); !slices.Contains(ev.standIns, s) {
		ev.standIns = append(ev.standIns, s)
	}
	return &value.Opaque{Why: noDataWhy + key, Absent: true, Elsewhere: true}
}

// isNone reports whether a value stands for none: undef, or an empty text, array or hash.
func isNone(v value.Value) bool {
	switch v := v.(type) {
	case value.Undef:
		return true
	case value.String:
		return v == ""
	case *value.Array:
		return v.Len() == 0
	case *value.Hash:
		return v.Len() == 0
	}
	return false
}

// NoFact stands in for a fact that a node has not got, for whoever wants to know what hangs on it.
func NoFact(name string) *value.Opaque {
	return &value.Opaque{Why: noFactWhy + name, Absent: true, Elsewhere: true}
}

// hangsOn notes which data, files and facts that are not there something was guessed on.
func (ev *Evaluator) hangsOn(o *value.Opaque) {
	ev.guessedOn = noted(ev.guessedOn, o)
	ev.loose(o)
}

// noted are some of them, with those that a value is not known for the want of.
func noted(list []StandIn, o *value.Opaque) []StandIn {
	for kind, why := range map[source.SubjectKind]string{source.MissingKey: noDataWhy, source.MissingFile: noFileWhy,
		source.MissingFact: noFactWhy} {
		name, is := strings.CutPrefix(o.Why, why)
		if s := (StandIn{Kind: kind, Name: name}); is && !slices.Contains(list, s) {
			list = append(list, s)
		}
	}
	return list
}

// NoLevel notes that a file of Hiera's was passed over that only a server has: whatever is looked up may be another
// value there. It reports false where that is an error, as in Puppet.
func (ev *Evaluator) NoLevel(path string) bool {
	o := ev.NoFile(path)
	if o == nil {
		return false
	}
	ev.hangsOn(o)
	return true
}

// PassesOver notes that a file is not there, and that code went on without it, as Puppet does: a server may have it.
func (ev *Evaluator) PassesOver(name string) {
	if w, is := ev.world.(Lacking); is && w.Lacks(source.MissingFile, name) != "" {
		ev.loose(&value.Opaque{Why: noFileWhy + name, Absent: true})
	}
}

// takes notes that code went on with a default where Hiera looks for data in what is not there.
func (ev *Evaluator) takes(key string) {
	if ev.in.NoData != nil && ev.in.NoData(key) {
		ev.loose(&value.Opaque{Why: noDataWhy + key, Absent: true})
	}
}

// Partial reports whether the catalog may lack something, or hold something that Puppet's does not, for want of
// modules. A type of a module that is not there takes every value; no catalog hangs on it, if the values are right.
func (res *Result) Partial() bool {
	return slices.ContainsFunc(res.StandIns, func(s StandIn) bool { return !s.OnlyType() })
}

// lacks is the module that would bring something and is not there; "" if none is known of.
func (ev *Evaluator) lacks(kind source.SubjectKind, name string) string {
	if w, is := ev.world.(Lacking); is {
		return w.Lacks(kind, canonical(name))
	}
	return ""
}

// standsIn notes that something of a module that is not there was used, and is a value of it.
func (ev *Evaluator) standsIn(module string, kind source.SubjectKind, name string) *value.Opaque {
	s := StandIn{module, kind, canonical(name)}
	if !slices.Contains(ev.standIns, s) {
		ev.standIns = append(ev.standIns, s)
	}
	if kind != source.MissingType {
		ev.guesses++
		ev.lost++
		ev.absent++
	}
	return &value.Opaque{Why: "the module " + module + absentWhy, Absent: true}
}

// A typeDoubt is what is not known of a type: the module that would bring it is not there, or it is written in Ruby.
// Types are evaluated once for many compiles, and each of them has the doubts.
type typeDoubt struct {
	module, name string
	why          string // of one in Ruby
}

// doubtType notes what is not known of types that this compile uses.
func (ev *Evaluator) doubtType(ds ...typeDoubt) {
	for _, d := range ds {
		if ev.doubting > 0 {
			ev.doubted = append(ev.doubted, d)
		}
		if d.why != "" {
			ev.loose(&value.Opaque{Why: d.why})
		} else {
			ev.standsIn(d.module, source.MissingType, d.name)
		}
	}
}

// beginDoubts starts to keep the doubts about a type, and endDoubts has them.
func (ev *Evaluator) beginDoubts() int {
	ev.doubting++
	return len(ev.doubted)
}

func (ev *Evaluator) endDoubts(from int) []typeDoubt {
	out := slices.Clone(ev.doubted[from:])
	if ev.doubting--; ev.doubting == 0 {
		ev.doubted = ev.doubted[:0]
	}
	return out
}

// wantClass is a class that is to be declared: one that the program has, or a stand-in for one of a module that is not
// there; nil if there is neither.
func (ev *Evaluator) wantClass(name string) *Definition {
	d := ev.findClass(name)
	if d == nil {
		module := ev.lacks(source.MissingClass, name)
		if module == "" {
			return nil
		}
		f, ds := syntax.Parse(source.NewFile(module+" (not there)", "class "+canonical(name)+" { }\n"), syntax.Options{})
		if ds.HasErrors() {
			return nil // no class can be called that
		}
		ev.define(f)
		if d = ev.findClass(name); d == nil {
			return nil
		}
		d.absent = module
	}
	if d.absent != "" {
		ev.standsIn(d.absent, source.MissingClass, name)
	}
	return d
}

// ofAbsent is a variable of a class that a module would bring which is not there; nil for others.
func (ev *Evaluator) ofAbsent(class string) *value.Opaque {
	if d := ev.classes[canonical(class)]; d != nil && d.absent == "" {
		return nil
	}
	if module := ev.lacks(source.MissingClass, class); module != "" {
		return ev.standsIn(module, source.MissingClass, class)
	}
	return nil
}

// inheritsAbsent is what a variable may be that a parent may set which is not there; nil if all parents are.
func (sc *Scope) inheritsAbsent() *value.Opaque {
	for s := sc; s != nil; s = s.inherits {
		if s.resource != nil && s.resource.def != nil && s.resource.def.absent != "" {
			return sc.ev.standsIn(s.resource.def.absent, source.MissingClass, s.resource.def.Name)
		}
	}
	return nil
}

// Unsure is the answer to a question about a class or type that a module may bring which is not there; nil if the
// answer is known.
func (ev *Evaluator) Unsure(name string) *value.Opaque {
	for _, kind := range []source.SubjectKind{source.MissingResourceType, source.MissingClass} {
		if kind == source.MissingClass && ev.KnownClass(name) || kind != source.MissingClass && ev.KnownType(name) {
			return nil
		}
	}
	return ev.UnsureModule(name)
}

// UnsureModule is the answer to a question about the files of a module that is not there, or about what one brings that
// is called so; nil if no such module is known of. What is built in of a module has no files.
func (ev *Evaluator) UnsureModule(name string) *value.Opaque {
	if module := ev.lacks(source.MissingClass, name); module != "" {
		return ev.standsIn(module, source.MissingClass, name)
	}
	return nil
}

// absentType is whether something is of a type that a module would bring which is not there, or that is not known;
// nil for other types.
func absentType(v value.Value) *value.Opaque {
	t, is := v.(value.Type)
	if !is {
		return nil
	}
	if a := types.AbsentIn(t); a != nil && a.Why != "" {
		return &value.Opaque{Why: a.Why}
	} else if a != nil {
		return &value.Opaque{Why: "the module of " + t.String() + absentWhy, Absent: true}
	}
	return nil
}
