package model

import (
	"maps"
	"path"
	"slices"
	"strings"

	"bunraku/puppet/catalog"
	"bunraku/puppet/value"
	"bunraku/verify"
	"bunraku/verify/fs"
)

// This file has what a reader of a catalog wants to know beside the paper's questions: which commands run in every run,
// which never do, and which packages come from sources that are not there yet.

// again reports what a run does although the one before has left everything as it should be (verify-claims §5),
// replayed on the fresh machine: resources that undo and redo each other's work (V205), and commands that run every
// time (V206). Both leave the machine as it was, which is idempotent in the paper's sense, and still not what people
// call it. Commands that only look, or bring an index up to date, are left out.
func (v *verifier) again() error {
	b := v.m.from
	if b.opt.Packages == Paper {
		return nil // Rehearsal's question is another one
	}
	acts, order := v.actsAgain()
	told := map[*catalog.Resource]bool{}
	for _, f := range v.r.Findings {
		for _, r := range f.Resources {
			told[r] = told[r] || f.Code == "V201"
		}
	}
	unread := map[string]bool{} // changed by somebody of whom is not known exactly what he does
	for _, it := range b.items {
		if it != nil && it.exact != verify.Exact {
			for _, c := range acts[it.r] {
				unread[c] = true
			}
		}
	}
	var flapping []*catalog.Resource
	seen := map[string]int{}
	for _, it := range b.items {
		if it == nil || told[it.r] || sleeps(it) || it.passive || it.r.Type == "Notify" || b.rations(it) {
			continue
		}
		cells, again := acts[it.r]
		var r reading
		if it.r.Type == "Exec" {
			r = b.readExec(it)
		}
		switch {
		case r.only:
			continue
		case len(cells) > 0 && it.exact == verify.Exact:
			if !slices.ContainsFunc(cells, func(c string) bool { return unread[c] }) {
				flapping = append(flapping, it.r)
			}
			continue
		case it.r.Type != "Exec" || b.harmlessCommand(it, r.shell) ||
			r.guarded && !r.stripped && (!again || it.exact != verify.Exact):
			continue
		}
		if k, ok := seen[declaration(it.r)]; ok {
			v.r.Findings[k].More++
			continue
		}
		if len(seen) == maxFindings {
			v.r.Partial = true
			break
		}
		seen[declaration(it.r)] = len(v.r.Findings)
		f := Finding{Code: "V206", Title: "runs every time", Warning: true, Resources: []*catalog.Resource{it.r},
			Note: "nothing guards it: add creates, onlyif or unless, or refreshonly with somebody who notifies it"}
		if r.guarded {
			f.Note = "what its guards ask for is never true: nothing makes it so"
		}
		if r.stripped {
			f.Note = "what creates names is called like the archive, whose first directory is left out when it is unpacked"
		}
		if again {
			f.Runs = []Run{{Result: "works"}, {Result: "runs the command again"}}
			f.Evidence = v.evidence(v.m.Graph.Fresh, order)
		}
		if text, ok := b.textGuard(it.r); ok {
			f.cure = &Fix{Resource: it.r, Attr: "unless", Value: quoted(text), literal: value.String(text)}
		}
		v.r.Findings = append(v.r.Findings, f)
	}
	for _, group := range together(flapping, acts) {
		f := Finding{Code: "V205", Title: "flaps", Resources: group[:min(len(group), 4)],
			Evidence: v.evidence(v.m.Graph.Fresh, order),
			Note:     "one undoes what the other does, in every run",
			Runs:     []Run{{Result: "works"}, {Result: "changes something, and ends where it began"}},
			cure:     v.kept(group)}
		if len(group) == 1 {
			f.Note = "it changes " + acts[group[0]][0] + " back, in every run"
		}
		v.r.Findings = append(v.r.Findings, f)
	}
	return nil
}

