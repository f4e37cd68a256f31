package listing

import (
	_ "embed"
	"encoding/binary"
	"slices"
	"strings"
	"sync"

	"github.com/klauspost/compress/zstd"
)

// The names of a whole archive say what no list can: that there is no package of a name, and that a package brings
// nothing but programs and data. generate/names.sh makes them.
//
//go:embed debian-12.names
var embeddedNames []byte

// A Standing is what an archive says of a name.
type Standing uint8

const (
	Foreign   Standing = iota // nothing is known: there is no index of the whole archive, or it does not have the name
	Bounded                   // a package that brings nothing outside of /usr, no unit, no account
	Unbounded                 // a package that may bring anything
	Virtual                   // no package, but some provide it
)

// names are those of one archive, sorted, each with its standing. A file of them is in chunks, because a catalog asks
// for a handful of seventy thousand:
//
//	names = length of the head, head, chunks
//	head  = zstd(platform, number of chunks, and of each chunk the first name and the length)
//	chunk = zstd(rows as names.sh prints them)
type names struct {
	platform string
	first    []string // name of each chunk
	packed   [][]byte
	dec      *zstd.Decoder

	mu   sync.Mutex
	rows []string // of the chunks that somebody has asked for
}

// builtInNames are read when somebody asks.
var builtInNames = sync.OnceValues(func() (*names, error) { return openNames(embeddedNames) })

// nameChunk is the number of bytes of a chunk before packing.
const nameChunk = 32 << 10

// WriteNames packs the names of an archive as names.sh prints them.
func WriteNames(platform, text string) ([]byte, error) {
	enc, err := newEncoder()
	if err != nil {
		return nil, err
	}
	defer enc.Close()
	var heads, body []byte
	count := 0
	for text != "" {
		end := len(text)
		if end > nameChunk {
			end = nameChunk + strings.IndexByte(text[nameChunk:], '\n') + 1
		}
		chunk := enc.EncodeAll([]byte(text[:end]), nil)
		first, _, _ := strings.Cut(text[:end], "\n")
		first, _, _ = strings.Cut(first, " ")
		heads = binary.AppendUvarint(appendText(heads, first), uint64(len(chunk)))
		body = append(body, chunk...)
		text = text[end:]
		count++
	}
	head := enc.EncodeAll(append(binary.AppendUvarint(appendText(nil, platform), uint64(count)), heads...), nil)
	return slices.Concat(binary.AppendUvarint(nil, uint64(len(head))), head, body), nil
}

// openNames reads the head of a file of names.
func openNames(text []byte) (*names, error) {
	dec, err := newDecoder()
	if err != nil {
		return nil, err
	}
	r := reader{b: text}
	head, err := dec.DecodeAll(r.bytes(r.number(len(text))), nil)
	if err != nil {
		return nil, errDamaged
	}
	h := reader{b: head}
	n := &names{platform: h.text(), dec: dec}
	for range h.number(len(head)) {
		n.first = append(n.first, h.text())
		n.packed = append(n.packed, r.bytes(h.number(len(text))))
	}
	if h.bad || r.bad || len(h.b)+len(r.b) > 0 || !slices.IsSorted(n.first) {
		return nil, errDamaged
	}
	n.rows = make([]string, len(n.packed))
	return n, nil
}

// chunk is the rows of a chunk, with the ends of lines. The file is part of the program, so that damage is a bug.
func (n *names) chunk(i int) string {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.rows[i] == "" {
		text, err := n.dec.DecodeAll(n.packed[i], nil)
		if err != nil {
			panic(errDamaged)
		}
		n.rows[i] = "\n" + string(text)
	}
	return n.rows[i]
}

// each passes the names of a chunk on.
func (n *names) each(i int, look func(name string, st Standing) (more bool)) bool {
	for row := range strings.SplitSeq(strings.Trim(n.chunk(i), "\n"), "\n") {
		if name, mark, _ := strings.Cut(row, " "); !look(name, standingOf(mark)) {
			return false
		}
	}
	return true
}

// standingOf reads what names.sh writes behind a name.
func standingOf(mark string) Standing {
	switch mark {
	case "+":
		return Unbounded
	case "=":
		return Virtual
	}
	return Bounded
}

// find is the standing of a name.
func (n *names) find(name string) Standing {
	i, found := slices.BinarySearch(n.first, name)
	if !found {
		i--
	}
	if i >= 0 && name != "" && !strings.ContainsAny(name, " \n") {
		rows := n.chunk(i)
		for at := strings.Index(rows, "\n"+name); at >= 0; {
			row := rows[at+1+len(name):]
			row, _, _ = strings.Cut(row, "\n")
			if row == "" || row[0] == ' ' {
				return standingOf(strings.TrimPrefix(row, " "))
			}
			next := strings.Index(rows[at+1:], "\n"+name)
			if next < 0 {
				break
			}
			at += 1 + next
		}
	}
	if strings.HasPrefix(name, "librust-") || strings.HasPrefix(name, "libghc-") {
		return Unbounded // of which not all names are kept
	}
	return Foreign
}

