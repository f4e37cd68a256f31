package value

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
	"unicode/utf8"

	"bunraku/puppet/onigmo"
)

// maxWidth bounds how wide a format may make a value.
const maxWidth = 1 << 20

// Sprintf is Ruby's Kernel#format: %d %x %o %b %e %f %g %a %c %s %p with flags, widths, precisions, positional (%1$s)
// and starred arguments. Named references (%<name>d, %{name}) need a hash with symbols as keys, which no Puppet value
// is: they fail as in Puppet's sprintf. SprintfHash takes them from strings.
func Sprintf(format string, args []Value) (string, error) {
	return sprintf(&rubyFormat{args: args}, format)
}

// SprintfHash is format with named references into h.
func SprintfHash(format string, h *Hash) (string, error) {
	return sprintf(&rubyFormat{args: []Value{h}, named: true}, format)
}

func sprintf(f *rubyFormat, format string) (string, error) {
	if err := f.run(format); err != nil {
		return "", err
	}
	return string(f.out), nil
}

type rubyFormat struct {
	out  []byte
	args []Value
	next int
	// named says that the keys of a hash can be named.
	named bool
	// How arguments have been chosen so far: Ruby does not let a format mix the ways.
	numbered, byName bool
}

// A verb is one directive being read.
type verb struct {
	space, alt, plus, minus, zero bool
	width, prec                   int
	hasWidth, hasPrec             bool
	precise                       bool // a precision was given, which may be none
	arg                           Value
	hasArg                        bool
}

// take is the next argument.
func (f *rubyFormat) take() (Value, error) {
	switch {
	case f.numbered:
		return nil, fmt.Errorf("unnumbered(%d) mixed with numbered", f.next+1)
	case f.byName:
		return nil, fmt.Errorf("unnumbered(%d) mixed with named", f.next+1)
	case f.next >= len(f.args):
		return nil, errors.New("too few arguments")
	}
	f.next++
	return f.args[f.next-1], nil
}

// nth is the argument of a number.
func (f *rubyFormat) nth(n int) (Value, error) {
	switch {
	case f.next > 0:
		return nil, fmt.Errorf("numbered(%d) after unnumbered(%d)", n, f.next)
	case f.byName:
		return nil, fmt.Errorf("numbered(%d) after named", n)
	case n < 1:
		return nil, fmt.Errorf("invalid index - %d$", n)
	}
	f.numbered = true
	if n > len(f.args) {
		return nil, errors.New("too few arguments")
	}
	return f.args[n-1], nil
}

// number reads digits.
func number(format string, i int, what string) (n, end int, err error) {
	for i < len(format) && isDigit(format[i]) {
		if n = n*10 + int(format[i]-'0'); n > maxWidth {
			return 0, i, errors.New(what + " too big")
		}
		i++
	}
	if i >= len(format) {
		return 0, i, errors.New("malformed format string - %*[0-9]")
	}
	return n, i, nil
}

// star reads what stands behind the * of a width or a precision, and takes the argument.
func (f *rubyFormat) star(format string, i int, what string) (n, end int, err error) {
	n, end, err = number(format, i, what)
	if err != nil {
		return 0, i, err
	}
	var a Value
	if format[end] == '$' {
		end++
		a, err = f.nth(n)
	} else {
		end = i
		a, err = f.take()
	}
	if err != nil {
		return 0, i, err
	}
	big, err := widthArg(a)
	if err != nil {
		return 0, i, err
	}
	if !big.IsInt64() || big.Int64() > maxWidth || big.Int64() < -maxWidth {
		return 0, i, errors.New(what + " too big")
	}
	return int(big.Int64()), end, nil
}

// flag says why a flag may not stand where it does.
func (v *verb) flag() error {
	if v.hasWidth {
		return errors.New("flag after width")
	}
	if v.precise {
		return errors.New("flag after precision")
	}
	return nil
}

func (v *verb) setWidth(n int) error {
	if v.hasWidth {
		return errors.New("width given twice")
	}
	if v.precise {
		return errors.New("width after precision")
	}
	v.width, v.hasWidth = n, true
	if n < 0 {
		v.minus, v.width = true, -n
	}
	return nil
}

