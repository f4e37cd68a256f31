// Package trace is how a compile is known to be still true: a verifying trace is every question that the compile asked
// of the world, each with a digest of the answer.
//
// # What a question is
//
// A compile is a function of the program, of what is written in files, and of the node. It never sees files as such: it
// asks which file has the class apache::vhost, what its third branch says, what key ntp::servers is in
// data/common.yaml, what the fact os.family is, whether templates/motd.erb is there. Each such question has a name that
// means the same in any state of the files (Question), and an answer that can be found without evaluating anything.
// While a node is compiled, a Log collects the names; when it is done, a Trace pairs them with answers.
//
// # Why holding implies an equal catalog
//
// Take the first moment at which a compile in another state would do something else than the recorded one. Up to there
// both did the same, so both ask the same question now; it is in the trace, because everything that an evaluation reads
// is asked for by one of the doors that log; and its answer is the same, because the trace holds. So they go on alike,
// and no such moment exists. The argument needs two things of every door: that it logs before it answers, also when a
// cache that many compiles share has the answer already, and that the answer's digest covers all that the evaluation
// can see of it. What the evaluation does not see is cut on purpose: places, comments and blanks of manifests, branches
// that were not taken, defaults of parameters that were given and of lookups that found something, constants of
// variables that nobody read, keys of data that nobody looked up, facts that nobody read, attributes of a resource type
// that nobody gave. Of a literal that is only compared it sees how the comparison came out, of values that are merged
// what they are merged to.
//
// So an equal trace gives an equal catalog but for file and line of its resources, which are found anew. Warnings are
// not part of the promise: a file that was not asked for in the recorded compile may have some. A failed compile has a
// trace as well: if it holds, the compile fails again, for the same reason. A compile that was given up, that hit a
// bound, or that ran real Ruby has none, because what ended or changed it was not asked for by name. One that read the
// clock has a trace that never holds.
//
// # What is deliberately coarse
//
// An expression is in the trace if the block around it ran, also the part of it that was not needed: another pattern
// that does not match either counts, and so does an argument that a function does not look at. A function in Ruby
// counts as all that its file says, a hash of data that was looked up as the whole hash, the type of a parameter as it
// is written. A class that moves to another file counts as changed, and so does one more definition beside another that
// was loaded. What an external classifier says of a node, and what this run was told by options, is one question each.
// So is each collector's about what other nodes export, and each query of PuppetDB.
//
// Digests are keyed (Key): the digest of a short secret would be as good as the secret for who can guess it.
//
// It may import source, syntax and value. Start reading at Trace, then Log; the answers are found by package compiler.
package trace

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"hash"
	"slices"
	"strings"
	"sync"
)

// A Kind is what a question is about.
type Kind uint8

// The kinds of questions. What Of and Part are is said with each.
const (
	NoKind       Kind = iota
	Program           // which program compiles
	Options           // what the run was told, and what $settings:: shows
	Main              // what the manifests that every compile starts with define, and which have code
	Statement         // which node statement is the node's
	Enc               // what an external classifier says of the node
	Fact              // Of: the way to a fact or trusted fact, its steps each with NUL behind them
	Clock             // the time
	Manifest          // Of: a module, Part: the rest of a name: the file that may define it, and all that it defines
	Function          // Of: a name: likewise, of a function in the Puppet language
	TypeAlias         // Of: a name: likewise, of a type alias
	Template          // Of: a name: likewise, an EPP template
	Code              // Of: a file, Part: a piece of its code
	Native            // Of: a name, Part: the module that asks: which function in Go or Ruby it is
	Native3           // Of: a name: which 3.x function it is
	Described         // Of: a resource type: does the environment describe it by a generated file
	TypeFile          // Of: a resource type: which Ruby file defines it
	Library           // Of: a feature: which Ruby file require finds
	Providers         // Of: a resource type: its providers
	FindFile          // Of: a name: the path of a file of a module
	FindTemplate      // Of: a name: the path of a template
	Directory         // Of: a module: its directory, and what its metadata says of its data
	Content           // Of: a path: what the file holds
	ERB               // Of: a name, Part: what ran of it: the template's path, and that part of its syntax
	Exists            // Of: a path: is there something
	Glob              // Of: a pattern: the files that match
	Config            // Of: a path: a hiera.yaml, as data
	Data              // Of: a path, Part: a format: can the file be read, and is it a hash
	LayerFirst        // Of: a layer of Hiera, Part: a key: the first value that it has
	LayerAll          // Of: a layer of Hiera, Part: a key: all values that it has
	KeyOptions        // Of: a key: its lookup_options
	Datum             // Of: a path, Part: format and key: the value there
	Attributes        // Of: a resource type: what a compile can see of it, but for which attributes it has
	NodeNamed         // Of: a class: does a node statement have its name, which ends the compile
	// Of: a file, Part: a literal of its code, and a digest: is the literal equal to what has that digest
	Test
	Accepts // Of: a resource type, Part: an attribute: does it have one of that name
	Exports // Of: a resource type, Part: a query: the resources that other nodes export
	Query   // Of: a query: what PuppetDB answers
	lastKind
)

var kindNames = [...]string{
	"nothing", "program", "options", "main manifests", "node statement", "classifier", "fact", "clock",
	"manifest", "function file", "type alias file", "EPP template", "code", "function", "3.x function",
	"generated type", "type file", "library file", "providers", "file of a module", "template of a module",
	"module", "content", "ERB template", "existence", "glob", "hiera.yaml", "data file",
	"first value of a layer", "values of a layer", "options of a key", "key of data",
	"description of a type", "node statement of a name",
	"comparison", "attribute of a type", "exported resources", "PuppetDB",
}

