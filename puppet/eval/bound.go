package eval

import (
	"fmt"

	"bunraku/budget"
	"bunraku/puppet/onigmo"
	"bunraku/puppet/syntax"
	"bunraku/puppet/value"
	"bunraku/source"
)

// Every compile ends, and in little memory, whatever the program. What it has used up is counted in its budget, which
// every loop that input can make long draws on; the bound that was hit is named. Beside the budget, no value may be so
// large, or look so large when it is written out, that walking through it once would take long: [$x, $x] forty times
// over is small in memory and endless as text.
const (
	blockSteps    = 8                 // what a call of a block costs beside its expressions
	searchStep    = 8                 // elements that a search for a value looks at in a step
	nameSteps     = 100               // what looking for files by a name that was not asked for before costs
	nameBytes     = 1 << 10           // … and what is kept of that
	relationBytes = 128               // of an arrow between two resources
	writtenTimes  = 3                 // how often what a catalog says is in memory while it is written
	tagBytes      = 96                // of a tag of a resource: in its list and its set
	scopeBytes    = 512               // of the variables of a call, a class or a define
	maxText       = 32 << 20          // bytes of one string
	maxElements   = value.MaxElements // of one array or hash, with everything in it
	maxContents   = 128 << 20         // bytes of one array or hash when it is written out
	maxNesting    = 2_000             // arrays and hashes in each other
	maxResources  = 200_000           // of one catalog
)

// Limits are what one compile may cost unless the caller says otherwise: far beyond what catalogs need.
func Limits() budget.Limits { return budget.Limits{Steps: 10_000_000, Bytes: 512 << 20, Depth: 2_000} }

// What is being done when the budget ends.
const (
	evaluating = "evaluating an expression"
	calling    = "calls, classes and defines"
	keeping    = "values"
	comparing  = "comparing values"
	collecting = "collectors"
	relating   = "relationships"
	tagging    = "tags"
	matching   = "regular expressions"
	finding    = "looking for names"
	exporting  = "the catalog when it is written out"
)

// Codes of the bounds.
const (
	codeDepth  = "E0901"
	codeSteps  = "E0902"
	codeSize   = "E0906"
	codeVolume = "E0907"
	codeMany   = "E0909"
)

// bounds is what finding out how large values are, and where a bound was hit, needs.
type bounds struct {
	// heavy remembers the sizes of the large values that were weighed last: programs pass the same ones around.
	heavy   [16]heavyValue
	next    int
	calling source.Place // the innermost call of a built-in
	now     syntax.Expr  // the expression that was begun last
}

// exceeded is the error of a compile whose budget ended.
func (ev *Evaluator) exceeded(e *budget.Exceeded) *source.Diagnostic {
	d := &source.Diagnostic{Code: codeSteps, Place: ev.bounds.calling, Stack: ev.describeStack()}
	if e.Where == evaluating {
		d.Place = ev.place(ev.bounds.now.Span())
	}
	for i := len(ev.stack) - 1; i >= 0 && !d.Place.Known(); i-- {
		d.Place = ev.stack[i].place
	}
	if !d.Place.Known() && ev.bounds.now != nil && ev.phase != phaseFinish {
		d.Place = ev.place(ev.bounds.now.Span())
	}
	switch e.What {
	case "depth":
		d.Code, d.Summary = codeDepth, fmt.Sprintf("Evaluation nests more than %d levels deep", e.Limit)
	case "bytes":
		d.Code, d.Summary = codeVolume, fmt.Sprintf("Evaluation has made more than %d bytes of values", e.Limit)
	default:
		d.Summary = fmt.Sprintf("Evaluation takes more than %d steps", e.Limit)
	}
	if d.Code != codeDepth {
		d.Help = "--work 10 allows ten times as much"
	}
	if e.Where != "" {
		d.Detail = "the bound was reached in: " + e.Where
	}
	return d
}

