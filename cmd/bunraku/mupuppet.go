package main

import (
	"path/filepath"

	"bunraku/mupuppet"
	"bunraku/source"

	"github.com/spf13/cobra"
)

func (a *app) mupuppetCommand() *cobra.Command {
	node, format, trace := "default", "text", ""
	provenance := false
	c := &cobra.Command{
		Use:   "mupuppet FILE --node NAME",
		Short: "Compile a manifest by the rules of the µPuppet paper, step by step",
		Long: `Compiles one manifest for one node by the small-step rules of µPuppet, the formal subset of Puppet, and prints the
catalog. What the subset leaves out is refused by name. It is the specification that "bunraku compile" is tested against;
use that one for real code.

--trace prints the derivation before the catalog, one step a line: the rule, the scope, the redex, and what changed in the
variables (σ), the definitions (κ) or the catalog (v_C). --trace=json prints one JSON object a step instead,
and the catalog as the last.
--provenance adds what the annotated rules of Fu's thesis say of each value: where it was copied from, the expression that
made it, the constants that it depends on. docs/mupuppet.md walks through an example.`,
		Args: arguments(1, 1, "what to run"),
		RunE: func(_ *cobra.Command, args []string) error {
			if format != "text" && format != "json" {
				return fail("unknown format %q: json or text", format)
			}
			if trace != "" && trace != "text" && trace != "json" {
				return fail("unknown trace %q: --trace or --trace=json", trace)
			}
			text, err := source.ReadFile(args[0])
			if err != nil {
				return fail("%v", err)
			}
			file := source.NewFile(filepath.ToSlash(args[0]), text.Text)
			opt := mupuppet.Options{Node: node, Provenance: provenance}
			switch trace {
			case "text":
				style := a.out.Style()
				opt.Observe = func(s mupuppet.Step) { s.WriteText(a.out, style) }
			case "json":
				opt.Observe = func(s mupuppet.Step) { s.WriteJSON(a.out.As(source.Quoted), file) }
			}
			result, ds := mupuppet.Compile(file, opt)
			a.report(ds)
			if result == nil {
				return &exitError{code: exitFailed}
			}
			switch {
			case trace == "json":
				return result.WriteJSON(a.out.As(source.Quoted), "")
			case format == "json":
				return result.WriteJSON(a.out.As(source.Quoted), "  ")
			}
			return result.WriteText(a.out)
		},
	}
	c.Flags().StringVar(&node, "node", node, "the node's name; \"default\" matches only node default")
	c.Flags().StringVar(&format, "format", format, "json or text")
	c.Flags().StringVar(&trace, "trace", trace, "print every step: text or json")
	c.Flags().Lookup("trace").NoOptDefVal = "text"
	c.Flags().BoolVar(&provenance, "provenance", false, "print where-, expression- and dependency-provenance")
	return c
}
