package mupuppet

import "fmt"

// Arithmetic, comparison and Boolean expressions (C.2).

// integers is the premise that both operands of a rule are integers, and its failure otherwise.
func integers(op Op, l, r *Lit) (Int, Int, *Failure) {
	a, aok := l.Value.(Int)
	b, bok := r.Value.(Int)
	switch {
	case !aok:
		return 0, 0, wrongKind(fmt.Sprintf("the left operand of %s is an integer i1", op), l, "an integer")
	case !bok:
		return 0, 0, wrongKind(fmt.Sprintf("the right operand of %s is an integer i2", op), r, "an integer")
	}
	return a, b, nil
}

func wrongKind(premise string, l *Lit, wanted string) *Failure {
	f := &Failure{
		Code:    "M0004",
		Premise: premise,
		Summary: "expected " + wanted + ", got " + kindOf(l.Value),
		Label:   "is " + show(l, 40),
		span:    l.span,
	}
	switch l.Value.(type) {
	case ArrayValue, HashValue:
		if wanted == "an integer" {
			f.Help = "array and hash operators are not in µPuppet"
		}
	}
	return f
}

// Rule ArithLeft (C.2):  e1 → e1'  ⟹  e1 + e2 → e1' + e2.
func arithLeft(_ *Config, t term) verdict {
	e, ok := t.(*Arith)
	if !ok || e.L.normal() {
		return noMatch
	}
	return premise(e.L, func(l term) term { return &Arith{e.at, e.Op, l.(Expr), e.R} })
}

// Rule ArithRight (C.2):  e → e'  ⟹  i + e → i + e'.
func arithRight(_ *Config, t term) verdict {
	e, ok := t.(*Arith)
	if !ok || !e.L.normal() || e.R.normal() {
		return noMatch
	}
	l := e.L.(*Lit)
	if _, ok := l.Value.(Int); !ok {
		return failed(*wrongKind(fmt.Sprintf("the left operand of %s is an integer i", e.Op), l, "an integer"))
	}
	return premise(e.R, func(r term) term { return &Arith{e.at, e.Op, e.L, r.(Expr)} })
}

// Rule ArithValue (C.2):  i1 + i2 → i1 +_ℤ i2.
func arithValue(_ *Config, t term) verdict {
	e, ok := t.(*Arith)
	if !ok || !e.L.normal() || !e.R.normal() {
		return noMatch
	}
	l, r := e.L.(*Lit), e.R.(*Lit)
	a, b, f := integers(e.Op, l, r)
	if f != nil {
		return failed(*f)
	}
	i, ok := arithmetic(e.Op, a, b)
	if !ok {
		f := Failure{
			Code:    "M0004",
			Premise: fmt.Sprintf("i1 %s_ℤ i2 is defined for i1 = %d, i2 = %d", e.Op, a, b),
			Summary: fmt.Sprintf("%d %s %d is outside 64 bits", a, e.Op, b),
		}
		if b == 0 {
			f.Summary = "Division by 0"
		}
		return failed(f)
	}
	return axiom(&Lit{e.at, i, operation(string(e.Op), l, r)})
}

// Rule CompLeft (C.2):  e1 → e1'  ⟹  e1 > e2 → e1' > e2.
func compLeft(_ *Config, t term) verdict {
	e, ok := t.(*Comp)
	if !ok || e.L.normal() {
		return noMatch
	}
	return premise(e.L, func(l term) term { return &Comp{e.at, e.Op, l.(Expr), e.R} })
}

// Rule CompRight (C.2):  e → e'  ⟹  v > e → v > e'.
func compRight(_ *Config, t term) verdict {
	e, ok := t.(*Comp)
	if !ok || !e.L.normal() || e.R.normal() {
		return noMatch
	}
	return premise(e.R, func(r term) term { return &Comp{e.at, e.Op, e.L, r.(Expr)} })
}

