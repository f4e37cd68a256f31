package git

import (
	"bytes"
	"path"
	"slices"
	"strings"
)

// A file that a commit added may be one that it took away elsewhere: the same content, or at least half of it. The
// comparison is git's: both texts are cut into lines (long ones into pieces of 64 bytes), and what counts is how many
// bytes the bags of pieces share. A file that kept its last name needs to share less luck than others: it is looked at
// first.

// Scores are fractions of this.
const (
	fullScore = 60000
	halfScore = fullScore / 2
	nameScore = halfScore + (fullScore-halfScore)/2 // for the only file with the same last name
)

// maxGone bounds how many files that went away are compared.
const maxGone = 1000 * 1000

// A gone is a file that a parent has and the commit has not.
type gone struct {
	path string
	mode uint32
	id   ID
}

// renamed finds the file of the parent that became the file at name; false when there is none.
func (w *blamer) renamed(parent, commit *Commit, name string, mode uint32, id ID) (gone, bool, error) {
	var files []gone
	if err := w.gone(parent.Tree, commit.Tree, "", &files); err != nil {
		return gone{}, false, err
	}
	slices.SortFunc(files, func(a, b gone) int { return strings.Compare(a.path, b.path) })
	best := -1
	for i, f := range files {
		if f.id == id && f.mode&modeType == mode&modeType && (best < 0 || path.Base(f.path) == path.Base(name)) {
			if best = i; path.Base(f.path) == path.Base(name) {
				break
			}
		}
	}
	if best >= 0 {
		return files[best], true, nil
	}
	if len(files) > maxGone || mode&modeType != modeRegular || len(files) == 0 {
		return gone{}, false, nil
	}
	text, err := w.r.expect(id, blobKind, w.spend)
	if err != nil {
		return gone{}, false, err
	}
	bag := bagOf(text)
	w.spend.spend(int64(2 * len(text)))
	score := func(f gone, least int) (int, error) {
		if f.mode&modeType != modeRegular {
			return 0, nil
		}
		size, err := w.r.size(f.id, w.spend)
		if err != nil {
			return 0, err
		}
		small, large := min(size, int64(len(text))), max(size, int64(len(text)))
		if large*int64(fullScore-least) < (large-small)*fullScore || large == 0 {
			return 0, nil
		}
		data, err := w.r.expect(f.id, blobKind, w.spend)
		if err != nil {
			return 0, err
		}
		w.spend.spend(int64(2 * len(data)))
		return int(int64(bag.shared(bagOf(data))) * fullScore / large), nil
	}
	var namesakes []gone
	for _, f := range files {
		if path.Base(f.path) == path.Base(name) {
			namesakes = append(namesakes, f)
		}
	}
	if len(namesakes) == 1 {
		n, err := score(namesakes[0], nameScore)
		if err != nil || n >= nameScore {
			return namesakes[0], err == nil, err
		}
	}
	most, mostNamed := 0, false
	var found gone
	for _, f := range files {
		n, err := score(f, halfScore)
		if err != nil {
			return gone{}, false, err
		}
		named := path.Base(f.path) == path.Base(name)
		if n >= halfScore && (n > most || n == most && named && !mostNamed) {
			most, mostNamed, found = n, named, f
		}
	}
	return found, most > 0, nil
}

// gone collects the files of a tree that are not in another one.
func (w *blamer) gone(from, to ID, dir string, out *[]gone) error {
	if from == to {
		return nil
	}
	olds, err := w.r.tree(from, w.spend)
	if err != nil {
		return err
	}
	there := map[string]treeEntry{}
	if to != "" {
		news, err := w.r.tree(to, w.spend)
		if err != nil {
			return err
		}
		for _, e := range news {
			there[e.name] = e
		}
	}
	w.spend.spend(int64(len(olds) * 64))
	for _, e := range olds {
		now, ok := there[e.name]
		isDir, wasDir := ok && now.mode&modeType == modeDir, e.mode&modeType == modeDir
		switch {
		case wasDir:
			next := ID("")
			if isDir {
				next = now.id
			}
			if err := w.gone(e.id, next, dir+e.name+"/", out); err != nil {
				return err
			}
		case e.mode&modeType == modeModule || ok && !isDir:
		default:
			*out = append(*out, gone{dir + e.name, e.mode, e.id})
		}
	}
	return nil
}

// A bag is how many bytes of a text lie in pieces with a hash.
type bag map[uint32]int

func bagOf(text []byte) bag {
	out := bag{}
	binary := bytes.IndexByte(text[:min(len(text), 8000)], 0) >= 0
	var a, b uint32
	n := 0
	put := func() {
		out[(a+b*0x61)%107927] += n
		a, b, n = 0, 0, 0
	}
	for i, c := range text {
		if c == '\r' && !binary && i+1 < len(text) && text[i+1] == '\n' {
			continue
		}
		a, b = a<<7^b>>25, b<<7^a>>25
		a += uint32(c)
		if n++; n == 64 || c == '\n' {
			put()
		}
	}
	if n > 0 {
		put()
	}
	return out
}

func (b bag) shared(o bag) int {
	n := 0
	for k, v := range b {
		n += min(v, o[k])
	}
	return n
}
