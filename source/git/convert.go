package git

import (
	"bytes"
	"encoding/binary"
	"regexp"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// A conversion is what git does between a blob and a file of the work tree, as attributes say it, where no
// configuration says more (core.autocrlf=false, core.eol=lf).
type conversion struct {
	text     textMode
	crlf     bool   // lines end with CR LF in the work tree
	encoding string // of the work tree, in capitals; "" for none
	ident    bool   // $Id$ is replaced
	filter   string // the name of a driver
	unclear  string // why the conversion is not known
}

// A textMode says whether line ends are converted.
type textMode uint8

const (
	textNo textMode = iota
	textYes
	textAuto // if it does not look binary
)

// plain reports whether the file of the work tree is the blob.
func (c conversion) plain() bool {
	return !c.crlf && c.encoding == "" && !c.ident && c.filter == "" && c.unclear == ""
}

// conversionOf reads a conversion off attributes.
func conversionOf(attrs map[string]string) conversion {
	var c conversion
	mode, known := lineMode(attrs["text"])
	if !known {
		mode, known = lineMode(attrs["crlf"])
	}
	if c.text = mode; !known || mode != textNo {
		if eol := attrs["eol"]; eol == "lf" || eol == "crlf" {
			c.crlf = eol == "crlf"
			if c.text == textNo {
				c.text = textYes
			}
		}
	}
	switch v := attrs["working-tree-encoding"]; v {
	case "", attrNone:
	case attrSet, attrUnset:
		c.unclear = "its working-tree-encoding names no encoding"
	default:
		c.encoding = strings.ToUpper(v)
		if c.encoding == "UTF-8" || c.encoding == "UTF8" {
			c.encoding = ""
		} else if _, ok := encodings[c.encoding]; !ok {
			c.unclear, c.encoding = "its encoding "+printable(v)+" is not supported", ""
		}
	}
	c.ident = attrs["ident"] == attrSet
	switch v := attrs["filter"]; v {
	case "", attrSet, attrUnset, attrNone:
	default:
		c.filter = v
	}
	return c
}

// lineMode reads the attribute text, or crlf, its older name.
func lineMode(state string) (mode textMode, known bool) {
	switch state {
	case attrSet, "input":
		return textYes, true
	case attrUnset:
		return textNo, true
	case "auto":
		return textAuto, true
	}
	return textNo, false
}

// A lineCount is what decides whether a text looks binary.
type lineCount struct{ zero, cr, lf, crlf, printable, other int }

func countLines(data []byte) lineCount {
	var n lineCount
	for i := 0; i < len(data); i++ {
		switch c := data[i]; {
		case c == '\r' && i+1 < len(data) && data[i+1] == '\n':
			n.crlf++
			i++
		case c == '\r':
			n.cr++
		case c == '\n':
			n.lf++
		case c == 127:
			n.other++
		case c >= 32 || c == '\b' || c == '\t' || c == 27 || c == '\f':
			n.printable++
		default:
			if n.other++; c == 0 {
				n.zero++
			}
		}
	}
	if len(data) > 0 && data[len(data)-1] == 26 {
		n.other--
	}
	return n
}

func (n lineCount) binary() bool { return n.cr > 0 || n.zero > 0 || n.printable>>7 < n.other }

// toWorkTree makes of a blob what a checkout writes. A text that the encoding cannot say is written as it is.
func (c conversion) toWorkTree(data []byte, blob ID) []byte {
	if c.ident {
		data = c.identify(data, blob)
	}
	if c.crlf {
		n := countLines(data)
		if n.lf > 0 && !(c.text == textAuto && (n.cr > 0 || n.crlf > 0 || n.binary())) {
			out := make([]byte, 0, len(data)+n.lf)
			for i, b := range data {
				if b == '\n' && (i == 0 || data[i-1] != '\r') {
					out = append(out, '\r')
				}
				out = append(out, b)
			}
			data = out
		}
	}
	if c.encoding != "" && len(data) > 0 {
		if out, ok := encodings[c.encoding].encode(data); ok {
			data = out
		}
	}
	return data
}

// Where git writes the name of a blob (attribute ident): at $Id$, or over what was written there before. What has a
// space inside is another system's, and stays. Git has two ways to do it that differ in strange cases: it reads along,
// and does not look again at what it took for a beginning; or, where the text must be seen as a whole, it looks for it.
var (
	identAlong   = regexp.MustCompile(`(?s)\$Id:[^$\n]*[$\n]|\$Id.|\$I.|\$.`)
	identForeign = regexp.MustCompile(`^\$Id: [^\x00]*[ \t\r][^$]`)
	identWhole   = regexp.MustCompile(`\$Id(?::(?:[^$\n][^ $\n]*)? ?)?\$`)
	identStored  = regexp.MustCompile(`\$Id:[^$\n]*\$`)
)

func (c conversion) identify(data []byte, blob ID) []byte {
	name := []byte("$Id: " + blob.String() + " $")
	if c.text == textAuto || c.encoding != "" {
		return identWhole.ReplaceAllLiteral(data, name)
	}
	return identAlong.ReplaceAllFunc(data, func(m []byte) []byte {
		if !bytes.HasPrefix(m, []byte("$Id")) || m[len(m)-1] != '$' || identForeign.Match(m) {
			return m
		}
		return name
	})
}

// toBlob makes of a file of the work tree what git compares with a blob. stored is the blob that is there already.
func (c conversion) toBlob(data, stored []byte) []byte {
	if c.encoding != "" {
		if out, ok := encodings[c.encoding].decode(data); ok {
			data = out
		}
	}
	if c.ident {
		data = identStored.ReplaceAllLiteral(data, []byte("$Id$"))
	}
	if c.text == textNo || c.text == textAuto && (countLines(data).binary() || countLines(stored).crlf > 0) {
		return data
	}
	return bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n"))
}

// An encoding of characters: so many bytes a unit, in which order, behind which mark.
type encoding struct {
	unit  int // 1: the first characters of Unicode, one byte each
	limit rune
	big   bool
	mark  bool
}

var encodings = map[string]encoding{
	"UTF-16": {unit: 2, mark: true}, "UTF16": {unit: 2, mark: true},
	"UTF-16LE": {unit: 2}, "UTF-16BE": {unit: 2, big: true},
	"UTF-16LE-BOM": {unit: 2, mark: true}, "UTF-16BE-BOM": {unit: 2, mark: true, big: true},
	"UTF-32": {unit: 4, mark: true}, "UTF32": {unit: 4, mark: true},
	"UTF-32LE": {unit: 4}, "UTF-32BE": {unit: 4, big: true},
	"ISO-8859-1": {unit: 1, limit: 0x100}, "LATIN1": {unit: 1, limit: 0x100}, "ISO8859-1": {unit: 1, limit: 0x100},
	"US-ASCII": {unit: 1, limit: 0x80}, "ASCII": {unit: 1, limit: 0x80},
}

func (e encoding) order() binary.AppendByteOrder {
	if e.big {
		return binary.BigEndian
	}
	return binary.LittleEndian
}

// encode writes UTF-8 in the encoding; false when it cannot be said.
func (e encoding) encode(data []byte) ([]byte, bool) {
	if !utf8.Valid(data) {
		return nil, false
	}
	out := make([]byte, 0, len(data)*e.unit+4)
	put := func(c rune) bool {
		switch {
		case e.unit == 1:
			if c >= e.limit {
				return false
			}
			out = append(out, byte(c))
		case e.unit == 4:
			out = e.order().AppendUint32(out, uint32(c))
		case c >= 0x10000:
			hi, lo := utf16.EncodeRune(c)
			out = e.order().AppendUint16(e.order().AppendUint16(out, uint16(hi)), uint16(lo))
		default:
			out = e.order().AppendUint16(out, uint16(c))
		}
		return true
	}
	if e.mark {
		put(0xfeff)
	}
	for _, c := range string(data) {
		if !put(c) {
			return nil, false
		}
	}
	return out, true
}

// decode reads the encoding as UTF-8.
func (e encoding) decode(data []byte) ([]byte, bool) {
	if e.unit == 1 {
		if e.limit == 0x80 {
			return data, utf8.Valid(data)
		}
		return []byte(fromLatin1(string(data))), true
	}
	if len(data)%e.unit != 0 {
		return nil, false
	}
	unit := func(big bool, i int) uint32 {
		o := binary.ByteOrder(binary.LittleEndian)
		if big {
			o = binary.BigEndian
		}
		if e.unit == 2 {
			return uint32(o.Uint16(data[i:]))
		}
		return o.Uint32(data[i:])
	}
	big, i := e.big, 0
	if e.mark && len(data) > 0 {
		if unit(big, 0) == 0xfeff {
			i = e.unit
		} else if unit(!big, 0) == 0xfeff {
			big, i = !big, e.unit
		}
	}
	var out []byte
	for ; i < len(data); i += e.unit {
		c := rune(unit(big, i))
		if e.unit == 2 && utf16.IsSurrogate(c) {
			if i += 2; i >= len(data) {
				return nil, false
			}
			c = utf16.DecodeRune(c, rune(unit(big, i)))
		}
		if !utf8.ValidRune(c) || c == utf8.RuneError {
			return nil, false
		}
		out = utf8.AppendRune(out, c)
	}
	return out, true
}

func isLatin1(name string) bool { return encodings[strings.ToUpper(name)].limit == 0x100 }

func fromLatin1(s string) string {
	var b strings.Builder
	for _, c := range []byte(s) {
		b.WriteRune(rune(c))
	}
	return b.String()
}
