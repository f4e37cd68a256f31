package model

import (
	"slices"
	"strings"

	"bunraku/verify"
	"bunraku/verify/fs"
)

// archive is the archive module's type: a file from elsewhere, unpacked if that is asked for. It follows the provider:
// what creates names stands for "unpacked"; an archive that is there with the right checksum is not fetched again;
// cleanup removes it once it is unpacked.
func (b *builder) archive(it *item) {
	if !strings.HasPrefix(it.name, "/") {
		it.note(verify.Opaque, "the path %q is not absolute", it.name)
		return
	}
	it.read("path", "filename", "cookie", "checksum", "digest_string", "checksum_url", "digest_url", "digest_type",
		"checksum_verify", "username", "password", "proxy_type",
		"proxy_server", "allow_insecure", "download_options", "extract_flags", "url", "source", "headers")
	p := b.path(it.name)
	source, _ := it.text("source")
	if source == "" {
		source, _ = it.text("url")
	}
	source = strings.TrimPrefix(source, "file://")
	fetched := fs.Term(fs.Str("what " + source + " holds"))
	need := fs.Seq{}
	if strings.HasPrefix(source, "/") {
		from := b.path(source)
		b.sources = append(b.sources, from)
		fetched = fs.ContentOf{Path: from}
		need = append(need, fs.If{Cond: fs.Is{Path: from, Kind: fs.File}, Else: fs.Fail{Why: source + " does not exist"}})
	}
	if dir, ok := it.text("temp_dir"); ok {
		need = append(need, fs.If{Cond: fs.Is{Path: b.path(dir), Kind: fs.Dir},
			Else: fs.Fail{Why: "the temporary directory " + dir + " does not exist"}})
	}
	there := exists(p)
	if e, _ := it.text("ensure"); e == "absent" {
		it.program, it.post = fs.If{Cond: fs.Is{Path: p, Kind: fs.None}, Else: b.removeFile(p)}, fs.Is{Path: p, Kind: fs.None}
		it.read("extract", "extract_path", "target", "extract_command", "creates", "cleanup", "user", "group",
			"checksum_type")
		return
	}
	var good fs.Pred = there
	if kind, ok := it.text("checksum_type"); ok && kind != "none" {
		good = fs.ContentIs(p, fetched)
	}
	unpacked := fs.Pred(fs.Or{})
	creates, hasCreates := it.text("creates")
	if hasCreates {
		unpacked = exists(b.path(creates))
	}
	extract := fs.Expr(fs.Skip{})
	if it.truth("extract", false) {
		into, ok := it.text("extract_path")
		if !ok {
			into, _ = it.text("target")
		}
		extract = b.unpack(it, into, creates)
		it.note(verify.Approximate, "what is in the archive is not known")
	} else {
		it.read("extract_path", "target", "user", "group")
	}
	if c, ok := it.text("extract_command"); ok {
		it.note(verify.Approximate, "its own command to unpack is taken to do no more: %s", shorten(c))
	}
	fetch := append(need, fs.If{Cond: fs.Is{Path: p, Kind: fs.Link}, Then: b.remove(p)}, b.makeFile(p, fetched), extract)
	if hasCreates && it.truth("cleanup", true) {
		fetch = append(fetch, fs.If{Cond: unpacked, Then: b.remove(p)})
	} else {
		it.read("cleanup")
	}
	again := fs.Expr(fs.Skip{})
	if hasCreates {
		again = fs.If{Cond: unpacked, Else: extract}
	}
	it.program = fs.If{Cond: fs.Or{good, fs.And{unpacked, fs.Not{P: there}}}, Then: again, Else: fetch}
}

// unpack puts a tree into a directory: of what is in it only the path that creates names is known.
func (b *builder) unpack(it *item, into, creates string) fs.Expr {
	if !strings.HasPrefix(into, "/") {
		it.note(verify.Opaque, "the directory %q to unpack into is not absolute", into)
		return fs.Skip{}
	}
	dir := b.path(into)
	b.needed = append(b.needed, dir)
	out := fs.Seq{fs.If{Cond: fs.Is{Path: dir, Kind: fs.Dir}, Else: fs.Fail{Why: into + " does not exist"}}}
	if user, ok := it.text("user"); ok {
		out = append(out, b.needAccount("user", user)...)
	}
	it.read("group")
	if creates != "" {
		c := b.path(creates)
		if c.Under(dir) {
			for _, d := range between(dir, c) {
				out = append(out, fs.EnsureDir(d))
			}
		}
		out = append(out, b.says(it, c))
	}
	return append(out, b.unpacked(dir, it.list("creates"))...)
}

