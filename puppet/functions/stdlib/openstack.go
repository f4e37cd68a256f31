package stdlib

import (
	"errors"
	"fmt"
	"strings"

	"bunraku/puppet/eval"
	"bunraku/puppet/functions"
	"bunraku/puppet/onigmo"
	"bunraku/puppet/value"
)

func openstacklib() []*eval.Function {
	return []*eval.Function{
		free("is_service_default", "Reports whether a value stands for the default of an OpenStack service.",
			func(c *eval.Call) (value.Value, error) {
				if len(c.Args) != 1 {
					return nil, parseErrorf("is_service_default(): Wrong number of argumentsgiven (%d for 1)", len(c.Args))
				}
				return value.Bool(c.Args[0] == value.Value(value.String("<SERVICE DEFAULT>"))), nil
			}),
		free("os_transport_url", "Makes the URL of a message bus of its parts.", transportURL),
		free("os_database_connection", "Makes the URL of a database of its parts.", databaseURL),
		free("normalize_ip_for_uri", "Puts IPv6 addresses into brackets.",
			func(c *eval.Call) (value.Value, error) { return normalizeIPs(c.Args) }),
		free("inet6_prefix", "Puts inet6: before IPv6 addresses.", inet6Prefix),
	}
}

// addresses are the arguments of functions that take an array or several arguments; single tells that the answer is one
// value.
func addresses(args []value.Value) (list []value.Value, single bool) {
	if len(args) > 0 {
		if a, is := args[0].(*value.Array); is {
			args = a.Elems
		}
	}
	return args, len(args) == 1
}

func normalizeIPs(args []value.Value) (value.Value, error) {
	list, single := addresses(args)
	b := value.NewArrayBuilder(len(list))
	for _, v := range list {
		if ip, err := newIPAddr(v); err == nil && ip.six && !matches(inBrackets, text(v)) {
			v = value.String("[" + text(v) + "]")
		}
		b.Add(v)
	}
	if out := b.Array(); !single {
		return out, nil
	} else {
		return out.Elems[0], nil
	}
}

var (
	inBrackets   = onigmo.MustCompile(`\[.+\]`)
	inet6Given   = onigmo.MustCompile(`^inet6:.+`)
	blankBracket = onigmo.MustCompile(`\s|\[|\]`)
)

func inet6Prefix(c *eval.Call) (value.Value, error) {
	list, single := addresses(c.Args)
	b := value.NewArrayBuilder(len(list))
	for _, v := range list {
		if s, is := v.(value.String); is && !matches(inet6Given, string(s)) {
			var parts []string
			at := 0
			err := blankBracket.FindAll(string(s), func(loc []int) bool {
				parts = append(parts, string(s[at:loc[0]]))
				at = loc[1]
				return true
			})
			if err != nil {
				return nil, err
			}
			kept := parts[:0]
			for _, p := range append(parts, string(s[at:])) {
				if p != "" {
					kept = append(kept, p)
				}
			}
			if len(kept) > 0 {
				if ip, err := parseIPAddr(kept[0]); err == nil && ip.six {
					v = value.String("inet6:[" + kept[0] + "]" + strings.Join(kept[1:], ""))
				}
			}
		}
		b.Add(v)
	}
	if out := b.Array(); !single {
		return out, nil
	} else {
		return out.Elems[0], nil
	}
}

// urlParts checks the hash that the URL functions take: a text for each key, but for those in other.
func urlParts(c *eval.Call, other map[string]string) (*value.Hash, error) {
	h, is := c.Args[0].(*value.Hash)
	if !is {
		return nil, parseErrorf("%s(): Requires an hash, got %s", c.Name, class(c.Args[0]))
	}
	b := value.NewHashBuilder(h.Len())
	for _, e := range h.Entries() {
		want := "String"
		if w, odd := other[text(e.Key)]; odd {
			want = w
		}
		if want == "text" {
			e.Value, want = value.String(text(e.Value)), "String"
		}
		if class(e.Value) != want {
			return nil, parseErrorf("%s(): %s should be a %s", c.Name, text(e.Key), want)
		}
		b.SetEntry(e)
	}
	return b.Hash(), nil
}

// userinfo is the escaped user's name and password.
func userinfo(h *value.Hash) (string, bool) {
	user, pass := text(h.At("username")), text(h.At("password"))
	if user == "" {
		return "", false
	}
	info := percent(user, "_.-~")
	if pass != "" {
		info += ":" + percent(pass, "_.-~")
	}
	return info, true
}