// together sorts resources into groups that change the same cells.
func together(list []*catalog.Resource, cells map[*catalog.Resource][]string) (out [][]*catalog.Resource) {
	var in []map[string]bool
	for _, r := range list {
		into := -1
		for k := 0; k < len(out); k++ {
			if !slices.ContainsFunc(cells[r], func(c string) bool { return in[k][c] }) {
				continue
			}
			if into < 0 {
				into = k
				continue
			}
			out[into] = append(out[into], out[k]...)
			maps.Copy(in[into], in[k])
			out, in = slices.Delete(out, k, k+1), slices.Delete(in, k, k+1)
			k--
		}
		if into < 0 {
			into = len(out)
			out, in = append(out, nil), append(in, map[string]bool{})
		}
		out[into] = append(out[into], r)
		for _, c := range cells[r] {
			in[into][c] = true
		}
	}
	return out
}

// actsAgain are the resources that act in the third run from the fresh machine, if the second one has left everything
// as the first one did, with the cells that each of them changes, and the order of these runs. Where a run fails, or a
// second one changes something, that has been told; what acts again is then looked for with the guards that commands
// lack, and with the order that is missing.
func (v *verifier) actsAgain() (out map[*catalog.Resource][]string, order []int) {
	tries := []*verifier{v}
	if v.guarded != nil && len(v.guarded.m.Resources) == len(v.m.Resources) {
		tries = append(tries, v.guarded)
	}
	if last := tries[len(tries)-1]; len(v.fixes) > 0 {
		if a, err := last.a.With(v.fixes...); err == nil {
			tries = append(tries, &verifier{m: last.m, a: a})
		}
	}
	for _, w := range tries {
		if acts, ok := w.thirdRun(); ok {
			out = map[*catalog.Resource][]string{}
			for i, cells := range acts {
				if r := v.m.Resources[i]; r != nil {
					out[r] = cells
				}
			}
			return out, w.a.Order()
		}
	}
	return nil, v.a.Order()
}

// thirdRun is who acts in the third run, by number, if the second one has left everything as the first one did.
func (v *verifier) thirdRun() (out map[int][]string, ok bool) {
	order := v.a.Order()
	first := v.a.Replay(order, v.m.Graph.Fresh)
	if first.Failed >= 0 {
		return nil, false
	}
	second := v.a.Replay(order, first.State)
	if second.Failed >= 0 || len(v.a.Space.Diff(first.State, second.State)) > 0 {
		return nil, false
	}
	out = map[int][]string{}
	third := v.a.Replay(order, second.State)
	s := v.a.Space.Begin(second.State)
	for _, i := range order {
		if !slices.Contains(third.Acts, i) {
			fs.Perform(v.m.Graph.Resources[i].Program, s)
			continue
		}
		before := s.Clone()
		fs.Perform(v.m.Graph.Resources[i].Program, s)
		out[i] = []string{}
		for _, d := range v.a.Space.Diff(before, s) {
			out[i] = append(out[i], d.Cell)
		}
	}
	return out, true
}

// harmlessCommand reports whether nobody minds how often a command runs: it only looks, or brings an index up to date.
func (b *builder) harmlessCommand(it *item, s *shell) bool {
	command := it.name
	if c, ok := it.text("command"); ok {
		command = c
	}
	name, ok := s.programOf(command)
	if !ok {
		return false
	}
	words := strings.Fields(command)
	switch path.Base(name) {
	case "true", ":", "echo", "test", "[", "grep", "egrep", "cat", "ls", "sleep", "logger", "printf", "exit", "false",
		"stat", "id", "which":
		return !strings.Contains(command, ">")
	case "apt-get", "apt", "aptitude":
		return slices.Contains(words, "update")
	case "yum", "dnf":
		return slices.Contains(words, "makecache") || slices.Contains(words, "check-update")
	case "systemctl":
		return slices.Contains(words, "daemon-reload")
	case "ldconfig", "mandb", "update-ca-certificates", "depmod":
		return true
	}
	return false
}

