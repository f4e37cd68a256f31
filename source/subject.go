package source

// A Subject names what a diagnostic is about, for whoever decides by that: the message only words it.
type Subject struct {
	Kind SubjectKind
	Name string // as the code has it, without leading colons
	Of   string // what lacks it: the resource of a parameter, the class of a variable
}

// A SubjectKind is what is the matter with a subject.
type SubjectKind uint8

const (
	// MissingClass: no class has the name.
	MissingClass SubjectKind = iota
	// MissingFunction: no function has the name.
	MissingFunction
	// MissingResourceType: neither a resource type nor a define has the name.
	MissingResourceType
	// MissingType: no data type has the name.
	MissingType
	// MissingVariable: nothing has set the variable; Of is its class, if that has not been evaluated.
	MissingVariable
	// MissingKey: Hiera has no value of the key.
	MissingKey
	// MissingParameter: a parameter without default has no value; Of is the resource.
	MissingParameter
	// MissingResource: a relationship names a resource that is not in the catalog.
	MissingResource
	// MissingNode: no node statement is for the node.
	MissingNode
	// MissingFact: the node has no fact of the name, os.distro.
	MissingFact
	// MissingFile: no module has the template or file: web/conf.erb.
	MissingFile
	// UnreadFile: a file that is asked for may not be read.
	UnreadFile
	// Refusal: the code ended the compile itself, by fail() or a function like it.
	Refusal
)

// Names are the names of the subjects of one kind.
func (d *Diagnostic) Names(kind SubjectKind) (names []string) {
	for _, s := range d.About {
		if s.Kind == kind {
			names = append(names, s.Name)
		}
	}
	return names
}

// A Matter is an error that says what it is about.
type Matter struct {
	Text  string
	About []Subject
}

func (m *Matter) Error() string { return m.Text }
