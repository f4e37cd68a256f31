// Package redact is what everything that the program says goes through: no secret is shown, whatever way it has come
// into a message, and no terminal and no log of a CI server is given an order that a stranger has written.
//
//	secret.go   what is secret, and how it may be spelt
//	path.go     paths of files, which stay as they are
//	screen.go   the stream that hides it, and spells out control characters
//
// It may import source, value and catalog. Start reading at Screen.
package redact

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"encoding/json"
	"encoding/xml"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"

	"bunraku/puppet/catalog"
	"bunraku/puppet/value"
)

// Blot is what is shown in place of a secret.
const Blot = "[value redacted]"

// leastSecret is the length of the shortest text that counts as a secret: what is shorter cannot be told from ordinary
// words.
const leastSecret = 4

// Secrets are texts that no output shows, whatever way they have come into a message: what is Sensitive in the catalogs
// that were compiled or read and in the variables of their classes, what the program has unwrapped, and what Hiera has
// decrypted. explain knows by provenance what is secret; this holds for every command, and for what a program has made
// of a secret that it unwrapped. It can be used by many at the same time.
type Secrets struct {
	mu    sync.RWMutex
	texts map[string]bool   // true for what the program has seen in the clear
	plain map[string]bool   // words that everybody sees: names of classes, parameters, packages, services, accounts, nodes
	ready bool              // list and all are up to date
	list  []string          // the texts as they may be written, the longest first
	all   *strings.Replacer // takes them out
	small *strings.Replacer // takes them out of what is written in small letters

	isFile func(path string) bool // reports whether a path is a file of the tree; nil if nobody knows
	asked  map[string]bool        // what it has said
}

// Add takes in a text, and each of its lines.
func (s *Secrets) Add(text string) { s.add(text, false) }

func (s *Secrets) add(text string, bare bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	lines := strings.Split(strings.TrimSpace(text), "\n")
	if bare {
		lines = append(lines, pieces(text)...)
		if small := value.Downcase(text); len(text) <= mostMade { // as the name of a class or a type
			lines = append(lines, small, value.CapitalizeSegments(small))
		}
	}
	for _, t := range append(lines, text) {
		t = strings.TrimSpace(t)
		if seen, have := s.texts[t]; len(t) < leastSecret || have && (seen || !bare) {
			continue
		}
		if s.texts == nil {
			s.texts = map[string]bool{}
		}
		s.texts[t] = bare
		s.ready = false
	}
}

// pieces are the parts of a secret by which verify speaks of it, when it is a command or a path that a model takes
// apart: its words, and the directories on the way to them. Ordinary words, and where everybody has programs, tell
// nothing.
func pieces(text string) (out []string) {
	for _, word := range strings.FieldsFunc(text, func(r rune) bool {
		return unicode.IsSpace(r) ||
			strings.ContainsRune("'\"`;|&<>()=,", r)
	}) {
		if !strings.Contains(word, "/") {
			if len(word) >= 12 || strings.ContainsFunc(word, func(r rune) bool { return r < 'a' || r > 'z' }) {
				out = append(out, word)
			}
			continue
		}
		for at := 1; at <= len(word); at++ {
			if at < len(word) && word[at] != '/' {
				continue
			}
			if dir := word[:at]; !systemPath.MatchString(dir) {
				out = append(out, dir)
			}
		}
	}
	return out
}

var systemPath = regexp.MustCompile(`^/(bin|sbin|usr|usr/s?bin|usr/local|usr/local/s?bin|etc|var|var/lib|opt|srv|home|root|tmp|dev|lib|run|mnt)$|^/(usr/)?(local/)?s?bin/[a-z]+$|^\w+:/*$|^/+$`)

