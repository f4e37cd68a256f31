package lsp_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"bunraku/internal/live"
)

// What an editor is shown is held against what `bunraku check` says of the same files on the disk: the program itself,
// started anew in the tree, as people start it.

// program is the built program.
func program(t *testing.T) string {
	t.Helper()
	built := filepath.Join(t.TempDir(), "bunraku")
	cmd := exec.Command("go", "build", "-o", built, "./cmd/bunraku")
	cmd.Dir = live.Root()
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return built
}

// A sarif is what check says.
type sarif struct {
	Runs []struct {
		Results []struct {
			RuleID       string
			Level        string
			Message      struct{ Text string }
			Suppressions []any
			Locations    []sarifPlace
			Related      []sarifPlace `json:"relatedLocations"`
			Properties   struct{ Nodes []string }
		}
	}
}

type sarifPlace struct {
	Message  struct{ Text string }
	Physical struct {
		Artifact struct{ URI string } `json:"artifactLocation"`
		Region   *struct{ StartLine, StartColumn int }
	} `json:"physicalLocation"`
}

// A said is one problem.
type said struct {
	at      string // "modules/a/manifests/init.pp:3:5", columns as the client counts
	kind    string // its severity and code
	message string
	nodes   string // "on a, b" if it is said of these
	beside  bool   // in another file than where it stands, by its summary alone: the message begins with that
}

func (s said) String() string { return s.at + " " + s.kind + " " + s.message + s.nodes }

// checked is what check says of a tree, each problem at the position that a client with some encoding calls the place.
// It fails with what the program says if there is nothing to be told file by file.
func checked(t *testing.T, program, dir, encoding string) ([]said, error) {
	t.Helper()
	cmd := exec.Command(program, "check", "--format", "sarif")
	cmd.Dir = dir
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	if len(out) == 0 {
		return nil, errors.New(errs.String())
	}
	var told sarif
	if err := json.Unmarshal(out, &told); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	texts := map[string]string{}
	place := func(p sarifPlace) (file, at string) {
		file, err := url.PathUnescape(p.Physical.Artifact.URI)
		if err != nil || p.Physical.Region == nil {
			t.Fatalf("no place: %+v", p)
		}
		text, have := texts[file]
		if !have {
			body, err := os.ReadFile(filepath.Join(dir, file))
			if err != nil {
				t.Fatal(err)
			}
			text = string(body)
			texts[file] = text
		}
		pos := positionIn(text, offsetOf(text, p.Physical.Region.StartLine, p.Physical.Region.StartColumn), encoding)
		return file, fmt.Sprintf("%s:%d:%d", file, pos["line"].(int)+1, pos["character"].(int)+1)
	}
	var list []said
	for _, r := range told.Runs[0].Results {
		if len(r.Suppressions) > 0 || len(r.Locations) == 0 {
			continue // no client is shown what does not count, and what stands nowhere is logged
		}
		file, at := place(r.Locations[0])
		s := said{at: at, kind: r.Level + " " + r.RuleID, message: r.Message.Text}
		if len(r.Properties.Nodes) > 0 {
			s.nodes = "\non " + strings.Join(r.Properties.Nodes, ", ")
		}
		list = append(list, s)
		if strings.HasPrefix(r.RuleID, "V") {
			continue
		}
		for _, x := range r.Related { // in another file it is told there as well
			if other, at := place(x); other != file {
				list = append(list, said{at: at, kind: "note " + r.RuleID, beside: true,
					message: x.Message.Text + ": " + r.Message.Text})
			}
		}
	}
	return list, nil
}

// offsetOf is the byte of a line and a column that counts characters, both from 1.
func offsetOf(text string, line, column int) int {
	at := 0
	for ; line > 1; line-- {
		at += strings.IndexByte(text[at:], '\n') + 1
	}
	for ; column > 1 && at < len(text); column-- {
		_, size := utf8.DecodeRuneInString(text[at:])
		at += size
	}
	return at
}

var severities = map[float64]string{1: "error", 2: "warning", 3: "note"}

