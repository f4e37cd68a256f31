package syntax

import (
	"encoding/base64"
	"fmt"
	"strconv"
	"strings"
	"unicode"

	"bunraku/source"
)

// heredoc checks fixed text against the syntax that its tag names; text with interpolation has to wait for the
// evaluator.
func (v *validator) heredoc(e *Heredoc) {
	v.expr(e.X, atOther)
	text, ok := e.X.(*Str)
	if !ok || e.Syntax == "" {
		return
	}
	// The most specific name comes first: data+json is looked up as itself, then as json.
	syntax := e.Syntax
	for !isCheckedSyntax(syntax) {
		i := strings.IndexByte(syntax, '+')
		if i < 0 {
			return
		}
		syntax = syntax[i+1:]
	}
	before := "Invalid produced text having syntax: '" + e.Syntax + "'. "
	switch syntax {
	case "json":
		if at := checkJSON(text.Value); at >= 0 {
			rest := strings.ReplaceAll(cut(text.Value[at:], 60), "\n", `\n`)
			d := v.report(illegalJSON, text.Where, before+
				`JSON syntax checker: Cannot parse invalid JSON string. "unexpected token at '`+rest+`'"`)
			d.Help = "the trouble starts in line " + strconv.Itoa(1+strings.Count(text.Value[:at], "\n")) + " of the text"
		}
	case "base64":
		if why := checkBase64(text.Value); why != "" {
			v.report(illegalBase64, text.Where, before+"Base64 syntax checker: Cannot parse invalid Base64 string - "+why)
		}
	case "pp", "epp":
		if syntax != e.Syntax {
			v.report(heredocSyntaxPrefix, e.Where,
				fmt.Sprintf("%s syntax checker: the syntax identifier must be a String, e.g. pp", strings.ToUpper(syntax))).
				Help = "write @(" + e.Tag + ":" + syntax + ")"
			return
		}
		v.heredocPuppet(syntax, text, before)
	}
}

func isCheckedSyntax(syntax string) bool {
	return syntax == "json" || syntax == "base64" || syntax == "pp" || syntax == "epp"
}

// heredocPuppet reads the text as a program of its own.
func (v *validator) heredocPuppet(syntax string, text *Str, before string) {
	opt := Options{Tasks: v.tasks}
	parse, r := Parse, illegalPP
	if syntax == "epp" {
		parse, r = ParseEPP, illegalEPP
	}
	inner := source.NewFile("", text.Value)
	f, found := parse(inner, opt)
	if !found.HasErrors() {
		found = append(found, Validate(f, opt)...)
	}
	var errors source.Diagnostics
	for _, d := range found {
		if d.Severity == source.Error {
			errors = append(errors, d)
		}
	}
	if len(errors) == 0 {
		return
	}
	place := func(d *source.Diagnostic) string {
		at := inner.Position(d.Place.Span.Start)
		return fmt.Sprintf("(line: %d, column: %d)", at.Line, at.Column)
	}
	message := errors[0].Summary + " " + place(errors[0])
	if len(errors) > 1 {
		message = fmt.Sprintf("Language validation logged %d errors. Giving up", len(errors))
	}
	d := v.report(r, text.Where, before+strings.ToUpper(syntax)+` syntax checker: "`+message+`"`)
	d.Help = errors[0].Help
	if len(errors) > 1 {
		for _, e := range errors {
			d.Detail += e.Summary + " " + place(e) + "\n"
		}
		d.Detail = strings.TrimSuffix(d.Detail, "\n")
	}
}

// cut shortens s to n bytes at the boundary of a character.
func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && s[n]&0xC0 == 0x80 {
		n--
	}
	return s[:n]
}

// checkBase64 says what is wrong with a text, "" when nothing is. Blanks, line ends and, by a slip in Puppet's pattern,
// question marks do not count; what is left must be padded as RFC 4648 wants.
func checkBase64(text string) string {
	clean := strings.Map(func(r rune) rune {
		if r == '\r' || r == '\n' || r == '?' || r == '\t' || unicode.Is(unicode.Zs, r) {
			return -1
		}
		return r
	}, text)
	if _, err := base64.StdEncoding.Strict().DecodeString(clean); err == nil {
		return ""
	}
	if len(clean)*8%6 != 0 {
		return "padding is not correct"
	}
	return "contains letters outside strict base 64 range (or whitespace)"
}
