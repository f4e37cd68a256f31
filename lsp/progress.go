package lsp

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"bunraku/fleet"
	"bunraku/lsp/protocol"
)

// Work that takes a while is shown where the editor shows such things, if it does. Short work is not: something that
// blinks with every key tells nobody anything.

// patience is how long work takes before it is shown, and how often what is shown changes.
const patience = 400 * time.Millisecond

// A working is work under way, shown or not.
type working struct {
	server *Server
	token  json.RawMessage
	done   chan struct{}
	ended  sync.WaitGroup

	mu     sync.Mutex
	what   string
	parts  int
	passed atomic.Int64
}

// work begins work; nil if the client does not show any. Stop it in the end.
func (s *Server) work(title string) *working {
	s.mu.Lock()
	defer s.mu.Unlock()
	if w := s.client.Window; w == nil || !w.WorkDoneProgress {
		return nil
	}
	s.works++
	w := &working{server: s, token: json.RawMessage(fmt.Sprintf(`"bunraku-%d"`, s.works)), done: make(chan struct{})}
	w.ended.Add(1)
	go w.run(title)
	return w
}

// run shows the work once it takes a while, until it is done.
func (w *working) run(title string) {
	defer w.ended.Done()
	select {
	case <-w.done:
		return
	case <-time.After(patience):
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if _, err := w.server.rpc.Callback(ctx, "window/workDoneProgress/create",
		protocol.WorkDoneProgressCreateParams{Token: w.token}); err != nil {
		return // the client does not want it
	}
	message, percent := w.state()
	w.tell(protocol.WorkDoneProgressBegin{Kind: "begin", Title: title, Message: message, Percentage: &percent})
	tick := time.NewTicker(patience)
	defer tick.Stop()
	for {
		select {
		case <-w.done:
			w.tell(protocol.WorkDoneProgressEnd{Kind: "end"})
			return
		case <-tick.C:
			message, percent := w.state()
			w.tell(protocol.WorkDoneProgressReport{Kind: "report", Message: message, Percentage: &percent})
		}
	}
}

// state is how far it has got.
func (w *working) state() (message string, percent int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	done := int(w.passed.Load())
	return fmt.Sprintf("%s: %d of %d", w.what, done, w.parts), min(100, 100*done/max(w.parts, 1))
}

func (w *working) tell(value any) {
	text, err := json.Marshal(value)
	if err != nil {
		return // it is made of texts and numbers
	}
	_ = w.server.rpc.Notify(context.Background(), "$/progress", protocol.ProgressParams{Token: w.token, Value: text})
}

// progress is told the steps of a check.
func (w *working) progress(what string, parts int) fleet.Progress {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.what, w.parts = what, parts
	w.passed.Store(0)
	return fleet.Progress{Step: func() { w.passed.Add(1) }, Stop: func() {}}
}

// stop ends the work.
func (w *working) stop() {
	if w != nil {
		close(w.done)
		w.ended.Wait()
	}
}
