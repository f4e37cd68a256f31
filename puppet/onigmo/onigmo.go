// Package onigmo is Ruby's regular expressions in Go: the syntax and meaning of Onigmo as Ruby 3.1 sets it up, since
// that is what Puppet's regexps are. ^ and $ are line anchors, m makes the dot match newlines, \w \d \s are ASCII while
// \b and POSIX brackets are Unicode; look-behind, atomic groups, possessive repeats, \K, conditionals, absent groups,
// named groups, back-references and recursion (\g) all work.
//
// A pattern is parsed to a tree (parse.go, class.go), judged (check.go), and run by a backtracking matcher whose steps
// are bounded (match.go). The matcher is our own rather than a translation to another engine: it works on bytes offsets
// of UTF-8 directly, counts its steps exactly, and has no feature to translate around. Where a pattern means the same
// to Go's regexp, that linear-time engine runs instead (fast.go).
//
// It imports nothing of this module. Start reading here, then parse.go.
package onigmo

import (
	"errors"
	"fmt"
	"regexp"
	"sync"
	"sync/atomic"
	"unicode/utf8"
)

// Flags are the options outside of the pattern.
type Flags uint8

// The flags of Ruby's Regexp.new.
const (
	IgnoreCase Flags = 1 << iota
	Extended
	Multiline // the dot matches newlines
)

// MaxSteps is how many steps one search may take.
const MaxSteps = 10_000_000

// ErrSteps is the error of a search that took too many steps.
var ErrSteps = fmt.Errorf("regular expression: the match was given up after %d steps", MaxSteps)

// ErrDepth is the error of a search that nests too deeply.
var ErrDepth = fmt.Errorf("regular expression: the match was given up at a depth of %d", maxDepth)

// ErrText is the error of a search in text that is no UTF-8.
var ErrText = errors.New("invalid byte sequence in UTF-8")

// A Regexp is a compiled pattern. It is safe for use by several goroutines.
type Regexp struct {
	source string
	groups int            // numbered groups, without the whole match
	names  []string       // by group number, "" for unnamed; index 0 is the whole match
	fast   *regexp.Regexp // or nil
	when   fastWhen       // which texts fast may search
	prog   atomic.Pointer[program]
	flags  Flags

	own  bool // a pattern of ours, which is compiled when it is first used
	once sync.Once
}

// Check judges a pattern as Regexp.new would, and words the error as Ruby does: "premature end of char-class: /[/".
func Check(src string) error {
	if plain(src) {
		return nil
	}
	_, err := parse(src, 0, true)
	return err
}

// plain reports a pattern of nothing but ordinary characters, which needs no parsing.
func plain(src string) bool {
	for i := 0; i < len(src); i++ {
		switch src[i] {
		case '\\', '[', '(', ')', '*', '+', '?', '{', '|', '#':
			return false
		}
	}
	return utf8.ValidString(src)
}

// Programs compile the same few patterns over and over: those that they compute, and those of types.
var compiled struct {
	sync.RWMutex
	m map[pattern]*Regexp
}

type pattern struct {
	source string
	flags  Flags
}

const maxCompiled, maxKept = 4096, 4096 // patterns kept, and how long one may be

// Compile makes a pattern ready to search. A pattern that was compiled before is found again.
func Compile(src string, flags Flags) (*Regexp, error) {
	key := pattern{src, flags}
	compiled.RLock()
	re := compiled.m[key]
	compiled.RUnlock()
	if re != nil {
		return re, nil
	}
	re, err := compile(src, flags)
	if err == nil && len(src) <= maxKept {
		compiled.Lock()
		if compiled.m == nil || len(compiled.m) >= maxCompiled {
			compiled.m = map[pattern]*Regexp{}
		}
		compiled.m[key] = re
		compiled.Unlock()
	}
	return re, err
}

func compile(src string, flags Flags) (*Regexp, error) {
	t, err := parse(src, flags, false)
	if err != nil {
		return nil, err
	}
	re := &Regexp{source: src, groups: t.groups, names: t.names, flags: flags}
	re.fast, re.when = t.fast()
	if re.fast == nil || re.when != always {
		p, err := t.compile()
		if err != nil {
			return nil, err
		}
		re.prog.Store(p)
	}
	return re, nil
}

