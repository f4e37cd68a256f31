package ruby

import (
	"math"
	"strings"

	"bunraku/puppet/onigmo"
	"bunraku/puppet/value"
)

// refusedConst names what may not be asked: it depends on the world, or on chance.
func refusedConst(name string) (string, bool) {
	switch name {
	case "ENV":
		return "the environment (ENV)", true
	case "Time", "Date", "DateTime":
		return "the clock (" + name + ")", true
	case "SecureRandom":
		return "random numbers (" + name + ")", true
	case "Dir", "IO", "Socket", "TCPSocket", "Process", "Facter", "Etc", "Resolv", "Open3", "FileUtils", "Tempfile",
		"ObjectSpace", "GC", "Signal", "Net", "Thread", "FileTest", "Pathname", "ARGV", "STDOUT", "STDERR", "STDIN", "DATA":
		return "the system (" + name + ")", true
	}
	return "", false
}

// libraries makes the modules of the standard library that are built in.
func (rt *Runtime) libraries(mod func(string, ...[]builtin) *Class, def func(string, *Class, ...[]builtin) *Class) {
	std := rt.class("StandardError")
	mod("Math")
	mod("JSON")
	def("JSON::JSONError", std)
	def("JSON::ParserError", rt.class("JSON::JSONError"))
	def("JSON::NestingError", rt.class("JSON::ParserError"))
	def("JSON::GeneratorError", rt.class("JSON::JSONError"))
	mod("Psych")
	rt.consts["YAML"] = rt.consts["Psych"]
	rt.class("Psych").consts["VERSION"] = &String{s: "4.0.3", frozen: true} // of the Ruby that RUBY_VERSION says this is
	def("Psych::Exception", rt.class("RuntimeError"))
	for _, n := range []string{"SyntaxError", "DisallowedClass", "BadAlias"} {
		def("Psych::"+n, rt.class("Psych::Exception"))
	}
	def("ERB", rt.object)
	mod("ERB::Util")
	mod("CGI")
	mod("Shellwords")
	mod("Base64")
	mod("Digest")
	def("Digest::Base", rt.object, digestTable())
	mod("OpenSSL")
	def("OpenSSL::Digest", rt.class("Digest::Base"))
	def("OpenSSL::HMAC", rt.object, hmacTable())
	mod("OpenSSL::PKCS5")
	mod("OpenSSL::KDF")
	for _, n := range digestNames {
		if n != "SHA224" { // which only OpenSSL has
			def("Digest::"+n, rt.class("Digest::Base"))
		}
		def("OpenSSL::Digest::"+n, rt.class("OpenSSL::Digest"))
	}
	mod("URI")
	def("File", rt.object)
	def("Dir", rt.object)
	rt.class("File").consts["PATH_SEPARATOR"] = &String{s: ":", frozen: true}
	rt.class("File").consts["ALT_SEPARATOR"] = Nil{}
	rt.class("File").consts["SEPARATOR"] = &String{s: "/", frozen: true}
	def("Encoding", rt.object, []builtin{
		{"to_s", 0, 0, func(c *call) Object { return c.in.getIvar(c.self, "@name") }},
		{"name", 0, 0, func(c *call) Object { return c.in.getIvar(c.self, "@name") }},
		{"inspect", 0, 0, func(c *call) Object {
			return c.ret("#<Encoding:" + c.in.toS(c.in.getIvar(c.self, "@name")) +
				">")
		}},
	})
	for name, text := range map[string]string{"UTF_8": "UTF-8", "ASCII_8BIT": "ASCII-8BIT", "BINARY": "ASCII-8BIT",
		"US_ASCII": "US-ASCII", "ASCII": "US-ASCII"} {
		e := &Instance{class: rt.class("Encoding"), ivars: NewHash()}
		e.ivars.put(Symbol("@name"), &String{s: text, frozen: true})
		e.ivars.frozen = true
		if old, ok := rt.class("Encoding").consts[" "+text]; ok {
			rt.class("Encoding").consts[name] = old
			continue
		}
		rt.class("Encoding").consts[" "+text] = e
		rt.class("Encoding").consts[name] = e
	}
	rt.class("Float").consts["INFINITY"] = Float(math.Inf(1))
	rt.class("Float").consts["NAN"] = Float(math.NaN())
	rt.class("Float").consts["MAX"] = Float(math.MaxFloat64)
	rt.class("Float").consts["MIN"] = Float(2.2250738585072014e-308)
	rt.class("Float").consts["EPSILON"] = Float(2.220446049250313e-16)
	rt.class("Float").consts["DIG"] = Int(15)
	rt.class("Math").consts["PI"] = Float(math.Pi)
	rt.class("Math").consts["E"] = Float(math.E)
	rt.class("Regexp").consts["IGNORECASE"] = Int(1)
	rt.class("Regexp").consts["EXTENDED"] = Int(2)
	rt.class("Regexp").consts["MULTILINE"] = Int(4)
	rt.consts["Fixnum"], rt.consts["Bignum"] = rt.integer, rt.integer
	rt.consts["RUBY_VERSION"] = &String{s: "3.1.2", frozen: true}
	rt.consts["RUBY_PLATFORM"] = &String{s: "x86_64-linux-gnu", frozen: true}
	rt.consts["RUBY_ENGINE"] = &String{s: "ruby", frozen: true}
	mod("Puppet")
	mod("Puppet::Util")
	mod("Puppet::Parser")
	mod("Puppet::Pops")
	mod("Puppet::Pops::Types")
	def("Puppet::Parser::Scope", rt.object)
	def("Puppet::Parser::TemplateWrapper", rt.object)
	def("Puppet::Error", rt.class("RuntimeError"))
	def("Puppet::DevError", rt.class("Puppet::Error"))
	def("Puppet::ParseError", rt.class("Puppet::Error"))
	def("Puppet::ParseErrorWithIssue", rt.class("Puppet::ParseError"))
	def("Puppet::PreformattedError", rt.class("Puppet::ParseErrorWithIssue"))
	def("Random", rt.object, randomTable())
	def("IPAddr", rt.object, ipaddrTable())
	def("IPAddr::Error", rt.class("ArgumentError"))
	def("IPAddr::InvalidAddressError", rt.class("IPAddr::Error"))
	def("IPAddr::AddressFamilyError", rt.class("IPAddr::Error"))
	def("IPAddr::InvalidPrefixError", rt.class("IPAddr::InvalidAddressError"))
}

