package model

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"bunraku/puppet/catalog"
	"bunraku/puppet/resource"
	"bunraku/puppet/value"
	"bunraku/source"
	"bunraku/verify"
	"bunraku/verify/fs"
)

// notify reports services that go on with an old configuration: a file that the service reads can change in a run, and
// nothing restarts the service (analysis §3, "missing notify"). That a service reads a file is never certain; each
// finding says why it is thought to.
func (v *verifier) notify() error {
	b := v.m.from
	if b.opt.Packages == Paper {
		return nil // Rehearsal's services know no units
	}
	var services []*item
	for _, it := range b.items {
		if it != nil && it.r.Type == "Service" && runs(it) {
			services = append(services, it)
		}
	}
	if len(services) == 0 {
		return nil
	}
	items := map[*catalog.Resource]*item{}
	for _, it := range b.items {
		if it != nil {
			items[it.r] = it
		}
	}
	out := refreshes(b.cg)
	seen := map[string]int{}
	for _, it := range b.items {
		p, ok := b.configures(it)
		if !ok || out.reachesSomebody(it.r) {
			continue
		}
		for _, s := range services {
			if slices.Contains(rereads, serviceName(s)) && !b.onlyAtStart(p, serviceName(s)) {
				continue
			}
			why := b.whyReads(s, p, it, items)
			if why == "" || v.a.Precedes(v.index(s.r), v.index(it.r)) {
				continue // what comes after the service is not what it starts with
			}
			fix, edges := v.words(v.index(s.r), v.index(it.r))
			where := declaration(it.r) + " " + fix.Value
			if k, ok := seen[where]; ok { // declared by the same words: one edit is enough
				if fix.worded {
					v.r.Findings[k].More++
				}
				continue
			}
			seen[where] = len(v.r.Findings)
			for _, e := range edges {
				v.notifies = append(v.notifies, verify.Edge{From: e.To, To: e.From})
			}
			f := v.stale(it, s, p, why, verify.Edge{From: v.index(it.r), To: v.index(s.r)})
			fix.Attr, f.Fix = "notify", fix
			v.r.Findings = append(v.r.Findings, f)
		}
	}
	return v.verifyNotifies()
}

// declaration identifies the words that declare a resource; several resources may share them.
func declaration(r *catalog.Resource) string {
	if r.Place.Known() {
		return r.Place.String()
	}
	return r.Ref()
}

// stale makes the finding, and replays the change.
func (v *verifier) stale(it, s *item, p fs.Path, why string, e verify.Edge) Finding {
	name := serviceName(s)
	f := Finding{Code: "V203", Title: "service not restarted", Warning: true, Resources: []*catalog.Resource{it.r, s.r},
		Note: why}
	start := v.m.Graph.Fresh.Clone()
	if start.At(p).Kind == fs.None {
		start.Put(p, fs.File)
	}
	start.Vars["service "+name] = fs.Text("running")
	order := v.a.Order()
	outcome := v.a.Replay(order, start)
	if outcome.Failed >= 0 || !slices.Contains(outcome.Acts, e.From) {
		// Something else may fail on such a machine: what the file's own resource does is enough.
		outcome = v.a.Replay([]int{e.From}, start)
	}
	if outcome.Failed >= 0 || !slices.Contains(outcome.Acts, e.From) {
		return f
	}
	f.Initial = []string{string(p) + " is older", "service " + name + " is running"}
	run := Run{Order: []*catalog.Resource{it.r, s.r}, Result: fmt.Sprintf("%s changes; %s goes on with the old one", p,
		name)}
	if slices.Index(order, e.From) > slices.Index(order, e.To) {
		slices.Reverse(run.Order)
	}
	f.Runs = []Run{run}
	return f
}

// verifyNotifies tries all these fixes together with those of missing order.
func (v *verifier) verifyNotifies() error {
	if len(v.notifies) == 0 {
		return nil
	}
	fine, err := v.noWorse(slices.Concat(v.fixes, v.notifies))
	if err != nil {
		return err
	}
	for i := range v.r.Findings {
		if f := &v.r.Findings[i]; f.Code == "V203" {
			f.Fix.Verified = fine
		}
	}
	return nil
}

