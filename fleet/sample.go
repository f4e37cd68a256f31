package fleet

import (
	"regexp"
	"regexp/syntax"
	"strings"
)

// sample is a short text that a regular expression of a node statement matches and that can be the name of a node; ""
// if none was found. Ruby's patterns are read as Go's, which most of those for names are; what is made is tried.
func sample(pattern string) string {
	text := strings.NewReplacer(`\Z`, `\z`, `(?<`, `(?P<`, `\h`, `[0-9a-f]`).Replace(pattern)
	tree, err := syntax.Parse(text, syntax.Perl)
	if err != nil {
		return ""
	}
	name, ok := example(tree.Simplify())
	name = strings.ToLower(name)
	if re, err := regexp.Compile(text); !ok || err != nil || !re.MatchString(name) || !nodeName.MatchString(name) {
		return ""
	}
	return name
}

var nodeName = regexp.MustCompile(`^[a-z0-9][a-z0-9._-]*$`)

// example is a text that an expression matches: the first branch, the fewest repetitions, letters and digits.
func example(re *syntax.Regexp) (string, bool) {
	var b strings.Builder
	switch re.Op {
	case syntax.OpLiteral:
		return string(re.Rune), true
	case syntax.OpCharClass:
		return oneOf(re.Rune)
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		return "x", true
	case syntax.OpCapture, syntax.OpPlus:
		return example(re.Sub[0])
	case syntax.OpAlternate:
		for _, s := range re.Sub {
			if text, ok := example(s); ok {
				return text, true
			}
		}
		return "", false
	case syntax.OpConcat:
		for _, s := range re.Sub {
			text, ok := example(s)
			if !ok {
				return "", false
			}
			b.WriteString(text)
		}
		return b.String(), true
	case syntax.OpRepeat:
		for range re.Min {
			text, ok := example(re.Sub[0])
			if !ok {
				return "", false
			}
			b.WriteString(text)
		}
		return b.String(), true
	case syntax.OpStar, syntax.OpQuest, syntax.OpEmptyMatch, syntax.OpBeginLine, syntax.OpEndLine, syntax.OpBeginText,
		syntax.OpEndText, syntax.OpWordBoundary, syntax.OpNoWordBoundary:
		return "", true
	}
	return "", false
}

// oneOf is a character of a class given as ranges: a digit or a small letter if it has one.
func oneOf(ranges []rune) (string, bool) {
	for _, c := range "1a0bcdefghijklmnopqrstuvwxyz23456789-_." {
		for i := 0; i+1 < len(ranges); i += 2 {
			if ranges[i] <= c && c <= ranges[i+1] {
				return string(c), true
			}
		}
	}
	if len(ranges) > 0 {
		return string(ranges[0]), true
	}
	return "", false
}
