// Package psych writes YAML as Ruby's library of that name does: what style a text gets is Psych's choice
// (yaml_tree.rb), what that style can bear and where lines break is libyaml's (emitter.c, version 0.2.5). Names and
// order of decisions are libyaml's, because quotes, line breaks and trailing blanks depend on them.
//
// What is written is a graph of Nodes, made by whoever knows the values: to_yaml of stdlib of Puppet's, the interpreter
// of Ruby's. A container that is in the graph twice, as the same Node, gets an anchor and aliases.
//
// It may import onigmo and datafile, whose reading of a plain text decides which texts need quotes. Start reading at
// Emit.
package psych

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode/utf16"
	"unicode/utf8"

	"bunraku/puppet/lookup/datafile"
	"bunraku/puppet/onigmo"
	"bunraku/puppet/value"
)

// A Kind is what a Node is.
type Kind uint8

// The kinds of nodes.
const (
	Scalar Kind = iota
	Sequence
	Mapping
)

// A Style is how a scalar is written, if its text can bear it.
type Style uint8

// The styles of scalars.
const (
	Plain Style = iota
	SingleQuoted
	DoubleQuoted
	Literal
	Folded
)

// A Node is what Psych asks libyaml to write.
type Node struct {
	Kind  Kind
	Tag   string
	Items []*Node // of a sequence its elements, of a mapping keys and values in turn

	Text   string // of a scalar
	Style  Style
	IsText bool // quotes do not change what the scalar is: it is a text
}

// Options are those of to_yaml.
type Options struct {
	Indentation int // blanks a level, 2 to 9; anything else is 2
	Width       int // lines are broken behind it; 0 is 80, less than 0 is none
	Header      bool
	Older       bool            // as puppetserver 7 writes, which has SnakeYAML in place of libyaml
	Room        func(bytes int) // called as the result grows; it may end the writing with a panic. Or nil
}

// Text is the scalar of a text. foldAbove is the length above which texts are folded, 0 for none: line_width, if
// somebody gave it.
func Text(s string, foldAbove int) *Node {
	n := &Node{Text: s, IsText: true}
	switch {
	case matches(innerBreak, s):
		n.Style = Literal
	case s == "<<": // else it would merge
		n.Style, n.Tag = SingleQuoted, "!!str"
	case s == "y" || s == "n":
		n.Style = DoubleQuoted
	case foldAbove > 0 && utf8.RuneCountInString(s) > foldAbove:
		n.Style = Folded
	case matches(oddStart, s):
		n.Style = DoubleQuoted
	default:
		if !staysText(s) || matches(octalLike, s) {
			n.Style = SingleQuoted
		}
	}
	return n
}

// staysText reports whether a text without quotes would be read as that text. A day that no calendar has would.
func staysText(s string) bool {
	t := datafile.Scalar(s)
	if t.Class == "Date" {
		_, err := time.Parse("2006-1-2", s)
		return err != nil
	}
	_, is := t.Value.(value.String)
	return is
}

// Older is the scalar of a text as Psych wrote it before version 4, which puppetserver 7 has: y and n without quotes.
func Older(s string, foldAbove int) *Node {
	n := Text(s, foldAbove)
	if s == "y" || s == "n" {
		n.Style = Plain
	}
	return n
}

// Float is the text of a number.
func Float(f float64) string {
	switch {
	case math.IsNaN(f):
		return ".nan"
	case math.IsInf(f, 1):
		return ".inf"
	case math.IsInf(f, -1):
		return "-.inf"
	}
	return value.FormatFloat(f)
}

// OlderFloat is the text of a number as JRuby writes it, which puppetserver 7 is: an exponent from 1e19 on only.
func OlderFloat(f float64) string {
	if size := math.Abs(f); size < 1e15 || size >= 1e19 {
		return Float(f)
	}
	text := strconv.FormatFloat(f, 'f', -1, 64)
	if !strings.Contains(text, ".") {
		text += ".0"
	}
	return text
}

var (
	innerBreak = onigmo.MustCompile(`\n(?!\Z)`)
	oddStart   = onigmo.MustCompile(`^[^[:word:]][^"]*$`)
	octalLike  = onigmo.MustCompile(`\A0[0-7]*[89]`)
)

// matches reports whether a text has a pattern. These patterns never take long.
func matches(re *onigmo.Regexp, s string) bool {
	is, err := re.Match(s)
	return err == nil && is
}

