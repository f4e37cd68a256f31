package model

import "bunraku/resource"

// Types are the resource types that a relationship graph needs: those of the table, and concat_file. The concat module's type makes an
// ordinary file before the agent orders anything, so that it has a file's automatic relations.
type Types struct{ resource.Lookup }

// Type implements resource.Lookup.
func (t Types) Type(name string) *resource.Type {
	known := t.Lookup
	if known == nil {
		known = resource.Core{}
	}
	if x := known.Type(name); x != nil || name != "concat_file" {
		return x
	}
	file := known.Type("file")
	if file == nil {
		return nil
	}
	return &resource.Type{Name: name, Module: "concat", Namevars: []string{"path"}, Autos: file.Autos, Ensurable: true, Open: true}
}
