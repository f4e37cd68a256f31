package listing

import (
	"bytes"
	"strings"
)

// A stanza is one package in Debian's control format (deb822): fields by name, the lines of each joined by newlines.
type stanza map[string]string

const maxStanza = 4 << 20

// readStanzas reads a Packages or status file. Only the wanted fields are kept.
func readStanzas(l *lines, wanted map[string]bool, each func(stanza) error) error {
	s, size, field := stanza{}, 0, ""
	var text []byte // of the present field
	keep := func() {
		if field != "" {
			s[field] = string(text)
		}
		field, text = "", text[:0]
	}
	flush := func() error {
		keep()
		if len(s) == 0 {
			return nil
		}
		err := each(s)
		s, size = stanza{}, 0
		return err
	}
	for {
		line, ok := l.next()
		if !ok {
			break
		}
		switch {
		case len(bytes.TrimSpace(line)) == 0:
			if err := flush(); err != nil {
				return err
			}
			continue
		case line[0] == ' ' || line[0] == '\t':
			if field == "" {
				continue
			}
			text = append(append(text, '\n'), bytes.TrimSpace(line)...)
		default:
			name, rest, found := bytes.Cut(line, []byte(":"))
			if !found {
				return l.trouble("%s is neither a field nor the rest of one: is this a Packages file?", quote(line))
			}
			if keep(); !wanted[string(name)] {
				continue
			}
			field, text = string(name), append(text, bytes.TrimSpace(rest)...)
		}
		if size += len(line); size > maxStanza {
			return l.trouble("one package has more than %d MB of fields", maxStanza>>20)
		}
	}
	if l.err != nil {
		return l.err
	}
	return flush()
}

var packageFields = map[string]bool{"Package": true, "Version": true, "Depends": true, "Pre-Depends": true,
	"Provides": true,
	"Priority": true, "Essential": true, "Status": true, "Conffiles": true}

// entry makes a package of a stanza. It returns nil for one that is not on the machine whose status file this is.
func (s stanza) entry() *entry {
	if status, ok := s["Status"]; ok && !strings.HasSuffix(status, " installed") {
		return nil
	}
	e := &entry{name: s["Package"], version: s["Version"], rank: rankOf(s["Priority"])}
	e.base = s["Essential"] == "yes" || e.rank <= important
	for _, field := range []string{"Pre-Depends", "Depends"} {
		e.needs = append(e.needs, parseDepends(s[field])...)
	}
	for _, group := range parseDepends(s["Provides"]) {
		for _, name := range group {
			e.provides = append(e.provides, hashText(name))
		}
	}
	return e
}

// parseDepends reads a relation field: groups of alternatives, by name. "libc6 (>= 2.36), debconf | debconf-2.0" has
// two groups.
func parseDepends(s string) [][]string {
	var out [][]string
	for group := range strings.SplitSeq(s, ",") {
		var names []string
		for alternative := range strings.SplitSeq(group, "|") {
			name, _, _ := strings.Cut(strings.TrimSpace(alternative), " ")
			name, _, _ = strings.Cut(name, "(")
			name, _, _ = strings.Cut(name, ":")
			if name = strings.TrimSpace(name); name != "" {
				names = append(names, name)
			}
		}
		if len(names) > 0 {
			out = append(out, names)
		}
	}
	return out
}

// conffiles are the paths of the Conffiles field of dpkg's status; those that the package no longer brings are left
// out.
func (s stanza) conffiles() []string {
	var out []string
	for line := range strings.Lines(s["Conffiles"]) {
		words := strings.Fields(line)
		if len(words) >= 2 && words[len(words)-1] != "obsolete" && words[len(words)-1] != "remove-on-upgrade" {
			out = append(out, strings.Join(words[:len(words)-1], " "))
		}
	}
	return out
}

// The priorities of Debian, best first.
const (
	required = iota
	important
	standard
	optional
	extra
)

func rankOf(priority string) int {
	switch priority {
	case "required":
		return required
	case "important":
		return important
	case "standard":
		return standard
	case "extra":
		return extra
	}
	return optional
}
