package stdlib

import (
	"fmt"
	"math"
	"strings"
	"unicode/utf8"

	"bunraku/puppet/functions"
	"bunraku/puppet/lookup/datafile"
	"bunraku/puppet/onigmo"
	"bunraku/puppet/types"
	"bunraku/puppet/value"
)

// A yamlWriter is Psych's to_yaml on libyaml 0.2.5: the names and the order of decisions are those of its emitter,
// because line breaks, quotes and trailing blanks depend on them.
type yamlWriter struct {
	b          strings.Builder
	column     int
	indent     int
	whitespace bool // the last character was a blank, or nothing was written yet
	indention  bool // only indentation and indicators so far on this line
	simpleKey  bool
	step       int // of indentation
	width      int
	foldAbove  int // texts longer than this are folded; 0 for none (Psych's line_width)
	anchors    map[any]int
	seen       map[any]bool
}

// errNotPlain is the error of a value that would be written as a Ruby object.
type errNotPlain struct{ class string }

func (e errNotPlain) Error() string { return "cannot write a " + e.class + " as YAML" }

// yamlText is Ruby's to_yaml with its options.
func yamlText(v value.Value, options *value.Hash) (text string, err error) {
	w := &yamlWriter{indent: -1, whitespace: true, indention: true, step: 2, width: 80, anchors: map[any]int{},
		seen: map[any]bool{}}
	head := ""
	if options != nil {
		if n, is := options.At("line_width").(value.Int); is {
			w.width = int(n)
			if n > 0 {
				w.foldAbove = int(n)
			}
		}
		if n, is := options.At("indentation").(value.Int); is && n >= 2 && n <= 9 {
			w.step = int(n)
		}
		if value.Truthy(options.At("header")) {
			head = "%YAML 1.1\n"
		}
	}
	switch {
	case w.width < 0:
		w.width = math.MaxInt
	case w.width <= 2*w.step:
		w.width = 80
	}
	defer func() {
		if e := recover(); e != nil {
			bad, is := e.(errNotPlain)
			if !is {
				panic(e)
			}
			err = bad
		}
	}()
	w.count(v)
	w.indicator("---", true, false, false)
	w.node(v, false, false)
	w.writeIndent()
	return head + w.b.String(), nil
}

// count finds the containers that appear twice: they get an anchor, numbered in the order of the first repetition.
func (w *yamlWriter) count(v value.Value) {
	visit := func(key any) bool {
		if w.seen[key] {
			if w.anchors[key] == 0 {
				w.anchors[key] = len(w.anchors) + 1
			}
			return false
		}
		w.seen[key] = true
		return true
	}
	switch v := v.(type) {
	case *value.Array:
		if v.Len() > 0 && visit(v) {
			for _, e := range v.Elems {
				w.count(e)
			}
		}
	case *value.Hash:
		if v.Len() > 0 && visit(v) {
			for _, e := range v.Entries() {
				w.count(e.Key)
				w.count(e.Value)
			}
		}
	}
}

func (w *yamlWriter) put(s string) {
	w.b.WriteString(s)
	w.column += utf8.RuneCountInString(s)
}

func (w *yamlWriter) lineBreak() {
	w.b.WriteByte('\n')
	w.column = 0
}

func (w *yamlWriter) writeIndent() {
	indent := max(w.indent, 0)
	if !w.indention || w.column > indent || w.column == indent && !w.whitespace {
		w.lineBreak()
	}
	if w.column < indent {
		w.put(strings.Repeat(" ", indent-w.column))
	}
	w.whitespace, w.indention = true, true
}

func (w *yamlWriter) indicator(s string, needBlank, isBlank, isIndention bool) {
	if needBlank && !w.whitespace {
		w.put(" ")
	}
	w.put(s)
	w.whitespace = isBlank
	w.indention = w.indention && isIndention
}

// increase deepens the indentation and returns what it was.
func (w *yamlWriter) increase(flow, indentless bool) int {
	before := w.indent
	switch {
	case w.indent < 0 && flow:
		w.indent = w.step
	case w.indent < 0:
		w.indent = 0
	case !indentless:
		w.indent += w.step
	}
	return before
}

// anchor writes an alias, and then there is nothing left to write, or an anchor if the container has one.
func (w *yamlWriter) anchor(key any) (done bool) {
	n := w.anchors[key]
	if n == 0 {
		return false
	}
	if w.seen[key] {
		w.seen[key] = false // the next time is an alias
		w.indicator(fmt.Sprintf("&%d", n), true, false, false)
		return false
	}
	w.indicator(fmt.Sprintf("*%d", n), true, false, false)
	return true
}

