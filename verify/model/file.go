package model

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"bunraku/puppet/value"
	"bunraku/verify"
	"bunraku/verify/fs"
)

// surveyLink tells where a link leads that the catalog makes.
func (b *builder) surveyLink(it *item) {
	if it.r.Type != "File" {
		return
	}
	if target, ok := it.text("target"); ok && strings.HasPrefix(target, "/") && strings.HasPrefix(it.name, "/") {
		if e, set := it.text("ensure"); (!set || e == "link") && it.truth("replace", true) {
			b.links[fs.Clean(it.name)] = target
		}
	}
}

// surveyFile tells which path is managed, when all links are known.
func (b *builder) surveyFile(it *item) {
	if !sleeps(it) && strings.HasPrefix(it.name, "/") {
		b.files[b.path(it.name)] = it
	}
}

// fragment is a part of a concat_file, which reads it.
func (b *builder) fragment(it *item) {
	it.passive = true
	for _, p := range it.r.Params {
		it.read(p.Name)
	}
}

// file is the file type: what is at one path. Puppet touches a file without ensure, content and source only if it is
// there.
func (b *builder) file(it *item) {
	if !strings.HasPrefix(it.name, "/") {
		it.note(verify.Opaque, "the path %q is not absolute", it.name)
		return
	}
	p := b.path(it.name)
	ensure, _ := it.text("ensure")
	target, hasTarget := it.text("target")
	content, hasContent, needs := b.content(it)
	force := it.truth("force", false)
	replace := it.truth("replace", true)
	recurse, _ := it.text("recurse")
	purge := it.truth("purge", false)
	it.read("recurselimit", "ignore")
	for _, x := range [][]string{{"links", "manage"}, {"sourceselect", "first"}, {"source_permissions", "ignore"},
		{"checksum", "md5", "md5lite", "sha256", "sha256lite", "sha1", "sha1lite", "sha224", "sha384", "sha512"}} {
		if v, ok := it.text(x[0]); ok && !slices.Contains(x[1:], v) {
			it.note(verify.Approximate, "no model of %s => %s", x[0], v)
		}
	}
	if _, ok := it.text("validate_cmd"); ok {
		it.note(verify.Approximate, "validate_cmd is taken to succeed")
	}
	if strings.HasPrefix(ensure, "/") { // an old way to write a link
		ensure, target, hasTarget = "link", ensure, true
	}
	if ensure == "" && hasTarget {
		ensure = "link"
	}
	source := ""
	if list := it.list("source"); len(list) > 0 {
		source = strings.TrimPrefix(list[0], "file://")
	}
	if ensure == "" && source != "" && recurse != "" && recurse != "false" { // a directory is copied
		ensure = "directory"
	}
	var has *Served
	if it.r.Get("content") == nil && it.r.Get("checksum_value") == nil {
		has = b.served(it)
	}
	if has != nil && has.Kind == fs.None { // agents ask for it first, whatever else is said
		it.program = fs.Fail{Why: "no module has " + strings.Join(it.list("source"), ", ")}
		for _, x := range it.r.Params {
			it.read(x.Name)
		}
		return
	}
	if has != nil && ensure != absent { // a file becomes what its source is
		ensure = map[fs.Kind]string{fs.File: "file", fs.Dir: "directory"}[has.Kind]
		if how := it.or("checksum", ""); how == "mtime" || how == "ctime" {
			b.open(nil, "%s is newer than %s just if it holds something else", source, p)
		}
	}
	if strings.HasPrefix(source, "/") && (ensure == "" || ensure == "directory") && it.r.Get("content") == nil {
		program, post := b.copied(p, b.path(source), force, replace)
		attrs, test := b.attrs(it, p, ensure == "directory")
		it.program, it.post = append(program, attrs...), append(fs.And{post}, test...)
		if ensure == "directory" {
			if !replace && recurse != "" && recurse != "false" {
				it.note(verify.Approximate, "what replace => false keeps below it has no model")
			}
			b.recursion(it, p, recurse, purge && replace, force, source, nil)
		}
		return
	}
	if ensure == "" && hasContent {
		ensure = "file"
	}
	var program fs.Seq
	var post fs.And
	program = append(program, needs...)
	is := func(k fs.Kind) fs.Pred { return fs.Is{Path: p, Kind: k} }
	clearWay := fs.Expr(fs.Fail{Why: string(p) + " is a directory"})
	if force {
		clearWay = b.removeTree(p)
	}
	switch ensure {
	case "absent", "false":
		if !replace { // nothing that is there is touched
			it.program, it.post = fs.Skip{}, fs.True{}
		} else if force {
			program, post = fs.Seq{b.removeTree(p)}, fs.And{is(fs.None)}
		} else {
			// Without force Puppet leaves a directory alone and says so.
			program = fs.Seq{fs.If{Cond: fs.Or{is(fs.File), is(fs.Link)}, Then: b.remove(p)}}
			post = fs.And{fs.Or{is(fs.None), is(fs.Dir)}}
		}
		if replace {
			it.program, it.post = program, post
		}
		it.read("owner", "group", "mode", "content", "source", "recurse", "purge")
		return
	case "directory":
		switch {
		case !replace:
			program, post = append(program, fs.If{Cond: is(fs.None), Then: fs.Mkdir{Path: p}}), append(post, exists(p))
		default:
			program, post = append(program, b.makeDir(p)), append(post, is(fs.Dir))
		}
		b.recursion(it, p, recurse, purge && replace, force, source, has)
	case "link":
		if !hasTarget {
			it.note(verify.Opaque, "a link without a target")
			return
		}
		goal := fs.Str(target)
		good := fs.Pred(fs.And{is(fs.Link), fs.Equal{A: fs.ContentOf{Path: p}, B: goal}})
		if !replace { // links are taken to lead somewhere; a dangling one is made right even so
			good = exists(p)
		}
		program = append(program, fs.If{Cond: good, Else: fs.Seq{
			fs.If{Cond: is(fs.Dir), Then: clearWay},
			fs.If{Cond: fs.Or{is(fs.File), is(fs.Link)}, Then: b.remove(p)},
			fs.Ln{Path: p, Target: goal},
		}})
		it.program, it.post = program, good
		it.read("owner", "group", "mode")
		return
	case "file", "present":
		if !hasContent {
			content = fs.Str("")
		}
		kept := fs.Or{fs.ContentIs(p, content)}
		if !replace {
			kept = append(kept, exists(p))
		}
		program = append(program, b.validator(it, kept)...)
		good := append(fs.And{fs.ContentIs(p, content)}, b.linesAre(p, content)...)
		write := b.write(p, content)
		switch {
		case !replace: // whatever is there stays
			program, post = append(program, fs.If{Cond: is(fs.None), Then: b.create(p, content)}), append(post, exists(p))
		case ensure == "present" && !hasContent:
			program, post = append(program, fs.If{Cond: is(fs.None), Then: b.create(p, content)}), append(post, exists(p))
		case ensure == "present": // only a file gets the content
			program = append(program, fs.If{Cond: is(fs.None), Then: b.create(p, content),
				Else: fs.If{Cond: is(fs.File), Then: write}})
			post = append(post, fs.Or{is(fs.Dir), is(fs.Link), good})
		default:
			program = append(program, fs.If{Cond: is(fs.Dir), Then: clearWay}, fs.If{Cond: is(fs.Link), Then: b.remove(p)})
			if hasContent {
				program, post = append(program, fs.If{Cond: is(fs.None), Then: b.create(p, content), Else: write}),
					append(post, good...)
			} else {
				program, post = append(program, fs.If{Cond: is(fs.None), Then: b.create(p, content)}), append(post, is(fs.File))
			}
		}
	case "":
		// Only what is there is looked after.
		attrs, test := b.attrs(it, p, ensure == "directory")
		it.program = fs.If{Cond: exists(p), Then: attrs}
		it.post = fs.Or{is(fs.None), test}
		b.recursion(it, p, recurse, purge && replace, force, source, has)
		return
	default:
		it.note(verify.Opaque, "ensure => %s has no model", ensure)
		return
	}
	attrs, test := b.attrs(it, p, ensure == "directory")
	it.program = append(program, attrs...)
	it.post = append(post, test...)
}

