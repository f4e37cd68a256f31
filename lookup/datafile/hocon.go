package datafile

import (
	"math"
	"math/big"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"bunraku/source"
	"bunraku/value"
)

// ReadHOCON reads a text in HOCON, JSON's human form: comments, unquoted words, paths as keys, objects that merge, lists and texts that are
// joined, and substitutions ${a.b}. It follows the Ruby library that Puppet's hocon_data calls. Includes are not followed, and a
// substitution never falls back on the process's environment.
func ReadHOCON(f *source.File) (*Node, error) {
	p := &hoconParser{file: f, text: strings.TrimPrefix(f.Text, "\ufeff")}
	p.shift = len(f.Text) - len(p.text)
	root, err := p.document()
	if err != nil {
		return nil, err
	}
	r := &hoconResolver{p: p, root: root, busy: map[*hoconValue]bool{}}
	return r.node(root)
}

// A hoconValue is a value before its substitutions are resolved.
type hoconValue struct {
	kind   hoconKind
	span   source.Span
	scalar value.Value
	text   string        // of a scalar: as written, for joining
	elems  []*hoconValue // of a list, a concatenation, or a merge (older first)
	keys   []string      // of an object, in order
	fields map[string]*hoconValue
	spans  map[string]source.Span // of the keys
	path   []string               // of a substitution
	maybe  bool                   // ${?path}
	before *hoconValue            // of a substitution: what its own field held before, for references to itself
	self   []string               // of a substitution: the path of the field it stands in
}

type hoconKind uint8

const (
	hoconScalar hoconKind = iota
	hoconBlank            // white space between two values of a concatenation
	hoconList
	hoconObject
	hoconSubst
	hoconConcat
	hoconMerge
)

type hoconParser struct {
	file  *source.File
	text  string
	at    int
	shift int
	depth int
}

const maxHOCONDepth = 200

func (p *hoconParser) fail(at int, text string) error {
	at = min(at, len(p.text)) + p.shift
	line := p.file.LineOf(uint32(at))
	return &source.Diagnostic{Code: "H0111", Summary: "String: " + strconv.Itoa(line) + ": " + text,
		Place: source.Place{File: p.file, Span: source.Span{Start: uint32(at), End: uint32(at)}}}
}

func (p *hoconParser) span(start int) source.Span {
	return source.Span{Start: uint32(start + p.shift), End: uint32(p.at + p.shift)}
}

func newObject(span source.Span) *hoconValue {
	return &hoconValue{kind: hoconObject, span: span, fields: map[string]*hoconValue{}, spans: map[string]source.Span{}}
}

func (p *hoconParser) document() (*hoconValue, error) {
	p.skip(true)
	var root *hoconValue
	var err error
	switch {
	case p.peek() == '[':
		return nil, p.fail(p.at, " has type LIST rather than object at file root")
	case p.peek() == '{':
		root, err = p.braced(nil)
	default:
		root = newObject(source.Span{})
		err = p.fields(root, nil, false)
	}
	if err != nil {
		return nil, err
	}
	if p.skip(true); p.at < len(p.text) {
		return nil, p.fail(p.at, "Document has trailing tokens after first object or array: "+string(p.rune()))
	}
	return root, nil
}

func (p *hoconParser) peek() byte {
	if p.at < len(p.text) {
		return p.text[p.at]
	}
	return 0
}

func (p *hoconParser) rune() rune {
	r, _ := utf8.DecodeRuneInString(p.text[p.at:])
	return r
}

// skip moves over blanks and comments, and line ends if asked to. It reports whether there was a line end.
func (p *hoconParser) skip(lines bool) bool {
	seen := false
	for p.at < len(p.text) {
		r, size := utf8.DecodeRuneInString(p.text[p.at:])
		switch {
		case r == '\n':
			if !lines {
				return seen
			}
			seen = true
			p.at++
		case unicode.IsSpace(r) || r == '\ufeff':
			p.at += size
		case r == '#' || strings.HasPrefix(p.text[p.at:], "//"):
			if end := strings.IndexByte(p.text[p.at:], '\n'); end >= 0 {
				p.at += end
			} else {
				p.at = len(p.text)
			}
		default:
			return seen
		}
	}
	return seen
}

func (p *hoconParser) braced(at []string) (*hoconValue, error) {
	start := p.at
	p.at++
	o := newObject(source.Span{})
	if err := p.fields(o, at, true); err != nil {
		return nil, err
	}
	o.span = p.span(start)
	return o, nil
}

