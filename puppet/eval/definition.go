package eval

import (
	"fmt"
	"strings"

	"bunraku/provenance"
	"bunraku/puppet/outline"
	"bunraku/puppet/syntax"
	"bunraku/puppet/trace"
	"bunraku/puppet/types"
	"bunraku/puppet/value"
	"bunraku/source"
)

// Kind is what a definition defines.
type Kind uint8

const (
	ClassKind Kind = iota
	DefineKind
	NodeKind
)

// A Definition is a class, define or node as the program knows it.
type Definition struct {
	Kind   Kind
	Name   string // lower case; "" for the class that is the main manifest
	Node   syntax.Definition
	File   *syntax.File
	Module string
	Parent string // of a class: the one it inherits from
	Params []*syntax.Param
	Body   []syntax.Expr
	Match  *value.Regexp // of a node given by a regular expression
	// main's statements stand in several files
	parts []*syntax.File

	absent     string // the module that it stands in for, which is not there
	overriding bool   // a collector with overrides was written in it: it may override what it does not own
	params     *types.Struct
	shape      *shape
	types      []value.Type // of the parameters, once they are known
}

// place is where the definition stands.
func (d *Definition) place() source.Place {
	if d.File == nil || d.Node == nil {
		return source.Place{}
	}
	return source.Place{File: d.File.Source, Span: d.Node.Span()}
}

// title is what the resource of a class is called.
func (d *Definition) title() string {
	if d.shape != nil && d.shape.title != "" {
		return d.shape.title
	}
	return capitalized(d.Name)
}

func (d *Definition) param(name string) *syntax.Param {
	if i := d.find(name); i >= 0 {
		return d.Params[i]
	}
	return nil
}

// find is the place of a parameter among the others, or -1.
func (d *Definition) find(name string) int {
	if d.shape != nil {
		if i := d.shape.find(name); i < d.shape.params {
			return i
		}
	}
	return -1
}

// program is everything that has been defined so far; more is loaded when it is asked for.
type program struct {
	classes   map[string]*Definition
	defines   map[string]*Definition
	nodeDefs  []*Definition
	nodeNames map[string]*Definition
	functions map[string]*userFunction
	aliases   map[string]*alias
	entities  map[string]source.Place
	loaded    map[*syntax.File]bool
	tried     map[attempt]bool // names that were looked for, and files
}

// An attempt is what was looked for: a class, say, or a manifest of a module by the rest of its name.
type attempt struct{ kind, name, rest string }

func newProgram() program {
	return program{
		classes: map[string]*Definition{}, defines: map[string]*Definition{}, nodeNames: map[string]*Definition{},
		functions: map[string]*userFunction{}, aliases: map[string]*alias{}, entities: map[string]source.Place{},
		loaded: map[*syntax.File]bool{},
		tried:  map[attempt]bool{},
	}
}

// define adds what files define, in Puppet's two steps: each definition is made, for which the types of its parameters
// are read, and then all that were made get known by their names.
func (ev *Evaluator) define(files ...*syntax.File) {
	var made []func()
	for _, f := range files {
		if ev.loaded[f] {
			continue
		}
		ev.loaded[f] = true
		ev.mayDefault(f)
		for _, d := range f.Defs {
			if add := ev.makeDefinition(d, f, ev.world.Module(f)); add != nil {
				made = append(made, add)
			}
		}
	}
	for _, add := range made {
		add()
	}
}

