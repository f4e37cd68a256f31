package datafile

import (
	"math"
	"math/big"
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"bunraku/puppet/value"
)

// A Token is what an untagged, unquoted YAML scalar means. Exactly one of the fields is set.
type Token struct {
	Value   value.Value
	Symbol  string // a Ruby symbol
	Class   string // it asks for an object of a class that is not allowed: Date, Time
	Problem string // Ruby's message for a number that cannot be made
}

// The patterns of Psych's scanner that are no simple scans. Ruby's ^ and $ are line anchors, but a text with line ends
// never gets here.
var (
	timePattern     = regexp.MustCompile(`^-?\d{4}-\d{1,2}-\d{1,2}(?:[Tt]|[ \t\r\n\f\v]+)\d{1,2}:\d\d:\d\d(?:\.\d*)?(?:[ \t\r\n\f\v]*(?:Z|[-+]\d{1,2}:?(?:\d\d)?))?$`)
	datePattern     = regexp.MustCompile(`^\d{4}-(?:1[012]|0\d|\d)-(?:[12]\d|3[01]|0\d|\d)$`)
	base60Pattern   = regexp.MustCompile(`^[-+]?[0-9][0-9_]*(:[0-5]?[0-9]){1,2}$`)
	base60Fraction  = regexp.MustCompile(`^[-+]?[0-9][0-9_]*(:[0-5]?[0-9]){1,2}\.[0-9_]*$`)
	floatPattern    = regexp.MustCompile(`^[-+]?([0-9][0-9_,]*)?\.[0-9]*([eE][-+][0-9]+)?$`)
	integerPattern  = regexp.MustCompile(`^(?:[-+]?0b[01_,]+|[-+]?0[0-7_,]+|[-+]?(?:0|[1-9](?:[0-9]|,[0-9]|_[0-9])*)|[-+]?0x[0-9a-fA-F_,]+)$`)
	rubyFloatSyntax = regexp.MustCompile(`^[-+]?(?:[0-9]+(?:_[0-9]+)*)?(?:\.[0-9]+(?:_[0-9]+)*)?(?:[eE][-+]?[0-9]+)?$`)
)

// Scalar reads a plain scalar by the rules of Psych 4, which are neither YAML 1.1's nor 1.2's: yes and on are true, n
// is a string, 010 is eight, 1:30 is 5400, 0o17 and 1e3 are strings.
func Scalar(s string) Token {
	if s == "" {
		return Token{Value: value.Undef{}}
	}
	if word(s) {
		return Token{Value: wordValue(s)}
	}
	if c := s[0]; c >= '0' && c <= '9' || c == '-' {
		if timePattern.MatchString(s) {
			return timeToken(s)
		}
		if datePattern.MatchString(s) {
			return Token{Class: "Date"}
		}
	}
	switch low := strings.ToLower(s); low {
	case ".inf", "+.inf":
		return Token{Value: value.Float(math.Inf(1))}
	case "-.inf":
		return Token{Value: value.Float(math.Inf(-1))}
	case ".nan":
		return Token{Value: value.Float(math.NaN())}
	}
	if s[0] == ':' && len(s) > 1 {
		return Token{Symbol: symbolName(s)}
	}
	if c := s[0]; c != '+' && c != '-' && c != '.' && (c < '0' || c > '9') {
		return Token{Value: value.String(s)}
	}
	switch {
	case base60Pattern.MatchString(s):
		return Token{Value: base60(s)}
	case base60Fraction.MatchString(s):
		return Token{Value: base60Float(s)}
	case floatPattern.MatchString(s):
		if s == "." || s == "+." || s == "-." {
			return Token{Value: value.String(s)}
		}
		f, problem := parseFloat(dropFloatSigns(s))
		return Token{Value: f, Problem: problem}
	case integerPattern.MatchString(s):
		return parseInteger(strings.Map(func(r rune) rune {
			if r == ',' || r == '_' {
				return -1
			}
			return r
		}, s))
	}
	return Token{Value: value.String(s)}
}

// word is the scanner's first test, which tells most strings from numbers.
func word(s string) bool {
	if strings.IndexByte(s, '\n') >= 0 {
		return true
	}
	first, size := utf8.DecodeRuneInString(s)
	if wordRune(first) {
		return true
	}
	if first >= '0' && first <= '9' || first == '.' || first == ':' || first == '-' {
		return false
	}
	second, _ := utf8.DecodeRuneInString(s[size:])
	return len(s) > size && wordRune(second)
}

func wordRune(r rune) bool {
	return r == '_' || strings.ContainsRune(" \t\r\n\f\v!@#$%^&*(){}<>|/\\~;=", r) || unicode.IsLetter(r) ||
		unicode.Is(unicode.Other_Alphabetic, r) || unicode.Is(unicode.Nl, r)
}

func wordValue(s string) value.Value {
	if utf8.RuneCountInString(s) > 5 {
		return value.String(s)
	}
	for i := 0; i < len(s); i++ { // ^ stands at the start of every line
		if i == 0 || s[i-1] == '\n' {
			if !strings.ContainsRune("yYtToOnNfF~", firstRune(s[i:])) {
				return value.String(s)
			}
		}
	}
	if s == "~" {
		return value.Undef{}
	}
	lines := strings.Split(s, "\n")
	is := func(words ...string) bool {
		for _, l := range lines {
			for _, w := range words {
				if foldEqual(l, w) {
					return true
				}
			}
		}
		return false
	}
	switch {
	case is("null"):
		return value.Undef{}
	case is("yes", "true", "on"):
		return value.Bool(true)
	case is("no", "false", "off"):
		return value.Bool(false)
	}
	return value.String(s)
}