// fields reads the fields of an object up to its brace, or to the end of the text.
func (p *hoconParser) fields(o *hoconValue, at []string, braced bool) error {
	if p.depth++; p.depth > maxHOCONDepth {
		return p.fail(p.at, "nested too deeply")
	}
	defer func() { p.depth-- }()
	for first := true; ; first = false {
		if newline := p.skip(true); !first {
			comma := p.peek() == ','
			if comma {
				p.at++
				p.skip(true)
			}
			if p.at < len(p.text) && p.peek() != '}' && !comma && !newline {
				return p.fail(p.at, "Expecting close brace } or a comma, got '"+string(p.rune())+"'")
			}
		}
		switch {
		case p.at == len(p.text):
			if braced {
				return p.fail(p.at, "Expecting close brace } or a comma, got end of file")
			}
			return nil
		case p.peek() == '}':
			if !braced {
				return p.fail(p.at, "unbalanced close brace '}' with no open brace")
			}
			p.at++
			return nil
		}
		if err := p.field(o, at); err != nil {
			return err
		}
	}
}

func (p *hoconParser) field(o *hoconValue, at []string) error {
	start := p.at
	path, err := p.keyPath()
	if err != nil {
		return err
	}
	keySpan := p.span(start)
	keySpan.End = keySpan.Start + uint32(len(strings.TrimRight(p.file.Slice(keySpan), " \t")))
	if len(path) == 1 && path[0] == "include" && p.peek() == '"' {
		if _, err := p.quoted(); err != nil {
			return err
		}
		return nil
	}
	appending := false
	switch c := p.peek(); {
	case c == ':' || c == '=':
		p.at++
	case strings.HasPrefix(p.text[p.at:], "+="):
		p.at, appending = p.at+2, true
	case c == '{':
	default:
		return p.fail(p.at, "Key '"+strings.Join(path, ".")+"' may not be followed by token: "+p.tokenName())
	}
	full := append(at[:len(at):len(at)], path...)
	p.skip(true)
	before := o.get(path)
	v, err := p.value(full)
	if err != nil {
		return err
	}
	if appending {
		self := &hoconValue{kind: hoconSubst, path: full, maybe: true, before: before, self: full, span: v.span}
		v = &hoconValue{kind: hoconConcat, span: v.span, elems: []*hoconValue{self, {kind: hoconList, elems: []*hoconValue{v}, span: v.span}}}
	}
	v.setBefore(before, full)
	o.set(path, keySpan, v)
	return nil
}

func (p *hoconParser) tokenName() string {
	switch {
	case p.at >= len(p.text):
		return "end of file"
	case p.peek() == '\n':
		return "newline"
	}
	return "'" + string(p.rune()) + "'"
}

// get is what a path holds so far, or nil.
func (o *hoconValue) get(path []string) *hoconValue {
	for _, k := range path {
		if o == nil || o.kind != hoconObject {
			return nil
		}
		o = o.fields[k]
	}
	return o
}

// setBefore tells the substitutions in a value what the value's field held before.
func (v *hoconValue) setBefore(before *hoconValue, full []string) {
	switch v.kind {
	case hoconSubst:
		if v.self == nil {
			v.before, v.self = before, full
		}
	case hoconConcat, hoconList:
		for _, e := range v.elems {
			e.setBefore(before, full)
		}
	}
}

// set assigns a path of an object: objects merge, other values replace.
func (o *hoconValue) set(path []string, span source.Span, v *hoconValue) {
	if len(path) > 1 {
		sub := newObject(v.span)
		sub.set(path[1:], span, v)
		v = sub
	}
	key := path[0]
	old, had := o.fields[key]
	if !had {
		o.keys = append(o.keys, key)
		o.fields[key], o.spans[key] = v, span
		return
	}
	o.fields[key] = mergeHOCON(old, v)
	o.spans[key] = span
}

// mergeHOCON puts newer over older. The newer object's keys come first, as in the Ruby library.
func mergeHOCON(older, newer *hoconValue) *hoconValue {
	open := func(v *hoconValue) bool { return v.kind == hoconSubst || v.kind == hoconConcat || v.kind == hoconMerge }
	switch {
	case older.kind == hoconObject && newer.kind == hoconObject:
		o := newObject(newer.span)
		for _, k := range newer.keys {
			o.keys = append(o.keys, k)
			o.fields[k], o.spans[k] = newer.fields[k], newer.spans[k]
		}
		for _, k := range older.keys {
			if mine, has := o.fields[k]; has {
				o.fields[k] = mergeHOCON(older.fields[k], mine)
			} else {
				o.keys = append(o.keys, k)
				o.fields[k], o.spans[k] = older.fields[k], older.spans[k]
			}
		}
		return o
	case open(newer) || open(older) && newer.kind == hoconObject:
		return &hoconValue{kind: hoconMerge, span: newer.span, elems: []*hoconValue{older, newer}}
	}
	return newer
}

