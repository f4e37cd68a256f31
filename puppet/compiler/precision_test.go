package compiler

import (
	"context"
	"math/rand/v2"
	"os"
	"sort"
	"strings"
	"syscall"
	"testing"
	"time"

	"bunraku/internal/mutate"
	"bunraku/provenance"
	"bunraku/puppet/eval"
	"bunraku/puppet/syntax"
	"bunraku/source"
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
	node := l.node
	node.Classes = nil // they are defined in the files that are left out
	return n.compile(context.Background(), node)
}

// loose is a slot and how many of its places some mutation confirms.
type loose struct {
	kind              string
	subject, slot     string
	confirmed, tested int
	untested          int      // places without a mutant that compiles
	unconfirmed       []string // the others, in words
}

// tightness is the share of the slot's places that some mutation confirmed; by the letter those count as well that no
// mutant which compiles tells anything of.
func (s loose) tightness() float64 { return float64(s.confirmed) / float64(s.tested+s.untested) }

// told is the share among the places that some mutant tells something of, of which there must be one.
func (s loose) told() float64 { return float64(s.confirmed) / float64(s.tested) }

const placesTested = 70 // of one subject

// precision measures some slots: every place that one of them names is changed in every way we know, until the slot
// changes.
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
	labels := map[provenance.LabelKey]provenance.Label{}
	var keys []provenance.LabelKey
	for _, s := range slots {
		for _, label := range l.view.Depends(s) {
			k := label.Key()
			if k.Kind == provenance.World {
				continue // frozen
			}
			if wanted[k] == nil {
				keys = append(keys, k)
			}
			wanted[k], labels[k] = append(wanted[k], s), label
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
		list := l.aimed(k, at[k], wanted[k])
		if list == nil {
			c.skip("precision: places of the kind " + k.Kind.String() + " that no mutation is known for")
		}
		shown, err := c.confirm(l, list, wanted[k])
		if err != nil {
			return err
		}
		for _, s := range wanted[k] {
			switch {
			case shown.confirmed[s]:
				results[s].confirmed++
				results[s].tested++
				if shown.refused[s] {
					c.byRefusal++
				}
				continue
			case shown.tested:
				results[s].tested++
				results[s].unconfirmed = append(results[s].unconfirmed, l.show(labels[k]))
			default:
				results[s].untested++
			}
			c.left[l.role(labels[k])+": "+shown.why()]++
		}
	}
	for _, s := range slots {
		if results[s].tested+results[s].untested > 0 {
			c.looseness = append(c.looseness, *results[s])
		}
	}
	return nil
}

// show writes a place so that an engineer finds it.
func (l *lab) show(label provenance.Label) string {
	text := label.Kind.String() + " " + label.Path
	switch {
	case label.Kind == provenance.Literal:
		text = label.Place.String() + " " + strings.Join(strings.Fields(label.Place.Text()), " ")
	case label.Place.Known():
		text += " in " + label.Place.File.Name
	}
	if r := []rune(text); len(r) > 160 {
		text = string(r[:160]) + "…"
	}
	return strings.ReplaceAll(text, l.dir+"/", "")
}

// confirm changes one place until all slots that name it have changed.
//
// The place is not tested when the changes do not show whether it matters: none compiles, or those that do are no
// changes at all (another way to write the same name) while others, which are, do not compile.
func (c *tally) confirm(l *lab, places []*mutate.Place, slots []string) (shown trial, err error) {
	shown = trial{confirmed: map[string]bool{}, refused: map[string]bool{}}
	for i, n := 0, len(places); i < n; i++ {
		var strs []string
		for _, s := range slots {
			strs = append(strs, l.targets(s)...)
		}
		strs = append(strs, l.rivals(slots)...)
		text, err := l.text(places[i].Path)
		if err != nil {
			return shown, err
		}
		if p := places[i].With(text, strs); p != nil {
			places = append(places[:len(places):len(places)], p)
		}
	}
	compiled := false
	for _, p := range places {
		for i := range p.Choices() {
			if len(shown.confirmed) == len(slots) {
				shown.tested = true
				return shown, nil
			}
			failing, same := sum(c.failing), sum(c.same)
			changed, err := c.try(l, p, i)
			if err != nil {
				return shown, err
			}
			fails := sum(c.failing) > failing
			shown.tried++
			switch {
			case fails:
				shown.failed++
			case changed != nil:
				compiled = true
				if sum(c.same) == same {
					shown.other++
				}
			}
			for _, s := range slots {
				switch {
				case !changed[s]:
				case !fails:
					shown.confirmed[s] = true
					delete(shown.refused, s)
				case !shown.confirmed[s]:
					shown.confirmed[s], shown.refused[s] = true, true
				}
			}
		}
	}
	shown.tested = shown.other > 0 || compiled && shown.failed == 0
	return shown, nil
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
	pairs, confirmed, untested := 0, 0, 0
	for _, s := range c.looseness {
		pairs, confirmed, untested = pairs+s.tested, confirmed+s.confirmed, untested+s.untested
	}
	medians := func(what string, of func(loose) string) (letter, told float64) {
		groups, among := map[string][]float64{}, map[string][]float64{}
		for _, s := range c.looseness {
			k := of(s)
			groups[k] = append(groups[k], s.tightness())
			if s.tested > 0 {
				among[k] = append(among[k], s.told())
			}
		}
		for _, k := range sorted(groups) {
			letter, told = median(groups[k]), median(among[k])
			t.Logf("precision: %s%-24s median tightness %.2f over %d slots; %.2f over the %d with places that some mutant "+
				"which compiles tells of, those alone", what, k, letter, len(groups[k]), told, len(among[k]))
		}
		return letter, told
	}
	t.Logf("precision: %d of %d pairs of slot and place confirmed, %d more have no telling mutant that compiles (bar: a "+
		"median tightness of 0.5); at most %d hang on catalogs that were refused", confirmed, pairs, untested, c.byRefusal)
	if letter, told := medians("", func(loose) string { return "all" }); letter < 0.5 || told < 0.5 {
		t.Error("the answers are too loose")
	}
	medians("", func(s loose) string { return s.kind })
	medians("slots of the kind ", func(s loose) string { kind, _, _ := strings.Cut(s.slot, " "); return kind })
	if os.Getenv("BUNRAKU_ALL") != "" {
		medians("", func(s loose) string { return s.kind + "/" + s.subject })
	}
	if len(c.shares) > 0 {
		t.Logf("precision: median dependency set %.2f %% of the evaluated literals, over %d slots of %d subjects with 400 "+
			"or more (bar: 5 %%)", 100*median(c.shares), len(c.shares), c.large)
	}
	reportLeft(t, c.left)
	sort.SliceStable(c.looseness, func(i, j int) bool { return c.looseness[i].tightness() < c.looseness[j].tightness() })
	t.Log("the loosest slots, with places that no mutation confirmed:")
	slots, places := 20, 5
	if os.Getenv("BUNRAKU_ALL") != "" {
		slots, places = len(c.looseness), placesTested
	}
	for _, s := range c.looseness[:min(slots, len(c.looseness))] {
		t.Logf("  %.2f (%d of %d places, %d more untested) %s: %s", s.tightness(), s.confirmed, s.tested, s.untested,
			s.subject, s.slot)
		for _, place := range s.unconfirmed[:min(places, len(s.unconfirmed))] {
			t.Logf("         %s", place)
		}
	}
	if len(c.shares) > 0 && median(c.shares) > 0.05 {
		t.Error("the dependency sets are too large")
	}
}
