package stdlib_test

import (
	"os"
	"path/filepath"
	"strings"
	"sync"

	"bunraku/internal/ask"
	"bunraku/internal/live"
	"bunraku/puppet/eval"
	"bunraku/puppet/functions"
	"bunraku/puppet/functions/stdlib"
	"bunraku/puppet/resource"
	"bunraku/puppet/syntax"
	"bunraku/source"
)

const (
	environmentDir = "testdata/production"
	factsFile      = "testdata/facts.json"
)

// tables are the functions of a world with stdlib 8.5, or 9. The records are shared by all questions.
func tables(version string) map[string]*eval.Function {
	t := functions.Table(source.Puppet7)
	for name, f := range stdlib.Module(version) {
		if t[name] == nil || t[name].Raw != nil {
			t[name] = f
		}
	}
	return t
}

var (
	tables8 = sync.OnceValue(func() map[string]*eval.Function { return tables("8.5.0") })
	tables9 = sync.OnceValue(func() map[string]*eval.Function { return tables("9.7.0") })
)

// testWorld is testdata/production as a World, with Debian's modules behind it, and a function that catches a value.
type testWorld struct {
	functions map[string]*eval.Function
	probe     ask.Probe
	modules   string // where stdlib's own types and Puppet functions are
}

func newTestWorld(nine string) *testWorld {
	w := &testWorld{functions: tables8(), modules: live.ModulesDir}
	if nine != "" {
		w.functions, w.modules = tables9(), nine
	}
	return w
}

func (w *testWorld) parse(path string) (*syntax.File, source.Diagnostics) {
	for _, dir := range []string{environmentDir + "/modules", w.modules} {
		text, err := os.ReadFile(filepath.Join(dir, path))
		if err == nil {
			return syntax.Parse(source.NewFile("/production/modules/"+path, string(text)), syntax.Options{})
		}
	}
	return nil, nil
}

// file is the path of what ought to define a name.
func file(name, kind string) string {
	parts := strings.Split(strings.ToLower(name), "::")
	if len(parts) == 1 {
		parts = append(parts, "init")
	}
	return parts[0] + "/" + kind + "/" + strings.Join(parts[1:], "/") + ".pp"
}

func (w *testWorld) Manifest(module, rest string) (*syntax.File, source.Diagnostics) {
	name := module
	if rest != "" {
		name += "::" + rest
	}
	return w.parse(file(name, "manifests"))
}
func (w *testWorld) FunctionFile(name string) (*syntax.File, source.Diagnostics) {
	return w.parse(file(name, "functions"))
}
func (w *testWorld) TypeFile(name string) (*syntax.File, source.Diagnostics) {
	return w.parse(file(name, "types"))
}
func (w *testWorld) Template(string) (*syntax.File, source.Diagnostics) { return nil, nil }
func (w *testWorld) Module(f *syntax.File) string {
	if rest, ok := strings.CutPrefix(f.Source.Name, "/production/modules/"); ok {
		name, _, _ := strings.Cut(rest, "/")
		return name
	}
	return ""
}
func (w *testWorld) Path(f *source.File) string { return f.Name }
func (w *testWorld) Function(name string) *eval.Function {
	if name == "probe" {
		return w.probe.Function()
	}
	if old, is := strings.CutPrefix(name, "function_"); is {
		return stdlib.Function3x(old)
	}
	return w.functions[name]
}
func (w *testWorld) ResourceType(name string) *resource.Type {
	return resource.Known(strings.ToLower(name))
}
func (w *testWorld) Lookup(*eval.Scope, string, eval.LookupOptions) (eval.Answer, error) {
	return eval.Answer{}, nil
}

func (w *testWorld) ReadFile(path string) ([]byte, error) {
	return os.ReadFile(filepath.Join("testdata", path))
}
func (w *testWorld) FindFile(string) (string, bool)     { return "", false }
func (w *testWorld) FindTemplate(string) (string, bool) { return "", false }
func (w *testWorld) ModuleDirectory(name string) (string, bool) {
	path := "/production/modules/" + name
	_, err := os.Stat(filepath.Join("testdata", path))
	return path, err == nil && name == "m"
}
