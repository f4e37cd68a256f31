package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"bunraku/internal/live"
	"bunraku/puppet/catalog"

	"golang.org/x/tools/txtar"
)

var record = flag.Bool("record", false, "ask the installed Puppet for the answers in testdata")

// An encCase is a classifier's answer for web1.example.com, code, and what real Puppet makes of both.
type encCase struct {
	name              string
	files             map[string][]byte
	enc               []byte
	facts, extensions json.RawMessage
	catalog           []byte
	warnings          []string
	err               string
}

// encAnswer is what the oracle prints.
type encAnswer struct {
	Catalog  json.RawMessage `json:"catalog,omitempty"`
	Error    string          `json:"error,omitempty"`
	Warnings []string        `json:"warnings"`
}

func encCases(t *testing.T) (*txtar.Archive, []*encCase) {
	t.Helper()
	a, err := txtar.ParseFile("testdata/enc.txtar")
	if err != nil {
		t.Fatal(err)
	}
	base := map[string][]byte{}
	by := map[string]*encCase{}
	var cases []*encCase
	for _, f := range a.Files {
		name, rest, _ := strings.Cut(f.Name, "/")
		if name == "base" {
			base[rest] = f.Data
			continue
		}
		c := by[name]
		if c == nil {
			c = &encCase{name: name, files: map[string][]byte{}, facts: json.RawMessage("{}"), extensions: json.RawMessage("{}")}
			for k, v := range base {
				c.files[k] = v
			}
			by[name] = c
			cases = append(cases, c)
		}
		switch rest {
		case "enc":
			c.enc = f.Data
		case "facts.json":
			c.facts = f.Data
		case "extensions.json":
			c.extensions = f.Data
		case "want.json":
			var want encAnswer
			if err := json.Unmarshal(f.Data, &want); err != nil {
				t.Fatal(f.Name, err)
			}
			c.catalog, c.warnings = want.Catalog, want.Warnings
		case "want.err":
			c.err = strings.TrimSpace(string(f.Data))
		default:
			c.files[rest] = f.Data
		}
	}
	return a, cases
}

// write puts a case on disk: environments, the classifier, facts, and what the certificate says.
func (c *encCase) write(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	put := func(name string, data []byte, mode os.FileMode) {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, data, mode); err != nil {
			t.Fatal(err)
		}
	}
	for name, data := range c.files {
		put("environments/"+name, data, 0o644)
	}
	if bytes.HasPrefix(c.enc, []byte("#!")) {
		put("enc", c.enc, 0o755)
	} else {
		put("enc.yaml", c.enc, 0o644)
		put("enc", []byte("#!/bin/sh\nexec cat \"$(dirname \"$0\")/enc.yaml\"\n"), 0o755)
	}
	put("facts.json", []byte(`{"name": "web1.example.com", "values": `+string(c.facts)+`}`), 0o644)
	put("trusted.json", []byte(`{"extensions": `+string(c.extensions)+`}`), 0o644)
	return dir
}

// TestScoreEnc compiles nodes of external classifiers with the program and compares with real Puppet: the catalog, the
// warnings about parameters that hide facts, or why there is none. The same answer comes from a program, from a file
// and from a directory.
func TestScoreEnc(t *testing.T) {
	archive, cases := encCases(t)
	if *record {
		recordEnc(t, archive, cases)
		_, cases = encCases(t)
	}
	good := 0
	for i, c := range cases {
		if why := c.compare(t, i); why != "" {
			t.Errorf("%s: %s\n%s", c.name, why, c.enc)
			continue
		}
		good++
	}
	t.Logf("score: enc %d/%d", good, len(cases))
}

// locations are places that Puppet appends to messages.
var locations = regexp.MustCompile(` \((?:file|line): [^()]*\)| on node \S+$|\(<unknown>\): `)

// wrappers are what Puppet puts around a message, once for each statement that it passes on its way out.
var wrappers = regexp.MustCompile(`^(Evaluation Error: Error while evaluating a Resource Statement, )*(?:\w+(::\w+)* failed with error ArgumentError: )?`)

// compare lets the program compile a case; the first cases in every way that there is, the others in one of them.
func (c *encCase) compare(t *testing.T, number int) string {
	dir := c.write(t)
	ways := []string{filepath.Join(dir, "enc")}
	if !bytes.HasPrefix(c.enc, []byte("#!")) {
		ways = append(ways, filepath.Join(dir, "enc.yaml"))
		if err := os.MkdirAll(filepath.Join(dir, "encs"), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "encs", "web1.example.com.yaml"), c.enc, 0o644); err != nil {
			t.Fatal(err)
		}
		ways = append(ways, filepath.Join(dir, "encs"))
	}
	if number > 10 {
		ways = ways[number%len(ways):][:1]
	}
	for _, way := range ways {
		code, out, errs := call("compile", filepath.Join(dir, "environments", "production"), "--enc", way, "--facts",
			filepath.Join(dir, "facts.json"), "--trusted", filepath.Join(dir, "trusted.json"), "--language", "7")
		if why := c.judge(t, dir, code, out, errs); why != "" {
			return filepath.Base(way) + ": " + why
		}
	}
	return ""
}