func firstRune(s string) rune {
	r, _ := utf8.DecodeRuneInString(s)
	return r
}

// foldEqual compares without case as a Ruby regexp does: beyond ASCII, only the long s folds to a letter of these
// words.
func foldEqual(s, word string) bool {
	return strings.EqualFold(strings.ReplaceAll(s, "\u017f", "s"), word)
}

var quotedSymbol = regexp.MustCompile(`(?s)^:(?:"(.*)"|'(.*)')`)

func symbolName(s string) string {
	if m := quotedSymbol.FindStringSubmatch(s); m != nil {
		return strings.TrimPrefix(m[1]+m[2], ":")
	}
	return strings.TrimPrefix(s, ":")
}

// timeToken: a time asks for the class Time before anything else is looked at.
func timeToken(string) Token { return Token{Class: "Time"} }

// base60 weighs the parts as Psych does: always from 60² down, so that 1:30 is an hour and a half in seconds.
func base60(s string) value.Value {
	sum, power := new(big.Int), int64(3600)
	for _, part := range strings.Split(s, ":") {
		n := rubyToI(part)
		sum.Add(sum, n.Mul(n, big.NewInt(power)))
		power /= 60
	}
	return bigValue(sum)
}

func base60Float(s string) value.Value {
	sum, power := 0.0, 3600.0
	for _, part := range strings.Split(s, ":") {
		sum += rubyToF(part) * power
		power /= 60
	}
	return value.Float(sum)
}

// rubyToI is String#to_i: digits with single underscores between them, up to the first other character.
func rubyToI(s string) *big.Int {
	n, _ := new(big.Int).SetString(leadingDigits(s), 10)
	if n == nil {
		n = new(big.Int)
	}
	return n
}

func leadingDigits(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c >= '0' && c <= '9':
			b.WriteByte(c)
		case i == 0 && (c == '+' || c == '-'):
			b.WriteByte(c)
		case c == '_' && i > 0 && s[i-1] >= '0' && s[i-1] <= '9' && i+1 < len(s) && s[i+1] >= '0' && s[i+1] <= '9':
		default:
			return b.String()
		}
	}
	return b.String()
}

func rubyToF(s string) float64 {
	whole, fraction, dotted := strings.Cut(s, ".")
	text := leadingDigits(whole)
	if dotted && leadingLen(whole) == len(whole) {
		if d := leadingDigits(fraction); d != "" && d[0] != '+' && d[0] != '-' {
			text += "." + d
		}
	}
	f, _ := strconv.ParseFloat(text, 64)
	return f
}

// leadingLen is how many bytes leadingDigits reads.
func leadingLen(s string) int {
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c >= '0' && c <= '9' || i == 0 && (c == '+' || c == '-') {
			continue
		}
		if c == '_' && i > 0 && s[i-1] != '_' && i+1 < len(s) && s[i+1] >= '0' && s[i+1] <= '9' {
			continue
		}
		return i
	}
	return len(s)
}

// dropFloatSigns removes separators and a dot that no digit follows.
func dropFloatSigns(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == ',' || c == '_':
		case c == '.' && (i+1 == len(s) || s[i+1] == 'e' || s[i+1] == 'E'):
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

// parseFloat is Ruby's Float(text).
func parseFloat(s string) (value.Value, string) {
	digits := strings.ContainsAny(strings.SplitN(strings.ToLower(s), "e", 2)[0], "0123456789")
	if !digits || !rubyFloatSyntax.MatchString(s) {
		return nil, "invalid value for Float(): " + value.InspectString(s)
	}
	f, err := strconv.ParseFloat(strings.ReplaceAll(s, "_", ""), 64)
	if err != nil && !math.IsInf(f, 0) {
		return nil, "invalid value for Float(): " + value.InspectString(s)
	}
	return value.Float(f), ""
}

// rubyFloat is Ruby's Float(value).
func rubyFloat(v value.Value) (value.Value, string) {
	switch v := v.(type) {
	case value.Float:
		return v, ""
	case value.Int:
		return value.Float(v), ""
	case *value.Opaque: // an integer beyond 64 bits
		return parseFloat(strings.TrimSuffix(strings.Fields(v.Why)[2], ","))
	case value.String:
		if f, err := strconv.ParseFloat(string(v)+"p0", 64); err == nil &&
			strings.HasPrefix(strings.ToLower(strings.TrimLeft(string(v), "+-")), "0x") {
			return value.Float(f), ""
		}
		return parseFloat(strings.TrimSpace(string(v)))
	case value.Undef:
		return nil, "can't convert nil into Float"
	case value.Bool:
		return nil, "can't convert " + value.ToString(v) + " into Float"
	}
	return nil, "can't convert it into Float"
}

// parseInteger is Ruby's Integer(text) for what the scanner's pattern lets through.
func parseInteger(s string) Token {
	digits, base := strings.TrimLeft(s, "+-"), 10
	switch {
	case strings.HasPrefix(digits, "0x"):
		digits, base = digits[2:], 16
	case strings.HasPrefix(digits, "0b"):
		digits, base = digits[2:], 2
	case len(digits) > 1 && digits[0] == '0':
		digits, base = digits[1:], 8
	}
	n, ok := new(big.Int).SetString(digits, base)
	if !ok {
		return Token{Problem: "invalid value for Integer(): " + value.InspectString(s)}
	}
	if s[0] == '-' {
		n.Neg(n)
	}
	return Token{Value: bigValue(n)}
}

// bigValue is an integer, or what stands for one that has no place in 64 bits.
func bigValue(n *big.Int) value.Value {
	if n.IsInt64() {
		return value.Int(n.Int64())
	}
	return &value.Opaque{Why: "the integer " + n.String() + ", which needs more than 64 bits", Settled: true}
}
