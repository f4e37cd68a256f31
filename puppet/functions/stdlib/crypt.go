package stdlib

import (
	"crypto/md5"
	"crypto/sha256"
	"crypto/sha512"
	stdhash "hash"
	"strconv"
	"strings"
)

// The password hashes of crypt(3), as glibc's libcrypt computes them: MD5 (Poul-Henning Kamp), SHA-256 and SHA-512
// (Ulrich Drepper, "Unix crypt using SHA-256 and SHA-512"); bcrypt is in bcrypt.go.

const cryptDigits = "./0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

// crypt hashes a password by a setting such as $6$salt. ok is false when the setting asks for something else.
func crypt(password, setting string) (hashed string, ok bool) {
	switch {
	case strings.HasPrefix(setting, "$1$"):
		return md5Crypt(password, cutSalt(setting[3:], 8)), true
	case strings.HasPrefix(setting, "$5$"):
		return shaCrypt(password, setting, "$5$", sha256.New, sha256Order)
	case strings.HasPrefix(setting, "$6$"):
		return shaCrypt(password, setting, "$6$", sha512.New, sha512Order)
	case strings.HasPrefix(setting, "$2"):
		return bcrypt(password, setting)
	}
	return "", false
}

func cutSalt(s string, most int) string {
	s, _, _ = strings.Cut(s, "$")
	return s[:min(len(s), most)]
}

// digits64 writes the lowest 6n bits of a number, least first.
func digits64(b *strings.Builder, v uint32, n int) {
	for range n {
		b.WriteByte(cryptDigits[v&0x3f])
		v >>= 6
	}
}

func md5Crypt(password, salt string) string {
	pw := []byte(password)
	inner := md5.Sum([]byte(password + salt + password))
	h := md5.New()
	h.Write([]byte(password + "$1$" + salt))
	for n := len(pw); n > 0; n -= 16 {
		h.Write(inner[:min(n, 16)])
	}
	for n := len(pw); n > 0; n >>= 1 {
		if n&1 != 0 {
			h.Write([]byte{0})
		} else {
			h.Write(pw[:1])
		}
	}
	sum := h.Sum(nil)
	for i := range 1000 {
		h := md5.New()
		if i&1 != 0 {
			h.Write(pw)
		} else {
			h.Write(sum)
		}
		if i%3 != 0 {
			h.Write([]byte(salt))
		}
		if i%7 != 0 {
			h.Write(pw)
		}
		if i&1 != 0 {
			h.Write(sum)
		} else {
			h.Write(pw)
		}
		sum = h.Sum(nil)
	}
	var b strings.Builder
	b.WriteString("$1$" + salt + "$")
	for _, t := range [][3]int{{0, 6, 12}, {1, 7, 13}, {2, 8, 14}, {3, 9, 15}, {4, 10, 5}} {
		digits64(&b, uint32(sum[t[0]])<<16|uint32(sum[t[1]])<<8|uint32(sum[t[2]]), 4)
	}
	digits64(&b, uint32(sum[11]), 2)
	return b.String()
}

// sha256Order and sha512Order write a sum in the order of the specification.
func sha256Order(b *strings.Builder, s []byte) {
	order := [][3]int{{0, 10, 20}, {21, 1, 11}, {12, 22, 2}, {3, 13, 23}, {24, 4, 14}, {15, 25, 5}, {6, 16, 26},
		{27, 7, 17}, {18, 28, 8}, {9, 19, 29}}
	for _, t := range order {
		digits64(b, uint32(s[t[0]])<<16|uint32(s[t[1]])<<8|uint32(s[t[2]]), 4)
	}
	digits64(b, uint32(s[31])<<8|uint32(s[30]), 3)
}

func sha512Order(b *strings.Builder, s []byte) {
	t := [3]int{0, 21, 42}
	for range 21 {
		digits64(b, uint32(s[t[0]])<<16|uint32(s[t[1]])<<8|uint32(s[t[2]]), 4)
		t = [3]int{t[1] + 1, t[2] + 1, t[0] + 1}
	}
	digits64(b, uint32(s[63]), 2)
}

func shaCrypt(password, setting, prefix string, make func() stdhash.Hash, order func(*strings.Builder, []byte)) (string,
	bool) {
	rest := setting[len(prefix):]
	rounds, custom := 5000, false
	if n, found := strings.CutPrefix(rest, "rounds="); found {
		number, after, cut := strings.Cut(n, "$")
		v, err := strconv.ParseUint(number, 10, 32)
		if !cut || err != nil || number == "" || number[0] == '0' {
			return "", false
		}
		if v > 999_999_999 {
			return "", false
		}
		rounds, custom, rest = int(max(v, 1000)), true, after
	}
	salt := cutSalt(rest, 16)
	pw, sl := []byte(password), []byte(salt)
	sum := func(parts ...[]byte) []byte {
		h := make()
		for _, p := range parts {
			h.Write(p)
		}
		return h.Sum(nil)
	}
	size := make().Size()
	b := sum(pw, sl, pw)
	h := make()
	h.Write(pw)
	h.Write(sl)
	h.Write(stretch(b, len(pw), size))
	for n := len(pw); n > 0; n >>= 1 {
		if n&1 != 0 {
			h.Write(b)
		} else {
			h.Write(pw)
		}
	}
	a := h.Sum(nil)
	dp := make()
	for range pw {
		dp.Write(pw)
	}
	p := stretch(dp.Sum(nil), len(pw), size)
	ds := make()
	for range 16 + int(a[0]) {
		ds.Write(sl)
	}
	s := stretch(ds.Sum(nil), len(sl), size)
	for i := range rounds {
		h := make()
		if i&1 != 0 {
			h.Write(p)
		} else {
			h.Write(a)
		}
		if i%3 != 0 {
			h.Write(s)
		}
		if i%7 != 0 {
			h.Write(p)
		}
		if i&1 != 0 {
			h.Write(a)
		} else {
			h.Write(p)
		}
		a = h.Sum(nil)
	}
	var out strings.Builder
	out.WriteString(prefix)
	if custom {
		out.WriteString("rounds=" + strconv.Itoa(rounds) + "$")
	}
	out.WriteString(salt + "$")
	order(&out, a)
	return out.String(), true
}

// stretch repeats a sum to n bytes.
func stretch(sum []byte, n, size int) []byte {
	out := make([]byte, 0, n)
	for len(out) < n {
		out = append(out, sum[:min(size, n-len(out))]...)
	}
	return out
}
