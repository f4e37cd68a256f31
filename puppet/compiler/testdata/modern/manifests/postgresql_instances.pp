# machines: debian-12-x86_64 redhat-9-x86_64
node /^postgresql_instances[.]/ {
  class { 'postgresql::server':
    package_ensure => latest, service_manage => false,
  }
  class { 'postgresql::client': package_ensure => latest }
  include postgresql::lib::java
  include postgresql::lib::python
  include postgresql::lib::devel
  postgresql::server::config_entry { 'max_connections': value => 300 }
  postgresql::server::reassign_owned_by { 'move': db => 'a', old_role => 'x', new_role => 'y' }
}
