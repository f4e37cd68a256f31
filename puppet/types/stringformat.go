package types

import (
	"errors"
	"fmt"
	"sort"
	"strconv"
	"strings"

	"bunraku/puppet/value"
)

// A stringFormat is one format of String.new: %<flags><width>.<precision><letter>, with what containers add to it.
type stringFormat struct {
	text             string // as written
	letter           byte
	alt, left, zero  bool
	plus             byte // ' ', '+' or 0
	delims           byte // [ { ( < | or 0
	width, prec      int
	hasWidth, hasPre bool
	sep, sep2        *string
	inner            *formatMap // formats of the elements; nil for the default
}

// A formatMap chooses a format by the type of the value: the first that fits.
type formatMap struct{ entries []formatEntry }

type formatEntry struct {
	t T
	f *stringFormat
}

func (m *formatMap) get(t T) *stringFormat {
	for i := range m.entries {
		if Assignable(m.entries[i].t, t) {
			return m.entries[i].f
		}
	}
	return &stringFormat{text: "%s", letter: 's'}
}

func parseFormat(s string) (*stringFormat, error) {
	bad := fmt.Errorf("The format '%s' is not a valid format on the form '%%<flags><width>.<prec><format>'", s)
	f := &stringFormat{text: s}
	i := 0
	if s == "" || s[0] != '%' {
		return nil, bad
	}
	i = 1
	start := i
	for i < len(s) && strings.IndexByte(" \t\n\v\f\r[+#0{<(|-", s[i]) >= 0 {
		i++
	}
	flags := s[start:i]
	num := func() (int, bool) {
		from := i
		for i < len(s) && s[i] >= '0' && s[i] <= '9' {
			i++
		}
		n, err := strconv.Atoi(s[from:i])
		return n, err == nil
	}
	f.width, f.hasWidth = num()
	if i < len(s) && s[i] == '.' {
		i++
		if f.prec, f.hasPre = num(); !f.hasPre {
			return nil, bad
		}
	}
	if i != len(s)-1 || (s[i]|0x20) < 'a' || (s[i]|0x20) > 'z' {
		return nil, bad
	}
	f.letter = s[i]
	for j := range flags {
		if strings.IndexByte(flags[:j], flags[j]) >= 0 {
			return nil, fmt.Errorf("The same flag can only be used once, got '%s'", s)
		}
		switch c := flags[j]; c {
		case '-':
			f.left = true
		case '#':
			f.alt = true
		case '0':
			f.zero = true
		case ' ':
			f.plus = ' '
		case '+':
			if f.plus == 0 {
				f.plus = '+'
			}
		case '[', '{', '(', '<', '|':
			if f.delims != 0 {
				return nil, fmt.Errorf("Only one of the delimiters [ { ( < | can be given in the format flags, got '%s'", s)
			}
			f.delims = c
		}
	}
	return f, nil
}

func mustFormat(s string) *stringFormat {
	f, err := parseFormat(s)
	if err != nil {
		panic(err)
	}
	return f
}

// pair is what encloses a container.
func (f *stringFormat) pair(open, close string) (string, string) {
	switch f.delims {
	case '[':
		return "[", "]"
	case '{':
		return "{", "}"
	case '(':
		return "(", ")"
	case '<':
		return "<", ">"
	case '|':
		return "|", "|"
	}
	if f.plus == ' ' {
		return "", ""
	}
	return open, close
}

// merge lets over override under.
func mergeFormat(under, over *stringFormat) *stringFormat {
	if under == nil {
		return over
	}
	if over == nil {
		return under
	}
	m := *over
	if m.sep == nil {
		m.sep = under.sep
	}
	if m.sep2 == nil {
		m.sep2 = under.sep2
	}
	m.inner = mergeFormats(under.inner, over.inner)
	return &m
}

