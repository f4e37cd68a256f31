package value

import (
	"iter"
	"strconv"
)

// An Iterator is a lazy sequence, made by functions such as step and reverse_each. It can be walked any number of
// times.
type Iterator struct {
	Elem    Type            // the type of its elements
	General Type            // Elem generalized: what its text shows
	Seq     iter.Seq[Value] // the elements
	Pairs   bool            // it walks a hash: every element is a [key, value] pair
}

// String is Puppet's text of an iterator.
func (it *Iterator) String() string {
	if it.General == nil {
		return "Iterator-Value"
	}
	return "Iterator[" + it.General.String() + "]-Value"
}

// Array is all elements.
func (it *Iterator) Array() *Array {
	b := &ArrayBuilder{}
	for v := range it.Seq {
		if b.Len() == MaxElements {
			panic(TooMany{})
		}
		b.Add(v)
	}
	return b.Array()
}

// MaxElements is how many elements an array may have that is made of an iterator, or of anything else in one step.
const MaxElements = 2_000_000

// TooMany is the panic that ends what would make a longer array. Whoever evaluates programs recovers it.
type TooMany struct{}

func (TooMany) Error() string {
	return "The array has more than " + strconv.Itoa(MaxElements) + " elements"
}
