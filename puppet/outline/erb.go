package outline

import (
	"regexp"
	"strings"

	"bunraku/source"
)

// NamesERB are the names of an ERB template: variables of the scope that renders it, as @name, and what it asks for by
// a text. What stands outside of <% … %> is text.
func NamesERB(text string) (names []Name) {
	for from := 0; ; {
		i := strings.Index(text[from:], "<%")
		if i < 0 {
			return names
		}
		from += i + 2
		end := strings.Index(text[from:], "%>")
		if end < 0 {
			end = len(text) - from
		}
		if code := text[from : from+end]; !strings.HasPrefix(code, "#") && !strings.HasPrefix(code, "%") {
			r := ruby{code: code, base: uint32(from), names: names}
			r.read()
			names = r.names
		}
		from += end
	}
}

// OpenInRuby are the places of a file of Ruby that ask for names which it does not say.
func OpenInRuby(code string) (open []Name) {
	r := ruby{code: code}
	r.read()
	for _, n := range r.names {
		if n.Open {
			open = append(open, n)
		}
	}
	return open
}

// rubyTakes says what methods of Ruby take that a template can call, as takes does for functions. Those of things that
// have many methods of the name are told by what they are called on: scope.include?, classes.include?. "[]" is what is
// asked by brackets.
var rubyTakes = map[string]map[string][]taken{
	"[]":        {"scope": {aVariable}, "closure_scope": {aVariable}, "to_hash": {aVariable}},
	"lookupvar": {"": {aVariable}},
	"setvar":    {"": {aVariable}},
	"exist?":    {"scope": {aVariable}},
	"bound?":    {"scope": {aVariable}},
	"has_key?":  {"to_hash": {aVariable}},
	"key?":      {"to_hash": {aVariable}},
	"fetch":     {"to_hash": {aVariable}},
	"dig":       {"to_hash": {aVariable}},
	"include?": {"scope": {aVariable}, "to_hash": {aVariable}, "classes": {aClass}, "tags": {aTag},
		"all_tags": {aTag}},
	"member?":      {"to_hash": {aVariable}, "classes": {aClass}, "tags": {aTag}, "all_tags": {aTag}},
	"tagged?":      {"": {aTag, more}},
	"resource":     {"catalog": {aReference}},
	"findresource": {"": {aReference}},

	"has_variable?": {"": {aVariable}},

	"instance_variable_get":      {"": {aVariable}},
	"instance_variable_set":      {"": {aVariable}},
	"instance_variable_defined?": {"": {aVariable}},

	"call_function":      {"": {aFunction}},
	"find_hostclass":     {"": {aClass}},
	"find_definition":    {"": {aType}},
	"find_resource_type": {"": {aType}}, "find_defined_resource_type": {"": {aType}},
}

// holes is a string of Ruby's with a Hole for each part that is put in when the code runs.
func holes(text string) string {
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		switch {
		case strings.HasPrefix(text[i:], "#{"):
			i = closed(text, i+2)
		case strings.HasPrefix(text[i:], "#@"):
			for i++; i+1 < len(text) && isWord(text[i+1]); {
				i++
			}
		default:
			b.WriteByte(text[i])
			continue
		}
		b.WriteByte(Hole)
	}
	return b.String()
}

// escapes are letters that are written otherwise.
var escapes = regexp.MustCompile(`\\(?:x[0-9a-fA-F]{1,2}|u\{[^}]*\}|u[0-9a-fA-F]{4}|[0-7]{1,3})`)

// formatted is what a format puts in.
var formatted = regexp.MustCompile(`%[-+ 0#]*\d*(?:\.\d+)?(?:<\w+>)?[a-zA-Z]|%\{\w+\}`)

// goneOn is a string of Ruby's with Holes for what the code adds to it that stands behind it.
func goneOn(text, behind string) string {
	behind = strings.TrimLeft(behind, " \t")
	switch {
	case behind == "":
	case behind[0] == '%':
		text = formatted.ReplaceAllString(text, string(Hole))
		if strings.IndexByte(text, Hole) < 0 {
			text += string(Hole)
		}
	case strings.IndexByte("+.'\"*", behind[0]) >= 0, strings.HasPrefix(behind, "<<"):
		text += string(Hole)
	}
	return text
}

// ruby reads a piece of a template's Ruby that begins at an offset.
type ruby struct {
	code  string
	base  uint32
	names []Name
}

