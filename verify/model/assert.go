package model

import (
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"bunraku/source"
	"bunraku/verify"
	"bunraku/verify/fs"
)

// An Assertion is one line of an assertions file: what people want to hold at the end of every run that succeeds,
// whatever the machine was like before and in whichever order the run went.
//
//	[web* db1.example.com]                     for which nodes; all of them above the first such line
//	file /etc/shop/key  mode 0600, owner root  it is there, and like that
//	file /etc/shadow    not world-readable     if it is there
//	path /etc/nginx/sites-enabled/default absent
//	service nginx running
type Assertion struct {
	Place source.Place // the line, without comment
	Nodes []string     // patterns of names, as the shell has them; none for all nodes

	kind, name string
	conditions []condition
}

// Text is the line as it is written, with single blanks.
func (x *Assertion) Text() string { return strings.Join(strings.Fields(x.Place.Text()), " ") }

// About reports whether an assertion is about a node.
func (x *Assertion) About(node string) bool {
	return len(x.Nodes) == 0 || slices.ContainsFunc(x.Nodes, func(pattern string) bool {
		ok, _ := path.Match(pattern, node)
		return ok
	})
}

// A condition is one word of an assertion with its argument.
type condition struct{ word, arg string }

// asserted says, for each kind of thing, which words can be said about it; those with true have an argument.
var asserted = map[string]map[string]bool{
	"file":      attributeWords,
	"directory": attributeWords,
	"path":      attributeWords,
	"link":      {"exists": false, "absent": false, "to": true},
	"package":   {"installed": false, "absent": false},
	"service":   {"running": false, "stopped": false, "enabled": false, "disabled": false},
	"user":      {"exists": false, "absent": false},
	"group":     {"exists": false, "absent": false},
}

var attributeWords = map[string]bool{"exists": false, "absent": false, "mode": true, "owner": true, "group": true,
	"not world-readable": false, "not world-writable": false, "not group-readable": false, "not group-writable": false}

// ParseAssertions reads an assertions file. What it cannot read it reports with its place.
func ParseAssertions(f *source.File) ([]Assertion, source.Diagnostics) {
	p := &assertParser{file: f}
	for line := 1; line <= f.LineCount(); line++ {
		p.line(line)
	}
	return p.out, p.trouble
}

type assertParser struct {
	file    *source.File
	nodes   []string
	out     []Assertion
	trouble source.Diagnostics
}

// A spoken is a word of the file with its place.
type spoken struct {
	text string
	span source.Span
}

func (p *assertParser) fail(at source.Span, help, format string, args ...any) {
	p.trouble = append(p.trouble, &source.Diagnostic{Code: "A0001", Summary: fmt.Sprintf(format, args...),
		Place: source.Place{File: p.file, Span: at}, Help: help})
}

func (p *assertParser) line(n int) {
	start := p.file.Offset(source.Position{Line: n, Column: 1})
	words := splitLine(p.file.Line(n), start)
	if len(words) == 0 {
		return
	}
	whole := words[0].span.Join(words[len(words)-1].span)
	if text := p.file.Slice(whole); strings.HasPrefix(text, "[") {
		if !strings.HasSuffix(text, "]") {
			p.fail(whole, "write [web* db1.example.com]", "the list of nodes is never closed")
			return
		}
		p.nodes = strings.FieldsFunc(text[1:len(text)-1], func(r rune) bool { return strings.ContainsRune(" ,\t", r) })
		for _, g := range p.nodes {
			if _, err := path.Match(g, ""); err != nil {
				p.fail(whole, "a pattern has *, ? and [a-z], as in the shell", "%q is no pattern of node names", g)
			}
		}
		return
	}
	words = slices.DeleteFunc(words, func(w spoken) bool {
		return slices.Contains([]string{"and", "with", "is", "has"},
			w.text)
	})
	kinds := asserted[words[0].text]
	if kinds == nil {
		known := sortedWords(asserted)
		p.fail(words[0].span, nearest(words[0].text, known), "%q is nothing that can be asserted about", words[0].text)
		return
	}
	x := Assertion{Place: source.Place{File: p.file, Span: whole}, Nodes: p.nodes, kind: words[0].text}
	if len(words) < 3 {
		p.fail(whole, "for example: "+x.kind+" NAME "+sortedWords(kinds)[0],
			"an assertion says what, its name, and what holds of it")
		return
	}
	x.name = words[1].text
	if slices.Contains([]string{"file", "directory", "path", "link"}, x.kind) && !strings.HasPrefix(x.name, "/") {
		p.fail(words[1].span, "write it from the root on", "the path %q is not absolute", x.name)
		return
	}
	for i := 2; i < len(words); i++ {
		w := words[i]
		word := w.text
		if (word == "not" || word == "never") && i+1 < len(words) {
			i++
			word, w.span = "not "+words[i].text, w.span.Join(words[i].span)
		}
		takes, ok := kinds[word]
		if !ok {
			p.fail(w.span, nearest(word, sortedWords(kinds)), "%q cannot be said of a %s", word, x.kind)
			return
		}
		c := condition{word: word}
		if takes {
			if i++; i >= len(words) {
				p.fail(w.span, "", "%s needs a value", word)
				return
			}
			c.arg = words[i].text
			if word == "mode" {
				if _, ok := modeBits(c.arg); !ok {
					p.fail(words[i].span, "write it in octal: 0640", "%q is no mode", c.arg)
					return
				}
			}
		}
		x.conditions = append(x.conditions, c)
	}
	p.out = append(p.out, x)
}

