package lsp

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"bunraku/puppet/functions/stdlib"
	"bunraku/puppet/syntax"
	"bunraku/puppet/value"
	"bunraku/source"
)

// What manifests are made of and no file defines: facts, what a node's certificate says, data types.

// given is what of $facts or $trusted stands at the spot: which of them, and the path up to the key that it is on,
// os.name of $facts['os']['name']; "" for nothing.
func (at *spot) given() (root, path string, span source.Span) {
	if at.entry.tree == nil {
		return at.givenInData()
	}
	for _, x := range slices.Concat(at.entry.tree.Body.Stmts, eppBody(at.entry.tree)) {
		syntax.Walk(x, func(n syntax.Node) bool {
			s := n.Span()
			if s.Start > at.offset || at.offset > s.End {
				return false
			}
			if a, is := n.(*syntax.Access); is && len(a.Keys) == 1 && a.Keys[0].Span().Start <= at.offset {
				if r, p := givenPath(a); p != "" {
					root, path, span = r, p, a.Keys[0].Span()
				}
			}
			return true
		})
	}
	return root, path, span
}

// inBraces is a fact, or what is trusted, in a text of Hiera's.
var inBraces = regexp.MustCompile(`%\{\s*(?:::)?(facts|trusted)((?:\.(?:[\w-]+|"[^"\n]*"|'[^'\n]*'))+)\s*\}`)

// givenInData is the same in data and in hiera.yaml: %{facts.os.name}.
func (at *spot) givenInData() (root, path string, span source.Span) {
	if !at.entry.isData && !isSettings(at.entry.path) {
		return "", "", span
	}
	text, offset := at.entry.file.Text, int(at.offset)
	start := strings.LastIndexByte(text[:offset], '\n') + 1
	line, _, _ := strings.Cut(text[start:], "\n")
	for _, m := range inBraces.FindAllStringSubmatchIndex(line, -1) {
		if from, end := start+m[4], start+m[5]; from < offset && offset <= end {
			if i := strings.IndexByte(text[offset:end], '.'); i >= 0 { // only up to the key that it is on
				end = offset + i
			}
			path = text[from+1 : end]
			last := strings.LastIndexByte(path, '.') + 1
			span = source.Span{Start: uint32(from + 1 + last), End: uint32(end)}
			return text[start+m[2] : start+m[3]], strings.NewReplacer(`"`, "", `'`, "").Replace(path), span
		}
	}
	return "", "", span
}

// givenPath is the path of an access to $facts or $trusted; "" if it is another, or computed.
func givenPath(e syntax.Expr) (root, path string) {
	a, is := e.(*syntax.Access)
	if !is || len(a.Keys) != 1 {
		return "", ""
	}
	key, is := a.Keys[0].(*syntax.Str)
	if !is {
		return "", ""
	}
	if v, is := a.Left.(*syntax.Var); is {
		if root := strings.TrimPrefix(v.Name, "::"); root == "facts" || root == "trusted" {
			return root, key.Value
		}
		return "", ""
	}
	if root, left := givenPath(a.Left); left != "" {
		return root, left + "." + key.Value
	}
	return "", ""
}

// factNames are the facts of each node, by name: their values are told one by one.
func (at *spot) factNames() string {
	return at.told(func(r *result) string {
		if r.facts == nil {
			return ""
		}
		var names []string
		for _, e := range r.facts.Entries() {
			if name, is := e.Key.(value.String); is {
				names = append(names, string(name))
			}
		}
		slices.Sort(names)
		const most = 100
		if more := len(names) - most; more > 0 {
			names = append(names[:most], fmt.Sprintf("and %d more", more))
		}
		return fmt.Sprintf("%s\n  %s\n", many(r.facts.Len(), "fact"), strings.Join(names, ", "))
	})
}

