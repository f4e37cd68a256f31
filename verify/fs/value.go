package fs

import (
	"crypto/sha256"
	"encoding/hex"
	"path"
	"strings"
)

// A Path is an absolute, clean path: "/", "/etc", "/etc/motd".
type Path string

// Clean returns the canonical spelling of an absolute path.
func Clean(p string) Path { return Path(path.Clean("/" + p)) }

// Parent is the directory that holds p; the root is its own parent.
func (p Path) Parent() Path {
	i := strings.LastIndexByte(string(p), '/')
	if i <= 0 {
		return "/"
	}
	return p[:i]
}

// IsRoot reports whether p is "/".
func (p Path) IsRoot() bool { return p == "/" }

// Under reports whether p lies strictly below d.
func (p Path) Under(d Path) bool {
	if d.IsRoot() {
		return !p.IsRoot()
	}
	return len(p) > len(d) && p[len(d)] == '/' && p[:len(d)] == d
}

// A Value is what a cell holds: a constant, the unknown initial value of a cell, or the result of a function nobody has
// read. Values are terms: two of them are the same thing iff they are spelled the same (analysis: "open contents").
// The zero Value is Absent.
type Value struct{ term string }

// Absent is the content of what has none: the content of a directory, the owner of a missing file.
var Absent = Value{}

// Text is a constant.
func Text(s string) Value { return Value{"=" + s} }

// Initial is the unknown value that a cell had before the run.
func Initial(cell string) Value { return Value{"?" + cell} }

// Result is the value of an uninterpreted function. Arguments are part of the spelling, so f(f(x)) ≠ f(x); a long
// spelling is replaced by its digest, which keeps it injective for all purposes here.
func Result(function string, args []Value) Value {
	var b strings.Builder
	b.WriteString("!" + function + "(")
	for i, a := range args {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(escape(a.term))
	}
	b.WriteByte(')')
	if b.Len() > 256 {
		sum := sha256.Sum256([]byte(b.String()))
		return Value{"!" + function + "#" + hex.EncodeToString(sum[:])}
	}
	return Value{b.String()}
}

func escape(s string) string {
	if !strings.ContainsAny(s, `\,()`) {
		return s
	}
	return spelling.Replace(s)
}

var spelling = strings.NewReplacer(`\`, `\\`, `,`, `\,`, `(`, `\(`, `)`, `\)`)

// IsText reports whether v is a constant, and which.
func (v Value) IsText() (string, bool) {
	if strings.HasPrefix(v.term, "=") {
		return v.term[1:], true
	}
	return "", false
}

// String is for people: a quoted constant, or a description of the unknown.
func (v Value) String() string {
	switch {
	case v.term == "":
		return "absent"
	case v.term[0] == '=':
		return "“" + v.term[1:] + "”"
	case v.term[0] == '?':
		return "whatever " + v.term[1:] + " was"
	case v.term[0] == '!':
		return "what " + v.term[1:] + " gives"
	}
	return v.term
}

// A Kind says what is at a path.
type Kind uint8

const (
	None Kind = iota
	Dir
	File
	Link
)

func (k Kind) String() string { return [...]string{"nothing", "a directory", "a file", "a link"}[k] }

// An Attr is one of the three attributes of an existing path.
type Attr uint8

const (
	Owner Attr = iota
	Group
	Mode
)

func (a Attr) String() string { return [...]string{"owner", "group", "mode"}[a] }

// initial is the attribute of what a program creates. It is part of the model, not of a machine.
func (a Attr) initial(k Kind) Value {
	switch {
	case a != Mode:
		return Text("root")
	case k == Dir:
		return Text("0755")
	case k == Link:
		return Text("0777")
	}
	return Text("0644")
}
