package ruby

import "bunraku/puppet/value"

// What is made of a secret is one as well: upcase of a password, its first half, its Base64. Nobody would find it by
// looking for the password. A string that has a secret in it is marked; what a built-in method makes of one that is
// marked, and what it hands to its block, is marked too and told to the host. Numbers have no place for a mark: those
// made of a secret are remembered, if they are large enough to tell anything.

// Secrets are what a host knows of the secrets that the program sees in the clear.
type Secrets interface {
	Secret(text string) bool // does it hold one, or what was made of one
	Made(text string)        // it was made of one
}

// holds reports whether something carries a mark, or an element of an array does.
func (in *Interp) holds(o Object) bool {
	switch o := o.(type) {
	case *String:
		return o.secret
	case *Match:
		return in.Secrets.Secret(o.s)
	case *Enumerator:
		return in.holds(o.recv)
	case Int, Float:
		return in.numbers[o] || in.bytes[o]
	case *Array:
		if o.secret {
			return true
		}
		if o.src != nil {
			for _, e := range o.src.Elems {
				if s, is := e.(value.String); is && in.Secrets.Secret(string(s)) {
					return true
				}
			}
			return false
		}
		for _, e := range o.e {
			if s, is := e.(*String); is && s.secret {
				return true
			}
		}
	}
	return false
}

// enters is a text that comes from the host.
func (in *Interp) enters(s *String) {
	if in.Secrets != nil && in.Secrets.Secret(s.s) {
		s.secret, in.secretive = true, true
	}
}

// Bared marks an object of which the host has just heard that it is a secret.
func (in *Interp) Bared(o Object) {
	switch o := o.(type) {
	case *String:
		in.enters(o)
	case *Array:
		for _, e := range o.e {
			in.Bared(e)
		}
	case *Hash:
		for _, e := range o.Pairs() {
			in.Bared(e)
		}
	}
}

// mark marks what was made of a secret.
func (in *Interp) mark(s *String) {
	s.secret = true
	in.Secrets.Made(s.String())
}

// ofSecrets calls a built-in of which something may be marked. A method of a hash gives what is in it, and of what a
// block makes each call is looked at by itself.
func (in *Interp) ofSecrets(m *method, recv Object, args []Object, block *Proc, f *frame) Object {
	marked := in.holds(recv)
	for _, a := range args {
		marked = marked || in.holds(a)
	}
	text, isText := recv.(*String)
	if _, isHash := recv.(*Hash); !marked || isHash {
		return in.perform(m, recv, args, block, f)
	}
	was := ""
	if isText {
		was = text.String()
	}
	v := in.perform(m, recv, args, block, f)
	if isText && text.String() != was {
		in.mark(text)
	}
	if a, is := v.(*Array); is && a.src == nil && Object(a) != recv { // its elements may be too short to be told
		a.secret = true
	}
	if block != nil && !isText {
		return v
	}
	given := func(s *String) bool {
		in := func(o Object) bool {
			if o == Object(s) {
				return true
			}
			a, is := o.(*Array)
			if is && a.src == nil {
				for _, e := range a.e {
					if e == Object(s) {
						return true
					}
				}
			}
			return false
		}
		for _, a := range args {
			if in(a) {
				return true
			}
		}
		return in(recv)
	}
	switch v := v.(type) {
	case *String:
		if !given(v) {
			in.mark(v)
		}
	case *Array:
		if v.src == nil {
			for _, e := range v.e {
				switch e := e.(type) {
				case *String:
					if !given(e) {
						in.mark(e)
					}
				case Int, Float, *Big:
					in.markNumber(e)
				}
			}
		}
	case Int, Float, *Big:
		in.markNumber(v)
	}
	return v
}

// counts looks at what an operator made of two numbers.
func (in *Interp) counts(v, a, b Object) {
	if n, is := v.(Int); is && in.numbers != nil && (in.holds(a) || in.holds(b)) {
		in.markNumber(n)
	}
}

// hands marks what a method gives to its block of something that is marked: a number may be no more than a byte of it.
func (in *Interp) hands(o Object) {
	switch o := o.(type) {
	case *String:
		in.mark(o)
	case Int:
		if in.bytes == nil {
			in.bytes = map[Object]bool{}
		}
		in.bytes[o] = true
	}
}

// MadeOfPieces tells the host which lines of a template's text were put together of pieces of secrets.
func (in *Interp) MadeOfPieces(text string) {
	for _, line := range value.Pieced(text, in.pieces) {
		in.Secrets.Made(line)
	}
}

// leastNumber is how many characters a number has that tells something of a secret: a length or an index has fewer.
const leastNumber = 4

// markNumber remembers a number that was made of a secret.
func (in *Interp) markNumber(o Object) {
	text := in.inspectOf(o)
	if len(text) < leastNumber {
		return
	}
	if _, long := o.(*Big); !long {
		if in.numbers == nil {
			in.numbers = map[Object]bool{}
		}
		in.numbers[o] = true
	}
	in.Secrets.Made(text)
}
