package audit

import (
	"path/filepath"
	"regexp"
	"strings"

	"bunraku/puppet/value"
	"bunraku/source"
)

// codeVersion is the code of what is said about the versions of modules.
const codeVersion = "N0204" // a module that is there in another version than is wanted

// dependencies looks at the modules that are there: are they of the versions that metadata.json of the tree's own
// modules want, and of those that the Puppetfile has? What is not there is told by whoever counts it.
func (t *Tree) dependencies() {
	own := t.env.Modules()
	if m := t.env.Alone(); m != nil {
		own = append(own[:0:0], m)
	}
	for _, m := range own {
		p := filepath.Join(m.Dir, "metadata.json")
		text, err := t.env.Read(p)
		if err != nil || !t.ownModule(m.Dir) {
			continue
		}
		for _, d := range m.Dependencies {
			wanted, err := value.ParseSemVerRange(d.Requirement)
			if err != nil {
				continue // who can say what it allows
			}
			t.version(p, text, strings.NewReplacer("/", "[/-]").Replace(regexp.QuoteMeta(d.Name)), d.Name,
				m.Name+" wants "+d.Requirement, wanted.Includes)
		}
	}
	if t.env.Dir == "" {
		return
	}
	p := filepath.Join(t.env.Dir, "Puppetfile")
	text, err := t.env.Read(p)
	if err != nil {
		return
	}
	for _, m := range pinned.FindAllStringSubmatch(text, -1) {
		if exactly, err := value.ParseSemVer(m[2]); err == nil {
			t.version(p, text, regexp.QuoteMeta(m[1]), strings.Replace(m[1], "-", "/", 1), "the Puppetfile has "+m[2],
				exactly.Equal)
		}
	}
}

// pinned is a module in a Puppetfile with its version.
var pinned = regexp.MustCompile(`(?m)^\s*mod\s*\(?\s*["']([^"'/-]+[/-][^"'/-]+)["']\s*,\s*["'](\d[^"']*)["']`)

// version compares the version of a module that is there, author/name, with what a file wants; name is how the file
// writes it.
func (t *Tree) version(file, text, name, module, wants string, allows func(*value.SemVer) bool) {
	_, short, _ := strings.Cut(module, "/")
	there := t.env.Module(short)
	if there == nil || there.ForgeName != "" && !strings.EqualFold(strings.Replace(there.ForgeName, "-", "/", 1), module) {
		return
	}
	is, err := value.ParseSemVer(there.Version)
	if err != nil || allows(is) {
		return
	}
	at := regexp.MustCompile(`["']` + name + `["']`).FindStringIndex(text)
	if at == nil {
		return
	}
	t.say(&source.Diagnostic{Code: codeVersion, Severity: source.Warning,
		Summary: "the module " + short + " is there in version " + there.Version + ", and " + wants,
		Place: source.Place{File: source.NewFile(t.env.Display(file), text), Span: source.Span{Start: uint32(at[0]),
			End: uint32(at[1])}}})
}
