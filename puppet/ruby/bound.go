package ruby

import (
	"fmt"

	"bunraku/budget"
)

// What a stranger's Ruby may cost.
//
// A step is a node evaluated, an element walked, or some hundred bytes looked at: whoever adds a built-in charges for
// what it walks, so that steps are proportional to work. All Ruby of one compile counts on the budget of that compile
// (Limits.Budget), since a bound for each run would be multiplied by the number of runs; a host that keeps a program
// and asks it many small questions bounds each of them besides (Limits.Steps). The end of the budget unwinds to whoever
// made it, through this package: nothing here recovers it, and no ensure part runs on the way.
//
// Memory is what the interpreters that are alive have allocated: what Ruby would have collected in the meantime counts
// too, which keeps the count the same everywhere. Templates that render templates share it (Limits.Memory is an
// Account).
//
// Depth is the number of calls within calls and of containers within containers that our own stack has to bear.

// Limits bound a run.
type Limits struct {
	Steps  int            // of this interpreter since it was made or refilled; 0: only the budget bounds them
	Depth  int            // calls within calls
	Size   int            // bytes of one string, slots of one array times 16
	Memory int            // bytes allocated by this interpreter, and by all that share its account
	Budget *budget.Budget // of the compile; nil: none
	Shared *Account       // of the compile; nil: the interpreter has one of its own
	State  *Globals       // likewise

	OlderYAML bool // to_yaml writes as in puppetserver 7 (psych.Older)
}

// An Account counts the memory of interpreters that are alive at the same time. It also has room for what they make
// many of, so that it need not come in many small pieces; one goroutine at a time may use them.
type Account struct {
	bytes   int
	slots   []Object // for frames and lists of arguments
	frames  []frame
	strings []String
	framed  int // for how many frames there was room the last time
	written int // likewise, for strings
}

// list is an empty list with room for n.
func (a *Account) list(n int) []Object {
	if n > len(a.slots) {
		a.slots = make([]Object, max(n, 32))
	}
	l := a.slots[:0:n]
	a.slots = a.slots[n:]
	return l
}

func (a *Account) frame() *frame {
	if len(a.frames) == 0 {
		a.frames = make([]frame, more(&a.framed))
	}
	f := &a.frames[0]
	a.frames = a.frames[1:]
	return f
}

func (a *Account) text() *String {
	if len(a.strings) == 0 {
		a.strings = make([]String, more(&a.written))
	}
	s := &a.strings[0]
	a.strings = a.strings[1:]
	return s
}

// more is for how many there is to be room next: most programs need few, and some many.
func more(last *int) int {
	*last = min(max(2, 2**last), 32)
	return *last
}

// DefaultLimits are generous for templates: the longest of Debian's takes some thousand steps.
func DefaultLimits() Limits {
	return Limits{Steps: 5_000_000, Depth: 1000, Size: 16 << 20, Memory: 512 << 20}
}

// stepsInOne are the steps of Ruby that count as one of the compile's. They are smaller, and real nodes take many: one
// hashes the passwords of 225 users with a thousand rounds of MD5 each, in Ruby, in eighteen million steps.
const stepsInOne = 3

// window is how many steps are counted here before the budget is told of them.
const window = 256

// A meter counts what one interpreter has used.
type meter struct {
	steps int // left of the window
	given int // the size of the window
	spent int // in windows before this one
	bytes int // on the account
	depth int
}

func (in *Interp) step() {
	if in.used.steps--; in.used.steps < 0 {
		in.spend()
	}
}

// charge counts n small steps that a built-in makes.
func (in *Interp) charge(n int) {
	if n < 0 {
		n = 1 << 40 // it was too large to count
	}
	if in.used.steps -= n; in.used.steps < 0 {
		in.spend()
	}
}

// chargeUnwinding counts what it costs to leave the calls that a raise or a jump leaves.
func (in *Interp) chargeUnwinding() { in.charge(20 + in.used.depth) }

// spend tells the budget of the window that is used up and opens the next one.
func (in *Interp) spend() {
	n := in.used.given - in.used.steps
	in.used.spent += n
	in.used.steps, in.used.given = 0, 0
	in.limits.Budget.Spend((int64(n)+stepsInOne-1)/stepsInOne, "Ruby")
	next := window
	if most := in.limits.Steps; most > 0 {
		if in.used.spent > most {
			panic(&limitHit{fmt.Sprintf("it took more than %d steps", most)})
		}
		next = min(next, most-in.used.spent)
	}
	in.used.steps, in.used.given = next, next
}

