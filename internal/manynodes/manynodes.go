// Package manynodes makes a fleet for tests: a control repo, and the facts of as many nodes as one likes.
//
// Each node has one of 50 roles, a name, addresses and 300 facts of its own; a tenth have data of their own. A catalog
// has 300 resources, of which 10 have something of the node in them. The same number gives the same bytes, always.
//
// It imports nothing of Bunraku. Start reading at Site and Facts.
package manynodes

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// What the fleet has.
const (
	Roles     = 50
	profiles  = 60
	perRole   = 11  // profiles of a role
	filesOf   = 27  // resources of a profile, about
	factCount = 300 // of a node

	otherFacts = 11 // of those, which are not only numbered
)

// A Change is what the second revision of the repo is.
type Change int

// The changes.
const (
	None    Change = iota // the first revision
	Nowhere               // code and data that no node asks for
	Some                  // one line of data, for 640 of each 10,000 nodes
	Role                  // code of one role
	All                   // a class that all have
)

// Site is the files of the control repo for a number of nodes, by their paths in it.
func Site(nodes int, c Change) map[string]string {
	files := map[string]string{
		"environment.conf": "modulepath = modules\n",
		"manifests/site.pp": "File { backup => false }\nnode default { include " +
			"\"role::${facts['role']}\" }\n",
		"hiera.yaml":                           hiera,
		"data/common.yaml":                     common(c),
		"data/os/Debian.yaml":                  "profile::base::pager: less\n",
		"data/os/RedHat.yaml":                  "profile::base::pager: more\n",
		"modules/profile/manifests/base.pp":    base,
		"modules/profile/manifests/unused.pp":  "class profile::unused { notify { 'old': } }\n",
		"modules/profile/manifests/setting.pp": setting,
		"modules/profile/templates/motd.erb":   motd,
		"modules/profile/templates/host.epp":   host,
		"modules/profile/functions/limit.pp":   "function profile::limit(Integer $n) >> Integer { min($n, 65535) }\n",
		"data/groups/canary.yaml":              "profile::base::level: 5\n",
		"data/groups/steady.yaml":              "profile::base::level: 3\n",
	}
	switch c {
	case Nowhere:
		files["modules/profile/manifests/unused.pp"] = "class profile::unused { notify { 'new': } }\n"
	case Some:
		files["data/groups/canary.yaml"] = "profile::base::level: 6\n"
	case All:
		files["modules/profile/manifests/base.pp"] = strings.Replace(base, "'0644'", "'0640'", 1)
	}
	for i := range profiles {
		files[fmt.Sprintf("modules/profile/manifests/p%02d.pp", i)] = profile(i)
	}
	for i := range Roles {
		text := fmt.Sprintf("class role::r%02d {\n  include profile::base\n", i)
		for j := range perRole {
			text += fmt.Sprintf("  include profile::p%02d\n", (i+j*j)%profiles)
		}
		if c == Role && i == 7 {
			text += "  notify { 'a new resource of one role': }\n"
		}
		files[fmt.Sprintf("modules/role/manifests/r%02d.pp", i)] = text + "}\n"
		files[fmt.Sprintf("data/roles/r%02d.yaml",
			i)] = fmt.Sprintf("profile::base::purpose: purpose %d\nprofile::p%02d::port: %d\n",
			i, i%profiles, 8000+i)
	}
	for i := 0; i < nodes; i += 10 {
		files["data/nodes/"+Name(i)+".yaml"] = fmt.Sprintf("profile::base::contact: owner%d@example.com\n", i)
	}
	return files
}

// Alike is a control repo whose catalogs have nothing of a node but its role, system, group and size in them: as many
// nodes as one likes have 198 of them: 150 of roles and sizes, and 48 of those also in the group that Some changes.
func Alike(c Change) map[string]string {
	files := Site(0, c)
	const path = "modules/profile/manifests/base.pp"
	text := files[path]
	loop, end := strings.Index(text, "  $facts['networking']['interfaces'].each"), strings.Index(text, "  file { '/etc/default/id'")
	lines := strings.SplitAfter(text[:loop]+text[end:], "\n")
	files[path] = strings.Join(slices.DeleteFunc(lines, func(line string) bool {
		return slices.ContainsFunc([]string{"['networking']", "template(", "epp(", "['system_id']"},
			func(own string) bool { return strings.Contains(line, own) })
	}), "")
	return files
}