// makeDefinition makes what a definition defines and returns what remains to be done about its name. Functions, type
// aliases and the types that defines are have their names at once.
func (ev *Evaluator) makeDefinition(d syntax.Definition, f *syntax.File, module string) func() {
	switch n := d.(type) {
	case *syntax.Class:
		d := &Definition{Kind: ClassKind, Name: strings.ToLower(n.Name), Node: n, File: f, Module: module, Parent: n.Parent,
			Params: n.Params, Body: n.Body.Stmts,
			shape: ev.cache.shapeOf(n, n.Params, n.Body.Stmts)}
		ev.readParams(d)
		return func() { ev.addClass(d) }
	case *syntax.Define:
		d := &Definition{Kind: DefineKind, Name: strings.ToLower(n.Name), Node: n, File: f, Module: module, Params: n.Params,
			Body:  n.Body.Stmts,
			shape: ev.cache.shapeOf(n, n.Params, n.Body.Stmts)}
		ev.readParams(d)
		ev.entity("type/"+d.Name, f, n)
		return func() { ev.addDefine(d) }
	case *syntax.NodeDef:
		ev.hostsOf(n, f) // they are read now
		return func() { ev.addNode(n, f) }
	case *syntax.Function:
		ev.entity("function/"+strings.ToLower(n.Name), f, n)
		ev.functions[n.Name] = &userFunction{def: n, file: f, module: module, source: &Definition{Kind: ClassKind, File: f,
			Module: module}}
	case *syntax.TypeAlias:
		name := strings.ToLower(strings.TrimPrefix(n.Name, "::"))
		if origin := types.Origin(name); origin != "" {
			ev.failAt(&source.Diagnostic{Code: "E0101", Place: source.Place{File: f.Source, Span: n.NameAt},
				Label:   "Puppet has this type itself",
				Summary: "Attempt to redefine entity 'http://puppet.com/2016.1/runtime/type/" + name + "'. " + origin})
		}
		ev.entity("type/"+name, f, n)
		ev.aliases[name] = &alias{def: n, file: f}
	}
	return nil
}

// readParams reads the types of a definition's parameters, which must be there when it is made, and looks at their
// names.
func (ev *Evaluator) readParams(d *Definition) {
	for i, p := range d.Params {
		if p.Type != nil {
			ev.paramType(d, i)
		}
	}
	ev.checkMetaparams(d)
}

// entity notes what Puppet's loaders know by one name each: functions, and type aliases together with defines. A define
// may have the name of an alias that was there before, not the other way round.
func (ev *Evaluator) entity(name string, f *syntax.File, n syntax.Node) {
	at := source.Place{File: f.Source, Span: n.Span()}
	old, ok := ev.entities[name]
	if _, define := n.(*syntax.Define); define && ev.aliases[strings.TrimPrefix(name, "type/")] != nil {
		ok = false
	}
	if ok {
		ev.failAt(&source.Diagnostic{Code: "E0101", Place: at, Label: "defined again here",
			Related: []source.Related{{Place: old, Label: "first defined here"}},
			Summary: "Attempt to redefine entity 'http://puppet.com/2016.1/runtime/" + name + "'."})
	}
	ev.entities[name] = at
}

func (ev *Evaluator) redefined(d, other *Definition, summary string) {
	diag := &source.Diagnostic{Code: "E0101", Summary: summary, Place: d.place(), Label: "defined again here"}
	if p := other.place(); p.Known() {
		diag.Related = []source.Related{{Place: p, Label: "first defined here"}}
	}
	ev.failAt(diag)
}

func (ev *Evaluator) addClass(d *Definition) {
	if o := ev.classes[d.Name]; o != nil {
		ev.redefined(d, o, fmt.Sprintf("Class '%s' is already defined%s; cannot redefine", d.Name, ev.at(o)))
	}
	if ev.log != nil && !strings.Contains(d.Name, ":") {
		ev.log.Ask(trace.Question{Kind: trace.NodeNamed, Of: d.Name})
	}
	if o := ev.nodeNames[d.Name]; o != nil {
		ev.redefined(d, o, fmt.Sprintf("Node '%s' is already defined%s; cannot be redefined as a class", d.Name, ev.at(o)))
	}
	if o := ev.defines[d.Name]; o != nil {
		ev.redefined(d, o, fmt.Sprintf("Definition '%s' is already defined%s; cannot be redefined as a class", d.Name,
			ev.at(o)))
	}
	ev.classes[d.Name] = d
}

