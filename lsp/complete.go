package lsp

import (
	"context"
	"encoding/json"
	"path"
	"regexp"
	"slices"
	"strings"

	"bunraku/fleet"
	"bunraku/lsp/protocol"
	"bunraku/puppet/outline"
	"bunraku/puppet/resource"
	"bunraku/puppet/syntax"
	"bunraku/source"
)

// What can stand at a place is read off the text before it: while somebody writes, the text is seldom a program. The
// text says what kind of name is wanted (a variable, an attribute, a class …); the index, the built-in tables and the
// facts of the chosen nodes say which there are. Of those, what begins with the letters that are there already is
// offered.

// most is how many are offered: the client asks again when there are more letters. Large trees have so many classes.
const most = 2500

func (s *Server) completion(_ context.Context, p *protocol.CompletionParams) (*protocol.CompletionList, error) {
	at, err := s.spot(p.TextDocument.URI, p.Position)
	out := &protocol.CompletionList{Items: []protocol.CompletionItem{}}
	if at == nil || err != nil {
		return out, err
	}
	at.mend()
	o := &offers{spot: at}
	o.gather()
	list := o.best(most)
	out.IsIncomplete = len(o.list) > len(list)
	m := at.entry.mapper(s.enc)
	start := int(at.offset) - len(o.letters)
	end := start
	if o.word != nil {
		end += len(o.word.FindString(at.entry.file.Text[start:]))
	}
	typed := protocol.Range{Start: m.position(start), End: m.position(int(at.offset))}
	whole := protocol.Range{Start: typed.Start, End: m.position(max(end, int(at.offset)))}
	for i, c := range list {
		if s.secret(c.name) {
			continue
		}
		if c.of != nil {
			c.detail = at.unmeant(at.index.written(c.of, c.whole))
		}
		edit, err := s.completing(c.name, typed, whole)
		if err != nil {
			return nil, err
		}
		out.Items = append(out.Items, protocol.CompletionItem{Label: c.name, Kind: c.kind, Detail: clip(c.detail),
			SortText: sortText(i), TextEdit: edit})
	}
	return out, nil
}

