package onigmo

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// An op is the kind of a node.
type op uint8

const (
	opEmpty op = iota
	opChar     // one character
	opSet      // one character of a set
	opAny      // . without newlines
	opAnyNL    // . with newlines
	opSeq
	opAlt
	opGroup  // capturing
	opRepeat // min to max times
	opBeginLine
	opEndLine
	opBeginText
	opEndText
	opEndTextNL // \Z
	opSearchStart
	opWordBound
	opNotWordBound
	opLookAhead
	opNotLookAhead
	opLookBehind
	opNotLookBehind
	opAtomic
	opAbsent
	opKeep
	opBackref
	opCall
	opCond
	opGrapheme // \X
	opLineBreak
)

type repeatMode uint8

const (
	greedy repeatMode = iota
	lazy
	possessive
)

// A node is a piece of the pattern.
type node struct {
	op       op
	mode     repeatMode
	fold     bool // letters match in any case
	ascii    bool // \b is about ASCII words
	paren    bool // written as a plain ( ), which names turn into a mere grouping
	r        rune
	min, max int // of a repeat; max < 0 is no limit
	n        int // the number of a group
	refs     []int
	name     string
	set      *set
	subs     []*node
}

// A tree is a parsed pattern.
type tree struct {
	src    string
	root   *node
	groups int
	names  []string
	byName map[string][]int
	group  []*node // by number; 0 is unused
	calls  bool
	uni    []string // properties without a table
}

// A SyntaxError is what is wrong with a pattern, in Ruby's words.
type SyntaxError struct {
	Msg, Source string
	Flags       Flags
}

func (e *SyntaxError) Error() string {
	s := e.Msg + ": /" + e.Source + "/"
	for _, f := range [...]struct {
		flag Flags
		c    string
	}{{Multiline, "m"}, {IgnoreCase, "i"}, {Extended, "x"}} {
		if e.Flags&f.flag != 0 {
			s += f.c
		}
	}
	return s
}

type parser struct {
	src   string // after unescape
	i     int
	t     *tree
	named int // named groups so far
	opts  options
	depth int
	judge bool
	// late are back-references and calls, judged when all groups are known.
	late []*node
}

type options struct {
	fold, ext, dotall bool
	ascii, uni        bool
}

type failure string

// maxNesting bounds how deeply groups may nest; Ruby has the same bound.
const maxNesting = 4096

// parse reads a pattern. With judge set the tree is only good for its errors: nothing is prepared for searching.
func parse(src string, flags Flags, judge bool) (t *tree, err error) {
	if !utf8.ValidString(src) {
		return nil, &SyntaxError{"invalid multibyte character", src, flags}
	}
	clean, msg := unescape(src)
	if msg != "" {
		return nil, &SyntaxError{msg, src, flags}
	}
	p := &parser{src: clean, judge: judge, t: &tree{src: src, names: []string{""}, group: []*node{nil}}}
	p.opts = options{fold: flags&IgnoreCase != 0, ext: flags&Extended != 0, dotall: flags&Multiline != 0}
	defer func() {
		switch r := recover().(type) {
		case nil:
		case failure:
			t, err = nil, &SyntaxError{string(r), src, flags}
		default:
			panic(r)
		}
	}()
	p.t.root = p.alternatives()
	if p.i < len(p.src) {
		p.fail("unmatched close parenthesis")
	}
	p.finish()
	return p.t, nil
}

func (p *parser) fail(format string, args ...any) {
	panic(failure(fmt.Sprintf(format, args...)))
}

func (p *parser) more() bool { return p.i < len(p.src) }

func (p *parser) peek() byte {
	if p.i < len(p.src) {
		return p.src[p.i]
	}
	return 0
}

func (p *parser) rune() rune {
	r, n := utf8.DecodeRuneInString(p.src[p.i:])
	p.i += n
	return r
}

// alternatives reads a|b|c up to a closing parenthesis or the end.
func (p *parser) alternatives() *node {
	if p.depth++; p.depth > maxNesting {
		p.fail("too deep nest level over")
	}
	defer func() { p.depth-- }()
	alts := []*node{p.sequence()}
	for p.more() && p.peek() == '|' {
		p.i++
		alts = append(alts, p.sequence())
	}
	if len(alts) == 1 {
		return alts[0]
	}
	return &node{op: opAlt, subs: alts}
}

