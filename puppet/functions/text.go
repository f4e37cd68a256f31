package functions

import (
	"strings"
	"unicode/utf8"

	"bunraku/provenance"
	"bunraku/puppet/eval"
	"bunraku/puppet/value"
)

// textFunctions change strings, alone or in lists.
func textFunctions() []*eval.Function {
	return []*eval.Function{
		eachText("camelcase", "Writes words_with_underscores as WordsWithUnderscores.", camelcase),
		eachText("capitalize", "Makes the first letter upper case and all others lower case.", value.Capitalize),
		eachText("chomp", "Drops one line end from the end of a string.", chomp),
		eachText("chop", "Drops the last character; a carriage return and newline count as one.", chop),
		eachText("lstrip", "Drops blanks from the beginning of a string.", lstrip),
		eachText("rstrip", "Drops blanks from the end of a string.", rstrip),
		eachText("strip", "Drops blanks from both ends of a string.", func(s string) string { return lstrip(rstrip(s)) }),
		deepText("downcase", "Makes all letters lower case, in nested arrays and hashes too.", value.Downcase),
		deepText("upcase", "Makes all letters upper case, in nested arrays and hashes too.", value.Upcase),
		{Name: "join", Doc: "Joins the elements of an array into a string, with a separator between them.",
			Dispatches: []eval.Dispatch{
				{Signature: "Callable[Array, String, 1, 2]", Names: []string{"arg", "delimiter"},
					Run: func(c *eval.Call) (value.Value, error) {
						list, sep := c.Args[0].(*value.Array).Elems, value.ToString(c.Arg(1))
						if err := eval.Room(len(sep) * len(list)); err != nil {
							return nil, err
						}
						return value.String(joinRuby(list, sep)), nil
					}},
			}},
		legacy("sprintf", "Formats values by a format string, as Ruby's sprintf does.", eval.Pure, -2, sprintf),
		legacy("shellquote", "Quotes its arguments for a shell and joins them with blanks.", eval.Pure, -1, shellquote),
	}
}

// eachText makes a function that changes a string or each string of a list; numbers stay as they are.
func eachText(name, doc string, change func(string) string) *eval.Function {
	arg := []string{"arg"}
	return &eval.Function{Name: name, Doc: doc, Dispatches: []eval.Dispatch{
		{Signature: "Callable[Numeric]", Names: arg, Run: same},
		{Signature: "Callable[String]", Names: arg, Run: func(c *eval.Call) (value.Value, error) {
			return value.String(change(string(c.Args[0].(value.String)))), nil
		}},
		{Signature: "Callable[Iterable[Variant[String, Numeric]]]", Names: arg, Run: func(c *eval.Call) (value.Value, error) {
			c.Ref = c.ArgRef(0)
			if t, is := c.Args[0].(value.Type); is {
				return nil, noMethod("map", t)
			}
			out := value.NewArrayBuilder(4)
			return finish(out, elements(c.Args[0], func(v value.Value, r provenance.Ref) error {
				if s, is := v.(value.String); is {
					v, r = value.String(change(string(s))), computed(c, r)
				}
				out.AddRef(v, r)
				return nil
			}))
		}},
	}}
}

// same is a function that gives back its argument.
func same(c *eval.Call) (value.Value, error) {
	c.Ref = c.ArgRef(0)
	return c.Args[0], nil
}

func finish(b *value.ArrayBuilder, err error) (value.Value, error) {
	if err != nil {
		return nil, err
	}
	return b.Array(), nil
}