// saysOf is what the client was shown of the files below a directory.
func (c *client) saysOf(dir string) (list []said) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for uri, p := range c.shown {
		file, err := url.PathUnescape(strings.TrimPrefix(uri, "file://"+dir+"/"))
		if err != nil {
			c.t.Fatal(err)
		}
		for _, x := range p["diagnostics"].([]any) {
			d := x.(map[string]any)
			start := d["range"].(map[string]any)["start"].(map[string]any)
			list = append(list, said{
				at:      fmt.Sprintf("%s:%v:%v", file, start["line"].(float64)+1, start["character"].(float64)+1),
				kind:    fmt.Sprint(severities[d["severity"].(float64)], " ", d["code"]),
				message: d["message"].(string)})
		}
	}
	return list
}

// data is what messages about data that cannot be read quote: check does, the server does not, since nobody knows yet
// what of it is secret.
var data = regexp.MustCompile(
	`(Unknown alias|invalid value for Float\(\)|\.conf\): String: \d+): .*|(the alias) \*\S+( contains itself)`)

var unreadable = regexp.MustCompile(`^error H01\d\d$`)

// differing are the problems that only one side tells; open tells which files the client has open. The rules by which
// the two differ are here.
func differing(shown, want []said, open func(file string) bool) (more, less []said) {
	more = slices.Clone(shown)
	for _, w := range want {
		w.message = data.ReplaceAllString(w.message, "$1$2$3")
		same := func(s said) bool {
			return s.at == w.at && s.kind == w.kind && (s.message == w.message || s.message == w.message+w.nodes ||
				w.beside && strings.HasPrefix(w.message, s.message))
		}
		i := slices.IndexFunc(more, same)
		if i < 0 { // a server remembers secrets that a text held once, and does not take back what it said before it knew one
			i = slices.IndexFunc(more, func(s said) bool {
				return s.at == w.at && s.kind == w.kind && strings.Contains(s.message+w.message, hidden)
			})
		}
		if i >= 0 {
			more = slices.Delete(more, i, i+1)
		} else if !w.beside || !slices.ContainsFunc(shown, same) { // what several have at their side is told there once
			less = append(less, w)
		}
	}
	// What keeps an open file from being read that is no code is told while it is written, whether or not some node comes
	// to it; where hiera.yaml is broken or no manifest compiles, check does not look for data.
	more = slices.DeleteFunc(more, func(s said) bool {
		file, _, data := strings.Cut(s.at, ".yaml:")
		return data && open(file+".yaml") && unreadable.MatchString(s.kind)
	})
	return more, less
}

// TestSaysWhatCheckSays: with all nodes chosen, the problems that an editor is shown by `bunraku lsp` are those of
// `bunraku check`, in the same places.
func TestSaysWhatCheckSays(t *testing.T) {
	built := program(t)
	for name, files := range map[string]map[string]string{
		"shop": filesOf(t, "../examples/shop"), "seven": filesOf(t, "../examples/seven"), "helped": helped, "named": named,
		"broken": {
			"environment.conf": "modulepath = modules\n",
			"manifests/site.pp": "node 'a' { include web }\nnode 'b' { include web::gone }\nnode default { " +
				"notify { 'x': } }\n",
			"modules/web/manifests/init.pp":   "class web {\n  $x = $nowhere\n  file { '/x': mode => '0x' }\n}\n",
			"modules/web/manifests/syntax.pp": "class web::syntax {\n  notify { 'ä' }\n}\n",
			"modules/web/manifests/known.pp":  "class web::known {\n  notify { 'x': nothing => 1 }\n}\n",
			"facts/a.json":                    `{"fqdn": "a"}`, "facts/b.json": `{"fqdn": "b"}`,
			"facts/c.json": `{"fqdn": "c"}`},
		"unused": {
			"environment.conf":               "modulepath = modules\n",
			"manifests/site.pp":              "node 'a' { include web }\nnode default { notify { 'x': } }\n",
			"modules/web/manifests/init.pp":  "class web {\n  notify { 'y': }\n}\n",
			"modules/web/manifests/known.pp": "class web::known {\n  notify { 'x': }\n}\n",
			"facts/a.json":                   `{"fqdn": "a"}`, "facts/c.json": `{"fqdn": "c"}`},
		"ignoring": { // comments that ignore nothing
			"manifests/site.pp": "node 'a' {\n  notify { 'x': } # bunraku:ignore V203 as we know\n}\n",
			"facts/a.json":      `{"fqdn": "a"}`},
		"exported": { // what one node exports is another's to collect
			"manifests/site.pp": "node 'a' { @@file { '/x': ensure => wrong } }\nnode 'b' {\n  File <<| |>>\n}\n",
			"facts/a.json":      `{"fqdn": "a"}`, "facts/b.json": `{"fqdn": "b"}`},
		"alone": { // a module of which a part is not there
			"metadata.json":     `{"name": "me-web", "version": "1.0.0"}`,
			"manifests/init.pp": "class web {\n  web::gone { 'x': }\n}\n"},
	} {
		saysWhatCheckSays(t, built, name, tree(t, files))
	}
}

