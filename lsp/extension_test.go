package lsp_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"bunraku/internal/live"
	"bunraku/lsp"
)

// The extension for VS Code lets no opened folder say which program is run, and has code for every command it offers.
func TestExtension(t *testing.T) {
	dir := filepath.Join(live.Root(), "editors", "vscode")
	text, err := os.ReadFile(filepath.Join(dir, "package.json"))
	if err != nil {
		t.Fatal(err)
	}
	code, err := os.ReadFile(filepath.Join(dir, "src", "extension.ts"))
	if err != nil {
		t.Fatal(err)
	}
	var p struct {
		Capabilities struct {
			UntrustedWorkspaces struct{ Supported bool }
		}
		Contributes struct {
			Configuration struct {
				Properties map[string]struct{ Scope string }
			}
			Commands []struct{ Command string }
			Grammars []struct{ Path string }
		}
	}
	if err := json.Unmarshal(text, &p); err != nil {
		t.Fatal(err)
	}
	if !p.Capabilities.UntrustedWorkspaces.Supported {
		t.Error("an untrusted folder gets no language server")
	}
	for _, name := range []string{"bunraku.path", "bunraku.arguments"} {
		if scope := p.Contributes.Configuration.Properties[name].Scope; scope != "machine" {
			t.Errorf("%s can be set by a folder: its scope is %q", name, scope)
		}
	}
	for _, c := range p.Contributes.Commands {
		if !strings.Contains(string(code), `on("`+c.Command+`"`) {
			t.Errorf("nothing is done for %s", c.Command)
		}
	}
	// Everything but the language server itself is asked of it: a task of the program's is not run in an untrusted folder.
	capabilities := dial(t, func(o *lsp.Options) {
		o.Diff = func(context.Context, string) (string, error) { return "", nil }
		o.Web = o.Diff
	}).start(nil)
	known := fmt.Sprint(capabilities["executeCommandProvider"])
	asked := regexp.MustCompile(`ask<[^(]*\("([^"]+)"`).FindAllStringSubmatch(string(code), -1)
	for _, m := range asked {
		if !strings.Contains(known, m[1]) {
			t.Errorf("the server has no command %s", m[1])
		}
	}
	runs := regexp.MustCompile(`ProcessExecution|ShellExecution|Terminal|child_process`).Match(code)
	if len(asked) != 4 || runs {
		t.Errorf("the server is asked %v", asked)
	}
	for _, g := range p.Contributes.Grammars {
		grammar, err := os.ReadFile(filepath.Join(dir, g.Path))
		if err != nil || !json.Valid(grammar) {
			t.Errorf("%s: %v", g.Path, err)
		}
	}
	if len(p.Contributes.Commands) < 5 || len(p.Contributes.Grammars) != 2 {
		t.Error("commands or grammars are missing")
	}
}
