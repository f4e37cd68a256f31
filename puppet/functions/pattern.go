package functions

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"bunraku/provenance"
	"bunraku/puppet/eval"
	"bunraku/puppet/onigmo"
	"bunraku/puppet/types"
	"bunraku/puppet/value"
	"bunraku/source"
)

// patternFunctions search, split and replace by regular expressions, with Ruby's meaning of them.
func patternFunctions(l source.Language) []*eval.Function {
	return []*eval.Function{
		{Name: "match", Doc: "Matches a string, or each of an array, with a pattern: the match and its groups, or undef.",
			Dispatches: []eval.Dispatch{
				{Signature: "Callable[String, Variant[Any, Type]]", Names: []string{"string", "pattern"},
					Run: func(c *eval.Call) (value.Value, error) {
						return matchOne(c, string(c.Args[0].(value.String)), c.Args[1])
					}},
				{Signature: "Callable[Array[String], Variant[Any, Type]]", Names: []string{"string", "pattern"},
					Run: func(c *eval.Call) (value.Value, error) {
						c.Ref = c.ArgRef(0)
						list, out := c.Args[0].(*value.Array), value.NewArrayBuilder(4)
						for i, s := range list.Elems {
							m, err := matchOne(c, string(s.(value.String)), c.Args[1])
							if err != nil {
								return nil, err
							}
							out.AddRef(m, computed(c, list.Ref(i), wholly(c, 1)))
						}
						return out.Array(), nil
					}},
			}},
		splitFunction(l),
		regsubstFunction(l),
	}
}

func splitFunction(l source.Language) *eval.Function {
	f := &eval.Function{Name: "split", Doc: "Splits a string where a pattern matches; empty parts at the end are dropped."}
	// add adds the three forms of the pattern for one form of the text. What was Sensitive stays so.
	add := func(text, name string) {
		form := func(pattern string, re func(c *eval.Call) (*onigmo.Regexp, error)) {
			run := func(c *eval.Call) (value.Value, error) {
				r, err := re(c)
				if err != nil {
					return nil, err
				}
				secret, is := c.Args[0].(*value.Sensitive)
				if !is {
					return split(c, string(c.Args[0].(value.String)), r)
				}
				parts, err := split(c, string(secret.Value.(value.String)), r)
				if err != nil {
					return nil, err
				}
				return &value.Sensitive{Value: parts}, nil
			}
			f.Dispatches = append(f.Dispatches, eval.Dispatch{Signature: "Callable[" + text + ", " + pattern + "]",
				Names: []string{name, "pattern"}, Run: run})
		}
		form("String", func(c *eval.Call) (*onigmo.Regexp, error) {
			re, err := c.Eval.Regexp(string(c.Args[1].(value.String)))
			if err != nil {
				return nil, err
			}
			return re.Re, nil
		})
		form("Regexp", func(c *eval.Call) (*onigmo.Regexp, error) { return c.Args[1].(*value.Regexp).Re, nil })
		form("Type[Regexp]", func(c *eval.Call) (*onigmo.Regexp, error) {
			re, err := regexpOf(c.Args[1])
			if err != nil {
				return nil, err
			}
			return re.Re, nil
		})
	}
	add("String", "str")
	if l.Eight() {
		add("Sensitive[String]", "sensitive")
	}
	return f
}

func regsubstFunction(l source.Language) *eval.Function {
	target, encoding, last := "Variant[Array[String], String]", ", Enum['E', 'N', 'S', 'U'], 3, 5", []string{"encoding"}
	if l.Eight() {
		texts := "Array[Variant[String, Sensitive[String]]]"
		target = "Variant[" + texts + ", Sensitive[" + texts + "], String, Sensitive[String]]"
	}
	if l == source.OpenVox9 {
		encoding, last = ", 3, 4", nil
	}
	names := []string{"target", "pattern", "replacement", "flags"}
	return &eval.Function{Name: "regsubst",
		Doc: "Replaces what a pattern matches, once or (flag G) everywhere, in a string or in each of an array.",
		Dispatches: []eval.Dispatch{
			{Signature: "Callable[" + target +
				", String, Variant[String, Hash[String, String]], Optional[Pattern[/^[GEIM]*$/]]" +
				encoding + "]",
				Names: append(slices.Clone(names), last...), Run: regsubstText},
			{Signature: "Callable[" + target +
				", Variant[Regexp, Type[Regexp]], Variant[String, Hash[String, String]], Pattern[/^G?$/], 3, 4]",
				Names: names, Run: regsubstRegexp},
		}}
}

// regexpOf is the pattern of a type Regexp[…]; a plain Regexp has the empty one.
func regexpOf(v value.Value) (*value.Regexp, error) {
	if t, is := types.Resolved(v.(value.Type)).(*types.Regexp); is && t.Re != nil {
		return t.Re, nil
	}
	return value.NewRegexp("")
}

