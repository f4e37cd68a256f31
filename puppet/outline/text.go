package outline

import (
	"strings"

	"bunraku/puppet/syntax"
	"bunraku/source"
)

// Names in text. Much of what Puppet calls by name it takes as a text, and so do its functions. Where:
//
//	in a call       takes, below: what each argument of a function names. The functions are Puppet's own and stdlib's,
//	                each read; those that only look at values (has_key, dig, get, member) name nothing. Modules
//	                (module_directory, load_module_metadata) and facts (fact) are named, too, and are nobody's to rename.
//	by a call       call('web::f', …), Deferred('web::f', […]), Type('Web::Mode'), Type.new(…); what such a function
//	                takes, its arguments name.
//	in a reference  Class['web'], Resource['web::vhost', 't'], Resource['web::vhost']['t'], Web::Vhost['t']['port'],
//	                require => 'Web::Vhost[t]'
//	as attributes   * => {'port' => 1}, and the hashes that create_resources and its kin take; Web::Vhost <| port == 1 |>
//	as a tag        tagged('web'), File <| tag == 'web' |>: every class and define tags what is in it with its name
//	in a template   @port, scope['web::port'], and what else Ruby asks a scope for (rubyTakes); also when the template is
//	                a string or heredoc itself, inline_template and inline_epp
//	in data         keys, lookup_options, %{…}; in hiera.yaml functions and mapped_paths: who reads data has these
//
// A text is one that stands there, or in a list, hash or choice that stands there, or in a variable that is set to one
// in the same scope. One that is put together when the code runs is a Pattern: "web::${x}" may be any class of web.

// taken is what an argument of a function names.
type taken uint8

const (
	aValue      taken = iota // nothing
	more                     // as the argument before, and so all that follow
	included                 // a class, which comes into the catalog
	aClass                   //
	aType                    // of resources; create_resources takes it with @
	aThing                   // a class, a type, or with a dollar a variable
	aTag                     // which a class or define has given
	aVariable                // with a path behind it or not: web::list.0
	aFunction                // which takes the arguments that follow
	aDeferred                // a function, which takes those that the next argument lists
	aKey                     // of Hiera's, or a hash with one as its name
	keyed                    // a hash whose keys are Hiera's, or one that has such hashes
	aTemplate                //
	anEPP                    // a template, whose name may lack .epp
	given                    // a hash of the parameters of the template that is named first
	aFile                    //
	aDataType                // as text
	aReference               // Type[title], as text
	anERBText                // a template itself
	anEPPText                //
	anAttribute              // of what is named first
	settings                 // a hash of attributes of what is named first
	resources                // a hash of such hashes, by title
	aSource                  // a file, as puppet:///modules/…
	aTitle                   // of what is named first, which may be a class
)

// takes says what the arguments of functions name.
var takes = map[string][]taken{
	"include": {included, more}, "contain": {included, more}, "require": {included, more},
	"defined": {aThing, more}, "tagged": {aTag, more}, "realize": {aReference, more},
	"getvar": {aVariable}, "call": {aFunction}, "is_function_available": {aFunction},
	"stdlib::has_function": {aFunction}, "has_function": {aFunction}, "run_plan": {aFunction},
	"assert_type": {aDataType}, "validate_legacy": {aDataType, aFunction},
	"lookup": {aKey, keyed, aValue, keyed}, "hiera": {aKey}, "hiera_array": {aKey}, "hiera_hash": {aKey},
	"hiera_include": {aKey},
	"template":      {aTemplate, more}, "find_template": {aTemplate, more}, "epp": {anEPP, given},
	"stdlib::deferrable_epp": {anEPP, given}, "inline_template": {anERBText, more}, "inline_epp": {anEPPText},
	"file": {aFile, more}, "binary_file": {aFile}, "find_file": {aFile, more},
	"create_resources": {aType, resources, settings}, "ensure_resource": {aType, aTitle, settings},
	"ensure_resources":    {aType, resources, settings},
	"defined_with_params": {aReference, settings}, "getparam": {aReference, anAttribute},
	"str2resource": {aReference}, "stdlib::str2resource": {aReference},
}

// kind is what the i-th argument of a function names.
func kind(list []taken, i int) taken {
	switch last := len(list) - 1; {
	case i <= last && list[i] != more:
		return list[i]
	case last > 0 && list[last] == more:
		return list[last-1]
	}
	return aValue
}

