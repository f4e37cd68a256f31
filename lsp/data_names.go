package lsp

import (
	"regexp"
	"slices"
	"strings"

	"bunraku/puppet/lookup/datafile"
	"bunraku/puppet/outline"
	"bunraku/puppet/value"
	"bunraku/source"
)

// What files of data name: the keys that they have, and the keys and variables that their texts ask for.

// How data asks for other data, and for variables. Spaces within the braces say nothing; quotes may stand in quotes,
// doubled or behind a backslash.
var (
	askedKey      = regexp.MustCompile(`%\{\s*(?:lookup|hiera|alias)\((?:''|\\?['"])([^(){}]+?)(?:''|\\?['"])\)\s*\}`)
	askedVariable = regexp.MustCompile(
		`%\{\s*(?:scope\((?:''|\\?['"]))?(?:::)?([a-z_]\w*(?:::\w+)*)(?:\.[^}()]*?)?(?:(?:''|\\?['"])\))?\s*\}`)
)

// askedNames are the keys and variables that a text of Hiera's asks for. What is in facts has names of its own.
func askedNames(text string) (names []outline.Name) {
	add := func(kind outline.NameKind, start, end int) {
		names = append(names, outline.Name{Kind: kind, Name: text[start:end], Text: true,
			Span: source.Span{Start: uint32(start), End: uint32(end)}})
	}
	for _, m := range askedKey.FindAllStringSubmatchIndex(text, -1) {
		add(outline.KeyName, m[2], m[3])
	}
	for _, m := range askedVariable.FindAllStringSubmatchIndex(text, -1) {
		switch text[m[2]:m[3]] {
		case "facts", "trusted", "server_facts":
		default:
			add(outline.VariableName, m[2], m[3])
			names[len(names)-1].Top = strings.HasSuffix(text[:m[2]], "::") && !strings.Contains(text[m[2]:m[3]], "::")
		}
	}
	return names
}

// rooted is a key that is asked for, of one with a path in it (a.b.c) what Hiera looks up: the first part, which may
// stand in quotes ('a.b'.c).
func rooted(n outline.Name) outline.Name {
	if n.Kind != outline.KeyName || n.Defines || int(n.Span.Len()) != len(n.Name) {
		return n
	}
	from, to := 0, strings.IndexByte(n.Name, '.')
	for _, quote := range []string{`\"`, `\'`, "''", "'", `"`} {
		if rest, is := strings.CutPrefix(n.Name, quote); is {
			if to = strings.Index(rest, quote); to > 0 {
				from, to = len(quote), to+len(quote)
			}
			break
		}
	}
	if to > from {
		n.Span.Start, n.Span.End = n.Span.Start+uint32(from), n.Span.Start+uint32(to)
		n.Name = n.Name[from:to]
	}
	return n
}

// upToPath is a key that is asked for, of one whose path alone is computed ("a.${b}") what Hiera looks up: its first
// part, which is written out.
func upToPath(file *source.File, n outline.Name) outline.Name {
	root, _, path := strings.Cut(n.Name, ".")
	if n.Kind == outline.KeyName && n.Pattern && path && root != "" && !strings.ContainsAny(root, "'\"\x00") &&
		strings.HasPrefix(file.Slice(n.Span), root+".") {
		n.Name, n.Pattern = root, false
		n.Span.End = n.Span.Start + uint32(len(root))
	}
	return n
}

// dataNames are the names in a file of Hiera's: its keys, those that lookup_options speaks of, classes that are listed,
// and what values ask for.
func dataNames(e *entry) (names []outline.Name) {
	if e.data == nil {
		return nil
	}
	hash, is := e.data.Value.(*value.Hash)
	if !is {
		return nil
	}
	for i, x := range hash.Entries() {
		key, is := x.Key.(value.String)
		if !is || i >= len(e.data.Kids) {
			continue
		}
		kid := e.data.Kids[i]
		names = append(names, outline.Name{Kind: outline.KeyName, Name: string(key), Defines: true, Text: true,
			Span: within(e.file, kid.Key, string(key)), Whole: kid.Key.Join(kid.Node.Span)})
		switch string(key) {
		case lookupOptions:
			names = append(names, optionNames(e.file, kid.Node)...)
		default:
			if slices.Contains(e.classKeys, string(key)) {
				names = append(names, classesOf(e, kid.Node)...)
			}
		}
	}
	return append(names, askedNames(e.file.Text)...)
}

// optionNames are the keys that lookup_options speaks of.
func optionNames(file *source.File, n *datafile.Node) (names []outline.Name) {
	hash, is := n.Value.(*value.Hash)
	if !is {
		return nil
	}
	for i, x := range hash.Entries() {
		if s, is := x.Key.(value.String); is && i < len(n.Kids) {
			names = append(names, outline.Name{Kind: outline.KeyName, Name: string(s), Text: true,
				Pattern: strings.HasPrefix(string(s), "^"), Span: within(file, n.Kids[i].Key, string(s))})
		}
	}
	return names
}

// settingsNames are the names in a hiera.yaml beside those that it asks for: functions that look for data, and the
// variables whose elements are mapped to paths.
func settingsNames(e *entry) (names []outline.Name) {
	add := func(kind outline.NameKind, n *datafile.Node) {
		if s, is := n.Value.(value.String); is {
			name := strings.TrimPrefix(string(s), "::")
			names = append(names, outline.Name{Kind: kind, Name: name, Text: true, Span: within(e.file, n.Span, name)})
		}
	}
	var in func(n *datafile.Node)
	in = func(n *datafile.Node) {
		hash, _ := n.Value.(*value.Hash)
		for i, kid := range n.Kids {
			if hash != nil && i < hash.Len() {
				switch key, _ := hash.Entries()[i].Key.(value.String); key {
				case "data_hash", "lookup_key", "data_dig":
					add(outline.FunctionName, kid.Node)
				case "mapped_paths":
					if len(kid.Node.Kids) > 0 {
						add(outline.VariableName, kid.Node.Kids[0].Node)
					}
				}
			}
			in(kid.Node)
		}
	}
	if e.data != nil {
		in(e.data)
	}
	return names
}
