package mupuppet

import (
	"encoding/json"
	"fmt"
	"io"
	"sort"
	"strings"
	"unicode/utf8"
)

// The catalog as text, which is again µPuppet, and as JSON in the shape of Puppet's.

// WriteText writes the catalog as declarations, and with provenance what the thesis's rules say about each value.
func (r *Result) WriteText(w io.Writer) error {
	var b strings.Builder
	for _, res := range r.Catalog.Resources {
		fmt.Fprintf(&b, "%s { %s:", strings.ToLower(res.Type), FormatValue(res.Title.Value))
		if len(res.Attrs) == 0 {
			b.WriteString(" }\n")
			continue
		}
		width := 0
		for _, a := range res.Attrs {
			width = max(width, utf8.RuneCountInString(a.Name))
		}
		b.WriteByte('\n')
		for _, a := range res.Attrs {
			fmt.Fprintf(&b, "  %s => %s,\n", pad(a.Name, width), FormatValue(a.Value.Value))
		}
		b.WriteString("}\n")
	}
	if r.Data != nil {
		r.writeProvenance(&b)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// writeProvenance lists, per resource, the outer annotation and each value's three annotations, then what the labels
// are.
func (r *Result) writeProvenance(b *strings.Builder) {
	used := map[Label]bool{}
	mark := func(β Deps) {
		for _, l := range β {
			used[l] = true
		}
	}
	for _, res := range r.Catalog.Resources {
		fmt.Fprintf(b, "\n%s\n", res)
		mark(res.Outer)
		if len(res.Outer) > 0 {
			fmt.Fprintf(b, "  exists                        dependency %s\n", res.Outer)
		}
		line := func(what string, l *Lit) {
			used[l.Note.Where] = true
			mark(l.Note.Dep)
			head := pad(clip(what+" "+FormatValue(l.Value), 28), 28)
			fmt.Fprintf(b, "  %s  where %s  expression %s  dependency %s\n", head, pad(l.Note.Where.String(), 4), l.Note.How,
				l.Note.Dep)
		}
		line("title", res.Title)
		for _, a := range res.Attrs {
			line(a.Name+" =>", a.Value)
		}
	}
	b.WriteString("\nlabels\n")
	width := 0
	for i, d := range r.Data {
		if used[Label(i+1)] {
			width = max(width, utf8.RuneCountInString(d.Place.String()))
		}
	}
	for i, d := range r.Data {
		if l := Label(i + 1); used[l] {
			fmt.Fprintf(b, "  %s  %s  %s\n", pad(l.String(), 4), pad(d.Place.String(), width), clip(FormatValue(d.Value), 60))
		}
	}
}

type resourceJSON struct {
	Type       string          `json:"type"`
	Title      string          `json:"title"`
	Parameters object          `json:"parameters"`
	Provenance *provenanceJSON `json:"provenance,omitempty"`
}

type provenanceJSON struct {
	Exists     []string `json:"exists"`
	Title      noteJSON `json:"title"`
	Parameters object   `json:"parameters"`
}

type noteJSON struct {
	Where      string   `json:"where,omitempty"` // absent for ⊥
	Expression string   `json:"expression"`
	Dependency []string `json:"dependency"`
}

// WriteJSON writes {"node", "resources": [{type, title, parameters}], "steps"}; references are strings as in Puppet's
// catalogs. With provenance each resource has {"exists", "title", "parameters"} beside it, with places for labels.
// Without an indent it is one line.
func (r *Result) WriteJSON(w io.Writer, indent string) error {
	out := struct {
		Node      string         `json:"node"`
		Resources []resourceJSON `json:"resources"`
		Steps     int            `json:"steps"`
	}{r.Node, []resourceJSON{}, r.Steps}
	for _, res := range r.Catalog.Resources {
		j := resourceJSON{Type: res.Type, Title: res.Name()}
		var notes object
		for _, a := range res.Attrs {
			j.Parameters = append(j.Parameters, member{a.Name, jsonValue(a.Value.Value)})
			if r.Data != nil {
				notes = append(notes, member{a.Name, r.noteJSON(a.Value.Note)})
			}
		}
		if r.Data != nil {
			j.Provenance = &provenanceJSON{r.places(res.Outer), r.noteJSON(res.Title.Note), notes}
		}
		out.Resources = append(out.Resources, j)
	}
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", indent)
	return enc.Encode(out)
}

func (r *Result) noteJSON(n *Note) noteJSON {
	j := noteJSON{Expression: n.How.format(r.placeOf), Dependency: r.places(n.Dep)}
	if n.Where != 0 {
		j.Where = r.placeOf(n.Where)
	}
	return j
}

func (r *Result) placeOf(l Label) string { return r.Data[l-1].Place.String() }

func (r *Result) places(β Deps) []string {
	out := []string{}
	for _, l := range β {
		out = append(out, r.placeOf(l))
	}
	return out
}

// An object is a JSON object that keeps its order.
type object []member

type member struct {
	name  string
	value any
}

func (o object) MarshalJSON() ([]byte, error) {
	var b strings.Builder
	b.WriteByte('{')
	for i, m := range o {
		if i > 0 {
			b.WriteByte(',')
		}
		k, err := marshal(m.name)
		if err != nil {
			return nil, err
		}
		v, err := marshal(m.value)
		if err != nil {
			return nil, err
		}
		b.WriteString(k + ":" + v)
	}
	b.WriteByte('}')
	return []byte(b.String()), nil
}

func marshal(v any) (string, error) {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return strings.TrimSuffix(b.String(), "\n"), err
}

// jsonValue is a value as Puppet's catalogs have it.
func jsonValue(v Value) any {
	switch v := v.(type) {
	case Int:
		return int64(v)
	case Str:
		return string(v)
	case Bool:
		return bool(v)
	case ArrayValue:
		out := []any{}
		for _, x := range v {
			out = append(out, jsonValue(x))
		}
		return out
	case HashValue:
		out := object{}
		for _, p := range v {
			k, ok := p.Key.(Str)
			if !ok {
				k = Str(FormatValue(p.Key))
			}
			out = append(out, member{string(k), jsonValue(p.Value)})
		}
		return out
	case RefValue:
		if w, ok := v.Title.(Str); ok {
			return v.Type + "[" + string(w) + "]"
		}
		return FormatValue(v)
	}
	panic("mupuppet: jsonValue: unknown value")
}

// Fingerprint is a canonical text of the catalog's resources up to their order and that of their attributes: what the
// paper compares ("up to reordering of resources", §5.1).
func (r *Result) Fingerprint() []string {
	var out []string
	for _, res := range r.Catalog.Resources {
		var attrs []string
		for _, a := range res.Attrs {
			v, err := marshal(canonical(jsonValue(a.Value.Value)))
			if err != nil {
				panic(err)
			}
			attrs = append(attrs, a.Name+"="+v)
		}
		sort.Strings(attrs)
		out = append(out, res.String()+" "+strings.Join(attrs, " "))
	}
	return out
}

// canonical turns ordered objects into maps, which encode with sorted keys.
func canonical(v any) any {
	switch v := v.(type) {
	case object:
		m := map[string]any{}
		for _, x := range v {
			m[x.name] = canonical(x.value)
		}
		return m
	case []any:
		for i := range v {
			v[i] = canonical(v[i])
		}
	}
	return v
}