func (c *encCase) judge(t *testing.T, dir string, code int, out, errs string) string {
	if c.err != "" {
		if code == exitFine {
			return "compiles; Puppet says " + c.err
		}
		// What Ruby says of an answer that makes no sense is nobody's wish.
		want := wrappers.ReplaceAllString(locations.ReplaceAllString(c.err, ""), "")
		if is := locations.ReplaceAllString(strings.ReplaceAll(errs, dir+"/", ""), ""); !strings.HasPrefix(c.name,
			"broken_") &&
			!strings.Contains(flat(is), flat(want)) {
			return "says " + errs + "\nPuppet says " + want
		}
		return ""
	}
	if strings.HasPrefix(c.name, "deviates_") { // Puppet takes a list of texts for a hash, and finds nothing in it
		if code == exitFine {
			return "does not deviate"
		}
		return ""
	}
	if code != exitFine {
		return "fails: " + errs
	}
	is, err := catalog.Read([]byte(out))
	if err != nil {
		t.Fatal(c.name, err)
	}
	want, err := catalog.Read(c.catalog)
	if err != nil {
		t.Fatal(c.name, err)
	}
	is.TrimPaths(dir)
	if is.Environment != want.Environment {
		return "environment " + is.Environment + ", not " + want.Environment
	}
	if d := catalog.Diff(is, want); len(d) > 0 {
		return strings.Join(d, "\n")
	}
	for _, w := range c.warnings {
		if strings.Contains(w, "node parameter") && !strings.Contains(flat(errs), flat(w)) {
			return "does not warn: " + w
		}
	}
	return ""
}

// flat is a text without line breaks and indentation.
func flat(s string) string { return strings.Join(strings.Fields(s), " ") }

// ownOf is what a compile gives to its catalog alone.
var ownOf = regexp.MustCompile(`"version":\d+|"catalog_uuid":"[^"]*"`)

// recordEnc asks real Puppet.
func recordEnc(t *testing.T, archive *txtar.Archive, cases []*encCase) {
	live.Puppet(t)
	type question struct {
		Dir        string          `json:"dir"`
		Facts      json.RawMessage `json:"facts"`
		Extensions json.RawMessage `json:"extensions"`
	}
	var all []question
	for _, c := range cases {
		all = append(all, question{c.write(t), c.facts, c.extensions})
	}
	in, err := json.Marshal(all)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(live.Ruby(t, "testdata/enc.rb", string(in))), "\n")
	if len(lines) != len(cases) {
		t.Fatalf("%d answers to %d questions", len(lines), len(cases))
	}
	by := map[string]txtar.File{}
	for i, c := range cases {
		var a encAnswer
		if err := json.Unmarshal([]byte(lines[i]), &a); err != nil {
			t.Fatal(err)
		}
		f := txtar.File{Name: c.name + "/want.err", Data: []byte(a.Error + "\n")}
		if a.Error == "" {
			text, err := json.Marshal(a)
			if err != nil {
				t.Fatal(err)
			}
			f = txtar.File{Name: c.name + "/want.json", Data: append(text, '\n')}
		}
		by[c.name] = f
	}
	for _, old := range archive.Files { // an answer that says nothing new stays as it is
		name, _, _ := strings.Cut(old.Name, "/")
		if w, is := by[name]; is && w.Name == old.Name && bytes.Equal(ownOf.ReplaceAll(w.Data, nil),
			ownOf.ReplaceAll(old.Data, nil)) {
			by[name] = old
		}
	}
	var files []txtar.File
	for i, f := range archive.Files {
		name, rest, _ := strings.Cut(f.Name, "/")
		if !strings.HasPrefix(rest, "want.") {
			files = append(files, f)
		}
		next := ""
		if i+1 < len(archive.Files) {
			next, _, _ = strings.Cut(archive.Files[i+1].Name, "/")
		}
		if w, is := by[name]; is && next != name {
			files = append(files, w)
		}
	}
	archive.Files = files
	if err := os.WriteFile("testdata/enc.txtar", txtar.Format(archive), 0o644); err != nil {
		t.Fatal(err)
	}
}

// A classifier may say very much: what it takes to compile grows with the answer, not with its square.
func TestEncMuch(t *testing.T) {
	dir := t.TempDir()
	var answer strings.Builder
	answer.WriteString("parameters:\n")
	for i := range 60_000 {
		fmt.Fprintf(&answer, "  p%d: v\n", i)
	}
	for name, text := range map[string]string{"enc.yaml": answer.String(), "site.pp": "notify { $p59999: }\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	began := live.Begin()
	code, out, errs := call("explain", filepath.Join(dir, "site.pp"), "--node", "n", "--enc",
		filepath.Join(dir, "enc.yaml"), "Notify[v]")
	if code != 0 || !strings.Contains(out, "the classifier's parameter p59999") {
		t.Fatal(code, out, errs)
	}
	if took := began.Took(); took > 10*time.Second {
		t.Errorf("60,000 parameters take %v of processor", took)
	}
}