// completing is the edit that puts a name where a part of one stands: for the letters before the cursor or the whole
// word, as a client likes that can do both, else for the word.
func (s *Server) completing(name string, typed, whole protocol.Range) (json.RawMessage, error) {
	if t := s.client.TextDocument; t != nil && t.Completion != nil && t.Completion.CompletionItem != nil &&
		t.Completion.CompletionItem.InsertReplaceSupport {
		return json.Marshal(protocol.InsertReplaceEdit{NewText: name, Insert: typed, Replace: whole})
	}
	return json.Marshal(protocol.TextEdit{Range: whole, NewText: name})
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
			mended.settle()
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

// A place is a kind of place in a text, at which something is wanted.
type place struct {
	before *regexp.Regexp // it ends in the letters that are there already
	word   *regexp.Regexp // from the first of them on: all of the word, behind the cursor too
}

// wanting is a place behind a text. The letters that stand in names there are given as an expression that ends in a
// class of them. A single colon may be written, but ends a word: behind titles and keys stands one.
func wanting(before, letters string) place {
	class := strings.TrimSuffix(letters[max(0, strings.LastIndexByte(letters, '[')):], "*")
	if plain := strings.Replace(class, ":", "", 1); plain != class {
		class = "(?:" + plain + "|::)"
	}
	return place{regexp.MustCompile(before + "(" + letters + ")$"), regexp.MustCompile("^" + class + "*")}
}

// The texts that say what is wanted.
var (
	inFacts    = wanting(`(?:\$\{?|@)(?:::)?(facts|trusted)((?:\[['"][^'"\]]*['"]\])*)\[['"]`, `[\w.]*`)
	factKey    = regexp.MustCompile(`\[['"]([^'"\]]*)['"]\]`)
	inVariable = wanting(`\$\{?`, `[\w:]*`)
	inClasses  = wanting(`\b(?:include|contain|require|inherits)[ (]\s*(?:['"]?[\w:]+['"]?\s*,\s*)*['"]?`, `[\w:]*`)
	inClass    = wanting(`(?:\bclass\s*\{\s*|\bClass\s*\[\s*)['"]?`, `[\w:]*`)
	inLookup   = wanting(`\b(?:lookup|hiera|hiera_array|hiera_hash)\s*\(\s*['"]`, `[\w:.-]*`)
	inTemplate = wanting(`\b(template|epp)\s*\(\s*['"]`, `[\w./-]*`)
	inValue    = wanting(`\b(\w+)\s*[+=]>\s*['"]?`, `[\w:/]*`)
	inTypeName = wanting(`(?:^|[^\w:$'"])`, `[A-Z][\w:]*`)
	inName     = wanting(`(?:^|[^\w:$])`, `(?:::)?[a-z]?[\w:]*`)
	inERB      = wanting(`@`, `\w*`)
	inKey      = wanting(`(?m)^['"]?`, `[\w:]*`)
)

// gather finds out what kind of thing can stand at the spot, and which there are.
func (o *offers) gather() {
	text := o.entry.file.Text[:o.offset]
	if i := len(text) - 4000; i > 0 {
		text = text[i:]
	}
	line := text[strings.LastIndexByte(text, '\n')+1:]
	match := func(p place) []string {
		m := p.before.FindStringSubmatch(line)
		if m != nil {
			o.letters, o.word = strings.TrimPrefix(m[len(m)-1], "::"), p.word
		}
		return m
	}
	switch path.Ext(o.entry.path) {
	case ".erb":
		if _, ok := inTag(text); !ok {
			return
		}
		if m := match(inFacts); m != nil {
			o.nodeFacts(m[1], m[2])
		} else if match(inScope2) != nil {
			o.everyVariable()
		} else if match(inERB) != nil {
			o.templateVariables()
		}
	case ".yaml", ".yml", ".eyaml", ".json":
		switch {
		case isSettings(o.entry.path):
			o.interpolated(match)
		case o.entry.isData && !o.interpolated(match):
			o.inData(text, line, match)
		}
	case ".epp":
		code, ok := inTag(text)
		if !ok {
			return
		}
		line = code[strings.LastIndexByte(code, '\n')+1:]
		o.inCode(text, line, match)
	case ".pp":
		o.inCode(text, line, match)
	}
}

// inCode offers what can stand in a manifest or in a tag of a template.
func (o *offers) inCode(text, line string, match func(place) []string) {
	quote := inside(line)
	plain, inHeredocs := false, false // plain: it is the text of a heredoc
	if interpolates, is := inHeredoc(text); is && !interpolates {
		return
	} else if is {
		inHeredocs = true
		i := strings.LastIndex(line, "${")
		if plain = i < 0 || closing(line[i+2:]) >= 0; plain {
			quote = '"'
		} else {
			quote = inside(line[i+2:])
		}
	}
	if quote == '#' {
		return
	}
	// What a text or a comment says is none of it, but for what is put into a text.
	outside := func(p place) []string {
		m := match(p)
		if m == nil || inHeredocs {
			return m
		}
		switch inside(line[:len(line)-len(m[0])]) {
		case '\'', '#':
			return nil
		case '"':
			if m[0][0] != '$' {
				return nil
			}
		}
		return m
	}
	if m := outside(inFacts); m != nil {
		o.nodeFacts(m[1], m[2])
		return
	}
	if m := match(inVariable); m != nil && quote != '\'' {
		if !declares(text[:len(text)-len(m[0])]) { // who declares one gives it a name of its own
			o.variables(strings.HasPrefix(m[1], "::"))
			if strings.HasPrefix(m[0], "${") && !strings.HasPrefix(m[1], ":") { // "${join($list, ' ')}"
				calls := &offers{spot: o.spot, letters: o.letters}
				calls.functionNames()
				for _, c := range calls.list {
					c.rank += 5
					o.add(c)
				}
			}
		}
		return
	}
	if plain || o.byName(outside) {
		return
	}
	if m := outside(inHead); m != nil {
		o.ownName(m[1])
		return
	}
	if m := outside(inValue); m != nil {
		typ, title, _ := resourceAround(text[:len(text)-len(m[0])])
		owner := outline.Class(typ)
		if owner == "class" {
			owner = outline.Class(title)
		}
		if o.attributeValues(typ, m[1]) || o.parameterValues(owner, m[1], quote == 0) {
			if quote == 0 {
				o.functionNames()
			}
			return
		}
	}
	switch {
	case quote != 0: // what a text says is nobody's business
		return
	case match(inMethod) != nil:
		o.functionNames()
		return
	case match(inTypeName) != nil:
		o.dataTypes()
		return
	}
	if m := match(inQuery); m != nil {
		o.add(candidate{name: "title", kind: protocol.CompletionItemKindProperty})
		o.attributes(m[1], "")
		return
	}
	m := match(inName)
	if m == nil || m[1] == "" && strings.HasSuffix(line, "'") || m[1] == "" && strings.HasSuffix(line, `"`) {
		return // behind a text nothing begins, and the quote that ends it may have asked
	}
	if typ, title, isAttr := resourceAround(text[:len(text)-len(m[1])]); isAttr {
		o.attributes(typ, title)
		return
	}
	if !beginsStatement(text[:len(text)-len(m[1])]) {
		o.values()
		return
	}
	o.typeNames()
	o.functionNames()
	for _, word := range keywords {
		o.add(candidate{name: word, kind: protocol.CompletionItemKindKeyword, rank: 2})
	}
}

// byName offers what is called by a name that only its own kind of place has: keys, templates, files, classes, titles
// of resources.
func (o *offers) byName(match func(place) []string) bool {
	if m := match(inTemplate); m != nil {
		o.templates(m[1])
		return true
	}
	if m := match(inEPPArgs); m != nil {
		o.eppParameters(m[1])
		return true
	}
	switch {
	case match(inLookup) != nil:
		o.keys(false)
	case match(inSource) != nil, match(inFile) != nil:
		o.moduleFiles()
	case match(inClasses) != nil, match(inClass) != nil:
		o.classes()
	default:
		m := match(inTitle)
		if m != nil {
			o.titles(m[1])
		}
		return m != nil
	}
	return true
}

// keywords begin statements.
var keywords = strings.Fields("case class default define else elsif false function if in inherits node true type " +
	"undef unless")

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
			before := strings.TrimRight(text[:i], " \t\r\n")
			if k := strings.LastIndexByte(before, '['); k > 0 && strings.HasSuffix(before, "]") {
				before = strings.TrimRight(before[:k], " \t") // of an override, Type[title] { … }
			}
			typ = wordBefore(before)
			if strings.HasSuffix(strings.TrimRight(strings.TrimSuffix(before, typ), " \t"), ">>") { // what a function returns
				return "", "", false
			}
			inside := text[i+1:]
			if typ != "" && typ[0] >= 'A' && typ[0] <= 'Z' { // of an override, or defaults: they have no title
				last := strings.TrimRight(inside, " \t\r\n")
				return typ, "", last == "" || strings.HasSuffix(last, ",")
			}
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

// declares reports whether a variable behind a text is a parameter that is being declared: of a class, define, plan or
// function, or of a block. One in the default of another is not.
func declares(text string) bool {
	if inBlock.MatchString(text) {
		return true
	}
	depth, own := 0, true // own: no comma has been passed
	for i := len(text) - 1; i >= 0; i-- {
		switch text[i] {
		case '}', ']', ')':
			depth++
		case ',':
			own = own && depth > 0
		case '=':
			if own && depth == 0 {
				return false
			}
		case '{', '[', '(':
			if depth--; depth < 0 {
				return text[i] == '(' && hasParameters.MatchString(text[:i])
			}
		}
	}
	return false
}

// What stands before parameters, and before one of a block's.
var (
	hasParameters = regexp.MustCompile(`\b(?:class|define|plan|function)\s+[\w:]+\s*$`)
	inBlock       = regexp.MustCompile(`[\w)\]}]\s*\|(?:[^|=\n]*,)?\s*(?:[A-Z][^|=$\n]*)?\*?$`)
)

// titleEnd is where the colon behind a title stands, -1 for none.
func titleEnd(s string) int {
	for i, c := range outsideQuotes(s) {
		switch {
		case c == ':' && (strings.HasPrefix(s[i+1:], ":") || strings.HasSuffix(s[:i], ":")):
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
