package main

import (
	"context"
	"fmt"
	"time"

	"bunraku/diff"
	"bunraku/fleet"

	"github.com/spf13/cobra"
)

func (a *app) impactCommand() *cobra.Command {
	var f diffFlags
	c := &cobra.Command{
		Use:   "impact [ENV] [REV | REV..REV | REV...REV]",
		Short: "Say which nodes a change can reach, without compiling the new side",
		Long: `Says which nodes can change between two states of ENV, from what their compiles asked of the old one: a node that asks nothing
which has another answer now cannot change. It names, for those that can, the first thing that they ask and that is different.
Every node that diff shows as changed is among them; not every one of them changes.

The sides are those of diff: by default the work tree, and the commit at which its branch left the main branch.
Exits with 0 if no node can change, with 2 if some can, and with 3 if none is sure to and some are not known: nodes that do not
compile, and were invented or name what may not be read.`,
		Args: arguments(0, 3, ""),
		RunE: f.betweenSides(a.impact),
	}
	f.add(c)
	f.addSides(c)
	c.Flags().BoolVar(&f.full, "full", false, "name every node, however many there are")
	c.Flags().StringVar(&f.format, "format", "text", "text or json")
	return c
}

func (a *app) impact(ctx context.Context, cmd *cobra.Command, root string, f *diffFlags) error {
	began := time.Now()
	if f.format != "text" && f.format != "json" {
		return fail("unknown format %q: text or json", f.format)
	}
	d, err := a.openDiff(ctx, cmd, root, f, diff.Options{})
	if err != nil {
		return err
	}
	defer d.close()
	bar := a.progress("asking nodes", len(d.nodes))
	d.c.Step = bar.step
	reached, err := d.c.Impact(ctx, d.nodes)
	bar.stop()
	if err = d.confirm(err); err != nil {
		return err
	}
	can, unknown := 0, 0
	for _, n := range reached {
		switch {
		case n.Why != "":
			can++
		case n.NotKnown != "":
			unknown++
		}
	}
	_, notes := d.withoutFacts()
	notes = append(notes, d.notes()...)
	if err = d.confirm(nil); err != nil {
		return err
	}
	if f.format == "json" {
		err = a.writeJSON(map[string]any{"version": 1, "kind": "impact", "name": d.name, "from": d.old.Title,
			"to": d.new.Title, "nodes": reached, "notes": append([]string{}, notes...)})
	} else {
		fmt.Fprintf(a.out, "%s   %s → %s\n", d.name, d.old.Title, d.new.Title)
		more := ""
		if unknown > 0 {
			more = fmt.Sprintf(", of %d it is not known", unknown)
		}
		fmt.Fprintf(a.out, "%d of %s can change%s   %s\n", can, plural(len(reached), "node"), more,
			seconds(time.Since(began)))
		showReached(a, reached, "", func(n fleet.Reached) string { return n.Why }, f.full)
		showReached(a, reached, "not known: ", func(n fleet.Reached) string { return n.NotKnown }, f.full)
		for _, note := range notes {
			fmt.Fprintf(a.out, "\n%s\n", note)
		}
	}
	if err != nil {
		return err
	}
	if can > 0 {
		return &exitError{code: exitNo}
	}
	if unknown > 0 {
		return &exitError{code: exitUnknown}
	}
	return nil
}

// showReached lists the nodes of which something is told, by what that is.
func showReached(a *app, reached []fleet.Reached, before string, told func(fleet.Reached) string, full bool) {
	var order []string
	by := map[string][]string{}
	for _, n := range reached {
		why := told(n)
		if why == "" {
			continue
		}
		if by[why] == nil {
			order = append(order, why)
		}
		by[why] = append(by[why], n.Node)
	}
	for i, why := range order {
		if i == 20 && !full {
			fmt.Fprintf(a.out, "  and %s more: --full shows them\n", plural(len(order)-i, "reason"))
			return
		}
		list := names(by[why])
		if full {
			list = fmt.Sprint(by[why])
		}
		fmt.Fprintf(a.out, "  %s%s   %s: %s\n", before, why, plural(len(by[why]), "node"), list)
	}
}
