package lsp

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"bunraku/lsp/protocol"
	"bunraku/puppet/outline"
)

// Where a statement begins, resources can be declared; everywhere else in code stands a value. The text before a place
// tells which: what it ends in, and what a brace there opens.

// beginsStatement reports whether what comes behind a text begins a statement.
func beginsStatement(text string) bool {
	fresh := strings.TrimSpace(text[strings.LastIndexByte(text, '\n')+1:]) == "" // on its line
	text = bare(text)
	if text == "" || strings.HasSuffix(text, "<%") || strings.HasSuffix(text, "<%-") {
		return true
	}
	last := text[len(text)-1]
	switch {
	case strings.IndexByte("};@", last) >= 0:
		return true
	case last == '{':
		return opensBlock(text[:len(text)-1])
	case slices.ContainsFunc(relations, func(r string) bool { return strings.HasSuffix(text, r) }):
		return true
	case strings.HasSuffix(text, "|>"):
		return fresh
	case strings.IndexByte(",([=!?+*%<>-~:|", last) >= 0, !fresh, inBrackets(text):
		return false
	}
	return !slices.Contains(awaiting, lastWord.FindString(text))
}

// relations stand between resources.
var relations = []string{"->", "~>", "<-", "<~"}

// awaiting are words behind which a value comes.
var awaiting = strings.Fields("and or in if unless elsif case")

var lastWord = regexp.MustCompile(`\w+$`)

// bare is a text without the blanks and comments at its end.
func bare(text string) string {
	for {
		text = strings.TrimRight(text, " \t\r\n")
		start := strings.LastIndexByte(text, '\n') + 1
		if inside(text[start:]) != '#' {
			return text
		}
		text = text[:start+commentIn(text[start:])]
	}
}

// commentIn is where the comment of a line begins that ends in one.
func commentIn(line string) int {
	for i := range line {
		if line[i] == '#' && inside(line[:i]) == 0 {
			return i
		}
	}
	return len(line)
}

// blockHead begins what has a block of statements in braces.
var blockHead = regexp.MustCompile(
	`^\s*(?:\}\s*)?(?:if|elsif|unless|else|class|define|node|plan|function|and|or)\b|(?:\)|\binherits)\s+[\w:]+$`)

// opensBlock reports whether a brace behind a text opens statements, and no hash, resource or choice.
func opensBlock(before string) bool {
	before = bare(before)
	line := before[strings.LastIndexByte(before, '\n')+1:]
	switch {
	case before == "", strings.HasSuffix(before, "|"):
		return true
	case inCase.MatchString(line):
		return false
	case strings.HasSuffix(before, "::"):
		return false
	case strings.HasSuffix(before, ")"), strings.HasSuffix(before, ":"):
		return true
	case strings.IndexByte("=>([,?$<+-*%@", before[len(before)-1]) >= 0:
		return false
	}
	return blockHead.MatchString(line)
}

// inCase begins a choice, whose braces hold values with statements behind them.
var inCase = regexp.MustCompile(`^\s*(?:\$\w+\s*=\s*)?case\b`)

// inBrackets reports whether a text breaks off in parentheses or brackets.
func inBrackets(text string) bool {
	depth := 0
	for i := len(text) - 1; i >= 0; i-- {
		switch text[i] {
		case ')', ']', '}':
			depth++
		case '(', '[', '{':
			if depth--; depth < 0 {
				return text[i] != '{'
			}
		}
	}
	return false
}

// values offers what can stand for a value: functions, literals, and where nothing is written yet also variables, data
// types and references.
func (o *offers) values() {
	o.functionNames()
	for _, word := range strings.Fields("true false undef default") {
		o.add(candidate{name: word, kind: protocol.CompletionItemKindKeyword})
	}
	for _, word := range strings.Fields("case if in unless and or") {
		o.add(candidate{name: word, kind: protocol.CompletionItemKindKeyword, rank: 2})
	}
	if o.letters != "" {
		return // which begin otherwise
	}
	others := &offers{spot: o.spot, nearby: true}
	others.variables(false)
	for _, c := range others.list {
		if c.rank < 3 && !strings.Contains(c.name, "::") {
			c.name = "$" + c.name
			o.add(c)
		}
	}
	others = &offers{spot: o.spot}
	others.dataTypes()
	for _, c := range others.list {
		c.rank += 3
		o.add(c)
	}
}

// inHead is where the name of what is being defined stands.
var inHead = wanting(`^\s*(?:\}\s*)*(class|define|function|type|plan|node)\s+`, `[\w:]*`)

// ownName offers the name by which what a file defines is looked for there.
func (o *offers) ownName(keyword string) {
	if keyword == "node" {
		o.add(candidate{name: "default", kind: protocol.CompletionItemKindKeyword})
		return
	}
	sort, is := map[string]string{"function": "functions", "type": "types", "plan": "plans"}[keyword]
	if !is {
		sort = "manifests"
	}
	name := o.folder.nameIn(o.entry.path, sort)
	if keyword == "type" {
		name = outline.Capitalized(name)
	}
	if name != "" {
		o.add(candidate{name: name, kind: protocol.CompletionItemKindClass})
	}
}

// nameIn is the name that is looked for in a file among the definitions of a sort; "" for none.
func (f *folder) nameIn(file, sort string) string {
	module, rest := f.module(), ""
	if dir := f.dir + "/" + sort + "/"; strings.HasPrefix(file, dir) {
		if rest = strings.TrimPrefix(file, dir); module == "" {
			rest = strings.ReplaceAll(strings.TrimSuffix(rest, ".pp"), "/", "::")
			if f.ofEnvironment(file, rest) != file {
				return ""
			}
			return rest
		}
	} else if i := strings.LastIndex(file, "/"+sort+"/"); i >= 0 {
		module, rest = path.Base(file[:i]), file[i+len(sort)+2:]
	}
	rest, is := strings.CutSuffix(rest, ".pp")
	switch {
	case !is:
		return ""
	case rest == "init" && (sort == "manifests" || sort == "plans"):
		return module
	}
	return module + "::" + strings.ReplaceAll(rest, "/", "::")
}
