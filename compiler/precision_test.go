package compiler

import (
	"math/rand/v2"
	"sort"
	"strings"
	"syscall"
	"testing"
	"time"

	"bunraku/eval"
	"bunraku/internal/mutate"
	"bunraku/provenance"
	"bunraku/source"
	"bunraku/syntax"
)

type fileName = *source.File

const thisThread = 1 // for cpu, where the system can tell

// cpu is the time that the process or the thread has used.
func cpu(of int) time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(of, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano()).Round(time.Millisecond)
}

// evaluate compiles a program in place of the environment's manifest.
func (l *lab) evaluate(program string) (*eval.Result, error) {
	f, ds := syntax.Parse(source.NewFile("expressions.pp", program), l.syntaxOptions())
	if ds.HasErrors() {
		return &eval.Result{Failure: firstError(ds)}, nil
	}
	n := l.clone()
	n.set.Trace = false
	n.manifest.files = []*syntax.File{f}
	return n.Compile(l.node)
}

// loose is a slot and how many of its places some mutation confirms.
type loose struct {
	kind              string
	subject, slot     string
	confirmed, tested int
	untested          int // places without a mutant that compiles
}

func (s loose) tightness() float64 { return float64(s.confirmed) / float64(s.tested) }

const placesTested = 70 // of one subject

// precision measures some slots: every place that one of them names is changed in every way we know, until the slot changes.
func (c *tally) precision(l *lab, places []*mutate.Place, n int, r *rand.Rand) error {
	c.sizes(l, r)
	names := l.view.Names()
	var slots []string
	for _, kind := range []string{"attribute ", "resource ", "attribute ", "edge ", "tags ", "variable "} {
		var of []string
		for _, s := range names {
			if strings.HasPrefix(s, kind) && !strings.Contains(s, "[main]") && !strings.Contains(s, "[Settings]") {
				of = append(of, s)
			}
		}
		if len(of) > 0 && len(slots) < n {
			slots = append(slots, of[r.IntN(len(of))])
		}
	}
	wanted := map[provenance.LabelKey][]string{}
	var keys []provenance.LabelKey
	for _, s := range slots {
		for _, label := range l.view.Depends(s) {
			k := label.Key()
			if k.Kind == provenance.World || k.Kind == provenance.NodeName {
				continue // frozen
			}
			if wanted[k] == nil {
				keys = append(keys, k)
			}
			wanted[k] = append(wanted[k], s)
		}
	}
	at := map[provenance.LabelKey][]*mutate.Place{}
	for _, p := range places {
		at[p.Was.Key] = append(at[p.Was.Key], p)
	}
	results := map[string]*loose{}
	for _, s := range slots {
		results[s] = &loose{kind: l.kind, subject: l.name, slot: s}
	}
	r.Shuffle(len(keys), func(i, j int) { keys[i], keys[j] = keys[j], keys[i] })
	for _, k := range keys[:min(len(keys), placesTested)] {
		confirmed, compiled, err := c.confirm(l, at[k], wanted[k])
		if err != nil {
			return err
		}
		for _, s := range wanted[k] {
			switch {
			case confirmed[s]:
				results[s].confirmed++
				results[s].tested++
			case compiled:
				results[s].tested++
			default:
				results[s].untested++
			}
		}
	}
	for _, s := range slots {
		if results[s].tested > 0 {
			c.looseness = append(c.looseness, *results[s])
		}
	}
	return nil
}

// confirm changes one place until all slots that name it have changed.
func (c *tally) confirm(l *lab, places []*mutate.Place, slots []string) (confirmed map[string]bool, compiled bool, err error) {
	confirmed = map[string]bool{}
	for i, n := 0, len(places); i < n; i++ {
		var strs []string
		for _, s := range slots {
			strs = append(strs, l.targets(s)...)
		}
		if p := places[i].With(strs); p != nil {
			places = append(places[:len(places):len(places)], p)
		}
	}
	for _, p := range places {
		for i := range p.Choices() {
			if len(confirmed) == len(slots) {
				return confirmed, compiled, nil
			}
			changed, err := c.try(l, p, i)
			if err != nil {
				return nil, false, err
			}
			if changed == nil {
				continue
			}
			compiled = true
			for _, s := range slots {
				if changed[s] {
					confirmed[s] = true
				}
			}
		}
	}
	return confirmed, compiled, nil
}

// sizes compares dependency sets with all that was evaluated, where that is much.
func (c *tally) sizes(l *lab, r *rand.Rand) {
	literals := 0
	l.res.Trace.EachLiteral(func(*source.File, int) { literals++ })
	if literals < 400 {
		return
	}
	c.large++
	names := l.view.Names()
	for range 250 {
		s := names[r.IntN(len(names))]
		c.shares = append(c.shares, float64(len(l.view.Depends(s)))/float64(literals))
	}
}

func median(list []float64) float64 {
	if len(list) == 0 {
		return 0
	}
	sort.Float64s(list)
	return list[len(list)/2]
}

func (c *tally) reportPrecision(t *testing.T) {
	if len(c.looseness) == 0 {
		return
	}
	var all []float64
	pairs, confirmed, untested := 0, 0, 0
	for _, s := range c.looseness {
		all = append(all, s.tightness())
		pairs, confirmed, untested = pairs+s.tested, confirmed+s.confirmed, untested+s.untested
	}
	t.Logf("precision: median tightness %.2f over %d slots (bar: 0.5); %d of %d pairs of slot and place confirmed, %d more have no mutant that compiles", median(all), len(all), confirmed, pairs, untested)
	byKind := map[string][]float64{}
	for _, s := range c.looseness {
		byKind[s.kind] = append(byKind[s.kind], s.tightness())
	}
	for _, k := range sorted(byKind) {
		t.Logf("precision: %-24s median tightness %.2f over %d slots", k, median(byKind[k]), len(byKind[k]))
		if median(byKind[k]) < 0.5 {
			t.Errorf("the answers about %s are too loose", k)
		}
	}
	if len(c.shares) > 0 {
		t.Logf("precision: median dependency set %.2f %% of the evaluated literals, over %d slots of %d subjects with 400 or more (bar: 5 %%)", 100*median(c.shares), len(c.shares), c.large)
	}
	sort.SliceStable(c.looseness, func(i, j int) bool { return c.looseness[i].tightness() < c.looseness[j].tightness() })
	t.Log("the loosest slots:")
	for _, s := range c.looseness[:min(20, len(c.looseness))] {
		t.Logf("  %.2f (%d of %d places) %s: %s", s.tightness(), s.confirmed, s.tested, s.subject, s.slot)
	}
	if len(c.shares) > 0 && median(c.shares) > 0.05 {
		t.Error("the dependency sets are too large")
	}
}
