package model

import (
	"path"
	"strings"

	"bunraku/puppet/resource"
	"bunraku/puppet/value"
)

// Types are the resource types that a relationship graph needs: those of the table, and types that modules bring and that have a model
// here, with their automatic relations. A type that the Lookup knows, because it has read the module, is taken from there.
type Types struct{ resource.Lookup }

// Type implements resource.Lookup.
func (t Types) Type(name string) *resource.Type {
	known := t.Lookup
	if known == nil {
		known = resource.Core{}
	}
	if x := known.Type(name); x != nil && name != "concat_file" {
		return x
	}
	if name == "concat_file" {
		// The concat module's type makes an ordinary file before the agent orders anything, so that it has a file's automatic relations.
		file := known.Type("file")
		if file == nil {
			return nil
		}
		return &resource.Type{Name: name, Module: "concat", Namevars: []string{"path"}, Autos: file.Autos, Ensurable: true, Open: true}
	}
	return moduleType(name)
}

// moduleType follows the autorequire blocks of the modules' types, one each.
func moduleType(name string) *resource.Type {
	out := &resource.Type{Name: name, Ensurable: true, Open: true}
	require := func(target string, names func(r resource.Instance) []string) {
		out.Autos = append(out.Autos, resource.Auto{Relation: resource.Require, Target: target, Names: func(r resource.Instance, _ resource.Instances) []resource.Named {
			var list []resource.Named
			for _, n := range names(r) {
				if n != "" {
					list = append(list, resource.Named{Title: n})
				}
			}
			return list
		}})
	}
	always := func(names ...string) func(resource.Instance) []string {
		return func(resource.Instance) []string { return names }
	}
	switch name {
	case "anchor":
		out.Module, out.Ensurable = "stdlib", false
	case "archive":
		out.Module, out.Namevars = "archive", []string{"path"}
		require("file", func(r resource.Instance) []string {
			into := textOf(r, "extract_path")
			if target := textOf(r, "target"); target != "" {
				into = target
			}
			return []string{path.Dir(r.Name()), into, "/root/.aws/config", "/root/.aws/credentials"}
		})
		require("exec", always("install_aws_cli"))
	case "vcsrepo":
		out.Module, out.Namevars = "vcsrepo", []string{"path"}
		require("package", always("git", "git-core"))
	case "file_line":
		out.Module = "stdlib"
		require("file", func(r resource.Instance) []string { return []string{textOf(r, "path")} })
	case "ini_setting":
		out.Module = "inifile"
		require("file", func(r resource.Instance) []string {
			if p := textOf(r, "path"); p != "" {
				return []string{path.Dir(p)}
			}
			return nil
		})
	case "mysql_database", "mysql_user", "mysql_plugin":
		// They ask for a class too, but agents know no type of that name and pass it over.
		out.Module = "mysql"
		require("file", always("/root/.my.cnf"))
	case "mysql_grant":
		out.Module = "mysql"
		require("file", always("/root/.my.cnf"))
		require("mysql_user", func(r resource.Instance) []string { return []string{textOf(r, "user")} })
	case "mysql_datadir":
		out.Module, out.Namevars = "mysql", []string{"datadir"}
		require("package", always("mysql-server"))
	case "apt_key":
		out.Module = "apt"
		require("file", func(r resource.Instance) []string {
			if src := textOf(r, "source"); strings.HasPrefix(src, "/") {
				return []string{src}
			}
			return nil
		})
	default:
		anchor, ok := installAnchor(name)
		if !ok {
			return nil
		}
		require("anchor", always(anchor))
	}
	return out
}

// installAnchor is the anchor that OpenStack's settings wait for: the end of their service's installation.
func installAnchor(typ string) (string, bool) {
	if _, ok := settingFiles[strings.ToUpper(typ[:1])+typ[1:]]; !ok {
		return "", false
	}
	service, _, _ := strings.Cut(typ, "_")
	switch {
	case service == "ceph", typ == "keystone_puppet_config", typ == "keystone_uwsgi_config", service == "congress":
		return "", false
	case service == "eswitchd", service == "ovn", typ == "ironic_neutron_agent_config":
		service = "neutron"
	case strings.HasPrefix(service, "virt"), service == "libvirtd":
		service = "nova"
	}
	return service + "::install::end", true
}

func textOf(r resource.Instance, attr string) string {
	s, _ := r.Get(attr).(value.String)
	return string(s)
}