// arguments adds what the arguments of a function name.
func (n *namer) arguments(function string, args []syntax.Expr, s *scope) {
	if len(args) == 0 {
		return
	}
	list, known := takes[function]
	switch {
	case known:
	case function == "new":
		switch typeOf(args[0]) {
		case "type":
			list = []taken{aValue, aDataType}
		case "deferred":
			list = []taken{aValue, aDeferred}
		}
	default:
		switch e := n.effects(function); {
		case e&(Includes|Contains|Requires) != 0 && e&Anything == 0:
			list = []taken{included, more}
		case e&Makes != 0:
			list = []taken{aType}
		}
	}
	if list == nil {
		return
	}
	around := n.by
	defer func() { n.by = around }()
	for i, a := range args {
		n.by = n.real(a.Span())
		switch t := kind(list, i); t {
		case aValue, given:
		case included:
			n.classes(a, s, true)
		case aFunction:
			n.text(t, a, s)
			n.further(a, args[i+1:], s)
		case aDeferred:
			n.text(aFunction, a, s)
			if i+1 < len(args) {
				if rest, is := args[i+1].(*syntax.List); is {
					n.further(a, rest.Elems, s)
				}
			}
		case aKey, keyed:
			n.keyed(t, a, s)
		case anEPP:
			if !n.literals(a, s, func(text string, at source.Span) {
				if !strings.HasSuffix(text, ".epp") {
					text += ".epp"
				}
				n.add(Name{Kind: TemplateName, Name: text, Span: at, Text: true})
				if len(args) > i+1 && !n.keys(args[i+1], s, func(key string, at source.Span, _ syntax.Expr) {
					n.add(Name{Kind: LocalName, Name: key, Of: text, Span: at, Param: true, Text: true})
				}) {
					n.add(Name{Kind: LocalName, Of: text, Span: args[i+1].Span(), Open: true})
				}
			}) {
				n.open(TemplateName, "", a)
			}
		case anERBText:
			n.inlineERB(a, s)
		case anEPPText:
			n.inlineEPP(a, args[i+1:], s)
		case anAttribute:
			n.attribute(n.ownerOf(args[0]), a, s)
		case aTitle:
			if n.typeNamed(args[0]) == "class" {
				n.classes(a, s, true)
			}
		case settings, resources:
			if t == settings && list[1] == aTitle && n.typeNamed(args[0]) == "class" {
				for _, name := range syntax.StaticNames(args[1]) {
					n.settings(Class(name), a, s)
				}
				continue
			}
			n.made(t, args[0], a, s)
		default:
			n.text(t, a, s)
		}
	}
}

// further adds what arguments name that are those of a function which is named by a text.
func (n *namer) further(function syntax.Expr, args []syntax.Expr, s *scope) {
	if names := syntax.StaticNames(function); len(names) == 1 {
		n.arguments(strings.TrimPrefix(names[0], "::"), args, s)
	}
}

// text adds what texts of an expression name.
func (n *namer) text(t taken, e syntax.Expr, s *scope) {
	all := n.literals(e, s, func(text string, at source.Span) {
		inText(t, text, at, func(x Name) {
			if x.Free {
				n.bind(x.Name, x.Span, s, x)
			} else {
				n.add(x)
			}
		})
	})
	kind, is := opens[t]
	switch {
	case !is || all:
	case t == aTemplate:
		for _, variable := range append(n.sources(e, s), "") {
			n.add(Name{Kind: kind, Of: variable, Span: e.Span(), Open: true})
		}
	default:
		n.open(kind, "", e)
	}
}

// sources are the variables of classes and defines that an expression has its value from.
func (n *namer) sources(e syntax.Expr, s *scope) (out []string) {
	each := func(list ...syntax.Expr) {
		for _, x := range list {
			out = append(out, n.sources(x, s)...)
		}
	}
	switch e := e.(type) {
	case *syntax.Paren:
		each(e.X)
	case *syntax.List:
		each(e.Elems...)
	case *syntax.Selector:
		for _, x := range e.Entries {
			each(x.Value)
		}
	case *syntax.Var:
		n.bound(e.Name, s, Name{}, func(x Name) {
			if x.Kind == VariableName && strings.Contains(x.Name, "::") {
				out = append(out, x.Name)
			}
		})
	}
	return out
}

