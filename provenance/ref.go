// Package provenance is where values come from: labels, the trace graph of one evaluation, and its algebra.
// The three readings of the graph (where, expression, dependency) are functions of it, so they cannot drift apart.
//
// It may import source. Start reading at Ref.
package provenance

// A Ref names a node of one evaluation's trace. The zero Ref means "not recorded".
type Ref uint32
