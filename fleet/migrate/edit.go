package migrate

import (
	"iter"
	"path"
	"regexp"
	"slices"
	"strings"

	"bunraku/puppet/syntax"
	"bunraku/source"
)

var (
	unknownVariable = regexp.MustCompile(`Unknown variable: '([\w:]+)'`)
	undefinedInData = regexp.MustCompile(`Undefined variable '([\w:]+)'`)
	coerced         = regexp.MustCompile(`The string '.*' was automatically coerced to the numerical value`)
	keyTwice        = regexp.MustCompile(`The key '(?s:.*)' is declared more than once`)
	notPairs        = regexp.MustCompile(`wrong array length at \d+ \(expected 2, was 1\)`)
	noDataHash      = regexp.MustCompile(`^(.*): file does not contain a valid yaml hash`)
	hiera3          = regexp.MustCompile(`hiera\.yaml version 3 cannot be used in an? \w+`)
)

// candidates are sets of edits, each of which may take the trouble away that a compile came to; the best ones first.
// What is dear to look for comes last, and only if somebody gets as far.
func (t *try) candidates(now *outcome) iter.Seq[set] {
	return func(yield func(set) bool) {
		going := true
		give := func(s set) {
			if going && len(s.edits) > 0 {
				going = yield(s)
			}
		}
		t.known(now, give)
		if !going {
			return
		}
		var all []edit
		for _, f := range now.read {
			all = append(all, t.oldFacts(f)...)
		}
		give(set{edits: all, loose: true})
	}
}

// known gives the edits for errors whose words are known.
func (t *try) known(now *outcome, give func(set)) {
	add := func(edits ...edit) { give(set{edits: edits}) }
	loose := func(edits ...edit) { give(set{edits: edits, loose: true}) }
	if d := now.failure; d != nil {
		at := d.Place.Outer()
		var tree *tree
		if at.Known() {
			tree = parseTree(at.File)
		}
		unknown := unknownVariable.FindStringSubmatch(d.Summary)
		undefined := undefinedInData.FindStringSubmatch(d.Summary)
		switch {
		case unknown != nil && tree != nil:
			add(t.oldFacts(at.File)...) // all of them are to go some day
			for _, v := range tree.variables(unknown[1], at) {
				for _, read := range t.reads(strings.TrimPrefix(unknown[1], "::")) {
					add(tree.instead(v, read))
				}
				add(tree.instead(v, "getvar('"+unknown[1]+"')"))
			}
		case undefined != nil:
			for _, r := range d.Related {
				loose(t.inData(r.Place.Outer(), undefined[1])...)
			}
			for _, f := range now.read {
				loose(t.inData(source.Place{File: f}, undefined[1])...)
			}
			for _, f := range now.read {
				loose(inRuby(f, undefined[1])...)
			}
		case coerced.MatchString(d.Summary) && at.Known():
			if tree != nil {
				at.Span = tree.operand(at.Span)
			}
			add(edit{file: at.File, at: at.Span, text: "Numeric(" + at.Text() + ")"})
		case keyTwice.MatchString(d.Summary):
			for _, f := range now.read {
				for _, edits := range keysTwice(f) {
					add(edits...)
				}
			}
		case notPairs.MatchString(d.Summary) && tree != nil:
			add(tree.pairs(at)...)
		case hiera3.MatchString(d.Summary):
			for _, f := range now.read {
				if path.Base(f.Name) == "hiera.yaml" {
					add(whole(f, "---\nversion: 5\nhierarchy: []\n"))
				}
			}
		case noDataHash.MatchString(d.Summary):
			for _, f := range now.read {
				if name := noDataHash.FindStringSubmatch(d.Summary)[1]; strings.HasSuffix(f.Name, "/"+path.Base(name)) {
					add(whole(f, "--- {}\n"))
				}
			}
		}
	}
}

func whole(f *source.File, text string) edit {
	return edit{file: f, at: source.Span{End: uint32(len(f.Text))}, text: text}
}

// A tree is the code of a file, with what stands around each part of it.
type tree struct {
	file   *source.File
	whole  *syntax.File
	all    []syntax.Node
	parent map[syntax.Node]syntax.Node
}

// parseTree reads a manifest or a template, nil if the file is neither.
func parseTree(f *source.File) *tree {
	parse := syntax.Parse
	switch path.Ext(f.Name) {
	case ".epp":
		parse = syntax.ParseEPP
	case ".pp":
	default:
		return nil
	}
	file, _ := parse(f, syntax.Options{Language: source.Puppet7})
	if file == nil {
		return nil
	}
	t := &tree{file: f, whole: file, parent: map[syntax.Node]syntax.Node{}}
	var walk func(n, parent syntax.Node)
	walk = func(n, parent syntax.Node) {
		t.all, t.parent[n] = append(t.all, n), parent
		syntax.Children(n, func(c syntax.Node) { walk(c, n) })
	}
	for _, n := range tops(file) {
		walk(n, nil)
	}
	return t
}

