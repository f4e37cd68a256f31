package value

import (
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
)

// Timespan is a length of time in nanoseconds.
type Timespan int64

// Nanoseconds in the units that time spans know.
const (
	nsMilli = 1_000_000
	nsSec   = 1_000_000_000
	nsMin   = 60 * nsSec
	nsHour  = 60 * nsMin
	nsDay   = 24 * nsHour
)

// Seconds is the whole seconds, rounded down.
func (t Timespan) Seconds() int64 { return floorDiv(int64(t), nsSec) }

// Float is the span in seconds.
func (t Timespan) Float() float64 { return float64(t) / nsSec }

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b != 0 && (a < 0) != (b < 0) {
		q--
	}
	return q
}

func floorMod(a, b int64) int64 { return a - floorDiv(a, b)*b }

// String is the span in its default form, 0-01:02:03.5.
func (t Timespan) String() string {
	f, _ := parseSpanFormat("%D-%H:%M:%S.%-N")
	return f.format(t)
}

// Format writes the span by a format of %D %H %M %S %L %N.
func (t Timespan) Format(format string) (string, error) {
	f, err := parseSpanFormat(format)
	if err != nil {
		return "", err
	}
	return f.format(t), nil
}

// TimespanFromSeconds makes a span of a number of seconds.
func TimespanFromSeconds(v Value) Timespan {
	switch v := v.(type) {
	case Int:
		return Timespan(v) * nsSec
	case Float:
		return Timespan(int64(float64(v) * nsSec))
	}
	return 0
}

// TimespanFromFields adds up fields from days to nanoseconds.
func TimespanFromFields(negative bool, days, hours, minutes, seconds, milli, micro, nano int64) Timespan {
	ns := (((((days*24+hours)*60+minutes)*60+seconds)*1000+milli)*1000+micro)*1000 + nano
	if negative {
		ns = -ns
	}
	return Timespan(ns)
}

// DefaultSpanFormats are the forms in which a time span is read when no format is given.
var DefaultSpanFormats = []string{"%D-%H:%M:%S.%-N", "%H:%M:%S.%-N", "%M:%S.%-N", "%S.%-N", "%D-%H:%M:%S", "%H:%M:%S",
	"%D-%H:%M", "%S"}

// ParseTimespan reads a span by the first of the formats that fits.
func ParseTimespan(s string, formats []string, list bool) (Timespan, error) {
	for _, f := range formats {
		pf, err := parseSpanFormat(f)
		if err != nil {
			return 0, err
		}
		t, err := pf.parse(s)
		if err == nil {
			return t, nil
		}
		if !list {
			return 0, err
		}
	}
	return 0, fmt.Errorf("Unable to parse '%s' using any of the formats %s", s, strings.Join(formats, ", "))
}

// A spanSegment is a literal or one field of a span format.
type spanSegment struct {
	literal  string
	field    byte // D H M S L N; 0 for a literal
	pad      byte // '0', ' ' or 0 for none
	width    int  // 0 when not given
	hasWidth bool
	total    bool // the greatest unit of the format: it holds everything above
}

type spanFormat struct {
	text     string
	segments []spanSegment
}

const spanUnits = "NLSMHD" // least first

func (s *spanSegment) defaultWidth() int {
	switch s.field {
	case 'D':
		return 1
	case 'L':
		return 3
	case 'N':
		return 9
	}
	return 2
}

func parseSpanFormat(str string) (*spanFormat, error) {
	f := &spanFormat{text: str}
	literal := func(r rune) {
		if n := len(f.segments); n > 0 && f.segments[n-1].field == 0 {
			f.segments[n-1].literal += string(r)
		} else {
			f.segments = append(f.segments, spanSegment{literal: string(r)})
		}
	}
	const (
		inLiteral = iota
		wantPad
		wantWidth
	)
	state, highest := inLiteral, -1
	var seg spanSegment
	start, pos := 0, -1
	runes := []rune(str)
	bad := func() error {
		return fmt.Errorf("Bad format specifier '%s' in '%s', at position %d", string(runes[start:pos]), str, pos)
	}
	for _, r := range runes {
		pos++
		if state == inLiteral {
			if r == '%' {
				state, start, seg = wantPad, pos, spanSegment{pad: '0'}
			} else {
				literal(r)
			}
			continue
		}
		switch {
		case r == '%':
			literal(r)
			state = inLiteral
		case r == '-' || r == '_':
			if state != wantPad {
				return nil, bad()
			}
			seg.pad = 0
			if r == '_' {
				seg.pad = ' '
			}
			state = wantWidth
		case strings.ContainsRune(spanUnits, r):
			highest = max(highest, strings.IndexRune(spanUnits, r))
			seg.field = byte(r)
			f.segments = append(f.segments, seg)
			state = inLiteral
		case r >= '0' && r <= '9':
			if state == wantPad && r == '0' {
				seg.pad = '0'
			} else {
				seg.width, seg.hasWidth = seg.width*10+int(r-'0'), true
			}
			state = wantWidth
		default:
			return nil, bad()
		}
	}
	if state != inLiteral {
		return nil, bad()
	}
	if highest >= 0 {
		for i := range f.segments {
			if f.segments[i].field == spanUnits[highest] {
				f.segments[i].total = true
				break
			}
		}
	}
	return f, nil
}