func (p *parser) sequence() *node {
	var seq []*node
	for p.more() && p.peek() != '|' && p.peek() != ')' {
		at := p.i
		n, quantifiable := p.atom()
		if n == nil {
			continue // a comment, or blanks under x
		}
		n = p.quantified(n, quantifiable)
		seq = append(seq, n)
		if p.i == at {
			p.fail("internal error")
		}
	}
	switch len(seq) {
	case 0:
		return &node{op: opEmpty}
	case 1:
		return seq[0]
	}
	return &node{op: opSeq, subs: seq}
}

// quantified reads the repeat operators behind an atom.
func (p *parser) quantified(n *node, ok bool) *node {
	for p.more() {
		p.skipBlanks()
		if !p.more() {
			return n
		}
		lo, hi, interval := 0, -1, false
		switch p.peek() {
		case '*':
		case '+':
			lo = 1
		case '?':
			hi = 1
		case '{':
			var is bool
			if lo, hi, is = p.interval(); !is {
				return n
			}
			interval = true
		default:
			return n
		}
		if !interval {
			p.i++
		}
		mode := greedy
		if p.more() {
			switch {
			case p.peek() == '?' && !(interval && lo == hi):
				mode = lazy
				p.i++
			case p.peek() == '+' && !interval:
				mode = possessive
				p.i++
			}
		}
		n = &node{op: opRepeat, subs: []*node{n}, min: lo, max: hi, mode: mode}
	}
	return n
}

// skipBlanks passes blanks and comments under x, and (?#…) always, between an atom and its repeat operator.
func (p *parser) skipBlanks() {
	for p.more() {
		c := p.peek()
		switch {
		case p.opts.ext && (c == ' ' || c >= '\t' && c <= '\r'):
			p.i++
		case p.opts.ext && c == '#':
			p.comment()
		case strings.HasPrefix(p.src[p.i:], "(?#"):
			p.groupComment()
		default:
			return
		}
	}
}

func (p *parser) comment() {
	for p.more() && p.peek() != '\n' {
		p.i++
	}
}

func (p *parser) groupComment() {
	p.i += 3
	for {
		if !p.more() {
			p.fail("end pattern in group")
		}
		c := p.src[p.i]
		p.i++
		if c == '\\' && p.more() {
			p.i++
		} else if c == ')' {
			return
		}
	}
}

// interval reads {n}, {n,}, {,m} or {n,m}; is is false when the brace is an ordinary character.
func (p *parser) interval() (lo, hi int, is bool) {
	const limit = 100000
	i := p.i + 1
	num := func() (int, bool) {
		start, v := i, 0
		for i < len(p.src) && p.src[i] >= '0' && p.src[i] <= '9' {
			if v = v*10 + int(p.src[i]-'0'); v > limit {
				v = limit + 1
			}
			i++
		}
		return v, i > start
	}
	lo, hasLo := num()
	if lo > limit {
		p.fail("too big number for repeat range")
	}
	hi, hasHi := lo, hasLo
	if i < len(p.src) && p.src[i] == ',' {
		i++
		if hi, hasHi = num(); hi > limit {
			p.fail("too big number for repeat range")
		}
		if !hasLo && !hasHi {
			return 0, 0, false
		}
		if !hasHi {
			hi = -1
		}
	} else if !hasLo {
		return 0, 0, false
	}
	if i >= len(p.src) || p.src[i] != '}' {
		return 0, 0, false
	}
	if hi >= 0 && lo > hi {
		p.fail("upper is smaller than lower in repeat range")
	}
	p.i = i + 1
	return lo, hi, true
}

