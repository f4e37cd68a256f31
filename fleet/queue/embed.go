package queue

import (
	"crypto/rand"
	"crypto/tls"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	bolt "go.etcd.io/bbolt"
)

// An Embedded is a NATS server in this process.
type Embedded struct {
	srv   *server.Server
	login Login
	lock  *bolt.DB
}

// An EmbedOptions says how it is reached.
type EmbedOptions struct {
	Dir    string      // what it keeps, and for workers on this machine where it is and how to log in
	Listen string      // host:port; on this machine alone by default
	Token  string      // what workers log in with; one is made by default
	TLS    *tls.Config // needed to listen further than this machine
}

// Names of the files in an embedded server's directory.
const (
	addressName = "address"
	tokenName   = "token"
	streamsName = "streams"
	lockName    = "lock"
)

// lockWait is how long another server may take to end.
const lockWait = 2 * time.Second

// Embed starts a server. It listens where it did the last time, so that workers find it again.
func Embed(opt EmbedOptions) (*Embedded, error) {
	if err := os.MkdirAll(opt.Dir, 0o700); err != nil {
		return nil, err
	}
	listen := opt.Listen
	if listen == "" {
		listen = "127.0.0.1:0"
		if text, err := os.ReadFile(filepath.Join(opt.Dir, addressName)); err == nil {
			_, listen, _ = strings.Cut(strings.TrimSpace(string(text)), "://")
		}
	}
	host, portText, err := net.SplitHostPort(listen)
	if err != nil {
		return nil, err
	}
	port, err := strconv.ParseUint(portText, 10, 16)
	if err != nil {
		return nil, fmt.Errorf("%s has no port", listen)
	}
	if opt.TLS != nil && len(opt.TLS.Certificates) == 0 {
		return nil, errors.New("TLS needs the server's certificate and its key")
	}
	ip := net.ParseIP(host)
	if (ip == nil || !ip.IsLoopback()) && host != "localhost" && (opt.TLS == nil || opt.Token == "") {
		return nil, fmt.Errorf("to listen on %s, others than this machine's workers need TLS and a token", listen)
	}
	// Two servers that write the same streams would lose what the other one has.
	lock, err := bolt.Open(filepath.Join(opt.Dir, lockName), 0o600, &bolt.Options{Timeout: lockWait})
	if err != nil {
		return nil, fmt.Errorf("no server can be started with what is in %s: another process has it (%w)", opt.Dir, err)
	}
	e, err := embed(opt, host, int(port))
	if err != nil {
		return nil, errors.Join(err, lock.Close())
	}
	e.lock = lock
	return e, nil
}

// embed starts the server in a directory that nobody else has.
func embed(opt EmbedOptions, host string, port int) (_ *Embedded, err error) {
	listen := net.JoinHostPort(host, strconv.Itoa(port))
	if port == 0 {
		port = server.RANDOM_PORT
	}
	token := opt.Token
	if token == "" {
		if token, err = madeToken(filepath.Join(opt.Dir, tokenName)); err != nil {
			return nil, err
		}
	} else if err := os.WriteFile(filepath.Join(opt.Dir, tokenName), []byte(token+"\n"), 0o600); err != nil {
		return nil, err
	}
	srv, err := server.NewServer(&server.Options{ServerName: "bunraku", Host: host, Port: port, JetStream: true,
		StoreDir: filepath.Join(opt.Dir, streamsName), NoSigs: true, NoLog: true, Authorization: token, TLSConfig: opt.TLS,
		TLS: opt.TLS != nil, DisableJetStreamBanner: true})
	if err != nil {
		return nil, err
	}
	srv.Start()
	if !srv.ReadyForConnections(20 * time.Second) {
		srv.Shutdown()
		return nil, fmt.Errorf("no server can be started on %s: does another process listen there?", listen)
	}
	at, ok := srv.Addr().(*net.TCPAddr)
	if !ok {
		srv.Shutdown()
		return nil, errors.New("the server has no address")
	}
	scheme := "nats"
	if opt.TLS != nil {
		scheme = "tls"
	}
	url := scheme + "://" + net.JoinHostPort(host, strconv.Itoa(at.Port))
	if err := os.WriteFile(filepath.Join(opt.Dir, addressName), []byte(url+"\n"), 0o600); err != nil {
		srv.Shutdown()
		return nil, err
	}
	return &Embedded{srv: srv, login: Login{URL: url, Token: token, TLS: opt.TLS}}, nil
}

// Login is how to connect to it.
func (e *Embedded) Login() Login { return e.login }

// Close ends the server. What it keeps stays.
func (e *Embedded) Close() {
	e.srv.Shutdown()
	e.srv.WaitForShutdown()
	_ = e.lock.Close()
}

// madeToken reads a token, or makes one that only the owner can read.
func madeToken(file string) (string, error) {
	if text, err := os.ReadFile(file); err == nil && len(text) > 16 {
		return strings.TrimSpace(string(text)), nil
	}
	raw := make([]byte, 16)
	rand.Read(raw) // never fails
	token := hex.EncodeToString(raw)
	return token, os.WriteFile(file, []byte(token+"\n"), 0o600)
}
