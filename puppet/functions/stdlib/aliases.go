package stdlib

import (
	"slices"
	"strings"
)

// The types that stdlib defines in the Puppet language, for code that is looked at without stdlib at hand. They accept
// what stdlib's own accept (TestAliases compares them on real values); the patterns are ours.

// octet, prefixes and groups of addresses.
const (
	octet    = `(25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)`
	quad     = octet + `(\.` + octet + `){3}`
	prefix4  = `\/(3[0-2]|[12]?\d)`
	prefix6  = `(\/(12[0-8]|1[01]\d|[1-9]?\d))?`
	slash6   = `\/(12[0-8]|1[01]\d|[1-9]?\d)?` // as stdlib has it, the number may be missing
	group    = `[[:xdigit:]]{1,4}`
	label    = `[a-zA-Z0-9]([a-zA-Z0-9-]*[a-zA-Z0-9])?`
	oneClass = `([ugoa]*([-+=]([rwxXst]*|[ugo]))+|[-+=][0-7]+)`
)

// shortened are the forms of an IPv6 address with a ::, followed by end.
func shortened(end string) string {
	var forms []string
	for before := 0; before <= 7; before++ { // groups before the ::, and at most the rest behind it
		text := strings.Repeat(group+":", before)
		if before == 0 {
			text = ":"
		}
		switch rest := 7 - before; {
		case rest == 0:
			text += `:`
		default:
			text += `(:|(:` + group + `){1,` + string(rune('0'+rest)) + `})`
		}
		forms = append(forms, `/\A`+text+end+`\z/`)
	}
	return strings.Join(forms, ", ")
}

// mixed are the forms of an IPv6 address that end in an IPv4 address.
func mixed(end string) string {
	forms := []string{`/\A(` + group + `:){6}` + quad + end + `\z/`}
	for before := 0; before <= 5; before++ {
		text := strings.Repeat(group+":", before)
		if before == 0 {
			text = ":"
		}
		text += `(:` + group + `){0,` + string(rune('0'+5-before)) + `}:`
		forms = append(forms, `/\A`+text+quad+end+`\z/`)
	}
	return strings.Join(forms, ", ")
}

