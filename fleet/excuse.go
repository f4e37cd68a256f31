package fleet

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"bunraku/provenance"
	"bunraku/puppet/compiler"
	"bunraku/puppet/eval"
	"bunraku/puppet/facts"
	"bunraku/puppet/outline"
	"bunraku/puppet/syntax"
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
			if module, _, _ := strings.Cut(s.Name, "/"); c.Environment().Module(module) == nil {
				return &Excuse{NeedsModule, module}, nil
			}
		case source.MissingFact:
			return &Excuse{NeedsFacts, s.Name}, nil
		case source.Refusal:
			return &Excuse{Refuses, d.Summary}, nil
		}
	}
	if d.Code == "E0510" && n.Class != "" && strings.Contains(d.Summary, "Class["+own+"]") {
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
	if names := absentFacts(failed); len(names) > 0 {
		return &Excuse{NeedsFacts, strings.Join(names, ", ")}, nil
	}
	if n.Define != "" && !absent {
		return &Excuse{NeedsUse, d.Summary}, nil
	}
	other := n.Node
	other.Facts = say(n.withStdlib(n.System.Other(n.Name, n.Legacy)), n.says)
	res, err := c.Compile(ctx, other)
	if err != nil {
		return nil, err
	}
	if res.Failure == nil || res.Failure.Code != d.Code || res.Failure.Place != d.Place {
		return &Excuse{NeedsFacts, d.Summary}, nil
	}
	return nil, nil
}

// maxLacked bounds the parameters that are tried.
const maxLacked = 12

// lackedValues are the parameters of a module's class whose default is no value and that it does not do without,
// although their types allow it: another one fails for undef, a title is made of it, an assertion asks for more. Each
// is tried with a value. A default that its own type refuses is the tree's fault.
func lackedValues(ctx context.Context, c *compiler.Snapshot, n *Invention, failed *eval.Result) (names []string,
	err error) {
	d := failed.Failure
	ofUndef := strings.Contains(d.Summary, "got Undef") ||
		d.Code == "E0503" && (strings.HasSuffix(d.Summary, "undef") || strings.Contains(d.Summary, "Empty string"))
	if n.Class == "" || c.Environment().Alone() == nil || !ofUndef {
		return nil, nil
	}
	class, file := classOf(c.Environment(), n.Class)
	if class == nil {
		return nil, nil
	}
	differs := func(attributes string) (bool, error) {
		node := n.Node
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
