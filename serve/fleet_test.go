//go:build linux

package serve_test

import (
	"crypto/tls"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"bunraku/internal/live"
)

// A fleetAgent does what an agent of a machine does that has nothing to fetch: seven requests on a connection of its
// own, with its own certificate and facts.
func fleetAgent(r *running, cert tls.Certificate, name string, q siteRequest, run int) error {
	c := r.client(cert)
	c.Timeout = time.Minute
	defer c.CloseIdleConnections()
	ask := func(method, path, kind, body, has string, header ...string) error {
		a, err := r.try(c, method, path, kind, body, header...)
		if err == nil && (a.status != http.StatusOK || !strings.Contains(a.body, has)) {
			err = fmt.Errorf("%s %s: %d %.300s", method, path, a.status, a.body)
		}
		return err
	}
	e := "environment=" + q.site
	const list = "recurse=true&max_files=-1&ignore=.svn&ignore=CVS&ignore=.git&ignore=.hg&links=follow&checksum_type=sha256&"
	values := maps.Clone(q.facts)
	values["uptime_seconds"], values["memoryfree_mb"] = run*1800, rand.Float64()
	uuid := fmt.Sprintf("00000000-0000-4000-8000-%012d", run)
	form := strings.Replace(catalogForm(name, q.site, values), "transaction_uuid=u", "transaction_uuid="+uuid, 1)
	for _, step := range []func() error{
		func() error { return ask("GET", "/puppet/v3/node/"+name+"?"+e, "", "", `"environment":"`+q.site) },
		func() error {
			return ask("GET", "/puppet/v3/file_metadatas/plugins?recurse=false&"+e, "", "", `"type"`)
		},
		func() error { return ask("GET", "/puppet/v3/file_metadatas/pluginfacts?"+list+e, "", "", `"type"`) },
		func() error { return ask("GET", "/puppet/v3/file_metadatas/plugins?"+list+e, "", "", `"type"`) },
		func() error { return ask("GET", "/puppet/v3/file_metadatas/locales?"+list+e, "", "", `"type"`) },
		func() error {
			return ask("POST", "/puppet/v3/catalog/"+name+"?"+e, formType, form, `"name":"`+name+`"`, "Accept", accept)
		},
		func() error {
			return ask("PUT", "/puppet/v3/report/"+name+"?"+e, "application/json", runReport(name, uuid), `["store"]`)
		},
	} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// hasten lets a process go before others, with all of its threads; where that is not allowed it stays as it is.
func hasten(pid int) {
	threads, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*", pid))
	for _, dir := range threads {
		if id, err := strconv.Atoi(filepath.Base(dir)); err == nil {
			_ = syscall.Setpriority(syscall.PRIO_PROCESS, id, -15)
		}
	}
}

// TestAcceptServeFleet: 10,000 agents that run every 30 minutes, for 30 minutes, in real time: no error, and the memory
// is flat. BUNRAKU_SERVE_MINUTES takes another time, with as many agents as belong to it.
func TestAcceptServeFleet(t *testing.T) {
	live.Accept(t)
	minutes := 30
	if n, err := strconv.Atoi(os.Getenv("BUNRAKU_SERVE_MINUTES")); err == nil {
		minutes = n
	}
	agents := 10_000 * minutes / 30
	base, sites := startSites(t)
	r, cmd, _ := startProgram(t, base)
	pin(t, cmd.Process.Pid, fmt.Sprintf("0-%d", runtime.NumCPU()-1))
	for _, pid := range []int{cmd.Process.Pid, os.Getpid()} { // others' work is no part of the simulation
		hasten(pid)
	}
	var requests []siteRequest // those of 20 environments that do not ask for the name of the node
	stranger := base.sign("stranger.example.com")
	for _, q := range sites {
		if len(requests) < 20 && fleetAgent(r, stranger, "stranger.example.com", q, 0) == nil {
			requests = append(requests, q)
		}
	}
	certs := make([]tls.Certificate, agents)
	for i := range certs {
		certs[i] = base.sign(fmt.Sprintf("n%05d.example.com", i))
	}
	every := time.Duration(minutes) * time.Minute / time.Duration(agents)
	var served, failed, late atomic.Int64
	var mu sync.Mutex
	var slowest, all []time.Duration
	var rss []int64 // each minute
	before, _ := cpuOf(t, cmd.Process.Pid)
	began := time.Now()
	var running sync.WaitGroup
	for i := range agents {
		at := began.Add(time.Duration(i) * every)
		if wait := time.Until(at); wait > 0 {
			time.Sleep(wait)
		} else if wait < -time.Second {
			late.Add(1)
		}
		for len(rss) < int(time.Since(began)/time.Minute) {
			_, now := cpuOf(t, cmd.Process.Pid)
			rss = append(rss, now>>20)
		}
		running.Go(func() {
			at := time.Now()
			err := fleetAgent(r, certs[i], fmt.Sprintf("n%05d.example.com", i), requests[i%len(requests)], i)
			took := time.Since(at)
			if err != nil {
				if failed.Add(1) < 10 {
					t.Errorf("agent %d: %v", i, err)
				}
				return
			}
			served.Add(1)
			mu.Lock()
			all = append(all, took)
			mu.Unlock()
		})
	}
	running.Wait()
	wall := time.Since(began)
	cpu, now := cpuOf(t, cmd.Process.Pid)
	cpu -= before
	rss = append(rss, now>>20)
	slices.Sort(all)
	slowest = all[max(0, len(all)-5):]
	t.Logf("%d agents of %d environments in %v (%.1f runs of 7 requests a second): %d served, %d errors (bar: none), %d began late; a run took "+
		"%v at p50, %v at p95, the slowest %v; %.1f%% of a processor", agents, len(requests), wall.Round(time.Second),
		float64(agents)/wall.Seconds(), served.Load(), failed.Load(), late.Load(), all[len(all)/2], all[len(all)*95/100],
		slowest, 100*cpu.Seconds()/wall.Seconds())
	t.Logf("memory by the minute, in MB: %v", rss)
	if third := len(rss) / 3; third > 0 {
		second, last := slices.Max(rss[third:2*third]), slices.Max(rss[2*third:])
		t.Logf("the most of the second third %d MB, of the last %d MB (bar: flat, within 10%%)", second, last)
		if last > second*110/100 {
			t.Error("the memory grows")
		}
	}
	if failed.Load() > 0 || served.Load() != int64(agents) {
		t.Error("agents were not served")
	}
}
