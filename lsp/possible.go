package lsp

import (
	"iter"
	"path"
	"regexp"
	"slices"
	"strings"

	"bunraku/fleet"
	"bunraku/puppet/lookup/datafile"
	"bunraku/puppet/outline"
	"bunraku/puppet/syntax"
	"bunraku/puppet/value"
	"bunraku/source"
)

// Where a value goes when code runs is not to be known in general: a text that is a class's name may be put into a list
// that another file goes through and includes. So beside the places that name a thing there are those that may. One
// rule tells them: a text that is the whole name of a thing, and is not known to name something else, may name it. A
// class, define, function, plan, data type or key of Hiera's is meant by its name, a variable or parameter by
// OWNER::NAME; a parameter also by its own name alone, if its owner gets attributes that are not written beside it:
// from a hash that comes from elsewhere, or because something may name the owner.
//
// It is all found when somebody asks. What stands in a file is listed once, of those files that have the word.

// A mention is a text, or a word of one, that may be a name.
type mention struct {
	at     source.Span
	rooted bool     // a path is behind it: web::list.0
	beside []string // what stands in the text beside it that is no qualified name
	part   bool     // it is a word of a longer text
	tag    bool     // it stands within the tags of a template that is a text
	set    bool     // it is a variable that is set as the parameter is called: [$port, $host] = $class
}

// mentions are the texts of a file by what they say, in lower case and without leading colons.
func (e *entry) mentions() map[string][]mention {
	e.listed.Do(func() {
		e.texts = map[string][]mention{}
		switch {
		case e.tree != nil:
			for _, x := range slices.Concat(e.tree.Body.Stmts, eppBody(e.tree)) {
				syntax.Walk(x, e.mentionedIn)
			}
		case e.data != nil && isSettings(e.path):
			e.mentionedBySettings(e.data)
		case e.data != nil && !e.isData && ofTask(e.path):
			e.mentionedByTask(e.data)
		case e.data != nil:
			e.mentionedBy(e.data, map[*datafile.Node]bool{})
		case path.Ext(e.path) == ".rb":
			e.mentionedInRuby(e.file.Text, 0)
			if ofScope.MatchString(e.file.Text) || looksUp.MatchString(e.file.Text) {
				e.asks = outline.OpenInRuby(e.file.Text)
			}
		default:
			e.mentionedInTags(e.file.Text, 0)
		}
	})
	return e.texts
}

// mentionedIn lists what a node of code says.
func (e *entry) mentionedIn(n syntax.Node) bool {
	switch n := n.(type) {
	case *syntax.Call, *syntax.MethodCall:
		function, args, _ := call(n)
		if text := outline.Put(e.tree, function, args); text != "" {
			e.join(text, n.Span())
		}
	case *syntax.Str:
		e.mention(n.Value, n.Span())
	case *syntax.Name:
		e.mention(n.Value, n.Span())
	case *syntax.Resource:
		if typ, is := n.Type.(*syntax.Name); !is || typ.Value != "class" {
			for _, b := range n.Bodies { // no name is put together where a title is
				if title, is := b.Title.(*syntax.Interpolated); is {
					e.titles = append(e.titles, title.Span())
				}
			}
		}
	case *syntax.Heredoc:
		e.mentionedInTags(e.file.Slice(n.Lines), n.Lines.Start)
		if text, is := n.X.(*syntax.Str); is {
			e.mention(strings.TrimSpace(text.Value), n.Lines)
			return false
		}
	case *syntax.Interpolated:
		e.mentionedInTags(e.file.Slice(n.Span()), n.Span().Start)
		var text strings.Builder
		for _, p := range n.Parts {
			if piece, is := p.(*syntax.Str); is {
				text.WriteString(piece.Value)
			} else {
				text.WriteByte(outline.Hole)
				syntax.Walk(p, e.mentionedIn)
			}
		}
		if !slices.Contains(e.titles, n.Span()) {
			e.join(text.String(), n.Span())
		}
		first, _, path := strings.Cut(text.String(), ".")
		if path && first != "" && !strings.ContainsRune(first, outline.Hole) { // a key of Hiera's with a path
			e.texts[strings.ToLower(first)] = append(e.texts[strings.ToLower(first)],
				mention{at: within(e.file, n.Span(), first), rooted: true})
		}
		return false
	case *syntax.Assign:
		if _, several := n.Left.(*syntax.List); several { // [$port, $host] = $class
			syntax.Walk(n.Left, func(l syntax.Node) bool {
				if v, is := l.(*syntax.Var); is {
					e.texts[v.Name] = append(e.texts[v.Name], mention{at: within(e.file, v.Span(), v.Name), set: true})
				}
				return true
			})
		}
	}
	return true
}

