// Package syntax reads the Puppet language: scanner, nodes, parser, validator, printer, and the PN and JSON dumps.
// EPP templates are a mode of the same scanner. grammar.txt beside this file is the grammar that the parser follows.
//
// It may import source, and onigmo to judge regular expressions. Start reading at Parse, then node.go.
package syntax

import "bunraku/source"

// Options are the switches that change what is a legal program.
type Options struct {
	Tasks bool // `plan` and `apply` are keywords, as under Puppet's --tasks
}

// Parse reads a manifest. The tree holds whatever could be read; it is complete when no diagnostic is an Error.
func Parse(f *source.File, opt Options) (*File, source.Diagnostics) {
	panic("syntax: Parse: being written")
}

// ParseEPP reads an EPP template.
func ParseEPP(f *source.File, opt Options) (*File, source.Diagnostics) {
	panic("syntax: ParseEPP: being written")
}
