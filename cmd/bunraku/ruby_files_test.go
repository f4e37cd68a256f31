package main

import (
	"strings"
	"testing"
)

// A call of a function whose file does not parse ends the compile, as in Puppet: with Ruby's file and line, and without
// the place of the call. Ruby that we do not support is another matter: what it gives is not known.
func TestRubyFunctionThatDoesNotParse(t *testing.T) {
	s := &repository{t, t.TempDir()}
	functions := "modules/m/lib/puppet/functions/m/"
	s.put(functions+"broken.rb", "Puppet::Functions.create_function(:'m::broken') do\n  def broken(a\n    a\n  end\nend\n")
	s.put("modules/m/lib/puppet/parser/functions/older.rb", "module Puppet::Parser::Functions\n"+
		"  newfunction(:older, :type => :rvalue) do |args|\n    args[0 +\n  end\nend\n")
	s.put(functions+"single.rb", "Puppet::Functions.create_function(:'m::single') do\n  def single(a)\n"+
		"    def a.b\n      1\n    end\n    a.b\n  end\nend\n")
	s.put(functions+"forward.rb", "Puppet::Functions.create_function(:'m::forward') do\n  def forward(...)\n"+
		"    [].push(...)\n  end\nend\n")
	for _, c := range []struct{ code, want string }{
		{"notice(m::broken('x'))", "/broken.rb:3: syntax error, unexpected"},
		{"notice(older('x'))", "/older.rb:4: syntax error, unexpected"},
		{"notice(m::broken('x')) notice(nowhere())", "/broken.rb:3: syntax error, unexpected"},
		{"if false { notice(m::broken('x')) }", ""},
		{"notify { 'x': message => m::single('x') }", "E0703"},
		{"notify { 'x': message => m::forward('x') }", "E0703"},
	} {
		s.put("manifests/site.pp", c.code+"\n")
		code, _, errs := call("compile", s.dir, "--node", "n.example")
		failed := strings.Contains(c.want, "syntax")
		if (code == 1) != failed || !strings.Contains(errs, c.want) || failed && strings.Contains(errs, "Evaluation Error") {
			t.Errorf("%s: %d\n%s", c.code, code, errs)
		}
	}
}
