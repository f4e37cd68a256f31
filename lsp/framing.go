package lsp

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"bunraku/lsp/protocol"
)

// A framed stream is messages with a header before each, as the protocol has them (section "Base Protocol"). A header
// is believed only so far: what it announces is memory that is taken before anything of the message is there.
type framed struct {
	in  *bufio.Reader
	mu  sync.Mutex // held by who writes
	out io.WriteCloser
}

// mostBytes is how long a message may be, and mostHeader a line of its header. The largest messages are texts of files
// that are opened.
const (
	mostBytes  = 256 << 20
	mostHeader = 4096
)

// errHeader is a header that cannot be followed; where the next one begins is then known to nobody.
type errHeader string

func (e errHeader) Error() string { return string(e) }

func newFramed(in io.Reader, out io.WriteCloser) *framed {
	return &framed{in: bufio.NewReaderSize(in, mostHeader), out: out}
}

// Recv implements channel.Channel. Fields of the header other than the length are not looked at: there is one encoding,
// which clients spell in several ways.
func (f *framed) Recv() ([]byte, error) {
	length := -1
	for {
		line, err := f.in.ReadSlice('\n')
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			return nil, errHeader(fmt.Sprintf("a line of a header has more than %d bytes", mostHeader))
		case err != nil:
			return nil, err
		}
		text := strings.TrimRight(string(line), "\r\n")
		if text == "" {
			break
		}
		name, field, ok := strings.Cut(text, ":")
		if !ok {
			return nil, errHeader(fmt.Sprintf("%.40q is no line of a header", text))
		}
		if !strings.EqualFold(name, "Content-Length") {
			continue
		}
		field = strings.TrimSpace(field)
		n, err := strconv.ParseUint(field, 10, 64)
		switch {
		case errors.Is(err, strconv.ErrRange) || err == nil && n > mostBytes:
			return nil, errHeader(fmt.Sprintf("a message of %.40s bytes is announced; at most %d are taken", field, mostBytes))
		case err != nil:
			return nil, errHeader(fmt.Sprintf("Content-Length: %.40q is no number", field))
		}
		length = int(n)
	}
	if length < 0 {
		return nil, errHeader("a header has no Content-Length")
	}
	text := make([]byte, length)
	if _, err := io.ReadFull(f.in, text); err != nil {
		return nil, err
	}
	if !utf8.Valid(text) { // its identifier goes back to the client as it is
		text = []byte(string([]rune(string(text))))
	}
	return text, nil
}

// Send implements channel.Channel.
func (f *framed) Send(text []byte) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	head := fmt.Sprintf("Content-Length: %d\r\n\r\n", len(text))
	_, err := f.out.Write(append([]byte(head), text...))
	return err
}

// Close implements channel.Channel.
func (f *framed) Close() error { return f.out.Close() }

// lastWords tells the client why nothing more is read.
func (f *framed) lastWords(why errHeader) {
	params, err := json.Marshal(protocol.LogMessageParams{Type: protocol.MessageTypeError,
		Message: "bunraku lsp ends: " + why.Error()})
	if err == nil {
		_ = f.Send(fmt.Appendf(nil, `{"jsonrpc":"2.0","method":"window/logMessage","params":%s}`, params))
	}
}
