package compiler_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"bunraku/budget"
	"bunraku/internal/live"
	"bunraku/puppet/compiler"
	"bunraku/puppet/eval"
	"bunraku/source"
)

// states is a site whose code, data and templates all carry the number of one state.
func state(n int) map[string]string {
	return map[string]string{
		"manifests/site.pp": fmt.Sprintf("notify { 'x': message => \"code-%06d data-${lookup('k')} "+
			"${epp('m/t.epp')} ${template('m/t.erb')} ${file('m/f')} ${m::f()}\" }", n),
		"hiera.yaml":                  hieraLevel("path: d.yaml"),
		"data/d.yaml":                 fmt.Sprintf("k: n%06d", n),
		"modules/m/templates/t.epp":   fmt.Sprintf("epp-%06d", n),
		"modules/m/templates/t.erb":   fmt.Sprintf("erb-%06d", n),
		"modules/m/files/f":           fmt.Sprintf("file-%06d", n),
		"modules/m/functions/f.pp":    fmt.Sprintf("function m::f() { 'func-%06d' }", n),
		"modules/m/manifests/init.pp": "class m {}",
	}
}

// order is that in which a state is written.
var order = []string{"manifests/site.pp", "data/d.yaml", "modules/m/templates/t.epp", "modules/m/templates/t.erb",
	"modules/m/files/f", "modules/m/functions/f.pp"}

func message(r *eval.Result) string {
	if r == nil || r.Catalog == nil || r.Catalog.Resource("Notify", "x") == nil {
		return ""
	}
	return inspect(r.Catalog.Resource("Notify", "x").Get("message"))
}

// A snapshot that was opened shows one state however the files are changed under it: everything of the old one, or
// everything of the new.
func TestNoMixtureUnderOpenSnapshot(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "production")
	write(t, dir, state(1))
	for _, wait := range []time.Duration{0, 60 * time.Millisecond} {
		write(t, dir, state(1))
		time.Sleep(wait)
		c, err := compiler.NewWorkspace(dir, compiler.Options{}).Open(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.Compile(context.Background(), compiler.Node{Name: "a"}); err != nil {
			t.Fatal(err)
		}
		write(t, dir, state(2))
		r, err := c.Compile(context.Background(), compiler.Node{Name: "b"})
		if err != nil {
			t.Fatal(err)
		}
		if m := message(r); strings.Contains(m, "000001") == strings.Contains(m, "000002") {
			t.Errorf("after %v: %s", wait, m)
		}
	}
}

// While a writer edits, every compile equals that of one state or says that the tree is being written, and when the
// writer pauses it succeeds.
func noMixture(t *testing.T, compiles int) {
	dir := filepath.Join(t.TempDir(), "production")
	write(t, dir, state(0))
	put := func(name, text string) {
		temp := filepath.Join(dir, ".t")
		os.WriteFile(temp, []byte(text), 0o644)
		os.Rename(temp, filepath.Join(dir, name)) // so that no state has half a file
	}
	stop, done := make(chan bool), make(chan bool)
	pause, paused, resume := make(chan bool), make(chan bool), make(chan bool)
	go func() {
		defer close(done)
		rng := rand.New(rand.NewSource(1))
		for n := 1; ; n++ {
			text := state(n)
			for _, name := range order {
				select {
				case <-stop:
					return
				case <-pause:
					paused <- true
					<-resume
				default:
				}
				put(name, text[name])
				if rng.Intn(8) == 0 {
					time.Sleep(time.Duration(rng.Intn(8000)) * time.Microsecond)
				}
			}
		}
	}()
	ws := compiler.NewWorkspace(dir, compiler.Options{})
	fine, written := 0, 0
	compile := func() error {
		c, err := ws.Open(context.Background())
		if err != nil {
			return err
		}
		r, err := c.Compile(context.Background(), compiler.Node{Name: "n"})
		if err != nil {
			return err
		}
		m := message(r)
		numbers := digits(m)
		steps := 0
		for i := 1; i < len(numbers); i++ {
			if numbers[i] != numbers[i-1] {
				steps++
			}
		}
		// The files are written in the order in which the message shows them: one state has at most one step down.
		if len(numbers) != len(order) || steps > 1 || numbers[0] < numbers[len(numbers)-1] {
			t.Fatalf("a mixture, or none: %q %v", m, r.Failure)
		}
		return nil
	}
	for i := range compiles {
		switch err := compile(); {
		case err == nil:
			fine++
		case errors.Is(err, compiler.ErrWritten):
			written++
		default:
			t.Fatal(err)
		}
		if i%20 == 19 {
			pause <- true
			<-paused
			if err := compile(); err != nil {
				t.Errorf("while nobody writes: %v", err)
			}
			resume <- true
		}
	}
	close(stop)
	<-done
	t.Logf("%d compiles of one state, %d times the tree was being written", fine, written)
}

