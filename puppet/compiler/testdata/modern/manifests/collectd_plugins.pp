# machines: debian-12-x86_64 redhat-9-x86_64
node /^collectd_plugins[.]/ {
  class { 'collectd': purge => true, recurse => true, purge_config => true, minimum_version => '5.5', interval => 20, fqdnlookup => false, typesdb => ['/usr/share/collectd/types.db', '/etc/my.db'], write_queue_limit_high => 1000 }
  class { 'collectd::plugin::cpu': reportbystate => true, valuespercentage => true }
  class { 'collectd::plugin::df': devices => ['/dev/sda1'], mountpoints => ['/', '/srv'], fstypes => ['ext4'], ignoreselected => false, valuespercentage => true }
  class { 'collectd::plugin::disk': disks => ['/^dm/'], ignoreselected => true, udevnameattr => 'DM_NAME' }
  class { 'collectd::plugin::interface': interfaces => ['lo', '/^veth/'], ignoreselected => true, reportinactive => false }
  class { 'collectd::plugin::network': timetolive => '70', maxpacketsize => '42', forward => false, reportstats => true, servers => { '10.0.0.1' => { 'port' => 25827, 'securitylevel' => 'Sign', 'username' => 'u', 'password' => 'p' } }, listeners => { '0.0.0.0' => { 'port' => 25826 } } }
  class { 'collectd::plugin::processes': processes => ['sshd', { 'name' => 'x', 'collect_context_switch' => true }], process_matches => [{ 'name' => 'j', 'regex' => 'java.*' }] }
  class { 'collectd::plugin::write_graphite': carbons => { 'g' => { 'graphitehost' => '10.0.0.2', 'graphiteport' => 2003, 'graphiteprefix' => '', 'protocol' => 'tcp' } } }
  class { 'collectd::plugin::exec': commands => { 'dovecot' => { 'user' => 'nobody', 'group' => 'users', 'exec' => ['/bin/echo', 'A'] } } }
  class { 'collectd::plugin::python': modulepaths => ['/usr/lib/cp'], modules => { 'elastic' => { 'script_source' => 'puppet:///modules/x/e.py', 'config' => [{ 'Cluster' => 'ES', 'Verbose' => true, 'Nested' => ['a', 'b'] }] } }, logtraces => true }
  class { 'collectd::plugin::snmp': data => { 'amavis' => { 'type' => 'counter', 'table' => false, 'instance' => 'amavis', 'values' => ['AMAVIS::inMsgs.0'] } }, hosts => { 'm' => { 'address' => '127.0.0.1', 'version' => 2, 'community' => 'public', 'collect' => ['amavis'], 'interval' => 10 } } }
  class { 'collectd::plugin::tail': files => { 'exim' => { 'filename' => '/var/log/exim', 'instance' => 'e', 'matches' => [{ 'regex' => 'S=([1-9][0-9]*)', 'dstype' => 'CounterAdd', 'type' => 'ipt_bytes', 'instance' => 'total' }] } } }
  class { 'collectd::plugin::filter': ensure => 'present' }
  collectd::plugin::filter::chain { 'PostCache': target => 'write' }
  collectd::plugin::filter::rule { 'r1': chain => 'PostCache' }
  collectd::plugin::filter::match { 'm1': chain => 'PostCache', rule => 'r1', plugin => 'regex', options => { 'Host' => 'customer[0-9]+', 'Plugin' => '^df$' } }
  collectd::plugin::filter::target { 't1': chain => 'PostCache', rule => 'r1', plugin => 'set', options => { 'PluginInstance' => 'x', 'Host' => 'y' } }
  collectd::plugin { 'battery': }
  collectd::type { 'latency': target => '/etc/my.db', ds_type => 'GAUGE', min => 0, max => 65535, ds_name => 'value' }
  collectd::typesdb { '/etc/my.db': }
  class { 'collectd::plugin::aggregation': aggregators => { 'cpu' => { 'plugin' => 'cpu', 'agg_type' => 'cpu', 'groupby' => ['Host', 'TypeInstance'], 'calculateaverage' => true } } }
  class { 'collectd::plugin::genericjmx': jvmarg => '-Xmx1g' }
  collectd::plugin::genericjmx::mbean { 'gc': object_name => 'java.lang:type=GarbageCollector,*', instance_prefix => 'gc-', instance_from => ['name'], values => [{ 'type' => 'invocations', 'table' => false, 'attribute' => 'CollectionCount' }] }
  collectd::plugin::genericjmx::connection { 'c': service_url => 'service:jmx:x', collect => ['gc'], host => 'localhost' }
  class { 'collectd::plugin::postgresql': databases => { 'd' => { 'host' => 'pg.example.com', 'query' => ['q', 'disk_io'] } }, queries => { 'q' => { 'statement' => 'SELECT 1', 'params' => ['database'], 'results' => [{ 'type' => 'counter', 'instanceprefix' => 'p', 'instancesfrom' => 't', 'valuesfrom' => 'v' }] } }, writers => { 's' => { 'statement' => 'INSERT' } } }
}
