package explain

import (
	"fmt"
	"io"
	"path"
	"slices"
	"strings"

	"bunraku/provenance"
	"bunraku/source"
)

// A ReachAnswer is the reverse: what a line, a Hiera key or a fact can change on one node.
type ReachAnswer struct {
	Version int     `json:"version"`
	Node    string  `json:"node"`
	Of      string  `json:"of"`
	Places  []Leaf  `json:"places"`          // what was read there
	Slots   []Reach `json:"slots"`           // that depend on it, in catalog order
	Total   int     `json:"total"`           // slots of the catalog
	Order   int     `json:"order,omitempty"` // resources whose position in the catalog depends on it
}

// A Reach is a slot that depends on a place.
type Reach struct {
	Kind      string `json:"kind"` // resource, attribute, edge, tags, variable
	Resource  string `json:"resource,omitempty"`
	Attribute string `json:"attribute,omitempty"`
	Variable  string `json:"variable,omitempty"`
	How       string `json:"how"` // value: the datum is in it; decides: it depends on the datum
}

// placesAsked is what Reaches takes.
const placesAsked = "FILE:LINE, FILE:LINE-LINE (of a hunk), FILE, DIRECTORY/, hiera:KEY or fact:NAME"

// Reaches answers what placesAsked names.
func (rec *Record) Reaches(of string) (out *ReachAnswer, err error) {
	defer source.Catch(&err)
	match, err := rec.matcher(of)
	if err != nil {
		return nil, err
	}
	out = &ReachAnswer{Version: 1, Node: rec.Catalog.Name, Of: of}
	var leaves []provenance.Ref
	seen := map[provenance.LabelKey]bool{}
	rec.Trace.EachLeaf(func(r provenance.Ref, l provenance.Label) {
		if match(l) {
			leaves = append(leaves, r)
		}
	})
	// those that some slot depends on; what only a step in between has read is of no interest
	counts := map[provenance.Ref]bool{}
	if len(leaves) > 0 {
		for _, r := range leaves {
			counts[r] = false
		}
		rec.Trace.Near(func(r provenance.Ref) bool {
			if _, asked := counts[r]; asked {
				counts[r] = true
			}
			return true
		}, rec.slots()...)
	}
	for _, r := range leaves {
		if l, _ := rec.Trace.Label(r); counts[r] && !seen[l.Key()] {
			seen[l.Key()] = true
			out.Places = append(out.Places, rec.leaf(r))
		}
	}
	if len(leaves) == 0 {
		return out, rec.nothingThere(of)
	}
	how := rec.Trace.Reach(leaves)
	add := func(s Reach, value provenance.Ref, others ...provenance.Ref) {
		out.Total++
		best := how(value)
		for _, r := range others {
			best = max(best, min(how(r), provenance.Decides))
		}
		switch best {
		case provenance.Flowed:
			s.How = "value"
		case provenance.Decides:
			s.How = "decides"
		default:
			return
		}
		out.Slots = append(out.Slots, s)
	}
	for _, r := range rec.Catalog.Resources {
		add(Reach{Kind: "resource", Resource: r.Ref()}, r.TitleRef, r.Existence)
		for _, p := range r.Params {
			add(Reach{Kind: "attribute", Resource: r.Ref(), Attribute: p.Name}, p.Ref, r.Existence, r.TitleRef)
		}
		add(Reach{Kind: "tags", Resource: r.Ref()}, r.TagsRef, r.Existence)
		if how(r.Position) != provenance.Not {
			out.Order++
		}
	}
	for _, e := range rec.Catalog.Edges {
		add(Reach{Kind: "edge", Resource: e.Source.Ref() + " -> " + e.Target.Ref()}, 0, e.Ref, e.Source.Existence,
			e.Target.Existence)
	}
	for i := range rec.Variables {
		v := &rec.Variables[i]
		if rec.parameterOf(v) == nil {
			add(Reach{Kind: "variable", Variable: v.Qualified()}, v.Ref)
		}
	}
	return out, nil
}

