package ruby

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// A yamlScalar is what libyaml finds out about a text before it chooses a style (yaml_emitter_analyze_scalar).
type yamlScalar struct {
	multiline, plain, single, block bool
}

func yamlBreak(r rune) bool {
	return r == '\n' || r == '\r' || r == 0x85 || r == 0x2028 || r == 0x2029
}

// yamlPrintable: libyaml takes characters beyond 16 bits for unprintable.
func yamlPrintable(r rune) bool {
	switch {
	case r == '\n', 0x20 <= r && r <= 0x7e:
		return true
	case r == 0xfeff:
		return false
	case 0xa0 <= r && r <= 0xd7ff, 0xe000 <= r && r <= 0xfffd:
		return true
	}
	return false
}

func analyzeYAML(s string) yamlScalar {
	if s == "" {
		return yamlScalar{plain: true, single: true}
	}
	rs := []rune(s)
	blockInd := strings.HasPrefix(s, "---") || strings.HasPrefix(s, "...")
	var lines, special, leadSpace, leadBreak, trailSpace, trailBreak, breakSpace, spaceBreak bool
	prevSpace, prevBreak, preceded := false, false, true
	for i, r := range rs {
		first, last := i == 0, i == len(rs)-1
		followed := last || rs[i+1] == ' ' || rs[i+1] == '\t' || yamlBreak(rs[i+1]) || rs[i+1] == 0
		if first {
			switch {
			case strings.ContainsRune("#,[]{}&*!|>'\"%@`", r):
				blockInd = true
			case (r == '?' || r == ':' || r == '-') && followed:
				blockInd = true
			}
		} else {
			if r == ':' && followed || r == '#' && preceded {
				blockInd = true
			}
		}
		if !yamlPrintable(r) {
			special = true
		}
		switch {
		case r == ' ':
			leadSpace = leadSpace || first
			trailSpace = trailSpace || last
			breakSpace = breakSpace || prevBreak
			prevSpace, prevBreak = true, false
		case yamlBreak(r):
			lines = true
			leadBreak = leadBreak || first
			trailBreak = trailBreak || last
			spaceBreak = spaceBreak || prevSpace
			prevSpace, prevBreak = false, true
		default:
			prevSpace, prevBreak = false, false
		}
		preceded = r == ' ' || r == '\t' || yamlBreak(r)
	}
	a := yamlScalar{multiline: lines, plain: true, single: true, block: true}
	if leadSpace || leadBreak || trailSpace || trailBreak || lines || blockInd {
		a.plain = false
	}
	if trailSpace {
		a.block = false
	}
	if breakSpace {
		a.plain, a.single = false, false
	}
	if spaceBreak || special {
		a.plain, a.single, a.block = false, false, false
	}
	return a
}

// scalar writes a text in the style asked for, or the nearest that can bear it (yaml_emitter_select_scalar_style).
func (w *yamlWriter) scalar(s, tag string, plainOK, quotedOK bool, style yamlStyle, key bool) {
	w.in.room(len(s))
	a := analyzeYAML(s)
	if style == yamlAny {
		style = yamlPlain
	}
	if key && a.multiline {
		style = yamlDouble
	}
	if style == yamlPlain && (!a.plain || s == "" && key || !plainOK && tag == "") {
		style = yamlSingle
	}
	if style == yamlSingle && !a.single {
		style = yamlDouble
	}
	if style == yamlLiteral && (!a.block || key) {
		style = yamlDouble
	}
	if !quotedOK && style != yamlPlain {
		w.indicator("!", true, false, false)
	}
	outer := w.indent
	w.indent = max(w.indent, 0) + 2 // yaml_emitter_emit_scalar raises the indent, as in a flow
	switch style {
	case yamlPlain:
		w.plain(s, !key)
	case yamlSingle:
		w.single(s, !key)
	case yamlDouble:
		w.double(s, !key)
	case yamlLiteral:
		w.literal(s)
	}
	w.indent = outer
}

