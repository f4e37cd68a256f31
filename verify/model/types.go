package model

import (
	"strings"

	"bunraku/puppet/resource"
	"bunraku/puppet/value"
)

// Types are the resource types that a relationship graph needs: those of the table, and types that modules bring and
// that have a model here, with their automatic relations. A type that the Lookup knows, because it has read the module,
// is taken from there.
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
		// The concat module's type makes an ordinary file before the agent orders anything, so that it has a file's automatic
		// relations.
		file := known.Type("file")
		if file == nil {
			return nil
		}
		return &resource.Type{Name: name, Module: "concat", Namevars: []string{"path"}, Autos: file.Autos, Ensurable: true,
			Open: true}
	}
	return moduleType(name)
}

// moduleType is what a record says of a type that a module brings.
func moduleType(name string) *resource.Type {
	rec := recordOf(strings.ToUpper(name[:1]) + name[1:])
	if rec.Module == "" {
		return nil
	}
	out := &resource.Type{Name: name, Module: rec.Module, Ensurable: name != "anchor", Open: true}
	if rec.Namevar != "" {
		out.Namevars = []string{rec.Namevar}
	}
	for _, x := range rec.Autos {
		out.Autos = append(out.Autos, resource.Auto{Relation: resource.Require, Target: x.target,
			Names: func(r resource.Instance, _ resource.Instances) []resource.Named {
				var list []resource.Named
				for _, n := range x.names(r) {
					if n != "" {
						list = append(list, resource.Named{Title: n})
					}
				}
				return list
			}})
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
