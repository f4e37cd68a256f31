package provenance

import "bunraku/source"

// A NoteKind says what sort of step a note names.
type NoteKind uint8

const (
	Variable  NoteKind = iota // Name was assigned
	Parameter                 // Name is a parameter that was given; Place is where
	Defaulted                 // Name is a parameter that took its default; Place is the default
	// Hiera was asked for the key Name: at Place by a call, nowhere for an automatic class parameter
	LookedUp
	Called   // the function Name, written in Puppet, returned it; Place is the call
	Rendered // the template Name made it; Place is the call
	Replaced // an override took the place of what Place had set
	IfTrue   // a condition was true
	IfFalse  // a condition was false
	Chosen   // a case took the option that is written as Name, or none when that is empty
	Selected // a selector took the option that is written as Name
)

func (k NoteKind) String() string {
	return [...]string{"variable", "parameter", "default", "lookup", "function", "template", "override", "if true",
		"if false", "case", "selector"}[k]
}

// IsDecision reports whether the note is about which way evaluation went.
func (k NoteKind) IsDecision() bool { return k >= IfTrue }

// A Note names a step that a value, or a decision, passed through. It is for readers: no dependency follows from it.
type Note struct {
	Kind  NoteKind
	Name  string
	In    string // the class, define, function or template that the step belongs to, "" for none
	Place source.Place
	Value any // at this step, or the value that a condition tested
}

// An Owner is what steps belong to. It is asked for its name only when somebody reads the trace.
type Owner interface{ Ref() string }

// A note is a Note as evaluation writes it: nothing is put into words yet.
type note struct {
	place source.Place
	name  string
	value any
	owner uint32
	kind  NoteKind
}

// Notes stand in blocks, so that adding one never moves the others. The first has room for as many as the last graph
// had.
const noteBlock = 64

// noteAt is where the i-th note stands, in a block that there is.
func (t *Trace) noteAt(i int) *note {
	if i < t.firstNotes {
		return &t.notes[0][i]
	}
	i -= t.firstNotes
	first := 0
	if t.firstNotes > 0 {
		first = 1
	}
	return &t.notes[first+i/noteBlock][i%noteBlock]
}

// Owner enters who steps belong to, for OwnedNote.
func (t *Trace) Owner(o Owner) uint32 {
	if t == nil {
		return 0
	}
	t.owners = append(t.owners, o)
	return uint32(len(t.owners))
}

// Note adds a named step: the value of r, copied. Where, Expression and Depends pass through it. owner is a number of
// Owner's, or 0.
func (t *Trace) Note(r Ref, kind NoteKind, name string, owner uint32, place source.Place, value any) Ref {
	if t == nil {
		return 0
	}
	switch n := t.noteCount - t.firstNotes; {
	case t.noteCount == 0 && t.firstNotes > 0:
		t.notes = append(t.notes, make([]note, t.firstNotes))
	case n >= 0 && n%noteBlock == 0:
		t.notes = append(t.notes, make([]note, noteBlock))
	}
	*t.noteAt(t.noteCount) = note{place, name, value, owner, kind}
	t.noteCount++
	return t.add(node{shape: isNote, first: r, second: Ref(t.noteCount - 1)})
}

// NoteAt is the note that a node is, if it is one.
func (t *Trace) NoteAt(r Ref) (Note, bool) {
	if t == nil || r == 0 || t.nodes[r].shape != isNote {
		return Note{}, false
	}
	n := t.noteAt(int(t.nodes[r].second))
	out := Note{Kind: n.kind, Name: n.name, Place: n.place, Value: n.value}
	if n.owner != 0 {
		out.In = t.owners[n.owner-1].Ref()
	}
	return out, true
}
