package catalog

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"bunraku/puppet/value"
)

// Text says how a catalog is listed as Puppet code, for people to read. The zero Text shows no secrets.
type Text struct {
	Reveal bool // show what is sensitive
}

// Append appends the listing: the resources in order, each with the place it comes from and the container it is in.
func (o Text) Append(dst []byte, c *Catalog) []byte {
	w := &lister{dst: dst, reveal: o.Reveal}
	inside := make(map[*Resource]*Resource, len(c.Resources))
	for _, e := range c.Edges {
		// A class hangs below its stage and, when contained, below another class: that says more.
		if old := inside[e.Target]; old == nil || old.Type == "Stage" {
			inside[e.Target] = e.Source
		}
	}
	w.add("# Catalog of ", c.Name, ", environment ", c.Environment, "\n")
	for _, r := range c.Resources {
		w.add("\n")
		w.resource(r, inside[r])
	}
	return w.dst
}

// AppendResource appends one resource without its surroundings.
func (o Text) AppendResource(dst []byte, r *Resource) []byte {
	w := &lister{dst: dst, reveal: o.Reveal}
	w.resource(r, nil)
	return w.dst
}

type lister struct {
	dst    []byte
	reveal bool
}

func (w *lister) add(parts ...string) {
	for _, p := range parts {
		w.dst = append(w.dst, p...)
	}
}

func (w *lister) resource(r, container *Resource) {
	var notes []string
	if r.File != "" {
		notes = append(notes, r.File+":"+strconv.Itoa(r.Line))
	}
	if container != nil {
		notes = append(notes, "in "+container.Ref())
	}
	comment := strings.Join(notes, ", ")
	// What nobody can write down is only mentioned.
	switch {
	case r.Type == "Node" || r.Title == "main" && (r.Type == "Class" || r.Type == "Stage"):
		w.add("# ", r.Ref())
		if comment != "" {
			w.add(" ", comment)
		}
		w.add("\n")
		return
	case r.Type == "Class" && len(r.Params) == 0:
		w.add("include ", strings.ToLower(r.Title))
		if comment != "" {
			w.add("  # ", comment)
		}
		w.add("\n")
		return
	}
	title := value.Quote(r.Title)
	if r.Type == "Class" {
		title = value.Quote(strings.ToLower(r.Title))
	}
	if comment != "" {
		w.add("# ", comment, "\n")
	}
	switch {
	case r.Exported:
		w.add("@@")
	case r.Virtual:
		w.add("@")
	}
	w.add(strings.ToLower(r.Type), " { ", title, ":\n")
	width := 0
	for i := range r.Params {
		width = max(width, len(r.Params[i].Name))
	}
	for i := range r.Params {
		p := &r.Params[i]
		w.add("  ", p.Name, strings.Repeat(" ", width-len(p.Name)), " => ")
		if r.IsSensitive(p.Name) {
			if !w.reveal {
				w.add(Redacted, ",\n")
				continue
			}
			w.add("Sensitive(")
			w.value(p.Value)
			w.add("),\n")
			continue
		}
		if isRelation(p.Name) {
			w.relation(p.Value)
			w.add(",\n")
			continue
		}
		if s, ok := p.Value.(value.String); ok && heredocable(string(s)) {
			w.heredoc(string(s))
			continue
		}
		w.value(p.Value)
		w.add(",\n")
	}
	w.add("}\n")
}

// relation writes references as code has them: File['/a'].
func (w *lister) relation(v value.Value) {
	if a, ok := v.(*value.Array); ok {
		w.add("[")
		for i, e := range a.Elems {
			if i > 0 {
				w.add(", ")
			}
			w.relation(e)
		}
		w.add("]")
		return
	}
	n, ok := ParseRef(refText(v))
	if !ok {
		w.value(v)
		return
	}
	if n.Type == "Class" {
		n.Title = strings.ToLower(n.Title)
	}
	w.add(n.Type, "[", value.Quote(n.Title), "]")
}

// value writes a value as Puppet code would, secrets hidden.
func (w *lister) value(v value.Value) {
	switch v := v.(type) {
	case *value.Array:
		w.add("[")
		for i, e := range v.Elems {
			if i > 0 {
				w.add(", ")
			}
			w.value(e)
		}
		w.add("]")
	case *value.Hash:
		w.entries(v)
	case *value.Sensitive:
		if !w.reveal {
			w.add(Redacted)
			return
		}
		w.add("Sensitive(")
		w.value(v.Value)
		w.add(")")
	case *value.Deferred:
		w.add("Deferred(", value.Quote(v.Name))
		if v.Args != nil {
			w.add(", ")
			w.value(v.Args)
		}
		w.add(")")
	case *value.Opaque:
		if v.Digits != "" {
			w.add(v.Digits)
			break
		}
		w.add("/* not known: ", v.Why, " */")
	case *value.Object:
		w.add(v.Type.Name(), "(")
		if v.Init != nil {
			w.entries(v.Init)
		} else if v.Attrs != nil {
			w.entries(v.Attrs)
		}
		w.add(")")
	default:
		w.add(value.Literal(v))
	}
}

func (w *lister) entries(h *value.Hash) {
	w.add("{")
	for i, e := range h.Entries() {
		if i > 0 {
			w.add(", ")
		}
		w.value(e.Key)
		w.add(" => ")
		w.value(e.Value)
	}
	w.add("}")
}

// heredocable reports whether a text is easier to read on lines of its own.
func heredocable(s string) bool {
	if !strings.Contains(strings.TrimSuffix(s, "\n"), "\n") || !utf8.ValidString(s) {
		return false
	}
	for _, c := range s {
		if c != '\n' && c != '\t' && unicode.IsControl(c) {
			return false
		}
	}
	return true
}

func (w *lister) heredoc(s string) {
	tag := "END"
	for strings.Contains(s, tag) {
		tag += "_"
	}
	w.add("@(", tag, "),\n")
	end := "| "
	if !strings.HasSuffix(s, "\n") {
		end = "|- "
	}
	for line := range strings.SplitSeq(strings.TrimSuffix(s, "\n"), "\n") {
		if line != "" {
			w.add("    ", line)
		}
		w.add("\n")
	}
	w.add("    ", end, tag, "\n")
}