// Standing is what is known of a name on this platform; whole says that there is an index of the whole archive, so that
// a name that is foreign is none of its packages. Only indexes of the platform itself count, not those of a relative.
func (s *Set) Standing(name string) (st Standing, whole bool) {
	if s == nil {
		return Foreign, false
	}
	if s.archive != nil {
		return s.archive.find(name), true
	}
	return Foreign, false
}

// Like is a name of the archive that differs from another one by one letter, or by two that have changed places; "" if
// there is none, or no index of the whole archive.
func (s *Set) Like(name string) string {
	if s == nil || s.archive == nil || len(name) < 4 {
		return ""
	}
	like := ""
	for i, first := range s.archive.first {
		if first[0] > name[0] || i+1 < len(s.archive.first) && s.archive.first[i+1][0] < name[0] {
			continue // only names that begin alike are meant
		}
		s.archive.each(i, func(x string, st Standing) bool {
			if st != Virtual && x[0] == name[0] && near(x, name) {
				like = x
			}
			return like == ""
		})
		if like != "" {
			break
		}
	}
	return like
}

// near reports whether one letter more, less or other, or two swapped, make one word of the other.
func near(a, b string) bool {
	if len(a) < len(b) {
		a, b = b, a
	}
	if len(a) > len(b)+1 {
		return false
	}
	i := 0
	for i < len(b) && a[i] == b[i] {
		i++
	}
	if len(a) > len(b) {
		return a[i+1:] == b[i:]
	}
	return i < len(b) && (a[i+1:] == b[i+1:] || i+1 < len(b) && a[i] == b[i+1] && a[i+1] == b[i] && a[i+2:] == b[i+2:])
}

// Which accounts Debian's packages make when they are installed, or pull in, as far as their scripts say so plainly.
// generate/accounts.sh and generate/pulled.awk make it.
//
//go:embed debian-12.accounts
var embeddedAccounts []byte

// builtInAccounts are read when somebody asks: by package, sorted, "user redis".
var builtInAccounts = sync.OnceValues(func() (map[string][]string, error) {
	n, err := openNames(embeddedAccounts)
	if err != nil {
		return nil, err
	}
	out := map[string][]string{}
	for i := range n.packed {
		for row := range strings.SplitSeq(strings.Trim(n.chunk(i), "\n"), "\n") {
			pkg, account, _ := strings.Cut(row, " ")
			out[pkg] = append(out[pkg], account)
		}
	}
	return out, nil
})

// The programs in PATH of a fresh Debian with an agent. generate/programs.sh makes them.
//
//go:embed debian-12.programs
var embeddedPrograms string

// Programs are the programs of a fresh machine, with their paths, sorted; none if nobody has said which it has.
func (s *Set) Programs() []string {
	if s == nil || s.archive == nil {
		return nil
	}
	return strings.Fields(embeddedPrograms)
}

// By which other names services of Debian's packages go once they are installed: the name, and the unit.
// generate/aliases.sh makes them.
//
//go:embed debian-12.aliases
var embeddedAliases string

// builtInAliases are read when somebody asks: units by the other name.
var builtInAliases = sync.OnceValue(func() map[string][]string {
	out := map[string][]string{}
	for row := range strings.Lines(embeddedAliases) {
		alias, unit, _ := strings.Cut(strings.TrimSpace(row), " ")
		out[alias] = append(out[alias], unit)
	}
	return out
})

// Units are the units of packages that go by another name, too, which is asked for: ssh for sshd.
func (s *Set) Units(alias string) []string {
	if s == nil || s.archive == nil {
		return nil
	}
	return builtInAliases()[alias]
}

// Accounts lists the accounts that are known to be there when a package is: "user redis", "group redis".
func (s *Set) Accounts(name string) ([]string, error) {
	if out, known := s.scripts(name); known {
		return out, nil
	}
	if s == nil || s.archive == nil {
		return nil, nil
	}
	all, err := builtInAccounts()
	return all[name], err
}

// Scripted reports whether the scripts of a package have been read, so that it makes no other accounts.
func (s *Set) Scripted(name string) bool {
	_, known := s.scripts(name)
	return known
}

// scripts are the accounts that the scripts of a package make, by the first database that has it.
func (s *Set) scripts(name string) (accounts []string, known bool) {
	if s == nil {
		return nil, false
	}
	for _, src := range s.sources {
		if d, ok := src.(*dpkg); ok {
			if accounts, known = d.accounts(name); known {
				return accounts, true
			}
		}
	}
	return nil, false
}
