package types

import (
	"encoding/base64"
	"fmt"
	"strings"
	"unicode/utf8"

	"bunraku/puppet/value"
)

// ToString is String($v): strings bare at the top and quoted inside containers, floats as %f.
func ToString(v value.Value) string {
	switch v := v.(type) {
	case value.String:
		return string(v)
	case value.Int, value.Bool, value.Undef, value.Default:
		return value.ToString(v)
	}
	s, err := Format(v, value.Default{})
	if err != nil {
		return value.ToString(v)
	}
	return s
}

// Format is String.new(v, formats): formats is default, a format string, or a hash from types to formats.
func Format(v, formats value.Value) (string, error) {
	t := InferSet(v)
	m := defaultFormats()
	if s, is := formats.(value.String); is {
		key := t
		var f value.Value = s
		switch {
		case Assignable(ArrayT, t):
			key, f = ArrayT, value.NewHash(value.String("format"), s)
		case Assignable(HashT, t):
			key, f = HashT, value.NewHash(value.String("format"), s)
		}
		formats = value.NewHash(key, f)
	}
	switch f := formats.(type) {
	case *value.Hash:
		user, err := userFormats(f)
		if err != nil {
			return "", err
		}
		m = mergeFormats(m, user)
	case value.Default, value.Undef, nil:
	default:
		return "", fmt.Errorf("string conversion expects a Default value or a Hash of type to format mappings, got a '%s'",
			RubyClass(formats))
	}
	return convertString(t, v, m, indent{first: true})
}

func makeString(_ *Converter, _ int, args []value.Value) (value.Value, error) {
	s, err := Format(args[0], arg(args, 1))
	return value.String(s), err
}

// An indent is where in nested containers the text stands.
type indent struct {
	level  int
	first  bool
	active bool
}

func (in indent) breaks() bool    { return in.active && in.level > 0 && !in.first }
func (in indent) padding() string { return strings.Repeat("  ", in.level) }

func badFormat(kind string, f *stringFormat, allowed string) error {
	return fmt.Errorf("Illegal format '%c' specified for value of %s type - expected one of the characters '%s'", f.letter,
		kind, allowed)
}

// kernel formats one value with the format as written, its letter replaced.
func kernel(f *stringFormat, letter byte, v value.Value) (string, error) {
	text := f.text[:len(f.text)-1] + string(letter)
	return value.Sprintf(text, []value.Value{v})
}

// flags applies width, precision and left alignment to a finished text.
func (f *stringFormat) flags(s string) string {
	if f.hasPre && value.CharLen(s) > f.prec {
		s = string([]rune(s)[:f.prec])
	}
	if pad := f.width - value.CharLen(s); f.hasWidth && pad > 0 {
		if f.left {
			return s + strings.Repeat(" ", pad)
		}
		return strings.Repeat(" ", pad) + s
	}
	return s
}

func convertString(t T, v value.Value, m *formatMap, in indent) (string, error) {
	switch v := v.(type) {
	case *value.Array:
		return stringArray(t, v, m, in)
	case *value.Hash:
		return stringHash(t, v, m, in)
	case *value.Iterator:
		a := v.Array()
		return convertString(InferSet(a), a, m, in)
	}
	f := m.get(t)
	switch v := v.(type) {
	case value.String:
		return stringString(f, string(v))
	case value.Int:
		return stringInt(f, v)
	case value.Float:
		return stringFloat(f, v)
	case value.Bool:
		return stringBool(f, v)
	case value.Undef, nil:
		return stringUndef(f)
	case value.Default:
		return stringDefault(f)
	case *value.Regexp:
		return stringRegexp(f, v)
	case value.Binary:
		return stringBinary(f, v)
	case *value.URI:
		switch f.letter {
		case 'p':
			return value.Literal(v), nil
		case 's':
			s := v.String()
			if f.alt {
				s = value.Quote(s)
			}
			return kernel(f, 's', value.String(s))
		}
		return "", badFormat("URI", f, "sp")
	case *value.Object, *value.Deferred:
		switch f.letter {
		case 'p':
			if f.alt || in.active {
				return indented(v, in.level), nil
			}
			return value.Literal(v), nil
		case 's', 'q':
			return value.ToString(v), nil
		}
		return "", badFormat("Object", f, "spq")
	case T:
		switch f.letter {
		case 's':
			s := v.String()
			if f.alt {
				s = `"` + s + `"`
			}
			return kernel(f, 's', value.String(s))
		case 'p':
			return kernel(f, 's', value.String(v.String()))
		}
		return "", badFormat("Type", f, "sp")
	}
	return value.Sprintf(f.text, []value.Value{v})
}

