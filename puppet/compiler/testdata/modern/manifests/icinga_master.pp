# machines: debian-12-x86_64 redhat-9-x86_64
node /^icinga_master[.]/ {
  class { 'icinga2': manage_repos => false, confd => false, constants => { 'ZoneName' => 'master', 'TicketSalt' => 'x' }, features => ['checker', 'mainlog', 'notification'] }
  class { 'icinga2::feature::api': pki => 'none', accept_commands => true, endpoints => { 'NodeName' => {}, 'sat' => { 'host' => '10.0.0.2' } }, zones => { 'ZoneName' => { 'endpoints' => ['NodeName'] }, 'sat' => { 'endpoints' => ['sat'], 'parent' => 'ZoneName' } } }
  class { 'icinga2::feature::influxdb': host => 'i', port => 8086, username => 'u', password => Sensitive('p'), database => 'd', host_measurement => '$host.check_command$', host_tags => { 'hostname' => '$host.name$' } }
  class { 'icinga2::feature::graphite': host => 'g', enable_send_thresholds => true }
  icinga2::object::zone { 'global-templates': global => true }
  icinga2::object::host { 'generic-host': template => true, import => [], target => '/etc/icinga2/t.conf', max_check_attempts => 3, check_interval => '1m', check_command => 'hostalive', vars => { 'a' => 1, 'b' => { 'c' => ['d', 'e'] } } }
  icinga2::object::host { 'web1': import => ['generic-host'], address => '10.0.0.1', target => '/etc/icinga2/h.conf', vars => { 'os' => 'Linux', 'disks["disk /"]' => { 'disk_partitions' => '/' }, 'x' => '-:{{ 1 + 2 }}' }, display_name => "Web's \"one\"" }
  icinga2::object::service { 'ping4': import => ['generic-service'], apply => true, check_command => 'ping4', assign => ['host.address', 'host.vars.os == Linux && host.name != x'], ignore => ['host.vars.noping'], target => '/etc/icinga2/s.conf' }
  icinga2::object::service { 'disk': apply => 'disk => config in host.vars.disks', check_command => 'disk', vars => 'vars + config', assign => ['host.vars.disks'], target => '/etc/icinga2/s.conf', prefix => true }
  icinga2::object::checkcommand { 'my': command => ['PluginDir + /check_my'], arguments => { '-H' => { 'value' => '$host$', 'description' => 'd', 'required' => true }, '--bool' => { 'set_if' => '{{ macro("$x$") == true }}' }, '-n' => 5 }, target => '/etc/icinga2/c.conf', import => ['plugin-check-command'] }
  icinga2::object::timeperiod { 'day': ranges => { 'monday' => '09:00-17:00' }, target => '/etc/icinga2/p.conf' }
  icinga2::object::user { 'ops': email => 'o@example.com', groups => ['g'], states => ['OK', 'Critical'], target => '/etc/icinga2/u.conf' }
  icinga2::object::notification { 'mail': apply => true, apply_target => 'Service', command => 'mail-service', users => ['ops'], interval => 0, assign => ['service.vars.n == 1.5'], target => '/etc/icinga2/n.conf', times => { 'begin' => '2m' } }
  icinga2::object::dependency { 'd': apply => true, apply_target => 'Host', parent_host_name => 'r', disable_checks => true, assign => ['host.vars.p'], target => '/etc/icinga2/d.conf' }
  icinga2::object::scheduleddowntime { 's': apply => true, author => 'a', comment => 'c', ranges => { 'sunday' => '02:00-03:00' }, fixed => true, target => '/etc/icinga2/x.conf', assign => ['host.name'] }
  icinga2::object::apiuser { 'director': password => Sensitive('pw'), permissions => ['*', { 'permission' => 'objects/query/Host', 'filter' => '{{ regex("^Linux", host.vars.os) }}' }], target => '/etc/icinga2/a.conf' }
  icinga2::config::fragment { 'f': target => '/etc/icinga2/f.conf', content => 'x' }
}