// mentionedBy lists what data say: their keys and texts, at any depth.
func (e *entry) mentionedBy(n *datafile.Node, seen map[*datafile.Node]bool) {
	if seen[n] {
		return
	}
	seen[n] = true
	if s, is := n.Value.(value.String); is {
		e.mention(string(s), n.Span)
	}
	hash, _ := n.Value.(*value.Hash)
	for i, kid := range n.Kids {
		if hash != nil && i < hash.Len() {
			key, is := hash.Entries()[i].Key.(value.String)
			if is {
				e.mention(string(key), kid.Key)
			}
			if n == e.data && key == lookupOptions {
				e.mentionedByOptions(kid.Node)
				continue
			}
		}
		e.mentionedBy(kid.Node, seen)
	}
}

// mentionedByOptions lists what lookup_options say: of which keys they speak, and the types that values become. The
// other words are Hiera's.
func (e *entry) mentionedByOptions(n *datafile.Node) {
	for key, kid := range entries(n) {
		e.mention(key, kid.Key)
		for option, kid := range entries(kid.Node) {
			if option == "convert_to" {
				e.mentionedBy(kid.Node, map[*datafile.Node]bool{})
			}
		}
	}
}

// mentionedBySettings lists what a hiera.yaml says: what it hands to functions. The other words are Hiera's, or paths.
func (e *entry) mentionedBySettings(n *datafile.Node) {
	if _, is := n.Value.(*value.Array); is {
		for _, kid := range n.Kids {
			e.mentionedBySettings(kid.Node)
		}
	}
	for key, kid := range entries(n) {
		if key == "options" {
			e.mentionedBy(kid.Node, map[*datafile.Node]bool{})
		} else {
			e.mentionedBySettings(kid.Node)
		}
	}
}

// mentionedByTask lists the types that a task's parameters have. The other words are the task's own.
func (e *entry) mentionedByTask(n *datafile.Node) {
	for key, kid := range entries(n) {
		if typ, is := kid.Node.Value.(value.String); is && key == "type" {
			e.mention(string(typ), kid.Node.Span)
		}
		e.mentionedByTask(kid.Node)
	}
}

// entries are the entries of a hash of data by their keys.
func entries(n *datafile.Node) iter.Seq2[string, datafile.Kid] {
	return func(yield func(string, datafile.Kid) bool) {
		hash, _ := n.Value.(*value.Hash)
		for i, kid := range n.Kids {
			if hash == nil || i >= hash.Len() {
				return
			}
			if key, is := hash.Entries()[i].Key.(value.String); is && !yield(string(key), kid) {
				return
			}
		}
	}
}

// mentionedInTags lists the strings and symbols that stand within the tags of a template.
func (e *entry) mentionedInTags(text string, base uint32) {
	around := e.inTags
	defer func() { e.inTags = around }()
	e.inTags = e.tree != nil || e.data != nil
	for at := 0; ; {
		i := strings.Index(text[at:], "<%")
		if i < 0 {
			return
		}
		at += i + 2
		end := strings.Index(text[at:], "%>")
		if end < 0 {
			end = len(text) - at
		}
		e.mentionedInRuby(text[at:at+end], base+uint32(at))
		if e.tree != nil || e.data != nil { // those of a file are names
			e.mentionedVariables(text[at:at+end], base+uint32(at))
		}
		at += end
	}
}

