package source

import (
	"context"
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
)

// A bug is a panic. It costs what it happens on, a node or a question, and is told as a diagnostic that names the place
// in our code; the rest goes on. For that, nothing that several share may be left half made: a Once that panics is not
// done, and a bug in a goroutine ends up with whoever started it.

// CodeBug is the code of a bug.
const CodeBug = "E0999"

// Bug makes a diagnostic of a panic. It is to be called by the deferred function that recovers.
func Bug(p any) *Diagnostic {
	if d, is := p.(*Diagnostic); is && d.Code == CodeBug { // of another goroutine
		return d
	}
	d := &Diagnostic{Code: CodeBug, Summary: fmt.Sprintf("this is a bug in bunraku: %v", p),
		Help: "please report it, with the code that it happens on"}
	calls := make([]uintptr, 64)
	frames := runtime.CallersFrames(calls[:runtime.Callers(3, calls)])
	var at []string
	for {
		f, more := frames.Next()
		if strings.HasPrefix(f.Function, "bunraku/") || strings.HasPrefix(f.Function, "main.") {
			at = append(at, fmt.Sprintf("%s (%s:%d)", f.Function, filepath.Base(f.File), f.Line))
		}
		if !more || len(at) == 8 {
			break
		}
	}
	d.Detail = strings.Join(at, "\n")
	return d
}

// Catch, deferred, turns a bug into an error.
func Catch(err *error) {
	if p := recover(); p != nil {
		*err = Bug(p)
	}
}

// A Once runs something once. Unlike sync.Once it does not pass for done when that panics: whoever asks next tries
// again, instead of going on with what was never made.
type Once struct {
	done atomic.Bool
	mu   sync.Mutex
}

// Do runs f unless it was run before.
func (o *Once) Do(f func()) {
	if o.done.Load() {
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.done.Load() {
		f()
		o.done.Store(true)
	}
}

// Each runs work 0 … n-1 on all processors until it is done or the context ends. A bug in one of them ends up with the
// caller, once the others are done.
func Each(ctx context.Context, n int, work func(i int)) {
	jobs := make(chan int)
	var wait sync.WaitGroup
	var bug atomic.Pointer[Diagnostic]
	for range min(n, runtime.GOMAXPROCS(0)) {
		wait.Go(func() {
			for i := range jobs {
				func() {
					defer func() {
						if p := recover(); p != nil {
							bug.CompareAndSwap(nil, Bug(p))
						}
					}()
					work(i)
				}()
			}
		})
	}
	for i := range n {
		if ctx.Err() != nil {
			break
		}
		jobs <- i
	}
	close(jobs)
	wait.Wait()
	if d := bug.Load(); d != nil {
		panic(d)
	}
}
