package lsp_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"bunraku/lsp"
	"bunraku/puppet/compiler"
	"bunraku/source"
)

// TestHeaders: a header that announces more than anybody has, or that cannot be read, ends the server with a sentence
// in the client's log, and takes no memory.
func TestHeaders(t *testing.T) {
	for header, want := range map[string]string{
		"Content-Length: 99999999999999\r\n\r\n":            "a message of 99999999999999 bytes is announced; at most 268435456",
		"Content-Length: 99999999999999999999999\r\n\r\n":   "a message of 99999999999999999999999 bytes is announced",
		"content-length:268435457\r\n\r\n":                  "a message of 268435457 bytes",
		"Content-Length: -1\r\n\r\n":                        `Content-Length: "-1" is no number`,
		"Content-Type: x\r\n\r\n":                           "a header has no Content-Length",
		"hello\r\n\r\n":                                     `"hello" is no line of a header`,
		"Content-Type: " + strings.Repeat("x", 5000) + "\n": "a line of a header has more than 4096 bytes",
	} {
		c := dial(t, nil)
		c.start(nil)
		go io.WriteString(c.out, header) // what is left of it is read by nobody
		select {
		case orderly := <-c.done:
			if orderly {
				t.Errorf("%.40q: it calls this orderly", header)
			}
		case <-time.After(time.Minute):
			t.Fatalf("%.40q: the server does not end", header)
		}
		c.wait("its last words", func() bool { return len(c.logs) > 0 })
		if !strings.Contains(c.logs[len(c.logs)-1], want) {
			t.Errorf("%.40q: %q", header, c.logs)
		}
	}
	c := dial(t, nil)
	c.asked[1] = "initialize"
	io.WriteString(c.out, "Content-type: application/vscode-jsonrpc; charset=utf8\r\nX: y\r\ncontent-length: 58\r\n\r\n"+
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}`)
	c.answer(1)
}

// TestRequestIDs: what comes back is JSON whatever the identifier of a request was made of.
func TestRequestIDs(t *testing.T) {
	for _, id := range []string{"\"a\xffb\"", "\"\xc3\"", "\"\xed\xa0\x80\"", `"\ud800"`, `{"a":"` + "\xff" + `"}`, "1\xff"} {
		in, out := io.Pipe()
		back, server := io.Pipe()
		s := lsp.New(lsp.Options{Version: "test", Compile: compiler.Options{Language: source.Puppet8}})
		done := make(chan bool, 1)
		go func() { done <- s.Serve(in, server) }()
		from := bufio.NewReader(back)
		message := `{"jsonrpc":"2.0","id":` + id + `,"method":"initialize","params":{"capabilities":{}}}`
		go fmt.Fprintf(out, "Content-Length: %d\r\n\r\n%s", len(message), message)
		line, err := from.ReadString('\n')
		length := 0
		if _, e := fmt.Sscanf(line, "Content-Length: %d\r\n", &length); e != nil || err != nil {
			t.Fatal(line, e, err)
		}
		body := make([]byte, length+2)
		if _, err := io.ReadFull(from, body); err != nil {
			t.Fatal(err)
		}
		if body = body[2:]; !utf8.Valid(body) || !json.Valid(body) {
			t.Errorf("%q is answered by %q", id, body)
		}
		out.Close()
		go io.Copy(io.Discard, from)
		<-done
	}
}
