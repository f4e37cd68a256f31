// Package trial finds out which of the places that a value depends on decide it, by changing them: every place of the
// dependency set is put otherwise, the node is compiled again, and the value is compared. What explain lists by reading
// the trace is thereby confirmed by something that does not know the trace.
//
// The verdict about a place is one of three. It decides alone: some change of it, and of nothing else, alters the
// value. It decides with another: a change of it alters nothing as long as a second place, which takes its part then,
// stays (two includes of one class; `$a or $b`). Or no change was found that does; then the place stays in the set, for
// not to have found one is no proof. A change after which nothing compiles says nothing about the value and is counted
// apart.
//
// How the second place is found: the trial that altered nothing is compiled with the trace on. What the value depends
// on there, and did not before, is what took the place's part.
//
// It may import explain and the compiler. Start reading at Bench.Confirm.
package trial

import (
	"context"
	"slices"
	"strings"

	"bunraku/explain"
	"bunraku/provenance"
	"bunraku/puppet/compiler"
	"bunraku/puppet/facts"
	"bunraku/puppet/syntax"
	"bunraku/puppet/value"
	"bunraku/source"
)

// A Bench is where changes of one node are tried. Nothing is written: changed texts lie over the files.
type Bench struct {
	Record  *explain.Record
	Options compiler.Options
	Env     string
	Node    compiler.Node

	ws, traced *compiler.Workspace
	files      source.Files
	texts      map[string]string // of files, by absolute path
	compiles   int
	most       int
}

// New makes a bench for the node that a record is of.
func New(rec *explain.Record, env string, opt compiler.Options, node compiler.Node) *Bench {
	b := &Bench{Record: rec, Options: opt, Env: env, Node: node, texts: map[string]string{}}
	opt.Trace, opt.Questions, opt.Reads = false, false, false
	b.ws = compiler.NewWorkspace(env, opt)
	opt.Trace = true
	b.traced = compiler.NewWorkspace(env, opt)
	b.files = b.ws.Disk()
	if node.Facts == nil {
		b.Node.Facts = &facts.Facts{Name: rec.Catalog.Name, Values: value.EmptyHash}
	}
	return b
}

// perPlace is how many changes of one place are tried.
const perPlace = 10

// Confirm settles the places of an answer, nearest first, with at most so many compiles; 0 is no limit. The answer's
// places get their verdicts, and what the whole came to.
func (b *Bench) Confirm(ctx context.Context, a *explain.Answer, ref, attribute string, most int) error {
	if a.Confirm(); a.Core == nil {
		return nil
	}
	now, there, err := b.Record.Slot(ref, attribute)
	if err != nil {
		return err
	}
	was := outcome{text: now, there: there}
	p := b.pool(a)
	p.hosts = b.hosts(a)
	b.compiles, b.most = 0, most
	for i := range a.Depends {
		l := &a.Depends[i]
		if l.Decides != "" || l.Kind == "world" {
			continue
		}
		if b.spent() {
			break
		}
		if err := b.settle(ctx, a, l, p, was, ref, attribute); err != nil {
			return err
		}
	}
	a.Count()
	return nil
}

func (b *Bench) spent() bool { return b.most > 0 && b.compiles >= b.most }

// An outcome is what became of the slot.
type outcome struct {
	text          string
	there, failed bool
}

func (o outcome) differs(p outcome) bool {
	return !o.failed && !p.failed && (o.there != p.there || o.text != p.text)
}

// settle changes one place until the slot is another.
func (b *Bench) settle(ctx context.Context, a *explain.Answer, l *explain.Leaf, p *pool, was outcome, ref,
	attribute string) error {
	list := b.changes(l, p)
	most := perPlace
	if b.most > 0 { // a little of every place rather than all of one
		most = 1
	}
	stops := len(list) > 0
	var idle []change // compiled, and altered nothing
	for _, c := range list[:min(len(list), most)] {
		if b.spent() {
			return nil
		}
		o, _, err := b.try(ctx, false, ref, attribute, c)
		switch {
		case err != nil:
			return err
		case o.differs(was):
			l.Decides = explain.Alone
			return nil
		case !o.failed:
			stops = false
			idle = append(idle, c)
		}
	}
	switch {
	case b.most > 0: // there was more to try
		return nil
	case stops:
		l.Decides = explain.Stops
		return nil
	}
	l.Tried = true
	known := map[provenance.LabelKey]bool{}
	for i := range a.Depends {
		known[a.Depends[i].Label().Key()] = true
	}
	for _, c := range idle[:min(len(idle), 2)] {
		if b.spent() {
			return nil
		}
		_, rec, err := b.try(ctx, true, ref, attribute, c)
		if err != nil {
			return err
		}
		if rec == nil {
			continue
		}
		other, err := rec.Explain(ref, attribute)
		if err != nil {
			continue
		}
		tried := 0
		for j := range other.Depends {
			m := &other.Depends[j]
			if known[m.Label().Key()] || m.Kind == "world" {
				continue
			}
			if tried++; tried > 6 {
				break
			}
			list := b.changes(m, p)
			for _, d := range list[:min(len(list), 3)] {
				if b.spent() {
					return nil
				}
				d.before = &c
				o, _, err := b.try(ctx, false, ref, attribute, d)
				if err != nil {
					return err
				}
				if o.differs(was) {
					l.Decides = explain.WithOther
					l.With = append(l.With, *m)
					return nil
				}
			}
		}
	}
	return nil
}

