package eval

import (
	"fmt"
	"strings"

	"bunraku/provenance"
	"bunraku/puppet/value"
	"bunraku/source"
)

// failure carries a diagnostic up to Compile. It is the only panic that is not a bug.
type failure struct {
	diagnostic *source.Diagnostic
	ref        provenance.Ref
}

// HostPanic tells interpreters inside of the evaluator (package ruby) that the panic is not theirs.
func (*failure) HostPanic() {}

// Rescue runs f, in which the compile may fail, for code that can rescue the error: a template. Bounds are not rescued.
func (ev *Evaluator) Rescue(sc *Scope, f func() (value.Value, error)) (v value.Value, err error) {
	s := ev.save(sc)
	defer func() {
		p := recover()
		if p == nil {
			return
		}
		fail, ours := p.(*failure)
		if !ours || strings.HasPrefix(fail.diagnostic.Code, "E09") {
			panic(p)
		}
		ev.restoreTo(s)
		text := fail.diagnostic.Summary
		if at := fail.diagnostic.Place; at.Known() {
			text += fmt.Sprintf(" (file: %s, line: %d, column: %d)", ev.world.Path(at.File), at.Line(),
				at.File.Position(at.Span.Start).Column)
		}
		v, err = nil, &source.Matter{Text: text, About: fail.diagnostic.About}
	}()
	return f()
}

// fail ends the compile with a diagnostic at a span of the current file.
func (ev *Evaluator) fail(code string, at source.Span, summary string) {
	ev.failAt(&source.Diagnostic{Code: code, Summary: summary, Place: ev.place(at)})
}

func (ev *Evaluator) failf(code string, at source.Span, format string, args ...any) {
	ev.fail(code, at, fmt.Sprintf(format, args...))
}

// failAt ends the compile with a ready diagnostic; it adds the stack.
func (ev *Evaluator) failAt(d *source.Diagnostic) {
	ev.failRef(d, 0)
}

func (ev *Evaluator) failRef(d *source.Diagnostic, ref provenance.Ref) {
	if len(d.Stack) == 0 {
		d.Stack = ev.describeStack()
	}
	if ev.trace != nil && ref == 0 && strings.HasPrefix(d.Code, "E022") { // an operator
		for _, s := range ev.suspects {
			ev.addOrigin(d, s.value, s.ref)
		}
	}
	panic(&failure{d, ref})
}

// describeStack says how evaluation got here, outermost first; the middle of a deep one is left out.
func (ev *Evaluator) describeStack() []string {
	const most = 12
	var out []string
	for i, s := range ev.stack {
		if len(ev.stack) > most && i == most/2 {
			out = append(out, fmt.Sprintf("… %d more", len(ev.stack)-most))
		}
		if len(ev.stack) > most && i >= most/2 && i < len(ev.stack)-most/2 {
			continue
		}
		text := s.kind + s.text
		if s.of != nil {
			text = stackText(s.of)
		}
		if s.place.Known() {
			text += fmt.Sprintf(" %s:%d", s.place.File.Name, s.place.Line())
		}
		out = append(out, text)
	}
	return out
}

// warn reports something that Puppet logs as a warning; the same text at the same place is said once.
func (ev *Evaluator) warn(code string, at source.Span, summary string) {
	ev.warnOf(code, ev.place(at), summary)
}

// warnOf warns of something that stands in any file.
func (ev *Evaluator) warnOf(code string, p source.Place, summary string) {
	key := code + p.String() + summary
	if ev.warned[key] {
		return
	}
	ev.budget.Keep(int64(2*len(key)), keeping)
	ev.warned[key] = true
	ev.warnings = append(ev.warnings, &source.Diagnostic{Code: code, Severity: source.Warning, Summary: summary, Place: p})
}

// Warn lets built-in functions report a warning.
func (c *Call) Warn(code, summary string) { c.Eval.warn(code, c.Place.Span, summary) }

// lenient is the advice on what only the setting `strict` makes an error.
const lenient = "a warning where strict is warning, as it is by default in Puppet 7: --strict warning, or --language 7"

// TooStrict marks the error of a function that is one only because of the setting `strict`.
func TooStrict(err error) error { return &advised{err, lenient} }

// advised is an error with what to do about it.
type advised struct {
	error
	help string
}

// FailedAt is an error of a function that knows where it happened, in a file that is no manifest: a template.
func FailedAt(err error, at source.Place, label string) error {
	return &elsewhere{err, source.Related{Place: at, Label: label}}
}

// elsewhere is an error with the place where it happened, which is not that of the call.
type elsewhere struct {
	error
	at source.Related
}

func (e *elsewhere) Unwrap() error { return e.error }

// strictly reports something that the setting `strict` makes an error, a warning, or nothing.
func (ev *Evaluator) strictly(code string, at source.Span, summary string) {
	switch ev.set.Strict {
	case source.StrictError:
		ev.failAt(&source.Diagnostic{Code: code, Summary: summary, Place: ev.place(at), Help: lenient})
	case source.StrictWarning:
		ev.warn(code, at, summary)
	}
}

// article puts a or an before a noun, as Puppet's messages do.
func article(noun string) string {
	if noun != "" && strings.ContainsRune("AEIOUaeiou", rune(noun[0])) {
		return "an " + noun
	}
	return "a " + noun
}

// Log records what the logging functions say. Warnings and errors are shown with the compile's own.
func (c *Call) Log(level, text string) {
	c.Eval.budget.Keep(int64(64+writtenTimes*len(text)), keeping)
	c.Eval.logs = append(c.Eval.logs, LogLine{Level: level, Text: text, Place: c.Place})
}

// A LogLine is one message of the functions notice, warning and their kin.
type LogLine struct {
	Level, Text string
	Place       source.Place
}