// trusted is what $trusted is on each node, or what lies in it. A key that machines share is nobody's to read.
func (at *spot) trusted(steps ...string) string {
	const secret = "pp_preshared_key"
	return at.told(func(r *result) string {
		var v value.Value = r.trusts
		for _, step := range steps {
			h, is := v.(*value.Hash)
			if !is || step == secret {
				return ""
			}
			if v, is = h.GetString(step); !is {
				return ""
			}
		}
		if h, is := v.(*value.Hash); is {
			if h == nil {
				return ""
			}
			var lines []string
			for _, e := range h.Entries() {
				text := "(not shown)"
				inner, nested := e.Value.(*value.Hash)
				has := false
				if nested {
					_, has = inner.GetString(secret)
				}
				if plainValue(e.Value) && e.Key != value.Value(value.String(secret)) && !has {
					text = clip(value.Literal(e.Value))
				}
				lines = append(lines, fmt.Sprintf("  %s => %s", value.Literal(e.Key), text))
			}
			return "{\n" + strings.Join(lines, "\n") + "\n  }\n"
		}
		if !plainValue(v) {
			return ""
		}
		return clip(value.Literal(v)) + "\n"
	})
}

// dataType says what a data type is, as it stands there with its parameters.
func (at *spot) dataType() string {
	text := at.entry.file.Slice(at.name.Span)
	if alias := stdlib.Alias(text); alias != "" {
		return code(strings.TrimSpace(alias)) + "\n\na type of the module stdlib"
	}
	about, known := typeWords[text]
	if !known {
		return ""
	}
	if at.entry.tree != nil {
		for _, x := range slices.Concat(at.entry.tree.Body.Stmts, eppBody(at.entry.tree)) {
			syntax.Walk(x, func(n syntax.Node) bool {
				if a, is := n.(*syntax.Access); is && a.Left.Span() == at.name.Span {
					text = at.entry.file.Slice(a.Span())
				}
				return n.Span().Start <= at.offset && at.offset <= n.Span().End
			})
		}
	}
	return code(text) + "\n\n" + about
}

// typeWords is what the data types of the language are, in a few words.
var typeWords = map[string]string{
	"Any":          "every value",
	"Array":        "a list: `Array[TYPE, LEAST, MOST]`",
	"Binary":       "bytes",
	"Boolean":      "true or false",
	"Callable":     "what can be called: a lambda or a function, by the types that it takes",
	"CatalogEntry": "a reference to a class or a resource",
	"Class":        "a reference to a class: `Class[NAME]`",
	"Collection":   "an array or a hash",
	"Data":         "what JSON can hold: texts, numbers, booleans, undef, and arrays and hashes of them",
	"Default":      "the word default",
	"Enum":         "one of some texts: `Enum['a', 'b']`",
	"Error":        "what went wrong, as functions and plans say it",
	"Float":        "a number with a fraction: `Float[LEAST, MOST]`",
	"Hash":         "keys with values: `Hash[KEY, VALUE, LEAST, MOST]`",
	"Init":         "what a value of a type can be made of: `Init[TYPE]`",
	"Integer":      "a whole number: `Integer[LEAST, MOST]`, each with the end itself",
	"Iterable":     "what can be gone through: an array, a hash, a range",
	"Iterator":     "what is being gone through",
	"NotUndef":     "every value but undef: `NotUndef[TYPE]`",
	"Numeric":      "a whole number or one with a fraction",
	"Object":       "a type with attributes and functions of its own",
	"Optional":     "of the type, or undef: `Optional[TYPE]`. A parameter of it still needs a default if it may be left out",
	"Pattern":      "a text that matches one of some regular expressions: `Pattern[/…/]`",
	"Regexp":       "a regular expression",
	"Resource":     "a reference to a resource: `Resource[TYPE, TITLE]`",
	"RichData":     "what a catalog can hold: data, and types, times, versions, bytes, Sensitive",
	"Runtime":      "an object of Ruby's",
	"Scalar":       "a text, number, boolean, regular expression, time or version",
	"ScalarData":   "a text, a number or a boolean",
	"SemVer":       "a version: `SemVer['>=1.0.0']`",
	"SemVerRange":  "a range of versions",
	"Sensitive":    "a value that is shown in no log and no report: `Sensitive[TYPE]`",
	"String":       "a text: `String[LEAST, MOST]` characters",
	"Struct":       "a hash with these keys: `Struct[{'key' => TYPE, Optional['other'] => TYPE}]`",
	"Timespan":     "a duration",
	"Timestamp":    "a point in time",
	"Tuple":        "a list with a type for each place: `Tuple[TYPE, TYPE, LEAST, MOST]`",
	"Type":         "a type itself",
	"TypeSet":      "types under one name",
	"URI":          "an address",
	"Undef":        "undef alone",
	"Variant":      "of one of some types: `Variant[TYPE, TYPE]`",
}
