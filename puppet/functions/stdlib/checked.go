package stdlib

import (
	_ "embed"
	"strings"
	"sync"
)

// A function of this package answers for the source that it was checked against, and for no other: a newer version of a
// module may have changed it (postgresql_password once hashed by MD5). checked.txt has a digest of every such source:
// of the tree of the function's file in Ruby and of the files of its module that it requires, so that comments and
// blanks do not count. It is written by go test ./puppet/compiler -run TestChecked -record-checked, from the modules
// that the tests of this package ask.

//go:embed checked.txt
var checkedText string

var checked = sync.OnceValue(func() map[string]bool {
	known := map[string]bool{}
	for _, line := range strings.Split(checkedText, "\n") {
		if line != "" && line[0] != '#' {
			known[line] = true
		}
	}
	return known
})

// Checked reports whether the function of a module was checked against a source, which is told by its digest. set is
// which of the sets of stdlib's functions it is of, old that it is of the 3.x kind.
func Checked(module, set, name string, old bool, sum string) bool {
	return checked()[CheckedLine(module, set, name, old, sum)]
}

// Set is the set of stdlib's functions that a version is served by.
func Set(version string) string {
	if strings.HasPrefix(version, "9") {
		return "9"
	}
	return "8"
}

// CheckedLine is how checked.txt tells of a function.
func CheckedLine(module, set, name string, old bool, sum string) string {
	kind := "4.x"
	if old {
		kind = "3.x"
	}
	return module + set + " " + name + " " + kind + " " + sum
}
