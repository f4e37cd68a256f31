package model

import (
	"strings"

	"bunraku/puppet/resource"
	"bunraku/verify"
	"bunraku/verify/fs"
)

// harmless reports whether an attribute changes nothing on the machine.
func harmless(typ, attr string) bool {
	return resource.IsMetaparam(attr) || harmlessBecause(typ, attr) != ""
}

// harmlessBecause says why an attribute has no model and needs none; "" if it needs one.
func harmlessBecause(typ, attr string) string {
	if why := harmlessAttributes[attr]; why != "" && !(typ == "Package" && attr == "provider") {
		return why
	}
	return harmlessAttributes[strings.ToLower(typ)+"."+attr]
}

var harmlessAttributes = map[string]string{
	"backup":    "copies go to a place of Puppet's own",
	"show_diff": "it is about the report",
	"logoutput": "it is about the report",
	"provider":  "it says which tool is used",

	"exec.path":      "commands are known by their names",
	"exec.timeout":   "when a command is given up is not modelled",
	"exec.tries":     "when a command is given up is not modelled",
	"exec.try_sleep": "when a command is given up is not modelled",

	"file.checksum_value":                 "it names the content that source brings",
	"file.selinux_ignore_defaults":        "labels that nobody declares are not modelled",
	"concat_file.checksum_value":          "it names the content that source brings",
	"concat_file.selinux_ignore_defaults": "labels that nobody declares are not modelled",
	"tidy.type":                           "how old a file is is not known",

	"group.allowdupe":            "numbers that clash are no errors here",
	"group.system":               "a number that nobody declares is not modelled",
	"group.forcelocal":           "it says which tool is used",
	"group.attribute_membership": "it says how attributes is read, which is reported",
	"user.allowdupe":             "numbers that clash are no errors here",
	"user.system":                "a number that nobody declares is not modelled",
	"user.forcelocal":            "it says which tool is used",
	"user.attribute_membership":  "it says how attributes is read, which is reported",
	"user.auth_membership":       "it says how auths is read, which is reported",
	"user.key_membership":        "it says how keys is read, which is reported",

	"package.allow_virtual": "it says how the package is found",
	"package.allowcdrom":    "it says how the package is found",
	"package.command":       "it says which tool is used",
	"package.category":      "it only reports what was found",
	"package.description":   "it only reports what was found",
	"package.instance":      "it only reports what was found",
	"package.platform":      "it only reports what was found",
	"package.root":          "it only reports what was found",
	"package.status":        "it only reports what was found",
	"package.vendor":        "it only reports what was found",

	"resources.unless_system_user": "what is purged is nobody's that the catalog has",
	"resources.unless_uid":         "what is purged is nobody's that the catalog has",

	"service.hasstatus":  "it says how the service is asked",
	"service.hasrestart": "it says how the service is told",
	"service.pattern":    "it says how the service is asked",
	"service.control":    "it says how the service is told",
	"service.binary":     "it says how the service is told",
	"service.path":       "it says where the script is",
	"service.timeout":    "when a service is given up is not modelled",

	"notify.name":     "it is about the report",
	"notify.message":  "it is about the report",
	"notify.withpath": "it is about the report",
}

// remote are types that talk to a service and change no file: what they look after is theirs.
var remote = []string{"Mysql_", "Postgresql_psql", "Postgresql_conn_validator", "Mongodb_", "Rabbitmq_", "Keystone_", "Neutron_network", "Neutron_subnet", "Neutron_router",
	"Firewall", "Apt_key", "Selmodule", "Zfs", "Zpool", "Zone", "Kmod_", "Vs_bridge", "Vs_config", "Vs_port", "Sysctl_runtime", "Loginctl_user", "Selboolean", "Elasticsearch_", "Grafana_", "Nova_flavor", "Glance_image"}

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
		it.read("noop")
		if it.truth("purge", false) {
			it.read("unless_system_user", "unless_uid")
			put, done := set("resources of type "+it.name+" that the catalog does not have", "none")
			it.program, it.post = put, done
			it.note(verify.Approximate, "what it purges is taken to be nobody else's business: each %s that the catalog does not have", it.name)
		}
		return
	case "Mysql_datadir":
		b.datadir(it)
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
