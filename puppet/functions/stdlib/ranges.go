package stdlib

import (
	"fmt"
	"math/big"
	"strings"

	"bunraku/puppet/eval"
	"bunraku/puppet/functions"
	"bunraku/puppet/onigmo"
	"bunraku/puppet/value"
)

// rangeLimit is how many elements range gives at most; a range of more is an error.
const rangeLimit = 1_000_000

func longRange() error {
	return parseErrorf("range(): the range has more than %d elements", rangeLimit)
}

var (
	rangeText = onigmo.MustCompile(`^(\w+)(\.\.\.?|\-)(\w+)$`)
	digitLine = onigmo.MustCompile(`^\d+$`)
	someLine  = onigmo.MustCompile(`^.+$`)
	indexSpan = onigmo.MustCompile(`^(\d+)(\.\.\.?|\-)(\d+)$`)
)

// matches is Ruby's match?. A search that is given up matches nothing.
func matches(re *onigmo.Regexp, s string) bool {
	ok, err := re.Match(s)
	return ok && err == nil
}

// groups are the captured texts, nil when there is no match.
func groups(re *onigmo.Regexp, s string) []string {
	loc, err := re.Find(s, 0)
	if err != nil || loc == nil {
		return nil
	}
	out := make([]string, len(loc)/2)
	for i := range out {
		if loc[2*i] >= 0 {
			out[i] = s[loc[2*i]:loc[2*i+1]]
		}
	}
	return out
}

func rangeFunction() old {
	return old{"range", "The numbers or texts from one to another, in steps.", eval.Pure, -1, rangeOf}
}

func rangeOf(c *eval.Call) (value.Value, error) {
	if len(c.Args) == 0 {
		return nil, given(c, "1")
	}
	start, stop := c.Args[0], c.Arg(1)
	step, open := int64(1), false
	if len(c.Args) > 1 {
		if !value.IsUndef(c.Arg(2)) {
			n, err := toInt(c.Args[2])
			if err != nil {
				return nil, err
			}
			if n.Sign() == 0 {
				return nil, argumentError("range(): 3rd arg (step size) must be a non zero integer (e.g. 1 or -1)")
			}
			if n = new(big.Int).Abs(n); !n.IsInt64() {
				n.SetInt64(1 << 62)
			}
			step = n.Int64()
		}
	} else {
		s, is := start.(value.String)
		if !is {
			if _, is := start.(value.Default); !is {
				return nil, noMethod("match", start)
			}
			s = "default"
		}
		m := groups(rangeText, string(s))
		switch {
		case m != nil:
			start, stop, open = value.String(m[1]), value.String(m[3]), m[2] == "..."
		case matches(someLine, string(s)):
			return nil, parseErrorf("range(): Unable to compute range from the value: %s", s)
		default:
			return nil, parseErrorf("range(): Unknown range format: %s", s)
		}
	}
	if matches(digitLine, text(start)) {
		return intRange(start, stop, step, open)
	}
	b := value.NewArrayBuilder(8)
	n := int64(0)
	upto(text(start), text(stop), open, func(s string) bool {
		if n%step == 0 {
			b.Add(value.String(s))
		}
		n++
		return b.Len() <= rangeLimit && n < 10*rangeLimit
	})
	if b.Len() > rangeLimit || n >= 10*rangeLimit {
		return nil, longRange()
	}
	return b.Array(), nil
}

func intRange(start, stop value.Value, step int64, open bool) (value.Value, error) {
	from, err := toInt(start)
	if err != nil {
		return nil, err
	}
	to, err := toInt(stop)
	if err != nil {
		return nil, err
	}
	b := value.NewArrayBuilder(8)
	for n := new(big.Int).Set(from); ; n.Add(n, big.NewInt(step)) {
		if b.Len() > rangeLimit {
			return nil, longRange()
		}
		if o := n.Cmp(to); o > 0 || open && o == 0 {
			break
		}
		v, err := functions.Integer(n)
		if err != nil {
			return nil, err
		}
		b.Add(v)
	}
	return b.Array(), nil
}