// splitLine cuts a line into words at blanks and commas; a # ends it, quotes keep blanks together.
func splitLine(text string, start uint32) []spoken {
	var out []spoken
	for i := 0; i < len(text); {
		switch c := text[i]; {
		case c == ' ' || c == '\t' || c == ',':
			i++
		case c == '#':
			return out
		case c == '\'' || c == '"':
			end := strings.IndexByte(text[i+1:], c)
			if end < 0 {
				end = len(text) - i - 1
			}
			out = append(out, spoken{text[i+1 : i+1+end],
				source.Span{Start: start + uint32(i), End: start + uint32(min(i+end+2, len(text)))}})
			i += end + 2
		default:
			end := strings.IndexAny(text[i:], " \t,")
			if end < 0 {
				end = len(text) - i
			}
			out = append(out, spoken{text[i : i+end], source.Span{Start: start + uint32(i), End: start + uint32(i+end)}})
			i += end
		}
	}
	return out
}

func sortedWords[T any](m map[string]T) []string {
	out := make([]string, 0, len(m))
	for w := range m {
		out = append(out, w)
	}
	slices.Sort(out)
	return out
}

func nearest(word string, known []string) string {
	if n := source.Nearest(word, known); n != "" {
		return "did you mean " + n + "? There are: " + strings.Join(known, ", ")
	}
	return "there are: " + strings.Join(known, ", ")
}

// modeBits are the permissions of a mode that does not depend on what was there: octal, or a symbolic one that sets all
// three classes.
func modeBits(s string) (int, bool) {
	if s != "" && strings.Trim(s, "01234567") == "" {
		n, err := strconv.ParseInt(s, 8, 32)
		return int(n), err == nil
	}
	bits, given := 0, 0
	for part := range strings.SplitSeq(s, ",") {
		who, perms, ok := strings.Cut(part, "=")
		if !ok || strings.Trim(perms, "rwx") != "" {
			return 0, false
		}
		n := 0
		for _, c := range perms {
			n |= map[rune]int{'r': 4, 'w': 2, 'x': 1}[c]
		}
		for _, c := range who {
			switch c {
			case 'u':
				bits, given = bits&^0o700|n<<6, given|4
			case 'g':
				bits, given = bits&^0o070|n<<3, given|2
			case 'o':
				bits, given = bits&^0o007|n, given|1
			case 'a':
				bits, given = n<<6|n<<3|n, 7
			default:
				return 0, false
			}
		}
	}
	return bits, given == 7
}

// A wanted is an assertion about this catalog's node.
type wanted struct {
	Assertion
	pred fs.Pred
	path fs.Path // what it is about, if that is a path
	cell string  // … or a variable
}

// assertions makes the formulas of the assertions that are about this node. Call it when all models are made.
func (b *builder) assertions() {
	b.m.from = b
	var modes []string
	for _, x := range b.opt.Assert {
		if !x.About(b.cg.Catalog.Name) {
			continue
		}
		if modes == nil {
			modes = b.modes()
		}
		b.m.wanted = append(b.m.wanted, b.want(x, modes))
	}
}

