package queue

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"math/big"
	"net"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"bunraku/diff"

	"github.com/nats-io/nats-server/v2/server"
)

// nodes are names that no subject could have as they are.
func nodes(n int) (out []string) {
	for i := range n {
		out = append(out, fmt.Sprintf("web%d.shop.example/a *>ü", i))
	}
	return out
}

// partOf is what a worker makes of a node here. That of the third is larger than a message may be.
func partOf(name string) *diff.Part {
	p := &diff.Part{Nodes: []diff.PartNode{{Name: name, State: diff.Equal}}, Changes: []diff.PartChange{},
		Effects: []diff.PartEffect{}}
	if strings.HasPrefix(name, "web2.") {
		p.Nodes[0].Excuse = strings.Repeat("0123456789abcdef", 200_000)
	}
	return p
}

func want(names []string) (out []*diff.Part) {
	for _, n := range names {
		out = append(out, partOf(n))
	}
	return out
}

func quietly(string) {}

// worker works until the context ends. The one that is called poor has not got what it takes.
func worker(t *testing.T, ctx context.Context, l Login, name string, took *atomic.Int64) {
	t.Helper()
	c, err := Dial(ctx, l, quietly)
	if err != nil {
		if ctx.Err() == nil {
			t.Error(err)
		}
		return
	}
	defer c.Close()
	err = c.Work(ctx, name, 3, false, func(_ context.Context, run Run) (Job, func(), error) {
		if name == "poor" {
			return nil, nil, &Lack{"lacks revision " + run.To}
		}
		return func(ctx context.Context, names []string) (out []*diff.Part, err error) {
			for _, n := range names {
				took.Add(1)
				out = append(out, partOf(n))
			}
			select { // it takes its time
			case <-ctx.Done():
			case <-time.After(20 * time.Millisecond):
			}
			return out, ctx.Err()
		}, func() {}, nil
	})
	if ctx.Err() == nil {
		t.Error(name, err)
	}
}

// A run ends with what workers made of every node, those that are large in chunks; a worker that lacks something says
// what; and a server that is started anew goes on with what was there.
func TestServe(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	dir := filepath.Join(t.TempDir(), "data")
	e, err := Embed(EmbedOptions{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	address := e.Login().URL
	names := nodes(40)
	run := Run{ID: "abc", Name: "shop", From: "1", To: "2", Title: "shop 1 → 2", Nodes: len(names), Began: time.Now()}
	var group sync.WaitGroup
	var took atomic.Int64
	working, stop := context.WithCancel(ctx)
	for _, name := range []string{"one", "two", "poor"} {
		group.Go(func() { worker(t, working, Login{Dir: dir}, name, &took) })
	}
	serve := func(ctx context.Context, l Login, step func(int)) ([]*diff.Part, error) {
		c, err := Dial(ctx, l, quietly)
		if err != nil {
			return nil, err
		}
		defer c.Close()
		return c.Serve(ctx, run, names, step)
	}
	first, end := context.WithCancel(ctx)
	if _, err := serve(first, e.Login(), func(done int) {
		if done > 5 {
			end() // somebody ends it in the middle
		}
	}); err == nil {
		t.Fatal("it did not end")
	}
	e.Close()
	if e, err = Embed(EmbedOptions{Dir: dir}); err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	if e.Login().URL != address {
		t.Errorf("it is at %s now, and was at %s", e.Login().URL, address)
	}
	got, err := serve(ctx, e.Login(), func(int) {})
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, want(names)) {
		t.Error("the parts are others")
	}
	if n := took.Load(); n < int64(len(names)) || n > int64(len(names))+20 {
		t.Errorf("%d nodes were compared %d times", len(names), n)
	}
	c, err := Dial(ctx, Login{Dir: dir}, quietly)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	runs, _, err := c.Status(ctx)
	if err != nil || len(runs) != 1 || runs[0].Done != len(names) {
		t.Fatal(runs, err)
	}
	poor := ""
	for _, w := range runs[0].Workers {
		if w.Name == "poor" {
			poor = w.State
		}
	}
	if poor != "lacks revision 2" {
		t.Errorf("%+v", runs[0].Workers)
	}
	if err := c.Finish(ctx, run); err != nil {
		t.Fatal(err)
	}
	if runs, _, err = c.Status(ctx); err != nil || len(runs) != 0 {
		t.Error(runs, err)
	}
	stop()
	group.Wait()
}

// Who has no token is refused, and nobody listens further than this machine without TLS and one.
func TestRefusedLogin(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	for _, listen := range []string{"0.0.0.0:0", ":0", "192.0.2.1:4222"} {
		if e, err := Embed(EmbedOptions{Dir: dir, Listen: listen}); err == nil ||
			!strings.Contains(err.Error(), "need TLS and a token") {
			t.Error(listen, e, err)
		}
	}
	e, err := Embed(EmbedOptions{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	l := e.Login()
	l.Token, l.Patience = "wrong", 3*time.Second
	if c, err := Dial(context.Background(), l, quietly); err == nil {
		c.Close()
		t.Error("a wrong token is taken")
	}
}

// With TLS and a token it may listen elsewhere, and who does not trust its certificate does not talk to it.
func TestTLS(t *testing.T) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	about := &x509.Certificate{SerialNumber: big.NewInt(1), NotBefore: time.Now().Add(-time.Hour),
		NotAfter:    time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true}
	raw, err := x509.CreateCertificate(rand.Reader, about, about, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	e, err := Embed(EmbedOptions{Dir: filepath.Join(t.TempDir(), "data"), Listen: "0.0.0.0:0",
		Token: "a token that we share",
		TLS:   &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{raw}, PrivateKey: key}}}})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	cert, err := x509.ParseCertificate(raw)
	if err != nil {
		t.Fatal(err)
	}
	trusted := x509.NewCertPool()
	trusted.AddCert(cert)
	url := strings.Replace(e.Login().URL, "0.0.0.0", "127.0.0.1", 1)
	for _, try := range []struct {
		Login
		ok bool
	}{
		{Login{URL: url, Token: "a token that we share", TLS: &tls.Config{RootCAs: trusted}}, true},
		{Login{URL: url, Token: "another one", TLS: &tls.Config{RootCAs: trusted}}, false},
		{Login{URL: url, Token: "a token that we share", TLS: &tls.Config{RootCAs: x509.NewCertPool()}}, false},
		{Login{URL: strings.Replace(url, "tls:", "nats:", 1), Token: "a token that we share"}, false},
	} {
		try.Patience = 2 * time.Second
		c, err := Dial(context.Background(), try.Login, quietly)
		if (err == nil) != try.ok {
			t.Errorf("%+v: %v", try.Login, err)
		}
		if c != nil {
			c.Close()
		}
	}
}

