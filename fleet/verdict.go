package fleet

import (
	"cmp"
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"bunraku/audit"
	"bunraku/judge"
	"bunraku/puppet/catalog"
	"bunraku/puppet/outline"
	"bunraku/puppet/syntax"
	"bunraku/puppet/value"
	"bunraku/report"
	"bunraku/source"
	"bunraku/verify"
	"bunraku/verify/model"
)

// A Checked is what became of compiling one node and of verifying its catalog.
type Checked struct {
	Compiled
	Verdict *judge.Verdict // nil if it was not come to
}

// Verify judges every kind of node once, on all processors. The result has the order of the nodes that were compiled.
// If the context ends, what was finished by then is returned.
func Verify(ctx context.Context, j *judge.Judge, nodes []Compiled, kinds []*Kind, step func()) ([]Checked, error) {
	results := make([]Checked, len(nodes))
	for i := range nodes {
		results[i].Compiled = nodes[i]
	}
	errs := make([]error, len(kinds))
	source.Each(ctx, len(kinds), func(i int) {
		defer step()
		k := kinds[i]
		var v *judge.Verdict
		if v, errs[i] = j.Judge(ctx, k.Suspect); errs[i] != nil {
			return
		}
		for _, n := range k.Nodes {
			results[n].Verdict = v.Of(results[n].Catalog)
			unsay(&results[n], k.Suspect.Catalog)
			results[n].Verdict.Node.Name = results[n].Name
		}
	})
	for _, err := range errs {
		if err != nil && ctx.Err() == nil {
			return nil, err
		}
	}
	return results, nil
}

// unsay takes back what agents would refuse of an invented node, if it may be due to what was invented: the use of a
// define, or a system that the code is not for, as Windows' paths show. Then nothing is known of the node.
func unsay(r *Checked, judged *catalog.Catalog) {
	i, v := r.Invented, r.Verdict
	if i == nil {
		return
	}
	why := ""
	if at := slices.IndexFunc(judged.Resources, installs); at >= 0 {
		why = "what " + judged.Resources[at].Ref() + " brings is not known"
	} else if i.Origin != "--classes" && len(i.elsewhere) > 0 {
		why = "the system was guessed"
	}
	if v.Report != nil && why != "" {
		told := *v.Report
		told.Findings = slices.DeleteFunc(slices.Clone(told.Findings), func(f model.Finding) bool { return f.Code == "V102" })
		if len(told.Findings) < len(v.Report.Findings) {
			told.Success = verify.ChanceUnknown
			told.Unknown = append(slices.Clone(told.Unknown), "success from a fresh machine: "+why)
		}
		v.Report, v.Node.Unknown = &told, told.Unknown
	}
	if v.Report != nil {
		unsayDoubtful(r, judged)
	}
	if i.Part && v.Report != nil {
		unsayOfPart(r, judged)
	}
	if len(v.Refused)+len(v.Blocked) == 0 {
		return
	}
	elsewhere := func(d *source.Diagnostic) bool { return i.System.Unix() && windowsPath.MatchString(d.Summary) }
	if i.Define != "" || slices.ContainsFunc(v.Refused, elsewhere) {
		v.Refused, v.Blocked, v.Report, v.Undecided = nil, nil, nil, false
		v.Node.Unknown = nil
	}
}

// installs reports whether a resource is a command that may bring files nobody here knows of: it installs or unpacks
// something, or runs what it has fetched.
func installs(r *catalog.Resource) bool {
	command, _ := cmp.Or(r.Get("command"), value.Value(value.String(r.Title))).(value.String)
	return r.Type == "Exec" && installer.MatchString(string(command))
}

var installer = regexp.MustCompile(`(?i)\binstall|\.sh\b|` +
	`\b(dpkg|rpm|make|tar|unzip|unxz|cpio|git|svn|hg|curl|wget|rsync|setup|npm|pip3?|gem|sh|bash)\b`)

