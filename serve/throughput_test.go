//go:build linux

package serve_test

import (
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"bunraku/internal/live"
)

// cpuOf is the time that a process has spent computing, and the memory that it has.
func cpuOf(t testing.TB, pid int) (cpu time.Duration, rss int64) {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		t.Fatal(err)
	}
	fields := strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+2:]))
	number := func(i int) int64 {
		n, err := strconv.ParseInt(fields[i-3], 10, 64) // by proc(5): the third field is the first here
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	return time.Duration(number(14)+number(15)) * 10 * time.Millisecond, number(24) * int64(os.Getpagesize())
}

// startProgram runs `bunraku serve` on one processor, with what another server has been told.
func startProgram(t testing.TB, r *running) (*running, *exec.Cmd, time.Duration) {
	t.Helper()
	program := filepath.Join(t.TempDir(), "bunraku")
	build := exec.Command("go", "build", "-o", program, "./cmd/bunraku")
	build.Dir = live.Root()
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	l.Close()
	cmd := exec.Command(live.Tool(t, "taskset"), "-c", "1", program, "serve", strings.Join(r.opt.Environments, ":"),
		"--listen", address, "--hostcert", r.opt.Cert, "--hostprivkey", r.opt.Key, "--localcacert", r.opt.CA, "--hostcrl",
		r.opt.CRL, "--state", t.TempDir(), "--language", "7", "--root", live.ModulesDir)
	log, err := os.Create(filepath.Join(t.TempDir(), "log"))
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stdout, cmd.Stderr = log, log
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	began := time.Now()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // the group that we have made
		_ = cmd.Wait()
		log.Close()
	})
	same := *r
	same.url = "https://" + address
	c := r.client()
	for {
		if a, err := same.try(c, "GET", "/status/v1/simple", "", ""); err == nil && a.status == 200 {
			return &same, cmd, time.Since(began)
		}
		if time.Since(began) > time.Minute {
			t.Fatal("it does not answer")
		}
		time.Sleep(time.Millisecond)
	}
}

// replay sends requests of the sites, each with facts of its own, one after the other, for a time and until all were
// asked for. It returns how many there were, the times by number of resources, and the answers by site.
func replay(t testing.TB, r *running, requests []siteRequest, pid int, least time.Duration) (perCPU, perSecond float64,
	small []time.Duration, rss int64, answers map[string]string) {
	t.Helper()
	answers = map[string]string{}
	rng := rand.New(rand.NewPCG(1, uint64(pid)))
	before, _ := cpuOf(t, pid)
	began := time.Now()
	n := 0
	for time.Since(began) < least || n < len(requests) {
		q := requests[n%len(requests)]
		q.facts["uptime_seconds"] = rng.IntN(1 << 30)
		q.facts["memoryfree_mb"] = rng.Float64()
		at := time.Now()
		a := r.ask(q)
		took := time.Since(at)
		if a.status != 200 {
			t.Fatalf("%s: %d %s", q.site, a.status, a.body)
		}
		if strings.Count(a.body, `"exported":`) <= 300 {
			small = append(small, took)
		}
		answers[q.site] = plainCatalog(a.body)
		n++
	}
	wall := time.Since(began)
	after, rss := cpuOf(t, pid)
	slices.Sort(small)
	return float64(n) / (after - before).Seconds(), float64(n) / wall.Seconds(), small, rss, answers
}

// TestAcceptServeThroughput compares how many catalogs we and puppetserver make in a second of a processor, warm, with
// facts that differ in every request. The machine may be busy with other things: what counts is the processor's time of
// the server, which that changes little; the time by the clock is printed beside it. BUNRAKU_SERVE_SITES takes so many
// of the sites only, BUNRAKU_ALONE leaves puppetserver out.
func TestAcceptServeThroughput(t *testing.T) {
	live.Accept(t)
	runtime.GOMAXPROCS(1)
	r, requests := startSites(t)
	if some, err := strconv.Atoi(os.Getenv("BUNRAKU_SERVE_SITES")); err == nil { // puppetserver takes its time for all
		step := len(requests) / some
		var chosen []siteRequest
		for i := 0; i < some; i++ {
			chosen = append(chosen, requests[i*step+step/2])
		}
		requests = chosen
	}
	ours, cmd, first := startProgram(t, r)
	at := time.Now()
	if a := ours.ask(requests[0]); a.status != 200 {
		t.Fatalf("%d %s", a.status, a.body)
	}
	t.Logf("first catalog %v after the start (bar: 1 s)", (first + time.Since(at)).Round(time.Millisecond))
	pid := cmd.Process.Pid
	replay(t, ours, requests, pid, 0) // to warm up
	cpu, wall, small, rss, answers := replay(t, ours, requests, pid, 20*time.Second)
	t.Logf("bunraku: %.1f catalogs a second of a processor, %.1f by the clock; p50 %v, p95 %v up to 300 resources (bar: 50 ms);"+
		" %d MB", cpu, wall, small[len(small)/2].Round(100*time.Microsecond),
		small[len(small)*95/100].Round(100*time.Microsecond), rss>>20)
	if os.Getenv("BUNRAKU_ALONE") != "" {
		return
	}
	x := startRival(t, r, live.ModulesDir, "environment_timeout = unlimited") // as people set it who want speed
	replay(t, x.running, requests, x.cmd.Process.Pid, 2*time.Minute)
	theirs, theirWall, _, theirRSS, theirAnswers := replay(t, x.running, requests, x.cmd.Process.Pid, time.Minute)
	same := 0
	for site, a := range answers {
		if theirAnswers[site] == a {
			same++
		}
	}
	t.Logf("puppetserver: %.2f catalogs a second of a processor, %.2f by the clock, %d MB; ready after %v", theirs,
		theirWall,
		theirRSS>>20, x.took.Round(time.Second))
	t.Logf("%.0f times puppetserver (bar: 40 without reuse of results); %d of %d answers the same", cpu/theirs, same,
		len(answers))
}