// tops are the outermost parts of a file.
func tops(f *syntax.File) (out []syntax.Node) {
	if f.Epp != nil {
		return []syntax.Node{f.Epp}
	}
	for _, e := range f.Body.Stmts {
		out = append(out, e)
	}
	return out
}

func (t *tree) text(n syntax.Node) string {
	at := n.Span()
	return t.file.Text[at.Start:at.End]
}

// variables are the reads of a variable at a place, or somewhere in the line if the place is not exact.
func (t *tree) variables(name string, at source.Place) (out []*syntax.Var) {
	line := at.Line()
	for _, n := range t.all {
		v, is := n.(*syntax.Var)
		if !is || strings.TrimPrefix(v.Name, "::") != strings.TrimPrefix(name, "::") {
			continue
		}
		if v.Span() == at.Span {
			return []*syntax.Var{v}
		}
		if (source.Place{File: t.file, Span: v.Span()}).Line() == line {
			out = append(out, v)
		}
	}
	return out
}

// instead is the edit that reads something else in place of a variable. In a text, a variable may stand without braces,
// and without the dollar within them.
func (t *tree) instead(n syntax.Expr, read string) edit {
	at := n.Span()
	if in, is := t.parent[n].(*syntax.Text); is && !in.Braced {
		return edit{file: t.file, at: in.Span(), text: "${" + strings.TrimPrefix(read, "$") + "}"}
	}
	if t.file.Text[at.Start] != '$' {
		read = strings.TrimPrefix(read, "$")
	}
	return edit{file: t.file, at: at, text: read}
}

// operand is the span of what is to be a number: not the minus before it.
func (t *tree) operand(at source.Span) source.Span {
	for _, n := range t.all {
		if u, is := n.(*syntax.Unary); is && u.Span() == at {
			return u.X.Span()
		}
	}
	return at
}

// keysTwice are the edits for the first hash of a file in which a key comes again.
func keysTwice(f *source.File) [][]edit {
	t := parseTree(f)
	if t == nil {
		return nil
	}
	for _, d := range syntax.Validate(t.whole, syntax.Options{Language: source.Puppet8, Strict: source.StrictError}) {
		if keyTwice.MatchString(d.Summary) {
			return t.keyTwice(d.Place)
		}
	}
	return nil
}

// keyTwice are the edits for a hash in which a key comes again. As a rule the value of the last one counts, at the
// place of the first: the value is moved there. Where two keys are the same for the later language alone, the hash is
// cut in two.
func (t *tree) keyTwice(at source.Place) (sets [][]edit) {
	for _, n := range t.all {
		h, is := n.(*syntax.Hash)
		if !is {
			continue
		}
		i := slices.IndexFunc(h.Entries, func(e *syntax.Entry) bool {
			s := e.Key.Span()
			return s == at.Span || s.Start <= at.Span.Start && at.Span.End <= s.End
		})
		if i < 0 {
			continue
		}
		again := h.Entries[i]
		for j := range h.Entries {
			first := h.Entries[j]
			if j == i || t.text(first.Key) != t.text(again.Key) {
				continue
			}
			first, last := h.Entries[min(i, j)], h.Entries[max(i, j)]
			sets = append(sets, []edit{{file: t.file, at: first.Value.Span(), text: t.text(last.Value)},
				{file: t.file, at: t.withComma(last)}})
		}
		if i > 0 {
			before := h.Entries[i-1].Span().End
			cut := edit{file: t.file, at: source.Span{Start: before, End: again.Span().Start}, text: " } + { "}
			sets = append(sets, []edit{cut})
			span := h.Span()
			sets = append(sets, []edit{{file: t.file, at: source.Span{Start: span.Start, End: span.Start}, text: "("}, cut,
				{file: t.file, at: source.Span{Start: span.End, End: span.End}, text: ")"}})
		}
	}
	return sets
}

// withComma is the span of an entry that is to go, with what separates it from the entry before it.
func (t *tree) withComma(e *syntax.Entry) source.Span {
	at := e.Span()
	text := t.file.Text
	for at.Start > 0 && strings.ContainsRune(" \t\r\n", rune(text[at.Start-1])) {
		at.Start--
	}
	if at.Start > 0 && text[at.Start-1] == ',' {
		at.Start--
	}
	return at
}

// pairs has every part of an array that is added to a hash be a key and a value.
func (t *tree) pairs(at source.Place) (set []edit) {
	for _, n := range t.all {
		b, is := n.(*syntax.Binary)
		if is && b.Op.String() == "+" && (b.OpAt == at.Span.Start || b.Span() == at.Span || b.Right.Span() == at.Span) {
			end := b.Right.Span().End
			set = append(set, edit{file: t.file, at: source.Span{Start: end, End: end},
				text: ".map |$pair| { [$pair[0], $pair[1]] }"})
		}
	}
	return set
}