// matcher says which places a question means.
func (rec *Record) matcher(of string) (func(provenance.Label) bool, error) {
	if key, ok := strings.CutPrefix(of, "hiera:"); ok && key != "" {
		root := RootKey(key)
		return func(l provenance.Label) bool {
			switch l.Kind {
			case provenance.Datum, provenance.Key, provenance.Alias:
				if l.Place.File != nil && isConfig(l.Place.File.Name) || RootKey(l.Path) != root {
					return false
				}
				return inside(key, l.Path)
			case provenance.Absence:
				missing, isKey := strings.CutPrefix(l.Path, "key ")
				missing, _, _ = strings.Cut(missing, " in file ")
				return isKey && RootKey(missing) == root
			}
			return false
		}, nil
	}
	if name, ok := strings.CutPrefix(of, "fact:"); ok && name != "" {
		name = strings.TrimPrefix(name, "facts.")
		return func(l provenance.Label) bool {
			return l.Kind == provenance.Fact && inside(name, l.Path) || l.Kind == provenance.Absence && l.Path == "fact "+name
		}, nil
	}
	if !strings.Contains(of, ":") && strings.ContainsAny(of, "/.") {
		return wholeFile(of), nil
	}
	file, from, to, ok := linesAsked(of)
	if !ok {
		return nil, fmt.Errorf("%q: say %s", of, placesAsked)
	}
	entries := rec.entriesAt(file, from, to)
	return func(l provenance.Label) bool {
		l.Place = l.Place.Outer()
		f := l.Place.File
		if f == nil || !sameFile(f.Name, file) {
			return false
		}
		first, last := lines(l.Place)
		if l.Kind == provenance.Datum && last > first && !isText(l.Place) {
			// which entries a container has is a matter of every line that one of them begins at
			return from <= first && first <= to || entries[f.Name+" "+l.Path]
		}
		return first <= to && from <= last
	}, nil
}

// linesAsked reads FILE:LINE, FILE:LINE:COLUMN and FILE:LINE-LINE.
func linesAsked(of string) (file string, from, to int, ok bool) {
	i := strings.LastIndexByte(of, ':')
	if i <= 0 {
		return "", 0, 0, false
	}
	file = of[:i]
	first, last, isRange := strings.Cut(of[i+1:], "-")
	from, ok = number(first)
	to = from
	if isRange && ok {
		to, ok = number(last)
	} else if j := strings.LastIndexByte(file, ':'); ok && j > 0 { // FILE:LINE:COLUMN
		if line, isLine := number(file[j+1:]); isLine {
			file, from, to = file[:j], line, line
		}
	}
	return file, from, to, ok && 0 < from && from <= to
}

// wholeFile matches all places of a file, or of the files below a directory, and what is missing there.
func wholeFile(of string) func(provenance.Label) bool {
	dir := path.Clean(strings.ReplaceAll(of, "\\", "/"))
	inside := func(name string) bool {
		return sameFile(name, dir) || strings.HasPrefix(name, dir+"/") || strings.Contains("/"+name, "/"+dir+"/")
	}
	return func(l provenance.Label) bool {
		if l.Kind == provenance.Absence {
			_, file, found := strings.Cut(l.Path, " in file ")
			if !found {
				if file, found = strings.CutPrefix(l.Path, "file "); !found {
					return false
				}
			}
			return inside(file)
		}
		f := l.Place.Outer().File
		return f != nil && l.Kind != provenance.Fact && inside(f.Name)
	}
}

// lines are the first and the last line of a place.
func lines(p source.Place) (first, last int) {
	return p.File.LineOf(p.Span.Start), p.File.LineOf(max(p.Span.Start, p.Span.End-1))
}

// isText reports whether a place of several lines in data is one text.
func isText(p source.Place) bool {
	return strings.HasPrefix(p.Text(), "|") || strings.HasPrefix(p.Text(), ">")
}

// entriesAt are the containers, by file and path, that have an entry or element which begins at one of some lines.
func (rec *Record) entriesAt(file string, from, to int) map[string]bool {
	out := map[string]bool{}
	rec.Trace.EachLeaf(func(_ provenance.Ref, l provenance.Label) {
		if f := l.Place.File; f == nil || !l.Kind.InData() || !sameFile(f.Name, file) {
			return
		} else if n := l.Place.Line(); n < from || to < n {
			return
		}
		out[l.Place.File.Name+" "+parentPath(l.Path)] = true
	})
	return out
}

// parentPath is a key path without its last segment.
func parentPath(path string) string {
	last, quote := -1, byte(0)
	for i := range len(path) {
		switch c := path[i]; {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '.':
			last = i
		case (c == '"' || c == '\'') && i == last+1:
			quote = c
		}
	}
	return path[:max(last, 0)]
}

// inside reports whether a path is the one asked about or an element of it. What holds it has a place of its own, for
// which elements there are; who reads all of it names the element's place as well.
func inside(asked, path string) bool { return asked == path || strings.HasPrefix(path, asked+".") }

// sameFile compares what the user wrote with how we show a file: whole, or its last elements.
func sameFile(shown, written string) bool {
	shown, written = path.Clean(shown), path.Clean(strings.ReplaceAll(written, "\\", "/"))
	return shown == written || strings.HasSuffix(shown, "/"+written) || strings.HasSuffix(written, "/"+shown)
}

