# machines: debian-12-x86_64 redhat-9-x86_64
node /^zabbix_agent[.]/ {
  class { 'zabbix::agent': server => '10.0.0.1,10.0.0.2', zabbix_version => '6.0', manage_repo => true, listenip => '10.0.0.5', refreshactivechecks => 60, userparameter => 'x,y', hostnameitem => 'system.hostname', agent_configfile_path => '/etc/zabbix/a.conf', zabbix_alias => ['a', 'b'], tlsaccept => 'psk', tlspskfile => '/p', tlspskidentity => 'i' }
  zabbix::userparameters { 'mysql': content => 'UserParameter=mysql.ping,mysqladmin ping' }
  zabbix::userparameters { 'fromfile': source => 'puppet:///modules/x/y.conf', script => 'puppet:///modules/x/s.sh', script_ext => '.sh', script_dir => '/usr/local/bin' }
}
