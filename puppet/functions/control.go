package functions

import (
	"bunraku/puppet/eval"
	"bunraku/puppet/value"
)

// controlFunctions end blocks early.
func controlFunctions() []*eval.Function {
	one := func(name, doc string, run func(*eval.Call)) *eval.Function {
		return &eval.Function{Name: name, Doc: doc, Dispatches: []eval.Dispatch{{
			Signature: "Callable[Any, 0, 1]", Names: []string{"value"},
			Run: func(c *eval.Call) (value.Value, error) {
				run(c)
				return nil, nil
			},
		}}}
	}
	return []*eval.Function{
		one("next", "Ends the block it is called in and yields a value.",
			func(c *eval.Call) { c.Next(c.Arg(0), c.ArgRef(0)) }),
		one("return", "Ends the function, class or define it is called in.",
			func(c *eval.Call) { c.Return(c.Arg(0), c.ArgRef(0)) }),
		{Name: "import", Doc: "Was a way to read other manifests. Every call of it fails.", Dispatches: []eval.Dispatch{{
			Signature: "Callable[Any, 0]", Names: []string{"args"},
			Run: func(c *eval.Call) (value.Value, error) {
				c.Fail("E0620",
					"Evaluation Error: Use of 'import' has been discontinued in favor of a manifest directory. See "+
						"http://links.puppet.com/puppet-import-deprecation")
				return nil, nil
			},
		}}},
		{Name: "break", Doc: "Ends the iteration it is called in.", Dispatches: []eval.Dispatch{{
			Signature: "Callable[0, 0]",
			Run: func(c *eval.Call) (value.Value, error) {
				c.Break()
				return nil, nil
			},
		}}},
	}
}
