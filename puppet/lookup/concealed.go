package lookup

import (
	"path/filepath"
	"strings"

	"bunraku/puppet/lookup/datafile"
	"bunraku/puppet/value"
	"bunraku/source"
)

// Concealed is where data of a file stand that a key has, by an alias or a merge of YAML, in common with one which
// lookup_options make Sensitive, or which somebody else says is: the key itself may be that one. The file is one that
// the session has read.
func (s *Session) Concealed(scope Scope, path, key string, secret func(key string) bool) (out []source.Place) {
	d := s.files[filepath.Clean(path)]
	if d == nil || d.file == nil || !d.file.Aliased() {
		return nil
	}
	of := key
	if k, err := ParseKey(key); err == nil {
		of = k.Root
	}
	entry := d.file.Entry(of)
	if entry == nil {
		return nil
	}
	if d.concealed == nil {
		d.concealed = s.newInvocation(scope, Query{}).concealed(d.file, secret)
	}
	entry.Each(func(n *datafile.Node) {
		if d.concealed[n] {
			out = append(out, n.Place(d.file.Source))
		}
	})
	return out
}

// concealed are the data of a file that are Sensitive under some key.
func (inv *invocation) concealed(f *datafile.File, secret func(key string) bool) map[*datafile.Node]bool {
	out := map[*datafile.Node]bool{}
	for _, e := range f.Hash().Entries() {
		name, is := e.Key.(value.String)
		if !is || name == lookupOptions {
			continue
		}
		if secret(string(name)) {
			f.Entry(string(name)).Each(func(n *datafile.Node) { out[n] = true })
			continue
		}
		key := rootKey(string(name))
		done := inv.begin(key, key.Module)
		o, err := inv.optionsFor(key)
		done()
		if err != nil || o == nil {
			continue
		}
		to := o.hash.At("convert_to")
		if list, is := to.(*value.Array); is && len(list.Elems) > 0 {
			to = list.Elems[0]
		}
		if to != nil && strings.Contains(value.ToString(to), "Sensitive") {
			f.Entry(string(name)).Each(func(n *datafile.Node) { out[n] = true })
		}
	}
	return out
}