// mentionedInRuby lists the strings and symbols of Ruby.
func (e *entry) mentionedInRuby(code string, base uint32) {
	e.composes = e.composes || composes.MatchString(code)
	for s, told := range rubyTexts(code) {
		e.mentionedInCode(code[s.Start:s.End], base+s.Start)
		if told {
			continue
		}
		span := source.Span{Start: base + s.Start, End: base + s.End}
		text := e.file.Slice(span)
		e.mention(codeInText.ReplaceAllString(text, string(outline.Hole)), span)
		e.mentionedVariables(code[s.Start:s.End], span.Start)
		if !strings.ContainsAny(text, " \t\n") {
			for part := range strings.FieldsFuncSeq(putIn.ReplaceAllString(text, " "), noName) {
				if strings.ContainsFunc(part, isLetter) {
					e.pieces = append(e.pieces, piece{part, span})
				}
			}
		}
	}
}

// mentionedInCode lists what the code says that a text of Ruby's puts in.
func (e *entry) mentionedInCode(text string, base uint32) {
	for _, m := range codeInText.FindAllStringIndex(text, -1) {
		e.mentionedInRuby(text[m[0]+2:m[1]-1], base+uint32(m[0])+2)
	}
}

// codeInText is code that is put into a text of Ruby's.
var codeInText = regexp.MustCompile(`#\{[^{}]*\}`)

// toldPeople is what stands before a text that is for people alone, what a function is for or what is wrong, and before
// what a function and its parameters are called in Ruby. Nobody else is named there.
var toldPeople = regexp.MustCompile(`(?:\bdoc\s*=>|\bdoc:|@doc\s*=|\bdesc)[\s(]*$|` +
	`\b(?:raise|fail|warn(?:ing)?|notice|debug|info|err|\w*deprecation(?:_warning)?)\b[\s(\[]*` +
	`(?:(?:::)?[A-Z][\w:]*(?:\.new)?[\s,(]*)?(?:_\(\s*)?$|` +
	`\b(?:newfunction|create_function|dispatch)[\s(]*$|\b\w*param\s+['"][^'"\n]*['"]\s*,\s*$`)

// goesOn is what stands between a text and one that goes on with it.
var goesOn = regexp.MustCompile(`^['"][ \t]*[+\\]?\s*$`)

// A piece is a part of a name, as Ruby may put it together.
type piece struct {
	text string
	at   source.Span
}

// composes is what makes a text of several in Ruby.
var composes = regexp.MustCompile(`[+*]|%(?:[^wWiIqQ]|$)|<<|#[{@]|['"][ \t]*['"]|` +
	`\b(?:join|s?printf|format|concat|prepend|insert|g?sub!?|tr!?|replace|[lr]just|succ|next|capitalize|downcase)\b`)

// noName reports whether a letter stands in no qualified name.
func noName(c rune) bool { return c != ':' && (c > 'z' || !isWord(byte(c))) }

// isLetter reports whether a letter or digit may stand in a name, and is more than what joins its parts.
func isLetter(c rune) bool { return c != '_' && c != ':' && c <= 'z' && isWord(byte(c)) }

// mentionedVariables lists the variables that a text would ask for if it were code.
func (e *entry) mentionedVariables(code string, base uint32) {
	for _, m := range variableInText.FindAllStringSubmatchIndex(code, -1) {
		name := code[m[2]:m[3]]
		key := strings.ToLower(name)
		e.texts[key] = append(e.texts[key],
			mention{at: source.Span{Start: base + uint32(m[2]), End: base + uint32(m[3])}, tag: e.inTags})
	}
}

// variableInText is a variable as Ruby and Puppet write it.
var variableInText = regexp.MustCompile(`(?:^|[^\w@$])[@$](?:::)?([a-z_]\w*(?:::\w+)*)`)

// join lists a text with a hole for each part that is put in when the code runs, if it looks like a name.
func (e *entry) join(text string, at source.Span) {
	if strings.IndexByte(text, outline.Hole) >= 0 && strings.ContainsFunc(text, isLetter) && mayJoin.MatchString(text) {
		text = strings.TrimPrefix(text, "::")
		e.joined = append(e.joined, outline.Name{Name: text, Span: at})
	}
}

// mayJoin is a name of which something is put in, joinedName a qualified one, and putIn how texts say what is.
var (
	mayJoin    = regexp.MustCompile(`^[\w\x00:.-]*$`)
	joinedName = regexp.MustCompile(`^[\w\x00:]*(?:[a-zA-Z_]\w*::|::[a-zA-Z_]\w*)[\w\x00:]*$`)
	putIn      = regexp.MustCompile(`#\{[^}]*\}|%\{[^}]*\}|%[sd]`)
)

