package listing

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// A spill keeps in files what does not fit in memory, in parts that do. Archives list files by path and a store needs
// them by package, and the other way round.
type spill struct {
	dir   string
	name  string
	parts []*part
}

type part struct {
	file   *os.File
	w      *bufio.Writer
	before string // last path, for the shared beginning
	size   int64
}

const maxPart = 1 << 30

func (s *spill) part(i int) (*part, error) {
	for len(s.parts) <= i {
		s.parts = append(s.parts, nil)
	}
	if s.parts[i] == nil {
		f, err := os.Create(filepath.Join(s.dir, fmt.Sprintf("%s-%d", s.name, i)))
		if err != nil {
			return nil, err
		}
		s.parts[i] = &part{file: f, w: bufio.NewWriterSize(f, 1<<15)}
	}
	return s.parts[i], nil
}

func (p *part) write(b []byte) error {
	if p.size += int64(len(b)); p.size > maxPart {
		return errors.New("too many files in a few packages: this is no package list")
	}
	_, err := p.w.Write(b)
	return err
}

// read gives back a part and forgets it.
func (p *part) read(each func(*bufio.Reader) error) error {
	err := p.w.Flush()
	if err == nil {
		_, err = p.file.Seek(0, io.SeekStart)
	}
	in := bufio.NewReaderSize(p.file, 1<<16)
	for err == nil {
		if _, end := in.Peek(1); end != nil {
			break
		}
		err = each(in)
	}
	p.close()
	return err
}

func (p *part) close() {
	name := p.file.Name()
	p.file.Close()
	os.Remove(name)
}

func (s *spill) close() {
	for _, p := range s.parts {
		if p != nil {
			p.close()
		}
	}
	s.parts = nil
}

// putFile notes a file of a package.
func (p *part) putFile(id uint32, path string, mark byte) error {
	var head [3 * binary.MaxVarintLen32]byte
	n := shared(p.before, path)
	b := binary.AppendUvarint(head[:0], uint64(id))
	b = binary.AppendUvarint(b, uint64(n))
	b = binary.AppendUvarint(b, uint64(len(path)-n)<<2|uint64(mark))
	if err := p.write(b); err != nil {
		return err
	}
	if err := p.write([]byte(path[n:])); err != nil {
		return err
	}
	p.before = path
	return nil
}

// files gives back what putFile has noted, by package.
func (p *part) files() (map[uint32][]listed, error) {
	out := map[uint32][]listed{}
	var before []byte
	err := p.read(func(in *bufio.Reader) error {
		id, err := binary.ReadUvarint(in)
		if err != nil {
			return err
		}
		n, err := binary.ReadUvarint(in)
		if err != nil {
			return err
		}
		rest, err := binary.ReadUvarint(in)
		if err != nil {
			return err
		}
		at := len(before[:n])
		before = append(before[:n], make([]byte, rest>>2)...)
		if _, err := io.ReadFull(in, before[at:]); err != nil {
			return err
		}
		out[uint32(id)] = append(out[uint32(id)], listed{string(before), byte(rest & 3)})
		return nil
	})
	return out, err
}

// A posting says that a package has something directly in a directory.
type posting struct {
	dir uint32 // hash of the directory
	tag uint16 // hash of the name in it, never 0
	id  uint32
}

func (p *part) putPosting(x posting) error {
	var b [10]byte
	binary.BigEndian.PutUint32(b[:], x.dir)
	binary.BigEndian.PutUint16(b[4:], x.tag)
	binary.BigEndian.PutUint32(b[6:], x.id)
	return p.write(b[:])
}

func (p *part) postings() ([]posting, error) {
	var out []posting
	err := p.read(func(in *bufio.Reader) error {
		var b [10]byte
		if _, err := io.ReadFull(in, b[:]); err != nil {
			return err
		}
		out = append(out, posting{binary.BigEndian.Uint32(b[:]), binary.BigEndian.Uint16(b[4:]),
			binary.BigEndian.Uint32(b[6:])})
		return nil
	})
	return out, err
}
