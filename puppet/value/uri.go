package value

import (
	"fmt"
	"strconv"
	"strings"
)

// A URI is a parsed uniform resource identifier. Absent parts are undef in Has and empty here.
type URI struct {
	Scheme, Userinfo, Host, Path, Query, Fragment, Opaque string
	// the scheme's own when none is written; 0 for none
	Port                                                            int
	HasUserinfo, HasHost, HasPath, HasQuery, HasFragment, HasOpaque bool
}

var schemePorts = map[string]int{"http": 80, "https": 443, "ftp": 21, "ldap": 389, "ldaps": 636, "ws": 80, "wss": 443}

// ParseURI reads a URI as Ruby's URI.parse does.
func ParseURI(s string) (*URI, error) {
	bad := fmt.Errorf("bad URI(is not URI?): %s", InspectString(s))
	u := &URI{}
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c <= ' ' || c >= 0x7f || strings.IndexByte("\"<>\\^`{|}", c) >= 0 {
			return nil, bad
		}
		if c == '%' && (i+2 >= len(s) || !isHex(s[i+1]) || !isHex(s[i+2])) {
			return nil, bad
		}
	}
	rest := s
	if i := strings.IndexByte(rest, '#'); i >= 0 {
		u.Fragment, u.HasFragment, rest = rest[i+1:], true, rest[:i]
		if strings.ContainsAny(u.Fragment, "#[]") {
			return nil, bad
		}
	}
	if i := strings.IndexByte(rest, ':'); i > 0 && isScheme(rest[:i]) {
		u.Scheme, rest = rest[:i], rest[i+1:]
		if rest == "" {
			// RFC 3986 allows an empty path after the scheme.
			u.HasPath = true
			u.setPort()
			return u, nil
		}
		if rest[0] != '/' {
			// Ruby keeps everything behind the scheme as one opaque part.
			u.Opaque, u.HasOpaque = rest, true
			u.setPort()
			return u, nil
		}
	} else if i := strings.IndexByte(rest, ':'); i >= 0 {
		if j := strings.IndexAny(rest, "/?"); j < 0 || i < j {
			return nil, bad
		}
	}
	if i := strings.IndexByte(rest, '?'); i >= 0 {
		u.Query, u.HasQuery, rest = rest[i+1:], true, rest[:i]
		if strings.ContainsAny(u.Query, "[]") {
			return nil, bad
		}
	}
	if strings.HasPrefix(rest, "//") {
		rest = rest[2:]
		auth := rest
		if i := strings.IndexByte(rest, '/'); i >= 0 {
			auth, rest = rest[:i], rest[i:]
		} else {
			rest = ""
		}
		if i := strings.LastIndexByte(auth, '@'); i >= 0 {
			u.Userinfo, u.HasUserinfo, auth = auth[:i], true, auth[i+1:]
			if strings.ContainsAny(u.Userinfo, "@[]") {
				return nil, bad
			}
		}
		if i := strings.LastIndexByte(auth, ':'); i >= 0 && !strings.HasSuffix(auth, "]") {
			if i+1 < len(auth) {
				p, err := strconv.Atoi(auth[i+1:])
				if err != nil {
					return nil, bad
				}
				u.Port = p
			}
			auth = auth[:i]
		}
		if literal := strings.HasPrefix(auth, "["); literal != strings.HasSuffix(auth, "]") || !literal &&
			strings.ContainsAny(auth, ":[]@") {
			return nil, bad
		}
		u.Host, u.HasHost = auth, auth != "" || strings.EqualFold(u.Scheme, "file")
	}
	if strings.ContainsAny(rest, "[]") {
		return nil, bad
	}
	u.Path, u.HasPath = rest, true
	u.setPort()
	if u.Scheme == "ftp" {
		u.Path = strings.TrimPrefix(u.Path, "/") // paths of ftp are relative to the login
	}
	return u, nil
}

func isScheme(s string) bool {
	for i := 0; i < len(s); i++ {
		c := s[i] | 0x20
		if ('a' > c || c > 'z') && (i == 0 || !isDigit(s[i]) && s[i] != '+' && s[i] != '-' && s[i] != '.') {
			return false
		}
	}
	return s != ""
}

