package serve

import (
	"cmp"
	"fmt"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"bunraku/puppet/lookup/datafile"
	"bunraku/puppet/value"
	"bunraku/source"
)

// Who may do what is said by rules, as puppetserver's auth.conf has them. The rules that match a request are tried in
// the order of their numbers, then of their names; the first one decides, and what no rule matches is denied. Whoever
// has written rules of his own relies on them: what we do not understand of his file is a reason not to start.

// A rule says who may ask for something.
type rule struct {
	name    string
	order   int64
	path    string         // the beginning of the request's path
	pattern *regexp.Regexp // in place of path; its groups are $1 and so on below
	methods []string       // in lower case; none for all
	query   map[string][]string

	anybody     bool // also without a certificate
	allow, deny []who
}

// who matches clients.
type who struct {
	name       string // "*", a name, *.domain, or a name with $1
	pattern    *regexp.Regexp
	extensions map[string][]string
}

// defaultRules are those of puppetserver's auth.conf as it is packaged. Rules about the CA are not among them: there is
// no CA here, and so nothing to allow.
func defaultRules() []rule {
	all := []who{{name: "*"}}
	own := func(what string, methods ...string) rule {
		return rule{name: "puppetlabs " + what, order: 500, pattern: regexp.MustCompile("^/puppet/v3/" + what + "/([^/]+)$"),
			methods: methods, allow: []who{{name: "$1"}}}
	}
	prefix := func(path string, methods ...string) rule {
		return rule{name: "puppetlabs " + path, order: 500, path: path, methods: methods, allow: all}
	}
	open := func(path string) rule {
		return rule{name: "puppetlabs " + path, order: 500, path: path, methods: []string{"get"}, anybody: true}
	}
	rules := []rule{
		own("catalog", "get", "post"), own("node", "get"), own("report", "put"), own("facts", "put"),
		{name: "puppetlabs v4 catalog", order: 500, pattern: regexp.MustCompile("^/puppet/v4/catalog/?$"),
			methods: []string{"post"}, deny: all},
		open("/status/v1/services"), open("/status/v1/simple"),
		prefix("/puppet/v3/environments", "get"),
		prefix("/puppet/v3/file_bucket_file", "get", "head", "post", "put"),
		prefix("/puppet/v3/file_content", "get", "post"),
		prefix("/puppet/v3/file_metadata", "get", "post"),
		prefix("/puppet/v3/static_file_content", "get"),
		prefix("/puppet/v3/tasks"),
		{name: "puppetlabs deny all", order: 999, path: "/", deny: all},
	}
	sortRules(rules)
	return rules
}

func sortRules(rules []rule) {
	slices.SortStableFunc(rules, func(a, b rule) int {
		return cmp.Or(cmp.Compare(a.order, b.order), strings.Compare(a.name, b.name))
	})
}

// permits reports whether the rules let a client (nil for nobody known) make a request; why says what denied it.
func permits(rules []rule, c *client, method, path string, query url.Values) (ok bool, why string) {
	for i := range rules {
		r := &rules[i]
		groups, matches := r.matches(method, path, query)
		if !matches {
			continue
		}
		switch {
		case r.anybody:
			return true, ""
		case c == nil:
			return false, "no certificate was shown (rule '" + r.name + "')"
		case slices.ContainsFunc(r.deny, func(w who) bool { return w.keepsOut(c, groups) }):
			return false, "denied by the rule '" + r.name + "'"
		case slices.ContainsFunc(r.allow, func(w who) bool { return w.is(c, groups) }):
			return true, ""
		}
		return false, "not allowed by the rule '" + r.name + "'"
	}
	return false, "no rule allows it"
}

// twofold is a parameter of a request that has several values and only one meaning: the environment, or whatever a rule
// asks for. "" for none.
func twofold(rules []rule, query url.Values) string {
	several := func(name string) bool {
		return slices.ContainsFunc(query[name], func(v string) bool { return v != query[name][0] })
	}
	if several("environment") {
		return "environment"
	}
	for i := range rules {
		for name := range rules[i].query {
			if several(name) {
				return name
			}
		}
	}
	return ""
}

