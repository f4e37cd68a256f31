package mupuppet

import (
	"bunraku/puppet/syntax"
	"bunraku/source"
)

// Options are the switches of a run.
type Options struct {
	Node       string     // N; "default" when empty
	Provenance bool       // the thesis's annotated rules
	Observe    func(Step) // called after every step
	Bound      int        // steps; DefaultBound when zero
}

// DefaultBound is the number of steps after which a run is given up, and maxDepth how many premises may be open at
// once. The paper's programs need not end.
const (
	DefaultBound = 5_000_000
	maxDepth     = 50_000
	// maxAnnotations is how many bytes of annotations may be made.
	maxAnnotations = 512 << 20
)

// A Result is the final configuration (σ, κ, v_C, skip).
type Result struct {
	Config
	File  *source.File
	Steps int
	Data  []Datum // with Provenance: Data[l-1] is the constant with label l
}

// Compile parses and validates a manifest as Puppet does, checks that it is µPuppet and runs it. The result is nil when
// a diagnostic is an error.
//
// Differs from the paper: Puppet's validation refuses statements without effect, where rule Expr takes any expression.
func Compile(file *source.File, opt Options) (*Result, source.Diagnostics) {
	tree, ds := syntax.Parse(file, syntax.Options{})
	if ds.HasErrors() {
		return nil, ds
	}
	ds = append(ds, syntax.Validate(tree, syntax.Options{})...)
	if ds.HasErrors() {
		return nil, ds
	}
	m, data, refused := Translate(tree, opt.Provenance)
	if refused.HasErrors() {
		return nil, refused
	}
	result, trouble := Evaluate(file, m, data, opt)
	if trouble.HasErrors() {
		return nil, trouble
	}
	return result, ds
}

// Evaluate runs a manifest that is already translated.
func Evaluate(file *source.File, m Manifest, data []Datum, opt Options) (*Result, source.Diagnostics) {
	if opt.Node == "" {
		opt.Node = "default"
	}
	if opt.Bound == 0 {
		opt.Bound = DefaultBound
	}
	machine := NewMachine(m, opt.Node)
	outcome, stuck := machine.Run(opt.Bound, opt.Observe)
	switch outcome {
	case Stuck:
		return nil, source.Diagnostics{stuck.Diagnostic(file)}
	case Stepped:
		return nil, source.Diagnostics{endless(file, machine)}
	}
	return &Result{machine.Config, file, machine.steps, data}, nil
}
