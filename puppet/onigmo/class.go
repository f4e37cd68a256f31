package onigmo

import (
	"strings"
	"unicode"
)

// A set is a set of characters: ranges, Unicode tables, sets inside, and sets that all must hold.
type set struct {
	ascii  [2]uint64 // membership of the first 128 characters, after everything below
	ranges []rune    // pairs of lowest and highest
	tables []table
	subs   []*set
	and    []*set // [a&&b]: the rest is empty then
	neg    bool
	fold   bool
}

type table struct {
	in  *unicode.RangeTable
	neg bool
}

func (s *set) add(lo, hi rune) { s.ranges = append(s.ranges, lo, hi) }

// seal computes the bits for ASCII; the set must not change afterwards.
func (s *set) seal(fold bool) *set {
	s.fold = fold
	s.ascii = [2]uint64{}
	for r := rune(0); r < 128; r++ {
		if s.slow(r) {
			s.ascii[r>>6] |= 1 << (r & 63)
		}
	}
	return s
}

func (s *set) has(r rune) bool {
	if r < 128 {
		return s.ascii[r>>6]&(1<<(r&63)) != 0
	}
	return s.slow(r)
}

func (s *set) slow(r rune) bool {
	in := s.holds(r)
	if !in && s.fold {
		for f := unicode.SimpleFold(r); f != r && !in; f = unicode.SimpleFold(f) {
			in = s.holds(f)
		}
	}
	return in != s.neg
}

func (s *set) holds(r rune) bool {
	if s.and != nil {
		for _, a := range s.and {
			if !a.member(r) {
				return false
			}
		}
		return true
	}
	for i := 0; i < len(s.ranges); i += 2 {
		if s.ranges[i] <= r && r <= s.ranges[i+1] {
			return true
		}
	}
	for _, t := range s.tables {
		if unicode.Is(t.in, r) != t.neg {
			return true
		}
	}
	for _, sub := range s.subs {
		if sub.member(r) {
			return true
		}
	}
	return false
}

// member is holds with the set's own negation.
func (s *set) member(r rune) bool { return s.holds(r) != s.neg }

func rangeSet(rs ...rune) *set { return &set{ranges: rs} }

func tableSet(ts ...*unicode.RangeTable) *set {
	s := &set{}
	for _, t := range ts {
		s.tables = append(s.tables, table{in: t})
	}
	return s
}

// shorthand is the set of \d, \w, \s or \h; they are ASCII unless u is on.
func shorthand(c byte, uni bool) *set {
	switch c {
	case 'd':
		if uni {
			return tableSet(unicode.Nd)
		}
		return rangeSet('0', '9')
	case 'w':
		if uni {
			return posixSet("word", false)
		}
		return rangeSet('0', '9', 'A', 'Z', '_', '_', 'a', 'z')
	case 's':
		if uni {
			return tableSet(unicode.White_Space)
		}
		return rangeSet('\t', '\r', ' ', ' ')
	}
	return rangeSet('0', '9', 'A', 'F', 'a', 'f')
}

// posixSet is the set of a POSIX bracket, nil for an unknown name. ascii restricts it to ASCII.
func posixSet(name string, ascii bool) *set {
	s := posixUnicode(name)
	if s == nil || !ascii || name == "ascii" || name == "xdigit" {
		return s
	}
	return &set{and: []*set{s, rangeSet(0, 0x7f)}}
}

func posixUnicode(name string) *set {
	switch name {
	case "alnum":
		return tableSet(unicode.L, unicode.Nl, unicode.Other_Alphabetic, unicode.Nd)
	case "alpha":
		return tableSet(unicode.L, unicode.Nl, unicode.Other_Alphabetic)
	case "ascii":
		return rangeSet(0, 0x7f)
	case "blank":
		s := tableSet(unicode.Zs)
		s.add('\t', '\t')
		return s
	case "cntrl":
		return tableSet(unicode.Cc)
	case "digit":
		return tableSet(unicode.Nd)
	case "graph":
		return &set{and: []*set{assigned(), {neg: true, subs: []*set{tableSet(unicode.White_Space, unicode.Cc, unicode.Cs)}}}}
	case "lower":
		return tableSet(unicode.Ll, unicode.Other_Lowercase)
	case "print":
		return &set{and: []*set{{subs: []*set{posixUnicode("graph"), tableSet(unicode.Zs)}},
			{neg: true, tables: []table{{in: unicode.Cc}}}}}
	case "punct":
		s := tableSet(unicode.P)
		for _, r := range "$+<=>^`|~" {
			s.add(r, r)
		}
		return s
	case "space":
		return tableSet(unicode.White_Space)
	case "upper":
		return tableSet(unicode.Lu, unicode.Other_Uppercase)
	case "xdigit":
		return rangeSet('0', '9', 'A', 'F', 'a', 'f')
	case "word":
		return tableSet(unicode.L, unicode.Nl, unicode.Other_Alphabetic, unicode.M, unicode.Nd, unicode.Pc)
	}
	return nil
}

