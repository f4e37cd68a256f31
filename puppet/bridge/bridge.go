// Package bridge runs what modules have written in Ruby: functions of both kinds (3.x newfunction, 4.x
// create_function), and templates that the interpreter in package ruby cannot run. It is off unless asked for, since
// that code can do anything.
//
// One Ruby process serves a Bridge. It is started at the first call and needs no Puppet: runtime/*.rb gives functions
// what they expect of one. Both sides speak JSON, a message a line, and calls nest: while Ruby runs a function it may
// ask for a variable, call another function or a block, which may need Ruby again. Types are ours alone: Ruby sends
// signatures as text, and asks about types.
//
// Code that does not come back in time, ends the process or sends something else than an answer is stopped, and the
// call ends with a diagnostic; the next call starts Ruby again, a few times. The result of a call depends on its
// arguments, on the file that it is written in, and on everything that it looked up.
//
// It may import eval and below. Start reading at Function, then process.go.
package bridge

import (
	"fmt"
	"sync"
	"time"

	"bunraku/provenance"
	"bunraku/puppet/eval"
	"bunraku/puppet/value"
)

// Options say how Ruby is run, and what it can find.
type Options struct {
	Engine    Engine        // System{} when nil
	Timeout   time.Duration // of Ruby's own time in one call; DefaultTimeout when zero
	Memory    int64         // bytes of address space that Ruby may use; DefaultMemory when zero, no bound when negative
	Libraries []string      // lib directories of modules, in the order of the module path
	Version   string        // of the Puppet that functions believe to be in
	Settings  *value.Hash   // what Puppet[:name] answers
	Site      Site          // nil when there are no files
}

// A Site finds what modules have beside functions. Names are Puppet's; a path of "" says that there is none.
type Site interface {
	Template(name string) string
	File(name string) string
	Module(name string) string
	OldFunction(name string) string // the file of a 3.x function
	Modern(name string) bool        // there is a 4.x function of the name, in Ruby
	Modules() [][2]string           // names and directories
}

const (
	// DefaultTimeout bounds Ruby's own time in one call.
	DefaultTimeout = 10 * time.Second
	// DefaultMemory bounds the address space of the Ruby process.
	DefaultMemory = 4 << 30
	// maxStarts bounds how often Ruby is started: once, and again after it had to be stopped.
	maxStarts = 4
	// maxDepth bounds calls that nest, from Ruby to Puppet and back.
	maxDepth = 200
)

// Codes of the diagnostics that end a call. Exceptions are told as Puppet tells them.
const (
	CodeNoRuby  = "E0710" // Ruby cannot be started
	CodeTime    = "E0711" // the code did not come back in time
	CodeEnded   = "E0712" // the process ended
	CodeGarbage = "E0713" // it sent something else than an answer
	CodeNesting = "E0714" // calls nest too deep
)

// A Bridge runs Ruby for the compiles of one environment. Compiles may share it at the same time: they take turns.
type Bridge struct {
	opt       Options
	questions map[string]func(*question) (value.Value, error)

	mu    sync.Mutex
	free  *sync.Cond
	owner *eval.Evaluator // whose turn it is
	own   *ownRun         // the own engine; nil for a process

	// What follows belongs to the owner.
	frames      []*frame
	process     Process
	starts      int
	spent       time.Duration        // of Ruby's own time in this turn
	loaded      map[string]*function // by path
	interrupted []*eval.Interruption
}

// New makes a bridge. Ruby is started when it is first needed.
func New(opt Options) *Bridge {
	if opt.Engine == nil {
		opt.Engine = System{}
	}
	if opt.Timeout == 0 {
		opt.Timeout = DefaultTimeout
	}
	if opt.Memory == 0 {
		opt.Memory = DefaultMemory
	}
	if opt.Settings == nil {
		opt.Settings = value.EmptyHash
	}
	b := &Bridge{opt: opt, questions: questionTable()}
	b.free = sync.NewCond(&b.mu)
	return b
}

// Close ends Ruby, when no compile uses it.
func (b *Bridge) Close() {
	b.mu.Lock()
	defer b.mu.Unlock()
	for b.owner != nil {
		b.free.Wait()
	}
	b.stop()
}

// A frame is one call under way in Ruby.
type frame struct {
	call  *eval.Call
	name  string // what is being run, for messages
	sofar provenance.Ref
	told  []value.Value // what it was given and has asked for
}

// saw notes that the code has looked at a value.
func (f *frame) saw(v value.Value, r provenance.Ref) {
	f.call.Eval.Bare(v)
	f.told = append(f.told, v)
	tr := f.call.Trace()
	if tr == nil {
		return
	}
	if in, is := v.(provenance.Contents); is {
		r = tr.Deep(r, in)
	}
	f.sofar = tr.Join(f.sofar, r)
}

// run has Ruby do something for a call. body runs with the call as the innermost frame; compiles that want Ruby too
// wait until the outermost call of this one has ended.
func (b *Bridge) run(c *eval.Call, name string, body func(f *frame) (value.Value, error)) (value.Value, *frame, error) {
	b.mu.Lock()
	for b.owner != nil && b.owner != c.Eval {
		b.free.Wait()
	}
	b.owner = c.Eval
	b.mu.Unlock()
	f := &frame{call: c, name: name}
	if b.own == nil {
		for i := range c.Args {
			f.saw(c.Args[i], c.ArgRef(i))
		}
	}
	depth := len(b.frames)
	if depth == 0 {
		b.spent, b.interrupted = 0, nil
	}
	b.frames = append(b.frames, f)
	defer func() {
		b.frames = b.frames[:depth]
		if depth == 0 {
			b.mu.Lock()
			b.owner = nil
			b.mu.Unlock()
			b.free.Signal()
		}
	}()
	if depth >= maxDepth {
		b.stop()
		c.Fail(CodeNesting, fmt.Sprintf("Calls from Puppet to Ruby and back nest deeper than %d, in %s", maxDepth, name))
	}
	v, err := body(f)
	return v, f, err
}
