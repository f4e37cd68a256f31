package bridge_test

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"bunraku/puppet/bridge"
	"bunraku/puppet/ruby"
	"bunraku/source"
)

// onceFunctions are functions that leave state behind, or change what others are made of.
var onceFunctions = map[string]string{
	"count": `def count; @n = (@n || 0) + 1; end`,
	"late":  `dispatch(:late) { param 'Integer', :x; optional_param 'String', :y; return_type 'Integer' }; def late(x, y = 'a'); x + y.size; end`,
	"many":  `dispatch(:many) do repeated_param 'Any', :x end; def many(*x); (@seen ||= []).concat(x).map(&:to_s).join(','); end`,
	"scoped": `dispatch(:scoped) { optional_param 'String', :x }
  argument_mismatch(:wrong) { param 'Any', :x }
  def scoped(x = 'none'); closure_scope.class.name + x; end
  def wrong(x); "no #{x}"; end`,
	"klass": `def klass; self.class.instance_variable_set(:@k, (self.class.instance_variable_get(:@k) || 0) + 1); end`,
	"own":   `def own; self.class.send(:define_method, :own) { 'another' }; 'first'; end`,
	"alone": `def alone; define_singleton_method(:alone) { 'alone' }; 'first'; end`,
	"named": `def named; self.class.define_singleton_method(:name) { 'other' }; self.class.name; end`,
	"clear": `def clear; n = self.class.dispatches.size; self.class.dispatches.clear; n; end`,
	"types": `dispatch(:types) { param 'Any', :x }
  def types(x); d = self.class.dispatches[0]; d.types << 'more'; d.weaving.unshift(d.weaving[0]) if d.types.size == 3; d.types.size; end`,
	"invoke": `def invoke; Puppet::Functions::Dispatch.class_eval { def invoke(*) = 'patched' }; 1; end`,
	"builder": `def builder; Puppet::Functions::DispatcherBuilder.class_eval { def param(type, name) = raise(ArgumentError, "no #{name}") }
  1; end`,
	"mixed":    `def mixed; Puppet::Functions::Function.include(Module.new { def late(*) = 'mixed' }); Comparable.name; end`,
	"shadow":   `def shadow; Puppet::Pops::Loader::RubyFunctionInstantiator.const_set(:Puppet, 7); 1; end`,
	"strings":  `def strings; String.class_eval { def match?(*) = false }; 1; end`,
	"above":    `def above; Puppet::Functions::Function.class_eval { def helper = 'helped' }; helper; end`,
	"helps":    `def helps; respond_to?(:helper) ? helper : 'alone'; end`,
	"listless": `def listless; self.class.define_singleton_method(:dispatches) { [] }; 1; end`,
	"classy":   `def classy; define_singleton_method(:class) { Integer }; 1; end`,
	"classed":  `def classed; 1; end; def class; Integer; end`,
	"thrown":   `def thrown(*x); throw :next, x; end`,
	"ends":     `dispatch(:ends) { param 'Integer', :x }; def ends(x); return 'small' if x < 3; [x].each { |y| return y }; end`,
	"raises":   `def raises(x); raise Puppet::ParseError, "no #{x}"; end`,
	"calls":    `def calls(x); [call_function('m::late', x), call_function('m::count'), call_function('m::ends', 1)]; end`,
	"yields":   `dispatch(:yields) { param 'Any', :x; block_param }; def yields(x); [yield(x), yield(2)]; end`,
	"secret":   `def secret(x); x.unwrap + '!'; end`,
	"special":  `def special; self.class.dispatches[0].define_singleton_method(:invoke) { |*| 'special' }; 1; end`,
	"frozen":   `def frozen; self.class.freeze; freeze; 'cold'.frozen?; end`,
}

