package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"bunraku/internal/live"
)

// A process is the program, run as one that can be killed.
type process struct {
	cmd      *exec.Cmd
	out, err buffer
	done     chan struct{}
}

// A buffer takes in what a process says, and can be read meanwhile.
type buffer struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

func start(t *testing.T, args ...string) *process {
	t.Helper()
	return startWith(t, asProgram+"=1", args...)
}

// startWith starts what a variable of the environment makes of a child process.
func startWith(t *testing.T, variable string, args ...string) *process {
	t.Helper()
	p := &process{cmd: exec.Command(os.Args[0], args...), done: make(chan struct{})}
	p.cmd.Env = append(os.Environ(), variable)
	p.cmd.Stdout, p.cmd.Stderr = &p.out, &p.err
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		_ = p.cmd.Wait()
		close(p.done)
	}()
	t.Cleanup(p.kill)
	return p
}

// kill ends it without a word, as kill -9 does.
func (p *process) kill() {
	_ = p.cmd.Process.Kill()
	<-p.done
}

// ended waits for its end for a while.
func (p *process) ended(wait time.Duration) bool {
	select {
	case <-p.done:
		return true
	case <-time.After(wait):
		return false
	}
}

// fleetSite is a site with two commits, and what diff says of them.
func fleetSite(t *testing.T, more int) (s *repository, want string) {
	t.Helper()
	s = many(t, more)
	s.commit("a change")
	code, want, errText := call("diff", s.dir, "--from", "HEAD~1", "--to", "HEAD", "--format", "json")
	if code != 1 || len(want) < 500 { // a node newly fails
		t.Fatal(code, want, errText)
	}
	return s, want
}

// One server and two workers come to what diff prints, to the byte; status says how far it is and what a worker lacks.
func TestFleet(t *testing.T) {
	s, want := fleetSite(t, 9)
	data := filepath.Join(t.TempDir(), "data")
	if code, _, err := call("fleet", "status", "--data", data); code != 1 || !strings.Contains(err, "nobody serves in") {
		t.Error(code, err)
	}
	if code, _, err := call("fleet", "serve", s.dir, "--data", data, "--from", "HEAD~1", "--listen",
		"0.0.0.0:0"); code != 1 ||
		!strings.Contains(err, "need TLS and a token") {
		t.Error(code, err)
	}
	serve := start(t, "fleet", "serve", s.dir, "--data", data, "--from", "HEAD~1", "--to", "HEAD", "--format", "json")
	for range 200 {
		if _, err := os.Stat(filepath.Join(data, "address")); err == nil || serve.ended(50*time.Millisecond) {
			break
		}
	}
	old := filepath.Join(t.TempDir(), "shop") // which has not got the newest commit
	s.git("clone", "-q", "--no-local", "--branch", "main", "--single-branch", s.dir, old)
	start(t, "fleet", "work", old, "--data", data, "--name", "poor")
	start(t, "fleet", "work", s.dir, "--data", data, "--name", "other", "--ignore", "File[/x]")
	told := ""
	for range 200 {
		code, out, err := call("fleet", "status", "--data", data)
		if told = out + err; code == 0 && strings.Contains(out, "poor   lacks revision ") &&
			strings.Contains(out, "other   has other files, facts or flags") {
			break
		}
		if serve.ended(100 * time.Millisecond) {
			break
		}
	}
	if !strings.Contains(told, "0 of 12 nodes") || !strings.Contains(told, "poor   lacks revision ") ||
		!strings.Contains(told, "other   has other files") {
		t.Errorf("status says %s", told)
	}
	for range 2 {
		start(t, "fleet", "work", s.dir, "--data", data, "--once")
	}
	if !serve.ended(time.Minute) {
		t.Fatal("it does not end", serve.err.String())
	}
	if code := serve.cmd.ProcessState.ExitCode(); code != 1 || serve.out.String() != want {
		t.Errorf("%d %s\n%s--- want\n%s", code, serve.err.String(), serve.out.String(), want)
	}
}

// Whatever is killed whenever, the answer is that of a run which nobody disturbed.
func TestKilledFleet(t *testing.T) {
	live.NotShort(t, "it starts and kills processes")
	killedFleet(t, 3, 1)
}

// TestAcceptKilled is the long form.
func TestAcceptKilled(t *testing.T) {
	live.Accept(t)
	killedFleet(t, 34, 7)
}

func killedFleet(t *testing.T, kills int, seed uint64) {
	s, want := fleetSite(t, 40)
	random := rand.New(rand.NewPCG(seed, 19))
	soon := func() time.Duration { return time.Duration(50+random.IntN(1500)) * time.Millisecond }
	sides := []string{"--from", "HEAD~1", "--to", "HEAD"}
	check := func(how string, killed int, p *process) {
		t.Helper()
		if code := p.cmd.ProcessState.ExitCode(); code != 1 || p.out.String() != want {
			t.Errorf("%s, after %d kills: %d %s\n%s--- want\n%s", how, killed, code, p.err.String(), p.out.String(), want)
		}
		t.Logf("%s: %d kills, and the bytes are those of an undisturbed run", how, killed)
	}

	// alone, with a store
	store := filepath.Join(t.TempDir(), "store")
	alone := append([]string{"diff", s.dir, "--store", store, "--format", "json"}, sides...)
	for killed := 0; ; {
		p := start(t, alone...)
		if killed < kills && !p.ended(soon()) {
			p.kill()
			killed++
			continue
		}
		if <-p.done; killed >= kills {
			check("alone", killed, p)
			break
		}
		os.RemoveAll(store) // all is known: from the beginning
	}

	// in shards
	parts := filepath.Join(t.TempDir(), "parts")
	for i, killed := 0, 0; i < 4; i++ {
		one := append([]string{"diff", s.dir, "--shard", fmt.Sprintf("%d/4", i), "--out", parts, "--store",
			fmt.Sprint(store, i)}, sides...)
		for stop := killed + (kills+3)/4; killed < stop; {
			p := start(t, one...)
			if !p.ended(soon()) {
				killed++
			}
			p.kill()
			os.RemoveAll(fmt.Sprint(store, i))
		}
		if p := start(t, one...); !p.ended(time.Minute) || p.cmd.ProcessState.ExitCode() != 0 {
			t.Fatal(p.err.String())
		}
		if i == 3 {
			p := start(t, append([]string{"diff", "merge", parts, "--env", s.dir, "--format", "json"}, sides...)...)
			<-p.done
			check("in shards", killed, p)
		}
	}

	// by workers
	data := filepath.Join(t.TempDir(), "data")
	serve := func() *process {
		return start(t, append([]string{"fleet", "serve", s.dir, "--data", data, "--format", "json"}, sides...)...)
	}
	work := func() *process { return start(t, "fleet", "work", s.dir, "--data", data) }
	server := serve()
	var workers [4]*process
	killed, whole := 0, 0
	for {
		for i, w := range workers {
			if w == nil || w.ended(0) { // it ends by itself where nobody has served yet
				workers[i] = work()
			}
		}
		if server.ended(soon()) {
			if whole++; killed >= kills {
				break
			}
			check("by workers", killed, server)
			server = serve() // from the beginning
			continue
		}
		if killed >= kills {
			continue
		}
		killed++
		if victim := random.IntN(5); victim == 4 {
			server.kill()
			server = serve()
		} else {
			workers[victim].kill()
			workers[victim] = work()
		}
	}
	check("by workers", killed, server)
	t.Logf("by workers: %d whole runs", whole)
}
