package stdlib

import (
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"math/big"
	"strings"

	"bunraku/puppet/eval"
	"bunraku/puppet/onigmo"
	"bunraku/puppet/value"
)

// validations are the functions that end the compile unless their arguments are what they should be.
func validations() []old {
	// all makes a function that looks at each argument.
	all := func(name, doc string, check func(*eval.Call, value.Value) error) old {
		return old{name, doc, eval.Pure, -1, func(c *eval.Call) (value.Value, error) {
			if len(c.Args) == 0 {
				return nil, parseErrorf("%s(): wrong number of arguments (0; must be > 0)", name)
			}
			for _, v := range c.Args {
				if err := check(c, v); err != nil {
					return nil, err
				}
			}
			return nil, nil
		}}
	}
	kind := func(v value.Value, is bool, what string) error {
		if is {
			return nil
		}
		return parseErrorf("%s is not %s.  It looks to be a %s", inspect(v), what, class(v))
	}
	address := func(what string, yes func(*ipAddr) bool) func(*eval.Call, value.Value) error {
		return func(_ *eval.Call, v value.Value) error {
			s, is := v.(value.String)
			if !is {
				return parseErrorf("%s is not a string.", inspect(v))
			}
			a, err := newIPAddr(s)
			if err != nil || !yes(a) {
				return parseErrorf("%s is not a valid %s address.", inspect(v), what)
			}
			return nil
		}
	}
	wording := func(what string, yes func(value.Value) bool) func(*eval.Call, value.Value) error {
		return func(_ *eval.Call, v value.Value) error {
			if _, is := v.(value.String); !is {
				return parseErrorf("%s is not a string.", inspect(v))
			}
			if !yes(v) {
				return parseErrorf("%s is not a %s", inspect(v), what)
			}
			return nil
		}
	}
	silent := func(o old) old { o.flow = statement; return o }
	return []old{
		all("validate_absolute_path", "Ends the compile unless all arguments are absolute paths, or lists of such.",
			func(_ *eval.Call, v value.Value) error {
				list := []value.Value{v}
				if a, is := v.(*value.Array); is {
					list = a.Elems
				}
				for _, e := range list {
					if s, is := symbolOrString(e); !is || !absolutePath(s) {
						return parseErrorf("%s is not an absolute path.", inspect(e))
					}
				}
				return nil
			}),
		all("validate_array", "Ends the compile unless all arguments are arrays.", func(_ *eval.Call, v value.Value) error {
			_, is := v.(*value.Array)
			return kind(v, is, "an Array")
		}),
		all("validate_bool", "Ends the compile unless all arguments are booleans.", func(_ *eval.Call, v value.Value) error {
			_, is := v.(value.Bool)
			return kind(v, is, "a boolean")
		}),
		all("validate_hash", "Ends the compile unless all arguments are hashes.", func(_ *eval.Call, v value.Value) error {
			_, is := v.(*value.Hash)
			return kind(v, is, "a Hash")
		}),
		all("validate_string", "Ends the compile unless all arguments are strings or undef.",
			func(_ *eval.Call, v value.Value) error {
				_, is := v.(value.String)
				return kind(v, is || value.IsUndef(v), "a string")
			}),
		all("validate_ip_address", "Ends the compile unless all arguments are IP addresses.",
			address("IP", func(*ipAddr) bool { return true })),
		all("validate_ipv4_address", "Ends the compile unless all arguments are IPv4 addresses.",
			address("IPv4", func(a *ipAddr) bool { return !a.six })),
		all("validate_ipv6_address", "Ends the compile unless all arguments are IPv6 addresses.",
			address("IPv6", func(a *ipAddr) bool { return a.six })),
		silent(all("validate_domain_name", "Ends the compile unless all arguments are domain names.",
			wording("syntactically correct domain name", isDomainName))),
		silent(all("validate_email_address", "Ends the compile unless all arguments are e-mail addresses.",
			wording("valid email address", isEmail))),
		{"validate_integer", "Ends the compile unless a value, or each of a list, is an integer within bounds.", eval.Pure,
			-1, validateInteger},
		{"validate_numeric", "Ends the compile unless a value, or each of a list, is a number within bounds.", eval.Pure, -1,
			validateNumeric},
		{"validate_re", "Ends the compile unless a text matches one of several regular expressions.", eval.Pure, -1,
			validateRe},
		{"validate_slength", "Ends the compile unless a text, or each of a list, has a length within bounds.", eval.Pure, -1,
			validateLength},
		{"validate_cmd",
			"Would end the compile unless a program accepts a text. Bunraku runs no programs: the text is accepted with a " +
				"warning.", statement, -1, func(c *eval.Call) (value.Value, error) {
				if n := len(c.Args); n < 2 || n > 3 {
					return nil, parseErrorf("validate_cmd(): wrong number of arguments (%d; must be 2 or 3)", n)
				}
				c.Warn("W0651", "validate_cmd(): the command was not run: "+inspect(c.Args[1]))
				return nil, nil
			}},
		{"validate_augeas", "Would end the compile unless an Augeas lens reads a text. The text is accepted with a warning.",
			statement, -1, func(c *eval.Call) (value.Value, error) {
				if n := len(c.Args); n < 2 || n > 4 {
					return nil, parseErrorf("validate_augeas(): wrong number of arguments (%d; must be 2, 3, or 4)", n)
				}
				c.Warn("W0651", "validate_augeas(): the content was not checked against "+inspect(c.Args[1]))
				return nil, nil
			}},
		{"validate_x509_rsa_key_pair", "Ends the compile unless a certificate was signed by an RSA key.", statement, -1,
			validateKeyPair},
	}
}