// onceCalls are what compiles call, one after the other.
var onceCalls = []string{
	"[m::count(), m::count()]", "[m::late(1), m::late(2, 'xy')]", "m::late('a')", "m::late(1, 2)", "[m::many(1, 'b'), m::many(2)]",
	"[m::scoped(), m::scoped('x')]", "m::scoped(3)", "[m::klass(), m::klass()]", "[m::own(), m::own()]", "[m::alone(), m::alone()]",
	"[m::named(), m::count()]", "[m::clear(), m::clear()]", "[m::types(1), m::types(1), m::types(1)]",
	"[m::invoke(), m::count(), m::late(1)]", "[m::late(1), m::builder(), m::late(2)]", "[m::builder(), m::late(2)]",
	"[m::mixed(), m::count(), m::late(1)]", "[m::shadow(), m::late(1)]", "[m::late(1), m::shadow(), m::count()]",
	"[m::strings(), m::late(1)]", "[m::helps(), m::above(), m::helps()]", "[m::above(), m::helps()]", "[m::helps()]",
	"[m::frozen(), m::frozen(), m::count()]", "m::missing()", "[m::plain(), m::plain()]", "[m::listed(), m::listed(), m::count()]",
	"[m::count(), m::listed(), m::count(), m::late(3)]", "m::wrongly()", "[m::needs(), m::needs(), m::late(2)]",
	"[m::listless(), m::listless()]", "[m::listless(), m::count()]", "[m::classy(), m::classy(), m::count()]", "m::classed()",
	"[m::thrown(), m::thrown(1), m::thrown(1, [2])]", "[m::ends(1), m::ends(7)]", "m::raises('x')", "[m::count(), m::raises(2)]",
	"m::calls(4)", "[m::calls(4), m::invoke(), m::count(), m::ends(1)]", "m::yields(3) |$x| { $x * 2 }", "m::many()",
	"[m::secret(Sensitive('pw')), m::late(1), m::secret(Sensitive('other'))]", "m::count(1)", "[m::clear(), m::count()]",
}

// onceFiles are whole files: some of them do more than say what a function is.
var onceFiles = map[string]string{
	"plain": "Puppet::Functions.create_function(:'m::plain', Puppet::Functions::InternalFunction) do\n" +
		"  dispatch :plain do\n    scope_param\n  end\n  def plain(scope) = scope.class.name\nend\n",
	"listed":  "LISTED = [1]\nPuppet::Functions.create_function(:'m::listed') do\n  def listed = LISTED << 2\nend\n",
	"wrongly": "Puppet::Functions.create_function(:'m::other') do\n  def other = 1\nend\n",
	"needs": "require 'digest/sha1'\nrequire 'm/helper'\nPuppet::Functions.create_function(:'m::needs') do\n" +
		"  def needs = Helper.next\nend\n",
}

// TestOnce compares compiles that share what was loaded once, and whose calls are made directly, with compiles whose
// files do something more: then each loads them, and the runtime makes the calls.
func TestOnce(t *testing.T) {
	site := func(before string) (w *testWorld, dir string) {
		dir = t.TempDir()
		lib := filepath.Join(dir, "modules/m/lib")
		write := func(path, text string) {
			t.Helper()
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		for name, body := range onceFunctions {
			write(filepath.Join(lib, "puppet/functions/m", name+".rb"),
				fmt.Sprintf("%s# m::%s\nPuppet::Functions.create_function(:'m::%s') do\n  %s\nend\n", before, name, name, body))
		}
		for name, text := range onceFiles {
			write(filepath.Join(lib, "puppet/functions/m", name+".rb"), before+text)
		}
		write(filepath.Join(lib, "m/helper.rb"), "class Helper\n  @@n = 0\n  def self.next = @@n += 1\nend\n")
		return openOwn(t, dir), dir
	}
	runtime := sync.OnceValue(ruby.NewRuntime)
	with := func(before string) func(string) string {
		w, dir := site(before)
		files := source.NewDir(source.DirOptions{Roots: []string{dir}})
		library, asked := bridge.NewLibrary(runtime), map[string]bool{}
		w.fresh = func() *bridge.Bridge {
			limits := ruby.DefaultLimits()
			limits.State = &ruby.Globals{}
			return bridge.NewOwn(w.options, bridge.Own{Library: library, Files: files, Limits: limits,
				Asked: func(path string, _ bool) { asked[strings.TrimPrefix(path, dir)] = true }})
		}
		return func(expr string) string {
			clear(asked)
			answer := strings.ReplaceAll(w.ask(expr), dir, "")
			return fmt.Sprint(answer, " ", slices.Sorted(maps.Keys(asked)))
		}
	}
	// Neither side makes this one directly.
	if got := with("")("[m::special(), m::special()]"); !strings.HasPrefix(got, `[1, "special"] `) {
		t.Errorf("a signature with a method of its own: %s", got)
	}
	once, each, n := with(""), with("Object.new.define_singleton_method(:alone) { nil }\n"), len(onceCalls)
	for round := range 3 {
		for k := range n {
			call := onceCalls[k]
			if round == 1 { // another order
				call = onceCalls[n-1-k]
			}
			if got, want := once(call), each(call); got != want {
				t.Errorf("%s\n%s\nloaded by each compile\n%s", call, got, want)
			}
		}
	}
}
