package bridge_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"bunraku/internal/ask"
	"bunraku/internal/live"
	"bunraku/provenance"
	"bunraku/puppet/bridge"
	"bunraku/puppet/eval"
	"bunraku/puppet/syntax"
	"bunraku/puppet/value"
	"bunraku/source"
)

// needRuby skips where there is no Ruby; where there is Puppet there is Ruby.
func needRuby(t testing.TB) {
	t.Helper()
	live.NotShort(t, "runs Ruby")
	if _, err := exec.LookPath("ruby"); err != nil {
		live.Puppet(t)
	}
}

// What the network would answer is not known.
func TestNetwork(t *testing.T) {
	w := openOwn(t, environmentDir)
	for _, how := range []string{"read", "open", "function", "module", "rescue"} {
		if got := w.ask("t::network('" + how + "')"); !strings.Contains(got, "refused: the ") {
			t.Errorf("%s: %s", how, got)
		}
	}
}

// Code that hangs, ends the process, prints or sends garbage costs its own call and no more.
func TestHostile(t *testing.T) {
	needRuby(t)
	w := open(t, environmentDir, bridge.Options{Timeout: 2 * time.Second, Memory: 1 << 30})
	for _, c := range []struct{ how, want string }{
		{"print", `"fine"`}, {"read", `"[\"\", nil]"`}, {"thread", `"fine"`}, {"rescue", `"rescued"`},
		{"exit", "! the code called exit"},
		{"abort", "! the code called exit"},
		{"memory", "! failed to allocate memory"},
		{"stack", "stack level too deep"},
		{"object", "Opaque(the function t::hostile"},
		{"circle", "stack level too deep"},
		{"bytes", "Bytes(fffe)"}, {"latin", `"café"`},
		{"round", "nest deeper than 200"},
		{"loop",
			"the function t::hostile (/production/modules/t/lib/puppet/functions/t/hostile.rb) did not come back within 2s"},
		{"exit!", "Ruby ended while it ran the function t::hostile"},
		{"print", `"fine"`},
		{"exit!", "Ruby ended while it ran the function t::hostile"},
		{"print", "Ruby had to be stopped 4 times"}, // once because of the nesting
	} {
		if got := w.ask("t::hostile('" + c.how + "')"); !strings.Contains(got, c.want) {
			t.Errorf("%s: %s\n\twant %s", c.how, got, c.want)
		}
	}
	for _, c := range []struct{ how, want string }{
		{"sleep", "did not come back within"}, {"ensure", "did not come back within"}, {"child", "did not come back within"},
		{"kill", "Ruby ended"},
		{"garbage", "something that is no answer: this is no JSON"}, {"brackets", "something that is no answer: [[["},
		{"wrong", "unknown kind, Nonsense"},
		{"empty", "neither a value nor an error"}, {"question", "a question of no call"}, {"endless", ""}, {"grow", ""},
	} {
		t.Run(c.how, func(t *testing.T) {
			limit := 10 * time.Second // enough for Ruby to start on a busy machine
			if c.want == "" || strings.HasPrefix(c.want, "did not") {
				limit = time.Second
			}
			w := open(t, environmentDir, bridge.Options{Timeout: limit, Memory: 1 << 30})
			began := time.Now()
			if got := w.ask("t::hostile('" + c.how + "')"); !strings.HasPrefix(got, "! ") || !strings.Contains(got, c.want) {
				t.Errorf("%s\n\twant %s", got, c.want)
			}
			if spent := time.Since(began); spent > time.Minute {
				t.Errorf("took %v", spent)
			}
			if c.how == "wrong" || c.how == "grow" {
				return // Ruby goes on in a loop, or has stopped by itself
			}
			got := ""
			for range 20 { // on a busy machine Ruby may not even start within a second
				if got = w.ask("t::plain(1)"); got == "[1, 2, []]" {
					return
				}
			}
			t.Errorf("the next call: %s", got)
		})
	}
}

// Threads that the code leaves behind do not slow down what comes later: each of hundreds of messages would wait for
// its turn.
func TestThreads(t *testing.T) {
	needRuby(t)
	w := open(t, environmentDir, bridge.Options{Timeout: 10 * time.Second})
	for _, c := range []struct{ how, want string }{{"thread", `"fine"`}, {"round", "nest deeper than 200"}} {
		if got := w.ask("t::hostile('" + c.how + "')"); !strings.Contains(got, c.want) {
			t.Errorf("%s: %s", c.how, got)
		}
	}
}

