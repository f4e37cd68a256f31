package source

import "strings"

// A Pattern is a shell pattern of a .gitattributes or .gitignore file. "*" and "?" and brackets never match a slash;
// "**/" stands for any number of directories, "/**" at the end for everything below. Matching takes at most length
// times length steps.
type Pattern struct {
	tokens []token
	broken bool // it matches nothing
}

type token struct {
	kind tokenKind
	char byte
	set  *[4]uint64 // of a bracket: the bytes that it matches
}

type tokenKind uint8

const (
	charToken tokenKind = iota
	anyToken            // one byte but a slash
	starToken           // any number of bytes but slashes
	deepToken           // any number of bytes
	dirsToken           // any number of directories, each with its slash
	setToken
)

// ParsePattern reads a pattern.
func ParsePattern(s string) Pattern {
	var p Pattern
	add := func(t token) { p.tokens = append(p.tokens, t) }
	for i := 0; i < len(s); {
		switch c := s[i]; c {
		case '\\':
			if i++; i == len(s) {
				p.broken = true
				return p
			}
			add(token{char: s[i]})
			i++
		case '?':
			add(token{kind: anyToken})
			i++
		case '*':
			begin := i
			for i < len(s) && s[i] == '*' {
				i++
			}
			alone := i-begin >= 2 && (begin == 0 || s[begin-1] == '/')
			switch {
			case alone && i == len(s):
				add(token{kind: deepToken})
			case alone && s[i] == '/':
				add(token{kind: dirsToken})
				i++
			default:
				add(token{kind: starToken})
			}
		case '[':
			set, n := parseSet(s[i:])
			if n == 0 {
				p.broken = true
				return p
			}
			add(token{kind: setToken, set: set})
			i += n
		default:
			add(token{char: c})
			i++
		}
	}
	return p
}

// parseSet reads a bracket expression and tells its length; 0 when it does not end.
func parseSet(s string) (*[4]uint64, int) {
	var set [4]uint64
	put := func(lo, hi byte) {
		for c := int(lo); c <= int(hi); c++ {
			set[c>>6] |= 1 << (c & 63)
		}
	}
	i := 1
	not := i < len(s) && (s[i] == '!' || s[i] == '^')
	if not {
		i++
	}
	for first := true; ; first = false {
		if i >= len(s) {
			return nil, 0
		}
		if s[i] == ']' && !first {
			break
		}
		if strings.HasPrefix(s[i:], "[:") {
			name, _, ok := strings.Cut(s[i+2:], ":]")
			if ok && len(name) <= 6 {
				if !putClass(name, put) {
					return nil, 0
				}
				i += len(name) + 4
				continue
			}
		}
		lo, n := setByte(s[i:])
		if n == 0 {
			return nil, 0
		}
		i += n
		hi := lo
		if i+1 < len(s) && s[i] == '-' && s[i+1] != ']' {
			if hi, n = setByte(s[i+1:]); n == 0 {
				return nil, 0
			}
			i += 1 + n
		}
		put(lo, hi)
	}
	if not {
		for j := range set {
			set[j] = ^set[j]
		}
	}
	set['/'>>6] &^= 1 << ('/' & 63)
	return &set, i + 1
}

func setByte(s string) (byte, int) {
	if s == "" || s == `\` {
		return 0, 0
	}
	if s[0] == '\\' {
		return s[1], 2
	}
	return s[0], 1
}

func putClass(name string, put func(lo, hi byte)) bool {
	switch name {
	case "alpha":
		put('A', 'Z')
		put('a', 'z')
	case "digit":
		put('0', '9')
	case "alnum":
		put('0', '9')
		put('A', 'Z')
		put('a', 'z')
	case "upper":
		put('A', 'Z')
	case "lower":
		put('a', 'z')
	case "xdigit":
		put('0', '9')
		put('A', 'F')
		put('a', 'f')
	case "blank":
		put(' ', ' ')
		put('\t', '\t')
	case "space":
		put(' ', ' ')
		put('\t', '\r')
	case "cntrl":
		put(0, 31)
		put(127, 127)
	case "print":
		put(' ', '~')
	case "graph":
		put('!', '~')
	case "punct":
		put('!', '/')
		put(':', '@')
		put('[', '`')
		put('{', '~')
	default:
		return false
	}
	return true
}

// Match reports whether the pattern matches a whole text. It keeps, token by token, the set of places that can be
// reached.
func (p Pattern) Match(s string) bool {
	if p.broken {
		return false
	}
	now := make([]bool, len(s)+1)
	next := make([]bool, len(s)+1)
	now[0] = true
	for _, t := range p.tokens {
		clear(next)
		some, through := false, false
		for i := range now {
			switch t.kind {
			case starToken, deepToken:
				if i > 0 && s[i-1] == '/' && t.kind == starToken {
					through = false
				}
				through = through || now[i]
				next[i] = through
			case dirsToken:
				next[i] = now[i] || through && s[i-1] == '/'
				through = through || now[i]
			default:
				next[i] = i > 0 && now[i-1] && t.takes(s[i-1])
			}
			some = some || next[i]
		}
		if !some {
			return false
		}
		now, next = next, now
	}
	return now[len(s)]
}

func (t token) takes(c byte) bool {
	switch t.kind {
	case anyToken:
		return c != '/'
	case setToken:
		return t.set[c>>6]>>(c&63)&1 == 1
	}
	return c == t.char
}
