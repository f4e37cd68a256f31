# machines: debian-12-x86_64 redhat-9-x86_64
node /^vault_nomad[.]/ {
  class { 'vault': manage_file_capabilities => false, storage => { 'file' => { 'path' => '/tmp' } }, listener => [{ 'tcp' => { 'address' => '127.0.0.1:8200', 'tls_disable' => 1 } }, { 'tcp' => { 'address' => '10.0.0.10:8200' } }], enable_ui => true, telemetry => { 'statsite_address' => 'x' }, extra_config => { 'cluster_name' => 'c' }, version => '1.15.0' }
  class { 'nomad': version => '1.7.0', config_hash => { 'region' => 'us-west', 'datacenter' => 'ptk', 'log_level' => 'INFO', 'bind_addr' => '0.0.0.0', 'data_dir' => '/var/lib/nomad', 'client' => { 'enabled' => true, 'options' => { 'docker.volumes.enabled' => true }, 'servers' => ['a', 'b'] } } }
}