// noWorse reports whether the catalog with more edges has no cycle and keeps every good answer that it has.
func (v *verifier) noWorse(edges []verify.Edge) (bool, error) {
	b, err := v.a.With(edges...)
	if err != nil {
		return false, nil // a cycle
	}
	d, err := b.Determinism(v.ctx)
	if err != nil {
		return false, err
	}
	if d.Verdict == verify.No && (v.r.Deterministic != verify.No || len(v.fixes) > 0) {
		return false, nil
	}
	s, err := b.Success(v.ctx)
	if err != nil {
		return false, err
	}
	if s.Chance == verify.Never && v.r.Success != verify.Never && v.r.Success != verify.ChanceUnknown {
		return false, nil
	}
	i, err := b.Idempotence(v.ctx)
	if err != nil {
		return false, err
	}
	return i.Verdict != verify.No || v.r.Idempotent == verify.No, nil
}

// runs reports whether a service resource keeps its service running.
func runs(it *item) bool {
	e, _ := it.text("ensure")
	return e == "running" || e == "true"
}

func serviceName(it *item) string { return strings.TrimSuffix(it.name, ".service") }

// rereads are services that notice a changed file by themselves, or restart themselves: a file of their own, not the
// options that they are started with.
var rereads = []string{"cron", "crond", "anacron", "puppet", "pe-puppet", "systemd-tmpfiles-setup"}

// onlyAtStart reports whether a file says how a service is started: its unit, what is dropped in beside it, its init
// script, or the variables that these read (Debian's Policy §9.3.2; /etc/sysconfig elsewhere).
func (b *builder) onlyAtStart(p fs.Path, service string) bool {
	return b.isUnit(p) || b.scriptOf(service) == p ||
		slices.Contains([]fs.Path{"/etc/default", "/etc/sysconfig"}, p.Parent()) && path.Base(string(p)) == service
}

// scriptOf is where a service's init script is.
func (b *builder) scriptOf(service string) fs.Path { return b.path("/etc/init.d/" + service) }

// hasUnit reports whether a service is known to have a unit of systemd, which hides an init script of that name.
func (b *builder) hasUnit(service string) bool {
	return slices.ContainsFunc(unitPlaces(service), func(place string) bool {
		p := b.path(place)
		return path.Ext(place) == ".service" && (b.files[p] != nil || b.pk.lists(p) || b.onBase(p))
	})
}

// configures finds the file that a resource writes, if it lies in /etc and its contents can change.
func (b *builder) configures(it *item) (fs.Path, bool) {
	if it == nil {
		return "", false
	}
	var p string
	switch it.r.Type {
	case "File":
		p = it.name
		switch e, _ := it.text("ensure"); e {
		case "directory", "absent", "false":
			return "", false
		}
		if !it.truth("replace", true) || it.r.Get("content") == nil && it.r.Get("source") == nil &&
			it.r.Get("target") == nil {
			return "", false
		}
		if b.path(p).Parent() == b.scriptOf("x").Parent() {
			return b.path(p), true // a script with which a service is started, which is executable
		}
		if mode, ok := it.text("mode"); ok && executable(mode) {
			return "", false
		}
	case "Concat_file":
		p = it.name
		if e, _ := it.text("ensure"); e == "absent" {
			return "", false
		}
	case "Host", "Mailalias", "Sshkey", "Mount", "Ssh_authorized_key", "Cron", "Yumrepo":
		return "", false
	default:
		var ok bool
		if p, _, ok = b.lineOf(it); !ok {
			return "", false
		}
	}
	at := b.path(p)
	if b.isUnit(at) && !strings.HasPrefix(p, "/etc/") {
		return at, true // a unit that the catalog itself puts where packages have theirs
	}
	if !strings.HasPrefix(p, "/etc/") || notForServices(p) {
		return "", false
	}
	return at, true
}

// executable reports whether a mode lets somebody run the file: hooks and scripts are not read when a service starts.
func executable(mode string) bool {
	if strings.Trim(mode, "01234567") != "" {
		return strings.Contains(mode, "x")
	}
	return strings.ContainsAny(mode[max(0, len(mode)-3):], "1357")
}