// cluster is three servers, in directories of their own.
type cluster struct {
	t       *testing.T
	servers [3]*server.Server
	options [3]*server.Options
}

func newCluster(t *testing.T) *cluster {
	t.Helper()
	c := &cluster{t: t}
	var ports, routes [3]int
	for i := range ports {
		ports[i], routes[i] = free(t), free(t)
	}
	all := fmt.Sprintf("nats://127.0.0.1:%d,nats://127.0.0.1:%d,nats://127.0.0.1:%d", routes[0], routes[1], routes[2])
	for i := range c.options {
		c.options[i] = &server.Options{ServerName: fmt.Sprint("s", i), Host: "127.0.0.1", Port: ports[i], JetStream: true,
			StoreDir: filepath.Join(t.TempDir(), "s"), NoSigs: true, NoLog: true, Routes: server.RoutesFromStr(all),
			Cluster: server.ClusterOpts{Name: "three", Host: "127.0.0.1", Port: routes[i]}}
		c.start(i)
	}
	t.Cleanup(func() {
		for i := range c.servers {
			c.stop(i)
		}
	})
	return c
}

func free(t *testing.T) int {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}

func (c *cluster) start(i int) {
	o := c.options[i].Clone()
	s, err := server.NewServer(o)
	if err != nil {
		c.t.Fatal(err)
	}
	s.Start()
	c.servers[i] = s
}

func (c *cluster) stop(i int) {
	if c.servers[i] != nil {
		c.servers[i].Shutdown()
		c.servers[i].WaitForShutdown()
		c.servers[i] = nil
	}
}

func (c *cluster) url() string {
	var all []string
	for _, o := range c.options {
		all = append(all, fmt.Sprintf("nats://127.0.0.1:%d", o.Port))
	}
	return strings.Join(all, ",")
}

// Of three servers one may be lost, and after its return another one. With two gone the run stalls and says so, and
// ends when one returns.
func TestCluster(t *testing.T) {
	if testing.Short() {
		t.Skip("servers take their time to agree")
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	servers := newCluster(t)
	l := Login{URL: servers.url()}
	var mu sync.Mutex
	var said []string
	c, err := Dial(ctx, l, func(text string) {
		mu.Lock()
		defer mu.Unlock()
		said = append(said, text)
	})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	names := nodes(300)
	var group sync.WaitGroup
	var took, done atomic.Int64
	working, stop := context.WithCancel(ctx)
	for i := range 4 {
		group.Go(func() { worker(t, working, l, fmt.Sprint("w", i), &took) })
	}
	group.Go(func() {
		reach := func(n int64) {
			for done.Load() < n && working.Err() == nil {
				time.Sleep(20 * time.Millisecond)
			}
		}
		reach(20)
		servers.stop(0)
		reach(60)
		servers.start(0)
		reach(100)
		servers.stop(1)
		reach(130)
		servers.stop(2) // the run stalls
		time.Sleep(8 * time.Second)
		servers.start(2)
	})
	got, err := c.Serve(ctx, Run{ID: "abc", Nodes: len(names)}, names, func(n int) { done.Store(int64(n)) })
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, want(names)) {
		t.Error("the parts are others")
	}
	stop()
	group.Wait()
	mu.Lock()
	defer mu.Unlock()
	if !strings.Contains(strings.Join(said, "\n"), "stalled") {
		t.Errorf("it did not say that it stalls: %q", said)
	}
	t.Logf("%d nodes were compared %d times; said %q", len(names), took.Load(), said)
}
