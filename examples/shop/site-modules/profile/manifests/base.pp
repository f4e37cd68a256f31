# What every machine has.
#
# @param motd
#   The text that greets people who log in.
# @param admins
#   Accounts of the people who look after the machines: name => { uid, shell }.
# @param packages
#   Tools that we want everywhere.
class profile::base (
  String                                                             $motd,
  Hash[String, Struct[{ uid => Integer, Optional[shell] => String }]] $admins   = {},
  Array[String]                                                      $packages = [],
) {
  package { $packages:
    ensure => installed,
  }

  file { '/etc/motd':
    content => epp('profile/motd.epp', {
        'text' => $motd,
        'host' => $trusted['certname'],
    }),
    mode    => '0644',
  }

  group { 'admins':
    ensure => present,
    gid    => 2000,
  }

  $admins.each |String $name, Hash $account| {
    profile::admin { $name:
      * => $account,
    }
  }
}
