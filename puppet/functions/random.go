package functions

import (
	"fmt"
	"math/big"
	"math/bits"
)

// twister is the Mersenne Twister MT19937 as Ruby's Random has it (Matsumoto and Nishimura, 1998: mt19937ar). Most of Puppet's functions
// draw one number of each, so a word of the state is turned when it is drawn, not all of them at once.
type twister struct {
	state [words]uint32
	next  int
}

const words = 624

// common is the state that seeding by several words starts from.
var common = func() (t twister) {
	t.seed(19650218)
	return t
}()

// start seeds by the 32-bit words of a number, least first (init_by_array).
func (t *twister) start(seed *big.Int) {
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

func (t *twister) seed(s uint32) {
	t.state[0] = s
	for i := 1; i < words; i++ {
		t.state[i] = 1812433253*(t.state[i-1]^t.state[i-1]>>30) + uint32(i)
	}
	t.next = 0
}

func (t *twister) uint32() uint32 {
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

// below is Ruby's Random#rand(n): words are masked to the size of n-1, and drawn again until they do not exceed it.
func (t *twister) below(n int64) (int64, error) {
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
