# machines: debian-12-x86_64 redhat-9-x86_64 ubuntu-24.04-x86_64
node /^docker_host[.]/ {
  class { 'docker':
    version          => '24.0.7',
    tcp_bind         => ['tcp://127.0.0.1:2376'],
    socket_bind      => 'unix:///var/run/docker.sock',
    log_driver       => 'json-file',
    log_opt          => ['max-size=10m', 'max-file=3'],
    dns              => ['10.0.0.53', '10.0.1.53'],
    labels           => ['a=b'],
    extra_parameters => ['--experimental'],
    registry_mirror  => 'https://mirror.example.com',
    docker_users     => ['me', 'you'],
  }
  class { 'docker::compose': ensure => present, version => '2.20.0' }
  class { 'docker::images': images => { 'debian' => { 'image_tag' => '12' } } }
  docker::image { 'redis': image_tag => '7' }
  docker::run { 'web':
    image        => 'nginx:1.25',
    ports        => ['80:80', '443:443'],
    volumes      => ['/srv/web:/usr/share/nginx/html:ro'],
    env          => ['A=b', 'C=d'],
    env_file     => ['/etc/web.env'],
    memory_limit => '512m',
    cpuset       => ['0', '1'],
    depends      => ['cache'],
    hostname     => 'web',
    restart      => 'always',
    labels       => ['traefik=1'],
    health_check_cmd => 'curl -f localhost',
    health_check_interval => 10,
    extra_systemd_parameters => { 'Service' => { 'LimitNOFILE' => 4096 } },
    after_start => "echo 'x'",
  }
  docker::run { 'cache': image => 'redis:7', command => 'redis-server --save 60 1', net => ['back', 'front'], pull_on_start => true, privileged => true, read_only => true }
  docker_network { 'back': ensure => present, driver => 'bridge', subnet => '172.30.0.0/24' }
  docker_volume { 'data': ensure => present }
  docker::registry { 'registry.example.com:5000': username => 'u', password => 'p', email => 'u@example.com' }
  docker::exec { 'reload': container => 'web', command => 'nginx -s reload', tty => true, refreshonly => true }
}
