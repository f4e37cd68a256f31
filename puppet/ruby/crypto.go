package ruby

import (
	"crypto/hmac"
	"crypto/md5"
	"crypto/pbkdf2"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"encoding/hex"
	"hash"
	"strings"
)

// Digests, as the libraries digest and openssl have them. A digest object keeps what it was given; it is hashed when
// somebody asks.

var digestNames = []string{"MD5", "SHA1", "SHA224", "SHA256", "SHA384", "SHA512"}

// hashOf makes the hash of a name, nil for one that we have not got.
func hashOf(name string) func() hash.Hash {
	switch strings.ReplaceAll(strings.ToUpper(name), "-", "") {
	case "MD5":
		return md5.New
	case "SHA1":
		return sha1.New
	case "SHA224":
		return sha256.New224
	case "SHA256":
		return sha256.New
	case "SHA384":
		return sha512.New384
	case "SHA512":
		return sha512.New
	}
	return nil
}

// algorithm is the hash that an argument or a class stands for.
func (c *call) algorithm(o Object) func() hash.Hash {
	name := ""
	switch o := o.(type) {
	case *String:
		name = o.String()
	case *Native:
		if d, ok := o.data.(*digestData); ok {
			name = d.name
		}
	case *Class:
		for k := o; k != nil && hashOf(name) == nil; k = k.super {
			name = k.name[strings.LastIndexByte(k.name, ':')+1:]
		}
	}
	if h := hashOf(name); h != nil {
		return h
	}
	c.in.unsupported("the digest " + name)
	return nil
}

type digestData struct {
	name string
	text []byte
	key  []byte // of an HMAC; nil for a plain digest
}

// sum is the digest of a text by what this one is made for.
func (d *digestData) sum(text []byte) []byte {
	h := hashOf(d.name)
	if d.key == nil {
		return sum(h, text)
	}
	m := hmac.New(h, d.key)
	m.Write(text)
	return m.Sum(nil)
}

func sum(h func() hash.Hash, s []byte) []byte {
	d := h()
	d.Write(s)
	return d.Sum(nil)
}

func (rt *Runtime) crypto(set func(string, []builtin)) {
	for _, n := range digestNames {
		if n != "SHA224" {
			set("Digest::"+n, digestSingles(n))
		}
		set("OpenSSL::Digest::"+n, digestSingles(n))
	}
	named := func(c *call) func() hash.Hash { return c.algorithm(c.arg(0)) }
	bytes := func(b []byte) Object { return &String{s: string(b), binary: true} }
	set("OpenSSL::Digest", []builtin{
		{"new", 1, 2, func(c *call) Object {
			named(c)
			d := &digestData{name: c.in.toS(c.arg(0))}
			if n, ok := c.arg(0).(*Native); ok {
				d.name = n.data.(*digestData).name
			}
			if c.has(1) {
				d.text = []byte(c.str(1))
			}
			return &Native{class: c.self.(*Class), Text: "#<OpenSSL::Digest>", ivars: NewHash(), data: d}
		}},
		{"hexdigest", 2, 2, func(c *call) Object { return c.ret(hex.EncodeToString(sum(named(c), []byte(c.str(1))))) }},
		{"digest", 2, 2, func(c *call) Object { return bytes(sum(named(c), []byte(c.str(1)))) }},
		{"base64digest", 2, 2, func(c *call) Object {
			return c.ret(base64.StdEncoding.EncodeToString(sum(named(c),
				[]byte(c.str(1)))))
		}},
	})
	mac := func(c *call) []byte {
		m := hmac.New(named(c), []byte(c.str(1)))
		m.Write([]byte(c.str(2)))
		return m.Sum(nil)
	}
	set("OpenSSL::HMAC", []builtin{
		{"new", 2, 2, func(c *call) Object {
			c.algorithm(c.arg(1))
			d := &digestData{name: c.in.toS(c.arg(1)), key: append([]byte{}, c.str(0)...)}
			if n, ok := c.arg(1).(*Native); ok {
				d.name = n.data.(*digestData).name
			}
			return &Native{class: c.self.(*Class), Text: "#<OpenSSL::HMAC>", ivars: NewHash(), data: d}
		}},
		{"digest", 3, 3, func(c *call) Object { return bytes(mac(c)) }},
		{"hexdigest", 3, 3, func(c *call) Object { return c.ret(hex.EncodeToString(mac(c))) }},
		{"base64digest", 3, 3, func(c *call) Object { return c.ret(base64.StdEncoding.EncodeToString(mac(c))) }},
	})
	derive := func(c *call, h func() hash.Hash, password, salt string, rounds, length int) Object {
		if rounds < 1 || length < 1 || length > 1<<16 {
			c.in.unsupported("a key of that length or number of rounds")
		}
		size := h().Size()
		c.in.charge(rounds * (1 + length/size))
		key, err := pbkdf2.Key(h, password, []byte(salt), rounds, length)
		if err != nil {
			c.in.unsupported(err.Error())
		}
		return bytes(key)
	}
	set("OpenSSL::PKCS5", []builtin{
		{"pbkdf2_hmac", 5, 5, func(c *call) Object {
			return derive(c, c.algorithm(c.arg(4)), c.str(0), c.str(1), c.int(2), c.int(3))
		}},
		{"pbkdf2_hmac_sha1", 4, 4, func(c *call) Object {
			return derive(c, sha1.New, c.str(0), c.str(1), c.int(2),
				c.int(3))
		}},
	})
	set("OpenSSL::KDF", []builtin{{"pbkdf2_hmac", 1, 2, func(c *call) Object {
		o := c.options()
		at := func(name string) Object { return o.at(Symbol(name)) }
		return derive(c, c.algorithm(at("hash")), c.str(0), c.in.toStr(at("salt")), c.in.toInt(at("iterations")),
			c.in.toInt(at("length")))
	}}})
}