func (w *yamlWriter) node(v value.Value, inMapping, simpleKey bool) {
	w.simpleKey = simpleKey
	switch v := v.(type) {
	case *value.Array:
		w.sequence(v, inMapping)
	case *value.Hash:
		w.mapping(v)
	case *types.Resource:
		if !v.HasTitle {
			panic(errNotPlain{functions.RubyClass(v)})
		}
		w.indicator("!ruby/object:Puppet::Pops::Types::PResourceType", true, false, false)
		w.mapping(value.NewHash(value.String("type_name"), value.String(capitalized(v.Type)), value.String("title"),
			value.String(v.Title),
			value.String("downcased_name"), value.String(strings.ToLower(v.Type))))
	default:
		w.scalar(v)
	}
}

func (w *yamlWriter) sequence(a *value.Array, inMapping bool) {
	if w.anchor(a) {
		return
	}
	if a.Len() == 0 {
		w.indicator("[", true, true, false)
		w.indicator("]", false, false, false)
		return
	}
	before := w.increase(false, inMapping && !w.indention)
	for _, e := range a.Elems {
		w.writeIndent()
		w.indicator("-", true, false, true)
		w.node(e, false, false)
	}
	w.indent = before
}

func (w *yamlWriter) mapping(h *value.Hash) {
	if w.anchor(h) {
		return
	}
	if h.Len() == 0 {
		w.indicator("{", true, true, false)
		w.indicator("}", false, false, false)
		return
	}
	before := w.increase(false, false)
	for _, e := range h.Entries() {
		w.writeIndent()
		if w.simple(e.Key) {
			w.node(e.Key, true, true)
			w.indicator(":", false, false, false)
		} else {
			w.indicator("?", true, false, true)
			w.node(e.Key, true, false)
			w.writeIndent()
			w.indicator(":", true, false, true)
		}
		w.node(e.Value, true, false)
	}
	w.indent = before
}

// simple reports whether a key can stand on one line before its colon.
func (w *yamlWriter) simple(k value.Value) bool {
	switch k := k.(type) {
	case *value.Array:
		return k.Len() == 0 || w.anchors[k] != 0 && !w.seen[k]
	case *value.Hash:
		return k.Len() == 0 || w.anchors[k] != 0 && !w.seen[k]
	}
	s := scalarOf(w, k)
	return len(s.text) <= 128 && !analyze(s.text).multiline
}

// ---- scalars

type yamlStyle uint8

const (
	plainStyle yamlStyle = iota
	singleStyle
	doubleStyle
	literalStyle
	foldedStyle
)

// A yamlScalar is what Psych asks libyaml to write.
type yamlScalar struct {
	text, tag     string
	quoteImplicit bool
	style         yamlStyle
}

var (
	innerBreak = onigmo.MustCompile(`\n(?!\Z)`)
	oddStart   = onigmo.MustCompile(`^[^[:word:]][^"]*$`)
	octalLike  = onigmo.MustCompile(`\A0[0-7]*[89]`)
)

func scalarOf(w *yamlWriter, v value.Value) yamlScalar {
	switch v := v.(type) {
	case nil, value.Undef:
		return yamlScalar{}
	case value.Bool, value.Int:
		return yamlScalar{text: value.ToString(v)}
	case value.Float:
		switch f := float64(v); {
		case math.IsNaN(f):
			return yamlScalar{text: ".nan"}
		case math.IsInf(f, 1):
			return yamlScalar{text: ".inf"}
		case math.IsInf(f, -1):
			return yamlScalar{text: "-.inf"}
		}
		return yamlScalar{text: value.FormatFloat(float64(v))}
	case value.Default:
		return yamlScalar{text: ":default"}
	case *value.Regexp:
		return yamlScalar{text: value.Inspect(v), tag: "!ruby/regexp"}
	case value.String:
		return stringScalar(w, string(v))
	}
	panic(errNotPlain{functions.RubyClass(v)})
}

func stringScalar(w *yamlWriter, s string) yamlScalar {
	out := yamlScalar{text: s, quoteImplicit: true}
	switch {
	case !utf8.ValidString(s):
		panic(errNotPlain{"binary string"})
	case matches(innerBreak, s):
		out.style = literalStyle
	case s == "<<":
		return yamlScalar{text: s, tag: "!!str", style: singleStyle}
	case s == "y" || s == "n":
		out.style = doubleStyle
	case w.foldAbove > 0 && utf8.RuneCountInString(s) > w.foldAbove:
		out.style = foldedStyle
	case matches(oddStart, s):
		out.style = doubleStyle
	default:
		if _, is := datafile.Scalar(s).Value.(value.String); !is || matches(octalLike, s) {
			out.style = singleStyle
		}
	}
	return out
}