// What the code started is ended with it.
func TestChildren(t *testing.T) {
	needRuby(t)
	if runtime.GOOS != "linux" {
		t.Skip("looks at /proc")
	}
	w := open(t, environmentDir, bridge.Options{Timeout: time.Second})
	w.ask("t::hostile('child')")
	for range 50 {
		if !sleeping(t) {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	t.Error("a program that Ruby started still runs")
}

func sleeping(t *testing.T) bool {
	list, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range list {
		if text, err := os.ReadFile(f); err == nil && string(text) == "sleep\x001000\x00" {
			return true
		}
	}
	return false
}

// An engine that is not there is said to be missing, with the call.
func TestNoRuby(t *testing.T) {
	w := open(t, environmentDir, bridge.Options{Engine: bridge.System{Command: "no-such-ruby"}})
	for range 2 {
		if got := w.ask("t::plain(1)"); !strings.HasPrefix(got, "! Ruby ") {
			t.Error(got)
		}
	}
	w = open(t, environmentDir, bridge.Options{Engine: failing{}})
	if got := w.ask("t::plain(1)"); got != "! Ruby cannot be started: out of order" {
		t.Error(got)
	}
}

// failing is another engine.
type failing struct{}

func (failing) Start(string) (bridge.Process, error) { return nil, errors.New("out of order") }

// Compiles that run at the same time take turns.
func TestTurns(t *testing.T) {
	needRuby(t)
	w := open(t, environmentDir, bridge.Options{})
	w.Function("t::calls")
	w.Function("t::plain")
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for j := range 20 {
				mine := &testWorld{env: w.env, bridge: w.bridge, ruby: map[string]*eval.Function{}}
				want := fmt.Sprintf("[%d, %d, []]", i, j)
				if got := mine.ask(fmt.Sprintf("t::calls('t::plain', %d, %d)", i, j)); got != want {
					t.Errorf("%s, want %s", got, want)
				}
			}
		})
	}
	wg.Wait()
}

// The result depends on the arguments and on what the code looked up, in itself and in what it called; not on anything
// else.
func TestProvenance(t *testing.T) {
	needRuby(t)
	w := open(t, environmentDir, bridge.Options{})
	text := "$seen = 'seen'\n$unseen = 'unseen'\n$arg = ['deep']\n$x = t::scopes('seen')\n$y = t::calls('t::scopes', " +
		"'seen')\n" +
		"$z = t::calls('join', $arg, '-')\n$b = t::calls('map', $arg) |$e| { $seen }\nnotify { 'n': message => [$x, $y, " +
		"$z, $b] }\n"
	tree, ds := syntax.Parse(source.NewFile("p.pp", text), syntax.Options{})
	if ds.HasErrors() {
		t.Fatal(ds[0])
	}
	set := eval.Language(7)
	set.Trace, set.Reads = true, true
	r := eval.Compile(w, eval.Input{Node: "n", Environment: "production", Main: []*syntax.File{tree},
		Facts: ask.ReadFacts(factsFile), Settings: set})
	if r.Failure != nil {
		t.Fatal(r.Failure)
	}
	for name, want := range map[string][]string{"x": {"'seen'"}, "y": {"'seen'"}, "z": {"'deep'", "'-'"},
		"b": {"'seen'", "'deep'"}} {
		ref := variableRef(t, r, name)
		got := map[string]bool{}
		for _, l := range r.Trace.Depends(ref) {
			if l.Place.File == tree.Source {
				got[l.Place.File.Slice(l.Place.Span)] = true
			}
		}
		if got["'unseen'"] {
			t.Errorf("$%s depends on 'unseen'", name)
		}
		for _, lit := range want {
			if !got[lit] {
				t.Errorf("$%s does not depend on %s: %v", name, lit, got)
			}
		}
	}
}

// variableRef is where an element of the message comes from.
func variableRef(t *testing.T, r *eval.Result, name string) provenance.Ref {
	t.Helper()
	message := r.Catalog.Resource("Notify", "n").Get("message").(*value.Array)
	return message.Ref(strings.Index("xyzb", name))
}