func transportURL(c *eval.Call) (value.Value, error) {
	if len(c.Args) != 1 {
		return nil, errors.New("os_transport_url(): Wrong number of arguments")
	}
	h, err := urlParts(c, map[string]string{"hosts": "Array", "query": "Hash", "port": "text"})
	if err != nil {
		return nil, err
	}
	has := func(k string) bool { return h.EntryString(k) != nil }
	switch {
	case !has("transport"):
		return nil, parseErrorf("os_transport_url(): transport is required")
	case !has("host") && !has("hosts"):
		return nil, parseErrorf("os_transport_url(): host or hosts is required")
	case has("host") && has("hosts"):
		return nil, parseErrorf("os_transport_url(): cannot use both host and hosts.")
	}
	names := []value.Value{h.At("host")}
	if a, is := h.At("hosts").(*value.Array); is {
		names = a.Elems
	}
	user, known := userinfo(h)
	hosts := make([]string, len(names))
	for i, n := range names {
		v, err := normalizeIPs([]value.Value{n})
		if err != nil {
			return nil, err
		}
		hosts[i] = text(v)
		if has("port") {
			hosts[i] += ":" + text(h.At("port"))
		}
		if known {
			hosts[i] = user + "@" + hosts[i]
		}
	}
	path := "/"
	if has("virtual_host") {
		path = "/" + text(h.At("virtual_host"))
	}
	query := value.NewHashBuilder(2)
	if q, is := h.At("query").(*value.Hash); is {
		query = q.From(1)
	}
	if has("ssl") {
		yes, err := str2boolFor(h.At("ssl"), "os_transport_url _str2bool()")
		if err != nil {
			return nil, err
		}
		n := value.Int(0)
		if yes {
			n = 1
		}
		query.SetString("ssl", n)
	}
	return value.String(text(h.At("transport")) + "://" + strings.Join(hosts, ",") + path + queryText(query.Hash())), nil
}

func queryText(h *value.Hash) string {
	if h.Len() == 0 {
		return ""
	}
	parts := make([]string, h.Len())
	for i, e := range h.Entries() {
		parts[i] = text(e.Key) + "=" + text(e.Value)
	}
	return "?" + strings.Join(parts, "&")
}

func databaseURL(c *eval.Call) (value.Value, error) {
	if len(c.Args) != 1 {
		return nil, parseErrorf("os_database_connection(): Wrong number of arguments given (%d for 1)", len(c.Args))
	}
	h, err := urlParts(c, map[string]string{"extra": "Hash"})
	if err != nil {
		return nil, err
	}
	has := func(k string) bool { return h.EntryString(k) != nil }
	switch {
	case !has("dialect"):
		return nil, parseErrorf("os_database_connection(): dialect is required")
	case !has("database"):
		return nil, parseErrorf("os_database_connection(): database is required")
	case has("port") && !has("host"):
		return nil, parseErrorf("os_database_connection(): host is required with port")
	}
	extra := value.NewHashBuilder(2)
	if q, is := h.At("extra").(*value.Hash); is {
		extra = q.From(1)
	}
	if has("charset") {
		extra.SetString("charset", h.At("charset"))
	}
	var b strings.Builder
	b.WriteString(text(h.At("dialect")) + ":")
	if has("host") {
		b.WriteString("//")
		if user, known := userinfo(h); known {
			b.WriteString(user + "@")
		}
		b.WriteString(text(h.At("host")))
		if has("port") {
			b.WriteString(":" + functions.LeadingInt(text(h.At("port"))).String())
		}
		b.WriteString("/")
	} else {
		b.WriteString("///")
	}
	return value.String(b.String() + text(h.At("database")) + queryText(extra.Hash())), nil
}

// ---- neutron, nova, ironic, murano, openstack_extras

var (
	vlanRange  = onigmo.MustCompile(`^(.+:)?(\d+):(\d+)$`)
	vlanPlain  = onigmo.MustCompile(`^([^:]+)?(:\d+)?$`)
	numberSpan = onigmo.MustCompile(`^(\d+):(\d+)$`)
)

