package lint

import (
	"regexp"
	"strings"

	"bunraku/puppet/lookup/datafile"
	"bunraku/puppet/value"
	"bunraku/source"
)

var interpolated = regexp.MustCompile(`%\{(?:(?:::?)?|facts\.)([a-zA-Z0-9_]+)\}`)

// legacyData looks for legacy facts in the interpolations of a file of data, in keys and values. The line is the
// first that holds the whole text; of a text over several lines it is the first of the file.
func (f *file) legacyData() {
	text := strings.Join(f.lines, "\n")
	if !strings.Contains(text, "%{") {
		return
	}
	root, err := datafile.ReadYAML(source.NewFile(f.path, text))
	if err != nil || root == nil { // what is wrong with the data is not for lint to say
		return
	}
	f.search(root.Value)
}

func (f *file) search(v value.Value) {
	f.spend(1)
	switch v := v.(type) {
	case *value.Hash:
		for _, e := range v.Entries() {
			f.searchText(value.ToString(e.Key))
			f.search(e.Value)
		}
	case *value.Array:
		for _, e := range v.Elems {
			f.search(e)
		}
	case value.String:
		f.searchText(string(v))
	}
}

func (f *file) searchText(s string) {
	if !strings.Contains(s, "%{") {
		return
	}
	for _, m := range interpolated.FindAllStringSubmatch(s, -1) {
		if _, ok := legacy(m[1]); !ok {
			continue
		}
		line := 1
		for i, text := range f.lines {
			f.spend(1)
			if strings.Contains(text, s) {
				line = i + 1
				break
			}
		}
		f.say(false, line, 1, "legacy fact '"+m[1]+"'")
	}
}