func assigned() *set {
	s := &set{}
	for _, name := range [...]string{"L", "M", "N", "P", "S", "Z", "C"} {
		s.tables = append(s.tables, table{in: unicode.Categories[name]})
	}
	return s
}

// longCategories are the long names of the general categories.
var longCategories = map[string]string{"other": "C", "control": "Cc", "format": "Cf", "privateuse": "Co",
	"surrogate": "Cs", "letter": "L",
	"lowercaseletter": "Ll", "modifierletter": "Lm", "otherletter": "Lo", "titlecaseletter": "Lt", "uppercaseletter": "Lu",
	"mark":          "M",
	"combiningmark": "M", "spacingmark": "Mc", "enclosingmark": "Me", "nonspacingmark": "Mn", "number": "N",
	"decimalnumber": "Nd",
	"letternumber":  "Nl", "othernumber": "No", "punctuation": "P", "connectorpunctuation": "Pc", "dashpunctuation": "Pd",
	"closepunctuation": "Pe", "finalpunctuation": "Pf", "initialpunctuation": "Pi", "otherpunctuation": "Po",
	"openpunctuation": "Ps",
	"symbol":          "S", "currencysymbol": "Sc", "modifiersymbol": "Sk", "mathsymbol": "Sm", "othersymbol": "So",
	"separator":     "Z",
	"lineseparator": "Zl", "paragraphseparator": "Zp", "spaceseparator": "Zs"}

// unsupportedProperties are properties that Ruby knows and Go has no table for: legal, but not to be searched with.
var unsupportedProperties = map[string]bool{"emoji": true, "emojipresentation": true, "emojimodifier": true,
	"emojimodifierbase": true,
	"emojicomponent":    true, "extendedpictographic": true, "idstart": true, "idcontinue": true, "xidstart": true,
	"xidcontinue": true,
	"cased":       true, "caseignorable": true, "changeswhenlowercased": true, "changeswhenuppercased": true,
	"changeswhentitlecased": true,
	"changeswhencasefolded": true, "changeswhencasemapped": true, "defaultignorablecodepoint": true,
	"graphemeextend": true,
	"graphemebase":   true, "graphemelink": true, "math": true, "unassigned": true, "cn": true, "lc": true,
	"casedletter": true}

// property is the set of \p{name}. known is false for a name that Ruby rejects; a known name may have a nil set when
// there is no table for it.
func property(name string) (s *set, known bool) {
	key := strings.Map(func(r rune) rune {
		if r == ' ' || r == '_' || r == '-' {
			return -1
		}
		return unicode.ToLower(r)
	}, name)
	if s := posixUnicode(key); s != nil {
		return s, true
	}
	switch key {
	case "any":
		return rangeSet(0, unicode.MaxRune), true
	case "assigned":
		return assigned(), true
	case "xposixpunct":
		return posixUnicode("punct"), true
	case "punct", "posixpunct":
		return posixUnicode("punct"), true
	case "alphabetic":
		return posixUnicode("alpha"), true
	case "uppercase":
		return posixUnicode("upper"), true
	case "lowercase":
		return posixUnicode("lower"), true
	}
	if short, has := longCategories[key]; has {
		return tableSet(unicode.Categories[short]), true
	}
	for n, t := range unicode.Categories {
		if strings.EqualFold(n, key) {
			return tableSet(t), true
		}
	}
	fold := func(n string) bool { return strings.EqualFold(strings.ReplaceAll(n, "_", ""), key) }
	for n, t := range unicode.Scripts {
		if fold(n) {
			return tableSet(t), true
		}
	}
	for n, t := range unicode.Properties {
		if fold(n) {
			return tableSet(t), true
		}
	}
	if unsupportedProperties[key] || strings.HasPrefix(strings.ToLower(name), "in_") || strings.HasPrefix(key, "age=") {
		return nil, true
	}
	return nil, false
}