// A size is how large a value looks when all of it is written out.
type size struct {
	elements, bytes int
	depth           int
}

// made looks at a value that was just computed: it must not be too large, and counts towards the volume.
func (ev *Evaluator) made(v value.Value, at source.Place) {
	switch v := v.(type) {
	case value.String:
		if len(v) > maxText {
			ev.tooLarge(at, "The string is longer than %d bytes", maxText)
		}
		ev.budget.Keep(int64(len(v)), keeping)
	case *value.Array:
		if s, small := lightArray(v); small {
			ev.weighed(s, len(v.Elems), at)
		} else {
			ev.weighed((&weighing{ev: ev}).weigh(v, 0), len(v.Elems), at)
		}
	case *value.Hash:
		if s, small := lightHash(v); small {
			ev.weighed(s, 2*v.Len(), at)
		} else {
			ev.weighed((&weighing{ev: ev}).weigh(v, 0), 2*v.Len(), at)
		}
	}
}

// handles counts that values are gone through once, part by part: by a function that they are given to, or to be
// compared. Those who do it more often count the rest themselves.
func (ev *Evaluator) handles(where string, values ...value.Value) {
	n := 0
	for _, v := range values {
		switch v := v.(type) {
		case value.String:
			n += len(v) >> 6
		case *value.Array:
			s, light := lightArray(v)
			if !light {
				s = (&weighing{ev: ev}).weigh(v, 0)
			}
			n += s.elements + s.bytes>>6
		case *value.Hash:
			s, light := lightHash(v)
			if !light {
				s = (&weighing{ev: ev}).weigh(v, 0)
			}
			n += s.elements + s.bytes>>6
		}
	}
	if n > 0 {
		ev.budget.Spend(int64(n), where)
	}
}

// exports counts what a catalog will say: a value is small in memory when many resources share it, and written out for
// each of them. What a relationship names costs an edge.
func (ev *Evaluator) exports(r *Resource) {
	n := 64 + len(r.Title) + len(r.Type)
	for _, t := range r.tags.list {
		n += 4 + len(t)
	}
	for _, p := range r.params {
		s := size{1, 8, 0}
		switch v := p.value.(type) {
		case value.String:
			s.bytes = len(v)
		case *value.Array, *value.Hash, *value.Sensitive:
			s = (&weighing{ev: ev}).weigh(v, 0)
		}
		n += len(p.name) + s.bytes + 8*s.elements
		switch p.name {
		case "before", "notify", "require", "subscribe":
			n += s.elements * relationBytes / writtenTimes
		}
	}
	ev.bounds.calling = r.place
	ev.budget.Keep(int64(n)*writtenTimes, exporting)
}

func (ev *Evaluator) weighed(s size, slots int, at source.Place) {
	switch {
	case s.depth > maxNesting:
		ev.tooLarge(at, "The value nests more than %d levels deep", maxNesting)
	case s.elements > maxElements:
		ev.tooLarge(at, "The value has more than %d elements", maxElements)
	case s.bytes > maxContents:
		ev.tooLarge(at, "The value is longer than %d bytes", maxContents)
	}
	ev.budget.Keep(int64(slots)*24, keeping)
}

func (ev *Evaluator) tooLarge(at source.Place, format string, limit int) {
	ev.failAt(&source.Diagnostic{Code: codeSize, Place: at, Summary: fmt.Sprintf(format, limit)})
}

const heavy = 512 // elements from which on a size is remembered

type heavyValue struct {
	of   value.Value
	size size
}

// lightArray is the size of an array that holds no array or hash: most do not.
func lightArray(a *value.Array) (s size, ok bool) {
	for _, e := range a.Elems {
		if t, is := e.(value.String); is {
			s.bytes += len(t)
		} else if isContainer(e) {
			return s, false
		}
	}
	s.elements, s.bytes, s.depth = 1+len(a.Elems), s.bytes+8*len(a.Elems), 1
	return s, true
}