// dead reports commands that wait for an event that never comes.
func (v *verifier) dead() error {
	b := v.m.from
	told := map[*catalog.Resource]bool{}
	for _, l := range b.cg.Links() {
		if l.Refresh && l.Relation != nil && l.To.Resource != nil {
			told[l.To.Resource] = true
		}
	}
	for _, it := range b.ofType("Exec") {
		if !it.truth("refreshonly", false) || told[it.r] || sleeps(it) {
			continue
		}
		reached := false
		for _, up := range b.cg.Catalog.Containers(it.r) { // who notifies a container notifies what is in it
			reached = reached || told[up]
		}
		if reached {
			continue
		}
		v.r.Findings = append(v.r.Findings, Finding{Code: "V209", Title: "never runs", Warning: true, Alone: true,
			Resources: []*catalog.Resource{it.r},
			Note:      "it waits to be notified (refreshonly), and nothing notifies it"})
	}
	return nil
}

// repositories lowers what is proved where a package may come from a source of the catalog that is not ordered before
// it: with apt, and an update after the source and before the package, since apt does not look by itself (verify-claims
// §4).
func (v *verifier) repositories() error {
	b := v.m.from
	v.r.Latest = slices.ContainsFunc(b.ofType("Package"),
		func(it *item) bool { e, _ := it.text("ensure"); return e == "latest" })
	if b.opt.Packages == Paper {
		return nil
	}
	var sources, updates []int
	for _, it := range b.items {
		if it == nil || sleeps(it) {
			continue
		}
		switch it.r.Type {
		case "File", "Concat_file":
			e, _ := it.text("ensure")
			dir := path.Dir(it.name)
			if it.aptSource() || e != absent && e != "directory" && (dir == "/etc/yum.repos.d" || dir == "/etc/zypp/repos.d") {
				sources = append(sources, v.index(it.r))
			}
		case "Yumrepo", "Zypprepo":
			sources = append(sources, v.index(it.r))
		case "Exec":
			command := it.name
			if c, ok := it.text("command"); ok {
				command = c
			}
			if strings.Contains(command, "apt") && slices.Contains(strings.Fields(command), "update") {
				updates = append(updates, v.index(it.r))
			}
		}
	}
	if len(sources) == 0 {
		return nil
	}
	var open []string
	for _, it := range b.ofType("Package") {
		if !systemProvider(it) || sleeps(it) || b.pk.known[it.name] != nil || b.removes(it.name) || b.inArchive(it.name) {
			continue
		}
		p := v.index(it.r)
		ready := func(s int) bool {
			if !strings.HasPrefix(b.itemAt(v.m.Resources[s]).name, "/etc/apt/") {
				return v.a.Precedes(s, p)
			}
			return slices.ContainsFunc(updates, func(u int) bool { return v.a.Precedes(s, u) && v.a.Precedes(u, p) })
		}
		if b.sourceSettled(it, func(s fs.Path) bool {
			return slices.ContainsFunc(sources, func(i int) bool {
				return b.path(b.itemAt(v.m.Resources[i]).name) == s &&
					ready(i)
			})
		}) {
			continue
		}
		if k := slices.IndexFunc(sources, func(s int) bool { return !ready(s) }); k >= 0 &&
			!b.accepts("package %s is in the archive", it.name) {
			open = append(open, "whether "+it.r.Ref()+" comes from "+v.m.Resources[sources[k]].Ref())
		}
	}
	if len(open) == 0 {
		return nil
	}
	why := "nothing known says " + strings.Join(open[:min(len(open), 3)], "; ")
	why += ", which nothing puts in place before it"
	if v.r.Deterministic == verify.Yes {
		v.r.Deterministic = verify.Unknown
		v.unknown("determinism", why)
	}
	if v.r.Success == verify.Always || v.r.Success == verify.Sometimes {
		v.r.Success = verify.ChanceUnknown
		v.unknown("success from a fresh machine", why)
	}
	return nil
}

// itemAt is the item of a resource.
func (b *builder) itemAt(r *catalog.Resource) *item {
	for _, it := range b.ofType(r.Type) {
		if it.r == r {
			return it
		}
	}
	return nil
}
