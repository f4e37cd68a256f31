package main

import (
	"fmt"
	"strings"

	"bunraku/puppet/facts"
	"bunraku/source"

	"github.com/spf13/cobra"
)

func (a *app) factsCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "facts",
		Short: "Facts of nodes: those of common systems, which are built in, and others that people have",
		Args:  subcommands,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	c.AddCommand(a.factsShowCommand(), a.factsImportCommand(), a.factsPullCommand())
	return c
}

func (a *app) factsShowCommand() *cobra.Command {
	var node string
	var language int
	c := &cobra.Command{
		Use:   "show [SYSTEM]",
		Short: "Print the facts of a system as JSON, or list the systems",
		Long: `Prints the facts that a small machine with the system would have, as facter prints them: a file to start from, or to compare
with. What belongs to one machine (its addresses, keys, sizes) is invented. Without SYSTEM the systems are listed.

  bunraku facts show debian-12 --node web1.example.com > facts/web1.json`,
		Args: arguments(0, 1, ""),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				a.listSystems()
				return nil
			}
			if language != 7 && language != 8 {
				return fail("--language is 7 or 8, not %d", language)
			}
			s, ok := facts.FindSystem(args[0])
			if !ok {
				return noSystem(args[0])
			}
			return a.out.Raw(s.JSON(node, language == 7))
		},
	}
	f := c.Flags()
	f.StringVar(&node, "node", "node.example.com", "the `NAME` of the machine")
	f.IntVar(&language, "language", 8, "7 for facter's old names, too")
	return c
}

// listSystems lists the systems whose facts are built in.
func (a *app) listSystems() {
	for _, s := range facts.Systems {
		note := ""
		if s.Unverified {
			note = "   not compared with a real machine's"
		}
		fmt.Fprintf(a.out, "%-16s %s %s%s\n", s.ID, s.OS, s.Full, note)
	}
}

// noSystem says that there are no facts of a system, and which there are.
func noSystem(id string) error {
	var ids []string
	for _, s := range facts.Systems {
		ids = append(ids, s.ID)
	}
	if near := source.Nearest(strings.ToLower(id), ids); near != "" {
		return fail("there are no built-in facts of %s; did you mean %s?", id, near)
	}
	return fail("there are no built-in facts of %s; `bunraku facts show` lists those that there are", id)
}
