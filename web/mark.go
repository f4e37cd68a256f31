package web

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"bunraku/report"
	"bunraku/source"
)

// Marks: a group of changes that somebody has looked at is acknowledged, one to come back to is starred. They are the
// only thing that a page can change, and they stand in one file of the tree, bunraku.marks, so that colleagues can have
// them:
//
//	ack  3f0a51c2b6d9e870  File[/etc/nginx/nginx.conf] mode
//	star 91d2c4a07be35f16  Package[nginx] ensure and 2 more
//
// A group is known by a digest of what it changes, as the page shows it: whichever nodes have it, and wherever it
// stands in the files, it is the same group, and a change that differs in anything else is another. What is Sensitive
// is not shown and not in the digest, so a group with such a change cannot be acknowledged: the next one would look the
// same.

// marksFile is looked for in the tree, as bunraku.assert is.
const marksFile = "bunraku.marks"

// A marked is what somebody thinks of a group.
type marked struct {
	ID     string `json:"id"`
	Ack    bool   `json:"ack,omitempty"`
	Star   bool   `json:"star,omitempty"`
	Secret bool   `json:"secret,omitempty"` // it changes what is not shown
}

// markIDs says by which digest each group of the report is known, by its letter; document is the report as it is sent.
func markIDs(document []byte) (map[string]*marked, error) {
	var d struct {
		Groups []struct {
			ID      string
			Changes []map[string]json.RawMessage
		}
	}
	if err := json.Unmarshal(document, &d); err != nil {
		return nil, err
	}
	out := map[string]*marked{}
	for _, g := range d.Groups {
		m := &marked{}
		var texts []string
		for _, c := range g.Changes {
			if _, is := c["sensitive"]; is {
				m.Secret = true
			}
			for _, where := range []string{"old_at", "new_at"} {
				delete(c, where)
			}
			text, err := json.Marshal(c) // keys sorted
			if err != nil {
				return nil, err
			}
			texts = append(texts, string(text))
		}
		slices.Sort(texts)
		sum := sha256.Sum256([]byte(strings.Join(texts, "\n")))
		m.ID = hex.EncodeToString(sum[:8])
		out[g.ID] = m
	}
	return out, nil
}

// document works out, once, what a page shows of the report and by which digest each of its groups is known.
func (c *change) document(hide func(string) string) error {
	c.once.Do(func() {
		text, err := json.Marshal(c.report.JSON())
		if err == nil {
			c.readable, err = readable(text)
		}
		if err == nil {
			c.ids, err = markIDs([]byte(hide(string(text))))
		}
		c.wrong = err
	})
	return c.wrong
}

// groupMarks are the marks of the groups of the change, by letter.
func (st *state) groupMarks() (map[string]*marked, error) {
	if err := st.change.document(st.site.opt.Secrets.HideJSON); err != nil {
		return nil, err
	}
	out := map[string]*marked{}
	for letter, m := range st.change.ids {
		copied := *m
		out[letter] = &copied
	}
	lines, err := st.site.readMarks()
	set := map[[2]string]bool{}
	for _, l := range lines {
		set[[2]string{l.word, l.id}] = true
	}
	for _, m := range out {
		m.Ack, m.Star = set[[2]string{"ack", m.ID}] && !m.Secret, set[[2]string{"star", m.ID}]
	}
	return out, err
}

// A markLine is a line of the file. What is none is kept as it is.
type markLine struct{ word, id, text string }

// readMarks reads the file; there need not be one.
func (s *site) readMarks() (out []markLine, err error) {
	c, err := source.ReadFile(filepath.Join(s.opt.Root, marksFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	for text := range strings.Lines(c.Text) {
		l := markLine{text: strings.TrimRight(text, "\r\n")}
		if words := strings.Fields(l.text); len(words) >= 2 && (words[0] == "ack" || words[0] == "star") {
			l.word, l.id = words[0], words[1]
		}
		out = append(out, l)
	}
	return out, nil
}

// mark sets or takes away one mark.
func (s *site) mark(word, id, summary string, on bool) error {
	s.marks.Lock()
	defer s.marks.Unlock()
	lines, err := s.readMarks()
	if err != nil {
		return err
	}
	lines = slices.DeleteFunc(lines, func(l markLine) bool { return l.word == word && l.id == id })
	if on {
		lines = append(lines, markLine{text: fmt.Sprintf("%-4s %s  %s", word, id, summary)})
	}
	var b strings.Builder
	for _, l := range lines {
		b.WriteString(l.text + "\n")
	}
	// In place: a file that comes and goes beside it would be a change of the tree, which is then looked at again.
	return report.WriteInside(s.opt.Root, marksFile, []byte(b.String()))
}

// marking sets a mark: the one question that is asked with POST. Only a page of ours can send it: it needs the cookie,
// which is Strict, an Origin, which the guard compares, and a body of a type that no form can send.
func (s *Server) marking(w http.ResponseWriter, r *http.Request) {
	if r.Header.Get("Origin") == "" || r.Header.Get("Content-Type") != "application/json" {
		refuse(w, "only this server's own pages can set a mark")
		return
	}
	var want struct {
		Group, Mark string
		On          bool
	}
	body, err := io.ReadAll(io.LimitReader(r.Body, 4<<10))
	if err == nil {
		err = json.Unmarshal(body, &want)
	}
	if err != nil || want.Mark != "ack" && want.Mark != "star" {
		http.Error(w, "say which group, and ack or star", http.StatusBadRequest)
		return
	}
	s.answering(func(st *state, _ context.Context, _ url.Values) (any, error) {
		if st.change == nil || st.change.report == nil {
			return nil, notFound("there is no change")
		}
		all, err := st.groupMarks()
		if err != nil {
			return nil, err
		}
		for _, g := range st.change.report.Groups {
			m := all[g.Letter]
			switch {
			case m == nil || m.ID != want.Group:
				continue
			case want.Mark == "ack" && m.Secret:
				return nil, errors.New("it changes something Sensitive, which is not shown: another such change would look the same")
			}
			summary := string(source.Escape(nil, s.opt.Secrets.Hide(clip(g.Summary(), clipTitle)), source.Plain, false))
			if err := s.site.mark(want.Mark, m.ID, strings.Join(strings.Fields(summary), " "), want.On); err != nil {
				return nil, err
			}
			s.site.publish(s.site.now(), nil) // other pages show it, too
			return st.groupMarks()
		}
		return nil, notFound("there is no such group any more")
	}).ServeHTTP(w, r)
}
