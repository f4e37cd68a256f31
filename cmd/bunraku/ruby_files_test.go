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

// An attribute in which several values are not known is one attribute, and each value is told with those that it is in.
func TestUnknownAttributes(t *testing.T) {
	for _, c := range []struct {
		code, want string
		not        string
	}{
		{"notify { 'x': message => {a => m::f(1), b => m::f(2)} }", "2 values are not known, in 1 attribute", ""},
		{"notify { 'x': message => m::f(1) }", "1 value is not known, in 1 attribute", ""},
		{"$v = m::f(1)\nnotify { 'x': message => [$v, $v] }\nnotify { 'y': message => $v, withpath => true }",
			"1 value is not known, in 2 attributes", ""},
		{"notify { 'x': message => \"${m::f(1)} ${m::f(2)}\" }", "2 values are not known, in 1 attribute", "in 0 attributes"},
	} {
		s := &repository{t, t.TempDir()}
		s.put("modules/m/lib/puppet/functions/m/f.rb",
			"Puppet::Functions.create_function(:'m::f') do\n  def f(a)\n    `hostname`\n  end\nend\n")
		s.put("manifests/site.pp", c.code+"\n")
		_, _, errs := call("compile", s.dir, "--node", "n.example")
		if !strings.Contains(errs, c.want+" of the catalog") || c.not != "" && strings.Contains(errs, c.not) {
			t.Errorf("%s: want %q\n%s", c.code, c.want, errs)
		}
	}
}

// A level of Hiera whose file hangs on what is not known may have anything: that is said, and no node is fine.
func TestUnknownLevel(t *testing.T) {
	for _, level := range []string{`path: "role/%{site_role}.yaml"`, `paths: ["a.yaml", "role/%{site_role}.yaml"]`,
		`glob: "role/%{site_role}/*.yaml"`, `mapped_paths: [site_role, r, "role/%{r}.yaml"]`} {
		s := &repository{t, t.TempDir()}
		s.put("modules/m/lib/puppet/functions/m/f.rb",
			"Puppet::Functions.create_function(:'m::f') do\n  def f(a)\n    `hostname`\n  end\nend\n")
		s.put("hiera.yaml", "version: 5\nhierarchy:\n  - name: role\n    "+level+"\n  - {name: common, path: common.yaml}\n")
		s.put("data/common.yaml", "port: none\n")
		s.put("facts/n.json", strings.Replace(facts12, "NAME", "n", 1))
		s.put("manifests/site.pp", "$site_role = m::f('x')\nnode 'n' { notify { 'q': message => lookup('port') } }\n")
		_, out, errs := call("check", s.dir)
		if !strings.Contains(errs, "warning[E0701]: What Hiera reads for role/") || strings.Contains(out, "fine") {
			t.Errorf("%s:\n%s%s", level, out, errs)
		}
	}
}

// What Puppet makes of a data type that a module has in Ruby is not known; it is not that there is none.
func TestRubyDataTypes(t *testing.T) {
	s := &repository{t, t.TempDir()}
	s.put("modules/m/lib/puppet/datatypes/pair.rb", `Puppet::DataTypes.create_type('Pair') do
  interface <<-PUPPET
    attributes => { name => String, n => { type => Integer, value => 3 } }
  PUPPET
end
`)
	s.put("modules/m/types/maybe.pp", "type M::Maybe = Optional[Pair]\n")
	for _, c := range []string{"Pair('x').name", "Pair('x')", "Pair('x').n + 1", "String(Pair('x'))", "'x' =~ Pair",
		"'x' =~ M::Maybe", "String(Pair)", "Pair.new('x') =~ Pair", "'x' ? { Pair => 1, default => 2 }", "m::is('x')"} {
		s.put("manifests/site.pp", "function m::is(Pair $x) { $x }\nnotify { 'x': message => "+c+" }\n")
		code, out, errs := call("compile", s.dir, "--node", "n.example")
		known := c == "m::is('x')" // if it is one, it is given back
		if code == 1 || !strings.Contains(out, `"title": "x"`) || !known && !strings.Contains(out, "Bunraku::Opaque") {
			t.Errorf("%s: %d\n%s", c, code, errs)
		}
	}
	s.put("manifests/site.pp", "notify { 'x': message => 'x' =~ Pairs }\n")
	if code, _, errs := call("compile", s.dir, "--node", "n.example"); code != 1 ||
		!strings.Contains(errs, "Resource type not found: Pairs") {
		t.Errorf("%d\n%s", code, errs)
	}
}
