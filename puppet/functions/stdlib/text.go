package stdlib

import (
	"encoding/base64"
	"errors"
	"strings"
	"unicode"
	"unicode/utf8"

	"bunraku/puppet/eval"
	"bunraku/puppet/functions"
	"bunraku/puppet/onigmo"
	"bunraku/puppet/value"
)

// texts are the functions on strings.
func texts() []old {
	return []old{
		{"base64", "Encodes a string in base64, or decodes it.", eval.Pure, -1, base64Function},
		{"dos2unix", "Replaces DOS line ends by Unix ones.", eval.Pure, 1, func(c *eval.Call) (value.Value, error) {
			s, is := c.Args[0].(value.String)
			if !is {
				return nil, parseErrorf("dos2unix(): Requires string as argument")
			}
			return value.String(strings.ReplaceAll(string(s), "\r\n", "\n")), nil
		}},
		{"unix2dos", "Replaces Unix line ends by DOS ones.", eval.Pure, 1, func(c *eval.Call) (value.Value, error) {
			s, is := c.Args[0].(value.String)
			if !is {
				return nil, parseErrorf("unix2dos(): Requires string as argument")
			}
			return value.String(unix2dos(string(s))), nil
		}},
		each("regexpescape", "Escapes what regular expressions treat specially.", onigmo.Quote),
		each("swapcase", "Makes upper case letters lower case, and lower case ones upper case.", swapcase),
		each("uriescape", "Escapes what may not stand in a URI.", uriEscape),
		{"squeeze", "Replaces runs of one character by a single one.", eval.Pure, -1, squeeze},
		{"shell_join", "Quotes words for a shell and joins them.", eval.Pure, -1, shellJoin},
		{"shell_split", "Splits a text into words as a shell does.", eval.Pure, -1, func(c *eval.Call) (value.Value, error) {
			if len(c.Args) != 1 {
				return nil, given(c, "1")
			}
			words, err := shellSplit(text(c.Args[0]))
			if err != nil {
				return nil, err
			}
			return value.Strings(words...), nil
		}},
	}
}

// each makes a function that changes a string, or the strings of an array.
func each(name, doc string, change func(string) string) old {
	return eachOf(name, doc, parseErrorf("%s(): Requires either array or string to work with", name), change)
}

func eachOf(name, doc string, refusal error, change func(string) string) old {
	return old{name, doc, eval.Pure, -1, func(c *eval.Call) (value.Value, error) {
		if len(c.Args) == 0 {
			return nil, given(c, "1")
		}
		switch v := c.Args[0].(type) {
		case value.String:
			return value.String(change(string(v))), nil
		case *value.Array:
			c.Ref = c.ArgRef(0)
			b := value.NewArrayBuilder(v.Len())
			for i, e := range v.Elems {
				if s, is := e.(value.String); is {
					b.AddRef(value.String(change(string(s))), functions.Computed(c, v.Ref(i)))
				} else {
					b.AddRef(e, v.Ref(i))
				}
			}
			return b.Array(), nil
		}
		return nil, refusal
	}}
}

// characters splits a string into its characters.
func characters(s string) []string {
	out := make([]string, 0, len(s))
	for s != "" {
		_, n := utf8.DecodeRuneInString(s)
		out = append(out, s[:n])
		s = s[n:]
	}
	return out
}

// rubySplit is Ruby's String#split by a string; a single blank splits by runs of white space.
func rubySplit(s, sep string) []string {
	switch sep {
	case " ":
		return strings.FieldsFunc(s, func(r rune) bool { return strings.ContainsRune(" \t\n\v\f\r\x00", r) })
	case "":
		return characters(s)
	}
	return functions.SplitText(s, sep)
}

func base64Function(c *eval.Call) (value.Value, error) {
	if len(c.Args) < 2 {
		return nil, parseErrorf("base64(): Wrong number of arguments (%d; must be >= 2)", len(c.Args))
	}
	action, is := c.Args[0].(value.String)
	if !is || action != "encode" && action != "decode" {
		return nil, parseErrorf("base64(): the first argument must be one of 'encode' or 'decode'")
	}
	s, is := c.Args[1].(value.String)
	if !is {
		return nil, parseErrorf("base64(): the second argument must be a string to base64")
	}
	method := value.String("default")
	if len(c.Args) > 2 {
		method, _ = c.Args[2].(value.String)
	}
	switch method {
	case "default":
		if action == "encode" {
			return value.String(base64Lines(string(s))), nil
		}
		return c.Bytes(base64Loose(string(s))), nil
	case "strict":
		if action == "encode" {
			return value.String(base64.StdEncoding.EncodeToString([]byte(s))), nil
		}
		return base64Strict(c, string(s))
	case "urlsafe":
		if action == "encode" {
			return value.String(base64.URLEncoding.EncodeToString([]byte(s))), nil
		}
		t := string(s)
		if !strings.HasSuffix(t, "=") && len(t)%4 != 0 {
			t += strings.Repeat("=", (4-len(t)%4)%4)
		}
		return base64Strict(c, strings.NewReplacer("-", "+", "_", "/").Replace(t))
	}
	return nil, parseErrorf("base64(): the third argument must be one of 'default', 'strict', or 'urlsafe'")
}

