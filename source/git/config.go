package git

import "strings"

// maxConfig bounds the size of a configuration file.
const maxConfig = 1 << 20

// parseConfig reads a configuration file: "section.key" or "section.subsection.key" to its last value. Includes are not
// followed. What cannot be understood is passed over: only a few keys are looked at, and those are plain.
func parseConfig(text []byte) map[string]string {
	out := map[string]string{}
	section := ""
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if rest, ok := strings.CutPrefix(line, "["); ok {
			head, after, ok := strings.Cut(rest, "]")
			if !ok {
				continue
			}
			name, sub, quoted := strings.Cut(head, " ")
			if section = strings.ToLower(name); quoted {
				section += "." + strings.Trim(strings.TrimSpace(sub), `"`)
			}
			line = strings.TrimSpace(after)
		}
		if line == "" || line[0] == '#' || line[0] == ';' || section == "" {
			continue
		}
		key, v, ok := strings.Cut(line, "=")
		if !ok {
			key, v = configValue(line), "true"
		}
		out[section+"."+strings.ToLower(strings.TrimSpace(key))] = configValue(v)
	}
	return out
}

// configValue undoes quotes and escapes and cuts comments.
func configValue(s string) string {
	var b strings.Builder
	quoted, keep := false, 0
	s = strings.TrimSpace(s)
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case c == '"':
			quoted = !quoted
			continue
		case (c == '#' || c == ';') && !quoted:
			return b.String()[:keep]
		case c == '\\' && i+1 < len(s):
			i++
			c = s[i]
			switch c {
			case 'n':
				c = '\n'
			case 't':
				c = '\t'
			case 'b':
				c = '\b'
			}
			b.WriteByte(c)
			keep = b.Len()
			continue
		}
		b.WriteByte(c)
		if quoted || c != ' ' && c != '\t' {
			keep = b.Len()
		}
	}
	return b.String()[:keep]
}