// notForServices lists what lies in /etc and is read by others: package managers, log rotation, log-in shells, cron.
func notForServices(p string) bool {
	top, _, below := strings.Cut(strings.TrimPrefix(p, "/etc/"), "/")
	switch top {
	case "apt", "yum", "yum.repos.d", "dnf", "pam.d", "security", "profile.d", "sudoers.d", "sysctl.d", "modprobe.d",
		"modules-load.d", "udev",
		"init.d", "rc.d", "alternatives", "skel", "tmpfiles.d", "ld.so.conf.d", "bash_completion.d", "update-motd.d",
		"network", "ssl", "pki", "facter",
		"puppet", "puppetlabs", "logrotate.d", "limits.d":
		return below
	}
	if top == "postfix" && below { // the rest is tables: it looks up what postmap makes of them
		return path.Base(p) != "main.cf" && path.Base(p) != "master.cf"
	}
	if top == "exim4" && below { // likewise: passwords, hosts
		return !strings.Contains(path.Base(p), "conf") && !strings.HasPrefix(p, "/etc/exim4/conf.d/")
	}
	return strings.HasPrefix(top, "cron") || strings.Contains(p, "/logrotate.d/") || slices.Contains(forClients, p)
}

// forClients are files beside a service's own that only client programs read.
var forClients = []string{"/etc/ssh/ssh_config", "/etc/ssh/ssh_known_hosts", "/etc/ldap/ldap.conf",
	"/etc/openldap/ldap.conf", "/etc/mysql/debian.cnf"}

// unitDirs are where systemd looks for units.
var unitDirs = []string{"/etc/systemd/system", "/lib/systemd/system", "/usr/lib/systemd/system"}

// isUnit reports whether a file lies where systemd looks for units.
func (b *builder) isUnit(p fs.Path) bool {
	return slices.ContainsFunc(unitDirs, func(dir string) bool { return p.Under(b.path(dir)) })
}

// whyReads says why a service is thought to read a file when it starts; "" if nothing says so. In this order: its unit;
// what the package lists say of the package that brings its unit; what the catalog itself relates. A name alone is no
// evidence.
func (b *builder) whyReads(s *item, p fs.Path, it *item, items map[*catalog.Resource]*item) string {
	name := serviceName(s)
	stem, _, _ := strings.Cut(name, "@")
	for _, n := range slices.Compact([]string{name, stem, stem + "@"}) {
		for _, dir := range unitDirs {
			unit := b.path(dir + "/" + n + ".service")
			if p == unit || p.Under(unit+".d") {
				return "the file is the unit of service " + name
			}
		}
	}
	if b.isUnit(p) || p.Under("/etc/systemd") {
		return ""
	}
	if script := b.scriptOf(stem); p.Parent() == script.Parent() {
		if p == script && !b.hasUnit(name) && !b.hasUnit(stem+"@") {
			return "the file is the init script of service " + name
		}
		return ""
	}
	direct := b.bringers(name, stem)
	bringers := b.relatives(direct, name)
	for _, pkg := range bringers {
		if b.pk.known[pkg].Config(string(p)) && slices.Contains(b.pk.owners[p], pkg) {
			how := "brings"
			if !slices.Contains(direct, pkg) {
				how = "comes with what brings"
			}
			return fmt.Sprintf("the file is a configuration file of package %s, which %s service %s", pkg, how, name)
		}
	}
	if owners := b.pk.owners[p]; len(owners) > 0 && len(bringers) > 0 {
		return "" // somebody else's
	}
	for _, pkg := range bringers {
		d := p.Parent()
		if _, has := slices.BinarySearch(b.pk.known[pkg].Dirs, string(d)); has && strings.HasPrefix(string(d), "/etc/") &&
			!b.base(d) {
			if !slices.Contains(direct, pkg) {
				return fmt.Sprintf("the file is in %s, which comes with package %s, and that with what brings service %s", d, pkg, name)
			}
			return fmt.Sprintf("the file is in %s, which comes with package %s like service %s", d, pkg, name)
		}
	}
	return b.related(s, it, p, items)
}

// relatives are the packages whose configuration a service of some packages may be taken to read: those, and what they
// depend on and is called alike. An instance of a template says nothing about the package's files, and of several
// services of a package only the one that is called like it does.
func (b *builder) relatives(bringers []string, service string) (out []string) {
	if strings.Contains(service, "@") {
		return nil
	}
	stem := func(s string) string { s, _, _ = strings.Cut(s, "-"); return s }
	for _, pkg := range bringers {
		others := slices.DeleteFunc(b.pk.known[pkg].Services(), func(s string) bool {
			return strings.Contains(s, "@") ||
				s == service
		})
		if len(others) > 0 && !strings.HasPrefix(pkg, strings.TrimSuffix(service, "d")) &&
			!strings.HasPrefix(service, stem(pkg)) {
			continue
		}
		out = append(out, pkg)
		for _, d := range b.pk.needs[pkg] {
			if b.pk.known[d] != nil && stem(d) == stem(pkg) && b.basis[d] == nil && !slices.Contains(out, d) {
				out = append(out, d)
			}
		}
	}
	return out
}

