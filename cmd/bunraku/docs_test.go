package main

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var seconds_ = regexp.MustCompile(`\d+\.\d\d s`)

// TestDocs runs every `$ bunraku …` of the README and the docs again and compares what is printed with what the page
// shows. Times may differ.
func TestDocs(t *testing.T) {
	t.Chdir(filepath.Join("..", ".."))
	pages, err := filepath.Glob("docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	commands := 0
	for _, page := range append([]string{"README.md"}, pages...) {
		if page == "docs/mupuppet.md" || page == "docs/smartfrog.md" || page == "docs/diff.md" || page == "docs/fleet.md" {
			continue // pages that bring their own files: TestPage in those packages' command tests runs them
		}
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, block := range consoleBlocks(string(text)) {
			for _, c := range block {
				commands++
				var out bytes.Buffer
				run(splitWords(c.command), strings.NewReader(""), &out, &out)
				got, want := seconds_.ReplaceAllString(out.String(), "N s"), seconds_.ReplaceAllString(c.output, "N s")
				if got != want && *write {
					text = bytes.Replace(text, []byte(c.command+"\n"+c.output), append([]byte(c.command+"\n"), out.Bytes()...), 1)
				} else if got != want {
					t.Errorf("%s: $ bunraku %s\n--- prints\n%s--- the page says\n%s", page, c.command, got, want)
				}
			}
		}
		if *write {
			if err := os.WriteFile(page, text, 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	if commands < 2 {
		t.Errorf("only %d commands found in the docs", commands)
	}
}

type shown struct{ command, output string }

// consoleBlocks finds the fenced blocks marked `console` and the commands in them.
func consoleBlocks(text string) (blocks [][]shown) {
	for {
		_, rest, found := strings.Cut(text, "```console\n")
		if !found {
			return blocks
		}
		body, after, _ := strings.Cut(rest, "```\n")
		text = after
		var block []shown
		for line := range strings.Lines(body) {
			if command, ok := strings.CutPrefix(line, "$ bunraku "); ok {
				block = append(block, shown{command: strings.TrimSpace(command)})
			} else if len(block) > 0 {
				block[len(block)-1].output += line
			}
		}
		blocks = append(blocks, block)
	}
}

// splitWords splits a command line at blanks outside of single quotes.
func splitWords(s string) (words []string) {
	var b strings.Builder
	quoted, any := false, false
	for _, r := range s {
		switch {
		case r == '\'':
			quoted, any = !quoted, true
		case r == ' ' && !quoted:
			if any {
				words = append(words, b.String())
			}
			b.Reset()
			any = false
		default:
			b.WriteRune(r)
			any = true
		}
	}
	if any {
		words = append(words, b.String())
	}
	return words
}