func stringString(f *stringFormat, s string) (string, error) {
	switch f.letter {
	case 's':
		return kernel(f, 's', value.String(s))
	case 'p':
		if f.alt {
			return f.flags(value.QuoteDouble(s)), nil
		}
		return f.flags(value.Quote(s)), nil
	case 'c':
		s = value.Capitalize(s)
	case 'C':
		parts := strings.Split(s, "::")
		for len(parts) > 0 && parts[len(parts)-1] == "" {
			parts = parts[:len(parts)-1] // Ruby's split drops trailing empty fields
		}
		for i, p := range parts {
			parts[i] = value.Capitalize(p)
		}
		s = strings.Join(parts, "::")
	case 'u':
		s = value.Upcase(s)
	case 'd':
		s = value.Downcase(s)
	case 't':
		s = value.Strip(s)
	default:
		return "", badFormat("String", f, "cCudspt")
	}
	if f.alt {
		return f.flags(value.Quote(s)), nil
	}
	return kernel(f, 's', value.String(s))
}

func stringInt(f *stringFormat, n value.Int) (string, error) {
	switch f.letter {
	case 'd', 'x', 'X', 'o', 'b', 'B', 'p':
		return value.Sprintf(f.text, []value.Value{n})
	case 'e', 'E', 'f', 'g', 'G', 'a', 'A':
		return value.Sprintf(f.text, []value.Value{value.Float(n)})
	case 'c':
		s := string(rune(n))
		if f.alt {
			s = `"` + s + `"`
		}
		return kernel(f, 's', value.String(s))
	case 's':
		letter := byte('s')
		if f.alt {
			letter = 'p'
		}
		return kernel(f, letter, value.String(value.ToString(n)))
	}
	return "", badFormat("Integer", f, "dxXobBeEfgGaAspc")
}

func stringFloat(f *stringFormat, x value.Float) (string, error) {
	switch f.letter {
	case 'd', 'x', 'X', 'o', 'b', 'B':
		return value.Sprintf(f.text, []value.Value{value.Int(int64(x))})
	case 'e', 'E', 'f', 'g', 'G', 'a', 'A', 'p':
		return value.Sprintf(f.text, []value.Value{x})
	case 's':
		s := value.FormatFloat(float64(x))
		if f.alt {
			s = `"` + s + `"`
		}
		return kernel(f, 's', value.String(s))
	}
	return "", badFormat("Float", f, "dxXobBeEfgGaAsp")
}

func stringBool(f *stringFormat, b value.Bool) (string, error) {
	words := [2]string{"false", "true"}
	switch f.letter {
	case 't':
	case 'T':
		words = [2]string{"False", "True"}
	case 'y':
		words = [2]string{"no", "yes"}
	case 'Y':
		words = [2]string{"No", "Yes"}
	case 's', 'p':
		return f.flags(value.ToString(b)), nil
	case 'd', 'x', 'X', 'o', 'b', 'B':
		n := value.Int(0)
		if b {
			n = 1
		}
		return stringInt(f, n)
	case 'e', 'E', 'f', 'g', 'G', 'a', 'A':
		x := value.Float(0)
		if b {
			x = 1
		}
		return stringFloat(f, x)
	default:
		return "", badFormat("Boolean", f, "tTyYdxXobBeEfgGaAsp")
	}
	s := words[0]
	if b {
		s = words[1]
	}
	if f.alt {
		s = s[:1]
	}
	return f.flags(s), nil
}

// either is the second text in alternative form.
func either(f *stringFormat, plain, alt string) (string, error) {
	if f.alt {
		plain = alt
	}
	return f.flags(plain), nil
}

func stringUndef(f *stringFormat) (string, error) {
	switch f.letter {
	case 'n':
		return either(f, "nil", "null")
	case 'u':
		return either(f, "undef", "undefined")
	case 'd', 'x', 'X', 'o', 'b', 'B', 'e', 'E', 'f', 'g', 'G', 'a', 'A':
		return f.flags("NaN"), nil
	case 'v':
		return f.flags("n/a"), nil
	case 'V':
		return f.flags("N/A"), nil
	case 's':
		return either(f, "", `""`)
	case 'p':
		return either(f, "undef", `"undef"`)
	}
	return "", badFormat("Undef", f, "nudxXobBeEfgGaAvVsp")
}