// AddCatalog takes in what is Sensitive in a catalog, and what everybody may know of it.
func (s *Secrets) AddCatalog(c *catalog.Catalog) {
	words := []string{c.Name}
	for _, r := range c.Resources {
		switch r.Type {
		case "Class", "Package", "Service", "User", "Group":
			words = append(words, r.Title)
		}
		if r.Type == "Class" {
			for _, p := range r.Params {
				words = append(words, p.Name)
			}
		}
		for _, p := range r.Params {
			s.addValue(p.Value, r.IsSensitive(p.Name), p.Name != "content")
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.plain == nil {
		s.plain = map[string]bool{}
	}
	for _, w := range words {
		for _, part := range append(strings.FieldsFunc(w, func(r rune) bool { return strings.ContainsRune(":.-_/ ", r) }),
			w) {
			if part = strings.ToLower(part); !s.plain[part] {
				s.plain[strings.Clone(part)] = true // a node's name is cut out of its facts, which would stay with it
			}
		}
	}
	s.ready = false
}

// AddValue takes in what is Sensitive in a value.
func (s *Secrets) AddValue(v value.Value) { s.addValue(v, false, false) }

// AddMade takes in a text that was made of something Sensitive, such as a title. Of a long one each line would count:
// those are not taken in.
func (s *Secrets) AddMade(text string) {
	if len(text) <= mostMade && !strings.Contains(text, "\n") {
		s.Add(text)
	}
}

// mostMade is how long a text may be that somebody recognizes as a whole.
const mostMade = 400

// AddBared takes in what is Sensitive in a value that the program has seen in the clear. It may be part of any title,
// path or command.
func (s *Secrets) AddBared(v value.Value) { s.addValue(v, false, true) }

func (s *Secrets) addValue(v value.Value, inside, bare bool) {
	value.EachSecret(v, inside, func(text string) { s.add(text, bare) })
}

// forms are the ways in which the secrets may be written, the longest first, and what takes them all out.
func (s *Secrets) forms() ([]string, *strings.Replacer) {
	s.mu.RLock()
	list, all, ready := s.list, s.all, s.ready
	s.mu.RUnlock()
	if ready {
		return list, all
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.list = nil
	for t, bare := range s.texts {
		if bare || !s.plain[strings.ToLower(t)] {
			s.list = append(s.list, spellings(t)...)
		}
	}
	slices.SortFunc(s.list, byLength)
	s.list = slices.Compact(s.list)
	pairs, small := make([]string, 0, 2*len(s.list)), make([]string, 0, 2*len(s.list))
	for _, form := range s.list {
		pairs, small = append(pairs, form, Blot), append(small, strings.ToLower(form), Blot)
	}
	s.all, s.small, s.ready = strings.NewReplacer(pairs...), strings.NewReplacer(small...), true
	return s.list, s.all
}

// spellings are a text as it may be written: plain, with other white space, as JSON (in a string of JSON, too), XML,
// GitHub's commands, Puppet, a shell and URLs write it, and in base64, of which only the characters count that nothing
// beside it changes. What is written so may be part of a value that we write as Puppet does, and all of that in a
// format that escapes once more.
func spellings(t string) (out []string) {
	for _, form := range []string{t, strings.Join(strings.Fields(t), " ")} {
		out = append(out, form, asJSON(form, true), asJSON(form, false), asJSON(asJSON(form, false), false), asXML(form),
			asOrder.Replace(form), asSingle.Replace(form), asDouble.Replace(form),
			strings.ReplaceAll(form, "'", `'\''`), url.QueryEscape(form), url.PathEscape(form), inside(value.Quote(form)),
			inside(strconv.Quote(form)))
	}
	if !strings.Contains(t, "\n") { // lines are secrets themselves: no need to write long texts in a hundred ways
		out = respelt(out, func(form string) []string {
			return []string{inside(value.Quote(form)), inside(value.QuoteDouble(form))}
		})
		out = respelt(out, func(form string) []string {
			return []string{asJSON(form, true), asJSON(form, false), asXML(form), asOrder.Replace(form)}
		})
	}
	for shift := range 3 {
		for _, enc := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
			code := enc.EncodeToString(append(make([]byte, shift), t...))
			code = code[(shift*8+5)/6:]
			if whole := (shift + len(t)) * 8 / 6; (shift+len(t))%3 != 0 {
				code = code[:whole-(shift*8+5)/6]
			}
			if len(code) >= 2*leastSecret {
				out = append(out, code)
			}
		}
	}
	return out
}

// respelt are forms, each once, and what as makes of those that have something to be spelt.
func respelt(forms []string, as func(string) []string) []string {
	slices.Sort(forms)
	out := slices.Compact(forms)
	for _, form := range out {
		if strings.ContainsFunc(form, func(r rune) bool { return r < ' ' || strings.ContainsRune("\"'$&<>%\\", r) }) {
			out = append(out, as(form)...)
		}
	}
	return out
}

// inside is what stands between quotes.
func inside(quoted string) string { return quoted[1 : len(quoted)-1] }

// How GitHub's commands and the two kinds of Puppet's strings are written.
var (
	asOrder  = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	asSingle = strings.NewReplacer(`\`, `\\`, "'", `\'`)
	asDouble = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "$", `\$`, "\n", `\n`, "\t", `\t`, "\r", `\r`, "\x1b", `\e`)
)

func asJSON(s string, html bool) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(html)
	if e.Encode(s) != nil {
		return s
	}
	return strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(b.String()), `"`), `"`)
}