// unsayDoubtful takes back what is found on a machine that nobody has, or hangs on what nobody knows. Whether a real
// one meets it is not known then.
func unsayDoubtful(r *Checked, judged *catalog.Catalog) {
	v := r.Verdict
	told := *v.Report
	told.Findings, told.Unknown = nil, slices.Clone(told.Unknown)
	for _, f := range v.Report.Findings {
		switch {
		case f.Code == "V101" && (doubtful(f) || removes(f) || updated(f, judged)):
			told.Deterministic = verify.Unknown
			told.Unknown = append(told.Unknown, "determinism: whether the order of "+f.Resources[0].Ref()+" and "+
				f.Resources[1].Ref()+" matters hangs on more than is known of them")
		case f.Code == "V201" && (doubtful(f) || late(f)):
			told.Idempotent = verify.Unknown
			told.Unknown = append(told.Unknown, "idempotence: what a second run of "+f.Resources[0].Ref()+
				" finds hangs on more than is known of other commands")
		default:
			told.Findings = append(told.Findings, f)
		}
	}
	v.Report, v.Node.Unknown = &told, told.Unknown
}

// removes reports whether a finding hangs on what stays behind when a package goes: its configuration does, and the
// directories that hold it.
func removes(f model.Finding) bool {
	return slices.ContainsFunc(f.Resources, func(r *catalog.Resource) bool {
		ensure, _ := r.Get("ensure").(value.String)
		return r.Type == "Package" && (ensure == "absent" || ensure == "purged")
	})
}

// updated reports whether a finding is that a package has to wait for a command that updates what packages there are,
// and it waits for another one.
func updated(f model.Finding, judged *catalog.Catalog) bool {
	isUpdate := func(r *catalog.Resource) bool {
		return r.Type == "Exec" && strings.Contains(strings.ToLower(textOf(r, "command")+r.Title), "update")
	}
	var exec, pkg *catalog.Resource
	for _, r := range f.Resources {
		switch {
		case isUpdate(r):
			exec = r
		case r.Type == "Package":
			pkg = r
		}
	}
	if exec == nil || pkg == nil {
		return false
	}
	needs := textOf(pkg, "require") + textOf(pkg, "subscribe")
	return slices.ContainsFunc(judged.Resources, func(r *catalog.Resource) bool {
		return r != exec && isUpdate(r) && strings.Contains(needs, r.Ref())
	})
}

// late reports whether a finding is about a command whose second run is shown on another machine than a fresh one: who
// knows whether there is one like it.
func late(f model.Finding) bool { return len(f.Initial) > 0 && f.Resources[0].Type == "Exec" }

// textOf is an attribute as text; "" if there is none.
func textOf(r *catalog.Resource, attr string) string {
	if v := r.Get(attr); v != nil {
		return value.ToString(v)
	}
	return ""
}