// keyPath reads a key: words and quoted texts, split at the dots outside of quotes.
func (p *hoconParser) keyPath() ([]string, error) {
	var path []string
	var b strings.Builder
	pending := ""
	any := false
	for p.at < len(p.text) {
		c := p.text[p.at]
		switch {
		case c == '"':
			s, err := p.quoted()
			if err != nil {
				return nil, err
			}
			b.WriteString(pending + s)
			pending, any = "", true
			continue
		case c == '.':
			if !any {
				return nil, p.fail(p.at, "path has a leading, trailing, or two adjacent period '.' (use quoted \"\" empty string if you want an empty element)")
			}
			path, any, pending = append(path, b.String()), false, ""
			b.Reset()
		case c == '\n', strings.IndexByte("{}[]:=,+#", c) >= 0:
			goto done
		case strings.IndexByte("$`^?!@*&\\", c) >= 0:
			return nil, p.fail(p.at, "Reserved character '"+string(c)+"' is not allowed outside quotes")
		case c == ' ' || c == '\t' || c == '\r':
			if any {
				pending += string(c)
			}
		default:
			r, size := utf8.DecodeRuneInString(p.text[p.at:])
			b.WriteString(pending + string(r))
			pending, any = "", true
			p.at += size - 1
		}
		p.at++
		if strings.TrimSpace(b.String()) == "include" && len(path) == 0 && p.peek() == '"' {
			goto done
		}
	}
done:
	if !any {
		return nil, p.fail(p.at, "expecting a field name, got "+p.tokenName())
	}
	return append(path, b.String()), nil
}

func (p *hoconParser) list(at []string) (*hoconValue, error) {
	if p.depth++; p.depth > maxHOCONDepth {
		return nil, p.fail(p.at, "nested too deeply")
	}
	defer func() { p.depth-- }()
	start := p.at
	p.at++
	l := &hoconValue{kind: hoconList}
	for first := true; ; first = false {
		newline := p.skip(true)
		if !first {
			comma := p.peek() == ','
			if comma {
				p.at++
				p.skip(true)
			}
			if p.peek() != ']' && !comma && !newline {
				return nil, p.fail(p.at, "List should have ended with ] or had a comma, instead had token: "+p.tokenName())
			}
		}
		if p.at == len(p.text) {
			return nil, p.fail(p.at, "List should have ended with ] or had a comma, instead had token: end of file")
		}
		if p.peek() == ']' {
			p.at++
			l.span = p.span(start)
			return l, nil
		}
		if p.peek() == ',' {
			return nil, p.fail(p.at, "List should have ] or a first element after the open [, instead had token: ','")
		}
		v, err := p.value(at)
		if err != nil {
			return nil, err
		}
		l.elems = append(l.elems, v)
	}
}

// value reads one value, or several on one line that are joined.
func (p *hoconParser) value(at []string) (*hoconValue, error) {
	start := p.at
	var parts []*hoconValue
	for p.at < len(p.text) {
		blank := p.at
		p.skip(false)
		if len(parts) > 0 && p.at > blank {
			parts = append(parts, &hoconValue{kind: hoconBlank, text: p.text[blank:p.at]})
		}
		c := p.peek()
		if p.at == len(p.text) || c == '\n' || c == ',' || c == '}' || c == ']' {
			break
		}
		v, err := p.part(at)
		if err != nil {
			return nil, err
		}
		parts = append(parts, v)
	}
	end := p.at
	for len(parts) > 0 && parts[len(parts)-1].kind == hoconBlank {
		parts = parts[:len(parts)-1]
	}
	switch len(parts) {
	case 0:
		return nil, p.fail(p.at, "Expecting a value but got wrong token: "+p.tokenName())
	case 1:
		return parts[0], nil
	}
	return joinHOCON(p, parts, source.Span{Start: uint32(start + p.shift), End: uint32(end + p.shift)})
}

func (p *hoconParser) part(at []string) (*hoconValue, error) {
	start := p.at
	switch c := p.peek(); {
	case c == '{':
		return p.braced(at)
	case c == '[':
		return p.list(at)
	case c == '"':
		s, err := p.quoted()
		return &hoconValue{scalar: value.String(s), text: s, span: p.span(start)}, err
	case strings.HasPrefix(p.text[p.at:], "${"):
		p.at += 2
		v := &hoconValue{kind: hoconSubst}
		if p.peek() == '?' {
			p.at, v.maybe = p.at+1, true
		}
		path, err := p.keyPath()
		if err != nil {
			return nil, err
		}
		if p.peek() != '}' {
			return nil, p.fail(p.at, "Substitution ${ was not closed with a }")
		}
		p.at++
		v.path, v.span = path, p.span(start)
		return v, nil
	case c == '-' || c >= '0' && c <= '9':
		return p.number()
	}
	text := p.word()
	if text == "" {
		return nil, p.fail(p.at, "Reserved character '"+string(p.rune())+"' is not allowed outside quotes")
	}
	v := &hoconValue{scalar: value.String(text), text: text, span: p.span(start)}
	switch text {
	case "true":
		v.scalar = value.Bool(true)
	case "false":
		v.scalar = value.Bool(false)
	case "null":
		v.scalar = value.Undef{}
	}
	return v, nil
}