func neutron() []*eval.Function {
	// spans makes a function that checks each of a list of ranges, and answers with the list.
	spans := func(name, doc string, check func(s string) error) *eval.Function {
		return free(name, doc, func(c *eval.Call) (value.Value, error) {
			list := value.NewArray(c.Arg(0))
			if a, is := c.Arg(0).(*value.Array); is {
				list = a
			}
			for _, v := range list.Elems {
				s, is := symbolOrString(v)
				switch {
				case is:
					if err := check(s); err != nil {
						return nil, err
					}
				case value.IsUndef(v):
				default:
					return nil, noConversion(v, "String")
				}
			}
			return list, nil
		})
	}
	ids := func(m []string) (a, b int64, err error) {
		x, err := value.ParseRubyInt(m[len(m)-2], 0)
		if err != nil {
			return 0, 0, err
		}
		y, err := value.ParseRubyInt(m[len(m)-1], 0)
		if err != nil {
			return 0, 0, err
		}
		if !x.IsInt64() || !y.IsInt64() {
			return 1 << 60, 0, nil
		}
		return x.Int64(), y.Int64(), nil
	}
	return []*eval.Function{
		spans("validate_network_vlan_ranges", "Ends the compile unless VLAN ranges are right.", func(s string) error {
			if m := groups(vlanRange, s); m != nil {
				a, b, err := ids(m)
				switch {
				case err != nil:
					return err
				case a > 4094 || b > 4094:
					return errors.New("vlan id are invalid.")
				case b < a:
					return errors.New("network vlan ranges are invalid.")
				}
			} else if !matches(vlanPlain, s) {
				return errors.New("network vlan ranges are invalid.")
			}
			return nil
		}),
		spans("validate_vni_ranges", "Ends the compile unless VNI ranges are right.", func(s string) error {
			bad := errors.New("vni ranges are invalid.")
			m := groups(numberSpan, s)
			if m == nil {
				return bad
			}
			a, b, err := ids(m)
			switch {
			case err != nil:
				return err
			case a > 16777215 || b > 16777215 || b < a:
				return bad
			}
			return nil
		}),
		spans("validate_tunnel_id_ranges", "Ends the compile unless ranges of tunnel identifiers are right.",
			func(s string) error {
				m := groups(numberSpan, s)
				if m == nil {
					return errors.New("tunnel id ranges are invalid.")
				}
				a, b, err := ids(m)
				switch {
				case err != nil:
					return err
				case b-a > 1000000:
					return errors.New("tunnel id ranges are to large.")
				case b < a:
					return errors.New("tunnel id ranges are invalid.")
				}
				return nil
			}),
		free("validate_vxlan_udp_port", "Ends the compile unless a port may be used for VXLAN.",
			func(c *eval.Call) (value.Value, error) {
				n, err := strictInt(c.Arg(0))
				if err != nil {
					return nil, err
				}
				if p := n.Int64(); !n.IsInt64() || p != 4789 && (p <= 49151 || p > 65535) {
					return nil, errors.New("vxlan udp port is invalid.")
				}
				return nil, nil
			}),
		free("convert_to_json_string", "Writes a value as JSON; an array of texts with colons becomes an object.",
			func(c *eval.Call) (value.Value, error) {
				a, is := c.Arg(0).(*value.Array)
				if !is {
					return string1(compactJSON.write(c.Arg(0)))
				}
				b := value.NewHashBuilder(a.Len())
				for _, e := range a.Elems {
					switch v := e.(type) {
					case value.String:
						if !strings.Contains(string(v), ":") {
							return string1(compactJSON.write(a))
						}
						parts := append(functions.SplitText(string(v), ":"), "", "")
						b.SetString(parts[0], value.OrUndef(second(parts)))
					case *value.Array:
						if !contains(v.Elems, value.String(":"), functions.RubyEqual) {
							return string1(compactJSON.write(a))
						}
						return nil, noMethod("split", v)
					case *value.Hash:
						if v.EntryString(":") == nil {
							return string1(compactJSON.write(a))
						}
						return nil, noMethod("split", v)
					default:
						return nil, noMethod("include?", e)
					}
				}
				return string1(compactJSON.write(b.Hash()))
			}),
	}
}

func second(parts []string) value.Value {
	if len(parts) < 4 {
		return nil
	}
	return value.String(parts[1])
}