func (w *yamlWriter) folds() bool { return !w.line && w.column > yamlWidth }

func (w *yamlWriter) plain(s string, breaks bool) {
	if !w.whitespace && s != "" {
		w.put(" ")
	}
	rs := []rune(s)
	spaces := false
	for i, r := range rs {
		if r == ' ' {
			if breaks && !spaces && w.folds() && !(i+1 < len(rs) && rs[i+1] == ' ') {
				w.writeIndent()
			} else {
				w.put(" ")
			}
			spaces = true
			continue
		}
		w.put(string(r))
		w.indention = false
		spaces = false
	}
	if s != "" {
		w.whitespace = false
	}
	w.indention = false
}

func (w *yamlWriter) single(s string, breaks bool) {
	w.indicator("'", true, false, false)
	rs := []rune(s)
	spaces, broke := false, false
	for i, r := range rs {
		switch {
		case r == ' ':
			if breaks && !spaces && w.folds() && i > 0 && i < len(rs)-1 && rs[i+1] != ' ' {
				w.writeIndent()
			} else {
				w.put(" ")
			}
			spaces = true
		case yamlBreak(r):
			if !broke && r == '\n' {
				w.newline()
			}
			w.newline()
			w.indention = true
			broke = true
		default:
			if broke {
				w.writeIndent()
			}
			if r == '\'' {
				w.put("'")
			}
			w.put(string(r))
			w.indention = false
			spaces, broke = false, false
		}
	}
	if broke {
		w.writeIndent()
	}
	w.indicator("'", false, false, false)
	w.whitespace, w.indention = false, false
}

func (w *yamlWriter) double(s string, breaks bool) {
	w.indicator(`"`, true, false, false)
	rs := []rune(s)
	spaces := false
	for i, r := range rs {
		switch {
		case r == utf8.RuneError && !utf8.ValidString(s):
			w.in.unsupported("to_yaml of invalid UTF-8")
		case !yamlPrintable(r) || yamlBreak(r) || r == '"' || r == '\\':
			w.put(yamlEscape(r))
			spaces = false
		case r == ' ':
			if breaks && !spaces && w.folds() && i > 0 && i < len(rs)-1 {
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
	w.whitespace, w.indention = false, false
}

func yamlEscape(r rune) string {
	switch r {
	case 0:
		return `\0`
	case 7:
		return `\a`
	case 8:
		return `\b`
	case 9:
		return `\t`
	case 10:
		return `\n`
	case 11:
		return `\v`
	case 12:
		return `\f`
	case 13:
		return `\r`
	case 0x1b:
		return `\e`
	case '"', '\\':
		return `\` + string(r)
	case 0x85:
		return `\N`
	case 0xa0:
		return `\_`
	case 0x2028:
		return `\L`
	case 0x2029:
		return `\P`
	}
	switch {
	case r <= 0xff:
		return fmt.Sprintf(`\x%02X`, r)
	case r <= 0xffff:
		return fmt.Sprintf(`\u%04X`, r)
	}
	return fmt.Sprintf(`\U%08X`, r)
}

func (w *yamlWriter) literal(s string) {
	w.indicator("|", true, false, false)
	if s[0] == ' ' || yamlBreak(firstRune(s)) {
		w.indicator("2", false, false, false)
	}
	open := false
	switch {
	case !strings.HasSuffix(s, "\n"):
		w.indicator("-", false, false, false)
	case s == "\n" || strings.HasSuffix(s, "\n\n"):
		w.indicator("+", false, false, false)
		open = true
	}
	w.newline()
	w.indention, w.whitespace = true, true
	broke := true
	for _, r := range s {
		if yamlBreak(r) {
			w.newline()
			w.indention = true
			broke = true
			continue
		}
		if broke {
			w.writeIndent()
		}
		w.put(string(r))
		w.indention = false
		broke = false
	}
	w.openEnded = open
}

func firstRune(s string) rune { r, _ := utf8.DecodeRuneInString(s); return r }