// bringers are the packages, of those whose lists are known, that hold a service's unit or script.
func (b *builder) bringers(names ...string) []string {
	var out []string
	for _, n := range names {
		for _, unit := range []string{"/lib/systemd/system/" + n + ".service", "/usr/lib/systemd/system/" + n + ".service",
			"/lib/systemd/system/" + n + "@.service",
			"/etc/init.d/" + n, "/etc/rc.d/init.d/" + n} {
			for _, pkg := range b.pk.owners[b.path(unit)] {
				if !slices.Contains(out, pkg) {
					out = append(out, pkg)
				}
			}
		}
	}
	return out
}

// related is what the catalog says: the service waits for this very file, or is restarted by its neighbour of the same
// kind.
func (b *builder) related(s, it *item, p fs.Path, items map[*catalog.Resource]*item) string {
	for _, rel := range b.cg.Relations {
		if rel.To != s.r || rel.Auto {
			continue
		}
		if rel.From == it.r && !rel.Kind.Refreshes() {
			return fmt.Sprintf("%s%s", rel, atPlace(rel.Place))
		}
		if !rel.Kind.Refreshes() {
			continue
		}
		if q, ok := b.configures(items[rel.From]); ok && q.Parent() == p.Parent() &&
			path.Ext(string(q)) == path.Ext(string(p)) &&
			path.Ext(string(p)) != "" && q.Parent() != "/etc" && !b.base(q.Parent()) {
			return fmt.Sprintf("%s, which is beside it in %s%s", rel, p.Parent(), atPlace(rel.Place))
		}
	}
	return ""
}

func atPlace(p source.Place) string {
	if !p.Known() {
		return ""
	}
	return " at " + p.String()
}

// A refreshing is where events go: by node, the nodes that are refreshed when it changes.
type refreshing map[catalog.Node][]catalog.Node

func refreshes(g *catalog.Graph) refreshing {
	out := refreshing{}
	for _, l := range g.Links() {
		if l.Refresh {
			out[l.From] = append(out[l.From], l.To)
		}
	}
	return out
}

// reachesSomebody reports whether a change of a resource refreshes a service or a command, through containers and
// through what passes events on. If it does, somebody has thought about who needs to know.
func (out refreshing) reachesSomebody(r *catalog.Resource) bool {
	start := catalog.Node{Resource: r}
	seen := map[catalog.Node]bool{start: true}
	work := []catalog.Node{start}
	for len(work) > 0 {
		n := work[0]
		work = work[1:]
		for _, to := range out[n] {
			if seen[to] {
				continue
			}
			seen[to] = true
			switch {
			case to.End == catalog.Whole && to.Resource.Type == "Exec" && tellsNobody(to.Resource):
				work = append(work, to) // it runs, which is an event of its own
			case to.End == catalog.Whole && (to.Resource.Type == "Service" || to.Resource.Type == "Exec"):
				return true
			case to.End != catalog.Whole || passesOn(to.Resource.Type):
				work = append(work, to)
			}
		}
	}
	return false
}

// tellsNobody reports whether a command is one that restarts no service: what reloads the manager of services leaves
// them as they are.
func tellsNobody(r *catalog.Resource) bool {
	command := r.Title
	if c, ok := r.Get("command").(value.String); ok {
		command = string(c)
	}
	words := strings.Fields(command)
	return len(words) >= 2 && path.Base(words[0]) == "systemctl" && slices.Contains(words[1:], "daemon-reload")
}

// passesOn reports whether a type can be refreshed, and so sends an event on (EventManager#process_events): types
// without a refresh method swallow it.
func passesOn(typ string) bool {
	switch typ {
	case "Mount", "Package", "Anchor", "Ini_setting", "Postgresql_psql", "Cs_commit", "Wait_for":
		return true
	}
	return resource.Known(strings.ToLower(typ)) == nil
}
