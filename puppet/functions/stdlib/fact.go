package stdlib

import (
	"strings"

	"bunraku/provenance"
	"bunraku/puppet/eval"
	"bunraku/puppet/functions"
	"bunraku/puppet/onigmo"
	"bunraku/puppet/value"
)

// interfaceFunctions ask the facts about network interfaces.
func interfaceFunctions() []old {
	kind := func(name, doc, kind string) old {
		return old{name, doc, eval.Observer, -1, func(c *eval.Call) (value.Value, error) {
			if len(c.Args) != 1 {
				return nil, given(c, "1")
			}
			d := of(c, "has_interface_with", value.String(kind), c.Args[0])
			v, err := hasInterfaceWith(d)
			c.Ref = d.Ref
			return v, err
		}}
	}
	return []old{
		{"has_interface_with", "Reports whether an interface of a name, or one with a property of some value, is there.",
			eval.Observer, -1, hasInterfaceWith},
		kind("has_ip_address", "Reports whether an interface has an address.", "ipaddress"),
		kind("has_ip_network", "Reports whether an interface is in a network.", "network"),
	}
}

func hasInterfaceWith(c *eval.Call) (value.Value, error) {
	if n := len(c.Args); n == 0 || n > 2 {
		return nil, given(c, "1 or 2")
	}
	list, why, _ := variable(c, "interfaces")
	defer func() { c.Ref = functions.Computed(c, why, functions.Everything(c)) }()
	if value.IsUndef(list) {
		return value.Bool(false), nil
	}
	s, is := list.(value.String)
	if !is {
		return nil, noMethod("split", list)
	}
	names := functions.SplitText(string(s), ",")
	if len(c.Args) == 1 {
		for _, n := range names {
			if c.Args[0] == value.Value(value.String(n)) {
				return value.Bool(true), nil
			}
		}
		return value.Bool(false), nil
	}
	same := func(name string) bool {
		v, r, _ := variable(c, name)
		why = c.Trace().Join(why, r)
		return functions.RubyEqual(v, c.Args[1])
	}
	kind, is := c.Args[0].(value.String)
	if is && same(string(kind)) {
		return value.Bool(true), nil
	}
	for _, n := range names {
		if same(text(c.Args[0]) + "_" + value.Downcase(n)) {
			return value.Bool(true), nil
		}
	}
	return value.Bool(false), nil
}

// factAt follows keys through the facts as Ruby's [] does.
func factAt(c *eval.Call, keys ...string) (value.Value, provenance.Ref, error) {
	v, r, _ := variable(c, "facts")
	for _, k := range keys {
		h, is := v.(*value.Hash)
		if !is {
			if _, text := v.(value.String); text {
				return value.Undef{}, r, nil
			}
			return nil, r, noMethod("[]", v)
		}
		if e := h.EntryString(k); e != nil {
			v, r = e.Value, c.Trace().With(e.Ref, r)
		} else {
			v, r = value.Undef{}, c.Trace().Join(r, functions.Absent(c, "fact "+strings.Join(keys, ".")))
		}
	}
	return v, r, nil
}

var factPath = onigmo.MustCompile(`([^."]+)|(?:")([^"]+)(?:")`)

// factFunction is `fact('os.release.major')`.
func factFunction() *eval.Function {
	return new4("fact", "The value of a fact by its dotted name; undef when there is none.", eval.Observer,
		"Callable[String]", []string{"fact_name"}, func(c *eval.Call) (value.Value, error) {
			name := text(c.Args[0])
			v, r, _ := variable(c, "facts")
			var walked []string
			var fault error
			err := factPath.FindAll(name, func(loc []int) bool {
				var key string
				if loc[2] >= 0 {
					key = name[loc[2]:loc[3]]
				} else {
					key = name[loc[4]:loc[5]]
				}
				if value.IsUndef(v) {
					return false
				}
				next := value.Value(value.Undef{})
				switch d := v.(type) {
				case *value.Array:
					n, err := value.ParseRubyInt(key, 0)
					if err != nil {
						c.Warn("W0652", "fact request for "+name+" returning nil: '"+dotted(walked)+"' is an array; cannot index to '"+
							key+
							"'")
						break
					}
					if i := n.Int64(); n.IsInt64() && i < int64(d.Len()) && -i <= int64(d.Len()) {
						if i < 0 {
							i += int64(d.Len())
						}
						next, r = d.Elems[i], c.Trace().With(d.Ref(int(i)), r)
					}
				case *value.Hash:
					if e := d.EntryString(key); e != nil {
						next, r = e.Value, c.Trace().With(e.Ref, r)
					} else {
						r = c.Trace().Join(r, functions.Absent(c, "fact "+name))
					}
				default:
					c.Warn("W0652", "fact request for "+name+" returning nil: '"+dotted(walked)+
						"' is not a collection; cannot walk to '"+key+"'")
				}
				v = next
				walked = append(walked, key)
				return true
			})
			c.Ref = c.Trace().With(r, c.ArgRef(0))
			if fault == nil {
				fault = err
			}
			return v, fault
		})
}

