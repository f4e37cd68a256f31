// Package fs is the language of file-system programs of Rehearsal (Shambaugh, Weiss and Guha, PLDI 2016, §3.2,
// Figure 5): what a resource does to a machine, as a total function from states to states or to an error. Beyond the
// paper it has owner, group and mode, symbolic links, variables for what is not a file (a package's marker, a user, a
// cron line), contents that are unknown at first, and functions and predicates nobody has read.
//
// It gives the language three meanings that tests compare with each other:
//   - Run (run.go) is the reference: a concrete interpreter over a tree of paths that reads like Figure 5;
//   - Encode (encode.go) is Figure 7: one formula for success and one per cell that may change;
//   - Footprint (footprint.go) is Figure 9b: what a program reads, writes, ensures and overwrites, per cell.
//
// A World (world.go) searches the initial states that formulas can tell apart. Nothing here knows resources or graphs.
// The package imports budget. Start reading at Expr.
package fs

// An Expr is a program. It has no loops, so it always ends; it may fail.
type Expr interface{ expr() }

type (
	// Skip is the paper's id.
	Skip struct{}

	// Fail is the paper's err. Why is for people.
	Fail struct{ Why string }

	// Mkdir is mkdir(p): the parent is a directory, nothing is at p.
	Mkdir struct{ Path Path }

	// Creat is creat(p, str): the parent is a directory, nothing is at p.
	Creat struct {
		Path    Path
		Content Term
	}

	// Rm is rm(p): removes a file, a link or an empty directory.
	Rm struct{ Path Path }

	// Cp is cp(p1, p2): From is a file, the parent of To is a directory, nothing is at To.
	Cp struct{ From, To Path }

	// Ln makes a symbolic link where nothing is. Links are never followed: paths are resolved before they get here
	// (see Links), so an operation on a path that is a link is about the link.
	Ln struct {
		Path   Path
		Target Term
	}

	// Write replaces the content of an existing file and leaves its attributes alone.
	Write struct {
		Path    Path
		Content Term
	}

	// SetAttr changes an attribute of what exists at Path.
	SetAttr struct {
		Path  Path
		Attr  Attr
		Value Term
	}

	// Clear removes everything below Path except the paths in Keep, what is below them, and the directories that lead
	// to them. It never fails: below what is no directory there is nothing.
	Clear struct {
		Path Path
		Keep []Path
	}

	// Assign sets a variable: a package's marker, a cron line, an event.
	Assign struct {
		Var   string
		Value Term
	}

	// Act does something that leaves no trace in the state, such as running /bin/true. It only matters for Quiet.
	Act struct{}

	// Seq is e1; e2; …
	Seq []Expr

	// If is if (a) e1 else e2; a nil branch is Skip.
	If struct {
		Cond       Pred
		Then, Else Expr
	}
)

func (Skip) expr()    {}
func (Fail) expr()    {}
func (Mkdir) expr()   {}
func (Creat) expr()   {}
func (Rm) expr()      {}
func (Cp) expr()      {}
func (Ln) expr()      {}
func (Write) expr()   {}
func (SetAttr) expr() {}
func (Clear) expr()   {}
func (Assign) expr()  {}
func (Act) expr()     {}
func (Seq) expr()     {}
func (If) expr()      {}

// A Term denotes a value in the present state.
type Term interface{ term() }

type (
	// Const is a constant.
	Const struct{ Value Value }

	// ContentOf is the content of a file or the target of a link; Absent for anything else.
	ContentOf struct{ Path Path }

	// AttrOf is an attribute of what is at Path; Absent if nothing is.
	AttrOf struct {
		Path Path
		Attr Attr
	}

	// VarOf is the value of a variable.
	VarOf struct{ Name string }

	// Apply is an uninterpreted function of its arguments: what a command nobody has read makes of what it reads.
	Apply struct {
		Func string
		Args []Term
	}
)

func (Const) term()     {}
func (ContentOf) term() {}
func (AttrOf) term()    {}
func (VarOf) term()     {}
func (Apply) term()     {}

// A Pred is a test of the present state. It never fails.
type Pred interface{ pred() }

