package web

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"
	"unicode/utf8"

	"bunraku/explain"
	"bunraku/source"
)

// A question is answered from a state; what it returns is sent as JSON.
type question func(s *state, ctx context.Context, q url.Values) (any, error)

// A missing says that a question names nothing. It is no failure: the page shows what may have been meant.
type missing struct {
	Message     string   `json:"message"`
	Suggestions []string `json:"suggestions"`
}

func (m *missing) Error() string { return m.Message }

func notFound(format string, args ...any) error {
	return &missing{fmt.Sprintf(format, args...), []string{}}
}

// answering makes a handler of a question.
func (s *Server) answering(ask question) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		q, err := url.ParseQuery(r.URL.RawQuery)
		if err != nil {
			http.Error(w, "the address cannot be read", http.StatusBadRequest)
			return
		}
		answer, err := s.askedAnew(r.Context(), q, ask)
		code := http.StatusOK
		var none *missing
		var other *explain.NotFound
		switch {
		case errors.As(err, &none):
			answer, code = none, http.StatusNotFound
		case errors.As(err, &other):
			answer, code = &missing{other.Message, append([]string{}, other.Suggestions...)}, http.StatusNotFound
		case r.Context().Err() != nil:
			return
		case err != nil:
			answer, code = &missing{err.Error(), []string{}}, http.StatusInternalServerError
		}
		text, err := json.Marshal(answer)
		if err != nil {
			http.Error(w, "the answer cannot be written", http.StatusInternalServerError)
			return
		}
		w.Header().Set("Content-Type", "application/json; charset=utf-8")
		w.WriteHeader(code)
		_, _ = w.Write(spell(s.opt.Secrets.HideJSON(string(text)))) // whoever went away does not want it
	})
}

// askedAnew asks. If the tree has changed so that the state no longer knows, the next state is waited for; one that is
// written all the time is told.
func (s *Server) askedAnew(ctx context.Context, q url.Values, ask question) (answer any, err error) {
	news, leave := s.site.listen()
	defer leave()
	for range 4 {
		st := s.site.now()
		if answer, err = asked(st, ctx, q, ask); !errors.Is(err, source.ErrChanged) {
			return answer, err
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-news:
		case <-time.After(5 * time.Second):
		}
	}
	return nil, notFound("the tree is being written: ask again in a moment")
}

// asked asks. A bug costs the question that it happens on.
func asked(st *state, ctx context.Context, q url.Values, ask question) (answer any, err error) {
	defer source.Catch(&err)
	return ask(st, ctx, q)
}

// spell writes what would turn the direction of writing, or be seen as nothing, as an escape that people can read, in a
// document of JSON. Browsers give no orders to anybody, but a name that reads backwards deceives whoever reads it.
func spell(text string) []byte {
	out := make([]byte, 0, len(text))
	for i := 0; i < len(text); {
		if text[i] == '\\' && i+1 < len(text) {
			if text[i+1] == 'u' && i+6 <= len(text) && strings.HasPrefix(text[i+2:], "00") && text[i+4] < '2' {
				out = append(out, '\\') // a control: \u001b becomes \\u001b
			}
			out = append(out, text[i], text[i+1])
			i += 2
			continue
		}
		r, n := utf8.DecodeRuneInString(text[i:])
		if r >= utf8.RuneSelf && source.Commanding(r) {
			out = fmt.Appendf(out, `\\u%04x`, r)
		} else {
			out = append(out, text[i:i+n]...)
		}
		i += n
	}
	return out
}

// spelt is a text as spell shows it: a link brings it back.
func spelt(s string) string {
	if strings.IndexFunc(s, source.Commanding) < 0 {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		if source.Commanding(r) {
			fmt.Fprintf(&b, `\u%04x`, r)
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// Lengths of what is sent: a page is for people, and a line of ten megabytes is nothing that anybody reads.
const (
	clipTitle = 400
	clipCell  = 300
	clipLine  = 2_000
	clipValue = 64 << 10
)

// clip shortens a text to about n bytes.
func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + "…"
}

// A notice is what a page that listens is told.
type notice struct {
	// Edition is another one whenever there is something new, also of a server that was started in place of another.
	Edition string `json:"edition"`
	Looking string `json:"looking,omitempty"` // how far a look at the tree has come that takes its time
}

// events tells a page when there is something new, as server-sent events, until the page is gone.
func (s *Server) events(w http.ResponseWriter, r *http.Request) {
	flusher, can := w.(http.Flusher)
	if !can {
		http.Error(w, "events cannot be sent", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	news, leave := s.site.listen()
	defer leave()
	tick := time.NewTicker(s.opt.Patience / 2)
	defer tick.Stop()
	var told notice
	for {
		now := notice{fmt.Sprintf("%s.%d", s.run, s.site.edition()), s.site.progress.text(s.opt.Patience)}
		if now != told {
			text, _ := json.Marshal(now) // two texts
			fmt.Fprintf(w, "data: %s\n\n", text)
			flusher.Flush()
			told = now
		}
		select {
		case <-r.Context().Done():
			return
		case <-news:
		case <-tick.C:
		}
	}
}
