package eval

import (
	"strings"

	"bunraku/source"
)

// Fail ends the compile with a message that stands alone. An error that a function returns is told with the call around
// it; some of Puppet's own errors are not.
func (c *Call) Fail(code, summary string) {
	c.Eval.failAt(&source.Diagnostic{Code: code, Summary: summary, Place: c.Place})
}

// Heard passes warnings on about a file that the call has read.
func (c *Call) Heard(ds source.Diagnostics) { c.Eval.heard(ds) }

// FailAround is Fail for an error that has no place in Puppet: what is named is what was being evaluated around the
// call, the definition whose parameter it is a default of or the instance of a define that led to it. The call itself
// is shown beside it.
func (c *Call) FailAround(code, summary string, about ...source.Subject) {
	c.failAround(&source.Diagnostic{Code: code, Summary: summary, Place: c.Place, About: about})
}

func (c *Call) failAround(d *source.Diagnostic) {
	if at := c.around(); at.Known() {
		d.Place = at
		d.Related = append([]source.Related{{Place: c.Place, Label: c.Name + "() is called here"}}, d.Related...)
	}
	c.Eval.failAt(d)
}

// FailLookup ends the compile with what Hiera has to say. Where the data stands is shown beside the call. A variable
// that is not there is an error of the call to Puppet, everything else one of Hiera's own.
func (c *Call) FailLookup(code string, err error) {
	d := &source.Diagnostic{Code: code, Summary: err.Error(), Place: c.Place}
	data := aboutData(d, err)
	if data != nil && data.Code == undefinedInData {
		d.Summary = inCall + d.Summary
		c.Eval.failAt(d)
	}
	c.failAround(d)
}

// undefinedInData is the code that Hiera gives to a variable in data that is not there.
const undefinedInData = "H0401"

// unreadData is the code of a file that cannot be parsed.
const unreadData = "H0209"

// unexpectedToken is what Ruby's parser of JSON says before it quotes what it could not read.
const unexpectedToken = "unexpected token"

// inCall is how Puppet tells an error that a call of a function raised.
const inCall = "Evaluation Error: Error while evaluating a Function Call, "

// aboutData makes a diagnostic of an error of Hiera's: its words, and beside it the place in the data. It returns
// Hiera's own, if it is one.
func aboutData(d *source.Diagnostic, err error) *source.Diagnostic {
	data, is := err.(*source.Diagnostic)
	if !is {
		return nil
	}
	d.Summary, d.Help, d.About = data.Summary, data.Help, data.About
	// Who knows what a file holds that cannot be read: nobody says that it is Sensitive. Neither its line is shown nor, as
	// Puppet does with JSON, the rest of the text from there on.
	if data.Code == unreadData {
		if before, _, quotes := strings.Cut(d.Summary, unexpectedToken+" at '"); quotes {
			d.Summary = before + unexpectedToken
		}
	}
	if data.Place.Known() {
		d.Related = append(d.Related, source.Related{Place: data.Place, Label: "the data",
			Hidden: data.Code == unreadData})
	}
	return data
}

func (c *Call) around() source.Place {
	for f := c.Scope.frame; f != nil; f = f.outer {
		if f.kind == paramFrame && f.of != nil {
			at := f.of.def.place()
			at.Span.End = at.Span.Start // its first line
			return at
		}
	}
	if stack := c.Eval.stack; len(stack) > 0 && stack[0].of != nil && stack[0].of.def != nil &&
		stack[0].of.def.Kind == DefineKind {
		return stack[0].of.place
	}
	return source.Place{}
}