func (ev *Evaluator) addDefine(d *Definition) {
	if o := ev.classes[d.Name]; o != nil {
		ev.redefined(d, o, fmt.Sprintf("'%s' is already defined%s as a class; cannot redefine as a definition", d.Name,
			ev.at(o)))
	}
	ev.defines[d.Name] = d
}

// at is Puppet's " (file: F, line: N)".
func (ev *Evaluator) at(d *Definition) string {
	p := d.place()
	if !p.Known() {
		return ""
	}
	return fmt.Sprintf(" (file: %s, line: %d)", ev.world.Path(p.File), p.Line())
}

func (ev *Evaluator) checkMetaparams(d *Definition) {
	for _, p := range d.Params {
		if !isMetaparam(p.Name) {
			continue
		}
		if p.Default == nil {
			ev.failAt(&source.Diagnostic{Code: "E0102", Place: source.Place{File: d.File.Source, Span: p.NameAt},
				Summary: fmt.Sprintf("%s is a metaparameter; please choose another parameter name in the %s definition", p.Name,
					d.Name)})
		}
		ev.warnings = append(ev.warnings, &source.Diagnostic{Code: "E0102", Severity: source.Warning,
			Place: source.Place{File: d.File.Source, Span: p.NameAt},
			Summary: fmt.Sprintf("%s is a metaparam; this value will inherit to all contained resources in the %s definition",
				p.Name, d.Name)})
	}
}

func (ev *Evaluator) addNode(n *syntax.NodeDef, f *syntax.File) {
	for _, h := range n.Hosts {
		d := &Definition{Kind: NodeKind, Node: n, File: f, Module: ev.world.Module(f), Body: n.Body.Stmts}
		switch h := h.(type) {
		case *syntax.Default:
			d.Name = "default"
		case *syntax.Regexp:
			re, err := value.NewRegexp(h.Source)
			if err != nil {
				ev.failAt(&source.Diagnostic{Code: "E0103", Summary: err.Error(),
					Place: source.Place{File: f.Source, Span: h.Span()}})
			}
			d.Match = re
			d.Name = "__node_regexp__" + regexpNodeName(h.Source, ev.set.Language)
		case *syntax.Str:
			d.Name = strings.ToLower(h.Value)
		case *syntax.Heredoc:
			if s, ok := h.X.(*syntax.Str); ok {
				d.Name = strings.ToLower(s.Value)
			}
		}
		if o := ev.nodeNames[d.Name]; o != nil {
			ev.redefined(d, o, fmt.Sprintf("Node '%s' is already defined%s; cannot redefine", d.Name, ev.at(o)))
		}
		if d.Name == "settings" { // which Puppet defines when it has read the manifests
			ev.redefined(d, ev.classes[d.Name],
				fmt.Sprintf("Node 'settings' is already defined%s; cannot be redefined as a class", ev.at(d)))
		}
		if o := ev.classes[d.Name]; o != nil {
			ev.redefined(d, o, fmt.Sprintf("Class '%s' is already defined%s; cannot be redefined as a node", d.Name, ev.at(o)))
		}
		ev.nodeNames[d.Name] = d
		ev.nodeDefs = append(ev.nodeDefs, d)
	}
}

// regexpNodeName is Puppet's name for a node given by a regexp: its source with everything odd left out. In Puppet 8
// groups that begin with (? keep their signs, spelt out.
func regexpNodeName(pattern string, l source.Language) string {
	text := strings.ToLower(pattern)
	if l.Eight() {
		text = spellGroups(text, l)
	}
	s := strings.Map(func(r rune) rune {
		if r == '-' || r == '_' || r == ':' || r == '.' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' &&
			r <= 'Z' {
			return r
		}
		return -1
	}, text)
	return strings.TrimLeft(s, ".")
}

