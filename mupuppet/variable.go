package mupuppet

import "fmt"

// Variables (C.2).

// Rule LVar (C.2):  x ∈ dom(σ_α)  ⟹  $x →α σ_α(x).
func lVar(c *Config, t term) verdict {
	v, ok := t.(*Var)
	if !ok || v.Kind != Local {
		return noMatch
	}
	b, ok := c.Store.lookup(c.scope, v.Name)
	if !ok {
		return noMatch // PVar's case; a failure is reported there
	}
	return axiom(b.Value)
}

// Rule PVar (C.2):  x ∉ dom(σ_α)   $x →β v   β parentof_κ α  ⟹  $x →α v.
//
// The premise $x →β v is derived by LVar or by PVar again, within this one step.
func pVar(c *Config, t term) verdict {
	v, ok := t.(*Var)
	if !ok || v.Kind != Local {
		return noMatch
	}
	if _, ok := c.Store.lookup(c.scope, v.Name); ok {
		return noMatch
	}
	outer := *c
	var searched []Scope
	for {
		searched = append(searched, outer.scope)
		β, ok := parentOf(c.Definitions, outer.scope)
		if !ok {
			break
		}
		outer.scope = β
		if found := lVar(&outer, t); found.kind == contract {
			return found
		}
	}
	return failed(Failure{
		Code:    "M0002",
		Premise: fmt.Sprintf("$%s →β v for some β with β parentof_κ %s", v.Name, c.scope),
		Summary: "Unknown variable: '" + v.Name + "'",
		Label:   "has no value in " + scopeList(searched),
		Help:    "µPuppet is always strict: a variable must be assigned before it is read",
	})
}

// Rule TVar (C.2):  x ∈ dom(σ_::)  ⟹  $::x →α σ_::(x).
func tVar(c *Config, t term) verdict {
	v, ok := t.(*Var)
	if !ok || v.Kind != TopVar {
		return noMatch
	}
	return readFrom(c, v, TopScope(), "$::"+v.Name)
}

// Rule QVar (C.2):  x ∈ dom(σ_::a)  ⟹  $::a::x →α σ_::a(x).
//
// Erratum: Appendix C.2 prints the variable as $::x:x; §3 has it right.
func qVar(c *Config, t term) verdict {
	v, ok := t.(*Var)
	if !ok || v.Kind != Qualified {
		return noMatch
	}
	return readFrom(c, v, ClassScope(v.Class), "$::"+v.Class+"::"+v.Name)
}

func readFrom(c *Config, v *Var, α Scope, written string) verdict {
	b, ok := c.Store.lookup(α, v.Name)
	if ok {
		return axiom(b.Value)
	}
	f := Failure{
		Code:    "M0002",
		Premise: fmt.Sprintf("%s ∈ dom(σ_%s)", v.Name, α),
		Summary: "Unknown variable: '" + written[1:] + "'",
		Label:   "has no value in " + α.String(),
	}
	if v.Kind == Qualified {
		switch d := c.Definitions.lookup(v.Class); {
		case d == nil:
			f.Help = "class " + v.Class + " is not defined"
		case d.Kind == ClassDef:
			f.Help = "class " + v.Class + " is defined but not yet declared: include it first"
		}
	}
	return failed(f)
}

func scopeList(αs []Scope) string {
	s := αs[0].String()
	for _, α := range αs[1:] {
		s += ", " + α.String()
	}
	return s
}
