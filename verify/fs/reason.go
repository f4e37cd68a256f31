package fs

import "fmt"

// Reason runs e on a copy of s and says, for people, why it fails. It is empty if e succeeds.
func Reason(e Expr, s *State) string { return reason(e, s.Clone()) }

// reason runs e on s and describes the operation that failed.
func reason(e Expr, s *State) string {
	switch e := e.(type) {
	case Seq:
		for _, x := range e {
			if why := reason(x, s); why != "" {
				return why
			}
		}
		return ""
	case If:
		if s.Eval(e.Cond) {
			return reason(e.Then, s)
		}
		return reason(e.Else, s)
	case Fail:
		if e.Why == "" {
			return "it fails"
		}
		return e.Why
	}
	text := describe(e, s)
	if _, ok := RunInPlace(e, s); !ok {
		return text
	}
	return ""
}

// describe says what would be wrong with an operation if it failed.
func describe(e Expr, s *State) string {
	switch e := e.(type) {
	case Mkdir:
		return blocked(e.Path, s)
	case Creat:
		return blocked(e.Path, s)
	case Ln:
		return blocked(e.Path, s)
	case Cp:
		if k := s.At(e.From).Kind; k != File {
			return state(e.From, k)
		}
		return blocked(e.To, s)
	case Rm:
		if s.At(e.Path).Kind == Dir {
			return fmt.Sprintf("%s is not empty", e.Path)
		}
		return state(e.Path, s.At(e.Path).Kind)
	case Write:
		return state(e.Path, s.At(e.Path).Kind)
	case SetAttr:
		return state(e.Path, s.At(e.Path).Kind)
	}
	return "it fails"
}

// blocked says why nothing can be made at p.
func blocked(p Path, s *State) string {
	if k := s.At(p).Kind; k != None {
		return fmt.Sprintf("%s is there already", p)
	}
	for d := p.Parent(); ; d = d.Parent() {
		if k := s.At(d).Kind; k != Dir && (k != None || s.At(d.Parent()).Kind == Dir || d.IsRoot()) {
			return state(d, k)
		}
		if d.IsRoot() {
			return "it fails"
		}
	}
}

func state(p Path, k Kind) string {
	if k == None {
		return fmt.Sprintf("%s does not exist", p)
	}
	return fmt.Sprintf("%s is %s", p, k)
}
