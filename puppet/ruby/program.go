package ruby

import (
	"bunraku/puppet/ruby/syntax"
	"bunraku/source"
)

// SyntaxError is the code of trouble with what no Ruby reads; other trouble may be Ruby that is not supported.
const SyntaxError = syntax.SyntaxError

// A Program is one parsed file with what the interpreter found out about it.
type Program struct {
	*syntax.Program
	facts programFacts
}

// Parse reads a file of Ruby, as syntax.Parse does.
func Parse(f *source.File, locals ...string) (*Program, source.Diagnostics) {
	prog, errs := syntax.Parse(f, locals...)
	return &Program{Program: prog}, errs
}
