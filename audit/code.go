package audit

import (
	"cmp"
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"bunraku/puppet/compiler"
	"bunraku/puppet/facts"
	"bunraku/puppet/outline"
	"bunraku/puppet/resource"
	"bunraku/puppet/syntax"
	"bunraku/puppet/value"
	"bunraku/source"
)

// Codes of what is said about code.
const (
	codeClass     = "U0101" // a class that is not there
	codeResource  = "U0102" // a define or resource type that is not there
	codeAttribute = "U0103" // an attribute that the type does not have
	codeFunction  = "U0104" // a function that is not there
	codeVariable  = "U0105" // a variable that nothing sets
	codeTemplate  = "U0106" // a template that is not there
	codeFile      = "U0107" // a file that is not there
	codeArity     = "U0108" // too few or too many arguments
	codeType      = "U0109" // a literal that its parameter does not accept
	codeGiven     = "U0110" // a parameter without default that is not given
	codeDataType  = "U0111" // a data type that is not there
)

// code looks at one manifest.
func (t *Tree) code(f *file) {
	t.stmts(f, nil, f.tree.Body.Stmts)
	t.misplaced(f)
	for _, d := range f.tree.Defs {
		switch d := d.(type) {
		case *syntax.Class:
			def := t.classes[outline.Class(d.Name)]
			if def == nil || def.node != syntax.Definition(d) {
				continue
			}
			if p := def.parent; p != "" && t.classes[p] == nil && t.there(p) {
				t.warn(codeClass, f, d.ParentAt, "there is no class "+p+" to inherit from", near(p, t.classNames()))
			}
			t.parameters(f, d.Params)
			t.stmts(f, def, append(defaultsOf(d.Params), d.Body.Stmts...))
		case *syntax.Define:
			t.parameters(f, d.Params)
			t.stmts(f, t.defines[outline.Class(d.Name)], append(defaultsOf(d.Params), d.Body.Stmts...))
		case *syntax.NodeDef:
			t.stmts(f, nil, d.Body.Stmts)
		case *syntax.Function:
			t.parameters(f, d.Params)
			t.stmts(f, nil, append(defaultsOf(d.Params), d.Body.Stmts...))
		}
	}
}

// misplaced looks for a manifest of a module that Puppet comes to for none of the classes and defines in it: nobody
// can declare them by their names.
func (t *Tree) misplaced(f *file) {
	type lost struct {
		code, kind, name string
		at               source.Span
	}
	var all []lost
	for _, d := range f.tree.Defs {
		switch d := d.(type) {
		case *syntax.Class:
			all = append(all, lost{codeClass, "class ", outline.Class(d.Name), d.NameAt})
		case *syntax.Define:
			all = append(all, lost{codeResource, "define ", outline.Class(d.Name), d.NameAt})
		}
	}
	for _, x := range all {
		if f.module == "" || t.env.Finds(x.name, f.path) {
			return
		}
	}
	for _, x := range all {
		module, rest, _ := strings.Cut(x.name, "::")
		home := filepath.Join("manifests", strings.ReplaceAll(cmp.Or(rest, "init"), "::", "/")+".pp")
		if m := t.env.Module(module); m != nil {
			home = t.env.Display(filepath.Join(m.Dir, home))
		} else {
			home = filepath.Join(module, home)
		}
		t.warn(x.code, f, x.at, "Puppet does not find the "+x.kind+x.name+" in this file", "it looks for it in "+home)
	}
}

// defaultsOf are the defaults of parameters, which are code as well.
func defaultsOf(params []*syntax.Param) (out []syntax.Expr) {
	for _, p := range params {
		if p.Default != nil {
			out = append(out, p.Default)
		}
	}
	return out
}

// parameters looks at the types and defaults of a definition's parameters.
func (t *Tree) parameters(f *file, params []*syntax.Param) {
	for _, p := range params {
		t.types(f, p.Type)
		t.literal(f, p.Type, f.tree.Source, p.Default, "the default of $"+p.Name)
	}
}

