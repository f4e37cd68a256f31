package functions

import (
	"slices"
	"testing"

	"bunraku/source"
)

// What looks for what its arguments name says so in its record: an argument that is not known may lead anywhere.
func TestSeeks(t *testing.T) {
	seek := []string{"binary_file", "call", "defined", "epp", "file", "find_file", "find_template", "getvar", "hiera",
		"hiera_array", "hiera_hash", "hiera_include", "inline_epp", "inline_template", "lookup", "module_directory", "tagged",
		"template"}
	for name, f := range Table(source.Puppet7) {
		if f.Seeks != slices.Contains(seek, name) {
			t.Errorf("%s: %v", name, f.Seeks)
		}
	}
}
