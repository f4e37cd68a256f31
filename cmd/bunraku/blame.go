package main

import (
	"context"
	"path/filepath"
	"sync"
	"time"

	"bunraku/explain"
	"bunraku/source"
	"bunraku/source/git"
)

// Who last changed a line is a courtesy: bounded in number and time, and never an error.
const (
	blameFiles = 12
	blameLines = 24
	blameTime  = 2 * time.Second
)

// blame adds to the places of an answer who last changed them, as git knows it.
func blame(answer *explain.Answer, all bool) {
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
	repos := map[string]*git.Repo{} // by work tree
	defer func() {
		for _, r := range repos {
			r.Close()
		}
	}()
	var wait sync.WaitGroup
	defer wait.Wait()
	for _, name := range order {
		path, err := filepath.Abs(name)
		if err != nil {
			continue
		}
		repo, err := git.Open(filepath.Dir(path), git.Options{})
		if err != nil {
			continue
		}
		if known := repos[repo.WorkTree()]; known != nil {
			repo.Close()
			repo = known
		}
		repos[repo.WorkTree()] = repo
		wait.Go(func() {
			var bug error // who changed a line is left out then, as if git did not know
			defer source.Catch(&bug)
			blameFile(ctx, repo, path, files[name])
		})
	}
}

func blameFile(ctx context.Context, repo *git.Repo, path string, spots []*explain.Spot) {
	var lines []int
	for _, s := range spots {
		lines = append(lines, s.Line)
	}
	changes, err := repo.BlameFile(ctx, path, lines)
	if err != nil {
		return
	}
	const date = "2006-01-02"
	for _, s := range spots {
		c, ok := changes[s.Line]
		switch {
		case !ok:
		case c.Commit == "":
			s.Change = &explain.Change{Commit: "the working tree", Author: "you", Date: time.Now().UTC().Format(date)}
		default:
			s.Change = &explain.Change{
				Commit: c.Commit.String()[:9], Author: c.Author, Summary: c.Summary,
				Date: time.Unix(c.Time, 0).UTC().Format(date),
			}
		}
	}
}
