package fleet

import (
	"fmt"
	"slices"
	"strings"

	"bunraku/puppet/compiler"
	"bunraku/puppet/environment"
	"bunraku/puppet/eval"
	"bunraku/source"
)

// What is said of modules that are not there, and that nodes were compiled without (package eval, absent.go).

// Modules are the modules that something stands in for, by name, as they are shown; data, files and facts are named
// last, as such. Which module brings a plain name may not be known.
func Modules(all []eval.StandIn) (names []string) {
	last := map[source.SubjectKind]bool{}
	for _, s := range all {
		name := s.Module
		switch {
		case lackedKinds[s.Kind] != "":
			last[s.Kind] = true
			continue
		case s.IsUnnamed():
			name = "the module " + name
		}
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for _, kind := range []source.SubjectKind{source.MissingKey, source.MissingFile, source.MissingFact} {
		if last[kind] {
			names = append(names, lackedKinds[kind])
		}
	}
	return names
}

// lackedKinds are what no module brings, as it is shown.
var lackedKinds = map[source.SubjectKind]string{source.MissingKey: "data", source.MissingFile: "files",
	source.MissingFact: "facts"}

// TypesOf are the modules of which types stand in.
func TypesOf(all []eval.StandIn) []string {
	return namesOf(all, eval.StandIn.OnlyType, func(s eval.StandIn) string { return s.Module })
}

// Lacked are the keys of Hiera's that something stands in for (source.MissingKey), files (source.MissingFile) or facts
// (source.MissingFact).
func Lacked(all []eval.StandIn, kind source.SubjectKind) []string {
	return namesOf(all, func(s eval.StandIn) bool { return s.Kind == kind }, func(s eval.StandIn) string { return s.Name })
}

// notFound are the keys, files and facts that something stands in for.
func notFound(all []eval.StandIn) []string {
	return slices.Concat(Lacked(all, source.MissingKey), Lacked(all, source.MissingFile), Lacked(all, source.MissingFact))
}

// namesOf are names that some stand-ins have, each once.
func namesOf(all []eval.StandIn, is func(eval.StandIn) bool, name func(eval.StandIn) string) (names []string) {
	for _, s := range all {
		if n := name(s); is(s) && !slices.Contains(names, n) {
			names = append(names, n)
		}
	}
	slices.Sort(names)
	return names
}

// Listed is names in a row, at most eight of them.
func Listed(names []string) string {
	if len(names) > 8 {
		return strings.Join(names[:8], ", ") + fmt.Sprintf(" and %d more", len(names)-8)
	}
	return strings.Join(names, ", ")
}

// unlisted tells of modules that code of invented nodes uses and that are not there, where all are there that the tree
// lists; nil if there are none. Somebody may bring them all the same: many a Puppetfile names but some.
func unlisted(env *environment.Environment, nodes []Checked) *source.Diagnostic {
	var names []string
	for _, n := range nodes {
		for _, s := range n.StandIns {
			if n.Invented != nil && lackedKinds[s.Kind] == "" && !s.IsUnnamed() && !compiler.OfEnterprise(s.Module) &&
				!slices.Contains(names, s.Module) {
				names = append(names, s.Module)
			}
		}
	}
	if len(names) == 0 {
		return nil
	}
	list := compiler.FullList(env)
	if list == "" {
		return nil
	}
	slices.Sort(names)
	var known []string
	for _, m := range env.Modules() {
		known = append(known, m.Name)
	}
	shown := slices.Clone(names)
	for i, name := range names {
		if near := source.Nearest(name, known); near != "" {
			shown[i] += " (did you mean " + near + "?)"
		}
	}
	count := "1 module that is"
	if len(names) > 1 {
		count = fmt.Sprintf("%d modules that are", len(names))
	}
	return &source.Diagnostic{Code: "V908", Severity: source.Note,
		Summary: fmt.Sprintf("all modules of %s are there; the code uses %s on no list, and not there: %s", list, count,
			Listed(shown)),
		Help: "correct the name, add it to " + list + ", or name where it is with --modulepath"}
}

// lacking warns that real nodes were compiled without modules: that is no comfort; nil if none were. Invented nodes are
// another matter: nobody waits for them.
func lacking(nodes []Checked) *source.Diagnostic {
	count := 0
	var all []eval.StandIn
	for _, n := range nodes {
		if n.Partial && n.Invented == nil {
			count++
			all = append(all, n.StandIns...)
		}
	}
	if count == 0 {
		return nil
	}
	were := "1 node was"
	if count > 1 {
		were = fmt.Sprintf("%d nodes were", count)
	}
	help := "install them (r10k puppetfile install, or g10k), or name where they are with --modulepath"
	if slices.ContainsFunc(all, func(s eval.StandIn) bool { return s.Name == compiler.AsksPuppetDB }) {
		help += "; --puppetdb URL asks what " + compiler.AsksPuppetDB + "() asks, --mock FILE gives the answers"
	}
	return &source.Diagnostic{Code: "V906", Severity: source.Warning, Help: help,
		Summary: were + " not verified, for want of modules: " + Listed(Modules(all))}
}
