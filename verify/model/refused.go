package model

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"bunraku/puppet/catalog"
	"bunraku/puppet/value"
)

// A Refusal is why an agent does not take a resource: it checks attributes when it turns a catalog into resources of
// its own, and one that it refuses makes it refuse the catalog. A compile never looks at these values.
type Refusal struct {
	Attr string // "" if it is about several
	Text string // in Puppet's words
	// Default is an attribute that a site may set for all resources of the type, which would cure it; "" for none.
	Default string
}

// Refused lists what an agent refuses about a resource: the values that Puppet's own types check. Values that are not
// known, or secret, are taken to be fine, and so is everything on Windows, where paths are different.
func Refused(r *catalog.Resource) (out []Refusal) {
	for _, rule := range recordOf(r.Type).Refuses {
		v := r.Get(rule.attr)
		if v == nil && rule.namevar {
			v = value.String(r.Title)
		}
		if v == nil || r.IsSensitive(rule.attr) {
			continue
		}
		values := []value.Value{v}
		if a, ok := v.(*value.Array); ok && rule.each {
			values = a.Elems
		}
		for _, x := range values {
			if why := rule.why(r, x); why != "" {
				text := fmt.Sprintf("Parameter %s failed on %s: %s", rule.attr, r.Ref(), why)
				if rule.attr == "command" { // which is looked at when all attributes are known
					text = fmt.Sprintf("Validation of %s failed: %s", r.Ref(), why)
				}
				out = append(out, Refusal{rule.attr, text, rule.cure})
				break
			}
		}
	}
	if r.Type == "File" {
		given := 0
		for _, attr := range []string{"content", "source", "target"} {
			if v := r.Get(attr); v != nil && v != (value.Undef{}) {
				given++
			}
		}
		if given > 1 {
			out = append(out, Refusal{Text: "Validation of " + r.Ref() +
				" failed: You cannot specify more than one of content, source, target"})
		}
		if how, _ := r.Get("checksum").(value.String); how == "none" && r.Get("source") != nil {
			out = append(out, Refusal{Attr: "checksum", Text: "Validation of " + r.Ref() +
				" failed: You cannot specify source when using checksum 'none'"})
		}
	}
	return out
}

// A rule says why a value of an attribute is refused; "" if it is not.
type rule struct {
	attr    string
	why     func(r *catalog.Resource, v value.Value) string
	namevar bool   // without the attribute the title counts
	each    bool   // an array is many values
	cure    string // an attribute that would have made it right
}

// one is one of some words; aliases are accepted too, and not told.
func one(attr string, words []string, aliases ...string) rule {
	return rule{attr: attr, why: func(_ *catalog.Resource, v value.Value) string {
		s, ok := scalar(v)
		if !ok || slices.Contains(words, s) || slices.Contains(aliases, s) {
			return ""
		}
		return fmt.Sprintf("Invalid value %s. Valid values are %s.", value.Inspect(v), strings.Join(words, ", "))
	}}
}

// absolute is a path from the root, in the words that the attribute has for it.
func absolute(attr string, namevar bool, words func(string) string) rule {
	return rule{attr: attr, namevar: namevar, why: func(_ *catalog.Resource, v value.Value) string {
		if s, ok := v.(value.String); ok && !strings.HasPrefix(string(s), "/") {
			return words(string(s))
		}
		return ""
	}}
}

// qualified is a command that can be found: it begins with a path, or the resource says where to look.
func qualified(attr string, namevar bool) rule {
	return rule{attr: attr, namevar: namevar, cure: "path", why: func(r *catalog.Resource, v value.Value) string {
		if p := r.Get("provider"); p != nil && p != value.String("posix") || r.Get("path") != nil {
			return ""
		}
		if a, ok := v.(*value.Array); ok && a.Len() > 0 { // the words of one command
			v = a.Elems[0]
		}
		s, ok := v.(value.String)
		if !ok || s == "" {
			return ""
		}
		exe := string(s)
		if m := quotedStart.FindStringSubmatch(exe); m != nil {
			exe = m[1] + m[2]
		} else {
			exe, _, _ = strings.Cut(exe, " ")
		}
		if strings.HasPrefix(exe, "/") {
			return ""
		}
		return "'" + exe + "' is not qualified and no path was specified. Please qualify the command or specify a path."
	}}
}

var (
	quotedStart  = regexp.MustCompile(`^(?:"([^"]+)"|'([^']+)')`)
	symbolicMode = regexp.MustCompile(`^([ugoa]*[-=+][-=+rstwxXugo]*)(,[ugoa]*[-=+][-=+rstwxXugo]*)*$`)
	anyURL       = regexp.MustCompile(`^[a-zA-Z][a-zA-Z0-9+.-]*:`)
)