// Rule CompValueI (C.2):  v1 >_ℤ v2  ⟹  v1 > v2 → true.
func compValueI(_ *Config, t term) verdict { return compValue(t, true) }

// Rule CompValueII (C.2):  v1 ≤_ℤ v2  ⟹  v1 > v2 → false.
func compValueII(_ *Config, t term) verdict { return compValue(t, false) }

// compValue is CompValueI (result true) and CompValueII (false): their premises are each other's negation. > and its
// kin need integers, == and != take any values.
func compValue(t term, result bool) verdict {
	e, ok := t.(*Comp)
	if !ok || !e.L.normal() || !e.R.normal() {
		return noMatch
	}
	l, r := e.L.(*Lit), e.R.(*Lit)
	var holds bool
	switch e.Op {
	case "==":
		holds = equal(l.Value, r.Value)
	case "!=":
		holds = !equal(l.Value, r.Value)
	default:
		a, b, f := integers(e.Op, l, r)
		if f != nil {
			return failed(*f)
		}
		holds = order(e.Op, a, b)
	}
	if holds != result {
		return noMatch
	}
	return axiom(&Lit{e.at, Bool(result), operation(string(e.Op), l, r)})
}

// truth is the value of a Boolean constant; false for "not one".
func truth(e Expr) (value, ok bool) {
	l, isLit := e.(*Lit)
	if !isLit {
		return false, false
	}
	b, isBool := l.Value.(Bool)
	return bool(b), isBool
}

// Rule AndLeft (C.2):  e1 → e1'  ⟹  e1 and e2 → e1' and e2.
func andLeft(_ *Config, t term) verdict {
	e, ok := t.(*And)
	if !ok {
		return noMatch
	}
	if e.L.normal() {
		if _, ok := truth(e.L); !ok {
			return failed(*wrongKind("the left operand of and is true or false", e.L.(*Lit), "a boolean"))
		}
		return noMatch
	}
	return premise(e.L, func(l term) term { return &And{e.at, l.(Expr), e.R} })
}

// Rule AndRightI (C.2):  false and e → false.
//
// Erratum: both sources print the premise e → e', so that `false and true` would be stuck. It is an axiom.
func andRightI(_ *Config, t term) verdict {
	e, ok := t.(*And)
	if !ok {
		return noMatch
	}
	if b, ok := truth(e.L); !ok || b {
		return noMatch
	}
	return axiom(&Lit{e.at, Bool(false), operation("and", e.L.(*Lit))})
}

// Rule AndRightII (C.2):  e → e'  ⟹  true and e → true and e'.
func andRightII(_ *Config, t term) verdict {
	e, ok := t.(*And)
	if !ok || e.R.normal() {
		return noMatch
	}
	if b, ok := truth(e.L); !ok || !b {
		return noMatch
	}
	return premise(e.R, func(r term) term { return &And{e.at, e.L, r.(Expr)} })
}

// Rule AndValueI (thesis, §4.2.2.2; AndValue in C.2):  true and true → true.
//
// Erratum: the paper prints true and true → false.
func andValueI(_ *Config, t term) verdict {
	e, ok := t.(*And)
	if !ok || !e.R.normal() {
		return noMatch
	}
	if b, ok := truth(e.L); !ok || !b {
		return noMatch
	}
	b, ok := truth(e.R)
	if !ok {
		return failed(*wrongKind("the right operand of and is true or false", e.R.(*Lit), "a boolean"))
	}
	if !b {
		return noMatch
	}
	return axiom(&Lit{e.at, Bool(true), operation("and", e.L.(*Lit), e.R.(*Lit))})
}

// Rule AndValueII (thesis, §4.2.2.2):  true and false → false.
//
// Erratum: missing in the paper and in the thesis's A.3.2.4.
func andValueII(_ *Config, t term) verdict {
	e, ok := t.(*And)
	if !ok {
		return noMatch
	}
	if b, ok := truth(e.L); !ok || !b {
		return noMatch
	}
	if b, ok := truth(e.R); !ok || b {
		return noMatch
	}
	return axiom(&Lit{e.at, Bool(false), operation("and", e.L.(*Lit), e.R.(*Lit))})
}

