package mupuppet

// Where-provenance, §4.2 of the thesis: the place that a value was copied from, or ⊥.
//
// The thesis lists its annotated rules in full, but only the operators change an annotation: every other rule copies
// v^β as it copies v, which the rules of this package do because the annotation is part of the Lit. So the whole of
// §4.2.2 is the one function below, for the conclusions of ArithValue, CompValueI, CompValueII, AndRightI, AndValueI,
// AndValueII, their disjunctions, NotValueI and NotValueII (§4.2.2.2): the result is annotated ⊥.

// whereOperation is β of an operator's result: (i1 +_ℤ i2)^⊥, true^⊥, false^⊥.
func whereOperation([]*Lit) Label { return 0 }
