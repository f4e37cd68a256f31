package eval

import (
	"slices"

	"bunraku/provenance"
)

// What may have changed an attribute from afar, without standing in the declaration: overrides, defaults, arrows and
// collectors, those that ran and found other resources, and those in branches passed over and in classes that nobody
// named. All of it is known by type: of the code, most of which concerns other types, one list is kept for each type,
// and attributes are answered from that list. The lists are plain data: a finished compile keeps them (left.go), so
// that it can be asked about attributes that a resource has not got.

// typeTouches are the touches of resources of one type, whatever the title and the attribute.
type typeTouches struct {
	typ    string
	code   []codeTouch // by code that was passed over
	idle   []touch     // by classes that nobody named
	finds  []finder    // by collectors of the type
	named  []string    // the attributes that these name
	answer []*touches  // by attribute, those that were asked for
}

// otherAttr stands for all attributes of a type that nothing names. What may have changed one of them may have changed
// any of them, so they share one answer: most attributes are such.
const otherAttr = "\x00"

// A codeTouch is a touch by code that was passed over, and why it was.
type codeTouch struct {
	title, attr string
	why         provenance.Ref
}

// A finder is a collector, by its number among all of them.
type finder struct {
	number int
	gathering
}

// touches are those of one attribute.
type touches struct {
	attr       string
	refs       []provenance.Ref
	ref        provenance.Ref              // their union, once it was made
	titled     []codeTouch                 // those that concern one title
	byTitle    map[string][]provenance.Ref // the same, once there are many
	idle       []string                    // titles that idle classes touch,
	named      provenance.Ref              // were they named
	collectors []*finder
}

// touchRefs is what is known of touches whatever the code: the resource defaults that were set, the operands of arrows
// and overrides, the titles of classes declared with parameters, by attribute; and the names that were given to
// classes, or could have been.
type touchRefs struct {
	defaulted, written map[touch]provenance.Ref
	given              map[string]provenance.Ref
	named, anyName     provenance.Ref
	contained          provenance.Ref
}

func (ev *Evaluator) touchRefs() touchRefs {
	g := &ev.ghosts
	return touchRefs{ev.table.defaulted, g.written, g.given, g.named, ev.mayName(), g.contained}
}

// typeTouches goes through the code that was passed over for what it does to resources of a type.
func (ev *Evaluator) typeTouches(typ string) *typeTouches {
	g := &ev.ghosts
	if g.afar.holds(ev.touchEpoch()) {
		if g.last != nil && g.last.typ == typ {
			return g.last
		}
		if t := g.afar.answer[typ]; t != nil {
			g.last = t
			return t
		}
	}
	ev.indexTouches()
	t := &typeTouches{typ: typ}
	for _, of := range [...]string{typ, ""} {
		for _, x := range ev.cache.touching(of) {
			if why := g.why(x.by); why != 0 {
				t.code = append(t.code, codeTouch{x.title, x.attr, why})
			}
		}
	}
	if ev.mayName() != 0 {
		for _, x := range ev.idleTouches() {
			if x.typ == typ || x.typ == "" {
				t.idle = append(t.idle, x)
			}
		}
	}
	for i, c := range ev.table.everCollected {
		if c.typ == typ {
			t.finds = append(t.finds, finder{i, c.gathering})
		}
	}
	t.index()
	if now := ev.touchEpoch(); !g.afar.holds(now) { // as it is now: idle classes may have been read
		g.afar.keep(now, map[string]*typeTouches{})
	}
	g.afar.answer[typ], g.last = t, t
	return t
}

// index notes which attributes are named.
func (t *typeTouches) index() {
	note := func(attr string) {
		if attr != "" && !slices.Contains(t.named, attr) {
			t.named = append(t.named, attr)
		}
	}
	for i := range t.code {
		note(t.code[i].attr)
	}
	for i := range t.idle {
		note(t.idle[i].attr)
	}
	for i := range t.finds {
		for _, list := range [...][]string{t.finds[i].arrows, t.finds[i].sets} {
			for _, attr := range list {
				note(attr)
			}
		}
	}
}

// key is the attribute that answers for this one: itself if anything is known of it alone (all that of looks at).
func (t *typeTouches) key(attr string, defaulted, written map[touch]provenance.Ref) string {
	switch {
	case attr == "" || attr == "require" || attr == "before" || attr == "notify",
		t.typ == "Class" && isMetaparam(attr),
		slices.Contains(t.named, attr),
		len(defaulted) > 0 && defaulted[touch{typ: t.typ, attr: attr}] != 0,
		len(written) > 0 && (written[touch{typ: t.typ, attr: attr}] != 0 || written[touch{attr: attr}] != 0):
		return attr
	}
	return otherAttr
}