func asXML(s string) string {
	var b bytes.Buffer
	if xml.EscapeText(&b, []byte(s)) != nil {
		return s
	}
	return b.String()
}

// Empty reports whether there are no secrets.
func (s *Secrets) Empty() bool {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return len(s.texts) == 0
}

// Hide blots the secrets out of a text, also those of which an ellipsis leaves the beginning, and what a type tells of
// them.
func (s *Secrets) Hide(text string) string {
	text = unmeasured(text)
	list, all := s.forms()
	if len(list) == 0 {
		return text
	}
	whole := text
	if text = all.Replace(text); text == whole && !strings.Contains(text, "…") {
		return text
	}
	whole, paths := s.withoutFiles(whole, all)
	if len(paths) > 0 {
		text = all.Replace(whole)
	}
	for at := 0; ; at += len("…") {
		i := strings.Index(text[at:], "…")
		if i < 0 {
			return placed(text, paths)
		}
		at += i
		longest := 0
		for _, form := range list {
			longest = max(longest, startsAtEnd(text[:at], form))
		}
		if longest > 0 {
			text = text[:at-longest] + Blot + text[at:]
			at += len(Blot) - longest
		}
	}
}

// Has reports whether a secret is part of a text, capitals aside: tags, and what asks for them, have none.
func (s *Secrets) Has(text string) bool {
	if list, _ := s.forms(); len(list) == 0 {
		return false
	}
	s.mu.RLock()
	small := s.small
	s.mu.RUnlock()
	text = strings.ToLower(text)
	return small.Replace(text) != text
}

// dataKeys are those of our documents below which the user's data begin; above, keys and numbers are our own, and
// readers rely on them.
var dataKeys = map[string]bool{`"parameters"`: true, `"value"`: true, `"facts"`: true, `"message"`: true, `"old"`: true,
	`"new"`: true, `"diff"`: true}

// jsonToken finds the next string, number, bracket or comma of a document, from an offset on; ok is false behind the
// last one. What follows a quote that is never closed is a string.
func jsonToken(text string, from int) (start, end int, ok bool) {
	for i := from; i < len(text); i++ {
		switch c := text[i]; {
		case c == '"':
			for j := i + 1; j < len(text); j++ {
				switch text[j] {
				case '\\':
					j++
				case '"':
					return i, j + 1, true
				}
			}
			return i, len(text), true
		case '0' <= c && c <= '9' || c == '-' && i+1 < len(text) && '0' <= text[i+1] && text[i+1] <= '9':
			for end = i + 1; end < len(text) && strings.IndexByte("0123456789.eE+-", text[end]) >= 0; {
				end++
			}
			return i, end, true
		case strings.IndexByte("{}[],", c) >= 0:
			return i, i + 1, true
		}
	}
	return 0, 0, false
}

