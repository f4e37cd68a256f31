package compiler_test

import (
	"bytes"
	"path/filepath"
	"testing"

	"bunraku/puppet/catalog"
	"bunraku/puppet/types"
)

// Tracing watches; it must not change what is compiled.
func TestTracingChangesNothing(t *testing.T) {
	for _, dir := range sites(t, func(string) bool { return true }) {
		var texts [2][]byte
		for i, trace := range []bool{false, true} {
			res, err := compileCase(t, dir, trace)
			if err != nil {
				t.Fatal(err)
			}
			if res.Failure != nil {
				t.Fatalf("%s: %v", filepath.Base(dir), res.Failure)
			}
			if texts[i], err = (catalog.JSON{Types: types.ToData}).Append(nil, res.Catalog); err != nil {
				t.Fatal(err)
			}
		}
		if !bytes.Equal(texts[0], texts[1]) {
			t.Errorf("%s: the catalog is another one with tracing", filepath.Base(dir))
		}
	}
}
