package git

import (
	"bytes"
	"crypto/sha1"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// packFor makes a repository directory whose only pack is the given bytes.
func packFor(t testing.TB, idx, data []byte) *Repo {
	dir := t.TempDir()
	for _, d := range []string{"objects/pack", "refs"} {
		if err := os.MkdirAll(filepath.Join(dir, ".git", d), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	write(t, filepath.Join(dir, ".git/HEAD"), "ref: refs/heads/main\n")
	write(t, filepath.Join(dir, ".git/objects/pack/pack-x.idx"), string(idx))
	write(t, filepath.Join(dir, ".git/objects/pack/pack-x.pack"), string(data))
	repo, err := Open(dir, Options{MaxObject: 1 << 16, CacheBytes: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	return repo
}

// FuzzPack: no pack and no index makes the reader crash, hang, or take an object for another.
func FuzzPack(f *testing.F) {
	p := newProgram(f)
	dir := filepath.Join(f.TempDir(), "repo")
	generate(p, dir, 1, 12)
	for _, args := range [][]string{{"repack", "-adfq"}, {"-c", "repack.usedeltabaseoffset=false", "repack", "-adfq"}} {
		p.run(dir, args...)
		names, _ := filepath.Glob(filepath.Join(dir, ".git/objects/pack/*.pack"))
		for _, name := range names {
			data, _ := os.ReadFile(name)
			idx, _ := os.ReadFile(strings.TrimSuffix(name, ".pack") + ".idx")
			f.Add(idx, data)
		}
	}
	f.Fuzz(func(t *testing.T, idx, data []byte) {
		repo := packFor(t, idx, data)
		defer repo.Close()
		held, err := repo.stock()
		if err != nil {
			return
		}
		pack := held.stores[0].packs[0]
		if pack.open() != nil {
			return
		}
		for first := range 256 {
			names, begin, err := pack.bucket(repo, byte(first))
			if err != nil {
				return
			}
			for i := 0; i+20 <= len(names) && i < 20*64; i += 20 {
				id := ID(names[i : i+20])
				if o, err := repo.object(id, nil); err == nil && repo.name(o) != id {
					t.Fatal("a false object")
				}
				if offset, err := pack.offset(begin + int64(i/20)); err == nil {
					pack.size(repo, id, offset, nil)
				}
			}
		}
	})
}

// FuzzDelta: what a delta makes has the size that it says.
func FuzzDelta(f *testing.F) {
	f.Add([]byte("hello world"), []byte{11, 5, 0x90, 5})
	f.Add([]byte("hello"), []byte{5, 8, 0x90, 5, 3, 'a', 'b', 'c'})
	f.Fuzz(func(t *testing.T, base, delta []byte) {
		out, err := applyDelta(base, delta, 1<<16)
		if err == nil && len(out) > 1<<16 {
			t.Fatal("too big")
		}
	})
}

// FuzzTree: a tree that can be read has no name that leads elsewhere.
func FuzzTree(f *testing.F) {
	id := strings.Repeat("i", sha1.Size)
	f.Add([]byte("100644 a\x00" + id + "40000 b\x00" + id))
	f.Add([]byte("160000 ..\x00" + id))
	f.Fuzz(func(t *testing.T, data []byte) {
		entries, err := parseTree(data, sha1.Size)
		if err != nil {
			return
		}
		for _, e := range entries {
			if e.name == "" || e.name == ".." || strings.ContainsAny(e.name, "/\x00") || len(e.id) != sha1.Size {
				t.Fatalf("%q", e.name)
			}
		}
	})
}

// FuzzCommit: the texts of a commit are printable, whatever they are made of.
func FuzzCommit(f *testing.F) {
	id := strings.Repeat("ab", sha1.Size)
	f.Add([]byte("tree " + id + "\nparent " + id +
		"\nauthor A <a@b> 1 +0000\ncommitter A <a@b> 2 +0000\nencoding latin1\n\n\xe9\x1b[2J\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := parseCommit(data, sha1.Size)
		parseTag(data, sha1.Size)
		parsePackedRefs(data, sha1.Size)
		parseConfig(data)
		parseMailmap(data)
		if err != nil {
			return
		}
		if s := c.Author.Name + c.Author.Email + c.Summary; strings.ContainsAny(s, "\x1b\n\r\x00\x07\u009b\u202e") {
			t.Fatalf("%q", s)
		}
	})
}

// FuzzAttributes: matching ends, and what is said of one attribute is one thing.
func FuzzAttributes(f *testing.F) {
	f.Add([]byte("*.pp text eol=crlf\n[attr]x -text\n**/a/* x\n\"a\\056b\" !eol\n[a-z]* binary\n"), "dir/a/b.pp")
	f.Add([]byte(strings.Repeat("a*", 60)+"b text"), strings.Repeat("a", 100))
	f.Fuzz(func(t *testing.T, data []byte, name string) {
		if name == "" {
			return
		}
		rules := parseAttributes(data, true)
		how := conversionOf(attributes(name, []attributeDir{{"", rules}}, nil))
		out := how.toWorkTree(data, "")
		lone := bytes.Contains(bytes.ReplaceAll(out, []byte("\r\n"), nil), []byte("\n"))
		if lone && how.crlf && how.encoding == "" && how.text == textYes {
			t.Fatal("a line ends with LF alone")
		}
		how.toBlob(data, nil)
	})
}

// FuzzHunks: the unchanged lines of two texts are the same lines.
func FuzzHunks(f *testing.F) {
	f.Add([]byte("a\nb\nc\n"), []byte("a\nc\nd\n"))
	f.Add([]byte("{\n}\n\n{\n}\n"), []byte("{\n}\n\n{\n}\n\n{\n}\n"))
	f.Fuzz(func(t *testing.T, a, b []byte) {
		x, y := trimLines(splitLines(a)), trimLines(splitLines(b))
		i, j := 0, 0
		for _, h := range append(hunks(a, b, nil), hunk{len(x), len(x), len(y), len(y)}) {
			for ; i < h.a0; i, j = i+1, j+1 {
				if j >= h.b0 || !bytes.Equal(x[i], y[j]) {
					t.Fatalf("line %d and %d are not the same", i, j)
				}
			}
			if j != h.b0 {
				t.Fatal("lines are lost")
			}
			i, j = h.a1, h.b1
		}
	})
}
