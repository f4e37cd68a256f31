package lsp

import (
	"cmp"
	"context"
	"iter"
	"path"
	"regexp"
	"slices"
	"strings"

	"bunraku/fleet"
	"bunraku/lsp/protocol"
	"bunraku/puppet/outline"
	"bunraku/puppet/resource"
	"bunraku/puppet/syntax"
	"bunraku/puppet/value"
	"bunraku/source"
)

// What can stand at a place is read off the text before it: while somebody writes, the text is seldom a program. The
// text says what kind of name is wanted (a variable, an attribute, a class …); the index, the built-in tables and the
// facts of the chosen nodes say which there are. Of those, what begins with the letters that are there already is
// offered.

// A candidate is one thing to offer.
type candidate struct {
	name, detail string
	kind         protocol.CompletionItemKind
	rank         int // less is nearer
	times        int // how often it is used
	// of and whole are where the detail stands, for what has none of its own: only what is offered is looked up.
	of    *entry
	whole source.Span
}

// most is how many are offered: the client asks again when there are more letters.
const most = 1000

func (s *Server) completion(_ context.Context, p *protocol.CompletionParams) (*protocol.CompletionList, error) {
	at, err := s.spot(p.TextDocument.URI, p.Position)
	if at == nil || err != nil {
		return &protocol.CompletionList{Items: []protocol.CompletionItem{}}, err
	}
	at.mend()
	prefix, list := at.candidates()
	out := &protocol.CompletionList{Items: []protocol.CompletionItem{}}
	low := strings.ToLower(prefix)
	list = slices.DeleteFunc(list, func(c candidate) bool {
		name := strings.ToLower(c.name)
		return !strings.HasPrefix(name, low) && !strings.HasPrefix(lastPart(name), low)
	})
	slices.SortStableFunc(list, func(a, b candidate) int {
		return cmp.Or(a.rank-b.rank, b.times-a.times, strings.Compare(a.name, b.name))
	})
	list = slices.CompactFunc(list, func(a, b candidate) bool { return a.name == b.name })
	if len(list) > most {
		list, out.IsIncomplete = list[:most], true
	}
	m := at.entry.mapper(s.enc)
	r := protocol.Range{Start: m.position(int(at.offset) - len(prefix)), End: m.position(int(at.offset))}
	for i, c := range list {
		if c.of != nil {
			c.detail = clip(c.of.file.Slice(c.whole))
		}
		out.Items = append(out.Items, protocol.CompletionItem{Label: c.name, Kind: c.kind, Detail: clip(c.detail),
			SortText: sortText(i), FilterText: c.name, TextEdit: &protocol.TextEdit{Range: r, NewText: c.name}})
	}
	return out, nil
}

// sortText keeps our order in clients that sort by it.
func sortText(i int) string {
	const digits = "0123456789"
	return string([]byte{digits[i/1000%10], digits[i/100%10], digits[i/10%10], digits[i%10]})
}

// mend gives the spot a tree of its file in which the line that is being written is left out, if the file is no program
// with it: the class around it would be missing.
func (at *spot) mend() {
	text, offset := at.entry.file.Text, int(at.offset)
	ext := path.Ext(at.entry.path)
	if ext != ".pp" || at.entry.whole {
		return
	}
	start := strings.LastIndexByte(text[:offset], '\n') + 1
	end := len(text)
	if i := strings.IndexByte(text[offset:], '\n'); i >= 0 {
		end = offset + i
	}
	for _, try := range []string{
		text[:start] + strings.Repeat(" ", end-start) + text[end:],
		text[:start] + strings.Repeat(" ", offset-start) + closers(text[:start]),
	} {
		file := source.NewFile(at.entry.path, try)
		tree, list := syntax.Parse(file, syntax.Options{Language: at.opt.Language, Tasks: fleet.IsPlan(at.entry.path)})
		if !list.HasErrors() {
			mended := &entry{path: at.entry.path, file: file, tree: tree, names: outline.Names(tree, at.effects)}
			mended.defs = definesOf(mended.names)
			at.mended = mended
			return
		}
	}
}

