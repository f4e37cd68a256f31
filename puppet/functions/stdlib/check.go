package stdlib

import (
	"strings"

	"bunraku/puppet/eval"
	"bunraku/puppet/functions"
	"bunraku/puppet/onigmo"
	"bunraku/puppet/value"
)

var (
	posixPath      = onigmo.MustCompile(`(?m:\A/)`)
	windowsPath    = onigmo.MustCompile(`(?mi:\A(?:(?:[A-Z]:[\\/])|(?:[\\/][\\/][^\\/]+[\\/][^\\/]+)|(?:[\\/][\\/]\?[\\/][^\\/]+)))`)
	integerLine    = onigmo.MustCompile(`^-?(?:(?:[1-9]\d*)|0)$`)
	numberLine     = onigmo.MustCompile(`^-?(?:(?:[1-9]\d*)|0)(?:\.\d+)?(?:[eE]-?\d+)?$`)
	macShort       = onigmo.MustCompile(`(?i:^[a-f0-9]{1,2}(:[a-f0-9]{1,2}){5}$)`)
	macLong        = onigmo.MustCompile(`(?i:^[a-f0-9]{1,2}(:[a-f0-9]{1,2}){19}$)`)
	emailText      = onigmo.MustCompile(`\A([\w+\-].?)+@[a-z\d\-]+(\.[a-z]+)*\.[a-z]+\z`)
	topLevelDomain = onigmo.MustCompile(`\.[A-Za-z]+$`)
	domainLabel    = onigmo.MustCompile(`(?i:^[a-z\d-]+$)`)
)

// checks are the functions that tell what a value is. Most are deprecated: their names are 4.x functions that warn and
// then call these.
func checks() []old {
	one := func(name, doc string, yes func(value.Value) (bool, error)) old {
		return old{name, doc, eval.Pure, -1, func(c *eval.Call) (value.Value, error) {
			if len(c.Args) != 1 {
				return nil, parseErrorf("%s(): Wrong number of arguments given %d for 1", c.Name, len(c.Args))
			}
			return bool1(yes(c.Args[0]))
		}}
	}
	plain := func(yes func(value.Value) bool) func(value.Value) (bool, error) {
		return func(v value.Value) (bool, error) { return yes(v), nil }
	}
	address := func(yes func(*ipAddr) bool) func(value.Value) (bool, error) {
		return func(v value.Value) (bool, error) {
			a, err := newIPAddr(v)
			return err == nil && yes(a), nil
		}
	}
	return []old{
		{"is_absolute_path", "Reports whether a text is an absolute path.", eval.Pure, 1,
			func(c *eval.Call) (value.Value, error) {
				if len(c.Args) != 1 {
					return nil, argumentError("is_absolute_path(): Wrong number of arguments given (" + text(value.Int(len(c.Args))) +
						" for 1)")
				}
				s, is := symbolOrString(c.Args[0])
				return value.Bool(is && absolutePath(s)), nil
			}},
		{"is_array", "Reports whether a value is an array.", eval.Pure, -1, func(c *eval.Call) (value.Value, error) {
			if len(c.Args) == 0 {
				return nil, given(c, "1")
			}
			_, is := c.Args[0].(*value.Array)
			return value.Bool(is), nil
		}},
		{"is_bool", "Reports whether a value is a boolean.", eval.Pure, -1, func(c *eval.Call) (value.Value, error) {
			if len(c.Args) != 1 {
				return nil, given(c, "1")
			}
			_, is := c.Args[0].(value.Bool)
			return value.Bool(is), nil
		}},
		{"is_hash", "Reports whether a value is a hash.", eval.Pure, -1, func(c *eval.Call) (value.Value, error) {
			if len(c.Args) != 1 {
				return nil, given(c, "1")
			}
			_, is := c.Args[0].(*value.Hash)
			return value.Bool(is), nil
		}},
		{"is_string", "Reports whether a value is a text that is no number.", eval.Pure, -1,
			func(c *eval.Call) (value.Value, error) {
				if len(c.Args) == 0 {
					return nil, given(c, "1")
				}
				return value.Bool(isString(c.Args[0])), nil
			}},
		{"is_function_available", "Reports whether there is a 3.x function of a name.", eval.Pure, -1,
			func(c *eval.Call) (value.Value, error) {
				if len(c.Args) != 1 {
					return nil, parseErrorf("is_function_available?(): Wrong number of arguments given %d for 1", len(c.Args))
				}
				name, is := c.Args[0].(value.String)
				return value.Bool(is && is3x(c, string(name))), nil
			}},
		one("is_domain_name", "Reports whether a text is a domain name.", plain(isDomainName)),
		{"is_email_address", "Reports whether a text is an e-mail address.", eval.Pure, -1,
			func(c *eval.Call) (value.Value, error) {
				if len(c.Args) != 1 {
					return nil, parseErrorf("%s(): Wrong number of arguments given %d for 1", c.Name, len(c.Args))
				}
				return value.Bool(isEmail(c.Args[0])), nil
			}},
		one("is_float", "Reports whether a value is a float, or the text of one.", func(v value.Value) (bool, error) {
			if _, is := v.(*value.SemVer); is {
				return false, noMethod("to_f", v)
			}
			return isFloat(v), nil
		}),
		one("is_integer", "Reports whether a value is an integer, or the text of one.", plain(isInteger)),
		one("is_numeric", "Reports whether a value is a number, or the text of one.", plain(isNumeric)),
		one("is_ip_address", "Reports whether a text is an IP address.", address(func(*ipAddr) bool { return true })),
		one("is_ipv4_address", "Reports whether a text is an IPv4 address.", address(func(a *ipAddr) bool { return !a.six })),
		one("is_ipv6_address", "Reports whether a text is an IPv6 address.", address(func(a *ipAddr) bool { return a.six })),
		one("is_mac_address", "Reports whether a text is a MAC address.", func(v value.Value) (bool, error) {
			s, is := symbolOrString(v)
			if !is {
				if value.IsUndef(v) {
					return false, nil
				}
				return false, noConversion(v, "String")
			}
			return matches(macShort, s) || matches(macLong, s), nil
		}),
	}
}

