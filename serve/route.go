package serve

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"path"
	"runtime/debug"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"bunraku/source"
)

// A problem is an answer that says what is wrong, as agents know it: Puppet's JSON.
type problem struct {
	status        int
	message, kind string
}

func (p *problem) Error() string { return p.message }

func badRequest(format string, args ...any) *problem {
	return &problem{status: http.StatusBadRequest, message: "Bad Request: " + fmt.Sprintf(format, args...),
		kind: "RUNTIME_ERROR"}
}

func notFound(format string, args ...any) *problem {
	return &problem{status: http.StatusNotFound, message: "Not Found: " + fmt.Sprintf(format, args...),
		kind: "RESOURCE_NOT_FOUND"}
}

// failed is the problem of a request that nobody can help: a compile that failed, a disk that is full.
func failed(format string, args ...any) *problem {
	return &problem{status: http.StatusInternalServerError, message: "Server Error: " + fmt.Sprintf(format, args...),
		kind: "RUNTIME_ERROR"}
}

// A request is what a handler gets to see.
type request struct {
	*http.Request
	w      *counted
	client *client // nil when no certificate was shown
	key    string  // the path behind the name of what is asked for
	query  url.Values
	note   []any // for the log
}

type handler func(*Server, *request) error

// A route is a handler with the methods that it takes. Puppet's own names lead there.
type route struct {
	methods string
	plain   bool // nothing stands behind the name
	run     handler
}

// routes are what lies below /puppet/v3/.
var routes = map[string]route{
	"catalog":             {methods: "GET POST", run: (*Server).catalog},
	"node":                {methods: "GET", run: (*Server).node},
	"file_metadata":       {methods: "GET", run: (*Server).fileMetadata},
	"file_metadatas":      {methods: "GET", run: (*Server).fileMetadatas},
	"file_content":        {methods: "GET", run: (*Server).fileContent},
	"file_bucket_file":    {methods: "GET HEAD PUT POST", run: (*Server).bucket},
	"report":              {methods: "PUT", run: (*Server).report},
	"facts":               {methods: "PUT", run: (*Server).putFacts},
	"static_file_content": {methods: "GET", run: (*Server).staticContent},
	"environments":        {methods: "GET", plain: true, run: (*Server).listEnvironments},
	"environment_classes": {methods: "GET", plain: true, run: (*Server).environmentClasses},
	"environment_modules": {methods: "GET", plain: true, run: (*Server).environmentModules},
}

// ServeHTTP answers a request: whose it is, whether it is allowed, and then what it asks for.
func (s *Server) ServeHTTP(w http.ResponseWriter, hr *http.Request) {
	began := time.Now()
	answer := &counted{ResponseWriter: w, control: http.NewResponseController(w)}
	r := &request{Request: hr, w: answer}
	var err error
	defer func() {
		if p := recover(); p != nil {
			d := source.Bug(p)
			s.opt.Log.Error("bug", "summary", d.Summary, "at", d.Detail, "stack", string(debug.Stack()))
			err = failed("%s", d.Summary)
		}
		begun := answer.status != 0
		if err != nil && !begun {
			s.fail(answer, err)
		}
		s.counts.answer(hr.URL.Path, answer.status)
		s.log(r, answer, err, time.Since(began))
		if err != nil && begun { // the connection is cut, so that nobody takes a part for the whole
			panic(http.ErrAbortHandler)
		}
	}()
	w.Header().Set("X-Puppet-Version", s.version())
	if hr.ContentLength != 0 { // until all of it is there
		answer.readUntil(began.Add(bodyTimeout))
	}
	err = s.answer(r)
}

