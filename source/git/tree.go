package git

import (
	"bytes"
	"errors"
	"slices"
	"strings"
)

// A treeEntry is one name of a directory.
type treeEntry struct {
	name string
	mode uint32
	id   ID
}

// Modes of entries. Only the bits for the owner's right to execute are kept beside these.
const (
	modeDir     = 0o040000
	modeLink    = 0o120000
	modeModule  = 0o160000
	modeRegular = 0o100000
	modeType    = 0o170000
)

var errTree = errors.New("it has an entry that makes no sense")

// nextEntry reads the entry that a tree begins with: its mode in octal digits, a blank, its name, a zero, the hash.
func nextEntry(data []byte, size int) (mode uint32, name, id, rest []byte, err error) {
	i := 0
	for ; i < len(data) && data[i] != ' '; i++ {
		if data[i] < '0' || data[i] > '7' || i == 7 {
			return 0, nil, nil, nil, errTree
		}
		mode = mode<<3 | uint32(data[i]-'0')
	}
	if i == 0 || i == len(data) {
		return 0, nil, nil, nil, errTree
	}
	data = data[i+1:]
	end := bytes.IndexByte(data, 0)
	if end <= 0 || len(data) < end+1+size {
		return 0, nil, nil, nil, errTree
	}
	return mode, data[:end], data[end+1 : end+1+size], data[end+1+size:], nil
}

// parseTree reads a whole tree, sorted by names. Such as would lead elsewhere when checked out make it corrupt, as do
// double ones.
func parseTree(data []byte, size int) ([]treeEntry, error) {
	var out []treeEntry
	seen := map[string]bool{}
	for len(data) > 0 {
		mode, raw, id, rest, err := nextEntry(data, size)
		if err != nil {
			return nil, err
		}
		data = rest
		name := string(raw)
		if name == "." || name == ".." || strings.EqualFold(name, ".git") || strings.ContainsRune(name, '/') || seen[name] {
			return nil, errors.New("it has an entry named " + printable(name))
		}
		seen[name] = true
		switch mode & modeType {
		case modeDir, modeLink, modeModule, modeRegular:
		default:
			return nil, errTree
		}
		out = append(out, treeEntry{name, mode, ID(id)})
	}
	slices.SortFunc(out, func(a, b treeEntry) int { return strings.Compare(a.name, b.name) })
	return out, nil
}

func (r *Repo) tree(id ID, s spender) ([]treeEntry, error) {
	key := cacheKey{kind: 't', id: id}
	if v, ok := r.cache.get(key); ok {
		return v.([]treeEntry), nil
	}
	data, err := r.expect(id, treeKind, s)
	if err != nil {
		return nil, err
	}
	entries, err := parseTree(data, r.format.size)
	if err != nil {
		return nil, &Corrupt{"tree " + id.String(), err.Error()}
	}
	r.cache.put(key, entries, int64(len(data)+48*len(entries)))
	return entries, nil
}

// lookup finds what a tree has at a path, without reading more of it than that: no mode means nothing.
func (r *Repo) lookup(tree ID, path string, s spender) (uint32, ID, error) {
	for {
		name, rest, more := strings.Cut(path, "/")
		data, err := r.expect(tree, treeKind, s)
		if err != nil {
			return 0, "", err
		}
		s.spend(int64(len(data)))
		found := false
		for len(data) > 0 && !found {
			mode, raw, id, after, err := nextEntry(data, r.format.size)
			if err != nil {
				return 0, "", &Corrupt{"tree " + tree.String(), err.Error()}
			}
			if data = after; string(raw) != name {
				continue
			}
			if !more {
				return mode, ID(id), nil
			}
			if mode&modeType != modeDir {
				return 0, "", nil
			}
			tree, found = ID(id), true
		}
		if !found {
			return 0, "", nil
		}
		path = rest
	}
}
