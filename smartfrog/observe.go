package smartfrog

import (
	"fmt"

	"bunraku/source"
)

// An Equation is one use of an equation of the paper's semantics: what there is to step through.
type Equation struct {
	Number     int
	Definition string       // which one, such as "24 V"
	Place      source.Place // of the statement or prototype
	Within     Reference    // the component that is open; empty at the top
	Target     Reference    // what is set, relative to Within; nil if nothing is
	Says       string       // what became of it
}

// tell lets whoever watches see an equation. It is called only if somebody does: to say what happened costs more than
// to let it happen.
func (e *evaluator) tell(definition string, at source.Span, target Reference, says string) {
	e.seen++
	e.observe(Equation{Number: e.seen, Definition: definition, Place: e.site.place(at), Within: e.top().path(),
		Target: target,
		Says:   says})
}

// tellPrototype tells of a prototype by name that was composed: src, or nil if it is no component.
func (e *evaluator) tellPrototype(p *Ref, src *Store) {
	says := p.Path.String() + " is no component"
	if src != nil {
		says = fmt.Sprintf("%s is copied: a %s", p.Path, shown(src))
	}
	e.tell("23 P, 18 inherit", p.Span(), nil, says)
}
