package lookup

import (
	"strings"

	"bunraku/puppet/value"
	"bunraku/source"
)

// An EventKind says what a step of a lookup was.
type EventKind uint8

const (
	Searching     EventKind = iota // Name is the key
	InvalidKey                     // Name is a key that cannot be looked up
	MergeSource                    // the merge strategy comes from the hash Name
	Merging                        // several sources; Name is the strategy, Options its options, Value the result
	Layer                          // Name is the layer's, Path its hiera.yaml
	Level                          // Name is the hierarchy entry's
	Location                       // Path is the file or URI, Original as hiera.yaml has it
	Interpolating                  // Name is the text
	Scoped                         // Name says what is searched
	SubKey                         // Name is the dotted rest of the key
	Segment                        // one segment of it
	NoModule                       // Name is a module that does not exist
	NoModuleData                   // Name is a module without data
)

// An Outcome says how a step ended.
type Outcome uint8

const (
	NoOutcome Outcome = iota
	Found
	FoundInOverrides
	FoundInDefaults
	NotFound
	LocationNotFound
	Merged
)

// An Event is one step, with the steps it consists of.
type Event struct {
	Kind     EventKind
	Name     string
	Path     string
	Original string
	URI      bool // Path is a URI
	Options  *value.Hash

	Outcome Outcome
	Key     string
	Value   value.Value
	Place   source.Place // where the value found stands
	Texts   []string
	Steps   []*Event
}

// An Explanation is what a lookup did.
type Explanation struct {
	Steps []*Event
	Texts []string
}

// An explainer records; a nil one does nothing.
type explainer struct {
	top  *Explanation
	path []*Event
}

// push starts a step; the function that it returns ends it.
func (x *explainer) push(e *Event) func() {
	if x == nil {
		return nothing
	}
	x.add(e)
	x.path = append(x.path, e)
	return func() { x.path = x.path[:len(x.path)-1] }
}

func nothing() {}

func (x *explainer) add(e *Event) {
	if x == nil {
		return
	}
	if n := len(x.path); n > 0 {
		x.path[n-1].Steps = append(x.path[n-1].Steps, e)
	} else {
		x.top.Steps = append(x.top.Steps, e)
	}
}

func (x *explainer) outcome(o Outcome, key string, v value.Value) {
	if x == nil || len(x.path) == 0 {
		return
	}
	e := x.path[len(x.path)-1]
	e.Outcome, e.Value = o, v
	if o != Merged && o != LocationNotFound {
		e.Key = key
	}
}

func (x *explainer) found(key string, v value.Value) { x.outcome(Found, key, v) }
func (x *explainer) notFound(key string)             { x.outcome(NotFound, key, nil) }

// at notes where the value of the present step stands.
func (x *explainer) at(p source.Place) {
	if x != nil && len(x.path) > 0 {
		x.path[len(x.path)-1].Place = p
	}
}

func (x *explainer) text(f func() string) {
	switch {
	case x == nil:
	case len(x.path) > 0:
		e := x.path[len(x.path)-1]
		e.Texts = append(e.Texts, f())
	default:
		x.top.Texts = append(x.top.Texts, f())
	}
}

// String is the explanation as `puppet lookup --explain` prints it.
func (x *Explanation) String() string {
	var b strings.Builder
	for _, e := range x.Steps {
		e.dump(&b, "", "")
	}
	for _, t := range x.Texts {
		b.WriteString(t + "\n")
	}
	return b.String()
}

