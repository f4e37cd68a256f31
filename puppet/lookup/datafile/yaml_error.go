package datafile

import (
	"errors"
	"fmt"
	"io"
	"reflect"
	"regexp"
	"strings"
	"unicode/utf8"

	"bunraku/source"

	"go.yaml.in/yaml/v3"
)

// The YAML library is libyaml in Go, as Psych is libyaml in Ruby, but its errors leave out half of what Psych tells,
// and some come too early: it scans one token further than it parses, and looks for anchors while it parses. What is
// here makes them Psych's.

// parseYAML reads the first document of a text; nil if there is none. In flow collections the library takes any
// question mark for the sign of a key, libyaml only one that begins something: [http://a.example/?x]. So a text that it
// refuses is read once more, with another character for question marks within words and between them.
func parseYAML(f *source.File, text string) (*yaml.Node, error) {
	if strings.HasPrefix(text, "\xff\xfe") || strings.HasPrefix(text, "\xfe\xff") { // the library would take UTF-16
		err := (&yamlTrouble{problem: "invalid leading UTF-8 octet"}).diagnostic(f)
		err.Help = "the file is written in UTF-16, which Puppet does not read: save it as UTF-8"
		return nil, err
	}
	doc, t := decodeYAML(text)
	if t != nil {
		if hidden, other := hideQuestions(text); hidden != text {
			text = hidden
			if doc, t = decodeYAML(text); doc != nil {
				showQuestions(doc, other)
			}
		}
	}
	switch {
	case t == nil:
		return doc, nil
	case t.alias != "":
		return nil, unknownAlias(f, text, t)
	}
	return nil, t.diagnostic(f)
}

// hideQuestions puts a character that the text does not have in place of question marks within words and between them.
func hideQuestions(text string) (hidden, other string) {
	if !inWord.MatchString(text) {
		return text, ""
	}
	other = unusedRune(text)
	return inWord.ReplaceAllStringFunc(text, func(s string) string { return strings.ReplaceAll(s, "?", other) }), other
}

// unusedRune is a character that the text does not have.
func unusedRune(text string) string {
	c := rune(0xE000) // the first that means nothing to anybody
	for strings.ContainsRune(text, c) {
		c++
	}
	return string(c)
}

var inWord = regexp.MustCompile(`[^\s,\[\]{}?]\?+|[^\s,\[\]{}?:-][ \t]+\?+`)

// showQuestions puts them back.
func showQuestions(n *yaml.Node, other string) {
	n.Value, n.Anchor, n.Tag = strings.ReplaceAll(n.Value, other, "?"), strings.ReplaceAll(n.Anchor, other, "?"),
		strings.ReplaceAll(n.Tag, other, "?")
	for _, c := range n.Content {
		showQuestions(c, other)
	}
}

// unknownAlias is the error of an alias without an anchor, unless the text is wrong further on: Psych reads all of it
// before it looks for anchors.
func unknownAlias(f *source.File, text string, t *yamlTrouble) error {
	begin := uint32(yamlOffset(text, yamlLines(text), t.line, t.column))
	first := &source.Diagnostic{Code: "H0102", Summary: "Unknown alias: " + t.alias,
		Place: source.Place{File: f, Span: source.Span{Start: begin, End: begin}}}
	for range strings.Count(text, "*") {
		at := yamlOffset(text, yamlLines(text), t.line, t.column)
		end := at + 1 + len(t.alias)
		if end > len(text) || text[at:end] != "*"+t.alias {
			break
		}
		text = text[:at] + "'" + strings.Repeat("x", len(t.alias)-1) + "'" + text[end:]
		if _, t = decodeYAML(text); t == nil {
			break
		}
		if t.alias == "" {
			return t.diagnostic(f)
		}
	}
	return first
}

