package migrate

import (
	"fmt"
	"path"
	"regexp"
	"strconv"
	"strings"

	"bunraku/puppet/facts"
	"bunraku/puppet/syntax"
	"bunraku/puppet/value"
	"bunraku/source"
)

// Facts under old names are read in many ways: as variables, through $facts, by functions, in Hiera's data and in the
// paths of its levels, in templates and in functions in Ruby. Only the plain variable is an error without them;
// everywhere else they are undef, and a node gets another catalog without a word. So all of these reads are looked for
// in the files that a compile has read, and are made reads of the structured fact.

// dropped reports whether the node had a fact that it has no more.
func (t *try) dropped(name string) bool {
	if t.old == nil || t.old.Values == nil {
		return false
	}
	return t.old.Values.EntryString(name) != nil && sentNoMore(name, t.old.Values)
}

// reads are expressions that have what an old name had.
func (t *try) reads(name string) (out []string) {
	if t.old == nil || t.old.Values == nil {
		return nil
	}
	path, exact := facts.Modern(name, t.old.Values)
	if path == nil {
		return nil
	}
	was, is := t.old.Values.At(name), at(t.old.Values, path)
	plain := "$facts" + brackets(path)
	bracketed := !value.IsUndef(is) && !(path[0] == "networking" && path[1] == "interfaces" && len(path) > 2)
	switch {
	case !exact && path[0] == "memory":
		digits := 0
		if _, fraction, has := strings.Cut(value.ToString(was), "."); has {
			digits = len(fraction)
		}
		text := fmt.Sprintf("sprintf('%%.%df', %s / 1048576.0)", digits, plain)
		if _, float := was.(value.Float); float {
			return []string{"Float(" + text + ")", plain + " / 1048576.0"}
		}
		return []string{text, plain + " / 1048576.0"}
	case !exact && path[0] == "ssh":
		return []string{"join(values(" + plain + `), "\n")`}
	case !exact:
		return []string{"join(keys(" + plain + "), ',')", "join(sort(keys(" + plain + ")), ',')",
			"join(keys(" + plain + `).map |$n| { regsubst($n, '\W', '_', 'G') }, ',')`,
			"join(sort(keys(" + plain + `).map |$n| { regsubst($n, '\W', '_', 'G') }), ',')`}
	case !bracketed:
		return []string{"getvar('facts." + dotted(path) + "')"}
	case !value.IsUndef(was) && !value.Equal(was, is) && value.ToString(was) == value.ToString(is):
		return []string{"String(" + plain + ")", plain}
	}
	return []string{plain}
}

// at is the part of facts at a path.
func at(h *value.Hash, path []string) value.Value {
	var v value.Value = h
	for _, part := range path {
		switch x := v.(type) {
		case *value.Hash:
			v = x.At(part)
		case *value.Array:
			i, err := strconv.Atoi(part)
			if err != nil || i >= len(x.Elems) {
				return value.Undef{}
			}
			v = x.Elems[i]
		default:
			return value.Undef{}
		}
	}
	return v
}

// brackets writes a path as it follows a variable, in Puppet and in Ruby.
func brackets(path []string) string {
	var b strings.Builder
	for _, part := range path {
		if _, err := strconv.Atoi(part); err != nil {
			part = "'" + part + "'"
		}
		b.WriteString("[" + part + "]")
	}
	return b.String()
}

var plainKey = regexp.MustCompile(`^\w+$`)

// dotted writes a path as Hiera and getvar have it.
func dotted(path []string) string {
	parts := make([]string, len(path))
	for i, part := range path {
		if parts[i] = part; !plainKey.MatchString(part) {
			parts[i] = `"` + part + `"`
		}
	}
	return strings.Join(parts, ".")
}

// oldFacts are the edits of a file that read structured facts instead of those with old names.
func (t *try) oldFacts(f *source.File) (set []edit) {
	switch path.Ext(f.Name) {
	case ".pp", ".epp":
		set = t.oldInCode(parseTree(f))
	case ".erb", ".rb":
		set = t.oldInRuby(f, source.Span{End: uint32(len(f.Text))})
	case ".yaml", ".yml", ".json", ".eyaml", ".conf":
		set = t.inData(source.Place{File: f}, "")
	}
	return set
}

func why(name string) string { return "The fact '" + name + "' is sent no more" }

