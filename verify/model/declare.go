package model

import (
	"slices"
	"strings"

	"bunraku/puppet/catalog"
	"bunraku/puppet/value"
	"bunraku/source"
	"bunraku/verify"
	"bunraku/verify/fs"
)

// What a resource lacks on the fresh machine, and nothing makes, the catalog can often declare: the directory that a
// file lies in, the account that owns it, the file whose lines are looked after. This file finds out what that is, by
// putting one thing after the other on the machine until the resource works, and tries the catalog that declares it. A
// declaration is offered only if that catalog, verified as a whole, has lost the finding and got no other
// (verify-claims §7): a machine on which nothing worked has nothing that could be harmed, but what else is declared
// has.

// maxDeclared bounds what one resource may lack.
const maxDeclared = 6

// lacked is what would have to be declared so that the resource that fails in an order works; nil if nothing that can
// be declared helps.
func (v *verifier) lacked(start *fs.State, s *verify.Success) *Fix {
	fix := &Fix{Resource: v.m.Resources[s.Failed]}
	if v.trial || v.m.from == nil || v.m.from.opt.Packages == Paper {
		return nil
	}
	for range maxDeclared {
		next, d := v.supplied(start, s)
		if next == nil {
			return nil
		}
		fix.Declares = append(fix.Declares, d)
		if v.acts(s, next) {
			return fix
		}
		start = next
	}
	return nil
}

// supplied is a machine with one thing more that a resource lacks, and what declares that thing: one with which the
// resource works, or else one with which it fails for another reason.
func (v *verifier) supplied(start *fs.State, s *verify.Success) (best *fs.State, d *catalog.Resource) {
	why := v.why(v.a, s.Bad, start, s.Failed)
	try := func(put func(*fs.State), declares *catalog.Resource) (works bool) {
		m := start.Clone()
		put(m)
		if declares == nil || !v.a.Space.Satisfies(m) || v.m.from.manages(declares.Type, declares.Title) {
			return false
		}
		works = v.acts(s, m)
		if works || best == nil && v.why(v.a, s.Bad, m, s.Failed) != why {
			best, d = m, declares
		}
		return works
	}
	r := v.m.Resources[s.Failed]
	of := []int{s.Failed}
	for _, x := range v.variables(of) {
		if slices.Contains(v.m.Graph.Init.Closed[x], fs.Text(present)) && start.Var(x) != fs.Text(present) &&
			try(func(m *fs.State) { m.Vars[x] = fs.Text(present) }, v.account(x)) {
			return best, d
		}
	}
	for _, p := range v.touched(of) {
		for up := p.Parent(); !up.IsRoot() && start.At(up).Kind == fs.None; up = up.Parent() {
			if try(func(m *fs.State) { m.Put(up, fs.Dir) }, lackedBy(r, "File", string(up), "directory")) {
				return best, d
			}
		}
	}
	if it := v.m.from.itemAt(r); it == nil || it.rec.Line == nil {
		return best, d
	}
	for _, p := range v.touched(of) {
		if start.At(p).Kind == fs.None &&
			try(func(m *fs.State) { m.Put(p, fs.File) }, lackedBy(r, "File", string(p), "file")) {
			break
		}
	}
	return best, d
}

// acts reports whether the resource that fails in an order does its work on another machine. It must not merely be
// content, since a guard says that there is nothing to do.
func (v *verifier) acts(s *verify.Success, start *fs.State) bool {
	out := v.a.Replay(s.Bad[:slices.Index(s.Bad, s.Failed)+1], start)
	return out.Failed < 0 && slices.Contains(out.Acts, s.Failed)
}

// lackedBy is the declaration of something that somebody lacks. A command is not put after what it needs by itself.
func lackedBy(r *catalog.Resource, typ, title, ensure string) *catalog.Resource {
	d := &catalog.Resource{Type: typ, Title: title, Kind: catalog.CompilableType,
		Params: []catalog.Param{{Name: "ensure", Value: value.String(ensure)}}}
	if r.Type != "File" && r.Type != "User" && r.Type != "Cron" {
		d.Params = append(d.Params, catalog.Param{Name: "before", Value: value.NewArray(value.String(r.Ref()))})
	}
	return d
}

// packaged is the declaration of the package that has a program; nil if no list has it, or several packages do.
func (v *verifier) packaged(r *catalog.Resource, why string) *Fix {
	b := v.m.from
	k := slices.IndexFunc(b.programs, func(x program) bool { return x.lacking() == why })
	if k < 0 || b.opt.Listing == nil || v.trial {
		return nil
	}
	owners, many, err := b.opt.Listing.Owners(string(b.programs[k].at))
	if err != nil || many || len(owners) != 1 {
		return nil
	}
	d := lackedBy(r, "Package", owners[0], "installed")
	if b.manages(d.Type, d.Title) {
		return nil
	}
	return &Fix{Resource: r, Declares: []*catalog.Resource{d}}
}

