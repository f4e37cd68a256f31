package explain

import (
	"encoding/json"
	"strings"
	"unicode"

	"bunraku/provenance"
	"bunraku/puppet/catalog"
	"bunraku/puppet/record"
	"bunraku/puppet/value"
	"bunraku/source"
)

// An Answer is what --format json prints; docs/explain.md documents its fields. Absent means empty.
type Answer struct {
	Version   int             `json:"version"`
	Node      string          `json:"node"`
	Query     string          `json:"query"`
	Kind      string          `json:"kind"` // attribute, absent, resource, edge, variable, hiera, fact, list, tags, line
	Resource  string          `json:"resource,omitempty"`
	Attribute string          `json:"attribute,omitempty"`
	Variable  string          `json:"variable,omitempty"`
	Key       string          `json:"key,omitempty"`
	Sensitive bool            `json:"sensitive,omitempty"`
	Value     json.RawMessage `json:"value,omitempty"`

	Set *Spot `json:"set,omitempty"` // where it was written
	// the node that exports the resource, if this one has collected it
	ExportedBy string      `json:"exported_by,omitempty"`
	By         string      `json:"by,omitempty"`        // what wrote it, when that is not the resource itself
	Parameter  *Spot       `json:"parameter,omitempty"` // of a class or define: where the parameter is declared
	Steps      []Step      `json:"steps,omitempty"`
	Where      *Leaf       `json:"where,omitempty"`
	Expression *Node       `json:"expression,omitempty"`
	Data       []Leaf      `json:"data,omitempty"`   // the leaves of the expression
	Pieces     []Piece     `json:"pieces,omitempty"` // of a text: which part comes from where
	Conditions []Condition `json:"conditions,omitempty"`
	Via        []Step      `json:"via,omitempty"`
	Depends    []Leaf      `json:"depends,omitempty"`
	Core       *Core       `json:"core,omitempty"`

	Path       []Hop        `json:"path,omitempty"`       // of a relation: the way, hop by hop
	Line       int          `json:"line,omitempty"`       // of a rendered file
	Writers    []Writer     `json:"writers,omitempty"`    // of a line of a rendered file, in the order of the run
	Listed     []Listed     `json:"listed,omitempty"`     // of a pattern or a tag: the resources
	Tags       []Tag        `json:"tags,omitempty"`       // of a resource, when they were asked for
	Again      []Spot       `json:"again,omitempty"`      // of a class: further calls that ask for it
	Attributes []Summary    `json:"attributes,omitempty"` // of a resource
	Levels     []LevelSpot  `json:"levels,omitempty"`     // of a Hiera key
	Merge      string       `json:"merge,omitempty"`
	Reaches    *ReachAnswer `json:"reaches,omitempty"`

	value value.Value // for text; nil when there is none to show
}

// A Spot is a place with its source line.
type Spot struct {
	File   string  `json:"file"`
	Line   int     `json:"line"`
	Column int     `json:"column"`
	Text   string  `json:"text,omitempty"`    // the line; left out when it holds a secret
	Change *Change `json:"changed,omitempty"` // of the line, from git
}

// A Change is who last changed a line.
type Change struct {
	Commit  string `json:"commit"`
	Author  string `json:"author"`
	Date    string `json:"date"`
	Summary string `json:"summary,omitempty"`
}

// String is file:line:col.
func (s *Spot) String() string {
	p := source.Position{Line: s.Line, Column: s.Column}
	return s.File + ":" + p.String()
}

// A Leaf is a place that data come from.
type Leaf struct {
	Kind      string      `json:"kind"` // literal, datum, key, alias, fact, node name, absence, world
	At        *Spot       `json:"at,omitempty"`
	Path      string      `json:"path,omitempty"`    // of data the key, of a fact its path, else what it is
	Entries   bool        `json:"entries,omitempty"` // of a container in data: which entries it has, not what they are
	Text      string      `json:"text,omitempty"`    // the datum as written
	Sensitive bool        `json:"sensitive,omitempty"`
	Level     string      `json:"level,omitempty"` // of a datum: the level of Hiera that has it
	Merge     string      `json:"merge,omitempty"` // how levels are put together, when not "first"
	Hides     []LevelSpot `json:"hides,omitempty"` // levels further down that have the key, too
	// of a part of a computed value: the steps between, nearest to the value first
	Through []Step `json:"through,omitempty"`
	// Decides says how a change of the place alters the value, if that was tried: alone, with another, or that the changes
	// that were tried stop the compile; "" when none was found, or none was tried.
	Decides string `json:"decides,omitempty"`
	With    []Leaf `json:"with,omitempty"`  // the other places that must change, too
	Tried   bool   `json:"tried,omitempty"` // changes were tried, and none altered the value

	label provenance.Label
	ref   provenance.Ref
}

