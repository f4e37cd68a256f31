package model

import (
	"slices"
	"strings"

	"bunraku/puppet/catalog"
	"bunraku/puppet/value"
	"bunraku/verify"
	"bunraku/verify/fs"
)

// A reading is what is known of an exec.
type reading struct {
	program fs.Expr
	shell   *shell
	unread  []string // guards
	guarded bool
	only    bool // refreshonly
	// It unpacks an archive without the directory at its root, and that is the directory which is to say that it ran.
	stripped bool
}

// exec is the exec type: a command behind guards. A command that was read is a program; of any other it is only known
// what it names, and the verdict that includes it is "unknown" at best. A guard that was not read is taken to say, once
// the command has run, that it need not run again: that is what people write guards for.
func (b *builder) exec(it *item) {
	r := b.readExec(it)
	it.program = r.program
	switch {
	case len(r.shell.unread) == 0:
	case r.shell.long:
		it.note(verify.Opaque, "the command is not read: it takes more than %d looks or %d operations: %s", maxCommandWork,
			maxCommand,
			shorten(strings.Join(r.shell.unread, "; ")))
	case r.guarded || r.only:
		it.note(verify.Opaque, "the command is not read: %s", shorten(strings.Join(r.shell.unread, "; ")))
	default:
		it.note(verify.Opaque, "the command is not read and nothing guards it: %s",
			shorten(strings.Join(r.shell.unread, "; ")))
	}
	for _, n := range r.shell.beside {
		it.note(verify.Approximate, "%s", n)
	}
	if r.shell.once && !r.guarded && !r.only {
		it.note(verify.Opaque, "nothing guards it, and nobody knows whether it changes something again")
	}
	for _, g := range r.unread {
		it.note(verify.Approximate, "a guard is not read; once the command has run it is taken to say no: %s", shorten(g))
	}
	if r := it.list("returns"); len(r) > 0 && !slices.Equal(r, []string{"0"}) {
		it.note(verify.Approximate, "a command that fails is taken to return one of %s", strings.Join(r, ", "))
	}
	for _, a := range []string{"refresh", "umask"} {
		if v, ok := it.text(a); ok && !(a == "refresh" && r.only) {
			it.note(verify.Approximate, "no model of %s => %s", a, shorten(v))
		}
	}
}

// effectOf is the cell of what a command does that nobody has read.
func effectOf(r *catalog.Resource) string { return "effect of " + r.Ref() }