func stringDefault(f *stringFormat) (string, error) {
	switch f.letter {
	case 'd', 's', 'p':
		return either(f, "default", `"default"`)
	case 'D':
		return either(f, "Default", `"Default"`)
	}
	return "", badFormat("Default", f, "dDsp")
}

func stringRegexp(f *stringFormat, r *value.Regexp) (string, error) {
	switch f.letter {
	case 'p':
		return kernel(f, 's', value.String(r.Delimited()))
	case 's':
		s := r.Source
		if f.alt {
			s = value.Quote(s)
		}
		return kernel(f, 's', value.String(s))
	}
	return "", badFormat("Regexp", f, "sp")
}

func stringBinary(f *stringFormat, b value.Binary) (string, error) {
	letter := byte('s')
	if f.alt {
		letter = 'p'
	}
	s := ""
	switch f.letter {
	case 's':
		s = string(b)
		if !f.alt && !utf8.ValidString(s) {
			for i := 0; i < len(s); i++ {
				if s[i] >= 0x80 {
					return "", fmt.Errorf("\"\\x%02X\" from ASCII-8BIT to UTF-8", s[i])
				}
			}
		}
	case 'p':
		in, err := kernel(f, 's', value.String(b.Base64()))
		return `Binary("` + in + `")`, err
	case 'b':
		s = wrapped64(string(b))
	case 'B':
		s = b.Base64()
	case 'u':
		s = base64.URLEncoding.EncodeToString([]byte(b))
	case 't':
		s = "Binary"
	case 'T':
		s = "BINARY"
	default:
		return "", badFormat("Binary", f, "bButTsp")
	}
	return kernel(f, letter, value.String(s))
}

// wrapped64 is base64 in lines of 60 characters.
func wrapped64(s string) string {
	var b strings.Builder
	for len(s) > 0 {
		n := min(45, len(s))
		b.WriteString(base64.StdEncoding.EncodeToString([]byte(s[:n])) + "\n")
		s = s[n:]
	}
	return b.String()
}

func isContainer(v value.Value) bool {
	switch v.(type) {
	case *value.Array, *value.Hash, *value.Object, *value.Deferred:
		return true
	}
	return false
}

func isList(v value.Value) bool {
	switch v.(type) {
	case *value.Array, *value.Hash:
		return true
	}
	return false
}

// element formats a part of a container: nested containers by the same map, other values by the element formats.
func element(v value.Value, m, inner *formatMap, in indent) (string, error) {
	if isContainer(v) {
		return convertString(InferSet(v), v, m, in)
	}
	return convertString(InferSet(v), v, inner, in)
}

func stringArray(t T, a *value.Array, m *formatMap, in indent) (string, error) {
	f := m.get(t)
	if f.letter != 'a' && f.letter != 's' && f.letter != 'p' {
		return "", badFormat("Array", f, "asp")
	}
	sep := ", "
	if f.sep != nil {
		sep = *f.sep
	}
	inner := f.inner
	if inner == nil {
		inner = containerDefault()
	}
	open, end := f.pair("[", "]")
	in.active = f.alt || in.active

	var b strings.Builder
	if in.breaks() {
		b.WriteString("\n" + in.padding())
	}
	b.WriteString(open)
	child := indent{level: in.level + 1, active: f.alt}
	mapped := make([]string, a.Len())
	for i, v := range a.Elems {
		s, err := element(v, m, inner, child)
		if err != nil {
			return "", err
		}
		mapped[i] = s
	}
	wide := f.alt && f.hasWidth && widestRun(a, mapped) > f.width
	out := b.String()
	for i, v := range a.Elems {
		if i == 0 {
			if wide && !isList(v) {
				out += " "
			}
		} else {
			out += sep
			if wide && !isList(v) || f.alt && isList(a.Elems[i-1]) && !isList(v) {
				if !strings.HasSuffix(out, "\n") {
					out = strings.TrimRight(out, " \t\n\v\f\r\x00")
				}
				out += "\n" + child.padding()
			}
		}
		if strings.HasSuffix(out, " ") && strings.HasPrefix(mapped[i], "\n") {
			out = strings.TrimRight(out, " \t\n\v\f\r\x00")
		}
		out += mapped[i]
	}
	return out + end, nil
}

