package main

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"bunraku/internal/live"

	"github.com/nats-io/nats-server/v2/server"
)

// asNATS, set in the environment, makes a test's child process one of three servers of NATS: its name, its directory,
// where clients find it, where the others do, and where all are.
const asNATS = "BUNRAKU_AS_NATS"

// serveNATS is such a server. It ends when it is killed.
func serveNATS(what string) {
	part := strings.Split(what, " ")
	client, _ := strconv.Atoi(part[2])
	route, _ := strconv.Atoi(part[3])
	s, err := server.NewServer(&server.Options{ServerName: part[0], Host: "127.0.0.1", Port: client, JetStream: true,
		StoreDir: part[1], NoSigs: true, NoLog: true, Routes: server.RoutesFromStr(part[4]),
		Cluster: server.ClusterOpts{Name: "three", Host: "127.0.0.1", Port: route}})
	if err != nil {
		panic(err)
	}
	s.Start()
	s.WaitForShutdown()
	os.Exit(0)
}

// threeServers are the arguments of three servers that make one cluster, and the address of all.
func threeServers(t *testing.T) (args [3]string, address string) {
	t.Helper()
	var ports [6]int
	for i := range ports {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close() // none is given twice
		ports[i] = l.Addr().(*net.TCPAddr).Port
	}
	var clients, routes []string
	for i := range args {
		clients = append(clients, fmt.Sprintf("nats://127.0.0.1:%d", ports[i]))
		routes = append(routes, fmt.Sprintf("nats://127.0.0.1:%d", ports[3+i]))
	}
	for i := range args {
		args[i] = fmt.Sprintf("s%d %s %d %d %s", i, filepath.Join(t.TempDir(), "s"), ports[i], ports[3+i],
			strings.Join(routes, ","))
	}
	return args, strings.Join(clients, ",")
}

var howFar = regexp.MustCompile(`(\d+) of (\d+) nodes`)

// Of three servers one is killed; after its return another one is cut off: it does not answer, and nobody is told. When
// the third is killed, too, the run stalls and says so, and it ends when one is back. The answer is that of an
// undisturbed diff, to the byte.
func TestAcceptCluster(t *testing.T) {
	live.Accept(t)
	const nodes = 3000
	s, want := fleetSite(t, nodes-3)
	args, address := threeServers(t)
	var servers [3]*process
	begin := func(i int) { servers[i] = startWith(t, asNATS+"="+args[i]) }
	for i := range servers {
		begin(i)
	}
	run := start(t, "fleet", "serve", s.dir, "--nats", address, "--from", "HEAD~1", "--to", "HEAD", "--format", "json")
	for i := range 4 {
		start(t, "fleet", "work", s.dir, "--nats", address, "--name", fmt.Sprint("w", i))
	}
	// status is how many nodes are compared, as one server knows it; ok is false where it does not answer.
	of := 1
	status := func() (n int, ok bool) {
		p := start(t, "fleet", "status", "--nats", strings.Split(address, ",")[of])
		if !p.ended(30 * time.Second) {
			p.kill()
		}
		if m := howFar.FindStringSubmatch(p.out.String()); m != nil {
			n, _ = strconv.Atoi(m[1])
			return n, true
		}
		return 0, false
	}
	last := 0
	further := func(what string, by int) {
		t.Helper()
		for until, goal := time.Now().Add(3*time.Minute), last+by; last < goal; {
			if n, ok := status(); ok {
				last = n
			}
			if run.ended(50 * time.Millisecond) {
				t.Fatalf("it is at its end before %s: %s", what, run.err.String())
			}
			if time.Now().After(until) {
				t.Fatalf("%s, it does not go on after %d nodes: %s", what, last, run.err.String())
			}
		}
		t.Logf("%s: %d of %d nodes", what, last, nodes)
	}
	further("with three servers", 100)
	servers[0].kill()
	further("with one killed", 100)
	begin(0)
	of = 0
	further("with it back", 100)
	_ = servers[1].cmd.Process.Signal(syscall.SIGSTOP)
	further("with another one cut off", 100)
	servers[2].kill()
	said := len(run.err.String())
	for range 600 {
		if strings.Contains(run.err.String()[said:], "stalled") || run.ended(100*time.Millisecond) {
			break
		}
	}
	if told := run.err.String()[said:]; !strings.Contains(told, "stalled") || run.ended(0) {
		t.Fatalf("with two servers gone it says %q", told)
	}
	if n, ok := status(); ok {
		t.Errorf("one server of three answers: %d nodes", n)
	}
	_ = servers[1].cmd.Process.Signal(syscall.SIGCONT)
	if !run.ended(5 * time.Minute) {
		t.Fatalf("with two servers again it does not end: %s", run.err.String())
	}
	if code := run.cmd.ProcessState.ExitCode(); code != 1 || run.out.String() != want {
		t.Errorf("%d %s: the answer is another one", code, run.err.String())
	}
	t.Logf("after two kills and one that was cut off the bytes are those of an undisturbed run: %d", len(want))
}