func digits(s string) (out []string) {
	for i := 0; i+6 <= len(s); i++ {
		if strings.Trim(s[i:i+6], "0123456789") == "" {
			out = append(out, s[i:i+6])
			i += 5
		}
	}
	return out
}

func TestNoMixture(t *testing.T) { noMixture(t, 60) }

func TestAcceptSnapshots(t *testing.T) {
	live.Accept(t)
	noMixture(t, 1000)
}

// bigSite writes a site of many files, all of which one node's compile reads.
func bigSite(t *testing.T, dir string, files int) {
	site := &strings.Builder{}
	for i := range files {
		fmt.Fprintf(site, "include m::c%d\n", i)
		write(t, dir, map[string]string{fmt.Sprintf("modules/m/manifests/c%d.pp", i): bigClass(i, 0)})
	}
	write(t, dir, map[string]string{"manifests/site.pp": site.String(), "modules/m/manifests/init.pp": "class m {}"})
}

func bigClass(i, edit int) string {
	out := fmt.Sprintf("# edit %d\nclass m::c%d (\n  String $a = 'a',\n) {\n", edit, i)
	for k := range 12 {
		out += fmt.Sprintf("  if $a == 'never%d' {\n    file { \"/tmp/c%d/%d\":\n      ensure => file, mode => '0644', "+
			"content => \"${a} ${facts['x']} text\",\n    }\n  }\n", k, i, k)
	}
	return out + "}\n"
}

func heap() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// Edits under one workspace leave nothing behind.
func edits(t *testing.T, files, count, first int) {
	dir := filepath.Join(t.TempDir(), "production")
	bigSite(t, dir, files)
	ws := compiler.NewWorkspace(dir, compiler.Options{})
	var view source.Files = ws.Disk()
	var early int64
	rng := rand.New(rand.NewSource(1))
	for n := 1; n <= count; n++ {
		for range 5 {
			i := rng.Intn(files)
			write(t, dir, map[string]string{fmt.Sprintf("modules/m/manifests/c%d.pp", i): bigClass(i, n)})
		}
		view = view.(source.Live).Fresh()
		c, err := ws.Snapshot(context.Background(), view)
		if err != nil {
			t.Fatal(err)
		}
		if r, err := c.Compile(context.Background(), compiler.Node{Name: "n"}); err != nil || r.Failure != nil {
			t.Fatal(err, r)
		}
		if n == first {
			early = heap()
		}
	}
	if late := heap(); float64(late) > 1.3*float64(early) {
		t.Errorf("the heap grew from %d to %d bytes", early, late)
	} else {
		t.Logf("heap after edit %d: %.1f MB, after %d: %.1f MB", first, float64(early)/1e6, count, float64(late)/1e6)
	}
	runtime.KeepAlive(ws)
}

func TestEditsLeaveNothing(t *testing.T) { edits(t, 60, 80, 30) }

func TestAcceptEdits(t *testing.T) {
	live.Accept(t)
	edits(t, 150, 1000, 50)
}