// unpacked makes the directories that a tree from elsewhere may have brought along: those below its top in which the
// catalog declares something, which it does not declare itself, and which creates does not speak of. Each is an open
// point.
func (b *builder) unpacked(top fs.Path, creates []string) (out fs.Seq) {
	var wanted, said []fs.Path
	for _, c := range creates {
		said = append(said, b.path(c))
	}
	for q := range b.files {
		d := q.Parent()
		if q.Under(top) && d.Under(top) && b.files[d] == nil && !slices.Contains(wanted, d) &&
			!slices.ContainsFunc(said, func(c fs.Path) bool { return c == d || c.Under(d) }) {
			wanted = append(wanted, d)
		}
	}
	slices.Sort(wanted)
	for _, d := range wanted {
		var make fs.Seq
		for _, up := range append(between(top, d), d) {
			make = append(make, fs.EnsureDir(up))
		}
		if text := "unpacking brings " + string(d); b.accepts("%s", text) {
			out = append(out, make...)
		} else {
			out = append(out, fs.If{Cond: b.point(text), Then: make})
		}
	}
	return out
}

// between are the directories below top that lead to p.
func between(top, p fs.Path) []fs.Path {
	var out []fs.Path
	for d := p.Parent(); d.Under(top); d = d.Parent() {
		out = append([]fs.Path{d}, out...)
	}
	return out
}

// vcsrepo is the vcsrepo module's type: a working copy at a path. It fails on a directory that holds something else,
// unless force is set.
func (b *builder) vcsrepo(it *item) {
	if !strings.HasPrefix(it.name, "/") {
		it.note(verify.Opaque, "the path %q is not absolute", it.name)
		return
	}
	it.read("path", "source", "remote", "branch", "depth", "submodules", "basic_auth_username", "basic_auth_password",
		"identity", "compression", "cvs_rsh", "module", "configuration",
		"fstype", "conflict", "p4config", "mirror", "keep_local_changes", "skip_hooks", "trust_server_cert", "includes",
		"umask", "http_proxy", "safe_directory", "tmpdir")
	p := b.path(it.name)
	ensure, given := it.text("ensure")
	if ensure == "absent" {
		it.program, it.post = b.removeTree(p), fs.Is{Path: p, Kind: fs.None}
		it.read("revision", "owner", "group", "user", "force", "excludes")
		return
	}
	if !given {
		it.note(verify.Approximate, "without ensure only the revision of a working copy that is there is looked after")
	}
	it.note(verify.Approximate, "what is in the working copy is not known")
	it.read("excludes")
	cell, at := "working copy "+it.name, "revision of "+it.name
	b.variable(cell, absent, present)
	is := fs.And{fs.Is{Path: p, Kind: fs.Dir}, fs.VarIs(cell, present)}
	free := fs.Or{fs.Is{Path: p, Kind: fs.None}, fs.EmptyDir{Path: p}}
	clone := fs.Seq{}
	if user, ok := it.text("user"); ok {
		clone = append(clone, b.needAccount("user", user)...)
	}
	if it.truth("force", false) {
		clone = append(clone, b.removeTree(p))
	} else {
		clone = append(clone, fs.If{Cond: free, Else: fs.Fail{Why: it.name + " exists and is no working copy"}})
	}
	clone = append(clone, fs.If{Cond: fs.Is{Path: p, Kind: fs.Dir}, Else: ensureDirs(p)},
		fs.Assign{Var: cell, Value: fs.Str(present)})
	program, post := fs.Seq{fs.If{Cond: is, Else: clone}}, fs.And{is}
	if rev, ok := it.text("revision"); ok || ensure == "latest" {
		if ensure == "latest" {
			rev = "the latest of " + rev
		}
		put, done := set(at, rev)
		program, post = append(program, put), append(post, done)
	}
	attrs, test := b.attrs(it, p, true)
	it.program, it.post = append(program, attrs...), append(post, test...)
}
