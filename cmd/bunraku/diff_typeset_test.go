package main

import (
	"strings"
	"testing"
)

// A type of a type set is found by the names around it, as Puppet 7.23 does, and what the set says of it is a cause.
func TestDiffTypeSets(t *testing.T) {
	const set = "type NAME = TypeSet[{ pcore_version => '1.0.0', version => '1.0.0', types => {\n" +
		"  Foo => Variant[Bar, String],\n  Bar => Integer[1, 10] } }]\n"
	for name, c := range map[string]struct{ file, set, expr, old, new string }{
		"by a file":          {"ts.pp", "M::Ts", "5 =~ M::Ts::Bar", "true", "false"},
		"of the module":      {"init_typeset.pp", "M", "5 =~ M::Bar", "true", "false"},
		"one of another":     {"ts.pp", "M::Ts", "5 =~ M::Ts::Foo", "true", "false"},
		"the set itself":     {"ts.pp", "M::Ts", "String(M::Ts) =~ /4/", "false", "true"},
		"the type as text":   {"ts.pp", "M::Ts", "\"${M::Ts::Bar}\"", "'M::Ts::Bar = Integer[1, 10]'", "'M::Ts::Bar = Integer[1, 4]'"},
		"the type of a hash": {"ts.pp", "M::Ts", "{ a => 5 } =~ Hash[String, M::Ts::Bar]", "true", "false"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newTree(t, 1, 0, map[string]string{"manifests/site.pp": "notify { 'a': message => " + c.expr + " }\n",
				"modules/m/types/" + c.file: strings.Replace(set, "NAME", c.set, 1)})
			s.edit("modules/m/types/"+c.file, "10", "4")
			code, out := s.diff("--from", "HEAD")
			if code != 2 || !strings.Contains(out, "from  modules/m/types/"+c.file+":3") ||
				!strings.Contains(out, c.old) || !strings.Contains(out, c.new) {
				t.Errorf("%d\n%s", code, out)
			}
		})
	}
}
