package fleet

import (
	"regexp"
	"slices"
	"strings"

	"bunraku/puppet/environment"
)

// onAgents is said of code that agents run, not compiles: facts, and how resources come to be as the catalog says.
const onAgents = "agents run it: what it does there was not looked at"

// onServer is what of a module's lib compiles run, or agents for a Deferred, which is looked at (diff.Contents).
var onServer = regexp.MustCompile(`^(puppet/(functions|parser|reports)|hiera)/`)

// fetchedByAgents tells which files agents fetch before they run: of every module, on either side and where it really
// lies, its external facts and its lib. Facts, types and providers are in there, and all that these may load or read:
// a provider is suitable by a feature of another module, and asks a script beside itself.
func (s *search) fetchedByAgents() func(p string) bool {
	var dirs []string
	for _, env := range []*environment.Environment{s.From.Environment(), s.To.Environment()} {
		for _, m := range env.Modules() {
			dirs = append(dirs, m.Dir)
			if real, err := env.Files().Real(m.Dir); err == nil && real != m.Dir {
				dirs = append(dirs, real)
			}
		}
	}
	return func(p string) bool {
		return slices.ContainsFunc(dirs, func(dir string) bool {
			rel, inside := strings.CutPrefix(p, dir+"/")
			lib, isLib := strings.CutPrefix(rel, "lib/")
			return inside && (strings.HasPrefix(rel, "facts.d/") || isLib && !onServer.MatchString(lib))
		})
	}
}
