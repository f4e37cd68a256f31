package model

import (
	"path"
	"strings"

	"bunraku/puppet/resource"
	"bunraku/source"
	"bunraku/verify/fs"
)

// A record is all that is known of one type of resources. A new model is one record in the list below, with its
// functions in the file that fits.
type record struct {
	Type string // "File"
	// that brings it; "" for Puppet's own, of which package resource has the namevar and the automatic relations
	Module  string
	Namevar string // "" for name, and for Puppet's own
	// Survey tells the models of other resources what they need to know. May be nil.
	Survey func(b *builder, it *item)
	// Build makes the program. nil for types that look after a line, and for types without a model.
	Build func(b *builder, it *item)
	// Late says that Build needs the programs of all others first.
	Late bool
	// Line is the part of a file that the resource looks after; nil for types that look after something else.
	Line func(it *item, b *builder) (path string, l line, ok bool)
	// Made is the mode of the file that the line is in where the resource makes it; "" for that of any new file.
	Made string
	// Harmless are attributes that need no model, each with the reason.
	Harmless map[string]string
	// Autos are the automatic relations of a type that a module brings, after its autorequire blocks.
	Autos []auto
	// Refuses are the checks that make an agent refuse the whole catalog.
	Refuses []rule
	// Text is the attribute whose value matters only as far as it equals others, while no command and no line speaks of
	// the file; "" if there is none.
	Text string
}

// ownerOnly is the mode of a temporary file, which a new one is copied from where Puppet's provider names no mode
// (ParsedFile).
const ownerOnly = "0600"

// An auto is an automatic relation: what a resource requires if it is in the catalog.
type auto struct {
	target string // type, as resource.Auto has it
	names  func(r resource.Instance) []string
}

// always are names that do not depend on the resource.
func always(names ...string) func(resource.Instance) []string {
	return func(resource.Instance) []string { return names }
}

// passive is the model of what does nothing and never sends events.
func passive(_ *builder, it *item) { it.passive = true }

