package lsp

import (
	"context"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"time"

	"bunraku/audit"
	"bunraku/fleet"
	"bunraku/fleet/migrate"
	"bunraku/puppet/compiler"
	"bunraku/source"
)

// A message may say what somebody is likely to have meant. That is a guess; it becomes an edit only after it was tried:
// laid over the files it takes the problem away, and brings no other.

var (
	meant = regexp.MustCompile(`did you mean \$?([A-Za-z_][A-Za-z0-9_:]*)`)
	words = regexp.MustCompile(`[A-Za-z_][A-Za-z0-9_]*(::[A-Za-z_][A-Za-z0-9_]*)*`)
)

// modernFacts is what an edit is called that reads facts by their new names, all of those that a compile comes to.
const modernFacts = "read facts by their new names"

// guess is the edit that a message proposes; ok is false if it proposes none. The facts are those of the chosen nodes.
func guess(d *source.Diagnostic, nodes []fleet.Node) (fix source.Fix, ok bool) {
	for _, n := range nodes {
		if x := migrate.ModernFact(d, n.Facts); x != nil {
			return source.Fix{Message: modernFacts, Edits: []source.Edit{*x}}, true
		}
	}
	m := meant.FindStringSubmatch(d.Help)
	if m == nil || !d.Place.Known() {
		return fix, false
	}
	// What the message shows of the place says where to look first: the attribute of a resource, not its whole statement.
	for _, r := range d.Related {
		if p := r.Place; p.File == d.Place.File && d.Place.Span.Start <= p.Span.Start && p.Span.End <= d.Place.Span.End {
			if span, word := nearest(d, p, m[1]); word != "" {
				return write(m[1], word, source.Place{File: p.File, Span: span}), true
			}
		}
	}
	span, word := nearest(d, d.Place, m[1])
	if word == "" {
		return fix, false
	}
	return write(m[1], word, source.Place{File: d.Place.File, Span: span}), true
}

// write is the edit that writes one word for another.
func write(right, wrong string, at source.Place) source.Fix {
	return source.Fix{Message: "write " + right + " for " + wrong, Edits: []source.Edit{{Place: at, Text: right}}}
}

// nearest is the word of a place that a message is about and that is most like the right one, where it stands first; ""
// if there is none.
func nearest(d *source.Diagnostic, in source.Place, right string) (source.Span, string) {
	text := in.File.Slice(in.Span)
	spans := map[string]source.Span{}
	var list []string
	for _, at := range words.FindAllStringIndex(text, 200) {
		word := text[at[0]:at[1]]
		if _, seen := spans[word]; !seen && word != right {
			spans[word] = source.Span{Start: in.Span.Start + uint32(at[0]), End: in.Span.Start + uint32(at[1])}
			list = append(list, word)
		}
	}
	// Only the word that the message is about: it names it, or there is no other. A place may be a whole statement that
	// does not have it, such as that of a resource whose attribute a default misspells elsewhere.
	if len(list) > 1 {
		named := words.FindAllString(d.Summary, -1)
		list = slices.DeleteFunc(list, func(word string) bool { return !slices.Contains(named, word) })
	}
	word := source.Nearest(right, list)
	return spans[word], word
}

// tried makes an edit that takes a problem away and brings no other: the one that was guessed, with more of its kind if
// a compile then comes to the next fact with an old name. The chosen nodes are tried first, then all, or as many as may
// be. It gives the texts of files with the edit made, by path, and what it was tried on; "" if that is all nodes.
func (at *spot) tried(ctx context.Context, fix source.Fix, problem *source.Diagnostic) (texts map[string]string,
	on string, ok bool) {
	before, _, err := at.folder.view()
	if err != nil {
		return nil, "", false
	}
	texts = map[string]string{}
	var files []*entry
	for _, x := range fix.Edits {
		p := at.path(x.Place.File)
		e := at.byPath[p]
		if e == nil || texts[p] != "" || e.file.Text != x.Place.File.Text {
			return nil, "", false
		}
		texts[p] = edited(e, []source.Edit{x})
		files = append(files, e)
	}
	chosen, err := at.nodes(ctx, before)
	if err != nil || !at.helps(ctx, before, chosen, texts, fix, problem) {
		return nil, "", false
	}
	nodes, of, err := at.sample(ctx, before, files)
	switch {
	case err != nil:
		return nil, "", false
	case of == len(nodes):
		return texts, "", of == len(chosen) || at.helps(ctx, before, nodes, texts, fix, problem)
	}
	after, err := source.NewOverlay(before, texts)
	if err != nil {
		return nil, "", false
	}
	count := 0
	for began := time.Now(); count < len(nodes) && time.Since(began) < longTried; {
		const atOnce = 16
		batch := nodes[count:min(count+atOnce, len(nodes))]
		if at.harms(ctx, before, after, batch, said(problem)) {
			return nil, "", false
		}
		count += len(batch)
	}
	return texts, fmt.Sprintf("tried on %d of %d nodes", count, of), true
}

