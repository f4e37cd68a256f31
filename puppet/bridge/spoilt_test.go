package bridge_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestSpoilt calls functions after one that could not be run to its end. What may see what that one would have left
// behind is not known; whatever has no name in common with it is.
func TestSpoilt(t *testing.T) {
	dir := t.TempDir()
	write := func(path, text string) {
		path = filepath.Join(dir, "modules/m", path)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "environment.conf"), []byte("modulepath = modules\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	write("lib/puppet_x/m/store.rb", `
module PuppetX
  module M
    class Store
      @all = { 'k' => 0 }
      def self.all = @all
    end
  end
end
`)
	write("lib/puppet_x/m/link.rb", "require_relative 'store'\nmodule PuppetX; module M; class Link\n"+
		"def self.size = Store.all.size\nend; end; end\n")
	write("lib/puppet_x/m/other.rb", "module PuppetX; module M; class Other\ndef self.one = 1\nend; end; end\n")
	const require = "require_relative '../../../puppet_x/m/"
	for name, c := range map[string]struct{ library, body string }{
		"keeps":     {"store", "PuppetX::M::Store.all['k'] = 1"},
		"clock":     {"store", "t = Time.now.to_i; PuppetX::M::Store.all[t] = t"},
		"sees":      {"store", "PuppetX::M::Store.all.size"},
		"via":       {"link", "PuppetX::M::Link.size"},
		"other":     {"other", "PuppetX::M::Other.one"},
		"alone":     {"", "[1, 2].map { |x| x * 2 }.sum"},
		"late":      {"", "Time.now; 1"},
		"own":       {"", "@n = 1; Time.now if given == 'now'; @n"},
		"global":    {"", "Time.now; $m_state = 1"},
		"calls":     {"", "Time.now; call_function('m::keeps')"},
		"callsany":  {"", "Time.now; call_function(given)"},
		"callsfar":  {"", "Time.now; call_function('lookup', 'k')"},
		"yields":    {"", "Time.now; yield"},
		"dynamic":   {"", "Time.now; Object.const_get('PuppetX')"},
		"sends":     {"", "Time.now; send(given)"},
		"requires":  {"", "Time.now; " + require + "store'"},
		"reopens":   {"", "Time.now; String.class_eval { def m = 1 }"},
		"looks":     {"", "Object.const_get('PuppetX').const_get('M').const_get('Store').all.size"},
		"asks":      {"", "call_function('m::sees')"},
		"asksother": {"", "call_function('m::other')"},
	} {
		top := ""
		if c.library != "" {
			top = require + c.library + "'\n"
		}
		if name == "yields" {
			top += "Puppet::Functions.create_function(:'m::yields') do\n  dispatch :yields do\n    block_param\n  end\n"
		} else {
			top += "Puppet::Functions.create_function(:'m::" + name + "') do\n"
		}
		write("lib/puppet/functions/m/"+name+".rb", top+"  def "+name+"(given = nil)\n    "+c.body+"\n  end\nend\n")
	}
	write("lib/puppet/parser/functions/m_sets.rb", "module Puppet::Parser::Functions\n"+
		"newfunction(:m_sets, type: :rvalue) { |args| Time.now; @m_shared = 1 }\nend\n")
	write("lib/puppet/parser/functions/m_gets.rb", "module Puppet::Parser::Functions\n"+
		"newfunction(:m_gets, type: :rvalue) { |args| @m_shared.nil? }\nend\n")
	write("lib/puppet/parser/functions/m_free.rb", "module Puppet::Parser::Functions\n"+
		"newfunction(:m_free, type: :rvalue) { |args| 7 }\nend\n")

	w := openOwn(t, dir)
	known := func(s string) bool { return !strings.Contains(s, "Opaque(") }
	for _, c := range []struct {
		ended, then string
		sees        bool // what ended may have changed what the other one gives
	}{
		{"m::clock()", "m::sees()", true},
		{"m::clock()", "m::via()", true},
		{"m::clock()", "m::looks()", true},
		{"m::clock()", "m::asks()", true},
		{"m::clock()", "m::clock()", true},
		{"m::clock()", "m::other()", false},
		{"m::clock()", "m::alone()", false},
		{"m::clock()", "m::asksother()", false},
		{"m::late()", "m::sees()", false},
		{"m::late()", "m::via()", false},
		{"m::own('now')", "m::own('then')", true},
		{"m::own('now')", "m::sees()", false},
		{"m::global()", "m::alone()", true},
		{"m::calls()", "m::alone()", false},
		{"m::calls()", "m::sees()", true}, // by what it would have called
		{"m::calls()", "m::via()", true},
		{"m::callsany('m::keeps')", "m::alone()", true},
		{"m::callsfar()", "m::alone()", true},
		{"m::yields() || { 1 }", "m::alone()", false},
		{"m::yields() || { m::keeps() }", "m::alone()", true},
		{"m::dynamic()", "m::other()", true},
		{"m::sends('x')", "m::other()", true},
		{"m::requires()", "m::sees()", true},
		{"m::reopens()", "m::alone()", true},
		{"m_sets()", "m_gets()", true},
		{"m_sets()", "m_free()", false},
		{"m::clock()", "m_free()", false},
	} {
		// Something outlives a call, so that it matters. What a function gives that was called before is the same later.
		got := w.ask("[m::keeps(), " + c.then + ", " + c.ended + "]")
		if strings.Count(got, "Opaque(") == 0 {
			t.Errorf("%s is known: %s", c.ended, got)
		}
		got = w.ask("[[m::keeps(), " + c.ended + "].size, " + c.then + "][1]")
		if known(got) == c.sees {
			t.Errorf("%s after %s gives %s", c.then, c.ended, got)
		}
	}
}