// records lists what is known, by type.
func records() []record {
	const report, tool, given, number = "it is about the report", "it says which tool is used",
		"when a command is given up is not modelled",
		"a number that nobody declares is not modelled"
	const found, clash, how = "it only reports what was found", "numbers that clash are no errors here",
		"it says how the package is found"
	fileHarmless := map[string]string{
		"checksum_value":          "it names the content that source brings",
		"selinux_ignore_defaults": "labels that nobody declares are not modelled"}
	grants := auto{"file", always("/root/.my.cnf")}
	return []record{
		{Type: "File", Survey: (*builder).surveyFile, Build: (*builder).file, Harmless: fileHarmless, Refuses: fileRefuses,
			Text: "content"},
		{Type: "Concat_file", Module: "concat", Namevar: "path", Survey: (*builder).surveyFile, Build: (*builder).concat,
			Harmless: fileHarmless},
		{Type: "Concat_fragment", Module: "concat", Build: (*builder).fragment, Text: "content"},
		{Type: "Tidy", Build: (*builder).tidy, Harmless: map[string]string{"type": "how old a file is is not known"}},
		{Type: "Archive", Module: "archive", Namevar: "path", Build: (*builder).archive, Autos: []auto{
			{"file", func(r resource.Instance) []string {
				into := textOf(r, "extract_path")
				if target := textOf(r, "target"); target != "" {
					into = target
				}
				return []string{path.Dir(r.Name()), into, "/root/.aws/config", "/root/.aws/credentials"}
			}},
			{"exec", always("install_aws_cli")}}},
		{Type: "Vcsrepo", Module: "vcsrepo", Namevar: "path", Build: (*builder).vcsrepo,
			Autos: []auto{{"package", always("git", "git-core")}}},

		{Type: "Package", Build: (*builder).packageResource, Late: true, Harmless: map[string]string{
			"allow_virtual": how, "allowcdrom": how, "command": tool, "category": found, "description": found, "instance": found,
			"platform": found, "root": found, "status": found, "vendor": found}},
		{Type: "Service", Build: (*builder).service, Refuses: serviceRefuses, Harmless: map[string]string{
			"hasstatus": "it says how the service is asked", "hasrestart": "it says how the service is told",
			"pattern": "it says how the service is asked", "control": "it says how the service is told",
			"binary": "it says how the service is told",
			"path":   "it says where the script is", "timeout": "when a service is given up is not modelled"}},
		{Type: "User", Survey: func(b *builder, it *item) { b.users[it.name] = true }, Build: (*builder).user,
			Refuses: userRefuses,
			Harmless: map[string]string{"allowdupe": clash, "system": number, "forcelocal": tool,
				"attribute_membership": "it says how attributes is read, which is reported",
				"auth_membership":      "it says how auths is read, which is reported",
				"key_membership":       "it says how keys is read, which is reported"}},
		{Type: "Group", Survey: func(b *builder, it *item) { b.groups[it.name] = true }, Build: (*builder).group,
			Refuses: groupRefuses,
			Harmless: map[string]string{"allowdupe": clash, "system": number, "forcelocal": tool,
				"attribute_membership": "it says how attributes is read, which is reported"}},
		{Type: "Exec", Build: (*builder).exec, Refuses: execRefuses, Harmless: map[string]string{
			"path": "commands are known by their names", "timeout": given, "tries": given, "try_sleep": given}},

		{Type: "Host", Line: (*item).hostLine, Made: ownerOnly},
		{Type: "Mailalias", Line: (*item).aliasLine, Made: ownerOnly},
		{Type: "Sshkey", Line: (*item).hostKeyLine},
		{Type: "Mount", Line: (*item).mountLine, Made: ownerOnly, Refuses: []rule{
			one("ensure", []string{"defined", "unmounted", "absent", "mounted"}, "present")}},
		{Type: "Ssh_authorized_key", Line: (*item).keyLine},
		{Type: "Cron", Line: (*item).cronLine},
		{Type: "File_line", Module: "stdlib", Line: (*item).fileLine, Autos: []auto{
			{"file", func(r resource.Instance) []string { return []string{textOf(r, "path")} }}}},
		{Type: "Ini_setting", Module: "inifile", Line: (*item).iniLine,
			Autos: []auto{{"file", func(r resource.Instance) []string {
				if p := textOf(r, "path"); p != "" {
					return []string{path.Dir(p)}
				}
				return nil
			}}}},
		{Type: "Ini_subsetting", Line: (*item).iniLine},
		{Type: "Sysctl", Line: (*item).sysctlLine},
		{Type: "Postgresql_conf", Line: (*item).postgresLine},
		{Type: "Yumrepo", Line: (*item).yumLine},
		{Type: "Augeas", Line: (*item).augeasLine},

		{Type: "Notify", Build: func(_ *builder, it *item) { it.program = fs.Act{} },
			Refuses:  []rule{one("withpath", trueFalse)},
			Harmless: map[string]string{"name": report, "message": report, "withpath": report}},
		{Type: "Anchor", Module: "stdlib", Build: passive},
		{Type: "Whit", Build: passive},
		{Type: "Schedule", Build: passive},
		{Type: "Filebucket", Build: passive},
		{Type: "Stage", Build: passive},
		{Type: "Resources", Build: (*builder).purges, Harmless: map[string]string{
			"unless_system_user": "what is purged is nobody's that the catalog has",
			"unless_uid":         "what is purged is nobody's that the catalog has"}},
		{Type: "Mysql_datadir", Module: "mysql", Namevar: "datadir", Build: (*builder).datadir,
			Autos: []auto{{"package", always("mysql-server")}}},
		// They ask for a class too, but agents know no type of that name and pass it over.
		{Type: "Mysql_database", Module: "mysql", Autos: []auto{grants}},
		{Type: "Mysql_user", Module: "mysql", Autos: []auto{grants}},
		{Type: "Mysql_plugin", Module: "mysql", Autos: []auto{grants}},
		{Type: "Mysql_grant", Module: "mysql", Autos: []auto{grants,
			{"mysql_user", func(r resource.Instance) []string { return []string{textOf(r, "user")} }}}},
		{Type: "Apt_key", Module: "apt", Autos: []auto{{"file", func(r resource.Instance) []string {
			if src := textOf(r, "source"); strings.HasPrefix(src, "/") {
				return []string{src}
			}
			return nil
		}}}},
	}
}

// table holds the records by type. It is filled once, when somebody asks, and never changes: models refer to it and it
// to models, which an initial value could not.
var table struct {
	once   source.Once
	byType map[string]*record
}

// recordOf is what is known of a type: a record without a model if that is nothing.
func recordOf(typ string) *record {
	table.once.Do(func() {
		table.byType = map[string]*record{}
		for _, r := range records() {
			table.byType[r.Type] = &r
		}
	})
	if r := table.byType[typ]; r != nil {
		return r
	}
	if _, ok := settingFiles[typ]; ok {
		r := &record{Type: typ, Line: (*item).settingLine}
		if anchor, ok := installAnchor(strings.ToLower(typ)); ok {
			r.Module, r.Autos = strings.ToLower(typ), []auto{{"anchor", always(anchor)}}
		}
		return r
	}
	return &record{Type: typ}
}

// harmless reports whether an attribute changes nothing on the machine.
func (r *record) harmless(attr string) bool {
	return resource.IsMetaparam(attr) || r.harmlessBecause(attr) != ""
}

// harmlessBecause says why an attribute has no model and needs none; "" if it needs one.
func (r *record) harmlessBecause(attr string) string {
	if why := harmlessAnywhere[attr]; why != "" && !(r.Type == "Package" && attr == "provider") {
		return why
	}
	return r.Harmless[attr]
}

// harmlessAnywhere are attributes that mean the same in every type.
var harmlessAnywhere = map[string]string{
	"backup":    "copies go to a place of Puppet's own",
	"show_diff": "it is about the report",
	"logoutput": "it is about the report",
	"provider":  "it says which tool is used",
}