// opens are the kinds of names that somebody asks for who knows that code may come to any of them.
var opens = map[taken]NameKind{aVariable: VariableName, aKey: KeyName, aTemplate: TemplateName, aType: TypeName,
	aFunction: FunctionName}

// keyed adds keys of Hiera's that an argument of lookup names.
func (n *namer) keyed(t taken, e syntax.Expr, s *scope) {
	if _, options := e.(*syntax.Hash); t == aKey && !options {
		n.text(aKey, e, s)
	}
	n.keys(e, nil, func(option string, _ source.Span, value syntax.Expr) {
		switch {
		case option == "name" && t == aKey:
			n.text(aKey, value, s)
		case option == "default_values_hash" || option == "override":
			n.keys(value, s, func(key string, at source.Span, _ syntax.Expr) {
				inText(aKey, key, at, n.add)
			})
		}
	})
}

// keys calls f for the entries of a hash that is written out, also as a sum of some. It reports whether these are all
// that there are.
func (n *namer) keys(e syntax.Expr, s *scope, f func(key string, at source.Span, value syntax.Expr)) (all bool) {
	each := func(list ...syntax.Expr) bool {
		all = true
		for _, x := range list {
			all = n.keys(x, s, f) && all
		}
		return all
	}
	switch e := e.(type) {
	case *syntax.Hash:
		all = true
		for _, x := range e.Entries {
			if key, is := x.Key.(*syntax.Interpolated); is && s != nil {
				n.literals(key, s, func(text string, at source.Span) {
					if strings.Trim(text, string(Hole)) != "" {
						f(text, at, x.Value)
					}
				})
				all = false
				continue
			}
			all = n.literals(x.Key, nil, func(text string, at source.Span) { f(text, at, x.Value) }) && all
		}
		return all
	case *syntax.Undef, *syntax.Str:
		return true
	case *syntax.Paren:
		return each(e.X)
	case *syntax.Binary:
		if e.Op == syntax.OpAdd {
			return each(e.Left, e.Right)
		}
	case *syntax.Selector:
		var values []syntax.Expr
		for _, x := range e.Entries {
			values = append(values, x.Value)
		}
		return each(values...)
	case *syntax.Call:
		if f, is := e.Functor.(*syntax.Name); is && merges[f.Value] {
			return each(e.Args...)
		}
	case *syntax.MethodCall:
		if merges[e.Functor.Name.Value] {
			return each(append([]syntax.Expr{e.Functor.Left}, e.Args...)...)
		}
	case *syntax.Var:
		return n.follow(e, s, func(x syntax.Expr) bool { return n.keys(x, s, f) })
	}
	return false
}

// merges are the functions that make one hash of several.
var merges = map[string]bool{"merge": true, "deep_merge": true, "stdlib::merge": true, "stdlib::deep_merge": true}

// settings adds the attributes of a thing that a hash sets.
func (n *namer) settings(owner string, e syntax.Expr, s *scope) {
	if owner == "" {
		return
	}
	if !n.keys(e, s, func(key string, at source.Span, _ syntax.Expr) { n.set(owner, key, at, true) }) &&
		owner != anyThing && owner != anyClass {
		n.open(VariableName, owner+"::", e)
	}
}

func (n *namer) attribute(owner string, e syntax.Expr, s *scope) {
	if owner == "" {
		return
	}
	if !n.literals(e, s, func(text string, at source.Span) {
		n.add(Name{Kind: VariableName, Name: owner + "::" + text, Span: at, Param: true, Text: true})
	}) {
		n.open(VariableName, owner+"::", e)
	}
}

// made adds what the hashes name that a function makes resources of. of names their type.
func (n *namer) made(t taken, of, e syntax.Expr, s *scope) {
	owner := n.ownerOf(of)
	if owner == "" {
		owner = n.typeNamed(of)
	}
	switch {
	case t == settings && owner != "class":
		n.settings(owner, e, s)
	case t == resources:
		if !n.keys(e, s, func(title string, at source.Span, value syntax.Expr) {
			if owner == "class" {
				inText(included, title, at, n.add)
				n.settings(Class(title), value, s)
				return
			}
			n.settings(owner, value, s)
		}) && owner != "" && owner != "class" {
			n.open(VariableName, owner+"::", e)
		}
	}
}

