package fleet

import (
	"regexp"
	"regexp/syntax"
	"strings"
)

// nodeSample is a name that a regular expression of a node statement means; "" if none was found. Where the pattern
// leaves open how names begin or end, another is a longer one.
func nodeSample(pattern string) (name, another string) {
	name, fits := matching(pattern)
	if name == "" {
		return "", ""
	}
	if whole := name + "invented"; strings.ContainsAny(name[len(name)-1:], ".-_") && fits(whole) {
		name = whole // no name ends so
	}
	for _, longer := range []string{name + ".another", "another-" + name} {
		if fits(longer) {
			return name, longer
		}
	}
	return name, ""
}

// sample is a short text that a regular expression matches and that can be a name; "" if none was found.
func sample(pattern string) string {
	text, _ := matching(pattern)
	return text
}

// matching is a sample, and what else fits the expression. Ruby's patterns are read as Go's, which most of those for
// names are; what is made is tried.
func matching(pattern string) (name string, fits func(name string) bool) {
	text := strings.NewReplacer(`\Z`, `\z`, `(?<`, `(?P<`, `\h`, `[0-9a-f]`).Replace(pattern)
	tree, err := syntax.Parse(text, syntax.Perl)
	if err != nil {
		return "", nil
	}
	name, ok := example(tree.Simplify())
	name = strings.ToLower(name)
	re, err := regexp.Compile(text)
	fits = func(name string) bool { return re.MatchString(name) && nodeName.MatchString(name) }
	if !ok || err != nil || !fits(name) {
		return "", nil
	}
	return name, fits
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