// spellGroups writes the signs of (?…) out, to the next closing parenthesis. Puppet writes them with capitals, and then
// often does not find the definition of its own node again, since it looks for names in small letters (evaluateNode).
func spellGroups(text string, l source.Language) string {
	signs := strings.NewReplacer("(", "LP", "?", "QU", "<", "LT", ">", "GT", "!", "EX", "=", "EQ", ")", "RP")
	if l != source.Puppet8 {
		signs = strings.NewReplacer("(", "lp", "?", "qu", "<", "lt", ">", "gt", "!", "ex", "=", "eq", ")", "rp")
	}
	var b strings.Builder
	for {
		from := strings.Index(text, "(?")
		to := -1
		if from >= 0 {
			to = strings.IndexByte(text[from:], ')')
		}
		if to < 0 {
			return b.String() + text
		}
		b.WriteString(text[:from])
		signs.WriteString(&b, text[from:from+to+1])
		text = text[from+to+1:]
	}
}

func canonical(name string) string { return outline.Class(name) }

// findClass finds a class by name, loading the module's files that may hold it.
func (ev *Evaluator) findClass(name string) *Definition {
	name = canonical(name)
	if d := ev.classes[name]; d != nil {
		ev.askCandidates(name, true)
		return d
	}
	ev.autoload("class", name)
	return ev.classes[name]
}

// findDefine finds a define by name, loading the module's files that may hold it.
func (ev *Evaluator) findDefine(name string) *Definition {
	name = canonical(name)
	if d := ev.defines[name]; d != nil {
		ev.askCandidates(name, true)
		return d
	}
	ev.autoload("define", name)
	return ev.defines[name]
}

// autoload reads the files that may define a name: module/manifests/b/c.pp, then b.pp, then init.pp for module::b::c.
// With any of them comes init.pp, which is always the first of a module.
func (ev *Evaluator) autoload(kind, name string) {
	what := attempt{kind, name, ""}
	if ev.tried[what] {
		ev.askCandidates(name, false)
		return
	}
	ev.tried[what] = true
	ev.askCandidates(name, false) // some of the files may have been read already
	if name == "" {
		return
	}
	module, inner, _ := strings.Cut(name, "::")
	for {
		var room [2]*syntax.File
		files := room[:0]
		for _, rest := range [...]string{"", inner} {
			path := attempt{"manifest", module, rest}
			if ev.tried[path] {
				continue
			}
			ev.tried[path] = true
			f, ds := ev.world.Manifest(module, rest)
			ev.heard(ds)
			if f != nil {
				files = append(files, f)
			}
		}
		for _, f := range files { // all of them could be read
			ev.define(f)
		}
		if inner == "" || kind == "class" && ev.classes[name] != nil || kind == "define" && ev.defines[name] != nil {
			return
		}
		inner = outer(inner)
	}
}

// outer is a name without its last segment, counted from the left as Ruby's split does.
func outer(name string) string {
	end := 0
	for at := 0; ; {
		i := strings.Index(name[at:], "::")
		if i < 0 {
			return name[:end]
		}
		end = at + i
		at = end + 2
	}
}

// heard takes what is said of a file that was just read: an error ends the compile, a warning is passed on, once.
func (ev *Evaluator) heard(ds source.Diagnostics) {
	if ds.HasErrors() {
		ev.unusable(ds)
	}
	for _, d := range ds {
		key := d.Code + d.Place.String() + d.Summary
		if d.Severity == source.Warning && !ev.warned[key] {
			ev.warned[key] = true
			ev.warnings = append(ev.warnings, d)
		}
	}
}

// unusable ends the compile because a file that is needed cannot be read.
func (ev *Evaluator) unusable(ds source.Diagnostics) {
	for _, d := range ds {
		if d.Severity == source.Error {
			c := *d
			ev.failAt(&c)
		}
	}
}

// An alias is a type alias of the program.
type alias struct {
	def    *syntax.TypeAlias
	file   *syntax.File
	t      value.Type
	ref    provenance.Ref   // of what it is made of, when tracing
	busy   bool             // ref is being found: the alias is recursive
	found  bool             // it has been
	looked bool             // what it meant in another compile was looked at
	asked  []trace.Question // when it was resolved
	doubts []typeDoubt
}

