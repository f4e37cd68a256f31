package explain

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"bunraku/puppet/catalog"
	"bunraku/puppet/resource"
	"bunraku/puppet/value"
)

// A line of a file on the machine, `/etc/nginx/nginx.conf:12`, is asked about from the outside in: which resources
// write the file, in the order of the run, and which data stand on the line. A file resource writes all of it, from its
// content or from a module's file; concat puts fragments together; and then there are types that change single lines.
// What a package brings is not in the catalog, and the answer says so.

// A Writer is a resource that writes a file, or a part of it.
type Writer struct {
	Resource string `json:"resource"`
	How      string `json:"how"` // content, source, fragment, may change
	At       *Spot  `json:"at,omitempty"`
	Text     string `json:"text,omitempty"` // the line that it writes there
	From     []Leaf `json:"from,omitempty"` // the data that stand on it
	// of a text of the template or the module's file: where the line is written
	Written *Spot  `json:"written,omitempty"`
	Note    string `json:"note,omitempty"`
}

var renderedLine = regexp.MustCompile(`^(/.*):(\d+)$`)

// editors are the types that change single lines of a file, by the attribute that names it, and the attributes that can
// tell which.
var editors = map[string]struct {
	path, fixed string
	says        []string
}{
	"File_line":          {"path", "", []string{"line", "match", "after"}},
	"Ini_setting":        {"path", "", []string{"setting", "section"}},
	"Ini_subsetting":     {"path", "", []string{"setting", "section"}},
	"Shellvar":           {"target", "", []string{"variable", "name"}},
	"Sysctl":             {"target", "/etc/sysctl.conf", []string{"name"}},
	"Host":               {"target", "/etc/hosts", []string{"ip", "name"}},
	"Mount":              {"target", "/etc/fstab", []string{"name", "device"}},
	"Ssh_authorized_key": {"target", "", []string{"key"}},
	"Sshkey":             {"target", "/etc/ssh/ssh_known_hosts", []string{"name"}},
	"Mailalias":          {"target", "/etc/aliases", []string{"name"}},
	"Augeas":             {"incl", "", []string{"changes"}},
	"Xml_fragment":       {"path", "", nil},
	"Sshd_config":        {"target", "/etc/ssh/sshd_config", []string{"key", "name"}},
}

// explainLine says where a line of a rendered file comes from.
func (rec *Record) explainLine(a *Answer, file string, n int) error {
	file = path.Clean(file)
	a.Kind, a.Key, a.Line = "line", file, n
	g := rec.graph()
	text, has := "", false
	for _, r := range g.Order() {
		w := Writer{Resource: r.Ref(), At: rec.declared(r)}
		switch {
		case (r.Type == "File" || r.Type == "Concat_file") && rec.fileOf(r, "path") == file:
			line, ok := rec.writes(&w, r, n)
			if w.How == "" {
				continue
			}
			if ok {
				text, has = line, true
			}
		case editors[r.Type].path != "" && rec.edits(r, file):
			w.How = "may change"
			w.Note = rec.lineTold(r, text, has)
			if w.Note == "no" {
				continue
			}
		default:
			continue
		}
		a.Writers = append(a.Writers, w)
	}
	if len(a.Writers) == 0 {
		m := &NotFound{Message: "nothing in the catalog of " + rec.Catalog.Name + " writes " + file +
			": what it holds is not from the catalog (a package brings it, or somebody made it)"}
		for _, r := range rec.Catalog.Resources {
			if r.Type == "File" && path.Base(r.Title) == path.Base(file) {
				m.Suggestions = append(m.Suggestions, fmt.Sprintf("'%s:%d'", r.Title, n))
			}
		}
		return m
	}
	if has {
		a.value, a.Value = value.String(text), dataOf(value.String(text))
	}
	for _, w := range a.Writers {
		r := rec.Catalog.Find(w.Resource)
		if p := r.Param("content"); p != nil && w.How != "may change" {
			rec.decide(a, p.Ref, r.Existence, r.TitleRef)
			a.Via = rec.via(r)
			a.Sensitive = a.Sensitive || w.How == "secret"
		}
	}
	return nil
}

// fileOf is the file that a resource manages by an attribute, or by its title if that is the attribute that names it.
func (rec *Record) fileOf(r *catalog.Resource, attr string) string {
	if s, ok := r.Get(attr).(value.String); ok {
		return path.Clean(string(s))
	}
	if strings.HasPrefix(r.Title, "/") {
		return path.Clean(resource.ExpandPath(r.Title))
	}
	return ""
}

