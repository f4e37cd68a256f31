package main

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"io"
	"slices"
	"strings"
	"sync"

	"bunraku/provenance"
	"bunraku/puppet/catalog"
	"bunraku/puppet/eval"
	"bunraku/puppet/value"
)

// blot is what is shown in place of a secret.
const blot = "[value redacted]"

// leastSecret is the length of the shortest text that counts as a secret: what is shorter cannot be told from ordinary words.
const leastSecret = 4

// leastLine is the same for a line of a longer text: configuration that is secret as a whole has lines that are not.
const leastLine = 12

// secrets are texts that no output shows, whatever way they have come into a message: what is Sensitive in the catalogs that were compiled
// or read and in the variables of their classes, and what Hiera has decrypted. explain knows by provenance what is secret; this holds for
// every command, and for what a program has made of a secret that it unwrapped. It can be used by many at the same time.
type secrets struct {
	mu    sync.RWMutex
	texts map[string]bool
	plain map[string]bool // words that everybody sees: names of classes, packages, services, accounts and nodes
	list  []string        // the texts as they may be written, the longest first; nil if it has to be made again
}

// add takes in a text, and each of its lines.
func (s *secrets) add(text string) {
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

// addCatalog takes in what is Sensitive in a catalog, and what everybody may know of it.
func (s *secrets) addCatalog(c *catalog.Catalog) {
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

// addResult takes in what is Sensitive in a compile.
func (s *secrets) addResult(r *eval.Result) {
	if r.Catalog != nil {
		s.addCatalog(r.Catalog)
	}
	r.EachVariable(func(_, _ string, v value.Value, _ provenance.Ref) { s.addValue(v, false) })
}

func (s *secrets) addValue(v value.Value, inside bool) {
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
			s.add(string(v))
		}
	}
}

// forms are the ways in which the secrets may be written: plain, with other white space, and as JSON, XML, GitHub's commands and Puppet's
// strings write them.
func (s *secrets) forms() []string {
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

// hide blots the secrets out of a text, also those of which an ellipsis leaves the beginning.
func (s *secrets) hide(text string) string {
	for _, form := range s.forms() {
		text = strings.ReplaceAll(text, form, blot)
		for at := 0; ; {
			i := strings.Index(text[at:], "…")
			if i < 0 {
				break
			}
			at += i
			if n := startsAtEnd(text[:at], form); n >= leastSecret {
				text = text[:at-n] + blot + text[at:]
				at += len(blot) - n
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

// A guarded is a stream on which no secret appears. Lines are kept back until they are complete, once there are secrets, unless it is
// said to be prompt.
type guarded struct {
	to      io.Writer
	secrets *secrets
	prompt  bool
	kept    []byte
}

func (g *guarded) Write(p []byte) (int, error) {
	if g.secrets.forms() == nil && len(g.kept) == 0 {
		return g.to.Write(p)
	}
	g.kept = append(g.kept, p...)
	end := len(g.kept)
	if !g.prompt {
		end = bytes.LastIndexByte(g.kept, '\n') + 1
	}
	text := string(g.kept[:end])
	g.kept = append(g.kept[:0], g.kept[end:]...)
	if _, err := io.WriteString(g.to, g.secrets.hide(text)); err != nil {
		return 0, err
	}
	return len(p), nil
}

// flush writes what is kept back.
func (g *guarded) flush() error {
	text := string(g.kept)
	g.kept = nil
	_, err := io.WriteString(g.to, g.secrets.hide(text))
	return err
}