// longTried is how long an edit is tried on nodes that were not chosen, if they are many.
const longTried = 2 * time.Second

// harms reports whether nodes have problems after an edit that they have not before. One that does not compile for the
// problem that is mended may come to another one behind it.
func (at *spot) harms(ctx context.Context, before, after source.Files, nodes []fleet.Node, mended string) bool {
	was, err := at.catalogs(ctx, before, nodes)
	if err != nil {
		return true
	}
	is, err := at.catalogs(ctx, after, nodes)
	if err != nil || len(is) != len(was) {
		return true
	}
	for i := range was {
		had := map[string]bool{}
		for _, d := range was[i].Problems {
			had[said(d)] = true
		}
		if was[i].Catalog == nil && had[mended] {
			continue
		}
		if is[i].Catalog == nil && was[i].Catalog != nil ||
			slices.ContainsFunc(is[i].Problems, func(d *source.Diagnostic) bool { return !had[said(d)] }) {
			return true
		}
	}
	return false
}

// helps reports whether an edit takes a problem of some nodes away and brings no other. A node that fails says one
// thing at a time: what it says next may have been there as well. So what a message supposes of that is laid over the
// files, too, and so on until nothing is left; or it is known to be there already. The edit itself stays as it is, but
// that one which reads facts by their new names takes all of them.
func (at *spot) helps(ctx context.Context, before source.Files, nodes []fleet.Node, texts map[string]string,
	fix source.Fix, problem *source.Diagnostic) bool {
	key, behind := said(problem), &further{spot: at, nodes: nodes, texts: maps.Clone(texts), kept: texts}
	for _, x := range fix.Edits {
		start := x.Place.Span.Start
		behind.edited = append(behind.edited, source.Place{File: x.Place.File,
			Span: source.Span{Start: start, End: start + uint32(len(x.Text))}})
	}
	for round := range mostOld {
		after, err := source.NewOverlay(before, behind.texts)
		if err != nil {
			return false
		}
		was, err := at.problems(ctx, before, nodes, behind.texts)
		if err != nil {
			return false
		}
		is, err := at.problems(ctx, after, nodes, behind.texts)
		if err != nil || ctx.Err() != nil {
			return false
		}
		had, has := standing(was), standing(is)
		gone := len(has[key]) == 0 || len(has[key]) < len(had[key]) // others may say the same elsewhere
		if round == 0 && !gone && fix.Message != modernFacts && common(had[key], has[key]) {
			return false // what is behind it is no help: it stands where it stood
		}
		var fresh []*source.Diagnostic
		fine := gone
		for _, d := range is {
			if len(has[said(d)]) > len(had[said(d)]) || !gone && said(d) == key {
				fresh = append(fresh, d)
				fine = fine && at.stays(d, is, had, fix.Edits)
			}
		}
		if fine && fix.Message != modernFacts || !behind.mend(fresh, fix.Message == modernFacts) {
			return fine
		}
	}
	return false
}

// mostOld is how many facts with old names one edit takes away.
const mostOld = 60

// ofWords are the codes of what is wrong whatever the values are: a variable or function that is not there. No edit of
// another word leads to it, but for one that makes code run which has not.
var ofWords = map[string]bool{"E0252": true, "E0301": true}