// modes are all modes that something can have, beside those nobody has set.
func (b *builder) modes() []string {
	out := []string{"0644", "0755", "0777"}
	var walk func(e fs.Expr)
	walk = func(e fs.Expr) {
		switch e := e.(type) {
		case fs.Seq:
			for _, x := range e {
				walk(x)
			}
		case fs.If:
			walk(e.Then)
			walk(e.Else)
		case fs.SetAttr:
			if c, ok := e.Value.(fs.Const); ok && e.Attr == fs.Mode {
				if s, ok := c.Value.IsText(); ok && !slices.Contains(out, s) {
					out = append(out, s)
				}
			}
		}
	}
	for _, it := range b.items {
		if it != nil {
			walk(it.program)
		}
	}
	return out
}

func (b *builder) want(x Assertion, modes []string) wanted {
	w := wanted{Assertion: x}
	var all fs.And
	switch x.kind {
	case "package":
		w.cell = cellOf(x.name)
		for _, c := range x.conditions {
			p := b.pk.installed(x.name)
			if c.word == "absent" {
				p = fs.Not{P: p}
			}
			all = append(all, p)
		}
	case "service":
		for _, c := range x.conditions {
			w.cell = "service " + x.name
			state := c.word
			if c.word == "enabled" || c.word == "disabled" {
				w.cell, state = "start of service "+x.name, strconv.FormatBool(c.word == "enabled")
				b.variable(w.cell, "false", "true")
			} else {
				b.variable(w.cell, "stopped", "running")
			}
			all = append(all, fs.VarIs(w.cell, state))
		}
	case "user", "group":
		w.cell = x.kind + " " + x.name
		for _, c := range x.conditions {
			p := fs.VarIs(w.cell, absent)
			if c.word == "exists" {
				p = fs.Not{P: p}
			}
			all = append(all, p)
		}
	default:
		w.path = b.path(x.name)
		for _, c := range x.conditions {
			all = append(all, w.about(c, modes))
		}
	}
	w.pred = all
	return w
}

// about is a condition on what is at a path.
func (w *wanted) about(c condition, modes []string) fs.Pred {
	none := fs.Pred(fs.Is{Path: w.path, Kind: fs.None})
	there := fs.Pred(fs.Not{P: none})
	if k := slices.Index([]string{"directory", "file", "link"}, w.kind); k >= 0 {
		there = fs.Is{Path: w.path, Kind: []fs.Kind{fs.Dir, fs.File, fs.Link}[k]}
	}
	mode := func(good func(bits int) bool) fs.Pred {
		var any fs.Or
		for _, m := range modes {
			if bits, ok := modeBits(m); ok && good(bits) {
				any = append(any, fs.Equal{A: fs.AttrOf{Path: w.path, Attr: fs.Mode}, B: fs.Str(m)})
			}
		}
		return any
	}
	without := func(bit int) fs.Pred { return fs.Or{none, mode(func(bits int) bool { return bits&bit == 0 })} }
	switch c.word {
	case "exists":
		return there
	case "absent":
		return none
	case "mode":
		want, _ := modeBits(c.arg)
		return fs.And{there, mode(func(bits int) bool { return bits == want })}
	case "owner":
		return fs.And{there, fs.Equal{A: fs.AttrOf{Path: w.path, Attr: fs.Owner}, B: fs.Str(c.arg)}}
	case "group":
		return fs.And{there, fs.Equal{A: fs.AttrOf{Path: w.path, Attr: fs.Group}, B: fs.Str(c.arg)}}
	case "to":
		return fs.And{there, fs.Equal{A: fs.ContentOf{Path: w.path}, B: fs.Str(c.arg)}}
	case "not world-readable":
		return without(0o004)
	case "not world-writable":
		return without(0o002)
	case "not group-readable":
		return without(0o040)
	default: // not group-writable
		return without(0o020)
	}
}

