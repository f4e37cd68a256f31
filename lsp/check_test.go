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

// differing are the problems that only one side tells. The rules by which the two differ are here.
func differing(shown, want []said) (more, less []said) {
	more = slices.Clone(shown)
	for _, w := range want {
		w.message = data.ReplaceAllString(w.message, "$1$2$3")
		i := slices.IndexFunc(more, func(s said) bool {
			return s.at == w.at && s.kind == w.kind && (s.message == w.message || s.message == w.message+w.nodes ||
				w.beside && strings.HasPrefix(w.message, s.message))
		})
		if i < 0 { // a server remembers secrets that a text held once; check cannot know them
			i = slices.IndexFunc(more, func(s said) bool {
				return s.at == w.at && s.kind == w.kind && strings.Contains(s.message, hidden)
			})
		}
		if i < 0 {
			less = append(less, w)
		} else {
			more = slices.Delete(more, i, i+1)
		}
	}
	// What keeps an open file from being read that is no code is told while it is written, whether or not some node comes
	// to it; where hiera.yaml is broken or no manifest compiles, check does not look for data.
	more = slices.DeleteFunc(more, func(s said) bool {
		return strings.Contains(s.at, ".yaml:") && unreadable.MatchString(s.kind)
	})
	return more, less
}

func lines(list []said) string {
	var out []string
	for _, s := range list {
		out = append(out, s.String())
	}
	slices.Sort(out)
	return strings.Join(out, "\n")
}