// upto is Ruby's String#upto.
func upto(from, to string, open bool, f func(string) bool) {
	if len(from) == 1 && len(to) == 1 && from[0] < 0x80 && to[0] < 0x80 {
		for ch := int(from[0]); ch <= int(to[0]); ch++ {
			if open && ch == int(to[0]) || !f(string(rune(ch))) {
				return
			}
		}
		return
	}
	if allDigits(from) && allDigits(to) {
		a, _ := new(big.Int).SetString(from, 10)
		b, _ := new(big.Int).SetString(to, 10)
		for ; a.Cmp(b) < 0 || !open && a.Cmp(b) == 0; a.Add(a, big.NewInt(1)) {
			if !f(fmt.Sprintf("%0*s", len(from), a.String())) {
				return
			}
		}
		return
	}
	order := strings.Compare(from, to)
	if order > 0 || open && order == 0 {
		return
	}
	after := successor(to)
	for s := from; s != after; {
		if open && s == to {
			return
		}
		last := !open && s == to
		if !f(s) || last {
			return
		}
		s = successor(s)
		if open && s == to || len(s) > len(to) || s == "" {
			return
		}
	}
}

func allDigits(s string) bool {
	return s != "" && strings.Trim(s, "0123456789") == ""
}

// successor is Ruby's String#succ for ASCII: the rightmost letter or digit goes up by one and carries to the left. A
// carry does not cross from a digit to a letter, or back, when something else stands between them.
func successor(s string) string {
	if s == "" {
		return ""
	}
	b := []byte(s)
	digit := func(c byte) bool { return c >= '0' && c <= '9' }
	letter := func(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }
	last, gap := -1, false
	for i := len(b) - 1; i >= 0; i-- {
		if gap && last >= 0 && (letter(b[last]) && digit(b[i]) || digit(b[last]) && letter(b[i])) {
			break
		}
		if gap = !digit(b[i]) && !letter(b[i]); gap {
			continue
		}
		last = i
		switch b[i] {
		case '9':
			b[i] = '0'
		case 'z':
			b[i] = 'a'
		case 'Z':
			b[i] = 'A'
		default:
			b[i]++
			return string(b)
		}
	}
	if last < 0 {
		for i := len(b) - 1; i >= 0; i-- {
			if b[i]++; b[i] != 0 {
				return string(b)
			}
		}
		return "\x01" + string(b)
	}
	grown := b[last]
	if grown == '0' {
		grown = '1'
	}
	return string(b[:last]) + string(grown) + string(b[last:])
}

func valuesAt(c *eval.Call) (value.Value, error) {
	if len(c.Args) < 2 {
		return nil, given(c, "2")
	}
	a, is := c.Args[0].(*value.Array)
	if !is {
		return nil, parseErrorf("values_at(): Requires array to work with")
	}
	wanted := value.Flatten(value.NewArray(c.Args[1])).Elems
	if len(wanted) == 0 {
		return nil, parseErrorf("values_at(): You must provide at least one positive index to collect")
	}
	most := big.NewInt(int64(a.Len() - 1))
	b := value.NewArrayBuilder(len(wanted))
	take := func(i int) {
		if !value.IsUndef(a.Elems[i]) {
			b.AddRef(a.Elems[i], a.Ref(i))
		}
	}
	for _, v := range wanted {
		s := text(v)
		if m := groups(indexSpan, s); m != nil {
			from, to := functions.LeadingInt(m[1]), functions.LeadingInt(m[3])
			if from.Cmp(to) > 0 {
				return nil, parseErrorf("values_at(): Stop index in given indices range is smaller than the start index")
			}
			if to.Cmp(most) > 0 {
				return nil, parseErrorf("values_at(): Stop index in given indices range exceeds array size")
			}
			last := int(to.Int64())
			if m[2] == "..." {
				last--
			}
			for i := int(from.Int64()); i <= last; i++ {
				take(i)
			}
			continue
		}
		if !matches(digitLine, s) {
			return nil, parseErrorf("values_at(): Unknown format of given index")
		}
		n := functions.LeadingInt(s)
		if n.Cmp(most) > 0 {
			return nil, parseErrorf("values_at(): Given index exceeds array size")
		}
		take(int(n.Int64()))
	}
	return b.Array(), nil
}