// assertions reports assertions that do not hold at the end of some run.
func (v *verifier) assertions() error {
	wanted := v.m.wanted
	if len(wanted) == 0 {
		return nil
	}
	list, err := v.a.Asserted(v.ctx, true)
	if err != nil {
		return err
	}
	for i, inv := range list {
		w := &wanted[i]
		switch inv.Verdict {
		case verify.Unknown:
			v.undecided(w, inv.Reason, inv.Modelled)
		case verify.No:
			if m, ok := inv.End.At(w.path).Attrs[fs.Mode].IsText(); ok && w.path != "" {
				if _, read := modeBits(m); !read {
					v.undecided(w, "the mode "+m+" depends on what was there", false)
					continue
				}
			}
			v.r.Findings = append(v.r.Findings, v.broken(w, inv))
		}
	}
	return nil
}

// undecided reports an assertion that was neither proved nor refuted. People have asked for it, so it must not be
// overlooked; unless it holds as far as there are models, which is what can be said of most catalogs.
func (v *verifier) undecided(w *wanted, why string, modelled bool) {
	v.unknown("assertion "+w.Place.String()+" ("+w.Text()+")", why)
	if !modelled {
		v.r.Open = append(v.r.Open, v.r.Unknown[len(v.r.Unknown)-1])
	}
}

// broken makes the finding of an assertion that a run ends without.
func (v *verifier) broken(w *wanted, inv verify.Invariant) Finding {
	f := Finding{Code: "V204", Title: "assertion does not hold", About: w.Text(), At: w.Place}
	var of []int
	for _, i := range inv.Order {
		if r := v.m.Resources[i]; r != nil && (i == inv.Breaker || v.writes(i, w)) {
			of = append(of, i)
		}
	}
	if len(of) > 4 {
		of = of[:4]
	}
	for _, i := range of {
		f.Resources = append(f.Resources, v.m.Resources[i])
	}
	if len(of) == 0 {
		f.Note = "nothing in the catalog sees to it"
	} else if inv.Breaker >= 0 && v.m.Resources[inv.Breaker] != nil {
		f.Note = v.m.Resources[inv.Breaker].Ref() + " undoes it"
	}
	f.Initial = v.describe(inv.Initial, of)
	if w.path != "" && len(of) == 0 {
		if k := inv.Initial.At(w.path).Kind; k != fs.None {
			f.Initial = append(f.Initial, nodeText(w.path, k))
		}
	}
	run := Run{Result: v.ending(w, inv.End)}
	for _, i := range of {
		run.Order = append(run.Order, v.m.Resources[i])
	}
	if len(of) == 0 {
		run.Result = "every run ends so: " + run.Result
	}
	f.Runs = []Run{run}
	return f
}

// writes reports whether a resource changes what an assertion is about, or its surroundings.
func (v *verifier) writes(i int, w *wanted) bool {
	if w.path == "" {
		u := newPaths()
		u.expr(v.m.Graph.Resources[i].Program)
		return u.vars[w.cell]
	}
	found := false
	var walk func(e fs.Expr)
	walk = func(e fs.Expr) {
		var p fs.Path
		switch e := e.(type) {
		case fs.Seq:
			for _, x := range e {
				walk(x)
			}
		case fs.If:
			walk(e.Then)
			walk(e.Else)
		case fs.Mkdir:
			p = e.Path
		case fs.Creat:
			p = e.Path
		case fs.Rm:
			p = e.Path
		case fs.Cp:
			p = e.To
		case fs.Ln:
			p = e.Path
		case fs.SetAttr:
			p = e.Path
		case fs.Clear:
			found = found || w.path.Under(e.Path) && !slices.Contains(e.Keep, w.path)
		}
		found = found || p == w.path
	}
	walk(v.m.Graph.Resources[i].Program)
	return found
}

// ending says what a run leaves of what an assertion is about.
func (v *verifier) ending(w *wanted, end *fs.State) string {
	if w.path == "" {
		return w.cell + " is " + strings.Trim(end.Var(w.cell).String(), "“”")
	}
	n := end.At(w.path)
	text := nodeText(w.path, n.Kind)
	if n.Kind == fs.None {
		return text
	}
	for _, c := range w.conditions {
		a := fs.Mode
		switch c.word {
		case "owner":
			a = fs.Owner
		case "group":
			a = fs.Group
		case "exists", "absent":
			continue
		case "to":
			text += ", to " + strings.Trim(n.Content.String(), "“”")
			continue
		}
		if s, known := n.Attrs[a].IsText(); known {
			text += fmt.Sprintf(", %s %s", a, s)
		} else {
			text += fmt.Sprintf(", %s as it was", a)
		}
	}
	return text
}
