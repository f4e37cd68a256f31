package web

import (
	"fmt"
	"sync"
	"time"

	"bunraku/fleet"
)

// A progress is how far a look at the tree has come. A large fleet takes its time, and whoever has edited something
// wants to know that the pages are not what will be there in a while.
type progress struct {
	mu       sync.Mutex
	began    time.Time // zero when nothing goes on
	what     string
	done, of int
}

func (p *progress) begin() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.began, p.what, p.of = time.Now(), "", 0
}

func (p *progress) end() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.began = time.Time{}
}

// step begins a part of a look.
func (p *progress) step(what string, parts int) fleet.Progress {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.what, p.done, p.of = what, 0, parts
	return fleet.Progress{Stop: func() {}, Step: func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.done++
	}}
}

// text says it in words, if a look has taken longer than somebody waits without a word; else it is "".
func (p *progress) text(patience time.Duration) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.began.IsZero() || time.Since(p.began) < patience:
		return ""
	case p.of == 0:
		return "reading"
	}
	return fmt.Sprintf("%s %d of %d", p.what, min(p.done, p.of), p.of)
}