// rubyTexts are where strings and symbols stand in Ruby, and the words of %w[…], and whether they are for people. It
// need not be exact: a text that is none says no name.
func rubyTexts(code string) iter.Seq2[source.Span, bool] {
	return func(yield func(source.Span, bool) bool) {
		type doc struct {
			tag  string
			told bool
		}
		var docs []doc // the heredocs that begin on this line
		last := -1     // where the last text for people ended
		isTold := func(i int) bool {
			before := code[max(0, i-200):i]
			return toldPeople.MatchString(before) || last >= 0 && last < i && goesOn.MatchString(code[last:i])
		}
		for i := 0; i < len(code); i++ {
			from, end := i+1, -1
			switch c := code[i]; {
			case c == '#' && (i == 0 || code[i-1] == ' ' || code[i-1] == '\n') && !strings.HasPrefix(code[from:], "{"):
				if n := strings.IndexByte(code[from:], '\n'); n >= 0 {
					i = from + n - 1
				} else {
					i = len(code)
				}
			case c == '\'' || c == '"':
				if n := strings.IndexAny(code[from:], string(c)+"\n"); n >= 0 && code[from+n] == c {
					end = from + n
				}
			case c == '\n' && len(docs) > 0: // the lines of heredocs
				for from < len(code) && len(docs) > 0 {
					line, _, _ := strings.Cut(code[from:], "\n")
					if word := strings.TrimSpace(line); word == docs[0].tag {
						docs = docs[1:]
					} else if at := from + strings.Index(line, word); word != "" &&
						!yield(source.Span{Start: uint32(at), End: uint32(at + len(word))}, docs[0].told) {
						return
					}
					from += len(line) + 1
				}
				i = min(from, len(code)) - 1
			case c == '<' && heredocOf.MatchString(code[i:]):
				docs = append(docs, doc{heredocOf.FindStringSubmatch(code[i:])[1], isTold(i)})
			case c == ':' && from < len(code) && isWord(code[from]) && (i == 0 || code[i-1] != ':'):
				for end = from; end < len(code) && isWord(code[end]); end++ {
				}
			case c == '%' && from+1 < len(code) && (code[from] == 'q' || code[from] == 'Q') && !isWord(code[from+1]):
				if n := strings.IndexByte(code[from+2:], endQuote(code[from+1])); n >= 0 {
					from, end = from+2, from+2+n
				}
			case c == '%' && from+1 < len(code) && strings.IndexByte("wiWI", code[from]) >= 0:
				from += 2
				if n := strings.IndexAny(code[from:], ")]}>|!/"); n >= 0 {
					end = from + n
				}
				for from < end { // each word
					n := strings.IndexAny(code[from:end], " \t\n")
					if n < 0 {
						n = end - from
					}
					if n > 0 && !yield(source.Span{Start: uint32(from), End: uint32(from + n)}, false) {
						return
					}
					from += n + 1
				}
				continue
			}
			if end < 0 {
				continue
			}
			told := isTold(i)
			if told {
				last = end
			}
			if !yield(source.Span{Start: uint32(from), End: uint32(end)}, told) {
				return
			}
			i = end
		}
	}
}

// heredocOf is how a heredoc of Ruby's begins.
var heredocOf = regexp.MustCompile("^<<[-~]?['\"`]?([A-Z_]\\w*)")

// endQuote is what ends a string of Ruby's that begins with a byte.
func endQuote(open byte) byte {
	if i := strings.IndexByte("([{<", open); i >= 0 {
		return ")]}>"[i]
	}
	return open
}

