package ruby

import (
	"fmt"
	"math"
	"strings"
	"unicode/utf8"

	"bunraku/puppet/onigmo"
)

// YAML as Psych writes it: which style a string gets is Psych's choice (yaml_tree.rb, scalar_scanner.rb), what that
// style can bear and where lines break is libyaml's (emitter.c, version 0.2.5).

type yamlStyle uint8

const (
	yamlAny yamlStyle = iota
	yamlPlain
	yamlSingle
	yamlDouble
	yamlLiteral
)

// yamlWidth is where libyaml begins to look for a place to break a line.
const yamlWidth = 80

type yamlWriter struct {
	in         *Interp
	b          strings.Builder
	column     int
	indent     int
	whitespace bool // the last character was a blank of ours
	indention  bool // nothing but indentation stands on the line so far
	openEnded  bool // the document ends in a block that keeps its line ends
	anchors    map[Object]int
	seen       map[Object]int
	written    map[Object]bool
	line       bool // the width limit is off
}

// toYAML is o.to_yaml.
func (in *Interp) toYAML(o Object, args []Object) string {
	w := &yamlWriter{in: in, indent: -1, whitespace: true, indention: true, seen: map[Object]int{},
		anchors: map[Object]int{}, written: map[Object]bool{}}
	if len(args) > 0 {
		if h, ok := args[len(args)-1].(*Hash); ok && h.len() > 0 {
			for _, k := range h.keys() {
				switch in.toS(k) {
				case "line_width":
					if n, ok := h.at(k).(Int); ok && n < 0 {
						w.line = true
						continue
					}
				case "indentation":
					if n, ok := h.at(k).(Int); ok && n == 2 {
						continue
					}
				}
				in.unsupported("to_yaml with the option " + in.toS(k))
			}
		}
	}
	w.count(o)
	w.indicator("---", true, false, false)
	w.node(o, false, false, true)
	w.writeIndent()
	if w.openEnded {
		w.indicator("...", true, false, false)
		w.writeIndent()
	}
	return w.b.String()
}

// count finds containers that occur more than once: they become anchors and aliases.
func (w *yamlWriter) count(o Object) {
	w.in.step()
	w.in.enter()
	defer w.in.leave()
	switch o := o.(type) {
	case *Array:
		if w.seen[o]++; w.seen[o] > 1 {
			return
		}
		for _, e := range o.els() {
			w.count(e)
		}
	case *Hash:
		if w.seen[o]++; w.seen[o] > 1 {
			return
		}
		for _, e := range o.pairs() {
			w.count(e.key)
			w.count(e.val)
		}
	}
}

func (w *yamlWriter) put(s string) {
	w.b.WriteString(s)
	w.column += utf8.RuneCountInString(s)
	if w.b.Len() > w.in.limits.Size {
		w.in.room(w.b.Len())
	}
}

func (w *yamlWriter) newline() { w.b.WriteByte('\n'); w.column = 0 }

func (w *yamlWriter) writeIndent() {
	indent := max(w.indent, 0)
	if !w.indention || w.column > indent || w.column == indent && !w.whitespace {
		w.newline()
	}
	for w.column < indent {
		w.put(" ")
	}
	w.whitespace, w.indention = true, true
}

func (w *yamlWriter) indicator(s string, needSpace, isSpace, isIndent bool) {
	if needSpace && !w.whitespace {
		w.put(" ")
	}
	w.put(s)
	w.whitespace = isSpace
	w.indention = w.indention && isIndent
	w.openEnded = false
}

// node writes a value; key says that it must fit on the line, mapping that it is a value of a mapping.
func (w *yamlWriter) node(o Object, key, mapping, root bool) {
	w.in.step()
	w.in.enter()
	defer w.in.leave()
	switch o.(type) {
	case *Array, *Hash:
		if w.seen[o] > 1 {
			if w.written[o] {
				w.indicator(fmt.Sprintf("*%d", w.anchors[o]), true, false, false)
				return
			}
			w.written[o] = true
			w.anchors[o] = len(w.anchors) + 1
			w.indicator(fmt.Sprintf("&%d", w.anchors[o]), true, false, false)
		}
	}
	switch o := o.(type) {
	case *Array:
		w.sequence(o.els(), mapping)
	case *Hash:
		w.mapping(o.pairs())
	case *Set:
		w.in.unsupported("to_yaml of a Set")
	case Nil, nil:
		w.scalar("", "null", true, false, yamlAny, key)
	case Bool, Int, *Big:
		w.scalar(w.in.toS(o), "", true, false, yamlAny, key)
	case Float:
		s := w.in.toS(o)
		switch f := float64(o); {
		case math.IsNaN(f):
			s = ".nan"
		case math.IsInf(f, 1):
			s = ".inf"
		case math.IsInf(f, -1):
			s = "-.inf"
		}
		w.scalar(s, "", true, false, yamlAny, key)
	case Symbol:
		if o == "" {
			w.in.unsupported("to_yaml of an empty symbol")
		}
		w.scalar(":"+string(o), "", true, false, yamlAny, key)
	case *String:
		if o.binary && !isASCII(o.String()) {
			w.in.unsupported("to_yaml of binary data")
		}
		w.text(o.String(), key)
	case *Regexp:
		w.indicator("!ruby/regexp", true, false, false)
		w.scalar(w.in.inspectOf(o), "regexp", true, true, yamlAny, key)
	case *Foreign:
		w.in.unsupported("to_yaml of " + w.in.toS(o))
	default:
		w.in.unsupported("to_yaml of a " + w.in.classOf(o).name)
	}
}

