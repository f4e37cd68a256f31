package lsp

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"strings"
	"sync"

	"bunraku/report/redact"

	"github.com/creachadair/jrpc2/channel"
)

// A screened channel lets no secret out. It ends when it is closed, also while it waits for a client that has nothing
// more to say and does not hang up.
type screened struct {
	channel.Channel
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
	c := &screened{Channel: channel.LSP(in, out), secrets: secrets, came: make(chan message), done: make(chan struct{})}
	go func() {
		for {
			text, err := c.Channel.Recv()
			var other *channel.ContentTypeMismatchError
			if errors.As(err, &other) && strings.HasPrefix(other.Got, "application/vscode-jsonrpc") {
				err = nil // old clients spell the encoding in another way
			}
			select {
			case c.came <- message{slices.Clone(text), err}:
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

// Send implements channel.Channel.
func (c *screened) Send(text []byte) error {
	if c.secrets != nil {
		text = []byte(c.secrets.HideJSON(string(text)))
	}
	return c.Channel.Send(bytes.Replace(text, cancelledThere, cancelledHere, 1))
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
	return c.Channel.Close()
}
