package value

import "iter"

// An Iterator is a lazy sequence, made by functions such as step and reverse_each. It can be walked any number of times.
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
		b.Add(v)
	}
	return b.Array()
}