func validateRe(c *eval.Call) (value.Value, error) {
	if n := len(c.Args); n < 2 || n > 3 {
		return nil, parseErrorf("validate_re(): wrong number of arguments (%d; must be 2 or 3)", n)
	}
	s, is := c.Args[0].(value.String)
	if !is {
		return nil, parseErrorf("validate_re(): input needs to be a String, not a %s", class(c.Args[0]))
	}
	for _, p := range value.Flatten(value.NewArray(c.Args[1])).Elems {
		var re *onigmo.Regexp
		switch p := p.(type) {
		case value.String:
			var err error
			if re, err = onigmo.Compile(string(p), 0); err != nil {
				return nil, err
			}
		case *value.Regexp:
			re = p.Re
		default:
			return nil, noConversion(p, "String")
		}
		ok, err := re.Match(string(s))
		if err != nil {
			return nil, err
		}
		if ok {
			return nil, nil
		}
	}
	if truthy(c, 2) {
		switch c.Args[2].(type) {
		case value.String, value.Default:
			return nil, parseErrorf("%s", text(c.Args[2]))
		}
		return nil, noMethod("scrub", c.Args[2])
	}
	return nil, parseErrorf("validate_re(): %s does not match %s", inspect(c.Args[0]), inspect(c.Args[1]))
}

func validateLength(c *eval.Call) (value.Value, error) {
	if n := len(c.Args); n != 2 && n != 3 {
		return nil, parseErrorf("validate_slength(): Wrong number of arguments (%d; must be 2 or 3)", n)
	}
	most, err := strictInt(c.Args[1])
	switch {
	case err != nil:
		return nil, parseErrorf("validate_slength(): Expected second argument to be a positive Numeric, got %s:%s",
			text(c.Args[1]), class(c.Args[1]))
	case most.Sign() <= 0:
		return nil, parseErrorf("validate_slength(): Expected second argument to be a positive Numeric, got %s:Integer", most)
	}
	least := new(big.Int)
	if truthy(c, 2) {
		least, err = strictInt(c.Args[2])
		switch {
		case err != nil:
			return nil, parseErrorf("validate_slength(): Expected third argument to be unset or a positive Numeric, got %s:%s",
				text(c.Args[2]), class(c.Args[2]))
		case least.Sign() < 0:
			return nil,
				parseErrorf("validate_slength(): Expected third argument to be unset or a positive Numeric, got %s:Integer", least)
		}
	}
	if most.Cmp(least) < 0 {
		return nil, parseErrorf("validate_slength(): Expected second argument to be equal to or larger than third argument")
	}
	check := func(s value.String) error {
		n := big.NewInt(int64(value.CharLen(string(s))))
		if n.Cmp(most) <= 0 && n.Cmp(least) >= 0 {
			return nil
		}
		was := value.CharLen(string(s))
		if a, is := c.Args[0].(*value.Array); is {
			was = a.Len()
		}
		return parseErrorf("validate_slength(): Expected length of %s to be between %s and %s, was %d", inspect(c.Args[0]),
			least, most, was)
	}
	switch v := c.Args[0].(type) {
	case value.String:
		return nil, check(v)
	case *value.Array:
		for i, e := range v.Elems {
			s, is := e.(value.String)
			if !is {
				return nil, parseErrorf("validate_slength(): Expected element at array position %d to be a String, got %s", i,
					class(e))
			}
			if err := check(s); err != nil {
				return nil, err
			}
		}
		return nil, nil
	}
	return nil, parseErrorf("validate_slength(): Expected first argument to be a String or Array, got %s",
		class(c.Args[0]))
}

// A measure is a kind of number that validate_integer or validate_numeric takes.
type measure[N any] struct {
	what  string // an Integer
	read  func(string) (N, error)
	order func(a, b N) int
	show  func(N) string
}

func validateInteger(c *eval.Call) (value.Value, error) {
	return validateNumber(c, measure[*big.Int]{
		"an Integer",
		func(s string) (*big.Int, error) { return value.ParseRubyInt(s, 0) },
		(*big.Int).Cmp, (*big.Int).String,
	})
}