// atom reads one thing that can be repeated. It is nil for what leaves no trace.
func (p *parser) atom() (n *node, quantifiable bool) {
	c := p.peek()
	switch c {
	case '\\':
		p.i++
		return p.escape(), true
	case '[':
		p.i++
		return p.setNode(p.class(), p.opts.fold), true
	case '(':
		return p.group(), true
	case '.':
		p.i++
		if p.opts.dotall {
			return &node{op: opAnyNL}, true
		}
		return &node{op: opAny}, true
	case '^':
		p.i++
		return &node{op: opBeginLine}, true
	case '$':
		p.i++
		return &node{op: opEndLine}, true
	case '*', '+', '?':
		p.fail("target of repeat operator is not specified")
	case '{':
		if _, _, is := p.interval(); is {
			p.fail("target of repeat operator is not specified")
		}
	}
	if p.opts.ext {
		if c == ' ' || c >= '\t' && c <= '\r' {
			p.i++
			return nil, false
		}
		if c == '#' {
			p.comment()
			return nil, false
		}
	}
	return p.char(p.rune()), true
}

func (p *parser) setNode(s *set, fold bool) *node {
	if !p.judge {
		s.seal(fold)
	}
	return &node{op: opSet, set: s}
}

func (p *parser) char(r rune) *node {
	if p.judge {
		return someChar // which one it is makes no pattern legal or not
	}
	return &node{op: opChar, r: r, fold: p.opts.fold}
}

var someChar = &node{op: opChar}

func (p *parser) simple(o op) *node { return &node{op: o, ascii: p.opts.ascii} }

func (p *parser) shorthand(c byte) *set {
	s := shorthand(c|0x20, p.opts.uni && c|0x20 != 'h')
	if c < 'a' {
		s = &set{neg: true, subs: []*set{s}}
	}
	return s
}

// escape reads what follows a backslash outside of a class.
func (p *parser) escape() *node {
	c := p.src[p.i]
	p.i++
	switch c {
	case 'w', 'W', 'd', 'D', 's', 'S', 'h', 'H':
		return p.setNode(p.shorthand(c), false)
	case 'b':
		return p.simple(opWordBound)
	case 'B':
		return p.simple(opNotWordBound)
	case 'A':
		return p.simple(opBeginText)
	case 'z':
		return p.simple(opEndText)
	case 'Z':
		return p.simple(opEndTextNL)
	case 'G':
		return p.simple(opSearchStart)
	case 'K':
		return p.simple(opKeep)
	case 'R':
		return p.simple(opLineBreak)
	case 'X':
		return p.simple(opGrapheme)
	case 'p', 'P':
		if p.peek() == '{' {
			return p.setNode(p.property(c == 'P'), p.opts.fold)
		}
		return p.char(rune(c))
	case 'k':
		if p.peek() == '<' || p.peek() == '\'' {
			return p.namedRef(false)
		}
		return p.char('k')
	case 'g':
		if p.peek() == '<' || p.peek() == '\'' {
			return p.namedRef(true)
		}
		return p.char('g')
	case '1', '2', '3', '4', '5', '6', '7', '8', '9':
		if n := p.numberedRef(c); n != nil {
			return n
		}
	}
	p.i--
	return p.char(p.escapedChar(false))
}

// numberedRef reads \1 and up; nil when the digits are an octal number.
func (p *parser) numberedRef(c byte) *node {
	i, v := p.i, int(c-'0')
	for i < len(p.src) && p.src[i] >= '0' && p.src[i] <= '9' && v < 100000 {
		v = v*10 + int(p.src[i]-'0')
		i++
	}
	if v > 9 && v > p.t.groups {
		return nil
	}
	p.i = i
	n := &node{op: opBackref, n: v, fold: p.opts.fold}
	p.late = append(p.late, n)
	return n
}

// escapedChar reads an escape that stands for one character; p.i is behind the backslash.
func (p *parser) escapedChar(inClass bool) rune {
	c := p.src[p.i]
	switch c {
	case 'n':
		p.i++
		return '\n'
	case 't':
		p.i++
		return '\t'
	case 'r':
		p.i++
		return '\r'
	case 'f':
		p.i++
		return '\f'
	case 'v':
		p.i++
		return '\v'
	case 'a':
		p.i++
		return '\a'
	case 'e':
		p.i++
		return 0x1b
	case 'b':
		if inClass {
			p.i++
			return '\b'
		}
	case 'x':
		v := 0
		p.i++
		for k := 0; k < 2 && p.more() && hexVal(p.peek()) >= 0; k++ {
			v = v*16 + hexVal(p.peek())
			p.i++
		}
		return rune(v)
	case '0', '1', '2', '3', '4', '5', '6', '7':
		n, v := octal(p.src[p.i:])
		p.i += n
		return rune(v)
	}
	return p.rune()
}

