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
	if told := len(n.shown[n.uri("data/common.yaml")]["diagnostics"].([]any)); told != 20_000 {
		t.Errorf("%d are told", told)
	}
}
