package listing

import (
	_ "embed"
	"slices"
	"sort"
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

// names are those of one archive, sorted, each with its standing.
type names struct {
	platform string
	list     []string
	standing []Standing
}

// builtInNames are read when somebody asks.
var builtInNames = sync.OnceValues(func() (*names, error) { return readNames(embeddedNames) })

// WriteNames packs the names of an archive as names.sh prints them.
func WriteNames(platform, text string) ([]byte, error) {
	enc, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedBestCompression), zstd.WithEncoderConcurrency(1),
		zstd.WithEncoderCRC(false))
	if err != nil {
		return nil, err
	}
	defer enc.Close()
	return enc.EncodeAll([]byte(platform+"\n"+text), nil), nil
}

func readNames(packed []byte) (*names, error) {
	dec, err := newDecoder()
	if err != nil {
		return nil, err
	}
	text, err := dec.DecodeAll(packed, nil)
	if err != nil {
		return nil, errDamaged
	}
	platform, rows, ok := strings.Cut(string(text), "\n")
	if !ok {
		return nil, errDamaged
	}
	n := &names{platform: platform}
	for row := range strings.SplitSeq(strings.TrimSuffix(rows, "\n"), "\n") {
		name, mark, _ := strings.Cut(row, " ")
		n.list = append(n.list, name)
		n.standing = append(n.standing, map[string]Standing{"": Bounded, "+": Unbounded, "=": Virtual}[mark])
	}
	if !slices.IsSorted(n.list) {
		return nil, errDamaged
	}
	return n, nil
}

// find is the standing of a name.
func (n *names) find(name string) Standing {
	if i := sort.SearchStrings(n.list, name); i < len(n.list) && n.list[i] == name {
		return n.standing[i]
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
	for i, x := range s.archive.list {
		if s.archive.standing[i] != Virtual && x[0] == name[0] && near(x, name) {
			return x
		}
	}
	return ""
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
	dec, err := newDecoder()
	if err != nil {
		return nil, err
	}
	text, err := dec.DecodeAll(embeddedAccounts, nil)
	if err != nil {
		return nil, errDamaged
	}
	out := map[string][]string{}
	_, rows, _ := strings.Cut(string(text), "\n")
	for row := range strings.SplitSeq(strings.TrimSuffix(rows, "\n"), "\n") {
		pkg, account, _ := strings.Cut(row, " ")
		out[pkg] = append(out[pkg], account)
	}
	return out, nil
})

// Accounts lists the accounts that are known to be there when a package is: "user redis", "group redis".
func (s *Set) Accounts(name string) ([]string, error) {
	if s == nil || s.archive == nil {
		return nil, nil
	}
	all, err := builtInAccounts()
	return all[name], err
}
