package syntax

import (
	"path"
	"strings"

	"bunraku/source"
)

// A Site is what placement depends on beside the file itself: the directories that hold modules, and the environment's
// initial manifest (a file or directory; "" for none), which may hold anything wherever it lies.
type Site struct {
	ModulePath []string
	Manifest   string
}

// ValidatePlacement checks that a module's file holds definitions only, and that their names begin with what the file's
// path says: apache::mod::ssl lives in apache/manifests/mod/ssl.pp. It is apart from Validate because the same text is
// fine elsewhere. Files outside of every module, and texts without a path, pass.
//
// Names are compared by prefix, as Puppet does: class apache2 passes in apache/manifests/init.pp.
func ValidatePlacement(f *File, path string, site Site) source.Diagnostics {
	if path == "" || f.Epp != nil {
		return nil
	}
	namespace, placed := site.namespace(path)
	if placed == outside {
		return nil
	}
	v := validator{file: f.Source}
	for _, s := range f.Body.Stmts {
		v.topConstruct(s)
	}
	for _, d := range f.Defs {
		var name string
		var at source.Span
		switch d := d.(type) {
		case *Class:
			name, at = d.Name, d.NameAt
		case *Define:
			name, at = d.Name, d.NameAt
		case *Function:
			name, at = d.Name, d.NameAt
		case *Plan:
			name, at = d.Name, d.NameAt
		default:
			continue
		}
		if placed == astray || !strings.HasPrefix(strings.ToLower(name), namespace) {
			d := v.report(illegalDefinitionLocation, at, "Unacceptable location. The name '"+name+"' is unacceptable in file '"+
				path+"'")
			if placed == astray {
				d.Help = "a module keeps definitions in its directories manifests, functions, types and plans"
			} else {
				d.Help = "this file is for " + namespace
			}
		}
	}
	if len(v.found) > 1 {
		v.found.Sort()
	}
	return v.found
}

func (v *validator) topConstruct(s Expr) {
	switch s := s.(type) {
	case *Nop, *Class, *Define, *Function, *Plan, *TypeAlias, *TypeMapping, *TypeDef:
		return
	case *Block:
		if len(s.Stmts) == 2 { // a lone untitled resource: Puppet sees two statements
			for _, s := range s.Stmts {
				v.topConstruct(s)
			}
			return
		}
	}
	v.report(illegalTopConstructLocation, spanOf(s), "This "+label(s)+
		" is unacceptable as a top level construct in this location").
		Help = "the file of a module is read for its definitions; put this in a class"
}

// A placement says how a path relates to the modules.
type placement uint8

const (
	outside placement = iota // of every module, or not a manifest
	inside                   // of a module, in a directory for definitions
	astray                   // in a module, but not there
)

// namespace gives what the names in a file must begin with, in lower case.
func (s Site) namespace(name string) (string, placement) {
	if path.Ext(name) != ".pp" || path.Base(name) == ".pp" {
		return "", outside
	}
	full := source.Absolute(name)
	if s.Manifest != "" && strings.HasPrefix(full, source.Absolute(s.Manifest)) {
		return "", outside
	}
	for _, dir := range s.ModulePath {
		dir = strings.TrimSuffix(source.Absolute(dir), "/") + "/"
		if rest, ok := strings.CutPrefix(full, dir); ok {
			return moduleNamespace(strings.ToLower(rest))
		}
	}
	return "", outside
}

// moduleNamespace reads MODULE/manifests/a/b.pp as MODULE::a::b, and MODULE/manifests/init.pp as MODULE.
func moduleNamespace(rel string) (string, placement) {
	parts := strings.Split(rel, "/")
	if len(parts) < 3 {
		return "", astray
	}
	switch parts[1] {
	case "manifests", "functions", "types", "plans":
	default:
		return "", astray
	}
	last := len(parts) - 1
	names := append(parts[:1:1], parts[2:last]...)
	if len(parts) != 3 || parts[last] != "init.pp" {
		names = append(names, strings.TrimSuffix(parts[last], ".pp"))
	}
	return strings.Join(names, "::"), inside
}