// stays reports whether a problem was there before: it is one of a word that is none of those of the edits, or another
// word for one that stands at the same place.
func (at *spot) stays(d *source.Diagnostic, is []*source.Diagnostic, had map[string]map[string]bool,
	edits []source.Edit) bool {
	if ofWords[d.Code] && d.Place.Known() && !slices.ContainsFunc(edits, func(x source.Edit) bool {
		return slices.Contains(words.FindAllString(d.Summary, -1), x.Text)
	}) {
		return true
	}
	return d.Place.Known() && slices.ContainsFunc(is, func(x *source.Diagnostic) bool {
		return said(x) != said(d) && len(had[said(x)]) > 0 && x.Place.Known() &&
			at.path(x.Place.File) == at.path(d.Place.File) && x.Place.Span.Start < d.Place.Span.End &&
			d.Place.Span.Start < x.Place.Span.End
	})
}

// A further mends what comes behind a problem, for a trial.
type further struct {
	*spot
	nodes  []fleet.Node
	texts  map[string]string // with all that is mended
	kept   map[string]string // with what becomes part of the edit
	edited []source.Place    // what is to stay as it is
}

// mend makes the edit of the first of some problems that has one; with keep, what reads a fact by its new name is part
// of the whole.
func (f *further) mend(fresh []*source.Diagnostic, keep bool) bool {
	for _, d := range fresh {
		fix, ok := guess(d, f.nodes)
		if !ok {
			continue
		}
		x := fix.Edits[0]
		p, text := f.path(x.Place.File), x.Place.File.Text
		if e := f.byPath[p]; e == nil || !f.own(p) || text != f.texts[p] && (f.texts[p] != "" || text != e.file.Text) {
			continue
		}
		if slices.ContainsFunc(f.edited, func(o source.Place) bool {
			return f.path(o.File) == p && o.Span.Start < x.Place.Span.End && x.Place.Span.Start < o.Span.End
		}) {
			continue
		}
		mended := text[:x.Place.Span.Start] + x.Text + text[x.Place.Span.End:]
		if keep && fix.Message == modernFacts && f.kept[p] == f.texts[p] {
			f.kept[p] = mended
		}
		f.texts[p] = mended
		for i, o := range f.edited {
			if f.path(o.File) == p && x.Place.Span.End <= o.Span.Start {
				by := uint32(len(x.Text) - x.Place.Span.Len())
				f.edited[i].Span = source.Span{Start: o.Span.Start + by, End: o.Span.End + by}
			}
		}
		return true
	}
	return false
}

// said is a problem without its place, which an edit moves.
func said(d *source.Diagnostic) string { return d.Code + " " + d.Summary }

// standing are the places at which each problem stands; one that stands nowhere is at "".
func standing(list []*source.Diagnostic) map[string]map[string]bool {
	out := map[string]map[string]bool{}
	for _, d := range list {
		if out[said(d)] == nil {
			out[said(d)] = map[string]bool{}
		}
		out[said(d)][d.Place.String()] = true
	}
	return out
}

// common reports whether two sets have a place in common.
func common(a, b map[string]bool) bool {
	for place := range a {
		if b[place] {
			return true
		}
	}
	return false
}

// problems are the problems of some files and nodes in a view, and what can be told of code that no node comes to.
func (at *spot) problems(ctx context.Context, view source.Files, nodes []fleet.Node, files map[string]string) (
	out []*source.Diagnostic, err error) {
	for p := range files {
		_, list, err := at.ws.Parse(view, p, fleet.IsPlan(p))
		if err != nil {
			return nil, err
		}
		out = append(out, list...)
	}
	snap, err := at.ws.Snapshot(ctx, view)
	if err != nil {
		return nil, err
	}
	out = append(out, audit.New(snap, at.folder.own, compiler.Wanting(snap.Environment())).Check()...)
	compiled, err := at.catalogs(ctx, view, nodes)
	for _, c := range compiled {
		out = append(out, c.Problems...)
		if c.Excuse != nil { // it no longer compiles, though nobody is told
			out = append(out, &source.Diagnostic{Summary: fmt.Sprint(c.Name, " ", *c.Excuse)})
		}
	}
	return out, err
}
