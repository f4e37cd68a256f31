package serve_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// A testCA signs certificates as a Puppet CA does, with keys that are quickly made.
type testCA struct {
	t       testing.TB
	dir     string
	cert    *x509.Certificate
	key     *ecdsa.PrivateKey
	serial  int64
	revoked []x509.RevocationListEntry
}

func newCA(t testing.TB, name string) *testCA {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	now := time.Now()
	template := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name},
		NotBefore: now.Add(-time.Hour), NotAfter: now.Add(24 * time.Hour), IsCA: true, BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageCRLSign, SubjectKeyId: []byte(name)}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	ca := &testCA{t: t, dir: t.TempDir(), key: key, serial: 1}
	if ca.cert, err = x509.ParseCertificate(der); err != nil {
		t.Fatal(err)
	}
	ca.write("ca.pem", "CERTIFICATE", der)
	ca.revoke(time.Hour)
	return ca
}

func (ca *testCA) path(name string) string { return filepath.Join(ca.dir, name) }

func (ca *testCA) write(name, kind string, der []byte) {
	ca.t.Helper()
	text := pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der})
	if err := os.WriteFile(ca.path(name), text, 0o600); err != nil {
		ca.t.Fatal(err)
	}
}

// revoke writes the list anew, with more serial numbers in it, valid for a while.
func (ca *testCA) revoke(valid time.Duration, serials ...*big.Int) {
	ca.t.Helper()
	for _, n := range serials {
		ca.revoked = append(ca.revoked, x509.RevocationListEntry{SerialNumber: n, RevocationTime: time.Now()})
	}
	der, err := x509.CreateRevocationList(rand.Reader, &x509.RevocationList{Number: big.NewInt(time.Now().UnixNano()),
		ThisUpdate: time.Now().Add(-time.Hour), NextUpdate: time.Now().Add(valid),
		RevokedCertificateEntries: ca.revoked}, ca.cert, ca.key)
	if err != nil {
		ca.t.Fatal(err)
	}
	ca.write("crl.pem", "X509 CRL", der)
}

// sign makes NAME.pem and NAME.key.
func (ca *testCA) sign(name string, change ...func(*x509.Certificate)) tls.Certificate {
	ca.t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		ca.t.Fatal(err)
	}
	ca.serial++
	template := &x509.Certificate{SerialNumber: big.NewInt(ca.serial), Subject: pkix.Name{CommonName: name},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(12 * time.Hour),
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
		DNSNames:    []string{name, "localhost"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}}
	for _, f := range change {
		f(template)
	}
	der, err := x509.CreateCertificate(rand.Reader, template, ca.cert, key.Public(), ca.key)
	if err != nil {
		ca.t.Fatal(err)
	}
	ca.write(name+".pem", "CERTIFICATE", der)
	pkcs, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		ca.t.Fatal(err)
	}
	ca.write(name+".key", "EC PRIVATE KEY", pkcs)
	pair, err := tls.LoadX509KeyPair(ca.path(name+".pem"), ca.path(name+".key"))
	if err != nil {
		ca.t.Fatal(err)
	}
	return pair
}

// extension is one of Puppet's, by the number behind 1.3.6.1.4.1.34380.1.
func extension(text string, number ...int) func(*x509.Certificate) {
	der, err := asn1.MarshalWithParams(text, "utf8")
	if err != nil {
		panic(err)
	}
	id := append(asn1.ObjectIdentifier{1, 3, 6, 1, 4, 1, 34380, 1}, number...)
	return func(c *x509.Certificate) {
		c.ExtraExtensions = append(c.ExtraExtensions, pkix.Extension{Id: id, Value: der})
	}
}
