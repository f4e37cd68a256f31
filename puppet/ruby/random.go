package ruby

import (
	"fmt"
	"math/big"
	"math/bits"
)

// A Random is Ruby's generator of pseudo-random numbers, the Mersenne Twister MT19937 (Matsumoto and Nishimura, 1998:
// mt19937ar). Most of Puppet's functions draw one number of each, so a word of the state is turned when it is drawn,
// not all of them at once.
type Random struct {
	state [words]uint32
	next  int
}

const words = 624

// common is the state that seeding by several words starts from.
var common = func() (t Random) {
	t.seed(19650218)
	return t
}()

// NewRandom seeds a generator.
func NewRandom(seed *big.Int) *Random {
	t := &Random{}
	t.start(seed)
	return t
}

// start seeds by the 32-bit words of a number, least first (init_by_array).
func (t *Random) start(seed *big.Int) {
	var room [8]uint32
	key := room[:0]
	bytes := seed.Bytes()
	for n := len(bytes); n > 0; n -= 4 {
		var w uint32
		for _, b := range bytes[max(0, n-4):n] {
			w = w<<8 | uint32(b)
		}
		key = append(key, w)
	}
	if n := len(key); n > 1 && key[n-1] == 1 {
		key = key[:n-1] // Ruby takes a highest word of 1 for its own mark of leading zeroes
	}
	switch len(key) {
	case 0:
		t.seed(0)
		return
	case 1:
		t.seed(key[0])
		return
	}
	*t = common
	s := &t.state
	i, j := 1, 0
	last := s[0]
	for range max(words, len(key)) {
		last = (s[i] ^ (last^last>>30)*1664525) + key[j] + uint32(j)
		s[i] = last
		if i++; i >= words {
			s[0], i = last, 1
		}
		if j++; j >= len(key) {
			j = 0
		}
	}
	for range words - 1 {
		last = (s[i] ^ (last^last>>30)*1566083941) - uint32(i)
		s[i] = last
		if i++; i >= words {
			s[0], i = last, 1
		}
	}
	s[0] = 0x80000000
}

func (t *Random) seed(s uint32) {
	t.state[0] = s
	for i := 1; i < words; i++ {
		t.state[i] = 1812433253*(t.state[i-1]^t.state[i-1]>>30) + uint32(i)
	}
	t.next = 0
}

func (t *Random) uint32() uint32 {
	const m = 397
	i := t.next
	y := t.state[i]&0x80000000 | t.state[(i+1)%words]&0x7fffffff
	w := t.state[(i+m)%words] ^ y>>1
	if y&1 != 0 {
		w ^= 0x9908b0df
	}
	t.state[i] = w
	t.next = (i + 1) % words
	w ^= w >> 11
	w ^= w << 7 & 0x9d2c5680
	w ^= w << 15 & 0xefc60000
	return w ^ w>>18
}

// Below is Ruby's Random#rand(n): words are masked to the size of n-1, and drawn again until they do not exceed it.
func (t *Random) Below(n int64) (int64, error) {
	if n <= 0 {
		return 0, fmt.Errorf("invalid argument - %d", n)
	}
	limit := uint64(n - 1)
	if limit == 0 {
		return 0, nil
	}
	mask := uint64(1)<<bits.Len64(limit) - 1
retry:
	for {
		var v uint64
		for i := 1; i >= 0; i-- {
			if mask>>(32*i)&0xffffffff != 0 {
				v |= uint64(t.uint32()) << (32 * i) & mask
				if limit < v {
					continue retry
				}
			}
		}
		return int64(v), nil
	}
}

// float is Random#rand without an argument: 53 bits.
func (t *Random) float() float64 {
	a, b := t.uint32()>>5, t.uint32()>>6
	return (float64(a)*67108864 + float64(b)) / 9007199254740992
}

// randomSingles make generators with a seed; without one the numbers would be chance.
func randomSingles() []builtin {
	return []builtin{
		{"new", 0, 1, func(c *call) Object {
			seed := toBig(c.arg(0))
			if seed == nil {
				if c.has(0) {
					seed = big.NewInt(int64(c.int(0)))
				} else {
					c.in.refuse("random numbers (Random.new)")
				}
			}
			return &Native{class: c.in.rt.class("Random"), Text: "#<Random>", ivars: NewHash(),
				data: NewRandom(new(big.Int).Abs(seed))}
		}},
		{"rand", 0, 1, func(c *call) Object { c.in.refuse("random numbers (Random.rand)"); return nil }},
		{"new_seed", 0, 0, func(c *call) Object { c.in.refuse("random numbers (Random.new_seed)"); return nil }},
		{"srand", 0, 1, func(c *call) Object { c.in.refuse("random numbers (Random.srand)"); return nil }},
	}
}

func randomTable() []builtin {
	below := func(c *call, r *Random, n int64) int64 {
		v, err := r.Below(n)
		if err != nil {
			c.raise("ArgumentError", "%s", err.Error())
		}
		return v
	}
	return []builtin{{"rand", 0, 1, func(c *call) Object {
		r, ok := c.self.(*Native).data.(*Random)
		if !ok {
			c.in.unsupported("a Random without a seed")
		}
		switch n := c.arg(0).(type) {
		case Nil:
			if c.has(0) {
				c.raise("ArgumentError", "invalid argument - nil")
			}
			return Float(r.float())
		case Int:
			return Int(below(c, r, int64(n)))
		case Float:
			if n <= 0 {
				c.in.unsupported("Random#rand of a number that is not positive")
			}
			return Float(r.float() * float64(n))
		case *Range:
			lo, ok1 := n.lo.(Int)
			hi, ok2 := n.hi.(Int)
			if ok1 && ok2 {
				if n.excl {
					hi--
				}
				if hi < lo {
					c.raise("ArgumentError", "invalid argument - %s", c.in.inspectOf(n))
				}
				return lo + Int(below(c, r, int64(hi-lo)+1))
			}
		}
		c.in.unsupported("Random#rand of a " + c.in.classOf(c.arg(0)).name)
		return nil
	}}}
}
