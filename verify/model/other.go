package model

import (
	"strings"

	"bunraku/resource"
	"bunraku/verify"
	"bunraku/verify/fs"
)

// harmless reports whether an attribute changes nothing on the machine: relations and tags, which the graph has, and what only says how
// to report or to find something.
func harmless(typ, attr string) bool {
	if resource.IsMetaparam(attr) || attr == "name" {
		return true
	}
	switch attr {
	case "backup", "show_diff", "provider", "path", "logoutput":
		return true
	}
	return typ == "Notify" || typ == "Anchor"
}

// remote are types that talk to a service and change no file: what they look after is theirs.
var remote = []string{"Mysql_", "Postgresql_psql", "Postgresql_conn_validator", "Mongodb_", "Rabbitmq_", "Keystone_", "Neutron_network", "Neutron_subnet", "Neutron_router",
	"Firewall", "Vs_bridge", "Vs_config", "Vs_port", "Sysctl_runtime", "Loginctl_user", "Selboolean", "Elasticsearch_", "Grafana_", "Nova_flavor", "Glance_image"}

// other models what has no file of its own here.
func (b *builder) other(it *item) {
	switch it.r.Type {
	case "Notify":
		it.program = fs.Act{}
		return
	case "Anchor", "Whit", "Schedule", "Filebucket", "Stage":
		it.passive = true
		return
	case "Concat_fragment":
		it.passive = true // concat_file reads it
		for _, p := range it.r.Params {
			it.read(p.Name)
		}
		return
	case "Resources":
		if it.truth("purge", false) {
			it.note(verify.Opaque, "it purges every %s that the catalog does not have", it.name)
		}
		return
	}
	var words []string
	for _, p := range it.r.Params {
		if !harmless(it.r.Type, p.Name) {
			it.read(p.Name)
			words = append(words, p.Name+"="+strings.Join(it.list(p.Name), " "))
		}
	}
	put, done := set(it.r.Ref(), strings.Join(words, " "))
	it.program, it.post = put, done
	for _, prefix := range remote {
		if strings.HasPrefix(it.r.Type, prefix) {
			it.note(verify.Approximate, "%s is taken to change nothing but what it looks after", it.r.Type)
			return
		}
	}
	it.note(verify.Opaque, "no model of type %s", strings.ToLower(it.r.Type))
}