// Name is that of a node.
func Name(i int) string { return fmt.Sprintf("n%06d.dc%d.example.com", i, i%4) }

// Reached are the nodes that Some changes.
func Reached(i int) bool { return i%125 < 8 }

const hiera = `version: 5
defaults: { datadir: data, data_hash: yaml_data }
hierarchy:
  - { name: node, path: "nodes/%{trusted.certname}.yaml" }
  - { name: group, path: "groups/%{facts.group}.yaml" }
  - { name: role, path: "roles/%{facts.role}.yaml" }
  - { name: os, path: "os/%{facts.os.family}.yaml" }
  - { name: common, path: common.yaml }
`

func common(c Change) string {
	var b strings.Builder
	b.WriteString("lookup_options:\n  profile::base::admins: { merge: unique }\nprofile::base::admins: [ada, grace]\n")
	for i := range profiles {
		fmt.Fprintf(&b, "profile::p%02d::owner: svc%02d\n", i, i)
	}
	if c == Nowhere {
		b.WriteString("nobody::asks: 1\n")
	}
	return b.String()
}

const base = `class profile::base(
  String $pager, Integer $level, String $purpose, Array[String] $admins, String $contact = 'ops@example.com',
) {
  package { ['openssh-server', 'rsyslog', 'chrony']: ensure => installed }
  service { ['ssh', 'rsyslog', 'chrony']: ensure => running, enable => true }
  file { '/etc/profile.d/pager.sh': mode => '0644', content => "export PAGER=${pager}\n" }
  file { '/etc/level': content => "${level}\n" }
  file { '/etc/motd': content => template('profile/motd.erb') }
  file { '/etc/hosts': content => epp('profile/host.epp', { 'contact' => $contact }) }
  file { '/etc/hostname': content => "${facts['networking']['hostname']}\n" }
  file { '/etc/issue': content => "Debian\n" }
  file { '/etc/ssh/banner': content => "This is ${facts['networking']['fqdn']}.\n" }
  file { '/etc/machine-info': content => "DEPLOYMENT=${facts['networking']['mac']}\n" }
  file { '/etc/mailname': content => "${facts['networking']['fqdn']}\n" }
  $facts['networking']['interfaces'].each |$name, $it| {
    file { "/etc/network/interfaces.d/${name}":
      content => "iface ${name} inet static\n  address ${it['ip']}\n  hwaddress ${it['mac']}\n",
    }
  }
  file { '/etc/default/id': content => "ID=${facts['system_id']}\nSERIAL=${facts['fact_007']}\n" }
  file { '/etc/default/tune': content => "mem=${profile::limit($facts['memory_mb'])}\ncpus=${facts['processors']['count']}\n" }
  $admins.each |$who| { user { $who: ensure => present, groups => ['sudo'], managehome => true } }
  if $facts['os']['family'] == 'Debian' { file { '/etc/apt/apt.conf.d/10periodic': content => "x 1;\n" } }
  else { file { '/etc/yum/periodic.conf': content => "x=1\n" } }
}
`

const setting = `define profile::setting(String $path, String $value = 'on', String $owner = 'root') {
  file { $path: ensure => file, owner => $owner, content => "# ${title}\nvalue = ${value}\n" }
}
`

const motd = `Welcome to <%= @facts['networking']['fqdn'] %> (<%= @purpose %>)
<% @admins.each do |a| -%>
  <%= a %>
<% end -%>
`

const host = `<%- | String $contact | -%>
127.0.0.1 localhost
<%= $facts['networking']['ip'] %> <%= $facts['networking']['fqdn'] %> <%= $facts['networking']['hostname'] %>
# <%= $contact %>
`

