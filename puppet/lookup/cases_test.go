package lookup_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"bunraku/internal/live"
	"bunraku/provenance"
	"bunraku/puppet/lookup"
	"bunraku/puppet/lookup/datafile"
	"bunraku/puppet/types"
	"bunraku/puppet/value"
	"bunraku/source"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
)

var record = flag.Bool("record", false, "ask real Puppet and write its answers into the cases")

// A testCase is a txtar: an environment with facts and variables, a line of JSON per query, and the answers that real
// Puppet gave.
type testCase struct {
	path    string
	archive *txtar.Archive
	dir     string
	queries []string
	answers []string
	hashes  []*value.Hash // the queries, parsed
}

func readCases(t *testing.T) []*testCase {
	t.Helper()
	paths, err := filepath.Glob("testdata/cases/*.txtar")
	if err != nil || len(paths) == 0 {
		t.Fatal("no cases", err)
	}
	root := t.TempDir()
	var cases []*testCase
	for _, path := range paths {
		a, err := txtar.ParseFile(path)
		if err != nil {
			t.Fatal(err)
		}
		c := &testCase{path: path, archive: a, dir: filepath.Join(root, strings.TrimSuffix(filepath.Base(path), ".txtar"))}
		if err := os.MkdirAll(c.dir, 0o755); err != nil {
			t.Fatal(err)
		}
		for _, f := range a.Files {
			lines := strings.Split(strings.TrimSpace(string(f.Data)), "\n")
			switch f.Name {
			case "queries":
				c.queries = lines
			case "answers":
				c.answers = lines
			default:
				to := filepath.Join(c.dir, f.Name)
				if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(to, f.Data, 0o644); err != nil {
					t.Fatal(err)
				}
			}
		}
		all := "[" + strings.Join(c.queries, ",\n") + "]"
		if !json.Valid([]byte(all)) {
			t.Fatalf("%s: the queries are no JSON", path)
		}
		if err := os.WriteFile(filepath.Join(c.dir, "queries.json"), []byte(all), 0o644); err != nil {
			t.Fatal(err)
		}
		cases = append(cases, c)
	}
	return cases
}

