//go:build unix

package main

// Why trees fail.
const (
	namedLink = "a file that the user named is a link to the outside"
	unbounded = "work or memory without bound"
)

// hostileKnown are the hostile trees that the program does not stand yet, and why. An entry that passes fails the test.
var hostileKnown = map[string]string{
	"links/outside at manifests/site.pp":          namedLink,
	"mocks/outside":                               namedLink,
	"catalogs/long path":                          unbounded,
	"languages/mupuppet file outside":             namedLink,
	"languages/mupuppet selectors":                unbounded,
	"languages/smartfrog file outside":            namedLink,
	"languages/smartfrog include up":              "an include may lead to wherever the command runs",
	"links/relative outside at manifests/site.pp": namedLink,
	"work/puppet execs":                           unbounded,
	"work/puppet paths":                           unbounded,
}
