package fleet

import (
	"fmt"
	"strconv"
	"strings"

	"bunraku/puppet/compiler"
	"bunraku/puppet/environment"
	"bunraku/puppet/facts"
	"bunraku/puppet/functions/stdlib"
	"bunraku/puppet/syntax"
	"bunraku/source"
)

// A define does nothing until somebody uses it. So that its code is looked at all the same it is used once, with a
// title and with values of the parameters that have no default, made after their types. Such a use is invented: what
// fails there may be due to it.

// A use is an instance of a define in Puppet's language.
type use struct{ define, title, include, attributes string }

// titles are tried in turn: many defines are named after files.
const plainTitle, pathTitle = "example", "/tmp/example"

// parse is the use as code; nil if the attributes do not parse.
func (u use) parse() *syntax.File {
	code := fmt.Sprintf("%s { '%s':\n%s}\n", u.define, u.title, u.attributes)
	if u.include != "" {
		code = "include " + u.include + "\n" + code
	}
	tree, ds := syntax.Parse(source.NewFile("an invented use of "+u.define, code), syntax.Options{})
	if ds.HasErrors() {
		return nil
	}
	return tree
}

// newUse is a node that has one instance of a define.
func newUse(env *environment.Environment, d public, s facts.System, legacy bool) Invention {
	def := d.def.(*syntax.Define)
	name := inventedName(d.name, s)
	m := maker{env: env}
	var attributes []string
	for _, p := range def.Params {
		if p.Default != nil {
			continue
		}
		text, ok := m.value(p.Type, d.file.Source, 0)
		if !ok { // then a compile says that it is missing
			continue
		}
		attributes = append(attributes, fmt.Sprintf("  %s => %s,\n", p.Name, text))
	}
	text := strings.Join(attributes, "")
	return Invention{Node: compiler.Node{Name: name, Unclassified: true, Absent: compiler.StandInAny,
		Facts: s.Facts(name, legacy), Code: use{d.name, plainTitle, "", text}.parse(), Part: true},
		Define: d.name, System: s, Origin: "a public define of the module", Legacy: legacy, use: text}
}

// A maker makes values after types.
type maker struct{ env *environment.Environment }

// value is an expression for a value of a type; false if the type is none that one can be made of.
func (m *maker) value(typ syntax.Expr, f *source.File, depth int) (string, bool) {
	if typ == nil {
		return "'example'", true
	}
	if depth > 8 {
		return "", false
	}
	switch t := typ.(type) {
	case *syntax.Ref:
		return m.named(t.Value, nil, f, depth)
	case *syntax.Access:
		if r, ok := t.Left.(*syntax.Ref); ok {
			return m.named(r.Value, t.Keys, f, depth)
		}
	}
	return "", false
}

// paths are values for types whose patterns are hard to make an example of.
var paths = map[string]string{
	"stdlib::absolutepath": "'/tmp/example'", "stdlib::unixpath": "'/tmp/example'",
	"stdlib::windowspath": "'C:/example'", "stdlib::httpurl": "'http://example.com'",
	"stdlib::httpsurl": "'https://example.com'", "stdlib::fqdn": "'example.com'", "stdlib::host": "'example.com'",
	"stdlib::filemode": "'0644'", "stdlib::email": "'a@example.com'", "stdlib::ip::address": "'192.0.2.1'",
	"stdlib::ip::address::nosubnet": "'192.0.2.1'", "stdlib::base64": "'ZXhhbXBsZQ=='",
	"stdlib::filesource": "'/tmp/example'",
}

func (m *maker) named(name string, keys []syntax.Expr, f *source.File, depth int) (string, bool) {
	low := strings.ToLower(strings.TrimPrefix(name, "::"))
	if text := paths[low]; text != "" {
		return text, true
	}
	switch low {
	case "any", "data", "scalar", "scalardata", "richdata", "notundef":
		if low == "notundef" && len(keys) > 0 {
			return m.value(keys[0], f, depth+1)
		}
		return "'example'", true
	case "string":
		least := 1
		if len(keys) > 0 {
			if n, ok := keys[0].(*syntax.Int); ok {
				least = max(int(n.Value), 1)
			}
		}
		if least > 100 {
			return "", false
		}
		return "'" + strings.Repeat("x", max(least-len("example"), 0)) + "example'", true
	case "integer", "numeric", "float":
		if len(keys) > 0 {
			if n, ok := keys[0].(*syntax.Int); ok {
				return strconv.FormatInt(max(n.Value, 1), 10), true
			}
		}
		if low == "float" {
			return "1.0", true
		}
		return "1", true
	case "boolean":
		return "true", true
	case "undef", "optional":
		return "undef", true
	case "array":
		if len(keys) == 0 {
			return "[]", true
		}
		element, ok := m.value(keys[0], f, depth+1)
		if _, sized := keys[0].(*syntax.Int); sized {
			return "['example']", true
		}
		return "[" + element + "]", ok
	case "hash", "struct":
		if low == "hash" && len(keys) < 3 {
			return "{}", true
		}
	case "sensitive":
		if len(keys) == 0 {
			return "Sensitive('example')", true
		}
		inner, ok := m.value(keys[0], f, depth+1)
		return "Sensitive(" + inner + ")", ok
	case "enum":
		if len(keys) > 0 {
			return f.Text[keys[0].Span().Start:keys[0].Span().End], true
		}
	case "pattern":
		for _, k := range keys {
			if re, ok := k.(*syntax.Regexp); ok {
				if text := sample(re.Source); text != "" {
					return "'" + text + "'", true
				}
			}
		}
	case "variant":
		for _, k := range keys {
			if text, ok := m.value(k, f, depth+1); ok && text != "undef" {
				return text, true
			}
		}
	default:
		if def := m.alias(name); def != nil && len(keys) == 0 {
			return m.value(def.X, def.file, depth+1)
		}
	}
	return "", false
}

type aliasOf struct {
	X    syntax.Expr
	file *source.File
}

// alias is what a type alias stands for; nil if there is none of the name.
func (m *maker) alias(name string) *aliasOf {
	var tree *syntax.File
	if path, ok := m.env.TypeFile(name); ok {
		tree, _, _ = m.env.Parse(path)
	} else if text := stdlib.Alias(name); text != "" {
		tree, _ = syntax.Parse(source.NewFile(name, text), syntax.Options{})
	}
	if tree == nil {
		return nil
	}
	for _, d := range tree.Defs {
		if a, ok := d.(*syntax.TypeAlias); ok {
			return &aliasOf{a.X, tree.Source}
		}
	}
	return nil
}
