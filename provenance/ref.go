// Package provenance is where values come from: labels, the trace graph of one evaluation, and its algebra. The three
// readings of the graph (where, expression, dependency; chapters 4 and 5 of "Provenance for Configuration Languages")
// are functions of the one graph, so they cannot drift apart.
//
// Evaluation appends nodes and never looks at them; reading happens afterwards, on demand. A nil *Trace is tracing
// switched off: every method may be called on it, costs one comparison, and returns the zero Ref.
//
// It may import source. Start reading at Trace, then read.go.
package provenance

import (
	"strings"

	"bunraku/source"
)

// A Ref names a node of one evaluation's trace. The zero Ref means "not recorded".
type Ref uint32

// LabelKind says what sort of place a datum stands at.
type LabelKind uint8

const (
	Literal  LabelKind = iota // a literal of a manifest, or a piece of text of a string or template
	Datum                     // a leaf of Hiera's data
	Fact                      // a fact, by its dotted path
	NodeName                  // the name of the node that is compiled
	Absence                   // something looked for and not found: a key, a file, a fact
	World                     // clock, random numbers, settings, the environment
	Key                       // the key of an entry in Hiera's data: called otherwise, it is another entry
	Alias                     // an alias or a merge key of YAML: what it leads to has places of its own
)

func (k LabelKind) String() string {
	return [...]string{"literal", "datum", "fact", "node name", "absence", "world", "key", "alias"}[k]
}

// InData reports whether places of the kind stand in Hiera's data or configuration.
func (k LabelKind) InData() bool { return k == Datum || k == Key || k == Alias }

// A Label is a place that data comes from. Two labels are the same place when Kind, the file's name, Ordinal and Path
// agree; spans do not count, since a change of one literal moves the ones behind it.
type Label struct {
	Kind    LabelKind
	Place   source.Place
	Ordinal int    // of a Literal: its number among the file's literals
	Path    string // of a Datum, Key or Alias the key path, of a Fact its path; of an Absence what was missing; NamePart
}

// NamePart is what a label of a node's name stands for: all of it, or the part that its Path says, hostname or domain.
func NamePart(name, path string) string {
	host, domain, _ := strings.Cut(name, ".")
	switch path {
	case "hostname":
		return host
	case "domain":
		return domain
	}
	return name
}

// Key identifies the place across two runs of changed programs.
func (l Label) Key() LabelKey {
	k := LabelKey{Kind: l.Kind, Ordinal: l.Ordinal, Path: l.Path}
	if l.Place.File != nil {
		k.File = l.Place.File.Name
	}
	return k
}

// LabelKey is a Label without what changes when the text around it does.
type LabelKey struct {
	Kind    LabelKind
	File    string
	Ordinal int
	Path    string
}
