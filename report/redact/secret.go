// Package redact is what everything that the program says goes through: no secret is shown, whatever way it has come into a message, and
// no terminal and no log of a CI server is given an order that a stranger has written.
//
//	secret.go   what is secret, and how it may be spelt
//	screen.go   the stream that hides it, and spells out control characters
//
// It may import source, value and catalog. Start reading at Screen.
package redact

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"slices"
	"strings"
	"sync"

	"bunraku/puppet/catalog"
	"bunraku/puppet/value"
)

// Blot is what is shown in place of a secret.
const Blot = "[value redacted]"

// leastSecret is the length of the shortest text that counts as a secret: what is shorter cannot be told from ordinary words.
const leastSecret = 4

// leastLine is the same for a line of a longer text: configuration that is secret as a whole has lines that are not.
const leastLine = 12

// Secrets are texts that no output shows, whatever way they have come into a message: what is Sensitive in the catalogs that were compiled
// or read and in the variables of their classes, and what Hiera has decrypted. explain knows by provenance what is secret; this holds for
// every command, and for what a program has made of a secret that it unwrapped. It can be used by many at the same time.
type Secrets struct {
	mu    sync.RWMutex
	texts map[string]bool
	plain map[string]bool // words that everybody sees: names of classes, packages, services, accounts and nodes
	list  []string        // the texts as they may be written, the longest first; nil if it has to be made again
}

// Add takes in a text, and each of its lines.
func (s *Secrets) Add(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	lines := strings.Split(strings.TrimSpace(text), "\n")
	for _, t := range append(lines, text) {
		t = strings.TrimSpace(t)
		if len(t) < leastSecret || s.texts[t] || len(lines) > 1 && len(t) < leastLine {
			continue
		}
		if s.texts == nil {
			s.texts = map[string]bool{}
		}
		s.texts[t] = true
		s.list = nil
	}
}

// AddCatalog takes in what is Sensitive in a catalog, and what everybody may know of it.
func (s *Secrets) AddCatalog(c *catalog.Catalog) {
	words := []string{c.Name}
	for _, r := range c.Resources {
		switch r.Type {
		case "Class", "Package", "Service", "User", "Group":
			words = append(words, r.Title)
		}
		for _, p := range r.Params {
			s.addValue(p.Value, r.IsSensitive(p.Name))
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.plain == nil {
		s.plain = map[string]bool{}
	}
	for _, w := range words {
		for _, part := range append(strings.FieldsFunc(w, func(r rune) bool { return strings.ContainsRune(":.-_/ ", r) }), w) {
			s.plain[strings.ToLower(part)] = true
		}
	}
	s.list = nil
}

// AddValue takes in what is Sensitive in a value.
func (s *Secrets) AddValue(v value.Value) { s.addValue(v, false) }

func (s *Secrets) addValue(v value.Value, inside bool) {
	switch v := v.(type) {
	case *value.Sensitive:
		s.addValue(v.Value, true)
	case *value.Array:
		for _, e := range v.Elems {
			s.addValue(e, inside)
		}
	case *value.Hash:
		for _, e := range v.Entries() {
			s.addValue(e.Value, inside)
		}
	case value.String:
		if inside {
			s.Add(string(v))
		}
	}
}

// forms are the ways in which the secrets may be written: plain, with other white space, and as JSON, XML, GitHub's commands and Puppet's
// strings write them.
func (s *Secrets) forms() []string {
	s.mu.RLock()
	list := s.list
	s.mu.RUnlock()
	if list != nil || len(s.texts) == 0 {
		return list
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for t := range s.texts {
		if s.plain[strings.ToLower(t)] {
			continue
		}
		for _, form := range []string{t, strings.Join(strings.Fields(t), " ")} {
			s.list = append(s.list, form, asJSON(form, true), asJSON(form, false), asXML(form), strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A").Replace(form),
				strings.NewReplacer(`\`, `\\`, "'", `\'`).Replace(form))
		}
	}
	slices.SortFunc(s.list, func(x, y string) int { return len(y)*2 - len(x)*2 + strings.Compare(x, y) })
	s.list = slices.Compact(s.list)
	return s.list
}

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

// Hide blots the secrets out of a text, also those of which an ellipsis leaves the beginning.
func (s *Secrets) Hide(text string) string {
	for _, form := range s.forms() {
		text = strings.ReplaceAll(text, form, Blot)
		for at := 0; ; {
			i := strings.Index(text[at:], "…")
			if i < 0 {
				break
			}
			at += i
			if n := startsAtEnd(text[:at], form); n >= leastSecret {
				text = text[:at-n] + Blot + text[at:]
				at += len(Blot) - n
			}
			at += len("…")
		}
	}
	return text
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