// deepText makes a function that changes strings at every depth.
func deepText(name, doc string, change func(string) string) *eval.Function {
	arg := []string{"arg"}
	var deep func(c *eval.Call, v value.Value, r provenance.Ref) (value.Value, provenance.Ref)
	deep = func(c *eval.Call, v value.Value, r provenance.Ref) (value.Value, provenance.Ref) {
		switch v := v.(type) {
		case value.String:
			return value.String(change(string(v))), computed(c, r)
		case *value.Array:
			out := value.NewArrayBuilder(v.Len())
			for i, e := range v.Elems {
				out.AddRef(deep(c, e, v.Ref(i)))
			}
			return out.Array(), r
		case *value.Hash:
			out := value.NewHashBuilder(v.Len())
			for _, e := range v.Entries() {
				k, kr := deep(c, e.Key, e.KeyRef)
				x, xr := deep(c, e.Value, e.Ref)
				out.SetEntry(value.Entry{Key: k, Value: x, KeyRef: kr, Ref: xr})
			}
			return out.Hash(), r
		}
		return v, r
	}
	run := func(c *eval.Call) (v value.Value, err error) {
		v, c.Ref = deep(c, c.Args[0], c.ArgRef(0))
		return v, nil
	}
	return withLocals(name, doc, eval.Pure, []local{{"StringData",
		"Variant[String, Numeric, Array[StringData], Hash[StringData, StringData]]"}},
		form{signature: "Callable[Numeric]", names: arg, run: run},
		form{signature: "Callable[String]", names: arg, run: run},
		form{signature: "Callable[Array[StringData]]", names: arg, run: run},
		form{signature: "Callable[Hash[StringData, StringData]]", names: arg, run: run},
	)
}

func camelcase(s string) string {
	var b strings.Builder
	for _, part := range splitText(s, "_") {
		b.WriteString(value.Capitalize(part))
	}
	return b.String()
}

func chomp(s string) string {
	if t, ok := strings.CutSuffix(s, "\n"); ok {
		return strings.TrimSuffix(t, "\r")
	}
	return strings.TrimSuffix(s, "\r")
}

func chop(s string) string {
	if t, ok := strings.CutSuffix(s, "\r\n"); ok {
		return t
	}
	_, n := utf8.DecodeLastRuneInString(s)
	return s[:len(s)-n]
}

const blanks = "\t\n\v\f\r \x00" // what Ruby strips, at both ends

func lstrip(s string) string { return strings.TrimLeft(s, blanks) }
func rstrip(s string) string { return strings.TrimRight(s, blanks) }

// joinRuby is Ruby's Array#join: nested arrays are joined too.
func joinRuby(list []value.Value, sep string) string {
	parts := make([]string, len(list))
	for i, v := range list {
		if a, is := v.(*value.Array); is {
			parts[i] = joinRuby(a.Elems, sep)
		} else {
			parts[i] = rubyString(v)
		}
	}
	return strings.Join(parts, sep)
}

func sprintf(c *eval.Call) (value.Value, error) {
	format, is := c.Args[0].(value.String)
	if !is {
		return nil, noConversion(c.Args[0], "String")
	}
	s, err := value.Sprintf(string(format), c.Args[1:])
	if err != nil && len(c.Args) == 2 && strings.HasPrefix(err.Error(), "key") {
		// Names in a format are symbols to Ruby; Puppet tries again with the keys made symbols.
		if h, is := c.Args[1].(*value.Hash); is {
			s, err = value.SprintfHash(string(format), h)
		}
	}
	return value.String(s), err
}

// shellquote leaves a harmless word alone and quotes others, with the weaker quotes when they do.
func shellquote(c *eval.Call) (value.Value, error) {
	const dangerous = "!\"`$\\" // within double quotes
	safe := func(r rune) bool {
		return r < utf8.RuneSelf && (r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' ||
			strings.ContainsRune("@%_+=:,./-", r))
	}
	var words []string
	for _, v := range value.Flatten(value.NewArray(c.Args...)).Elems {
		s, is := v.(value.String)
		if !is {
			switch v.(type) {
			case *value.Hash, *puppetResource: // Ruby lets these pass for words at first
				return nil, noConversion(v, "String")
			}
			return nil, noMethod("length", v)
		}
		word := string(s)
		switch {
		case word != "" && strings.IndexFunc(word, func(r rune) bool { return !safe(r) }) < 0:
		case !strings.ContainsAny(word, dangerous):
			word = `"` + word + `"`
		case !strings.Contains(word, "'"):
			word = "'" + word + "'"
		default:
			var b strings.Builder
			b.WriteByte('"')
			for i := 0; i < len(word); i++ {
				if strings.IndexByte(dangerous, word[i]) >= 0 {
					b.WriteByte('\\')
				}
				b.WriteByte(word[i])
			}
			b.WriteByte('"')
			word = b.String()
		}
		words = append(words, word)
	}
	return value.String(strings.Join(words, " ")), nil
}