// unsayOfPart takes back what is found because a class or a define stands alone on the invented node: what it lacks may
// come with what its users declare beside it, who may notify what waits, too; and the class around it may say where it
// comes in the order. Whether a run succeeds is not known then.
func unsayOfPart(r *Checked, judged *catalog.Catalog) {
	v, own := r.Verdict, outline.Capitalized(r.Invented.Class)
	within := func(x *catalog.Resource) bool {
		return slices.ContainsFunc(judged.Containers(x), func(c *catalog.Resource) bool {
			return c.Type == "Class" && c.Title == own
		})
	}
	told := *v.Report
	told.Findings, told.Unknown = nil, slices.Clone(told.Unknown)
	for _, f := range v.Report.Findings {
		switch {
		case f.Alone && len(f.Runs) > 0 && len(f.Resources) > 0:
			told.Success = verify.ChanceUnknown
			told.Unknown = append(told.Unknown, "success from a fresh machine: "+f.Resources[0].Ref()+" "+f.Runs[0].Result+
				", unless what is declared beside it helps")
		case f.Alone:
		case f.Code == "V101" && r.Invented.around && len(f.Resources) == 2 &&
			within(f.Resources[0]) != within(f.Resources[1]):
			told.Deterministic = verify.Unknown
			told.Unknown = append(told.Unknown, "determinism: the class around it may order "+f.Resources[0].Ref()+" and "+
				f.Resources[1].Ref())
		case f.Code == "V206" && guarded(f.Resources[0]) && slices.ContainsFunc(judged.Resources, refreshed):
			told.Unknown = append(told.Unknown, "quiet: what a command that is notified does may be what the guards of "+
				f.Resources[0].Ref()+" ask for")
		default:
			if f.Fix != nil && !fits(f.Fix) {
				f.Fix = nil
			}
			if f.Code == "V101" && f.Grade == model.BrokenGrade && worksInTurn(f, judged) {
				f.Grade = model.UnknownGrade // there may be a machine on which it does not, as nobody has it
			}
			told.Findings = append(told.Findings, f)
		}
	}
	v.Report, v.Node.Unknown = &told, told.Unknown
}

// doubtful reports whether a finding rests on what nobody has or knows: a machine with a file where a resource wants a
// directory, or the other way round; a guard that asks a shell; or what a command that is only guessed at has left
// behind.
func doubtful(f model.Finding) bool {
	for _, r := range f.Resources {
		guards := textOf(r, "onlyif") + textOf(r, "unless")
		if r.Type == "Exec" && strings.ContainsAny(guards, "$`") {
			return true
		}
		if f.Code == "V201" && r.Type == "Exec" && guards != "" && strings.HasPrefix(f.Runs[len(f.Runs)-1].Result, "fails") {
			return true
		}
	}
	commands := len(f.Resources) == 2 && f.Resources[0].Type == "Exec" && f.Resources[1].Type == "Exec"
	if f.Code == "V101" && len(f.Runs) > 0 && (strings.Contains(f.Runs[0].Result, " is what Exec[") ||
		commands && strings.Contains(f.Runs[0].Result, " is what ")) {
		return true // two edits of a file, as far as is known of them; or one by a command that is not known
	}
	return f.Odd() || f.Code == "V201" && len(f.Runs) > 0 && strings.Contains(f.Runs[len(f.Runs)-1].Result, " from what ")
}

// guarded reports whether commands say if an exec is run.
func guarded(r *catalog.Resource) bool { return r.Get("onlyif") != nil || r.Get("unless") != nil }

// refreshed reports whether a command is run only when something notifies it.
func refreshed(r *catalog.Resource) bool {
	return r.Type == "Exec" && r.Get("refreshonly") == value.Bool(true)
}

// worksInTurn reports whether the two resources of a finding work when they come as the catalog has them.
func worksInTurn(f model.Finding, c *catalog.Catalog) bool {
	return slices.ContainsFunc(f.Runs, func(run model.Run) bool {
		return len(run.Order) == 2 && run.Result == "works" &&
			slices.Index(c.Resources, run.Order[0]) < slices.Index(c.Resources, run.Order[1])
	})
}

// fits reports whether a fix that was tried on an invented node holds for other users of the code: it names nothing
// that was invented, and what it refers to is declared wherever the resource is, in the same block or around it.
func fits(fix *model.Fix) bool {
	if strings.Contains(fix.String(), plainTitle) {
		return false
	}
	if fix.Target == nil {
		return true
	}
	at, of := fix.Resource.Place, fix.Target.Place
	if !at.Known() || !of.Known() || at.File != of.File {
		return false
	}
	tree, ds := syntax.Parse(at.File, syntax.Options{})
	if ds.HasErrors() {
		return false
	}
	together := true
	within := func(b syntax.Body) {
		has := func(p source.Place) bool { return b.Braces.Start <= p.Span.Start && p.Span.End <= b.Braces.End }
		together = together && (!has(of) || has(at))
	}
	for _, d := range tree.Defs {
		syntax.Walk(d, func(n syntax.Node) bool {
			switch n := n.(type) {
			case *syntax.Class:
				within(n.Body)
			case *syntax.Define:
				within(n.Body)
			case *syntax.If:
				within(n.Then)
				within(n.Else)
			case *syntax.Option:
				within(n.Then)
			case *syntax.Lambda:
				within(n.Body)
			}
			return true
		})
	}
	return together
}