func (r *rule) matches(method, path string, query url.Values) (groups []string, ok bool) {
	if len(r.methods) > 0 && !slices.Contains(r.methods, strings.ToLower(method)) {
		return nil, false
	}
	for name, values := range r.query {
		if !slices.ContainsFunc(query[name], func(v string) bool { return slices.Contains(values, v) }) {
			return nil, false
		}
	}
	if r.pattern == nil {
		return nil, strings.HasPrefix(path, r.path)
	}
	groups = r.pattern.FindStringSubmatch(path)
	return groups, groups != nil
}

var backReference = regexp.MustCompile(`\$(\d+)`)

// is reports whether a client is meant. puppetserver takes a certificate's alternative names for the client's own. We
// do so where that keeps somebody out, and not where it lets somebody in: nobody gets what belongs to another name.
func (w who) is(c *client, groups []string) bool {
	if w.extensions == nil {
		return w.named(c.name, groups)
	}
	for name, values := range w.extensions {
		has, is := c.extensions.At(name).(value.String)
		if !is || !slices.Contains(values, string(has)) {
			return false
		}
	}
	return true
}

// keepsOut reports whether a client is meant by one of its names.
func (w who) keepsOut(c *client, groups []string) bool {
	return w.is(c, groups) || w.extensions == nil &&
		slices.ContainsFunc(c.others, func(name string) bool { return w.named(name, groups) })
}

// named reports whether a name is meant.
func (w who) named(given string, groups []string) bool {
	name := strings.ToLower(given)
	switch {
	case w.pattern != nil:
		return w.pattern.MatchString(given)
	case w.name == "*":
		return true
	case strings.HasPrefix(w.name, "*."): // the domain itself, too
		return strings.HasSuffix("."+name, strings.ToLower(w.name[1:]))
	}
	return sameName(backReference.ReplaceAllStringFunc(w.name, func(ref string) string {
		if n, err := strconv.Atoi(ref[1:]); err == nil && n < len(groups) {
			return groups[n]
		}
		return ref // there is none: the rule was not read
	}), name)
}

// Names in rules, as puppetserver tells them apart (trapperkeeper-authorization's acl.clj, new-domain). What a group
// of the path has matched is a name only, and no domain, whatever the client has written there.
var (
	dottedName = regexp.MustCompile(`^(\w[-\w]*\.)+[-\w]+$`)
	singleName = regexp.MustCompile(`^\w[-@\w]*$`)
	domainName = regexp.MustCompile(`^\*(\.\w[-\w]*)+$`)
)

// sameName reports whether a name of a rule is that of a client, which is in lower case. Capitals of a rule count
// where there is no dot: puppetserver compares such names as they are.
func sameName(ruled, name string) bool {
	if dottedName.MatchString(ruled) {
		return strings.ToLower(ruled) == name
	}
	return singleName.MatchString(ruled) && ruled == name
}

// readRules reads an auth.conf.
func readRules(path string, extension func(name string) (short string, seen bool)) ([]rule, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	root, err := datafile.ReadHOCON(source.NewFile(path, string(text)))
	if err != nil {
		return nil, err
	}
	p := &ruleParser{file: path, extension: extension}
	rules := p.top(root)
	sortRules(rules)
	return rules, p.err
}

// A ruleParser keeps the first thing that it did not understand.
type ruleParser struct {
	file      string
	at        string                                      // the rule's name
	extension func(name string) (short string, seen bool) // what clients' extensions are called
	err       error
}

func (p *ruleParser) wrong(format string, args ...any) {
	if p.err == nil {
		at := p.file
		if p.at != "" {
			at += ", rule '" + p.at + "'"
		}
		p.err = fmt.Errorf("%s: %s; puppetserver's rules must be understood to the last, or nobody is served", at,
			fmt.Sprintf(format, args...))
	}
}

