package ruby

import (
	"strings"

	"bunraku/puppet/ruby/syntax"
	"bunraku/puppet/value"
)

func kernelFormat(c *call) Object {
	return c.in.str(c.in.format(c.str(0), c.args[1:]))
}

// format is Kernel#format on the one of package value: what that does not know is turned into text first.
func (in *Interp) format(f string, args []Object) string {
	var s string
	var err error
	for _, a := range args {
		if raw(a) {
			in.unsupported("format of binary data")
		}
	}
	if strings.Contains(f, "%<") || strings.Contains(f, "%{") {
		if len(args) != 1 {
			in.raise("ArgumentError", "one hash required")
		}
		h, ok := args[0].(*Hash)
		if !ok {
			in.raise("ArgumentError", "one hash required")
		}
		b := value.NewHashBuilder(h.len())
		for _, e := range h.pairs() {
			if k, ok := e.key.(Symbol); ok {
				b.SetString(string(k), in.formatValue(e.val, verbOf(f, string(k))))
			}
		}
		s, err = value.SprintfHash(f, b.Hash())
	} else {
		f, vals := in.formatArgs(f, args)
		s, err = value.Sprintf(f, vals)
	}
	if err != nil {
		in.formatError(err)
	}
	in.room(len(s))
	return s
}

// percent is String#%. The one that Puppet loads gives back a text with a key that it does not find.
func (c *call) percent(args []Object) (out Object) {
	if c.in.Gettext {
		depth := c.in.used.depth
		defer func() {
			r := recover()
			if r == nil {
				return
			}
			if e, ok := r.(*raised); !ok || !c.in.isA(e.exc, c.in.rt.class("KeyError")) {
				panic(r)
			}
			c.in.unwind(depth)
			out = c.self
		}()
	}
	return c.ret(c.in.format(c.text(), args))
}

// verbOf is the directive by which a format shows the entry of a key, 0 if it shows none.
func verbOf(f, key string) byte {
	_, rest, found := strings.Cut(f, "<"+key+">")
	rest = strings.TrimLeft(rest, " #+-.0123456789")
	if !found || rest == "" || rest[0] == 'p' {
		return 0
	}
	return rest[0]
}

func (in *Interp) formatError(err error) {
	msg := err.Error()
	switch {
	case strings.HasPrefix(msg, "key"):
		in.raise("KeyError", "%s", msg)
	case strings.HasPrefix(msg, "can't convert"), strings.HasPrefix(msg, "no implicit conversion"):
		in.raise("TypeError", "%s", msg)
	}
	in.raise("ArgumentError", "%s", msg)
}

// formatArgs finds out which directive each argument belongs to, so that %p can be shown by inspect.
func (in *Interp) formatArgs(f string, args []Object) (string, []value.Value) {
	verbs := make([]byte, len(args))
	out := []byte(f)
	next := 0
	for i := 0; i < len(f); i++ {
		if f[i] != '%' {
			continue
		}
		i++
		at := -1
		num := 0
		for ; i < len(f); i++ {
			c := f[i]
			if c == '$' {
				at = num - 1
				num = 0
				continue
			}
			if c == '*' {
				if n := strings.TrimLeft(f[i+1:], "0123456789"); len(n) < len(f)-i-1 && strings.HasPrefix(n, "$") {
					i = len(f) - len(n) // the width is an argument of a number
				} else {
					next++
				}
				num = 0
				continue
			}
			if syntax.IsDigit(c) {
				num = num*10 + int(c-'0')
				if num > 1<<20 {
					in.room(num)
				}
				continue
			}
			if strings.IndexByte(" #+-.", c) >= 0 {
				num = 0
				continue
			}
			if c == '%' || c == '\n' {
				break
			}
			if at < 0 {
				at = next
				next++
			}
			if at >= 0 && at < len(verbs) {
				verbs[at] = c
				if c == 'p' {
					out[i] = 's'
				}
			}
			break
		}
	}
	vals := make([]value.Value, len(args))
	for i, a := range args {
		vals[i] = in.formatValue(a, verbs[i])
	}
	return string(out), vals
}

func (in *Interp) formatValue(o Object, verb byte) value.Value {
	if verb == 'p' {
		return value.String(in.inspectOf(o))
	}
	if _, text := o.(*String); verb == 'c' && !text {
		return value.Int(in.toInt(o))
	}
	switch o := o.(type) {
	case *String:
		return value.String(o.String())
	case Int:
		return value.Int(o)
	case Float:
		return value.Float(o)
	case Nil:
		if verb == 's' {
			return value.String("")
		}
		return value.Undef{}
	case Bool:
		if verb == 's' {
			return value.String(in.toS(o))
		}
		return value.Bool(o)
	case *Big:
		if verb == 's' || verb == 'd' || verb == 'i' || verb == 'u' {
			return value.String(o.n.String())
		}
		return value.Float(in.toFloat(o))
	}
	if verb == 's' || verb == 0 {
		return value.String(in.toS(o))
	}
	in.raise("TypeError", "can't convert %s into %s", in.describe(o),
		map[bool]string{true: "Float", false: "Integer"}[strings.IndexByte("eEfgGaA", verb) >= 0])
	return nil
}