// oldInCode looks through a manifest or a template.
func (t *try) oldInCode(code *tree) (set []edit) {
	if code == nil {
		return nil
	}
	own := map[string]bool{} // variables that the file sets itself
	for _, n := range code.all {
		switch n := n.(type) {
		case *syntax.Param:
			own[n.Name] = true
		case *syntax.Assign:
			syntax.Walk(n.Left, func(x syntax.Node) bool {
				if v, is := x.(*syntax.Var); is {
					own[v.Name] = true
				}
				return true
			})
		}
	}
	add := func(n syntax.Expr, name, read string) {
		e := code.instead(n, read)
		e.why = why(name)
		set = append(set, e)
	}
	for _, n := range code.all {
		switch n := n.(type) {
		case *syntax.Var:
			if name := strings.TrimPrefix(n.Name, "::"); t.dropped(name) && (name != n.Name || !own[name]) {
				add(n, name, t.reads(name)[0])
			}
		case *syntax.Access:
			if name := literal(n.Keys); isFacts(n.Left) && t.dropped(name) {
				add(n, name, t.reads(name)[0])
			}
		case *syntax.Call:
			functor, _ := n.Functor.(*syntax.Name)
			if functor == nil || len(n.Args) == 0 {
				continue
			}
			if functor.Value == "inline_template" {
				for _, arg := range n.Args {
					set = append(set, t.oldInRuby(code.file, arg.Span())...)
				}
			}
			args, over := n.Args, false
			if over = isFacts(args[0]); over {
				args = args[1:]
			}
			t.oldInCall(functor.Value, over, args, add)
		case *syntax.MethodCall:
			if over := isFacts(n.Functor.Left); over {
				t.oldInCall(n.Functor.Name.Value, over, n.Args, add)
			} else if len(n.Args) == 0 {
				t.oldInCall(n.Functor.Name.Value, false, []syntax.Expr{n.Functor.Left}, add)
			}
		case *syntax.Binary:
			if name := literal([]syntax.Expr{n.Left}); n.Op.String() == "in" && isFacts(n.Right) && t.dropped(name) {
				path, _ := facts.Modern(name, t.old.Values)
				add(n.Left, name, "'"+path[0]+"'")
			}
		}
	}
	return set
}

// oldInCall looks at functions that are told the name of a fact: over says that $facts comes before it.
func (t *try) oldInCall(function string, over bool, args []syntax.Expr, add func(syntax.Expr, string, string)) {
	if len(args) == 0 {
		return
	}
	name := literal(args[:1])
	bare := strings.TrimPrefix(strings.TrimPrefix(name, "::"), "facts.")
	if !t.dropped(bare) {
		return
	}
	path, exact := facts.Modern(bare, t.old.Values)
	if !exact {
		return
	}
	switch {
	case over && function == "get", !over && function == "fact":
		add(args[0], bare, "'"+dotted(path)+"'")
	case over && function == "dig":
		add(args[0], bare, "'"+strings.Join(path, "', '")+"'")
	case over && function == "has_key":
		add(args[0], bare, "'"+path[0]+"'")
	case !over && (function == "getvar" || function == "get"):
		add(args[0], bare, "'facts."+dotted(path)+"'")
	}
}

// literal is the text of a single literal, "" for anything else.
func literal(of []syntax.Expr) string {
	if len(of) != 1 {
		return ""
	}
	switch x := of[0].(type) {
	case *syntax.Str:
		return x.Value
	case *syntax.Name:
		return x.Value
	}
	return ""
}

func isFacts(x syntax.Expr) bool {
	v, is := x.(*syntax.Var)
	return is && (v.Name == "facts" || v.Name == "::facts")
}

var (
	rubyVariable = regexp.MustCompile(`@(\w+)`)
	rubyScope    = regexp.MustCompile(`(scope|closure_scope)(?:\[|\.lookupvar\(\s*)['"](?:::)?(\w+)['"]\s*[\])]`)
	rubyLookup   = regexp.MustCompile(`(^|[^.\w])lookupvar\(\s*['"](?:::)?(\w+)['"]\s*\)`)
	rubyFacts    = regexp.MustCompile(`(facts['"]?\]?\)?)\[\s*['"](\w+)['"]\s*\]`)
	rubyHas      = regexp.MustCompile(`has_variable\?\(?\s*['"](?:::)?(\w+)['"]\s*\)?`)
)

