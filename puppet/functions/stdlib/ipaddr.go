package stdlib

import (
	"fmt"
	"math/big"
	"strings"

	"bunraku/puppet/onigmo"
	"bunraku/puppet/value"
)

// An ipAddr is Ruby's IPAddr: an address with its mask.
type ipAddr struct {
	addr, mask *big.Int
	six        bool
	zone       string
}

var (
	ip4Like       = onigmo.MustCompile(`(?mx: \A (\d+) \. (\d+) \. (\d+) \. (\d+) \z )`)
	ip6Full       = onigmo.MustCompile(`(?ix: \A (?: (?: [\da-f]{1,4} : ){7} [\da-f]{1,4} | ( (?: [\da-f]{1,4} : ){6} ) (\d+) \. (\d+) \. (\d+) \. (\d+) ) \z )`)
	ip6Compressed = onigmo.MustCompile(`(?ix: \A ( (?: (?: [\da-f]{1,4} : )* [\da-f]{1,4} )? ) :: ( (?: ( (?: [\da-f]{1,4} : )* ) (?: [\da-f]{1,4} | (\d+) \. (\d+) \. (\d+) \. (\d+) ) )? ) \z )`)
	bracketed     = onigmo.MustCompile(`\A\[(.*)\]\z`)
	zoned         = onigmo.MustCompile(`\A(.*)(%\w+)\z`)
	prefixLength  = onigmo.MustCompile(`\A(0|[1-9]+\d*)\z`)
	digitsOnly    = onigmo.MustCompile(`\A\d+\z`)
)

func allOnes(six bool) *big.Int {
	n := uint(32)
	if six {
		n = 128
	}
	one := big.NewInt(1)
	return new(big.Int).Sub(new(big.Int).Lsh(one, n), one)
}

// newIPAddr is IPAddr.new. Its errors are all ArgumentErrors.
func newIPAddr(v value.Value) (*ipAddr, error) {
	s, is := v.(value.String)
	if !is {
		return nil, argumentError("address family must be specified")
	}
	return parseIPAddr(string(s))
}

func parseIPAddr(s string) (*ipAddr, error) {
	prefix, length, masked := strings.Cut(s, "/")
	a := &ipAddr{}
	mustSix := false
	if m := groups(bracketed, prefix); m != nil {
		prefix, mustSix = m[1], true
	}
	if m := groups(zoned, prefix); m != nil {
		prefix, a.zone, mustSix = m[1], m[2], true
	}
	var err error
	if !mustSix {
		if m := groups(ip4Like, prefix); m != nil {
			a.addr, err = octets(m[1:], "")
		}
	}
	if a.addr == nil && err == nil {
		a.addr, err = address6(prefix)
		a.six = true
	}
	if err != nil {
		return nil, err
	}
	if a.addr == nil {
		a.addr = new(big.Int) // Ruby has nil here, and fails later; nothing that is asked of it tells the difference
	}
	a.mask = allOnes(a.six)
	if masked {
		return a, a.narrow(length)
	}
	return a, nil
}

// octets joins four decimal numbers.
func octets(parts []string, shown string) (*big.Int, error) {
	n := int64(0)
	for _, p := range parts {
		v, ok := new(big.Int).SetString(p, 10)
		if !ok || v.Cmp(big.NewInt(256)) >= 0 {
			return nil, argumentError("invalid address: " + shown)
		}
		if len(p) > 1 && p[0] == '0' {
			return nil, argumentError("zero-filled number in IPv4 address is ambiguous: " + shown)
		}
		n = n<<8 | v.Int64()
	}
	return big.NewInt(n), nil
}