// types looks for data types that are not there.
func (t *Tree) types(f *file, e syntax.Expr) {
	if e == nil {
		return
	}
	syntax.Walk(e, func(n syntax.Node) bool {
		r, ok := n.(*syntax.Ref)
		if !ok {
			return true
		}
		name := outline.Class(r.Value)
		switch {
		case t.typeKnown(name, r.Value):
		case strings.Contains(name, "::") && t.there(name):
			t.warn(codeDataType, f, r.Where, "there is no type "+r.Value, near(r.Value, t.typeNames(name)))
		case !strings.Contains(name, "::"): // a resource type that is not there, unless it is a slip
			if x := t.slip(r.Value, t.snap.TypeNames()); x != "" {
				t.warn(codeDataType, f, r.Where, "there is no type "+r.Value, meant(x))
			}
		}
		return true
	})
}

func (t *Tree) typeKnown(name, written string) bool {
	return t.defines[name] != nil || t.classes[name] != nil || t.snap.TypeNamed(written)
}

// typeNames are types of the module that a name belongs to.
func (t *Tree) typeNames(name string) (out []string) {
	module, _, _ := strings.Cut(name, "::")
	for _, n := range t.env.TypeNames(module) {
		out = append(out, outline.Capitalized(n))
	}
	return out
}

// stmts looks at code; def is the class or define that it belongs to, nil for none.
func (t *Tree) stmts(f *file, def *definition, stmts []syntax.Expr) {
	guarded := guardedSpans(stmts)
	in := func(n syntax.Node) bool {
		for _, g := range guarded {
			if g.Start <= n.Span().Start && n.Span().End <= g.End {
				return true
			}
		}
		return false
	}
	for u := range outline.Uses(stmts, t.snap.Code().Effect) {
		if u.At == nil || in(u.At) && u.Kind != outline.Called {
			continue
		}
		at := u.At.Span()
		if u.By != nil {
			at = u.By.Span()
		}
		switch u.Kind {
		case outline.Called:
			t.call(f, u, in(u.At))
		case outline.Declares:
			switch {
			case u.Collected || u.Name == "" && u.Type == "Class":
			case u.Type == "Class":
				t.class(f, at, u.Name)
			}
		}
	}
	for _, s := range stmts {
		t.walk(f, def, s, in)
	}
	if def != nil {
		t.variables(f, def)
	}
}

// guardedSpans is code under a test that asks what is there.
func guardedSpans(stmts []syntax.Expr) (out []source.Span) {
	for _, s := range stmts {
		syntax.Walk(s, func(n syntax.Node) bool {
			i, ok := n.(*syntax.If)
			if !ok {
				return true
			}
			asks := false
			syntax.Walk(i.Test, func(n syntax.Node) bool {
				if c, ok := n.(*syntax.Call); ok {
					name, _ := c.Functor.(*syntax.Name)
					asks = asks || name != nil && asking[outline.Class(name.Value)]
				}
				return true
			})
			if asks {
				out = append(out, i.Where)
			}
			return true
		})
	}
	return out
}

// asking are functions by which code finds out what there is.
var asking = map[string]bool{"defined": true, "find_file": true, "find_template": true, "module_exists": true,
	"module_directory": true, "stdlib::module_exists": true, "is_module": true, "load_module_metadata": true}

// class looks for a class.
func (t *Tree) class(f *file, at source.Span, name string) {
	name = outline.Class(name)
	if t.classes[name] != nil || !plainName(name) {
		return
	}
	if !t.there(name) {
		if !t.absent(name) {
			return
		}
		if x := t.slip(name, t.classNames()); x != "" {
			t.warn(codeClass, f, at, "there is no class "+name, meant(x))
		}
		return
	}
	help := near(name, t.classNames())
	if t.defines[name] != nil {
		help = name + " is a define: declare it with a title"
	}
	t.warn(codeClass, f, at, "there is no class "+name, help)
}

