package git

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A Commit is what is known of a commit. Its texts are for people: control characters are shown as such, never kept.
type Commit struct {
	ID      ID
	Tree    ID
	Parents []ID
	Author  Person
	Date    int64 // when it was committed, in seconds since 1970
	Summary string
}

// A Person is who did something when.
type Person struct {
	Name, Email string
	Time        int64 // in seconds since 1970
}

// maxParents is far beyond what any real merge has.
const maxParents = 1 << 12

// Commit reads a commit.
func (r *Repo) Commit(id ID) (*Commit, error) { return r.commit(id, nil) }

func (r *Repo) commit(id ID, s spender) (*Commit, error) {
	key := cacheKey{kind: 'm', id: id}
	if v, ok := r.cache.get(key); ok {
		return v.(*Commit), nil
	}
	data, err := r.expect(id, commitKind, s)
	if err != nil {
		return nil, err
	}
	c, err := parseCommit(data, r.format.size)
	if err != nil {
		return nil, &Corrupt{"commit " + id.String(), err.Error()}
	}
	c.ID = id
	cut, err := r.cutOff()
	if err != nil {
		return nil, err
	}
	if cut[id] {
		c.Parents = nil
	}
	r.cache.put(key, c, int64(200+len(c.Summary)+(1+len(c.Parents))*2*r.format.size))
	return c, nil
}

// parseCommit reads a commit: lines that begin with what they say, then an empty line, then the message.
func parseCommit(data []byte, size int) (*Commit, error) {
	c := &Commit{}
	header, message, _ := bytes.Cut(data, []byte("\n\n"))
	line, rest, _ := bytes.Cut(header, []byte("\n"))
	var ok bool
	if c.Tree, ok = idAfter(line, "tree ", size); !ok {
		return nil, fmt.Errorf("it names no tree")
	}
	encoding := ""
	for parents := true; len(rest) > 0; {
		line, rest, _ = bytes.Cut(rest, []byte("\n"))
		if bytes.HasPrefix(line, []byte("parent ")) && parents {
			id, ok := idAfter(line, "parent ", size)
			if !ok {
				return nil, fmt.Errorf("it names a parent that cannot be")
			}
			if c.Parents = append(c.Parents, id); len(c.Parents) > maxParents {
				return nil, fmt.Errorf("it has more than %d parents", maxParents)
			}
			continue
		}
		parents = false
		key, v, _ := bytes.Cut(line, []byte(" "))
		switch string(key) {
		case "author":
			if c.Author == (Person{}) {
				c.Author = parsePerson(v)
			}
		case "committer":
			if c.Date == 0 {
				c.Date = parsePerson(v).Time
			}
		case "encoding":
			encoding = string(v)
		}
	}
	c.Summary = subject(message)
	if isLatin1(encoding) {
		c.Summary, c.Author.Name = fromLatin1(c.Summary), fromLatin1(c.Author.Name)
	}
	c.Summary, c.Author.Name, c.Author.Email = printable(c.Summary), printable(c.Author.Name), printable(c.Author.Email)
	return c, nil
}

func idAfter(line []byte, prefix string, size int) (ID, bool) {
	text, ok := bytes.CutPrefix(line, []byte(prefix))
	if !ok || len(text) != 2*size {
		return "", false
	}
	id := make([]byte, size)
	_, err := hex.Decode(id, text)
	return ID(id), err == nil
}

// parsePerson reads "Name <email> seconds zone".
func parsePerson(v []byte) Person {
	name, rest, _ := strings.Cut(string(v), "<")
	email, when, _ := strings.Cut(rest, ">")
	if i := strings.LastIndexByte(rest, '>'); i >= 0 {
		when = rest[i+1:]
	}
	p := Person{Name: strings.TrimSpace(name), Email: email}
	if words := strings.Fields(when); len(words) > 0 {
		p.Time, _ = strconv.ParseInt(words[0], 10, 64)
	}
	return p
}

// subject is the first line of a message that is not blank.
func subject(message []byte) string {
	for len(message) > 0 {
		line, rest, _ := bytes.Cut(message, []byte("\n"))
		if len(bytes.TrimSpace(line)) > 0 {
			return strings.TrimRight(string(line), " \t\r\v\f")
		}
		message = rest
	}
	return ""
}

// printable is a text without anything that a terminal or a log could obey: control characters and the marks that turn
// the direction of writing are written out, bytes that are no UTF-8 replaced.
func printable(s string) string {
	plain := true
	for _, c := range s {
		if !unicode.IsPrint(c) || c == utf8.RuneError {
			plain = false
			break
		}
	}
	if plain {
		return s
	}
	var b strings.Builder
	for _, c := range strings.ToValidUTF8(s, "\ufffd") {
		if unicode.IsPrint(c) || c == utf8.RuneError {
			b.WriteRune(c)
		} else {
			q := strconv.QuoteRuneToASCII(c)
			b.WriteString(q[1 : len(q)-1])
		}
	}
	return b.String()
}

// parseTag reads what an annotated tag names.
func parseTag(data []byte, size int) (ID, kind, error) {
	first, rest, _ := bytes.Cut(data, []byte("\n"))
	second, _, _ := bytes.Cut(rest, []byte("\n"))
	id, ok := idAfter(first, "object ", size)
	name, found := bytes.CutPrefix(second, []byte("type "))
	k, known := kindOf(string(name))
	if !ok || !found || !known {
		return "", 0, fmt.Errorf("it names no object")
	}
	return id, k, nil
}
