package ruby

import "strings"

// Strings of bytes. A String says of itself that it is binary (ASCII-8BIT): digests, what was packed, what was read as
// such. Its characters are its bytes, whatever they would be as UTF-8, and so are those of what is made of it. That
// matters only where a byte is no ASCII character; such a string is raw. Methods that do not look at characters work on
// raw strings as on others; those that do are run on a text of as many characters as there are bytes, if they are known
// to give the same that way, and are not supported otherwise.

// raw reports whether an object is a string of bytes that are not all ASCII.
func raw(o Object) bool {
	s, is := o.(*String)
	return is && s.binary && !isASCII(s.String())
}

// together reports whether what is made of strings is binary: one of them is raw. Ruby does not join raw strings with
// texts that are not all ASCII.
func (in *Interp) together(parts ...Object) bool {
	found := false
	for _, p := range parts {
		found = found || raw(p)
	}
	if found {
		for _, p := range parts {
			if s, is := p.(*String); is && !s.binary && !isASCII(s.String()) {
				in.unsupported("text and binary data in one string")
			}
		}
	}
	return found
}

// blind are the methods of strings that do not look at characters; perByte are those that see each byte as one.
const (
	blind = "bytes each_byte getbyte setbyte byteslice bytesize length size empty? == === eql? equal? hash != <=> " +
		"encoding " +
		"force_encoding b valid_encoding? ascii_only? unpack unpack1 dup clone freeze frozen? + * << concat replace clear " +
		"to_s to_str class is_a? kind_of? nil? respond_to? instance_of? object_id ! crypt inspect +@ -@ then tap send " +
		"public_send __send__ method itself yield_self instance_variable_get instance_variable_set instance_variables sum"
	perByte = "[] slice chars reverse ord chr codepoints start_with? end_with? include?"
)

var blindNames, perByteNames = nameSet(blind), nameSet(perByte)

func nameSet(words string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(words) {
		set[w] = true
	}
	return set
}

// onBytes runs a method of a raw string.
func (in *Interp) onBytes(m *method, s *String, args []Object) Object {
	if !perByteNames[m.builtin.name] {
		in.unsupported("the method " + m.builtin.name + " of binary data")
	}
	wide := make([]Object, len(args))
	for i, a := range args {
		switch a := a.(type) {
		case *String:
			wide[i] = widen(a)
		case *Regexp, *Proc:
			in.unsupported("the method " + m.builtin.name + " of binary data with a pattern")
		default:
			wide[i] = a
		}
	}
	return narrow(in.callBuiltin(m, widen(s), wide, nil, nil))
}

// widen makes a text whose characters have the numbers of the bytes, and narrow goes back.
func widen(s *String) *String {
	var b strings.Builder
	for _, c := range []byte(s.String()) {
		b.WriteRune(rune(c))
	}
	return &String{s: b.String()}
}

func narrow(o Object) Object {
	switch o := o.(type) {
	case *String:
		var b []byte
		for _, r := range o.String() {
			b = append(b, byte(r))
		}
		return &String{s: string(b), binary: true}
	case *Array:
		for i, e := range o.els() {
			o.e[i] = narrow(e)
		}
	}
	return o
}