func (f *rubyFormat) lookup(name string, open, close byte) (Value, error) {
	if f.next > 0 {
		return nil, fmt.Errorf("named%c%s%c after unnumbered(%d)", open, name, close, f.next)
	}
	if f.numbered {
		return nil, fmt.Errorf("named%c%s%c after numbered", open, name, close)
	}
	if len(f.args) != 1 {
		return nil, errors.New("one hash required")
	}
	h, is := f.args[0].(*Hash)
	if !is {
		return nil, errors.New("one hash required")
	}
	v, has := h.GetString(name)
	if !has || !f.named {
		return nil, fmt.Errorf("key%c%s%c not found", open, name, close)
	}
	return v, nil
}

func (f *rubyFormat) run(format string) error {
	for i := 0; i < len(format); {
		c := format[i]
		if c != '%' {
			j := strings.IndexByte(format[i:], '%')
			if j < 0 {
				j = len(format) - i
			}
			f.out = append(f.out, format[i:i+j]...)
			i += j
			continue
		}
		i++
		n, err := f.verb(format, i)
		if err != nil {
			return err
		}
		i = n
	}
	return nil
}

func (f *rubyFormat) verb(format string, i int) (int, error) {
	v := verb{}
	for start := i; ; {
		if i >= len(format) {
			if i == start {
				return i, errors.New("incomplete format specifier; use %% (double %) instead")
			}
			return i, f.percent(&v)
		}
		c := format[i]
		i++
		if strings.IndexByte(" #+-0", c) >= 0 {
			if err := v.flag(); err != nil {
				return i, err
			}
		}
		switch c {
		case ' ':
			v.space = true
		case '#':
			v.alt = true
		case '+':
			v.plus = true
		case '-':
			v.minus = true
		case '0':
			v.zero = true
		case '1', '2', '3', '4', '5', '6', '7', '8', '9':
			n, end, err := number(format, i-1, "width")
			if err != nil {
				return i, err
			}
			i = end
			if format[i] != '$' {
				if err := v.setWidth(n); err != nil {
					return i, err
				}
				continue
			}
			i++
			if v.hasArg {
				return i, fmt.Errorf("value given twice - %d$", n)
			}
			if v.arg, err = f.nth(n); err != nil {
				return i, err
			}
			v.hasArg = true
		case '*':
			if err := v.setWidth(0); err != nil {
				return i, err
			}
			v.hasWidth = false
			n, end, err := f.star(format, i, "width")
			if err != nil {
				return i, err
			}
			i = end
			if err := v.setWidth(n); err != nil {
				return i, err
			}
		case '.':
			if v.precise {
				return i, errors.New("precision given twice")
			}
			v.precise, v.hasPrec = true, true
			var err error
			if i < len(format) && format[i] == '*' {
				v.prec, i, err = f.star(format, i+1, "precision")
				v.hasPrec = v.prec >= 0
			} else {
				v.prec, i, err = number(format, i, "precision")
			}
			if err != nil {
				return i, err
			}
		case '<', '{':
			end := byte('>')
			if c == '{' {
				end = '}'
			}
			j := strings.IndexByte(format[i:], end)
			if j < 0 {
				return i, errors.New("malformed name - unmatched parenthesis")
			}
			a, err := f.lookup(format[i:i+j], c, end)
			if err != nil {
				return i, err
			}
			i += j + 1
			f.byName = true
			v.arg, v.hasArg = a, true
			if c == '{' {
				return i, f.write(&v, 's')
			}
		case '\n', 0:
			err := f.percent(&v)
			f.out = append(f.out, c)
			return i, err
		case '%':
			return i, f.percent(&v)
		default:
			return i, f.write(&v, c)
		}
	}
}

// percent writes the sign itself, which takes no flags.
func (f *rubyFormat) percent(v *verb) error {
	if v.space || v.alt || v.plus || v.minus || v.zero || v.hasWidth || v.precise {
		return errors.New("invalid format character - %")
	}
	f.out = append(f.out, '%')
	return nil
}