// absent reports whether no module has the name that a qualified name begins with.
func (t *Tree) absent(name string) bool {
	module, _, _ := strings.Cut(name, "::")
	return t.env.Module(module) == nil && !t.broken[""]
}

// plainName reports whether a text can be the name of a class.
func plainName(name string) bool {
	for _, c := range name {
		if !(c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '_' || c == ':') {
			return false
		}
	}
	return name != ""
}

// call looks for a function, and at how many arguments it gets. Of one that the code asks for first it is not said that
// it is not there.
func (t *Tree) call(f *file, u outline.Use, asked bool) {
	name := strings.TrimPrefix(u.Name, "::")
	var args []syntax.Expr
	var at source.Span
	switch c := u.At.(type) {
	case *syntax.Call:
		args, at = c.Args, c.Functor.Span()
		if n, ok := c.Functor.(*syntax.Name); !ok || strings.TrimPrefix(n.Value, "::") != name {
			return // one that another calls
		}
	case *syntax.MethodCall:
		args, at = append([]syntax.Expr{c.Functor.Left}, c.Args...), c.Functor.Name.Where
		if c.Functor.Name.Value != name {
			return
		}
		if _, unfold := c.Functor.Left.(*syntax.Unary); unfold {
			return
		}
	default:
		return
	}
	least, most := 0, -1
	if fn := t.funcs[strings.ToLower(name)]; fn != nil {
		most = len(fn.Params)
		for _, p := range fn.Params {
			if p.Splat {
				most = -1
			} else if p.Default == nil {
				least++
			}
		}
		if most == -1 && least > 0 {
			least = 0 // a splat may be the one that is required
		}
	} else {
		c := t.snap.Callee(name, f.tree.Source)
		if !c.Known {
			if _, method := u.At.(*syntax.MethodCall); !asked && !(method && t.maybeMember(name)) {
				t.noFunction(f, at, name)
			}
			return
		}
		least, most = c.Min, c.Max
	}
	for _, a := range args {
		if x, ok := a.(*syntax.Unary); ok && x.Op == syntax.OpSplat {
			return
		}
	}
	if n := len(args); n < least || most >= 0 && n > most {
		takes := fmt.Sprint(least)
		switch {
		case most < 0:
			takes = fmt.Sprintf("at least %d", least)
		case most > least:
			takes = fmt.Sprintf("%d to %d", least, most)
		}
		t.warn(codeArity, f, at, fmt.Sprintf("%s() takes %s, and gets %d", name, countOf(takes, "argument"), n), "")
	}
}

func countOf(n, noun string) string {
	if n == "1" {
		return "1 " + noun
	}
	return n + " " + noun + "s"
}

// maybeMember reports whether what stands before a dot may be an object that has something of a name.
func (t *Tree) maybeMember(name string) bool {
	if t.objects == nil {
		has := slices.ContainsFunc(t.typeFiles(), func(f *file) bool {
			return strings.Contains(f.tree.Source.Text, "Object")
		})
		t.objects = &has
	}
	return *t.objects || t.snap.Member(name)
}

// noFunction says that a function is missing, if that is certain.
func (t *Tree) noFunction(f *file, at source.Span, name string) {
	low := strings.ToLower(name)
	if _, ok := t.env.FunctionFile(low); ok || t.snap.Answers(low) || t.snap.OnceOfStdlib(low) ||
		compiler.OfEnterprise(low) {
		return
	}
	if strings.Contains(low, "::") {
		if t.there(low) {
			t.warn(codeFunction, f, at, "there is no function "+name, near(low, append(names(t.funcs),
				t.snap.FunctionNames()...)))
			return
		}
	} else if !t.wanting && !t.broken[f.module] {
		t.warn(codeFunction, f, at, "there is no function "+name, near(low, t.snap.FunctionNames()))
		return
	}
	if !t.absent(low) || t.broken[f.module] {
		return
	}
	if x := t.slip(low, append(t.snap.FunctionNames(), names(t.funcs)...)); x != "" {
		t.warn(codeFunction, f, at, "there is no function "+name, meant(x))
	}
}

