package classifier_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"bunraku/puppet/classifier"
	"bunraku/source"
)

func file(t *testing.T, name, text string, mode os.FileMode) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
	return path
}

func open(t *testing.T, given string) *classifier.Classifier {
	t.Helper()
	c, err := classifier.Open(given)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// A program runs once a node, however often it is asked, and with arguments if the user gives some.
func TestProgramRunsOnce(t *testing.T) {
	count := filepath.Join(t.TempDir(), "count")
	p := file(t, "enc", "#!/bin/sh\necho \"$@\" >> "+count+"\necho 'classes: [a]'\n", 0o755)
	c := open(t, p+" --fast")
	for range 3 {
		for _, name := range []string{"web1", "web2"} {
			if a, err := c.Ask(context.Background(), name); err != nil || a.Classes[0].Name != "a" {
				t.Fatal(a, err)
			}
		}
	}
	if text, _ := os.ReadFile(count); string(text) != "--fast web1\n--fast web2\n" {
		t.Errorf("it was run like this:\n%s", text)
	}
	if _, err := c.Ask(context.Background(), "--help"); err == nil {
		t.Error("an option is taken for a node")
	}
}

// A program that takes too long, or says too much, is ended, with what it has started.
func TestBounds(t *testing.T) {
	c := open(t, file(t, "enc", "#!/bin/sh\nsleep 100 & sleep 100\n", 0o755))
	c.Timeout = 100 * time.Millisecond
	began := time.Now()
	_, err := c.Ask(context.Background(), "web1")
	if err == nil || !strings.Contains(err.Error(), "did not end within 100ms") || time.Since(began) > 10*time.Second {
		t.Errorf("%v after %v", err, time.Since(began))
	}
	c = open(t, file(t, "enc", "#!/bin/sh\nexec yes 'classes: [a]'\n", 0o755))
	if _, err = c.Ask(context.Background(), "web1"); err == nil || !strings.Contains(err.Error(), "prints more than") {
		t.Error(err)
	}
	// Something that it has started, and that goes on, is not waited for.
	c = open(t, file(t, "enc", "#!/bin/sh\necho 'classes: [a]'\nsleep 10 &\n", 0o755))
	began = time.Now()
	if a, err := c.Ask(context.Background(), "web1"); err != nil || a.Classes[0].Name != "a" ||
		time.Since(began) > 9*time.Second {
		t.Error(err, time.Since(began))
	}
	// One that is ended by somebody has no number.
	c = open(t, file(t, "enc", "#!/bin/sh\nkill -TERM $$\n", 0o755))
	if _, err = c.Ask(context.Background(), "web1"); err == nil || !strings.Contains(err.Error(), "web1' returned : ") {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err = c.Ask(ctx, "web2"); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if _, err := classifier.Open("/nowhere/enc"); err == nil {
		t.Error("a program that is not there is taken")
	}
}

// A file has an answer for all nodes, or for each by its name; a directory has a file for each, and shows nothing else.
func TestFiles(t *testing.T) {
	c := open(t, file(t, "nodes.yaml", "web1:\n  classes: {role::web: {port: 80}}\nweb2:\n  classes: [role::web]\n",
		0o755))
	a, err := c.Ask(context.Background(), "web1")
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range []struct{ steps, place string }{
		{"classes role::web", "2:13"}, {"classes role::web port", "2:31"}, {"parameters", "2:3"},
	} {
		if p := a.Place(strings.Fields(x.steps)...); !strings.HasSuffix(p.String(), ":"+x.place) {
			t.Errorf("%s stands at %s, not %s", x.steps, p, x.place)
		}
	}
	var d *source.Diagnostic
	if _, err := c.Ask(context.Background(), "web3"); !errors.As(err, &d) || d.Code != "E0574" || d.Help == "" {
		t.Error(err)
	}
	// What is wrong with one answer costs nobody else theirs; names of nodes are written in any case.
	c = open(t, file(t, "nodes.yaml", "web1: 12\nWEB2: {classes: [b]}\nweb3: {environment: ''}\n", 0o644))
	if a, err := c.Ask(context.Background(), "web2"); err != nil || a.Classes[0].Name != "b" {
		t.Error(a, err)
	}
	for _, name := range []string{"web1", "web3"} {
		if _, err := c.Ask(context.Background(), name); !errors.As(err, &d) || d.Code != "E0572" {
			t.Error(name, err)
		}
	}
	dir := t.TempDir()
	secret := file(t, "secret.yaml", "classes: [secret]\n", 0o644)
	for name, text := range map[string]string{"web1.yaml": "classes: [a]\n", "web2.json": `{"classes": ["b"]}`} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(secret, filepath.Join(dir, "evil.yaml")); err != nil {
		t.Fatal(err)
	}
	c = open(t, dir)
	got := ""
	for _, name := range []string{"web1", "web2", "web3", "evil", "../" + filepath.Base(filepath.Dir(secret)) +
		"/secret"} {
		a, err := c.Ask(context.Background(), name)
		if err != nil {
			got += " -"
			continue
		}
		got += fmt.Sprint(" ", a.Classes[0].Name)
	}
	if got != " a b - - -" {
		t.Error(got)
	}
}
