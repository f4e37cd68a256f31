// Package functions is Puppet's own functions, written in Go: one record each, with its signatures in Puppet's type
// syntax, a line of documentation, and how provenance flows through it. Facts and wording are those of Puppet 7.23's
// lib/puppet/functions (4.x) and lib/puppet/parser/functions (3.x, which check their own arguments: Raw); the few that
// other languages have otherwise take the language.
//
// A function sees plain values; those that copy elements of their arguments say where the copies come from by setting
// Call.Ref.
//
// It may import eval and everything below it. Start reading at Table, then iterate.go.
package functions

import (
	"bunraku/puppet/eval"
	"bunraku/source"
)

// Table is every function of a language, by name. The records are made anew, so that nobody can change them for others.
func Table(l source.Language) map[string]*eval.Function {
	t := map[string]*eval.Function{}
	for _, group := range [][]*eval.Function{
		catalogFunctions(), controlFunctions(), logFunctions(), iterationFunctions(), collectionFunctions(),
		navigationFunctions(),
		numberFunctions(l), textFunctions(), patternFunctions(l), timeFunctions(), digestFunctions(), typeFunctions(),
		lookupFunctions(),
		fileFunctions(), {treeFunction(), scanfFunction()},
	} {
		for _, f := range group {
			if t[f.Name] != nil {
				panic("functions: two records for " + f.Name)
			}
			t[f.Name] = f
		}
	}
	return t
}
