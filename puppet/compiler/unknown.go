package compiler

import (
	"fmt"
	"slices"
	"strings"

	"bunraku/puppet/bridge"
	"bunraku/puppet/eval"
	"bunraku/puppet/lookup"
	"bunraku/source"
)

// Codes of what is said about values that are not known.
const (
	CodeUnknown       = "E0703" // a note, at the end of a compile
	CodeStrictUnknown = "E0704" // the error that StrictOpaque makes of it
)

// IsClosed reports whether a cause is that a secret stays closed, for want of its key.
func IsClosed(why string) bool { return strings.Contains(why, lookup.NoKey) }

// RubyHelps reports whether real Ruby may compute what is not known for a cause.
func RubyHelps(why string) bool { return bridge.RubyHelps(why) }

// unknownAdvice is what makes values known. Of a node with stand-ins not all else is checked.
func (c *Snapshot) unknownAdvice(all []eval.Unknown, partial bool) string {
	closed := !slices.ContainsFunc(all, func(u eval.Unknown) bool { return !IsClosed(u.Why) })
	switch {
	case closed && partial:
		return "secrets stay unknown where their key is not"
	case closed:
		return "secrets stay unknown where their key is not: everything else is checked all the same"
	case c.bridge == nil && slices.ContainsFunc(all, func(u eval.Unknown) bool { return RubyHelps(u.Why) }):
		return "run the Ruby code of modules with --ruby=system, or give the answers with --mock FILE"
	case slices.ContainsFunc(all, func(u eval.Unknown) bool { return u.Function != "" }):
		return "give the answers with --mock FILE"
	}
	return ""
}

// reportUnknown counts what is not known and names the calls. With StrictOpaque it fails the compile.
func (c *Snapshot) reportUnknown(result *eval.Result) {
	if result.Failure != nil {
		return
	}
	all := result.Unknowns()
	if len(all) == 0 && c.opt.StrictOpaque {
		all = guessed(result)
	}
	if len(all) == 0 {
		return
	}
	d := &source.Diagnostic{Code: CodeUnknown, Severity: source.Note, Place: all[0].Place,
		Help: c.unknownAdvice(all, result.Partial())}
	attributes, resources := result.UnknownAttributes(), 0
	var lines []string
	for i, u := range all {
		line := u.Why
		switch {
		case u.Function == "" && u.Place.Known():
			line += " at " + u.Place.String()
		case u.Function != "":
			line = u.Function + "() at " + u.Place.String()
			if i > 0 && u.Place.Known() {
				d.Related = append(d.Related, source.Related{Place: u.Place, Label: u.Function + "()"})
			}
		}
		if u.Attributes > 0 || u.Resources > 0 { // else it is a part of another one
			line += ": in " + count(u.Attributes, "attribute")
		}
		if u.Resources > 0 {
			line += fmt.Sprintf("; whether %s there is guessed", isAre(u.Resources, "resource"))
		}
		resources += u.Resources
		lines = append(lines, line)
	}
	if attributes+resources == 0 && !c.opt.StrictOpaque { // the catalog is none the worse for it
		return
	}
	d.Summary = fmt.Sprintf("%s not known, in %s of the catalog", isAre(len(all), "value"), count(attributes, "attribute"))
	if resources > 0 {
		d.Summary += fmt.Sprintf("; %s only possible", isAre(resources, "resource"))
	}
	if result.Partial() {
		d.Summary += "; what has stand-ins is not counted"
	}
	d.Label = "not known: " + firstLine(all[0].Why)
	d.Detail = strings.Join(lines, "\n")
	if c.opt.StrictOpaque {
		d.Code, d.Severity = CodeStrictUnknown, source.Error
		result.Failure, result.FailureRef, result.Catalog = d, result.Trace.Everything(), nil
		return
	}
	result.Warnings = append(result.Warnings, d)
}

// guessed is the first thing that the evaluator has said to have guessed or left out. There is none without a value
// that is not known, and those are noted where they come in: this is for what was forgotten.
func guessed(result *eval.Result) []eval.Unknown {
	for _, d := range result.Warnings {
		switch d.Code {
		case "E0701", "E0702", "E0705", "E0706":
			return []eval.Unknown{{Why: d.Summary, Place: d.Place}}
		}
	}
	return nil
}

func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

func isAre(n int, noun string) string {
	if n == 1 {
		return "1 " + noun + " is"
	}
	return fmt.Sprintf("%d %ss are", n, noun)
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line
}
