package ruby

import (
	"fmt"
	"math/big"
	"net/netip"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// An IPAddr is an address with its mask, as Ruby's class of that name has it: the address is already masked. A zone,
// with its percent sign, is shown and decides nothing.
type IPAddr struct {
	p    netip.Prefix
	zone string
}

func (*IPAddr) object() {}

func ipaddrSingles() []builtin {
	return []builtin{{"new", 0, 2, func(c *call) Object {
		s := "::"
		if c.has(0) {
			o, ok := c.arg(0).(*String)
			if !ok {
				if c.has(1) {
					return c.numberIP()
				}
				c.raise("IPAddr::AddressFamilyError", "address family must be specified")
			}
			s = o.String()
		}
		return c.in.parseIP(s)
	}}}
}

// numberIP is IPAddr.new of a number, or of another address, and a family.
func (c *call) numberIP() Object {
	n := new(big.Int)
	switch o := c.arg(0).(type) {
	case Int:
		n.SetInt64(int64(o))
	case *Big:
		n.Set(o.n)
	case *IPAddr:
		n.SetBytes(o.p.Addr().AsSlice())
	default:
		c.in.unsupported("IPAddr.new of a " + c.in.classOf(o).name)
	}
	size := 4
	switch family, _ := c.arg(1).(Int); family {
	case 2:
	case 10:
		size = 16
	default:
		c.in.unsupported("IPAddr.new of another family")
	}
	return &IPAddr{p: c.addressOf(n, size, 8*size, "")}
}

// addressOf makes an address of a number, with a mask of so many bits; was is what it was before.
func (c *call) addressOf(n *big.Int, size, bits int, was string) netip.Prefix {
	if n.Sign() < 0 || n.BitLen() > 8*size {
		c.raise("IPAddr::InvalidAddressError", "invalid address: %s", was)
	}
	a, _ := netip.AddrFromSlice(n.FillBytes(make([]byte, size)))
	return netip.PrefixFrom(a, bits)
}

var zoned = regexp.MustCompile(`^(.*)(%\w+)$`)

func (in *Interp) parseIP(s string) *IPAddr {
	text, mask, masked := strings.Cut(s, "/")
	// Ruby's messages end where the address ought to stand: its own variable is not set yet.
	bad := func(class, what string) { in.raise(class, "%s: ", what) }
	text = strings.TrimSuffix(strings.TrimPrefix(text, "["), "]")
	zone := ""
	if m := zoned.FindStringSubmatch(text); m != nil {
		text, zone = m[1], m[2]
	}
	a, err := netip.ParseAddr(text)
	if err != nil || a.Zone() != "" || a.Is4() && zone != "" {
		bad("IPAddr::InvalidAddressError", "invalid address")
	}
	bits := a.BitLen()
	if masked {
		if n, err := strconv.Atoi(mask); err == nil {
			if n < 0 || n > bits {
				in.raise("IPAddr::InvalidPrefixError", "invalid length: %s", new(big.Int).SetBytes(a.AsSlice()))
			}
			bits = n
		} else {
			m, err := netip.ParseAddr(mask)
			if err != nil || m.BitLen() != a.BitLen() {
				bad("IPAddr::InvalidAddressError", "invalid address")
			}
			n := new(big.Int).SetBytes(m.AsSlice())
			ones := 0
			for i := a.BitLen() - 1; i >= 0 && n.Bit(i) == 1; i-- {
				ones++
			}
			bits = ones
		}
	}
	return &IPAddr{netip.PrefixFrom(a, bits).Masked(), zone}
}

// ivar is one of the variables in which Ruby's class keeps an address, which code looks into.
func (ip *IPAddr) ivar(in *Interp, name string) Object {
	a, size := ip.p.Addr(), ip.p.Addr().BitLen()
	switch name {
	case "@addr":
		return bigToObject(new(big.Int).SetBytes(a.AsSlice()))
	case "@mask_addr":
		mask := new(big.Int).Lsh(big.NewInt(1), uint(ip.p.Bits()))
		return bigToObject(mask.Lsh(mask.Sub(mask, big.NewInt(1)), uint(size-ip.p.Bits())))
	case "@family":
		if a.Is4() {
			return Int(2)
		}
		return Int(10)
	}
	in.unsupported("the variable " + name + " of an IPAddr")
	return nil
}

func ipaddrTable() []builtin {
	self := func(c *call) netip.Prefix { return c.self.(*IPAddr).p }
	other := func(c *call) netip.Prefix {
		switch o := c.arg(0).(type) {
		case *IPAddr:
			return o.p
		case *String:
			return c.in.parseIP(o.String()).p
		}
		c.in.unsupported("IPAddr with a " + c.in.classOf(c.arg(0)).name)
		return netip.Prefix{}
	}
	include := func(c *call) Object {
		a, b := self(c), other(c)
		return Bool(a.Addr().BitLen() == b.Addr().BitLen() && a.Bits() <= b.Bits() && a.Contains(b.Addr()))
	}
	zone := func(c *call) string { return c.self.(*IPAddr).zone }
	number := func(a netip.Addr) *big.Int { return new(big.Int).SetBytes(a.AsSlice()) }
	// changed is the address made another number; its mask stays.
	changed := func(c *call, f func(z, x *big.Int)) Object {
		p, z := self(c), new(big.Int)
		was := number(p.Addr())
		f(z, was)
		return &IPAddr{c.addressOf(z, p.Addr().BitLen()/8, p.Bits(), was.String()), zone(c)}
	}
	operand := func(c *call) *big.Int {
		switch o := c.arg(0).(type) {
		case Int:
			return big.NewInt(int64(o))
		case *Big:
			return o.n
		}
		return number(other(c).Addr())
	}
	full := func(bits int) *big.Int {
		one := big.NewInt(1)
		return new(big.Int).Sub(new(big.Int).Lsh(one, uint(bits)), one)
	}
	reverse := func(c *call, six string) Object {
		a := self(c).Addr()
		var parts []string
		if b := a.AsSlice(); a.Is4() {
			for _, n := range b {
				parts = append(parts, strconv.Itoa(int(n)))
			}
			six = "in-addr.arpa"
		} else {
			for _, n := range b {
				parts = append(parts, fmt.Sprintf("%x", n>>4), fmt.Sprintf("%x", n&15))
			}
		}
		slices.Reverse(parts)
		return c.ret(strings.Join(parts, ".") + "." + six)
	}
	next := func(c *call) Object {
		a := self(c).Addr().Next()
		return &IPAddr{netip.PrefixFrom(a, a.BitLen()), zone(c)}
	}
	return []builtin{
		{"to_s", 0, 0, func(c *call) Object { return c.ret(self(c).Addr().String() + zone(c)) }},
		{"to_string", 0, 0, func(c *call) Object { return c.ret(self(c).Addr().StringExpanded() + zone(c)) }},
		{"inspect", 0, 0, func(c *call) Object {
			p := self(c)
			kind := "IPv6"
			full := p.Addr().StringExpanded() + zone(c)
			if p.Addr().Is4() {
				kind = "IPv4"
			}
			return c.ret(fmt.Sprintf("#<IPAddr: %s:%s/%s>", kind, full, maskText(p)))
		}},
		{"family", 0, 0, func(c *call) Object {
			if self(c).Addr().Is4() {
				return Int(2)
			}
			return Int(10)
		}},
		{"to_range", 0, 0, func(c *call) Object {
			p := self(c).Masked()
			last := p.Addr().AsSlice()
			for i := p.Bits(); i < 8*len(last); i++ {
				last[i/8] |= 1 << (7 - i%8)
			}
			hi, _ := netip.AddrFromSlice(last)
			return &Range{lo: &IPAddr{netip.PrefixFrom(p.Addr(), p.Addr().BitLen()), zone(c)},
				hi: &IPAddr{netip.PrefixFrom(hi, hi.BitLen()), zone(c)}}
		}},
		{"ipv4?", 0, 0, func(c *call) Object { return Bool(self(c).Addr().Is4()) }},
		{"ipv6?", 0, 0, func(c *call) Object { return Bool(!self(c).Addr().Is4()) }},
		{"to_i", 0, 0, func(c *call) Object { return bigToObject(new(big.Int).SetBytes(self(c).Addr().AsSlice())) }},
		{"prefix", 0, 0, func(c *call) Object { return Int(self(c).Bits()) }},
		{"mask", 1, 1, func(c *call) Object {
			return c.in.parseIP(self(c).Addr().String() + zone(c) + "/" + c.in.toS(c.arg(0)))
		}},
		{"netmask", 0, 0, func(c *call) Object { return c.ret(maskText(self(c))) }},
		{"include?", 1, 1, include}, {"===", 1, 1, include},
		{"==", 1, 1, func(c *call) Object { return Bool(self(c).Addr() == other(c).Addr()) }},
		{"<=>", 1, 1, func(c *call) Object { return Int(self(c).Addr().Compare(other(c).Addr())) }},
		{"loopback?", 0, 0, func(c *call) Object { return Bool(self(c).Addr().IsLoopback()) }},
		{"private?", 0, 0, func(c *call) Object { return Bool(self(c).Addr().IsPrivate()) }},
		{"succ", 0, 0, next},
		{"|", 1, 1, func(c *call) Object {
			o := operand(c)
			return changed(c, func(z, x *big.Int) { z.Or(x, o) })
		}},
		{"&", 1, 1, func(c *call) Object {
			o := operand(c)
			return changed(c, func(z, x *big.Int) { z.And(x, o) })
		}},
		{"~", 0, 0, func(c *call) Object {
			return changed(c, func(z, x *big.Int) { z.AndNot(full(self(c).Addr().BitLen()), x) })
		}},
		{"reverse", 0, 0, func(c *call) Object { return reverse(c, "ip6.arpa") }},
		{"link_local?", 0, 0, func(c *call) Object {
			a := self(c).Addr()
			return Bool(a.Unmap().IsLinkLocalUnicast())
		}},
		{"eql?", 1, 1, func(c *call) Object {
			o, is := c.arg(0).(*IPAddr)
			return Bool(is && o.p.Addr() == self(c).Addr())
		}},
	}
}

func maskText(p netip.Prefix) string {
	n := p.Addr().BitLen()
	b := make([]byte, n/8)
	for i := 0; i < p.Bits(); i++ {
		b[i/8] |= 1 << (7 - i%8)
	}
	a, _ := netip.AddrFromSlice(b)
	return a.StringExpanded()
}
