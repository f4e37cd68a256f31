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

// seedSteps are changes that are made one by one: what was found out before about the classes of a seed is looked at
// again after each. They reach what an interpreter shares with others by every way that there is.
var seedSteps = []string{
	"class Base; def twice = 'two'; end",
	"class Base; def to_s = 'based'; end",
	"class Object; def added = 'for all'; end",
	"module Kernel; def added = 'by Kernel'; end",
	"module M::Shout; def value = 'shouted'; end",
	"module Quiet; def shout = 'hush'; end; class Below; prepend Quiet; end",
	"module Mixed; def twice = 'mixed'; def added = 'mixed'; end; class Below; include Mixed; end",
	"module Mixed; def added = 'mixed'; end; M::Shout.include(Mixed); class Below; include M::Shout; end",
	"class Below; undef shout; end",
	"class Below; undef_method :twice; end",
	"class Base; remove_method :twice; end",
	"class Below; alias_method :twice, :calls; end; Below.new(1).twice",
	"class Below; alias shout to_s; end",
	"def Base.total = 'ours'",
	"def Below.total = 'below'",
	"class << Base; def total = 'ours'; attr_accessor :more; end; Base.more = 3",
	"module Extra; def total = 'extra'; end; Below.extend(Extra)",
	"module Extra; def count = 'extra'; end; Base.extend(Extra); M.extend(Extra)",
	"class Module; def total = 'of all'; end; class Class; def fresh = 1; end",
	"Base.define_method(:calls) { 'defined' }",
	"Base.define_singleton_method(:total) { 'defined' }",
	"3.times { Base.new(1).calls }",
	"m = Base.instance_method(:calls); Below.define_method(:twice, m); Below.new(1).twice",
	"M::LIST << M::LIST",
	"M::LIST.freeze; M::TABLE.freeze; SHARED.value.freeze; SHARED.value[0].freeze",
	"M::TABLE.delete('a'); M::TABLE.default = 7",
	"M::TABLE.each_value { |v| v << 'more' rescue nil }",
	"M::Pair.define_method(:to_a) { ['pair'] }",
	"M.constants << :Other; M.constants.clear; M.constants.sort!",
	"M::Pair.members << :other; M::Pair.members.clear",
	"Below.ancestors.clear; Base.instance_methods(false).clear",
	"M.send(:remove_const, :LIST) rescue M.const_set(:LIST, [0])",
	"M.const_set(:NEW, [1])",
	"M.class_variable_set(:@@count, 9)",
	"module M; @@count = [1]; @@other = 1; end",
	"M.instance_variable_set(:@kept, nil)",
	"M.kept << M.kept; M.kept.pop; M.kept.unshift(1)",
	"SHARED.value = 'other'",
	"SHARED.instance_variable_set(:@value, [+'z'])",
	"SHARED.define_singleton_method(:only) { 'alone' }",
	"class << SHARED; def more = 'alone'; def secret = 'told'; end",
	"COPY = SHARED; COPY.value << 2",
	"SHARED.value[0].replace('changed'); s = SHARED.value[0]; s.define_singleton_method(:upcase) { 'mine' }",
	"l = M::LIST; l.define_singleton_method(:inspect) { 'mine' }",
	"M::LIST.extend(Module.new { def to_s = 'mine' })",
	"SHARED = 1",
	"class Fresh < Below; def twice = super + ['fresh']; def self.total = super.to_s + 'fresh'; end; SEEN = [Fresh.new(1).twice, Fresh.total]",
	"Psych::VERSION << 'x' rescue nil; RUBY_VERSION << 'x' rescue nil",
	"X = RUBY_VERSION; Y = M::LIST; Y << 1",
	"class String; def upcase = 'mine'; def ==(other) = true; end",
	"class Integer; def +(other) = 42; end",
	"class Array; def size = 42; end",
	"begin; M::LIST << 1; raise 'over'; rescue; M::LIST << 2; ensure; M::LIST << 3; end",
	"Encoding::UTF_8.instance_variable_set(:@name, 'other')",
	"Encoding::UTF_8.define_singleton_method(:to_s) { 'mine' }",
	"catch(:out) { M.add(1); throw :out }",
}

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

// TestSeedSteps makes one change after the other in an interpreter from a seed and in one that ran the code itself.
// Before and behind each, both say the same, and what comes of the seed afterwards knows nothing of it.
func TestSeedSteps(t *testing.T) {
	rt := NewRuntime()
	run := func(in *Interp, code string) (text string) {
		t.Helper()
		prog, errs := Parse(source.NewFile("t", code))
		if len(errs) > 0 {
			t.Fatal(errs, code)
		}
		end := in.Protect(func() { text = in.ToS(in.RunIn(prog, in.Main(), nil)) })
		switch {
		case end == nil:
		case end.Exception != nil:
			text = end.Exception.Class() + ": " + in.Message(end.Exception)
		default:
			text = end.Error.Error()
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
	const shows = `[(SHARED.to_s rescue 'none'), (Below.new(2).twice rescue 'none'), (Below.new(2).shout rescue 'none'),
  (M.fresh rescue 'none'), (Base.total rescue 'none'), (Below.total rescue 'none'), (M.total rescue 'none'),
  (Base.new(1).calls rescue 'none'), Below.ancestors.size, M::LIST.to_s, M::LIST.frozen?, M::TABLE.frozen?, M::TABLE[:none], (Base.more rescue 'none'), Psych::VERSION, RUBY_VERSION,
  Encoding::UTF_8.to_s, 'a'.upcase, 'a' == 'b', 1 + 1, [1].size, defined?(COPY), defined?(X), defined?(SEEN) && SEEN].inspect`
	both := func(in *Interp) string { return run(in, seedShows) + "\n" + run(in, shows) }
	want := both(begun())
	same := func(t *testing.T, step string, in, fresh *Interp) {
		t.Helper()
		got, afresh := run(in, step), run(fresh, step)
		got, afresh = got+"\n"+both(in), afresh+"\n"+both(fresh)
		if got != afresh {
			t.Errorf("after %s\n%s\nbegun afresh\n%s", step, got, afresh)
		}
	}
	t.Run("each", func(t *testing.T) {
		for _, step := range seedSteps {
			t.Run("", func(t *testing.T) {
				t.Parallel() // interpreters that come from one seed share it
				in, fresh := seed.New(DefaultLimits()), begun()
				if got := both(in); got != want || both(fresh) != want {
					t.Fatalf("before %s\n%s\nbegun afresh\n%s", step, got, want)
				}
				same(t, step, in, fresh)
				same(t, step, seed.New(DefaultLimits()), begun()) // nothing was looked at before
			})
		}
	})
	all, afresh := seed.New(DefaultLimits()), begun()
	for _, step := range seedSteps {
		same(t, step, all, afresh)
	}
	if got := both(seed.New(DefaultLimits())); got != want {
		t.Errorf("changed by others\n%s\nbefore\n%s", got, want)
	}
}