func (f *rubyFormat) write(v *verb, c byte) error {
	if strings.IndexByte("csdiupxXobBeEfgGaA", c) < 0 {
		return fmt.Errorf("malformed format string - %%%c", c)
	}
	if !v.hasArg {
		a, err := f.take()
		if err != nil {
			return err
		}
		v.arg = a
	}
	switch c {
	case 'c':
		c, err := charArg(v.arg)
		if err != nil {
			return err
		}
		f.pad(v, c)
	case 's', 'p':
		s := ""
		if c == 'p' {
			s = Inspect(v.arg)
		} else {
			s = rubyToS(v.arg)
		}
		if v.hasPrec && CharLen(s) > v.prec {
			s = string([]rune(s)[:v.prec])
		}
		f.pad(v, s)
	case 'd', 'i', 'u', 'x', 'X', 'o', 'b', 'B':
		n, err := intArg(v.arg)
		if err != nil {
			return err
		}
		f.out = append(f.out, v.integer(n, c)...)
	default:
		if n, is := v.arg.(Int); is && c == 'f' {
			f.out = append(f.out, v.exact(int64(n))...)
			return nil
		}
		x, err := floatArg(v.arg)
		if err != nil {
			return err
		}
		f.out = append(f.out, v.float(x, c)...)
	}
	return nil
}

// rubyToS is to_s: inspect for containers, nothing for nil.
func rubyToS(v Value) string {
	switch v := v.(type) {
	case *Array, *Hash:
		return Inspect(v)
	case *Regexp:
		return onigmo.Embed(v.Source, 0)
	}
	return ToString(v)
}

func (f *rubyFormat) pad(v *verb, s string) {
	n := v.width - CharLen(s)
	if !v.hasWidth || n <= 0 {
		f.out = append(f.out, s...)
		return
	}
	blanks := strings.Repeat(" ", n)
	if v.minus {
		f.out = append(f.out, s+blanks...)
	} else {
		f.out = append(f.out, blanks+s...)
	}
}

// charArg is the character for %c: a string of one, or a code point.
func charArg(v Value) (string, error) {
	switch v := v.(type) {
	case String:
		if CharLen(string(v)) != 1 {
			return "", errors.New("%c requires a character")
		}
		return string(v), nil
	case Int, Float:
		n, err := intArg(v)
		if err != nil {
			return "", err
		}
		if r := n.Int64(); r < 0 || r > utf8.MaxRune {
			return "", errors.New("invalid character")
		}
		return string(rune(n.Int64())), nil
	}
	return "", notImplicit(v)
}

// notImplicit is Ruby's error of a value where only an integer will do.
func notImplicit(v Value) error {
	switch v := v.(type) {
	case Undef, nil:
		return errors.New("no implicit conversion from nil to integer")
	case Bool:
		return fmt.Errorf("no implicit conversion of %t into Integer", bool(v))
	}
	return fmt.Errorf("no implicit conversion of %s into Integer", rubyKind(v))
}

// widthArg is an argument that gives a width or a precision: no text will do.
func widthArg(v Value) (*big.Int, error) {
	switch v := v.(type) {
	case Int, Timespan, Timestamp:
		return intArg(v)
	case Float:
		return intArg(Float(math.Trunc(float64(v))))
	}
	return nil, notImplicit(v)
}

func intArg(v Value) (*big.Int, error) {
	switch v := v.(type) {
	case Int:
		return big.NewInt(int64(v)), nil
	case Float:
		f := math.Floor(float64(v))
		if math.IsNaN(f) || math.IsInf(f, 0) {
			return nil, errors.New(FormatFloat(f))
		}
		n, _ := big.NewFloat(f).Int(nil)
		return n, nil
	case String:
		n, err := ParseRubyInt(string(v), 0)
		if err != nil {
			return nil, err
		}
		return n, nil
	case Undef, nil:
		return nil, errors.New("can't convert nil into Integer")
	case Bool:
		return nil, fmt.Errorf("can't convert %t into Integer", bool(v))
	case Timespan:
		return big.NewInt(v.Seconds()), nil
	case Timestamp:
		return big.NewInt(v.Sec), nil
	}
	return nil, fmt.Errorf("can't convert %s into Integer", rubyKind(v))
}