// account is the declaration of an account by the name of its cell; nil if it is none, or if another one may be meant.
func (v *verifier) account(cell string) *catalog.Resource {
	for _, typ := range []string{"User", "Group"} {
		name, ok := strings.CutPrefix(cell, strings.ToLower(typ)+" ")
		if !ok {
			continue
		}
		var known []string
		for _, it := range v.m.from.ofType(typ) {
			known = append(known, it.name)
		}
		if source.Nearest(name, known) != "" || v.m.from.manages("Package", name) {
			return nil // who installs a package has its account from there
		}
		return &catalog.Resource{Type: typ, Title: name, Kind: catalog.CompilableType,
			Params: []catalog.Param{{Name: "ensure", Value: value.String(present)}}}
	}
	return nil
}

// kept is the declaration of what a command makes in a directory where nothing is left that is not declared; nil if
// that is not what two resources are at odds about. A purge speaks of what the catalog does not manage, so that it
// loses no say in what the catalog does.
func (v *verifier) kept(group []*catalog.Resource) *Fix {
	if len(group) != 2 {
		return nil
	}
	command, dir := group[0], group[1]
	if command.Type != "Exec" {
		command, dir = dir, command
	}
	if it := v.m.from.itemAt(dir); command.Type != "Exec" || dir.Type != "File" || !it.truth("purge", false) {
		return nil
	}
	made := v.witnesses(v.index(command))
	if len(made) != 1 || !made[0].Under(v.m.from.path(v.m.from.itemAt(dir).name)) {
		return nil
	}
	ensure := "file"
	switch op, _ := lastMade(v.m.Graph.Resources[v.index(command)].Program); op.(type) {
	case fs.Mkdir:
		ensure = "directory"
	case fs.Ln:
		return nil
	}
	return &Fix{Resource: command, Declares: []*catalog.Resource{{Type: "File", Title: string(made[0]),
		Kind: catalog.CompilableType, Params: []catalog.Param{{Name: "ensure", Value: value.String(ensure)},
			{Name: "require", Value: value.NewArray(value.String(command.Ref()))}}}}}
}

// offer tries what may help: all of it if that holds together, else what holds one after the other. It never takes back
// what is known: if the budget does not suffice, nothing is offered.
func (v *verifier) offer() {
	if v.trial {
		return
	}
	var fixes []*Fix
	of := map[*Fix][]int{} // the findings that each is for
	for k := range v.r.Findings {
		f := &v.r.Findings[k]
		if f.cure == nil || f.Fix != nil || len(declaredBy(v.m.Catalog.Catalog, f.cure.Resource)) > 1 {
			continue // one edit of words that declare several resources is right for one of them
		}
		i := slices.IndexFunc(fixes, func(x *Fix) bool {
			return slices.ContainsFunc(f.cure.Declares, func(d *catalog.Resource) bool { return x.declared(d) != nil })
		})
		if i < 0 {
			i = len(fixes)
			fixes = append(fixes, f.cure)
		} else {
			fixes[i].join(f.cure.Declares)
		}
		of[fixes[i]] = append(of[fixes[i]], k)
	}
	try := func(list []*Fix) bool {
		if len(list) == 0 || attempt(func() error { return v.holds(list, of) }) != nil {
			return false
		}
		for _, fix := range list {
			fix.Verified = true
			for _, k := range of[fix] {
				v.r.Findings[k].Fix = fix
			}
		}
		return true
	}
	if try(fixes) || len(fixes) == 1 {
		return
	}
	for _, fix := range fixes {
		try([]*Fix{fix})
	}
}

// declared is the resource of a fix that declares the same as another one.
func (f *Fix) declared(d *catalog.Resource) *catalog.Resource {
	k := slices.IndexFunc(f.Declares, func(x *catalog.Resource) bool { return x.Name() == d.Name() })
	if k < 0 {
		return nil
	}
	return f.Declares[k]
}

// join makes a fix declare what others lack, too, each thing once and before all who lack it.
func (f *Fix) join(more []*catalog.Resource) {
	for _, d := range more {
		have := f.declared(d)
		if have == nil {
			f.Declares = append(f.Declares, d)
			continue
		}
		if p := d.Param("before"); p != nil {
			if old := have.Param("before"); old != nil {
				all := append(slices.Clone(old.Value.(*value.Array).Elems), p.Value.(*value.Array).Elems...)
				old.Value = value.NewArray(all...)
			} else {
				have.Params = append(have.Params, *p)
			}
		}
	}
}

// harmful is why a fix is not offered.
type harmful string

func (h harmful) Error() string { return string(h) }

