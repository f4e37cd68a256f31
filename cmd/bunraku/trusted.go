package main

import (
	"path/filepath"
	"slices"
	"strings"

	"bunraku/fleet"
	"bunraku/puppet/lookup/datafile"
	"bunraku/puppet/value"
	"bunraku/source"
)

// certificates are what --trusted says of nodes: keys of $trusted, of all nodes or of each by its name.
type certificates struct {
	file string
	all  *value.Hash // nil if they are by name
	by   *value.Hash
}

// trustedKeys are those of $trusted; a file that has one of them at its top speaks of all nodes.
var trustedKeys = []string{"authenticated", "certname", "domain", "extensions", "external", "hostname"}

// certificates reads the file that --trusted names; nil if none is named.
func (f *compileFlags) certificates(view source.Files) (*certificates, error) {
	if f.trusted == "" {
		return nil, nil
	}
	text, err := view.Read(source.Absolute(f.trusted))
	if err != nil {
		return nil, source.Named(err, source.Absolute(f.trusted), f.trusted)
	}
	root, err := datafile.ReadYAML(source.NewFile(filepath.ToSlash(f.trusted), text.Text)) // JSON is YAML
	if err != nil {
		return nil, err
	}
	var given *value.Hash
	if root != nil {
		given, _ = root.Value.(*value.Hash)
	}
	if given == nil {
		return nil, fail("%s holds no hash: keys of $trusted, or names of nodes", f.trusted)
	}
	c := &certificates{file: f.trusted}
	if slices.ContainsFunc(keysOf(given), func(k string) bool { return slices.Contains(trustedKeys, k) }) {
		c.all = given
		return c, f.wellFormed(given, "")
	}
	c.by = given
	for _, e := range given.Entries() {
		name := value.ToString(e.Key)
		of, is := e.Value.(*value.Hash)
		if !is {
			return nil, fail("%s: %s is no key of $trusted (%s), and as the name of a node it would have a hash of those", f.trusted,
				name, strings.Join(trustedKeys, ", "))
		}
		if err := f.wellFormed(of, " of "+name); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// wellFormed refuses what $trusted cannot be.
func (f *compileFlags) wellFormed(trusted *value.Hash, of string) error {
	for _, e := range trusted.Entries() {
		key := value.ToString(e.Key)
		if !slices.Contains(trustedKeys, key) {
			return fail("%s: %s%s is no key of $trusted, which are %s", f.trusted, key, of, strings.Join(trustedKeys, ", "))
		}
		if _, is := e.Value.(*value.Hash); !is && (key == "extensions" || key == "external") {
			return fail("%s: the %s%s are no hash", f.trusted, key, of)
		}
	}
	return nil
}

func keysOf(h *value.Hash) (out []string) {
	for _, e := range h.Entries() {
		out = append(out, value.ToString(e.Key))
	}
	return out
}

// of is what is said of a node; nil for nothing.
func (c *certificates) of(name string) *value.Hash {
	switch {
	case c == nil:
		return nil
	case c.all != nil:
		return c.all
	}
	of, _ := c.by.At(name).(*value.Hash)
	return of
}

// meets refuses a file that names nodes and none of these.
func (c *certificates) meets(nodes []fleet.Node) error {
	if c == nil || c.all != nil || len(nodes) == 0 {
		return nil
	}
	var names []string
	for _, n := range nodes {
		if c.of(n.Facts.Name) != nil {
			return nil
		}
		names = append(names, n.Facts.Name)
	}
	return fail("%s says nothing of any node: it names %s, and the nodes are %s", c.file, some(keysOf(c.by)), some(names))
}