// walk looks at resources, references, and texts that name files.
func (t *Tree) walk(f *file, def *definition, s syntax.Expr, guarded func(syntax.Node) bool) {
	syntax.Walk(s, func(n syntax.Node) bool {
		switch n := n.(type) {
		case syntax.Definition:
			return false
		case *syntax.Resource:
			t.resource(f, n, guarded(n))
		case *syntax.Param: // of a lambda
			t.types(f, n.Type)
		case *syntax.Defaults:
			if r, ok := n.Type.(*syntax.Ref); ok {
				t.attributes(f, outline.Class(r.Value), n.Ops)
			}
		case *syntax.Call:
			if !guarded(n) {
				t.named(f, n)
			}
		case *syntax.Var:
			t.qualified(f, n, guarded)
		case *syntax.Access:
			if r, ok := n.Left.(*syntax.Ref); ok && !guarded(n) {
				t.reference(f, r, n)
			}
		}
		return true
	})
}

// reference looks at Type[title].
func (t *Tree) reference(f *file, r *syntax.Ref, a *syntax.Access) {
	name := outline.Class(r.Value)
	if strings.Contains(name, "::") && !t.typeKnown(name, r.Value) && t.there(name) {
		t.warn(codeResource, f, r.Where, "there is no define, resource type or data type "+r.Value,
			near(name, names(t.defines)))
	}
	if name == "class" {
		for _, k := range a.Keys {
			for _, class := range syntax.StaticNames(k) {
				if class != "" {
					t.class(f, k.Span(), class)
				}
			}
		}
	}
}

// accepted are the attributes that a type takes; known is false if that cannot be told.
func (t *Tree) accepted(typ string) (has func(string) bool, all []string, known bool) {
	if d := t.defines[typ]; d != nil {
		if d.several {
			return nil, nil, false
		}
		return func(name string) bool {
			return name == "name" || resource.IsMetaparam(name) || d.param(name) != nil
		}, d.paramNames(), true
	}
	if r := t.snap.Type(typ); r != nil {
		return r.Accepts, r.AttributeNames(), true
	}
	return nil, nil, false
}

func (d *definition) param(name string) *syntax.Param {
	for _, p := range d.params {
		if p.Name == name {
			return p
		}
	}
	return nil
}

func (d *definition) paramNames() (out []string) {
	for _, p := range d.params {
		out = append(out, p.Name)
	}
	return out
}

// attributes looks for attributes that a type does not have.
func (t *Tree) attributes(f *file, typ string, ops []*syntax.AttrOp) {
	has, all, known := t.accepted(typ)
	if !known {
		return
	}
	for _, op := range ops {
		if !op.Splat && !has(op.Name) {
			t.warn(codeAttribute, f, op.NameAt, outline.Capitalized(typ)+" has no attribute "+op.Name, near(op.Name, all))
		}
	}
}

