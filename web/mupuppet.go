package web

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/url"
	"slices"

	"bunraku/mupuppet"
)

// µPuppet: a manifest compiled by the rules of the paper, step by step. What the subset leaves out is refused by name.

type derivation struct {
	File    string            `json:"file"`
	Node    string            `json:"node"`
	Steps   []json.RawMessage `json:"steps"`
	Total   int               `json:"total"`
	Source  []string          `json:"source"`
	Catalog string            `json:"catalog,omitempty"`
	Refused []refusal         `json:"refused"`
}

type refusal struct {
	Code    string `json:"code"`
	Summary string `json:"summary"`
	Help    string `json:"help,omitempty"`
	Line    int    `json:"line,omitempty"`
}

// Bounds of a derivation that somebody steps through.
const (
	mostDerived = 3_000   // steps that are sent
	boundSteps  = 200_000 // that are made
)

func (st *state) mupuppetPage(ctx context.Context, q url.Values) (any, error) {
	at := slices.IndexFunc(st.files, func(p string) bool { return st.display(p) == q.Get("file") })
	if at < 0 {
		return nil, notFound("%s is none of the manifests of the tree", clip(q.Get("file"), clipTitle))
	}
	tree, _, err := st.site.plain.Parse(st.snap.Files(), st.files[at], false)
	if err != nil {
		return nil, err
	}
	if tree == nil {
		return nil, errors.New("the manifest cannot be read")
	}
	st.hideWritten(tree)
	file := tree.Source
	out := &derivation{File: q.Get("file"), Node: q.Get("node"), Steps: []json.RawMessage{}, Source: sourceLines(file),
		Refused: []refusal{}}
	observe := func(s mupuppet.Step) {
		if out.Total++; out.Total > mostDerived || ctx.Err() != nil {
			return
		}
		var b bytes.Buffer
		if s.WriteJSON(&b, file) == nil && b.Len() < clipValue {
			out.Steps = append(out.Steps, slices.Clone(bytes.TrimSpace(b.Bytes())))
		}
	}
	result, trouble := mupuppet.Compile(file, mupuppet.Options{Node: out.Node, Bound: boundSteps, Observe: observe})
	for _, d := range trouble {
		out.Refused = append(out.Refused, refusalOf(d))
	}
	if result != nil {
		var b bytes.Buffer
		if err := result.WriteText(&b); err != nil {
			return nil, err
		}
		out.Catalog = clip(b.String(), clipValue)
	}
	return out, nil
}