// nothingThere says why a question reaches nothing.
func (rec *Record) nothingThere(of string) error {
	m := &NotFound{Message: "nothing at " + of + " was read for " + rec.Catalog.Name +
		": a change there alters nothing on this node"}
	switch {
	case strings.HasPrefix(of, "fact:"):
		m.Message = "no code or hierarchy read the fact " + of[5:] + " for " + rec.Catalog.Name + ": it reaches nothing"
		name := of[5:]
		if _, ok := rec.Fact(name); !ok {
			if near := source.Nearest(name, rec.factNames()); near != "" {
				m.Suggestions = []string{"fact:" + near}
			}
		}
	case strings.HasPrefix(of, "hiera:"):
		m.Message = "nobody asked Hiera for " + of[6:] + " on " + rec.Catalog.Name
		var keys []string
		rec.Trace.EachLeaf(func(_ provenance.Ref, l provenance.Label) {
			if l.Kind.InData() {
				keys = append(keys, RootKey(l.Path))
			}
		})
		if near := source.Nearest(of[6:], keys); near != "" {
			m.Suggestions = []string{"hiera:" + near}
		}
	default:
		at, from, to, isLines := linesAsked(of)
		if !isLines {
			return m
		}
		best, file := 0, ""
		rec.Trace.EachLeaf(func(_ provenance.Ref, l provenance.Label) {
			if f := l.Place.File; f != nil && sameFile(f.Name, at) {
				if k := l.Place.Line(); best == 0 || abs(k-from) < abs(best-from) {
					best, file = k, f.Name
				}
			}
		})
		for n := from; n <= to && n-from < mostLines; n++ {
			if by := rec.hiddenBy(at, n); by != "" {
				m.Message += "\n  " + by
				return m
			}
		}
		rec.notQuite(m, of, at, from, to)
		if best > 0 {
			m.Suggestions = []string{fmt.Sprintf("%s:%d", file, best)}
		}
	}
	return m
}

func abs(n int) int { return max(n, -n) }

const mostLines = 100 // of a range that are looked at one by one, when nothing there was read

// notQuite takes back what is too much to say of lines on which no datum was read: code may do something without one,
// and a key that was missed in a data file may be written anywhere in it.
func (rec *Record) notQuite(m *NotFound, of, file string, from, to int) {
	const most = 5
	var missed []string
	more := 0
	code := ""
	see := func(p source.Place) {
		f := p.Outer().File
		if code != "" || f == nil || !sameFile(f.Name, file) {
			return
		}
		for n := from; n <= min(to, f.LineCount()); n++ {
			if text := strings.TrimSpace(f.Line(n)); text != "" && !strings.HasPrefix(text, "#") {
				code = text
				return
			}
		}
	}
	isCode := slices.Contains([]string{".pp", ".epp", ".erb", ".rb"}, path.Ext(file))
	rec.Trace.EachLeaf(func(_ provenance.Ref, l provenance.Label) {
		if isCode {
			see(l.Place)
		}
		if l.Kind != provenance.Absence {
			return
		}
		key, in, _ := strings.Cut(l.Path, " in file ")
		if key, is := strings.CutPrefix(key, "key "); is && in != "" && sameFile(in, file) && !strings.Contains(key, "^") {
			if len(missed) == most {
				more++
			} else if !slices.Contains(missed, key) {
				missed = append(missed, key)
			}
		}
	})
	if isCode {
		for _, r := range rec.Catalog.Resources {
			see(r.Place)
		}
	}
	switch {
	case code != "":
		m.Message = fmt.Sprintf("no datum at %s was read for %s; what the code there does is no datum, and may matter", of,
			rec.Catalog.Name)
	case len(missed) > 0:
		m.Message += "\n  its value alters nothing; a key of another name here would: " + strings.Join(missed, ", ")
		if more > 0 {
			m.Message += fmt.Sprintf(" and %d more", more)
		}
	}
}

// hiddenBy says that a line of a data file has a key that was asked for, and which level answered instead.
func (rec *Record) hiddenBy(file string, n int) string {
	seen := map[string]bool{}
	found := ""
	rec.Trace.EachLeaf(func(_ provenance.Ref, l provenance.Label) {
		key := RootKey(l.Path)
		if found != "" || l.Kind != provenance.Datum || l.Place.File == nil || isConfig(l.Place.File.Name) || seen[key] {
			return
		}
		seen[key] = true
		h := rec.hieraOf(key)
		if h == nil || h.Merge != "first" {
			return
		}
		for _, lv := range h.Levels {
			if !lv.Found || !sameFile(lv.File, file) || lv.Place.File == nil || lv.Place.Line() > n ||
				lv.Place.File.LineOf(lv.Place.Span.End) < n {
				continue
			}
			for _, winner := range h.Levels {
				if winner.Found {
					found = fmt.Sprintf("Hiera key %s is answered by %s, level %q", key, winner.Place, winner.Name)
					return
				}
			}
		}
	})
	return found
}

