package lsp

import (
	"bytes"
	"errors"
	"io"
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

// Send implements channel.Channel.
func (c *screened) Send(text []byte) error {
	if c.secrets != nil {
		text = []byte(c.secrets.HideJSON(string(text)))
	}
	return c.framed.Send(bytes.Replace(text, cancelledThere, cancelledHere, 1))
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
