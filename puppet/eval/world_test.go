package eval_test

import (
	"strings"

	"bunraku/puppet/eval"
	"bunraku/puppet/functions"
	"bunraku/puppet/resource"
	"bunraku/puppet/syntax"
	"bunraku/source"
)

// mapWorld is a World made of maps: single manifests, Puppet's own functions and types, no modules and no Hiera.
type mapWorld struct {
	functions map[string]*eval.Function
}

func newMapWorld(l source.Language) *mapWorld { return &mapWorld{functions: functions.Table(l)} }

func (w *mapWorld) Manifest(string, string) (*syntax.File, source.Diagnostics) { return nil, nil }
func (w *mapWorld) FunctionFile(string) (*syntax.File, source.Diagnostics)     { return nil, nil }
func (w *mapWorld) TypeFile(string) (*syntax.File, source.Diagnostics)         { return nil, nil }
func (w *mapWorld) Template(string) (*syntax.File, source.Diagnostics)         { return nil, nil }
func (w *mapWorld) Module(*syntax.File) string                                 { return "" }
func (w *mapWorld) Path(f *source.File) string                                 { return f.Name }
func (w *mapWorld) Function(name string) *eval.Function                        { return w.functions[name] }
func (w *mapWorld) ResourceType(name string) *resource.Type {
	return resource.Known(strings.ToLower(name))
}
func (w *mapWorld) Lookup(*eval.Scope, string, eval.LookupOptions) (eval.Answer, error) {
	return eval.Answer{}, nil
}
