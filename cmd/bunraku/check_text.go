package main

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"bunraku/fleet"
	"bunraku/puppet/compiler"
	"bunraku/report"
	"bunraku/source"
	"bunraku/verify"
)

// maxListed is how many nodes check lists one by one.
const maxListed = 20

// maxShown is how many findings check shows in full; of the others, one line each.
const maxShown = 25

// showCheck prints what check has found: what is wrong with the code on stderr; on stdout the nodes, each finding in
// full and once, and a summary.
func (a *app) showCheck(c *checking) {
	if c.judge.lint != nil {
		a.showLint(c.run, c.judge.lint)
		defer func() { fmt.Fprintln(a.out, c.judge.lint.summary()) }()
	}
	for _, p := range c.run.Problems {
		if p.Finding == nil && p.Suppressed.By == "" && !c.judge.linted(p) && !strings.HasPrefix(p.Code, "L") {
			d := *p.Diagnostic
			if len(p.Nodes) > 1 {
				d.Detail = strings.TrimPrefix(d.Detail+"\n"+fmt.Sprintf("on %d nodes", len(p.Nodes)), "\n")
			}
			a.report(source.Diagnostics{&d})
		}
	}
	manifests := 0
	for _, f := range c.files {
		if filepath.Ext(f) == ".pp" {
			manifests++
		}
	}
	count := plural(manifests, "manifest") + ", " + plural(len(c.files)-manifests, "template")
	if len(c.nodes) == 0 && c.interrupted != "" {
		return
	}
	if len(c.nodes) == 0 {
		fmt.Fprintf(a.out, "%s   %s: %s   %s\n", c.run.Name, count, c.trouble(), seconds(time.Since(c.began)))
		if text := c.coverageText(); text != "" {
			fmt.Fprintln(a.out, text)
		}
		if c.wants != "" {
			fmt.Fprintln(a.out, c.wantsText())
		}
		if c.standsIn && c.plan != nil && len(c.plan.Nodes) > 0 {
			fmt.Fprintln(a.out, standInText)
		}
		for _, text := range c.inventedTexts() {
			fmt.Fprintln(a.out, text)
		}
		return
	}
	fmt.Fprintf(a.out, "%s   %s on %s, %s   %s\n", c.run.Name, plural(len(c.nodes), "node"),
		plural(c.platforms, "platform"), count, seconds(time.Since(c.began)))
	a.listNodes(c)
	shown := 0
	for _, p := range c.run.Problems {
		if p.Finding == nil || p.Suppressed.By != "" {
			continue
		}
		if shown++; shown > maxShown {
			if shown == maxShown+1 {
				fmt.Fprintln(a.out)
			}
			fmt.Fprintf(a.out, "%s %s   %s\n", paintCode(c.style, p.Finding), report.Headline(p.Finding),
				plural(len(p.Nodes), "node"))
			continue
		}
		fmt.Fprintln(a.out)
		showFinding(a.out, c.style, p)
		fmt.Fprintf(a.out, "   on   %s\n", names(p.Nodes))
	}
	for _, text := range c.open() {
		fmt.Fprintf(a.out, "\n%s undecided: %s\n", report.Undecided, text)
	}
	fmt.Fprintf(a.out, "\n%s\n", strings.Join(c.summary(), "\n"))
}

// open are the assertions that were neither proved nor refuted, each once.
func (c *checking) open() (out []string) {
	for _, n := range c.nodes {
		if n.Verdict.Report == nil {
			continue
		}
		for _, text := range n.Verdict.Report.Open {
			if !slices.Contains(out, text) {
				out = append(out, text)
			}
		}
	}
	return out
}

// trouble counts what is wrong with files.
func (c *checking) trouble() string {
	e, w := c.run.Count(source.Error), c.run.Count(source.Warning)
	if e+w == 0 {
		return "no mistake in what was read"
	}
	return plural(e, "error") + ", " + plural(w, "warning")
}