// Rule OrLeft ("analogous" in C.2):  e1 → e1'  ⟹  e1 or e2 → e1' or e2.
func orLeft(_ *Config, t term) verdict {
	e, ok := t.(*Or)
	if !ok {
		return noMatch
	}
	if e.L.normal() {
		if _, ok := truth(e.L); !ok {
			return failed(*wrongKind("the left operand of or is true or false", e.L.(*Lit), "a boolean"))
		}
		return noMatch
	}
	return premise(e.L, func(l term) term { return &Or{e.at, l.(Expr), e.R} })
}

// Rule OrRightI ("analogous" in C.2):  true or e → true.
func orRightI(_ *Config, t term) verdict {
	e, ok := t.(*Or)
	if !ok {
		return noMatch
	}
	if b, ok := truth(e.L); !ok || !b {
		return noMatch
	}
	return axiom(&Lit{e.at, Bool(true), operation("or", e.L.(*Lit))})
}

// Rule OrRightII ("analogous" in C.2):  e → e'  ⟹  false or e → false or e'.
func orRightII(_ *Config, t term) verdict {
	e, ok := t.(*Or)
	if !ok || e.R.normal() {
		return noMatch
	}
	if b, ok := truth(e.L); !ok || b {
		return noMatch
	}
	return premise(e.R, func(r term) term { return &Or{e.at, e.L, r.(Expr)} })
}

// Rule OrValueI ("analogous" in C.2):  false or true → true.
func orValueI(_ *Config, t term) verdict {
	e, ok := t.(*Or)
	if !ok || !e.R.normal() {
		return noMatch
	}
	if b, ok := truth(e.L); !ok || b {
		return noMatch
	}
	b, ok := truth(e.R)
	if !ok {
		return failed(*wrongKind("the right operand of or is true or false", e.R.(*Lit), "a boolean"))
	}
	if !b {
		return noMatch
	}
	return axiom(&Lit{e.at, Bool(true), operation("or", e.L.(*Lit), e.R.(*Lit))})
}

// Rule OrValueII ("analogous" in C.2):  false or false → false.
func orValueII(_ *Config, t term) verdict {
	e, ok := t.(*Or)
	if !ok {
		return noMatch
	}
	if b, ok := truth(e.L); !ok || b {
		return noMatch
	}
	if b, ok := truth(e.R); !ok || b {
		return noMatch
	}
	return axiom(&Lit{e.at, Bool(false), operation("or", e.L.(*Lit), e.R.(*Lit))})
}

// Rule NotStep (C.2):  e → e'  ⟹  !e → !e'.
//
// Erratum: the paper prints it under the name NotValueI.
func notStep(_ *Config, t term) verdict {
	e, ok := t.(*Not)
	if !ok {
		return noMatch
	}
	if e.X.normal() {
		if _, ok := truth(e.X); !ok {
			return failed(*wrongKind("the operand of ! is true or false", e.X.(*Lit), "a boolean"))
		}
		return noMatch
	}
	return premise(e.X, func(x term) term { return &Not{e.at, x.(Expr)} })
}

// Rule NotValueI (C.2):  !true → false.
func notValueI(_ *Config, t term) verdict {
	e, ok := t.(*Not)
	if !ok {
		return noMatch
	}
	if b, ok := truth(e.X); !ok || !b {
		return noMatch
	}
	return axiom(&Lit{e.at, Bool(false), operation("!", e.X.(*Lit))})
}

// Rule NotValueII (C.2):  !false → true.
func notValueII(_ *Config, t term) verdict {
	e, ok := t.(*Not)
	if !ok {
		return noMatch
	}
	if b, ok := truth(e.X); !ok || b {
		return noMatch
	}
	return axiom(&Lit{e.at, Bool(true), operation("!", e.X.(*Lit))})
}