func (w *yamlWriter) sequence(elems []Object, mapping bool) {
	if len(elems) == 0 {
		w.indicator("[", true, true, false)
		w.indicator("]", false, false, false)
		return
	}
	outer := w.indent
	w.deeper(mapping && !w.indention)
	for _, e := range elems {
		w.writeIndent()
		w.indicator("-", true, false, true)
		w.node(e, false, false, false)
	}
	w.indent = outer
}

func (w *yamlWriter) deeper(indentless bool) {
	switch {
	case w.indent < 0:
		w.indent = 0
	case !indentless:
		w.indent += 2
	}
}

func (w *yamlWriter) mapping(pairs []hashEntry) {
	if len(pairs) == 0 {
		w.indicator("{", true, true, false)
		w.indicator("}", false, false, false)
		return
	}
	outer := w.indent
	w.deeper(false)
	for _, e := range pairs {
		w.writeIndent()
		if w.simpleKey(e.key) {
			w.node(e.key, true, true, false)
			w.indicator(":", false, false, false)
		} else {
			w.indicator("?", true, false, true)
			w.node(e.key, false, true, false)
			w.writeIndent()
			w.indicator(":", true, false, true)
		}
		w.node(e.val, false, true, false)
	}
	w.indent = outer
}

// simpleKey reports a key that fits in front of a colon.
func (w *yamlWriter) simpleKey(o Object) bool {
	switch o := o.(type) {
	case *Array:
		return len(o.els()) == 0
	case *Hash:
		return o.len() == 0
	}
	s := w.in.toS(o)
	if strings.ContainsAny(s, "\n\r\u0085\u2028\u2029") {
		return false
	}
	return len(s) <= 128
}

// text picks a string's style as Psych does.
func (w *yamlWriter) text(s string, key bool) {
	style := yamlPlain
	rules := w.in.yamlRules()
	match := func(name string) bool {
		m, err := rules[name].Match(s)
		if err != nil {
			w.in.regexpError(err)
		}
		return m
	}
	switch {
	case match("lines"):
		style = yamlLiteral
	case s == "<<":
		w.indicator("!!str", true, false, false) // else it would merge
		style = yamlSingle
	case s == "y" || s == "n":
		style = yamlDouble
	case match("punctuation"):
		style = yamlDouble
	case !w.staysString(s) || match("badOctal"):
		style = yamlSingle
	}
	w.scalar(s, "", true, true, style, key)
}

// yamlRules are Psych's regexps, compiled at the first use.
func (in *Interp) yamlRules() map[string]*onigmo.Regexp {
	if in.yaml == nil {
		in.yaml = map[string]*onigmo.Regexp{}
		for name, src := range map[string]string{
			"lines":       `\n(?!\Z)`,
			"punctuation": `^[^[:word:]][^"]*$`,
			"badOctal":    `\A0[0-7]*[89]`,
			"word":        `^[^\d.:-]?[[:alpha:]_\s!@#$%\^&*(){}<>|/\\~;=]+`,
			"newline":     `\n`,
			"special":     `^[^ytonfYTONF~]`,
			"null":        `^(?i:null)$`,
			"bool":        `^(?i:yes|true|on|no|false|off)$`,
			"time":        `^-?\d{4}-\d{1,2}-\d{1,2}(?:[Tt]|\s+)\d{1,2}:\d\d:\d\d(?:\.\d*)?(?:\s*(?:Z|[-+]\d{1,2}:?(?:\d\d)?))?$`,
			"date":        `^\d{4}-(?:1[012]|0\d|\d)-(?:[12]\d|3[01]|0\d|\d)$`,
			"inf":         `^[-+]?\.(?i:inf)$`,
			"nan":         `^\.(?i:nan)$`,
			"symbol":      `^:.`,
			"sixty":       `^[-+]?[0-9][0-9_]*(:[0-5]?[0-9]){1,2}(\.[0-9_]*)?$`,
			"float":       `^(?:[-+]?([0-9][0-9_,]*)?\.[0-9]*([eE][-+][0-9]+)?)$`,
			"point":       `\A[-+]?\.\Z`,
			"integer":     `^(?:[-+]?0b[0-1_,]+|[-+]?0[0-7_,]+|[-+]?(?:0|[1-9](?:[0-9]|,[0-9]|_[0-9])*)|[-+]?0x[0-9a-fA-F_,]+)$`,
		} {
			in.yaml[name] = onigmo.MustCompile(src)
		}
	}
	return in.yaml
}

// staysString is String === ScalarScanner#tokenize(s): whether the plain text would be read back as a string.
func (w *yamlWriter) staysString(s string) bool {
	rules := w.in.yamlRules()
	match := func(name string) bool { m, _ := rules[name].Match(s); return m }
	if s == "" {
		return false
	}
	if match("word") || match("newline") {
		if charLen(s) > 5 {
			return true
		}
		switch {
		case match("special"):
			return true
		case s == "~", match("null"), match("bool"):
			return false
		}
		return true
	}
	switch {
	case match("time"):
		return false
	case match("date"):
		return !validDate(s)
	case match("inf"), match("nan"), match("symbol"), match("sixty"):
		return false
	case match("float"):
		return match("point")
	case match("integer"):
		return false
	}
	return true
}

// validDate: an impossible date stays a string.
func validDate(s string) bool {
	var y, m, d int
	if n, _ := fmt.Sscanf(s, "%d-%d-%d", &y, &m, &d); n != 3 || m < 1 || m > 12 || d < 1 {
		return false
	}
	days := [...]int{31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31}[m-1]
	if m == 2 && (y%4 == 0 && y%100 != 0 || y%400 == 0) {
		days = 29
	}
	return d <= days
}