// matchOne tries a pattern of any kind that the function match takes.
func matchOne(c *eval.Call, s string, pattern value.Value) (value.Value, error) {
	several := func(n int, at func(int) value.Value) (value.Value, error) {
		for i := range n {
			if m, err := matchOne(c, s, at(i)); err != nil || value.Truthy(m) {
				return m, err
			}
		}
		return value.Undef{}, nil
	}
	switch p := pattern.(type) {
	case value.String:
		re, err := onigmo.Compile(string(p), 0)
		if err != nil {
			return nil, err
		}
		return groupsOf(c, re, s)
	case *value.Regexp:
		return groupsOf(c, p.Re, s)
	case *types.Alias:
		return matchOne(c, s, p.To)
	case *types.Variant:
		return several(len(p.Types), func(i int) value.Value { return p.Types[i] })
	case *types.Pattern:
		return several(len(p.Regexps), func(i int) value.Value { return p.Regexps[i] })
	case *types.Regexp:
		if p.Re == nil {
			return nil, errors.New("Given Regexp Type has no regular expression")
		}
		return groupsOf(c, p.Re.Re, s)
	case *value.Array:
		flat := value.Flatten(p)
		return several(flat.Len(), func(i int) value.Value { return flat.Elems[i] })
	}
	return nil,
		fmt.Errorf("match() expects pattern of T, where T is String, Regexp, Regexp[r], Pattern[p], or Array[T]. Got %s",
			rubyClass(pattern))
}

func groupsOf(c *eval.Call, re *onigmo.Regexp, s string) (value.Value, error) {
	loc, err := c.Eval.FindIn(re, s, 0)
	if loc == nil || err != nil {
		return value.Undef{}, err
	}
	out := make([]value.Value, len(loc)/2)
	for i := range out {
		if lo, hi := loc[2*i], loc[2*i+1]; lo >= 0 {
			out[i] = value.String(s[lo:hi])
		} else {
			out[i] = value.Undef{}
		}
	}
	return value.NewArray(out...), nil
}

// split is Ruby's String#split by a pattern: groups of the pattern are parts too, an empty match splits between
// characters.
func split(c *eval.Call, s string, re *onigmo.Regexp) (value.Value, error) {
	var out []value.Value
	add := func(lo, hi int) { out = append(out, value.String(s[lo:hi])) }
	begin, start, empty := 0, 0, false
	for n := 0; s != "" && start <= len(s); n++ {
		if n > eval.MaxMatches {
			return nil, eval.ErrTooManyMatches
		}
		loc, err := c.Eval.FindIn(re, s, start)
		if err != nil {
			return nil, err
		}
		if loc == nil {
			break
		}
		if loc[0] == loc[1] && loc[0] == start {
			if !empty {
				start += charLen(s, start)
				empty = true
				continue
			}
			add(begin, min(begin+charLen(s, begin), len(s)))
			begin = start
		} else {
			add(begin, loc[0])
			begin, start = loc[1], loc[1]
		}
		empty = false
		for i := 2; i < len(loc); i += 2 {
			if loc[i] >= 0 {
				add(loc[i], loc[i+1])
			}
		}
	}
	if begin < len(s) {
		add(begin, len(s))
	}
	for len(out) > 0 && out[len(out)-1] == value.String("") {
		out = out[:len(out)-1]
	}
	return value.NewArray(out...), nil
}

// ---- regsubst

func regsubstText(c *eval.Call) (value.Value, error) {
	if len(c.Args) > 4 && c.Eval.Settings().Language.Eight() {
		c.Warn("W0617",
			"The regsubst() function's encoding argument has been ignored since Ruby 1.9 and will be removed in a future release")
	}
	var flags onigmo.Flags
	all := false
	for _, f := range value.ToString(c.Arg(3)) {
		switch f {
		case 'G':
			all = true
		case 'I':
			flags |= onigmo.IgnoreCase
		case 'E':
			flags |= onigmo.Extended
		case 'M':
			flags |= onigmo.Multiline
		}
	}
	if flags == 0 {
		re, err := c.Eval.Regexp(string(c.Args[1].(value.String)))
		if err != nil {
			return nil, err
		}
		return substitute(c, finder{c: c, re: re.Re}, all)
	}
	re, err := onigmo.Compile(string(c.Args[1].(value.String)), flags)
	if err != nil {
		return nil, err
	}
	return substitute(c, finder{c: c, re: re}, all)
}

func regsubstRegexp(c *eval.Call) (value.Value, error) {
	all := c.Arg(3) == value.String("G")
	if re, is := c.Args[1].(*value.Regexp); is {
		return substitute(c, finder{c: c, re: re.Re}, all)
	}
	// Of a type Puppet takes the source, and Ruby then looks for that very text.
	re, err := regexpOf(c.Args[1])
	if err != nil {
		return nil, err
	}
	return substitute(c, finder{text: re.Source}, all)
}

