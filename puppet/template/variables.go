package template

import (
	"bunraku/puppet/ruby/syntax"
	"bunraku/source"
)

// A VariableRead is a place where a template reads a variable of its caller.
type VariableRead struct {
	Name  string // with its @
	Place source.Place
}

// InstanceVariables are the variables that a template reads as @name, in the order of the text, and those that it sets
// itself.
func (t *Template) InstanceVariables() (reads []VariableRead, sets []string) {
	if t.program == nil || t.program.Body == nil {
		return nil, nil
	}
	syntax.Walk(t.program.Body, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.IVar:
			reads = append(reads, VariableRead{n.Name, t.place(n.Span())})
		case *syntax.Assign:
			syntax.Walk(n.Target, func(n syntax.Node) bool {
				if v, ok := n.(*syntax.IVar); ok {
					sets = append(sets, v.Name)
				}
				return true
			})
		case *syntax.OpAssign:
			if v, ok := n.Target.(*syntax.IVar); ok {
				sets = append(sets, v.Name)
			}
		case *syntax.Targets:
			syntax.Walk(n, func(m syntax.Node) bool {
				if v, ok := m.(*syntax.IVar); ok {
					sets = append(sets, v.Name)
				}
				return true
			})
		}
		return true
	})
	return reads, sets
}
