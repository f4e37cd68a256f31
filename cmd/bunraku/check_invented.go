package main

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"bunraku/fleet"
	"bunraku/puppet/eval"
	"bunraku/puppet/outline"
	"bunraku/source"
)

// What check says of nodes that it invented, since there are no facts (package fleet): that they are invented, how much
// of the tree they reach, and what they do not and why. Nothing is called fine that was not compiled.

// inventedTexts are the lines about what was invented; none when the nodes are real.
func (c *checking) inventedTexts() (out []string) {
	if c.plan == nil || len(c.plan.Nodes) == 0 {
		return nil
	}
	var systems []string
	for _, n := range append(slices.Clip(c.nodes), c.excused...) {
		if n.Invented != nil && !slices.Contains(systems, n.Invented.System.ID) {
			systems = append(systems, n.Invented.System.ID)
		}
	}
	out = append(out, "No facts were found: the nodes are invented, on "+strings.Join(systems, ", ")+
		". `bunraku facts show` has their facts; put those of real nodes into facts/ to check what really runs.")
	if said := c.plan.Said(); len(said) > 0 {
		out = append(out, "Each says of itself what the main manifests ask for, so that it gets its class: "+
			strings.Join(said, ", ")+".")
	}
	if said, nodes := c.levels(); nodes > 0 {
		out = append(out, fmt.Sprintf("%s what the hierarchy has data for, and would not compile without: %s.",
			says(nodes), strings.Join(said, ", ")))
	}
	if n, with, of := c.compiled(func(i *fleet.Invention) string { return i.Class }); of > 0 {
		out = append(out, fmt.Sprintf("%d of %s compiled on at least one system%s.", n,
			plurals(of, "public class", "public classes"), onlyWith(with, n)))
	}
	if n, with, of := c.compiled(func(i *fleet.Invention) string { return i.Define }); of > 0 {
		out = append(out, fmt.Sprintf("%d of %s compiled with an invented use%s.", n, plural(of, "public define"),
			onlyWith(with, n)))
	}
	if list := c.plan.Wanted; len(list) > 0 {
		how := "`r10k puppetfile install` (or g10k) brings them"
		switch {
		case c.plan.Alone:
			how = "`bundle exec rake spec_prep` brings them"
		case c.plan.Hollow >= len(list):
			how = "`git submodule update --init` brings them"
		case c.plan.Hollow > 0:
			how = "`git submodule update --init` and `r10k puppetfile install` (or g10k) bring them"
		}
		out = append(out, fmt.Sprintf("%s named and not there: %s. %s, or --modulepath names where they are.",
			isAre(len(list), "module"),
			strings.Join(list, ", "), how))
	}
	if names := c.plan.OldNames; len(names) > 0 {
		out = append(out, "The hierarchy asks for facts by facter's old names ("+some(names)+"), which agents of Puppet 8 do "+
			"not send: all nodes were given them. `--language 7,8` shows what stands in the way of 8.")
	} else if n := c.legacy(); n > 0 {
		out = append(out, fmt.Sprintf("%s facts by facter's old names, which agents of Puppet 8 do not send: they were given "+
			"them. `--language 7,8` shows what stands in the way of 8.", reads(n)))
	}
	n, blocked := c.unverified()
	if blocked > 0 {
		out = append(out, fmt.Sprintf("%s compiled, not verified: no agent applies a catalog with a cycle, or with relations to "+
			"what is not there.", hasHaveBeen(blocked, "node")))
	}
	if n > 0 {
		out = append(out,
			fmt.Sprintf("%s only compiled, not verified: each class is verified on one system, with --all-systems on all; "+
				"none is "+
				"on macOS and Windows.", hasHaveBeen(n, "node")))
	}
	if len(c.plan.Unknown) > 0 {
		out = append(out, "Not looked at, without built-in facts: "+strings.Join(c.plan.Unknown, "; ")+".")
	}
	return append(out, c.excuses()...)
}