// needAccount fails while an account that something in the catalog brings is not there.
func (b *builder) needAccount(kind, name string) fs.Seq {
	cell, ok := b.bring(kind, name)
	if !ok {
		return nil
	}
	return fs.Seq{fs.If{Cond: fs.VarIs(cell, absent), Then: fs.Fail{Why: cell + " does not exist"}}}
}

// attrs sets owner, group and mode. An account that the catalog manages must be there.
func (b *builder) attrs(it *item, p fs.Path, dir bool) (fs.Seq, fs.And) {
	var program fs.Seq
	var test fs.And
	for _, x := range []struct {
		name string
		attr fs.Attr
		kind string
	}{{"owner", fs.Owner, "user"}, {"group", fs.Group, "group"}, {"mode", fs.Mode, ""}} {
		v, ok := it.text(x.name)
		if !ok {
			continue
		}
		if x.attr == fs.Mode {
			v = fullMode(v)
			if dir {
				v = searchable(v)
			}
		}
		if v == "0" && x.kind != "" {
			v = "root" // agents compare numbers
		}
		if x.kind != "" {
			program = append(program, b.needAccount(x.kind, v)...)
		}
		program = append(program, fs.SetAttr{Path: p, Attr: x.attr, Value: fs.Str(v)})
		test = append(test, fs.Equal{A: fs.AttrOf{Path: p, Attr: x.attr}, B: fs.Str(v)})
	}
	for _, name := range []string{"seluser", "selrole", "seltype", "selrange"} {
		if v, ok := it.text(name); ok {
			cell := name + " of " + string(p)
			program = append(program, fs.Assign{Var: cell, Value: fs.Str(v)})
			test = append(test, fs.VarIs(cell, v))
		}
	}
	return program, test
}

