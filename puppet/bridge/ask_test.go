package bridge_test

import (
	"regexp"
	"strings"

	"bunraku/internal/ask"
)

var (
	home    = absolute(environmentDir)
	parent  = home[:strings.LastIndexByte(home, '/')]
	address = regexp.MustCompile(`(#<[\w:]+):0x[0-9a-f]+`)
	scratch = regexp.MustCompile(`/tmp/(\w+?)\d{8}-\d+-\w+`)
	loading = regexp.MustCompile(`(?:/[\w.-]+)*/production/`)
	asking  = ask.Site{Environment: environmentDir, Facts: factsFile, Mask: mask, MaskValues: true}
)

// mask takes out what is never the same twice: addresses of objects, what Ruby adds to be helpful, and where the files
// are.
func mask(s string) string {
	s = ask.WithoutHint(strings.ReplaceAll(s, parent, ""))
	s = scratch.ReplaceAllString(address.ReplaceAllString(s, "$1"), "/tmp/$1")
	return ask.WithoutObjects(ask.WithoutPlaces(loading.ReplaceAllString(s, "/production/")))
}
