# machines: debian-12-x86_64 redhat-9-x86_64
node /^consul_agent[.]/ {
  class { 'consul':
    version => '1.18.0', pretty_config => true, pretty_config_indent => 2,
    config_hash => { 'bootstrap_expect' => 1, 'data_dir' => '/opt/consul', 'datacenter' => 'east', 'log_level' => 'INFO', 'server' => true, 'retry_join' => ['10.0.0.1'], 'ports' => { 'http' => 8500, 'grpc' => -1 }, 'performance' => { 'raft_multiplier' => 1 } },
    services => { 'web' => { 'port' => 80, 'tags' => ['a'], 'checks' => [{ 'args' => ['/bin/true'], 'interval' => '10s' }] } },
    checks => { 'mem' => { 'interval' => '10s', 'args' => ['/bin/mem'] } },
    extra_options => '-ui', join_wan => 'wan.example.com',
  }
  consul::service { 'redis': checks => [{ 'http' => 'http://localhost:6379', 'interval' => '10s', 'timeout' => '5s' }], port => 6379, tags => ['master'], meta => { 'a' => 'b' }, service_config_hash => { 'weights' => { 'passing' => 1 } } }
  consul::watch { 'my': type => 'key', key => 'a/b', handler => '/bin/h' }
  consul::check { 'tcp': tcp => 'localhost:22', interval => '10s', notes => 'n' }
}