// searchable is the mode that Puppet gives a directory: who may read it may search it.
func searchable(mode string) string {
	n, err := strconv.ParseUint(mode, 8, 16)
	if err != nil {
		return mode
	}
	return fmt.Sprintf("%04o", n|n&0o444>>2)
}

// fullMode is a mode as agents compare it: four digits. A symbolic one that says everything is a number, too; any other
// stays as it is.
func fullMode(s string) string {
	if n, ok := symbolic(s); ok {
		return fmt.Sprintf("%04o", n)
	}
	if len(s) == 3 && strings.Trim(s, "01234567") == "" {
		return "0" + s
	}
	return s
}

// symbolic is the number of a symbolic mode that says for everybody what they may: u=rw,go=r.
func symbolic(s string) (mode uint64, whole bool) {
	said := map[rune]bool{}
	for part := range strings.SplitSeq(s, ",") {
		who, what, ok := strings.Cut(part, "=")
		if !ok || strings.ContainsAny(what, "+-=ugoX") {
			return 0, false
		}
		if who == "" || strings.Contains(who, "a") {
			who = "ugo"
		}
		for _, w := range who {
			said[w] = true
			shift := map[rune]uint64{'u': 6, 'g': 3, 'o': 0}[w]
			for _, x := range what {
				switch x {
				case 'r', 'w', 'x':
					mode |= map[rune]uint64{'r': 4, 'w': 2, 'x': 1}[x] << shift
				case 's':
					mode |= map[rune]uint64{'u': 0o4000, 'g': 0o2000}[w]
				case 't':
					mode |= 0o1000
				}
			}
		}
	}
	return mode, said['u'] && said['g'] && said['o']
}

// content is what the file is to hold, and what must be there first.
func (b *builder) content(it *item) (t fs.Term, given bool, needs fs.Seq) {
	it.read("content", "source")
	switch v := it.r.Get("content").(type) {
	case nil, value.Undef:
	case value.String:
		return fs.Str(string(v)), true, nil
	default:
		return fs.Str(value.ToString(v)), true, nil
	}
	sources := it.list("source")
	if len(sources) == 0 {
		return nil, false, nil
	}
	if has := b.served(it); has != nil && has.Kind == fs.File {
		return fs.Str(has.Text), true, nil
	}
	if len(sources) > 1 {
		it.note(verify.Approximate, "the first of its sources is taken to be there")
	}
	src := strings.TrimPrefix(sources[0], "file://")
	if !strings.HasPrefix(src, "/") {
		return fs.Str("what " + src + " holds"), true, nil
	}
	from := b.path(src)
	ensure, _ := it.text("ensure")
	if recurse, _ := it.text("recurse"); ensure == "directory" || recurse != "" && recurse != "false" {
		b.folders = append(b.folders, from)
	} else {
		b.sources = append(b.sources, from)
	}
	return fs.ContentOf{Path: from}, true, fs.Seq{fs.If{Cond: fs.Is{Path: from, Kind: fs.File},
		Else: fs.Fail{Why: src + " does not exist"}}}
}

