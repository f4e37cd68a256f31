package facts

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"bunraku/puppet/lookup/datafile"
	"bunraku/puppet/value"
	"bunraku/source"
)

// externalDirs are the folders in which facter looks for facts that files state.
var externalDirs = []string{"/etc/facter/facts.d", "/etc/puppetlabs/facter/facts.d", "/opt/puppetlabs/facter/facts.d",
	"c:/programdata/puppetlabs/facter/facts.d"}

// IsExternal reports whether facter takes facts from a file.
func IsExternal(p string) bool { return slices.Contains(externalDirs, strings.ToLower(path.Dir(p))) }

// External is what a file states that lies where facter looks for such: lines of NAME=VALUE, YAML or JSON, as the
// file's name ends. ok is false for programs, and for what cannot be read; facter passes over the latter.
func External(p, text string) (*value.Hash, bool) {
	b := value.NewHashBuilder(8)
	file := source.NewFile(p, text)
	var root *datafile.Node
	var err error
	switch strings.ToLower(path.Ext(p)) {
	case ".txt":
		for line := range strings.Lines(text) {
			if m := stated.FindStringSubmatch(strings.TrimSuffix(strings.TrimSuffix(line, "\n"), "\r")); m != nil {
				b.SetString(strings.ToLower(m[1]), value.String(m[2]))
			}
		}
		return b.Hash(), true
	case ".yaml":
		root, err = datafile.ReadYAML(file)
	case ".json":
		root, err = datafile.ReadJSON(file)
	default:
		return nil, false
	}
	if err != nil || root == nil {
		return nil, false
	}
	hash, is := root.Value.(*value.Hash)
	if !is {
		return nil, false
	}
	for i, e := range hash.Entries() {
		if e.Value != value.Value(value.Undef{}) { // facter leaves out what is nothing
			b.SetString(strings.ToLower(value.ToString(e.Key)), sanitize(e.Value, root.Kids[i].Node))
		}
	}
	return b.Hash(), true
}

// stated is a line of such a file.
var stated = regexp.MustCompile(`^(.+?)=(.+)$`)

// With is the facts with some of them given; they stand nowhere.
func (x *Facts) With(given *value.Hash) *Facts {
	x = x.Loaded()
	b := value.NewHashBuilder(x.Values.Len() + given.Len())
	for _, e := range x.Values.Entries() {
		b.SetEntry(e)
	}
	for _, e := range given.Entries() {
		b.SetEntry(e)
	}
	out := New(x.Name, b.Hash())
	out.Environment, out.Trusted = x.Environment, x.Trusted
	return out
}