// TypeNamed resolves a type's name as written: a type alias that is known, a resource type or define, an alias that a
// file has, or a type of a set, in this order. It returns nil when there is none.
func (ev *Evaluator) TypeNamed(name string) (value.Type, error) {
	key := canonical(name)
	if ev.aliases[key] != nil {
		return ev.aliasNamed(name)
	}
	_, made := ev.entities["type/"+key] // a define of the file that is being loaded
	if made || ev.knownResourceType(key) {
		return types.NewResource(capitalized(key), "", false), nil
	}
	if t, err := ev.aliasNamed(name); t != nil || err != nil {
		return t, err
	}
	if module := ev.lacks(source.MissingType, name); module != "" {
		ev.doubtType(typeDoubt{module: module, name: name})
		return types.NewAbsent(capitalized(key)), nil
	}
	if w, is := ev.world.(RubyTypes); is {
		if file, found := w.RubyType(key); found {
			d := typeDoubt{why: "the data type " + capitalized(key) + " is written in Ruby, in " + file}
			ev.doubtType(d)
			return types.NewUnknown(capitalized(key), d.why), nil
		}
	}
	return ev.typeInSet(key)
}

// aliasNamed is the type alias of a name, which a file may have to be read for; nil if there is none.
func (ev *Evaluator) aliasNamed(name string) (value.Type, error) {
	key := canonical(name)
	if ev.aliases[key] != nil || ev.tried[attempt{"type", key, ""}] {
		if ev.log.Framed() {
			ev.world.TypeFile(strings.TrimPrefix(name, "::"))
		}
	} else { // looking for a define may have read it
		ev.tried[attempt{"type", key, ""}] = true
		f, ds := ev.world.TypeFile(strings.TrimPrefix(name, "::"))
		ev.heard(ds)
		if f != nil {
			ev.define(f)
			if a := firstAlias(f); a != nil && ev.aliases[key] == nil {
				return nil, fmt.Errorf("The code loaded from %s produced type with the wrong name, expected '%s', actual '%s'",
					ev.world.Path(f.Source), key, a.Name)
			}
		}
	}
	if a := ev.aliases[key]; a != nil {
		return ev.aliasType(a)
	}
	return nil, nil
}

// typeInSet is a type that a type set has, which one of the names around its own is for.
func (ev *Evaluator) typeInSet(key string) (value.Type, error) {
	for i := strings.LastIndex(key, "::"); i > 0; i = strings.LastIndex(key[:i], "::") {
		around, err := ev.aliasNamed(key[:i])
		if err != nil {
			return nil, err
		}
		if set, is := around.(*types.TypeSet); is {
			if t := set.Lookup(key[i+2:]); t != nil {
				return t, nil
			}
		}
	}
	return nil, nil
}

// RubyTypes is a World that knows of the data types that modules have in Ruby. Of what is of them nothing is known.
type RubyTypes interface {
	// RubyType is the file of a type, for people.
	RubyType(name string) (file string, found bool)
}

// firstAlias is the first type alias that a file defines, nil if there is none.
func firstAlias(f *syntax.File) *syntax.TypeAlias {
	for _, s := range f.Body.Stmts {
		if a, is := s.(*syntax.TypeAlias); is {
			return a
		}
	}
	return nil
}

