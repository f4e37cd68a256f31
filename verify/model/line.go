package model

import (
	"slices"
	"strings"

	"bunraku/value"
	"bunraku/verify"
	"bunraku/verify/fs"
)

const (
	absent  = "absent"
	present = "present"
)

// A line is a part of a file that one resource looks after beside others: a host of /etc/hosts, a key of authorized_keys, a setting of an
// ini file. It has a variable of its own, so that two lines of one file commute as they do on a machine; whoever writes the file as a
// whole writes its lines too. The content of the file is what is beside the lines.
type line struct {
	variable string
	value    string   // when it is there as declared
	words    []string // a text that has all of them on one line has it
}

// declareLine finds the line that a resource looks after.
func (b *builder) declareLine(it *item) {
	path, l, ok := b.lineOf(it)
	if !ok {
		return
	}
	p := b.path(path)
	b.variable(l.variable, absent, l.value, "other")
	b.lines[p] = append(b.lines[p], l)
}

// lineOf says where a resource's line is and what it is.
func (b *builder) lineOf(it *item) (path string, l line, ok bool) {
	get := func(attr, unset string) string {
		if s, ok := it.text(attr); ok {
			return s
		}
		return unset
	}
	all := func() string { // every attribute that says what the line is to be
		var s []string
		for _, p := range it.r.Params {
			if !harmless(it.r.Type, p.Name) && p.Name != "ensure" && p.Name != "target" {
				it.read(p.Name)
				s = append(s, p.Name+"="+strings.Join(it.list(p.Name), " "))
			}
		}
		slices.Sort(s)
		return present + " " + strings.Join(s, " ")
	}
	name := it.name
	switch it.r.Type {
	case "Host":
		return get("target", "/etc/hosts"), line{"host " + name, all(), []string{name, get("ip", "")}}, true
	case "Mailalias":
		return get("target", "/etc/aliases"), line{"mail alias " + name, all(), []string{name + ":"}}, true
	case "Sshkey":
		return get("target", "/etc/ssh/ssh_known_hosts"), line{"host key " + name, all(), []string{name, get("key", "")}}, true
	case "Mount":
		return get("target", "/etc/fstab"), line{"fstab entry " + name, all(), []string{name, get("device", "")}}, true
	case "Ssh_authorized_key":
		user := get("user", "")
		path := get("target", "")
		if path == "" {
			path = b.home(user) + "/.ssh/authorized_keys"
		}
		if path[0] != '/' {
			return "", line{}, false
		}
		return path, line{"key " + name + " in " + path, all(), []string{get("key", name)}}, true
	case "Cron":
		user := get("user", "root")
		dir := "/var/spool/cron/crontabs/"
		if b.redHat() {
			dir = "/var/spool/cron/"
		}
		return dir + user, line{"cron job " + name + " of " + user, all(), []string{get("command", name)}}, true
	case "File_line":
		path, text := get("path", ""), get("line", "")
		if !strings.HasPrefix(path, "/") {
			return "", line{}, false
		}
		it.read("match", "after", "multiple", "append_on_no_match", "replace", "encoding", "match_for_absence", "replace_all_matches_not_matching_line")
		return path, line{"line " + it.r.Title + " of " + path, present + " " + text, []string{text}}, true
	case "Ini_setting", "Ini_subsetting":
		path := get("path", "")
		if !strings.HasPrefix(path, "/") {
			return "", line{}, false
		}
		setting := get("section", "") + "/" + get("setting", "") + "/" + get("subsetting", "")
		return path, line{"setting " + setting + " of " + path, present + " " + get("value", "") + all(), []string{get("setting", ""), get("value", "")}}, true
	case "Yumrepo":
		path := get("target", "/etc/yum.repos.d/"+name+".repo")
		return path, line{"repository " + name, all(), []string{"[" + name + "]"}}, true
	case "Augeas":
		path := get("incl", "")
		if path == "" {
			path = strings.TrimPrefix(get("context", ""), "/files")
		}
		if !strings.HasPrefix(path, "/") {
			return "", line{}, false
		}
		return path, line{"changes " + it.r.Title + " of " + path, all(), nil}, true
	}
	if path, ok := settingFiles[it.r.Type]; ok {
		return path, line{"setting " + it.r.Title + " of " + path, all(), []string{name[strings.LastIndex(name, "/")+1:], get("value", "")}}, true
	}
	return "", line{}, false
}