func (s *Server) answer(r *request) error {
	if r.TLS == nil {
		return failed("a connection without TLS")
	}
	var err error
	if r.client, err = s.trust.fresh().judge(r.TLS.PeerCertificates, s.opt.Revocation, s.opt.Now()); err != nil {
		r.Close = true
		r.w.Header().Set("Connection", "close")
		return &problem{status: http.StatusForbidden, kind: "FAILED_AUTHORIZATION",
			message: "Forbidden: the certificate is refused: " + err.Error()}
	}
	p := r.URL.Path
	if !utf8.ValidString(p) || strings.ContainsFunc(p, func(c rune) bool { return c < ' ' || c == 0x7f }) ||
		strings.Contains(p+"/", "/../") || strings.Contains(p+"/", "/./") {
		return badRequest("The path of the request is not a plain one")
	}
	// As puppetserver does, before any rule is asked: a//b is a/b, and a rule about a/b must not be gone round by that.
	for strings.Contains(p, "//") {
		p = strings.ReplaceAll(p, "//", "/")
	}
	r.URL.Path = p
	if r.query, err = url.ParseQuery(r.URL.RawQuery); err != nil {
		return badRequest("The query of the request cannot be read: %v", err)
	}
	if p == "/puppet-ca" || strings.HasPrefix(p, "/puppet-ca/") {
		return notFound("there is no CA here; agents find it by their setting ca_server")
	}
	rules := *s.rules.Load()
	if name := twofold(rules, r.query); name != "" { // a rule would look at one, and the answer be about the other
		return badRequest("The request says twice, and differently, what %s is", name)
	}
	if ok, why := permits(rules, r.client, r.Method, p, r.query); !ok {
		who := "unauthenticated client"
		if r.client != nil {
			who = r.client.name
		}
		return &problem{status: http.StatusForbidden, kind: "FAILED_AUTHORIZATION",
			message: fmt.Sprintf("Forbidden request: %s (method :%s). Please see the server logs for details. %s: %s", p,
				strings.ToLower(r.Method), who, why)}
	}
	switch {
	case strings.HasPrefix(p, "/puppet/v3/"):
		name, key, deeper := strings.Cut(strings.TrimPrefix(p, "/puppet/v3/"), "/")
		route, known := routes[name]
		if !known {
			return notFound("Could not find indirection '%s'", name)
		}
		return s.run(route, r, key, deeper && key != "")
	case p == "/puppet/v4/catalog" || p == "/puppet/v4/catalog/":
		return s.catalogV4(r)
	case p == "/status/v1/simple" || strings.HasPrefix(p, "/status/v1/simple/"):
		return r.text("text/plain; charset=utf-8", "running")
	case p == "/status/v1/services" || strings.HasPrefix(p, "/status/v1/services/"):
		return s.status(r)
	case path.Clean(p) == "/puppet-admin-api/v1/environment-cache":
		if r.Method != http.MethodDelete {
			return methodNotAllowed(r)
		}
		s.pool.flush(r.query.Get("environment"))
		r.w.WriteHeader(http.StatusNoContent)
		return nil
	}
	return notFound("No route for %s %s", r.Method, p)
}

func methodNotAllowed(r *request) *problem {
	return &problem{status: http.StatusMethodNotAllowed, kind: "RUNTIME_ERROR",
		message: "Method Not Allowed: No support for http method " + r.Method}
}

func (s *Server) run(to route, r *request, key string, deeper bool) error {
	if !strings.Contains(" "+to.methods+" ", " "+r.Method+" ") {
		return methodNotAllowed(r)
	}
	if !to.plain && !deeper {
		return badRequest("No request key specified in %s", r.URL.Path)
	}
	if to.plain && deeper {
		return notFound("No route for %s", r.URL.Path)
	}
	r.key = key
	return to.run(s, r)
}

// body reads what the client sends, up to a bound. Long bodies are read a few at a time.
func (s *Server) body(r *request) ([]byte, error) {
	if packed := r.Header.Get("Content-Encoding"); packed != "" && packed != "identity" {
		return nil, &problem{status: http.StatusUnsupportedMediaType, kind: "UNSUPPORTED_MEDIA_TYPE",
			message: "Unsupported Media Type: a body is sent as it is, not packed by " + packed}
	}
	if r.ContentLength > s.opt.MaxBody {
		return nil, &problem{status: http.StatusRequestEntityTooLarge, kind: "RUNTIME_ERROR",
			message: fmt.Sprintf("Bad Request: the body has more than %d bytes", s.opt.MaxBody)}
	}
	from := http.MaxBytesReader(r.w, r.Body, s.opt.MaxBody)
	var text bytes.Buffer
	n, err := io.Copy(&text, io.LimitReader(from, largeBody))
	if err == nil && n == largeBody {
		err = s.readLarge(r, &text, from)
	}
	var large *http.MaxBytesError
	var known *problem
	switch {
	case errors.As(err, &large):
		return nil, &problem{status: http.StatusRequestEntityTooLarge, kind: "RUNTIME_ERROR",
			message: fmt.Sprintf("Bad Request: the body has more than %d bytes", s.opt.MaxBody)}
	case errors.As(err, &known):
		return nil, known
	case err != nil:
		return nil, badRequest("The body cannot be read: %v", err)
	}
	r.w.readUntil(time.Time{})
	return text.Bytes(), nil
}

