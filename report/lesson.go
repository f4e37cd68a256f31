package report

import "regexp"

// A Lesson is what there is to learn about a code: what it means, the smallest code that has it, and what to write
// instead. Tests check every example and every cure.
type Lesson struct {
	What    string
	Example string // a manifest that has the problem
	Cure    string // the same without it
}

// LessonOf is the lesson about a code; ok is false for codes whose messages say all there is to say.
func LessonOf(code string) (l Lesson, ok bool) {
	l, ok = lessons[code]
	return l, ok
}

var codeForm = regexp.MustCompile(`^[A-Z]\d{3,4}$`)

// IsCode reports whether a word has the form of a code.
func IsCode(s string) bool { return codeForm.MatchString(s) }

var lessons = map[string]Lesson{
	"V101": {
		What: "Two resources whose order matters, and nothing orders them. An agent goes by the order in the catalog, which\n" +
			"is that of the code; it works until somebody moves a line, or splits a class.",
		Example: "package { 'nginx': ensure => installed }\n" +
			"file { '/etc/nginx/conf.d/a.conf': content => \"gzip on;\\n\" }\n",
		Cure: "package { 'nginx': ensure => installed }\n" +
			"file { '/etc/nginx/conf.d/a.conf': content => \"gzip on;\\n\", require => Package['nginx'] }\n",
	},
	"V206": {
		What:    "A command without a guard runs in every run of the agent, and every run reports a change.",
		Example: "exec { '/bin/mkdir -p /opt/app': }\n",
		Cure:    "exec { '/bin/mkdir -p /opt/app': creates => '/opt/app' }\n",
	},
	"V207": {
		What: "A run writes a file of facts, and code asks for them: what the next run applies is another catalog. Nobody sees\n" +
			"it on machines that have had their second run.",
		Example: "file { '/etc/facter/facts.d/role.txt': content => \"role=web\\n\" }\n" +
			"if $facts['role'] == 'web' { file { '/srv/www': ensure => directory } }\n",
		Cure: "$role = 'web'\nfile { '/etc/facter/facts.d/role.txt': content => \"role=${role}\\n\" }\n" +
			"if $role == 'web' { file { '/srv/www': ensure => directory } }\n",
	},
	"V209": {
		What:    "A command with refreshonly waits to be notified, and nothing notifies it: it never runs.",
		Example: "exec { '/usr/bin/systemctl daemon-reload': refreshonly => true }\n",
		Cure: "file { '/etc/systemd/system/a.service': content => \"[Unit]\\n\" }\n" +
			"~> exec { '/usr/bin/systemctl daemon-reload': refreshonly => true }\n",
	},
	"C0001": {
		What:    "Resources wait for each other: no order satisfies all of them, and an agent refuses the catalog.",
		Example: "notify { 'a': require => Notify['b'] }\nnotify { 'b': require => Notify['a'] }\n",
		Cure:    "notify { 'a': require => Notify['b'] }\nnotify { 'b': }\n",
	},
	"E0552": {
		What:    "A relationship to a resource that is not in the catalog.",
		Example: "notify { 'a': require => Notify['b'] }\n",
		Cure:    "notify { 'a': require => Notify['b'] }\nnotify { 'b': }\n",
	},
	"E0412": {
		What: "A parameter has a type, and the value that it got does not fit. The message says where the value comes from:\n" +
			"code, a default, or a level of Hiera.",
		Example: "class web(Integer $port) { }\nclass { 'web': port => '80' }\n",
		Cure:    "class web(Integer $port) { }\nclass { 'web': port => 80 }\n",
	},
	"E0509": {
		What:    "A class is asked for that no manifest and no module has. The name decides where it is looked for.",
		Example: "class { 'nginx::sevice': }\n",
		Cure:    "class nginx::service { }\nclass { 'nginx::service': }\n",
	},
	"E0510": {
		What: "A resource of one type and title is declared twice. Declare it once, or where several modules need it, " +
			"virtually.",
		Example: "package { 'git': }\npackage { 'git': }\n",
		Cure:    "@package { 'git': }\nrealize(Package['git'])\nrealize(Package['git'])\n",
	},
	"P0001": {
		What:    "The text is no Puppet code at the place that is shown. Often what is missing stands just before it.",
		Example: "file { '/tmp/x'\n  ensure => file,\n}\n",
		Cure:    "file { '/tmp/x':\n  ensure => file,\n}\n",
	},
}