// mention lists a text: as a whole, without a path behind it, and by its words if it is a reference, a data type or a
// list of names.
func (e *entry) mention(text string, at source.Span) {
	add := func(word string, path, part bool, beside ...string) {
		if word = strings.TrimPrefix(strings.TrimLeft(word, "@$"), "::"); word != "" {
			key := strings.ToLower(word)
			e.texts[key] = append(e.texts[key], mention{at: within(e.file, at, word), rooted: path, beside: beside,
				part: part, tag: e.inTags})
		}
	}
	if strings.ContainsAny(text, "%#\x00") {
		e.join(putIn.ReplaceAllString(text, string(outline.Hole)), at)
	}
	if strings.Contains(text, "<%") {
		e.mentionedInTags(e.file.Slice(at), at.Start)
	}
	if e.tree != nil && !strings.Contains(text, "<%") { // nobody puts a variable into it any more
		text = dollarName.ReplaceAllString(text, "")
	}
	for _, n := range askedNames(text) {
		if n.Kind == outline.KeyName {
			add(rooted(n).Name, false, false)
		}
	}
	add(text, false, false)
	if start := strings.TrimLeft(text, knockouts); e.data != nil && start != text { // '--web::x' takes web::x away
		add(start, false, false)
	}
	key := rooted(outline.Name{Kind: outline.KeyName, Name: text, Span: source.Span{End: uint32(len(text))}})
	if key.Name != text {
		add(key.Name, true, false)
	}
	words := strings.FieldsFunc(text, func(c rune) bool { return c != '-' && noName(c) })
	for i, w := range words { // no name has a dash in it, nor a single colon behind it
		words[i] = strings.Trim(w, "-:")
	}
	var plain []string
	switch {
	case strings.ContainsAny(text, "[{=("): // Class[web], and queries for it
	case len(words) < 2 || !strings.Contains(text, "::"):
		return
	default:
		plain = slices.DeleteFunc(slices.Clone(words), func(w string) bool { return strings.Contains(w, "::") })
	}
	for _, w := range words {
		add(w, false, true, plain...)
	}
}

// dollarName is a variable in a text that is no code.
var dollarName = regexp.MustCompile(`\$(?:\{(?:::)?[\w:]+\}|(?:::)?\w+(?:::\w+)*)`)

// knockouts are what names in data may have in front, where Hiera merges what several levels say.
const knockouts = "-!~^+*#/<>=.,;|&%_ "

// possible are the places that may name what a name means, and do not say so.
func (at *spot) possible(n outline.Name) (out []occurrence) {
	for _, id := range at.meanings(at.entry, n) {
		switch {
		case id.kind == outline.VariableName:
			i := strings.LastIndex(id.name, "::")
			if i < 0 {
				out = append(out, at.topByText(id)...)
				continue
			}
			out = append(out, at.mentions(id, id.name, nil)...)
			out = append(out, at.byParts(id)...)
			out = append(out, at.byItself(id, id.name[:i], id.name[i+2:])...)
			out = append(out, at.byPieces(id, func(e *entry) bool { return e.asksOpenly(id.kind) || asksAnyhow(e) })...)
		case id.kind == outline.LocalName:
			out = append(out, at.seen(at.entry, n)...)
			if _, open := at.renderedWithin(at.entry, n); slices.ContainsFunc(open, ofText) {
				out = append(out, at.inTextTemplates(id, id.name)...)
			}
			if in := at.takers(id, n); in != nil {
				out = append(out, at.mentions(id, id.name, in)...)
			}
		case id.kind != outline.ResourceName && id.kind != outline.TemplateName && id.kind != outline.FileName:
			out = append(out, at.mentions(id, id.name, nil)...)
			out = append(out, at.byParts(id)...)
		}
	}
	return inOrder(out)
}

// below are the places that may name what a class has by the class's name: a hash of data with the key web::port.
func (at *spot) below(class string) (out []occurrence) {
	for _, id := range at.owned(class) {
		out = append(out, at.mentions(id, id.name, nil)...)
		out = append(out, at.byParts(id)...)
	}
	return inOrder(out)
}

// topByText are the texts that may name a variable of the top scope: every word may, so that it is those of code which
// asks for variables by texts, and of data if any code does.
func (at *spot) topByText(id identity) []occurrence {
	asks := func(e *entry) bool {
		return slices.ContainsFunc(e.open, func(n outline.Name) bool {
			return n.Kind == outline.VariableName && n.Name == ""
		})
	}
	asked := slices.ContainsFunc(at.index.entries, asks)
	in := func(e *entry) bool {
		return asks(e) || asked && e.isData || asksAnyhow(e) || path.Ext(e.path) == ".rb" && ofScope.MatchString(e.file.Text)
	}
	return slices.Concat(at.mentions(id, id.name, in), at.assembled(id, id.name, in),
		at.byPieces(id, func(e *entry) bool { return e.asksOpenly(id.kind) || asksAnyhow(e) }))
}

