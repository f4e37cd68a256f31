package compiler_test

import (
	"context"
	"fmt"
	"path/filepath"
	"reflect"
	"runtime"
	"testing"
	"time"
	"unsafe"

	"bunraku/internal/live"
	"bunraku/puppet/compiler"
	"bunraku/puppet/eval"
	"bunraku/puppet/facts"
	"bunraku/source"
)

// unfinished are the types that only a compile in progress needs.
var unfinished = map[string]bool{"eval.Evaluator": true, "eval.Scope": true, "eval.Resource": true, "eval.Call": true,
	"eval.Lambda": true, "compiler.world": true, "budget.Budget": true}

// A search follows everything that a value points at, unexported fields too; only what a closure holds it cannot see.
type search struct {
	seen map[seenAt]bool
	path string // to what was found
}

type seenAt struct {
	at  unsafe.Pointer
	typ reflect.Type
}

// in reports whether something unfinished hangs on a value.
func (s *search) in(v reflect.Value, path string) bool {
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() || s.seen[seenAt{v.UnsafePointer(), v.Type()}] {
			return false
		}
		s.seen[seenAt{v.UnsafePointer(), v.Type()}] = true
		if name := v.Type().Elem().String(); unfinished[name] {
			s.path = path + " is a *" + name
			return true
		}
		return s.in(v.Elem(), path)
	case reflect.Interface:
		return !v.IsNil() && s.in(v.Elem(), path+"("+v.Elem().Type().String()+")")
	case reflect.Struct:
		for i := range v.NumField() {
			if s.in(v.Field(i), path+"."+v.Type().Field(i).Name) {
				return true
			}
		}
	case reflect.Slice, reflect.Array:
		switch v.Type().Elem().Kind() {
		case reflect.Uint8, reflect.Int32, reflect.Uint32, reflect.Uint64, reflect.String, reflect.Bool, reflect.Int:
			return false
		}
		for i := range v.Len() {
			if s.in(v.Index(i), fmt.Sprintf("%s[%d]", path, i)) {
				return true
			}
		}
	case reflect.Map:
		for it := v.MapRange(); it.Next(); {
			if s.in(it.Key(), path+"[key]") || s.in(it.Value(), path+"[…]") {
				return true
			}
		}
	}
	return false
}

// A result is plain data: no evaluator, scope or world hangs on it, and the context of its compile can be collected
// while the result lives. The second way of asking sees what closures hold, too.
func TestResultHoldsNoEvaluator(t *testing.T) {
	few := map[string]bool{"ntp_debian12": true, "ceph_heat": true, "firewall_rules": true, "ssh_hiera": true,
		"lang_types_functions": true}
	for _, dir := range sites(t, func(name string) bool { return !testing.Short() || few[name] }) {
		for _, trace := range []bool{false, true} {
			res, gone := compileAndForget(t, dir, trace)
			if s := (&search{seen: map[seenAt]bool{}}); s.in(reflect.ValueOf(res), "result") {
				t.Errorf("%s: %s", filepath.Base(dir), s.path)
			}
			for range 20 {
				runtime.GC()
				select {
				case <-gone:
				case <-time.After(5 * time.Millisecond):
					continue
				}
				gone = nil
				break
			}
			if gone != nil {
				t.Errorf("%s, traced %v: the result keeps what the compile worked with", filepath.Base(dir), trace)
			}
			runtime.KeepAlive(res)
		}
	}
}

type mark struct{ _ [64]byte }

// compileAndForget compiles a site; the channel is closed when the context of the compile, which everything in progress
// holds, is collected.
func compileAndForget(t *testing.T, dir string, trace bool) (*eval.Result, chan bool) {
	gone := make(chan bool)
	m := &mark{}
	runtime.AddCleanup(m, func(c chan bool) { close(c) }, gone)
	ctx := context.WithValue(context.Background(), mark{}, m)
	c, err := compiler.NewWorkspace(dir, compiler.Options{Language: 7, Trace: trace, Questions: true,
		Roots: []string{live.ModulesDir}, ServerFacts: serverFacts(filepath.Base(dir))}).Open(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	f, err := facts.Read(source.NewDir(source.DirOptions{Roots: []string{filepath.Join(dir, "facts.json")}}),
		filepath.Join(dir, "facts.json"))
	if err != nil {
		t.Fatal(err)
	}
	res, err := c.Compile(ctx, compiler.Node{Facts: f})
	if err != nil || res.Failure != nil {
		t.Fatal(err, res.Failure)
	}
	return res, gone
}
