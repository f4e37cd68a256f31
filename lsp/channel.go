package lsp

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"

	"bunraku/report/redact"
)

// A screened channel lets no secret out. It ends when it is closed, also while it waits for a client that has nothing
// more to say and does not hang up.
type screened struct {
	*framed
	secrets *redact.Secrets
	came    chan message
	done    chan struct{}
	once    sync.Once
}

type message struct {
	text []byte
	err  error
}

func newChannel(in io.Reader, out io.WriteCloser, secrets *redact.Secrets) *screened {
	c := &screened{framed: newFramed(in, out), secrets: secrets, came: make(chan message), done: make(chan struct{})}
	go func() {
		for {
			text, err := c.framed.Recv()
			var why errHeader
			if errors.As(err, &why) {
				c.lastWords(why)
			}
			select {
			case c.came <- message{text, err}:
			case <-c.done:
				return
			}
			if err != nil {
				return
			}
		}
	}()
	return c
}

// A request that is cancelled before its turn is answered by jrpc2, whose code for that clients take for a failure. In
// a string the quotes would be escaped.
var cancelledThere, cancelledHere = []byte(`"error":{"code":-32097,`), []byte(`"error":{"code":-32800,`)

// wording is what the keys of messages mean: words of the protocol, URIs of files, and what is written into files.
var wording = redact.Wording{
	Words: keySet("jsonrpc id method kind token source code sortText globPattern positionEncoding " +
		"uri targetUri oldUri newUri target href"),
	Texts: keySet("newText insertText"),
}

func keySet(list string) map[string]bool {
	out := map[string]bool{}
	for _, w := range strings.Fields(list) {
		out[w] = true
	}
	return out
}

// bared is why there is no edit.
const bared = "the edit would have something Sensitive in it, and no message holds that"

// Send implements channel.Channel. An answer with an edit that has a secret in it is not given: with the secret it
// would show it, and without it destroy what somebody wrote.
func (c *screened) Send(text []byte) error {
	if c.secrets != nil {
		hidden, spoilt := c.secrets.HideMessage(string(text), wording)
		if spoilt {
			hidden = failure(text, bared)
		}
		text = []byte(hidden)
	}
	return c.framed.Send(bytes.Replace(text, cancelledThere, cancelledHere, 1))
}

// failure is what is said in place of an answer.
func failure(answer []byte, why string) string {
	var to struct {
		ID json.RawMessage `json:"id"`
	}
	if json.Unmarshal(answer, &to) != nil || to.ID == nil {
		to.ID = json.RawMessage("null")
	}
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":%q}}`, to.ID, requestFailed, why)
}

// Recv implements channel.Channel.
func (c *screened) Recv() ([]byte, error) {
	select {
	case m := <-c.came:
		return m.text, m.err
	case <-c.done:
		return nil, io.EOF
	}
}

// Close implements channel.Channel.
func (c *screened) Close() error {
	c.once.Do(func() { close(c.done) })
	return c.framed.Close()
}
