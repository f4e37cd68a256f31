package stdlib

import (
	"errors"
	"strings"

	"bunraku/provenance"
	"bunraku/puppet/eval"
	"bunraku/puppet/functions"
	"bunraku/puppet/types"
	"bunraku/puppet/value"
)

// escapes are the 4.x functions that quote a text for a program that reads it.
func escapes(prefix string) []*eval.Function {
	escape := func(name, doc string, change func(string) string) *eval.Function {
		return new4(prefix+name, doc, eval.Pure, "Callable[Any]", []string{"string"},
			func(c *eval.Call) (value.Value, error) {
				return value.String(change(text(c.Args[0]))), nil
			})
	}
	return []*eval.Function{
		escape("batch_escape", "Quotes a text for a Windows batch file.", func(s string) string {
			return `"` + strings.NewReplacer(`"`, `""`, "$", `\$`, `\`, `\\`).Replace(s) + `"`
		}),
		escape("powershell_escape", "Quotes a text for PowerShell.", strings.NewReplacer(" ", "` ", "'", "`'", "`", "``", "|",
			"`|", "\n", "`\n", "$", "`$", `"`, "\\`\"").Replace),
		escape("shell_escape", "Quotes a text for a POSIX shell.", shellEscape),
	}
}

// typeOf is type_of, which takes what its Ruby method takes.
func typeOf(name string) *eval.Function {
	return new4(name, "The type of a value, in detail.", eval.Pure, "Callable[Any]", []string{"value"},
		func(c *eval.Call) (value.Value, error) {
			return types.InferSet(c.Args[0]), nil
		})
}

func isA() *eval.Function {
	return new4("is_a", "Reports whether a value is of a type.", eval.Pure, "Callable[Any, Type]",
		[]string{"value", "type"}, func(c *eval.Call) (value.Value, error) {
			return value.Bool(c.Judge().IsInstance(c.Args[1].(value.Type), c.Args[0])), nil
		})
}

func sprintfHash() *eval.Function {
	return new4("sprintf_hash", "Formats the values of a hash by a format that names its keys.", eval.Pure,
		"Callable[String, Hash]", []string{"format", "arguments"}, func(c *eval.Call) (value.Value, error) {
			if err := deprecate(c, "sprintf_hash",
				"This method is deprecated. From Puppet 4.10.10/5.3.4 please use the built-in sprintf instead", true); err != nil {
				return nil, err
			}
			h := c.Args[1].(*value.Hash)
			b := value.NewHashBuilder(h.Len())
			for _, e := range h.Entries() {
				name, is := symbolOrString(e.Key)
				if !is {
					return nil, noMethod("to_sym", e.Key)
				}
				b.SetString(name, e.Value)
			}
			return string1(value.SprintfHash(text(c.Args[0]), b.Hash()))
		})
}

// merge is the 4.x one: hashes, or what a block makes of each element.
func merge(name string) *eval.Function {
	args := []string{"args"}
	return &eval.Function{Name: name,
		Doc: "Merges hashes, or the hashes that a block makes of elements; the last value wins.", Dispatches: []eval.Dispatch{
			{Signature: "Callable[[Variant[Hash[Scalar,Any], Undef, String[0,0]], 0], Hash[Scalar,Any]]", Names: args,
				Run: func(c *eval.Call) (value.Value, error) {
					c.Ref = spine(c)
					var b *value.HashBuilder
					for _, a := range c.Args {
						h, is := a.(*value.Hash)
						switch {
						case !is:
						case b == nil:
							b = h.From(8)
						default:
							for _, e := range h.Entries() {
								cover(c, b, e)
							}
						}
					}
					if b == nil {
						return value.EmptyHash, nil
					}
					return b.Hash(), nil
				}},
			{Signature: "Callable[[Iterable, 0, Callable[3, 3]], Hash]", Names: args,
				Run: func(c *eval.Call) (value.Value, error) { return mergeEach(c, true) }},
			{Signature: "Callable[[Iterable, 0, Callable[2, 2]], Hash]", Names: args,
				Run: func(c *eval.Call) (value.Value, error) { return mergeEach(c, false) }},
		}}
}

func mergeEach(c *eval.Call, keyed bool) (value.Value, error) {
	if n := len(c.Args); n != 1 {
		return nil, errors.New("wrong number of arguments (given " + text(value.Int(n)) + ", expected 1)")
	}
	so := value.EmptyHash
	why := functions.Wholly(c, 0)
	err := c.Iterating(func() error {
		it := types.IterableOn(c.Args[0])
		if it == nil {
			return noMethod("each", c.Args[0])
		}
		i := 0
		for e := range it.Seq {
			args := []value.Value{so, e}
			if keyed {
				if pair, is := e.(*value.Array); is && it.Pairs {
					args = append([]value.Value{so}, pair.Elems...)
				} else {
					args = []value.Value{so, value.Int(i), e}
				}
			}
			refs := make([]provenance.Ref, len(args))
			for i := range refs {
				refs[i] = why
			}
			v, err := c.Block.Call(args, refs)
			if err != nil {
				return err
			}
			why = c.Trace().Join(why, c.Block.LastRef())
			if h, is := v.(*value.Hash); is {
				b := so.From(h.Len())
				for _, e := range h.Entries() {
					cover(c, b, e)
				}
				so = b.Hash()
			}
			i++
		}
		return nil
	})
	c.Ref = why
	return so, err
}

// names8 are the functions below stdlib:: that 8.5 has already.
func names8() []*eval.Function {
	affixed := func(name, doc, param string, has func(s, affix string) bool) *eval.Function {
		return new4(name, doc, eval.Pure, "Callable[[String, Variant[String[1],Array[String[1], 1]]], Boolean]",
			[]string{"test_string", param}, func(c *eval.Call) (value.Value, error) {
				for _, a := range listed(c.Args[1]).Elems {
					if has(text(c.Args[0]), text(a)) {
						return value.Bool(true), nil
					}
				}
				return value.Bool(false), nil
			})
	}
	return []*eval.Function{
		affixed("stdlib::start_with", "Reports whether a text begins with one of several.", "prefixes", strings.HasPrefix),
		affixed("stdlib::end_with", "Reports whether a text ends with one of several.", "suffixes", strings.HasSuffix),
		new4("stdlib::extname", "The extension of a file's name.", eval.Pure, "Callable[[String], String]",
			[]string{"filename"}, func(c *eval.Call) (value.Value, error) {
				return value.String(extname(text(c.Args[0]))), nil
			}),
		new4("stdlib::ip_in_range", "Reports whether an address is in a network, or one of several.", eval.Pure,
			"Callable[[String, Variant[String, Array]], Boolean]", []string{"ipaddress", "range"}, ipInRange),
		new4("stdlib::xml_encode", "Escapes a text for XML.", eval.Pure,
			"Callable[[String, Enum['text','attr'], 1, 2], String]", []string{"str", "type"},
			func(c *eval.Call) (value.Value, error) {
				s := strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace(text(c.Args[0]))
				if text(c.Arg(1)) == "attr" {
					s = `"` + strings.NewReplacer(`"`, "&quot;", "'", "&apos;").Replace(s) + `"`
				}
				return value.String(s), nil
			}),
		str2resource(),
	}
}

func ipInRange(c *eval.Call) (value.Value, error) {
	ip, err := newIPAddr(c.Args[0])
	if err != nil {
		return nil, err
	}
	var nets []*ipAddr
	for _, r := range listed(c.Args[1]).Elems {
		n, err := newIPAddr(r)
		if err != nil {
			return nil, err
		}
		nets = append(nets, n)
	}
	for _, n := range nets {
		if n.includes(ip) {
			return value.Bool(true), nil
		}
	}
	return value.Bool(false), nil
}

// encloseIPv6 puts IPv6 addresses into brackets.
func encloseIPv6() old {
	return old{"enclose_ipv6", "Puts IPv6 addresses into brackets.", eval.Pure, -1,
		func(c *eval.Call) (value.Value, error) {
			if len(c.Args) != 1 {
				return nil, parseErrorf("enclose_ipv6(): Wrong number of arguments given %d for 1", len(c.Args))
			}
			switch c.Args[0].(type) {
			case value.String, *value.Array:
			default:
				return nil, parseErrorf("enclose_ipv6(): Wrong argument type given %s expected String or Array", class(c.Args[0]))
			}
			b := value.NewArrayBuilder(4)
			for _, v := range value.Flatten(listed(c.Args[0])).Elems {
				if value.IsUndef(v) {
					continue
				}
				if v != value.Value(value.String("*")) {
					ip, err := newIPAddr(v)
					if err != nil {
						return nil, parseErrorf("enclose_ipv6(): Wrong argument given %s is not an ip address.", text(v))
					}
					if ip.six {
						v = value.String("[" + ip.String() + "]")
					}
				}
				b.Add(v)
			}
			return unique(b.Array()), nil
		}}
}

// names9 are the functions below stdlib:: that came with 9.x.
func names9() []*eval.Function {
	return []*eval.Function{
		new4("stdlib::nested_values", "The values of a hash, and of the hashes in it.", eval.Pure, "Callable[[Hash], Array]",
			[]string{"hash"}, func(c *eval.Call) (value.Value, error) {
				b := value.NewArrayBuilder(4)
				nestedValues(b, c.Args[0].(*value.Hash))
				return b.Array(), nil
			}),
		new4("stdlib::has_function", "Reports whether there is a function of a name.", eval.Pure,
			"Callable[[String[1]], Boolean]", []string{"function_name"}, func(c *eval.Call) (value.Value, error) {
				name := text(c.Args[0])
				if c.Eval.World().Function(name) != nil || is3x(c, name) {
					return value.Bool(true), nil
				}
				f, _ := c.Eval.World().FunctionFile(name)
				return value.Bool(f != nil), nil
			}),
		checked9("stdlib::validate_domain_name", "Ends the compile unless all arguments are domain names.",
			"Variant[Stdlib::Fqdn, Stdlib::Dns::Zone]"),
		checked9("stdlib::validate_email_address", "Ends the compile unless all arguments are e-mail addresses.",
			"Stdlib::Email"),
		sortBy(),
	}
}

func nestedValues(b *value.ArrayBuilder, h *value.Hash) {
	for _, e := range h.Entries() {
		if inner, is := e.Value.(*value.Hash); is {
			nestedValues(b, inner)
		} else {
			b.AddRef(e.Value, e.Ref)
		}
	}
}

// checked9 makes a function that takes values of one of stdlib's own types.
func checked9(name, doc, typ string) *eval.Function {
	return &eval.Function{Name: name, Doc: doc, Flow: statement, Raw: func(c *eval.Call) (value.Value, error) {
		t, err := c.Eval.ParseType("Callable[" + typ + ", 0]")
		if err != nil {
			return nil, err
		}
		if err := accepted(c, t, []string{"values"}); err != nil {
			return nil, err
		}
		if len(c.Args) == 0 {
			return nil, argumentError(name + "(): Wrong number of arguments need at least one")
		}
		return nil, nil
	}}
}

func sortBy() *eval.Function {
	type keyed struct {
		key, elem value.Value
	}
	sorted := func(c *eval.Call) ([]keyed, error) {
		var list []keyed
		c.Ref = functions.Wholly(c, 0)
		for e := range types.IterableOn(c.Args[0]).Seq {
			// a block of two parameters fails: Ruby hands it one
			k, err := c.Block.Call([]value.Value{e}, []provenance.Ref{c.Ref})
			if err != nil {
				return nil, err
			}
			c.Ref = c.Trace().Join(c.Ref, c.Block.LastRef())
			list = append(list, keyed{key: k, elem: e})
		}
		err := functions.RubySort(list, func(a, b keyed) (int, error) {
			o, ok := functions.RubyCompare(a.key, b.key)
			if !ok {
				return 0, functions.NotComparable(a.key, b.key)
			}
			return o, nil
		})
		return list, err
	}
	return &eval.Function{Name: "stdlib::sort_by", Doc: "Sorts by what a block makes of each element.",
		Dispatches: []eval.Dispatch{
			{Signature: "Callable[Array, Callable[1, 1]]", Names: []string{"ary"}, Run: func(c *eval.Call) (value.Value, error) {
				list, err := sorted(c)
				b := value.NewArrayBuilder(len(list))
				for _, k := range list {
					b.AddRef(k.elem, c.Ref)
				}
				return b.Array(), err
			}},
			{Signature: "Callable[String, Callable[1, 1]]", Names: []string{"str"},
				Run: func(c *eval.Call) (value.Value, error) {
					list, err := sorted(c)
					var b strings.Builder
					for _, k := range list {
						b.WriteString(text(k.elem))
					}
					return value.String(b.String()), err
				}},
			{Signature: "Callable[Hash, Variant[Callable[1, 1], Callable[2, 2]]]", Names: []string{"hsh"},
				Run: func(c *eval.Call) (value.Value, error) {
					list, err := sorted(c)
					b := value.NewHashBuilder(len(list))
					for _, k := range list {
						pair := k.elem.(*value.Array)
						b.SetEntry(value.Entry{Key: pair.Elems[0], Value: pair.Elems[1], KeyRef: c.Ref, Ref: c.Ref})
					}
					return b.Hash(), err
				}},
		}}
}
