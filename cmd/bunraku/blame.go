package main

import (
	"bytes"
	"context"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"bunraku/explain"
)

// Who last changed a line is a courtesy: bounded in number and time, and never an error.
const (
	blameFiles = 12
	blameLines = 24
	blameTime  = 2 * time.Second
)

// blame adds to the places of an answer who last changed them, as git knows it.
func blame(answer *explain.Answer, all bool) {
	git, err := exec.LookPath("git")
	if err != nil {
		return
	}
	files := map[string][]*explain.Spot{}
	var order []string
	answer.EachSpot(all, func(s *explain.Spot) {
		if files[s.File] == nil {
			if len(order) == blameFiles {
				return
			}
			order = append(order, s.File)
		}
		if len(files[s.File]) < blameLines {
			files[s.File] = append(files[s.File], s)
		}
	})
	ctx, cancel := context.WithTimeout(context.Background(), blameTime)
	defer cancel()
	var wait sync.WaitGroup
	for _, name := range order {
		wait.Go(func() { blameFile(ctx, git, name, files[name]) })
	}
	wait.Wait()
}

func blameFile(ctx context.Context, git, name string, spots []*explain.Spot) {
	path, err := filepath.Abs(name)
	if err != nil {
		return
	}
	args := []string{"-C", filepath.Dir(path), "blame", "--porcelain"}
	for _, s := range spots {
		n := strconv.Itoa(s.Line)
		args = append(args, "-L", n+","+n)
	}
	text, err := exec.CommandContext(ctx, git, append(args, "--", filepath.Base(path))...).Output()
	if err != nil {
		return
	}
	changes := readBlame(text)
	for _, s := range spots {
		s.Change = changes[s.Line]
	}
}

// readBlame reads the porcelain format: a header with commit and line numbers, then what is known of the commit the first time it is
// met, then the line itself behind a tab.
func readBlame(text []byte) map[int]*explain.Change {
	commits := map[string]*explain.Change{}
	out := map[int]*explain.Change{}
	var now *explain.Change
	for line := range bytes.Lines(text) {
		s := strings.TrimRight(string(line), "\n")
		if strings.HasPrefix(s, "\t") {
			now = nil
			continue
		}
		words := strings.Fields(s)
		if now == nil {
			if len(words) < 3 {
				return out
			}
			id := words[0]
			if commits[id] == nil {
				commits[id] = &explain.Change{Commit: id[:min(len(id), 9)]}
			}
			now = commits[id]
			n, _ := strconv.Atoi(words[2])
			out[n] = now
			continue
		}
		key, rest, _ := strings.Cut(s, " ")
		switch key {
		case "author":
			now.Author = rest
		case "author-time":
			if sec, err := strconv.ParseInt(rest, 10, 64); err == nil {
				now.Date = time.Unix(sec, 0).UTC().Format("2006-01-02")
			}
		case "summary":
			now.Summary = rest
		}
	}
	for id, c := range commits {
		if strings.Trim(id, "0") == "" { // not committed yet
			*c = explain.Change{Commit: "the working tree", Author: "you", Date: c.Date}
		}
	}
	return out
}
