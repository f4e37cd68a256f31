# machines: debian-12-x86_64 redhat-9-x86_64 freebsd-14-x86_64
node /^sudo_rules[.]/ {
  class { 'sudo': purge => true, config_file_replace => false, ldap_enable => false, configs => { 'web' => { 'content' => '%web ALL=(ALL) NOPASSWD: ALL', 'priority' => 5 } } }
  sudo::conf { 'admins': priority => 10, content => ['%admins ALL=(ALL) NOPASSWD: ALL', 'Defaults:x !requiretty'] }
  sudo::conf { 'with.dots in name': source => 'puppet:///files/sudo' }
  sudo::conf { 'gone': ensure => absent }
  class { 'sudo::allow': add_users => ['jsmith'], add_groups => ['wheel'] }
}