// A LevelSpot is what one level of Hiera has for a key.
type LevelSpot struct {
	Level     string          `json:"level"`
	Layer     string          `json:"layer"`
	File      string          `json:"file"`
	Found     bool            `json:"found"`
	NoFile    bool            `json:"no_file,omitempty"`
	At        *Spot           `json:"at,omitempty"`
	Value     json.RawMessage `json:"value,omitempty"`
	Sensitive bool            `json:"sensitive,omitempty"`
	Used      bool            `json:"used,omitempty"`

	value value.Value
}

// A Step is a variable, parameter, function, template, override or class on the way.
type Step struct {
	Kind  string `json:"kind"`
	Name  string `json:"name"`
	In    string `json:"in,omitempty"`
	At    *Spot  `json:"at,omitempty"`
	Value string `json:"value,omitempty"` // at this step, in a few characters of Puppet code
}

// A Condition is a decision on the way.
type Condition struct {
	Text      string `json:"text"`
	Outcome   string `json:"outcome,omitempty"` // true, false, the option that was taken, or none
	Value     string `json:"value,omitempty"`   // that was tested, in a few characters of Puppet code
	Statement string `json:"statement"`         // if, unless, case, selector
	At        *Spot  `json:"at"`
	Data      []Leaf `json:"data,omitempty"` // facts and Hiera data that it looks at

	refs []provenance.Ref
}

// A Summary is one attribute of a resource.
type Summary struct {
	Name      string          `json:"name"`
	Value     json.RawMessage `json:"value,omitempty"`
	Sensitive bool            `json:"sensitive,omitempty"`
	From      *Leaf           `json:"from,omitempty"`   // the one place it was copied from
	Places    int             `json:"places,omitempty"` // that it is made of, when it is not a copy of one
	Set       *Spot           `json:"set,omitempty"`

	value value.Value
}

// EachSpot visits every place of the answer, so that a caller can add who changed it. Only those that text shows come
// when all is false.
func (a *Answer) EachSpot(all bool, visit func(*Spot)) {
	see := func(s *Spot) {
		if s != nil {
			visit(s)
		}
	}
	leaf := func(l *Leaf) {
		if l != nil {
			see(l.At)
		}
	}
	see(a.Set)
	see(a.Parameter)
	leaf(a.Where)
	for i := range a.Steps {
		see(a.Steps[i].At)
	}
	for i := range a.Conditions {
		see(a.Conditions[i].At)
	}
	for i := range a.Levels {
		see(a.Levels[i].At)
	}
	for i := range a.Path {
		see(a.Path[i].At)
	}
	for i := range a.Writers {
		see(a.Writers[i].At)
		see(a.Writers[i].Written)
	}
	if a.Where == nil {
		for i := range a.Data {
			leaf(&a.Data[i])
		}
	}
	if all {
		for i := range a.Depends {
			leaf(&a.Depends[i])
		}
	}
}

// spot is a place as answers have it.
func (rec *Record) spot(p source.Place) *Spot {
	if p.File == nil {
		return nil
	}
	p = p.Outer()
	pos := p.File.Position(p.Span.Start)
	return &Spot{File: p.File.Name, Line: pos.Line, Column: pos.Column, Text: rec.shownLine(p)}
}

// oneLine makes a text fit on a line: blanks are one blank, and what is too long is cut.
func oneLine(s string, most int) string {
	var start []rune // no more of it than is shown: the line of a file may have megabytes
	blank := false
	for _, c := range s {
		if unicode.IsSpace(c) {
			blank = len(start) > 0
			continue
		}
		if blank {
			start, blank = append(start, ' '), false
		}
		if start = append(start, c); len(start) > most {
			return string(start[:most-1]) + "…"
		}
	}
	return strings.Join(strings.Fields(s), " ")
}

