package model

import (
	"slices"
	"strconv"
	"strings"

	"bunraku/verify"
	"bunraku/verify/fs"
)

// home is a user's home directory, as far as the catalog says.
func (b *builder) home(user string) string {
	if user == "root" || user == "" {
		return "/root"
	}
	for _, it := range b.ofType("User") {
		if it.name == user {
			if h, ok := it.text("home"); ok && strings.HasPrefix(h, "/") {
				return h
			}
		}
	}
	return "/home/" + user
}

// userProperties are what an agent looks after about a user; other attributes only say how.
var userProperties = []string{"uid", "gid", "comment", "shell", "home", "password", "password_min_age",
	"password_max_age",
	"password_warn_days", "groups", "expiry", "roles", "keys", "project", "profiles", "auths", "attributes", "loginclass",
	"iterations", "salt"}

// skeleton is what a new home directory gets from /etc/skel.
var skeleton = []string{".bash_logout", ".bashrc", ".profile", ".bash_profile"}

// user is the user type: an entry in the passwd database with its fields, and with managehome a directory.
func (b *builder) user(it *item) {
	cell := "user " + it.name
	first := absent
	if has, _ := b.baseAccount("user", it.name); has {
		first = present
	}
	b.variable(cell, first, absent, present)
	ensure, given := it.text("ensure")
	// Who declares a property of an account wants it to be there: that is the default of ensure then.
	given = given || slices.ContainsFunc(userProperties, func(a string) bool { return it.list(a) != nil })
	managehome := it.truth("managehome", false)
	home := b.path(b.home(it.name))
	switch {
	case ensure == "absent":
		gone := fs.Seq{fs.Assign{Var: cell, Value: fs.Str(absent)}}
		if managehome {
			gone = append(gone, b.removeTree(home))
		}
		it.program, it.post = fs.If{Cond: fs.VarIs(cell, absent), Else: gone}, fs.VarIs(cell, absent)
		it.read("uid", "gid", "groups", "shell", "home", "comment", "password", "membership")
		return
	case !given: // only looked after if it is there
		it.post = fs.True{}
	}
	var make fs.Seq
	if managehome {
		skel := fs.Seq{fs.Mkdir{Path: home}} // behind the directories above it, which useradd makes, too
		for d := home.Parent(); !d.IsRoot(); d = d.Parent() {
			skel = append(fs.Seq{fs.EnsureDir(d)}, skel...)
		}
		for _, f := range skeleton {
			if p := home + "/" + fs.Path(f); b.files[p] != nil {
				skel = append(skel, b.create(p, fs.Str("what /etc/skel/"+f+" holds")))
			}
		}
		// useradd keeps a directory that is there.
		make = append(make, fs.If{Cond: fs.Is{Path: home, Kind: fs.Dir}, Else: skel})
	}
	make = append(make, fs.Assign{Var: cell, Value: fs.Str(present)})
	program, post := fs.Seq{}, fs.And{}
	if given {
		program = append(program, fs.If{Cond: fs.VarIs(cell, present), Else: make})
		post = append(post, fs.VarIs(cell, present))
	}
	fields, test := b.fields(it, cell, "uid", "gid", "shell", "home", "comment", "password", "expiry", "password_max_age",
		"password_min_age", "loginclass", "locked")
	for _, g := range append(it.list("groups"), it.list("gid")...) {
		program = append(program, b.needAccount("group", g)...)
		b.numbered(g)
	}
	for _, g := range it.list("groups") {
		put, done := set(it.name+" in group "+g, "yes")
		fields, test = append(fields, put), append(test, done)
	}
	if m, _ := it.text("membership"); m == "inclusive" {
		it.note(verify.Approximate, "groups that it leaves are not modelled")
	}
	if it.truth("purge_ssh_keys", false) {
		it.note(verify.Approximate, "purge_ssh_keys is not modelled")
	}
	if given {
		it.program, it.post = append(program, fields...), append(post, test...)
		return
	}
	it.program = fs.If{Cond: fs.VarIs(cell, present), Then: append(program, fields...)}
	it.post = fs.Or{fs.VarIs(cell, absent), test}
}

// numbered notes a group that is known by its number only: useradd fails if there is none.
func (b *builder) numbered(gid string) {
	if n, err := strconv.Atoi(gid); err != nil || n < 100 ||
		slices.ContainsFunc(b.ofType("Group"), func(it *item) bool { return it.or("gid", "") == gid }) {
		return
	}
	if !b.accepts("group %s is there", gid) {
		b.open(nil, "group %s is there", gid)
	}
}

// fields gives each attribute a variable of its own.
func (b *builder) fields(it *item, cell string, attrs ...string) (fs.Seq, fs.And) {
	program, test := fs.Seq{}, fs.And{}
	for _, a := range attrs {
		if v := it.list(a); v != nil {
			put, done := set(a+" of "+cell, strings.Join(v, ","))
			program, test = append(program, put), append(test, done)
		}
	}
	return program, test
}

// group is the group type.
func (b *builder) group(it *item) {
	cell := "group " + it.name
	first := absent
	if has, _ := b.baseAccount("group", it.name); has {
		first = present
	}
	b.variable(cell, first, absent, present)
	ensure, _ := it.text("ensure")
	if ensure == "absent" {
		put, done := set(cell, absent)
		it.program, it.post = put, done
		it.read("gid", "members")
		return
	}
	put, done := set(cell, present)
	fields, test := b.fields(it, cell, "gid")
	for _, m := range it.list("members") {
		if b.users[m] {
			fields = append(fields, fs.If{Cond: fs.VarIs("user "+m, absent),
				Then: fs.Fail{Why: "user " + m + " does not exist"}})
		}
		p, d := set(m+" in group "+it.name, "yes")
		fields, test = append(fields, p), append(test, d)
	}
	if len(it.list("members")) > 0 && it.truth("auth_membership", true) {
		it.note(verify.Approximate, "members that it leaves out are not modelled")
	}
	it.program, it.post = append(fs.Seq{put}, fields...), append(fs.And{done}, test...)
}