// resource looks at a resource expression. Of a type that the code asks for first it is not said that it is not there.
func (t *Tree) resource(f *file, n *syntax.Resource, asked bool) {
	name, ok := n.Type.(*syntax.Name)
	if !ok {
		return
	}
	typ := outline.Class(name.Value)
	if typ == "class" {
		for _, b := range n.Bodies {
			for _, class := range syntax.StaticNames(b.Title) {
				if d := t.classes[outline.Class(class)]; d != nil {
					t.given(f, d, b, "class "+d.name)
				}
			}
		}
		return
	}
	d := t.defines[typ]
	for _, b := range n.Bodies {
		if !asked {
			t.sources(f, b.Ops)
		}
	}
	if d == nil && t.snap.Type(typ) == nil {
		switch {
		case asked || compiler.OfEnterprise(typ):
		case strings.Contains(typ, "::") && t.there(typ):
			help := near(typ, names(t.defines))
			if t.classes[typ] != nil {
				help = typ + " is a class: include it"
			}
			t.warn(codeResource, f, name.Where, "there is no define "+typ, help)
		case !strings.Contains(typ, "::") && !t.wanting && !t.broken[typ]:
			t.warn(codeResource, f, name.Where, "there is no resource type "+typ,
				near(typ, append(names(t.defines), resourceNames()...)))
		case t.absent(typ):
			if x := t.slip(typ, append(names(t.defines), resourceNames()...)); x != "" {
				kind := "resource type "
				if t.defines[x] != nil {
					kind = "define "
				}
				t.warn(codeResource, f, name.Where, "there is no "+kind+typ, meant(x))
			}
		}
		return
	}
	shared := false
	for _, b := range n.Bodies {
		_, isDefault := b.Title.(*syntax.Default)
		shared = shared || isDefault
	}
	for _, b := range n.Bodies {
		if d == nil {
			t.attributes(f, typ, b.Ops)
			continue
		}
		t.given(f, d, b, outline.Capitalized(typ))
		if d.several || shared || t.defaults[typ] || n.Form == syntax.Virtual || n.Form == syntax.Exported {
			continue // others may give the rest
		}
		t.missing(f, d, b)
	}
}

func resourceNames() (out []string) {
	for _, r := range resource.Types() {
		out = append(out, r.Name)
	}
	return out
}

// builtInTypes are the names of the types of resources that Puppet has.
var builtInTypes = sync.OnceValue(func() map[string]bool {
	out := map[string]bool{}
	for _, name := range resourceNames() {
		out[name] = true
	}
	return out
})

// given looks at the parameters that a class or define is given.
func (t *Tree) given(f *file, d *definition, b *syntax.ResourceBody, who string) {
	if d.several {
		return
	}
	for _, op := range b.Ops {
		if op.Splat || op.Name == "name" || resource.IsMetaparam(op.Name) && d.param(op.Name) == nil {
			continue
		}
		p := d.param(op.Name)
		if p == nil {
			t.warn(codeAttribute, f, op.NameAt, who+" has no parameter "+op.Name, near(op.Name, d.paramNames()))
			continue
		}
		t.literal(f, p.Type, d.file.tree.Source, op.Value, "parameter "+op.Name+" of "+who)
	}
}

// missing looks for parameters without default that an instance of a define is not given.
func (t *Tree) missing(f *file, d *definition, b *syntax.ResourceBody) {
	has := map[string]bool{}
	for _, op := range b.Ops {
		if op.Splat {
			return
		}
		has[op.Name] = true
	}
	var lacks []string
	for _, p := range d.params {
		if p.Default == nil && !has[p.Name] {
			lacks = append(lacks, "$"+p.Name)
		}
	}
	if len(lacks) > 0 {
		t.warn(codeGiven, f, b.Title.Span(), outline.Capitalized(d.name)+" needs a value of "+strings.Join(lacks, ", "), "")
	}
}

// literal compares a value that stands in the code with a type.
func (t *Tree) literal(f *file, typ syntax.Expr, in *source.File, e syntax.Expr, what string) {
	if typ == nil || e == nil {
		return
	}
	v, ok := literalOf(e)
	if !ok || value.IsUndef(v) && !strings.HasPrefix(what, "the default") || !t.resolves(typ, 0) {
		return
	}
	text := in.Text[typ.Span().Start:typ.Span().End]
	if strings.ContainsAny(text, "$#\n") {
		return // it is computed, or holds a comment
	}
	if fits, known := t.snap.Accepts(text, v); known && !fits {
		help := ""
		if value.IsUndef(v) {
			help = "without a value from elsewhere that is an error: leave the default out, or make it Optional[" + text + "]"
		}
		if text == "Variant" {
			help = "Variant alone takes no value at all: say which types, Variant[…]"
		}
		if s, is := v.(value.String); is {
			if _, isNumber := e.(*syntax.Str); isNumber && isDigits(string(s)) {
				help = "write " + string(s) + " without quotes"
			}
		}
		t.say(&source.Diagnostic{Code: codeType, Severity: source.Warning, Summary: what + " is no " + text, Help: help,
			Place:  source.Place{File: f.tree.Source, Span: e.Span()},
			Hidden: strings.Contains(text, "Sensitive") || secretWord.MatchString(what)})
	}
}

