package value

// An Object is an instance of a Pcore object type.
type Object struct {
	Type  Type
	Attrs *Hash // every attribute that has a value, by name
	Init  *Hash // what `new` would need to make it again: defaults left out
	Host  any   // what has its methods, if Puppet itself made it; package eval knows their form
}

// An EqualityType is an object type that says which attributes make two instances equal.
type EqualityType interface {
	Type
	// EqualityAttributes are their names; withType says whether the types must be the same too.
	EqualityAttributes() (names []string, withType bool)
}

func (o *Object) same(p *Object) bool {
	if o == p {
		return true
	}
	et, is := o.Type.(EqualityType)
	if !is {
		return o.Type.EqualType(p.Type) && Same(o.Attrs, p.Attrs)
	}
	names, withType := et.EqualityAttributes()
	if withType && !o.Type.EqualType(p.Type) {
		return false
	}
	for _, n := range names {
		if !Same(o.Attrs.At(n), p.Attrs.At(n)) {
			return false
		}
	}
	return true
}
