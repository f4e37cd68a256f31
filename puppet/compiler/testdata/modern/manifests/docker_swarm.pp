# machines: debian-12-x86_64
node /^docker_swarm[.]/ {
  class { 'docker': docker_ee => false, use_upstream_package_source => false, service_state => 'stopped' }
  docker::swarm { 'cluster': init => true, advertise_addr => '10.0.0.1', listen_addr => '10.0.0.1', default_addr_pool => ['10.20.0.0/16'], default_addr_pool_mask_length => '24' }
  docker::services { 'web': create => true, service_name => 'web', image => 'nginx', publish => '80:80', replicas => '3', env => ['A=b'], label => ['x=y'], mounts => ['type=bind,source=/a,target=/b'], networks => ['n'], extra_params => ['--update-delay 1m', '--restart-window 30s'] }
  docker::services { 'scale': create => false, scale => true, service_name => 'web', replicas => '5' }
  docker::secrets { 'key': secret_name => 'key', secret_path => '/root/key', label => ['a=b'] }
  docker_stack { 'shop': ensure => present, compose_files => ['/srv/shop.yml', '/srv/more.yml'] }
  docker::plugin { 'vieux/sshfs': plugin_alias => 'sshfs', settings => ['debug=1'] }
  docker::system_user { 'me': }
}
