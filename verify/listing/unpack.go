package listing

import (
	"bufio"
	"bytes"
	"compress/bzip2"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/klauspost/compress/zstd"
	"github.com/ulikunitz/xz"
)

// Bounds on what a source may ask of us. Archives are an order of magnitude below all of them; a file that is beyond is
// broken or a bomb.
const (
	maxUnpacked  = 8 << 30  // bytes of one file after unpacking; Debian's largest has 0.5 GB
	maxRatio     = 250      // unpacked bytes per packed one, once bombSlack bytes are out; package lists reach 15
	bombSlack    = 64 << 20 //
	maxWindow    = 64 << 20 // memory that a compressed file may ask for
	maxLine      = 1 << 20  // bytes of one line
	maxPath      = 4096     // bytes of one path, as in Linux
	maxName      = 255      // bytes of a package's name
	maxPackages  = 1 << 20  //
	maxEntries   = 1 << 27  // files of all packages together
	maxTextBytes = 1 << 30  // names, versions and dependencies together
)

// A stream is an open file, unpacked. Its errors name the file.
type stream struct {
	name   string
	file   *os.File
	packed *counter
	in     io.Reader
	out    int64
	close  func()
}

// counter counts the bytes that are read from a file and passes the count on.
type counter struct {
	in    io.Reader
	n     int64
	count func(int)
}

func (c *counter) Read(p []byte) (int, error) {
	n, err := c.in.Read(p)
	c.n += int64(n)
	if c.count != nil {
		c.count(n)
	}
	return n, err
}

// open opens a file and unpacks it, whatever it is packed with: the first bytes say. count is told how many bytes of
// the file were read.
func open(name string, count func(int)) (*stream, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s: not a regular file", name)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	s := &stream{name: name, file: f, packed: &counter{in: f, count: count}, close: func() {}}
	if err := s.unpack(); err != nil {
		f.Close()
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return s, nil
}

// unpack finds out how the file is packed.
func (s *stream) unpack() error {
	b := bufio.NewReaderSize(s.packed, 1<<16)
	head, err := b.Peek(6)
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	err = nil
	switch {
	case bytes.HasPrefix(head, []byte{0x1f, 0x8b}):
		s.in, err = gzip.NewReader(b)
	case bytes.HasPrefix(head, []byte{0xfd, '7', 'z', 'X', 'Z', 0}):
		if head, _ = b.Peek(xzHeader); xzWindow(head) > maxWindow {
			return fmt.Errorf("unpacking it takes more than %d MB of memory", maxWindow>>20)
		}
		s.in, err = xz.NewReader(b)
	case bytes.HasPrefix(head, []byte{0x28, 0xb5, 0x2f, 0xfd}):
		var d *zstd.Decoder
		if d, err = zstd.NewReader(b, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(maxWindow)); err == nil {
			s.in, s.close = d, d.Close
		}
	case bytes.HasPrefix(head, []byte{0x04, 0x22, 0x4d, 0x18}):
		s.in = newLZ4(b)
	case bytes.HasPrefix(head, []byte("BZh")):
		s.in = bzip2.NewReader(b)
	default:
		s.in = b
	}
	if err != nil {
		return unpackTrouble(err)
	}
	return nil
}

// xzHeader is room for the header of an xz file and of its first block.
const xzHeader = 12 + 1024

// xzWindow is the memory that the first block of an xz file asks for (The .xz File Format 1.2, §3.1 and §5.3.1): 0 if
// it cannot be read, which the unpacker will say.
func xzWindow(head []byte) int64 {
	if len(head) < 14 {
		return 0
	}
	flags, rest := head[13], head[14:]
	for _, bit := range []byte{0x40, 0x80} { // packed and unpacked size
		if flags&bit != 0 {
			_, n := binary.Uvarint(rest)
			if n <= 0 {
				return 0
			}
			rest = rest[n:]
		}
	}
	if len(rest) < 3 || rest[0] != 0x21 || rest[1] != 1 || rest[2] > 40 {
		return 0
	}
	if rest[2] == 40 {
		return 1<<32 - 1
	}
	return int64(2|rest[2]&1) << (rest[2]/2 + 11)
}

func unpackTrouble(err error) error { return fmt.Errorf("cannot unpack it: %w", err) }

// Read unpacks, and refuses what grows beyond all measure.
func (s *stream) Read(p []byte) (int, error) {
	n, err := s.in.Read(p)
	s.out += int64(n)
	switch {
	case s.out > maxUnpacked:
		return n, fmt.Errorf("%s: it unpacks to more than %d GB: no package list is that long", s.name,
			int64(maxUnpacked)>>30)
	case s.out > bombSlack && s.out/maxRatio > s.packed.n:
		return n, fmt.Errorf("%s: %d bytes unpack to %d and more: this is no package list", s.name, s.packed.n, s.out)
	case err != nil && !errors.Is(err, io.EOF):
		return n, fmt.Errorf("%s: %w", s.name, unpackTrouble(err))
	}
	return n, err
}

func (s *stream) Close() error {
	s.close()
	return s.file.Close()
}

// lines reads a file line by line.
type lines struct {
	s   *bufio.Scanner
	n   int    // number of the line in text, from 1
	at  string // the file's name
	err error
}

func newLines(name string, in io.Reader) *lines {
	s := bufio.NewScanner(in)
	s.Buffer(make([]byte, 1<<16), maxLine)
	return &lines{s: s, at: name}
}

// next moves to the next line and returns it without its end. The bytes are good until the next call.
func (l *lines) next() ([]byte, bool) {
	if !l.s.Scan() {
		if err := l.s.Err(); errors.Is(err, bufio.ErrTooLong) {
			l.n++
			l.err = l.trouble("the line is longer than %d bytes", maxLine)
		} else if err != nil {
			l.err = err
		}
		return nil, false
	}
	l.n++
	return l.s.Bytes(), true
}

// trouble is an error at the present line.
func (l *lines) trouble(format string, args ...any) error {
	return fmt.Errorf("%s:%d: %s", l.at, l.n, fmt.Sprintf(format, args...))
}
