package serve

import (
	"bytes"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/asn1"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"bunraku/puppet/lookup/datafile"
	"bunraku/puppet/value"
	"bunraku/source"
)

// Who is there? A client shows a certificate, or none. The certificate must have been signed by the CA that we were
// given, be valid now, and not be revoked: each certificate of the chain (or only the first, as the user wants it) is
// looked for in the revocation list of its issuer, and a list that is missing or has expired vouches for nobody.
//
// TLS asks once, when a connection is made. Connections are kept, though, and sessions are resumed, while certificates
// are revoked and expire. So the question is asked again for every request. The answer is remembered for as long as
// nothing that it hangs on can change: until the first of the certificates or lists expires, or the files are read
// anew.

// Revocation says which certificates of a chain must not be revoked.
type Revocation uint8

// The settings of Puppet's certificate_revocation, but the one that switches it off.
const (
	Chain Revocation = iota
	Leaf
)

// An authority is what certificates are judged by, as some files said it at one moment.
type authority struct {
	roots, between *x509.CertPool
	lists          []*x509.RevocationList
	host           *tls.Certificate
	oids           map[string]string // dotted → short name

	mu    sync.Mutex
	known map[[sha256.Size]byte]judged
}

// judged is what came of looking at a certificate.
type judged struct {
	who   *client
	err   error
	until time.Time
}

// mostJudged is how many certificates are remembered.
const mostJudged = 50_000

// A client is who a certificate names.
type client struct {
	name       string
	others     []string    // alternative names
	extensions *value.Hash // of $trusted
}

// trust reads the files of an authority again when they have changed.
type trust struct {
	opt     *Options
	now     func() time.Time
	current atomic.Pointer[authority]

	mu      sync.Mutex
	stamps  []stamp
	checked time.Time
	trouble error // why the files of now are not in force
}

// A stamp tells one state of a file from another.
type stamp struct {
	size    int64
	changed time.Time
	absent  bool
}

func stampOf(path string) stamp {
	info, err := os.Stat(path)
	if err != nil {
		return stamp{absent: true}
	}
	return stamp{size: info.Size(), changed: changed(info)}
}

func newTrust(opt *Options, now func() time.Time) (*trust, error) {
	t := &trust{opt: opt, now: now}
	return t, t.read()
}

func (t *trust) files() []string {
	return []string{t.opt.Cert, t.opt.Key, t.opt.CA, t.opt.CRL, t.opt.OIDs}
}

// read takes in the files. If something is wrong with them, what was read before stays in force.
func (t *trust) read() error {
	var stamps []stamp
	for _, f := range t.files() {
		stamps = append(stamps, stampOf(f))
	}
	a, err := readAuthority(t.opt)
	t.mu.Lock()
	defer t.mu.Unlock()
	t.stamps, t.checked, t.trouble = stamps, time.Now(), err
	if err != nil {
		return err
	}
	t.current.Store(a)
	return nil
}

// often is how long after a look at files the next one is.
const often = time.Second

// fresh is the authority as the files have it, looked at every second or so.
func (t *trust) fresh() *authority {
	t.mu.Lock()
	look, changed := time.Since(t.checked) >= often, false
	if look {
		t.checked = time.Now()
		for i, f := range t.files() {
			changed = changed || stampOf(f) != t.stamps[i]
		}
	}
	t.mu.Unlock()
	if changed {
		if err := t.read(); err != nil {
			t.opt.Log.Error("the certificates have changed and cannot be read: those from before stay in force", "error", err)
		} else {
			t.opt.Log.Info("certificates and revocation lists were read again")
		}
	}
	return t.current.Load()
}

// problem is why the files of now are not in force; nil if they are.
func (t *trust) problem() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.trouble
}

