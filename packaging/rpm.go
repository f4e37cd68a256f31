package main

import (
	"bytes"
	"compress/gzip"
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"path"
	"slices"
	"sort"
	"strings"
	"time"
)

// A package for Red Hat's systems, in the format that every rpm since version 4 reads:
//
//	lead       96 bytes that only say that it is a package
//	signature  a header with sizes and digests of what follows, filled up to eight bytes
//	header     a header with everything that is known of the package and its files
//	payload    the files: a cpio archive, compressed
//
// A header is an index of entries (tag, type, where in the store, how many) and the store with their values. Its first
// entry is a region: it says that all the entries after it belong together and are what the digests are about. The
// region's value is a copy of its own entry at the end of the store, whose place counts back to the first entry.

// Types of values in a header.
const (
	rpmInt16   = 3
	rpmInt32   = 4
	rpmString  = 6
	rpmBinary  = 7
	rpmStrings = 8
	rpmI18N    = 9 // a text, of which translations could follow
)

// An rpmHeader gathers entries, which are written in the order of their tags.
type rpmHeader struct{ entries []rpmEntry }

type rpmEntry struct {
	tag, kind, count int
	value            []byte
}

func (h *rpmHeader) add(tag, kind, count int, value []byte) {
	h.entries = append(h.entries, rpmEntry{tag, kind, count, value})
}

func (h *rpmHeader) text(tag int, s string)   { h.add(tag, rpmString, 1, append([]byte(s), 0)) }
func (h *rpmHeader) i18n(tag int, s string)   { h.add(tag, rpmI18N, 1, append([]byte(s), 0)) }
func (h *rpmHeader) binary(tag int, b []byte) { h.add(tag, rpmBinary, len(b), b) }
func (h *rpmHeader) texts(tag int, all []string) {
	h.add(tag, rpmStrings, len(all), []byte(strings.Join(all, "\x00")+"\x00"))
}

func (h *rpmHeader) ints(tag int, all ...int) {
	var b []byte
	for _, n := range all {
		b = binary.BigEndian.AppendUint32(b, uint32(n))
	}
	h.add(tag, rpmInt32, len(all), b)
}

func (h *rpmHeader) shorts(tag int, all ...int) {
	var b []byte
	for _, n := range all {
		b = binary.BigEndian.AppendUint16(b, uint16(n))
	}
	h.add(tag, rpmInt16, len(all), b)
}

// bytes is the header as it stands in a package; region is the tag of its region.
func (h *rpmHeader) bytes(region int) []byte {
	sort.Slice(h.entries, func(i, j int) bool { return h.entries[i].tag < h.entries[j].tag })
	var index, store []byte
	entry := func(tag, kind, at, count int) []byte {
		var b []byte
		for _, n := range []int{tag, kind, at, count} {
			b = binary.BigEndian.AppendUint32(b, uint32(int32(n)))
		}
		return b
	}
	for _, e := range h.entries {
		for align := map[int]int{rpmInt16: 2, rpmInt32: 4}[e.kind]; align > 0 && len(store)%align != 0; {
			store = append(store, 0)
		}
		index = append(index, entry(e.tag, e.kind, len(store), e.count)...)
		store = append(store, e.value...)
	}
	const size = 16 // of an entry
	n := len(h.entries) + 1
	index = append(entry(region, rpmBinary, len(store), size), index...)
	store = append(store, entry(region, rpmBinary, -n*size, size)...)
	out := []byte{0x8e, 0xad, 0xe8, 0x01, 0, 0, 0, 0}
	out = binary.BigEndian.AppendUint32(out, uint32(n))
	out = binary.BigEndian.AppendUint32(out, uint32(len(store)))
	return append(append(out, index...), store...)
}

var rpmArch = map[string]string{"amd64": "x86_64", "arm64": "aarch64"}

// rpmVersion is a version as rpm orders it: 0.2.0~dev comes before 0.2.0.
func rpmVersion(v string) string { return debVersion(v) }

// Flags of what a package needs or gives.
const (
	rpmLessOrEqual = 2 | 8
	rpmEqual       = 8
	rpmOfRpm       = 1 << 24 // of rpm itself
)

