package facts

import (
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"weak"

	"bunraku/source"
)

// A fleet's facts may be more than memory has room for, and most questions about it want of most nodes no more than
// their names and whether their facts are still those of before. Light facts are that: a name, and the digest of a file
// which is read again by whoever wants the values (Loaded). So are those of a machine that was invented (Later): of
// many such machines a few are looked at.

// A file is where light facts lie.
type file struct {
	view   func() source.Files
	path   string
	digest source.Digest
	last   atomic.Pointer[weak.Pointer[Facts]] // what was read, while somebody has it: a node is asked about several times
}

// ReadLight reads of a file of facts no more than it must. view gives the files, anew each time if what was read is not
// to stay in memory. A file about several nodes is read whole.
func ReadLight(view func() source.Files, path string) ([]*Facts, error) {
	abs := source.Absolute(path)
	c, err := view().Read(abs)
	if err != nil {
		return nil, source.Named(err, abs, path)
	}
	name, known := nameIn(c.Text)
	if !known {
		all, err := ParseAll(source.NewFile(filepath.ToSlash(path), c.Text), stem(path))
		if err != nil || len(all) != 1 {
			return all, err
		}
		name = all[0].Name
	} else if name == "" {
		name = stem(path)
	}
	name = strings.Clone(name) // it is a part of the text, which would stay with it
	return []*Facts{{Name: name, light: &file{view: view, path: path, digest: c.Digest}}}, nil
}

// stem is what the name of a file tells of the node's.
func stem(path string) string {
	base := filepath.Base(path)
	return strings.TrimSuffix(base, filepath.Ext(base))
}

// Later are facts that are made, once, when somebody wants them (Loaded).
func Later(name string, made func() *Facts) *Facts {
	return &Facts{Name: name, later: sync.OnceValue(made)}
}

// Light is the digest of the file that light facts lie in; known is false for facts that have been read.
func (x *Facts) Light() (digest source.Digest, known bool) {
	if x.light == nil {
		return digest, false
	}
	return x.light.digest, true
}

// Loaded are facts that have been read, these or, of light ones, what their file holds. If that has changed, or holds
// none, there is trouble and no value.
func (x *Facts) Loaded() *Facts {
	if x == nil || x.light == nil && x.later == nil {
		return x
	}
	if x.later != nil {
		return x.later()
	}
	if last := x.light.last.Load(); last != nil {
		if read := last.Value(); read != nil {
			return read
		}
	}
	fail := func(code, text, help string) *Facts {
		out := Unread(x.light.path, &source.Diagnostic{Code: code, Summary: text, Help: help,
			Place: source.Place{File: source.NewFile(filepath.ToSlash(x.light.path), "")}})
		out.Name = x.Name
		return out
	}
	abs := source.Absolute(x.light.path)
	c, err := x.light.view().Read(abs)
	if err != nil {
		return fail("F0103", source.Named(err, abs, x.light.path).Error(), "")
	}
	if c.Digest != x.light.digest {
		return fail("F0103", "these facts were written while they were used", "run it again when nobody writes them")
	}
	all, err := ParseAll(source.NewFile(filepath.ToSlash(x.light.path), c.Text), stem(x.light.path))
	if d, is := err.(*source.Diagnostic); is {
		out := Unread(x.light.path, d)
		out.Name = x.Name
		return out
	}
	if err != nil || len(all) != 1 {
		return fail("F0103", "these facts cannot be read", "")
	}
	last := weak.Make(all[0])
	x.light.last.Store(&last)
	return all[0]
}