// looksUp is how Ruby asks for keys of Hiera's.
var looksUp = regexp.MustCompile(`\b(?:lookup|hiera(?:_\w+)?)\b`)

// ofScope is how Ruby asks a scope for its variables.
var ofScope = regexp.MustCompile(`scope\s*(?:\[|\.include\?|\.exist\?)|\blookupvar\b|\bto_hash\b`)

// byItself are the places that may name a variable of an owner by its own name alone.
func (at *spot) byItself(id identity, owner, name string) (out []occurrence) {
	if at.takes[id.name] && at.open(owner) {
		return slices.Concat(at.mentions(id, name, nil), at.assembled(id, name, nil))
	}
	// Code of the owner that asks for variables by texts: getvar($name), and scope[name] in its templates; and code that
	// asks for any variable of the owner. The texts may come from data.
	known := map[*entry]bool{}
	asks := func(e *entry) bool {
		is, have := known[e]
		if have {
			return is
		}
		is = slices.ContainsFunc(e.names, func(n outline.Name) bool {
			return n.Pattern && n.Kind == outline.VariableName && !n.Param && strings.HasSuffix(n.Name, string(outline.Hole)) &&
				outline.Matches(n.Name, id.name)
		}) || slices.ContainsFunc(e.open, func(n outline.Name) bool {
			return n.Kind == outline.VariableName && n.Name == "" &&
				(n.In == owner || slices.Contains(at.callers[e.template], owner))
		}) || at.asksScope(e, owner)
		known[e] = is
		return is
	}
	asked := slices.ContainsFunc(at.index.entries, asks)
	in := func(e *entry) bool { return asks(e) || asked && e.isData }
	out = slices.Concat(at.mentions(id, name, in), at.assembled(id, name, in))
	open := at.opensTemplates(owner)
	if slices.ContainsFunc(open, ofText) {
		out = append(out, at.inTextTemplates(id, name)...)
	}
	module, _, _ := strings.Cut(owner, "::")
	for _, e := range at.index.entries {
		unknown := len(at.callers[e.template]) == 0 && path.Ext(e.path) != ".epp" // nobody is known to render it
		if e.template == "" || !(unknown && strings.HasPrefix(e.template, module+"/")) &&
			!slices.ContainsFunc(open, func(n outline.Name) bool { return at.mayRender(n, e) }) {
			continue
		}
		for _, n := range e.names {
			if n.Free && n.Name == name && n.Kind == outline.VariableName && !slices.Contains(at.meanings(e, n), id) {
				out = append(out, occurrence{e, n})
			}
		}
	}
	return out
}

// inTextTemplates are the texts with the tags of a template in which a variable is asked for: whoever renders a text
// that is not known may have one of them.
func (at *spot) inTextTemplates(id identity, name string) []occurrence {
	return slices.DeleteFunc(at.mentions(id, name, func(e *entry) bool {
		return (e.tree != nil || e.data != nil) && strings.Contains(e.file.Text, "<%")
	}), func(o occurrence) bool {
		return !slices.ContainsFunc(o.texts[strings.ToLower(name)], func(m mention) bool { return m.tag && m.at == o.Span })
	})
}

func ofText(n outline.Name) bool { return n.Text }

// open reports whether something gets attributes that are not written beside its name, or may be named in a way that
// is not seen.
func (at *spot) open(owner string) bool {
	if slices.ContainsFunc(at.index.entries, func(e *entry) bool {
		return slices.ContainsFunc(e.open, func(n outline.Name) bool {
			return n.Kind == outline.VariableName && n.Name == owner+"::"
		})
	}) {
		return true
	}
	kind := outline.TypeName
	if at.defines(outline.Name{Kind: outline.ClassName, Name: owner}) {
		kind = outline.ClassName
	}
	id := identity{kind: kind, name: owner}
	found := len(at.mentions(id, owner, nil)) > 0 || len(at.byParts(id)) > 0
	at.patterns(func(o occurrence, matches func(string) bool) {
		found = found || o.Kind == kind && !o.isData && matches(owner)
	})
	return found
}

// renders reports whether an owner renders templates whose names it does not say.
func (x *index) renders(owner string) bool { return len(x.opensTemplates(owner)) > 0 }

