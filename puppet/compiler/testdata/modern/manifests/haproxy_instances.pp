# machines: debian-12-x86_64 redhat-9-x86_64
node /^haproxy_instances[.]/ {
  include haproxy::params
  haproxy::instance { 'group1': package_ensure => 'present' }
  haproxy::listen { 'puppet00':
    instance         => 'group1',
    collect_exported => false,
    bind             => { '0.0.0.0:8800' => '' },
  }
  haproxy::instance_service { 'group1': haproxy_init_source => '/tmp/init', bindir => '/opt/bin' }
}
