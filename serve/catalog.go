package serve

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
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
	"bunraku/puppetdb"
	"bunraku/report/redact"
)

// An order is a catalog that somebody has asked for.
type order struct {
	name        string // of the node
	environment string // that was asked for
	facts       *facts.Facts
	trusted     *value.Hash
	check       bool     // an agent that must change its environment first gets no resources
	prefer      bool     // whatever environment a classifier says
	static      bool     // metadata of files may be in it
	checksums   []string // that the agent knows, the best one first
	keepFacts   bool
	store       bool   // PuppetDB is told of it, if there is one
	transaction string // uuid of the agent's run
}

// catalog compiles the catalog of the node that the path names (puppet/indirector/catalog/compiler.rb).
func (s *Server) catalog(r *request) error {
	form, err := s.form(r)
	if err != nil {
		return err
	}
	format, err := catalogFormat(r.Header.Values("Accept"))
	if err != nil {
		return err
	}
	if err := checkName(r.key); err != nil {
		return err
	}
	if r.client == nil {
		return noCertificate
	}
	o := order{name: r.key, environment: form.Get("environment"), check: form.Get("check_environment") == "true",
		static: form.Get("static_catalog") == "true", keepFacts: form.Get("facts") != "", store: true,
		transaction: form.Get("transaction_uuid")}
	if kinds := form.Get("checksum_type"); kinds != "" {
		o.checksums = strings.Split(kinds, ".")
	}
	if o.transaction != "" {
		r.note = append(r.note, "transaction", o.transaction)
	}
	leave, err := s.enter(r.Context())
	if err != nil {
		return err
	}
	o.facts, err = s.requestFacts(r.key, form)
	leave()
	if err != nil {
		return err
	}
	external, err := s.external(r.Context(), r.client.name)
	if err != nil {
		return err
	}
	o.trusted = facts.Trusted(r.client.name, r.client.extensions, external)
	done, err := s.fill(r, o)
	if err != nil {
		return err
	}
	if format != richJSON && bytes.Contains(done.text, []byte(`"__ptype":`)) {
		return &problem{status: http.StatusNotAcceptable, kind: "UNSUPPORTED_FORMAT",
			message: "Not Acceptable: the catalog of " + r.key + " has rich data, which only " + richJSON + " can say"}
	}
	return r.text(format+"; charset=utf-8", string(done.text))
}

// noCertificate is for requests whose answer is about who asks. A rule may let anybody ask all the same.
var noCertificate = &problem{status: http.StatusForbidden, kind: "FAILED_AUTHORIZATION",
	message: "Forbidden request: it needs a certificate, whatever the rules say"}

// form is what the request says, in its path and in its body.
func (s *Server) form(r *request) (url.Values, error) {
	if r.Method != http.MethodPost {
		return r.query, nil
	}
	body, err := s.body(r)
	if err != nil {
		return nil, err
	}
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil ||
		kind != "application/x-www-form-urlencoded" {
		return nil, &problem{status: http.StatusUnsupportedMediaType, kind: "UNSUPPORTED_MEDIA_TYPE",
			message: "Unsupported Media Type: a catalog is asked for with a form"}
	}
	posted, err := url.ParseQuery(string(body))
	if err != nil {
		return nil, badRequest("The form of the request cannot be read: %v", err)
	}
	if posted.Has("environment") && r.query.Has("environment") &&
		posted.Get("environment") != r.query.Get("environment") { // rules have looked at one, and the catalog is of the other
		return nil, badRequest("The request names two environments")
	}
	for name, values := range r.query {
		if _, given := posted[name]; !given {
			posted[name] = values
		}
	}
	return posted, nil
}

// filled is a catalog as it is sent, and what was said while it was made.
type filled struct {
	text []byte
	logs []eval.LogLine
}