// askPuppet gets the answers to all queries of all cases from one Ruby process.
func askPuppet(t *testing.T, cases []*testCase) [][]string {
	t.Helper()
	live.Puppet(t)
	args := []string{"testdata/lookup.rb"}
	for _, c := range cases {
		args = append(args, c.dir)
	}
	cmd := live.Command("ruby", args...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("ruby: %v\n%s", err, stderr.String())
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	if len(lines) != len(cases) {
		t.Fatalf("%d answers for %d cases\n%s", len(lines), len(cases), stderr.String())
	}
	all := make([][]string, len(cases))
	for i, line := range lines {
		var raw []json.RawMessage
		if err := json.Unmarshal([]byte(line), &raw); err != nil {
			t.Fatal(err)
		}
		for _, r := range raw {
			all[i] = append(all[i], string(r))
		}
	}
	return all
}

// TestCases compares us with the recorded answers.
func TestCases(t *testing.T) {
	cases := readCases(t)
	if *record {
		for i, answers := range askPuppet(t, cases) {
			c := cases[i]
			data := []byte(strings.Join(answers, "\n") + "\n")
			done := false
			for j := range c.archive.Files {
				if c.archive.Files[j].Name == "answers" {
					c.archive.Files[j].Data, done = data, true
				}
			}
			if !done {
				c.archive.Files = append(c.archive.Files, txtar.File{Name: "answers", Data: data})
			}
			if err := os.WriteFile(c.path, txtar.Format(c.archive), 0o644); err != nil {
				t.Fatal(err)
			}
			c.answers = answers
		}
	}
	total := 0
	for _, c := range cases {
		t.Run(filepath.Base(c.dir), func(t *testing.T) { c.check(t, c.answers) })
		total += len(c.queries)
	}
	t.Logf("score: %d lookups in %d environments as Puppet answers them", total, len(cases))
}

// TestLive makes sure that the recorded answers are what the installed Puppet says today.
func TestLive(t *testing.T) {
	if testing.Short() {
		t.Skip("short")
	}
	cases := readCases(t)
	for i, answers := range askPuppet(t, cases) {
		if diff := cmp.Diff(cases[i].answers, answers); diff != "" {
			t.Errorf("%s: the record differs from Puppet (-record writes it anew)\n%s", cases[i].path, diff)
		}
	}
}

func (c *testCase) check(t *testing.T, want []string) {
	if len(want) != len(c.queries) {
		t.Fatalf("%d answers for %d queries: run with -record", len(want), len(c.queries))
	}
	l, scope := c.open(t)
	for _, trace := range []*provenance.Trace{nil, provenance.NewTrace()} { // tracing must not change an answer
		s := l.Session(trace, nil)
		for i, q := range c.queries {
			got := strings.ReplaceAll(c.ask(t, s, scope, q), c.dir, "$DIR")
			w := canonical(t, want[i])
			if strings.HasPrefix(w, "error: undefined method") && strings.HasPrefix(got, "error: ") {
				continue // Puppet itself breaks there; we say what is wrong
			}
			if got != w {
				t.Errorf("%s\n ours   %s\n puppet %s", q, got, w)
			}
		}
	}
}

func (c *testCase) open(t *testing.T) (*lookup.Lookup, *testScope) {
	site := lookup.Site{Environment: filepath.Base(c.dir), Dir: c.dir,
		GlobalConfig: filepath.Join(c.dir, "global/hiera.yaml"), CodeDir: filepath.Join(c.dir, "code"),
		Module: func(name string) (string, string, bool) {
			dir := filepath.Join(c.dir, "modules", name)
			info, err := os.Stat(dir)
			var meta struct {
				Provider string `json:"data_provider"`
			}
			if text, err := os.ReadFile(filepath.Join(dir, "metadata.json")); err == nil {
				json.Unmarshal(text, &meta)
			}
			return dir, meta.Provider, err == nil && info.IsDir()
		}}
	if text, err := os.ReadFile(filepath.Join(c.dir, "environment.conf")); err == nil {
		if m := regexp.MustCompile(`environment_data_provider *= *(\w+)`).FindSubmatch(text); m != nil {
			site.DataProvider = string(m[1])
		}
	}
	scope := &testScope{vars: map[string]value.Value{}}
	facts := c.hash(t, "facts.json")
	for _, e := range facts.Entries() {
		scope.vars[string(e.Key.(value.String))] = e.Value
	}
	scope.vars["facts"] = facts
	scope.vars["environment"] = value.String(filepath.Base(c.dir))
	name := "n1.example.com"
	if n, is := facts.At("networking").(*value.Hash); is {
		name = value.ToString(n.At("fqdn"))
	}
	host, domain, _ := strings.Cut(name, ".")
	scope.vars["trusted"] = value.NewHash(value.String("authenticated"), value.String("remote"), value.String("certname"),
		value.String(name), value.String("extensions"), c.hash(t, "trusted.json"),
		value.String("hostname"), value.String(host), value.String("domain"), value.String(domain), value.String("external"),
		value.EmptyHash)
	scope.vars["module_name"], scope.vars["caller_module_name"] = value.Undef{}, value.Undef{}
	for _, e := range c.hash(t, "vars.json").Entries() {
		scope.vars[string(e.Key.(value.String))] = e.Value
	}
	scope.functions = c.hash(t, "functions.json")
	opt := lookup.Options{Files: source.NewDir(source.DirOptions{Roots: []string{c.dir}})}
	if text, err := os.ReadFile(filepath.Join(c.dir, "strict")); err == nil && strings.TrimSpace(string(text)) == "error" {
		opt.Strict = source.StrictError
	}
	return lookup.New(site, opt), scope
}

func (c *testCase) hash(t *testing.T, name string) *value.Hash {
	text, err := os.ReadFile(filepath.Join(c.dir, name))
	if err != nil {
		return value.EmptyHash
	}
	return parse(t, string(text)).(*value.Hash)
}

func parse(t *testing.T, text string) value.Value {
	t.Helper()
	n, err := datafile.ReadJSON(source.NewFile("json", text))
	if err != nil {
		t.Fatal(err, text)
	}
	return n.Value
}

func canonical(t *testing.T, text string) string {
	h := parse(t, text).(*value.Hash)
	if e, is := h.At("error").(value.String); is {
		return "error: " + cleanError(string(e))
	}
	return encode(parse(t, text).(*value.Hash).At("value"))
}

// Puppet adds the place to a message; we keep it apart.
var placeText = regexp.MustCompile(`(?s) \((file|line): [^()]*\)$| on node \S+$| at line \d+ column \d+$| at line \d+$`)

func cleanError(s string) string {
	s = regexp.MustCompile(` First defined at \(line: \d+\)`).ReplaceAllString(s, "")
	for range 3 {
		s = placeText.ReplaceAllString(s, "")
	}
	// The YAML library does not tell the context of a syntax error.
	where := regexp.MustCompile(` while (parsing|scanning) an? [a-z -]+$| while scanning for the next token$`)
	return where.ReplaceAllString(s, "")
}

// ask answers one query as testdata/lookup.rb does.
func (c *testCase) ask(t *testing.T, s *lookup.Session, scope *testScope, text string) string {
	q := parse(t, text).(*value.Hash)
	get := func(key string) *value.Hash { h, _ := q.At(key).(*value.Hash); return h }
	var names []string
	switch n := q.At("names").(type) {
	case *value.Array:
		for _, e := range n.Elems {
			names = append(names, value.ToString(e))
		}
	default:
		names = []string{value.ToString(q.At("key"))}
	}
	query := lookup.Query{Override: get("override"), Defaults: get("defaults")}
	if m, has := q.GetString("merge"); has {
		query.Merge = m
	}
	if typ, is := q.At("type").(value.String); is {
		query.Type = types.MustParse(string(typ))
	}
	query.Default, query.HasDefault = q.GetString("default")
	var sc lookup.Scope = scope
	if set := get("set"); set != nil {
		sc = &testScope{vars: scope.vars, local: set, functions: scope.functions}
	}
	explain := !value.IsUndef(q.At("explain"))
	if explain {
		query.Explain = &lookup.Explanation{}
	}
	if fn, is := q.At("hiera").(value.String); is {
		query.Hiera = true
		query.Merge = value.String(map[string]string{"hiera": "first", "hiera_array": "unique",
			"hiera_hash": "hash"}[string(fn)])
		if p, is := q.At("paths").(value.String); is {
			query.ExtraPaths = []string{string(p)}
		}
	}
	var res lookup.Result
	var err error
	if value.Truthy(q.At("automatic")) {
		if res, err = s.Find(names[0], sc, query); err == nil && !res.Found {
			return `{"__missing":true}`
		}
	} else {
		res, err = s.Lookup(names, sc, query)
	}
	if explain {
		return encode(value.NewHash(value.String("__explain"), value.String(query.Explain.String())))
	}
	if err != nil {
		if d, is := err.(*source.Diagnostic); is {
			return "error: " + cleanError(d.Summary)
		}
		return "error: " + cleanError(err.Error())
	}
	return encode(res.Value)
}

// encode writes a value as lookup.rb does.
func encode(v value.Value) string {
	var b strings.Builder
	write(&b, v)
	return b.String()
}

func write(b *strings.Builder, v value.Value) {
	str := func(s string) { j, _ := json.Marshal(s); b.Write(j) }
	switch v := v.(type) {
	case value.Undef:
		b.WriteString("null")
	case value.Default:
		b.WriteString(`{"__default":true}`)
	case value.Float:
		b.WriteString(`{"__float":`)
		str(value.FormatFloat(float64(v)))
		b.WriteString("}")
	case value.String:
		str(string(v))
	case *value.Sensitive:
		b.WriteString(`{"__sensitive":`)
		write(b, v.Value)
		b.WriteString("}")
	case *value.Array:
		b.WriteString("[")
		for i, e := range v.Elems {
			if i > 0 {
				b.WriteString(",")
			}
			write(b, e)
		}
		b.WriteString("]")
	case *value.Hash:
		plain := true
		for _, e := range v.Entries() {
			if _, is := e.Key.(value.String); !is {
				plain = false
			}
		}
		if plain {
			b.WriteString("{")
		} else {
			b.WriteString(`{"__pairs":[`)
		}
		for i, e := range v.Entries() {
			if i > 0 {
				b.WriteString(",")
			}
			if plain {
				write(b, e.Key)
				b.WriteString(":")
				write(b, e.Value)
			} else {
				write(b, value.NewArray(e.Key, e.Value))
			}
		}
		if plain {
			b.WriteString("}")
		} else {
			b.WriteString("]}")
		}
	case value.Bool, value.Int:
		b.WriteString(value.ToString(v))
	default:
		b.WriteString(`{"__text":`)
		str(value.Literal(v))
		b.WriteString("}")
	}
}

// A testScope is a top scope of plain variables.
type testScope struct {
	vars      map[string]value.Value
	refs      map[string]provenance.Ref
	local     *value.Hash
	functions *value.Hash // what functions of the Puppet language in the case return
}

func (s *testScope) Variable(name string) (value.Value, provenance.Ref, bool) {
	if s.local != nil {
		if v, has := s.local.GetString(name); has {
			return v, 0, true
		}
	}
	name = strings.TrimPrefix(name, "::")
	v, known := s.vars[name]
	return v, s.refs[name], known
}

func (s *testScope) CallingClass() string { return "" }

// Call plays the Puppet-language functions of the cases: functions.json says what each returns, data_hash as a whole,
// the others by key.
func (s *testScope) Call(c *lookup.FunctionCall) (value.Value, provenance.Ref, error) {
	v, known := s.functions.GetString(c.Name)
	if !known {
		return nil, 0, lookup.ErrNoFunction
	}
	h, is := v.(*value.Hash)
	if c.Kind == "data_hash" || !is {
		return v, 0, nil
	}
	key := c.Key
	for i, seg := range c.Segments {
		if i > 0 {
			key += "."
		}
		key += value.ToString(seg)
	}
	v, known = h.GetString(key)
	if !known {
		return nil, 0, lookup.ErrNotFound
	}
	return v, 0, nil
}

func (s *testScope) New(typ value.Value, args []value.Value) (value.Value, error) {
	t, is := typ.(types.T)
	if !is {
		var err error
		if t, err = types.Parse(value.ToString(typ), nil); err != nil {
			return nil, &lookup.BadTypeError{Reason: err.Error()}
		}
	}
	return types.New(t, args...)
}

// A rubyScope has no function that it could run.
type rubyScope struct{ *testScope }

func (rubyScope) Call(*lookup.FunctionCall) (value.Value, provenance.Ref, error) {
	return nil, 0, lookup.ErrRuby
}
