package eval

import (
	"fmt"
	"time"
	"weak"

	"bunraku/source"
	"bunraku/value"
)

// Every compile ends, and in little memory, whatever the program. The bounds are far beyond what catalogs need; the one that was hit is
// named. Steps bound time, volume bounds what is copied, and no value may be so large, or look so large when it is written out, that
// walking through it once would take long: [$x, $x] forty times over is small in memory and endless as text.
const (
	defaultMaxSteps = 20_000_000
	defaultMaxDepth = 2_000
	defaultMaxTime  = time.Minute
	blockSteps      = 8                 // what a call of a block costs beside its expressions
	maxText         = 32 << 20          // bytes of one string
	maxElements     = value.MaxElements // of one array or hash, with everything in it
	maxContents     = 128 << 20         // bytes of one array or hash when it is written out
	maxNesting      = 2_000             // arrays and hashes in each other
	maxVolume       = int64(1) << 30    // bytes of all values made in one compile
	maxResources    = 200_000           // of one catalog
	timeCheck       = 1<<12 - 1         // steps between looks at the clock
)

// Codes of the bounds.
const (
	codeSteps  = "E0902"
	codeSize   = "E0906"
	codeVolume = "E0907"
	codeTime   = "E0908"
	codeMany   = "E0909"
)

// bounds is what a compile has used up.
type bounds struct {
	began  time.Time
	volume int64
	// heavy remembers the size of large values while they live, so that one in which they are many times is weighed quickly.
	heavyArrays map[weak.Pointer[value.Array]]size
	heavyHashes map[weak.Pointer[value.Hash]]size
	calling     source.Place // the innermost call of a built-in
}

// A size is how large a value looks when all of it is written out.
type size struct {
	elements, bytes int
	depth           int
}

// tired stops a compile that takes too long.
func (ev *Evaluator) tired(at source.Place) {
	if ev.steps > ev.set.MaxSteps {
		ev.failAt(&source.Diagnostic{Code: codeSteps, Place: at, Summary: fmt.Sprintf("Evaluation takes more than %d steps", ev.set.MaxSteps)})
	}
	if limit := ev.set.MaxTime; time.Since(ev.bounds.began) > limit {
		ev.failAt(&source.Diagnostic{Code: codeTime, Place: at, Summary: fmt.Sprintf("The compile takes longer than %v", limit)})
	}
}

// made looks at a value that was just computed: it must not be too large, and counts towards the volume.
func (ev *Evaluator) made(v value.Value, at source.Place) {
	switch v := v.(type) {
	case value.String:
		if len(v) > maxText {
			ev.tooLarge(at, "The string is longer than %d bytes", maxText)
		}
		ev.bounds.volume += int64(len(v))
	case *value.Array:
		ev.weighed(ev.weigh(v, 0), len(v.Elems), at)
	case *value.Hash:
		ev.weighed(ev.weigh(v, 0), 2*v.Len(), at)
	default:
		return
	}
	if ev.bounds.volume > maxVolume {
		ev.failAt(&source.Diagnostic{Code: codeVolume, Place: at, Summary: fmt.Sprintf("Evaluation has made more than %d bytes of values", maxVolume)})
	}
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
	ev.bounds.volume += int64(slots) * 24
}

func (ev *Evaluator) tooLarge(at source.Place, format string, limit int) {
	ev.failAt(&source.Diagnostic{Code: codeSize, Place: at, Summary: fmt.Sprintf(format, limit)})
}

const heavy = 512 // elements from which on a size is remembered

// weigh is the size of a value. Sums stop growing beyond the bounds.
func (ev *Evaluator) weigh(v value.Value, depth int) size {
	switch v := v.(type) {
	case value.String:
		return size{1, len(v), 0}
	case *value.Sensitive:
		return ev.weigh(v.Value, depth)
	case *value.Array:
		if len(ev.bounds.heavyArrays) > 0 {
			if s, known := ev.bounds.heavyArrays[weak.Make(v)]; known {
				return s
			}
		}
		s := size{elements: 1}
		for _, e := range v.Elems {
			if !ev.add(&s, e, depth) {
				break
			}
		}
		s.depth++
		if s.elements > heavy {
			if ev.bounds.heavyArrays == nil {
				ev.bounds.heavyArrays = map[weak.Pointer[value.Array]]size{}
			}
			ev.bounds.heavyArrays[weak.Make(v)] = s
		}
		return s
	case *value.Hash:
		if len(ev.bounds.heavyHashes) > 0 {
			if s, known := ev.bounds.heavyHashes[weak.Make(v)]; known {
				return s
			}
		}
		s := size{elements: 1}
		for _, e := range v.Entries() {
			if !ev.add(&s, e.Key, depth) || !ev.add(&s, e.Value, depth) {
				break
			}
		}
		s.depth++
		if s.elements > heavy {
			if ev.bounds.heavyHashes == nil {
				ev.bounds.heavyHashes = map[weak.Pointer[value.Hash]]size{}
			}
			ev.bounds.heavyHashes[weak.Make(v)] = s
		}
		return s
	}
	return size{1, 8, 0}
}

// add counts an element in; false says that more would change nothing.
func (ev *Evaluator) add(s *size, e value.Value, depth int) bool {
	if depth > maxNesting {
		s.depth = maxNesting + 1
		return false
	}
	part := ev.weigh(e, depth+1)
	s.elements = min(s.elements+part.elements, maxElements+1)
	s.bytes = min(s.bytes+part.bytes, maxContents+1)
	s.depth = max(s.depth, part.depth)
	return s.elements <= maxElements && s.bytes <= maxContents
}

// MaxMatches is how many matches of a pattern one function may look for in a text.
const MaxMatches = 1_000_000

// TooManyMatches is the error of a function that would look for more.
var TooManyMatches = fmt.Errorf("the pattern matches more than %d times", MaxMatches)

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