// copied is what a file becomes that has a local source, and no ensure or that of a directory: what the source is,
// whatever ensure says. A source that is a link is copied as one, and must lead somewhere.
func (b *builder) copied(p, from fs.Path, force, replace bool) (fs.Seq, fs.Pred) {
	is := func(p fs.Path, k fs.Kind) fs.Pred { return fs.Is{Path: p, Kind: k} }
	what := fs.ContentOf{Path: from}
	become := fs.Expr(fs.If{Cond: is(from, fs.Dir), Then: b.makeDir(p), Else: fs.Seq{b.way(p, force),
		fs.If{Cond: is(from, fs.File), Then: b.makeFile(p, what), Else: b.makeLink(p, what)}}})
	var post fs.Pred = fs.Or{fs.And{is(from, fs.Dir), is(p, fs.Dir)}, fs.And{is(from, fs.Link), is(p, fs.Link)},
		append(fs.And{is(from, fs.File), fs.ContentIs(p, what)}, b.linesAre(p, what)...)}
	if !replace { // whatever is there stays
		become, post = fs.If{Cond: is(p, fs.None), Then: become}, exists(p)
	}
	return fs.Seq{
		fs.If{Cond: is(from, fs.None), Then: fs.Fail{Why: string(from) + " does not exist"}},
		fs.If{Cond: fs.Or{fs.Not{P: is(from, fs.Link)}, b.followed(from)},
			Else: fs.Fail{Why: string(from) + " leads nowhere"}},
		become,
	}, post
}

// concat is the file that the concat module makes of its fragments.
func (b *builder) concat(it *item) {
	if !strings.HasPrefix(it.name, "/") {
		it.note(verify.Opaque, "the path %q is not absolute", it.name)
		return
	}
	p := b.path(it.name)
	var parts []string
	tag, _ := it.text("tag")
	for _, other := range b.ofType("Concat_fragment") {
		t, _ := other.text("target")
		g, _ := other.text("tag")
		if t == it.name || t == it.r.Title || tag != "" && g == tag {
			order, _ := other.text("order")
			text, _ := other.text("content")
			src, _ := other.text("source")
			parts = append(parts, order+"\x00"+other.r.Title+"\x00"+text+src)
		}
	}
	slices.Sort(parts)
	for _, how := range []string{"order", "ensure_newline", "format"} {
		v, _ := it.text(how)
		parts = append(parts, v)
	}
	content := fs.Str(strings.Join(parts, "\x00"))
	it.read("create_empty_file")
	if _, ok := it.text("validate_cmd"); ok {
		it.note(verify.Approximate, "validate_cmd is taken to succeed")
	}
	if e, _ := it.text("ensure"); e == "absent" {
		it.program, it.post = fs.If{Cond: fs.Is{Path: p, Kind: fs.File}, Then: b.remove(p)},
			fs.Not{P: fs.Is{Path: p, Kind: fs.File}}
		return
	}
	write := b.write(p, content)
	post := append(fs.And{fs.ContentIs(p, content)}, b.linesAre(p, content)...)
	kept := fs.Or{fs.ContentIs(p, content)}
	if !it.truth("replace", true) {
		kept = append(kept, exists(p))
		write, post = fs.Skip{}, fs.And{fs.Is{Path: p, Kind: fs.File}}
	}
	attrs, test := b.attrs(it, p, false)
	way := fs.Expr(fs.Skip{})
	if it.truth("force", false) {
		way = fs.If{Cond: fs.Is{Path: p, Kind: fs.Dir}, Then: b.removeTree(p)}
	}
	it.program = append(append(b.validator(it, kept), way,
		fs.If{Cond: fs.Is{Path: p, Kind: fs.Link}, Then: b.remove(p)},
		fs.If{Cond: fs.Is{Path: p, Kind: fs.None}, Then: b.create(p, content), Else: write}), attrs...)
	it.post = append(post, test...)
}