func plurals(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// compiled counts the classes (or defines) that were compiled on at least one system, and how many of them only with
// stand-ins, of those that nodes were invented for: each counts that any node's catalog has.
func (c *checking) compiled(what func(*fleet.Invention) string) (n, withStandIns, of int) {
	all, done, whole := map[string]bool{}, map[string]bool{}, map[string]bool{}
	for i := range c.plan.Nodes {
		if name := what(&c.plan.Nodes[i]); name != "" {
			all[name] = true
		}
	}
	for _, n := range c.nodes {
		if n.Invented == nil || n.Catalog == nil {
			continue
		}
		names := classesOf(n)
		if name := what(n.Invented); name != "" {
			names = append(names, name)
		}
		for _, name := range names {
			if all[name] {
				done[name] = true
				whole[name] = whole[name] || !n.Partial
			}
		}
	}
	maps.DeleteFunc(whole, func(_ string, is bool) bool { return !is })
	return len(done), len(done) - len(whole), len(all)
}

// classesOf are the classes that a node's catalog has, by their plain names.
func classesOf(n fleet.Checked) (names []string) {
	for _, r := range n.Catalog.Resources {
		if r.Type == "Class" {
			names = append(names, outline.Class(r.Title))
		}
	}
	return names
}

// notReached are the nodes of those that tell nothing whose class no other node's catalog has on the same system.
func (c *checking) notReached(excused []fleet.Checked) (out []fleet.Checked) {
	have := map[string]bool{}
	for _, n := range c.nodes {
		if n.Catalog != nil && n.Invented != nil {
			for _, name := range classesOf(n) {
				have[name+" on "+n.Invented.System.ID] = true
			}
		}
	}
	for _, n := range excused {
		if n.Invented == nil || !have[n.Invented.Class+" on "+n.Invented.System.ID] {
			out = append(out, n)
		}
	}
	return out
}

func onlyWith(n, of int) string {
	switch n {
	case 0:
		return ""
	case of:
		return ", only with stand-ins"
	}
	return fmt.Sprintf(", %d of them only with stand-ins", n)
}

// standInsText says what stood in for modules that are not there; "" for nothing.
func (c *checking) standInsText() string {
	var all []eval.StandIn
	nodes := 0
	for _, n := range c.nodes {
		if n.Partial {
			nodes++
			all = append(all, n.StandIns...)
		}
	}
	if nodes == 0 {
		return ""
	}
	text := fmt.Sprintf("%s compiled with stand-ins for what is not there (%s): its resources are taken as they are "+
		"declared, its classes as empty, its data types as taking every value, what its functions and variables give as "+
		"unknown. Such a node is not verified, and nothing is said of what hangs on it.", hasHaveBeen(nodes, "node"),
		fleet.Listed(fleet.Modules(all)))
	if keys := fleet.Lacked(all, source.MissingKey); len(keys) > 0 {
		text += " Hiera has no value of " + fleet.Listed(keys) + "."
	}
	if files := fleet.Lacked(all, source.MissingFile); len(files) > 0 {
		text += " Only a server has " + fleet.Listed(files) + "."
	}
	if facts := fleet.Lacked(all, source.MissingFact); len(facts) > 0 {
		text += " Only machines have the facts " + fleet.Listed(facts) + ", which modules bring."
	}
	return text
}

// legacy counts the nodes that were given facter's old names because their code reads them.
func (c *checking) legacy() (n int) {
	if c.language == source.Puppet7 {
		return 0
	}
	for _, r := range append(slices.Clip(c.nodes), c.excused...) {
		if r.Invented != nil && r.Invented.Legacy {
			n++
		}
	}
	return n
}

// levels are what nodes say of themselves so that levels of the hierarchy are theirs, and how many nodes do.
func (c *checking) levels() (said []string, nodes int) {
	for _, r := range append(slices.Clip(c.nodes), c.excused...) {
		if r.Invented == nil || len(r.Invented.Levels()) == 0 {
			continue
		}
		nodes++
		for _, s := range r.Invented.Levels() {
			if !slices.Contains(said, s) {
				said = append(said, s)
			}
		}
	}
	return said, nodes
}

func says(n int) string {
	if n == 1 {
		return "1 node says"
	}
	return fmt.Sprintf("%d nodes say", n)
}

func reads(n int) string {
	if n == 1 {
		return "1 node reads"
	}
	return fmt.Sprintf("%d nodes read", n)
}

// excuses says what was not looked at, by reason.
func (c *checking) excuses() (out []string) {
	for _, kind := range []struct {
		kind fleet.ExcuseKind
		text string
	}{
		{fleet.NotTried, "Not looked at, since none of the others that were tried compiles (most for %s): %s."},
		{fleet.NeedsModule, "Not looked at, for want of the module %s: %s."},
		{fleet.NeedsParameters, "Not looked at, since %s must be given: %s."},
		{fleet.NeedsData, "Not looked at, since Hiera has no value of %s: %s."},
		{fleet.NeedsFiles, "Not looked at, since only a server has %s: %s."},
		{fleet.NeedsValues, "Unknown, since it may hang on data, files or facts that were not found (%s): %s."},
		{fleet.NeedsVariables, "Not looked at, since nobody sets %s, as a classifier would: %s."},
		{fleet.NeedsFacts, "Unknown, since it may hang on facts that were invented, or that only real nodes have (%s): %s."},
		{fleet.NeedsOthers, "Not looked at, since something must be declared beside it (%s): %s."},
		{fleet.Refuses, "Not looked at, since the code refuses (%s): %s."},
		{fleet.NeedsUse, "Unknown, since it may hang on the invented use (%s): %s."},
		{fleet.NoEnvironment, "Not looked at, since the tree is no environment as it is (%s): %s."},
	} {
		var order []string
		by := map[string][]string{}
		for _, n := range c.excused {
			if n.Excuse.Kind != kind.kind {
				continue
			}
			if by[n.Excuse.Detail] == nil {
				order = append(order, n.Excuse.Detail)
			}
			who := strings.TrimSuffix(n.Name, " (invented)")
			if kind.kind != fleet.NeedsFacts && kind.kind != fleet.Refuses {
				who = cmp.Or(n.Invented.Class, n.Invented.Define) // wherever it is
			}
			if who == "" {
				who = n.Invented.Name
			}
			if !slices.Contains(by[n.Excuse.Detail], who) {
				by[n.Excuse.Detail] = append(by[n.Excuse.Detail], who)
			}
		}
		for _, detail := range order {
			shown := strings.TrimPrefix(detail, "Evaluation Error: ")
			shown = strings.TrimPrefix(shown, "Error while evaluating a Function Call, ")
			shown = inTemplate.ReplaceAllString(shown, ":$1: ")
			if i := strings.LastIndex(shown, "; without "); kind.kind == fleet.NeedsValues && i >= 0 {
				shown = clipText(shown[:i], 110) + shown[i:] // both are told
			}
			out = append(out, fmt.Sprintf(kind.text, clipText(shown, 160), names(by[detail])))
		}
	}
	if len(out) > maxExcuses {
		out = append(out[:maxExcuses:maxExcuses], fmt.Sprintf("%d more reasons; --format json has all of them.",
			len(out)-maxExcuses))
	}
	return out
}

// inTemplate is how Puppet says where in a template something failed, with the path of this machine.
var inTemplate = regexp.MustCompile(`:\s+Filepath: .*?\s+Line: (\d+)\s+Detail: `)

// maxExcuses is how many reasons are shown.
const maxExcuses = 12

// clipText is a text in one line of a bounded length.
func clipText(s string, n int) string {
	s = strings.Join(strings.Fields(s), " ")
	if r := []rune(s); len(r) > n {
		return string(r[:n-1]) + "…"
	}
	return s
}

// unverified counts the nodes that were only compiled, and those of which no agent would apply the catalog.
func (c *checking) unverified() (n, blocked int) {
	for _, r := range c.nodes {
		switch {
		case r.Catalog == nil || r.Verdict.Report != nil || r.Partial || r.Verdict.Undecided:
		case len(r.Verdict.Blocked) > 0:
			blocked++
		default:
			n++
		}
	}
	return n, blocked
}

func hasHaveBeen(n int, noun string) string {
	if n == 1 {
		return "1 " + noun + " was"
	}
	return fmt.Sprintf("%d %ss were", n, noun)
}
