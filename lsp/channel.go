package lsp

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"bunraku/report/redact"
)

// A screened channel lets no secret out. It ends when it is told to, also while it waits for a client that has nothing
// more to say and does not hang up.
type screened struct {
	*framed
	secrets *redact.Secrets
	came    chan []byte
	done    chan struct{}
	once    sync.Once
}

func newChannel(in io.Reader, out io.WriteCloser, secrets *redact.Secrets) *screened {
	c := &screened{framed: newFramed(in, out), secrets: secrets, came: make(chan []byte), done: make(chan struct{})}
	go func() {
		for {
			text, err := c.framed.Recv()
			var why errHeader
			if errors.As(err, &why) {
				c.lastWords(why)
			}
			if err != nil {
				text = []byte(exit)
			}
			select {
			case c.came <- text:
			case <-c.done:
				return
			}
			if isExit(text) {
				break
			}
		}
		select {
		case <-c.done:
		case <-time.After(longest): // as many requests are under way as can be
			c.end()
		}
	}()
	return c
}

// exit is the last message of every session, also of one whose client hangs up: it has its turn behind all the others.
// When jrpc2 is told that nothing more comes, it forgets the requests that wait for their turn, and stumbles over
// notifications that it would refuse. So that is told when exit is handled, and nothing is read behind it.
const exit = `{"jsonrpc":"2.0","method":"exit"}`

// longest is how long a session goes on that is to end.
const longest = 2 * time.Second

func isExit(text []byte) bool {
	var m struct {
		Method string `json:"method"`
	}
	return bytes.Contains(text, []byte(`"exit"`)) && json.Unmarshal(text, &m) == nil && m.Method == "exit"
}

// end tells who reads that nothing more comes.
func (c *screened) end() { c.once.Do(func() { close(c.done) }) }

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
	case text := <-c.came:
		return text, nil
	case <-c.done:
		return nil, io.EOF
	}
}

// Close implements channel.Channel.
func (c *screened) Close() error {
	c.end()
	return c.framed.Close()
}
