package ruby

import (
	"testing"

	"bunraku/source"
)

// seedBegins is what every interpreter runs, with state of each kind.
const seedBegins = `
module M
  LIST = [1, [2, +'text']]
  TABLE = { 'a' => +'x', b: [1] }
  RANGE = (1..3)
  Pair = Struct.new(:left, :right)
  @kept = []
  @@count = 0
  class << self
    attr_reader :kept
    def count = @@count
    def add(x)
      @@count += 1
      @kept << x
    end
  end
  module Shout
    def shout = to_s.upcase
  end
end
class Base
  attr_accessor :value
  def initialize(v) = @value = v
  def twice = [value, value]
  private
  def secret = 1
end
class Below < Base
  include M::Shout
  def to_s = "below #{value}"
end
SHARED = Below.new([+'deep'])
def SHARED.only = value.size
SHARED.extend(Module.new { def more = 'more' })
calls = 0
Base.define_method(:calls) { calls += 1 }
Base.define_singleton_method(:total) { calls }
class String
  def yelled = upcase + '!'
end
`

// seedShows shows all of that state.
const seedShows = `[M::LIST, M::TABLE, M::RANGE.to_a, M.kept, M.count, M::Pair.new(1, 2).to_a, M::Pair.members, SHARED.value,
  SHARED.only, SHARED.more, SHARED.shout, Base.new(3).twice, Base.total, 'a'.yelled, M.constants, Below.ancestors.first(3),
  (SHARED.secret rescue 'private'), defined?(Added), (Base.new(1).added rescue 'none'),
  M::TABLE.key?(:new), (SHARED.whisper rescue 'none')].inspect`

// seedChanges changes all of it.
const seedChanges = `M::LIST << 3; M::LIST[1][1] << 'er'; M::TABLE['a'] << 'y'; M::TABLE[:new] = 1; M.add(5); SHARED.value[0] << 'er'
SHARED.value << 1; SHARED.calls; Base.new(1).calls; Added = 1
class Base; def added = 'added'; public; def secret = 2; undef twice; def twice = 'changed'; end
class String; def yelled = 'changed'; end
module M; LATER = 1; module Shout; def whisper = 1; def shout = 'changed'; end; end
class Below; include Comparable; end
def SHARED.only = 'changed'
SHARED.extend(Module.new { def more = 'changed' })`

// TestSeed compares interpreters that begin from a seed with one that ran the same code itself, while others change all
// that can be changed.
func TestSeed(t *testing.T) {
	rt := NewRuntime()
	run := func(in *Interp, code string) string {
		t.Helper()
		prog, errs := Parse(source.NewFile("t", code))
		if len(errs) > 0 {
			t.Fatal(errs)
		}
		text := ""
		if end := in.Protect(func() { text = in.ToS(in.RunIn(prog, in.Main(), nil)) }); end != nil {
			why := "a jump"
			switch {
			case end.Exception != nil:
				why = in.Message(end.Exception)
			case end.Error != nil:
				why = end.Error.Error()
			}
			t.Fatalf("%s\n%s", why, code)
		}
		return text
	}
	begun := func() *Interp {
		in := rt.New(DefaultLimits())
		run(in, seedBegins)
		return in
	}
	seed, err := begun().Seed()
	if err != nil {
		t.Fatal(err)
	}
	fresh := begun()
	before := run(fresh, seedShows)
	run(fresh, seedChanges)
	after := run(fresh, seedShows)
	if before == after {
		t.Fatal("nothing was changed")
	}
	idle := seed.New(DefaultLimits())
	for range 3 {
		in := seed.New(DefaultLimits())
		if got := run(in, seedShows); got != before {
			t.Errorf("from a seed\n%s\nbegun afresh\n%s", got, before)
		}
		run(in, seedChanges)
		if got := run(in, seedShows); got != after {
			t.Errorf("changed, from a seed\n%s\nbegun afresh\n%s", got, after)
		}
	}
	if got := run(idle, seedShows); got != before {
		t.Errorf("changed by others\n%s\nbefore\n%s", got, before)
	}
	global := rt.New(DefaultLimits())
	run(global, "$x = 1")
	if _, err := global.Seed(); err == nil {
		t.Error("a seed with global variables")
	}
}
