package model

import (
	"fmt"
	"slices"
	"strings"

	"bunraku/puppet/catalog"
	"bunraku/verify"
	"bunraku/verify/fs"
)

type verifyGraph = verify.Graph

// paths collects what programs speak about: the paths whose kind matters, and the trees that are removed or cleared.
type paths struct {
	kind  map[fs.Path]bool
	trees map[fs.Path]bool
	made  map[fs.Path]bool // somebody makes a directory or a link there
	below map[fs.Path]bool // somebody puts something there
	vars  map[string]bool
	own   map[fs.Path]bool // named themselves, not only on the way to something
	new   map[fs.Path]bool // somebody makes something there
	dirs  map[fs.Path]int  // known to be directories in the branch that is being looked at
}

func newPaths() *paths {
	return &paths{map[fs.Path]bool{}, map[fs.Path]bool{}, map[fs.Path]bool{}, map[fs.Path]bool{}, map[string]bool{},
		map[fs.Path]bool{}, map[fs.Path]bool{}, map[fs.Path]int{}}
}

// at notes a path with the directories that lead to it.
func (u *paths) at(p fs.Path) {
	u.own[p] = true
	for ; !u.kind[p]; p = p.Parent() {
		u.kind[p] = true
	}
}

// puts notes that something is put at p, into a directory that must be there.
func (u *paths) puts(p fs.Path) {
	u.new[p] = true
	if up := p.Parent(); u.dirs[up] == 0 {
		u.below[up] = true
	}
}

func (u *paths) expr(e fs.Expr) {
	switch e := e.(type) {
	case fs.Mkdir:
		u.at(e.Path)
		u.made[e.Path] = true
		u.puts(e.Path)
	case fs.Creat:
		u.at(e.Path)
		u.puts(e.Path)
		u.term(e.Content)
	case fs.Rm:
		u.at(e.Path)
		u.trees[e.Path] = true
	case fs.Cp:
		u.at(e.From)
		u.at(e.To)
		u.new[e.To] = true
	case fs.Ln:
		u.at(e.Path)
		u.made[e.Path] = true
		u.puts(e.Path)
	case fs.Write:
		u.at(e.Path)
		u.term(e.Content)
	case fs.SetAttr:
		u.at(e.Path)
	case fs.Clear:
		u.at(e.Path)
		u.trees[e.Path] = true
	case fs.Assign:
		u.vars[e.Var] = true
		u.term(e.Value)
	case fs.Seq:
		for _, x := range e {
			u.expr(x)
		}
	case fs.If:
		u.pred(e.Cond)
		if is, ok := e.Cond.(fs.Is); ok && is.Kind == fs.Dir {
			u.dirs[is.Path]++
			u.expr(e.Then)
			u.dirs[is.Path]--
		} else {
			u.expr(e.Then)
		}
		u.expr(e.Else)
	}
}

func (u *paths) term(t fs.Term) {
	switch t := t.(type) {
	case fs.ContentOf:
		u.at(t.Path)
	case fs.AttrOf:
		u.at(t.Path)
	case fs.VarOf:
		u.vars[t.Name] = true
	case fs.Apply:
		for _, a := range t.Args {
			u.term(a)
		}
	}
}

func (u *paths) pred(p fs.Pred) {
	switch p := p.(type) {
	case fs.Is:
		u.at(p.Path)
	case fs.EmptyDir:
		u.at(p.Path)
		u.trees[p.Path] = true
	case fs.Equal:
		u.term(p.A)
		u.term(p.B)
	case fs.Holds:
		for _, t := range p.Args {
			u.term(t)
		}
	case fs.Not:
		u.pred(p.P)
	case fs.And:
		for _, q := range p {
			u.pred(q)
		}
	case fs.Or:
		for _, q := range p {
			u.pred(q)
		}
	}
}

// inTree reports whether p or something above it is removed or cleared by somebody.
func (u *paths) inTree(p fs.Path) bool {
	for ; !p.IsRoot(); p = p.Parent() {
		if u.trees[p] {
			return true
		}
	}
	return false
}

// sortPreds sorts predicates by how they are spelt, for a stable order.
func sortPreds(list []fs.Pred) {
	type spelt struct {
		key string
		p   fs.Pred
	}
	all := make([]spelt, len(list))
	for i, p := range list {
		all[i] = spelt{predKey(p), p}
	}
	slices.SortStableFunc(all, func(x, y spelt) int { return strings.Compare(x.key, y.key) })
	for i, x := range all {
		list[i] = x.p
	}
}

// predKey spells a predicate.
func predKey(p fs.Pred) string { return fmt.Sprintf("%T%v", p, p) }

func sortedNodes(m map[catalog.Node]string, place map[catalog.Node]int) []catalog.Node {
	out := make([]catalog.Node, 0, len(m))
	for n := range m {
		out = append(out, n)
	}
	slices.SortFunc(out, func(x, y catalog.Node) int { return place[x] - place[y] })
	return out
}