// decodeYAML reads the first document, and what is wrong with it. In double quotes libyaml takes \/ for a slash, as
// JSON has it, and our library takes it for an unknown escape. So a text that it refuses for one is read once more,
// with two characters that the text does not have in their place: as many as before, so that all places stay.
func decodeYAML(text string) (*yaml.Node, *yamlTrouble) {
	doc, t := decodePlainly(text)
	if t == nil || t.problem != "found unknown escape character" {
		return doc, t
	}
	other := unusedRune(text) + unusedRune(text)
	hidden := escaped.ReplaceAllStringFunc(text, func(s string) string {
		if s == `\/` {
			return other
		}
		return s
	})
	if hidden == text {
		return doc, t
	}
	if doc, t = decodePlainly(hidden); doc != nil {
		showSlashes(doc, other)
	}
	return doc, t
}

var escaped = regexp.MustCompile(`(?s)\\.`)

// showSlashes puts slashes where the others are, which have kept their backslash unless they stand in double quotes.
func showSlashes(n *yaml.Node, other string) {
	slash := `\/`
	if n.Style&yaml.DoubleQuotedStyle != 0 {
		slash = "/"
	}
	n.Value, n.Anchor, n.Tag = strings.ReplaceAll(n.Value, other, slash), strings.ReplaceAll(n.Anchor, other, `\/`),
		strings.ReplaceAll(n.Tag, other, `\/`)
	for _, c := range n.Content {
		showSlashes(c, other)
	}
}

// decodePlainly is decodeYAML with the library's escapes.
func decodePlainly(text string) (*yaml.Node, *yamlTrouble) {
	doc, t, _ := readDocument(text)
	if t == nil || !t.ahead {
		return doc, t
	}
	before := text[:yamlOffset(text, yamlLines(text), t.line, t.column)]
	doc, earlier, d := readDocument(before)
	switch {
	// the first document ended before what cannot be scanned
	case doc != nil && !errors.Is(d.Decode(new(yaml.Node)), io.EOF):
		return doc, nil
	case earlier != nil && !earlier.scanning && earlier.alias == "" && earlier.at < utf8.RuneCountInString(before):
		return nil, earlier
	}
	return nil, t
}

// readDocument reads the first document; nil if there is none. The decoder can go on.
func readDocument(text string) (doc *yaml.Node, t *yamlTrouble, d *yaml.Decoder) {
	doc = new(yaml.Node)
	d = yaml.NewDecoder(strings.NewReader(text))
	switch err := d.Decode(doc); {
	case errors.Is(err, io.EOF):
		return nil, nil, d
	case err != nil:
		return nil, yamlFault(d, err), d
	}
	return doc, nil, d
}

// A yamlTrouble is what the library knows of an error: what is wrong, what was being read, and where that began (from
// 0).
type yamlTrouble struct {
	problem, context string
	line, column     int
	scanning         bool   // a token is wrong, not the order of tokens
	ahead            bool   // the token was not needed yet
	at               int    // the number of the character where it shows
	alias            string // the alias that has no anchor, in place of a problem; it stands at line and column
}

var unknownAnchor = regexp.MustCompile(`^yaml: unknown anchor '(.*)' referenced$`)

// yamlFault looks into the library for what its error leaves out. Where the library is not as we know it, its own words
// must do.
func yamlFault(d *yaml.Decoder, err error) (out *yamlTrouble) {
	defer func() {
		if recover() != nil {
			out = &yamlTrouble{problem: strings.TrimPrefix(err.Error(), "yaml: ")}
		}
	}()
	const scannerError = 3 // yaml_SCANNER_ERROR
	outer := reflect.ValueOf(d).Elem().FieldByName("parser").Elem()
	p := outer.FieldByName("parser")
	line := func(mark reflect.Value) int { return int(mark.FieldByName("line").Int()) }
	column := func(mark reflect.Value) int { return int(mark.FieldByName("column").Int()) }
	if m := unknownAnchor.FindStringSubmatch(err.Error()); m != nil {
		mark := outer.FieldByName("event").FieldByName("start_mark")
		return &yamlTrouble{alias: m[1], line: line(mark), column: column(mark)}
	}
	mark := p.FieldByName("context_mark")
	return &yamlTrouble{
		problem: p.FieldByName("problem").String(), context: p.FieldByName("context").String(),
		line: line(mark), column: column(mark),
		scanning: p.FieldByName("error").Int() == scannerError,
		ahead:    scannedAhead(p),
		at:       int(p.FieldByName("problem_mark").FieldByName("index").Int()),
	}
}

