package compiler

import (
	"bunraku/provenance"
	"bunraku/puppet/eval"
	"bunraku/puppet/exported"
	"bunraku/puppet/trace"
	"bunraku/puppet/value"
)

// A Querier answers queries that manifests ask of PuppetDB, in PQL or as JSON.
type Querier interface {
	Ask(query string) (value.Value, error)
}

// puppetdbQuery is the function that PuppetDB's terminus brings along.
func (c *Snapshot) puppetdbQuery() *eval.Function {
	return &eval.Function{Name: AsksPuppetDB, Doc: "What PuppetDB answers to a query, in PQL or as an array.",
		Flow: eval.Observer, Dispatches: []eval.Dispatch{
			{Signature: "Callable[Variant[String[1], Array[Data, 1]]]", Names: []string{"query"}, Run: c.askPuppetDB},
		}}
}

func (c *Snapshot) askPuppetDB(call *eval.Call) (value.Value, error) {
	query := exported.JSON(call.Arg(0))
	if s, is := call.Arg(0).(value.String); is {
		query = string(s)
	}
	if w, is := call.Eval.World().(*world); is {
		w.log.Ask(trace.Question{Kind: trace.Query, Of: query})
	}
	asked := call.Trace().Leaf(provenance.Label{Kind: provenance.World, Path: "PuppetDB's answer to " + query})
	call.Ref = call.Trace().With(asked, call.ArgRef(0))
	return c.opt.PuppetDB.Ask(query)
}

// answerQuery writes what PuppetDB answers.
func (c *Snapshot) answerQuery(query string, t *trace.Text) {
	if c.opt.PuppetDB == nil {
		t.String("nobody")
		return
	}
	v, err := c.opt.PuppetDB.Ask(query)
	if t.Flag(err == nil); err != nil {
		t.String(err.Error())
		return
	}
	t.Value(v)
}