func (in *Interp) encoding(name string) Object { return in.rt.class("Encoding").consts[" "+name] }

// singles are the methods of classes and modules themselves.
func (rt *Runtime) singles() {
	set := func(class string, table []builtin) {
		c := rt.class(class)
		for i := range table {
			c.single[table[i].name] = &method{name: table[i].name, owner: c, builtin: &table[i]}
		}
	}
	set("String", []builtin{{"new", 0, -1, func(c *call) Object {
		c.options()
		s := c.in.str("")
		if c.has(0) {
			s = c.in.str(c.str(0))
		}
		if k := c.self.(*Class); k.user {
			s.class = k
			if m := c.in.findMethod(k, "initialize"); m != nil {
				c.in.invoke(m, s, c.args, c.block)
			}
		}
		return s
	}}})
	set("Array", []builtin{
		{"new", 0, 2, func(c *call) Object {
			if a, ok := c.arg(0).(*Array); ok && len(c.args) == 1 {
				return c.in.array(append([]Object(nil), a.els()...))
			}
			n := 0
			if c.has(0) {
				n = c.int(0)
			}
			if n < 0 {
				c.raise("ArgumentError", "negative array size")
			}
			if n > c.in.limits.Size/16 {
				c.in.room(c.in.limits.Size + 1)
			}
			out := make([]Object, n)
			for i := range out {
				if c.block != nil {
					out[i] = c.yield(Int(i))
				} else {
					out[i] = c.arg(1)
				}
			}
			return c.in.array(out)
		}},
		{"[]", 0, -1, func(c *call) Object { return c.in.array(c.args) }},
	})
	set("Hash", []builtin{
		{"new", 0, 1, func(c *call) Object {
			h := c.in.newHash()
			if c.has(0) {
				h.dflt = c.arg(0)
			}
			h.proc = c.block
			return h
		}},
		{"[]", 0, -1, func(c *call) Object {
			h := c.in.newHash()
			if len(c.args) == 1 {
				switch a := c.arg(0).(type) {
				case *Hash:
					x := a.copy()
					x.dflt, x.proc = nil, nil
					return x
				case *Array:
					for i, e := range a.els() {
						p, ok := e.(*Array)
						if !ok {
							c.raise("ArgumentError", "wrong element type %s at %d (expected array)", c.in.classOf(e).name, i)
						}
						switch len(p.els()) {
						case 1:
							h.put(p.e[0], Nil{})
						case 2:
							h.put(p.e[0], p.e[1])
						default:
							c.raise("ArgumentError", "invalid number of elements (%d for 1..2)", len(p.e))
						}
					}
					return h
				}
			}
			if len(c.args)%2 != 0 {
				c.raise("ArgumentError", "odd number of arguments for Hash")
			}
			for i := 0; i < len(c.args); i += 2 {
				h.put(c.args[i], c.args[i+1])
			}
			return h
		}},
	})
	set("Struct", []builtin{{"new", 0, -1, structNew}, {"members", 0, 0, func(c *call) Object {
		names, _ := c.in.members(c.self.(*Class))
		var out []Object
		for _, n := range names {
			out = append(out, Symbol(n))
		}
		return c.in.array(out)
	}}, {"[]", 0, -1, structNew}})
	set("Range", []builtin{{"new", 2, 3, func(c *call) Object {
		r := &Range{c.arg(0), c.arg(1), truthy(c.arg(2))}
		if _, ok := c.in.compare(r.lo, r.hi); !ok && !isNil(r.lo) && !isNil(r.hi) {
			c.raise("ArgumentError", "bad value for range")
		}
		return r
	}}})
	set("Regexp", regexpSingles())
	set("Proc", []builtin{{"new", 0, -1, func(c *call) Object {
		if c.block == nil {
			c.raise("ArgumentError", "tried to create Proc object without a block")
		}
		return c.block
	}}})
	set("Set", []builtin{
		{"new", 0, 1, func(c *call) Object {
			s := &Set{c.in.newHash()}
			if c.has(0) && !isNil(c.arg(0)) {
				switch c.arg(0).(type) {
				case *Array, *Hash, *Range, *Set, *Enumerator:
				default:
					c.raise("ArgumentError", "value must be enumerable")
				}
				c.in.each(c.arg(0), func(e Object) bool {
					if c.block != nil {
						e = c.yield(e)
					}
					s.h.put(e, Bool(true))
					return true
				})
			}
			return s
		}},
		{"[]", 0, -1, func(c *call) Object {
			s := &Set{c.in.newHash()}
			for _, a := range c.args {
				s.h.put(a, Bool(true))
			}
			return s
		}},
	})
	set("Integer", []builtin{{"sqrt", 1, 1, func(c *call) Object {
		n := toBig(Int(c.int(0)))
		if n.Sign() < 0 {
			c.in.unsupported("Math::DomainError")
		}
		return bigToObject(n.Sqrt(n))
	}}})
	set("Enumerator", []builtin{{"new", 0, -1, func(c *call) Object { c.in.unsupported("Enumerator.new"); return nil }}})
	set("Exception", []builtin{{"exception", 0, -1, classNew}})
	set("Kernel", kernelPrivateTable())
	set("Math", mathSingles())
	set("JSON", jsonSingles())
	set("Psych", yamlSingles())
	set("File", fileSingles())
	set("Dir", dirSingles())
	set("ERB", nil)
	set("ERB::Util", escapeSingles("html"))
	set("CGI", escapeSingles("cgi"))
	set("URI", escapeSingles("uri"))
	set("Shellwords", shellSingles())
	set("Base64", base64Singles())
	set("IPAddr", ipaddrSingles())
	set("Random", randomSingles())
	rt.crypto(set)
}

