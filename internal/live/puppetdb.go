package live

import (
	"bytes"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// A PuppetDB is a real one, with a PostgreSQL of its own, both on loopback and in a temporary directory.
type PuppetDB struct {
	URL string // in the clear
	TLS string // with client certificates
	Dir string // holds ca.pem, and NAME.pem and NAME.key of those that Certificate made
	ca  *signer
}

const (
	puppetdbJar = "/usr/share/puppetdb/puppetdb.jar"
	postgresBin = "/usr/lib/postgresql/15/bin"
)

// StartPuppetDB starts a PuppetDB that is gone when the test is over. It takes about half a minute.
func StartPuppetDB(t testing.TB) *PuppetDB {
	t.Helper()
	NotShort(t, "starts a PuppetDB")
	if given := strings.Fields(os.Getenv("BUNRAKU_PUPPETDB")); len(given) == 3 { // one that runs already: URL, TLS, Dir
		return &PuppetDB{URL: given[0], TLS: given[1], Dir: given[2]}
	}
	PathOf(t, puppetdbJar, "PuppetDB (puppetdb)")
	PathOf(t, postgresBin, "PostgreSQL (postgresql-15)")
	java := Tool(t, "java")
	dir, err := os.MkdirTemp("", "puppetdb")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	db := &PuppetDB{Dir: dir}
	sql := startPostgres(t, dir)
	plain, secure := freePort(t), freePort(t)
	db.URL, db.TLS = fmt.Sprintf("http://localhost:%d", plain), fmt.Sprintf("https://localhost:%d", secure)
	db.ca = newSigner(t, dir)
	db.Certificate(t, "localhost")
	put := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, d := range []string{"conf", "var"} {
		if err := os.Mkdir(filepath.Join(dir, d), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	put("logback.xml", `<configuration><appender name="F" class="ch.qos.logback.core.FileAppender"><file>`+dir+
		`/puppetdb.log</file><encoder><pattern>%d %-5p [%c{2}] %m%n</pattern></encoder></appender><root level="info">`+
		`<appender-ref ref="F"/></root></configuration>`)
	put("conf/config.ini", fmt.Sprintf("[global]\nvardir = %s/var\nlogging-config = %s/logback.xml\n"+
		"[command-processing]\nthreads = 2\n[puppetdb]\ndisable-update-checking = true\n", dir, dir))
	put("conf/database.ini", fmt.Sprintf("[database]\nsubname = //127.0.0.1:%d/puppetdb\nusername = puppetdb\npassword = x\n", sql))
	put("conf/jetty.ini", fmt.Sprintf("[jetty]\nhost = 127.0.0.1\nport = %d\nssl-host = 127.0.0.1\nssl-port = %d\n"+
		"ssl-key = %[3]s/localhost.key\nssl-cert = %[3]s/localhost.pem\nssl-ca-cert = %[3]s/ca.pem\n", plain, secure, dir))
	auth, err := os.ReadFile("/etc/puppetdb/conf.d/auth.conf")
	if err != nil {
		t.Fatal(err)
	}
	put("conf/auth.conf", string(auth))
	put("restart", "0")
	cmd := exec.Command(java, "-Xmx512m", "-Djava.security.egd=/dev/urandom", "-cp", puppetdbJar, "clojure.main", "-m",
		"puppetlabs.puppetdb.core", "services", "--config", dir+"/conf", "--bootstrap-config", "/etc/puppetdb/bootstrap.cfg",
		"--restart-file", dir+"/restart")
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
	})
	for began := time.Now(); ; time.Sleep(200 * time.Millisecond) {
		if r, err := http.Get(db.URL + "/status/v1/simple"); err == nil {
			text, _ := io.ReadAll(r.Body)
			r.Body.Close()
			if string(text) == "running" {
				return db
			}
		}
		if time.Since(began) > 10*time.Minute || cmd.ProcessState != nil {
			text, _ := os.ReadFile(dir + "/puppetdb.log")
			t.Fatalf("PuppetDB does not start: %s\n%s", said.String(), text)
		}
	}
}

// startPostgres starts a PostgreSQL with an empty database puppetdb, and gives its port. It may not run as root.
func startPostgres(t testing.TB, dir string) int {
	t.Helper()
	port := freePort(t)
	data := filepath.Join(dir, "sql")
	if err := os.Mkdir(data, 0o700); err != nil {
		t.Fatal(err)
	}
	var as *syscall.SysProcAttr
	if os.Getuid() == 0 {
		u, err := user.Lookup("postgres")
		if err != nil {
			t.Fatal(err)
		}
		uid, _ := strconv.Atoi(u.Uid)
		gid, _ := strconv.Atoi(u.Gid)
		as = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}}
		if err := os.Chown(data, uid, gid); err != nil {
			t.Fatal(err)
		}
	}
	run := func(program string, args ...string) *exec.Cmd {
		cmd := exec.Command(filepath.Join(postgresBin, program), args...)
		cmd.SysProcAttr, cmd.Dir, cmd.Env = as, "/", []string{"LC_ALL=C.UTF-8", "PATH=/usr/bin:/bin"}
		return cmd
	}
	out, err := run("initdb", "-D", data, "-U", "puppetdb", "-A", "trust", "-E", "UTF8", "--no-sync").CombinedOutput()
	if err != nil {
		t.Fatalf("initdb: %v\n%s", err, out)
	}
	server := run("postgres", "-D", data, "-p", strconv.Itoa(port), "-h", "127.0.0.1", "-k", "", "-F",
		"-c", "log_statement=none", "-c", "full_page_writes=off")
	var said bytes.Buffer
	server.Stdout, server.Stderr = &said, &said
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		server.Process.Signal(syscall.SIGINT)
		server.Wait()
	})
	for tries := 0; ; tries++ {
		out, err := run("createdb", "-h", "127.0.0.1", "-p", strconv.Itoa(port), "-U", "puppetdb",
			"puppetdb").CombinedOutput()
		if err == nil {
			return port
		}
		if tries > 100 {
			t.Fatalf("PostgreSQL does not start: %s\n%s", out, said.String())
		}
		time.Sleep(100 * time.Millisecond)
	}
}