// nameIn finds the node's name in what facter prints, without reading the rest: "" if no fact tells it, and known is
// false if the text may be anything else, or is not plain enough to be sure.
func nameIn(text string) (name string, known bool) {
	var found [5]string // by rank
	plain := true
	at, ok := entries(text, 0, func(key, raw string) {
		switch key {
		case "values", "facts", "trusted": // of other shapes
			plain = false
		case "fqdn":
			found[1] = quoted(raw, &plain)
		case "clientcert":
			found[2] = quoted(raw, &plain)
		case "hostname":
			found[4] = quoted(raw, &plain)
		case "networking":
			found[0], found[3] = "", ""
			if _, is := entries(raw, 0, func(key, raw string) {
				switch key {
				case "fqdn":
					found[0] = quoted(raw, &plain)
				case "hostname":
					found[3] = quoted(raw, &plain)
				}
			}); !is && raw != "null" {
				plain = false
			}
		}
	})
	if !ok || !plain || skipBlank(text, at) != len(text) {
		return "", false
	}
	for _, s := range found {
		if s != "" {
			return s, true
		}
	}
	return "", true
}

// quoted is a JSON text without escapes; "" for other values. Whatever is not sure to be either is not plain.
func quoted(raw string, plain *bool) string {
	switch {
	case raw == "null" || raw == "true" || raw == "false" || strings.Trim(raw, "0123456789") == "" && raw != "":
		return ""
	case skipText(raw, 0) != len(raw):
		*plain = false
		return ""
	}
	raw = raw[1 : len(raw)-1]
	*plain = *plain && !strings.ContainsFunc(raw, func(r rune) bool { return r == '\\' || r < ' ' || r == 0xfffd })
	return raw
}

// entries visits the entries of the JSON object that begins at an offset, with the texts of their values. ok is false
// if there is no object, or what looks like one is not: whether values are well-formed is not looked at.
func entries(text string, at int, visit func(key, raw string)) (end int, ok bool) {
	if at = skipBlank(text, at); at >= len(text) || text[at] != '{' {
		return at, false
	}
	at = skipBlank(text, at+1)
	for first := true; at < len(text) && text[at] != '}'; first = false {
		if !first {
			if text[at] != ',' {
				return at, false
			}
			at = skipBlank(text, at+1)
		}
		key := at
		if at = skipText(text, at); at < 0 {
			return 0, false
		}
		name := text[key+1 : at-1]
		if strings.ContainsRune(name, '\\') {
			return at, false
		}
		if at = skipBlank(text, at); at >= len(text) || text[at] != ':' {
			return at, false
		}
		raw := skipBlank(text, at+1)
		if at = skipValue(text, raw); at < 0 {
			return 0, false
		}
		visit(name, strings.TrimRight(text[raw:at], " \t\r\n"))
		at = skipBlank(text, at)
	}
	return at + 1, at < len(text)
}

// skipBlank is the offset of what is not blank.
func skipBlank(text string, at int) int {
	for at < len(text) && (text[at] == ' ' || text[at] == '\n' || text[at] == '\t' || text[at] == '\r') {
		at++
	}
	return at
}

// skipText is the offset behind a JSON text, -1 if there is none.
func skipText(text string, at int) int {
	if at >= len(text) || text[at] != '"' {
		return -1
	}
	for at++; at < len(text); at++ {
		switch text[at] {
		case '"':
			return at + 1
		case '\\':
			at++
		}
	}
	return -1
}

// skipValue is the offset of the comma or bracket behind a JSON value, -1 if there is none.
func skipValue(text string, at int) int {
	depth := 0
	begins := true // a value or key may
	for at < len(text) {
		c := text[at]
		switch c {
		case '"':
			if !begins {
				return -1
			}
			if at = skipText(text, at); at < 0 {
				return -1
			}
			begins = false
			continue
		case '{', '[':
			depth++
		case '}', ']':
			if depth == 0 {
				return at
			}
			depth--
		case ',':
			if depth == 0 {
				return at
			}
		case '#', '&', '*', '!', '|', '>', '\'': // YAML's
			return -1
		}
		begins = c == '{' || c == '[' || c == ',' || c == ':' || begins && (c == ' ' || c == '\n' || c == '\t' || c == '\r')
		at++
	}
	return -1
}