func floatArg(v Value) (float64, error) {
	switch v := v.(type) {
	case Int:
		return float64(v), nil
	case Float:
		return float64(v), nil
	case String:
		return ParseRubyFloat(string(v))
	case Undef, nil:
		return 0, errors.New("can't convert nil into Float")
	case Bool:
		return 0, fmt.Errorf("can't convert %t into Float", bool(v))
	case Timespan:
		return v.Float(), nil
	case Timestamp:
		return v.Float(), nil
	}
	return 0, fmt.Errorf("can't convert %s into Float", rubyKind(v))
}

func rubyKind(v Value) string {
	switch v := v.(type) {
	case String:
		return "String"
	case *URI:
		return v.RubyClass()
	case *Array:
		return "Array"
	case *Hash:
		return "Hash"
	case *Regexp:
		return "Regexp"
	case Default:
		return "Symbol"
	case *Sensitive:
		return "Puppet::Pops::Types::PSensitiveType::Sensitive"
	case *SemVer:
		return "SemanticPuppet::Version"
	case *SemVerRange:
		return "SemanticPuppet::VersionRange"
	case Timestamp:
		return "Puppet::Pops::Time::Timestamp"
	case Timespan:
		return "Puppet::Pops::Time::Timespan"
	case Binary:
		return "Puppet::Pops::Types::PBinaryType::Binary"
	case *Deferred:
		return "#<Class>" // Puppet makes its class on the way, without a name
	}
	return "Object"
}

func (v *verb) integer(n *big.Int, c byte) string {
	base, prefix := 10, ""
	switch c {
	case 'x', 'X':
		base, prefix = 16, "0x"
	case 'o':
		base, prefix = 8, "0"
	case 'b', 'B':
		base, prefix = 2, "0b"
	}
	if c == 'X' || c == 'B' {
		prefix = strings.ToUpper(prefix)
	}
	if !v.alt || base == 10 || n.Sign() == 0 {
		prefix = ""
	}
	sign, digits := "", ""
	dots := false
	switch {
	case n.Sign() < 0 && base != 10 && !v.plus && !v.space:
		digits, dots = twosComplement(n, base), true
		if c == 'o' {
			prefix = strings.TrimPrefix(prefix, "0")
		}
	case n.Sign() < 0:
		sign, digits = "-", new(big.Int).Neg(n).Text(base)
	default:
		digits = n.Text(base)
		if v.plus {
			sign = "+"
		} else if v.space {
			sign = " "
		}
	}
	if c == 'X' {
		digits = strings.ToUpper(digits)
	}
	fill := string(digits[0])
	width := v.width
	if !v.hasWidth {
		width = 0
	}
	pad := 0
	switch {
	case v.hasPrec:
		pad = v.prec - len(digits)
	case v.zero && !v.minus && v.hasWidth:
		pad = width - len(sign) - len(prefix) - len(digits)
	}
	if dots {
		digits = ".." + strings.Repeat(fill, max(pad-2, 0)) + digits
	} else if pad > 0 {
		digits = strings.Repeat("0", pad) + digits
		if c == 'o' && v.hasPrec {
			prefix = "" // there is a zero in front already
		}
	}
	return v.fit(sign + prefix + digits)
}

// twosComplement is the shortest digits that begin an infinite run of the highest digit.
func twosComplement(n *big.Int, base int) string {
	bits := 4
	switch base {
	case 8:
		bits = 3
	case 2:
		bits = 1
	}
	width := (n.BitLen()/bits + 2) * bits
	mod := new(big.Int).Lsh(big.NewInt(1), uint(width))
	s := new(big.Int).Add(mod, n).Text(base)
	top := strconv.FormatInt(int64(base-1), base)[0]
	for len(s) > 1 && s[0] == top && s[1] == top {
		s = s[1:]
	}
	if s[0] != top {
		s = string(top) + s
	}
	return s
}