func freePort(t testing.TB) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}

// A signer is a certificate authority.
type signer struct {
	key  *rsa.PrivateKey
	cert *x509.Certificate
}

func newSigner(t testing.TB, dir string) *signer {
	key, cert := certify(t, "ca", nil)
	writePEM(t, filepath.Join(dir, "ca.pem"), "CERTIFICATE", cert.Raw)
	return &signer{key, cert}
}

// Certificate makes NAME.pem and NAME.key in Dir, signed by the PuppetDB's authority.
func (db *PuppetDB) Certificate(t testing.TB, name string) (cert, key string) {
	t.Helper()
	if db.ca == nil { // it runs already, and has one
		return filepath.Join(db.Dir, "localhost.pem"), filepath.Join(db.Dir, "localhost.key")
	}
	k, c := certify(t, name, db.ca)
	cert, key = filepath.Join(db.Dir, name+".pem"), filepath.Join(db.Dir, name+".key")
	writePEM(t, cert, "CERTIFICATE", c.Raw)
	writePEM(t, key, "RSA PRIVATE KEY", x509.MarshalPKCS1PrivateKey(k))
	return cert, key
}

func certify(t testing.TB, name string, by *signer) (*rsa.PrivateKey, *x509.Certificate) {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	c := &x509.Certificate{SerialNumber: big.NewInt(time.Now().UnixNano()), Subject: pkix.Name{CommonName: name},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour), BasicConstraintsValid: true,
		IsCA: by == nil}
	parent, signing := c, key
	if by == nil {
		c.KeyUsage = x509.KeyUsageCertSign | x509.KeyUsageCRLSign
	} else {
		c.KeyUsage, c.DNSNames = x509.KeyUsageDigitalSignature|x509.KeyUsageKeyEncipherment, []string{name}
		c.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth, x509.ExtKeyUsageServerAuth}
		parent, signing = by.cert, by.key
	}
	raw, err := x509.CreateCertificate(rand.Reader, c, parent, &key.PublicKey, signing)
	if err != nil {
		t.Fatal(err)
	}
	cert, err := x509.ParseCertificate(raw)
	if err != nil {
		t.Fatal(err)
	}
	return key, cert
}

func writePEM(t testing.TB, path, kind string, raw []byte) {
	t.Helper()
	if err := os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: raw}), 0o600); err != nil {
		t.Fatal(err)
	}
}

// Log is what the PuppetDB has logged.
func (db *PuppetDB) Log() string {
	text, _ := os.ReadFile(filepath.Join(db.Dir, "puppetdb.log")) // for a message: what cannot be read is not shown
	return strings.TrimSpace(string(text))
}
