package compiler_test

// tracedSite is an environment that asks every kind of question: node statements, classes and defines that are found in
// several ways, functions, type aliases and types of its own, all ways to name data, templates and files.
var tracedSite = map[string]string{
	"environment.conf": "modulepath = site:modules\n",
	"hiera.yaml": `version: 5
defaults: { datadir: data, data_hash: yaml_data }
hierarchy:
  - { name: node, path: "nodes/%{trusted.certname}.yaml" }
  - { name: role, path: "roles/%{facts.role}.yaml" }
  - { name: os, paths: ["os/%{facts.os.family}.yaml", "os/%{facts.os.family}-%{facts.os.release.major}.yaml"] }
  - { name: parts, glob: "parts/*.yaml" }
  - { name: tiers, mapped_paths: [facts.tiers, tier, "tiers/%{tier}.yaml"] }
  - { name: json, data_hash: json_data, path: "more.json" }
  - { name: common, path: "common.yaml" }
`,
	"data/common.yaml": `# common
lookup_options:
  base::packages: { merge: unique }
  '^web::.*_options$': { merge: { strategy: deep } }
base::packages: [vim, curl]
base::motd: "Welcome to %{facts.networking.fqdn} (%{lookup('site_name')})"
site_name: Example
web::port: 80
web::vhost_options: { a: { x: 1 }, b: 2 }
unused::key: nobody
spare: { one: 1, two: [1, 2] }
admins: [ann, bob]
`,
	"data/os/Debian.yaml":   "web::package: nginx-light\nbase::packages: [apt-utils]\nnever: 1\n",
	"data/os/RedHat.yaml":   "web::package: nginx\n",
	"data/roles/web.yaml":   "web::port: 8080\nweb::vhost_options: { a: { y: 2 } }\nclasses: [web, base]\n",
	"data/roles/db.yaml":    "classes: [base]\n",
	"data/parts/10.yaml":    "parts_key: ten\n",
	"data/parts/20.yaml":    "parts_key: twenty\nother_part: 3\n",
	"data/tiers/gold.yaml":  "tier_key: gold\n",
	"data/more.json":        `{"json_key": {"deep": [1, 2, 3]}, "json_other": null}`,
	"data/nodes/other.yaml": "web::port: 1\n",
	"manifests/00_top.pp":   "$area = $facts['zone'] ? { undef => 'none', default => $facts['zone'] }\nFile { mode => '0644' }\n",
	"manifests/10_nodes.pp": "node 'n1.example.com' { include role }\nnode /^db\\d+\\./ { include base }\nnode default { include role notify { \"z ${area}\": } }\n",
	"manifests/20_local.pp": "class local_only($p = lookup('spare')) { notify { 'local': message => $p['one'] } }\ndefine pair($v) { notify { \"pair ${title}\": message => $v } }\n",
	"functions/short.pp":    "function short(String $s) >> String { $s[0, 3] }\n",
	"types/envport.pp":      "type Envport = Integer[1, 65535]\n",
	"site/role/metadata.json": `{"name": "x-role", "version": "1.0.0", "author": "x", "source": "s", "license": "l",
 "dependencies": [{"name": "x-base"}]}`,
	"site/role/manifests/init.pp": `# the role
class role {
  include $facts['role'] ? { 'web' => role::web, 'db' => role::db, default => role::plain }
  pair { 'a': v => short('abcdef') }
  if $facts['virtual'] == 'physical' { include base::hardware } else { notify { 'virtual': } }
}
`,
	"site/role/manifests/web.pp":   "class role::web { include web\n  include base\n  include local_only\n  Class['base'] -> Class['web']\n}\n",
	"site/role/manifests/db.pp":    "class role::db inherits role::plain { Notify['plain'] { message => 'db' } }\n",
	"site/role/manifests/plain.pp": "class role::plain { notify { 'plain': } include base }\n",
	"modules/base/metadata.json": `{"name": "x-base", "version": "0.9.1", "author": "x", "source": "s", "license": "l",
 "dependencies": []}`,
	"modules/base/manifests/init.pp": `class base(
  Array[String] $packages = [],
  Base::Text $motd = 'none',
  Hash $extra = {},
  $level = undef,
) {
  $packages.each |$p| { package { $p: ensure => installed } }
  file { '/etc/motd': content => epp('base/motd.epp', { text => $motd, fqdn => $facts['networking']['fqdn'] }) }
  file { '/etc/base.conf': content => template('base/base.conf.erb') }
  file { '/etc/issue': content => file('base/issue') }
  if $level and $level > 3 { notify { 'high': } } elsif $extra['on'] { notify { 'extra': } }
  case $facts['os']['family'] {
    'Debian': { base::line { 'deb': order => 1 } }
    'RedHat': { base::line { 'rpm': order => 2 } }
    default: { fail('unknown family') }
  }
  $admins = lookup('admins', Array, 'first', [])
  @user { $admins: ensure => present }
  User <| title == 'ann' or title == 'carol' |> { shell => '/bin/sh' }
  $found = find_file('base/none', 'base/issue')
  notify { 'found': message => $found }
  $deep = lookup('json_key.deep', { default_value => [] })
  notify { 'deep': message => $deep.map |$x| { $x * 2 } }
  notify { 'part': message => lookup({ name => 'parts_key', merge => 'unique', default_value => [] }) }
  notify { 'tier': message => lookup('tier_key', { default_value => 'none' }) }
}
`,
	"modules/base/manifests/line.pp":       "define base::line(Integer $order, String $text = \"line ${title}\") { base_line { $title: order => $order, text => $text } }\n",
	"modules/base/manifests/hardware.pp":   "class base::hardware { notify { \"hw ${facts['memorysize']}\": } }\n",
	"modules/base/manifests/unused.pp":     "class base::unused { notify { 'unused': } }\n",
	"modules/base/types/text.pp":           "type Base::Text = Variant[Base::Row, Array[Base::Row]]\n",
	"modules/base/types/row.pp":            "type Base::Row = String[0, 200]\n",
	"modules/base/functions/double.pp":     "function base::double(Numeric $n) { $n * 2 }\n",
	"modules/base/templates/motd.epp":      "<%- | String $text, String $fqdn, Boolean $long = false | -%>\n<%= $text %>\n<% if $long { -%>\nlong <%= $fqdn %>\n<% } else { -%>\nshort\n<% } -%>\n",
	"modules/base/templates/base.conf.erb": "<%# comment -%>\nfqdn <%= @facts['networking']['fqdn'] %>\n<% if @level -%>\nlevel <%= @level %>\n<% end -%>\n<% @packages.sort.each do |p| -%>\npkg <%= p %>\n<% end -%>\narea <%= scope['::area'] %>\n",
	"modules/base/files/issue":             "Issue\n",
	"modules/base/lib/puppet/type/base_line.rb": `require 'puppet_x/base/helper'
Puppet::Type.newtype(:base_line) do
  newparam(:name, namevar: true)
  newparam(:order)
  newparam(:text)
end
`,
	"modules/base/lib/puppet_x/base/helper.rb":         "module PuppetX; module Base; end; end\n",
	"modules/base/lib/puppet/functions/base_secret.rb": "Puppet::Functions.create_function(:base_secret) { dispatch(:x) {}; def x; 1; end }\n",
	"modules/web/metadata.json": `{"name": "x-web", "version": "2.0.0", "author": "x", "source": "s", "license": "l",
 "dependencies": [{"name": "x-base", "version_requirement": ">= 0.1"}]}`,
	"modules/web/hiera.yaml":  "version: 5\ndefaults: { datadir: data, data_hash: yaml_data }\nhierarchy: [{ name: c, path: c.yaml }]\n",
	"modules/web/data/c.yaml": "web::workers: 4\nweb::spare: 1\n",
	"modules/web/manifests/init.pp": `class web(Web::Port $port, String $package = 'httpd', Integer $workers = 1, Hash $vhost_options = {}, $user = undef) {
  package { $package: ensure => installed } -> service { 'web': ensure => running }
  $ports = [$port, base::double($port)]
  web::vhost { 'main': port => $port, options => $vhost_options }
  unless $user =~ Undef { user { $user: ensure => present } }
  notify { "workers ${workers} ${ports.join(',')}": tag => 'w' }
  $mode = $workers ? { 1 => 'single', 4 => 'four', default => 'many' }
  notify { "mode ${mode}": require => Package[$package] }
}
`,
	"modules/web/manifests/vhost.pp":  "define web::vhost(Web::Port $port, Hash $options) {\n  $options.each |$k, $v| { notify { \"vhost ${title} ${k}\": message => $v } }\n}\n",
	"modules/web/manifests/old.pp":    "class web::old { include web::gone }\n",
	"modules/web/types/port.pp":       "type Web::Port = Envport\n",
	"modules/spare/manifests/init.pp": "class spare { notify { 'spare': } }\n",
}

// tracedFacts are the facts of its nodes.
var tracedFacts = map[string]string{
	"n1.example.com":  `{"role":"web","os":{"family":"Debian","name":"Debian","release":{"major":"12"}},"networking":{"fqdn":"n1.example.com","ip":"192.0.2.1"},"virtual":"kvm","tiers":["gold","silver"],"memorysize":"2 GB","idle":{"a":1}}`,
	"db1.example.com": `{"role":"db","os":{"family":"RedHat","name":"Rocky","release":{"major":"9"}},"networking":{"fqdn":"db1.example.com","ip":"192.0.2.2"},"virtual":"physical","tiers":[],"memorysize":"4 GB","zone":"b"}`,
	"p1.example.com":  `{"role":"other","os":{"family":"Debian","name":"Debian","release":{"major":"11"}},"networking":{"fqdn":"p1.example.com","ip":"192.0.2.3"},"virtual":"physical","memorysize":"8 GB","zone":"a"}`,
}
