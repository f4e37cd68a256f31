package ruby

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"math"
	"math/big"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Array#pack and String#unpack, for the directives that text is made with: bytes, characters, numbers of fixed size,
// base64, hexadecimal.

// A directive is one letter of a template, with its count: -1 for all.
type directive struct {
	letter byte
	count  int
	given  bool
}

func (c *call) directives(template string) (out []directive) {
	for i := 0; i < len(template); {
		d := directive{letter: template[i], count: 1}
		i++
		if d.letter == ' ' || d.letter == '\n' || d.letter == '\t' {
			continue
		}
		if i < len(template) && strings.IndexByte("_!<>", template[i]) >= 0 {
			c.in.unsupported("pack and unpack with " + template)
		}
		start := i
		for i < len(template) && template[i] >= '0' && template[i] <= '9' {
			i++
		}
		switch {
		case i > start:
			n, err := strconv.Atoi(template[start:i])
			if err != nil || n > c.in.limits.Size {
				c.in.unsupported("pack and unpack with " + template)
			}
			d.count, d.given = n, true
		case i < len(template) && template[i] == '*':
			d.count, d.given = -1, true
			i++
		}
		out = append(out, d)
	}
	return out
}

// fixed are the directives that stand for numbers of a fixed size; those of the machine's own order are as on x86-64.
var fixed = map[byte]struct {
	size        int
	big, signed bool
}{'C': {1, true, false}, 'c': {1, true, true}, 'n': {2, true, false}, 'N': {4, true, false}, 'v': {2, false, false},
	'V': {4, false, false}, 'S': {2, false, false}, 's': {2, false, true}, 'L': {4, false, false}, 'l': {4, false, true},
	'Q': {8, false, false}, 'q': {8, false, true}, 'J': {8, false, false}, 'j': {8, false, true}}

// low64 is the lowest bits of an integer, in two's complement.
func (c *call) low64(o Object) uint64 {
	if n, is := o.(*Big); is {
		return new(big.Int).And(n.n, new(big.Int).SetUint64(math.MaxUint64)).Uint64()
	}
	return uint64(c.in.toInt(o))
}

func packNumber(b []byte, n uint64, size int, big bool) []byte {
	var w [8]byte
	if big {
		binary.BigEndian.PutUint64(w[:], n)
		return append(b, w[8-size:]...)
	}
	binary.LittleEndian.PutUint64(w[:], n)
	return append(b, w[:size]...)
}

func arrayPack(c *call) Object {
	c.options()
	var b []byte
	items := c.self.(*Array).els()
	next := func() Object {
		if len(items) == 0 {
			c.raise("ArgumentError", "too few arguments")
		}
		o := items[0]
		items = items[1:]
		return o
	}
	text := false
	for i, d := range c.directives(c.str(0)) {
		n := d.count
		if f, ok := fixed[d.letter]; ok || d.letter == 'U' {
			if n < 0 {
				n = len(items)
			}
			for range n {
				c.in.room(8)
				if d.letter == 'U' {
					v := c.in.toInt(next())
					text = text || i == 0
					if v < 0 || v > utf8.MaxRune || !utf8.ValidRune(rune(v)) {
						c.in.unsupported("pack of a code point that is none")
					}
					b = utf8.AppendRune(b, rune(v))
					continue
				}
				b = packNumber(b, c.low64(next()), f.size, f.big)
			}
			continue
		}
		switch d.letter {
		case 'a', 'A', 'Z':
			s := c.in.toStr(next())
			size := n
			if n < 0 {
				size = len(s)
				if d.letter == 'Z' {
					size++
				}
			}
			c.in.room(size)
			pad := byte(0)
			if d.letter == 'A' {
				pad = ' '
			}
			for i := range size {
				if i < len(s) {
					b = append(b, s[i])
				} else {
					b = append(b, pad)
				}
			}
		case 'm':
			s := c.in.toStr(next())
			c.in.room(2 * len(s))
			line := 45
			if d.given && n >= 0 {
				line = n / 3 * 3
				if n == 0 {
					line = len(s) + 1
				} else if line == 0 {
					line = 45
				}
			}
			for len(s) > 0 {
				k := min(line, len(s))
				b = append(b, base64.StdEncoding.EncodeToString([]byte(s[:k]))...)
				if n != 0 || !d.given {
					b = append(b, '\n')
				}
				s = s[k:]
			}
		case 'H':
			s := c.in.toStr(next())
			if n >= 0 && d.given {
				c.in.unsupported("pack with a number of half bytes")
			}
			if len(s)%2 == 1 {
				s += "0"
			}
			raw, err := hex.DecodeString(s)
			if err != nil {
				c.in.unsupported("pack of text that is not hexadecimal")
			}
			b = append(b, raw...)
		case 'x':
			for range max(n, 0) {
				b = append(b, 0)
			}
		default:
			c.in.unsupported("pack with " + string(d.letter))
		}
	}
	out := c.in.str(string(b))
	out.binary = !text
	if out.binary && isASCII(out.s) && !strings.ContainsAny(c.str(0), "aAZCcnNvVxSsLlQqJj") {
		out.binary, out.ascii = false, true // base64 and the like are US-ASCII
	}
	return out
}