func reachPhrase(r *ReachAnswer) string {
	if len(r.Slots) == 1 {
		return fmt.Sprintf("1 of %d slots depends on it in the catalog", r.Total)
	}
	return fmt.Sprintf("%d of %d slots depend on it in the catalog", len(r.Slots), r.Total)
}

// An item is a line of what a place reaches: a resource or variable with the attributes in question.
type item struct {
	name, typ string
	attrs     []string
	others    int // of the same type, with the same attributes
}

// items lists what keep gives a name to. Many resources of one type that it reaches in the same way are one item,
// unless all are asked for.
func (r *ReachAnswer) items(keep func(*Reach) string, all bool) (list []item) {
	for i := range r.Slots {
		s := &r.Slots[i]
		name := keep(s)
		if name == "" {
			continue
		}
		if n := len(list); n > 0 && list[n-1].name == name && s.Attribute != "" {
			list[n-1].attrs = append(list[n-1].attrs, s.Attribute)
			continue
		}
		typ, _, _ := strings.Cut(name, "[")
		it := item{name: name, typ: typ}
		if s.Attribute != "" {
			it.attrs = []string{s.Attribute}
		}
		list = append(list, it)
	}
	if all || len(list) <= shownItems {
		return list
	}
	var out []item
	at := map[string]int{}
	for _, it := range list {
		key := it.typ + " " + strings.Join(it.attrs, " ")
		if i, known := at[key]; known && strings.Contains(it.name, "[") {
			out[i].others++
			continue
		}
		at[key] = len(out)
		out = append(out, it)
	}
	return out
}

func (it *item) text(show Show) string {
	const most = 6
	line := paint(show.Style.Place, it.name)
	if it.others > 0 {
		line += fmt.Sprintf(" and %d more of %s", it.others, it.typ)
	}
	attrs := it.attrs
	if n := len(attrs); n > most+1 && !show.All {
		attrs = append(attrs[:most:most], fmt.Sprintf("… %d more", n-most))
	}
	if len(attrs) > 0 && it.others > 0 {
		line += ":"
	}
	if len(attrs) > 0 {
		line += " " + strings.Join(attrs, ", ")
	}
	return line
}

// Text shows what a place reaches.
func (r *ReachAnswer) Text(w io.Writer, show Show) {
	if len(r.Slots) == 0 {
		fmt.Fprintf(w, "%s reaches nothing on %s\n", r.Of, r.Node)
		return
	}
	fmt.Fprintf(w, "%s reaches %d of %d slots on %s\n", r.Of, len(r.Slots), r.Total, r.Node)
	for i := range r.Places {
		if show.enough(i, 6) {
			fmt.Fprintf(w, "  … %d more (--all lists them)\n", len(r.Places)-i)
			break
		}
		l := &r.Places[i]
		line := l.describe()
		if l.Text != "" {
			line += " = " + oneLine(l.Text, 50)
		}
		fmt.Fprintf(w, "  %s\n", line)
	}
	group := func(title string, keep func(*Reach) string) {
		if list := r.items(keep, show.All); len(list) > 0 {
			fmt.Fprintln(w, title)
			for i, it := range list {
				if show.enough(i, shownItems) {
					fmt.Fprintf(w, "  … %d more (--all lists them)\n", len(list)-i)
					break
				}
				fmt.Fprintln(w, "  "+it.text(show))
			}
		}
	}
	group("its data are part of", func(s *Reach) string {
		if s.How != "value" || s.Kind == "tags" {
			return ""
		}
		if s.Kind == "resource" {
			return s.Resource + " (its title)"
		}
		return s.Resource + s.Variable
	})
	group("it decides whether there is", func(s *Reach) string {
		if s.How != "decides" || s.Kind != "resource" {
			return ""
		}
		return s.Resource
	})
	there := map[string]bool{}
	for _, s := range r.Slots {
		if s.Kind == "resource" {
			there[s.Resource] = true
		}
	}
	group("it decides, among others,", func(s *Reach) string {
		if s.How != "decides" || s.Kind != "attribute" && s.Kind != "variable" || there[s.Resource] {
			return ""
		}
		return s.Resource + s.Variable
	})
	edges, tags := 0, 0
	for _, s := range r.Slots {
		switch s.Kind {
		case "edge":
			edges++
		case "tags":
			tags++
		}
	}
	if edges+tags+r.Order > 0 {
		fmt.Fprintf(w, "and %s of containment, the tags of %s, the position of %s\n", plural(edges, "edge"),
			plural(tags, "resource"), plural(r.Order, "resource"))
	}
}
