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
	"work/data epp doubling":                      unbounded,
	"work/erb doubling hash":                      unbounded,
	"catalogs/long path":                          unbounded,
	"languages/mupuppet file outside":             namedLink,
	"languages/mupuppet selectors":                unbounded,
	"languages/smartfrog file outside":            namedLink,
	"languages/smartfrog include up":              "an include may lead to wherever the command runs",
	"links/relative outside at manifests/site.pp": namedLink,
	"work/data hierarchy":                         unbounded,
	"work/erb combination":                        unbounded,
	"work/data interpolations":                    unbounded,
	"work/erb ranges":                             unbounded,
	"work/erb steps":                              unbounded,
	"work/erb throw":                              unbounded,
	"work/erb until":                              unbounded,
	"work/puppet alias cycles":                    unbounded,
	"work/erb while true":                         unbounded,
	"work/puppet create":                          unbounded,
	"work/puppet edges":                           unbounded,
	"work/puppet execs":                           unbounded,
	"work/puppet fibonacci":                       unbounded,
	"work/puppet paths":                           unbounded,
	"work/puppet titles":                          unbounded,
	"work/puppet range map":                       unbounded,
	"work/puppet unclosed":                        unbounded,
	"work/puppet with":                            unbounded,
	"work/puppet range":                           unbounded,
}
