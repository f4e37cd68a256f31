package git

import (
	"strings"

	"bunraku/source"
)

// An attribute has one of these states, or a text.
const (
	attrSet   = "\x00set"
	attrUnset = "\x00unset"
	attrNone  = "\x00none" // said to be unspecified, which hides what lesser lines say
)

// Bounds that git has, too, or tighter ones.
const (
	maxAttributeFile = 4 << 20
	maxAttributeLine = 2048
)

// An attributeRule is a line of a .gitattributes file: what files that match get, or what a macro stands for.
type attributeRule struct {
	macro  string
	base   bool // the pattern has no slash: it is matched with a file's last name
	dir    bool // the pattern is for directories
	match  source.Pattern
	length int
	attrs  [][2]string
}

// parseAttributes reads a .gitattributes file. Macros count only at the top of a tree.
func parseAttributes(text []byte, top bool) []attributeRule {
	var rules []attributeRule
	body := strings.TrimPrefix(string(text), "\ufeff")
	for line := range strings.Lines(body) {
		line = strings.TrimRight(line, "\r\n")
		if len(line) >= maxAttributeLine {
			continue
		}
		if rule, ok := parseAttributeLine(line, top); ok {
			rules = append(rules, rule)
		}
	}
	return rules
}

const attributeBlanks = " \t\r\n"

func parseAttributeLine(line string, top bool) (attributeRule, bool) {
	var r attributeRule
	line = strings.TrimLeft(line, attributeBlanks)
	if line == "" || line[0] == '#' {
		return r, false
	}
	var name, rest string
	if unquoted, after, ok := unquote(line); ok {
		name, rest = unquoted, after
	} else if i := strings.IndexAny(line, attributeBlanks); i >= 0 {
		name, rest = line[:i], line[i:]
	} else {
		name = line
	}
	if macro, ok := strings.CutPrefix(name, "[attr]"); ok && len(macro) > 0 {
		if !top || !attributeName(macro) {
			return r, false
		}
		r.macro = macro
	} else {
		if strings.HasPrefix(name, "!") {
			return r, false
		}
		if strings.HasSuffix(name, "/") {
			r.dir = true
			name = strings.TrimSuffix(name, "/")
		}
		r.base = !strings.Contains(name, "/")
		name = strings.TrimPrefix(name, "/")
		r.match, r.length = source.ParsePattern(name), len(name)
	}
	for _, word := range strings.FieldsFunc(rest, func(c rune) bool { return strings.ContainsRune(attributeBlanks, c) }) {
		state := attrSet
		switch word[0] {
		case '-':
			word, state = word[1:], attrUnset
		case '!':
			word, state = word[1:], attrNone
		default:
			if key, v, ok := strings.Cut(word, "="); ok {
				word, state = key, v
			}
		}
		if !attributeName(word) {
			return r, false
		}
		r.attrs = append(r.attrs, [2]string{word, state})
	}
	return r, true
}

func attributeName(s string) bool {
	if s == "" || s[0] == '-' || strings.HasPrefix(s, "builtin_") {
		return false
	}
	for _, c := range []byte(s) {
		if !(c == '-' || c == '.' || c == '_' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z') {
			return false
		}
	}
	return true
}

// unquote reads a pattern in double quotes, with the escapes of C.
func unquote(s string) (string, string, bool) {
	if s[0] != '"' {
		return "", "", false
	}
	var b strings.Builder
	for i := 1; i < len(s); i++ {
		switch c := s[i]; c {
		case '"':
			return b.String(), s[i+1:], true
		case '\\':
			if i++; i == len(s) {
				return "", "", false
			}
			if j := strings.IndexByte(`abfnrtv\"`, s[i]); j >= 0 {
				b.WriteByte("\a\b\f\n\r\t\v\\\""[j])
				continue
			}
			if i+2 >= len(s) || s[i] < '0' || s[i] > '3' || strings.Trim(s[i+1:i+3], "01234567") != "" {
				return "", "", false
			}
			b.WriteByte((s[i]-'0')<<6 | (s[i+1]-'0')<<3 | (s[i+2] - '0'))
			i += 2
		default:
			b.WriteByte(c)
		}
	}
	return "", "", false
}

// An attributeDir is a directory on the way to a file, with the rules of its .gitattributes.
type attributeDir struct {
	dir   string // with a slash at its end; "" for the top
	rules []attributeRule
}

// attributes are the attributes of a file. dirs lead from the top down to it; the deepest and last line that says
// something about an attribute decides. An attribute that is a macro's and set says what the macro says.
func attributes(path string, dirs []attributeDir, s spender) map[string]string {
	macros := map[string][][2]string{"binary": {{"diff", attrUnset}, {"merge", attrUnset}, {"text", attrUnset}}}
	for _, d := range dirs {
		for _, rule := range d.rules {
			if rule.macro != "" {
				macros[rule.macro] = rule.attrs
			}
		}
	}
	out := map[string]string{}
	var fill func(attrs [][2]string)
	fill = func(attrs [][2]string) {
		for i := len(attrs) - 1; i >= 0; i-- {
			name, state := attrs[i][0], attrs[i][1]
			if _, known := out[name]; known {
				continue
			}
			out[name] = state
			if m, ok := macros[name]; ok && state == attrSet {
				fill(m)
			}
		}
	}
	last := path[strings.LastIndexByte(path, '/')+1:]
	for i := len(dirs) - 1; i >= 0; i-- {
		for j := len(dirs[i].rules) - 1; j >= 0; j-- {
			rule := &dirs[i].rules[j]
			if rule.macro != "" || rule.dir {
				continue
			}
			text := path[len(dirs[i].dir):]
			if rule.base {
				text = last
			}
			s.spend(int64(rule.length+1) * int64(len(text)+1) / 16)
			if rule.match.Match(text) {
				fill(rule.attrs)
			}
		}
	}
	return out
}