type (
	// True always holds.
	True struct{}

	// Is is none?(p), dir?(p), file?(p) or link?(p).
	Is struct {
		Path Path
		Kind Kind
	}

	// EmptyDir is emptydir?(p): a directory without children, named by some program or not.
	EmptyDir struct{ Path Path }

	// Equal compares two values.
	Equal struct{ A, B Term }

	// Holds is an uninterpreted predicate of its arguments: whether a command nobody has read succeeds.
	Holds struct {
		Name string
		Args []Term
	}

	// Not, And, Or are as usual; an empty And holds, an empty Or does not.
	Not struct{ P Pred }
	And []Pred
	Or  []Pred
)

func (True) pred()     {}
func (Is) pred()       {}
func (EmptyDir) pred() {}
func (Equal) pred()    {}
func (Holds) pred()    {}
func (Not) pred()      {}
func (And) pred()      {}
func (Or) pred()       {}

// Str is a constant term.
func Str(s string) Term { return Const{Text(s)} }

// VarIs tests a variable against a constant.
func VarIs(name, value string) Pred { return Equal{VarOf{name}, Str(value)} }

// ContentIs tests that p is a file with the given content.
func ContentIs(p Path, content Term) Pred { return And{Is{p, File}, Equal{ContentOf{p}, content}} }

// EnsureDir is the guarded mkdir of §4.3: if (¬dir?(p)) mkdir(p).
func EnsureDir(p Path) Expr { return If{Not{Is{p, Dir}}, Mkdir{p}, nil} }

// Overwrite makes p a file with the given content whatever file or link was there, as the paper does it:
// if (file?(p) ∨ link?(p)) rm(p); creat(p, str).
func Overwrite(p Path, content Term) Expr {
	return Seq{If{Or{Is{p, File}, Is{p, Link}}, Rm{p}, nil}, Creat{p, content}}
}

// RemoveTree is rm -rf.
func RemoveTree(p Path) Expr { return Seq{Clear{Path: p}, If{Is{p, None}, nil, Rm{p}}} }

// ensured recognises the guarded mkdir in its two spellings and returns its path.
//
// Differs from the paper: its second spelling, if (none?(p)) mkdir(p) else if (file?(p)) err else id, does not ensure a
// directory once there are links, so the test must be for dir?.
func ensured(e If) (Path, bool) {
	if n, ok := e.Cond.(Not); ok {
		if is, ok := n.P.(Is); ok && is.Kind == Dir && isSkip(e.Else) {
			if m, ok := e.Then.(Mkdir); ok && m.Path == is.Path {
				return m.Path, true
			}
		}
		return "", false
	}
	is, ok := e.Cond.(Is)
	if !ok || is.Kind != None {
		return "", false
	}
	m, ok := e.Then.(Mkdir)
	if !ok || m.Path != is.Path {
		return "", false
	}
	inner, ok := e.Else.(If)
	if !ok || !isSkip(inner.Then) {
		return "", false
	}
	if d, ok := inner.Cond.(Is); !ok || d.Path != m.Path || d.Kind != Dir {
		return "", false
	}
	_, fails := inner.Else.(Fail)
	return m.Path, fails
}

func isSkip(e Expr) bool {
	switch e := e.(type) {
	case nil, Skip:
		return true
	case Seq:
		return len(e) == 0
	}
	return false
}

// Links resolves paths through symbolic links whose target is known, so that models write where the machine would.
// A relative target starts at the link's directory.
type Links map[Path]string

// Resolve follows known links in every component of p but the last; with final set, in the last one too. It gives up
// after 40 steps, as kernels do, and reports whether it ended.
func (l Links) Resolve(p Path, final bool) (Path, bool) {
	for range 40 {
		q, changed := p, false
		for at := q; !at.IsRoot(); at = at.Parent() {
			target, ok := l[at]
			if !ok || at == p && !final {
				continue
			}
			base := string(at.Parent())
			if len(target) > 0 && target[0] == '/' {
				base = ""
			}
			q, changed = Clean(base+"/"+target+string(p[len(at):])), true
		}
		if !changed {
			return p, true
		}
		p = q
	}
	return p, false
}
