package resource

import (
	"strings"

	"bunraku/puppet/value"
)

// A Source is where a file may be copied from.
type Source struct {
	// Module is the path of a file of a module, MODULE/PATH; "" if it is something else.
	Module string
	// Server is whose module it is, "" for the one that makes the catalog.
	Server string
	Text   string // as it is written
}

// SourcesOf are the sources of a file resource. Agents take the first that is there.
func SourcesOf(v value.Value) (out []Source) {
	list := []value.Value{v}
	if a, ok := v.(*value.Array); ok {
		list = value.Flatten(a).Elems
	}
	for _, v := range list {
		if text, ok := v.(value.String); ok {
			out = append(out, ReadSource(string(text)))
		}
	}
	return out
}

// ReadSource reads one: puppet:///modules/MODULE/PATH, or puppet://SERVER/modules/MODULE/PATH. The scheme is the same
// in capitals.
func ReadSource(text string) Source {
	const scheme = "puppet://"
	if len(text) < len(scheme) || !strings.EqualFold(text[:len(scheme)], scheme) {
		return Source{Text: text}
	}
	server, rest, _ := strings.Cut(text[len(scheme):], "/")
	name, inModule := strings.CutPrefix(rest, "modules/")
	if !inModule {
		return Source{Text: text}
	}
	return Source{Module: name, Server: server, Text: text}
}
