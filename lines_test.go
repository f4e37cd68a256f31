package bunraku_test

import (
	"bytes"
	"go/scanner"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"
)

// widest is how many columns a line of code has at most. A tab counts as one.
const widest = 120

// long is how much of a line must be one text for that to excuse it; one that reaches beyond the edge does in any case.
const long = 75

// TestLines: no line of code is wider than that, unless a text is what makes it wide.
func TestLines(t *testing.T) {
	read := 0
	for _, path := range goFiles(t) {
		src, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Contains(src[:min(len(src), 400)], []byte("DO NOT EDIT")) {
			continue
		}
		read++
		file := token.NewFileSet().AddFile(path, -1, len(src))
		var s scanner.Scanner
		s.Init(file, src, nil, scanner.ScanComments)
		var texts [][2]int // the lines, by offsets, that belong to texts
		for {
			pos, tok, lit := s.Scan()
			if tok == token.EOF {
				break
			}
			if tok == token.STRING {
				texts = append(texts, [2]int{file.Offset(pos), file.Offset(pos) + len(lit)})
			}
		}
		offset := 0
		for i, line := range strings.SplitAfter(string(src), "\n") {
			wide := strings.TrimSuffix(line, "\n")
			if n := utf8.RuneCountInString(wide); n > widest {
				cut := offset + len(string([]rune(wide)[:widest]))
				inText := false
				for _, x := range texts {
					from, to := max(x[0], offset), min(x[1], offset+len(wide))
					inText = inText || x[0] < cut && cut <= x[1] || utf8.RuneCount(src[min(from, to):to]) >= long
				}
				if !inText {
					t.Errorf("%s:%d has %d columns, not %d at most", path, i+1, n, widest)
				}
			}
			offset += len(line)
		}
	}
	if read < 500 {
		t.Errorf("only %d files were looked at", read)
	}
}

// goFiles are the files of Go's in the repository that are not data of tests.
func goFiles(t *testing.T) (files []string) {
	t.Helper()
	err := filepath.WalkDir(".", func(path string, d os.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "testdata" || d.Name() == "node_modules" || d.Name() == ".git" || d.Name() == "dist"):
			return filepath.SkipDir
		case !d.IsDir() && strings.HasSuffix(path, ".go"):
			files = append(files, path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}
