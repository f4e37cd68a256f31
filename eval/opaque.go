package eval

import (
	"fmt"

	"bunraku/source"
	"bunraku/syntax"
	"bunraku/value"
)

// An opaque value stands for one that could not be computed: a function written in Ruby, a secret without its key. What is made of it
// is opaque too; what would be decided by it is said to be undecided. Nothing is guessed in silence.

// opaque is the first opaque value among some.
func opaque(vs ...value.Value) *value.Opaque {
	for _, v := range vs {
		if o, ok := v.(*value.Opaque); ok {
			return o
		}
	}
	return nil
}

// undecided reports a decision that hangs on an opaque value; the code goes on as if it were false, or nothing had matched.
func (ev *Evaluator) undecided(v value.Value, e syntax.Expr) bool {
	o := opaque(v)
	if o == nil {
		return false
	}
	ev.warn("E0701", e.Span(), "This decision hangs on a value that is not known: "+o.Why)
	return true
}

// notDone reports an effect that could not be had because an argument is opaque.
func (ev *Evaluator) notDone(name string, o *value.Opaque, at source.Place) {
	key := "E0702" + at.String() + name
	if ev.warned[key] {
		return
	}
	ev.warned[key] = true
	ev.warnings = append(ev.warnings, &source.Diagnostic{Code: "E0702", Severity: source.Warning, Place: at,
		Summary: fmt.Sprintf("%s was left out, because its argument is not known: %s", name, o.Why)})
}