// analysis is what the emitter knows about a text.
type analysis struct {
	multiline, plain, single, block bool
}

func isBreak(r rune) bool {
	return r == '\n' || r == '\r' || r == 0x85 || r == 0x2028 || r == 0x2029
}

// printable is the emitter's idea of it: neither tabs nor characters beyond the basic plane.
func printable(r rune) bool {
	switch {
	case r == '\n', r >= 0x20 && r <= 0x7e:
		return true
	case r < 0xa0, r > 0xffff, r >= 0xd800 && r <= 0xdfff, r == 0xfeff, r == 0xfffe, r == 0xffff:
		return false
	}
	return true
}

func analyze(s string) analysis {
	if s == "" {
		return analysis{plain: true, single: true}
	}
	rs := []rune(s)
	blank := func(i int) bool { return i >= len(rs) || rs[i] == ' ' || rs[i] == '\t' || rs[i] == 0 || isBreak(rs[i]) }
	indicators := strings.HasPrefix(s, "---") || strings.HasPrefix(s, "...")
	var special, breaks, edge, trailingSpace, breakSpace, spaceBreak, wasSpace, wasBreak bool
	for i, r := range rs {
		first, last, next := i == 0, i == len(rs)-1, blank(i+1)
		switch {
		case first && strings.ContainsRune("#,[]{}&*!|>'\"%@`", r), first && (r == '?' || r == '-') && next, r == ':' && next,
			r == '#' && (first || blank(i-1)):
			indicators = true
		}
		if !printable(r) && !isBreak(r) || r == '\r' || r == 0x85 {
			special = true
		}
		switch {
		case r == ' ':
			edge = edge || first || last
			trailingSpace = trailingSpace || last
			breakSpace = breakSpace || wasBreak
			wasSpace, wasBreak = true, false
		case isBreak(r):
			breaks = true
			edge = edge || first || last
			spaceBreak = spaceBreak || wasSpace
			wasSpace, wasBreak = false, true
		default:
			wasSpace, wasBreak = false, false
		}
	}
	a := analysis{multiline: breaks, plain: true, single: true, block: true}
	if edge || breakSpace || spaceBreak || special || breaks || indicators {
		a.plain = false
	}
	if breakSpace || spaceBreak || special {
		a.single = false
	}
	if trailingSpace || spaceBreak || special {
		a.block = false
	}
	return a
}

// scalar chooses the style that the text allows, and writes it.
func (w *yamlWriter) scalar(v value.Value) {
	s := scalarOf(w, v)
	a := analyze(s.text)
	style := s.style
	if w.simpleKey && a.multiline {
		style = doubleStyle
	}
	if style == plainStyle && (!a.plain || s.text == "" && w.simpleKey) {
		style = singleStyle
	}
	if style == singleStyle && !a.single {
		style = doubleStyle
	}
	if (style == literalStyle || style == foldedStyle) && (!a.block || w.simpleKey) {
		style = doubleStyle
	}
	if s.tag == "" && !s.quoteImplicit && style != plainStyle {
		s.tag = "!"
	}
	if s.tag != "" {
		w.indicator(s.tag, true, false, false)
	}
	before := w.increase(true, false)
	switch style {
	case plainStyle:
		w.plain([]rune(s.text))
	case singleStyle:
		w.singleQuoted([]rune(s.text))
	case doubleStyle:
		w.doubleQuoted([]rune(s.text))
	case literalStyle:
		w.literal([]rune(s.text))
	case foldedStyle:
		w.folded([]rune(s.text))
	}
	w.indent = before
}

// breakable reports a blank at which a line that is full may end.
func (w *yamlWriter) breakable(rs []rune, i int, spaces bool) bool {
	return !w.simpleKey && !spaces && w.column > w.width && (i+1 >= len(rs) || rs[i+1] != ' ')
}

func (w *yamlWriter) plain(rs []rune) {
	if !w.whitespace && len(rs) > 0 {
		w.put(" ")
	}
	spaces := false
	for i, r := range rs {
		if r == ' ' {
			if w.breakable(rs, i, spaces) {
				w.writeIndent()
			} else {
				w.put(" ")
			}
			spaces = true
			continue
		}
		w.put(string(r))
		w.indention, spaces = false, false
	}
	w.whitespace, w.indention = false, false
}