func digestSingles(name string) []builtin {
	h := hashOf(name)
	return []builtin{
		{"hexdigest", 1, 1, func(c *call) Object { return c.ret(hex.EncodeToString(sum(h, []byte(c.str(0))))) }},
		{"base64digest", 1, 1, func(c *call) Object {
			return c.ret(base64.StdEncoding.EncodeToString(sum(h,
				[]byte(c.str(0)))))
		}},
		{"digest", 1, 1, func(c *call) Object { return &String{s: string(sum(h, []byte(c.str(0)))), binary: true} }},
		{"new", 0, 1, func(c *call) Object {
			d := &digestData{name: name}
			if c.has(0) {
				d.text = []byte(c.str(0))
			}
			return &Native{class: c.self.(*Class), Text: "#<Digest>", ivars: NewHash(), data: d}
		}},
		{"file", 1, 1, func(c *call) Object {
			text := c.readFile("Digest.file")
			return &Native{class: c.self.(*Class), Text: "#<Digest>", ivars: NewHash(),
				data: &digestData{name: name, text: []byte(text)}}
		}},
	}
}

// digestTable is what a digest object answers. Those methods that end a digest may be given all its text at once.
func digestTable() []builtin {
	self := func(c *call) *digestData {
		d, ok := c.self.(*Native).data.(*digestData)
		if !ok {
			c.in.unsupported("a digest that was not made by new")
		}
		return d
	}
	update := func(c *call) Object {
		d := self(c)
		c.in.room(len(d.text) + len(c.str(0)))
		d.text = append(d.text, c.str(0)...)
		return c.self
	}
	final := func(c *call) []byte {
		d := self(c)
		if c.has(0) {
			return d.sum([]byte(c.str(0)))
		}
		return d.sum(d.text)
	}
	hexed := func(c *call) Object { return c.ret(hex.EncodeToString(final(c))) }
	return []builtin{
		{"update", 1, 1, update}, {"<<", 1, 1, update},
		{"hexdigest", 0, 1, hexed}, {"to_s", 0, 0, hexed},
		{"digest", 0, 1, func(c *call) Object { return &String{s: string(final(c)), binary: true} }},
		{"base64digest", 0, 1, func(c *call) Object { return c.ret(base64.StdEncoding.EncodeToString(final(c))) }},
		{"reset", 0, 0, func(c *call) Object { self(c).text = nil; return c.self }},
		{"name", 0, 0, func(c *call) Object { return c.ret(strings.ToUpper(self(c).name)) }},
		{"length", 0, 0, func(c *call) Object { return Int(hashOf(self(c).name)().Size()) }},
		{"size", 0, 0, func(c *call) Object { return Int(hashOf(self(c).name)().Size()) }},
		{"block_length", 0, 0, func(c *call) Object { return Int(hashOf(self(c).name)().BlockSize()) }},
		{"digest_length", 0, 0, func(c *call) Object { return Int(hashOf(self(c).name)().Size()) }},
	}
}

// hmacTable is what an HMAC answers: what a digest does, but for what takes all the text at once.
func hmacTable() (out []builtin) {
	for _, b := range digestTable() {
		switch b.name {
		case "update", "<<", "reset":
		case "hexdigest", "to_s", "digest", "base64digest":
			b.max = 0
		default:
			continue
		}
		out = append(out, b)
	}
	return out
}