var windowsPath = regexp.MustCompile(`\b[A-Za-z]:[\\/]`)

// OnceAClass leaves out kinds of invented nodes whose classes are verified on another system, unless all are wanted:
// they are only compiled, and whoever shows the verdicts says so.
func OnceAClass(kinds []*Kind, nodes []Compiled, all bool) []*Kind {
	done := map[string]bool{}
	return slices.DeleteFunc(slices.Clone(kinds), func(k *Kind) bool {
		left := true
		for _, n := range k.Nodes {
			i := nodes[n].Invented
			if i != nil && !i.System.Unix() {
				continue // what is on a fresh machine is not known
			}
			if i == nil {
				left = false
				continue
			}
			of := cmp.Or(i.Class, i.Define)
			if all || of == "" || !done[of] {
				left = false
			}
			done[of] = true
		}
		return left
	})
}

// Gather puts what was found about nodes into a run. A node that was not verified gets a verdict that says nothing.
func Gather(run *report.Run, nodes []Checked) {
	var all []*judge.Verdict
	for i := range nodes {
		n := &nodes[i]
		if n.Verdict == nil {
			n.Verdict = unverified(&n.Compiled)
		}
		run.Nodes = append(run.Nodes, n.Verdict.Node)
		for _, d := range n.Problems {
			run.Add(n.Verdict.Node, d)
		}
		n.Verdict.Tell(run)
		all = append(all, n.Verdict)
	}
	for _, p := range run.Problems {
		if p.Verified() && !judge.HoldsEverywhere(p, all) {
			p.Retract()
		}
	}
	run.Sort()
}

// Spares reports whether the edit that mends a problem does no harm on nodes that were compiled and not verified.
func Spares(p *report.Problem, nodes []Compiled) bool {
	var all []*judge.Verdict
	for i := range nodes {
		all = append(all, unverified(&nodes[i]))
	}
	return !p.Verified() || judge.HoldsEverywhere(p, all)
}

// unverified is the verdict about a node that was not verified: it says nothing.
func unverified(n *Compiled) *judge.Verdict {
	node := &report.Node{Name: n.Name, Failed: n.Catalog == nil}
	if n.Partial {
		node.Unverified = "it compiles with stand-ins for " + Listed(Modules(n.StandIns))
	}
	return &judge.Verdict{Catalog: n.Catalog, Node: node}
}

// Unsaid leaves out of what was read in code without running it what compiles of nodes have said already, of the same
// lines. What is wrong with a file of data or a template is said where it is, however many nodes fail for it elsewhere.
func Unsaid(nodes []Checked, found source.Diagnostics) source.Diagnostics {
	said, beside := map[string]bool{}, map[string]bool{}
	line := func(p source.Place) string { return fmt.Sprint(p.File.Name, p.Line()) }
	for _, n := range nodes {
		all := n.Problems
		if n.Verdict != nil {
			all = slices.Concat(all, n.Verdict.Refused, n.Verdict.Blocked)
		}
		for _, d := range all {
			if d.Place.Known() {
				said[line(d.Place)] = true
			}
			for _, r := range d.Related {
				if r.Place.Known() {
					beside[line(r.Place)] = true
				}
			}
		}
	}
	return slices.DeleteFunc(slices.Clone(found), func(d *source.Diagnostic) bool {
		return d.Place.Known() && (said[line(d.Place)] || beside[line(d.Place)] && !audit.Stays(d.Code))
	})
}