// of gathers what may have changed an attribute. refs is room for the answer.
func (t *typeTouches) of(attr string, known *touchRefs, refs []provenance.Ref) *touches {
	m := &touches{attr: attr, named: known.anyName, refs: refs}
	byDefault := known.defaulted[touch{typ: t.typ, attr: attr}]
	for _, x := range t.code {
		switch covers := coversAttr(x.attr, attr); {
		case x.title != "" && covers:
			m.titled = append(m.titled, x)
		case covers || byDefault != 0 && x.attr == anyDefault:
			m.refs = append(m.refs, x.why)
		}
	}
	if len(known.written) > 0 {
		for _, of := range [...]string{t.typ, ""} {
			m.refs = append(m.refs, known.written[touch{typ: of, attr: attr}], known.written[touch{typ: of}])
		}
	}
	if t.typ == "Class" && isMetaparam(attr) {
		m.refs = append(m.refs, known.given[attr], known.given[""])
	}
	if attr == "before" || attr == "notify" { // a class that nobody has named so far may draw arrows from anything
		m.refs = append(m.refs, known.named)
	}
	for _, x := range t.idle {
		taken := byDefault != 0 && x.attr == anyDefault
		// a class that is not there requires nothing
		if x.attr == selfRequire && x.title != "main" || !coversAttr(x.attr, attr) && !taken {
			continue
		}
		if x.title == "" {
			m.refs = append(m.refs, known.anyName)
			m.idle = nil
			break
		}
		m.idle = append(m.idle, x.title)
	}
	for i := range t.finds {
		c := &t.finds[i]
		here := c.splat != 0 || slices.Contains(c.arrows, attr) || slices.Contains(c.sets, attr)
		if here || byDefault != 0 && c.sets != nil {
			m.collectors = append(m.collectors, c)
			m.refs = append(m.refs, c.ref, c.splat)
			if !here {
				m.refs = append(m.refs, byDefault)
			}
		}
	}
	return m
}

// coversAttr reports whether code that sets one attribute may set another; "" is any.
func coversAttr(sets, attr string) bool {
	return sets == "" || attr == "" || sets == attr || sets == selfRequire && attr == "require"
}

// on adds what concerns one resource. looked is what a collector saw of it, and whether it has found it.
func (m *touches) on(refs []provenance.Ref, title string, looked func(collector int) (provenance.Ref,
	bool)) []provenance.Ref {
	switch {
	case m.byTitle != nil:
		refs = append(refs, m.byTitle[title]...)
	default:
		for i := range m.titled {
			if m.titled[i].title == title {
				refs = append(refs, m.titled[i].why)
			}
		}
	}
	if slices.Contains(m.idle, title) {
		refs = append(refs, m.named)
	}
	var last *finder
	for _, c := range m.collectors {
		ref, has := looked(c.number)
		refs = append(refs, ref)
		if has && c.sets != nil {
			if last != nil {
				refs = append(refs, last.moment, c.moment)
			}
			last = c
		}
	}
	return refs
}

// manyTitles are more than are gone through for each resource.
const manyTitles = 16

// touchesOf is worked out once for each type and attribute, and anew when something was declared, passed over or
// written since: then typeTouches begins anew.
func (ev *Evaluator) touchesOf(t *typeTouches, attr string) *touches {
	attr = t.key(attr, ev.table.defaulted, ev.ghosts.written)
	for _, m := range t.answer {
		if m.attr == attr {
			return m
		}
	}
	known := ev.touchRefs()
	m := t.of(attr, &known, ev.scratch[:0])
	ev.scratch = m.refs
	m.ref, m.refs = ev.union(m.refs), nil
	if len(m.titled) > manyTitles {
		m.byTitle = make(map[string][]provenance.Ref, len(m.titled))
		for _, x := range m.titled {
			m.byTitle[x.title] = append(m.byTitle[x.title], x.why)
		}
	}
	t.answer = append(t.answer, m)
	return m
}

// mayTouch joins what could have changed an attribute from afar: overrides, defaults, arrows and collectors in branches
// passed over, and every collector with overrides, whether its query matched or not.
func (ev *Evaluator) mayTouch(r *Resource, attr string) provenance.Ref {
	if ev.trace == nil {
		return 0
	}
	return ev.mayTouchOf(ev.typeTouches(r.Type), r, attr)
}

// mayTouchOf is mayTouch for somebody who asks about many attributes. t are the touches of the resource's type.
func (ev *Evaluator) mayTouchOf(t *typeTouches, r *Resource, attr string) provenance.Ref {
	m := ev.touchesOf(t, attr)
	if len(m.titled)+len(m.idle)+len(m.collectors) == 0 && r.memo == nil && attr != "require" {
		return m.ref
	}
	refs := append(ev.scratch[:0], m.ref, r.noted(attr))
	if attr == "require" {
		ev.indexTouches()
		refs = append(refs, ev.ghosts.requiring[r])
	}
	if len(m.titled)+len(m.idle)+len(m.collectors) > 0 {
		refs = m.on(refs, r.Title, func(n int) (provenance.Ref, bool) {
			c := ev.table.everCollected[n]
			return c.looked[r].ref, c.has[r]
		})
	}
	ev.scratch = refs
	return ev.union(refs)
}
