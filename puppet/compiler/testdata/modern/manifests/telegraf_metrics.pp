# machines: debian-12-x86_64 redhat-9-x86_64
node /^telegraf_metrics[.]/ {
  class { 'telegraf': hostname => 'h', outputs => { 'influxdb' => [{ 'urls' => ['http://i:8086'], 'database' => 't', 'skip' => false }] }, inputs => { 'cpu' => [{ 'percpu' => true, 'totalcpu' => true }], 'net' => [{}] }, global_tags => { 'dc' => 'x' }, interval => '60s', manage_repo => false, metric_buffer_limit => 10000 }
  telegraf::input { 'my_exec': plugin_type => 'exec', options => [{ 'commands' => ['/bin/a'], 'timeout' => '5s', 'tags' => { 'a' => 'b' }, 'n' => 1.5 }] }
  telegraf::output { 'my_out': plugin_type => 'file', options => [{ 'files' => ['stdout'] }] }
  telegraf::processor { 'rename': options => [{ 'replace' => [{ 'measurement' => 'x', 'dest' => 'y' }] }] }
}