// holds verifies the catalog with fixes in it, and with all that are offered already.
func (v *verifier) holds(fixes []*Fix, of map[*Fix][]int) error {
	all := slices.Clone(fixes)
	for _, f := range v.r.Findings {
		if f.Fix != nil && f.Fix.Verified && !slices.Contains(all, f.Fix) {
			all = append(all, f.Fix)
		}
	}
	m, err := v.m.rewritten(all...)
	if err != nil {
		return err
	}
	w := &verifier{m: m, ctx: v.ctx, opt: v.opt, r: &Report{Model: m}, trial: true}
	if w.a, err = verify.Prepare(m.Graph, v.opt); err != nil {
		return err
	}
	if err := w.ask(); err != nil {
		return err
	}
	may := map[string]bool{}
	for k, f := range v.r.Findings {
		may[f.key()] = f.Fix == nil && !slices.ContainsFunc(fixes, func(x *Fix) bool { return slices.Contains(of[x], k) })
	}
	for _, f := range w.r.Findings {
		if _, known := may[f.key()]; !may[f.key()] && (known || !v.hidden(&f)) {
			return harmful("there is " + f.key())
		}
	}
	if w.r.TooLong || v.r.Deterministic == verify.Yes && w.r.Deterministic != verify.Yes ||
		v.r.Idempotent == verify.Yes && w.r.Idempotent != verify.Yes {
		return harmful("less is known of it")
	}
	return nil
}

// hidden reports whether something is wrong in the catalog as it is, and was not told because no run ends well: an
// agent goes on after a failure, so it happens all the same. Resources that undo each other's work act in the third
// run; what does not keep its state has something to do again right after the first.
func (v *verifier) hidden(f *Finding) bool {
	runs := map[string]int{"V202": 1, "V205": 3}[f.Code]
	if runs == 0 {
		return false
	}
	s, acts := v.m.Graph.Fresh.Clone(), map[catalog.Name]bool{}
	for range runs {
		clear(acts)
		if err := apply(v.m, s, func(r *catalog.Resource, _ int, was fs.Touched, why string) {
			acts[r.Name()] = why == "" && differs(v.m, was, s)
		}, func(*catalog.Resource) {}); err != nil {
			return false
		}
	}
	of := f.Resources
	if f.Code == "V202" {
		of = f.Resources[:1]
		i := slices.IndexFunc(v.m.Resources, func(r *catalog.Resource) bool { return r != nil && r.Name() == of[0].Name() })
		if i < 0 {
			return false
		}
		was, ok := fs.RunInPlace(v.m.Graph.Resources[i].Program, s)
		acts[of[0].Name()] = ok && differs(v.m, was, s)
	}
	return !slices.ContainsFunc(of, func(r *catalog.Resource) bool { return !acts[r.Name()] })
}

// key is what a finding says, and about whom.
func (f *Finding) key() string {
	out := f.Code
	for _, r := range f.Resources {
		out += " " + r.Ref()
	}
	return out
}

// rewritten models the catalog as it is with fixes written into it. It fails if they make a cycle, or refer to what is
// not there.
func (m *Model) rewritten(fixes ...*Fix) (*Model, error) {
	c := m.Catalog.Catalog
	for _, f := range fixes {
		c = f.Applied(c)
	}
	g := catalog.NewGraph(c, m.from.opt.Types)
	var more []catalog.Relation
	for _, f := range fixes {
		if f.Target == nil {
			continue
		}
		relations, ok := f.Relations(c, false)
		if !ok {
			return nil, harmful("it cannot be told what " + f.Value + " means")
		}
		more = append(more, relations...)
	}
	if len(more) > 0 {
		g = g.With(more...)
	}
	if len(g.Cycles()) > 0 {
		return nil, harmful("they make a cycle")
	}
	return Build(g, m.from.opt)
}

// Applied is a catalog with the attribute or the declarations of a fix; what the edit relates is not in it.
func (f *Fix) Applied(old *catalog.Catalog) *catalog.Catalog {
	at := old.Resource(f.Resource.Type, f.Resource.Title)
	if at == nil || f.Target != nil {
		return old
	}
	changed := at
	if f.literal != nil {
		x := *at
		x.Params = append(slices.Clone(at.Params), catalog.Param{Name: f.Attr, Value: f.literal})
		changed = &x
	}
	as := func(x *catalog.Resource) *catalog.Resource {
		if x == at {
			return changed
		}
		return x
	}
	c := *old
	c.Resources, c.Edges = nil, nil
	for _, x := range old.Resources {
		if x == at {
			c.Resources = append(c.Resources, f.Declares...)
		}
		c.Resources = append(c.Resources, as(x))
	}
	for _, e := range old.Edges {
		if e.Target == at {
			for _, d := range f.Declares {
				c.Edges = append(c.Edges, catalog.Edge{Source: as(e.Source), Target: d})
			}
		}
		e.Source, e.Target = as(e.Source), as(e.Target)
		c.Edges = append(c.Edges, e)
	}
	c.Seal()
	return &c
}