func profile(i int) string {
	var b strings.Builder
	fmt.Fprintf(&b, `class profile::p%02[1]d(
  String $owner, Integer[1, 65535] $port = %[2]d, String $ensure = 'installed', Hash[String, String] $settings = {},
) {
  $dir = '/etc/p%02[1]d'
  package { 'p%02[1]d': ensure => $ensure }
  file { $dir: ensure => directory, owner => $owner, mode => '0755', require => Package['p%02[1]d'] }
  file { "${dir}/main.conf": content => "port = ${profile::limit($port)}\nowner = ${owner}\n", owner => $owner }
  ['a', 'b', 'c', 'd', 'e'].each |$x| {
    profile::setting { "p%02[1]d ${x}": path => "${dir}/${x}.conf", owner => $owner, value => $settings[$x] ? {
      undef => 'default', default => $settings[$x] } }
  }
  service { 'p%02[1]d': ensure => running, enable => true, subscribe => File["${dir}/main.conf"] }
`, i, 1024+i)
	for j := range filesOf - 15 {
		fmt.Fprintf(&b, "  file { \"${dir}/part%d\": content => 'part %d of %d', mode => '0644', owner => $owner, group => "+
			"'adm' }\n",
			j, j, i)
	}
	b.WriteString("}\n")
	return b.String()
}

// Facts are the facts of a node, as facter prints them. They are written without a detour over values: whoever measures
// a million nodes does not want to measure this.
func Facts(i int) []byte {
	name := Name(i)
	short, domain, _ := strings.Cut(name, ".")
	family, system := "Debian", "Debian"
	if i%5 == 4 {
		family, system = "RedHat", "CentOS"
	}
	group := "steady"
	if Reached(i) {
		group = "canary"
	}
	mac := func(j int) string { return fmt.Sprintf("52:54:%02x:%02x:%02x:%02x", j, i>>16&255, i>>8&255, i&255) }
	ip := func(j int) string { return fmt.Sprintf("10.%d.%d.%d", i>>16&255+16*j, i>>8&255, i&255) }
	out := make([]byte, 0, 12<<10)
	out = fmt.Appendf(out, `{"clientcert":"%s"`, name)
	for j := range factCount - otherFacts {
		out = append(out, `,"fact_`...)
		out = append(out, byte('0'+j/100), byte('0'+j/10%10), byte('0'+j%10))
		out = append(out, `":"value `...)
		out = strconv.AppendInt(out, int64(j), 10)
		out = append(out, " of "...)
		out = strconv.AppendInt(out, int64(i*31+j*j), 10)
		out = append(out, '"')
	}
	out = fmt.Appendf(out, `,"group":"%s","is_virtual":true,"kernel":"Linux","memory_mb":%d,"networking":{"domain":"%s",`+
		`"fqdn":"%s","hostname":"%s","interfaces":{`, group, 1024<<(i%6), domain, name, short)
	for j := range 3 {
		if j > 0 {
			out = append(out, ',')
		}
		out = fmt.Appendf(out, `"eth%d":{"ip":"%s","mac":"%s"}`, j, ip(j), mac(j))
	}
	return fmt.Appendf(out, `},"ip":"%s","mac":"%s"},"os":{"family":"%s","name":"%s","release":{"full":"12.4",`+
		`"major":"12"}},"processors":{"count":%d,"models":["A","B"]},"role":"r%02d","system_id":"%08x-0000-4000-8000-%012x",`+
		`"system_uptime":{"days":%d,"seconds":%d}}`, ip(0), mac(0), family, system, 1<<(i%5), i%Roles,
		i*2654435761%4294967296, i, i%400, 1000+i*37)
}

// Write writes the control repo, and the facts of the nodes into its directory facts.
func Write(dir string, nodes int, c Change) error {
	for path, text := range Site(nodes, c) {
		if err := write(filepath.Join(dir, path), []byte(text)); err != nil {
			return err
		}
	}
	for i := range nodes {
		if err := write(filepath.Join(dir, "facts", Name(i)+".json"), Facts(i)); err != nil {
			return err
		}
	}
	return nil
}

func write(path string, text []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, text, 0o644)
}