// oldInRuby looks through a template or a function in Ruby, or the part of a manifest that is a template.
func (t *try) oldInRuby(f *source.File, in source.Span) (set []edit) {
	text := f.Text[in.Start:in.End]
	find := func(re *regexp.Regexp, group int, instead func(m []string, path []string) string) {
		for _, m := range re.FindAllStringSubmatchIndex(text, -1) {
			var parts []string
			for i := 0; i < len(m); i += 2 {
				parts = append(parts, text[m[i]:m[i+1]])
			}
			if name := parts[group]; t.dropped(name) {
				if path, exact := facts.Modern(name, t.old.Values); exact {
					at := source.Span{Start: in.Start + uint32(m[0]), End: in.Start + uint32(m[1])}
					read := instead(parts, path)
					if strings.HasPrefix(text, "'") { // a text of a manifest, which an apostrophe would end
						read = strings.ReplaceAll(read, "'", `"`)
					}
					set = append(set, edit{file: f, at: at, text: read, why: why(name)})
				}
			}
		}
	}
	find(rubyVariable, 1, func(_, path []string) string { return "@facts" + brackets(path) })
	find(rubyScope, 2, func(m, path []string) string { return m[1] + "['facts']" + brackets(path) })
	find(rubyLookup, 2, func(m, path []string) string { return m[1] + "lookupvar('facts')" + brackets(path) })
	find(rubyFacts, 2, func(m, path []string) string { return m[1] + brackets(path) })
	find(rubyHas, 1, func(_, _ []string) string { return "has_variable?('facts')" })
	return set
}

// inRuby has a template, or a text in a manifest, ask for a variable that nobody may have set before it reads it.
func inRuby(f *source.File, name string) (set []edit) {
	switch path.Ext(f.Name) {
	case ".erb", ".rb", ".pp":
	default:
		return nil
	}
	quoted := regexp.QuoteMeta(name)
	read := regexp.MustCompile(`(scope|closure_scope)(?:\[|\.lookupvar\(\s*)(\\?['"])(?:::)?` + quoted + `\\?['"]\s*[\])]`)
	for _, m := range read.FindAllStringSubmatchIndex(f.Text, -1) {
		text, scope, mark := f.Text[m[0]:m[1]], f.Text[m[2]:m[3]], f.Text[m[4]:m[5]]
		set = append(set, edit{file: f, at: source.Span{Start: uint32(m[0]), End: uint32(m[1])},
			text: "(" + text + " if " + scope + ".include?(" + mark + name + mark + "))"})
	}
	return set
}

// interpolated is a variable in Hiera's data.
var interpolated = regexp.MustCompile(`%\{\s*(?:(?:::)?([\w:.]+)|scope\(\s*\\?['"]+(?:::)?([\w:.]+)\\?['"]+\s*\))\s*\}`)

// inData has Hiera's data read the structured fact in place of one with an old name; other variables that nobody sets
// are the empty text in Puppet 7 and are taken out. Of all variables it looks at one, or if that is "" at every fact
// that the node has no more.
func (t *try) inData(at source.Place, wanted string) (set []edit) {
	if at.File == nil {
		return nil
	}
	switch path.Ext(at.File.Name) {
	case ".yaml", ".yml", ".json", ".eyaml", ".conf":
	default:
		return nil
	}
	text := at.File.Text[at.Span.Start:]
	for _, m := range interpolated.FindAllStringSubmatchIndex(text, -1) {
		group := 2
		if m[2] < 0 {
			group = 4
		}
		name := text[m[group]:m[group+1]]
		bare := strings.TrimPrefix(name, "facts.")
		if wanted == "" && !t.dropped(bare) || wanted != "" && name != strings.TrimPrefix(wanted, "::") {
			continue
		}
		instead := ""
		modern, exact := facts.Modern(bare, t.oldValues())
		if exact {
			instead = "%{facts." + dotted(modern) + "}"
		} else if wanted == "" {
			continue // it has to be computed, which data cannot
		}
		from := at.Span.Start
		set = append(set, edit{file: at.File, text: instead, why: why(bare),
			at: source.Span{Start: from + uint32(m[0]), End: from + uint32(m[1])}})
	}
	return set
}

func (t *try) oldValues() *value.Hash {
	if t.old == nil {
		return nil
	}
	return t.old.Values
}
