package lsp

import (
	"iter"
	"path"
	"regexp"
	"slices"
	"strings"

	"bunraku/lsp/protocol"
	"bunraku/puppet/outline"
	"bunraku/puppet/syntax"
	"bunraku/puppet/value"
	"bunraku/source"
)

// Inside of strings, data and templates few words can stand, and which is told by what is around them: a file that a
// module brings, the title of a resource, a value that a parameter takes, a fact, a key.

var (
	inTitle   = wanting(`\b([A-Z]\w*(?:::[A-Z]\w*)*)\s*\[\s*(?:['"][^'"]*['"]\s*,\s*)*['"]`, `[^'"\]\n]*`)
	inSource  = wanting(`['"]puppet:///modules/`, `[\w./-]*`)
	inFile    = wanting(`\bfile\s*\(\s*['"]`, `[\w./-]*`)
	inEPPArgs = wanting(`\bepp\s*\(\s*['"]([\w./-]+)['"]\s*,\s*\{(?:[^}]*,)?\s*['"]?`, `\w*`)
	inQuery   = wanting(`\b([A-Z]\w*(?:::[A-Z]\w*)*)\s*<<?\|(?:[^|]*\s(?:and|or)\s|[^|]*\()?\s*`, `\w*`)
	inMethod  = wanting(`[\w)\]}'"]\.`, `\w*`)
	inScope2  = wanting(`\bscope(?:\[|\.lookupvar\(|\.call_function\('lookup',\s*\[)['"]:{0,2}`, `[\w:]*`)

	inDataFacts = wanting(`%\{\s*(?:::)?(facts|trusted)\.((?:\w+\.)*)`, `\w*`)
	inDataKey   = wanting(`%\{\s*(?:lookup|hiera|alias)\(['"]`, `[\w:.-]*`)
	inDataHead  = wanting(`%\{\s*`, `\w*`)
	inDataValue = wanting(`^['"]?([a-z]\w*(?:::\w+)+)['"]?:\s+['"]?`, `[\w-]*`)
	inDataList  = wanting(`^\s*-\s+['"]?`, `[\w:]*`)
	inDataDeep  = wanting(`^\s+['"]?`, `[\w:]*`)
	topKey      = regexp.MustCompile(`(?m)^['"]?([a-zA-Z_][\w:]*)['"]?:(?:\s|$)`)
)

// inside says what a line breaks off in: a comment, a string with its quote, or code (0). What stands in ${} is code.
func inside(line string) (quote byte) {
	for i := 0; i < len(line); i++ {
		c := line[i]
		switch {
		case quote != 0 && c == '\\':
			i++
		case quote == '"' && strings.HasPrefix(line[i:], "${"):
			end := closing(line[i+2:])
			if end < 0 {
				return inside(line[i+2:])
			}
			i += 2 + end
		case c == quote:
			quote = 0
		case quote == 0 && c == '#':
			return '#'
		case quote == 0 && (c == '\'' || c == '"'):
			quote = c
		}
	}
	return quote
}

// heredoc begins one: the tag, in quotes if it interpolates.
var heredoc = regexp.MustCompile(`@\(\s*("?)([^"():/\n]+?)"?\s*(?::[^)\n]*|/[^)\n]*)?\)`)

// inHeredoc reports whether a text breaks off in the lines of a heredoc, and whether that interpolates.
func inHeredoc(text string) (interpolates, is bool) {
	end := "" // the tag that ends it
	for line := range strings.Lines(text) {
		if last := !strings.HasSuffix(line, "\n"); last {
			break
		}
		if end == "" {
			if m := heredoc.FindStringSubmatch(line); m != nil && !strings.HasPrefix(strings.TrimSpace(line), "#") {
				interpolates, end = m[1] != "", m[2]
			}
		} else if strings.TrimLeft(strings.TrimSpace(line), "|- \t") == end {
			end = ""
		}
	}
	return interpolates, end != ""
}

// closing is where the brace stands that ends an interpolation, -1 for nowhere.
func closing(text string) int {
	depth := 0
	for i, c := range outsideQuotes(text) {
		switch {
		case c == '{':
			depth++
		case c == '}' && depth == 0:
			return i
		case c == '}':
			depth--
		}
	}
	return -1
}