func isDigits(s string) bool {
	for _, c := range s {
		if c < '0' || c > '9' {
			return false
		}
	}
	return s != ""
}

// resolves reports whether everything that a type names is there.
func (t *Tree) resolves(e syntax.Expr, depth int) bool {
	ok := true
	syntax.Walk(e, func(n syntax.Node) bool {
		if r, is := n.(*syntax.Ref); is && ok {
			ok = t.typeResolves(r.Value, depth)
		}
		return ok
	})
	return ok
}

// typeResolves is the same of one name.
func (t *Tree) typeResolves(name string, depth int) (ok bool) {
	if ok, seen := t.resolved[name]; seen {
		return ok
	}
	defer func() { t.resolved[name] = ok }()
	if depth >= 10 || !t.snap.TypeNamed(name) && t.defines[outline.Class(name)] == nil {
		return false
	}
	path, there := t.env.TypeFile(name)
	if !there {
		return true
	}
	tree, ds, err := t.env.Parse(path)
	if err != nil || ds.HasErrors() {
		return false
	}
	for _, d := range tree.Defs {
		if a, is := d.(*syntax.TypeAlias); is && !recursive(a) && !t.resolves(a.X, depth+1) {
			return false
		}
	}
	return true
}

// recursive reports whether an alias names itself.
func recursive(a *syntax.TypeAlias) (is bool) {
	syntax.Walk(a.X, func(n syntax.Node) bool {
		if r, ok := n.(*syntax.Ref); ok && outline.Class(r.Value) == outline.Class(a.Name) {
			is = true
		}
		return !is
	})
	return is
}

// literalOf is the value of an expression that is written out.
func literalOf(e syntax.Expr) (value.Value, bool) {
	switch e := e.(type) {
	case *syntax.Str:
		return value.String(e.Value), true
	case *syntax.Name:
		return value.String(e.Value), true
	case *syntax.Int:
		return value.Int(e.Value), !e.Big
	case *syntax.Float:
		return value.Float(e.Value), true
	case *syntax.Bool:
		return value.Bool(e.Value), true
	case *syntax.Undef:
		return value.Undef{}, true
	case *syntax.List:
		var out []value.Value
		for _, x := range e.Elems {
			v, ok := literalOf(x)
			if !ok {
				return nil, false
			}
			out = append(out, v)
		}
		return value.NewArray(out...), true
	case *syntax.Hash:
		b := value.NewHashBuilder(len(e.Entries))
		for _, x := range e.Entries {
			k, ok := literalOf(x.Key)
			v, ok2 := literalOf(x.Value)
			if !ok || !ok2 {
				return nil, false
			}
			b.SetEntry(value.Entry{Key: k, Value: v})
		}
		return b.Hash(), true
	}
	return nil, false
}

