package stdlib

import (
	"crypto/md5"
	"crypto/sha1"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"regexp"
	"strings"

	"bunraku/puppet/eval"
	"bunraku/puppet/functions"
	"bunraku/puppet/onigmo"
	"bunraku/puppet/value"
)

// ---- apache

var (
	saysFalse = onigmo.MustCompile(`(?i:false)`)
	saysTrue  = onigmo.MustCompile(`(?i:true)`)
)

func apache() []*eval.Function {
	return []*eval.Function{
		new4("apache::bool2httpd", "On or Off for a boolean, as Apache's configuration has it.", eval.Pure, "Callable[Any]",
			[]string{"arg"}, func(c *eval.Call) (value.Value, error) {
				v := c.Args[0]
				s, is := symbolOrString(v)
				if _, re := v.(*value.Regexp); re {
					return nil, noConversion(v, "String")
				}
				switch {
				case value.IsUndef(v), v == value.Value(value.Bool(false)), is && matches(saysFalse, s):
					return value.String("Off"), nil
				case v == value.Value(value.Bool(true)), is && matches(saysTrue, s):
					return value.String("On"), nil
				}
				return value.String(text(v)), nil
			}),
		new4("apache::pw_hash", "Hashes a password for Apache's password files.", eval.Pure, "Callable[[String[1]], String]",
			[]string{"password"}, func(c *eval.Call) (value.Value, error) {
				sum := sha1.Sum([]byte(text(c.Args[0])))
				return value.String("{SHA}" + base64.StdEncoding.EncodeToString(sum[:])), nil
			}),
		renamed("apache::apache_pw_hash", "apache::pw_hash", "function"),
		renamed("apache_pw_hash", "apache::pw_hash", "function"),
		renamed("bool2httpd", "apache::bool2httpd", "function"),
	}
}

// ---- mysql

var mysqlHashed = onigmo.MustCompile(`\*[A-F0-9]{40}$`)

func mysqlPassword(s string) string {
	if s == "" || matches(mysqlHashed, s) {
		return s
	}
	once := sha1.Sum([]byte(s))
	twice := sha1.Sum(once[:])
	return "*" + strings.ToUpper(hex.EncodeToString(twice[:]))
}

func mysql() []*eval.Function {
	return []*eval.Function{
		new4("mysql::password", "Hashes a password as MySQL's PASSWORD() does.", eval.Pure, "Callable[[String], String]",
			[]string{"password"}, func(c *eval.Call) (value.Value, error) {
				return value.String(mysqlPassword(text(c.Args[0]))), nil
			}),
		new4("mysql::strip_hash", "Drops entries with an empty text from a hash and from the hashes in it.", eval.Pure,
			"Callable[[Hash], Hash]", []string{"hash"}, func(c *eval.Call) (value.Value, error) {
				return strip(c.Args[0].(*value.Hash), true), nil
			}),
	}
}

func strip(h *value.Hash, deeper bool) *value.Hash {
	b := value.NewHashBuilder(h.Len())
	for _, e := range h.Entries() {
		if e.Value == value.Value(value.String("")) {
			continue
		}
		if inner, is := e.Value.(*value.Hash); is && deeper {
			e.Value = strip(inner, false)
		}
		b.SetEntry(e)
	}
	return b.Hash()
}

func mysqlPasswordOld() old {
	return old{"mysql_password", "Hashes a password as MySQL's PASSWORD() does.", eval.Pure, -1,
		func(c *eval.Call) (value.Value, error) {
			if len(c.Args) != 1 {
				return nil, given(c, "1")
			}
			switch v := c.Args[0].(type) {
			case value.String:
				return value.String(mysqlPassword(string(v))), nil
			case *value.Array:
				if v.Len() == 0 {
					return value.String(""), nil
				}
				return nil, noConversion(v, "String")
			case *value.Hash:
				if v.Len() == 0 {
					return value.String(""), nil
				}
				return nil, noConversion(v, "String")
			}
			if _, is := functions.Reference(c.Args[0]); is {
				return value.String(""), nil // a resource is as empty as its parameters
			}
			if _, is := c.Args[0].(value.Default); is {
				return nil, noConversion(c.Args[0], "String") // a symbol can be empty
			}
			return nil, noMethod("empty?", c.Args[0])
		}}
}