// outsideQuotes goes through the bytes of code that stand in no quotes, with their offsets.
func outsideQuotes(text string) iter.Seq2[int, byte] {
	return func(yield func(int, byte) bool) {
		quote := byte(0)
		for i := 0; i < len(text); i++ {
			switch c := text[i]; {
			case quote != 0 && c == '\\':
				i++
			case quote != 0 && c == quote:
				quote = 0
			case quote != 0:
			case c == '\'' || c == '"':
				quote = c
			case !yield(i, c):
				return
			}
		}
	}
}

// inTag is the code of an EPP template's tag that a text breaks off in; ok is false between tags and in comments.
func inTag(text string) (code string, ok bool) {
	i := strings.LastIndex(text, "<%")
	if i < 0 || strings.HasPrefix(text[i:], "<%%") || strings.HasPrefix(text[i:], "<%#") ||
		strings.Contains(text[i:], "%>") {
		return "", false
	}
	return strings.TrimLeft(text[i+2:], "=-"), true
}

// inData offers what can stand in a file of Hiera's.
func (o *offers) inData(text, line string, match func(place) []string) {
	top := topKey.FindAllStringSubmatch(text[:len(text)-len(line)], -1)
	under := ""
	if len(top) > 0 {
		under = top[len(top)-1][1]
	}
	switch {
	case match(inKey) != nil:
		o.keys(true)
	case match(inDataList) != nil:
		if lastPart(under) == "classes" || strings.HasSuffix(under, "_classes") || slices.Contains(o.entry.classKeys, under) {
			o.classes()
		}
	case under == "lookup_options" && match(inDataDeep) != nil:
		o.keys(true)
	default:
		if m := match(inDataValue); m != nil {
			i := strings.LastIndex(m[1], "::")
			o.parameterValues(outline.Class(m[1][:i]), m[1][i+2:], false)
		}
	}
}

// interpolated offers what can stand in the braces of a text of Hiera's, and reports whether the spot is in some.
func (o *offers) interpolated(match func(place) []string) bool {
	if m := match(inDataFacts); m != nil {
		keys := ""
		for _, k := range strings.FieldsFunc(m[2], func(r rune) bool { return r == '.' }) {
			keys += "['" + k + "']"
		}
		o.nodeFacts(m[1], keys)
		return true
	}
	switch {
	case match(inDataKey) != nil:
		o.keys(false)
	case match(inDataHead) != nil:
		for _, word := range []string{"facts", "trusted", "lookup", "alias", "literal", "server_facts"} {
			o.add(candidate{name: word, kind: protocol.CompletionItemKindKeyword})
		}
	default:
		return false
	}
	return true
}

// parameterValues offers what a parameter of a class or define takes, if that is one of a few things, and reports
// whether it is. In code that stands in no quotes, what is no plain word is offered in some.
func (o *offers) parameterValues(owner, name string, code bool) (any bool) {
	add := func(v string) {
		any = true
		if code && !plainWord.MatchString(v) {
			v = "'" + v + "'"
		}
		o.add(candidate{name: v, kind: protocol.CompletionItemKindEnumMember})
	}
	v := o.survey()
	v.parameters(owner, func(d definition) {
		if lastPart(d.Name.Name) != name {
			return
		}
		typ, _, _ := strings.Cut(d.in.file.Slice(d.Whole), "$")
		for _, alias := range aliasName.FindAllString(typ, -1) { // what a type of the tree's own stands for
			v.definitions(outline.TypeName, func(t definition) {
				if t.Name.Name == outline.Class(alias) && t.in.tree != nil {
					typ += t.in.file.Slice(t.Whole)
				}
			})
		}
		for _, m := range enumType.FindAllStringSubmatch(typ, -1) {
			for _, word := range quotedWord.FindAllStringSubmatch(m[1], -1) {
				add(word[1])
			}
		}
		if boolType.MatchString(typ) {
			add("true")
			add("false")
		}
	})
	return any
}

