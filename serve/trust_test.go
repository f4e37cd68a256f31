package serve_test

import (
	"bytes"
	"log/slog"
	"os"
	"strings"
	"testing"
	"time"

	"bunraku/serve"
)

// TestFilesOfTrust: a file that somebody is writing is not in force, and whoever asks how the server is hears of it, as
// of lists that vouch for nobody. Why a certificate is refused is logged: the client is not told.
func TestFilesOfTrust(t *testing.T) {
	var log lockedBuffer
	r := start(t, small, func(o *serve.Options) { o.Log = slog.New(slog.NewTextHandler(&log, nil)) })
	cert := r.sign("agent.example")
	read := func(path string) []byte {
		t.Helper()
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	good, ca := read(r.opt.CRL), read(r.opt.CA)
	other := newCA(t, "Puppet CA") // of the same name, with another key
	theirs := read(other.path("crl.pem"))
	for _, x := range []struct {
		what      string
		file      string
		text      []byte
		served    bool
		unhealthy string // "" if all is well
	}{
		{"two lists", r.opt.CRL, append(bytes.Clone(good), theirs...), true, ""},
		{"a list and half of one", r.opt.CRL, append(bytes.Clone(good), theirs[:len(theirs)/2]...), true, "cut off"},
		{"half a list", r.opt.CRL, good[:len(good)/2], true, "no revocation list"},
		{"no list", r.opt.CRL, nil, true, "no revocation list"},
		{"another CA's list", r.opt.CRL, theirs, false, "no revocation list of"},
		{"the list again", r.opt.CRL, good, true, ""},
		{"a CA and half of one", r.opt.CA, append(bytes.Clone(ca), ca[:len(ca)/2]...), true, "cut off"},
		{"the CA again", r.opt.CA, ca, true, ""},
	} {
		log.reset()
		if err := os.WriteFile(x.file, x.text, 0o600); err != nil {
			t.Fatal(err)
		}
		time.Sleep(1100 * time.Millisecond)
		a, err := r.try(r.client(cert), "GET", "/puppet/v3/node/agent.example?environment=production", "", "")
		if (err == nil && a.status == 200) != x.served {
			t.Errorf("%s: %d %s %v", x.what, a.status, a.body, err)
		}
		if !x.served && !strings.Contains(log.String(), "a certificate is refused") {
			t.Errorf("%s: nothing is logged: %s", x.what, log.String())
		}
		status, text := watch(r, "/readyz")
		if (status == 200) != (x.unhealthy == "") || !strings.Contains(text, x.unhealthy) {
			t.Errorf("%s: %d %s", x.what, status, text)
		}
	}
}
