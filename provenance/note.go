package provenance

import "bunraku/source"

// A NoteKind says what sort of step a note names.
type NoteKind uint8

const (
	Variable  NoteKind = iota // Name was assigned in In
	Parameter                 // Name is a parameter of In: a class, define, function, lambda or template
	LookedUp                  // Hiera was asked for the key Name
	Included                  // a call declared classes; Name is the function's
	IfTrue                    // a condition was true; of `unless`, Name says so
	IfFalse                   // a condition was false
	Chosen                    // case or selector took the option that is written as Name, or none when that is empty
)

func (k NoteKind) String() string {
	return [...]string{"variable", "parameter", "lookup", "include", "if true", "if false", "option"}[k]
}

// IsDecision reports whether the note is about which way evaluation went.
func (k NoteKind) IsDecision() bool { return k >= IfTrue }

// A Note names a step that a value, or a decision, passed through. It is for readers: no dependency follows from it.
type Note struct {
	Kind  NoteKind
	Name  string
	In    string
	Place source.Place
}

// Note adds a named step: the value of r, copied. Where, Expression and Depends pass through it.
func (t *Trace) Note(r Ref, n Note) Ref {
	if t == nil {
		return 0
	}
	t.notes = append(t.notes, n)
	return t.add(node{shape: isNote, first: r, second: Ref(len(t.notes) - 1)})
}

// NoteAt is the note that a node is, if it is one.
func (t *Trace) NoteAt(r Ref) (Note, bool) {
	if t == nil || r == 0 || t.nodes[r].shape != isNote {
		return Note{}, false
	}
	return t.notes[t.nodes[r].second], true
}