func readAuthority(opt *Options) (*authority, error) {
	a := &authority{roots: x509.NewCertPool(), between: x509.NewCertPool(), known: map[[sha256.Size]byte]judged{}}
	host, err := tls.LoadX509KeyPair(opt.Cert, opt.Key)
	if err != nil {
		return nil, fmt.Errorf("the server's certificate: %w", err)
	}
	a.host = &host
	text, err := os.ReadFile(opt.CA)
	if err != nil {
		return nil, fmt.Errorf("the CA's certificate: %w", err)
	}
	n := 0
	for block, rest := pem.Decode(text); block != nil; block, rest = pem.Decode(rest) {
		if block.Type != "CERTIFICATE" {
			continue
		}
		c, err := x509.ParseCertificate(block.Bytes)
		if err != nil {
			return nil, fmt.Errorf("the CA's certificate: %s: %w", opt.CA, err)
		}
		n++
		if c.CheckSignatureFrom(c) == nil {
			a.roots.AddCert(c)
		} else {
			a.between.AddCert(c)
		}
	}
	if n == 0 {
		return nil, fmt.Errorf("%s has no certificate of a CA", opt.CA)
	}
	if err := wholePEM(text); err != nil {
		return nil, fmt.Errorf("the CA's certificate: %s: %w", opt.CA, err)
	}
	if text, err = os.ReadFile(opt.CRL); err != nil {
		return nil, fmt.Errorf("the revocation list: %w", err)
	}
	for block, rest := pem.Decode(text); block != nil; block, rest = pem.Decode(rest) {
		if block.Type != "X509 CRL" {
			continue
		}
		l, err := x509.ParseRevocationList(block.Bytes)
		if err != nil {
			return nil, fmt.Errorf("the revocation list: %s: %w", opt.CRL, err)
		}
		a.lists = append(a.lists, l)
	}
	if len(a.lists) == 0 {
		return nil, fmt.Errorf("%s has no revocation list", opt.CRL)
	}
	if err := wholePEM(text); err != nil {
		return nil, fmt.Errorf("the revocation list: %s: %w", opt.CRL, err)
	}
	a.oids, err = readOIDs(opt.OIDs)
	return a, err
}

// wholePEM says that a block of a file has a beginning and cannot be read: somebody is writing the file, and what is
// missing may be what counts.
func wholePEM(text []byte) error {
	blocks := 0
	for block, rest := pem.Decode(text); block != nil; block, rest = pem.Decode(rest) {
		blocks++
	}
	if begun := bytes.Count(text, []byte("-----BEGIN ")); begun != blocks {
		return fmt.Errorf("%d of %d blocks cannot be read; it may be cut off", begun-blocks, begun)
	}
	return nil
}

// judge says who a certificate names, or why it is refused.
func (a *authority) judge(certs []*x509.Certificate, how Revocation, now time.Time) (*client, error) {
	if len(certs) == 0 {
		return nil, nil
	}
	key := sha256.Sum256(certs[0].Raw)
	for _, c := range certs[1:] {
		sum := sha256.Sum256(c.Raw)
		key = sha256.Sum256(append(key[:], sum[:]...))
	}
	a.mu.Lock()
	j, known := a.known[key]
	a.mu.Unlock()
	if known && now.Before(j.until) {
		return j.who, j.err
	}
	j.who, j.until, j.err = a.look(certs, how, now)
	if j.err != nil { // a list may be renewed, a clock may be set
		j.until = now.Add(often)
	}
	a.mu.Lock()
	if len(a.known) >= mostJudged {
		clear(a.known)
	}
	a.known[key] = j
	a.mu.Unlock()
	return j.who, j.err
}

func (a *authority) look(certs []*x509.Certificate, how Revocation, now time.Time) (*client, time.Time, error) {
	until, err := a.chain(certs, x509.VerifyOptions{CurrentTime: now,
		KeyUsages: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}}, how)
	if err != nil {
		return nil, until, err
	}
	leaf := certs[0]
	if leaf.Subject.CommonName == "" {
		return nil, until, errors.New("the certificate names nobody")
	}
	return &client{leaf.Subject.CommonName, leaf.DNSNames, a.extensions(leaf)}, until, nil
}

