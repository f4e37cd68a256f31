package eval

import "bunraku/source"

// Fail ends the compile with a message that stands alone. An error that a function returns is told with the call around it; some of
// Puppet's own errors are not.
func (c *Call) Fail(code, summary string) {
	c.Eval.failAt(&source.Diagnostic{Code: code, Summary: summary, Place: c.Place})
}
