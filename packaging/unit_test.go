package main

import (
	"slices"
	"strings"
	"testing"
)

// TestUnit: packages bring the unit of serve where systemd finds it, and what it says is documented where it says so.
func TestUnit(t *testing.T) {
	docs, err := documents("..")
	if err != nil {
		t.Fatal(err)
	}
	files := installed(nil, docs, nil)
	at := func(name string) int { return slices.IndexFunc(files, func(f file) bool { return f.name == name }) }
	i := at("usr/lib/systemd/system/bunraku.service")
	if i < 0 || at("usr/share/doc/bunraku/serve.md") < 0 {
		t.Fatal("the unit or its documentation is not there")
	}
	for _, want := range []string{"Documentation=file:///usr/share/doc/bunraku/serve.md\n",
		"ExecStart=/usr/bin/bunraku serve "} {
		if !strings.Contains(string(files[i].text), want) {
			t.Errorf("no %s", want)
		}
	}
}