func regexpSingles() []builtin {
	compile := func(c *call) Object {
		switch p := c.arg(0).(type) {
		case *Regexp:
			return p
		}
		flags := onigmo.Flags(0)
		switch o := c.arg(1).(type) {
		case Int:
			if o&1 != 0 {
				flags |= onigmo.IgnoreCase
			}
			if o&2 != 0 {
				flags |= onigmo.Extended
			}
			if o&4 != 0 {
				flags |= onigmo.Multiline
			}
		default:
			if truthy(o) {
				flags |= onigmo.IgnoreCase
			}
		}
		return c.in.newRegexp(c.str(0), flags)
	}
	escape := func(c *call) Object {
		s, ok := stringOrSymbol(c.arg(0))
		if !ok {
			s = c.str(0)
		}
		return c.ret(onigmo.Quote(s))
	}
	return []builtin{
		{"new", 1, 3, compile}, {"compile", 1, 3, compile},
		{"escape", 1, 1, escape}, {"quote", 1, 1, escape},
		{"union", 0, -1, func(c *call) Object {
			args := c.args
			if len(args) == 1 {
				if a, ok := args[0].(*Array); ok {
					args = a.els()
				}
			}
			var parts []string
			for _, a := range args {
				if re, ok := a.(*Regexp); ok {
					if len(args) == 1 {
						return re
					}
					parts = append(parts, re.embed())
				} else {
					s, ok := stringOrSymbol(a)
					if !ok {
						s = c.in.toStr(a)
					}
					parts = append(parts, onigmo.Quote(s))
				}
			}
			if len(parts) == 0 {
				return c.in.newRegexp("(?!)", 0)
			}
			return c.in.newRegexp(strings.Join(parts, "|"), 0)
		}},
		{"last_match", 0, 1, func(c *call) Object {
			if c.frame == nil || c.frame.meth.match == nil {
				return Nil{}
			}
			if c.has(0) {
				return c.in.matchRef(c.frame.meth.match, c.arg(0))
			}
			return c.frame.meth.match
		}},
	}
}