// writeBreak writes a line end of the text itself.
func (w *yamlWriter) writeBreak(r rune) {
	if r == '\n' {
		w.lineBreak()
	} else {
		w.b.WriteRune(r)
		w.column = 0
	}
	w.indention = true
}

func (w *yamlWriter) singleQuoted(rs []rune) {
	w.indicator("'", true, false, false)
	spaces, breaks := false, false
	for i, r := range rs {
		switch {
		case r == ' ':
			if i != 0 && i != len(rs)-1 && w.breakable(rs, i, spaces) {
				w.writeIndent()
			} else {
				w.put(" ")
			}
			spaces = true
			continue
		case isBreak(r):
			if !breaks && r == '\n' {
				w.lineBreak()
			}
			w.writeBreak(r)
			breaks = true
			continue
		}
		if breaks {
			w.writeIndent()
		}
		if r == '\'' {
			w.put("'")
		}
		w.put(string(r))
		w.indention, spaces, breaks = false, false, false
	}
	if breaks {
		w.writeIndent()
	}
	w.indicator("'", false, false, false)
}

var yamlEscapes = map[rune]string{
	0: "0", 7: "a", 8: "b", 9: "t", 10: "n", 11: "v", 12: "f", 13: "r", 0x1b: "e", '"': `"`, '\\': `\`, 0x85: "N",
	0xa0: "_", 0x2028: "L", 0x2029: "P",
}

func (w *yamlWriter) doubleQuoted(rs []rune) {
	w.indicator(`"`, true, false, false)
	spaces := false
	for i, r := range rs {
		switch {
		case !printable(r) || isBreak(r) || r == '"' || r == '\\':
			switch e, known := yamlEscapes[r]; {
			case known:
				w.put(`\` + e)
			case r <= 0xff:
				w.put(fmt.Sprintf(`\x%02X`, r))
			case r <= 0xffff:
				w.put(fmt.Sprintf(`\u%04X`, r))
			default:
				w.put(fmt.Sprintf(`\U%08X`, r))
			}
			spaces = false
		case r == ' ':
			if !w.simpleKey && !spaces && w.column > w.width && i != 0 && i != len(rs)-1 {
				w.writeIndent()
				if rs[i+1] == ' ' {
					w.put(`\`)
				}
			} else {
				w.put(" ")
			}
			spaces = true
		default:
			w.put(string(r))
			spaces = false
		}
	}
	w.indicator(`"`, false, false, false)
}

// hints are the digit and the sign behind | and >.
func (w *yamlWriter) hints(rs []rune) {
	if rs[0] == ' ' || isBreak(rs[0]) {
		w.indicator(fmt.Sprint(w.step), false, false, false)
	}
	n := len(rs)
	switch {
	case !isBreak(rs[n-1]):
		w.indicator("-", false, false, false)
	case n == 1 || isBreak(rs[n-2]):
		w.indicator("+", false, false, false)
	}
}

func (w *yamlWriter) literal(rs []rune) {
	w.indicator("|", true, false, false)
	w.hints(rs)
	w.lineBreak()
	w.indention, w.whitespace = true, true
	breaks := true
	for _, r := range rs {
		if isBreak(r) {
			w.writeBreak(r)
			breaks = true
			continue
		}
		if breaks {
			w.writeIndent()
		}
		w.put(string(r))
		w.indention, breaks = false, false
	}
}

func (w *yamlWriter) folded(rs []rune) {
	w.indicator(">", true, false, false)
	w.hints(rs)
	w.lineBreak()
	w.indention, w.whitespace = true, true
	breaks, leading := true, true
	for i := 0; i < len(rs); i++ {
		r := rs[i]
		if isBreak(r) {
			if !breaks && !leading && r == '\n' {
				k := i
				for k < len(rs) && isBreak(rs[k]) {
					k++
				}
				if k < len(rs) && rs[k] != ' ' && rs[k] != '\t' {
					w.lineBreak()
				}
			}
			w.writeBreak(r)
			breaks = true
			continue
		}
		if breaks {
			w.writeIndent()
			leading = r == ' ' || r == '\t'
		}
		if !breaks && r == ' ' && (i+1 >= len(rs) || rs[i+1] != ' ') && w.column > w.width {
			w.writeIndent()
		} else {
			w.put(string(r))
		}
		w.indention, breaks = false, false
	}
}
