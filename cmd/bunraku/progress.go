package main

import (
	"fmt"
	"strings"
	"sync/atomic"
	"time"
)

// A progress is one line on stderr that rewrites itself: what, how many of how many, time left. It appears after a
// second of work and only on a terminal.
type progress struct {
	a     *app
	what  string
	total int
	done  atomic.Int64
	quit  chan struct{}
	ended chan struct{}
}

func (a *app) progress(what string, total int) *progress {
	p := &progress{a: a, what: what, total: total, quit: make(chan struct{}), ended: make(chan struct{})}
	if !a.terminal.err {
		close(p.ended)
		return p
	}
	go p.run()
	return p
}

func (p *progress) step() { p.done.Add(1) }

// stop ends the line and clears it.
func (p *progress) stop() {
	close(p.quit)
	<-p.ended
}

func (p *progress) run() {
	defer close(p.ended)
	began := time.Now()
	select {
	case <-p.quit:
		return
	case <-time.After(time.Second):
	}
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for {
		p.a.err.Status(p.line(time.Since(began)))
		select {
		case <-p.quit:
			p.a.err.Status("")
			return
		case <-tick.C:
		}
	}
}

const barWidth = 30

func (p *progress) line(spent time.Duration) string {
	done := int(p.done.Load())
	filled := barWidth * done / max(p.total, 1)
	left := ""
	if done > 0 {
		rest := time.Duration(float64(spent) * float64(p.total-done) / float64(done))
		left = fmt.Sprintf("  %s left", rest.Round(time.Second))
	}
	return fmt.Sprintf("%s  %s%s  %d of %d%s", p.what, strings.Repeat("#", filled), strings.Repeat(".", barWidth-filled),
		done, p.total, left)
}
