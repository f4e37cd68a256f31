package ruby

import (
	"encoding/base64"
	"fmt"
	"net/url"
	"strings"

	"bunraku/puppet/ruby/syntax"
)

// Escapes, digests and shell words of the standard library.

func escapeSingles(kind string) []builtin {
	html := func(c *call) Object {
		s := c.in.toS(c.arg(0))
		return c.ret(strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;", "'", "&#39;").Replace(s))
	}
	form := func(c *call) Object { return c.ret(urlEscape(c.in.toS(c.arg(0)), "*-._", true)) }
	switch kind {
	case "html":
		u := func(c *call) Object { return c.ret(urlEscape(c.in.toS(c.arg(0)), "-._~", false)) }
		return []builtin{{"html_escape", 1, 1, html}, {"h", 1, 1, html}, {"url_encode", 1, 1, u}, {"u", 1, 1, u}}
	case "cgi":
		return []builtin{
			{"escapeHTML", 1, 1, html}, {"escape_html", 1, 1, html}, {"h", 1, 1, html},
			{"escape", 1, 1, func(c *call) Object { return c.ret(urlEscape(c.str(0), "*-._", true)) }},
			{"unescape", 1, 1, func(c *call) Object { return c.unescape() }},
			{"unescapeHTML", 1, 1, func(c *call) Object {
				return c.ret(strings.NewReplacer("&amp;", "&", "&lt;", "<", "&gt;", ">", "&quot;", `"`, "&#39;",
					"'").Replace(c.str(0)))
			}},
		}
	}
	return []builtin{
		{"encode_www_form_component", 1, 2, form},
		{"decode_www_form_component", 1, 2, func(c *call) Object { return c.unescape() }},
		{"encode_uri_component", 1, 2, func(c *call) Object { return c.ret(urlEscape(c.in.toS(c.arg(0)), "*-._", false)) }},
		{"escape", 1, 2, func(c *call) Object {
			c.raise("NoMethodError",
				"undefined method `escape' for URI:Module")
			return nil
		}},
		{"encode", 1, 2, func(c *call) Object {
			c.raise("NoMethodError",
				"undefined method `encode' for URI:Module")
			return nil
		}},
	}
}

func (c *call) unescape() Object {
	s, err := url.QueryUnescape(c.str(0))
	if err != nil {
		c.raise("ArgumentError", "invalid %%-encoding (%s)", c.str(0))
	}
	return c.ret(s)
}

func urlEscape(s, keep string, plus bool) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case syntax.IsDigit(c) || 'a' <= c|0x20 && c|0x20 <= 'z' || strings.IndexByte(keep, c) >= 0:
			b.WriteByte(c)
		case c == ' ' && plus:
			b.WriteByte('+')
		default:
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}

func base64Lines(s string, strict bool) string {
	if strict {
		return base64.StdEncoding.EncodeToString([]byte(s))
	}
	var b strings.Builder
	for len(s) > 0 {
		n := min(45, len(s))
		b.WriteString(base64.StdEncoding.EncodeToString([]byte(s[:n])) + "\n")
		s = s[n:]
	}
	return b.String()
}

func base64Singles() []builtin {
	decode := func(enc *base64.Encoding) func(c *call) Object {
		return func(c *call) Object {
			s := c.str(0)
			b, err := enc.DecodeString(strings.Map(func(r rune) rune {
				if r == '\n' || r == '\r' {
					return -1
				}
				return r
			}, s))
			if err != nil {
				c.raise("ArgumentError", "invalid base64")
			}
			return &String{s: string(b), binary: true}
		}
	}
	return []builtin{
		{"encode64", 1, 1, func(c *call) Object { return c.ret(base64Lines(c.str(0), false)) }},
		{"strict_encode64", 1, 1, func(c *call) Object { return c.ret(base64Lines(c.str(0), true)) }},
		{"urlsafe_encode64", 1, 2, func(c *call) Object {
			opts := c.options()
			s := base64.URLEncoding.EncodeToString([]byte(c.str(0)))
			if opts.at(Symbol("padding")) == Object(Bool(false)) {
				s = strings.TrimRight(s, "=")
			}
			return c.ret(s)
		}},
		{"decode64", 1, 1, decode(base64.StdEncoding)}, {"strict_decode64", 1, 1, decode(base64.StdEncoding)},
		{"urlsafe_decode64", 1, 1, decode(base64.URLEncoding)},
	}
}

// shellEscape is Shellwords.escape.
func shellEscape(s string) string {
	if s == "" {
		return "''"
	}
	var b strings.Builder
	for _, r := range s {
		switch {
		case r == '\n':
			b.WriteString("'\n'")
			continue
		case r < 0x80 && syntax.IsIdent(byte(r)) || strings.ContainsRune("-.,:+/@", r):
		default:
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}

func (in *Interp) shellJoin(e []Object) string {
	var parts []string
	for _, x := range e {
		parts = append(parts, shellEscape(in.toS(x)))
	}
	return strings.Join(parts, " ")
}

// shellSplit is Shellwords.split.
func (in *Interp) shellSplit(s string) []string {
	var out []string
	var b strings.Builder
	word := false
	for i := 0; i < len(s); i++ {
		switch c := s[i]; c {
		case ' ', '\t', '\n', '\r':
			if word {
				out = append(out, b.String())
				b.Reset()
				word = false
			}
		case '\'', '"':
			end := -1
			for j := i + 1; j < len(s); j++ {
				if s[j] == '\\' && c == '"' {
					j++
					continue
				}
				if s[j] == c {
					end = j
					break
				}
			}
			if end < 0 {
				in.raise("ArgumentError", "Unmatched quote: %s", s[i:])
			}
			t := s[i+1 : end]
			if c == '"' {
				var u strings.Builder
				for j := 0; j < len(t); j++ {
					if t[j] == '\\' && j+1 < len(t) && strings.IndexByte("$`\"\\\n", t[j+1]) >= 0 {
						j++
					}
					u.WriteByte(t[j])
				}
				t = u.String()
			}
			b.WriteString(t)
			word = true
			i = end
		case '\\':
			if i+1 < len(s) {
				i++
				b.WriteByte(s[i])
			}
			word = true
		default:
			b.WriteByte(c)
			word = true
		}
	}
	if word {
		out = append(out, b.String())
	}
	return out
}

func shellSingles() []builtin {
	esc := func(c *call) Object { return c.ret(shellEscape(c.in.toS(c.arg(0)))) }
	split := func(c *call) Object { return c.in.strings(c.in.shellSplit(c.str(0))) }
	join := func(c *call) Object { return c.ret(c.in.shellJoin(c.array(0))) }
	return []builtin{
		{"escape", 1, 1, esc}, {"shellescape", 1, 1, esc}, {"split", 1, 1, split}, {"shellwords", 1, 1, split},
		{"shellsplit", 1, 1, split},
		{"join", 1, 1, join}, {"shelljoin", 1, 1, join},
	}
}