// fill compiles what was ordered.
func (s *Server) fill(r *request, o order) (*filled, error) {
	if o.environment == "" {
		return nil, badRequest("An environment parameter must be specified")
	}
	node := compiler.Node{Name: o.name, Facts: o.facts, Unclassified: true}
	node.Facts.Trusted = o.trusted
	asked := o.environment
	environment, err := s.classify(r.Context(), &node, o.environment)
	if err != nil {
		return nil, err
	}
	if o.prefer {
		environment = o.environment
	}
	env, err := s.pool.find(environment)
	var gone *problem
	if errors.As(err, &gone) && gone.status == http.StatusNotFound && environment == o.environment &&
		environment != defaultEnvironment {
		// As Puppet does: the catalog says which environment it is of, and the agent goes over to that.
		r.note = append(r.note, "asked", environment)
		environment, o.environment = defaultEnvironment, defaultEnvironment
		env, err = s.pool.find(environment)
	}
	if err != nil {
		return nil, err
	}
	r.note = append(r.note, "environment", environment)
	if o.keepFacts {
		if err := s.keepFacts(environment, asked, o.facts); err != nil {
			return nil, err
		}
	}
	began := time.Now()
	made := made{}
	if o.check && environment != o.environment {
		c := &catalog.Catalog{Name: o.name, Environment: environment, Format: 2, Tags: []string{}, Classes: []string{}}
		c.Version, c.UUID = value.Undef{}, uuid()
		made.catalog = c
	} else if made, err = s.compile(r.Context(), env, node, o); err != nil {
		s.counts.compileErrors.Add(1)
		return nil, err
	}
	s.counts.compile.add(time.Since(began))
	s.counts.catalogs.Add(1)
	text, err := catalog.JSON{Types: types.ToData}.Append(nil, made.catalog)
	if err != nil {
		return nil, failed("the catalog of %s cannot be written as JSON: %v", o.name, err)
	}
	if bytes.Contains(text, opaqueMark) { // the compiler has refused it already; nothing is sent that it forgot
		s.counts.unknown.Add(1)
		return nil, failed("a value of the catalog of %s is not known", o.name)
	}
	if made.stored != nil {
		if err := s.tell(*made.stored); err != nil {
			return nil, err
		}
	}
	r.note = append(r.note, "resources", len(made.catalog.Resources))
	return &filled{text, made.logs}, nil
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
	return readFacts(name, text)
}

