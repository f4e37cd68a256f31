package budget

import (
	"context"
	"errors"
	"math"
	"testing"
)

func run(b *Budget, f func()) (err error) {
	defer Catch(&err)
	f()
	return nil
}

func TestBounds(t *testing.T) {
	for name, c := range map[string]struct {
		limits Limits
		work   func(*Budget)
		what   string
	}{
		"steps":          {Limits{Steps: 10}, func(b *Budget) { b.Spend(10, ""); b.Spend(1, "") }, "steps"},
		"within steps":   {Limits{Steps: 10}, func(b *Budget) { b.Spend(10, "") }, ""},
		"steps overflow": {Limits{Steps: 10}, func(b *Budget) { b.Spend(5, ""); b.Spend(math.MaxInt64, "") }, "steps"},
		"bytes":          {Limits{Bytes: 10}, func(b *Budget) { b.Keep(11, "") }, "bytes"},
		"bytes cost":     {Limits{Steps: 10}, func(b *Budget) { b.Keep(1<<20, "") }, "steps"},
		"depth":          {Limits{Depth: 2}, func(b *Budget) { b.Enter(""); b.Enter(""); b.Enter("") }, "depth"},
		"within depth":   {Limits{Depth: 1}, func(b *Budget) { b.Enter(""); b.Leave(); b.Enter("") }, ""},
		"no bound":       {Limits{}, func(b *Budget) { b.Spend(1<<40, ""); b.Keep(1<<40, ""); b.Enter("") }, ""},
	} {
		err := run(New(context.Background(), c.limits), func() { c.work(New(context.Background(), c.limits)) })
		var e *Exceeded
		if errors.As(err, &e) != (c.what != "") || e != nil && e.What != c.what {
			t.Errorf("%s: %v, want %q", name, err, c.what)
		}
	}
}

func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancelCause(context.Background())
	b := New(ctx, Limits{})
	cause := errors.New("enough")
	n := 0
	err := run(b, func() {
		for ; n < 100*lookEvery; n++ {
			if n == 10 {
				cancel(cause)
			}
			b.Spend(1, "")
		}
	})
	var a *Aborted
	if !errors.As(err, &a) || !errors.Is(err, cause) || n > 2*lookEvery {
		t.Errorf("after %d steps: %v", n, err)
	}
}

func TestOtherPanicsPass(t *testing.T) {
	defer func() {
		if recover() != "bug" {
			t.Error("a bug was swallowed")
		}
	}()
	run(nil, func() { panic("bug") })
}