// writes fills in what a resource that writes a whole file has on a line.
func (rec *Record) writes(w *Writer, r *catalog.Resource, n int) (line string, ok bool) {
	if r.Type == "Concat_file" {
		return rec.assembled(w, r, n)
	}
	if p := r.Param("content"); p != nil {
		return rec.written(w, r, p, n)
	}
	source := r.Param("source")
	if source == nil {
		return "", false
	}
	w.How = "source"
	for _, v := range elementsOf(source.Value) {
		if rec.Code == nil {
			break
		}
		f := rec.Code.Source(value.ToString(v))
		if f == nil {
			continue
		}
		if n > f.LineCount() {
			w.Note = fmt.Sprintf("%s has %s", f.Name, plural(f.LineCount(), "line"))
			return "", false
		}
		w.Text = f.Line(n)
		w.Written = &Spot{File: f.Name, Line: n, Column: 1, Text: oneLine(w.Text, 200)}
		return w.Text, true
	}
	w.Note = "its text comes from " + value.ToString(source.Value)
	return "", false
}

func elementsOf(v value.Value) []value.Value {
	if a, ok := v.(*value.Array); ok {
		return a.Elems
	}
	return []value.Value{v}
}

// written fills in what stands on a line of a content.
func (rec *Record) written(w *Writer, r *catalog.Resource, p *catalog.Param, n int) (line string, ok bool) {
	w.How = "content"
	if at := rec.spot(p.Place); at != nil {
		w.At = at
	}
	content, is := p.Value.(value.String)
	if r.IsSensitive(p.Name) || value.HasSensitive(p.Value) || rec.secrets().hides(rec, p.Ref) || !is {
		w.How, w.Note = "secret", "its content is sensitive"
		for _, f := range rec.Trace.Flows(p.Ref) {
			w.From = append(w.From, rec.leaf(f))
		}
		return "", false
	}
	lines := strings.Split(strings.TrimSuffix(string(content), "\n"), "\n")
	if n > len(lines) {
		w.Note = "it writes " + plural(len(lines), "line")
		return "", false
	}
	w.Text = lines[n-1]
	pieces := rec.pieces(string(content), p.Ref)
	if pieces == nil { // not put together of parts: a copy, or what a function made
		if way := rec.Trace.Path(p.Ref); len(way) > 0 {
			if _, isLeaf := rec.Trace.Label(way[len(way)-1]); isLeaf {
				leaf := rec.leaf(way[len(way)-1])
				w.Written = rec.lineIn(&leaf, string(content), n-1)
				return w.Text, true
			}
		}
		for _, f := range rec.Trace.Flows(p.Ref) {
			w.From = append(w.From, rec.leaf(f))
		}
		return w.Text, true
	}
	for i := range pieces {
		piece := &pieces[i]
		last := piece.Line + strings.Count(piece.Text, "\n")
		if n < piece.Line || n > last || n == last && strings.HasSuffix(piece.Text, "\n") && n > piece.Line {
			continue
		}
		if piece.literal && len(piece.From) == 1 {
			if w.Written == nil || isManifest(w.Written.File) && !isManifest(piece.From[0].At.File) {
				w.Written = rec.lineIn(&piece.From[0], piece.Text, n-piece.Line)
			}
			continue
		}
		for j := range piece.From {
			if l := piece.From[j]; l.Kind != "literal" || len(piece.From) == 1 || !piece.better(&l) {
				w.From = append(w.From, l)
			}
		}
	}
	return w.Text, true
}

// lineIn is the place of the i-th line of a text that is written at a leaf, as far as it is written as it is.
func (rec *Record) lineIn(l *Leaf, text string, i int) *Spot {
	p := l.label.Place.Outer()
	if l.At == nil || l.Sensitive || p.File == nil {
		return l.At
	}
	start := strings.Index(p.Text(), text) // in front of it may be the end of a tag
	if start < 0 || text == "" {
		return l.At
	}
	for ; i > 0; i-- {
		n := strings.IndexByte(text, '\n')
		if n < 0 {
			break
		}
		start, text = start+n+1, text[n+1:]
	}
	p.Span.Start += uint32(start)
	pos := p.File.Position(p.Span.Start)
	return &Spot{File: p.File.Name, Line: pos.Line, Column: pos.Column, Text: rec.shownLine(p)}
}