func address6(left string) (*big.Int, error) {
	low := new(big.Int)
	right := ""
	bad := argumentError("invalid address: ")
	if m := groups(ip6Full, left); m != nil {
		if m[2] != "" {
			var err error
			if low, err = octets(m[2:6], ""); err != nil {
				return nil, err
			}
			left = m[1] + ":"
		}
	} else if m := groups(ip6Compressed, left); m != nil {
		colons := strings.Count(left, ":")
		if m[4] != "" {
			if colons > 6 {
				return nil, bad
			}
			var err error
			if low, err = octets(m[4:8], ""); err != nil {
				return nil, err
			}
			left, right = m[1], m[3]+"0:0"
		} else {
			most := 7
			if m[1] == "" || m[2] == "" {
				most = 8
			}
			if colons > most {
				return nil, bad
			}
			left, right = m[1], m[2]
		}
	} else {
		return nil, bad
	}
	l, r := splitColons(left), splitColons(right)
	rest := 8 - len(l) - len(r)
	if rest < 0 {
		return nil, nil
	}
	n := new(big.Int)
	for _, part := range append(append(l, strings.Split(strings.Repeat("0", rest), "")...), r...) {
		v, _ := new(big.Int).SetString(part, 16)
		if v == nil {
			v = new(big.Int)
		}
		n.Or(n.Lsh(n, 16), v)
	}
	return n.Or(n, low), nil
}

func splitColons(s string) []string {
	if s == "" {
		return nil
	}
	parts := strings.Split(s, ":")
	for len(parts) > 0 && parts[len(parts)-1] == "" {
		parts = parts[:len(parts)-1]
	}
	return parts
}

// narrow is mask!: a prefix length or a netmask.
func (a *ipAddr) narrow(mask string) error {
	width := 32
	if a.six {
		width = 128
	}
	switch {
	case matches(prefixLength, mask):
		n, _ := new(big.Int).SetString(mask, 10)
		if n.Cmp(big.NewInt(int64(width))) > 0 {
			return argumentError("invalid length: " + a.addr.String())
		}
		rest := uint(width) - uint(n.Int64())
		a.mask = new(big.Int).Lsh(new(big.Int).Rsh(allOnes(a.six), rest), rest)
		a.addr = new(big.Int).And(a.addr, a.mask)
	case matches(digitsOnly, mask):
		return argumentError("leading zeros in prefix")
	default:
		m, err := parseIPAddr(mask)
		if err != nil {
			return err
		}
		if m.six != a.six {
			return argumentError("address family is not same: " + a.addr.String())
		}
		n := new(big.Int).Xor(m.addr, m.mask)
		if new(big.Int).And(new(big.Int).Add(n, big.NewInt(1)), n).Sign() != 0 {
			return argumentError(fmt.Sprintf("invalid mask %s: %s", mask, a.addr))
		}
		a.mask = m.addr
		a.addr = new(big.Int).And(a.addr, a.mask)
	}
	return nil
}

// includes reports whether the network holds all of another.
func (a *ipAddr) includes(b *ipAddr) bool {
	if a.six != b.six {
		return false
	}
	span := func(x *ipAddr) (lo, hi *big.Int) {
		return new(big.Int).And(x.addr, x.mask), new(big.Int).Or(x.addr, new(big.Int).Xor(allOnes(x.six), x.mask))
	}
	lo, hi := span(a)
	l, h := span(b)
	return lo.Cmp(l) <= 0 && hi.Cmp(h) >= 0
}

// String is the address in its shortest form.
func (a *ipAddr) String() string {
	b := a.addr.FillBytes(make([]byte, 16))
	if !a.six {
		return fmt.Sprintf("%d.%d.%d.%d", b[12], b[13], b[14], b[15])
	}
	var words [8]int
	parts := make([]string, 8)
	for i := range words {
		words[i] = int(b[2*i])<<8 | int(b[2*i+1])
		parts[i] = fmt.Sprintf("%x", words[i])
	}
	best, length := 0, 0
	for i := 0; i < 8; i++ {
		n := 0
		for i+n < 8 && words[i+n] == 0 {
			n++
		}
		if n > length {
			best, length = i, n
		}
	}
	s := strings.Join(parts, ":")
	if length >= 2 {
		s = strings.Join(parts[:best], ":") + "::" + strings.Join(parts[best+length:], ":")
	}
	tail := fmt.Sprintf("%d.%d.%d.%d", b[12], b[13], b[14], b[15])
	switch {
	case strings.HasPrefix(s, "::ffff:") && strings.Count(s, ":") == 4 && a.zone == "":
		return "::ffff:" + tail
	case strings.HasPrefix(s, "::") && strings.Count(s, ":") == 3 && a.zone == "" && len(s) > 3:
		return "::" + tail
	}
	return s + a.zone
}