// closers are the brackets that a text leaves open, closed.
func closers(text string) string {
	var open []byte
	for i := 0; i < len(text); i++ {
		switch c := text[i]; c {
		case '#':
			for i < len(text) && text[i] != '\n' {
				i++
			}
		case '\'', '"':
			for i++; i < len(text) && text[i] != c; i++ {
				if text[i] == '\\' {
					i++
				}
			}
		case '{':
			open = append(open, '}')
		case '(':
			open = append(open, ')')
		case '[':
			open = append(open, ']')
		case '}', ')', ']':
			if len(open) > 0 {
				open = open[:len(open)-1]
			}
		}
	}
	slices.Reverse(open)
	return "\n" + string(open)
}

// files are all entries, the one of the spot as it was mended.
func (at *spot) files() iter.Seq[*entry] {
	return func(yield func(*entry) bool) {
		for _, e := range at.index.entries {
			if e == at.entry && at.mended != nil {
				e = at.mended
			}
			if !yield(e) {
				return
			}
		}
	}
}

// The texts that say what is wanted.
var (
	inFacts    = regexp.MustCompile(`\$(?:::)?facts((?:\[['"][^'"\]]*['"]\])*)\[['"]([\w.]*)$`)
	factKey    = regexp.MustCompile(`\[['"]([^'"\]]*)['"]\]`)
	inVariable = regexp.MustCompile(`\$\{?([\w:]*)$`)
	inClasses  = regexp.MustCompile(`\b(?:include|contain|require|inherits)[ (]\s*(?:['"]?[\w:]+['"]?\s*,\s*)*['"]?([\w:]*)$`)
	inClass    = regexp.MustCompile(`(?:\bclass\s*\{\s*|\bClass\s*\[\s*)['"]?([\w:]*)$`)
	inLookup   = regexp.MustCompile(`\b(?:lookup|hiera|hiera_array|hiera_hash)\s*\(\s*['"]([\w:.-]*)$`)
	inTemplate = regexp.MustCompile(`\b(template|epp)\s*\(\s*['"]([\w./-]*)$`)
	inValue    = regexp.MustCompile(`\b(\w+)\s*[+=]>\s*['"]?([\w:/]*)$`)
	inTypeName = regexp.MustCompile(`(?:^|[^\w:$'"])([A-Z][\w:]*)$`)
	inName     = regexp.MustCompile(`(?:^|[^\w:$])((?:::)?[a-z]?[\w:]*)$`)
	inERB      = regexp.MustCompile(`@(\w*)$`)
	inKey      = regexp.MustCompile(`(?m)^['"]?([\w:]*)$`)
)

// candidates are what can stand at the spot, and the letters of it that are there already.
func (at *spot) candidates() (prefix string, list []candidate) {
	text := at.entry.file.Text[:at.offset]
	if i := len(text) - 4000; i > 0 {
		text = text[i:]
	}
	line := text[strings.LastIndexByte(text, '\n')+1:]
	match := func(re *regexp.Regexp, in string) []string { return re.FindStringSubmatch(in) }
	switch path.Ext(at.entry.path) {
	case ".erb":
		if m := match(inERB, line); m != nil {
			return m[1], at.templateVariables()
		}
		return "", nil
	case ".yaml", ".yml", ".eyaml", ".json":
		if m := match(inKey, line); m != nil {
			return m[1], at.keys(true)
		}
		return "", nil
	case ".pp", ".epp":
	default:
		return "", nil
	}
	if m := match(inFacts, line); m != nil {
		return m[2], at.facts(m[1])
	}
	if m := match(inVariable, line); m != nil {
		return strings.TrimPrefix(m[1], "::"), at.variables()
	}
	if m := match(inLookup, line); m != nil {
		return m[1], at.keys(false)
	}
	if m := match(inTemplate, line); m != nil {
		return m[2], at.templates()
	}
	for _, re := range []*regexp.Regexp{inClasses, inClass} {
		if m := match(re, line); m != nil {
			return strings.TrimPrefix(m[1], "::"), at.nearby(at.definitions(outline.ClassName, protocol.CompletionItemKindClass))
		}
	}
	if m := match(inValue, line); m != nil {
		typ, _, _ := resourceAround(text[:len(text)-len(m[0])])
		for _, a := range attributesOf(at.folder, typ) {
			if a.Name == m[1] {
				for _, v := range a.Values {
					if !strings.HasPrefix(v, "/") {
						list = append(list, candidate{name: v, kind: protocol.CompletionItemKindEnumMember})
					}
				}
			}
		}
		if len(list) > 0 || strings.HasSuffix(strings.TrimSuffix(line, m[2]), "'") {
			return m[2], append(list, at.functionNames(1)...)
		}
	}
	if m := match(inTypeName, line); m != nil {
		return m[1], at.dataTypes()
	}
	m := match(inName, line)
	if m == nil {
		return "", nil
	}
	prefix = strings.TrimPrefix(m[1], "::")
	if typ, title, isAttr := resourceAround(text[:len(text)-len(m[1])]); isAttr {
		return prefix, at.attributes(typ, title)
	}
	list = append(at.typeNames(), at.functionNames(1)...)
	return prefix, append(list, keywords...)
}

