package verify

import (
	"slices"

	"bunraku/verify/fs"
)

// components groups resources that interfere (Lemma 4): those that access a common cell, unless all of them only read
// it, only ensure it, or only join it with the same constant. The state is a product over the groups, and failure a
// disjunction. If every group is deterministic under the order it inherits, so is the graph. The converse fails:
// another group that always fails hides a difference. So what is found in a group counts only after replay on the
// whole.
//
// extra lists cells that resources read beside their programs, such as those of declared states.
func (a *Analysis) components(foot []fs.Footprint, extra [][]fs.Cell) [][]int {
	n := a.n()
	parent := make([]int, n)
	for i := range parent {
		parent[i] = i
	}
	var find func(int) int
	find = func(i int) int {
		if parent[i] != i {
			parent[i] = find(parent[i])
		}
		return parent[i]
	}
	users := map[fs.Cell][]int{}
	for i := range foot {
		for _, x := range foot[i] {
			users[x.Cell] = append(users[x.Cell], i)
		}
	}
	for i, cells := range extra {
		for _, c := range cells {
			users[c] = append(users[c], ^i)
		}
	}
	for c, list := range users {
		joined := false
		var first fs.Access
		for k, i := range list {
			x := fs.Access{Reads: true}
			if i >= 0 {
				x, _ = foot[i].Find(c)
			}
			if k == 0 {
				first = x
			} else if !fs.Compatible(first, x) {
				joined = true
				break
			}
		}
		if !joined {
			continue
		}
		id := func(i int) int {
			if i < 0 {
				return ^i
			}
			return i
		}
		for _, i := range list[1:] {
			parent[find(id(i))] = find(id(list[0]))
		}
	}
	groups := map[int][]int{}
	for i := range n {
		r := find(i)
		groups[r] = append(groups[r], i)
	}
	out := make([][]int, 0, len(groups))
	for _, g := range groups {
		out = append(out, g)
	}
	slices.SortFunc(out, func(x, y []int) int { return x[0] - y[0] })
	return out
}

// group computes the components by foot once.
func (a *Analysis) group() {
	if a.groupOf != nil {
		return
	}
	a.groups, a.groupOf = a.components(a.foot, nil), make([]int, a.n())
	for k, of := range a.groups {
		for _, i := range of {
			a.groupOf[i] = k
		}
	}
}

// componentOf is the component of one resource, or everything if components are switched off.
func (a *Analysis) componentOf(i int) []int {
	if !a.opt.Components {
		return a.order
	}
	a.group()
	return a.groups[a.groupOf[i]]
}
