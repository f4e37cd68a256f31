package source

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// put writes a tree of files and links ("-> target") below a directory.
func put(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		var err error
		if to, link := strings.CutPrefix(text, "-> "); link {
			err = os.Symlink(to, path)
		} else {
			err = os.WriteFile(path, []byte(text), 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// kindOfError is what two views must agree on.
func kindOfError(err error) string {
	var no *Refused
	switch {
	case err == nil:
		return "fine"
	case errors.Is(err, fs.ErrNotExist):
		return "missing"
	case errors.As(err, &no):
		return "refused"
	case errors.Is(err, syscall.ELOOP):
		return "loop"
	case errors.Is(err, syscall.EISDIR), errors.Is(err, syscall.ENOTDIR):
		return "other kind"
	}
	return err.Error()
}

// all asks every question about a path.
func all(f Files, path string) string {
	c, err := f.Read(path)
	out := fmt.Sprintf("read %q %s", c.Text, kindOfError(err))
	info, err := f.Stat(path)
	out += fmt.Sprintf(", stat %v %s", info, kindOfError(err))
	list, err := f.List(path)
	out += fmt.Sprintf(", list %v %s", list, kindOfError(err))
	real, err := f.Real(path)
	out += fmt.Sprintf(", real %s %s", real, kindOfError(err))
	to, err := f.Link(path)
	return out + fmt.Sprintf(", link %q %s", to, kindOfError(err))
}

// Memory, the disk, and memory laid over an empty tree answer alike about random trees with links in all directions.
func TestViewsAgree(t *testing.T) {
	rng := rand.New(rand.NewSource(1))
	names := []string{"a", "b", "c", "..", "."}
	for round := range 150 {
		base, err := filepath.EvalSymlinks(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		tree, other := filepath.Join(base, "tree"), filepath.Join(base, "other")
		files, links := map[string]string{}, map[string]string{}
		taken := map[string]bool{tree: true, other: true}
		for i := range 10 {
			path := []string{tree, other, base + "/outside"}[rng.Intn(3)]
			for range 1 + rng.Intn(3) {
				path += "/" + names[rng.Intn(3)]
			}
			free := !taken[path]
			for p := path; len(p) > len(base); p = filepath.Dir(p) {
				free = free && files[p] == "" && links[p] == ""
			}
			if !free {
				continue
			}
			for p := path; len(p) > len(base); p = filepath.Dir(p) {
				taken[p] = true
			}
			if rng.Intn(2) == 0 {
				files[path] = fmt.Sprint("text ", i)
				continue
			}
			to := []string{"", "", tree + "/", other + "/", base + "/outside/", "../", "../../tree/"}[rng.Intn(7)]
			for range 1 + rng.Intn(3) {
				to += names[rng.Intn(5)] + "/"
			}
			links[path] = strings.TrimSuffix(to, "/")
		}
		onDisk := map[string]string{}
		for p, text := range files {
			onDisk[p] = text
		}
		for p, to := range links {
			onDisk[p] = "-> " + to
		}
		for _, d := range []string{tree, other} {
			os.MkdirAll(d, 0o755)
		}
		put(t, "/", onDisk)
		roots := []string{tree, other}
		disk, memory := NewDir(DirOptions{Roots: roots}), NewMemory(roots, files, links)
		over, err := NewOverlay(NewMemory(roots, nil, links), files)
		if err == nil && len(links) == 0 {
			for p := range files {
				if a, b := all(disk, p), all(over, p); !strings.HasPrefix(p, base+"/outside") && a != b {
					t.Errorf("round %d: %s\n disk    %s\n overlay %s", round, p, a, b)
				}
			}
		}
		var paths []string
		for p := range taken {
			paths = append(paths, p, p+"/a", p+"/b/c")
		}
		rng.Shuffle(len(paths), func(i, j int) { paths[i], paths[j] = paths[j], paths[i] })
		for _, p := range paths {
			if a, b := all(disk, p), all(memory, p); a != b {
				t.Errorf("round %d: %s\n disk   %s\n memory %s\n links %v files %v", round, p, a, b, links, files)
			}
			if to, err := disk.Link(p); err == nil {
				if really, _ := os.Readlink(p); to != really && p != tree && p != other {
					t.Errorf("round %d: %s is a link to %q, really to %q", round, p, to, really)
				}
			}
			// What is read is what the system reads, and lies inside.
			real, err := filepath.EvalSymlinks(p)
			inside := err == nil && (below(tree, real) || below(other, real))
			c, mine := disk.Read(p)
			text, theirs := os.ReadFile(p)
			if mine == nil && (theirs != nil || c.Text != string(text) || !inside) {
				t.Errorf("round %d: %s is read as %q, really %q at %s, %v", round, p, c.Text, text, real, theirs)
			}
		}
		if err := disk.Confirm(); err != nil {
			t.Errorf("round %d: %v", round, err)
		}
	}
}

func TestOnlyRegularFiles(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, map[string]string{"tree/zero": "-> /dev/zero", "tree/loop": "-> loop", "tree/dev": "-> /dev",
		"tree/in": "-> pipe", "tree/ok": "ok"})
	tree := filepath.Join(dir, "tree")
	if err := syscall.Mkfifo(filepath.Join(tree, "pipe"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(tree, "sparse"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(filepath.Join(tree, "sparse"), 20<<30); err != nil {
		t.Fatal(err)
	}
	for _, opt := range []DirOptions{{Roots: []string{tree}}, {Roots: []string{tree}, Anywhere: true}} {
		view := NewDir(opt)
		for _, name := range []string{"zero", "loop", "dev/zero", "in", "pipe", "sparse"} {
			if _, err := view.Read(filepath.Join(tree, name)); err == nil {
				t.Errorf("%s is read", name)
			} else if kind := kindOfError(err); name != "loop" && kind != "refused" {
				t.Errorf("%s: %v", name, err)
			}
		}
		list, err := view.List(tree)
		if err != nil || len(list) != 7 {
			t.Errorf("list: %v %v", list, err)
		}
		if c, err := view.Read(filepath.Join(tree, "ok")); err != nil || c.Text != "ok" {
			t.Errorf("ok: %q %v", c.Text, err)
		}
	}
	_, err := NewDir(DirOptions{Roots: []string{tree}}).Read("/etc/passwd")
	var no *Refused
	if !errors.As(err, &no) || no.Flag != "--root /etc" {
		t.Errorf("outside: %v", err)
	}
}

// The links of a module path that the user named are the user's; those of one in the tree are not.
func TestLinksOfModulePath(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, map[string]string{"available/apache/x": "x", "modules/apache": "-> ../available/apache",
		"tree/modules/apache": "-> ../../available/apache"})
	read := func(opt DirOptions, path string) error {
		_, err := NewDir(opt).Read(filepath.Join(dir, path))
		return err
	}
	tree, modules := filepath.Join(dir, "tree"), filepath.Join(dir, "modules")
	if err := read(DirOptions{Roots: []string{tree}, Modules: []string{modules}}, "modules/apache/x"); err != nil {
		t.Error(err)
	}
	if err := read(DirOptions{Roots: []string{tree}, Modules: []string{modules}}, "tree/modules/apache/x"); err != nil {
		t.Errorf("the target is a root now: %v", err)
	}
	if err := read(DirOptions{Roots: []string{tree}, Modules: []string{tree + "/modules"}},
		"tree/modules/apache/x"); kindOfError(err) != "refused" {
		t.Errorf("a link of the tree: %v", err)
	}
}

// A view never tells of two states, whatever changes, and however soon after it was made: it tells of the first, or
// says ErrChanged.
func TestChangesAreNoticed(t *testing.T) {
	for name, change := range map[string]func(dir string){
		"edit of the same size": func(d string) { os.WriteFile(d+"/a", []byte("A"), 0o644) },
		"edit":                  func(d string) { os.WriteFile(d+"/a", []byte("longer"), 0o644) },
		"deletion":              func(d string) { os.Remove(d + "/a") },
		"new file":              func(d string) { os.WriteFile(d+"/new", nil, 0o644) },
		"replaced":              func(d string) { os.WriteFile(d+"/t", []byte("x"), 0o644); os.Rename(d+"/t", d+"/a") },
		"link":                  func(d string) { os.Remove(d + "/link"); os.Symlink("b", d+"/link") },
		"swapped directory":     func(d string) { os.Rename(d+"/sub", d+"/old"); os.Rename(d+"/other", d+"/sub") },
	} {
		for _, wait := range []time.Duration{0, 50 * time.Millisecond} {
			dir := t.TempDir()
			put(t, dir, map[string]string{"a": "a", "b": "b", "link": "-> a", "sub/x": "1", "sub/y": "1", "other/x": "2",
				"other/y": "2"})
			time.Sleep(wait) // so that time stamps are old, or not
			view := NewDir(DirOptions{Roots: []string{dir}})
			first := all(view, dir) + all(view, dir+"/a") + all(view, dir+"/link") + all(view, dir+"/new") + all(view, dir+
				"/sub/x")
			if err := view.Confirm(); err != nil {
				t.Errorf("%s: changed before it was", name)
			}
			change(dir)
			second := all(view, dir) + all(view, dir+"/a") + all(view, dir+"/link") + all(view, dir+"/new") + all(view, dir+
				"/sub/x")
			c, err := view.Read(dir + "/sub/y") // new to the view, and perhaps another now
			if done := view.Confirm(); done == nil && (second != first || err != nil || c.Text != "1") {
				t.Errorf("%s after %v: two states:\n%s\n%s\n%q %v", name, wait, first, second, c.Text, err)
			}
			if err := view.Fresh().(Live).Confirm(); err != nil {
				t.Errorf("%s: a fresh view says %v", name, err)
			}
		}
	}
}

// Of files that are written one after the other, a view shows a prefix of the writes or says that they changed.
func TestNoMixture(t *testing.T) {
	dir := t.TempDir()
	const files = 8
	name := func(i int) string { return fmt.Sprintf("%s/d%d/f", dir, i%4+i/4*10) }
	write := func(i, n int) {
		os.MkdirAll(filepath.Dir(name(i)), 0o755)
		os.WriteFile(name(i), []byte(fmt.Sprintf("%06d", n)), 0o644)
	}
	for i := range files {
		write(i, 0)
	}
	stop, done := make(chan bool), make(chan bool)
	go func() {
		defer close(done)
		rng := rand.New(rand.NewSource(2))
		for n := 1; ; n++ {
			for i := range files { // in this order: at every moment the numbers fall, by one at most
				select {
				case <-stop:
					return
				default:
				}
				write(i, n)
				if rng.Intn(20) == 0 {
					time.Sleep(time.Duration(rng.Intn(3000)) * time.Microsecond)
				}
			}
		}
	}()
	rng := rand.New(rand.NewSource(3))
	fine := 0
	var view Files = NewDir(DirOptions{Roots: []string{dir}})
	for range 1500 {
		view = view.(Live).Fresh()
		var got [files]string
		bad := false
		for _, i := range rng.Perm(files) {
			c, err := view.Read(name(i))
			bad = bad || err != nil
			got[i] = c.Text
		}
		if bad || view.(Live).Confirm() != nil {
			continue
		}
		fine++
		steps := 0
		for i := 1; i < files; i++ {
			if got[i] != got[i-1] {
				steps++
			}
		}
		if steps > 1 || got[0] < got[files-1] {
			empty := false // os.WriteFile empties a file first, which is a state too
			for _, g := range got {
				empty = empty || g == ""
			}
			if !empty {
				t.Fatalf("a mixture: %v", got)
			}
		}
	}
	close(stop)
	<-done
	t.Logf("%d of 1500 views could be confirmed", fine)
	view = view.(Live).Fresh()
	for i := range files {
		view.Read(name(i))
	}
	if err := view.(Live).Confirm(); err != nil {
		t.Errorf("when nobody writes: %v", err)
	}
}

func TestOverlay(t *testing.T) {
	under := NewMemory([]string{"/e"}, map[string]string{"/e/manifests/site.pp": "old", "/e/x": "x"},
		map[string]string{"/e/link": "manifests"})
	over, err := NewOverlay(under, map[string]string{"/e/link/site.pp": "new", "/e/data/nodes/a.yaml": "a: 1",
		"/e/manifests/b.pp": "b"})
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{"/e/manifests/site.pp": "new", "/e/link/site.pp": "new",
		"/e/data/nodes/a.yaml": "a: 1", "/e/link/b.pp": "b", "/e/x": "x"} {
		if c, err := over.Read(path); err != nil || c.Text != want {
			t.Errorf("%s: %q %v", path, c.Text, err)
		}
	}
	for path, want := range map[string]string{"/e": "[{data 2 false} {link 2 true} {manifests 2 false} {x 1 false}]",
		"/e/data": "[{nodes 2 false}]", "/e/link": "[{b.pp 1 false} {site.pp 1 false}]"} {
		if list, err := over.List(path); err != nil || fmt.Sprint(list) != want {
			t.Errorf("%s: %v %v, want %s", path, list, err, want)
		}
	}
	if _, err := NewOverlay(under, map[string]string{"/etc/passwd": ""}); err == nil {
		t.Error("a text outside of the roots is taken")
	}
}

// TestStale: an edit, a new file and one that is gone are noticed, and so is nothing else.
func TestStale(t *testing.T) {
	dir := t.TempDir()
	put := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	put("a", "1")
	for _, x := range []struct {
		name string
		edit func()
		want bool
	}{
		{"nothing", func() {}, false},
		{"an edit of the same length", func() { put("a", "2") }, true},
		{"a new file", func() { put("b", "1") }, true},
		{"one that is gone", func() { os.Remove(filepath.Join(dir, "b")) }, true},
	} {
		view := NewDir(DirOptions{Roots: []string{dir}})
		if _, err := view.List(filepath.ToSlash(dir)); err != nil {
			t.Fatal(err)
		}
		if _, err := view.Read(filepath.ToSlash(filepath.Join(dir, "a"))); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if view.Stale() {
				t.Errorf("%s: stale before anything happened", x.name)
			}
		}
		if x.edit(); view.Stale() != x.want {
			t.Errorf("%s: stale is not %v", x.name, x.want)
		}
	}
}

// asked counts what a view asks of its backend.
type asked struct {
	Backend
	looks, lists int
}

func (a *asked) Lstat(p string) (Inode, error)   { a.looks++; return a.Backend.Lstat(p) }
func (a *asked) Names(p string) ([]Inode, error) { a.lists++; return a.Backend.Names(p) }

// What is not there costs no memory for each that asks for it: a fleet has a million nodes, and few have a file of data
// of their own.
func TestMissingIsNotKept(t *testing.T) {
	all := NewMemory([]string{"/e"}, map[string]string{"/e/nodes/n7.yaml": "a: 1\n", "/e/f": ""},
		map[string]string{"/e/l": "nodes"})
	back := &asked{Backend: all.back}
	v := NewView(back, []string{"/e"}, []string{"/e"}, false)
	for i := range 100_000 {
		for _, dir := range []string{"nodes", "l", "none", "f"} {
			_, err := v.Stat(fmt.Sprintf("/e/%s/n%d.yaml", dir, i))
			if has := i == 7 && (dir == "nodes" || dir == "l"); has != (err == nil) || !has && !errors.Is(err, fs.ErrNotExist) {
				t.Fatalf("n%d.yaml in %s: %v", i, dir, err)
			}
		}
	}
	if len(v.nodes) > 3*mostMissed || back.looks > 2*mostMissed || back.lists != 1 {
		t.Errorf("%d paths are kept, %d were looked at, %d directories listed", len(v.nodes), back.looks, back.lists)
	}
}