// keywords begin statements.
var keywords = func() (list []candidate) {
	for _, w := range strings.Fields("case class default define else elsif false function if in inherits node true type " +
		"undef unless") {
		list = append(list, candidate{name: w, kind: protocol.CompletionItemKindKeyword, rank: 2})
	}
	return list
}()

// resourceAround is the type of the resource whose braces a text breaks off in, its title if it is written out, and
// whether what comes next is the name of an attribute.
func resourceAround(text string) (typ, title string, isAttr bool) {
	depth := 0
	for i := len(text) - 1; i >= 0; i-- {
		switch text[i] {
		case '}', ']', ')':
			depth++
		case '[', '(':
			if depth--; depth < 0 {
				return "", "", false
			}
		case '{':
			if depth--; depth >= 0 {
				continue
			}
			typ = wordBefore(strings.TrimRight(text[:i], " \t\r\n"))
			inside := text[i+1:]
			if semi := strings.LastIndex(inside, ";"); semi >= 0 {
				inside = inside[semi+1:]
			}
			colon := titleEnd(inside)
			if typ == "" || colon < 0 {
				return typ, "", false
			}
			title = strings.Trim(strings.TrimSpace(inside[:colon]), `'"`)
			last := strings.TrimRight(inside, " \t\r\n")
			if k := strings.LastIndexByte(last, '\n'); k >= 0 && strings.HasPrefix(strings.TrimSpace(last[k:]), "#") {
				last = strings.TrimRight(last[:k], " \t\r\n")
			}
			return typ, title, strings.HasSuffix(last, ",") || strings.HasSuffix(last, ":")
		}
	}
	return "", "", false
}

// titleEnd is where the colon behind a title stands, -1 for none.
func titleEnd(s string) int {
	quote := byte(0)
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case quote != 0:
			if c == '\\' {
				i++
			} else if c == quote {
				quote = 0
			}
		case c == '\'' || c == '"':
			quote = c
		case c == ':' && i+1 < len(s) && s[i+1] == ':':
			i++
		case c == ':':
			return i
		case c == '>' && i > 0 && s[i-1] == '=':
			return -1
		}
	}
	return -1
}

// attributesOf are the attributes of a resource type that is no define.
func attributesOf(f *folder, typ string) []resource.Attribute {
	typ = outline.Class(typ)
	f.mu.Lock()
	snap := f.snap
	f.mu.Unlock()
	var t *resource.Type
	if snap != nil {
		t = snap.Type(typ)
	} else {
		t = resource.Known(typ)
	}
	if t == nil {
		return nil
	}
	return slices.Concat(t.Properties, t.Params)
}

// attributes are those of a resource: of its type, of the define or class that it is an instance of, and those that all
// have.
func (at *spot) attributes(typ, title string) (list []candidate) {
	owner := outline.Class(typ)
	if owner == "class" {
		owner = outline.Class(title)
	}
	for e := range at.files() {
		for _, n := range e.defs {
			if n.Param && n.Defines && n.Kind == outline.VariableName && strings.HasPrefix(n.Name, owner+"::") &&
				lastPart(n.Name) == n.Name[len(owner)+2:] {
				list = append(list, candidate{name: lastPart(n.Name), kind: protocol.CompletionItemKindProperty,
					detail: clip(e.file.Slice(n.Whole))})
			}
		}
	}
	for _, a := range attributesOf(at.folder, typ) {
		list = append(list, candidate{name: a.Name, kind: protocol.CompletionItemKindProperty,
			detail: clip(strings.Join(a.Values, ", "))})
	}
	for _, a := range resource.Metaparams() {
		list = append(list, candidate{name: a.Name, kind: protocol.CompletionItemKindProperty, rank: 1,
			detail: "metaparameter"})
	}
	return list
}

