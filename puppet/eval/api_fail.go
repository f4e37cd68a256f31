package eval

import "bunraku/source"

// Fail ends the compile with a message that stands alone. An error that a function returns is told with the call around it; some of
// Puppet's own errors are not.
func (c *Call) Fail(code, summary string) {
	c.Eval.failAt(&source.Diagnostic{Code: code, Summary: summary, Place: c.Place})
}

// FailAround is Fail for an error that has no place in Puppet: what is named is what was being evaluated around the call, the definition
// whose parameter it is a default of or the instance of a define that led to it. The call itself is shown beside it.
func (c *Call) FailAround(code, summary string) {
	d := &source.Diagnostic{Code: code, Summary: summary, Place: c.Place}
	if at := c.around(); at.Known() {
		d.Place = at
		d.Related = []source.Related{{Place: c.Place, Label: c.Name + "() is called here"}}
	}
	c.Eval.failAt(d)
}

func (c *Call) around() source.Place {
	for f := c.Scope.frame; f != nil; f = f.outer {
		if f.kind == paramFrame && f.of != nil {
			at := f.of.def.place()
			at.Span.End = at.Span.Start // its first line
			return at
		}
	}
	if stack := c.Eval.stack; len(stack) > 0 && stack[0].of != nil && stack[0].of.def != nil && stack[0].of.def.Kind == DefineKind {
		return stack[0].of.place
	}
	return source.Place{}
}