func mergeFormats(under, over *formatMap) *formatMap {
	if under == nil {
		return over
	}
	if over == nil {
		return under
	}
	m := &formatMap{}
	find := func(fm *formatMap, t T) *stringFormat {
		for _, e := range fm.entries {
			if e.t.EqualType(t) {
				return e.f
			}
		}
		return nil
	}
	for _, e := range under.entries {
		// A more general format of the user's wins over a more special one that was there before.
		hidden := false
		for _, o := range over.entries {
			hidden = hidden || !o.t.EqualType(e.t) && Assignable(o.t, e.t)
		}
		if !hidden {
			m.entries = append(m.entries, formatEntry{e.t, mergeFormat(e.f, find(over, e.t))})
		}
	}
	for _, e := range over.entries {
		if find(m, e.t) == nil {
			m.entries = append(m.entries, e)
		}
	}
	sortFormats(m.entries)
	return m
}

// sortFormats puts special types before general ones.
func sortFormats(es []formatEntry) {
	sort.SliceStable(es, func(i, j int) bool {
		a, b := es[i].t, es[j].t
		ab, ba := Assignable(b, a), Assignable(a, b)
		switch {
		case a.EqualType(b):
			return false
		case ab && !ba:
			return true
		case !ab && ba:
			return false
		}
		ra, rb := formatRank(a), formatRank(b)
		if ra == 0 || rb == 0 {
			return a.String() < b.String()
		}
		return ra < rb
	})
}

func formatRank(t T) int {
	switch t.(type) {
	case *Struct:
		return 1
	case *Hash:
		return 2
	case *Tuple:
		return 3
	case *Array:
		return 4
	case *Pattern:
		return 10
	case *Enum:
		return 11
	case *String:
		return 12
	}
	return 0
}

func containerDefault() *formatMap {
	return &formatMap{[]formatEntry{{AnyT, &stringFormat{text: "%p", letter: 'p'}}}}
}

func defaultFormats() *formatMap {
	arr, hash := mustFormat("%a"), mustFormat("%h")
	arr.sep, arr.sep2, arr.inner = ptr(", "), ptr(", "), containerDefault()
	hash.sep, hash.sep2, hash.inner = ptr(", "), ptr(" => "), containerDefault()
	return &formatMap{[]formatEntry{
		{ObjectT, mustFormat("%p")}, {FloatT, mustFormat("%f")}, {NumericT, mustFormat("%d")}, {ArrayT, arr}, {HashT, hash},
		{BinaryT, mustFormat("%B")}, {AnyT, mustFormat("%s")},
	}}
}

// userFormats checks and reads a hash of type to format.
func userFormats(h *value.Hash) (*formatMap, error) {
	m := &formatMap{}
	for _, e := range h.Entries() {
		t, is := e.Key.(T)
		if !is {
			return nil, fmt.Errorf("top level keys in the format hash must be data types, got instance of '%s'",
				RubyClass(e.Key))
		}
		var f *stringFormat
		var err error
		if c, is := e.Value.(*value.Hash); is {
			f, err = containerFormat(c)
		} else {
			f, err = parseFormat(value.ToString(e.Value))
		}
		if err != nil {
			return nil, err
		}
		m.entries = append(m.entries, formatEntry{t, f})
	}
	return m, nil
}

func containerFormat(h *value.Hash) (*stringFormat, error) {
	for _, e := range h.Entries() {
		switch value.ToString(e.Key) {
		case "separator", "separator2", "format", "string_formats":
		default:
			return nil,
				fmt.Errorf("only 'separator', 'separator2', 'format', 'string_formats' are allowed in a container format, got %s",
					value.Inspect(h))
		}
	}
	text, is := h.At("format").(value.String)
	if !is {
		return nil, errors.New("no implicit conversion from nil to string") // Puppet asks Ruby to match nil
	}
	f, err := parseFormat(string(text))
	if err != nil {
		return nil, err
	}
	if s, is := h.At("separator").(value.String); is {
		f.sep = ptr(string(s))
	}
	if s, is := h.At("separator2").(value.String); is {
		f.sep2 = ptr(string(s))
	}
	if inner, is := h.At("string_formats").(*value.Hash); is {
		if f.inner, err = userFormats(inner); err != nil {
			return nil, err
		}
	}
	return f, nil
}
