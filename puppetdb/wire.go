package puppetdb

import (
	"cmp"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"bunraku/puppet/catalog"
	"bunraku/puppet/exported"
	"bunraku/puppet/resource"
	"bunraku/puppet/value"
)

// What a Puppet server tells PuppetDB, in the formats of its terminus (puppet/indirector/catalog/puppetdb.rb,
// puppet/indirector/facts/puppetdb.rb, puppet/reports/puppetdb.rb): facts before a catalog is compiled, the catalog
// before the agent gets it, and the report.
//
// A catalog there is not what the agent gets. It has the exported resources that nobody has realized; what is
// Sensitive is not in it; names that differ from titles are aliases; and relationships, which agents work out
// for themselves, are edges.

// A Sending is what the sender says of a payload.
type Sending struct {
	Producer    string // the server's certname
	Time        time.Time
	Environment string // of the request
	Transaction string // uuid of the agent's run; "" for none
}

// wireTime is a time in the precision that PuppetDB keeps.
func wireTime(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }

// object makes a hash of names and values in turn.
func object(pairs ...any) *value.Hash {
	b := value.NewHashBuilder(len(pairs) / 2)
	for i := 0; i+1 < len(pairs); i += 2 {
		var v value.Value
		switch x := pairs[i+1].(type) {
		case value.Value:
			v = x
		case string:
			v = value.String(x)
		case nil:
			v = value.Undef{}
		default:
			panic(fmt.Sprintf("%T is no value", x))
		}
		b.SetString(pairs[i].(string), v)
	}
	return b.Hash()
}

// orNull is a text, or null for none.
func orNull(s string) value.Value {
	if s == "" {
		return value.Undef{}
	}
	return value.String(s)
}

// FactsCommand replaces what PuppetDB has of a node's facts; trusted is what its certificate says.
func FactsCommand(name string, values, trusted *value.Hash, s Sending) (Command, error) {
	const inventory = "_puppet_inventory_1" // packages, which PE's agents send among the facts
	b := values.From(2)
	if trusted != nil {
		b.SetString("trusted", trusted)
	}
	all := b.Hash()
	payload := object("certname", name, "values", without(all, inventory), "environment", s.Environment,
		"producer_timestamp", wireTime(s.Time), "producer", s.Producer)
	if given, has := all.Get(value.String(inventory)); has {
		packages := value.Value(value.Undef{})
		if h, is := given.(*value.Hash); is {
			packages = h.At("packages")
		}
		more := payload.From(1)
		more.SetString("package_inventory", packages)
		payload = more.Hash()
	}
	text, err := catalog.JSON{}.AppendValue(nil, payload)
	return Command{Name: "replace_facts", Version: FactsVersion, Certname: name, Produced: s.Time, Payload: text}, err
}

func without(h *value.Hash, key string) *value.Hash {
	b := value.NewHashBuilder(h.Len())
	for _, e := range h.Entries() {
		if e.Key != value.Value(value.String(key)) {
			b.Set(e.Key, e.Value)
		}
	}
	return b.Hash()
}

// relations are the metaparameters that are edges, and what PuppetDB calls them; back ones lead to the resource that
// has them.
var relations = []struct {
	param, edge string
	back        bool
}{{"before", "before", false}, {"require", "required-by", true}, {"notify", "notifies", false},
	{"subscribe", "subscription-of", true}}

var reference = regexp.MustCompile(`(?s)^([^\[\]]+)\[(.+)\]$`)

