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
	w.functions["ruby"] = &eval.Function{Name: "ruby",
		Raw: func(*eval.Call) (value.Value, error) { return &value.Opaque{Why: "not run"}, nil }}
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
	res := eval.Compile(w, eval.Input{Node: "n", Environment: "production", Main: []*syntax.File{tree},
		Settings: eval.Language(8)})
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

// compileUnknown compiles a manifest in which ruby() is not known.
func compileUnknown(t *testing.T, text string) *eval.Result {
	t.Helper()
	w := newMapWorld(source.Puppet8)
	w.functions["ruby"] = &eval.Function{Name: "ruby",
		Raw: func(*eval.Call) (value.Value, error) { return &value.Opaque{Why: "not run"}, nil }}
	tree, ds := syntax.Parse(source.NewFile("o.pp", text), syntax.Options{})
	if ds.HasErrors() {
		t.Fatal(ds[0])
	}
	return eval.Compile(w, eval.Input{Node: "n", Environment: "production", Main: []*syntax.File{tree},
		Settings: eval.Language(8)})
}

// Each value is what every answer of ruby() gives, or unknown.
func TestUnknownLogic(t *testing.T) {
	for expr, want := range map[string]value.Value{
		"ruby() and true": nil, "ruby() and false": value.Bool(false), "ruby() or true": value.Bool(true),
		"ruby() or false": nil,
		"true and ruby()": nil, "false and ruby()": value.Bool(false), "true or ruby()": value.Bool(true),
		"false or ruby()": nil,
		"!ruby()":         nil, "ruby() and ruby()": nil, "ruby() or $facts == 1": nil, "ruby() == 1": nil,
		"ruby() ? { 1 => 2, default => 3 }": nil,
		"if ruby() { 1 } else { 1 }":        nil, "case ruby() { 1: { 2 } default: { 3 } }": nil,
		"case ruby() { 1: { 2 } }":                nil,
		"inline_epp('<% if ruby() { %>x<% } %>')": nil, "inline_epp('<% ruby().each |$x| { %>x<% } %>')": nil,
		"ruby() and fail('not here')": nil, "ruby() or $nosuch": nil,
	} {
		res := compileUnknown(t, "$v = "+expr+"\nnotify { 'n': message => $v }\n")
		if res.Failure != nil {
			t.Errorf("%s: %s", expr, res.Failure)
			continue
		}
		got := res.Catalog.Resource("Notify", "n").Get("message")
		if _, unknown := got.(*value.Opaque); unknown != (want == nil) || !unknown && got != want {
			t.Errorf("%s is %v, want %v", expr, got, want)
		}
	}
}

// Nothing that hangs on a value that is not known ends a compile, passes for certain, or is taken for missing.
func TestUnknownDecisions(t *testing.T) {
	for name, c := range map[string]struct {
		text     string
		possible []string // notifies that are there, but not for certain
		certain  []string
		unknown  []string // notifies whose message is not known
	}{
		"fail in else":    {"if ruby() { } else { fail('x') }\nnotify { 'c': }", nil, []string{"c"}, nil},
		"fail in default": {"case ruby() { 1: { } default: { fail('x') } }\nnotify { 'c': }", nil, []string{"c"}, nil},
		"fail in a define": {"define d { fail('x') }\nunless ruby() { } else { d { 'x': } }\nnotify { 'c': }", nil,
			[]string{"c"}, nil},
		"else":            {"if ruby() { } else { notify { 'p': } }", []string{"p"}, nil, nil},
		"a class in else": {"class k { notify { 'p': } }\nif ruby() { } else { include k }", []string{"p"}, nil, nil},
		"a define in else": {"define d { notify { $title: } }\nif ruby() { } else { d { 'p': } }\nd { 'c': }",
			[]string{"p"}, []string{"c"}, nil},
		"a variable": {"if ruby() { $x = 1 } else { $x = 2 }\nnotify { 'u': message => $x }", nil, nil,
			[]string{"u"}},
		"a variable in one": {"if ruby() { $x = 1 }\nnotify { 'u': message => $x }", nil, nil, []string{"u"}},
		"a variable in a case": {"case ruby() { 1: { $x = 1 } 2: { $x = 2 } }\nnotify { 'u': message => $x }", nil, nil,
			[]string{"u"}},
		"require what vanished": {"if ruby() { notify { 'a': } }\nnotify { 'c': require => Notify['a'] }", nil,
			[]string{"c"}, nil},
		"arrow to what vanished": {"if ruby() { notify { 'a': } }\nnotify { 'c': }\nNotify['c'] -> Notify['a']", nil,
			[]string{"c"}, nil},
		"an unknown reference": {"notify { 'c': before => Notify[ruby()] }\nNotify['c'] -> Notify[ruby()]", nil,
			[]string{"c"}, nil},
	} {
		res := compileUnknown(t, c.text)
		if res.Failure != nil {
			t.Errorf("%s: %s", name, res.Failure)
			continue
		}
		for want, titles := range map[bool][]string{true: c.possible, false: c.certain} {
			for _, title := range titles {
				if r := res.Catalog.Resource("Notify", title); r == nil || (r.Possible != "") != want {
					t.Errorf("%s: Notify[%s] is %+v", name, title, r)
				}
			}
		}
		for _, title := range c.unknown {
			if _, is := res.Catalog.Resource("Notify", title).Get("message").(*value.Opaque); !is {
				t.Errorf("%s: Notify[%s] says %v", name, title, res.Catalog.Resource("Notify", title).Get("message"))
			}
		}
		if len(res.Warnings) == 0 {
			t.Errorf("%s: nobody is told", name)
		}
	}
}

// A stage that is not known is no stage that is missing.
func TestUnknownStage(t *testing.T) {
	for name, text := range map[string]string{
		"its name":      "class a { include b }\nclass b { notify { 'n': } }\nclass { 'a': stage => ruby() }\n",
		"whether it is": "class b { notify { 'n': } }\nstage { ruby(): }\nclass { 'b': stage => 'later' }\n",
	} {
		res := compileUnknown(t, text)
		if res.Failure != nil {
			t.Fatalf("%s: %v", name, res.Failure)
		}
		if res.Catalog.Resource("Notify", "n") == nil || res.Warnings.Count(source.Warning) == 0 {
			t.Errorf("%s: the rest is not there, or nothing is said: %v", name, res.Warnings)
		}
		if _, open := res.Catalog.Resource("Class", "B").Get("stage").(*value.Opaque); open != (name == "its name") {
			t.Errorf("%s: %v", name, res.Catalog.Resource("Class", "B").Get("stage"))
		}
	}
	if res := compileUnknown(t, "class b {}\nclass { 'b': stage => 'later' }\n"); res.Failure == nil {
		t.Error("a stage that is missing is not told")
	}
}