// settingFiles are types made of ini_setting, with the file that each looks after.
var settingFiles = map[string]string{
	"Ceph_config": "/etc/ceph/ceph.conf", "Cinder_config": "/etc/cinder/cinder.conf", "Glance_api_config": "/etc/glance/glance-api.conf",
	"Glance_cache_config": "/etc/glance/glance-cache.conf", "Glance_image_import_config": "/etc/glance/glance-image-import.conf",
	"Heat_config": "/etc/heat/heat.conf", "Keystone_config": "/etc/keystone/keystone.conf", "Neutron_config": "/etc/neutron/neutron.conf",
	"Neutron_agent_ovs": "/etc/neutron/plugins/ml2/openvswitch_agent.ini", "Neutron_dhcp_agent_config": "/etc/neutron/dhcp_agent.ini",
	"Neutron_l3_agent_config": "/etc/neutron/l3_agent.ini", "Neutron_metadata_agent_config": "/etc/neutron/metadata_agent.ini",
	"Neutron_plugin_ml2": "/etc/neutron/plugins/ml2/ml2_conf.ini", "Nova_config": "/etc/nova/nova.conf",
	"Swift_config": "/etc/swift/swift.conf", "Swift_proxy_config": "/etc/swift/proxy-server.conf",
}

// lineResource models a resource that looks after a line.
func (b *builder) lineResource(it *item) bool {
	path, l, ok := b.lineOf(it)
	if !ok {
		return false
	}
	p := b.path(path)
	ensure, _ := it.text("ensure")
	goal := l.value
	if ensure == "absent" {
		goal = absent
	}
	put, done := set(l.variable, goal)
	need := fs.Seq{}
	switch it.r.Type {
	case "Ssh_authorized_key", "Cron":
		if user, ok := it.text("user"); ok && b.users[user] {
			need = append(need, fs.If{Cond: fs.VarIs("user "+user, absent), Then: fs.Fail{Why: "user " + user + " does not exist"}})
		}
		if it.r.Type == "Ssh_authorized_key" && goal != absent {
			need = append(need, fs.EnsureDir(p.Parent()))
		}
	case "Augeas":
		it.note(verify.Approximate, "its changes are one unknown part of %s", p)
	case "Mount":
		b.mounted(it, &need)
	}
	if goal == absent {
		it.program = fs.If{Cond: done, Else: append(need, put)}
		it.post = done
		return true
	}
	if b.private(p) {
		// Nobody else looks at the file, so only its directory matters.
		b.needed = append(b.needed, p.Parent())
		home := fs.If{Cond: fs.Is{Path: p.Parent(), Kind: fs.Dir}, Else: fs.Fail{Why: string(p.Parent()) + " does not exist"}}
		it.program, it.post = append(need, fs.If{Cond: done, Else: fs.Seq{home, put}}), done
		return true
	}
	here := fs.Is{Path: p, Kind: fs.File}
	it.program = append(need, fs.If{Cond: fs.And{done, here}, Else: fs.Seq{
		fs.If{Cond: fs.Is{Path: p, Kind: fs.Dir}, Then: fs.Fail{Why: string(p) + " is a directory"}},
		// What is not there has no lines, so making it leaves them alone.
		fs.If{Cond: fs.Is{Path: p, Kind: fs.None}, Then: fs.Creat{Path: p, Content: fs.Str("")}},
		put,
	}})
	it.post = fs.And{done, fs.Or{here, fs.Is{Path: p, Kind: fs.Link}}}
	return true
}

// private reports whether a file is spoken of by its lines only: no file resource, package, purge or command names it or what is above it.
func (b *builder) private(p fs.Path) bool {
	if b.files[p] != nil || b.pk.lists(p) {
		return false
	}
	for d := p.Parent(); !d.IsRoot(); d = d.Parent() {
		if it := b.files[d]; it != nil && (it.r.Get("purge") != nil || it.r.Get("force") != nil || value.ToString(it.r.Get("ensure")) != "directory") {
			return false
		}
	}
	if b.spoken == nil {
		b.spoken = map[fs.Path]bool{}
		for _, it := range b.items {
			if it != nil && it.r.Type == "Exec" {
				b.speak(it)
			}
		}
	}
	for d := p; !d.IsRoot(); d = d.Parent() {
		if b.spoken[d] {
			return false
		}
	}
	return true
}

// speak notes the paths in an exec's commands, if they can be read; of others only managed files matter (see unread).
func (b *builder) speak(it *item) {
	cwd, _ := it.text("cwd")
	note := func(text string, read bool) {
		for _, q := range b.named(text) {
			b.spoken[q] = b.spoken[q] || read
		}
	}
	all := commands(it, "command")
	if len(all) == 0 {
		all = []string{it.r.Title}
	}
	for _, text := range all {
		_, ok := b.readCommand(text, cwd)
		note(text, ok)
	}
	for _, text := range append(commands(it, "unless"), commands(it, "onlyif")...) {
		_, ok := b.readTest(text, cwd)
		note(text, ok)
	}
	for _, p := range it.list("creates") {
		b.spoken[b.path(p)] = true
	}
}

