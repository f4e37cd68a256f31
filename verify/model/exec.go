package model

import (
	"slices"
	"strings"

	"bunraku/catalog"
	"bunraku/value"
	"bunraku/verify"
	"bunraku/verify/fs"
)

// exec is the exec type: a command behind guards. A command that was read is a program; of any other it is only known what it names, and
// the verdict that includes it is "unknown" at best. A guard that was not read is taken to say, once the command has run, that it need not
// run again: that is what people write guards for.
func (b *builder) exec(it *item) {
	it.read("command", "path", "logoutput", "loglevel", "timeout", "tries", "try_sleep", "environment", "umask", "user", "group", "cwd", "returns", "provider", "refresh")
	command, ok := it.text("command")
	if !ok {
		if list := it.list("command"); len(list) > 0 {
			command = quoteWords(list)
		} else {
			command = it.r.Title
		}
	}
	cwd, _ := it.text("cwd")
	run, known := b.readCommand(command, cwd)
	done := "effect of " + it.r.Ref()
	var guards fs.And
	var guarded, unread bool
	test := func(list []string, want bool) {
		for _, text := range list {
			guarded = true
			p, ok := b.readTest(text, cwd)
			if !ok {
				unread = true
				continue
			}
			if want {
				guards = append(guards, p)
			} else {
				guards = append(guards, fs.Not{P: p})
			}
		}
	}
	test(commands(it, "onlyif"), true)
	test(commands(it, "unless"), false)
	for _, c := range it.list("creates") {
		guarded = true
		p := b.path(c)
		guards = append(guards, fs.Is{Path: p, Kind: fs.None})
	}
	var program fs.Seq
	if user, ok := it.text("user"); ok && b.users[user] {
		program = append(program, fs.If{Cond: fs.VarIs("user "+user, absent), Then: fs.Fail{Why: "user " + user + " does not exist"}})
	}
	if cwd != "" {
		p := b.path(cwd)
		program = append(program, fs.If{Cond: fs.Or{fs.Is{Path: p, Kind: fs.Dir}, fs.Is{Path: p, Kind: fs.Link}}, Else: fs.Fail{Why: cwd + " does not exist"}})
	}
	refreshonly := it.truth("refreshonly", false)
	switch {
	case known:
		program = append(program, run, fs.Act{})
	case guarded || refreshonly:
		it.note(verify.Opaque, "the command is not read: %s", shorten(command))
		program = append(program, b.unread(it, command, cwd)...)
	default:
		it.note(verify.Opaque, "the command is not read and nothing guards it: %s", shorten(command))
		program = append(program, b.unread(it, command, cwd)...)
		program = append(program, fs.Assign{Var: done, Value: fs.Apply{Func: it.r.Ref(), Args: []fs.Term{fs.VarOf{Name: done}}}})
	}
	for _, c := range it.list("creates") {
		// What it says that it creates is there afterwards.
		if p := b.path(c); !known {
			program = append(program, fs.If{Cond: fs.Is{Path: p, Kind: fs.None}, Then: b.create(p, fs.Str("what "+it.r.Ref()+" makes"))})
		}
	}
	if unread {
		b.variable(done, "no", "done")
		guards = append(guards, fs.VarIs(done, "no"))
		program = append(program, fs.Assign{Var: done, Value: fs.Str("done")})
		it.note(verify.Approximate, "a guard is not read; once the command has run it is taken to say no")
	}
	if refreshonly {
		event := eventOf(it.r)
		b.events[event] = fs.Text("no")
		guards = append(guards, fs.VarIs(event, "yes"))
	}
	it.program = fs.Expr(program)
	if len(guards) > 0 {
		it.program = fs.If{Cond: guards, Then: program}
		if !refreshonly {
			it.post = nil
		}
	}
}

// unread is what is known of a command nobody has read: it may change the contents of what it names.
func (b *builder) unread(it *item, command, cwd string) fs.Seq {
	var out fs.Seq
	for _, p := range b.named(command) {
		if b.files[p] == nil && !b.pk.lists(p) {
			continue
		}
		out = append(out, fs.If{Cond: fs.Is{Path: p, Kind: fs.File}, Then: fs.Write{Path: p, Content: fs.Apply{Func: it.r.Ref(), Args: []fs.Term{fs.ContentOf{Path: p}}}}})
	}
	return append(out, fs.Act{})
}

// named are the paths that a text names and that some resource manages.
func (b *builder) named(text string) []fs.Path {
	var out []fs.Path
	for _, w := range strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" \t\n\"'`;|&<>()=,", r) }) {
		if strings.HasPrefix(w, "/") && len(w) > 1 {
			if p := b.path(w); !slices.Contains(out, p) {
				out = append(out, p)
			}
		}
	}
	if len(out) > 0 && strings.HasPrefix(text, "/") {
		out = out[1:] // the command itself
	}
	return out
}

// commands is an attribute that holds one command, several, or several as lists of words.
func commands(it *item, attr string) []string {
	it.read(attr)
	a, ok := it.r.Get(attr).(*value.Array)
	if !ok {
		return it.list(attr)
	}
	var out []string
	for _, e := range a.Elems {
		if words, ok := e.(*value.Array); ok {
			var list []string
			for _, w := range words.Elems {
				list = append(list, value.ToString(w))
			}
			out = append(out, quoteWords(list))
		} else {
			out = append(out, value.ToString(e))
		}
	}
	return out
}

func quoteWords(words []string) string {
	var out []string
	for _, w := range words {
		out = append(out, "'"+strings.ReplaceAll(w, "'", `'\''`)+"'")
	}
	return strings.Join(out, " ")
}

func shorten(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if r := []rune(s); len(r) > 60 {
		return string(r[:59]) + "…"
	}
	return s
}

func eventOf(r *catalog.Resource) string { return "event for " + r.Ref() }

// eventTargets finds, for every resource, the refreshonly execs that its changes reach: through containers, never through another resource.
func (b *builder) eventTargets() map[*catalog.Resource][]string {
	targets := map[*catalog.Resource][]string{}
	if len(b.events) == 0 {
		return targets
	}
	back := map[catalog.Node][]catalog.Node{}
	for _, l := range b.cg.Links() {
		if l.Refresh {
			back[l.To] = append(back[l.To], l.From)
		}
	}
	for _, it := range b.items {
		if it == nil {
			continue
		}
		event := eventOf(it.r)
		if _, ok := b.events[event]; !ok {
			continue
		}
		seen := map[catalog.Node]bool{}
		work := []catalog.Node{{Resource: it.r}}
		for len(work) > 0 {
			n := work[0]
			work = work[1:]
			for _, from := range back[n] {
				if seen[from] {
					continue
				}
				seen[from] = true
				if from.End == catalog.Whole {
					targets[from.Resource] = append(targets[from.Resource], event)
				} else {
					work = append(work, from)
				}
			}
		}
	}
	return targets
}

// withEvents makes a program that also tells the execs it notifies when it has changed something.
func (b *builder) withEvents(it *item, events []string) fs.Expr {
	if len(events) == 0 || it.passive {
		return it.program
	}
	var tell fs.Seq
	for _, e := range events {
		tell = append(tell, fs.Assign{Var: e, Value: fs.Str("yes")})
	}
	if it.post != nil {
		return fs.If{Cond: it.post, Else: append(fs.Seq{it.program}, tell...)}
	}
	if guarded, ok := it.program.(fs.If); ok && guarded.Else == nil {
		return fs.If{Cond: guarded.Cond, Then: append(fs.Seq{guarded.Then}, tell...)}
	}
	return append(fs.Seq{it.program}, tell...)
}
