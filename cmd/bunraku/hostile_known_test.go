//go:build unix

package main

// Why trees fail.
const (
	toldOutside = "what lies outside is told"
	waits       = "a pipe is waited for"
	unbounded   = "work or memory without bound"
	crashes     = "it crashes, most often for want of memory"
)

// hostileKnown are the hostile trees that the program does not stand yet, and why. An entry that passes fails the test.
var hostileKnown = map[string]string{
	"asserts/device":                                    unbounded,
	"asserts/outside":                                   toldOutside,
	"asserts/pipe":                                      waits,
	"asserts/sparse":                                    crashes,
	"baselines/device":                                  unbounded,
	"baselines/sparse":                                  crashes,
	"catalogs/file device":                              unbounded,
	"catalogs/file sparse":                              crashes,
	"languages/mupuppet file device":                    unbounded,
	"links/manifest is passwd":                          toldOutside,
	"links/manifest outside":                            toldOutside,
	"links/modulepath and file()":                       toldOutside,
	"links/outside at bunraku.assert":                   toldOutside,
	"links/outside at environment.conf":                 toldOutside,
	"links/outside at manifests":                        toldOutside,
	"links/outside at manifests/site.pp":                toldOutside,
	"links/outside at modules/m/functions/f.pp":         toldOutside,
	"links/outside at modules/m/manifests/init.pp":      toldOutside,
	"links/outside at modules/m/metadata.json":          toldOutside,
	"links/outside at modules/m/types/t.pp":             toldOutside,
	"links/pipe at bunraku.assert":                      waits,
	"links/pipe at modules/m/hiera.yaml":                waits,
	"links/relative outside at modules/m/metadata.json": toldOutside,
	"links/sparse at bunraku.assert":                    crashes,
	"links/sparse at modules/m/hiera.yaml":              crashes,
	"mocks/outside":                                     toldOutside,
	"noise/33":                                          crashes,
	"side files/pipe":                                   waits,
	"work/data epp doubling":                            unbounded,
	"work/data glob braces":                             unbounded,
	"work/erb doubling hash":                            unbounded,
}