var (
	plainWord  = regexp.MustCompile(`^[a-z]\w*$`)
	aliasName  = regexp.MustCompile(`\b[A-Z]\w*(?:::[A-Z]\w*)+`)
	enumType   = regexp.MustCompile(`\bEnum\[([^\]]*)\]`)
	quotedWord = regexp.MustCompile(`['"]([^'"]*)['"]`)
	boolType   = regexp.MustCompile(`\bBoolean\b`)
)

// titles are those of resources of a type, as the code has them.
func (o *offers) titles(typ string) {
	o.survey().definitions(outline.ResourceName, func(d definition) {
		if rest, is := strings.CutPrefix(d.Name.Name, typ+"["); is {
			o.add(candidate{name: strings.TrimSuffix(rest, "]"), kind: protocol.CompletionItemKindReference})
		}
	})
}

// mostFiles is how many files of modules are listed.
const mostFiles = 5000

// moduleFiles are the files that modules bring, as MODULE/FILE. With letters of a module only its are listed.
func (o *offers) moduleFiles() {
	o.folder.mu.Lock()
	snap, disk := o.folder.snap, o.folder.disk
	o.folder.mu.Unlock()
	if snap == nil || disk == nil {
		return
	}
	wanted, _, whole := strings.Cut(o.letters, "/")
	listed := 0
	for _, m := range snap.Environment().Modules() {
		if whole && m.Name != wanted || !strings.HasPrefix(m.Name, wanted) {
			continue
		}
		dir := path.Join(m.Dir, "files")
		_ = source.WalkOn(disk, dir, func(p string, e source.Entry) bool {
			if listed++; !e.IsDir() {
				o.add(candidate{name: m.Name + strings.TrimPrefix(p, dir), kind: protocol.CompletionItemKindFile})
			}
			return listed < mostFiles
		}, func(string, error) error { return nil }) // what cannot be listed is not offered
	}
}

// eppParameters are those of a template.
func (o *offers) eppParameters(template string) {
	for _, e := range o.index.entries {
		if e.template != template || e.tree == nil || e.tree.Epp == nil {
			continue
		}
		for _, p := range e.tree.Epp.Params {
			o.add(candidate{name: p.Name, kind: protocol.CompletionItemKindProperty, detail: o.index.written(e, p.Span())})
		}
	}
}

// everyVariable are the variables of all classes, by their full names.
func (o *offers) everyVariable() {
	classes := map[string]bool{} // of defines there may be many, and none has a name
	o.survey().definitions(outline.ClassName, func(d definition) { classes[d.Name.Name] = true })
	for name := range o.sets {
		if classes[name[:strings.LastIndex(name, "::")]] {
			o.add(candidate{name: name, kind: protocol.CompletionItemKindVariable})
		}
	}
}

// nodeFacts are the facts below some keys, or what is trusted.
func (o *offers) nodeFacts(which, keys string) {
	if which != "trusted" {
		o.facts(keys)
		return
	}
	if keys != "" {
		return
	}
	for _, name := range []string{"authenticated", "certname", "domain", "extensions", "external", "hostname"} {
		o.add(candidate{name: name, kind: protocol.CompletionItemKindField})
	}
}

// aliases are the data types of the tree's own, by plain name, and those of the language: no resources have them.
func (o *offers) aliases() map[string]bool {
	out := map[string]bool{}
	for _, name := range plainTypes {
		if name != "Class" {
			out[strings.ToLower(name)] = true
		}
	}
	o.survey().definitions(outline.TypeName, func(d definition) {
		if d.in.tree != nil && slices.ContainsFunc(d.in.tree.Defs, func(x syntax.Definition) bool {
			_, is := x.(*syntax.TypeAlias)
			return is && x.Span() == d.Whole
		}) {
			out[d.Name.Name] = true
		}
	})
	return out
}

// factOf is the value of a fact for the list: what is a collection is told by its brackets.
func factOf(v value.Value) string {
	switch v.(type) {
	case *value.Hash:
		return "{…}"
	case *value.Array:
		return "[…]"
	case *value.Sensitive, *value.Opaque:
		return ""
	}
	return value.ToString(v)
}
