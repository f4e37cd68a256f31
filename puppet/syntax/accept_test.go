package syntax

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"bunraku/internal/live"
	"bunraku/source"
)

// moduleTexts are the manifests of Debian's modules, in memory.
func moduleTexts(t testing.TB) (files []*source.File, size int) {
	for _, name := range live.Files(t, ".pp") {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, source.NewFile(name, string(text)))
		size += len(text)
	}
	return files, size
}

func readAll(files []*source.File) (errors int) {
	for _, f := range files {
		tree, ds := Parse(f, Options{})
		if ds.HasErrors() || Validate(tree, Options{}).HasErrors() {
			errors++
		}
	}
	return errors
}

func BenchmarkModules(b *testing.B) {
	files, size := moduleTexts(b)
	b.SetBytes(int64(size))
	b.ReportAllocs()
	for b.Loop() {
		readAll(files)
	}
}

// TestAcceptThroughput reads Debian's modules ten times, in turn with real Puppet, each on one core, by CPU time.
func TestAcceptThroughput(t *testing.T) {
	live.Accept(t)
	live.Puppet(t)
	files, size := moduleTexts(t)
	names := make([]string, len(files))
	for i, f := range files {
		names[i] = f.Name
	}
	cmd := live.Command("ruby", filepath.Join("testdata", "throughput.rb"))
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	fmt.Fprintf(in, "%s\n\n", strings.Join(names, "\n"))
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	const runs = 10
	var ours, theirs []float64
	mbps := func(d time.Duration) float64 { return float64(size) / 1e6 / d.Seconds() }
	for range runs {
		began := live.CPU()
		if n := readAll(files); n > 0 {
			t.Fatalf("%d files are refused", n)
		}
		runtime.GC() // what was thrown away is part of the price
		ours = append(ours, mbps(live.CPU()-began))
		io.WriteString(in, "go\n")
		if !lines.Scan() {
			t.Fatal("no answer from Ruby")
		}
		var seconds float64
		fmt.Sscan(lines.Text(), &seconds)
		theirs = append(theirs, float64(size)/1e6/seconds)
	}
	in.Close()
	cmd.Wait()
	best, real := slices.Max(ours), slices.Max(theirs)
	t.Logf("ours:   best %.1f MB/s, worst %.1f, of %d runs over %.1f MB", best, slices.Min(ours), runs, float64(size)/1e6)
	t.Logf("Puppet: best %.2f MB/s, worst %.2f", real, slices.Min(theirs))
	t.Logf("throughput: %.1f MB/s (bar: 40), %.0f times real Puppet", best, best/real)
	if best < 40 {
		t.Error("below the bar")
	}
}

// TestAcceptMutants widens the comparison on broken files.
func TestAcceptMutants(t *testing.T) {
	live.Accept(t)
	equal, rejected := compareMutants(t, 4000, 11)
	t.Logf("accept/reject on mutants: %d equal of 4000+, %d of them broken (bar: all, at least 200 broken)", equal,
		rejected)
}
