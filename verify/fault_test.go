package verify

import (
	"context"
	"math/rand/v2"
	"testing"
)

// Faults that analysis §2.3 lists, and one that settled.go could have, must be caught by comparing with brute force, or
// the comparison is worth nothing. Each is planted in turn, and random graphs are tried until one disagrees. The seeds
// are those at which the fault shows early; the numbers of graphs until then are logged by the long mode, which starts
// from zero.
func TestPlantedFaults(t *testing.T) {
	for _, f := range plantedFaults() {
		t.Run(f.name, func(t *testing.T) {
			round, ok := catch(f, f.from, 400)
			if !ok {
				t.Fatalf("not caught within 400 graphs from %d on", f.from)
			}
			t.Logf("caught by graph %d", round)
		})
	}
}

type planted struct {
	name   string
	fault  fault
	change func(*Options)
	from   int // round of seed 3 at which to start
}

func plantedFaults() []planted {
	exactOnly := func(o *Options) { o.Commutativity = false }
	return []planted{
		{"errors ignored in masking", faultMaskErrors, nil, 0},
		{"may-write taken as overwrite", faultMayOverwrite, nil, 400},
		{"readers ignored in masking", faultMaskReaders, nil, 2000},
		{"unstable facts", faultUnstableFacts, nil, 0},
		{"closed contents", faultClosedContents, nil, 0},
		{"read before ensure", faultReadEnsure, nil, 11200},
		{"elimination (Rehearsal §4.4)", faultEliminate, exactOnly, 0},
		{"unsettled taken as settled", faultUnsettled, nil, 0},
	}
}

// catch looks for a graph on which the faulty analysis answers wrongly.
func catch(f planted, from, rounds int) (int, bool) {
	for round := from; round < from+rounds; round++ {
		g, features := randomGraph(rand.New(rand.NewPCG(3, uint64(round))), 6)
		o := DefaultOptions()
		if f.change != nil {
			f.change(&o)
		}
		o.fault = f.fault
		d, a, err := determinismOf(g, o)
		if err != nil {
			return 0, false
		}
		sound, _, err := determinismOf(g, DefaultOptions())
		if err != nil {
			return 0, false
		}
		wrong := d.Verdict != sound.Verdict
		again := f.fault == faultClosedContents || f.fault == faultUnsettled // these show in a second run
		if again && !wrong {
			i, err1 := a.Idempotence(context.Background())
			b, err2 := Prepare(g, DefaultOptions())
			if err1 != nil || err2 != nil {
				return 0, false
			}
			j, _ := b.Idempotence(context.Background())
			wrong = i.Verdict != j.Verdict
		}
		if !wrong {
			continue
		}
		// Brute force, not the sound analysis, is the judge.
		want := newBrute(g, features).truth()
		if d.Verdict != verdict(want.deterministic) {
			return round, true
		}
		if again {
			if i, err := a.Idempotence(context.Background()); err == nil && i.Verdict != verdict(want.idempotent) {
				return round, true
			}
		}
	}
	return 0, false
}
