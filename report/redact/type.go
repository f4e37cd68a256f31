package redact

import "strings"

// unmeasured is a text in which no type of a value that somebody got tells how long something Sensitive is, or what is
// in it. Puppet words a mismatch so: expects a Sensitive[String] value, got Sensitive[Hash[String[4, 7], Data]].
func unmeasured(text string) string {
	const got, sensitive = "got ", "Sensitive["
	if !strings.Contains(text, sensitive) {
		return text
	}
	var out strings.Builder
	for line := range strings.Lines(text) {
		i := strings.Index(line, got)
		for i >= 0 {
			k := strings.Index(line[i:], sensitive)
			if k < 0 {
				break
			}
			i += k + len(sensitive)
			for i < len(line) && (isLetter(line[i]) || line[i] == ':') {
				i++
			}
			if i < len(line) && line[i] == '[' {
				line = line[:i] + line[i+bracket(line[i:]):]
			}
		}
		out.WriteString(line)
	}
	return out.String()
}

func isLetter(c byte) bool { return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '_' }

// bracket is how long a text in brackets is that begins a text; all of it if nothing closes them.
func bracket(text string) int {
	depth, quote := 0, byte(0)
	for i := range len(text) {
		switch c := text[i]; {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '\'':
			quote = c
		case c == '[':
			depth++
		case c == ']':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return len(text)
}