func stringUnpack(c *call) []Object {
	c.options()
	s := c.self.(*String).String()
	var out []Object
	add := func(o Object) { c.in.room(24); out = append(out, o) }
	bytes := func(t string) *String { x := c.in.str(t); x.binary = true; return x }
	for _, d := range c.directives(c.str(0)) {
		n := d.count
		if f, ok := fixed[d.letter]; ok {
			for i := 0; n < 0 || i < n; i++ {
				if len(s) < f.size {
					if n < 0 {
						break
					}
					add(Nil{})
					continue
				}
				var v uint64
				for j := range f.size {
					k := j
					if !f.big {
						k = f.size - 1 - j
					}
					v = v<<8 | uint64(s[k])
				}
				if unused := 64 - 8*f.size; f.signed {
					add(Int(int64(v<<unused) >> unused))
				} else {
					add(bigToObject(new(big.Int).SetUint64(v)))
				}
				s = s[f.size:]
			}
			continue
		}
		switch d.letter {
		case 'U':
			for i := 0; (n < 0 || i < n) && s != ""; i++ {
				r, size := utf8.DecodeRuneInString(s)
				if r == utf8.RuneError && size < 2 {
					c.raise("ArgumentError", "malformed UTF-8 character")
				}
				add(Int(r))
				s = s[size:]
			}
		case 'a', 'A', 'Z':
			k := len(s)
			if n >= 0 {
				k = min(n, k)
			}
			t := s[:k]
			s = s[k:]
			switch d.letter {
			case 'A':
				t = strings.TrimRight(t, " \x00")
			case 'Z':
				t, _, _ = strings.Cut(t, "\x00")
			}
			add(bytes(t))
		case 'm':
			var raw []byte
			var err error
			if d.given && n == 0 {
				if raw, err = base64.StdEncoding.DecodeString(s); err != nil {
					c.raise("ArgumentError", "invalid base64")
				}
			} else {
				raw = lenient64(s)
			}
			add(bytes(string(raw)))
			s = ""
		case 'H', 'B':
			t := hex.EncodeToString([]byte(s))
			if d.letter == 'B' {
				var b strings.Builder
				for i := range len(s) {
					b.WriteString(strconv.FormatUint(uint64(s[i])|0x100, 2)[1:])
				}
				t = b.String()
			}
			c.in.room(len(t))
			if n >= 0 {
				k := min(n, len(t))
				per := 2
				if d.letter == 'B' {
					per = 8
				}
				t = t[:k]
				s = s[min(len(s), (k+per-1)/per):]
			} else {
				s = ""
			}
			x := c.in.str(t)
			x.ascii = true
			add(x)
		default:
			c.in.unsupported("unpack with " + string(d.letter))
		}
	}
	return out
}

// lenient64 decodes base64 as unpack('m') does: what is no digit is passed over, and padding ends it.
func lenient64(s string) []byte {
	var out []byte
	var acc uint32
	bits := 0
	for i := range len(s) {
		v := strings.IndexByte("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/", s[i])
		if s[i] == '=' {
			break
		}
		if v < 0 {
			continue
		}
		acc = acc<<6 | uint32(v)
		if bits += 6; bits >= 8 {
			bits -= 8
			out = append(out, byte(acc>>bits))
		}
	}
	return out
}
