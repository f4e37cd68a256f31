package serve

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"net/url"
	"strings"
	"time"

	"bunraku/provenance"
	"bunraku/puppet/catalog"
	"bunraku/puppet/compiler"
	"bunraku/puppet/eval"
	"bunraku/puppet/facts"
	"bunraku/puppet/types"
	"bunraku/puppet/value"
	"bunraku/report/redact"
)

// catalog compiles the catalog of the node that the path names (puppet/indirector/catalog/compiler.rb).
func (s *Server) catalog(r *request) error {
	form := r.query
	if r.Method == http.MethodPost {
		body, err := s.body(r)
		if err != nil {
			return err
		}
		if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil ||
			kind != "application/x-www-form-urlencoded" {
			return &problem{status: http.StatusUnsupportedMediaType, kind: "UNSUPPORTED_MEDIA_TYPE",
				message: "Unsupported Media Type: a catalog is asked for with a form"}
		}
		posted, err := url.ParseQuery(string(body))
		if err != nil {
			return badRequest("The form of the request cannot be read: %v", err)
		}
		for name, values := range r.query {
			if _, given := posted[name]; !given {
				posted[name] = values
			}
		}
		form = posted
	}
	format, err := catalogFormat(r.Header.Values("Accept"))
	if err != nil {
		return err
	}
	envName := form.Get("environment")
	if envName == "" {
		return badRequest("An environment parameter must be specified")
	}
	env, err := s.pool.find(envName)
	var gone *problem
	if errors.As(err, &gone) && gone.status == http.StatusNotFound && envName != defaultEnvironment {
		// As Puppet does: the catalog says which environment it is of, and the agent goes over to that.
		r.note = append(r.note, "asked", envName)
		envName = defaultEnvironment
		env, err = s.pool.find(envName)
	}
	if err != nil {
		return err
	}
	r.note = append(r.note, "environment", envName)
	if id := form.Get("transaction_uuid"); id != "" {
		r.note = append(r.note, "transaction", id)
	}
	leave, err := s.enter(r.Context())
	if err != nil {
		return err
	}
	defer leave()
	node := compiler.Node{Name: r.key}
	if node.Facts, err = s.requestFacts(r.key, form); err != nil {
		return err
	}
	node.Facts.Trusted = facts.Trusted(r.client.name, r.client.extensions, nil)
	began := time.Now()
	c, err := s.compile(r.Context(), env, node)
	s.counts.compileNanos.Add(int64(time.Since(began)))
	if err != nil {
		s.counts.compileErrors.Add(1)
		return err
	}
	s.counts.catalogs.Add(1)
	text, err := catalog.JSON{Types: types.ToData}.Append(nil, c)
	if err != nil {
		return failed("the catalog of %s cannot be written as JSON: %v", r.key, err)
	}
	if bytes.Contains(text, opaqueMark) { // the compiler has refused it already; nothing is sent that it forgot
		s.counts.unknown.Add(1)
		return failed("a value of the catalog of %s is not known", r.key)
	}
	r.note = append(r.note, "resources", len(c.Resources))
	if format != richJSON && bytes.Contains(text, []byte(`"__ptype":`)) {
		return &problem{status: http.StatusNotAcceptable, kind: "UNSUPPORTED_FORMAT",
			message: "Not Acceptable: the catalog of " + r.key + " has rich data, which only " + richJSON + " can say"}
	}
	return r.text(format+"; charset=utf-8", string(text))
}

// defaultEnvironment is what nodes belong to whose environment is not there (any more).
const defaultEnvironment = "production"

// opaqueMark is how a value that is not known would look. No text of a catalog has it: there, quotes are escaped.
var opaqueMark = []byte(`"__ptype":"Bunraku::Opaque"`)

// richJSON is the format of catalogs with values that JSON does not have.
const richJSON = "application/vnd.puppet.rich+json"

// catalogFormat is the first format that the client takes.
func catalogFormat(accept []string) (string, error) {
	for _, header := range accept {
		for _, part := range strings.Split(header, ",") {
			kind, _, _ := strings.Cut(part, ";")
			switch kind = strings.TrimSpace(kind); kind {
			case richJSON, "application/json", "text/pson":
				return kind, nil
			case "*/*":
				return richJSON, nil
			}
		}
	}
	if len(accept) == 0 {
		return "", badRequest("Missing required Accept header")
	}
	return "", &problem{status: http.StatusNotAcceptable, kind: "UNSUPPORTED_FORMAT",
		message: "Not Acceptable: No supported formats are acceptable (Accept: " + strings.Join(accept, ", ") + ")"}
}