// clip cuts a text that is too long, and leaves its blanks alone.
func clip(s string, most int) string {
	if strings.ContainsAny(s, "\n\t") {
		return oneLine(s, most)
	}
	if len(s) > most {
		count, last := 0, 0
		for i := range s {
			if count++; count == most {
				last = i
			} else if count > most {
				return s[:last] + "…"
			}
		}
	}
	return s
}

// leaf is a place of the trace as answers have it.
func (rec *Record) leaf(r provenance.Ref) Leaf {
	l, _ := rec.Trace.Label(r)
	out := Leaf{Kind: l.Kind.String(), At: rec.spot(l.Place), Path: l.Path, Sensitive: rec.secrets().leaves[r], label: l,
		ref: r}
	switch l.Kind {
	case provenance.Literal:
		if !out.Sensitive && !rec.hidesText(l.Place) {
			out.Text = rec.literalText(l)
		}
	case provenance.Fact:
		if v, ok := rec.Fact(l.Path); ok && !out.Sensitive {
			out.Text = value.Literal(v)
		}
	case provenance.World:
		if v, ok := rec.trusted(l); ok && !out.Sensitive {
			out.Text = value.Literal(v)
		}
	case provenance.NodeName:
		out.Text = value.Literal(value.String(provenance.NamePart(rec.Catalog.Name, l.Path)))
	case provenance.Datum, provenance.Key, provenance.Alias:
		if !out.Sensitive && !rec.hidesText(l.Place) {
			out.Text = oneLine(l.Place.Text(), 200)
		}
		if first, last := lines(l.Place); l.Kind == provenance.Datum && last > first && !isText(l.Place) {
			out.Entries, out.Text = true, ""
		}
		rec.addLevels(&out)
	}
	return out
}

// literalText is a literal as written; a piece of a template or string, which has no quotes of its own, as a string.
func (rec *Record) literalText(l provenance.Label) string {
	text := l.Place.Text()
	if strings.HasSuffix(l.Place.File.Name, ".epp") || strings.HasPrefix(text, `"`) != (len(text) > 1 &&
		strings.HasSuffix(text, `"`)) || strings.Contains(text, "\n") {
		if v, ok := rec.literalValue(l); ok {
			return value.Literal(value.String(v))
		}
	}
	return text
}

// addLevels says which level of Hiera a datum is from, and which ones it hides.
func (rec *Record) addLevels(l *Leaf) {
	key := RootKey(l.Path)
	if l.At == nil || isConfig(l.At.File) {
		return
	}
	h := rec.hieraOf(key)
	if h == nil {
		return
	}
	if h.Merge != "first" {
		l.Merge = h.Merge
	}
	mine := -1
	for i, lv := range h.Levels {
		if lv.Found && lv.File == l.At.File {
			l.Level, mine = lv.Name, i
			break
		}
	}
	if mine < 0 || l.Merge != "" {
		return
	}
	for _, lv := range h.Levels[mine+1:] {
		if lv.Found {
			l.Hides = append(l.Hides, rec.levelSpot(h, lv, false))
		}
	}
}

func isConfig(file string) bool { return strings.HasSuffix(file, "hiera.yaml") }

func (rec *Record) levelSpot(h *record.Hiera, lv record.Level, used bool) LevelSpot {
	out := LevelSpot{Level: lv.Name, Layer: lv.Layer, File: lv.File, Found: lv.Found, NoFile: !lv.Exists, Used: used}
	if !lv.Found {
		return out
	}
	out.At = rec.spot(lv.Place)
	out.Sensitive = rec.secretHiera(h) || value.HasSensitive(lv.Value)
	if out.Sensitive {
		if out.At != nil {
			out.At.Text = ""
		}
		return out
	}
	out.value, out.Value = lv.Value, dataOf(lv.Value)
	return out
}

// dataOf is a value as JSON, secrets hidden.
func dataOf(v value.Value) json.RawMessage {
	text, err := catalog.JSON{Redact: true}.AppendValue(nil, value.OrUndef(v))
	if err != nil || !json.Valid(text) {
		text, _ = json.Marshal(strings.ToValidUTF8(value.ToString(v), "\uFFFD"))
	}
	return text
}