func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return "unknown"
}

// A Question is one thing that a compile asked of the world. It is comparable.
type Question struct {
	Kind     Kind
	Of, Part string
}

// OfNode reports whether the answer depends on the node, and not on the files alone.
func (q Question) OfNode() bool {
	switch q.Kind {
	case Statement, Enc, Fact, Clock, Exports:
		return true
	}
	return q.OfLayers()
}

// OfLayers reports whether the question is about layers of Hiera: the answer depends on the files and on the node.
func (q Question) OfLayers() bool {
	return q.Kind == LayerFirst || q.Kind == LayerAll || q.Kind == KeyOptions
}

// String names the question for people.
func (q Question) String() string {
	of := strings.ReplaceAll(strings.TrimSuffix(q.Of, "\x00"), "\x00", ".")
	s := strings.TrimSpace(q.Kind.String() + " " + of)
	if part := strings.ReplaceAll(q.Part, "\x00", " "); part != "" {
		s += " (" + part + ")"
	}
	return s
}

// Compare orders questions.
func (q Question) Compare(r Question) int {
	if q.Kind != r.Kind {
		return int(q.Kind) - int(r.Kind)
	}
	if c := strings.Compare(q.Of, r.Of); c != 0 {
		return c
	}
	return strings.Compare(q.Part, r.Part)
}

// An Answer is a digest of an answer.
type Answer [16]byte

// A Key makes digests that only who has it can make. The empty one is a key, too.
type Key []byte

// Sum is the answer that a text stands for.
func (k Key) Sum(text []byte) (a Answer) {
	m := hmac.New(sha256.New, k)
	m.Write(text)
	copy(a[:], m.Sum(nil))
	return a
}

// A Summer makes many sums with one key, faster than the key itself. It can be used by many at the same time.
type Summer struct{ pool sync.Pool }

// NewSummer makes a Summer.
func NewSummer(k Key) *Summer {
	return &Summer{sync.Pool{New: func() any { return hmac.New(sha256.New, k) }}}
}

// Sum is Key.Sum.
func (s *Summer) Sum(text []byte) (a Answer) {
	m := s.pool.Get().(hash.Hash)
	m.Reset()
	m.Write(text)
	var room [sha256.Size]byte
	copy(a[:], m.Sum(room[:0]))
	s.pool.Put(m)
	return a
}

// An Entry is a question with its answer. Traces of one workspace share entries that are equal.
type Entry struct {
	Question
	Answer Answer
}

// A Trace is what a compile depends on: if each question has the same answer, so has the compile. It is never changed.
type Trace struct {
	Entries []*Entry // each question once, in the order in which they were asked
	Failed  bool     // the compile failed
}

// Sorted are the entries by question.
func (t *Trace) Sorted() []*Entry {
	all := slices.Clone(t.Entries)
	slices.SortFunc(all, func(a, b *Entry) int { return a.Compare(b.Question) })
	return all
}

// magic begins a stored trace; its last byte is the version of the form.
const magic = "bunraku trace\x02"

// MarshalBinary writes a trace: sorted, what a question has in common with the one before left out. Equal traces give
// equal bytes.
func (t *Trace) MarshalBinary() ([]byte, error) {
	out := append([]byte(magic), 0)
	if t.Failed {
		out[len(magic)] = 1
	}
	out = binary.AppendUvarint(out, uint64(len(t.Entries)))
	was := Question{}
	text := func(was, is string) {
		n := 0
		for n < len(was) && n < len(is) && was[n] == is[n] {
			n++
		}
		out = binary.AppendUvarint(out, uint64(n))
		out = binary.AppendUvarint(out, uint64(len(is)-n))
		out = append(out, is[n:]...)
	}
	for _, e := range t.Sorted() {
		out = append(out, byte(e.Kind))
		text(was.Of, e.Of)
		text(was.Part, e.Part)
		out = append(out, e.Answer[:]...)
		was = e.Question
	}
	return out, nil
}

var errForm = errors.New("this is no trace of this version")

// UnmarshalBinary reads what MarshalBinary wrote.
func (t *Trace) UnmarshalBinary(in []byte) error {
	rest, ok := strings.CutPrefix(string(in), magic)
	if !ok || rest == "" || rest[0] > 1 {
		return errForm
	}
	failed := rest[0] == 1
	rest = rest[1:]
	bad := false
	number := func() int {
		n, size := binary.Uvarint([]byte(rest[:min(len(rest), binary.MaxVarintLen64)]))
		if size <= 0 || n > uint64(len(in)) {
			bad = true
			return 0
		}
		rest = rest[size:]
		return int(n)
	}
	text := func(was string) string {
		n, more := number(), number()
		if bad = bad || n > len(was) || more > len(rest); bad {
			return ""
		}
		s := was[:n] + rest[:more]
		rest = rest[more:]
		return s
	}
	entries := make([]*Entry, number())
	was := Question{}
	for i := range entries {
		e := &Entry{}
		if len(rest) == 0 || Kind(rest[0]) >= lastKind {
			return errForm
		}
		e.Kind, rest = Kind(rest[0]), rest[1:]
		e.Of, e.Part = text(was.Of), text(was.Part)
		if bad || len(rest) < len(e.Answer) {
			return errForm
		}
		copy(e.Answer[:], rest)
		rest = rest[len(e.Answer):]
		entries[i], was = e, e.Question
	}
	if bad || rest != "" {
		return errForm
	}
	t.Entries, t.Failed = entries, failed
	return nil
}