// CatalogCommand replaces what PuppetDB has of a node's catalog. The rest is what the agent does not get of it. A
// relationship with something that is not there is an error, as it is for the terminus.
func CatalogCommand(c *catalog.Catalog, rest catalog.Rest, types resource.Lookup, s Sending) (Command, error) {
	all := slices.Concat(c.Resources, rest.Resources)
	titles := map[catalog.Name]*catalog.Resource{}
	for _, r := range all {
		titles[catalog.Name{Type: r.Type, Title: r.Title}] = r
	}
	params := make([][]catalog.Param, len(all))
	named := map[catalog.Name]*catalog.Resource{} // by aliases
	for i, r := range all {
		params[i] = storedParams(r, types)
		for _, p := range params[i] {
			if p.Name != "alias" {
				continue
			}
			for _, a := range list(p.Value) {
				named[catalog.Name{Type: r.Type, Title: value.ToString(a)}] = r
			}
		}
	}
	edges := value.NewArrayBuilder(len(c.Edges))
	seen := map[[3]string]bool{}
	edge := func(from, to *catalog.Resource, kind string) {
		if key := [3]string{from.Ref(), to.Ref(), kind}; !seen[key] {
			seen[key] = true
			edges.Add(object("source", object("type", from.Type, "title", from.Title), "target",
				object("type", to.Type, "title", to.Title), "relationship", kind))
		}
	}
	for _, e := range slices.Concat(c.Edges, rest.Edges) {
		edge(e.Source, e.Target, "contains")
	}
	resources := value.NewArrayBuilder(len(all))
	for i, r := range all {
		resources.Add(storedResource(r, params[i]))
		if r.Virtual {
			continue
		}
		for _, x := range relations {
			for _, v := range list(paramOf(params[i], x.param)) {
				other, err := target(value.ToString(v), titles, named)
				if err != nil {
					return Command{}, fmt.Errorf("Invalid relationship: %s { %s => %s }, because %s %w", r.Ref(), x.param,
						value.ToString(v), value.ToString(v), err)
				}
				if x.back {
					edge(other, r, x.edge)
				} else {
					edge(r, other, x.edge)
				}
			}
		}
	}
	payload := object("certname", c.Name, "version", value.ToString(c.Version), "environment", s.Environment,
		"transaction_uuid", orNull(s.Transaction), "catalog_uuid", orNull(cmp.Or(c.UUID, s.Transaction)), "code_id",
		orNull(c.CodeID),
		"job_id", nil, "producer_timestamp", wireTime(s.Time), "producer", s.Producer, "edges", edges.Array(),
		"resources", resources.Array())
	text, err := catalog.JSON{}.AppendValue(nil, payload)
	return Command{Name: "replace_catalog", Version: CatalogVersion, Certname: c.Name, Produced: s.Time, Payload: text},
		err
}

// target is the resource that a relationship names, by its title or an alias; slashes at the end of a file do not
// count.
func target(ref string, titles, named map[catalog.Name]*catalog.Resource) (*catalog.Resource, error) {
	m := reference.FindStringSubmatch(ref)
	if m == nil {
		return nil, fmt.Errorf("doesn't seem to be in the correct format. Resource references should be formatted as: " +
			"Classname['title'] or Modulename::Classname['title'] (take careful note of the capitalization).")
	}
	name := catalog.Name{Type: m[1], Title: m[2]}
	if name.Type == "File" && strings.HasSuffix(name.Title, "/") {
		name.Title = strings.TrimRight(name.Title, "/")
	}
	found := titles[name]
	if found == nil {
		found = named[name]
	}
	switch {
	case found == nil:
		return nil, fmt.Errorf("doesn't seem to be in the catalog")
	case found.Virtual:
		return nil, fmt.Errorf("is exported but not collected")
	}
	return found, nil
}

func paramOf(params []catalog.Param, name string) value.Value {
	for i := range params {
		if params[i].Name == name {
			return params[i].Value
		}
	}
	return nil
}

// list are the elements of an array, of arrays in it as well, or the one value; none for nothing.
func list(v value.Value) (out []value.Value) {
	switch v := v.(type) {
	case nil, value.Undef:
	case *value.Array:
		for _, e := range v.Elems {
			out = append(out, list(e)...)
		}
	default:
		out = append(out, v)
	}
	return out
}

// storedParams are a resource's attributes as PuppetDB keeps them.
func storedParams(r *catalog.Resource, types resource.Lookup) (out []catalog.Param) {
	var t *resource.Type
	if r.Kind == catalog.CompilableType || r.Kind == catalog.NoKind {
		t = types.Type(strings.ToLower(r.Type))
	}
	namevar, single, isomorphic := "name", true, true
	if t != nil {
		namevar, single, isomorphic = t.Namevar(), len(t.Namevars) <= 1, t.Isomorphic
	}
	var given, name value.Value
	for _, p := range r.Params {
		v, ok := exported.Stored(p.Name, p.Value)
		if !ok || slices.Contains(r.Sensitive, p.Name) {
			continue
		}
		if p.Name == namevar {
			name = v
		}
		if p.Name == "alias" && single {
			given = v
			continue
		}
		p.Value = v
		out = append(out, p)
	}
	title := r.Title
	if title == "main" && (r.Type == "Stage" || r.Type == "Class") {
		title = "" // a symbol, which no name is equal to
	}
	if aliases := exported.Aliases(title, given, name, single, isomorphic); aliases != nil {
		out = append(out, catalog.Param{Name: "alias", Value: aliases})
	}
	return out
}

