// Package mutate is for tests: it changes programs, templates, data and facts at one place at a time, and looks whether
// what changed in the catalog had named the place. It is how the three theorems about provenance (where, expression,
// dependency; §4.1 of the analysis notes) are tested.
//
// A Place is a datum and what can be put there. A View is a catalog as slots with their dependencies; Compare holds two
// of them against the dependency theorem. Where and Expressions check the other two. What compiles is the caller's
// business.
//
// It may import everything that a finished compile consists of. No program code may import it. Start reading at Place.
package mutate

import (
	"fmt"
	"slices"
	"strings"

	"bunraku/provenance"
	"bunraku/puppet/value"
	"bunraku/source"
)

// A Kind is the sort of a mutation, for the counts.
type Kind string

// The kinds of mutations.
const (
	Manifest  Kind = "literals in manifests"
	EPP       Kind = "literals and text in EPP"
	ERB       Kind = "literals and text in ERB"
	Data      Kind = "leaves of data"
	Insertion Kind = "keys and files inserted in data"
	Deletion  Kind = "keys deleted from data"
	Fact      Kind = "facts"
	Missing   Kind = "facts that were missing"
	Config    Kind = "scalars of hiera.yaml"
	Renaming  Kind = "keys renamed in data"
	Aliases   Kind = "aliases and merge keys in data"
	Node      Kind = "names of nodes"
	Several   Kind = "2 to 5 places at once"
)

// A Place is a datum that can be changed.
type Place struct {
	Kind Kind
	Path string // of the file; "" for a fact
	Span source.Span
	Was  Names // what the run before calls it
	Is   Names // what the run after does
	New  []string
	Fact string        // path of a fact
	Val  []value.Value // what a fact or the node's name can be instead; nil deletes it
	// Beside are further files, by path, that are there with the change and could as well be there without: nobody reads
	// them then.
	Beside map[string]string
}

// Names are the labels of a place. Deleting a key changes all that was below it, so there can be several.
type Names struct {
	Key  provenance.LabelKey
	More func(provenance.LabelKey) bool // further labels, none of them a literal; may be nil
	Also []Names                        // of several places at once: the others
}

// Named is the place of one label.
func Named(k provenance.LabelKey) Names { return Names{Key: k} }

func (n Names) match(k provenance.LabelKey) bool { return k == n.Key || n.More != nil && n.More(k) }

// leaves are the place's nodes in a trace.
func (n Names) leaves(t *provenance.Trace) []provenance.Ref {
	var also []provenance.Ref
	for _, o := range n.Also {
		also = append(also, o.leaves(t)...)
	}
	if n.Key.Kind == provenance.Literal {
		return append(also, t.Find(n.Key.File, n.Key.Ordinal)...)
	}
	return append(also, t.FindOther(func(l provenance.Label) bool { return n.match(l.Key()) })...)
}

// Together is several places that are changed at once: what changed must have named one of them.
func Together(places []*Place) *Place {
	p := &Place{Kind: Several, Was: places[0].Was, Is: places[0].Is}
	for _, o := range places[1:] {
		p.Was.Also, p.Is.Also = append(p.Was.Also, o.Was), append(p.Is.Also, o.Is)
	}
	return p
}

// With is the place with other strings to put there than the ones it has and the one that the file's text has; nil when
// it does not take strings.
func (p *Place) With(text string, strs []string) *Place {
	if (p.Kind != Manifest && p.Kind != EPP) || len(p.New) == 0 || !slices.Contains(p.New, "'fresh'") &&
		!slices.Contains(p.New, "fresh") {
		return nil
	}
	known := []string{"", bare(text[p.Span.Start:p.Span.End])}
	for _, s := range p.New {
		known = append(known, bare(s))
	}
	q := *p
	q.New = nil
	for _, s := range strs {
		if s = bare(s); !strings.ContainsAny(s, "'\\\n") && !slices.Contains(known, s) {
			known = append(known, s)
			q.New = append(q.New, "'"+s+"'")
		}
	}
	return &q
}

// bare is a string without quotes, or the name of a class without what says that it is a full one.
func bare(s string) string { return strings.TrimPrefix(strings.Trim(s, `'"`), "::") }

// Choices is how many mutants the place has.
func (p *Place) Choices() int { return len(p.New) + len(p.Val) }

// Apply puts choice i into the text of the place's file.
func (p *Place) Apply(text string, i int) string {
	return text[:p.Span.Start] + p.New[i] + text[p.Span.End:]
}

// Describe says what choice i changes.
func (p *Place) Describe(text string, i int) string {
	if p.Kind == Node {
		return "the node's name → " + value.Inspect(p.Val[i])
	}
	if p.Fact != "" {
		with := "nothing"
		if p.Val[i] != nil {
			with = value.Inspect(p.Val[i])
		}
		return fmt.Sprintf("fact %s → %s", p.Fact, with)
	}
	at := source.NewFile(p.Path, text).Position(p.Span.Start)
	return fmt.Sprintf("%s:%d:%d %s → %s", p.Path, at.Line, at.Column, short(text[p.Span.Start:p.Span.End]),
		short(p.New[i]))
}

func short(s string) string {
	s = strings.ReplaceAll(s, "\n", "⏎")
	if r := []rune(s); len(r) > 60 {
		return string(r[:60]) + "…"
	}
	return s
}

// unique keeps the first most texts that differ from each other and from old.
func unique(old string, most int, lists ...[]string) []string {
	seen := map[string]bool{old: true}
	var out []string
	for _, list := range lists {
		for _, s := range list {
			if !seen[s] && len(out) < most {
				seen[s] = true
				out = append(out, s)
			}
		}
	}
	return out
}

// word replaces the first word of a text by another, so that everything else about the text stays. Signs get one behind
// them, and blanks within a line one more; ok is false when there is nothing but the end of a line.
func word(text, with string) (string, bool) {
	letter := func(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9' }
	for i := 0; i < len(text); i++ {
		if text[i] == '\\' { // an escape is left alone
			i++
			continue
		}
		if !letter(text[i]) {
			continue
		}
		j := i
		for j < len(text) && letter(text[j]) {
			j++
		}
		if text[i:j] == with {
			with += "er"
		}
		return text[:i] + with + text[j:], true
	}
	switch i := strings.LastIndexAny(text, "!#%&()*+,-./:;<=>?@[]^_|~"); {
	case strings.Contains(text, `\`) || text == "":
		return text, false
	case i >= 0:
		return text[:i+1] + with + text[i+1:], true
	case strings.Trim(text, " ") == "":
		return text + " ", true
	}
	return text, false
}