// aliases are the types by plain name, as Puppet code.
var aliases = map[string]string{
	"stdlib::absolutepath":    `Variant[Stdlib::Windowspath, Stdlib::Unixpath]`,
	"stdlib::base32":          `Pattern[/\A[a-z2-7]+={0,6}\z/, /\A[A-Z2-7]+={0,6}\z/]`,
	"stdlib::base64":          `Pattern[/\A[\/+[:alnum:]]+={0,2}\z/]`,
	"stdlib::createresources": `Hash[String[1], Hash[String[1], Any]]`,
	"stdlib::datasize":        `Pattern[/^\d+((?i:[kmgt]b?)|[bB])$/]`,
	"stdlib::dns::zone":       `Pattern[/\A((` + label + `\.)+|\.)\z/]`,
	"stdlib::email": "Pattern[/\\A[[:alnum:].!#$%&'*+\\/=?^_`{|}~-]+@" + mailLabel + `(\.` + mailLabel +
		`)*\z/]`,
	"stdlib::ensure::file":            `Enum[absent, directory, file, link, present]`,
	"stdlib::ensure::file::directory": `Enum[absent, directory]`,
	"stdlib::ensure::file::file":      `Enum[absent, file]`,
	"stdlib::ensure::file::link":      `Enum[absent, link]`,
	"stdlib::ensure::package":         `Variant[Enum[absent, disabled, installed, latest, present, purged], String[1]]`,
	"stdlib::ensure::service":         `Enum[running, stopped]`,
	"stdlib::filemode":                `Pattern[/\A([0-7]{1,4}|` + oneClass + `(,` + oneClass + `)*)\z/]`,
	"stdlib::filesource": `Variant[Stdlib::Absolutepath, Stdlib::HTTPUrl, Pattern[/\Afile:\/\/\/([^\n\/\0]+\/?)+\z/,
		/\Apuppet:\/\/([\w.-]+)?\/([^\n\/\0]+\/?)+\z/]]`,
	"stdlib::fqdn":                      `Pattern[/\A(` + label + `\.)*` + label + `\z/]`,
	"stdlib::host":                      `Variant[Stdlib::Fqdn, Stdlib::IP::Address]`,
	"stdlib::http::status":              `Integer[100, 599]`,
	"stdlib::httpstatus":                `Stdlib::Http::Status`,
	"stdlib::httpsurl":                  `Pattern[/\A(?i:https):\/\/.*\z/]`,
	"stdlib::httpurl":                   `Pattern[/\A(?i:https?):\/\/.*\z/]`,
	"stdlib::ip::address":               `Variant[Stdlib::IP::Address::V4, Stdlib::IP::Address::V6]`,
	"stdlib::ip::address::cidr":         `Variant[Stdlib::IP::Address::V4::CIDR, Stdlib::IP::Address::V6::CIDR]`,
	"stdlib::ip::address::nosubnet":     `Variant[Stdlib::IP::Address::V4::Nosubnet, Stdlib::IP::Address::V6::Nosubnet]`,
	"stdlib::ip::address::v4":           `Variant[Stdlib::IP::Address::V4::CIDR, Stdlib::IP::Address::V4::Nosubnet]`,
	"stdlib::ip::address::v4::cidr":     `Pattern[/\A` + quad + prefix4 + `\z/]`,
	"stdlib::ip::address::v4::nosubnet": `Pattern[/\A` + quad + `\z/]`,
	"stdlib::ip::address::v6":           `Variant[Stdlib::IP::Address::V6::Full, Stdlib::IP::Address::V6::Compressed, Stdlib::IP::Address::V6::Alternative]`,
	"stdlib::ip::address::v6::full":     `Pattern[/\A` + group + `(:` + group + `){7}` + prefix6 + `\z/]`,
	"stdlib::ip::address::v6::cidr": `Pattern[/\A` + group + `(:` + group + `){7}` + slash6 + `\z/, ` +
		shortened(slash6) + `]`,
	"stdlib::ip::address::v6::nosubnet":              `Variant[Stdlib::IP::Address::V6::Nosubnet::Full, Stdlib::IP::Address::V6::Nosubnet::Compressed, Stdlib::IP::Address::V6::Nosubnet::Alternative]`,
	"stdlib::mac":                                    `Pattern[/\A\h{2}([:-]\h{2}){5}\z/, /\A\h{2}([:-]\h{2}){19}\z/]`,
	"stdlib::objectstore":                            `Variant[Stdlib::ObjectStore::GSUri, Stdlib::ObjectStore::S3Uri]`,
	"stdlib::objectstore::gsuri":                     `Pattern[/\Ags:\/\/.*\z/]`,
	"stdlib::objectstore::s3uri":                     `Pattern[/\As3:\/\/.*\z/]`,
	"stdlib::port":                                   `Integer[0, 65535]`,
	"stdlib::port::dynamic":                          `Integer[49152, 65535]`,
	"stdlib::port::ephemeral":                        `Stdlib::Port::Dynamic`,
	"stdlib::port::privileged":                       `Integer[1, 1023]`,
	"stdlib::port::registered":                       `Stdlib::Port::User`,
	"stdlib::port::unprivileged":                     `Integer[1024, 65535]`,
	"stdlib::port::user":                             `Integer[1024, 49151]`,
	"stdlib::syslogfacility":                         `Enum[auth, authpriv, console, cron, daemon, ftp, kern, local0, local1, local2, local3, local4, local5, local6, local7, lpr, mail, news, ntp, security, 'solaris-cron', syslog, user, uucp]`,
	"stdlib::unixpath":                               `Pattern[/\A\/([^\n\/\0]+\/*)*\z/]`,
	"stdlib::windowspath":                            `Pattern[/\A([a-zA-Z]:[\\\/]|[\\\/]{2}[^\\\/]+[\\\/][^\\\/]+|[\\\/]{2}\?[\\\/][^\\\/]+).*\z/]`,
	"stdlib::yes_no":                                 `Pattern[/\A(?i:yes|no)\z/]`,
	"stdlib::ip::address::v6::compressed":            `Pattern[` + shortened(prefix6) + `]`,
	"stdlib::ip::address::v6::alternative":           `Pattern[` + mixed(prefix6) + `]`,
	"stdlib::ip::address::v6::nosubnet::full":        `Pattern[/\A` + group + `(:` + group + `){7}\z/]`,
	"stdlib::ip::address::v6::nosubnet::compressed":  `Pattern[` + shortened("") + `]`,
	"stdlib::ip::address::v6::nosubnet::alternative": `Pattern[` + mixed("") + `]`,
}

const mailLabel = `[[:alnum:]]([[:alnum:]-]{0,61}[[:alnum:]])?`

// Alias is the Puppet code that defines one of stdlib's types, by its name; "" if there is none.
func Alias(name string) string {
	name = strings.ToLower(strings.TrimPrefix(name, "::"))
	if text := aliases[name]; text != "" {
		return "type " + aliasName(name) + " = " + text + "\n"
	}
	return ""
}

// aliasName is a name as definitions have it.
func aliasName(name string) string {
	parts := strings.Split(name, "::")
	for i, p := range parts {
		switch p {
		case "httpurl":
			p = "HTTPUrl"
		case "httpsurl":
			p = "HTTPSUrl"
		case "ip", "mac", "cidr":
			p = strings.ToUpper(p)
		default:
			p = strings.ToUpper(p[:1]) + p[1:]
		}
		parts[i] = p
	}
	return strings.Join(parts, "::")
}

// AliasNames are the names of the types, in order.
func AliasNames() (names []string) {
	for name := range aliases {
		names = append(names, aliasName(name))
	}
	slices.Sort(names)
	return names
}
