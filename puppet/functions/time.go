package functions

import (
	"time"

	"bunraku/provenance"
	"bunraku/puppet/eval"
	"bunraku/puppet/value"
)

// timeFunctions write moments and spans of time.
func timeFunctions() []*eval.Function {
	text := func(v value.Value) string { return value.ToString(v) }
	return []*eval.Function{
		{Name: "strftime", Doc: "Writes a Timestamp or Timespan by a format.", Dispatches: []eval.Dispatch{
			{Signature: "Callable[Timespan, String]", Names: []string{"time_object", "format"},
				Run: func(c *eval.Call) (value.Value, error) {
					s, err := c.Args[0].(value.Timespan).Format(text(c.Args[1]))
					return value.String(s), err
				}},
			{Signature: "Callable[Timestamp, String, String, 2, 3]", Names: []string{"time_object", "format", "timezone"},
				Run: func(c *eval.Call) (value.Value, error) {
					s, err := c.Args[0].(value.Timestamp).Format(text(c.Args[1]), text(c.Arg(2)))
					return value.String(s), err
				}},
			{Signature: "Callable[String, String, 1, 2]", Names: []string{"format", "timezone"},
				Run: func(c *eval.Call) (value.Value, error) {
					c.Warn("W0612",
						"The argument signature (String format, [String timezone]) is deprecated for #strftime. See #strftime "+
							"documentation and Timespan type for more info")
					c.Eval.ReadClock()
					c.Ref = computed(c, everything(c), c.Trace().Leaf(provenance.Label{Kind: provenance.World, Path: "clock"}))
					s, err := value.TimestampOf(time.Now()).Format(text(c.Args[0]), text(c.Arg(1)))
					return value.String(s), err
				}},
		}},
	}
}