// A second snapshot that differs in a few files costs a small part of the first: the work is counted by what is read
// and parsed anew.
func TestSecondSnapshotIsCheap(t *testing.T) {
	files, accept := 300, os.Getenv("BUNRAKU_ACCEPT") != ""
	if accept {
		files = 3000
	}
	dir := filepath.Join(t.TempDir(), "production")
	bigSite(t, dir, files)
	time.Sleep(50 * time.Millisecond) // a tree that was written a moment ago is read with more care
	ws := compiler.NewWorkspace(dir, compiler.Options{})
	load := func(view source.Files) (*compiler.Snapshot, int64, time.Duration) {
		before, began := heap(), live.CPU()
		c, err := ws.Snapshot(context.Background(), view)
		if err != nil {
			t.Fatal(err)
		}
		for i := range files {
			path, ok := c.Environment().ManifestFile("m", fmt.Sprint("c", i))
			if !ok {
				t.Fatal(i)
			}
			if _, ds, err := c.Environment().Parse(path); err != nil || ds.HasErrors() {
				t.Fatal(err, ds)
			}
		}
		took := live.CPU() - began
		return c, heap() - before, took
	}
	disk := ws.Disk()
	first, bytes, took := load(disk)
	for i := range 5 {
		write(t, dir, map[string]string{fmt.Sprintf("modules/m/manifests/c%d.pp", i*7): bigClass(i*7, 1)})
	}
	time.Sleep(50 * time.Millisecond)
	second, more, tookMore := load(disk.Fresh())
	share, timeShare := float64(more)/float64(bytes), float64(tookMore)/float64(took)
	t.Logf("%d files: first %.1f MB in %v, second %.2f MB (%.1f %%) in %v (%.1f %%)", files, float64(bytes)/1e6, took,
		float64(more)/1e6, 100*share, tookMore, 100*timeShare)
	if share > 0.10 || accept && (share > 0.05 || timeShare > 0.05) { // a small site has the snapshot itself to bear
		t.Error("more than 5 %")
	}
	runtime.KeepAlive(first)
	runtime.KeepAlive(second)
}

// A context that ends leaves a compile not done.
func TestCompileIsCancelled(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "production")
	write(t, dir,
		map[string]string{"manifests/site.pp": "Integer[1, 3000].each |$i| { Integer[1, 3000].each |$j| { $x = $i + $j } }"})
	c, err := compiler.NewWorkspace(dir, compiler.Options{}).Open(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	time.AfterFunc(30*time.Millisecond, cancel)
	if r, err := c.Compile(ctx, compiler.Node{Name: "n"}); !errors.Is(err, context.Canceled) {
		t.Errorf("%v %v", r, err)
	}
}

// What a command parses before it takes a snapshot is not parsed again.
func TestParsedOnce(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "production")
	write(t, dir, state(1))
	ws := compiler.NewWorkspace(dir, compiler.Options{})
	view := ws.Disk()
	for _, name := range []string{"manifests/site.pp", "modules/m/manifests/init.pp", "modules/m/templates/t.epp"} {
		name = filepath.Join(dir, name)
		tree, ds, err := ws.Parse(view, name, false)
		if err != nil || len(ds) > 0 {
			t.Fatal(err, ds)
		}
		c, err := ws.Snapshot(context.Background(), view)
		if err != nil {
			t.Fatal(err)
		}
		if again, _, err := c.Environment().Parse(name); err != nil || again != tree {
			t.Errorf("%s is parsed twice (%v)", name, err)
		}
	}
}

// A compile that fails is run again with tracing; both draw on one budget. Where that does not do for the second, the
// first one's answer stands.
func TestFailingOnOneBudget(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "production")
	write(t, dir, map[string]string{"manifests/site.pp": "Integer[1, 200].each |$i| { $x = $i + 1 }\nfail('no')"})
	compile := func(limits budget.Limits) *eval.Result {
		c, err := compiler.NewWorkspace(dir, compiler.Options{Limits: limits}).Open(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		r, err := c.Compile(context.Background(), compiler.Node{Name: "n"})
		if err != nil || r.Failure == nil || !strings.Contains(r.Failure.Summary, "no") {
			t.Fatalf("%v %v", r, err)
		}
		return r
	}
	whole := compile(budget.Limits{})
	if whole.Trace == nil {
		t.Error("it was not run again")
	}
	if small := compile(budget.Limits{Steps: whole.Steps * 3 / 4}); small.Trace != nil {
		t.Errorf("%d steps were enough for both, of which %d are needed", small.Steps, whole.Steps)
	}
}