// readFacts reads {"name": …, "values": {…}}. What it says of $trusted does not count.
func readFacts(name, text string) (*facts.Facts, error) {
	if !strings.HasPrefix(strings.TrimSpace(text), "{") {
		return nil, badRequest("The facts of %s are no JSON object", name)
	}
	v, err := catalog.ReadExact([]byte(text))
	var long *catalog.LongNumber
	switch {
	case errors.As(err, &long):
		return nil, failed("a fact of %s is %v", name, long)
	case err != nil:
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

// mostTries is how often a catalog is compiled anew because the code's id was another one afterwards.
const mostTries = 4

// made is a catalog, what was said while it was made, and what PuppetDB is to be told of it.
type made struct {
	catalog *catalog.Catalog
	logs    []eval.LogLine
	stored  *puppetdb.Command
}

// compile makes a catalog that an agent may have, or says why there is none. There is none as well if any of it is not
// known: an agent would apply the guess.
func (s *Server) compile(ctx context.Context, env *served, node compiler.Node, o order) (made, error) {
	ctx, cancel := context.WithTimeout(ctx, compileTimeout)
	defer cancel()
	if env.branches != nil {
		return s.compileOnce(ctx, env, node, o, s.lately(), "")
	}
	for tries := 0; ; tries++ {
		id, err := s.codeID(ctx, env.name)
		if err != nil {
			return made{}, err
		}
		since := s.lately()
		if id != "" {
			since = time.Now() // what was looked at before the id was known may be of an earlier one
		}
		m, err := s.compileOnce(ctx, env, node, o, since, id)
		if err != nil || id == "" {
			return m, err
		}
		after, err := s.codeID(ctx, env.name)
		if err != nil {
			return made{}, err
		}
		if after == id {
			return m, nil
		}
		if tries == mostTries {
			return made{}, failed("the code of the environment '%s' changes all the time", env.name)
		}
	}
}

func (s *Server) compileOnce(ctx context.Context, env *served, node compiler.Node, o order, since time.Time,
	codeID string) (m made, err error) {
	// Only computing needs a processor: programs that are asked before and after may take their time.
	leave, err := s.enter(ctx)
	if err != nil {
		return made{}, err
	}
	defer leave()
	snap, err := env.snapshot(ctx, since)
	if err != nil {
		return made{}, failed("the environment '%s' cannot be read: %v", env.name, err)
	}
	if d := unread(snap); d != nil {
		return made{}, failed("%s", d.Summary)
	}
	if s.db != nil {
		node.Imports = patient{s.db.client.NewImporter(ctx), s.aside}
	}
	kept := (*remembered)(nil)
	if s.memory != nil {
		kept = s.memory.find(ctx, env.name, snap.Snapshot, node)
	}
	id := uuid()
	if kept == nil {
		if kept, err = s.fresh(ctx, env, snap, node, id); err != nil {
			return made{}, err
		}
	} else {
		s.counts.reused.Add(1)
	}
	whole := *kept.catalog // others may have the same one
	c := &whole
	if snap.rev != nil {
		codeID = snap.rev.ID
		if err := s.noteCode(env, snap.rev); err != nil {
			return made{}, failed("what %s of the environment '%s' consists of cannot be kept: %v", codeID, env.name, err)
		}
	}
	c.Version, c.UUID, c.CodeID = value.Int(s.opt.Now().Unix()), id, codeID
	if codeID != "" && o.static {
		if err := s.inline(ctx, snap.current(), c, o.checksums); err != nil {
			return made{}, err
		}
	}
	m = made{catalog: c, logs: kept.logs}
	if s.db != nil && o.store {
		command, err := puppetdb.CatalogCommand(c, kept.rest, snap.Current(), s.sending(env.name, o.transaction))
		if err != nil {
			return made{}, failed("%v on node %s", err, node.Name)
		}
		m.stored = &command
	}
	return m, nil
}

// fresh compiles a catalog, which may then be remembered. It is called by its uuid where its provenance is kept.
func (s *Server) fresh(ctx context.Context, env *served, snap taken, node compiler.Node, id string) (*remembered,
	error) {
	result, err := snap.Compile(ctx, node)
	if err != nil {
		return nil, failed("the catalog of %s was not compiled: %v", node.Name, err)
	}
	if result.Failure != nil {
		if result.Failure.Code == compiler.CodeStrictUnknown {
			s.counts.unknown.Add(1)
		}
		return nil, failed("%s", refusal(snap, node.Name, result))
	}
	if s.gate != nil {
		if err := s.check(ctx, snap.current(), node, result); err != nil {
			return nil, err
		}
	}
	if s.opt.Provenance > 0 {
		if err := s.written("provenance", node.Name, s.keepProvenance(env.dir, node.Name, id, result)); err != nil {
			return nil, err
		}
	}
	if s.memory != nil {
		s.memory.keep(env.name, node.Name, result)
	}
	return &remembered{catalog: result.Catalog, rest: result.Rest, logs: result.Logs}, nil
}

// refusal is why a compile failed, in Puppet's words and without secrets.
func refusal(snap taken, node string, result *eval.Result) string {
	d := result.Failure
	text := d.Summary
	if d.Code == compiler.CodeStrictUnknown {
		text += ": " + strings.ReplaceAll(d.Detail, "\n", "; ") + " (" + d.Label + ")"
	}
	if d.Place.Known() && !strings.Contains(text, "(file: ") {
		at := d.Place.Outer()
		p := at.File.Position(at.Span.Start)
		text += fmt.Sprintf(" (file: %s, line: %d, column: %d)", snap.Environment().Path(at.File), p.Line, p.Column)
	}
	return hiding(result).Hide(text) + " on node " + node
}

// hiding blots out what a compile has seen of secrets.
func hiding(result *eval.Result) *redact.Secrets {
	hidden := &redact.Secrets{}
	result.EachVariable(func(_, _ string, v value.Value, _ provenance.Ref) { hidden.AddValue(v) })
	result.EachBared(hidden.AddBared, hidden.AddMade)
	return hidden
}

// uuid is a random name (RFC 9562, version 4).
func uuid() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // it never fails
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

// node is what is known of a node before its facts are: which environment it belongs to, and what a classifier says.
func (s *Server) node(r *request) error {
	name, err := r.environment()
	if err != nil {
		return err
	}
	if err := checkName(r.key); err != nil {
		return err
	}
	node := compiler.Node{Name: r.key}
	if name, err = s.classify(r.Context(), &node, name); err != nil {
		return err
	}
	if _, err := s.pool.find(name); err != nil {
		return err
	}
	text := func(v value.Value) json.RawMessage {
		out, err := catalog.JSON{}.AppendValue(nil, v)
		if err != nil {
			return json.RawMessage("null")
		}
		return out
	}
	out := struct {
		Name        string          `json:"name"`
		Classes     json.RawMessage `json:"classes,omitempty"`
		Parameters  json.RawMessage `json:"parameters,omitempty"`
		Environment string          `json:"environment"`
	}{Name: r.key, Environment: name}
	if len(node.Classes) > 0 {
		b := value.NewHashBuilder(len(node.Classes))
		for _, c := range node.Classes {
			params := c.Params
			if params == nil {
				params = value.EmptyHash
			}
			b.SetString(c.Name, params)
		}
		out.Classes = text(b.Hash())
	}
	if node.Parameters != nil && node.Parameters.Len() > 0 {
		out.Parameters = text(node.Parameters)
	}
	return r.json(out)
}