func (r *ruby) read() {
	code, on := r.code, ""
	var docs [][]string // the heredocs that begin on this line
	last := byte('(')   // what stood before, blanks apart: behind it a slash begins a regular expression
	for i := 0; i < len(code); {
		c := code[i]
		if end := quoted(code, i, last); end > i {
			r.within(i, end)
			on, last, i = "", 'x', end
			continue
		}
		if tag := heredocTag(code, i, last); tag != nil {
			docs = append(docs, tag)
			on, last, i = "", 'x', i+len(tag[0])
			continue
		}
		if c == '\n' && len(docs) > 0 {
			for _, tag := range docs {
				end := heredocEnd(code, i+1, tag)
				if tag[1] != "'" {
					r.put(i, end)
				}
				i = end
			}
			docs, on, last = nil, "", '\n'
			continue
		}
		if strings.IndexByte(" \t", c) < 0 {
			last = c
		}
		switch {
		case c == '@':
			end := i + 1
			for end < len(code) && isWord(code[end]) {
				end++
			}
			if end > i+1 && code[i+1] != '_' && (i == 0 || !isWord(code[i-1]) && code[i-1] != '@') {
				r.names = append(r.names, Name{Kind: VariableName, Name: code[i+1 : end], Free: true,
					Span: source.Span{Start: r.base + uint32(i) + 1, End: r.base + uint32(end)}})
			}
			i = end
		case isWord(c):
			end := i
			for end < len(code) && isWord(code[end]) {
				end++
			}
			if end < len(code) && (code[end] == '?' || code[end] == '!') {
				end++
			}
			if i == 0 || code[i-1] != '.' {
				on = ""
			}
			word := code[i:end]
			r.word(word, on, end)
			on, i = word, end
		default:
			i++
		}
	}
}

// quoted is the end of the string, regular expression or comment that begins at an offset; the offset itself if none
// does, or if it has no end in this piece of code.
func quoted(code string, i int, last byte) int {
	quote := code[i]
	switch {
	case quote == '#' && !strings.HasPrefix(code[i:], "#{") && (i == 0 || strings.IndexByte(" \t\n", code[i-1]) >= 0):
		if end := strings.IndexByte(code[i:], '\n'); end >= 0 {
			return i + end
		}
		return len(code)
	case quote == '/' && strings.IndexByte("(,=~|&!{[;\n", last) >= 0:
	case quote == '\'' || quote == '"':
		if i > 0 && code[i-1] == '?' { // the character
			return i
		}
	case quote == '%':
		return percent(code, i, last)
	default:
		return i
	}
	for end := i + 1; end < len(code); end++ {
		switch code[end] {
		case '\\':
			end++
		case quote:
			return end + 1
		case '#':
			if quote == '"' && strings.HasPrefix(code[end:], "#{") { // there may be strings in it
				end = closed(code, end+2)
			}
		case '\n':
			if quote == '/' {
				return i
			}
		}
	}
	return i
}

// percent is the end of what begins with a percent sign at an offset: %q(…), %w[…], %(…); the offset itself if that is
// an operator.
func percent(code string, i int, last byte) int {
	at, lettered := i+1, false
	if at < len(code) && strings.IndexByte("qQwWiIrsx", code[at]) >= 0 {
		at, lettered = at+1, true
	}
	if at >= len(code) || isWord(code[at]) || strings.IndexByte(" \t\n=%", code[at]) >= 0 ||
		!lettered && (isWord(last) || strings.IndexByte(")]}@", last) >= 0) {
		return i
	}
	open, depth := code[at], 0
	shut := open
	if n := strings.IndexByte("([{<", open); n >= 0 {
		shut = ")]}>"[n]
	}
	for end := at + 1; end < len(code); end++ {
		switch c := code[end]; {
		case c == '\\':
			end++
		case c == shut && depth == 0:
			return end + 1
		case c == shut:
			depth--
		case c == open:
			depth++
		}
	}
	return i
}

// opensHeredoc is how a heredoc of Ruby's begins: its quotes, and the line that ends it.
var opensHeredoc = regexp.MustCompile("^<<[-~]?(['\"`]?)([A-Za-z_]\\w*)(['\"`]?)")

// heredocTag is what begins a heredoc at an offset, with its quote and its tag; nil if none does, or if it has no end.
func heredocTag(code string, i int, last byte) []string {
	if !strings.HasPrefix(code[i:], "<<") || isWord(last) && code[i-1] == last || strings.IndexByte(")]}", last) >= 0 {
		return nil
	}
	tag := opensHeredoc.FindStringSubmatch(code[i:])
	if tag == nil || tag[1] != tag[3] {
		return nil
	}
	line := strings.IndexByte(code[i:], '\n')
	if line < 0 || heredocEnd(code, i+line+1, tag) == i+line+1 {
		return nil
	}
	return tag
}

// heredocEnd is where the text of a heredoc ends that begins at an offset, before the end of its last line; the offset
// itself if it does not.
func heredocEnd(code string, from int, tag []string) int {
	for at := from; at < len(code); {
		line, _, more := strings.Cut(code[at:], "\n")
		if strings.TrimSpace(line) == tag[2] {
			return at + len(line)
		}
		if !more {
			break
		}
		at += len(line) + 1
	}
	return from
}

// within reads the code that is interpolated into a string.
func (r *ruby) within(from, to int) {
	if r.code[from] == '\'' || r.code[from] == '#' ||
		r.code[from] == '%' && strings.IndexByte("qwis", r.code[from+1]) >= 0 {
		return
	}
	r.put(from, to)
}

