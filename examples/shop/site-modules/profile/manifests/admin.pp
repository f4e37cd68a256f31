# One administrator: the account, and a home directory that others cannot read.
define profile::admin (
  Integer $uid,
  String  $shell = '/bin/bash',
) {
  user { $title:
    ensure  => present,
    uid     => $uid,
    gid     => 'admins',
    shell   => $shell,
    home    => "/home/${title}",
    require => Group['admins'],
  }

  file { "/home/${title}":
    ensure => directory,
    owner  => $title,
    group  => 'admins',
    mode   => '0750',
  }
}