func storedResource(r *catalog.Resource, params []catalog.Param) value.Value {
	tags := value.NewArrayBuilder(len(r.Tags))
	for _, t := range r.Tags {
		tags.Add(value.String(t))
	}
	values := value.NewHashBuilder(len(params))
	for _, p := range params {
		values.SetString(p.Name, p.Value)
	}
	b := value.NewHashBuilder(8)
	b.SetString("type", value.String(r.Type))
	b.SetString("title", value.String(r.Title))
	b.SetString("tags", tags.Array())
	if r.File != "" {
		b.SetString("file", value.String(r.File))
	}
	if r.Line > 0 {
		b.SetString("line", value.Int(r.Line))
	}
	b.SetString("exported", value.Bool(r.Exported))
	b.SetString("parameters", values.Hash())
	if r.Kind != catalog.NoKind {
		b.SetString("kind", value.String(string(r.Kind)))
	}
	return b.Hash()
}

// report is what an agent sends after a run, as far as it is told on.
type report struct {
	Host             string                    `json:"host"`
	Time             time.Time                 `json:"time"`
	Configuration    json.RawMessage           `json:"configuration_version"`
	Transaction      *string                   `json:"transaction_uuid"`
	Format           json.RawMessage           `json:"report_format"`
	Puppet           *string                   `json:"puppet_version"`
	Status           *string                   `json:"status"`
	Noop             *bool                     `json:"noop"`
	NoopPending      *bool                     `json:"noop_pending"`
	Environment      *string                   `json:"environment"`
	Corrective       *bool                     `json:"corrective_change"`
	CatalogUUID      *string                   `json:"catalog_uuid"`
	CodeID           *string                   `json:"code_id"`
	Cached           *string                   `json:"cached_catalog_status"`
	JobID            *string                   `json:"job_id"`
	Logs             []reportLog               `json:"logs"`
	Metrics          map[string]reportMetric   `json:"metrics"`
	ResourceStatuses map[string]reportResource `json:"resource_statuses"`
}

type reportLog struct {
	File    *string   `json:"file"`
	Line    *int      `json:"line"`
	Level   string    `json:"level"`
	Message string    `json:"message"`
	Source  string    `json:"source"`
	Tags    []string  `json:"tags"`
	Time    time.Time `json:"time"`
}

type reportMetric struct {
	Name   string              `json:"name"`
	Values [][]json.RawMessage `json:"values"`
}

type reportResource struct {
	Skipped     bool            `json:"skipped"`
	Time        time.Time       `json:"time"`
	Type        string          `json:"resource_type"`
	Title       json.RawMessage `json:"title"`
	File        *string         `json:"file"`
	Line        *int            `json:"line"`
	Containment []string        `json:"containment_path"`
	Corrective  *bool           `json:"corrective_change"`
	Events      []reportEvent   `json:"events"`
}

type reportEvent struct {
	Status     string          `json:"status"`
	Time       time.Time       `json:"time"`
	Name       *string         `json:"name"`
	Property   *string         `json:"property"`
	Desired    json.RawMessage `json:"desired_value"`
	Previous   json.RawMessage `json:"previous_value"`
	Corrective *bool           `json:"corrective_change"`
	Message    *string         `json:"message"`
}

