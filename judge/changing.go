package judge

import (
	"slices"
	"strings"
	"sync"

	"bunraku/puppet/catalog"
	"bunraku/puppet/facts"
	"bunraku/puppet/record"
	"bunraku/puppet/syntax"
	"bunraku/puppet/value"
	"bunraku/source"
	"bunraku/verify"
	"bunraku/verify/model"
)

// Some code guards a command when the catalog is compiled, not when it is applied:
//
//	unless 'x' in $facts['apt_sources'] { exec { 'add x': … } }
//
// A second run of the same catalog would do it again, but there is none: the next catalog no longer has the command, if
// the run changes the fact. Whether it does, nobody here knows, so that what is found about repetition stays undecided
// there (verify-claims §5), until somebody says that the fact stays as it is. Such a guard is one that stands around
// the declaration itself, or around that of the define that it is in, and asks for a fact that a run may change: one
// that facter does not have of itself, or that tells what catalogs look after. That a class is only included where a
// fact says so is how nodes get their roles, and no guard.

// changeable are facts of facter's own about what catalogs change.
var changeable = []string{"mountpoints", "partitions", "disks", "filesystems", "timezone", "ssh", "zpool_version",
	"zfs_version", "augeas", "augeasversion"}

// ownFacts are the names of facter's own facts, on any system.
var ownFacts = sync.OnceValue(func() map[string]bool {
	out := map[string]bool{}
	for _, s := range facts.Systems {
		for _, name := range s.Names() {
			out[name] = true
		}
	}
	return out
})

// perDevice are the beginnings of facter's old names that have one for each device.
var perDevice = []string{"ipaddress", "ipaddress6", "netmask", "netmask6", "network", "network6", "macaddress", "mtu",
	"scope6", "processor", "blockdevice", "sp_", "ec2_", "gce"}

// mayChange reports whether a run may change a fact.
func mayChange(name string) bool {
	if slices.Contains(changeable, name) {
		return true
	}
	return !ownFacts()[name] && !slices.ContainsFunc(perDevice, func(p string) bool { return strings.HasPrefix(name, p) })
}

// changing turns what is found about repetition into what is not known, where a resource is only there because of a
// fact that the run may change.
func (v *Verdict) changing(rec *record.Record, accepted model.Accepted) {
	g := guards{files: map[*source.File]*guarded{}}
	again := func(f *model.Finding) bool { return f.Code == "V201" || f.Code == "V205" || f.Code == "V206" }
	r := v.Report
	r.Findings = slices.DeleteFunc(r.Findings, func(f model.Finding) bool {
		if !again(&f) {
			return false
		}
		for _, x := range f.Resources {
			fact := g.around(rec, x)
			point := model.Point{Text: "fact " + fact + " stays"}
			switch {
			case fact == "":
				continue
			case slices.Contains(accepted, point.Text):
				if !slices.Contains(r.Model.Accepted, point.Text) {
					r.Model.Accepted = append(r.Model.Accepted, point.Text)
				}
				continue
			}
			r.Unknown = append(r.Unknown, "a second run: "+x.Ref()+" is only declared because of fact "+fact+
				", and nothing known says whether a run changes that")
			if !slices.ContainsFunc(r.Needed, func(p model.Point) bool { return p.Text == point.Text }) {
				r.Needed = append(r.Needed, point)
			}
			return true
		}
		return false
	})
	left := func(code string) bool {
		return slices.ContainsFunc(r.Findings, func(f model.Finding) bool { return f.Code == code })
	}
	if r.Idempotent == verify.No && !left("V201") && len(r.Unknown) > 0 {
		r.Idempotent = verify.Unknown
	}
	if r.Quiet == verify.No && !left("V201") && !left("V205") && !left("V206") && len(r.Unknown) > 0 {
		r.Quiet = verify.Unknown
	}
}

// guards finds what stands around declarations; each file is read once.
type guards struct {
	files map[*source.File]*guarded
}

// guarded is a file with the facts that its variables are made of.
type guarded struct {
	tree *syntax.File
	vars map[string][]string // by the name of a variable, the facts in what it is given; those of the file only
	has  *value.Hash         // the node's facts, or nil
}