// HideJSON blots the secrets out of a document: out of its strings, and of what is data also out of keys and numbers.
func (s *Secrets) HideJSON(text string) string {
	out, _ := s.hideJSON(text, nil)
	return out
}

// A Wording is what the keys of a protocol's messages mean. A password may be a word of the protocol, or the name of a
// directory; blotted out of those it would make messages that nobody understands.
type Wording struct {
	Words map[string]bool // keys with words of the protocol and names of files that are there: they stay
	Texts map[string]bool // keys with texts that somebody writes into files: true to the letter, or not there at all
}

// HideMessage blots the secrets out of a message of a protocol, but for its own words. It reports whether a text is
// spoilt that somebody would write into a file.
func (s *Secrets) HideMessage(text string, w Wording) (out string, spoilt bool) {
	return s.hideJSON(text, &w)
}

func (s *Secrets) hideJSON(text string, w *Wording) (hidden string, spoilt bool) {
	list, _ := s.forms()
	if len(list) == 0 && unmeasured(text) == text {
		return text, false
	}
	var out strings.Builder
	type around struct {
		data bool   // it is data
		key  string // it is the value of
	}
	var outer []around // for every bracket that is open
	data, next, key := false, false, ""
	end := 0
	for {
		start, stop, ok := jsonToken(text, end)
		if !ok {
			break
		}
		out.WriteString(text[end:start])
		token := text[start:stop]
		end = stop
		switch c := token[0]; {
		case c == '{' || c == '[':
			outer = append(outer, around{data, key})
			data, next = data || next, false
		case c == '}' || c == ']':
			if len(outer) > 0 {
				last := outer[len(outer)-1]
				data, key, outer = last.data, last.key, outer[:len(outer)-1]
			}
			next = false
		case c == ',':
			next = false
		case c == '"' && strings.HasPrefix(strings.TrimLeft(text[end:], " "), ":"):
			next, key = dataKeys[token], strings.Trim(token, `"`)
			if w == nil && (data || !ownKey.MatchString(token)) {
				token = s.Hide(token)
			}
		case c == '"' && w != nil && w.Words[key]:
		case c == '"':
			blotted := s.Hide(token)
			spoilt = spoilt || w != nil && w.Texts[key] && blotted != token
			token = blotted
		case data || next:
			if _, secret := slices.BinarySearchFunc(list, strings.TrimPrefix(token, "-"), byLength); secret {
				token = `"` + Blot + `"`
			}
		}
		out.WriteString(token)
	}
	out.WriteString(text[end:])
	return out.String(), spoilt
}

// ownKey is how the keys of our own documents look.
var ownKey = regexp.MustCompile(`^"[A-Za-z_$-]+"$`)

func byLength(x, y string) int { return cmp.Or(len(y)-len(x), strings.Compare(x, y)) }

// tag is one of XML, or a piece of one around the value of an attribute.
var tag = regexp.MustCompile(`<[^<>"]*("[^"]*"[^<>"]*)*>`)

// HideXML blots the secrets out of texts and attributes.
func (s *Secrets) HideXML(text string) string {
	var out strings.Builder
	for text != "" {
		at := tag.FindStringIndex(text)
		if at == nil {
			break
		}
		out.WriteString(s.Hide(text[:at[0]]))
		for i, part := range strings.Split(text[at[0]:at[1]], `"`) {
			if i > 0 {
				out.WriteByte('"')
			}
			if i%2 == 1 {
				part = s.Hide(part)
			}
			out.WriteString(part)
		}
		text = text[at[1]:]
	}
	out.WriteString(s.Hide(text))
	return out.String()
}

// startsAtEnd is the length of the longest beginning of a form that a text ends with.
func startsAtEnd(text, form string) int {
	for n := min(len(text), len(form)); n >= leastSecret; n-- {
		if strings.HasSuffix(text, form[:n]) {
			return n
		}
	}
	return 0
}