func lightHash(h *value.Hash) (s size, ok bool) {
	for _, e := range h.Entries() {
		if t, is := e.Key.(value.String); is {
			s.bytes += len(t)
		} else if isContainer(e.Key) {
			return s, false
		}
		if t, is := e.Value.(value.String); is {
			s.bytes += len(t)
		} else if isContainer(e.Value) {
			return s, false
		}
	}
	s.elements, s.bytes, s.depth = 1+2*h.Len(), s.bytes+16*h.Len(), 1
	return s, true
}

// A weighing goes through one value. One part may be in it many times over; when it turns out to be large, parts are
// remembered.
type weighing struct {
	ev      *Evaluator
	visited int
	known   map[value.Value]size
}

// weigh is the size of a value. Sums stop growing beyond the bounds.
func (w *weighing) weigh(v value.Value, depth int) size {
	switch v := v.(type) {
	case value.String:
		return size{1, len(v), 0}
	case *value.Sensitive:
		return w.weigh(v.Value, depth)
	case *value.Array, *value.Hash:
		if s, ok := w.remembered(v); ok {
			return s
		}
	default:
		return size{1, 8, 0}
	}
	s := size{elements: 1}
	switch v := v.(type) {
	case *value.Array:
		for _, e := range v.Elems {
			if !w.add(&s, e, depth) {
				break
			}
		}
	case *value.Hash:
		for _, e := range v.Entries() {
			if !w.add(&s, e.Key, depth) || !w.add(&s, e.Value, depth) {
				break
			}
		}
	}
	s.depth++
	w.remember(v, s)
	return s
}

func (w *weighing) remembered(v value.Value) (size, bool) {
	if w.visited++; w.visited > heavy && w.known == nil {
		w.known = map[value.Value]size{}
	}
	if s, ok := w.known[v]; ok {
		return s, true
	}
	for i := range w.ev.bounds.heavy {
		if h := &w.ev.bounds.heavy[i]; h.of == v {
			return h.size, true
		}
	}
	return size{}, false
}

func (w *weighing) remember(v value.Value, s size) {
	if w.known != nil {
		w.known[v] = s
	}
	if b := &w.ev.bounds; s.elements > heavy {
		b.heavy[b.next%len(b.heavy)] = heavyValue{v, s}
		b.next++
	}
}

// add counts an element in; false says that more would change nothing.
func (w *weighing) add(s *size, e value.Value, depth int) bool {
	if depth > maxNesting {
		s.depth = maxNesting + 1
		return false
	}
	part := w.weigh(e, depth+1)
	s.elements = min(s.elements+part.elements, maxElements+1)
	s.bytes = min(s.bytes+part.bytes, maxContents+1)
	s.depth = max(s.depth, part.depth)
	return s.elements <= maxElements && s.bytes <= maxContents
}

// FindIn is the first match of a pattern in a text from an offset on; the work of searching counts.
func (ev *Evaluator) FindIn(re *onigmo.Regexp, s string, from int) ([]int, error) {
	loc, steps, err := re.FindCounted(s, from)
	ev.budget.Spend(int64(1+steps>>3), matching)
	return loc, err
}

// MaxMatches is how many matches of a pattern one function may look for in a text.
const MaxMatches = 1_000_000

// ErrTooManyMatches is the error of a function that would look for more.
var ErrTooManyMatches = fmt.Errorf("the pattern matches more than %d times", MaxMatches)

// Room reports whether a text of so many bytes may be made, so that a function need not make it to find out.
func Room(bytes int) error {
	if bytes > maxText {
		return fmt.Errorf("the text would be longer than %d bytes", maxText)
	}
	return nil
}

// RoomForAll is Room for the texts of an array.
func RoomForAll(bytes int) error {
	if bytes > maxContents {
		return fmt.Errorf("the texts would be longer than %d bytes", maxContents)
	}
	return nil
}