// chain looks for a way from a certificate to the CA on which none is revoked. It holds until the time that is
// returned.
func (a *authority) chain(certs []*x509.Certificate, opt x509.VerifyOptions, how Revocation) (time.Time, error) {
	opt.Roots, opt.Intermediates = a.roots, a.between
	if len(certs) > 1 {
		opt.Intermediates = a.between.Clone()
		for _, c := range certs[1:] {
			opt.Intermediates.AddCert(c)
		}
	}
	chains, err := certs[0].Verify(opt)
	if err != nil {
		return time.Time{}, err
	}
	for _, chain := range chains {
		var until time.Time
		if until, err = a.unrevoked(chain, how, opt.CurrentTime); err != nil {
			continue
		}
		for _, c := range chain {
			if c.NotAfter.Before(until) {
				until = c.NotAfter
			}
		}
		return until, nil
	}
	return time.Time{}, err
}

// ownRevocation is why the server's own certificate would not pass: a list is missing, or it is revoked. One of another
// CA, or none that has expired, says nothing of clients.
func (a *authority) ownRevocation(how Revocation, now time.Time) error {
	leaf := a.host.Leaf
	if leaf == nil {
		return nil
	}
	opt := x509.VerifyOptions{Roots: a.roots, Intermediates: a.between, CurrentTime: now,
		KeyUsages: []x509.ExtKeyUsage{x509.ExtKeyUsageAny}}
	if _, err := leaf.Verify(opt); err != nil {
		return nil
	}
	_, err := a.chain([]*x509.Certificate{leaf}, opt, how)
	return err
}

// unrevoked looks a chain's certificates up in the lists of their issuers. It holds until the time that is returned.
func (a *authority) unrevoked(chain []*x509.Certificate, how Revocation, now time.Time) (until time.Time, err error) {
	until = now.Add(24 * time.Hour)
	for i, c := range chain[:len(chain)-1] { // the last one is a root
		if i > 0 && how == Leaf {
			break
		}
		issuer := chain[i+1]
		var list *x509.RevocationList
		for _, l := range a.lists {
			if string(l.RawIssuer) == string(issuer.RawSubject) && l.CheckSignatureFrom(issuer) == nil &&
				(list == nil || l.ThisUpdate.After(list.ThisUpdate)) {
				list = l
			}
		}
		switch {
		case list == nil:
			return until, fmt.Errorf("there is no revocation list of %s", issuer.Subject)
		case now.Before(list.ThisUpdate):
			return until, fmt.Errorf("the revocation list of %s is not valid before %s", issuer.Subject, list.ThisUpdate)
		case !list.NextUpdate.IsZero() && now.After(list.NextUpdate):
			return until, fmt.Errorf("the revocation list of %s has expired at %s", issuer.Subject, list.NextUpdate)
		}
		for _, r := range list.RevokedCertificateEntries {
			if r.SerialNumber.Cmp(c.SerialNumber) == 0 {
				return until, fmt.Errorf("the certificate of %s is revoked", c.Subject.CommonName)
			}
		}
		if !list.NextUpdate.IsZero() && list.NextUpdate.Before(until) {
			until = list.NextUpdate
		}
	}
	return until, nil
}

// puppetArc is the arc of Puppet's extensions; those below 1, 2 and 3 are what $trusted has.
const puppetArc = "1.3.6.1.4.1.34380.1."

// shortNames are what puppetserver calls extensions, by the number behind the arc (puppet/ssl/oids.rb, and
// pp_cli_auth, which is puppetserver's own).
var shortNames = map[string]string{
	"1.1": "pp_uuid", "1.2": "pp_instance_id", "1.3": "pp_image_name", "1.4": "pp_preshared_key", "1.5": "pp_cost_center",
	"1.6": "pp_product", "1.7": "pp_project", "1.8": "pp_application", "1.9": "pp_service", "1.10": "pp_employee",
	"1.11": "pp_created_by", "1.12": "pp_environment", "1.13": "pp_role", "1.14": "pp_software_version",
	"1.15": "pp_department", "1.16": "pp_cluster", "1.17": "pp_provisioner", "1.18": "pp_region", "1.19": "pp_datacenter",
	"1.20": "pp_zone", "1.21": "pp_network", "1.22": "pp_securitypolicy", "1.23": "pp_cloudplatform",
	"1.24": "pp_apptier", "1.25": "pp_hostname", "1.26": "pp_owner",
	"3.1": "pp_authorization", "3.13": "pp_auth_role", "3.39": "pp_cli_auth",
}

