package stdlib

import (
	"encoding/base64"
	"encoding/binary"
	"math/big"
	"strings"
	"sync"
)

// blowfish is the cipher's state (Schneier, 1993): its tables are the first binary digits of pi, so they are computed,
// not copied.
type blowfish struct {
	p [18]uint32
	s [4][256]uint32
}

var piTables = sync.OnceValue(func() *blowfish {
	const words = 18 + 4*256
	const guard = 64
	one := new(big.Int).Lsh(big.NewInt(1), words*32+guard)
	// Machin: pi = 16 arctan(1/5) - 4 arctan(1/239)
	arctan := func(x int64) *big.Int {
		sum := new(big.Int)
		term := new(big.Int).Quo(one, big.NewInt(x))
		square := big.NewInt(x * x)
		for n := int64(1); term.Sign() != 0; n += 2 {
			part := new(big.Int).Quo(term, big.NewInt(n))
			if n%4 == 1 {
				sum.Add(sum, part)
			} else {
				sum.Sub(sum, part)
			}
			term.Quo(term, square)
		}
		return sum
	}
	pi := new(big.Int).Sub(new(big.Int).Lsh(arctan(5), 4), new(big.Int).Lsh(arctan(239), 2))
	pi.And(pi, new(big.Int).Sub(one, big.NewInt(1))) // the fraction
	digits := pi.Rsh(pi, guard).FillBytes(make([]byte, words*4))
	b := &blowfish{}
	next := func() uint32 {
		v := binary.BigEndian.Uint32(digits)
		digits = digits[4:]
		return v
	}
	for i := range b.p {
		b.p[i] = next()
	}
	for i := range b.s {
		for j := range b.s[i] {
			b.s[i][j] = next()
		}
	}
	return b
})

func (b *blowfish) encrypt(l, r uint32) (uint32, uint32) {
	for i := range 16 {
		l ^= b.p[i]
		r ^= ((b.s[0][l>>24] + b.s[1][l>>16&0xff]) ^ b.s[2][l>>8&0xff]) + b.s[3][l&0xff]
		l, r = r, l
	}
	l, r = r, l
	return l ^ b.p[17], r ^ b.p[16]
}

// word is the next four bytes of a key that is repeated without end.
func word(key []byte, at *int) uint32 {
	var v uint32
	for range 4 {
		v = v<<8 | uint32(key[*at])
		*at = (*at + 1) % len(key)
	}
	return v
}

// expand mixes a key, and a salt if there is one, into the state.
func (b *blowfish) expand(key, salt []byte) {
	at := 0
	for i := range b.p {
		b.p[i] ^= word(key, &at)
	}
	var l, r uint32
	at = 0
	step := func() (uint32, uint32) {
		if salt != nil {
			l ^= word(salt, &at)
			r ^= word(salt, &at)
		}
		l, r = b.encrypt(l, r)
		return l, r
	}
	for i := 0; i < len(b.p); i += 2 {
		b.p[i], b.p[i+1] = step()
	}
	for i := range b.s {
		for j := 0; j < len(b.s[i]); j += 2 {
			b.s[i][j], b.s[i][j+1] = step()
		}
	}
}

var bcryptDigits = base64.NewEncoding("./ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789").WithPadding(
	base64.NoPadding)

// maxBcryptCost bounds the work: each step doubles it.
const maxBcryptCost = 12

// bcrypt (Provos and Mazières, 1999) for the prefixes 2a, 2b and 2y, which agree on sane passwords. 2x, the one with a
// bug, is left out.
func bcrypt(password, setting string) (string, bool) {
	parts := strings.SplitN(setting, "$", 4) // "", 2b, 05, salt
	if len(parts) != 4 || parts[1] == "2x" || len(parts[2]) != 2 || len(parts[3]) < 22 {
		return "", false
	}
	cost := int(parts[2][0]-'0')*10 + int(parts[2][1]-'0')
	salt, err := bcryptDigits.DecodeString(parts[3][:22])
	if err != nil || cost < 4 || cost > maxBcryptCost {
		return "", false
	}
	key := append([]byte(password), 0)
	key = key[:min(len(key), 72)]
	state := *piTables()
	state.expand(key, salt)
	for range 1 << cost {
		state.expand(key, nil)
		state.expand(salt, nil)
	}
	out := []byte("OrpheanBeholderScryDoubt")
	for i := 0; i < len(out); i += 8 {
		l, r := binary.BigEndian.Uint32(out[i:]), binary.BigEndian.Uint32(out[i+4:])
		for range 64 {
			l, r = state.encrypt(l, r)
		}
		binary.BigEndian.PutUint32(out[i:], l)
		binary.BigEndian.PutUint32(out[i+4:], r)
	}
	return "$" + parts[1] + "$" + parts[2] + "$" +
		bcryptDigits.EncodeToString(salt) + bcryptDigits.EncodeToString(out[:23]), true
}