// try compiles with a change.
func (b *Bench) try(ctx context.Context, traced bool, ref, attribute string, c change) (o outcome, rec *explain.Record,
	err error) {
	o.failed = true
	texts, err := c.apply(b)
	if err != nil {
		return o, nil, nil // the change cannot be made
	}
	files := b.files
	if len(texts) > 0 {
		over, err := source.NewOverlay(b.files, texts)
		if err != nil {
			return o, nil, nil
		}
		files = over
	}
	ws := b.ws
	if traced {
		ws = b.traced
	}
	b.compiles++
	s, err := ws.Snapshot(ctx, files)
	if err != nil {
		return o, nil, ctx.Err()
	}
	defer s.Close()
	res, err := s.Compile(ctx, c.node(b.Node))
	if err != nil || res.Failure != nil {
		return o, nil, ctx.Err()
	}
	rec = explain.Of(res.Record())
	if o.text, o.there, err = rec.Slot(ref, attribute); err != nil {
		return outcome{failed: true}, nil, ctx.Err()
	}
	o.failed = false
	return o, rec, nil
}

// node is the node as a change makes it.
func (c change) node(n compiler.Node) compiler.Node {
	if c.before != nil {
		n = c.before.node(n)
	}
	for _, f := range c.facts {
		changed := *n.Facts
		changed.Values = setFact(changed.Values, f.path, f.value)
		n.Facts = &changed
		if n.Name == "" {
			n.Name = changed.Name
		}
	}
	if c.name != "" {
		changed := *n.Facts
		changed.Trusted = facts.Trusted(c.name, nil, nil)
		n.Name, n.Facts = c.name, &changed
	}
	return n
}

// text is a file as it is.
func (b *Bench) text(path string) (string, error) {
	if t, known := b.texts[path]; known {
		return t, nil
	}
	c, err := b.files.Read(path)
	if err != nil {
		return "", err
	}
	b.texts[path] = c.Text
	return c.Text, nil
}

// A pool is what is likely to turn a decision: what the value depends on is what is compared in it.
type pool struct {
	strings []string
	keys    []string // of Hiera
	name    string   // of the node
	hosts   []string // that node statements name
}

func (b *Bench) pool(a *explain.Answer) *pool {
	p := &pool{name: b.Record.Catalog.Name}
	add := func(s string) {
		if s != "" && len(s) < 60 && !slices.Contains(p.strings, s) && len(p.strings) < 12 && plain(s) {
			p.strings = append(p.strings, s)
		}
	}
	for _, kind := range []provenance.LabelKind{provenance.Fact, provenance.Literal, provenance.Datum} {
		for i := range a.Depends {
			l := a.Depends[i].Label()
			if l.Kind == provenance.Datum || l.Kind == provenance.Absence {
				if key := hieraKey(l); key != "" && !slices.Contains(p.keys, key) && len(p.keys) < 4 {
					p.keys = append(p.keys, key)
				}
			}
			if l.Kind != kind {
				continue
			}
			switch kind {
			case provenance.Fact:
				if v, ok := b.Record.Fact(l.Path); ok {
					if s, ok := v.(value.String); ok {
						add(string(s))
					}
				}
			default:
				add(bare(l.Place.Text()))
			}
		}
	}
	return p
}

// hosts are names that the node could have: those of its own kind, and those that node statements name.
func (b *Bench) hosts(a *explain.Answer) (out []string) {
	name := b.Record.Catalog.Name
	first, rest, _ := strings.Cut(name, ".")
	if rest != "" {
		rest = "." + rest
	}
	if n := len(first); n > 0 && first[n-1] >= '0' && first[n-1] <= '9' {
		out = append(out, first[:n-1]+string('0'+(first[n-1]-'0'+7)%10)+rest)
	}
	out = append(out, first+"x"+rest)
	for i := range a.Depends {
		if l := a.Depends[i].Label(); l.Kind == provenance.Literal {
			if n, host := b.literal(l.Place); host {
				if s, ok := n.(*syntax.Str); ok && s.Value != name && len(out) < 8 {
					out = append(out, s.Value)
				}
			}
		}
	}
	return out
}
