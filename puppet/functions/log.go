package functions

import (
	"errors"
	"strings"

	"bunraku/puppet/eval"
	"bunraku/puppet/value"
)

// logFunctions write to the log of the compile, or end it.
func logFunctions() []*eval.Function {
	var out []*eval.Function
	for _, level := range []string{"debug", "info", "notice", "warning", "err", "alert", "crit", "emerg"} {
		out = append(out, &eval.Function{Name: level, Doc: "Logs its arguments on the server at the level " + level + ".",
			Flow: eval.Effect, Unknown: true, Dispatches: []eval.Dispatch{{
				Signature: "Callable[[Any, 0], Undef]", Names: []string{"values"},
				Run: func(c *eval.Call) (value.Value, error) {
					c.Log(level, message(c.Args))
					return value.Undef{}, nil
				},
			}}})
	}
	fail := legacy("fail", "Ends the compile with an error.", eval.Effect, -1,
		func(c *eval.Call) (value.Value, error) {
			texts := make([]string, len(c.Args))
			for i, a := range c.Args {
				texts[i] = rubyString(a)
			}
			return nil, errors.New(strings.Join(texts, " "))
		})
	fail.Unknown = true // it ends the compile, whatever it says
	return append(out, fail)
}

// message is how the logging functions print their arguments: separated by blanks.
func message(args []value.Value) string {
	texts := make([]string, len(args))
	for i, a := range args {
		texts[i] = value.ToString(a)
	}
	return strings.Join(texts, " ")
}