// qualified looks at $class::name.
func (t *Tree) qualified(f *file, v *syntax.Var, guarded func(syntax.Node) bool) {
	name := strings.TrimPrefix(v.Name, "::")
	i := strings.LastIndex(name, "::")
	if i < 0 || guarded(v) {
		return
	}
	class, last := outline.Class(name[:i]), name[i+2:]
	if class == "settings" || class == "facts" || class == "trusted" {
		return
	}
	if !t.there(class) {
		if t.classes[class] != nil {
			return // it stands in a file that Puppet does not find, which is told there
		}
		if !t.absent(class) {
			return
		}
		if x := t.slip(class+"::"+last, t.qualifiedNames()); x != "" {
			t.warn(codeVariable, f, v.Where, "there is no class "+class+" to have a variable "+last, meant(x))
		}
		return
	}
	d := t.classes[class]
	if d == nil {
		t.warn(codeVariable, f, v.Where, "there is no class "+class+" to have a variable "+last,
			near(class, t.classNames()))
		return
	}
	vars, certain := t.visible(d)
	if !certain || vars[last] || inEveryScope[last] {
		return
	}
	help := near(last, names(vars))
	for x := range vars { // what only goes on, and is read beside it, is another name
		if help == meant(x) && strings.HasPrefix(last, x) && strings.Contains(f.tree.Source.Text, "::"+x) {
			help = ""
		}
	}
	t.warn(codeVariable, f, v.Where, "class "+class+" sets no variable "+last, help)
}

// classNames are the names of all classes. They are not the caller's to change.
func (t *Tree) classNames() []string {
	if t.allClasses == nil {
		t.allClasses = names(t.classes)
	}
	return t.allClasses
}

// qualifiedNames are the variables of all classes.
func (t *Tree) qualifiedNames() []string {
	if t.allQualified == nil {
		for _, class := range t.classNames() {
			for _, v := range names(t.classes[class].vars) {
				t.allQualified = append(t.allQualified, class+"::"+v)
			}
		}
	}
	return t.allQualified
}

// inEveryScope are variables that every class has.
var inEveryScope = map[string]bool{"title": true, "name": true, "module_name": true, "caller_module_name": true}

// visible are the variables that a class or define sets, with those that it inherits; certain is false if a parent is
// not there, or one of them has several definitions. They are not the caller's to change.
func (t *Tree) visible(d *definition) (vars map[string]bool, certain bool) {
	if d.parent == "" {
		return d.vars, !d.several
	}
	vars = map[string]bool{}
	for depth := 0; d != nil && !d.several && depth < 20; depth++ {
		maps.Copy(vars, d.vars)
		if d.parent == "" {
			return vars, true
		}
		d = t.classes[d.parent]
	}
	return vars, false
}

// variables looks for variables of a class or define that nothing sets, if one that is set is called much the same: a
// classifier may set others.
func (t *Tree) variables(f *file, def *definition) {
	vars, certain := t.visible(def)
	if !certain || t.broken[""] {
		return
	}
	set := settings(def.body)
	for _, s := range append(defaultsOf(def.params), def.body...) {
		t.unset(f, s, vars, set)
	}
}

// A setting is where a variable is set: it is behind at, and in within, if that is some branch.
type setting struct {
	at     uint32
	within source.Span
}

// settings are where code sets variables.
func settings(stmts []syntax.Expr) map[string][]setting {
	all := map[string][]setting{}
	var branches []source.Span
	for _, s := range stmts {
		syntax.Walk(s, func(n syntax.Node) bool {
			switch n := n.(type) {
			case *syntax.If:
				branches = append(branches, n.Then.Braces, n.Else.Braces)
			case *syntax.Option:
				branches = append(branches, n.Then.Braces)
			}
			return true
		})
	}
	for _, s := range stmts {
		syntax.Walk(s, func(n syntax.Node) bool {
			a, is := n.(*syntax.Assign)
			if !is {
				return true
			}
			x := setting{at: a.Where.End}
			for _, b := range branches {
				if b.Start <= a.Where.Start && a.Where.End <= b.End && (x.within.End == 0 || b.Start > x.within.Start) {
					x.within = b
				}
			}
			into := map[string]bool{}
			targets(a.Left, into)
			for name := range into {
				all[name] = append(all[name], x)
			}
			return true
		})
	}
	return all
}

