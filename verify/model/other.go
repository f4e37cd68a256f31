package model

import (
	"slices"
	"strings"

	"bunraku/verify"
	"bunraku/verify/fs"
)

// remote are types that talk to a service and change no file: what they look after is theirs.
var remote = []string{"Mysql_", "Postgresql_psql", "Postgresql_conn_validator", "Mongodb_", "Rabbitmq_", "Keystone_",
	"Neutron_network", "Neutron_subnet", "Neutron_router",
	"Firewall", "Apt_key", "Selmodule", "Zfs", "Zpool", "Zone", "Kmod_", "Vs_bridge", "Vs_config", "Vs_port",
	"Sysctl_runtime", "Loginctl_user", "Selboolean", "Elasticsearch_", "Grafana_", "Nova_flavor", "Glance_image"}

func isRemote(typ string) bool {
	return slices.ContainsFunc(remote, func(prefix string) bool { return strings.HasPrefix(typ, prefix) })
}

// other models what has no model of its own: it sets what it looks after, and nobody else knows of that.
func (b *builder) other(it *item) {
	var words []string
	for _, p := range it.r.Params {
		if !it.rec.harmless(p.Name) {
			it.read(p.Name)
			words = append(words, p.Name+"="+strings.Join(it.list(p.Name), " "))
		}
	}
	put, done := set(it.r.Ref(), strings.Join(words, " "))
	it.program, it.post = put, done
	if isRemote(it.r.Type) {
		it.note(verify.Approximate, "%s is taken to change nothing but what it looks after", it.r.Type)
		return
	}
	it.note(verify.Opaque, "no model of type %s", strings.ToLower(it.r.Type))
}

// purges is the resources type.
func (b *builder) purges(it *item) {
	it.read("noop")
	if !it.truth("purge", false) {
		return
	}
	it.read("unless_system_user", "unless_uid")
	put, done := set("resources of type "+it.name+" that the catalog does not have", "none")
	it.program, it.post = put, done
	it.note(verify.Approximate,
		"what it purges is taken to be nobody else's business: each %s that the catalog does not have", it.name)
}

// datadir is the mysql module's type for a data directory: mysqld fills it unless a mysql directory is in it.
func (b *builder) datadir(it *item) {
	it.read("datadir", "basedir", "user", "defaults_extra_file", "insecure", "log_error")
	if !strings.HasPrefix(it.name, "/") {
		it.note(verify.Opaque, "the path %q is not absolute", it.name)
		return
	}
	d := b.path(it.name)
	made := fs.Is{Path: d + "/mysql", Kind: fs.Dir}
	it.program, it.post = fs.If{Cond: made, Else: fs.Seq{fs.EnsureDir(d), fs.Mkdir{Path: d + "/mysql"}}}, made
	it.note(verify.Approximate, "the other files of the data directory are not modelled")
	it.read("ensure")
}