// top reads all rules of a file.
func (p *ruleParser) top(root *datafile.Node) (rules []rule) {
	var all *value.Hash
	if root != nil {
		if file, is := root.Value.(*value.Hash); is && file.Len() == 1 {
			all, _ = file.At("authorization").(*value.Hash)
		}
	}
	if all == nil {
		p.wrong("it must have authorization and nothing else")
		return nil
	}
	for _, key := range []string{"version", "rules"} {
		if value.IsUndef(all.At(key)) {
			p.wrong("it has no %s", key)
		}
	}
	for _, e := range all.Entries() {
		switch key := value.ToString(e.Key); key {
		case "version":
			if value.ToString(e.Value) != "1" {
				p.wrong("version %s is not known", value.ToString(e.Value))
			}
		case "allow-header-cert-info":
			if e.Value != value.Bool(false) {
				p.wrong("allow-header-cert-info lets anybody be anybody, and is not supported")
			}
		case "rules":
			list, is := e.Value.(*value.Array)
			if !is {
				p.wrong("rules must be a list")
				return nil
			}
			names := map[string]bool{}
			for _, v := range list.Elems {
				r := p.rule(v)
				if names[r.name] {
					p.wrong("another rule is called so, too")
				}
				names[r.name] = true
				rules = append(rules, r)
			}
		default:
			p.wrong("%s is not known", key)
		}
	}
	return rules
}

func (p *ruleParser) rule(v value.Value) (r rule) {
	h, is := v.(*value.Hash)
	p.at = ""
	if !is {
		p.wrong("a rule must be a hash")
		return r
	}
	name, is := h.At("name").(value.String)
	if !is || name == "" {
		p.wrong("a rule has no name")
	}
	r.name, p.at = string(name), string(name)
	order, is := h.At("sort-order").(value.Int)
	if !is || order < 1 || order > 999 {
		p.wrong("sort-order must be a number from 1 to 999")
	}
	r.order = int64(order)
	for _, e := range h.Entries() {
		switch key := value.ToString(e.Key); key {
		case "name", "sort-order":
		case "match-request":
			p.match(e.Value, &r)
		case "allow":
			r.allow = p.list(e.Value)
		case "deny":
			r.deny = p.list(e.Value)
		case "allow-unauthenticated":
			is, known := e.Value.(value.Bool)
			if r.anybody = bool(is); !known {
				p.wrong("allow-unauthenticated is true or false")
			}
		default:
			p.wrong("%s is not known", key)
		}
	}
	groups := 0
	if r.pattern != nil {
		groups = r.pattern.NumSubexp()
	}
	for _, w := range slices.Concat(r.allow, r.deny) {
		for _, ref := range backReference.FindAllStringSubmatch(w.name, -1) {
			if n, err := strconv.Atoi(ref[1]); err != nil || n < 1 || n > groups {
				p.wrong("the path has no group for %s", ref[0])
			}
		}
	}
	switch {
	case r.path == "" && r.pattern == nil:
		p.wrong("match-request has no path")
	case r.anybody && (r.allow != nil || r.deny != nil):
		p.wrong("allow-unauthenticated goes with neither allow nor deny")
	case !r.anybody && r.allow == nil && r.deny == nil:
		p.wrong("it says neither allow nor deny")
	}
	return r
}

func (p *ruleParser) match(v value.Value, r *rule) {
	h, is := v.(*value.Hash)
	if !is {
		p.wrong("match-request must be a hash")
		return
	}
	for _, e := range h.Entries() {
		switch key := value.ToString(e.Key); key {
		case "path":
		case "type":
		case "method":
			for _, m := range p.strings(e.Value) {
				if m = strings.ToLower(m); !slices.Contains([]string{"get", "post", "put", "delete", "head"}, m) {
					p.wrong("match-request: the method %s is not known", m)
				}
				r.methods = append(r.methods, m)
			}
			if len(r.methods) == 0 {
				p.wrong("match-request: there is no method")
			}
		case "query-params":
			params, is := e.Value.(*value.Hash)
			if !is {
				p.wrong("query-params must be a hash")
				return
			}
			r.query = map[string][]string{}
			for _, q := range params.Entries() {
				r.query[value.ToString(q.Key)] = p.strings(q.Value)
			}
		default:
			p.wrong("match-request: %s is not known", key)
		}
	}
	path, _ := h.At("path").(value.String)
	switch kind := value.ToString(h.At("type")); kind {
	case "path":
		r.path = string(path)
	case "regex":
		r.pattern = p.pattern(string(path))
	default:
		p.wrong("match-request: the type is path or regex, not %q", kind)
	}
}