func validateNumeric(c *eval.Call) (value.Value, error) {
	return validateNumber(c, measure[float64]{
		"a Numeric", value.ParseRubyFloat,
		func(a, b float64) int {
			switch {
			case a < b:
				return -1
			case a > b:
				return 1
			}
			return 0
		},
		value.FormatFloat,
	})
}

func validateNumber[N any](c *eval.Call, m measure[N]) (value.Value, error) {
	name := c.Name
	if n := len(c.Args); n == 0 || n > 3 {
		return nil, parseErrorf("%s(): Wrong number of arguments; must be 1, 2 or 3, got %d", name, n)
	}
	var most, least *N
	if len(c.Args) > 1 {
		if s := text(c.Args[1]); len(c.Args) < 3 || s != "" {
			n, err := m.read(s)
			if err != nil {
				return nil, parseErrorf("%s(): Expected second argument to be unset or %s, got %s:String", name, m.what, s)
			}
			most = &n
		}
	}
	if len(c.Args) > 2 {
		n, err := m.read(text(c.Args[2]))
		if err != nil {
			return nil, parseErrorf("%s(): Expected third argument to be unset or %s, got %s:%s", name, m.what, text(c.Args[2]),
				class(c.Args[2]))
		}
		least = &n
	}
	if most != nil && least != nil && m.order(*least, *most) > 0 {
		return nil, parseErrorf("%s(): Expected second argument to be larger than third argument, got %s < %s", name,
			m.show(*most), m.show(*least))
	}
	check := func(n N, shown string) error {
		if most != nil && m.order(n, *most) > 0 {
			return parseErrorf("%s(): Expected %s to be smaller or equal to %s, got %s.", name, shown, m.show(*most), shown)
		}
		if least != nil && m.order(n, *least) < 0 {
			return parseErrorf("%s(): Expected %s to be greater or equal to %s, got %s.", name, shown, m.show(*least), shown)
		}
		return nil
	}
	switch v := c.Args[0].(type) {
	case *value.Array:
		for i, e := range v.Elems {
			n, err := m.read(text(e))
			if _, is := e.(*value.Hash); is || err != nil {
				return nil, parseErrorf("%s(): Expected element at array position %d to be %s, got %s", name, i, m.what, class(e))
			}
			if err := check(n, inspect(v)); err != nil {
				return nil, err
			}
		}
		return nil, nil
	case *value.Hash:
		return nil, parseErrorf("validate_integer(): Expected first argument to be %s or Array, got Hash", m.what)
	}
	n, err := m.read(text(c.Args[0]))
	if err != nil {
		return nil, parseErrorf("%s(): Expected first argument to be %s or Array, got %s", name, m.what, class(c.Args[0]))
	}
	return nil, check(n, m.show(n))
}

func validateKeyPair(c *eval.Call) (value.Value, error) {
	if len(c.Args) != 2 {
		return nil, parseErrorf("validate_x509_rsa_key_pair(): wrong number of arguments (%d; must be 2)", len(c.Args))
	}
	for _, v := range c.Args {
		if _, is := v.(value.String); !is {
			return nil, parseErrorf("%s is not a string.", inspect(v))
		}
	}
	cert, err := readCertificate(string(c.Args[0].(value.String)))
	if err != nil {
		return nil, parseErrorf("Not a valid x509 certificate: %s", err)
	}
	key, err := readRSAKey(string(c.Args[1].(value.String)))
	if err != nil {
		return nil, parseErrorf("Not a valid RSA key: %s", err)
	}
	issuer := &x509.Certificate{PublicKey: &key.PublicKey, PublicKeyAlgorithm: x509.RSA}
	if issuer.CheckSignature(cert.SignatureAlgorithm, cert.RawTBSCertificate, cert.Signature) != nil {
		return nil, parseErrorf("Certificate signature does not match supplied key")
	}
	return nil, nil
}

func readCertificate(s string) (*x509.Certificate, error) {
	der := []byte(s)
	if block, _ := pem.Decode(der); block != nil {
		der = block.Bytes
	} else if !strings.HasPrefix(s, "\x30") {
		return nil, parseError("PEM_read_bio_X509: no start line")
	}
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		return nil, parseError("PEM_read_bio_X509: bad base64 decode")
	}
	return cert, nil
}

func readRSAKey(s string) (*rsa.PrivateKey, error) {
	bad := parseError("Neither PUB key nor PRIV key")
	block, _ := pem.Decode([]byte(s))
	if block == nil {
		return nil, bad
	}
	if key, err := x509.ParsePKCS1PrivateKey(block.Bytes); err == nil {
		return key, nil
	}
	key, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if r, is := key.(*rsa.PrivateKey); err == nil && is {
		return r, nil
	}
	return nil, bad
}
