# machines: debian-12-x86_64 redhat-9-x86_64
node /^kafka_zk[.]/ {
  class { 'zookeeper': id => '1', servers => { '1' => 'a', '2' => 'b' }, client_ip => '10.0.0.1', max_allowed_connections => 500, tick_time => 3000, cfg_dir => '/etc/zk', purge_interval => 1, snap_retain_count => 3, java_opts => '-Xmx1g', repo => undef, whitelist_4lw => ['ruok', 'stat'], audit_enable => true }
  class { 'kafka': kafka_version => '3.6.0', scala_version => '2.13', mirror_url => 'https://archive.example.com' }
  class { 'kafka::broker': config => { 'broker.id' => '0', 'zookeeper.connect' => 'localhost:2181', 'log.dirs' => '/srv/a,/srv/b' }, env => { 'A' => 'b' }, heap_opts => '-Xmx1g', limit_nofile => '65536', opts => '-Dx' }
  kafka::topic { 'test': ensure => present, zookeeper => 'localhost:2181', replication_factor => 1, partitions => 3, config => { 'retention.ms' => '1000', 'a' => 'b' } }
}