// base64Lines writes lines of 60 characters, as Ruby's pack('m') does.
func base64Lines(s string) string {
	t := base64.StdEncoding.EncodeToString([]byte(s))
	var b strings.Builder
	for len(t) > 60 {
		b.WriteString(t[:60] + "\n")
		t = t[60:]
	}
	if t != "" {
		b.WriteString(t + "\n")
	}
	return b.String()
}

// base64Loose reads what it can, as Ruby's unpack('m') does.
func base64Loose(s string) string {
	const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
	var out []byte
	var bits, n uint
	for i := 0; i < len(s); i++ {
		d := strings.IndexByte(alphabet, s[i])
		if d < 0 {
			if s[i] == '=' && n >= 2 {
				break
			}
			continue
		}
		bits = bits<<6 | uint(d)
		if n++; n == 4 {
			out = append(out, byte(bits>>16), byte(bits>>8), byte(bits))
			bits, n = 0, 0
		}
	}
	switch n {
	case 2:
		out = append(out, byte(bits>>4))
	case 3:
		out = append(out, byte(bits>>10), byte(bits>>2))
	}
	return string(out)
}

func base64Strict(c *eval.Call, s string) (value.Value, error) {
	out, err := base64.StdEncoding.Strict().DecodeString(s)
	if err != nil || strings.ContainsAny(s, "\r\n") {
		return nil, argumentError("invalid base64")
	}
	return c.Bytes(string(out)), nil
}

func unix2dos(s string) string {
	var b strings.Builder
	returns := 0
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '\r':
			returns++
			continue
		case '\n':
			b.WriteString("\r\n")
		default:
			b.WriteString(strings.Repeat("\r", returns))
			b.WriteByte(s[i])
		}
		returns = 0
	}
	b.WriteString(strings.Repeat("\r", returns))
	return b.String()
}

func swapcase(s string) string {
	var b strings.Builder
	for _, ch := range characters(s) {
		r, _ := utf8.DecodeRuneInString(ch)
		switch {
		case unicode.IsTitle(r):
			b.WriteString(ch)
		case unicode.IsUpper(r):
			b.WriteString(value.Downcase(ch))
		default:
			b.WriteString(value.Upcase(ch))
		}
	}
	return b.String()
}

// uriEscape is URI::DEFAULT_PARSER.escape.
func uriEscape(s string) string {
	return percent(s, "-_.!~*'();/?:@&=+$,[]")
}

// percent writes every byte as %XX that is no letter, digit or one of safe.
func percent(s, safe string) string {
	const hex = "0123456789ABCDEF"
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		ch := s[i]
		if ch >= 'a' && ch <= 'z' || ch >= 'A' && ch <= 'Z' || ch >= '0' && ch <= '9' || strings.IndexByte(safe, ch) >= 0 {
			b.WriteByte(ch)
		} else {
			b.WriteString("%" + hex[ch>>4:ch>>4+1] + hex[ch&15:ch&15+1])
		}
	}
	return b.String()
}

// charSet is a set of characters in the notation of Ruby's String#count: ranges, and ^ for all others.
func charSet(spec string) (func(rune) bool, error) {
	rs := []rune(spec)
	negated := len(rs) > 1 && rs[0] == '^'
	if negated {
		rs = rs[1:]
	}
	single := map[rune]bool{}
	type span struct{ lo, hi rune }
	var spans []span
	for i := 0; i < len(rs); i++ {
		r := rs[i]
		if r == '\\' && i+1 < len(rs) {
			i++
			r = rs[i]
		}
		if i+2 < len(rs) && rs[i+1] == '-' {
			hi := rs[i+2]
			i += 2
			if hi == '\\' && i+1 < len(rs) {
				i++
				hi = rs[i]
			}
			if r > hi {
				return nil, argumentError(`invalid range "` + string(r) + "-" + string(hi) + `" in string transliteration`)
			}
			spans = append(spans, span{r, hi})
			continue
		}
		single[r] = true
	}
	return func(r rune) bool {
		in := single[r]
		for _, s := range spans {
			in = in || s.lo <= r && r <= s.hi
		}
		return in != negated
	}, nil
}

