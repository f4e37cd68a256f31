package smartfrog

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"bunraku/bench/smartfrog/shape"
	"bunraku/internal/live"
)

// TestAccept measures what the SmartFrog compiler promises, prints each figure beside its bar, and fails when one falls
// short. It takes minutes, and runs only when BUNRAKU_ACCEPT is set.
func TestAccept(t *testing.T) {
	live.Accept(t)
	t.Run("answers", acceptAnswers)
	t.Run("random", acceptRandom)
	t.Run("fuzz", acceptFuzz)
	t.Run("speed", acceptSpeed)
}

// figure prints one figure beside its bar.
func figure(t *testing.T, what string, ok bool, got, bar string) {
	t.Helper()
	verdict := "meets"
	if !ok {
		verdict = "MISSES"
		t.Fail()
	}
	fmt.Printf("accept: smartfrog %-44s %14s  %-6s %s\n", what, got, verdict, bar)
}

func acceptAnswers(t *testing.T) {
	dir := sharedCorpus(t)
	all := func(what string, right, n int) {
		figure(t, what, right == n && n > 0, fmt.Sprintf("%d/%d", right, n), "all")
	}
	right, n := scoreRecorded(t, filepath.Join(dir, "core"), Options{}, nil)
	all("core answers", right, n)
	right, n = scoreRecorded(t, filepath.Join(dir, "quickcheck"), Options{}, nil)
	all("quickcheck answers", right, n)
	right, n = scoreProbes(t, filepath.Join(dir, "probes"))
	all("probes on which Haskell and Scala agree", right, n)
	right, n = scoreExtended(t, filepath.Join(dir, "extended"))
	all("extended answers, HP's output included", right, n)
}

// A counting failer counts failures instead of ending the test.
type counting struct {
	t      *testing.T
	failed int
}

func (c *counting) Helper() {}
func (c *counting) Fatalf(format string, args ...any) {
	c.failed++
	if c.failed == 1 {
		c.t.Errorf(format, args...)
	}
}

func acceptRandom(t *testing.T) {
	const n = 20_000
	c := &counting{t: t}
	valid := compareMany(c, n, 0)
	figure(t, "random valid specifications, differences", c.failed == 0 && valid >= n*99/100,
		fmt.Sprintf("%d of %d", c.failed, valid), fmt.Sprintf("0 of %d", n))
	c = &counting{t: t}
	compareMany(c, n, 10)
	figure(t, "random wrong specifications, differences", c.failed == 0, fmt.Sprintf("%d of %d", c.failed, n), "0")
}

func acceptFuzz(t *testing.T) {
	const length = "20s"
	out, err := exec.Command("go", "test", "-run", "^$", "-fuzz", "FuzzCompile", "-fuzztime", length, ".").CombinedOutput()
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	runs := "?"
	for _, l := range lines {
		if _, after, ok := strings.Cut(l, "execs: "); ok {
			runs, _, _ = strings.Cut(after, " ")
		}
	}
	figure(t, "fuzzing for "+length, err == nil, runs+" runs", "no crash")
	if err != nil {
		t.Errorf("%s", out)
	}
}

func acceptSpeed(t *testing.T) {
	dir := t.TempDir()
	binary := filepath.Join(dir, "bunraku")
	if out, err := exec.Command("go", "build", "-o", binary, "bunraku/cmd/bunraku").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	// cpu is the processor time of the whole command, the best of some runs: others use the machine too.
	cpu := func(text string) time.Duration {
		file := filepath.Join(dir, "spec.sf")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		best := time.Hour
		for range 5 {
			cmd := exec.Command(binary, "smartfrog", file)
			cmd.Stderr = os.Stderr
			if err := cmd.Run(); err != nil {
				t.Fatal(err)
			}
			best = min(best, cmd.ProcessState.UserTime()+cmd.ProcessState.SystemTime())
		}
		return best
	}
	seconds := func(what string, got, bar time.Duration) {
		figure(t, what, got <= bar, fmt.Sprintf("%.3f s", got.Seconds()), fmt.Sprintf("%.2f s", bar.Seconds()))
	}
	seconds("50,000 nested lines, CPU", cpu(shape.Nested(50_000)), 150*time.Millisecond)
	seconds("50,000 nested levels, CPU", cpu(shape.Nested(100_000)), 150*time.Millisecond)
	seconds("50,000 lines nested with links, CPU", cpu(shape.Linked(50_000)), 150*time.Millisecond)
	small, medium, large := cpu(shape.Siblings(5_000)), cpu(shape.Siblings(50_000)), cpu(shape.Siblings(500_000))
	seconds("50,000 siblings, CPU", medium, 300*time.Millisecond)
	fmt.Printf("accept: smartfrog siblings 5,000: %.3f s, 50,000: %.3f s, 500,000: %.3f s\n", small.Seconds(),
		medium.Seconds(), large.Seconds())
	// Linear is: a further line costs the same among many as among few. Twice as much is left to the garbage collector,
	// which does not run on few, and to the caches; quadratic would be ten times.
	few, many := float64(medium-small)/45_000, float64(large-medium)/450_000
	figure(t, "siblings, cost of a further line", many <= 2*few, fmt.Sprintf("%.2f → %.2f µs", few/1000, many/1000),
		"at most twice")
}