func (e *Event) dump(b *strings.Builder, indent, first string) {
	inner := indent + "  "
	steps := func(in string) {
		for _, s := range e.Steps {
			s.dump(b, in, in)
		}
	}
	switch e.Kind {
	case Searching:
		b.WriteString(first + "Searching for \"" + e.Name + "\"\n")
		steps(inner)
	case InvalidKey:
		b.WriteString(first + "Invalid key \"" + e.Name + "\"\n")
	case MergeSource:
		b.WriteString(first + "Using merge options from \"" + e.Name + "\" hash\n")
	case NoModule:
		b.WriteString(indent + "Module \"" + e.Name + "\" not found\n")
	case NoModuleData:
		b.WriteString(indent + "Module data provider for module \"" + e.Name + "\" not found\n")
	case Interpolating:
		b.WriteString(first + "Interpolation on \"" + e.Name + "\"\n")
		steps(inner)
	case Merging:
		e.dumpMerge(b, indent, first)
	case Layer, Level:
		b.WriteString(first + e.Name + "\n")
		if e.Path != "" {
			b.WriteString(inner + "Using configuration \"" + e.Path + "\"\n")
		}
		steps(inner)
		e.dumpOutcome(b, inner)
	case Location:
		kind := "Path"
		if e.URI {
			kind = "URI"
		}
		b.WriteString(indent + kind + " \"" + e.Path + "\"\n")
		b.WriteString(inner + "Original " + strings.ToLower(kind) + ": \"" + e.Original + "\"\n")
		steps(inner)
		if e.Outcome == LocationNotFound {
			b.WriteString(inner + kind + " not found\n")
		}
		e.dumpOutcome(b, inner)
	case SubKey:
		b.WriteString(indent + "Sub key: \"" + e.Name + "\"\n")
		steps(inner)
		e.dumpOutcome(b, inner)
	case Segment:
		e.dumpOutcome(b, indent)
	case Scoped:
		b.WriteString(indent + e.Name + "\n")
		steps(inner)
		e.dumpOutcome(b, inner)
	}
}

func (e *Event) dumpMerge(b *strings.Builder, indent, first string) {
	switch len(e.Steps) {
	case 0:
		return
	case 1:
		e.Steps[0].dump(b, indent, first)
		return
	}
	b.WriteString(first + "Merge strategy " + e.Name + "\n")
	indent += "  "
	if e.Options != nil && e.Options.Len() > 0 {
		b.WriteString(indent + "Options: ")
		dumpValue(b, indent, e.Options)
		b.WriteString("\n")
	}
	for _, s := range e.Steps {
		s.dump(b, indent, indent)
	}
	if e.Outcome == Merged {
		b.WriteString(indent + "Merged result: ")
		dumpValue(b, indent, e.Value)
		b.WriteString("\n")
	}
}

func (e *Event) dumpOutcome(b *strings.Builder, indent string) {
	switch e.Outcome {
	case NotFound:
		b.WriteString(indent + "No such key: \"" + e.Key + "\"\n")
	case Found, FoundInOverrides, FoundInDefaults:
		b.WriteString(indent + "Found key: \"" + e.Key + "\" value: ")
		dumpValue(b, indent, e.Value)
		switch e.Outcome {
		case FoundInOverrides:
			b.WriteString(" in overrides")
		case FoundInDefaults:
			b.WriteString(" in defaults")
		}
		b.WriteString("\n")
	}
	for _, t := range e.Texts {
		b.WriteString(indent + t + "\n")
	}
}

func dumpValue(b *strings.Builder, indent string, v value.Value) {
	inner := indent + "  "
	switch v := v.(type) {
	case *value.Hash:
		b.WriteString("{")
		for i, e := range v.Entries() {
			b.WriteString([]string{"\n", ",\n"}[min(i, 1)] + inner)
			dumpValue(b, inner, e.Key)
			b.WriteString(" => ")
			dumpValue(b, inner, e.Value)
		}
		if v.Len() > 0 {
			b.WriteString("\n" + indent)
		}
		b.WriteString("}")
	case *value.Array:
		b.WriteString("[")
		for i, e := range v.Elems {
			b.WriteString([]string{"\n", ",\n"}[min(i, 1)] + inner)
			dumpValue(b, inner, e)
		}
		if v.Len() > 0 {
			b.WriteString("\n" + indent)
		}
		b.WriteString("]")
	default:
		b.WriteString(value.Inspect(v))
	}
}