func mathSingles() []builtin {
	one := func(name string, f func(float64) float64) builtin {
		return builtin{name, 1, 1, func(c *call) Object {
			x := c.in.toFloat(c.arg(0))
			y := f(x)
			if math.IsNaN(y) && !math.IsNaN(x) {
				c.in.unsupported("Math::DomainError")
			}
			return Float(y)
		}}
	}
	return []builtin{
		one("sqrt", math.Sqrt), one("cbrt", math.Cbrt), one("exp", math.Exp), one("log2", math.Log2),
		one("log10", math.Log10),
		one("sin", math.Sin), one("cos", math.Cos), one("tan", math.Tan), one("atan", math.Atan), one("floor", math.Floor),
		{"log", 1, 2, func(c *call) Object {
			x := c.in.toFloat(c.arg(0))
			if x < 0 {
				c.in.unsupported("Math::DomainError")
			}
			if c.has(1) {
				return Float(math.Log(x) / math.Log(c.in.toFloat(c.arg(1))))
			}
			return Float(math.Log(x))
		}},
		{"pow", 2, 2, func(c *call) Object { return Float(math.Pow(c.in.toFloat(c.arg(0)), c.in.toFloat(c.arg(1)))) }},
		{"hypot", 2, 2, func(c *call) Object { return Float(math.Hypot(c.in.toFloat(c.arg(0)), c.in.toFloat(c.arg(1)))) }},
	}
}

func jsonSingles() []builtin {
	gen := func(pretty bool) func(c *call) Object {
		return func(c *call) Object {
			st := value.CompactJSON()
			if pretty {
				st = value.PrettyJSON()
			}
			w := jsonWriter{in: c.in, style: c.in.jsonOptions(st, c.args[1:])}
			w.write(c.arg(0), 0)
			return c.ret(w.b.String())
		}
	}
	parse := func(c *call) Object {
		symbols := false
		for _, a := range c.args[1:] {
			if h, ok := a.(*Hash); ok {
				symbols = truthy(h.at(Symbol("symbolize_names")))
			}
		}
		return c.in.parseJSON(c.str(0), symbols)
	}
	return []builtin{
		{"generate", 1, 2, gen(false)}, {"dump", 1, 1, gen(false)}, {"fast_generate", 1, 2, gen(false)},
		{"pretty_generate", 1, 2, gen(true)},
		{"parse", 1, 2, parse}, {"parse!", 1, 2, parse},
		{"load", 1, 1, func(c *call) Object { return c.in.loadJSON(c.arg(0)) }},
	}
}