// around is the class, define or function that the spot is in, and what the class inherits.
func (at *spot) around() (owner, parent string) {
	tree := at.entry.tree
	if at.mended != nil {
		tree = at.mended.tree
	}
	if tree == nil {
		return "", ""
	}
	for _, d := range tree.Defs {
		if s := d.Span(); s.Start <= at.offset && at.offset <= s.End {
			switch d := d.(type) {
			case *syntax.Class:
				owner, parent = outline.Class(d.Name), outline.Class(d.Parent)
			case *syntax.Define:
				owner = outline.Class(d.Name)
			case *syntax.Function:
				owner = outline.Class(d.Name)
			}
		}
	}
	return owner, parent
}

// variables are those that can be read at the spot: its own scope's first, then those of other classes by their full
// names.
func (at *spot) variables() (list []candidate) {
	owner, parent := at.around()
	classes := at.classes()
	chain := map[string]int{owner: 1}
	for o, i := parent, 1; o != "" && i < 20; o, i = at.parents[o], i+1 {
		chain[o] = i + 1
	}
	for e := range at.files() {
		for _, n := range e.defs {
			c := candidate{name: n.Name, kind: protocol.CompletionItemKindVariable, rank: 3, times: at.times(n.Kind, n.Name)}
			switch {
			case !n.Defines || n.Whole.Contains(at.here()) && e.path == at.entry.path && !n.Param:
				continue
			case n.Kind == outline.LocalName:
				if e.path != at.entry.path || n.In != owner {
					continue
				}
				c.rank = 0
			case n.Kind == outline.VariableName:
				c.of, c.whole = e, n.Whole
				i := strings.LastIndex(n.Name, "::")
				if i < 0 {
					c.rank = 2
					break
				}
				if rank := chain[n.Name[:i]]; rank > 0 {
					list = append(list, candidate{name: n.Name[i+2:], kind: c.kind, rank: min(rank-1, 1), times: c.times,
						of: e, whole: n.Whole})
				}
				if !classes[n.Name[:i]] {
					continue // a define's own
				}
			default:
				continue
			}
			list = append(list, c)
		}
	}
	for _, name := range at.often(outline.VariableName) {
		if i := strings.LastIndex(name, "::"); i > 0 && name[:i] != owner { // of classes that are kept elsewhere
			list = append(list, candidate{name: name, kind: protocol.CompletionItemKindVariable, rank: 3,
				times: at.times(outline.VariableName, name)})
		}
	}
	for _, name := range []string{"facts", "trusted", "server_facts"} {
		list = append(list, candidate{name: name, kind: protocol.CompletionItemKindVariable, rank: 1})
	}
	if owner != "" {
		for _, name := range []string{"title", "name", "module_name"} {
			list = append(list, candidate{name: name, kind: protocol.CompletionItemKindVariable, rank: 1})
		}
	}
	return list
}

// classes are the names of all classes.
func (x *index) classes() map[string]bool {
	x.once.Do(func() {
		x.allClasses = map[string]bool{}
		for _, e := range x.entries {
			for _, n := range e.defs {
				if n.Kind == outline.ClassName && n.Defines {
					x.allClasses[n.Name] = true
				}
			}
		}
	})
	return x.allClasses
}

// definitions are all of a kind.
func (at *spot) definitions(kind outline.NameKind, item protocol.CompletionItemKind) (list []candidate) {
	for e := range at.files() {
		for _, n := range e.defs {
			if n.Kind == kind && n.Defines {
				list = append(list, candidate{name: n.Name, kind: item, times: at.times(kind, n.Name)})
			}
		}
	}
	for _, name := range at.often(kind) { // also what is defined elsewhere
		list = append(list, candidate{name: name, kind: item, times: at.times(kind, name)})
	}
	return list
}

// nearby ranks names of classes: those that share more words with the class that they are named in come first, as
// role::shop::web and profile::shop do.
func (at *spot) nearby(list []candidate) []candidate {
	own, _ := at.around()
	parts := strings.Split(own, "::")
	for i := range list {
		if list[i].name == own {
			list[i].rank = 1 // nothing includes itself
			continue
		}
		for p := range strings.SplitSeq(list[i].name, "::") {
			if slices.Contains(parts, p) {
				list[i].rank--
			}
		}
	}
	return list
}