// opensTemplates is where an owner, or a class that inherits it, renders templates of which it says neither name nor
// text.
func (x *index) opensTemplates(owner string) (out []outline.Name) {
	for _, e := range x.entries {
		for _, n := range e.open {
			if n.Kind == outline.TemplateName && x.sees(n.In, owner) {
				out = append(out, n)
			}
		}
	}
	return out
}

// sees reports whether a class is another one, or inherits its variables.
func (x *index) sees(class, owner string) bool {
	for i := 0; i < 20 && class != owner; i++ {
		if class = x.parents[class]; class == "" {
			return false
		}
	}
	return class == owner
}

// mayRender reports whether code that does not say which template it renders may render one: any of its module, and
// those that nobody is known to render.
func (x *index) mayRender(open outline.Name, e *entry) bool {
	name, inFiles := strings.CutPrefix(e.template, outline.InFiles)
	if name == "" || !inFiles && path.Ext(e.path) == ".epp" || inFiles && !open.Text {
		return false
	}
	module, _, _ := strings.Cut(open.In, "::")
	return module != "" && strings.HasPrefix(name, module+"/") || len(x.callers[e.template]) == 0
}

// takers tells the files that may have texts which name a parameter of a template or plan, wherever in that it was
// asked for; nil if there are none.
func (at *spot) takers(id identity, n outline.Name) func(*entry) bool {
	param := slices.ContainsFunc(at.entry.defs, func(d outline.Name) bool {
		return d.Kind == n.Kind && d.Name == n.Name && d.Local == n.Local && d.Param
	})
	if plan := n.In; param && id.file == at.entry.path && fleet.IsPlan(id.file) {
		return func(e *entry) bool {
			return slices.ContainsFunc(e.names, func(n outline.Name) bool {
				return n.Kind == outline.FunctionName && n.Name == plan
			}) || len(e.mentions()[plan]) > 0
		}
	}
	if id.local != 0 || path.Ext(id.file) != ".epp" || !slices.ContainsFunc(at.index.entries, func(e *entry) bool {
		return slices.ContainsFunc(e.open, func(n outline.Name) bool {
			return n.Kind == outline.TemplateName && !n.Text || n.Kind == outline.LocalName && n.Of == id.file
		})
	}) {
		return nil
	}
	return func(*entry) bool { return true }
}

// byParts are the texts that may be a name when something is put in. One that is no qualified name may be anything: it
// counts if somebody asks for things of the kind by names that the code does not say.
func (at *spot) byParts(id identity) []occurrence {
	if strings.Contains(id.name, "::") {
		return at.assembled(id, id.name, func(e *entry) bool { return strings.Contains(e.file.Text, "::") })
	}
	if !slices.ContainsFunc(at.index.entries, func(e *entry) bool {
		return e.asksOpenly(id.kind) || id.kind == outline.ClassName && e.unsaid
	}) {
		return nil
	}
	return slices.Concat(at.assembled(id, id.name, nil),
		at.byPieces(id, func(e *entry) bool { return e.asksOpenly(id.kind) }))
}

// assembled are the texts that may be a name when something is put in. What is put in may have colons in a class's
// name. in, if it is not nil, tells the files to look at.
func (at *spot) assembled(id identity, name string, in func(*entry) bool) (out []occurrence) {
	asked := id.kind == outline.KeyName || id.kind == outline.VariableName
	for _, e := range at.index.entries {
		if in != nil && !in(e) {
			continue
		}
		e.mentions()
		for _, p := range e.joined {
			text := p.Name
			if first, _, path := strings.Cut(text, "."); path && asked && strings.ContainsFunc(first, isLetter) {
				text = first
			}
			if strings.IndexByte(text, outline.Hole) < 0 || !outline.Matches(text, name) ||
				strings.Contains(name, "::") && !joinedName.MatchString(text) ||
				asked && strings.Count(text, "::") != strings.Count(name, "::") ||
				slices.ContainsFunc(e.names, func(n outline.Name) bool {
					putIn := e.isData && !n.Defines && n.Kind != outline.ClassName || n.Span.Len()+least < p.Span.Len()
					return n.Text && !putIn && p.Span.Contains(n.Span)
				}) {
				continue
			}
			out = append(out, occurrence{e, outline.Name{Kind: id.kind, Name: id.name, Span: p.Span, Pattern: true}})
		}
	}
	return out
}