// property reads {name} behind \p.
func (p *parser) property(neg bool) *set {
	p.i++
	end := strings.IndexByte(p.src[p.i:], '}')
	if end < 0 {
		p.fail("invalid character property name {%s}", p.src[p.i:])
	}
	name := p.src[p.i : p.i+end]
	p.i += end + 1
	bare := strings.TrimPrefix(name, "^")
	if bare != name {
		neg = !neg
	}
	s, known := property(bare)
	if !known {
		p.fail("invalid character property name {%s}", name)
	}
	if s == nil {
		p.t.uni = append(p.t.uni, name)
		s = &set{}
	}
	return &set{neg: neg, subs: []*set{s}}
}

// group reads everything that begins with a parenthesis.
func (p *parser) group() *node {
	p.i++
	if p.peek() != '?' || !p.more() {
		n := &node{op: opGroup, paren: true}
		p.t.groups++
		n.n = p.t.groups
		p.t.group = append(p.t.group, n)
		p.t.names = append(p.t.names, "")
		n.subs = []*node{p.inside()}
		return n
	}
	p.i++
	if !p.more() {
		p.fail("end pattern in group")
	}
	c := p.src[p.i]
	p.i++
	switch c {
	case ':':
		return p.inside()
	case '=':
		return &node{op: opLookAhead, subs: []*node{p.inside()}}
	case '!':
		return &node{op: opNotLookAhead, subs: []*node{p.inside()}}
	case '>':
		return &node{op: opAtomic, subs: []*node{p.inside()}}
	case '~':
		return &node{op: opAbsent, subs: []*node{p.inside()}}
	case '#':
		p.i -= 3
		p.groupComment()
		return nil
	case '\'':
		return p.namedGroup('\'')
	case '<':
		switch p.peek() {
		case '=':
			p.i++
			return &node{op: opLookBehind, subs: []*node{p.inside()}}
		case '!':
			p.i++
			return &node{op: opNotLookBehind, subs: []*node{p.inside()}}
		}
		if !p.more() {
			p.fail("end pattern with unmatched parenthesis")
		}
		return p.namedGroup('>')
	case '(':
		return p.conditional()
	}
	p.i--
	return p.optionGroup()
}

// inside reads alternatives up to the closing parenthesis, with options of their own.
func (p *parser) inside() *node {
	saved := p.opts
	n := p.alternatives()
	p.opts = saved
	if !p.more() {
		p.fail("end pattern with unmatched parenthesis")
	}
	p.i++
	return n
}

func (p *parser) namedGroup(close byte) *node {
	name := p.name(close)
	if c := name[0]; c >= '0' && c <= '9' || c == '-' || c == ')' {
		p.fail("invalid group name <%s>", name)
	}
	n := &node{op: opGroup, name: name}
	p.t.groups++
	p.named++
	n.n = p.t.groups
	p.t.group = append(p.t.group, n)
	p.t.names = append(p.t.names, name)
	n.subs = []*node{p.inside()}
	return n
}

// name reads a group's name up to its closing mark.
func (p *parser) name(close byte) string {
	start := p.i
	for p.more() && p.peek() != close {
		if p.peek() == ')' {
			break
		}
		p.rune()
	}
	name := p.src[start:p.i]
	if name == "" {
		p.fail("group name is empty")
	}
	if !p.more() || p.peek() != close {
		p.fail("invalid group name <%s>", name)
	}
	p.i++
	return name
}

// optionGroup reads (?imx-imx) and (?imx-imx:…).
func (p *parser) optionGroup() *node {
	o := p.opts
	neg := false
	for {
		if !p.more() {
			p.fail("end pattern in group")
		}
		c := p.src[p.i]
		p.i++
		switch c {
		case '-':
			neg = true
		case 'i':
			o.fold = !neg
		case 'm':
			o.dotall = !neg
		case 'x':
			o.ext = !neg
		case 'a', 'u', 'd':
			if neg {
				p.fail("undefined group option")
			}
			o.ascii, o.uni = c == 'a', c == 'u'
		case ':':
			saved := p.opts
			p.opts = o
			n := p.alternatives()
			p.opts = saved
			if !p.more() {
				p.fail("end pattern with unmatched parenthesis")
			}
			p.i++
			return n
		case ')':
			// The options hold for the rest of the enclosing group, alternatives included.
			saved := p.opts
			p.opts = o
			n := p.alternatives()
			p.opts = saved
			return n
		default:
			p.fail("undefined group option")
		}
	}
}