// mounted is the other half of mount: the file system itself. The mount point must be there.
func (b *builder) mounted(it *item, program *fs.Seq) {
	ensure, _ := it.text("ensure")
	it.read("remounts", "atboot", "dump", "pass", "blockdevice")
	cell := "mounted " + it.name
	b.variable(cell, "no", "yes")
	switch ensure {
	case "mounted":
		p := b.path(it.name)
		*program = append(*program, fs.If{Cond: fs.Is{Path: p, Kind: fs.Dir}, Then: fs.Assign{Var: cell, Value: fs.Str("yes")}, Else: fs.Fail{Why: "the mount point " + it.name + " does not exist"}})
		it.note(verify.Approximate, "what the file system holds is not modelled")
	case "unmounted", "absent":
		*program = append(*program, fs.Assign{Var: cell, Value: fs.Str("no")})
	}
}

// create makes a file, with the lines that its content has.
func (b *builder) create(p fs.Path, content fs.Term) fs.Expr {
	return b.withLines(p, content, fs.Creat{Path: p, Content: content})
}

// write replaces the content of a file, lines included.
func (b *builder) write(p fs.Path, content fs.Term) fs.Expr {
	return b.withLines(p, content, fs.Write{Path: p, Content: content})
}

// remove deletes what is at p; its lines go with it.
func (b *builder) remove(p fs.Path) fs.Expr { return b.withLines(p, nil, fs.Rm{Path: p}) }

// removeFile is rm: what is at p must be there and no directory.
func (b *builder) removeFile(p fs.Path) fs.Expr {
	b.removed = append(b.removed, p)
	return fs.If{Cond: fs.Is{Path: p, Kind: fs.Dir}, Then: fs.Fail{Why: string(p) + " is a directory"}, Else: b.remove(p)}
}

func (b *builder) withLines(p fs.Path, content fs.Term, e fs.Expr) fs.Expr {
	lines := b.lines[p]
	if len(lines) == 0 {
		return e
	}
	out := fs.Seq{e}
	for _, l := range lines {
		out = append(out, fs.Assign{Var: l.variable, Value: l.in(content)})
	}
	return out
}

// linesAre says that the lines of p are those of a content.
func (b *builder) linesAre(p fs.Path, content fs.Term) fs.And {
	var out fs.And
	for _, l := range b.lines[p] {
		out = append(out, fs.Equal{A: fs.VarOf{Name: l.variable}, B: l.in(content)})
	}
	return out
}

// in is the state of the line in a file with the given content; nil for no file.
func (l line) in(content fs.Term) fs.Term {
	if content == nil {
		return fs.Str(absent)
	}
	c, ok := content.(fs.Const)
	if !ok {
		return fs.Apply{Func: l.variable, Args: []fs.Term{content}}
	}
	text, ok := c.Value.IsText()
	if !ok || len(l.words) == 0 {
		return fs.Str(absent)
	}
	for row := range strings.SplitSeq(text, "\n") {
		if strings.HasPrefix(strings.TrimSpace(row), "#") {
			continue
		}
		if !slices.ContainsFunc(l.words, func(w string) bool { return !strings.Contains(row, w) }) {
			return fs.Str(l.value)
		}
	}
	return fs.Str(absent)
}

// removeTree is rm -rf.
func (b *builder) removeTree(p fs.Path) fs.Expr {
	out := fs.Seq{fs.RemoveTree(p)}
	for _, q := range b.filesWithLines() {
		if q == p || q.Under(p) {
			out = append(out, b.withLines(q, nil, fs.Skip{}))
		}
	}
	return out
}

// clear removes what nobody manages below p.
func (b *builder) clear(p fs.Path) fs.Expr {
	var keep []fs.Path
	for q := range b.files {
		if q.Under(p) {
			keep = append(keep, q)
		}
	}
	slices.Sort(keep)
	out := fs.Seq{fs.Clear{Path: p, Keep: keep}}
	for _, q := range b.filesWithLines() {
		if q.Under(p) && !slices.ContainsFunc(keep, func(k fs.Path) bool { return q == k || q.Under(k) }) {
			out = append(out, b.withLines(q, nil, fs.Skip{}))
		}
	}
	return out
}

func (b *builder) filesWithLines() []fs.Path {
	out := make([]fs.Path, 0, len(b.lines))
	for p := range b.lines {
		out = append(out, p)
	}
	slices.Sort(out)
	return out
}