// TestAcceptSaysWhatCheckSays: so it is of other people's control repos and modules.
func TestAcceptSaysWhatCheckSays(t *testing.T) {
	live.Accept(t)
	fresh := live.Fetched(t, "fresh")
	sites, _ := filepath.Glob(filepath.Join(filepath.Dir(fresh), "site_*"))
	modules, _ := filepath.Glob(filepath.Join(fresh, "*", "metadata.json"))
	if len(sites) == 0 || len(modules) < 10 {
		t.Fatalf("only %d control repos and %d modules are there", len(sites), len(modules))
	}
	built := program(t)
	problems := 0
	for _, dir := range sites {
		problems += saysWhatCheckSays(t, built, filepath.Base(dir), dir)
	}
	for _, file := range modules {
		problems += saysWhatCheckSays(t, built, filepath.Base(filepath.Dir(file)), filepath.Dir(file))
	}
	t.Logf("%d problems of %d control repos and %d modules: an editor is shown what check says", problems, len(sites),
		len(modules))
}

func saysWhatCheckSays(t *testing.T, program, name, dir string) (problems int) {
	t.Helper()
	want, err := checked(t, program, dir, "utf-32")
	if err != nil && !strings.Contains(err.Error(), "there is nothing to compile") { // of that nothing is shown
		t.Errorf("%s: check says %v", name, err)
		return 0
	}
	cmd := exec.Command(program, "lsp", "--stdio")
	in, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	c := newClient(t, in, out)
	c.quick = true
	c.ask("initialize", map[string]any{"processId": nil, "rootUri": "file://" + dir,
		"initializationOptions": map[string]any{"nodes": []string{"*"}},
		"capabilities": map[string]any{"general": map[string]any{"positionEncodings": []string{"utf-32"}},
			"window": map[string]any{"workDoneProgress": true}}})
	c.notify("initialized", map[string]any{})
	more, less := c.settled(dir, want)
	if len(more)+len(less) > 0 {
		t.Errorf("%s: the editor is shown\n%s\nand check says\n%s", name, lines(more), lines(less))
	}
	c.ask("shutdown", nil)
	c.notify("exit", nil)
	if err := cmd.Wait(); err != nil {
		t.Errorf("%s: lsp ends with %v", name, err)
	}
	return len(want)
}

// settled is how what is shown differs from what is wanted, once nothing is under way and nothing more comes.
func (c *client) settled(dir string, want []said) (more, less []said) {
	for heard, since := -1, time.Now(); ; time.Sleep(20 * time.Millisecond) {
		quiet := 5 * time.Second
		if more, less = differing(c.saysOf(dir), want, nobody); len(more)+len(less) == 0 {
			quiet = time.Second
		}
		c.mu.Lock()
		now, under := len(c.progress), 0
		for _, n := range c.count {
			now += n
		}
		for _, p := range c.progress {
			switch p["value"].(map[string]any)["kind"] {
			case "begin":
				under++
			case "end":
				under--
			}
		}
		c.mu.Unlock()
		if now != heard || under > 0 {
			heard, since = now, time.Now()
		} else if time.Since(since) > quiet {
			return more, less
		}
	}
}

// nobody has a file open.
func nobody(string) bool { return false }

func lines(list []said) string {
	var out []string
	for _, s := range list {
		out = append(out, s.String())
	}
	slices.Sort(out)
	return strings.Join(out, "\n")
}
