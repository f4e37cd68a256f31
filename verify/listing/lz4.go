package listing

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// lz4 unpacks LZ4 frames, in which apt keeps its lists: "LZ4 Frame Format Description" 1.6 and "LZ4 Block Format
// Description". Checksums are not compared: apt has done so when it fetched the lists.
type lz4 struct {
	in          io.Reader
	buf         []byte // the last 64 KB that were unpacked, then the present block
	out         []byte // part of buf that nobody has read
	block       []byte // packed
	max         int    // bytes of a block
	independent bool
	blockSum    bool
	contentSum  bool
	inFrame     bool
	err         error
}

const lz4Window = 64 << 10

func newLZ4(in io.Reader) *lz4 { return &lz4{in: in} }

func (z *lz4) Read(p []byte) (int, error) {
	for len(z.out) == 0 {
		if z.err != nil {
			return 0, z.err
		}
		z.err = z.next()
	}
	n := copy(p, z.out)
	z.out = z.out[n:]
	return n, nil
}

// next unpacks one block, or reads what stands between blocks.
func (z *lz4) next() error {
	if !z.inFrame {
		return z.frame()
	}
	var size uint32
	if err := z.number(&size); err != nil {
		return err
	}
	if size == 0 {
		z.inFrame = false
		if z.contentSum {
			return z.skip(4)
		}
		return nil
	}
	plain := size&(1<<31) != 0
	if size &^= 1 << 31; int64(size) > int64(z.max) {
		return fmt.Errorf("lz4: a block of %d bytes, where %d is the most", size, z.max)
	}
	if cap(z.block) < int(size) {
		z.block = make([]byte, z.max)
	}
	z.block = z.block[:size]
	if _, err := io.ReadFull(z.in, z.block); err != nil {
		return cut(err)
	}
	if keep := len(z.buf) - lz4Window; z.independent {
		z.buf = z.buf[:0]
	} else if keep > 0 {
		z.buf = z.buf[:copy(z.buf, z.buf[keep:])]
	}
	begin := len(z.buf)
	if plain {
		z.buf = append(z.buf, z.block...)
	} else if err := z.unpack(begin); err != nil {
		return err
	}
	z.out = z.buf[begin:]
	if z.blockSum {
		return z.skip(4)
	}
	return nil
}

// frame reads the header of a frame, or passes over one that is to be skipped.
func (z *lz4) frame() error {
	var magic uint32
	if err := binary.Read(z.in, binary.LittleEndian, &magic); err != nil {
		if errors.Is(err, io.EOF) {
			return io.EOF
		}
		return cut(err)
	}
	if magic&^0xf == 0x184d2a50 {
		var size uint32
		if err := z.number(&size); err != nil {
			return err
		}
		return z.skip(int64(size))
	}
	if magic != 0x184d2204 {
		return errors.New("lz4: what follows the frame is no frame")
	}
	var head [2]byte
	if _, err := io.ReadFull(z.in, head[:]); err != nil {
		return cut(err)
	}
	flags, size := head[0], head[1]>>4&7
	if flags>>6 != 1 || size < 4 {
		return fmt.Errorf("lz4: unknown version or block size (%#x %#x)", flags, head[1])
	}
	if flags&1 != 0 {
		return errors.New("lz4: it needs a dictionary")
	}
	z.max = 1 << (8 + 2*size)
	z.independent, z.blockSum, z.contentSum = flags&0x20 != 0, flags&0x10 != 0, flags&0x04 != 0
	z.inFrame = true
	z.buf = z.buf[:0]
	rest := int64(1) // the header's checksum
	if flags&0x08 != 0 {
		rest += 8
	}
	return z.skip(rest)
}

// unpack unpacks the block behind what buf has.
func (z *lz4) unpack(begin int) error {
	bad := errors.New("lz4: a block is damaged")
	src := z.block
	length := func(n int) (int, bool) {
		if n != 15 {
			return n, true
		}
		for len(src) > 0 {
			b := src[0]
			src = src[1:]
			if n += int(b); n > z.max {
				return 0, false
			}
			if b != 255 {
				return n, true
			}
		}
		return 0, false
	}
	for len(src) > 0 {
		token := src[0]
		src = src[1:]
		literals, ok := length(int(token >> 4))
		if !ok || literals > len(src) || len(z.buf)-begin+literals > z.max {
			return bad
		}
		z.buf = append(z.buf, src[:literals]...)
		src = src[literals:]
		if len(src) == 0 {
			return nil // the last sequence has no match
		}
		if len(src) < 2 {
			return bad
		}
		offset := int(src[0]) | int(src[1])<<8
		src = src[2:]
		match, ok := length(int(token & 15))
		match += 4
		from := len(z.buf) - offset
		if !ok || offset == 0 || from < 0 || len(z.buf)-begin+match > z.max {
			return bad
		}
		for match > 0 { // a match may overlap what it makes
			n := min(match, len(z.buf)-from)
			z.buf = append(z.buf, z.buf[from:from+n]...)
			match -= n
		}
	}
	return nil
}

func (z *lz4) number(n *uint32) error { return cut(binary.Read(z.in, binary.LittleEndian, n)) }

func (z *lz4) skip(n int64) error {
	_, err := io.CopyN(io.Discard, z.in, n)
	return cut(err)
}

// cut says that an end of file is one too early.
func cut(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}
