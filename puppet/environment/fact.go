package environment

import (
	"path/filepath"
	"regexp"
	"strings"

	"bunraku/source"
)

// EachFactFile goes through the files by which modules bring facts to machines, with their texts.
func (e *Environment) EachFactFile(visit func(path, text string)) {
	for _, m := range e.Modules() {
		for _, dir := range []string{filepath.Join(m.Dir, "lib", "facter"), filepath.Join(m.Dir, "facts.d")} {
			// A directory that cannot be read has no files.
			_ = source.Walk(e.files, dir, func(path string, entry source.Entry) bool {
				if !entry.IsDir() {
					text, err := e.Read(path)
					if err != nil {
						text = ""
					}
					visit(path, text)
				}
				return true
			})
		}
	}
}

var (
	addsFact   = regexp.MustCompile(`\bFacter\.add[ (]\s*(?::(\w+)|["'](\w+)["'])`)
	listsFact  = regexp.MustCompile(`(?m)^[{\s]*["']?([A-Za-z]\w*)["']?[ \t]*[:=]`)
	printsFact = regexp.MustCompile(`\b(?:echo|printf?|puts|Write-(?:Host|Output))[ (]+["']?(\w+)=`)
)

// BringsFact reports whether a module brings a fact of a name to machines: its Ruby adds the fact, or a file in facts.d
// has it. Names that only running the Ruby tells are passed over.
func (e *Environment) BringsFact(name string) bool {
	e.factsOnce.Do(func() {
		e.facts = map[string]bool{}
		e.EachFactFile(func(path, text string) {
			brings := printsFact
			switch filepath.Ext(path) {
			case ".rb":
				if brings = addsFact; !strings.Contains(filepath.ToSlash(path), "/lib/facter/") {
					brings = printsFact
				}
			case ".txt", ".yaml", ".json":
				brings = listsFact
			}
			for _, m := range brings.FindAllStringSubmatch(text, -1) {
				for _, name := range m[1:] {
					e.facts[strings.ToLower(name)] = true
				}
			}
		})
		delete(e.facts, "")
	})
	return e.facts[name]
}