func isString(v value.Value) bool {
	if value.IsUndef(v) {
		return true
	}
	s, is := v.(value.String)
	return is && string(s) != value.FormatFloat(functions.LeadingFloat(string(s))) &&
		string(s) != functions.LeadingInt(string(s)).String()
}

func isFloat(v value.Value) bool {
	switch v := v.(type) {
	case value.Float:
		return true
	case value.String:
		return string(v) == value.FormatFloat(functions.LeadingFloat(string(v)))
	}
	return false
}

func isInteger(v value.Value) bool {
	switch v := v.(type) {
	case value.Int:
		return true
	case value.String:
		return matches(integerLine, string(v))
	}
	return false
}

func isNumeric(v value.Value) bool {
	switch v := v.(type) {
	case value.Int, value.Float, *value.SemVer, value.Timestamp, value.Timespan: // all of them numbers to Ruby
		return true
	case value.String:
		return matches(numberLine, string(v))
	}
	return false
}

func isEmail(v value.Value) bool {
	s, is := symbolOrString(v)
	return is && matches(emailText, s)
}

func isDomainName(v value.Value) bool {
	text, is := v.(value.String)
	if !is {
		return false
	}
	s := string(text)
	if s == "." {
		return true
	}
	s = strings.TrimSuffix(s, ".")
	if s == "" || value.CharLen(s) > 255 || strings.Contains(s, ".") && !matches(topLevelDomain, s) {
		return false
	}
	for _, label := range functions.SplitText(s, ".") {
		if n := value.CharLen(label); n < 1 || n > 63 || strings.HasPrefix(label, "-") || strings.HasSuffix(label, "-") ||
			!matches(domainLabel, label) {
			return false
		}
	}
	return true
}