// settle tells the budget of what was used of the window, when a run is over.
func (in *Interp) settle() {
	if n := in.used.given - in.used.steps; n > 0 {
		in.used.spent += n
		in.used.given = in.used.steps
		in.limits.Budget.Spend((int64(n)+stepsInOne-1)/stepsInOne, "Ruby")
	}
}

// room makes sure that n more bytes may be allocated.
func (in *Interp) room(n int) {
	if n > in.limits.Size || n < 0 {
		panic(&limitHit{fmt.Sprintf("one value would be larger than %d bytes", in.limits.Size)})
	}
	in.used.bytes += n
	if in.account.bytes += n; in.account.bytes > in.limits.Memory {
		panic(&limitHit{fmt.Sprintf("it allocated more than %d bytes", in.limits.Memory)})
	}
	in.charge(n >> 8)
}

// weigh charges for a built-in method by the size of what it is given, so that none of them can look at much for one
// step. What a method makes, and the blocks that it calls, are charged by themselves.
func (in *Interp) weigh(name string, recv Object, args []Object) {
	in.weighOne(name, recv)
	for _, a := range args {
		in.weighOne(name, a)
	}
	if x, ok := recv.(*Big); ok && name == "pow" && len(args) > 0 {
		if e, ok := args[0].(*Big); ok {
			in.charge(e.n.BitLen() * (1 + x.weight()))
		}
	}
}

func (in *Interp) weighOne(name string, o Object) {
	switch o := o.(type) {
	case *String:
		if n := o.len(); n > 128 && !atOnce[name] {
			in.charge(n >> 7)
		}
	case *Array:
		if len(o.e) > 16 && !atOnce[name] {
			in.charge(len(o.e) >> 2)
		}
	case *Hash:
		if o.live > 16 && !atOnce[name] {
			in.charge(o.live >> 1)
		}
	case *Set:
		if o.h.live > 16 && !atOnce[name] {
			in.charge(o.h.live >> 1)
		}
	case *Big:
		in.charge(o.weight())
	}
}

// weight is about what multiplying the number by itself costs, or writing it down.
func (b *Big) weight() int {
	words := b.n.BitLen() >> 6
	return words * words >> 6
}

// atOnce are the methods that take the same time whatever the size of their receiver, and the blocks of which cost more
// than the walk. Some of them are slow for one kind of receiver; that kind charges for it.
var atOnce = map[string]bool{
	"[]": true, "[]=": true, "<<": true, "push": true, "append": true, "pop": true, "at": true, "fetch": true,
	"store": true, "dig": true,
	"key?": true, "has_key?": true, "bytesize": true, "empty?": true, "nil?": true, "is_a?": true, "kind_of?": true,
	"class": true, "respond_to?": true, "frozen?": true, "freeze": true, "itself": true, "object_id": true, "equal?": true,
	"instance_of?": true, "block_given?": true, "raise": true, "add": true, "to_str": true, "to_ary": true,
	"to_hash": true, "!": true,
	"each": true, "each_pair": true, "map": true, "puts": true, "lambda": true, "proc": true, "call": true,
	"default": true,
}

// enter goes one level deeper on our own stack; leave comes back.
func (in *Interp) enter() {
	if in.used.depth++; in.used.depth > in.limits.Depth {
		panic(&limitHit{fmt.Sprintf("calls nest deeper than %d", in.limits.Depth)})
	}
	in.limits.Budget.Enter("Ruby")
}

func (in *Interp) leave() {
	in.used.depth--
	in.limits.Budget.Leave()
}

// unwind comes back to a depth, after something was thrown.
func (in *Interp) unwind(depth int) {
	for in.used.depth > depth {
		in.leave()
	}
}

// release gives back the memory of an interpreter that is done.
func (in *Interp) release() {
	in.account.bytes -= in.used.bytes
	in.used.bytes = 0
}

// Refill gives the interpreter its limits anew: each question that a host asks of a program it keeps is bounded by
// itself.
func (in *Interp) Refill() {
	in.settle()
	in.unwind(0)
	in.release()
	in.used.spent = 0
}

// Grant allows some more steps, for work that is the host's.
func (in *Interp) Grant(steps int) { in.used.spent -= steps }

// Charge counts steps that the host makes in the place of a program.
func (in *Interp) Charge(steps int) { in.charge(steps) }

// hard reports whether a panic must reach the host without any code of the program running on the way: a bound was hit,
// or the work was given up.
func hard(r any) bool {
	switch r.(type) {
	case *limitHit, *budget.Exceeded, *budget.Aborted:
		return true
	}
	return false
}