// word reads unquoted text; true, false and null end as soon as they are complete.
func (p *hoconParser) word() string {
	start := p.at
	for p.at < len(p.text) {
		r, size := utf8.DecodeRuneInString(p.text[p.at:])
		if strings.ContainsRune("$\"{}[]:=,+#`^?!@*&\\", r) || unicode.IsSpace(r) || strings.HasPrefix(p.text[p.at:], "//") {
			break
		}
		p.at += size
		if w := p.text[start:p.at]; w == "true" || w == "false" || w == "null" {
			break
		}
	}
	return p.text[start:p.at]
}

func (p *hoconParser) number() (*hoconValue, error) {
	start := p.at
	for p.at < len(p.text) && strings.IndexByte("0123456789eE+-.", p.text[p.at]) >= 0 {
		p.at++
	}
	s := p.text[start:p.at]
	v := &hoconValue{text: s, span: p.span(start)}
	if strings.ContainsAny(s, ".eE") {
		if f, problem := parseFloat(s); problem == "" && !strings.HasPrefix(strings.TrimLeft(s, "-"), ".") {
			v.scalar = f
			n := float64(f.(value.Float))
			if math.IsInf(n, 0) {
				return nil, p.fail(start, "Infinity")
			}
			if n == math.Trunc(n) { // a whole number is an integer, however written
				whole, _ := big.NewFloat(n).Int(nil)
				v.scalar = bigValue(whole)
			}
			return v, nil
		}
	} else if n, ok := new(big.Int).SetString(s, 10); ok && s[0] != '+' {
		v.scalar = bigValue(n)
		if digits := strings.TrimLeft(s, "-"); len(digits) > 1 && digits[0] == '0' { // Ruby's Integer() reads octal
			t := parseInteger(s)
			if t.Problem != "" {
				v.scalar = value.String(s)
			} else {
				v.scalar = t.Value
			}
		}
		return v, nil
	}
	if strings.ContainsRune(s, '+') {
		return nil, p.fail(start, "Reserved character '+'is not allowed outside quotes")
	}
	v.scalar = value.String(s)
	return v, nil
}

func (p *hoconParser) quoted() (string, error) {
	start := p.at
	if strings.HasPrefix(p.text[p.at:], `"""`) {
		end := strings.Index(p.text[p.at+3:], `"""`)
		if end < 0 {
			return "", p.fail(start, "End of input but triple-quoted string was still open")
		}
		from := p.at + 3
		p.at = from + end + 3
		for p.peek() == '"' { // further quotes belong to the text
			p.at++
		}
		return p.text[from : p.at-3], nil
	}
	j := &jsonReader{file: p.file, text: p.text, at: p.at}
	s, err := j.string()
	if err != nil {
		return "", p.fail(start, "End of input but string quote was still open")
	}
	p.at = j.at
	return s, nil
}

// joinHOCON joins the parts of a concatenation as far as that can be done before substitutions are known.
func joinHOCON(p *hoconParser, parts []*hoconValue, span source.Span) (*hoconValue, error) {
	for _, v := range parts {
		if v.kind == hoconSubst || v.kind == hoconConcat || v.kind == hoconMerge {
			return &hoconValue{kind: hoconConcat, span: span, elems: parts}, nil
		}
	}
	return concatenate(p, parts, span)
}

func concatenate(p *hoconParser, parts []*hoconValue, span source.Span) (*hoconValue, error) {
	kind := hoconBlank
	for _, v := range parts {
		if v.kind == hoconBlank {
			continue
		}
		if kind == hoconBlank {
			kind = v.kind
		} else if kind != v.kind {
			return nil, p.fail(int(span.Start)-p.shift, "Cannot concatenate object or list with a non-object-or-list")
		}
	}
	out := &hoconValue{kind: kind, span: span}
	switch kind {
	case hoconObject:
		out = newObject(span)
		for _, v := range parts {
			if v.kind == hoconObject {
				out = mergeHOCON(out, v)
			}
		}
		out.span = span
	case hoconList:
		for _, v := range parts {
			out.elems = append(out.elems, v.elems...)
		}
	default:
		for _, v := range parts {
			out.text += v.text
		}
		out.kind, out.scalar = hoconScalar, value.String(out.text)
	}
	return out, nil
}