// listNodes prints a line per node; if there are many, a line per answer.
func (a *app) listNodes(c *checking) {
	if len(c.nodes) > maxListed {
		var order []string
		same := map[string][]string{}
		for i := range c.nodes {
			text := verdictText(&c.nodes[i])
			if same[text] == nil {
				order = append(order, text)
			}
			same[text] = append(same[text], c.nodes[i].Name)
		}
		for _, text := range order {
			fmt.Fprintf(a.out, "  %10s   %s: %s\n", plural(len(same[text]), "node"), text, names(same[text]))
		}
		return
	}
	width := 0
	for i := range c.nodes {
		width = max(width, len(c.nodes[i].Name))
	}
	for i := range c.nodes {
		n := &c.nodes[i]
		if n.Catalog == nil {
			fmt.Fprintf(a.out, "  %-*s   no catalog      %s\n", width, n.Name, verdictText(n))
			continue
		}
		fmt.Fprintf(a.out, "  %-*s   %4d resources  %s\n", width, n.Name, len(n.Catalog.Resources), verdictText(n))
	}
}

// verdictText is one node in a few words: the codes of its problems.
func verdictText(n *fleet.Checked) string {
	var codes []string
	for _, p := range n.Verdict.Node.Open() {
		if !slices.Contains(codes, p.Code) && p.Severity != source.Note {
			codes = append(codes, p.Code)
		}
	}
	slices.Sort(codes)
	text := strings.Join(codes, " ")
	switch {
	case text == "" && n.Partial:
		text = "compiles with stand-ins for " + fleet.Listed(fleet.Modules(n.StandIns))
	case text == "" && n.Verdict.Report == nil:
		text = "compiles"
	case text == "":
		text = "fine"
		if n.Opaque > 0 {
			text = "nothing found"
		}
		if len(n.Verdict.Node.Unknown) > 0 {
			text = "nothing found, not proved in full"
		}
		if absent := fleet.TypesOf(n.StandIns); len(absent) > 0 {
			text = "nothing found, if values are of the types of " + fleet.Listed(absent)
		}
	}
	if n.Partial && len(codes) > 0 {
		text += ", compiles with stand-ins for " + fleet.Listed(fleet.Modules(n.StandIns))
	}
	if r := n.Verdict.Report; r != nil && r.Model.Unmodelled > 0 {
		text += fmt.Sprintf(", %d not modelled", r.Model.Unmodelled)
	}
	if n.Closed > 0 {
		text += ", " + plural(n.Closed, "attribute") + " unknown without the key of a secret"
	}
	if n.Ruby > 0 {
		text += ", " + plural(n.Ruby, "attribute") + " unknown without Ruby"
	}
	if other := n.Opaque - n.Closed - n.Ruby; other > 0 {
		text += ", " + plural(other, "attribute") + " unknown"
	}
	return text
}

// names lists nodes, at most three of them by name.
func names(nodes []string) string {
	if len(nodes) > 3 {
		return strings.Join(nodes[:3], ", ") + fmt.Sprintf(" and %d more", len(nodes)-3)
	}
	return strings.Join(nodes, ", ")
}

