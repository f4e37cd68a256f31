package smartfrog

// A Value is what an attribute holds. Definition 5 (SmartFrog): the basic values 𝕍 are Bool, Null, Number, String,
// DataRef and Vector. Definition 6 (SmartFrog): a *Store is the other kind of value, and the undefined value ⊥ is a nil
// Value.
//
// LazyRef and TBD exist only under --extended.
type Value interface{ value() }

type (
	// Bool is true or false.
	Bool bool
	// Null is the only value of its kind.
	Null struct{}
	// Number is a real number of any size and precision, in the spelling of canonicalNumber.
	Number string
	// String is text.
	String string
	// DataRef is a reference that is itself the value.
	DataRef Reference
	// Vector is a list of basic values.
	Vector []Value
	// LazyRef is a reference that the running system resolves.
	LazyRef Reference
	// TBD is a value that is still to be defined.
	TBD struct{}
)

func (Bool) value()    {}
func (Null) value()    {}
func (Number) value()  {}
func (String) value()  {}
func (DataRef) value() {}
func (Vector) value()  {}
func (LazyRef) value() {}
func (TBD) value()     {}
func (*Store) value()  {}

// poison stands where a value would be but for an error that has been reported. Whatever is computed from it is
// silently poison too, so that one mistake is reported once.
type poison struct{}

func (poison) value() {}

// basicValue evaluates a literal. Definition 22 (SmartFrog): BV. Definition 19 (SmartFrog), the terminals, is its cases
// for booleans, numbers, strings and null. Definition 20 (SmartFrog), the references, is reading Ref.Path.
func basicValue(b Basic) Value {
	switch b := b.(type) {
	case *BoolLit:
		return Bool(b.Value)
	case *NumLit:
		n, _ := canonicalNumber(b.Text) // the parser let only numbers through
		return Number(n)
	case *StrLit:
		return String(b.Value)
	case *DataRefLit:
		return DataRef(b.Ref.Path)
	case *VecLit:
		return vector(b.Elems)
	case *NullLit:
		return Null{}
	case *LazyRefLit:
		return LazyRef(b.Ref.Path)
	case *TBDLit:
		return TBD{}
	}
	panic("smartfrog: unknown basic value")
}

// vector evaluates each element. Definition 21 (SmartFrog): Vec.
func vector(elems []Basic) Vector {
	v := make(Vector, len(elems))
	for i, e := range elems {
		v[i] = basicValue(e)
	}
	return v
}
