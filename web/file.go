package web

import (
	"context"
	"net/url"
	"strings"

	"bunraku/provenance"
	"bunraku/puppet/value"
)

// A rendered text: each piece with where its characters come from. Pieces of one source have one number, and the page
// one colour for it.

type filePage struct {
	Node      string       `json:"node"`
	Ref       string       `json:"ref"`
	Attribute string       `json:"attribute"`
	Pieces    []pieceView  `json:"pieces"`
	Sources   []sourceView `json:"sources"`
	Clipped   bool         `json:"clipped,omitempty"`
	Whole     bool         `json:"whole,omitempty"` // it cannot be told apart
}

type pieceView struct {
	Text string `json:"text"`
	From []int  `json:"from"` // numbers of sources
	Op   string `json:"op,omitempty"`
}

type sourceView struct {
	Kind  string `json:"kind"`
	Title string `json:"title"`
	File  string `json:"file,omitempty"`
	Line  int    `json:"line,omitempty"` // the first
	Ref   string `json:"ref,omitempty"`  // what explains it
	Chars int    `json:"chars"`
}

func (st *state) filePage(ctx context.Context, q url.Values) (any, error) {
	rec, err := st.record(ctx, q.Get("node"))
	if err != nil {
		return nil, err
	}
	n, _, err := st.node(q.Get("node"))
	if err != nil {
		return nil, err
	}
	r := resource(rec.Catalog, q.Get("ref"))
	attribute := q.Get("attribute")
	if attribute == "" {
		attribute = "content"
	}
	if r == nil || r.Param(attribute) == nil {
		return nil, notFound("%s has no %s on %s", clip(q.Get("ref"), clipTitle), clip(attribute, clipCell), n.name)
	}
	p := r.Param(attribute)
	text, is := p.Value.(value.String)
	if !is || r.IsSensitive(attribute) || value.HasSensitive(p.Value) {
		return nil, notFound("%s of %s is no text that can be shown", attribute, clip(r.Ref(), clipTitle))
	}
	page := &filePage{Node: n.name, Ref: clip(r.Ref(), clipTitle), Attribute: attribute, Pieces: []pieceView{},
		Sources: []sourceView{}}
	whole := string(text)
	numbers := map[string]int{}
	left := 4 * clipValue
	parts := rec.Parts(whole, p.Ref)
	page.Whole = len(parts) <= 1 && len(whole) > 0
	for _, part := range parts {
		if left <= 0 || len(page.Pieces) > 20_000 {
			page.Clipped = true
			break
		}
		v := pieceView{Text: clip(part.Text, min(left, 16*clipLine)), From: []int{}, Op: part.Op}
		left -= len(v.Text)
		for _, o := range part.From {
			s := sourceOf(o.Label)
			key := s.Kind + s.File + s.Title
			i, there := numbers[key]
			if !there {
				i = len(page.Sources)
				numbers[key] = i
				page.Sources = append(page.Sources, s)
			}
			page.Sources[i].Chars += len(part.Text)
			if len(v.From) < 8 {
				v.From = append(v.From, i)
			}
		}
		page.Pieces = append(page.Pieces, v)
	}
	return page, nil
}

// sourceOf is a source of characters: a template, a key of Hiera's, a fact.
func sourceOf(l provenance.Label) sourceView {
	s := sourceView{Kind: l.Kind.String()}
	if l.Place.Known() {
		at := l.Place.Outer()
		s.File, s.Line = at.File.Name, at.Line()
	}
	switch l.Kind {
	case provenance.Fact:
		s.Title, s.Ref = "fact "+l.Path, "fact:"+l.Path
	case provenance.Datum, provenance.Key, provenance.Alias:
		s.Title = l.Path
		s.Ref = "hiera:" + strings.SplitN(l.Path, ".", 2)[0]
	case provenance.Literal:
		s.Title = "text of " + s.File
	default:
		s.Title = strings.TrimSpace(l.Kind.String() + " " + l.Path)
	}
	s.Title = clip(s.Title, clipCell)
	return s
}