// requestFacts are those that the agent has sent with its request, else those that it sent last.
func (s *Server) requestFacts(name string, form url.Values) (*facts.Facts, error) {
	text := form.Get("facts")
	if text == "" {
		return s.store.facts(name)
	}
	switch format := form.Get("facts_format"); format {
	case "application/json", "pson":
	case "":
		return nil, failed("Facts but no fact format provided for %s", name)
	default:
		return nil, failed("Unsupported facts format")
	}
	text, err := url.QueryUnescape(text) // once more than a form is: agents encode twice
	if err != nil {
		return nil, badRequest("The facts cannot be read: %v", err)
	}
	f, err := readFacts(name, text)
	if err != nil {
		return nil, err
	}
	return f, s.store.saveFacts(name, text)
}

// readFacts reads {"name": …, "values": {…}}. What it says of $trusted does not count.
func readFacts(name, text string) (*facts.Facts, error) {
	if !strings.HasPrefix(strings.TrimSpace(text), "{") {
		return nil, badRequest("The facts of %s are no JSON object", name)
	}
	v, err := catalog.ReadJSON([]byte(text))
	if err != nil {
		return nil, badRequest("The facts of %s are no JSON: %v", name, err)
	}
	h, _ := v.(*value.Hash)
	given, is := h.At("name").(value.String)
	values, hash := h.At("values").(*value.Hash)
	if !is || !hash {
		return nil, badRequest("The facts of %s lack name or values", name)
	}
	if string(given) != name {
		return nil, failed("Catalog for %q was requested with fact definition for the wrong node (%q).", name, given)
	}
	return facts.New(name, values), nil
}

// compile makes a catalog that an agent may have, or says why there is none. There is none as well if any of it is not
// known: an agent would apply the guess.
func (s *Server) compile(ctx context.Context, env *served, node compiler.Node) (*catalog.Catalog, error) {
	ctx, cancel := context.WithTimeout(ctx, compileTimeout)
	defer cancel()
	snap, err := env.snapshot(ctx, s.opt.Recheck)
	if err != nil {
		return nil, failed("the environment '%s' cannot be read: %v", env.name, err)
	}
	if d := unread(snap); d != nil {
		return nil, failed("%s", d.Summary)
	}
	result, err := snap.Compile(ctx, node)
	if err != nil {
		return nil, failed("the catalog of %s was not compiled: %v", node.Name, err)
	}
	for _, l := range result.Logs {
		s.opt.Log.Debug("said", "level", l.Level, "certname", node.Name, "at", l.Place.String())
	}
	if result.Failure != nil {
		if result.Failure.Code == compiler.CodeStrictUnknown {
			s.counts.unknown.Add(1)
		}
		return nil, failed("%s", refusal(snap, node.Name, result))
	}
	c := result.Catalog
	c.Version, c.UUID = value.Int(s.opt.Now().Unix()), uuid()
	return c, nil
}

// refusal is why a compile failed, in Puppet's words and without secrets.
func refusal(snap *compiler.Snapshot, node string, result *eval.Result) string {
	d := result.Failure
	text := d.Summary
	if d.Code == compiler.CodeStrictUnknown {
		text += ": " + strings.ReplaceAll(d.Detail, "\n", "; ")
	}
	if d.Place.Known() && !strings.Contains(text, "(file: ") {
		at := d.Place.Outer()
		p := at.File.Position(at.Span.Start)
		text += fmt.Sprintf(" (file: %s, line: %d, column: %d)", snap.Environment().Path(at.File), p.Line, p.Column)
	}
	hidden := &redact.Secrets{}
	result.EachVariable(func(_, _ string, v value.Value, _ provenance.Ref) { hidden.AddValue(v) })
	result.EachBared(hidden.AddBared)
	return hidden.Hide(text) + " on node " + node
}

// uuid is a random name (RFC 9562, version 4).
func uuid() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // it never fails
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

// node is what is known of a node before its facts are: which environment it belongs to.
func (s *Server) node(r *request) error {
	name, err := r.environment()
	if err != nil {
		return err
	}
	if _, err := s.pool.find(name); err != nil {
		return err
	}
	return r.json(struct {
		Name        string `json:"name"`
		Environment string `json:"environment"`
	}{r.key, name})
}
