# Says hello to who logs in.
class motd (
  String $greeting,
) {
  $package = $facts['osfamily'] ? {
    'Debian' => 'update-motd',
    default  => 'motd',
  }
  package { $package: ensure => installed }
  file { '/etc/motd':
    content => template('motd/motd.erb'),
  }
}