// scannedAhead reports whether the library failed on a token that libyaml would not have looked at yet: there is
// another to parse first, and that one is known to be no key.
func scannedAhead(p reflect.Value) bool {
	mark := func(v reflect.Value, field string) int64 { return v.FieldByName("mark").FieldByName(field).Int() }
	keys := p.FieldByName("simple_keys")
	for i := range keys.Len() {
		k := keys.Index(i)
		maybe := k.FieldByName("possible").Bool() && mark(k, "line") >= mark(p, "line") &&
			mark(k, "index")+1024 >= mark(p, "index")
		if maybe && k.FieldByName("token_number").Int() == p.FieldByName("tokens_parsed").Int() {
			return false
		}
	}
	return int(p.FieldByName("tokens_head").Int()) < p.FieldByName("tokens").Len()
}

// diagnostic words the trouble as Psych does.
func (t *yamlTrouble) diagnostic(f *source.File) *source.Diagnostic {
	problem := t.problem
	if t.context != "" {
		problem += " " + t.context
	}
	lines := yamlLines(f.Text)
	start := len(f.Text)
	if t.line < len(lines) {
		start = lines[t.line]
	}
	end := start
	if n := strings.IndexAny(f.Text[start:], "\r\n"); n >= 0 {
		end += n
	} else {
		end = len(f.Text)
	}
	return &source.Diagnostic{Code: "H0101", Summary: fmt.Sprintf("(%s): %s at line %d column %d", f.Name, problem,
		t.line+1, t.column+1),
		Place: source.Place{File: f, Span: source.Span{Start: uint32(start), End: uint32(end)}}}
}

// yamlLines are the offsets of the lines as YAML counts them: it knows more line ends than a line table does.
func yamlLines(s string) []int {
	lines := []int{0}
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '\r' && i+1 < len(s) && s[i+1] == '\n':
			i++
		case c == '\r' || c == '\n':
		case c == 0xC2 && i+1 < len(s) && s[i+1] == 0x85:
			i++
		case c == 0xE2 && i+2 < len(s) && s[i+1] == 0x80 && (s[i+2] == 0xA8 || s[i+2] == 0xA9):
			i += 2
		default:
			continue
		}
		lines = append(lines, i+1)
	}
	return lines
}

// yamlOffset is the offset of a line and column, both from 0, in a text whose lines begin where lines says.
func yamlOffset(text string, lines []int, line, column int) int {
	if line < 0 || line >= len(lines) {
		return len(text)
	}
	at := lines[line]
	for ; column > 0 && at < len(text); column-- {
		_, size := utf8.DecodeRuneInString(text[at:])
		at += size
	}
	return at
}

// markEvery is how many characters lie between two marks of a long line.
const markEvery = 256

// offset is yamlOffset for many places of one text. A document may stand in one line of megabytes, so that counting
// from its beginning for every value would take quadratic time: long lines have marks.
func (r *yamlReader) offset(line, column int) int {
	text := r.file.Text[r.shift:]
	if column < 2*markEvery || line < 0 || line >= len(r.lines) {
		return yamlOffset(text, r.lines, line, column)
	}
	marks, ok := r.marks[line]
	if !ok {
		end := len(text)
		if line+1 < len(r.lines) {
			end = r.lines[line+1]
		}
		count := 0
		for i := range text[r.lines[line]:end] {
			if count%markEvery == 0 {
				marks = append(marks, r.lines[line]+i)
			}
			count++
		}
		if r.marks == nil {
			r.marks = map[int][]int{}
		}
		r.marks[line] = marks
	}
	i := min(column/markEvery, len(marks)-1)
	if i < 0 {
		return yamlOffset(text, r.lines, line, column)
	}
	return yamlOffset(text, marks, i, column-i*markEvery)
}