// rpm is a package for Red Hat's systems.
func rpm(files []file, version, arch string, when time.Time) ([]byte, error) {
	version = rpmVersion(version)
	payload, unpacked, err := rpmPayload(files, when)
	if err != nil {
		return nil, err
	}
	h := &rpmHeader{}
	h.texts(100, []string{"C"})
	h.text(1000, "bunraku")
	h.text(1001, version)
	h.text(1002, "1")
	h.i18n(1004, summary)
	h.i18n(1005, "One static program: it compiles the whole Puppet language to catalogs, says where each value\n"+
		"comes from, and proves catalogs deterministic and idempotent.")
	h.ints(1006, int(when.Unix()))
	h.text(1007, "localhost")
	h.text(1014, "see /usr/share/doc/bunraku/copyright")
	h.i18n(1016, "Unspecified")
	h.text(1021, "linux")
	h.text(1022, rpmArch[arch])
	h.text(1044, fmt.Sprintf("bunraku-%s-1.src.rpm", version))
	h.texts(1047, []string{"bunraku"})
	h.ints(1112, rpmEqual)
	h.texts(1113, []string{version + "-1"})
	h.ints(1048, rpmOfRpm|rpmLessOrEqual, rpmOfRpm|rpmLessOrEqual, rpmOfRpm|rpmLessOrEqual)
	h.texts(1049, []string{"rpmlib(CompressedFileNames)", "rpmlib(FileDigests)", "rpmlib(PayloadFilesHavePrefix)"})
	h.texts(1050, []string{"3.0.4-1", "4.6.0-1", "4.0-1"})
	h.text(1064, "4.18.0")
	h.text(1124, "cpio")
	h.text(1125, "gzip")
	h.text(1126, "9")
	h.ints(5011, 8) // files are summed by SHA-256
	h.text(5062, "utf-8")
	sum := sha256.Sum256(payload)
	h.texts(5092, []string{hex.EncodeToString(sum[:])})
	h.ints(5093, 8)
	rpmFiles(h, files, when)
	header := h.bytes(63)

	s := &rpmHeader{}
	first, second := sha1.Sum(header), sha256.Sum256(header)
	s.text(269, hex.EncodeToString(first[:]))
	s.text(273, hex.EncodeToString(second[:]))
	both := md5.Sum(append(slices.Clone(header), payload...))
	s.ints(1000, len(header)+len(payload))
	s.binary(1004, both[:])
	s.ints(1007, unpacked)
	signature := s.bytes(62)

	var b bytes.Buffer
	lead := make([]byte, 96)
	copy(lead, []byte{0xed, 0xab, 0xee, 0xdb, 3, 0, 0, 0, 0, 1})
	copy(lead[10:75], fmt.Sprintf("bunraku-%s-1", version))
	lead[77], lead[79] = 1, 5 // Linux; the signature is a header
	b.Write(lead)
	b.Write(signature)
	for b.Len()%8 != 0 {
		b.WriteByte(0)
	}
	b.Write(header)
	b.Write(payload)
	return b.Bytes(), nil
}

// rpmFiles adds what is known of each file.
func rpmFiles(h *rpmHeader, files []file, when time.Time) {
	var sizes, modes, none, times, flags, verify, devices, inodes, dirs []int
	var digests, links, users, langs, bases, dirNames []string
	size := 0
	for i, f := range files {
		size += len(f.text)
		sizes, modes = append(sizes, len(f.text)), append(modes, 0o100000|int(f.mode))
		none, times, flags = append(none, 0), append(times, int(when.Unix())), append(flags, docFlag(f.name))
		verify, devices, inodes = append(verify, -1), append(devices, 1), append(inodes, i+1)
		sum := sha256.Sum256(f.text)
		digests, links = append(digests, hex.EncodeToString(sum[:])), append(links, "")
		users, langs = append(users, "root"), append(langs, "")
		dir := "/" + path.Dir(f.name) + "/"
		at := slices.Index(dirNames, dir)
		if at < 0 {
			at, dirNames = len(dirNames), append(dirNames, dir)
		}
		dirs, bases = append(dirs, at), append(bases, path.Base(f.name))
	}
	h.ints(1009, size)
	h.ints(1028, sizes...)
	h.shorts(1030, modes...)
	h.shorts(1033, none...)
	h.ints(1034, times...)
	h.texts(1035, digests)
	h.texts(1036, links)
	h.ints(1037, flags...)
	h.texts(1039, users)
	h.texts(1040, users)
	h.ints(1045, verify...)
	h.ints(1095, devices...)
	h.ints(1096, inodes...)
	h.texts(1097, langs)
	h.ints(1116, dirs...)
	h.texts(1117, bases)
	h.texts(1118, dirNames)
}

// docFlag marks documentation, which people may leave out.
func docFlag(name string) int {
	if strings.HasPrefix(name, "usr/share/doc/") || strings.HasPrefix(name, "usr/share/man/") {
		return 2
	}
	return 0
}

// rpmPayload is the files as a compressed cpio archive, and how long it is unpacked.
func rpmPayload(files []file, when time.Time) ([]byte, int, error) {
	var cpio bytes.Buffer
	entry := func(name string, inode int, mode int64, text []byte) {
		fmt.Fprintf(&cpio, "070701%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x", inode, mode, 0, 0, 1, when.Unix(),
			len(text), 0, 0, 0, 0, len(name)+1, 0)
		cpio.WriteString(name)
		cpio.WriteByte(0)
		for cpio.Len()%4 != 0 {
			cpio.WriteByte(0)
		}
		cpio.Write(text)
		for cpio.Len()%4 != 0 {
			cpio.WriteByte(0)
		}
	}
	for i, f := range files {
		entry("./"+f.name, i+1, 0o100000|f.mode, f.text)
	}
	entry("TRAILER!!!", 0, 0, nil)
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return nil, 0, err
	}
	if _, err := z.Write(cpio.Bytes()); err != nil {
		return nil, 0, err
	}
	if err := z.Close(); err != nil {
		return nil, 0, err
	}
	return b.Bytes(), cpio.Len(), nil
}