// aliasType resolves an alias; the alias is known by name while its own definition is being read, so that it may be
// recursive.
func (ev *Evaluator) aliasType(a *alias) (value.Type, error) {
	if a.t != nil {
		ev.log.Again(a.asked)
		ev.doubtType(a.doubts...)
		return a.t, nil
	}
	frame, from := ev.log.Begin(), ev.beginDoubts()
	defer func() { a.asked, a.doubts = ev.log.End(frame), ev.endDoubts(from) }()
	if ev.knownAlias(a); a.t != nil {
		return a.t, nil
	}
	t := &types.Alias{Of: strings.TrimPrefix(a.def.Name, "::")}
	a.t = t
	c := ev.enterFile(a.file)
	var parts []aliasPart
	load := func(name string) (types.T, error) {
		part, err := ev.TypeNamed(name)
		parts = append(parts, aliasPart{name, part})
		return part, err
	}
	err := t.Resolve(func() (types.T, error) {
		if set, resolve := types.Declare(t.Of, a.def.X, a.file.Source); types.IsTypeSet(set) {
			a.t = set
			return set, resolve(load)
		}
		vt, err := types.FromExpr(a.def.X, a.file.Source, load)
		if o, ok := vt.(*types.Object); ok && o.Of == "" {
			o.Of = t.Of
		}
		return vt, err
	})
	ev.leaveFile(c)
	if err != nil {
		a.t = nil
		ev.aliasRef(a.def.Name) // the failure is due to what it is made of
		return nil, err
	}
	if types.IsTypeSet(a.t) {
		return a.t, nil
	}
	if o, ok := types.Resolved(t).(*types.Object); ok {
		a.t = o
	} else if t.Plain() {
		ev.cache.keepAlias(a.def, knownAlias{t, parts})
	}
	return a.t, nil
}

// A knownAlias is what an alias meant in another compile, and what the names in it meant there. Only plain ones are
// kept: those are whole when they are made, and nobody changes them again.
type knownAlias struct {
	value.Type
	parts []aliasPart
}

// An aliasPart is a name that was looked for, and what it meant; nil for nothing.
type aliasPart struct {
	name string
	value.Type
}

// knownAlias takes the meaning of an alias from another compile. The names in it are looked for all the same, so that
// this compile has loaded what it uses; where one means something else here, the alias has to be resolved anew.
func (ev *Evaluator) knownAlias(a *alias) {
	known, ok := ev.cache.alias(a.def)
	if !ok || a.looked {
		return
	}
	a.looked = true // a name in it may lead here again
	c := ev.enterFile(a.file)
	defer ev.leaveFile(c)
	for _, p := range known.parts {
		here, err := ev.TypeNamed(p.name)
		_, isAlias := here.(*types.Alias)
		if err != nil || (here == nil) != (p.Type == nil) || isAlias && here != p.Type {
			return
		}
	}
	a.t = known.Type
}

// aliasRef joins the literals of a type alias, and of the aliases that it is made of; 0 for any other type.
func (ev *Evaluator) aliasRef(name string) provenance.Ref {
	if ev.trace == nil {
		return 0
	}
	a := ev.aliases[canonical(name)]
	for i := strings.LastIndex(name, "::"); a == nil && i > 0; i = strings.LastIndex(name[:i], "::") {
		if around := ev.aliases[canonical(name[:i])]; around != nil && types.IsTypeSet(around.t) {
			a = around
		}
	}
	if a == nil || a.found || a.busy {
		return a.known()
	}
	a.busy = true
	base := ev.literalsOf(a.file)
	parts := remember(ev.cache, ev.cache.parts, a.def.X, func() (typeParts, bool) { return partsOf(a.def.X), true })
	refs := make([]provenance.Ref, 0, len(parts.literals)+len(parts.names))
	for _, r := range parts.names {
		refs = append(refs, ev.aliasRef(r.Value))
	}
	for _, l := range parts.literals {
		refs = append(refs, ev.trace.Read(base+provenance.Ref(l.Ord)))
	}
	a.busy, a.found = false, true
	a.ref = ev.trace.Join(ev.union(refs)) // a type is no copy of the one literal that it may have
	return a.ref
}

func (a *alias) known() provenance.Ref {
	if a == nil {
		return 0
	}
	return a.ref
}

// knownResourceType reports whether a lower-case name is a resource type or a define.
func (ev *Evaluator) knownResourceType(name string) bool {
	if !strings.Contains(name, ":") {
		if asked := (attempt{"resource", name, ""}); !ev.tried[asked] {
			ev.tried[asked] = true
			ev.budget.Spend(nameSteps, finding)
			ev.budget.Keep(nameBytes, finding)
		}
		if ev.world.ResourceType(name) != nil {
			return true
		}
	}
	return ev.findDefine(name) != nil
}

// capitalized gives a type name the form that references have.
func capitalized(name string) string { return outline.Capitalized(name) }