func jsonStrings() *eval.Function {
	return free("to_array_of_json_strings", "Writes each hash of a list as JSON; the list may be JSON itself.",
		func(c *eval.Call) (value.Value, error) {
			if len(c.Args) != 1 {
				return nil, parseErrorf("to_array_of_json_strings(): Wrong number of arguments")
			}
			data := c.Args[0]
			if s, is := data.(value.String); is {
				v, err := value.Value(value.Undef{}), error(nil)
				if s != "" {
					v, err = readJSON(string(s))
				}
				if err != nil {
					if v, err = readJSON(strings.ReplaceAll(string(s), "'", `"`)); err != nil {
						return nil, parseErrorf("Syntax error: %s is not valid", s)
					}
					c.Warn("W0653", string(s)+
						" is not valid JSON. Support for this format is deprecated and may be removed in future.")
				}
				if data = v; class(v) != "Array" {
					data = value.NewArray(v)
				}
			}
			a, is := data.(*value.Array)
			out := value.NewArrayBuilder(4)
			if is {
				for i, e := range a.Elems {
					if _, is = e.(*value.Hash); !is {
						break
					}
					s, err := compactJSON.write(e)
					if err != nil {
						return nil, err
					}
					out.AddRef(value.String(s), functions.Computed(c, a.Ref(i)))
				}
			}
			if !is {
				return nil, parseErrorf("Syntax error: %s is not an Array or JSON encoded String", text(c.Args[0]))
			}
			return out.Array(), nil
		})
}

func dnsmasqSubnets() *eval.Function {
	return new4("ipv6_normalize_dnsmasq_ip_subnets",
		"Writes the netmask of IPv6 subnets as a prefix and drops their gateway.", eval.Pure, "Callable[Any]",
		[]string{"args"}, func(c *eval.Call) (value.Value, error) {
			a, is := c.Args[0].(*value.Array)
			if !is {
				return nil, noMethod("each", c.Args[0])
			}
			b := value.NewArrayBuilder(a.Len())
			for i, e := range a.Elems {
				h, is := e.(*value.Hash)
				if !is {
					return nil, noMethod("[]", e)
				}
				n := h.From(0)
				if ip, err := newIPAddr(h.At("netmask")); err == nil && ip.six {
					ones := 0
					for _, d := range ip.addr.Text(2) {
						if d == '1' {
							ones++
						}
					}
					n.SetString("netmask", value.Int(ones))
				}
				if ip, err := newIPAddr(h.At("gateway")); err == nil && ip.six {
					n.Delete(value.String("gateway"))
				}
				b.AddRef(n.Hash(), a.Ref(i))
			}
			return b.Array(), nil
		})
}

func externalNetwork() *eval.Function {
	return free("get_ext_net_name", "The name of the first network with an external router.",
		func(c *eval.Call) (value.Value, error) {
			h, is := c.Arg(0).(*value.Hash)
			if !is {
				return nil, parseErrorf("get_ext_net_name(): No network data provided!")
			}
			for _, e := range h.Entries() {
				net, is := e.Value.(*value.Hash)
				if !is {
					return nil, noMethod("fetch", e.Value)
				}
				if l2, is := net.At("L2").(*value.Hash); is && value.Truthy(l2.At("router_ext")) {
					return e.Key, nil
				}
			}
			return nil, nil
		})
}

const yumrepoAttributes = ` name ensure baseurl cost descr enabled enablegroups exclude failovermethod gpgcheck gpgkey http_caching include includepkgs keepalive
 metadata_expire metalink mirrorlist priority protect provider proxy proxy_password proxy_username repo_gpgcheck s3_enabled skip_if_unavailable sslcacert
 sslclientcert sslclientkey sslverify target timeout `

func yumHash() *eval.Function {
	return free("validate_yum_hash", "Ends the compile unless a hash describes yum repositories.",
		func(c *eval.Call) (value.Value, error) {
			if len(c.Args) > 1 {
				return nil, fmt.Errorf("validate_yum_hash takes only a single argument, %d provided", len(c.Args))
			}
			h, is := c.Arg(0).(*value.Hash)
			if !is {
				return nil, errors.New("non-hash argument provided to validate_yum_hash")
			}
			for _, e := range h.Entries() {
				params, is := e.Value.(*value.Hash)
				if !is {
					return nil, noMethod("each", e.Value)
				}
				for _, p := range params.Entries() {
					name, is := p.Key.(value.String)
					if !is || !strings.Contains(strings.ReplaceAll(yumrepoAttributes, "\n", ""), " "+string(name)+" ") {
						return nil, fmt.Errorf("Parameter %s is not valid for the yumrepo type", text(p.Key))
					}
				}
			}
			if h.Len() == 0 {
				return nil, nil
			}
			return h, nil
		})
}