func (f *spanFormat) format(t Timespan) string {
	var b strings.Builder
	ns := int64(t)
	if ns < 0 {
		b.WriteByte('-')
		ns = -ns
	}
	for i := range f.segments {
		s := &f.segments[i]
		n := int64(0)
		switch s.field {
		case 0:
			b.WriteString(s.literal)
			continue
		case 'D':
			n = ns / nsDay
		case 'H':
			if n = ns / nsHour; !s.total {
				n %= 24
			}
		case 'M':
			if n = ns / nsMin; !s.total {
				n %= 60
			}
		case 'S':
			if n = ns / nsSec; !s.total {
				n %= 60
			}
		case 'L':
			if n = ns / nsMilli; !s.total {
				n %= 1000
			}
		case 'N':
			n = ns
			w := s.defaultWidth()
			if s.hasWidth {
				w = s.width
			}
			if w < 9 {
				n /= pow10(9 - w)
				if !s.total {
					n %= pow10(w)
				}
			} else if !s.total {
				n %= nsSec
			}
		}
		s.write(&b, n)
	}
	return b.String()
}

func (s *spanSegment) write(b *strings.Builder, n int64) {
	w := s.defaultWidth()
	if s.hasWidth {
		w = s.width
	}
	if s.field == 'L' || s.field == 'N' {
		text := strconv.FormatInt(n, 10)
		if !s.total && s.pad != '0' {
			if t := strings.TrimRight(text, "0"); t != "" {
				text = t
			} else {
				text = "0"
			}
		}
		if s.pad == 0 {
			b.WriteString(text)
		} else {
			fmt.Fprintf(b, "%-*s", w, text)
		}
		return
	}
	switch s.pad {
	case 0:
		fmt.Fprintf(b, "%d", n)
	case ' ':
		fmt.Fprintf(b, "%*d", w, n)
	default:
		fmt.Fprintf(b, "%0*d", w, n)
	}
}

func pow10(n int) int64 {
	p := int64(1)
	for ; n > 0; n-- {
		p *= 10
	}
	return p
}

func (f *spanFormat) parse(s string) (Timespan, error) {
	bad := fmt.Errorf("Unable to parse '%s' using format '%s'", s, f.text)
	rest := strings.TrimPrefix(s, "-")
	groups := make([]string, len(f.segments))
	if !f.match(0, rest, groups) {
		return 0, bad
	}
	total := new(big.Int)
	for i := range f.segments {
		seg := &f.segments[i]
		if seg.field == 0 {
			continue
		}
		g := strings.TrimLeft(groups[i], " \t\n\v\f\r")
		if g == "" || strings.Trim(g, "0123456789") != "" {
			return 0, bad
		}
		n, ok := new(big.Int).SetString(g, 10)
		if !ok {
			return 0, bad
		}
		mult := int64(0)
		switch seg.field {
		case 'D':
			mult = nsDay
		case 'H':
			mult = nsHour
		case 'M':
			mult = nsMin
		case 'S':
			mult = nsSec
		default:
			if seg.total {
				return 0,
					fmt.Errorf("Format specifiers %%L and %%N denotes fractions and must be used together with a specifier of " +
						"higher magnitude")
			}
			mult = 1
			if p := 9 - len(g); p > 0 {
				mult = pow10(p)
			}
		}
		total.Add(total, n.Mul(n, big.NewInt(mult)))
	}
	if !total.IsInt64() {
		return 0, fmt.Errorf("The time span '%s' is longer than %d days", s, math.MaxInt64/nsDay)
	}
	ns := total.Int64()
	if strings.HasPrefix(s, "-") {
		ns = -ns
	}
	return Timespan(ns), nil
}

// match finds the text of every segment, the longest first, going back when the rest does not fit.
func (f *spanFormat) match(i int, s string, groups []string) bool {
	if i == len(f.segments) {
		return s == ""
	}
	seg := &f.segments[i]
	if seg.field == 0 {
		return strings.HasPrefix(s, seg.literal) && f.match(i+1, s[len(seg.literal):], groups)
	}
	lo, hi, blanks := 1, seg.defaultWidth(), false
	switch {
	case !seg.hasWidth:
		blanks = seg.pad == ' '
		if seg.total {
			hi = len(s)
			if blanks {
				s = strings.TrimLeft(s, " \t\n\v\f\r")
				blanks = false
			}
		}
	case seg.pad == 0:
		hi = seg.width
	default:
		lo, hi, blanks = seg.width, seg.width, seg.pad == ' '
	}
	n := 0
	for n < len(s) && n < hi && (isDigit(s[n]) || blanks && strings.IndexByte(" \t\n\v\f\r", s[n]) >= 0) {
		n++
	}
	for ; n >= lo; n-- {
		groups[i] = s[:n]
		if f.match(i+1, s[n:], groups) {
			return true
		}
	}
	return false
}
