package eval_test

import (
	"strings"
	"testing"

	"bunraku/puppet/catalog"
	"bunraku/puppet/eval"
	"bunraku/puppet/syntax"
	"bunraku/puppet/value"
	"bunraku/source"
)

// What a Ruby function would give is opaque; what is made of it is opaque too, and nothing is decided by it in silence.
func TestOpaque(t *testing.T) {
	w := newMapWorld(source.Puppet8)
	w.functions["ruby"] = &eval.Function{Name: "ruby", Raw: func(*eval.Call) (value.Value, error) { return &value.Opaque{Why: "not run"}, nil }}
	text := `$o = ruby()
notify { 'text': message => "a${o}b" }
notify { 'sum': message => $o + 1 }
notify { 'access': message => $o['x'] }
notify { 'call': message => upcase($o) }
notify { 'list': message => [1, $o] }
notify { 'not': message => !$o }
notify { $o: }
if $o { notify { 'then': } } else { notify { 'else': } }
case $o { 'x': { notify { 'x': } } default: { notify { 'default': } } }
include $o
`
	tree, ds := syntax.Parse(source.NewFile("o.pp", text), syntax.Options{})
	if ds.HasErrors() {
		t.Fatal(ds[0])
	}
	res := eval.Compile(w, eval.Input{Node: "n", Environment: "production", Main: []*syntax.File{tree}, Settings: eval.Language(8)})
	if res.Failure != nil {
		t.Fatal(res.Failure)
	}
	for _, title := range []string{"text", "sum", "access", "call", "not"} {
		if _, ok := res.Catalog.Resource("Notify", title).Get("message").(*value.Opaque); !ok {
			t.Errorf("%s is %v", title, res.Catalog.Resource("Notify", title).Get("message"))
		}
	}
	json, err := catalog.JSON{}.AppendValue(nil, res.Catalog.Resource("Notify", "list").Get("message"))
	if err != nil || !strings.Contains(string(json), "not run") {
		t.Errorf("the list is %s (%v)", json, err)
	}
	for title, there := range map[string]bool{"then": false, "else": true, "x": false, "default": true} {
		if got := res.Catalog.Resource("Notify", title) != nil; got != there {
			t.Errorf("Notify[%s] there: %v", title, got)
		}
	}
	if n := res.Warnings.Count(source.Warning); n != 4 {
		t.Errorf("%d warnings, want one for each of two decisions, a title and an include: %v", n, res.Warnings)
	}
}
