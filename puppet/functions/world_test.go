package functions_test

import (
	"os"
	"path/filepath"
	"strings"

	"bunraku/internal/ask"
	"bunraku/puppet/eval"
	"bunraku/puppet/functions"
	"bunraku/puppet/resource"
	"bunraku/puppet/syntax"
	"bunraku/puppet/value"
	"bunraku/source"
)

const environmentDir = "testdata/production"

// testWorld is testdata/production as a World: one module, flat data, Puppet's own functions, and a function that
// catches a value.
type testWorld struct {
	functions map[string]*eval.Function
	data      *value.Hash
	probe     ask.Probe
}

func newTestWorld(l source.Language) *testWorld {
	w := &testWorld{functions: functions.Table(l)}
	w.functions["probe"] = w.probe.Function()
	s := func(s string) value.Value { return value.String(s) }
	w.data = value.NewHash(
		s("str"), s("found"), s("num"), value.Int(7), s("nothing"), value.Undef{}, s("list"), value.Strings("a", "b", "a"),
		s("hash"), value.NewHash(s("x"), value.Int(1), s("y"),
			value.NewHash(s("z"), value.NewArray(value.Int(2), value.Int(3)))),
		s("classes"), value.EmptyArray, s("mclasses"), value.Strings("m"))
	return w
}

func (w *testWorld) parse(path string) (*syntax.File, source.Diagnostics) {
	text, err := os.ReadFile(filepath.Join(environmentDir, path))
	if err != nil {
		return nil, nil
	}
	f := source.NewFile("/production/"+path, string(text))
	if strings.HasSuffix(path, ".epp") {
		return syntax.ParseEPP(f, syntax.Options{})
	}
	return syntax.Parse(f, syntax.Options{})
}

func (w *testWorld) Manifest(module, rest string) (*syntax.File, source.Diagnostics) {
	if rest == "" {
		rest = "init"
	}
	return w.parse("modules/" + module + "/manifests/" + strings.ReplaceAll(rest, "::", "/") + ".pp")
}
func (w *testWorld) FunctionFile(string) (*syntax.File, source.Diagnostics) { return nil, nil }
func (w *testWorld) TypeFile(string) (*syntax.File, source.Diagnostics)     { return nil, nil }
func (w *testWorld) Template(name string) (*syntax.File, source.Diagnostics) {
	if module, rest, ok := strings.Cut(name, "/"); ok {
		return w.parse("modules/" + module + "/templates/" + rest)
	}
	return nil, nil
}
func (w *testWorld) Module(*syntax.File) string          { return "" }
func (w *testWorld) Path(f *source.File) string          { return f.Name }
func (w *testWorld) Function(name string) *eval.Function { return w.functions[name] }
func (w *testWorld) ResourceType(name string) *resource.Type {
	return resource.Known(strings.ToLower(name))
}
func (w *testWorld) ReadFile(path string) ([]byte, error) {
	return os.ReadFile(filepath.Join("testdata", path))
}

func (w *testWorld) Lookup(_ *eval.Scope, key string, how eval.LookupOptions) (eval.Answer, error) {
	v, found := w.data.GetString(key)
	if !found {
		return eval.Answer{}, nil
	}
	if how.Merge == value.String("unique") {
		b := value.NewHashBuilder(4)
		list := value.NewArray(v)
		if a, is := v.(*value.Array); is {
			list = value.Flatten(a)
		}
		for _, e := range list.Elems {
			b.Set(e, value.Undef{})
		}
		v = b.Hash().Keys()
	}
	return eval.Answer{Value: v, Found: true}, nil
}

func (w *testWorld) find(kind, name string) (string, bool) {
	module, rest, ok := strings.Cut(name, "/")
	if !ok || module == "" || rest == "" {
		return "", false
	}
	path := "/production/modules/" + module + "/" + kind + "/" + rest
	_, err := os.Stat(filepath.Join("testdata", path))
	return path, err == nil
}
func (w *testWorld) FindFile(name string) (string, bool)     { return w.find("files", name) }
func (w *testWorld) FindTemplate(name string) (string, bool) { return w.find("templates", name) }
func (w *testWorld) ModuleDirectory(name string) (string, bool) {
	if name == "" || strings.Contains(name, "/") {
		return "", false
	}
	path := "/production/modules/" + name
	_, err := os.Stat(filepath.Join("testdata", path))
	return path, err == nil
}
