package serve

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"

	"bunraku/puppet/catalog"
	"bunraku/puppet/facts"
	"bunraku/puppet/value"
)

// A shape is what a part of a request may be, as puppetserver's schemas say it: a text, true or false, a hash of
// anything, or one with some keys and no other. What has another shape is refused: to pass over it would be to answer
// something that was not asked.
type shape struct {
	text, truth, open bool
	oneOf             []string // of a text; nil for any
	keys              map[string]shape
	required          []string
}

// v4Request is what POST /puppet/v4/catalog takes (puppetserver's master_core.clj, CatalogRequestV4).
func v4Request() shape {
	text, truth := shape{text: true}, shape{truth: true}
	values := shape{keys: map[string]shape{"values": {open: true}}, required: []string{"values"}}
	return shape{keys: map[string]shape{"certname": text, "environment": text, "job_id": text, "transaction_uuid": text,
		"facts": values, "trusted_facts": values,
		"persistence": {keys: map[string]shape{"facts": truth, "catalog": truth}, required: []string{"facts", "catalog"}},
		"options": {keys: map[string]shape{"capture_logs": truth, "prefer_requested_environment": truth,
			"log_level": {text: true, oneOf: []string{"debug", "info", "warning", "err"}}}},
	}, required: []string{"certname", "persistence", "environment"}}
}

// fits says what is wrong with a value; "" for nothing.
func (s shape) fits(v value.Value, at string) string {
	switch {
	case s.text:
		if text, is := v.(value.String); !is || s.oneOf != nil && !slices.Contains(s.oneOf, string(text)) {
			return at + " is " + value.Inspect(v)
		}
		return ""
	case s.truth:
		if _, is := v.(value.Bool); !is {
			return at + " is neither true nor false"
		}
		return ""
	}
	h, is := v.(*value.Hash)
	if !is {
		return at + " is no object"
	}
	if s.open {
		return ""
	}
	for _, key := range s.required {
		if h.EntryString(key) == nil {
			return at + " has no " + key
		}
	}
	for _, e := range h.Entries() {
		key := value.ToString(e.Key)
		of, known := s.keys[key]
		if !known {
			return fmt.Sprintf("%s has %q, which is not known", at, key)
		}
		if wrong := of.fits(e.Value, key); wrong != "" {
			return wrong
		}
	}
	return ""
}

// catalogV4 is for services that ask on behalf of nodes, if a rule lets them: POST /puppet/v4/catalog.
func (s *Server) catalogV4(r *request) error {
	if r.Method != http.MethodPost {
		return methodNotAllowed(r)
	}
	body, err := s.json(r)
	if err != nil {
		return err
	}
	v, err := catalog.ReadExact(body)
	var long *catalog.LongNumber
	switch {
	case errors.As(err, &long):
		return failed("the request has %v", long)
	case err != nil:
		return badRequest("The request body is invalid: %v", err)
	}
	if wrong := v4Request().fits(v, "it"); wrong != "" {
		return badRequest("The request body is invalid: %s", wrong)
	}
	given := v.(*value.Hash)
	text := func(key string) string { t, _ := given.At(key).(value.String); return string(t) }
	hash := func(h *value.Hash, key string) *value.Hash {
		if h == nil {
			return nil
		}
		out, _ := h.At(key).(*value.Hash)
		return out
	}
	persistence, options := hash(given, "persistence"), hash(given, "options")
	is := func(h *value.Hash, key string) bool { return h != nil && h.At(key) == value.Bool(true) }
	o := order{name: text("certname"), environment: text("environment"), keepFacts: is(persistence, "facts"),
		store: is(persistence, "catalog"), prefer: is(options, "prefer_requested_environment"),
		transaction: text("transaction_uuid")}
	if err := checkName(o.name); err != nil {
		return err
	}
	if values := hash(hash(given, "facts"), "values"); values != nil {
		o.facts = facts.New(o.name, values)
		o.trusted = hash(hash(given, "trusted_facts"), "values")
	} else if o.facts, err = s.store.facts(o.name); err != nil {
		return err
	}
	if o.trusted == nil {
		if o.trusted = s.store.trusted(o.name); o.trusted == nil {
			return badRequest("The request has no trusted_facts, and none of %s are known", o.name)
		}
	}
	done, err := s.fill(r, o)
	if err != nil {
		return err
	}
	out := append([]byte(`{"catalog":`), done.text...)
	if is(options, "capture_logs") {
		type line struct {
			Level   string `json:"level"`
			Message string `json:"message"`
			Source  string `json:"source"`
		}
		lines := []line{}
		for _, l := range done.logs {
			lines = append(lines, line{l.Level, l.Text, l.Place.String()})
		}
		text, err := json.Marshal(lines)
		if err != nil {
			return err
		}
		out = append(append(out, `,"logs":`...), text...)
	}
	return r.text("application/json; charset=utf-8", string(append(out, '}')))
}
