package syntax

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf16"

	"bunraku/internal/live"
	"bunraku/source"
)

// An editorToken is a word of a file and what it is.
type editorToken struct {
	Line   int    `json:"line"`
	Column int    `json:"column"` // in UTF-16 units
	Class  string `json:"class"`
}

type editorFile struct {
	Name   string        `json:"name"`
	Text   string        `json:"text"`
	Tokens []editorToken `json:"tokens"`
}

// TestAcceptGrammar compares the grammar of the extension for VS Code with our front end, on every manifest of Debian's
// modules: does each word get the colour of what it is? It needs node, and the extension's packages (npm ci).
func TestAcceptGrammar(t *testing.T) {
	live.Accept(t)
	if _, err := exec.LookPath("node"); err != nil {
		t.Skip("there is no node")
	}
	dir := filepath.Join(live.Root(), "editors", "vscode")
	if _, err := os.Stat(filepath.Join(dir, "node_modules", "vscode-textmate")); err != nil {
		t.Skip("the extension's packages are not installed: npm ci in editors/vscode")
	}
	var files []editorFile
	read := func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(p) != ".pp" {
			return err
		}
		text, err := os.ReadFile(p)
		if err != nil {
			return err
		}
		file := source.NewFile(p, string(text))
		tree, list := Parse(file, Options{Tasks: strings.Contains(p, "/plans/")})
		if !list.HasErrors() {
			files = append(files, editorFile{p, string(text), editorTokens(tree)})
		}
		return nil
	}
	modules, _ := filepath.Glob("/usr/share/puppet/modules/*")
	for _, m := range modules { // they are links
		at, err := filepath.EvalSymlinks(m)
		if err == nil {
			err = filepath.WalkDir(at, read)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if len(files) == 0 {
		t.Skip("Debian's modules are not installed")
	}
	in, err := json.Marshal(files)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("node", filepath.Join(dir, "test", "classes.mjs"))
	var out, errText bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(in), &out, &errText
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v\n%s", err, errText.String())
	}
	var got struct {
		Total, Right int
		Wrong        []string
	}
	if err := json.Unmarshal(out.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	share := 100 * float64(got.Right) / float64(got.Total)
	t.Logf("%d files, %d of %d words have their class: %.2f %% (bar 99.5)", len(files), got.Right, got.Total, share)
	if share < 99.5 {
		t.Errorf("%s", strings.Join(got.Wrong, "\n"))
	}
}

// editorTokens are the words of a file whose class an editor is to show.
func editorTokens(tree *File) (out []editorToken) {
	add := func(s source.Span, class string) {
		text := tree.Source.Text
		start := strings.LastIndexByte(text[:s.Start], '\n') + 1
		out = append(out, editorToken{strings.Count(text[:s.Start], "\n"),
			len(utf16.Encode([]rune(text[start:s.Start]))), class})
	}
	for _, c := range tree.Comments {
		add(c.Where, "comment")
	}
	for _, x := range tree.Body.Stmts {
		Walk(x, func(n Node) bool {
			first := byte(0)
			if s := n.Span(); s.Len() > 0 {
				first = tree.Source.Text[s.Start]
			}
			switch n := n.(type) {
			case *Var:
				add(n.Span(), "variable")
			case *Str:
				if first == '\'' || first == '"' {
					add(n.Span(), "string")
				}
			case *Interpolated:
				if first == '"' {
					add(n.Span(), "string")
				}
			case *Int, *Float:
				add(n.Span(), "number")
			case *Regexp:
				add(n.Span(), "regexp")
			case *Ref:
				add(n.Span(), "type")
			case *Name:
				if n.Value != "class" { // of a resource: a keyword for readers
					add(n.Span(), "name")
				}
			case *Undef, *Bool, *Default, *Class, *Define, *Function, *NodeDef, *Case:
				add(n.Span(), "keyword")
			case *If:
				if first == 'i' || first == 'u' {
					add(n.Span(), "keyword")
				}
			case *AttrOp:
				if !n.Splat {
					add(n.NameAt, "name")
				}
			}
			return true
		})
	}
	return out
}
