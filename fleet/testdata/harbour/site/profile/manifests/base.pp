# @param admins who may log in
# @param greeting what they read then
class profile::base (
  Hash[String, Hash] $admins = {},
  String $greeting = 'welcome',
  Array[String] $packages = ['vim'],
  Integer[0] $patience = 10,
) {
  $where = $facts['quays'] ? {
    undef   => 'ashore',
    default => $facts['quays'].join(' and '),
  }
  file { '/etc/motd':
    content => epp('profile/motd.epp', { 'greeting' => $greeting, 'where' => $where }),
    mode    => '0644',
  }
  ensure_packages_of($packages)
  $admins.each |$name, $about| {
    profile::admin { $name:
      * => $about,
    }
  }
  if $patience > 20 {
    notify { 'this takes long': }
  } else {
    file { '/etc/patience':
      content => "${patience}\n",
    }
  }
  tidy { '/var/tmp/berths':
    age     => '2d',
    recurse => 1,
  }
  User <| tag == 'staff' |> {
    shell => lookup('staff_shell', String, 'first', '/bin/sh'),
  }
}