func (p *parser) conditional() *node {
	n := &node{op: opCond}
	close := byte(')')
	switch p.peek() {
	case '<':
		p.i++
		close = '>'
	case '\'':
		p.i++
		close = '\''
	}
	if close == ')' {
		if c := p.peek(); c < '0' || c > '9' {
			p.fail("invalid conditional pattern")
		}
	}
	name := p.name(close)
	if close != ')' {
		if p.peek() != ')' {
			p.fail("invalid conditional pattern")
		}
		p.i++
	}
	if v, err := strconv.Atoi(name); err == nil {
		n.n = v
	} else {
		n.name = name
	}
	p.late = append(p.late, n)
	body := p.inside()
	if body.op == opAlt {
		if len(body.subs) > 2 {
			p.fail("invalid conditional pattern")
		}
		n.subs = body.subs
	} else {
		n.subs = []*node{body, {op: opEmpty}}
	}
	return n
}

// namedRef reads <name> behind \k (a back-reference) or \g (a call).
func (p *parser) namedRef(call bool) *node {
	close := byte('>')
	if p.peek() == '\'' {
		close = '\''
	}
	p.i++
	name := p.name(close)
	n := &node{op: opBackref, fold: p.opts.fold, n: -1}
	if call {
		n.op = opCall
		p.t.calls = true
	}
	bare := name
	if !call {
		// A level (\k<a+1>) is about recursion depth; it changes nothing without recursion.
		if i := strings.LastIndexAny(name, "+-"); i > 0 {
			if _, err := strconv.Atoi(name[i:]); err == nil {
				bare = name[:i]
			}
		}
	}
	switch v, err := strconv.Atoi(bare); {
	case err == nil && bare[0] == '+' && call:
		n.n = p.t.groups + v
	case err == nil && bare[0] == '+':
		n.name = name
	case err == nil && v < 0:
		if v = p.t.groups + 1 + v; v <= 0 {
			p.fail("invalid backref number/name")
		}
		n.n = v
	case err == nil:
		n.n = v
	default:
		n.name = bare
	}
	p.late = append(p.late, n)
	return n
}

// finish judges references now that all groups are known, and settles what is a group: with names, plain parentheses
// only group.
func (p *parser) finish() {
	t := p.t
	if p.named > 0 && p.named < t.groups {
		p.dropPlainGroups()
	}
	t.byName = map[string][]int{}
	for i := 1; i <= t.groups; i++ {
		if name := t.names[i]; name != "" {
			t.byName[name] = append(t.byName[name], i)
		}
	}
	for _, n := range p.late {
		switch {
		case n.name != "":
			n.refs = t.byName[n.name]
			if n.refs == nil {
				p.fail("undefined name <%s> reference", n.name)
			}
			if n.op == opCall {
				if len(n.refs) > 1 {
					p.fail("multiplex definition name <%s> call", n.name)
				}
				n.n = n.refs[0]
			}
		case n.op == opCall && n.n == 0:
		case p.named > 0:
			p.fail("numbered backref/call is not allowed. (use name)")
		case n.n > t.groups && n.op == opCall:
			p.fail("undefined group <%d> reference", n.n)
		case n.n > t.groups || n.n == 0:
			p.fail("invalid backref number/name")
		default:
			n.refs = []int{n.n}
		}
	}
	t.check(p)
}

// dropPlainGroups renumbers: only named groups count.
func (p *parser) dropPlainGroups() {
	t := p.t
	names, group := []string{""}, []*node{nil}
	for i := 1; i <= t.groups; i++ {
		n := t.group[i]
		if n.paren {
			n.op = opSeq // a grouping of one
			continue
		}
		n.n = len(names)
		names, group = append(names, t.names[i]), append(group, n)
	}
	t.names, t.group, t.groups = names, group, len(names)-1
}