// put reads the code that is put into a text.
func (r *ruby) put(from, to int) {
	for i := from; i+1 < to; i++ {
		end := i
		switch {
		case r.code[i] == '\\':
			i++
			continue
		case r.code[i] != '#':
			continue
		case r.code[i+1] == '{':
			end = closed(r.code[:to], i+2)
		case r.code[i+1] == '@': // "#@x" is "#{@x}"
			for end = i + 2; end < to && isWord(r.code[end]); {
				end++
			}
		default:
			continue
		}
		start := i + 1
		if r.code[start] == '{' {
			start++
		}
		in := ruby{code: r.code[start:end], base: r.base + uint32(start), names: r.names}
		in.read()
		r.names = in.names
		i = end - 1
	}
}

// closed is where the brace is closed whose inside begins at an offset; the end of the code if it is not.
func closed(code string, i int) int {
	for depth := 0; i < len(code); i++ {
		switch code[i] {
		case '{':
			depth++
		case '}':
			if depth--; depth < 0 {
				return i
			}
		}
	}
	return i
}

// word adds what the arguments name of a method that is called on something, or what stands in brackets behind it.
func (r *ruby) word(word, on string, end int) {
	if end < len(r.code) && r.code[end] == '[' {
		if list := rubyTakes["[]"][word]; list != nil {
			r.texts(list, end+1)
		}
	}
	if function, is := strings.CutPrefix(word, "function_"); is {
		r.texts(takes[function], end)
		r.names = append(r.names, Name{Kind: FunctionName, Name: function,
			Span: source.Span{Start: r.base + uint32(end-len(function)), End: r.base + uint32(end)}})
		return
	}
	if by := rubyTakes[word]; by != nil {
		if list := by[on]; list != nil {
			r.texts(list, end)
		} else {
			r.texts(by[""], end)
		}
	}
}

// texts adds what the texts name that stand at an offset, one behind the other: 'a', ['b', 'c']. The first thing that
// is no text ends them.
func (r *ruby) texts(list []taken, i int) {
	if list == nil {
		return
	}
	code, class := r.code, false
	for nth := 0; i < len(code); {
		text := ""
		from := i
		switch c := code[i]; {
		case c == '[' && made(code, i):
			r.open(kind(list, nth), i)
			return
		case strings.IndexByte(" \t\r\n([,", c) >= 0, strings.HasPrefix(code[i:], ":'"), strings.HasPrefix(code[i:], `:"`):
			i++
			continue
		case c == ':' && i+1 < len(code) && isWord(code[i+1]): // :@x is read as @x
			end := i + 2
			for end < len(code) && isWord(code[end]) {
				end++
			}
			from, text, i = i+1, code[i+1:end], end
		case c == '\'' || c == '"':
			end := quoted(code, i, '(')
			if end == i {
				return
			}
			from, text, i = i+1, code[i+1:end-1], end
		default:
			if nth == 0 && c != ')' && c != ']' {
				r.open(kind(list, nth), i)
			}
			return
		}
		if rest, is := strings.CutPrefix(text, "@"); is {
			from, text = from+1, rest
		}
		t := kind(list, nth)
		nth++
		at := source.Span{Start: r.base + uint32(from), End: r.base + uint32(from+len(text))}
		add := func(x Name) { r.names = append(r.names, x) }
		if text == "" {
			continue
		}
		if strings.Contains(text, "#{") || strings.Contains(text, "#@") {
			text = holes(text)
		}
		if code[i-1] == '"' {
			text = escapes.ReplaceAllString(text, string(Hole))
		}
		if code[i-1] == '\'' || code[i-1] == '"' {
			text = goneOn(text, code[i:])
		}
		if strings.IndexByte(text, Hole) >= 0 {
			if strings.Trim(text, string(Hole)+":/") == "" {
				if kind, is := opens[t]; is {
					add(Name{Kind: kind, Open: true, Span: at})
				}
				continue
			}
			add = func(x Name) {
				x.Pattern, x.Free = true, false
				r.names = append(r.names, x)
			}
		}
		switch {
		case class:
			class = false
			inText(aClass, text, at, add)
		case t == aFunction:
			inText(t, text, at, add)
			list, nth = takes[strings.TrimPrefix(text, "::")], 0
		case t == aReference && !strings.Contains(text, "["): // ('Class', 'web')
			class = Class(text) == "class"
			inText(aType, text, at, add)
		case t == anEPP:
			inText(aTemplate, text, at, add)
		default:
			inText(t, text, at, add)
		}
	}
}

// open notes that the code at an offset comes to names that it does not say.
func (r *ruby) open(t taken, i int) {
	if kind, is := opens[t]; is {
		at := r.base + uint32(i)
		r.names = append(r.names, Name{Kind: kind, Open: true, Span: source.Span{Start: at, End: at + 1}})
	}
}

// made reports whether something is made of the list that begins at an offset: ['web', @x].join('::').
func made(code string, i int) bool {
	depth := 0
	for ; i < len(code); i++ {
		switch c := code[i]; c {
		case '\'', '"':
			if end := quoted(code, i, '('); end > i {
				i = end - 1
			}
		case '[':
			depth++
		case ']':
			if depth--; depth == 0 {
				rest := strings.TrimLeft(code[i+1:], " \t")
				return rest != "" && strings.IndexByte(".*+", rest[0]) >= 0
			}
		}
	}
	return false
}
