package syntax

import "strings"

// Character checks for names, written out by hand because they run for every variable of every file.
// The comment above each is the regular expression of Puppet's that it stands for. \w is ASCII, as in Ruby.

// wordEnd returns the index behind the word characters that start at i.
func wordEnd(s string, i int) int {
	for i < len(s) && isWord(s[i]) {
		i++
	}
	return i
}

// \A(?:::)?(?:[a-z]\w*::)*[a-z_]\w*\z
func isVarName(s string) bool {
	i := 0
	if strings.HasPrefix(s, "::") {
		i = 2
	}
	for {
		if i >= len(s) || !isLower(s[i]) && s[i] != '_' {
			return false
		}
		first := s[i]
		i = wordEnd(s, i)
		if i == len(s) {
			return true
		}
		if first == '_' || !strings.HasPrefix(s[i:], "::") {
			return false
		}
		i += 2
	}
}

// \A(?:0|(?:[1-9][0-9]*))\z
func isNumericVarName(s string) bool {
	if s == "" || s[0] == '0' && len(s) > 1 {
		return false
	}
	for i := range len(s) {
		if !isDigit(s[i]) {
			return false
		}
	}
	return true
}

// ^(?:0x)?[0-9]+$
func isNumericParamName(s string) bool {
	s = strings.TrimPrefix(s, "0x")
	for i := range len(s) {
		if !isDigit(s[i]) {
			return false
		}
	}
	return s != ""
}

// \A[a-z_]\w*\z
func isParamName(s string) bool {
	return s != "" && (isLower(s[0]) || s[0] == '_') && wordEnd(s, 1) == len(s)
}

// \A[a-z][\w]*(?:::[a-z][\w]*)*\z
func isDefinitionName(s string) bool { return isQualified(s, isLower) }

// \A[A-Z][\w]*(?:::[A-Z][\w]*)*\z
func isTypeName(s string) bool { return isQualified(s, isUpper) }

func isQualified(s string, first func(byte) bool) bool {
	for i := 0; ; i += 2 {
		if i >= len(s) || !first(s[i]) {
			return false
		}
		i = wordEnd(s, i)
		if i == len(s) {
			return true
		}
		if !strings.HasPrefix(s[i:], "::") {
			return false
		}
	}
}

// The opposite of [^-\w.] found anywhere.
func isHostname(s string) bool {
	for i := range len(s) {
		if c := s[i]; !isWord(c) && c != '-' && c != '.' {
			return false
		}
	}
	return true
}

// plainName is the name that a reader may have meant: lower case, underscores for hyphens.
func plainName(s string) string { return strings.ReplaceAll(strings.ToLower(s), "-", "_") }

// isReservedTypeName tells the data types whose names Puppet refuses for classes, defines and functions.
// It compares with the name as written, so a type alias, which starts with a capital, never meets it.
func isReservedTypeName(s string) bool {
	switch s {
	case "type", "any", "unit", "scalar", "boolean", "numeric", "integer", "float", "collection", "array", "hash", "tuple",
		"struct", "variant", "optional", "enum", "regexp", "pattern", "runtime", "init", "object", "sensitive", "semver",
		"semverrange", "string", "timestamp", "timespan", "typeset":
		return true
	}
	return false
}

// A nameSet remembers names with an index. It is reused for every hash and parameter list of a file: few names are kept
// in a slice and searched, many go to a map, so that neither costs an allocation each time.
type nameSet struct {
	few  []indexedName
	many map[string]int
	big  bool
}

type indexedName struct {
	name  string
	index int
}

const (
	fewNames  = 16
	manyNames = 512
)

// reset empties the set for up to n names.
func (s *nameSet) reset(n int) {
	s.few = s.few[:0]
	s.big = n > fewNames
	if !s.big {
		return
	}
	if s.many == nil || len(s.many) > manyNames { // clearing a map costs as much as it ever held
		s.many = make(map[string]int, n)
	} else {
		clear(s.many)
	}
}

// add inserts a name, or gives the index that it was first added with.
func (s *nameSet) add(name string, index int) (first int, added bool) {
	if s.big {
		if first, ok := s.many[name]; ok {
			return first, false
		}
		s.many[name] = index
		return index, true
	}
	for i := range s.few {
		if s.few[i].name == name {
			return s.few[i].index, false
		}
	}
	s.few = append(s.few, indexedName{name, index})
	return index, true
}
