package puppetdb

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"time"
)

// An Error is why a PuppetDB gave no answer, or not all of one.
type Error struct {
	URL    string
	Status int    // of HTTP; 0 if there was no answer, or if it was fine and broke off
	Detail string // what happened
	Help   string // what to do; "" if nobody knows
	Again  bool   // the same question may be answered in a moment
	Err    error  // what it came from
}

func (e *Error) Error() string {
	text := e.Detail
	if e.Status != 0 {
		text = fmt.Sprintf("it answers %d %s", e.Status, http.StatusText(e.Status))
		if e.Detail != "" {
			text += ": " + e.Detail
		}
	}
	text = "PuppetDB at " + e.URL + ": " + text
	if help := e.help(); help != "" {
		text += "; " + help
	}
	return text
}

func (e *Error) Unwrap() error { return e.Err }

func (e *Error) help() string {
	switch {
	case e.Help != "":
		return e.Help
	case e.Status == http.StatusUnauthorized || e.Status == http.StatusForbidden:
		return "its certificate-allowlist must name the client's certificate, or the token must be allowed to ask"
	case e.Status == http.StatusNotFound:
		return "is it a PuppetDB, and not a Puppet server? It listens on 8081, or on 8080 without TLS"
	}
	return ""
}

// Temporary reports whether the same question may be answered in a moment.
func Temporary(err error) bool {
	var e *Error
	return errors.As(err, &e) && (e.Again || e.Status >= 500)
}

// errSlow is the cause when nothing came for too long.
var errSlow = errors.New("nothing came for too long")

// trouble says why there is no answer. The cause is the context's: the user's own end of work stays what it is.
func (c *Client) trouble(cause, err error) error {
	e := &Error{URL: c.URL(), Err: err}
	var known *Error
	var untrusted *tls.CertificateVerificationError
	var record tls.RecordHeaderError
	var alert tls.AlertError
	var at *net.OpError
	switch {
	case errors.As(err, &known):
		return known
	case errors.Is(cause, errSlow):
		e.Detail, e.Again = fmt.Sprintf("nothing came for %v", c.conf.Timeout), true
		e.Help = "--timeout lets it take longer"
	case cause != nil && (errors.Is(cause, context.Canceled) || errors.Is(cause, context.DeadlineExceeded)):
		return cause
	case errors.As(err, &untrusted):
		e.Detail = "its certificate is not trusted: " + untrusted.Err.Error()
		e.Help = "--cacert names the authority that signed it: a Puppet CA's is ssl/certs/ca.pem"
		var name x509.HostnameError
		var invalid x509.CertificateInvalidError
		switch {
		case errors.As(err, &name):
			e.Help = "name the PuppetDB as its certificate does"
		case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
			e.Help = "renew it"
			if time.Now().Before(invalid.Cert.NotBefore) {
				e.Help = "compare the clocks: it is not valid before " + invalid.Cert.NotBefore.UTC().Format(time.RFC3339)
			}
		}
	case errors.As(err, &alert) || strings.Contains(err.Error(), "remote error: tls:"):
		e.Detail = "it does not take the client's certificate (" + alertText(err) + ")"
		e.Help = "--cert and --key name one that its authority has signed"
		if len(c.conf.Certificate) == 0 {
			e.Detail = "it wants a client certificate (" + alertText(err) + ")"
		}
	case errors.As(err, &record):
		e.Detail, e.Help = "it does not speak TLS there", "8081 is its port for https, 8080 the one for http"
	case errors.As(err, &at) && at.Op == "dial":
		e.Detail, e.Again = "it cannot be reached: "+at.Err.Error(), true
	case isTimeout(err):
		e.Detail, e.Again = fmt.Sprintf("nothing came for %v", c.conf.Timeout), true
		e.Help = "--timeout lets it take longer"
	default:
		e.Detail, e.Again = "the answer broke off: "+last(err).Error(), true
	}
	return e
}

func isTimeout(err error) bool {
	var t net.Error
	return errors.As(err, &t) && t.Timeout()
}

func alertText(err error) string {
	_, text, found := strings.Cut(err.Error(), "remote error: ")
	if !found {
		text = last(err).Error()
	}
	return text
}

// last is the innermost error.
func last(err error) error {
	for {
		next := errors.Unwrap(err)
		if next == nil {
			return err
		}
		err = next
	}
}

// firstLine is the beginning of what an error's answer says.
func firstLine(text []byte) string {
	s, _, _ := strings.Cut(strings.TrimSpace(string(text)), "\n")
	if r := []rune(s); len(r) > 300 {
		s = string(r[:300]) + "…"
	}
	return strings.ToValidUTF8(s, "?")
}