func (v *verb) fit(s string) string {
	n := v.width - len(s)
	if !v.hasWidth || n <= 0 {
		return s
	}
	if v.minus {
		return s + strings.Repeat(" ", n)
	}
	return strings.Repeat(" ", n) + s
}

// exact is an integer written by %f, which Ruby does without rounding.
func (v *verb) exact(n int64) string {
	if n > -(1<<53) && n < 1<<53 {
		return v.float(float64(n), 'f')
	}
	prec := 6
	if v.hasPrec {
		prec = v.prec
	}
	s := strconv.FormatInt(n, 10)
	sign := ""
	if n < 0 {
		sign, s = "-", s[1:]
	} else if v.plus {
		sign = "+"
	} else if v.space {
		sign = " "
	}
	if prec > 0 || v.alt {
		s += "." + strings.Repeat("0", prec)
	}
	if v.zero && !v.minus && v.hasWidth {
		s = strings.Repeat("0", max(v.width-len(sign)-len(s), 0)) + s
	}
	return v.fit(sign + s)
}

func (v *verb) float(x float64, c byte) string {
	sign := ""
	switch {
	case math.Signbit(x) && !math.IsNaN(x):
		sign, x = "-", -x
	case v.plus:
		sign = "+"
	case v.space:
		sign = " "
	}
	if math.IsNaN(x) || math.IsInf(x, 0) {
		s := "NaN"
		if !math.IsNaN(x) {
			s = "Inf"
		}
		return v.fit(sign + s)
	}
	prec := 6
	if v.hasPrec {
		prec = v.prec
	}
	var s string
	switch c {
	case 'e', 'E':
		s = strconv.FormatFloat(x, c, prec, 64)
		if v.alt && prec == 0 {
			s = strings.Replace(s, string(c), "."+string(c), 1)
		}
	case 'f':
		s = strconv.FormatFloat(x, 'f', prec, 64)
		if v.alt && prec == 0 {
			s += "."
		}
	case 'g', 'G':
		s = formatG(x, prec, v.alt)
		if c == 'G' {
			s = strings.ToUpper(s)
		}
	case 'a', 'A':
		s = formatHexFloat(x, v)
		if c == 'A' {
			s = strings.ToUpper(s)
		}
	}
	if v.zero && !v.minus && v.hasWidth {
		lead := ""
		if c == 'a' || c == 'A' {
			lead, s = s[:2], s[2:]
		}
		if pad := v.width - len(sign) - len(lead) - len(s); pad > 0 {
			s = strings.Repeat("0", pad) + s
		}
		s = lead + s
	}
	return v.fit(sign + s)
}

// formatG is C's %g.
func formatG(x float64, prec int, alt bool) string {
	if prec == 0 {
		prec = 1
	}
	e := strconv.FormatFloat(x, 'e', prec-1, 64)
	mark := strings.IndexByte(e, 'e')
	exp, _ := strconv.Atoi(e[mark+1:])
	if exp < -4 || exp >= prec {
		mant := e[:mark]
		if alt && !strings.Contains(mant, ".") {
			mant += "."
		}
		if !alt && strings.Contains(mant, ".") {
			mant = strings.TrimRight(strings.TrimRight(mant, "0"), ".")
		}
		return mant + e[mark:]
	}
	s := strconv.FormatFloat(x, 'f', prec-1-exp, 64)
	if alt && !strings.Contains(s, ".") {
		s += "."
	}
	if !alt && strings.Contains(s, ".") {
		s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
	}
	return s
}

// formatHexFloat is C's %a: 0x1.8p+1.
func formatHexFloat(x float64, v *verb) string {
	prec := -1
	if v.hasPrec {
		prec = v.prec
	}
	s := strconv.FormatFloat(x, 'x', prec, 64) // 0x1.8p+01
	mark := strings.IndexByte(s, 'p')
	exp, _ := strconv.Atoi(s[mark+1:])
	return s[:mark] + fmt.Sprintf("p%+d", exp)
}
