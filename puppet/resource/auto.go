package resource

import (
	"regexp"
	"sort"
	"strconv"
	"strings"

	"bunraku/puppet/value"
)

// A Relation is one of the four ways in which resources are ordered.
type Relation uint8

const (
	Require   Relation = iota // the other one comes first
	Subscribe                 // it comes first, and its changes refresh this one
	Before                    // the other one comes later
	Notify                    // it comes later, and is refreshed by changes of this one
)

// String is the name of the metaparameter.
func (r Relation) String() string { return [...]string{"require", "subscribe", "before", "notify"}[r] }

// Refreshes reports whether changes are passed on.
func (r Relation) Refreshes() bool { return r == Subscribe || r == Notify }

// Incoming reports whether the other resource comes first.
func (r Relation) Incoming() bool { return r == Require || r == Subscribe }

// Auto is an automatic relation: what the resource is related to when the catalog has it.
type Auto struct {
	Relation Relation
	Target   string // a type
	Names    func(r Instance, all Instances) []Named
	// Ask is set in place of Names for types of modules, whose blocks are run. The error says what could not be.
	Ask func(r Instance, all Instances) ([]Named, error)
}

// Related are the resources that an automatic relation asks for.
func (a *Auto) Related(r Instance, all Instances) ([]Named, error) {
	if a.Ask != nil {
		return a.Ask(r, all)
	}
	return a.Names(r, all), nil
}

// Named is a resource that an automatic relation asks for, by a title or an alias, and the attribute that gave the name
// ("" when none or several did).
type Named struct{ Title, Attr string }

// An Instance is a resource as the automatic relations see it.
type Instance interface {
	Type() string // in lower case; a class is "class"
	Title() string
	Name() string                // its (first) key attribute, munged
	Get(attr string) value.Value // nil when it has none
	Attributes() []string        // in the catalog's order
}

// Instances are the resources of the catalog. They are comparable: the same catalog gives equal ones.
type Instances interface {
	Has(typ, title string) bool
	Find(typ, title string) Instance   // nil when there is none
	Each(typ string, f func(Instance)) // of one type, or of all when typ is ""
}

// The functions below follow the autorequire blocks of the Ruby types, one each.

var (
	startsWithPath = regexp.MustCompile(`(?m)^(/[^\t\n\v\f\r ]+)`)
	startsQuoted   = regexp.MustCompile(`(?m)^"([^"]+)"`)
	someDigits     = regexp.MustCompile(`(?m)^[0-9]+$`)
)

// list is an attribute as an array: Puppet treats a single value so.
func list(v value.Value) []value.Value {
	switch v := v.(type) {
	case nil, value.Undef:
		return nil
	case *value.Array:
		return value.Flatten(v).Elems
	}
	return []value.Value{v}
}

// first is the text of an attribute, or of its first element. ok is false for what is no string.
func first(v value.Value) (s string, ok bool) {
	if l := list(v); len(l) > 0 {
		t, ok := l[0].(value.String)
		return string(t), ok
	}
	return "", false
}

// attribute names what an attribute names.
func attribute(r Instance, attr string) []Named {
	if s, ok := first(r.Get(attr)); ok {
		return []Named{{s, attr}}
	}
	return nil
}

// account is attribute for users and groups, of which numbers name nobody.
func account(r Instance, attr string) []Named {
	if s, ok := first(r.Get(attr)); ok && !someDigits.MatchString(s) {
		return []Named{{s, attr}}
	}
	return nil
}

// members are the sorted, comma-separated names of a list property.
func members(r Instance, attr string) []Named {
	var names []string
	seen := map[string]bool{}
	for _, v := range list(r.Get(attr)) {
		if s := value.ToString(v); !seen[s] {
			seen[s] = true
			names = append(names, s)
		}
	}
	sort.Strings(names)
	var out []Named
	for _, s := range names {
		for part := range strings.SplitSeq(s, ",") {
			out = append(out, Named{part, attr})
		}
	}
	return out
}

// parents are the directories above a path, nearest first, the root last.
func parents(p string) []string {
	if len(p) > longestPath {
		return nil
	}
	var out []string
	for p != "/" && p != "" && p != "." {
		i := strings.LastIndexByte(strings.TrimRight(p, "/"), '/')
		switch {
		case i < 0:
			p = "."
		case i == 0:
			p = "/"
		default:
			p = strings.TrimRight(p[:i], "/")
		}
		out = append(out, p)
	}
	return out
}

// longestPath is PATH_MAX: no machine has anything at a longer path.
const longestPath = 4096

func execRequiresFile(r Instance, _ Instances) []Named {
	out := attribute(r, "cwd")
	command, ok := first(r.Get("command"))
	if !ok {
		command = r.Name()
	}
	for _, re := range []*regexp.Regexp{startsWithPath, startsQuoted} {
		for _, m := range re.FindAllStringSubmatch(command, -1) {
			out = append(out, Named{m[1], "command"})
		}
	}
	for _, attr := range []string{"onlyif", "unless"} {
		lines := []value.Value{r.Get(attr)}
		if a, ok := lines[0].(*value.Array); ok {
			lines = a.Elems
		}
		for _, line := range lines {
			text, _ := first(line) // an array is a command with its arguments
			for _, m := range startsWithPath.FindAllStringSubmatch(text, -1) {
				out = append(out, Named{m[1], attr})
			}
		}
	}
	return out
}