// least is what a text may be longer than the name that it is: quotes, and leading colons.
const least = 4

// byPieces are the parts of a name in Ruby that makes one text of several, and asks for things by names that it does
// not say.
func (at *spot) byPieces(id identity, in func(*entry) bool) (out []occurrence) {
	for _, e := range at.index.entries {
		e.mentions()
		if !e.composes || len(e.pieces) == 0 || !in(e) {
			continue
		}
		for _, p := range e.pieces {
			if p.text != id.name && strings.Contains(id.name, p.text) {
				out = append(out, occurrence{e, outline.Name{Kind: id.kind, Name: id.name, Span: p.at, Pattern: true}})
			}
		}
	}
	return out
}

// asksOpenly reports whether code asks for things of a kind by names that it does not say.
func (e *entry) asksOpenly(kind outline.NameKind) bool {
	e.mentions()
	return slices.ContainsFunc(slices.Concat(e.open, e.asks), func(n outline.Name) bool {
		return n.Kind == kind && (kind != outline.VariableName || n.Name == "")
	})
}

// mentions are the texts that say a word and are not known to name something; in, if it is not nil, tells the files to
// look at.
func (at *spot) mentions(id identity, word string, in func(*entry) bool) (out []occurrence) {
	folds := id.kind == outline.ClassName || id.kind == outline.TypeName
	paths := id.kind == outline.KeyName || id.kind == outline.VariableName
	spelled := outline.Capitalized(word)
	capital := id.kind == outline.TypeName && at.isAlias(id.name) // a data type is spelled so wherever it is meant
	for _, e := range at.index.entries {
		if !strings.Contains(e.file.Text, word) && !(folds && strings.Contains(e.file.Text, spelled)) &&
			!escaped.MatchString(e.file.Text) || in != nil && !in(e) {
			continue
		}
		list := e.mentions()[strings.ToLower(word)]
		if len(list) == 0 {
			continue
		}
		known := map[source.Span]bool{}
		for _, m := range list {
			known[m.at] = false
		}
		for _, n := range e.names {
			span := rooted(n).Span
			listed := e.isData && n.Kind == outline.ClassName && id.kind != n.Kind // of one reader; others may differ
			if is, asked := known[span]; asked && !is && !listed && !(n.Kind == outline.ResourceName && at.takesTitles(n)) {
				known[span] = true
			}
		}
		for _, m := range list {
			text := e.file.Slice(m.at)
			switch {
			case m.set && word == id.name, known[m.at] && !m.set, m.rooted && !paths, !at.list(m),
				m.part && id.kind == outline.KeyName && !strings.Contains(word, "::"), capital && !startsUpper(text),
				!folds && len(text) == len(word) && text != word:
			default:
				out = append(out, occurrence{e, outline.Name{Kind: id.kind, Name: word, Span: m.at}})
			}
		}
	}
	return out
}

// escaped is how data and code write letters otherwise.
var escaped = regexp.MustCompile(`\\(?:[xuU0-7]|\r?\n)`)

// isAlias reports whether a type is a data type of the tree's own, and no define.
func (x *index) isAlias(name string) bool {
	return slices.ContainsFunc(x.entries, func(e *entry) bool {
		return slices.ContainsFunc(e.defs, func(d outline.Name) bool {
			return d.Kind == outline.TypeName && d.Name == name && startsUpper(e.file.Slice(d.Span))
		})
	})
}

func startsUpper(text string) bool { return text != "" && text[0] >= 'A' && text[0] <= 'Z' }

// list reports whether a text is nothing but names, if it is more than one word.
func (at *spot) list(m mention) bool {
	return !slices.ContainsFunc(m.beside, func(word string) bool {
		return !at.defines(outline.Name{Kind: outline.ClassName, Name: word})
	})
}

// takesTitles reports whether a resource's title is one of a define, which may do with it what it likes.
func (at *spot) takesTitles(n outline.Name) bool {
	typ, _, _ := strings.Cut(n.Name, "[")
	return strings.Contains(typ, "::") || at.defines(outline.Name{Kind: outline.TypeName, Name: outline.Class(typ)})
}