// Emit writes a document.
func Emit(root *Node, opt Options) string {
	w := &emitter{indent: -1, whitespace: true, indention: true, step: 2, width: opt.Width, room: opt.Room,
		anchors: map[*Node]int{}, seen: map[*Node]bool{}, snake: opt.Older}
	if opt.Indentation >= 2 && opt.Indentation <= 9 {
		w.step = opt.Indentation
	}
	switch {
	case w.width < 0:
		w.width = math.MaxInt
	case w.width <= 2*w.step:
		w.width = 80
	}
	w.count(root)
	if opt.Header {
		w.put("%YAML 1.1\n")
		w.column = 0
	}
	w.indicator("---", true, false, false)
	w.node(root, false, false)
	w.writeIndent()
	if w.openEnded {
		w.indicator("...", true, false, false)
		w.writeIndent()
	}
	return w.b.String()
}

type emitter struct {
	b          strings.Builder
	column     int
	indent     int
	whitespace bool // the last character was a blank, or nothing was written yet
	indention  bool // only indentation and indicators so far on this line
	openEnded  bool // the last block, wherever it was, keeps its line ends: the document gets an end of its own
	simpleKey  bool
	snake      bool // SnakeYAML writes, not libyaml
	step       int  // of indentation
	width      int
	room       func(int)
	anchors    map[*Node]int
	seen       map[*Node]bool
}

// count finds the containers that appear twice: they get an anchor, numbered in the order of the first repetition.
func (w *emitter) count(n *Node) {
	if n.Kind == Scalar {
		return
	}
	if w.seen[n] {
		if w.anchors[n] == 0 {
			w.anchors[n] = len(w.anchors) + 1
		}
		return
	}
	w.seen[n] = true
	for _, e := range n.Items {
		w.count(e)
	}
}

func (w *emitter) put(s string) {
	w.b.WriteString(s)
	w.column += utf8.RuneCountInString(s)
	if w.snake { // Java's characters are halves of those beyond the basic plane
		for _, r := range s {
			if r > 0xffff {
				w.column++
			}
		}
	}
	if w.room != nil {
		w.room(w.b.Len())
	}
}

func (w *emitter) lineBreak() {
	w.b.WriteByte('\n')
	w.column = 0
}

func (w *emitter) writeIndent() {
	indent := max(w.indent, 0)
	if !w.indention || w.column > indent || w.column == indent && !w.whitespace {
		w.lineBreak()
	}
	if w.column < indent {
		w.put(strings.Repeat(" ", indent-w.column))
	}
	w.whitespace, w.indention = true, true
}

func (w *emitter) indicator(s string, needBlank, isBlank, isIndention bool) {
	if needBlank && !w.whitespace {
		w.put(" ")
	}
	w.put(s)
	w.whitespace = isBlank
	w.indention = w.indention && isIndention
}

// increase deepens the indentation and returns what it was.
func (w *emitter) increase(flow, indentless bool) int {
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

// node writes a node; inMapping says that it is a key or value of a mapping, simpleKey that it must fit on the line.
func (w *emitter) node(n *Node, inMapping, simpleKey bool) {
	w.simpleKey = simpleKey
	if n.Kind == Scalar {
		w.scalar(n)
		return
	}
	if id := w.anchors[n]; id != 0 {
		if !w.seen[n] {
			w.indicator(fmt.Sprintf("*%d", id), true, false, false)
			return
		}
		w.seen[n] = false // the next time is an alias
		w.indicator(fmt.Sprintf("&%d", id), true, false, false)
	}
	if n.Tag != "" {
		w.indicator(n.Tag, true, false, false)
	}
	if n.Kind == Sequence {
		w.sequence(n.Items, inMapping)
	} else {
		w.mapping(n.Items)
	}
}

func (w *emitter) sequence(items []*Node, inMapping bool) {
	if len(items) == 0 {
		w.indicator("[", true, true, false)
		w.indicator("]", false, false, false)
		return
	}
	before := w.increase(false, inMapping && !w.indention)
	for _, e := range items {
		w.writeIndent()
		w.indicator("-", true, false, true)
		w.node(e, false, false)
	}
	w.indent = before
}

func (w *emitter) mapping(items []*Node) {
	if len(items) == 0 {
		w.indicator("{", true, true, false)
		w.indicator("}", false, false, false)
		return
	}
	before := w.increase(false, false)
	for i := 0; i+1 < len(items); i += 2 {
		w.writeIndent()
		if w.simple(items[i]) {
			w.node(items[i], true, true)
			w.indicator(":", false, false, false)
		} else {
			w.indicator("?", true, false, true)
			w.node(items[i], true, false)
			w.writeIndent()
			w.indicator(":", true, false, true)
		}
		w.node(items[i+1], true, false)
	}
	w.indent = before
}

// simple reports whether a key can stand on one line before its colon.
func (w *emitter) simple(k *Node) bool {
	if k.Kind != Scalar {
		return len(k.Items) == 0 || w.anchors[k] != 0 && !w.seen[k]
	}
	if w.snake {
		return k.Text != "" && len(utf16.Encode([]rune(k.Text))) < 128 && !w.analyze(k.Text).multiline
	}
	return len(k.Text) <= 128 && !w.analyze(k.Text).multiline
}
