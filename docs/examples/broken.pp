# Two mistakes, for the README.
class ntp {
  file { '/etc/ntp.conf' ensure => file }
  service { 'ntp':
    ensure => running,
    enable = true,
  }
}