// typeNamed is the type that a text names which create_resources or its kin take; "" if it is computed.
func (n *namer) typeNamed(e syntax.Expr) string {
	if names := syntax.StaticNames(e); len(names) == 1 {
		return Class(strings.TrimLeft(names[0], "@"))
	}
	return ""
}

// inText calls add for what a text names that stands at a place. If the place is not as long as the text, the text is
// written with escapes there, and the place is that of all of it. A variable that has no qualified name is Free.
func inText(t taken, text string, at source.Span, add func(Name)) {
	part := func(from, to int) source.Span {
		if at.Len() != len(text) {
			return at
		}
		return source.Span{Start: at.Start + uint32(from), End: at.Start + uint32(to)}
	}
	plain := func(from int) int {
		if strings.HasPrefix(text[from:], "::") {
			return from + 2
		}
		return from
	}
	from := plain(0)
	one := func(kind NameKind, name string) {
		add(Name{Kind: kind, Name: name, Span: part(from, len(text)), Text: true})
	}
	switch t {
	case aClass, included:
		add(Name{Kind: ClassName, Name: Class(text), Span: part(from, len(text)), Text: true, Includes: t == included})
	case aType:
		for from < len(text) && text[from] == '@' {
			from++
		}
		from = plain(from)
		if name := Class(text[from:]); name != "" && name != "class" {
			one(TypeName, name)
		}
	case aThing, aTag:
		if text[0] == '$' {
			from = plain(1)
			variable(text, from, part, add)
			return
		}
		for _, kind := range []NameKind{ClassName, TypeName} {
			add(Name{Kind: kind, Name: Class(text), Span: part(from, len(text)), Text: true, Tag: t == aTag})
		}
	case aVariable:
		variable(text, from, part, add)
	case aFunction:
		one(FunctionName, strings.TrimPrefix(text, "::"))
	case aKey:
		from = 0
		one(KeyName, text)
	case aTemplate:
		from = 0
		one(TemplateName, text)
	case aFile:
		from = 0
		one(FileName, text)
	case aSource:
		if name, is := strings.CutPrefix(text, "puppet:///modules/"); is && name != "" {
			from = len(text) - len(name)
			one(FileName, name)
		}
	case aDataType:
		dataTypes(text, part, add)
	case aReference:
		open := strings.IndexByte(text, '[')
		if open < 0 || text[len(text)-1] != ']' {
			return
		}
		typ, title := Class(text[:open]), text[open+1:len(text)-1]
		switch {
		case title == "":
		case typ == "class":
			add(Name{Kind: ClassName, Name: Class(title), Span: part(plain(open+1), len(text)-1), Text: true})
		case typ != "" && title[0] != '$':
			add(Name{Kind: TypeName, Name: typ, Span: part(from, open), Text: true})
			add(Name{Kind: ResourceName, Name: Capitalized(typ) + "[" + title + "]", Span: part(open+1, len(text)-1),
				Text: true})
		}
	}
}

// variable adds the variable that a text names from an offset on; behind a dot stands what is asked of its value.
func variable(text string, from int, part func(from, to int) source.Span, add func(Name)) {
	name, _, _ := strings.Cut(text[from:], ".")
	if name == "" || name[0] >= '0' && name[0] <= '9' {
		return
	}
	plain, top := !strings.Contains(name, "::"), from >= 2 && text[from-2:from] == "::"
	add(Name{Kind: VariableName, Name: name, Free: plain && !top, Top: plain && top,
		Span: part(from, from+len(name)), Text: true})
}

// dataTypes adds the types that the text of a type names; what stands in quotes there are values.
func dataTypes(text string, part func(from, to int) source.Span, add func(Name)) {
	quote := byte(0)
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '\'' || c == '"' || c == '/':
			quote = c
		case c >= 'A' && c <= 'Z':
			end := i
			for end < len(text) && (isWord(text[end]) || text[end] == ':') {
				end++
			}
			add(Name{Kind: TypeName, Name: Class(text[i:end]), Span: part(i, end), Text: true})
			i = end - 1
		}
	}
}

func isWord(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}