// readExec reads the commands of an exec.
func (b *builder) readExec(it *item) reading {
	it.read("command", "environment", "user", "group", "cwd")
	command, ok := it.text("command")
	if !ok {
		if list := it.list("command"); len(list) > 0 {
			command = quoteWords(list)
		} else {
			command = it.name
		}
	}
	s := b.newShell(it)
	out := reading{shell: s, only: it.truth("refreshonly", false)}
	otherwise := fs.Expr(fail)
	if r := it.list("returns"); len(r) > 0 && !slices.Equal(r, []string{"0"}) {
		otherwise = fs.Skip{}
	}
	done := effectOf(it.r)
	var guards fs.And
	test := func(list []string, want bool) {
		for _, text := range list {
			out.guarded = true
			p, ok := s.readTest(text)
			if !ok {
				out.unread = append(out.unread, text)
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
	var creates []fs.Path
	for _, c := range it.list("creates") {
		out.guarded = true
		p := b.path(c)
		creates = append(creates, p)
		guards = append(guards, fs.Is{Path: p, Kind: fs.None})
	}
	var program fs.Seq
	if user, ok := it.text("user"); ok {
		program = append(program, b.needAccount("user", user)...)
	}
	if group, ok := it.text("group"); ok {
		program = append(program, b.needAccount("group", group)...)
	}
	if s.cwd != "" {
		p := b.path(s.cwd)
		program = append(program, fs.If{Cond: fs.Or{fs.Is{Path: p, Kind: fs.Dir}, fs.Is{Path: p, Kind: fs.Link}},
			Else: fs.Fail{Why: s.cwd + " does not exist"}})
	}
	does := s.program(command, otherwise)
	program = append(program, b.needProgram(it, s, command)...)
	program = append(program, does, fs.Act{})
	if len(s.unread) > 0 && !out.guarded && !out.only {
		program = append(program, fs.Assign{Var: done,
			Value: fs.Apply{Func: it.r.Ref(), Args: []fs.Term{fs.VarOf{Name: done}}}})
	}
	if len(s.unread)+len(s.beside) > 0 {
		for _, p := range creates {
			if out.stripped = slices.Contains(s.strips, p); !out.stripped {
				program = append(program, b.says(it, p))
			}
		}
	}
	if len(out.unread) > 0 {
		b.variable(done, "no", "done")
		guards = append(guards, fs.VarIs(done, "no"))
		program = append(program, fs.Assign{Var: done, Value: fs.Str("done")})
	}
	if out.only {
		event := eventOf(it.r)
		b.events[event] = fs.Text("no")
		guards = append(guards, fs.VarIs(event, "yes"))
	}
	out.program = program
	if len(guards) > 0 {
		out.program = fs.If{Cond: guards, Then: program}
	}
	return out
}

// says makes what an exec says that it creates, if nothing that was read of its command has made it: a directory if
// something is managed below it.
func (b *builder) says(it *item, p fs.Path) fs.Expr {
	make := b.create(p, fs.Str("what "+it.r.Ref()+" makes"))
	for q := range b.files {
		if q.Under(p) {
			make = fs.Mkdir{Path: p}
			break
		}
	}
	return fs.If{Cond: fs.Is{Path: p, Kind: fs.None}, Then: append(b.leading(p), make)}
}

// leading are the directories that lead to what a command is said to create, below the last that something else looks
// after: who makes the one makes the other.
func (b *builder) leading(p fs.Path) (out fs.Seq) {
	for d := p.Parent(); !d.IsRoot() && b.files[d] == nil && !b.base(d) && !b.pk.lists(d); d = d.Parent() {
		out = append(fs.Seq{fs.EnsureDir(d)}, out...)
	}
	return out
}

// named are the paths that a text names and that some resource manages.
func (b *builder) named(text string) []fs.Path {
	var out []fs.Path
	for _, w := range strings.FieldsFunc(text, func(r rune) bool {
		return strings.ContainsRune(" \t\n\"'`;|&<>()=,",
			r)
	}) {
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

// eventTargets finds, for every resource, the refreshonly execs that its changes reach: through containers, never
// through another resource.
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

// withEvents makes the whole program of a resource, which also tells the execs it notifies when it has changed
// something.
func (b *builder) withEvents(it *item, events []string) fs.Expr {
	var body fs.Seq
	if it.sweep != nil {
		body = it.sweep.body
	}
	if len(events) == 0 || it.passive {
		if len(body) == 0 {
			return it.program
		}
		return append(fs.Seq{it.program}, body...)
	}
	var tell fs.Seq
	for _, e := range events {
		tell = append(tell, fs.Assign{Var: e, Value: fs.Str("yes")})
	}
	out := append(fs.Seq{it.program}, tell...)
	if it.post != nil {
		out = fs.Seq{fs.If{Cond: it.post, Else: out}}
	} else if guarded, ok := it.program.(fs.If); ok && guarded.Else == nil {
		out = fs.Seq{fs.If{Cond: guarded.Cond, Then: append(fs.Seq{guarded.Then}, tell...)}}
	}
	for _, e := range body {
		out = append(out, telling(e, tell))
	}
	if len(out) == 1 {
		return out[0]
	}
	return out
}

// telling adds news to every place of a program that changes something. The program must look before it acts.
func telling(e fs.Expr, tell fs.Seq) fs.Expr {
	switch e := e.(type) {
	case nil, fs.Skip, fs.Fail, fs.Act, fs.Assign:
		return e
	case fs.Clear: // what nobody names may not be there; its end is no news
		return e
	case fs.If:
		return fs.If{Cond: e.Cond, Then: telling(e.Then, tell), Else: telling(e.Else, tell)}
	case fs.Seq:
		out := make(fs.Seq, len(e))
		for i, x := range e {
			out[i] = telling(x, tell)
		}
		return out
	}
	return append(fs.Seq{e}, tell...)
}