func squeeze(c *eval.Call) (value.Value, error) {
	if len(c.Args) != 1 && len(c.Args) != 2 {
		return nil, parseErrorf("squeeze(): Wrong number of arguments given %d for 2 or 1", len(c.Args))
	}
	in := func(rune) bool { return true }
	one := func(v value.Value) (value.Value, error) {
		s, is := v.(value.String)
		if !is {
			return nil, noMethod("squeeze", v)
		}
		if truthy(c, 1) {
			set, is := c.Args[1].(value.String)
			if !is {
				return nil, noConversion(c.Args[1], "String")
			}
			var err error
			if in, err = charSet(string(set)); err != nil {
				return nil, err
			}
		}
		var b strings.Builder
		last := rune(-1)
		for _, r := range string(s) {
			if r != last || !in(r) {
				b.WriteRune(r)
			}
			last = r
		}
		return value.String(b.String()), nil
	}
	a, is := c.Args[0].(*value.Array)
	if !is {
		return one(c.Args[0])
	}
	b := value.NewArrayBuilder(a.Len())
	for i, e := range a.Elems {
		v, err := one(e)
		if err != nil {
			return nil, err
		}
		b.AddRef(v, functions.Computed(c, a.Ref(i), c.ArgRef(1)))
	}
	return b.Array(), nil
}

// ---- shells

// shellEscape is Ruby's Shellwords.escape.
func shellEscape(s string) string {
	if s == "" {
		return "''"
	}
	var b strings.Builder
	for _, ch := range characters(s) {
		switch r := ch[0]; {
		case r == '\n':
			b.WriteString("'\n'")
			continue
		case r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.IndexByte("_-.,:+/@", r) >= 0:
		default:
			b.WriteByte('\\')
		}
		b.WriteString(ch)
	}
	return b.String()
}

func shellJoin(c *eval.Call) (value.Value, error) {
	if len(c.Args) != 1 {
		return nil, given(c, "1")
	}
	a, is := c.Args[0].(*value.Array)
	if !is {
		return nil, parseErrorf("First argument is not an Array: %s", inspect(c.Args[0]))
	}
	words := make([]string, a.Len())
	for i, e := range a.Elems {
		words[i] = shellEscape(text(e))
	}
	return value.String(strings.Join(words, " ")), nil
}

var (
	shellWord    = onigmo.MustCompile(`(?m:\G\s*(?>([^\s\\\'\"]+)|'([^\']*)'|"((?:[^\"\\]|\\.)*)"|(\\.?)|(\S))(\s|\z)?)`)
	shellEscaped = onigmo.MustCompile("\\\\([$`\"\\\\\\n])")
	anyEscaped   = onigmo.MustCompile(`\\(.)`)
)

// shellSplit is Ruby's Shellwords.split.
func shellSplit(line string) ([]string, error) {
	words := []string{}
	field := ""
	var fault error
	err := shellWord.FindAll(line, func(loc []int) bool {
		part := func(i int) (string, bool) {
			if loc[2*i] < 0 {
				return "", false
			}
			return line[loc[2*i]:loc[2*i+1]], true
		}
		if _, garbage := part(5); garbage {
			fault = argumentError("Unmatched quote: " + inspect(value.String(line)))
			return false
		}
		if w, ok := part(1); ok {
			field += w
		} else if w, ok := part(2); ok {
			field += w
		} else if w, ok := part(3); ok {
			field += firstGroups(shellEscaped, w)
		} else if w, ok := part(4); ok {
			field += firstGroups(anyEscaped, w)
		}
		if _, ends := part(6); ends {
			words = append(words, field)
			field = ""
		}
		return true
	})
	return words, errors.Join(fault, err)
}

// firstGroups replaces every match by its first group.
func firstGroups(re *onigmo.Regexp, s string) string {
	var b strings.Builder
	at := 0
	_ = re.FindAll(s, func(loc []int) bool {
		b.WriteString(s[at:loc[0]] + s[loc[2]:loc[3]])
		at = loc[1]
		return true
	})
	return b.String() + s[at:]
}