func (u *URI) setPort() {
	if u.Port == 0 {
		u.Port = schemePorts[strings.ToLower(u.Scheme)]
	}
	u.Scheme = strings.ToLower(u.Scheme)
}

// NewURI makes a URI from its parts, as URI.new of a hash does.
func NewURI(parts *Hash) *URI {
	u := &URI{}
	get := func(key string, dst *string, has *bool) {
		if v, is := parts.At(key).(String); is {
			*dst = string(v)
			if has != nil {
				*has = true
			}
		}
	}
	get("scheme", &u.Scheme, nil)
	get("userinfo", &u.Userinfo, &u.HasUserinfo)
	get("host", &u.Host, &u.HasHost)
	get("path", &u.Path, &u.HasPath)
	get("query", &u.Query, &u.HasQuery)
	get("fragment", &u.Fragment, &u.HasFragment)
	get("opaque", &u.Opaque, &u.HasOpaque)
	if p, is := parts.At("port").(Int); is {
		u.Port = int(p)
	}
	u.HasPath = u.HasPath || !u.HasOpaque
	u.setPort()
	return u
}

// Part is one part by name (scheme, userinfo, host, port, path, query, fragment, opaque), or undef.
func (u *URI) Part(name string) (v Value, known bool) {
	str := func(s string, has bool) (Value, bool) {
		if !has {
			return Undef{}, true
		}
		return String(s), true
	}
	switch name {
	case "scheme":
		return str(u.Scheme, u.Scheme != "")
	case "userinfo":
		return str(u.Userinfo, u.HasUserinfo)
	case "host":
		return str(u.Host, u.HasHost)
	case "port":
		if u.Port == 0 {
			return Undef{}, true
		}
		return Int(u.Port), true
	case "path":
		return str(u.Path, u.HasPath)
	case "query":
		return str(u.Query, u.HasQuery)
	case "fragment":
		return str(u.Fragment, u.HasFragment)
	case "opaque":
		return str(u.Opaque, u.HasOpaque)
	}
	return nil, false
}

// String writes the URI.
func (u *URI) String() string {
	var b strings.Builder
	if u.Scheme != "" {
		b.WriteString(u.Scheme + ":")
	}
	if u.HasOpaque {
		b.WriteString(u.Opaque)
	} else {
		if u.HasHost {
			b.WriteString("//")
			if u.HasUserinfo {
				b.WriteString(u.Userinfo + "@")
			}
			b.WriteString(u.Host)
			if u.Port != 0 && u.Port != schemePorts[u.Scheme] {
				b.WriteString(":" + strconv.Itoa(u.Port))
			}
			if u.Path != "" && u.Path[0] != '/' {
				b.WriteByte('/')
			}
		}
		b.WriteString(u.Path)
		if u.HasQuery {
			b.WriteString("?" + u.Query)
		}
	}
	if u.HasFragment {
		b.WriteString("#" + u.Fragment)
	}
	return b.String()
}

// Normal is the text by which two URIs are compared.
func (u *URI) Normal() string {
	n := *u
	n.Host = strings.ToLower(n.Host)
	if n.Path == "" && !n.HasOpaque {
		n.Path = "/"
	}
	return n.String()
}

func (u *URI) rubyClass() string {
	switch u.Scheme {
	case "http", "https", "ftp", "ldap", "ldaps", "ws", "wss", "file":
		return strings.ToUpper(u.Scheme)
	case "mailto":
		return "MailTo"
	}
	return "Generic"
}

// RubyClass is what Ruby calls the class of the URI: its scheme decides.
func (u *URI) RubyClass() string {
	switch scheme := strings.ToLower(u.Scheme); scheme {
	case "http", "https", "ftp", "ldap", "ldaps":
		return "URI::" + strings.ToUpper(scheme)
	case "file":
		return "URI::File"
	case "mailto":
		return "URI::MailTo"
	}
	return "URI::Generic"
}