func execRequiresUser(r Instance, _ Instances) []Named { return account(r, "user") }

func fileRequiresFile(r Instance, all Instances) []Named {
	var out []Named
	for _, dir := range parents(r.Name()) {
		if all.Has("file", dir) {
			out = append(out, Named{dir, "path"})
			break
		}
	}
	if target, ok := first(r.Get("target")); ok {
		out = append(out, Named{target, "target"})
	} else if ensure, ok := first(r.Get("ensure")); ok {
		// Any other value of ensure makes a link to it.
		switch ensure {
		case "absent", "false", "file", "present", "directory", "link", "":
		default:
			out = append(out, Named{ensure, "ensure"})
		}
	}
	return out
}

func fileRequiresUser(r Instance, _ Instances) []Named  { return account(r, "owner") }
func fileRequiresGroup(r Instance, _ Instances) []Named { return account(r, "group") }

func packageRequiresFile(r Instance, _ Instances) []Named {
	out := append(attribute(r, "responsefile"), attribute(r, "adminfile")...)
	if s, ok := first(r.Get("source")); ok && strings.HasPrefix(s, "/") {
		out = append(out, Named{s, "source"})
	}
	return out
}

func userRequiresGroup(r Instance, all Instances) []Named {
	var out []Named
	for _, v := range list(r.Get("gid")) {
		number, isNumber := groupNumber(v)
		if !isNumber {
			out = append(out, Named{value.ToString(v), "gid"})
			continue
		}
		found := false
		all.Each("group", func(g Instance) {
			if l := list(g.Get("gid")); !found && len(l) > 0 {
				if n, ok := groupNumber(l[0]); ok && n == number {
					found = true
					out = append(out, Named{g.Title(), "gid"})
				}
			}
		})
	}
	return append(out, members(r, "groups")...)
}

// groupNumber reads a gid that is a number, or a string of digits.
func groupNumber(v value.Value) (int64, bool) {
	switch v := v.(type) {
	case value.Int:
		return int64(v), true
	case value.String:
		if someDigits.MatchString(string(v)) {
			n, err := strconv.ParseInt(string(v), 10, 64)
			return n, err == nil
		}
	}
	return 0, false
}

func userRequiresUser(r Instance, _ Instances) []Named { return members(r, "roles") }
func cronRequiresUser(r Instance, _ Instances) []Named { return attribute(r, "user") }

func sshAuthorizedKeyRequiresUser(r Instance, _ Instances) []Named { return attribute(r, "user") }

func mountRequiresMount(r Instance, _ Instances) []Named {
	dirs := parents(r.Name())
	out := make([]Named, 0, len(dirs))
	for i := len(dirs) - 1; i >= 0; i-- {
		out = append(out, Named{dirs[i], "name"})
	}
	return out
}

// mountBeforeFile: Puppet puts the mount's name into a regexp unescaped; here it means itself.
func mountBeforeFile(r Instance, all Instances) []Named {
	var out []Named
	below := r.Name() + "/"
	all.Each("file", func(f Instance) {
		if p := f.Name(); len(p) > len(below) && strings.HasPrefix(p, below) {
			out = append(out, Named{p, "name"})
		}
	})
	return out
}

func selmoduleRequiresFile(r Instance, _ Instances) []Named {
	if out := attribute(r, "selmodulepath"); out != nil {
		return out
	}
	dir, ok := first(r.Get("selmoduledir"))
	if !ok {
		dir = "/usr/share/selinux/targeted"
	}
	return []Named{{dir + "/" + r.Name() + ".pp", "name"}}
}

func computerRequiresFile(r Instance, _ Instances) []Named {
	return []Named{{"/var/db/dslocal/nodes/Default/computers/" + r.Name() + ".plist", "name"}}
}

func macauthorizationRequiresFile(Instance, Instances) []Named {
	return []Named{{"/etc/authorization", "name"}}
}

func mcxRequires(r Instance, kind string) []Named {
	if s, ok := first(r.Get("ds_type")); ok && s == kind {
		return attribute(r, "ds_name")
	}
	return nil
}

func mcxRequiresUser(r Instance, _ Instances) []Named     { return mcxRequires(r, "user") }
func mcxRequiresGroup(r Instance, _ Instances) []Named    { return mcxRequires(r, "group") }
func mcxRequiresComputer(r Instance, _ Instances) []Named { return mcxRequires(r, "computer") }

func zfsRequiresZpool(r Instance, _ Instances) []Named {
	pool, _, _ := strings.Cut(r.Name(), "/")
	return []Named{{pool, "name"}}
}

func zfsRequiresZfs(r Instance, _ Instances) []Named {
	var out []Named
	for i, c := range r.Name() {
		if c == '/' && strings.Contains(r.Name()[:i], "/") {
			out = append(out, Named{r.Name()[:i], "name"})
		}
	}
	return out
}

func zoneRequiresFile(r Instance, _ Instances) []Named {
	p, ok := first(r.Get("path"))
	if !ok {
		return nil
	}
	out := []Named{{p, "path"}}
	if up := parents(p); len(up) > 0 {
		out = append(out, Named{up[0], "path"})
	}
	return out
}

func zoneRequiresZfs(r Instance, _ Instances) []Named {
	var out []Named
	for _, v := range list(r.Get("dataset")) {
		out = append(out, Named{value.ToString(v), "dataset"})
	}
	return out
}