// isFact reports whether a variable that the file does not give a value is one of the node's facts.
func (f *guarded) isFact(name string) bool {
	if f.has == nil {
		return false
	}
	_, there := f.has.GetString(name)
	return there
}

// around is a fact that a run may change and because of which a resource is declared; "" if there is none.
func (g *guards) around(rec *record.Record, r *catalog.Resource) string {
	places := []source.Place{r.Place}
	if rec != nil {
		for _, s := range slices.Backward(rec.Via(r)) {
			if !strings.Contains(s.Text, "[") { // a class, or the node
				break
			}
			places = append(places, s.Place)
		}
	}
	for _, p := range places {
		if !p.Known() || p.File.Text == "" {
			continue
		}
		f := g.files[p.File]
		if f == nil {
			f = newGuarded(p.File, rec)
			g.files[p.File] = f
		}
		for _, name := range f.around(p.Span.Start) {
			if mayChange(name) {
				return name
			}
		}
	}
	return ""
}

func newGuarded(file *source.File, rec *record.Record) *guarded {
	f := &guarded{vars: map[string][]string{}}
	if rec != nil {
		f.has = rec.Facts
	}
	f.tree, _ = syntax.Parse(file, syntax.Options{}) // what was compiled can be parsed
	give := func(name string, x syntax.Expr) {
		if x != nil {
			f.vars[name] = append(f.vars[name], f.in(x)...)
		}
		if f.vars[name] == nil {
			f.vars[name] = []string{}
		}
	}
	for _, d := range f.tree.Body.Stmts {
		syntax.Walk(d, func(n syntax.Node) bool {
			switch n := n.(type) {
			case *syntax.Param:
				give(n.Name, n.Default)
			case *syntax.Assign:
				if left, ok := n.Left.(*syntax.Var); ok {
					give(left.Name, n.Right)
				}
			}
			return true
		})
	}
	return f
}

// around lists the facts that decide whether what stands at a place is evaluated, and how often, innermost last.
func (f *guarded) around(at uint32) (out []string) {
	var look func(n syntax.Node)
	look = func(n syntax.Node) {
		if s := n.Span(); at < s.Start || at >= s.End {
			return
		}
		switch n := n.(type) {
		case *syntax.If:
			out = append(out, f.in(n.Test)...)
		case *syntax.Case:
			out = append(out, f.in(n.Test)...)
		case *syntax.Call:
			for _, a := range n.Args {
				if n.Lambda != nil {
					out = append(out, f.in(a)...)
				}
			}
		case *syntax.MethodCall:
			if n.Lambda != nil {
				out = append(out, f.in(n.Functor)...)
			}
		}
		syntax.Children(n, look)
	}
	for _, s := range f.tree.Body.Stmts {
		look(s)
	}
	return out
}

// in lists the facts that an expression asks for, by the names of those at the top.
func (f *guarded) in(x syntax.Node) (out []string) {
	add := func(key syntax.Expr) {
		if s, ok := key.(*syntax.Str); ok {
			name, _, _ := strings.Cut(strings.TrimPrefix(s.Value, "facts."), ".")
			out = append(out, value.Downcase(name))
		}
	}
	isFacts := func(x syntax.Expr) bool {
		v, ok := x.(*syntax.Var)
		return ok && strings.TrimPrefix(v.Name, "::") == "facts"
	}
	syntax.Walk(x, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.Access:
			if isFacts(n.Left) && len(n.Keys) > 0 {
				add(n.Keys[0])
			}
		case *syntax.MethodCall:
			if isFacts(n.Functor.Left) && len(n.Args) > 0 {
				add(n.Args[0])
			}
		case *syntax.Call:
			if name, ok := n.Functor.(*syntax.Name); ok && (name.Value == "fact" || name.Value == "getvar") && len(n.Args) > 0 {
				add(n.Args[0])
			}
		case *syntax.Var:
			top, qualified := strings.CutPrefix(n.Name, "::")
			switch {
			case qualified && !strings.Contains(top, "::") && top != "facts" && top != "trusted":
				out = append(out, top)
			case qualified:
			case f.vars[n.Name] != nil:
				out = append(out, f.vars[n.Name]...)
			case f.isFact(n.Name):
				out = append(out, n.Name)
			}
		}
		return true
	})
	return out
}
