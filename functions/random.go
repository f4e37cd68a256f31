package functions

import (
	"fmt"
	"math/big"
	"math/bits"
)

// twister is the Mersenne Twister MT19937 as Ruby's Random has it (Matsumoto and Nishimura, 1998: mt19937ar).
type twister struct {
	state [624]uint32
	next  int
}

// newTwister seeds by the 32-bit words of a number, least first (init_by_array).
func newTwister(seed *big.Int) *twister {
	var key []uint32
	for n := new(big.Int).Abs(seed); n.Sign() > 0; n.Rsh(n, 32) {
		key = append(key, uint32(new(big.Int).And(n, big.NewInt(0xffffffff)).Uint64()))
	}
	if n := len(key); n > 1 && key[n-1] == 1 {
		key = key[:n-1] // Ruby takes a highest word of 1 for its own mark of leading zeroes
	}
	if len(key) == 0 {
		key = []uint32{0}
	}
	t := &twister{}
	if len(key) == 1 {
		t.seed(key[0])
		return t
	}
	t.seed(19650218)
	i, j := 1, 0
	wrap := func() {
		if i++; i >= len(t.state) {
			t.state[0] = t.state[len(t.state)-1]
			i = 1
		}
	}
	for range max(len(t.state), len(key)) {
		t.state[i] = (t.state[i] ^ (t.state[i-1]^t.state[i-1]>>30)*1664525) + key[j] + uint32(j)
		wrap()
		if j++; j >= len(key) {
			j = 0
		}
	}
	for range len(t.state) - 1 {
		t.state[i] = (t.state[i] ^ (t.state[i-1]^t.state[i-1]>>30)*1566083941) - uint32(i)
		wrap()
	}
	t.state[0] = 0x80000000
	t.next = len(t.state)
	return t
}

func (t *twister) seed(s uint32) {
	t.state[0] = s
	for i := 1; i < len(t.state); i++ {
		t.state[i] = 1812433253*(t.state[i-1]^t.state[i-1]>>30) + uint32(i)
	}
	t.next = len(t.state)
}

func (t *twister) uint32() uint32 {
	const n, m = 624, 397
	if t.next >= n {
		for i := range n {
			y := t.state[i]&0x80000000 | t.state[(i+1)%n]&0x7fffffff
			t.state[i] = t.state[(i+m)%n] ^ y>>1
			if y&1 != 0 {
				t.state[i] ^= 0x9908b0df
			}
		}
		t.next = 0
	}
	y := t.state[t.next]
	t.next++
	y ^= y >> 11
	y ^= y << 7 & 0x9d2c5680
	y ^= y << 15 & 0xefc60000
	return y ^ y>>18
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
