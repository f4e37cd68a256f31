package template

import (
	"os"
	"testing"

	"bunraku/internal/live"
	"bunraku/puppet/ruby"
	"bunraku/puppet/value"
	"bunraku/source"
)

func BenchmarkRuntime(b *testing.B) {
	for b.Loop() {
		ruby.NewRuntime()
	}
}

// BenchmarkModules renders every template of Debian's modules once, on one set of variables.
func BenchmarkModules(b *testing.B) {
	type run struct {
		t    *Template
		vars *value.Hash
	}
	var runs []run
	for _, name := range live.Files(b, ".erb") {
		text, err := os.ReadFile(name)
		if err != nil {
			b.Fatal(err)
		}
		runs = append(runs, run{Parse(source.NewFile(name, string(text))),
			variables(string(text), kinds(string(text), variableNames(string(text))), 0, 1)})
	}
	rt := ruby.NewRuntime()
	for b.Loop() {
		for _, r := range runs {
			r.t.Render(&mapHost{vars: r.vars}, Options{Runtime: rt, Name: "x"})
		}
	}
}

// BenchmarkParse parses them.
func BenchmarkParse(b *testing.B) {
	var files []*source.File
	for _, name := range live.Files(b, ".erb") {
		text, err := os.ReadFile(name)
		if err != nil {
			b.Fatal(err)
		}
		files = append(files, source.NewFile(name, string(text)))
	}
	for b.Loop() {
		for _, f := range files {
			Parse(f)
		}
	}
}
