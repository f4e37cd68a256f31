package model

import (
	"slices"

	"bunraku/verify/fs"
)

// maxInside bounds the cuts inside one command.
const maxInside = 8

// lineVariables are the variables that tell what lines a file has. They are the file's content: they change with it.
func (b *builder) lineVariables() map[string]bool {
	out := map[string]bool{}
	for _, lines := range b.lines {
		for _, l := range lines {
			out[l.variable] = true
		}
	}
	return out
}

// cuts are a program as it would be if it were stopped after each of its first steps. A file that it makes is there
// before its content is; one that it moves is in one place or the other.
func cuts(e fs.Expr, lines map[string]bool) (out []fs.Expr) {
	switch e := e.(type) {
	case fs.Seq:
		for k, x := range e {
			if k > 0 && moves(e[k-1], x) {
				continue
			}
			if k > 0 && !sameStep(x, lines) {
				out = append(out, slices.Clone(e[:k]))
			}
			if k+1 < len(e) && moves(x, e[k+1]) {
				continue
			}
			for _, part := range cuts(x, lines) {
				out = append(out, append(slices.Clone(e[:k]), part))
			}
		}
	case fs.If:
		for _, part := range cuts(e.Then, lines) {
			out = append(out, fs.If{Cond: e.Cond, Then: part})
		}
		for _, part := range cuts(e.Else, lines) {
			out = append(out, fs.If{Cond: e.Cond, Else: part})
		}
	case fs.Creat:
		if e.Content != fs.Term(fs.Str("")) {
			out = append(out, fs.Creat{Path: e.Path, Content: fs.Str("")})
		}
	case fs.Cp:
		out = append(out, fs.Creat{Path: e.To, Content: fs.Str("")})
	}
	return out[:min(len(out), maxInside)]
}

// sameStep reports whether what a program does next has happened with what it did before: nothing stops it in between.
func sameStep(e fs.Expr, lines map[string]bool) bool {
	switch e := e.(type) {
	case fs.Assign:
		return lines[e.Var]
	case fs.Act, fs.Skip:
		return true
	}
	return false
}

// moves reports whether the second of two steps removes the file of which the first one has made a copy.
func moves(copies, removes fs.Expr) bool {
	if s, ok := removes.(fs.Seq); ok && len(s) > 0 {
		removes = s[0]
	}
	rm, ok := removes.(fs.Rm)
	if !ok {
		return false
	}
	at := rm.Path
	from := fs.Term(fs.ContentOf{Path: at})
	var is func(e fs.Expr) bool
	is = func(e fs.Expr) bool {
		switch e := e.(type) {
		case fs.Seq:
			return slices.ContainsFunc(e, is)
		case fs.If:
			return is(e.Then) || is(e.Else)
		case fs.Creat:
			return e.Content == from
		case fs.Write:
			return e.Content == from
		case fs.Cp:
			return e.From == at
		}
		return false
	}
	return is(copies)
}
