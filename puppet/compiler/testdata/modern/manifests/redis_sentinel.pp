# machines: debian-12-x86_64 redhat-9-x86_64 ubuntu-24.04-x86_64
node /^redis_sentinel[.]/ {
  class { 'redis':
    bind => ['10.0.0.1', '::1'], requirepass => Sensitive('pw'), maxmemory => '1gb', maxmemory_policy => 'allkeys-lru',
    save_db_to_disk => true, save_db_to_disk_interval => { '900' => '1', '300' => '10' }, manage_repo => false, ulimit => 70000, ulimit_managed => true,
  }
  class { 'redis::sentinel':
    master_name => 'cow', redis_host => '192.168.1.5', failover_timeout => 30000, auth_pass => Sensitive('x'), notification_script => '/path/n.sh', quorum => 3,
  }
  redis::instance { 'second': port => 6380, appendonly => true, slaveof => '10.0.0.1 6379', masterauth => 'pw', rename_commands => { 'flushdb' => '', 'config' => 'c' } }
  redis::instance { 'third': port => 0, unixsocket => '/run/redis-third.sock', unixsocketperm => '0770' }
  include redis::administration
}
