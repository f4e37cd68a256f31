package compiler_test

import (
	"context"
	"testing"

	"bunraku/puppet/compiler"
	"bunraku/puppet/facts"
	"bunraku/source"
)

// A function in Ruby that rescues is called several times in a compile with provenance: what one call has read is not
// what the next one has.
func TestRescueInSeveralCalls(t *testing.T) {
	files := source.NewMemory([]string{"/e"}, map[string]string{
		"/e/environment.conf": "",
		"/e/manifests/site.pp": "notify { 'a': message => String(m::f(['x', 'y', '1', 'z', 'w'])) }\n" +
			"notify { 'b': message => String(m::f(['x'])) }\nnotify { 'c': message => String(m::f([])) }\n",
		"/e/modules/m/lib/puppet/functions/m/f.rb": `Puppet::Functions.create_function(:'m::f') do
  dispatch :f do
    param 'Array', :list
  end
  def number(x)
    Integer(x)
  rescue ArgumentError
    x.upcase
  end
  def f(list)
    list.map { |x| number(x) }
  end
end
`}, nil)
	ws := compiler.NewWorkspace("/e", compiler.Options{Trace: true})
	c, err := ws.Snapshot(context.Background(), files)
	if err != nil {
		t.Fatal(err)
	}
	res, err := c.Compile(context.Background(), compiler.Node{Name: "n", Facts: &facts.Facts{Name: "n"}})
	if err != nil || res.Failure != nil {
		t.Fatal(err, res.Failure)
	}
}
