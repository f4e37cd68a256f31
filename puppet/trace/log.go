package trace

import (
	"hash/maphash"
	"sync"
	"unsafe"

	"bunraku/puppet/syntax"
	"bunraku/puppet/value"
)

// A Log collects the questions of one compile. It belongs to one goroutine until the compile is done. A nil Log
// collects nothing.
//
// Compiles are fast and ask much, so a log only appends: that a question was asked twice is seen when the trace is
// made. Only code that runs again and again is noted once.
type Log struct {
	asked  []Question
	ran    []Ran
	frames [][]Question
	paused int
	last   *syntax.Expr
	seen   *set
	tested []Tested
	later  []Ran
}

// Ran is code that ran: the block whose first statement, or the expression that stands at a place of the tree.
type Ran struct {
	At   *syntax.Expr
	File *syntax.File
}

// A Tested is a comparison of a literal with a value.
type Tested struct {
	Literal syntax.Expr
	File    *syntax.File
	With    value.Value // what it was compared with
}

// Comparable is a text that is equal for values which are equal to the same literals (value.Equal); "" for values of
// which that cannot be told.
func Comparable(v value.Value) string {
	switch v := v.(type) {
	case value.String:
		return "s" + lower(string(v))
	case value.Bool:
		if v {
			return "b1"
		}
		return "b0"
	case value.Undef:
		return "u"
	}
	return ""
}

// lower folds what comparisons fold: ASCII alone.
func lower(s string) string {
	for i := 0; i < len(s); i++ {
		if c := s[i]; c >= 'A' && c <= 'Z' {
			b := []byte(s)
			for ; i < len(b); i++ {
				if c := b[i]; c >= 'A' && c <= 'Z' {
					b[i] = c + 'a' - 'A'
				}
			}
			return string(b)
		}
	}
	return s
}

// Test notes that a literal was compared with a value.
func (l *Log) Test(x syntax.Expr, f *syntax.File, with value.Value) {
	if l.paused > 0 {
		return
	}
	var h uint64
	switch v := with.(type) {
	case value.String:
		h = maphash.String(seed, string(v))
	case value.Bool:
		h = 1
		if v {
			h = 2
		}
	case value.Undef:
		h = 3
	default: // the literal counts by itself
		h, with = 4, nil
	}
	at := (*[2]uintptr)(unsafe.Pointer(&x))[1]
	if l.seen.add(uintptr(h*0x9e3779b97f4a7c15) ^ at<<1 | 1) { // places in the tree are even
		l.tested = append(l.tested, Tested{x, f, with})
	}
}

var seed = maphash.MakeSeed()

// Tested are the comparisons of literals.
func (l *Log) Tested() []Tested { return l.tested }

// Later notes that a variable has been given what stands at a place, which counts if the variable is read. The number
// is for Read; 0 if it counts already.
func (l *Log) Later(at *syntax.Expr, f *syntax.File) int32 {
	if l.paused > 0 || l.seen.has(uintptr(unsafe.Pointer(at))) {
		return 0
	}
	l.later = append(l.later, Ran{at, f})
	return int32(len(l.later))
}

// Read notes that a variable is read.
func (l *Log) Read(n int32) {
	if r := l.later[n-1]; l.paused == 0 && l.seen.add(uintptr(unsafe.Pointer(r.At))) {
		l.ran = append(l.ran, r)
	}
}

// Size is how much another compile asked.
type Size struct{ Asked, Ran int }

// NewLog starts a log with room for as much as another one has.
func NewLog(like Size) *Log {
	return &Log{asked: make([]Question, 0, like.Asked+16), ran: make([]Ran, 0, like.Ran+16), seen: sets.Get().(*set)}
}

// Close says that the compile is done. What was asked can still be read.
func (l *Log) Close() {
	if l != nil && l.seen != nil {
		l.seen.clear()
		sets.Put(l.seen)
		l.seen = nil
	}
}

// Size is how much was asked.
func (l *Log) Size() Size { return Size{len(l.asked), len(l.ran)} }

// Ask notes a question.
func (l *Log) Ask(q Question) {
	if l == nil || l.paused > 0 {
		return
	}
	for i := range l.frames {
		l.frames[i] = append(l.frames[i], q)
	}
	l.asked = append(l.asked, q)
}

// New reports whether a name has not been asked of something before; address is where that lies.
func (l *Log) New(address unsafe.Pointer, name string) bool {
	return len(l.frames) > 0 || l.seen.add(uintptr(maphash.String(seed, name))^uintptr(address)<<1|1)
}

// Again notes questions that were asked when something was made that is used now.
func (l *Log) Again(asked []Question) {
	if l == nil || l.paused > 0 || len(asked) == 0 {
		return
	}
	if len(l.frames) == 0 && !l.seen.add(uintptr(unsafe.Pointer(&asked[0]))) {
		return
	}
	for _, q := range asked {
		l.Ask(q)
	}
}

// Run notes that code of a file runs.
func (l *Log) Run(at *syntax.Expr, f *syntax.File) {
	if at == l.last || l.paused > 0 {
		return
	}
	l.last = at
	if l.seen.add(uintptr(unsafe.Pointer(at))) {
		l.ran = append(l.ran, Ran{at, f})
	}
}

// Ran is the code that ran, each piece once.
func (l *Log) Ran() []Ran { return l.ran }

// Asked are the questions in their order, some of them several times.
func (l *Log) Asked() []Question { return l.asked }

// Pause stops the log until Resume is called: what is asked meanwhile does not reach the catalog, or is asked for by
// another name.
func (l *Log) Pause() {
	if l != nil {
		l.paused++
	}
}

// Resume ends a pause.
func (l *Log) Resume() {
	if l != nil {
		l.paused--
	}
}

// Active reports whether questions are noted now.
func (l *Log) Active() bool { return l != nil && l.paused == 0 }

// Begin starts a frame; End of its number gives all that was asked since.
func (l *Log) Begin() int {
	if l == nil {
		return 0
	}
	l.frames = append(l.frames, nil)
	return len(l.frames)
}

// End ends a frame, and those inside of it.
func (l *Log) End(n int) []Question {
	if l == nil || n > len(l.frames) {
		return nil
	}
	asked := l.frames[n-1]
	l.frames = l.frames[:n-1]
	return asked
}

// Framed reports whether somebody wants to know every question, also those that were asked before.
func (l *Log) Framed() bool { return l != nil && len(l.frames) > 0 }

// A set is addresses of things that somebody else keeps alive.
type set struct {
	table []uintptr
	n     int
}

var sets = sync.Pool{New: func() any { return &set{table: make([]uintptr, 256)} }}

// add reports whether the address is new.
func (s *set) add(p uintptr) bool {
	mask := len(s.table) - 1
	i := int(uint64(p)*0x9e3779b97f4a7c15>>32) & mask
	for ; s.table[i] != 0; i = (i + 1) & mask {
		if s.table[i] == p {
			return false
		}
	}
	s.table[i] = p
	if s.n++; s.n > len(s.table)/2 {
		old := s.table
		s.table, s.n = make([]uintptr, 2*len(old)), 0
		for _, p := range old {
			if p != 0 {
				s.add(p)
			}
		}
	}
	return true
}

// has reports whether the address was added.
func (s *set) has(p uintptr) bool {
	mask := len(s.table) - 1
	for i := int(uint64(p)*0x9e3779b97f4a7c15>>32) & mask; s.table[i] != 0; i = (i + 1) & mask {
		if s.table[i] == p {
			return true
		}
	}
	return false
}

func (s *set) clear() {
	clear(s.table)
	s.n = 0
}
