# machines: redhat-9-x86_64
node /^selinux_policy[.]/ {
  class { 'selinux': mode => 'enforcing', type => 'targeted', boolean => { 'httpd_can_network_connect' => {} }, port => { 'p' => { 'seltype' => 'http_port_t', 'protocol' => 'tcp', 'port' => 8888 } } }
  selinux::fcontext { '/srv/web(/.*)?': seltype => 'httpd_sys_content_t' }
  selinux::fcontext::equivalence { '/opt/w': target => '/srv/web' }
  selinux::boolean { 'ftpd': ensure => 'off', persistent => false }
  selinux::port { 'range': seltype => 'x_t', protocol => 'udp', port_range => [5000, 5100] }
  selinux::permissive { 'oddjob_mkhomedir_t': ensure => 'present' }
  selinux::module { 'mod': ensure => 'present', content_te => "module m 1.0;\n", builder => 'simple' }
  selinux::login { 'l': selinux_login_name => 'u', selinux_user => 'staff_u' }
}