func mongodbPassword() old {
	return old{"mongodb_password", "Hashes a user's password for MongoDB.", eval.Pure, -1,
		func(c *eval.Call) (value.Value, error) {
			if len(c.Args) != 2 {
				return nil, given(c, "2")
			}
			return value.String(md5Hex(text(c.Args[0]) + ":mongo:" + text(c.Args[1]))), nil
		}}
}

func md5Hex(s string) string {
	sum := md5.Sum([]byte(s))
	return hex.EncodeToString(sum[:])
}

// ---- postgresql

func postgresql() []*eval.Function {
	const name = "Variant[String[1],Integer]"
	return []*eval.Function{
		new4("postgresql::postgresql_password", "Hashes a user's password for PostgreSQL.", eval.Pure, "Callable["+name+", "+
			name+"]", []string{"username", "password"}, func(c *eval.Call) (value.Value, error) {
			return value.String("md5" + md5Hex(text(c.Args[1])+text(c.Args[0]))), nil
		}),
		new4("postgresql::postgresql_escape", "Quotes a text with dollars for PostgreSQL.", eval.Pure, "Callable[String[1]]",
			[]string{"input_string"}, func(c *eval.Call) (value.Value, error) {
				return value.String(dollarQuote(text(c.Args[0]))), nil
			}),
		new4("postgresql::postgresql_acls_to_resources_hash", "Makes resources of lines of pg_hba.conf.", eval.Pure,
			"Callable[Array[String], String[1], Integer[0]]", []string{"acls", "id", "offset"}, hbaRules),
		renamed("postgresql_password", "postgresql::postgresql_password", "method"),
		renamed("postgresql_escape", "postgresql::postgresql_escape", "method"),
	}
}

var digitsRe = regexp.MustCompile(`\d`)

func dollarQuote(s string) string {
	if !strings.Contains(s, "$$") && !strings.HasSuffix(s, "$") {
		return "$$" + s + "$$"
	}
	tag := digitsRe.ReplaceAllString(md5Hex(s)[:6], "")
	for range 1000 {
		if !strings.Contains(s, tag) {
			break
		}
		tag = digitsRe.ReplaceAllString(md5Hex(tag)[:6], "")
	}
	return "$" + tag + "$" + s + "$" + tag + "$"
}

var startsWithDigit = onigmo.MustCompile(`^\d`)

func hbaRules(c *eval.Call) (value.Value, error) {
	acls := c.Args[0].(*value.Array)
	id, offset := text(c.Args[1]), int(c.Args[2].(value.Int))
	out := value.NewHashBuilder(acls.Len())
	for i, acl := range acls.Elems {
		index := i
		for j, other := range acls.Elems {
			if other == acl {
				index = j
				break
			}
		}
		p := rubySplit(text(acl), " ")
		if len(p) < 4 {
			return nil, parseErrorf("postgresql::postgresql_acls_to_resources_hash(): acl line %d does not have enough parts",
				index)
		}
		r := value.NewHashBuilder(7)
		set := func(k, v string) { r.SetString(k, value.String(v)) }
		set("type", p[0])
		set("database", p[1])
		set("user", p[2])
		set("order", fmt.Sprintf("%03d", offset+index))
		method := 4
		switch {
		case p[0] == "local":
			method = 3
		case len(p) > 4 && matches(startsWithDigit, p[4]):
			set("address", p[3]+" "+p[4])
			method = 5
		default:
			set("address", p[3])
		}
		if method < len(p) {
			set("auth_method", p[method])
		} else {
			r.SetString("auth_method", value.Undef{})
		}
		if len(p) > method+1 {
			set("auth_option", strings.Join(p[method+1:], " "))
		}
		out.SetEntry(value.Entry{Key: value.String(fmt.Sprintf("postgresql class generated rule %s %d", id, index)),
			Value: r.Hash(), Ref: functions.Computed(c, acls.Ref(i))})
	}
	return out.Hash(), nil
}
