package value

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Downcase is Ruby's String#downcase.
func Downcase(s string) string {
	if strings.Contains(s, "İ") {
		s = strings.ReplaceAll(s, "İ", "i̇")
	}
	return strings.ToLower(s)
}

// Upcase is Ruby's String#upcase, with the letters that become several.
func Upcase(s string) string {
	up := strings.ToUpper(s)
	if strings.ContainsAny(up, "ßŉǰΐΰևẖẗẘẙẚﬀﬁﬂﬃﬄﬅﬆ") {
		up = specialUpper.Replace(up)
	}
	return up
}

var specialUpper = strings.NewReplacer("ß", "SS", "ŉ", "ʼN", "ǰ", "J̌", "ΐ", "Ϊ́", "ΰ", "Ϋ́", "և", "ԵՒ", "ẖ", "H̱", "ẗ",
	"T̈", "ẘ", "W̊", "ẙ", "Y̊", "ẚ", "Aʾ",
	"ﬀ", "FF", "ﬁ", "FI", "ﬂ", "FL", "ﬃ", "FFI", "ﬄ", "FFL", "ﬅ", "ST", "ﬆ", "ST")

// Capitalize is Ruby's String#capitalize: the first letter up, all others down.
func Capitalize(s string) string {
	r, n := utf8.DecodeRuneInString(s)
	if n == 0 {
		return s
	}
	first := string(unicode.ToTitle(r))
	if up := Upcase(s[:n]); CharLen(up) > 1 {
		first = up
		if r == 'ß' || r >= 0xfb00 && r <= 0xfb06 {
			first = up[:1] + Downcase(up[1:]) // a ligature: only its first letter goes up
		}
	}
	return first + Downcase(s[n:])
}

// CapitalizeSegments capitalizes each part of a ::-qualified name that is not capitalized yet, as Puppet does for
// resource types.
func CapitalizeSegments(name string) string {
	if name != "" && 'A' <= name[0] && name[0] <= 'Z' {
		return name
	}
	if !strings.Contains(name, "::") {
		return Capitalize(name)
	}
	parts := strings.Split(name, "::")
	for i, p := range parts {
		parts[i] = Capitalize(p)
	}
	return strings.Join(parts, "::")
}

// Strip is Ruby's String#strip: leading blanks, and trailing blanks and NULs.
func Strip(s string) string {
	return strings.TrimRight(strings.TrimLeft(s, "\x00\t\n\v\f\r "), "\x00\t\n\v\f\r ")
}