// fileSingles are the functions of File that look at names only.
func fileSingles() []builtin {
	out := []builtin{
		{"basename", 1, 2, func(c *call) Object {
			s := c.path(0)
			t := strings.TrimRight(s, "/")
			if t == "" {
				if s == "" {
					return c.ret("")
				}
				return c.ret("/")
			}
			t = t[strings.LastIndexByte(t, '/')+1:]
			if c.has(1) {
				switch suffix := c.str(1); {
				case suffix == ".*":
					if i := strings.LastIndexByte(t, '.'); i > 0 {
						t = t[:i]
					}
				case suffix != t:
					t = strings.TrimSuffix(t, suffix)
				}
			}
			return c.ret(t)
		}},
		{"dirname", 1, 2, func(c *call) Object {
			s := c.path(0)
			n := 1
			if c.has(1) {
				n = c.int(1)
			}
			for ; n > 0; n-- {
				s = dirname(s)
			}
			return c.ret(s)
		}},
		{"extname", 1, 1, func(c *call) Object {
			s := strings.TrimRight(c.path(0), "/")
			s = s[strings.LastIndexByte(s, '/')+1:]
			t := strings.TrimLeft(s, ".")
			i := strings.LastIndexByte(t, '.')
			if i < 0 || t == "" {
				return c.ret("")
			}
			return c.ret(t[i:])
		}},
		{"join", 0, -1, func(c *call) Object { return c.ret(c.fileJoin(c.args)) }},
		{"split", 1, 1, func(c *call) Object {
			base := c.in.send(c.self, "basename", c.args, nil)
			return NewArray(c.in.send(c.self, "dirname", c.args, nil), base)
		}},
		{"expand_path", 1, 2, func(c *call) Object {
			s := c.path(0)
			if !strings.HasPrefix(s, "/") {
				if !c.has(1) || !strings.HasPrefix(c.in.toS(c.arg(1)), "/") {
					c.in.refuse("the working directory (File.expand_path)")
				}
				s = c.str(1) + "/" + s
			}
			return c.ret(cleanPath(s))
		}},
		{"absolute_path?", 1, 1, func(c *call) Object { return Bool(strings.HasPrefix(c.str(0), "/")) }},
		{"fnmatch", 2, 3, func(c *call) Object { c.in.unsupported("File.fnmatch"); return nil }},
	}
	out = append(out, readingSingles()...)
	for _, n := range []string{"executable?", "symlink?", "writable?", "size?", "stat", "lstat",
		"mtime", "ctime", "atime", "write", "delete", "unlink", "rename", "realpath", "readlink", "owned?", "chmod", "chown",
		"binwrite"} {
		out = append(out, builtin{n, 0, -1, func(c *call) Object { c.in.refuse("the system (File." + n + ")"); return nil }})
	}
	return out
}

// path is an argument that names a file.
func (c *call) path(i int) string {
	s := c.pathText(c.arg(i))
	if strings.ContainsRune(s, 0) {
		c.raise("ArgumentError", "path name contains null byte")
	}
	return s
}

// pathText is an object as the text that names a file: what it says of itself (a Pathname), or a string.
func (c *call) pathText(o Object) string {
	if o, ok := o.(*Instance); ok && c.in.responds(o, "to_path") {
		return c.in.toS(c.in.send(o, "to_path", nil, nil))
	}
	return c.in.toStr(o)
}

func dirname(s string) string {
	t := strings.TrimRight(s, "/")
	if t == "" {
		if s == "" {
			return "."
		}
		return "/"
	}
	i := strings.LastIndexByte(t, '/')
	if i < 0 {
		return "."
	}
	t = strings.TrimRight(t[:i], "/")
	if strings.HasPrefix(s, "/") { // one will do
		t = "/" + strings.TrimLeft(t, "/")
	}
	return t
}

func (c *call) fileJoin(parts []Object) string {
	out := ""
	for i, a := range parts {
		var s string
		if l, ok := a.(*Array); ok {
			if c.in.printing("join", l) {
				c.raise("ArgumentError", "recursive array")
			}
			c.in.show("join", l)
			s = c.fileJoin(l.els())
			c.in.shown()
		} else {
			if s = c.pathText(a); strings.ContainsRune(s, 0) {
				c.raise("ArgumentError", "string contains null byte")
			}
		}
		if i == 0 {
			out = s
			continue
		}
		switch {
		case strings.HasPrefix(s, "/"):
			out = strings.TrimRight(out, "/") + s
		case strings.HasSuffix(out, "/"):
			out += s
		default:
			out += "/" + s
		}
	}
	return out
}

func cleanPath(s string) string {
	var out []string
	for _, p := range strings.Split(s, "/") {
		switch p {
		case "", ".":
		case "..":
			if len(out) > 0 {
				out = out[:len(out)-1]
			}
		default:
			out = append(out, p)
		}
	}
	return "/" + strings.Join(out, "/")
}

// knownNames is what Ruby has, by class: a method that is missing here is unsupported, one that is missing there does
// not exist.
func knownNames() (methods map[string]map[string]bool, consts map[string]bool) {
	methods, consts = map[string]map[string]bool{}, map[string]bool{}
	for _, line := range strings.Split(rubyNames, "\n") {
		class, list, ok := strings.Cut(line, ": ")
		if !ok {
			continue
		}
		if class == "consts" {
			for _, n := range strings.Fields(list) {
				consts[n] = true
			}
			continue
		}
		m := map[string]bool{}
		for _, n := range strings.Fields(list) {
			m[n] = true
		}
		methods[class] = m
	}
	return methods, consts
}