// summary is what it comes to.
func (c *checking) summary() []string {
	var out []string
	touched, failed, unproved, unmodelled, without, partial := 0, 0, 0, 0, 0, 0
	fixes, onNodes := false, 0
	for i := range c.nodes {
		n := &c.nodes[i]
		if slices.ContainsFunc(n.Verdict.Node.Open(), func(p *report.Problem) bool { return p.Severity != source.Note }) {
			touched++
		}
		if n.Catalog == nil {
			failed++
		}
		if r := n.Verdict.Report; r != nil && r.Partial {
			partial++
		}
		if len(n.Verdict.Node.Unknown) > 0 {
			unproved++
			if more := n.Verdict.Report.Model.Unmodelled; more > 0 {
				unmodelled += more
				without++
			}
		}
	}
	for _, p := range c.run.Problems {
		fixes = fixes || p.Suppressed.By == "" && len(p.Fixes) > 0
		if p.Suppressed.By == "" && p.Severity != source.Note && len(p.Nodes) > 0 {
			onNodes++
		}
	}
	if c.exchanged != "" {
		out = append(out, "W"+c.exchanged[1:]+".")
	}
	ignored := ""
	if n := c.run.Suppressed(); n > 0 {
		ignored = fmt.Sprintf(", %d ignored", n)
	}
	if n := c.run.Count(source.Error) + c.run.Count(source.Warning); n > 0 {
		on := fmt.Sprintf(" on %d of %s", touched, plural(len(c.nodes), "node"))
		switch {
		case touched == 0:
			on = " in what was read, none on a node that was compiled"
		case onNodes < n:
			on = fmt.Sprintf(", %d of them%s", onNodes, on)
		}
		out = append(out, fmt.Sprintf("%s%s%s.", plural(n, "problem"), on, ignored))
	} else {
		out = append(out, "Nothing found"+ignored+".")
	}
	if fixes {
		out[0] += " `--fix` prints the edits as a patch."
	}
	if failed > 0 {
		out = append(out, fmt.Sprintf("%d of %s failed to compile.", failed, plural(len(c.nodes), "node")))
	}
	if partial > 0 {
		out = append(out, fmt.Sprintf("There is more than is shown on %d of %s: mend this first.", partial,
			plural(len(c.nodes), "node")))
	}
	switch {
	case c.interrupted != "":
	case c.proved():
		every := "Every node"
		if c.plan != nil {
			every = "Every node that was compiled"
		}
		out[0] += " " + every + " is deterministic, idempotent and can succeed from a fresh machine"
		if n := len(c.accepted()); n > 0 {
			out[0] += ", assuming " + plural(n, "accepted point")
		}
		out[0] += "."
	case without > 0 && without == unproved:
		out = append(out, fmt.Sprintf("%d of %s not proved in full: %s no model (`bunraku verify` names them).", unproved,
			plural(len(c.nodes), "node"), hasHave(unmodelled, "resource")))
	case without > 0:
		out = append(out, fmt.Sprintf("%d of %s not proved in full (`bunraku verify` says what would decide it), %d since %s no "+
			"model.", unproved, plural(len(c.nodes), "node"), without, hasHave(unmodelled, "resource")))
	case unproved > 0:
		out = append(out, fmt.Sprintf("%d of %s not proved in full (`bunraku verify` says what would decide it).", unproved,
			plural(len(c.nodes), "node")))
	}
	if text := c.coverageText(); text != "" && c.interrupted == "" {
		out = append(out, text)
	}
	if c.wants != "" {
		out = append(out, c.wantsText())
	}
	if c.standsIn {
		out = append(out, standInText)
	}
	if text := c.standInsText(); text != "" {
		out = append(out, text)
	}
	return append(out, c.inventedTexts()...)
}

// wantsText says why the language is not the usual one.
func (c *checking) wantsText() string {
	return "metadata.json wants Puppet " + c.wants + ": the language of Puppet 7 was used (--language 8 for the other)."
}

const standInText = "The module stdlib is not there: what is built in of it (as of " + compiler.StandInVersion +
	") was used. Puppet itself would refuse what needs it."

// accepted are the open points that were answered by assumption on some node, each once.
func (c *checking) accepted() (out []string) {
	for i := range c.nodes {
		if r := c.nodes[i].Verdict.Report; r != nil {
			for _, x := range r.Model.Accepted {
				if !slices.Contains(out, x) {
					out = append(out, x)
				}
			}
		}
	}
	return out
}

// proved reports whether every question about every node was answered with yes, whatever is ignored.
func (c *checking) proved() bool {
	return !slices.ContainsFunc(c.nodes, func(n fleet.Checked) bool {
		r := n.Verdict.Report
		return r == nil || len(n.StandIns) > 0 || fleet.Empty(n.Catalog) || n.Opaque > 0 || len(n.Verdict.Refused) > 0 ||
			r.Deterministic != verify.Yes || r.Idempotent != verify.Yes || r.Success != verify.Always &&
			r.Success != verify.Sometimes
	})
}

func hasHave(n int, noun string) string {
	if n == 1 {
		return "1 " + noun + " has"
	}
	return fmt.Sprintf("%d %ss have", n, noun)
}
