package resource

import (
	"strings"

	"bunraku/puppet/value"
)

// A Source is where a file may be copied from.
type Source struct {
	// Module is the path of a file of a module, MODULE/PATH; "" if it is something else.
	Module string
	// Dir is the directory of the module that the path is below: files, or tasks or scripts, which are served, too.
	Dir string
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
// in capitals, one slash behind it will do, and a question mark ends the path.
func ReadSource(text string) Source {
	const scheme = "puppet:/"
	if len(text) < len(scheme) || !strings.EqualFold(text[:len(scheme)], scheme) {
		return Source{Text: text}
	}
	server, rest := "", text[len(scheme):]
	if strings.HasPrefix(rest, "/") {
		server, rest, _ = strings.Cut(rest[1:], "/")
	}
	mount, name, _ := strings.Cut(rest, "/")
	name, _, _ = strings.Cut(name, "?")
	dir := map[string]string{"modules": "files", "scripts": "scripts", "tasks": "tasks"}[mount]
	if dir == "" || name == "" {
		return Source{Text: text}
	}
	return Source{Module: name, Dir: dir, Server: server, Text: text}
}