// A finder looks for a pattern or, without one, for a text.
type finder struct {
	c    *eval.Call
	re   *onigmo.Regexp
	text string
}

func (f finder) find(s string, from int) ([]int, error) {
	if f.re != nil {
		return f.c.Eval.FindIn(f.re, s, from)
	}
	i := strings.Index(s[from:], f.text)
	if i < 0 {
		return nil, nil
	}
	return []int{from + i, from + i + len(f.text)}, nil
}

func substitute(c *eval.Call, f finder, all bool) (value.Value, error) {
	one := func(v value.Value) (value.Value, error) {
		secret, hidden := v.(*value.Sensitive)
		if hidden {
			v = secret.Value
		}
		text, err := replace(string(v.(value.String)), f, c.Args[2], all)
		if hidden && err == nil {
			return &value.Sensitive{Value: value.String(text)}, nil
		}
		return value.String(text), err
	}
	list, is := c.Args[0].(*value.Array)
	if secret, hidden := c.Args[0].(*value.Sensitive); hidden {
		// The elements of a Sensitive array come out in the clear: so does Puppet 8.11.
		if list, is = secret.Value.(*value.Array); is {
			c.Unwrapped(secret)
		}
	}
	if !is {
		return one(c.Args[0])
	}
	c.Ref = c.ArgRef(0)
	out := value.NewArrayBuilder(4)
	how := c.Trace().Join(c.ArgRef(1), wholly(c, 2), c.ArgRef(3))
	return finish(out, elements(list, func(v value.Value, r provenance.Ref) error {
		w, err := one(v)
		out.AddRef(w, computed(c, r, how))
		return err
	}))
}

// replace is Ruby's sub and gsub.
func replace(s string, f finder, with value.Value, all bool) (string, error) {
	var b strings.Builder
	at := 0
	for n := 0; at <= len(s); n++ {
		if n > eval.MaxMatches {
			return "", eval.ErrTooManyMatches
		}
		if err := eval.Room(b.Len()); err != nil {
			return "", err
		}
		loc, err := f.find(s, at)
		if err != nil {
			return "", err
		}
		if loc == nil {
			break
		}
		b.WriteString(s[at:loc[0]])
		if err := expand(&b, f, s, loc, with); err != nil {
			return "", err
		}
		at = loc[1]
		if !all {
			break
		}
		if loc[0] == loc[1] {
			if at >= len(s) {
				break
			}
			n := charLen(s, at)
			b.WriteString(s[at : at+n])
			at += n
		}
	}
	if at < len(s) {
		b.WriteString(s[at:])
	}
	return b.String(), nil
}

// expand writes the replacement for one match: from a hash by the matched text, or a text with \1, \k<name>, \0 and
// their kin.
func expand(b *strings.Builder, f finder, s string, loc []int, with value.Value) error {
	if h, is := with.(*value.Hash); is {
		b.WriteString(rubyString(h.At(s[loc[0]:loc[1]])))
		return nil
	}
	group := func(i int) {
		if 2*i < len(loc) && loc[2*i] >= 0 {
			b.WriteString(s[loc[2*i]:loc[2*i+1]])
		}
	}
	text := string(with.(value.String))
	for {
		i := strings.IndexByte(text, '\\')
		if i < 0 || i+1 == len(text) {
			b.WriteString(text)
			return nil
		}
		b.WriteString(text[:i])
		c := text[i+1]
		rest := text[i+2:]
		switch {
		case c >= '1' && c <= '9':
			group(int(c - '0'))
		case c == '0' || c == '&':
			group(0)
		case c == '`':
			b.WriteString(s[:loc[0]])
		case c == '\'':
			b.WriteString(s[loc[1]:])
		case c == '\\':
			b.WriteByte('\\')
		case c == 'k' && strings.HasPrefix(rest, "<") && strings.Contains(rest, ">"):
			end := strings.IndexByte(rest, '>')
			n, err := groupNamed(f, rest[1:end], loc)
			if err != nil {
				return err
			}
			group(n)
			rest = rest[end+1:]
		default:
			b.WriteString(text[i : i+2])
		}
		text = rest
	}
}

// groupNamed is the number of the group with a name: the last of several that took part.
func groupNamed(f finder, name string, loc []int) (int, error) {
	found := 0
	if f.re != nil {
		for i, n := range f.re.Names() {
			if n == name && i > 0 && (found == 0 || 2*i < len(loc) && loc[2*i] >= 0) {
				found = i
			}
		}
	}
	if found == 0 {
		return 0, fmt.Errorf("undefined group name reference: %s", name)
	}
	return found, nil
}

// charLen is the length in bytes of the character at an offset, 1 behind the end.
func charLen(s string, at int) int {
	if at >= len(s) {
		return 1
	}
	_, n := utf8.DecodeRuneInString(s[at:])
	return n
}
