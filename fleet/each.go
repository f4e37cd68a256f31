package fleet

import (
	"context"
	"fmt"
	"runtime"
	"runtime/debug"
	"sync"
)

// Each runs work 0 … n-1 on all processors until it is done or the context ends. A bug in one of them ends up with the caller.
func Each(ctx context.Context, n int, work func(i int)) {
	jobs := make(chan int)
	var wait sync.WaitGroup
	var once sync.Once
	bug := ""
	for range min(n, runtime.GOMAXPROCS(0)) {
		wait.Go(func() {
			for i := range jobs {
				func() {
					defer func() {
						if p := recover(); p != nil {
							once.Do(func() { bug = fmt.Sprintf("%v\n%s", p, debug.Stack()) })
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
	if bug != "" {
		panic(bug)
	}
}