// extensions are what a certificate says of its owner, by short name where there is one, in the certificate's order.
func (a *authority) extensions(c *x509.Certificate) *value.Hash {
	b := value.NewHashBuilder(4)
	for _, e := range c.Extensions {
		if oid := e.Id.String(); ofPuppet(oid) {
			b.SetString(a.shortName(oid), value.String(extensionText(e.Value)))
		}
	}
	return b.Hash()
}

// ofPuppet reports whether an extension is one that $trusted has.
func ofPuppet(oid string) bool {
	arc, below := strings.CutPrefix(oid, puppetArc)
	return below && len(arc) > 2 && strings.IndexByte("123", arc[0]) >= 0 && arc[1] == '.'
}

// ruled is what an extension is called that a rule names by its number or its name. It is not seen if clients may have
// it and we do not look: puppetserver's rules know all extensions of certificates.
func (a *authority) ruled(name string) (short string, seen bool) {
	if name == "subject-alt-name" || dottedNumber.MatchString(name) && !ofPuppet(name) {
		return name, false
	}
	for oid, own := range a.oids {
		if own == name && !ofPuppet(oid) {
			return name, false
		}
	}
	return a.shortName(name), true
}

var dottedNumber = regexp.MustCompile(`^\d+(\.\d+)+$`)

// shortName is what an extension is called; one that has no short name is called by its number.
func (a *authority) shortName(oid string) string {
	if own := a.oids[oid]; own != "" {
		return own
	}
	if name := shortNames[strings.TrimPrefix(oid, puppetArc)]; name != "" && strings.HasPrefix(oid, puppetArc) {
		return name
	}
	return oid
}

// extensionText is the text of an extension: a string of ASN.1, or, of certificates from before that, the plain bytes.
func extensionText(der []byte) string {
	var v asn1.RawValue
	if rest, err := asn1.Unmarshal(der, &v); err != nil || len(rest) > 0 || v.IsCompound {
		return string(der)
	}
	return string(v.Bytes)
}

// readOIDs reads custom_trusted_oid_mapping.yaml: further short names. A file that is not there has none.
func readOIDs(path string) (map[string]string, error) {
	if path == "" {
		return nil, nil
	}
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	root, err := datafile.ReadYAML(source.NewFile(path, string(text)))
	if err != nil {
		return nil, err
	}
	wrong := fmt.Errorf("%s: oid_mapping must be a hash of OIDs, each with shortname and longname", path)
	var mapping *value.Hash
	if root != nil {
		if all, is := root.Value.(*value.Hash); is {
			mapping, _ = all.At("oid_mapping").(*value.Hash)
		}
	}
	if mapping == nil {
		return nil, wrong
	}
	out := map[string]string{}
	for _, e := range mapping.Entries() {
		names, _ := e.Value.(*value.Hash)
		if names == nil {
			return nil, wrong
		}
		short, is := names.At("shortname").(value.String)
		if _, long := names.At("longname").(value.String); !is || !long {
			return nil, wrong
		}
		out[value.ToString(e.Key)] = string(short)
	}
	return out, nil
}

// config is how TLS is spoken: the certificate is that of the newest files, and so is the judgement of a client's, also
// when a session is resumed.
func (t *trust) config() *tls.Config {
	return &tls.Config{
		MinVersion:     tls.VersionTLS12,
		ClientAuth:     tls.RequestClientCert,
		NextProtos:     []string{"http/1.1"},
		GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return t.fresh().host, nil },
		VerifyConnection: func(c tls.ConnectionState) error {
			_, err := t.fresh().judge(c.PeerCertificates, t.opt.Revocation, t.now())
			if err != nil { // all that the client hears is that its certificate is bad
				t.opt.Log.Warn("a certificate is refused", "certname", short(c.PeerCertificates[0].Subject.CommonName, mostField),
					"error", short(err.Error(), mostField))
			}
			return err
		},
	}
}