// setBefore reports whether a variable is a parameter, or inherited, or is set before a place on every way to it.
func setBefore(all []setting, at uint32) bool {
	return len(all) == 0 || slices.ContainsFunc(all, func(x setting) bool {
		return x.at <= at && (x.within.End == 0 || x.within.Start <= at && at < x.within.End)
	})
}

// unset looks for variables in code that nothing sets. Only one that is set before may be meant.
func (t *Tree) unset(f *file, e syntax.Expr, vars map[string]bool, set map[string][]setting) {
	locals := map[string]bool{}
	syntax.Walk(e, func(n syntax.Node) bool {
		if l, ok := n.(*syntax.Lambda); ok {
			for _, p := range l.Params {
				locals[p.Name] = true
			}
			assigned(l.Body.Stmts, locals)
		}
		return true
	})
	syntax.Walk(e, func(n syntax.Node) bool {
		switch n := n.(type) {
		case syntax.Definition:
			return false
		case *syntax.Var:
			if !t.set(n.Name, vars, locals) {
				before := slices.DeleteFunc(append(names(vars), names(locals)...), func(x string) bool {
					return !setBefore(set[x], n.Where.Start)
				})
				if x := source.Nearest(n.Name, before); x != "" && alike(n.Name, x) {
					t.warn(codeVariable, f, n.Where, "nothing sets $"+n.Name, "did you mean $"+x+"?")
				}
			}
		}
		return true
	})
}

// alike reports whether a name is another with one slip: that is no other word.
func alike(a, b string) bool {
	if len(a) > len(b)+1 || len(b) > len(a)+1 {
		return false
	}
	i := 0
	for i < len(a) && i < len(b) && a[i] == b[i] {
		i++
	}
	part := func(s string) string { // the part of a qualified name that differs
		s = s[strings.LastIndex(s[:i], "::")+1:]
		s, _, _ = strings.Cut(strings.TrimPrefix(s, ":"), "::")
		return s
	}
	x, y := part(a), part(b)
	if len(x) < 4 || len(y) < 4 || strings.HasPrefix(x, y) || strings.HasPrefix(y, x) {
		return false
	}
	return source.Slip(a, b)
}

// set reports whether a variable that is read without a qualification may be set.
func (t *Tree) set(name string, vars, locals map[string]bool) bool {
	if strings.Contains(name, "::") || name == "" || name[0] >= '0' && name[0] <= '9' {
		return true
	}
	switch name {
	case "facts", "trusted", "server_facts", "environment", "settings", "servername", "serverip", "serverversion",
		"clientcert", "clientversion", "clientnoop", "agent_specified_environment":
		return true
	}
	return vars[name] || locals[name] || t.top[name] || resource.IsMetaparam(name) || inEveryScope[name] ||
		facts.Legacy[name] != "" ||
		isFact(name) || t.customFact(name)
}

// isFact reports whether a built-in system has a fact. Most names are those of every system, so one is asked first.
func isFact(name string) bool { return usualFacts()[name] || knownFacts()[name] }

// usualFacts are the facts of one system, knownFacts those of all.
var (
	usualFacts = sync.OnceValue(func() map[string]bool { return factsOf(facts.Systems[:1]) })
	knownFacts = sync.OnceValue(func() map[string]bool { return factsOf(facts.Systems) })
)

func factsOf(systems []facts.System) map[string]bool {
	out := map[string]bool{}
	for _, s := range systems {
		for _, name := range s.Names() {
			out[name] = true
		}
	}
	return out
}

var word = regexp.MustCompile(`[a-zA-Z_]\w*`)

// customFact reports whether a module may bring a fact of a name: its files of facts have the word.
func (t *Tree) customFact(name string) bool {
	t.factsOnce.Do(func() {
		t.factWords = map[string]bool{}
		t.env.EachFactFile(func(path, text string) {
			t.factWords[strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))] = true
			for _, w := range word.FindAllString(text, -1) {
				t.factWords[w] = true
			}
		})
	})
	return t.factWords[name]
}