// strings is a text, or a list of them.
func (p *ruleParser) strings(v value.Value) (out []string) {
	list, is := v.(*value.Array)
	if !is {
		list = value.NewArray(v)
	}
	for _, e := range list.Elems {
		text, is := e.(value.String)
		if !is {
			p.wrong("%s must be a text", value.Inspect(e))
		}
		out = append(out, string(text))
	}
	return out
}

// list is whom a rule allows or denies.
func (p *ruleParser) list(v value.Value) (out []who) {
	list, is := v.(*value.Array)
	if !is {
		list = value.NewArray(v)
	}
	for _, e := range list.Elems {
		switch e := e.(type) {
		case value.String:
			out = append(out, p.name(string(e)))
		case *value.Hash:
			var w who
			for _, x := range e.Entries() {
				switch key := value.ToString(x.Key); key {
				case "certname":
					named := p.name(value.ToString(x.Value))
					w.name, w.pattern = named.name, named.pattern
				case "extensions":
					h, is := x.Value.(*value.Hash)
					if !is {
						p.wrong("extensions must be a hash")
						return out
					}
					w.extensions = map[string][]string{}
					for _, x := range h.Entries() {
						name, seen := p.extension(value.ToString(x.Key))
						if !seen {
							p.wrong("%s is no extension that rules can ask for: it is none of Puppet's", value.ToString(x.Key))
						}
						w.extensions[name] = p.strings(x.Value)
					}
				default:
					p.wrong("%s is not known", key)
				}
			}
			if (w.extensions == nil) == (w.name == "" && w.pattern == nil) || len(w.extensions) == 0 && w.extensions != nil {
				p.wrong("whom a rule means is said by certname or by extensions")
			}
			out = append(out, w)
		default:
			p.wrong("%s names nobody", value.Inspect(e))
		}
	}
	return out
}

// name is whom a text means. It is refused if puppetserver would find nobody by it.
func (p *ruleParser) name(s string) who {
	refers := backReference.MatchString(s)
	switch {
	case len(s) > 1 && strings.HasPrefix(s, "/") && strings.HasSuffix(s, "/"):
		if refers {
			p.wrong("%q would make a pattern of what a client writes", s)
		}
		return who{pattern: p.pattern(s[1 : len(s)-1])}
	case refers:
		if strings.Contains(s, "*") {
			p.wrong("%q would make a domain of what a client writes", s)
		}
	case s != "*" && !domainName.MatchString(s) && !sameName(s, strings.ToLower(s)):
		p.wrong("%q names nobody; names without dots are in lower case", s)
	}
	return who{name: s}
}

// otherwise is what patterns of Java may have that Go reads as something else: a class inside of a class, or cut with
// one, and the flag U. The rest either means the same or is no pattern of Go's.
var otherwise = regexp.MustCompile(`^(?:[^\\\[]|\\.)*(?:\[\^?\]?(?:[^\\\[\]&]|\\.|&[^&\]])*(?:\[|&&)|\(\?[a-zA-Z-]*U)`)

// pattern is a pattern of Java's, as puppetserver reads it.
func (p *ruleParser) pattern(text string) *regexp.Regexp {
	re, err := regexp.Compile(text)
	if err != nil {
		p.wrong("%s is no pattern: %v", text, err)
		return nil
	}
	if otherwise.MatchString(text) {
		p.wrong("the pattern %s has a class inside of a class, or a flag, that is not understood", text)
	}
	return re
}