func dotted(path []string) string {
	out := make([]string, len(path))
	for i, p := range path {
		if out[i] = p; strings.Contains(p, ".") {
			out[i] = `"` + p + `"`
		}
	}
	return strings.Join(out, ".")
}

// osVersion is os_version_gte: facts by their old names, or by path in 9.x.
func osVersion(name string, osKeys, releaseKeys []string) *eval.Function {
	return new4(name, "Reports whether the node runs an operating system in a version or a later one.", eval.Observer,
		"Callable[[String[1], String[1]], Boolean]", []string{"os", "version"}, func(c *eval.Call) (value.Value, error) {
			os, r, err := factAt(c, osKeys...)
			if err != nil {
				return nil, err
			}
			if os != c.Args[0] {
				c.Ref = functions.Computed(c, r, functions.Everything(c))
				return value.Bool(false), nil
			}
			release, r2, err := factAt(c, releaseKeys...)
			if err != nil {
				return nil, err
			}
			c.Ref = functions.Computed(c, r, r2, functions.Everything(c))
			s, is := release.(value.String)
			if !is {
				return nil, noMethod("scan", release)
			}
			o, err := functions.VersionCompare(string(s), text(c.Args[1]))
			if err != nil {
				return nil, err
			}
			return value.Bool(o.(value.Int) >= 0), nil
		})
}

// interfaces9 is stdlib::has_interface_with of 9.x.
func interfaces9() *eval.Function {
	all := func(c *eval.Call) (*value.Hash, error) {
		v, r, err := factAt(c, "networking", "interfaces")
		if err != nil {
			return nil, err
		}
		c.Ref = r
		if h, is := v.(*value.Hash); is {
			c.Ref = c.Trace().Deep(r, h)
			return h, nil
		}
		return nil, noMethod("key?", v)
	}
	return &eval.Function{Name: "stdlib::has_interface_with",
		Doc: "Reports whether an interface of a name, or one with a property of some value, is there.", Flow: eval.Observer,
		Dispatches: []eval.Dispatch{
			{Signature: "Callable[[String[1]], Boolean]", Names: []string{"interface"},
				Run: func(c *eval.Call) (value.Value, error) {
					h, err := all(c)
					if err != nil {
						return nil, err
					}
					c.Ref = functions.Computed(c, c.Ref, functions.Everything(c))
					return value.Bool(h.Entry(c.Args[0]) != nil), nil
				}},
			{Signature: "Callable[[Enum['macaddress','netmask','ipaddress','network','ip','mac'], String[1]], Boolean]",
				Names: []string{"kind", "value"}, Run: func(c *eval.Call) (value.Value, error) {
					h, err := all(c)
					if err != nil {
						return nil, err
					}
					c.Ref = functions.Computed(c, c.Ref, functions.Everything(c))
					kind := text(c.Args[0])
					switch kind {
					case "ipaddress":
						kind = "ip"
					case "macaddress":
						kind = "mac"
					}
					for _, e := range h.Entries() {
						if p, is := e.Value.(*value.Hash); is && functions.RubyEqual(p.At(kind), c.Args[1]) {
							return value.Bool(true), nil
						}
					}
					return value.Bool(false), nil
				}},
		}}
}
