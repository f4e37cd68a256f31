package resource

import (
	"fmt"
	"testing"
)

func TestReadRuby(t *testing.T) {
	typ := ReadRuby("thing", `
Puppet::Type.newtype(:thing) do
  ensurable
  newparam(:path, :namevar => true) do
    desc 'x'
  end
  newproperty(:size) do
  end
  newparam :mode
end`)
	if got, want := fmt.Sprint(typ.Namevars, typ.Properties, typ.Params, typ.Ensurable, typ.Open, typ.Isomorphic), "[path] [{size []}] [{path []} {mode []}] true true true"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	typ = ReadRuby("other", "newparam(:id) do\n  isnamevar\nend\n")
	if fmt.Sprint(typ.Namevars) != "[id]" {
		t.Errorf("namevars %v", typ.Namevars)
	}
	if typ = ReadRuby("bare", "newproperty(:x)\n"); fmt.Sprint(typ.Namevars) != "[name]" {
		t.Errorf("namevars %v", typ.Namevars)
	}
}