// readLarge reads the rest of a long body, at one of a few places. A client has one of them at a time, and must go on
// sending as long as it has it.
func (s *Server) readLarge(r *request, text *bytes.Buffer, from io.Reader) error {
	name := ""
	if r.client != nil {
		name = r.client.name
	}
	if _, twice := s.uploads.LoadOrStore(name, true); twice {
		return &problem{status: http.StatusServiceUnavailable, kind: "UNAVAILABLE",
			message: "The server is busy with another long body of the same client"}
	}
	defer s.uploads.Delete(name)
	wait := time.NewTimer(bodyTimeout)
	defer wait.Stop()
	select {
	case s.large <- struct{}{}:
		defer func() { <-s.large }()
	case <-wait.C:
		return &problem{status: http.StatusServiceUnavailable, kind: "UNAVAILABLE",
			message: "The server is busy with other long bodies"}
	case <-r.Context().Done():
		return r.Context().Err()
	}
	for end := time.Now().Add(bodyTimeout); ; {
		until := time.Now().Add(paceTime)
		if until.After(end) {
			until = end
		}
		r.w.readUntil(until)
		if n, err := io.Copy(text, io.LimitReader(from, pace)); err != nil || n < pace {
			return err
		}
	}
}

// environment is the one that the request names, as it must.
func (r *request) environment() (string, error) {
	name := r.query.Get("environment")
	if name == "" {
		return "", badRequest("An environment parameter must be specified")
	}
	return name, nil
}

func (r *request) text(kind, text string) error {
	r.w.Header().Set("Content-Type", kind)
	r.w.Header().Set("Content-Length", strconv.Itoa(len(text)))
	_, err := io.WriteString(r.w, text)
	return ignoreGone(err)
}

func (r *request) json(v any) error {
	text, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return r.text("application/json; charset=utf-8", string(text))
}

// ignoreGone is for errors of writing: the client is not there any more, and there is nobody to tell.
func ignoreGone(error) error { return nil }

// fail answers with a problem.
func (s *Server) fail(w *counted, err error) {
	var p *problem
	if !errors.As(err, &p) {
		p = failed("%s", err.Error())
	}
	if p.status == http.StatusServiceUnavailable { // as puppetserver does: agents come back at some time
		w.Header().Set("Retry-After", strconv.Itoa(1+rand.IntN(1800)))
	}
	text, _ := json.Marshal(struct {
		Message string `json:"message"`
		Kind    string `json:"issue_kind"`
	}{short(s.secrets.Hide(p.message), mostMessage), p.kind})
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.Header().Set("Content-Length", strconv.Itoa(len(text)))
	w.WriteHeader(p.status)
	_, err = w.Write(text)
	_ = ignoreGone(err)
}

func (s *Server) log(r *request, w *counted, err error, took time.Duration) {
	fields := []any{"method", r.Method, "path", r.URL.Path, "status", w.status, "bytes", w.bytes,
		"ms", float64(took.Microseconds()) / 1000, "from", r.RemoteAddr}
	if r.client != nil {
		fields = append(fields, "certname", r.client.name)
	}
	fields = append(fields, r.note...)
	for i, v := range fields {
		if text, is := v.(string); is {
			fields[i] = short(text, mostField)
		}
	}
	if err != nil {
		fields = append(fields, "error", short(s.secrets.Hide(err.Error()), mostMessage))
	}
	switch {
	case w.status >= 500 || err != nil && w.status < 400: // the latter was cut off
		s.opt.Log.Error("request", fields...)
	case err != nil:
		s.opt.Log.Warn("request", fields...)
	default:
		s.opt.Log.Info("request", fields...)
	}
}

// How many bytes of what a client says go into a field of the log, and into the message of an error.
const (
	mostField   = 500
	mostMessage = 16 << 10
)

// short is a text of which no more is told than so many bytes.
func short(text string, most int) string {
	if len(text) <= most {
		return text
	}
	for most > 0 && !utf8.RuneStart(text[most]) {
		most--
	}
	return text[:most] + "…"
}

// counted is an answer whose length is known afterwards. Each piece must be taken within a time, however long the whole
// takes.
type counted struct {
	http.ResponseWriter
	control *http.ResponseController
	status  int
	bytes   int64
}

// readUntil bounds how long the client may take to send the rest. A connection that cannot be told so is none of ours.
func (c *counted) readUntil(t time.Time) { _ = c.control.SetReadDeadline(t) }

func (c *counted) WriteHeader(status int) {
	c.status = status
	c.ResponseWriter.WriteHeader(status)
}

func (c *counted) Write(p []byte) (n int, err error) {
	if c.status == 0 {
		c.status = http.StatusOK
	}
	const piece = 1 << 20
	for n < len(p) && err == nil {
		if e := c.control.SetWriteDeadline(time.Now().Add(writeTimeout)); e != nil && !errors.Is(e, errors.ErrUnsupported) {
			return n, e
		}
		var m int
		m, err = c.ResponseWriter.Write(p[n:min(n+piece, len(p))])
		n += m
	}
	c.bytes += int64(n)
	return n, err
}
