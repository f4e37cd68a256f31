package redact

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"io"
	"regexp"
	"strings"
	"sync"

	"bunraku/source"
)

// A Screen is a stream of the program, standard output or error. Everything for people goes through it line by line:
// secrets are blotted out first, then what could give orders is spelt out. Our own colours survive, since they are
// marked with a word that is drawn for each run and that no input can know. It can be used by many at the same time.
type Screen struct {
	mu      sync.Mutex
	to      io.Writer
	secrets *Secrets
	mark    string     // stands for the beginning of a colour
	kept    []byte     // a line without its end
	how     view       // in which kept was written
	failed  error      // the first write that did
	columns func() int // of a terminal, where lines are broken at words
}

// NewScreen makes one. colour says whether Style gives colours.
func NewScreen(to io.Writer, secrets *Secrets, colour bool) *Screen {
	s := &Screen{to: to, secrets: secrets}
	if colour {
		var word [12]byte
		rand.Read(word[:]) // never fails
		s.mark = "\x1b" + hex.EncodeToString(word[:])
	}
	return s
}

// Style is how this stream shows what matters: in colour, or plain.
func (s *Screen) Style() source.Style {
	if s.mark == "" {
		return source.Style{}
	}
	colour := func(code string) func(string) string {
		return func(text string) string { return s.mark + code + "m" + text + s.mark + "0m" }
	}
	return source.Style{Error: colour("1;31"), Warning: colour("1;33"), Note: colour("1;36"), Place: colour("1"),
		Caret: colour("31"), Faint: colour("2")}
}

// Write takes in text for people.
func (s *Screen) Write(p []byte) (int, error) { return s.write(p, view{}) }

// A view is a way to write to a screen.
type view struct {
	form   source.Form
	reveal bool // secrets are shown
	orders bool // lines may be GitHub's commands
}

type viewed struct {
	*Screen
	view
}

func (v viewed) Write(p []byte) (int, error) { return v.write(p, v.view) }

// As gives a writer for a format that spells characters in its own way: JSON, YAML or XML.
func (s *Screen) As(form source.Form) io.Writer { return viewed{s, view{form: form}} }

// GitHub gives a writer for workflow commands, whose values are escaped already.
func (s *Screen) GitHub() io.Writer { return viewed{s, view{orders: true}} }

// Reveal gives a writer for what must hold its secrets: the catalog that an agent asks for.
func (s *Screen) Reveal(form source.Form) io.Writer { return viewed{s, view{form: form, reveal: true}} }

// piece is how much of a text is written at once, and more until the line ends.
const piece = 1 << 20

func (s *Screen) write(p []byte, how view) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if how != s.how {
		s.show(len(s.kept))
		s.how = how
	}
	for rest := p; len(rest) > 0; {
		part := rest
		if len(part) > piece { // a long text in parts, so that there are not several copies of it
			if end := bytes.IndexByte(part[piece:], '\n'); end >= 0 {
				part = part[:piece+end+1]
			}
		}
		rest = rest[len(part):]
		s.kept = append(s.kept, part...)
		s.show(bytes.LastIndexByte(s.kept, '\n') + 1)
	}
	if s.failed != nil {
		return 0, s.failed
	}
	return len(p), nil
}

// Flush writes what is kept back. It returns the first error that there was in writing.
func (s *Screen) Flush() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.show(len(s.kept))
	return s.failed
}

// Status replaces the line that the cursor is in by one that will be replaced in its turn; it is for terminals.
func (s *Screen) Status(line string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.kept) == 0 {
		s.send("\r" + string(source.Escape(nil, s.secrets.Hide(line), source.Plain, true)) + "\x1b[K")
	}
}

// Raw writes what is known to be harmless, as it is.
func (s *Screen) Raw(text string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.show(len(s.kept))
	s.send(text)
	return s.failed
}

// show writes the first n bytes that are kept.
func (s *Screen) show(n int) {
	if n == 0 {
		return
	}
	text := string(s.kept[:n])
	s.kept = append(s.kept[:0], s.kept[n:]...)
	switch {
	case s.how.reveal:
	case s.how.form == source.Quoted:
		text = s.secrets.HideJSON(text)
	case s.how.form == source.Markup:
		text = s.secrets.HideXML(text)
	default:
		text = s.secrets.Hide(text)
	}
	text = s.escape(text)
	if s.columns != nil && s.how == (view{}) {
		text = fold(text, s.columns())
	}
	s.send(text)
}

func (s *Screen) send(text string) {
	if s.failed == nil {
		_, s.failed = io.WriteString(s.to, text)
	}
}

var ourOrder = regexp.MustCompile(`^::(error|warning|notice) `)

// escape spells out what could give orders, but for our own colours and GitHub's commands.
func (s *Screen) escape(text string) string {
	var out []byte
	for line := range strings.Lines(text) {
		start := true
		if m := ourOrder.FindString(line); m != "" && s.how.orders {
			out = append(out, m...)
			line, start = line[len(m):], false
		}
		for {
			before, after, painted := "", "", false
			if s.mark != "" {
				before, after, painted = strings.Cut(line, s.mark)
			}
			if !painted {
				out = source.Escape(out, line, s.how.form, start)
				break
			}
			code, rest, _ := strings.Cut(after, "m")
			out = append(source.Escape(out, before, s.how.form, start), "\x1b["+code+"m"...)
			line, start = rest, false
		}
	}
	return string(out)
}
