# machines: debian-12-x86_64
node /^zabbix_proxy[.]/ {
  class { 'zabbix::proxy': zabbix_server_host => '10.0.0.1', database_type => 'sqlite', database_name => '/var/lib/z.db', manage_repo => true, zabbix_version => '6.0', startpollers => 9, logslowqueries => 300 }
}
