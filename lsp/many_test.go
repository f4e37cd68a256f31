package lsp_test

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// TestManyProblems: a file with very many problems holds up nobody: each of them took as long as the file is.
func TestManyProblems(t *testing.T) {
	var data strings.Builder
	for i := range 20_000 {
		fmt.Fprintf(&data, "web::key%d: \"%s\"\n", i, strings.Repeat("x", 60))
	}
	n := navigate(t, map[string]string{
		"environment.conf": "modulepath = modules\n", "manifests/site.pp": "include web\n", "facts/a.json": `{"fqdn": "a"}`,
		"hiera.yaml": "version: 5\ndefaults: {datadir: data, data_hash: yaml_data}\nhierarchy:\n" +
			"  - {name: c, path: common.yaml}\n",
		"data/common.yaml":              data.String(),
		"modules/web/manifests/init.pp": "class web { }\n",
	})
	began := processor(t)
	n.rest()
	if took := processor(t) - began; took > 20*time.Second {
		t.Errorf("it takes %v", took)
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	told := n.shown[n.uri("data/common.yaml")]["diagnostics"].([]any)
	last, _ := told[len(told)-1].(map[string]any)["message"].(string)
	if len(told) != 2001 || !strings.HasPrefix(last, "18000 more problems of this file are not listed here") {
		t.Errorf("%d are told, the last: %s", len(told), last)
	}
}

// TestLongData: data of many lines is parsed once for each of its texts, whoever asks, and not while somebody types:
// ten keys that come together cost less than ten times what one costs. A mistake in it is told when the keys end.
func TestLongData(t *testing.T) {
	var data strings.Builder
	data.WriteString("web::all:\n")
	for i := range 60_000 {
		fmt.Fprintf(&data, "  key%d: \"%s\"\n", i, strings.Repeat("x", 20))
	}
	n := navigate(t, map[string]string{
		"environment.conf": "modulepath = modules\n", "manifests/site.pp": "include web\n", "facts/a.json": `{"fqdn": "a"}`,
		"hiera.yaml": "version: 5\ndefaults: {datadir: data, data_hash: yaml_data}\nhierarchy:\n" +
			"  - {name: c, path: common.yaml}\n",
		"data/common.yaml":              data.String(),
		"modules/web/manifests/init.pp": "class web(Hash $all = {}) { }\n",
	})
	n.rest()
	path := strings.TrimPrefix(n.uri("data/common.yaml"), "file://")
	n.open(path, data.String())
	n.rest()
	cost := func(keys, version int) time.Duration {
		began := processor(t)
		for i := range keys {
			n.edit(path, version+i, at(30_000, 20, 30_000, 20), "y")
		}
		n.rest()
		return processor(t) - began
	}
	one := min(cost(1, 2), cost(1, 3), cost(1, 4))
	if ten := min(cost(10, 5), cost(10, 15)); ten > 5*one {
		t.Errorf("ten keys cost %v, one %v", ten, one)
	}
	n.edit(path, 25, at(30_000, 0, 30_000, 2), "\t")
	n.wait("the mistake", func() bool { return len(n.told(path)) > 0 })
	n.edit(path, 26, at(30_000, 0, 30_000, 1), "  ")
	n.wait("no mistake", func() bool { return len(n.told(path)) == 0 })
}