func modeRule(_ *catalog.Resource, v value.Value) string {
	switch v := v.(type) {
	case value.Int, value.Float:
		return "The file mode specification must be a string, not '" +
			map[bool]string{true: "Integer", false: "Float"}[isInt(v)] + "'"
	case value.String:
		s := string(v)
		if s == "" || strings.Trim(s, "01234567") == "" && len(s) <= 4 || symbolicMode.MatchString(s) {
			return ""
		}
		if octal := strings.TrimPrefix(s, "0o"); strings.Trim(octal, "01234567") == "" {
			return "" // longer ones are cut
		}
		return "The file mode specification is invalid: " + value.Inspect(v)
	}
	return ""
}

func isInt(v value.Value) bool { _, ok := v.(value.Int); return ok }

// alone is a check that looks at the value only.
func alone(text func(v value.Value) string) func(*catalog.Resource, value.Value) string {
	return func(_ *catalog.Resource, v value.Value) string { return text(v) }
}

var (
	trueFalse = []string{"true", "false"}
	yesNo     = []string{"true", "false", "yes", "no"}
)

// The checks of Puppet's types, as far as catalogs run into them.
var (
	serviceRefuses = []rule{
		one("ensure", []string{"stopped", "running"}, "true", "false"),
		one("enable", []string{"true", "false", "manual", "mask", "delayed"}),
		one("hasstatus", trueFalse), one("hasrestart", trueFalse),
	}
	execRefuses = []rule{
		one("logoutput", []string{"true", "false", "on_failure"}), one("refreshonly", trueFalse),
		absolute("creates", false, func(string) string { return "creates must be a fully qualified path" }).ofEach(),
		absolute("cwd", false, func(string) string { return "cwd must be a fully qualified path" }),
		qualified("command", true), qualified("unless", false).ofEach(), qualified("onlyif", false).ofEach(),
		{attr: "tries", why: alone(func(v value.Value) string {
			if s, ok := scalar(v); ok {
				if n, err := strconv.Atoi(s); err == nil && n < 1 {
					return "Munging failed for value " + value.Inspect(v) + " in class tries: Tries must be an integer >= 1"
				}
			}
			return ""
		})},
	}
	fileRefuses = []rule{
		absolute("path", true, func(s string) string { return "File paths must be fully qualified, not '" + s + "'" }),
		{attr: "mode", why: modeRule},
		one("replace", yesNo), one("force", yesNo), one("purge", yesNo), one("show_diff", yesNo),
		one("links", []string{"follow", "manage"}),
		{attr: "recurse", why: alone(func(v value.Value) string {
			if s, ok := scalar(v); ok && !slices.Contains([]string{"true", "false", "remote"}, s) {
				return "Invalid recurse value " + value.Inspect(v)
			}
			return ""
		})},
		{attr: "source", why: alone(func(v value.Value) string {
			if s, ok := v.(value.String); ok && s != "" && !strings.HasPrefix(string(s), "/") && !anyURL.MatchString(string(s)) {
				return "Cannot use relative URLs '" + string(s) + "'"
			}
			return ""
		})},
	}
	userRefuses = []rule{
		one("ensure", []string{"present", "absent", "role"}), one("system", yesNo), one("allowdupe", yesNo),
		one("membership", []string{"inclusive", "minimum"}),
		{attr: "managehome", why: alone(func(v value.Value) string {
			if s, ok := scalar(v); ok && !slices.Contains(yesNo, s) {
				return "Munging failed for value " + value.Inspect(v) + " in class managehome: expected a boolean value"
			}
			return ""
		})},
		{attr: "groups", why: alone(func(v value.Value) string {
			if s, ok := v.(value.String); ok && strings.Contains(string(s), ",") {
				return "Group names must be provided as an array, not a comma-separated list."
			}
			return ""
		})},
		{attr: "password", why: alone(func(v value.Value) string {
			if s, ok := v.(value.String); ok && strings.Contains(string(s), ":") {
				return "Passwords cannot include ':'"
			}
			return ""
		})},
	}
	groupRefuses = []rule{
		one("ensure", []string{"present", "absent"}), one("system", yesNo), one("allowdupe", yesNo),
		{attr: "gid", why: alone(func(v value.Value) string {
			if s, ok := v.(value.String); ok && strings.Trim(string(s), "0123456789") != "" {
				return "Invalid GID " + string(s)
			}
			return ""
		})},
	}
)

func (r rule) ofEach() rule { r.each = true; return r }

// scalar is the text of a value that is a word for Puppet.
func scalar(v value.Value) (string, bool) {
	switch v := v.(type) {
	case value.String:
		return string(v), true
	case value.Bool, value.Int:
		return value.ToString(v), true
	}
	return "", false
}
