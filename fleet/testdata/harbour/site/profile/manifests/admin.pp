define profile::admin (
  Integer $uid,
  String $shell = '/bin/bash',
  Boolean $loud = false,
) {
  user { $title:
    uid   => $uid,
    shell => $shell,
  }
  file { "/home/${title}/.greeting":
    content => profile::greeted($title, $loud),
    owner   => $title,
  }
}