// widestRun is the length of the longest run of elements that are no containers.
func widestRun(a *value.Array, mapped []string) int {
	widest, run := 0, 0
	for i, v := range a.Elems {
		if isList(v) {
			run = 0
			continue
		}
		run += value.CharLen(mapped[i])
		widest = max(widest, run)
	}
	return widest
}

func stringHash(t T, h *value.Hash, m *formatMap, in indent) (string, error) {
	f := m.get(t)
	switch f.letter {
	case 'a':
		pairs := h.Pairs()
		return convertString(InferSet(pairs), pairs, m, in)
	case 'h', 's', 'p':
	default:
		return "", badFormat("Hash", f, "hasp")
	}
	sep, assoc := ", ", " => "
	if f.sep != nil {
		sep = *f.sep
	}
	if f.sep2 != nil {
		assoc = *f.sep2
	}
	inner := f.inner
	if inner == nil {
		inner = containerDefault()
	}
	open, end := f.pair("{", "}")
	in.active = f.alt || in.active
	child := indent{level: in.level + 1, first: true}
	pad, brk := "", ""
	if f.alt {
		if !strings.HasSuffix(sep, "\n") {
			sep = strings.TrimRight(sep, " \t\n\v\f\r\x00")
		}
		sep += "\n"
		pad, brk = child.padding(), "\n"
	}
	var b strings.Builder
	if in.breaks() {
		b.WriteString("\n" + in.padding())
	}
	b.WriteString(open + brk)
	for i, e := range h.Entries() {
		if i > 0 {
			b.WriteString(sep)
		}
		k, err := element(e.Key, m, inner, child)
		if err != nil {
			return "", err
		}
		v, err := element(e.Value, m, inner, child)
		if err != nil {
			return "", err
		}
		b.WriteString(pad + k + assoc + v)
	}
	if f.alt {
		b.WriteString(brk + in.padding())
	}
	return b.String() + end, nil
}

// indented is an object written over several lines.
func indented(v value.Value, level int) string {
	name, init := "Deferred", value.EmptyHash
	switch v := v.(type) {
	case *value.Deferred:
		b := value.NewHashBuilder(2)
		b.SetString("name", value.String(v.Name))
		if v.Args != nil {
			b.SetString("arguments", v.Args)
		}
		init = b.Hash()
	case *value.Object:
		name, init = v.Type.Name(), v.Init
	}
	var b strings.Builder
	b.WriteString(name + "(")
	indentHash(&b, init, level)
	b.WriteByte(')')
	return b.String()
}

func indentHash(b *strings.Builder, h *value.Hash, level int) {
	b.WriteByte('{')
	for i, e := range h.Entries() {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString("\n" + strings.Repeat("  ", level+1) + value.Literal(e.Key) + " => ")
		indentValue(b, e.Value, level+1)
	}
	b.WriteString("\n" + strings.Repeat("  ", level) + "}")
}

func indentValue(b *strings.Builder, v value.Value, level int) {
	switch v := v.(type) {
	case *value.Hash:
		indentHash(b, v, level)
	case *value.Object, *value.Deferred:
		b.WriteString(indented(v, level))
	case *value.Array:
		if shortArray(v, level) {
			b.WriteString(value.Literal(v))
			return
		}
		b.WriteByte('[')
		for i, e := range v.Elems {
			if i > 0 {
				b.WriteByte(',')
			}
			b.WriteString("\n" + strings.Repeat("  ", level+1))
			indentValue(b, e, level+1)
		}
		b.WriteString("\n" + strings.Repeat("  ", level) + "]")
	default:
		b.WriteString(value.Literal(v))
	}
}

func shortArray(a *value.Array, level int) bool {
	sum := 0
	for _, e := range a.Elems {
		switch e := e.(type) {
		case value.Bool, value.Undef, value.Int, value.Float, value.Default:
			sum += len(value.Inspect(e))
		case value.String:
			sum += 2 + value.CharLen(string(e))
		default:
			if a, is := e.(*value.Array); is && a.Len() == 0 {
				sum += 2
			} else {
				sum += 1000
			}
		}
	}
	return a.Len() == 0 || 100-level*2 > sum
}