// typeNames are resource types, as declarations spell them: defines, those that are built in, and those that somebody
// uses.
func (at *spot) typeNames() (list []candidate) {
	seen := map[string]bool{}
	add := func(name, detail string) {
		if !seen[name] {
			seen[name] = true
			list = append(list, candidate{name: name, detail: detail, kind: protocol.CompletionItemKindStruct,
				times: at.times(outline.TypeName, name)})
		}
	}
	for e := range at.files() {
		for _, n := range e.defs {
			if n.Kind == outline.TypeName && n.Defines && e.tree != nil && e.file.Text[n.Span.Start] >= 'a' {
				add(n.Name, "define")
			}
		}
	}
	for _, t := range resource.Types() {
		add(t.Name, "resource type")
	}
	for _, name := range at.often(outline.TypeName) {
		if name != "" && name[0] >= 'a' && at.times(outline.TypeName, name) > 2 {
			add(name, "resource type")
		}
	}
	return append(list, candidate{name: "class", kind: protocol.CompletionItemKindKeyword})
}

// dataTypes are types as references and parameters spell them.
func (at *spot) dataTypes() (list []candidate) {
	for _, name := range strings.Fields("Any Array Binary Boolean Callable CatalogEntry Class Collection Data Default " +
		"Enum Error " +
		"Float Hash Init Integer Iterable Iterator NotUndef Numeric Object Optional Pattern Regexp Resource RichData " +
		"Runtime Scalar " +
		"ScalarData SemVer SemVerRange Sensitive String Struct Timespan Timestamp Tuple Type TypeSet Undef URI Variant") {
		list = append(list, candidate{name: name, kind: protocol.CompletionItemKindInterface})
	}
	for _, c := range append(at.definitions(outline.TypeName, protocol.CompletionItemKindInterface), at.typeNames()...) {
		c.name = outline.Capitalized(c.name)
		c.rank = 1
		list = append(list, c)
	}
	return list
}

// functionNames are functions: those of the tree and those that are built in.
func (at *spot) functionNames(rank int) (list []candidate) {
	list = at.definitions(outline.FunctionName, protocol.CompletionItemKindFunction)
	for name, f := range at.functions {
		list = append(list, candidate{name: name, detail: f.Doc, kind: protocol.CompletionItemKindFunction,
			times: at.times(outline.FunctionName, name)})
	}
	for i := range list {
		list[i].rank = rank
	}
	return list
}

// keys are Hiera's: those that there are and, where data are written, those that parameters could have.
func (at *spot) keys(parameters bool) (list []candidate) {
	for _, c := range at.definitions(outline.KeyName, protocol.CompletionItemKindField) {
		c.rank = 1
		list = append(list, c)
	}
	if !parameters {
		return list
	}
	for name := range at.params {
		list = append(list, candidate{name: name, kind: protocol.CompletionItemKindProperty, detail: "parameter"})
	}
	return list
}

// templates are the templates of modules, as manifests call them.
func (at *spot) templates() (list []candidate) {
	for _, name := range at.index.names {
		list = append(list, candidate{name: name, kind: protocol.CompletionItemKindFile})
	}
	return list
}

// templateVariables are those of the classes that render the template.
func (at *spot) templateVariables() (list []candidate) {
	for _, owner := range at.callers[at.index.names[at.entry.path]] {
		for o, i := owner, 0; o != "" && i < 20; o, i = at.parents[o], i+1 {
			for name := range at.sets {
				if rest, is := strings.CutPrefix(name, o+"::"); is && !strings.Contains(rest, "::") {
					list = append(list, candidate{name: rest, kind: protocol.CompletionItemKindVariable})
				}
			}
		}
	}
	return list
}

// facts are those of the chosen nodes below some keys, with their values on the first node that has them.
func (at *spot) facts(keys string) (list []candidate) {
	seen := map[string]bool{}
	for _, r := range at.compiled() {
		if r.record == nil {
			continue
		}
		h := r.record.Facts
		for _, k := range factKey.FindAllStringSubmatch(keys, -1) {
			if h == nil {
				break
			}
			h, _ = h.At(k[1]).(*value.Hash)
		}
		if h == nil {
			continue
		}
		for _, e := range h.Entries() {
			name := value.ToString(e.Key)
			if seen[name] {
				continue
			}
			seen[name] = true
			detail := ""
			switch e.Value.(type) {
			case *value.Hash:
				detail = "{…}"
			case *value.Array:
				detail = "[…]"
			case *value.Sensitive, *value.Opaque:
			default:
				detail = clip(value.ToString(e.Value))
			}
			list = append(list, candidate{name: name, detail: detail, kind: protocol.CompletionItemKindField})
		}
	}
	return list
}