// assembled fills in what the fragment has on a line that concat puts there.
func (rec *Record) assembled(w *Writer, file *catalog.Resource, n int) (line string, ok bool) {
	w.How = "fragment"
	name, tag := rec.fileOf(file, "path"), textOf(file.Get("tag"))
	type part struct {
		r       *catalog.Resource
		order   string
		content string
	}
	var parts []part
	for _, r := range rec.Catalog.Resources {
		if r.Type != "Concat_fragment" {
			continue
		}
		target := textOf(r.Get("target"))
		if target != name && target != file.Title && (tag == "" || textOf(r.Get("tag")) != tag) {
			continue
		}
		content := textOf(r.Get("content"))
		if truth(file.Get("ensure_newline")) && !strings.HasSuffix(content, "\n") {
			content += "\n"
		}
		parts = append(parts, part{r, orderOf(r.Get("order")), content})
	}
	numeric := textOf(file.Get("order")) == "numeric"
	slices.SortStableFunc(parts, func(a, b part) int {
		if numeric {
			x, errX := strconv.ParseFloat(a.order, 64)
			y, errY := strconv.ParseFloat(b.order, 64)
			if errX == nil && errY == nil && x != y {
				if x < y {
					return -1
				}
				return 1
			}
		}
		return strings.Compare(a.order+"___"+a.r.Title, b.order+"___"+b.r.Title)
	})
	first := 1
	begun := "" // a line that the fragments before have begun
	for _, p := range parts {
		count := strings.Count(p.content, "\n")
		last := first + count
		if n >= first && (n < last || n == last && !strings.HasSuffix(p.content, "\n")) && p.content != "" {
			w.Resource = p.r.Ref()
			param := p.r.Param("content")
			if param == nil {
				w.Note = "the fragment's text comes from its source"
				return "", false
			}
			line, ok = rec.written(w, p.r, param, n-first+1)
			if w.How == "content" {
				w.How = "fragment"
			}
			w.Note = "part of " + file.Ref()
			if n == first {
				line = begun + line
			}
			return line, ok
		}
		if !strings.HasSuffix(p.content, "\n") {
			begun += p.content[strings.LastIndexByte(p.content, '\n')+1:]
		} else {
			begun = ""
		}
		first = last
	}
	w.Note = "its fragments make " + plural(first-1, "line")
	return "", false
}

func textOf(v value.Value) string {
	if v == nil || value.IsUndef(v) {
		return ""
	}
	return value.ToString(v)
}

func truth(v value.Value) bool { s := textOf(v); return s == "true" || s == "yes" }

// orderOf is a fragment's order as concat compares it; 10 when it has none.
func orderOf(v value.Value) string {
	if s := textOf(v); s != "" {
		return s
	}
	return "10"
}

// edits reports whether a resource changes lines of a file.
func (rec *Record) edits(r *catalog.Resource, file string) bool {
	e := editors[r.Type]
	if s := textOf(r.Get(e.path)); s != "" {
		return path.Clean(s) == file
	}
	if r.Type == "Augeas" {
		return strings.HasPrefix(textOf(r.Get("context")), "/files"+file)
	}
	return e.fixed == file
}

// lineTold says how sure it is that a resource makes or changes the line: what it writes is there, or may be. "no" is
// for one that says which lines it means, and this is none of them.
func (rec *Record) lineTold(r *catalog.Resource, text string, known bool) string {
	if r.Type == "File_line" {
		if secret := r.Param("line"); secret != nil && rec.secrets().hides(rec, secret.Ref) {
			return "it writes a line that is sensitive"
		}
		line, match := textOf(r.Get("line")), textOf(r.Get("match"))
		if known && line == text {
			return "it writes this very line"
		}
		if known && match != "" {
			if re, err := value.NewRegexp(match); err == nil {
				if hit, _ := re.Re.Match(text); hit {
					return "its match is this line, which it replaces by: " + clip(line, 80)
				}
				return "no"
			}
		}
		return "it adds the line: " + clip(line, 80)
	}
	for _, attr := range editors[r.Type].says {
		s := textOf(r.Get(attr))
		if s == "" && (attr == "name" || attr == "setting") {
			s = r.Title
		}
		if known && s != "" && strings.Contains(text, s) {
			return "the line has its " + attr + ", " + s
		}
	}
	if known && (r.Type == "Ini_setting" || r.Type == "Host" || r.Type == "Sshd_config") {
		return "no"
	}
	return "it changes this file"
}