// ReportCommand stores a report that an agent has sent. Of its resources only those are told on that were changed or
// skipped, as the terminus does it.
func ReportCommand(text []byte, s Sending) (Command, error) {
	var r report
	if err := json.Unmarshal(text, &r); err != nil {
		return Command{}, err
	}
	if r.Environment == nil {
		return Command{}, fmt.Errorf("the report names no environment")
	}
	type obj = map[string]any
	when := func(t time.Time) string { return wireTime(t) }
	logs, metrics, resources := []obj{}, []obj{}, []obj{}
	for _, l := range r.Logs {
		logs = append(logs, obj{"file": l.File, "line": l.Line, "level": l.Level, "message": l.Message, "source": l.Source,
			"tags": l.Tags, "time": when(l.Time)})
	}
	var total float64
	for _, category := range sortedKeys(r.Metrics) {
		m := r.Metrics[category]
		for _, v := range m.Values {
			if len(v) != 3 {
				return Command{}, fmt.Errorf("a metric of the report is none")
			}
			metrics = append(metrics, obj{"category": m.Name, "name": v[0], "value": v[2]})
			if category == "time" && string(v[0]) == `"total"` {
				total, _ = strconv.ParseFloat(string(v[2]), 64) // what is no number is none
			}
		}
	}
	noop, enforced := false, false
	for _, ref := range sortedKeys(r.ResourceStatuses) {
		x := r.ResourceStatuses[ref]
		events := []obj{}
		for _, e := range x.Events {
			noop, enforced = noop || e.Status == "noop", enforced || e.Status != "noop"
			events = append(events, obj{"status": e.Status, "timestamp": when(e.Time), "name": e.Name, "property": e.Property,
				"new_value": rubyText(e.Desired), "old_value": rubyText(e.Previous), "corrective_change": e.Corrective,
				"message": e.Message})
		}
		if len(events) == 0 && !x.Skipped {
			continue
		}
		resources = append(resources, obj{"skipped": x.Skipped, "timestamp": when(x.Time), "resource_type": x.Type,
			"resource_title": rubyText(x.Title), "file": x.File, "line": x.Line, "containment_path": x.Containment,
			"corrective_change": x.Corrective, "events": events})
	}
	is := noop && !enforced
	if r.Noop != nil {
		is = *r.Noop
	}
	uuid := r.CatalogUUID
	payload, err := json.Marshal(obj{"certname": r.Host, "job_id": r.JobID, "puppet_version": r.Puppet,
		"report_format": r.Format, "configuration_version": rubyText(r.Configuration), "producer_timestamp": wireTime(s.Time),
		"start_time": when(r.Time), "end_time": when(r.Time.Add(time.Duration(total * float64(time.Second)))),
		"environment": r.Environment, "transaction_uuid": r.Transaction, "status": r.Status, "noop": is,
		"noop_pending": r.NoopPending, "corrective_change": r.Corrective, "logs": logs, "metrics": metrics,
		"resources": resources, "catalog_uuid": uuid, "code_id": r.CodeID, "cached_catalog_status": r.Cached,
		"producer": s.Producer})
	return Command{Name: "store_report", Version: ReportVersion, Certname: r.Host, Produced: s.Time, Payload: payload}, err
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// rubyText is what Ruby's to_s makes of a value: a text is itself, nothing is "", and what is inside of arrays and
// hashes is inspected.
func rubyText(raw json.RawMessage) string {
	if len(raw) == 0 {
		return ""
	}
	v, err := catalog.ReadJSON(raw)
	if err != nil {
		return string(raw)
	}
	switch v := v.(type) {
	case value.Undef:
		return ""
	case value.String:
		return string(v)
	}
	return rubyInspect(v)
}

func rubyInspect(v value.Value) string {
	switch v := v.(type) {
	case value.Undef:
		return "nil"
	case value.String:
		return rubyQuote(string(v))
	case *value.Array:
		var parts []string
		for _, e := range v.Elems {
			parts = append(parts, rubyInspect(e))
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case *value.Hash:
		var parts []string
		for _, e := range v.Entries() {
			parts = append(parts, rubyInspect(e.Key)+"=>"+rubyInspect(e.Value))
		}
		return "{" + strings.Join(parts, ", ") + "}"
	}
	return value.ToString(v)
}

// rubyQuote is a text as Ruby inspects it.
func rubyQuote(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for i, r := range s {
		next := byte(0)
		if i+1 < len(s) {
			next = s[i+1]
		}
		switch {
		case r == '"' || r == '\\' || r == '#' && (next == '{' || next == '$' || next == '@'):
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == 0x1b:
			b.WriteString(`\e`)
		case strings.ContainsRune("\n\t\r\a\b\v\f", r):
			b.WriteByte('\\')
			b.WriteByte("ntrabvf"[strings.IndexRune("\n\t\r\a\b\v\f", r)])
		case r < ' ' || r == 0x7f:
			fmt.Fprintf(&b, `\x%02X`, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}