// MustCompile is Compile for patterns of our own, which are right. It compiles when the pattern is first used: there
// are a hundred of them, and most runs of the program need none.
func MustCompile(src string) *Regexp { return &Regexp{source: src, own: true} }

// ready compiles a pattern of our own.
func (re *Regexp) ready() {
	if !re.own {
		return
	}
	re.once.Do(func() {
		made, err := compile(re.source, 0)
		if err != nil {
			panic("onigmo: " + err.Error())
		}
		re.groups, re.names, re.fast, re.when = made.groups, made.names, made.fast, made.when
		re.prog.Store(made.prog.Load())
	})
}

// String is the source.
func (re *Regexp) String() string { return re.source }

// Groups is the number of groups, without the whole match.
func (re *Regexp) Groups() int {
	re.ready()
	return re.groups
}

// Names are the names of the groups by number, "" for a group without one. Index 0 is the whole match.
func (re *Regexp) Names() []string {
	re.ready()
	return re.names
}

// Match reports whether the pattern matches somewhere in s.
func (re *Regexp) Match(s string) (bool, error) {
	re.ready()
	if !utf8.ValidString(s) {
		return false, ErrText
	}
	if re.quick(s) {
		return re.fast.MatchString(s), nil
	}
	loc, err := re.search(s, 0)
	return loc != nil, err
}

// Find is the first match that begins at byte offset from or later: offsets of begin and end of the whole match and of
// each group, -1 for a group that took no part. It is nil when there is no match. Anchors and look-behinds see the text
// before from.
func (re *Regexp) Find(s string, from int) ([]int, error) {
	re.ready()
	// Whoever goes on from a match has begun at the start; to look at the whole text again each time would take quadratic
	// time.
	if from == 0 && !utf8.ValidString(s) {
		return nil, ErrText
	}
	if from == 0 && re.quick(s) {
		return re.fast.FindStringSubmatchIndex(s), nil
	}
	return re.search(s, from)
}

// FindCounted is Find, and about how many steps the search took, for those who bound the work of many searches
// together.
func (re *Regexp) FindCounted(s string, from int) (loc []int, steps int, err error) {
	re.ready()
	if from == 0 && (re.quick(s) || !utf8.ValidString(s)) {
		loc, err = re.Find(s, from)
		return loc, len(s), err
	}
	p, err := re.program()
	if err != nil {
		return nil, 0, err
	}
	return p.count(s, from)
}

// FindAll calls f for each match in turn, without overlaps, as Ruby's scan and gsub walk a string. f returns false to
// stop.
func (re *Regexp) FindAll(s string, f func(loc []int) bool) error {
	for at := 0; at <= len(s); {
		loc, err := re.Find(s, at)
		if err != nil || loc == nil {
			return err
		}
		if !f(loc) {
			return nil
		}
		if loc[1] > loc[0] || loc[1] > at {
			at = loc[1]
		}
		if loc[1] == loc[0] {
			_, n := utf8.DecodeRuneInString(s[at:])
			at += max(n, 1)
		}
	}
	return nil
}

func (re *Regexp) quick(s string) bool {
	if re.fast == nil {
		return false
	}
	if re.when&onlyASCII != 0 {
		for i := 0; i < len(s); i++ {
			if s[i] >= utf8.RuneSelf {
				return false
			}
		}
	}
	return re.when&noFinalNewline == 0 || s == "" || s[len(s)-1] != '\n'
}

func (re *Regexp) search(s string, from int) ([]int, error) {
	p, err := re.program()
	if err != nil {
		return nil, err
	}
	return p.search(s, from)
}

// program is what the matcher runs, made when it is first needed.
func (re *Regexp) program() (*program, error) {
	p := re.prog.Load()
	if p == nil {
		t, err := parse(re.source, re.flags, false)
		if err != nil {
			return nil, err
		}
		if p, err = t.compile(); err != nil {
			return nil, err
		}
		re.prog.Store(p)
	}
	return p, nil
}
