package ruby

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"bunraku/puppet/value"
)

func isASCII(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

func charLen(s string) int {
	if isASCII(s) {
		return len(s)
	}
	return utf8.RuneCountInString(s)
}

// byteAt is the byte offset of character i; len(s) when it is at or past the end.
func byteAt(s string, i int) int {
	if i <= 0 {
		return 0
	}
	if isASCII(s) {
		return min(i, len(s))
	}
	at := 0
	for ; i > 0 && at < len(s); i-- {
		_, n := utf8.DecodeRuneInString(s[at:])
		at += n
	}
	return at
}

// charAt is the number of the character at a byte offset.
func charAt(s string, at int) int { return charLen(s[:at]) }

// substr is n characters from character i on.
func substr(s string, i, n int) string {
	a := byteAt(s, i)
	rest := s[a:]
	return rest[:byteAt(rest, n)]
}

// chars splits into characters.
func chars(s string) []string {
	out := make([]string, 0, len(s))
	for i := 0; i < len(s); {
		_, n := utf8.DecodeRuneInString(s[i:])
		out = append(out, s[i:i+n])
		i += n
	}
	return out
}

func (in *Interp) strings(list []string) *Array {
	out := make([]Object, len(list))
	n := 0
	for i, s := range list {
		out[i] = &String{s: s}
		n += len(s) + 48
	}
	in.room(n)
	return in.array(out)
}

func (c *call) text() string { return c.self.(*String).String() }

func (c *call) ret(s string) Object { return c.in.str(s) }

// pure makes a method of a function on strings, and its ! form, which returns nil when nothing changed.
func pure(name string, f func(c *call, s string) string, most int) []builtin {
	return []builtin{
		{name, 0, most, func(c *call) Object { return c.ret(f(c, c.text())) }},
		{name + "!", 0, most, func(c *call) Object {
			old := c.text()
			s := f(c, old)
			c.change()
			if s == old {
				return Nil{}
			}
			c.in.room(len(s))
			c.self.(*String).set(s)
			return c.self
		}},
	}
}

// pureSelf is pure with a ! form that always returns the receiver.
func pureSelf(name string, f func(c *call, s string) string, most int) []builtin {
	t := pure(name, f, most)
	t[1].fn = func(c *call) Object {
		c.change()
		c.self.(*String).set(f(c, c.text()))
		return c.self
	}
	return t
}

func stringTable() []builtin {
	out := []builtin{
		{"to_s", 0, 0, func(c *call) Object { return c.self }},
		{"to_str", 0, 0, func(c *call) Object { return c.self }},
		{"inspect", 0, 0, func(c *call) Object { return c.ret(c.in.inspectOf(c.self)) }},
		{"dump", 0, 0, func(c *call) Object { return c.ret(dump(c.text())) }},
		{"to_sym", 0, 0, func(c *call) Object { return Symbol(c.text()) }},
		{"intern", 0, 0, func(c *call) Object { return Symbol(c.text()) }},
		{"length", 0, 0, stringLength}, {"size", 0, 0, stringLength},
		{"bytesize", 0, 0, func(c *call) Object { return Int(c.self.(*String).len()) }},
		{"empty?", 0, 0, func(c *call) Object { return Bool(c.self.(*String).len() == 0) }},
		{"+", 1, 1, func(c *call) Object {
			t := c.str(0)
			c.in.room(c.self.(*String).len() + len(t))
			return &String{s: c.text() + t, binary: c.in.together(c.self, c.arg(0))}
		}},
		{"*", 1, 1, func(c *call) Object {
			n := c.int(0)
			if n < 0 {
				c.raise("ArgumentError", "negative argument")
			}
			s := c.text()
			if len(s) > 0 && n > c.in.limits.Size/len(s) {
				c.in.room(c.in.limits.Size + 1)
			}
			c.in.room(len(s) * n)
			return &String{s: strings.Repeat(s, n), binary: c.self.(*String).binary}
		}},
		{"%", 1, 1, func(c *call) Object {
			args := c.args
			if a, ok := c.arg(0).(*Array); ok {
				args = a.els()
			}
			return c.percent(args)
		}},
		{"==", 1, 1, func(c *call) Object { return Bool(c.in.equal(c.self, c.arg(0))) }},
		{"===", 1, 1, func(c *call) Object { return Bool(c.in.equal(c.self, c.arg(0))) }},
		{"<=>", 1, 1, func(c *call) Object {
			if n, ok := c.in.compare(c.self, c.arg(0)); ok {
				return Int(n)
			}
			return Nil{}
		}},
		{"casecmp", 1, 1, func(c *call) Object {
			o, ok := c.arg(0).(*String)
			if !ok {
				return Nil{}
			}
			return Int(strings.Compare(asciiLower(c.text()), asciiLower(o.String())))
		}},
		{"casecmp?", 1, 1, func(c *call) Object {
			o, ok := c.arg(0).(*String)
			if !ok {
				return Nil{}
			}
			return Bool(strings.EqualFold(c.text(), o.String()))
		}},
		{"to_i", 0, 1, func(c *call) Object {
			base := 10
			if c.has(0) {
				base = c.int(0)
				if base < 0 || base == 1 || base > 36 {
					c.raise("ArgumentError", "invalid radix %d", base)
				}
			}
			return c.in.looseInt(c.text(), base)
		}},
		{"hex", 0, 0, func(c *call) Object { return c.in.looseInt(c.text(), 16) }},
		{"oct", 0, 0, func(c *call) Object { return c.in.looseInt(c.text(), -8) }},
		{"to_f", 0, 0, func(c *call) Object { return Float(looseFloat(c.text())) }},
		{"to_c", 0, 0, func(c *call) Object { c.in.unsupported("Complex numbers"); return nil }},
		{"to_r", 0, 0, func(c *call) Object { c.in.unsupported("Rational numbers"); return nil }},
		{"ord", 0, 0, func(c *call) Object {
			s := c.text()
			if s == "" {
				c.raise("ArgumentError", "empty string")
			}
			r, n := utf8.DecodeRuneInString(s)
			if r == utf8.RuneError && n == 1 {
				c.raise("ArgumentError", "invalid byte sequence in UTF-8")
			}
			return Int(r)
		}},
		{"chr", 0, 0, func(c *call) Object { return c.ret(substr(c.text(), 0, 1)) }},
		{"sum", 0, 1, func(c *call) Object {
			n := 0
			for _, b := range []byte(c.text()) {
				n += int(b)
			}
			return Int(n & 0xffff)
		}},
		{"chars", 0, 0, func(c *call) Object { return c.in.strings(chars(c.text())) }},
		{"each_char", 0, 0, func(c *call) Object {
			if c.block == nil {
				return c.enum()
			}
			for _, s := range chars(c.text()) {
				c.yield(c.in.str(s))
			}
			return c.self
		}},
		{"grapheme_clusters", 0, 0, func(c *call) Object {
			if !isASCII(c.text()) {
				c.in.unsupported("grapheme clusters")
			}
			return c.in.strings(chars(c.text()))
		}},
		{"bytes", 0, 0, func(c *call) Object { return c.in.array(byteObjects(c.text())) }},
		{"each_byte", 0, 0, func(c *call) Object {
			if c.block == nil {
				return c.enum()
			}
			for _, b := range byteObjects(c.text()) {
				c.yield(b)
			}
			return c.self
		}},
		{"getbyte", 1, 1, func(c *call) Object {
			i, s := c.int(0), c.text()
			if i < 0 {
				i += len(s)
			}
			if i < 0 || i >= len(s) {
				return Nil{}
			}
			return Int(s[i])
		}},
		{"byteslice", 1, 2, func(c *call) Object {
			s := c.text()
			i, n := 0, 1
			if r, ok := c.arg(0).(*Range); ok {
				var fits bool
				if i, n, fits = c.in.bounds(r, len(s)); !fits {
					return Nil{}
				}
			} else {
				i = c.int(0)
				if i < 0 {
					i += len(s)
				}
				if c.has(1) {
					n = c.int(1)
				} else if i >= len(s) {
					return Nil{}
				}
			}
			if i < 0 || i > len(s) || n < 0 {
				return Nil{}
			}
			return &String{s: s[i:min(i+n, len(s))], binary: c.self.(*String).binary}
		}},
		{"codepoints", 0, 0, func(c *call) Object {
			var out []Object
			for _, r := range c.text() {
				out = append(out, Int(r))
			}
			return c.in.array(out)
		}},
		{"lines", 0, 2, func(c *call) Object { return c.in.strings(c.lines()) }},
		{"each_line", 0, 2, func(c *call) Object {
			if c.block == nil {
				return c.enum()
			}
			for _, l := range c.lines() {
				c.yield(c.in.str(l))
			}
			return c.self
		}},
		{"center", 1, 2, func(c *call) Object { return c.justify(0) }},
		{"ljust", 1, 2, func(c *call) Object { return c.justify(-1) }},
		{"rjust", 1, 2, func(c *call) Object { return c.justify(1) }},
		{"concat", 0, -1, func(c *call) Object {
			c.change()
			var add []string
			binary := c.in.together(append([]Object{c.self}, c.args...)...)
			for _, a := range c.args {
				add = append(add, c.appendable(a))
			}
			for _, s := range add {
				c.grow(s)
			}
			c.self.(*String).binary = binary || c.self.(*String).binary
			return c.self
		}},
		{"<<", 1, 1, func(c *call) Object {
			s := c.appendable(c.arg(0))
			c.change()
			binary := c.in.together(c.self, c.arg(0))
			c.grow(s)
			c.self.(*String).binary = binary || c.self.(*String).binary
			return c.self
		}},
		{"prepend", 0, -1, func(c *call) Object {
			c.change()
			s := ""
			for i := range c.args {
				s += c.str(i)
			}
			c.in.room(len(s) + c.self.(*String).len())
			c.self.(*String).set(s + c.text())
			return c.self
		}},
		{"replace", 1, 1, func(c *call) Object {
			c.change()
			c.self.(*String).set(c.str(0))
			if s, is := c.arg(0).(*String); is {
				c.self.(*String).binary = s.binary
			}
			return c.self
		}},
		{"clear", 0, 0, func(c *call) Object { c.change(); c.self.(*String).set(""); return c.self }},
		{"insert", 2, 2, func(c *call) Object {
			i, t, s := c.int(0), c.str(1), c.text()
			c.change()
			n := charLen(s)
			if i < 0 {
				i += n + 1
			}
			if i < 0 || i > n {
				c.raise("IndexError", "index %d out of string", c.int(0))
			}
			at := byteAt(s, i)
			c.in.room(len(s) + len(t))
			c.self.(*String).set(s[:at] + t + s[at:])
			return c.self
		}},
		{"+@", 0, 0, func(c *call) Object {
			if s := c.self.(*String); s.frozen {
				return &String{s: s.String(), binary: s.binary}
			}
			return c.self
		}},
		{"-@", 0, 0, func(c *call) Object {
			if s := c.self.(*String); !s.frozen {
				return &String{s: s.String(), frozen: true, binary: s.binary}
			}
			return c.self
		}},
		{"encoding", 0, 0, func(c *call) Object {
			if c.self.(*String).binary {
				return c.in.encoding("ASCII-8BIT")
			}
			return c.in.encoding("UTF-8")
		}},
		{"force_encoding", 1, 1, func(c *call) Object {
			name := strings.ToUpper(c.in.toS(c.arg(0)))
			c.mutable()
			switch name {
			case "UTF-8", "US-ASCII", "ASCII":
				c.self.(*String).binary = false
			case "ASCII-8BIT", "BINARY":
				c.self.(*String).binary = true
			default:
				c.in.unsupported("the encoding " + name)
			}
			return c.self
		}},
		{"encode", 0, 3, stringEncode},
		{"unicode_normalize", 0, 1, func(c *call) Object {
			if !isASCII(c.text()) {
				c.in.unsupported("unicode_normalize")
			}
			return c.ret(c.text())
		}},
		{"b", 0, 0, func(c *call) Object { return &String{s: c.text(), binary: true} }},
		{"valid_encoding?", 0, 0, func(c *call) Object {
			return Bool(c.self.(*String).binary ||
				utf8.ValidString(c.text()))
		}},
		{"ascii_only?", 0, 0, func(c *call) Object { return Bool(isASCII(c.text())) }},
		{"scrub", 0, 1, func(c *call) Object {
			r := "\uFFFD"
			if c.has(0) && !isNil(c.arg(0)) {
				r = c.str(0)
			}
			return c.ret(strings.ToValidUTF8(c.text(), r))
		}},
		{"hash", 0, 0, hashMethod},
		{"crypt", 1, 1, func(c *call) Object { c.in.unsupported("String#crypt"); return nil }},
		{"upto", 1, 2, func(c *call) Object {
			if c.block == nil {
				return c.enum()
			}
			c.in.stringRange(c.text(), c.str(0), truthy(c.arg(1)), func(s string) bool { c.yield(c.in.str(s)); return true })
			return c.self
		}},
	}
	out = append(out, pure("upcase", func(c *call, s string) string { return value.Upcase(s) }, 2)...)
	out = append(out, pure("downcase", func(c *call, s string) string { return value.Downcase(s) }, 2)...)
	out = append(out, pure("capitalize", func(c *call, s string) string { return value.Capitalize(s) }, 2)...)
	out = append(out, pure("swapcase", func(c *call, s string) string { return swapcase(s) }, 2)...)
	out = append(out, pure("strip", func(c *call, s string) string { return value.Strip(s) }, 0)...)
	out = append(out, pure("lstrip", func(c *call, s string) string { return strings.TrimLeft(s, "\x00\t\n\v\f\r ") },
		0)...)
	out = append(out, pure("rstrip", func(c *call, s string) string { return strings.TrimRight(s, "\x00\t\n\v\f\r ") },
		0)...)
	out = append(out, pure("chomp", func(c *call, s string) string { return chomp(c, s) }, 1)...)
	out = append(out, pure("chop", func(c *call, s string) string {
		if strings.HasSuffix(s, "\r\n") {
			return s[:len(s)-2]
		}
		_, n := utf8.DecodeLastRuneInString(s)
		return s[:len(s)-n]
	}, 0)...)
	out = append(out, pureSelf("reverse", func(c *call, s string) string {
		cs := chars(s)
		var b strings.Builder
		for i := len(cs) - 1; i >= 0; i-- {
			b.WriteString(cs[i])
		}
		return b.String()
	}, 0)...)
	out = append(out, pureSelf("succ", func(c *call, s string) string { return succ(s) }, 0)...)
	out = append(out, pureSelf("next", func(c *call, s string) string { return succ(s) }, 0)...)
	return out
}

func stringLength(c *call) Object {
	if s := c.self.(*String); s.binary {
		return Int(s.len())
	}
	return Int(charLen(c.text()))
}

func asciiLower(s string) string {
	return strings.Map(func(r rune) rune {
		if 'A' <= r && r <= 'Z' {
			return r + 32
		}
		return r
	}, s)
}

func swapcase(s string) string {
	var b strings.Builder
	for _, r := range s {
		switch {
		case unicode.IsUpper(r):
			b.WriteString(value.Downcase(string(r)))
		case unicode.IsLower(r):
			b.WriteString(value.Upcase(string(r)))
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

func chomp(c *call, s string) string {
	if c.has(0) {
		if isNil(c.arg(0)) {
			return s
		}
		suffix := c.str(0)
		if suffix == "" {
			for strings.HasSuffix(s, "\n") {
				s = strings.TrimSuffix(strings.TrimSuffix(s, "\n"), "\r")
			}
			return s
		}
		if suffix != "\n" {
			return strings.TrimSuffix(s, suffix)
		}
	}
	switch {
	case strings.HasSuffix(s, "\r\n"):
		return s[:len(s)-2]
	case strings.HasSuffix(s, "\n"), strings.HasSuffix(s, "\r"):
		return s[:len(s)-1]
	}
	return s
}

func byteObjects(s string) []Object {
	out := make([]Object, len(s))
	for i := range out {
		out[i] = Int(s[i])
	}
	return out
}

// lines splits behind each line end, or another separator.
func (c *call) lines() []string {
	chompIt := truthy(c.options().at(Symbol("chomp")))
	sep := "\n"
	s := c.text()
	if c.has(0) {
		if isNil(c.arg(0)) {
			return []string{s}
		}
		sep = c.str(0)
	}
	var out []string
	if sep == "" { // paragraphs
		for s != "" {
			i := strings.Index(s, "\n\n")
			if i < 0 {
				out = append(out, s)
				break
			}
			j := i + 2
			for j < len(s) && s[j] == '\n' {
				j++
			}
			line := s[:j]
			if chompIt {
				line = s[:i]
			}
			out = append(out, line)
			s = s[j:]
		}
		return out
	}
	for s != "" {
		i := strings.Index(s, sep)
		if i < 0 {
			out = append(out, s)
			break
		}
		end := i + len(sep)
		line := s[:end]
		if chompIt {
			line = s[:i]
			if sep == "\n" {
				line = strings.TrimSuffix(line, "\r")
			}
		}
		out = append(out, line)
		s = s[end:]
	}
	return out
}

func (c *call) justify(side int) Object {
	width, s, pad := c.int(0), c.text(), " "
	if c.has(1) {
		pad = c.str(1)
		if pad == "" {
			c.raise("ArgumentError", "zero width padding")
		}
	}
	n := width - charLen(s)
	if n <= 0 {
		return c.ret(s)
	}
	c.in.room(n * len(pad))
	fill := func(n int) string {
		k := charLen(pad)
		return strings.Repeat(pad, n/k) + substr(pad, 0, n%k)
	}
	switch side {
	case -1:
		return c.ret(s + fill(n))
	case 1:
		return c.ret(fill(n) + s)
	}
	return c.ret(fill(n/2) + s + fill(n-n/2))
}

// appendable is what << appends: a string, or the character of a number.
func (c *call) appendable(o Object) string {
	if n, ok := o.(Int); ok {
		if n < 0 || n > 0x10ffff {
			c.raise("RangeError", "%d out of char range", int64(n))
		}
		if c.self.(*String).binary {
			if n > 255 {
				c.raise("RangeError", "%d out of char range", int64(n))
			}
			return string([]byte{byte(n)})
		}
		return string(rune(n))
	}
	return c.in.toStr(o)
}

func (c *call) grow(t string) {
	s := c.self.(*String)
	if s.len()+len(t) > c.in.limits.Size {
		c.in.room(s.len() + len(t))
	}
	c.in.room(len(t))
	s.add(t)
}

// dump is String#dump.
func dump(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for i := 0; i < len(s); {
		c := s[i]
		if c < utf8.RuneSelf {
			t := value.InspectString(s[i : i+1])
			if c == '#' && i+1 < len(s) && strings.IndexByte("{$@", s[i+1]) >= 0 {
				t = `"\#"`
			}
			if (c < ' ' || c == 0x7f) && strings.HasPrefix(t, `"\u`) {
				t = fmt.Sprintf(`"\x%02X"`, c)
			}
			b.WriteString(t[1 : len(t)-1])
			i++
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && n == 1:
			fmt.Fprintf(&b, `\x%02X`, c)
		case r > 0xffff:
			fmt.Fprintf(&b, `\u{%X}`, r)
		default:
			fmt.Fprintf(&b, `\u%04X`, r)
		}
		i += n
	}
	b.WriteByte('"')
	return b.String()
}

func stringEncode(c *call) Object {
	in := c.in
	opts := c.options()
	to := "UTF-8"
	if c.has(0) {
		to = strings.ToUpper(in.toS(c.arg(0)))
	}
	s := c.text()
	xml := opts.at(Symbol("xml"))
	if x, ok := xml.(Symbol); ok {
		s = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace(s)
		if x == "attr" {
			s = `"` + strings.ReplaceAll(s, `"`, "&quot;") + `"`
		}
	}
	if truthy(opts.at(Symbol("universal_newline"))) {
		s = strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\r", "\n")
	}
	if truthy(opts.at(Symbol("crlf_newline"))) {
		s = strings.ReplaceAll(s, "\n", "\r\n")
	}
	if isASCII(s) && (to == "ASCII-8BIT" || to == "BINARY") {
		return &String{s: s, binary: true}
	}
	if to != "UTF-8" && !(isASCII(s) && (to == "US-ASCII" || to == "ASCII")) {
		in.unsupported("encoding to " + to)
	}
	if !utf8.ValidString(s) && opts.at(Symbol("invalid")) == Object(Symbol("replace")) && c.has(1) {
		r := "\uFFFD"
		if v, ok := opts.get(Symbol("replace")); ok {
			r = in.toS(v)
		}
		s = strings.ToValidUTF8(s, r)
	}
	return c.ret(s)
}
