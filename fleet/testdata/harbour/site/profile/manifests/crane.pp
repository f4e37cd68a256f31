class profile::crane (
  Integer $load = lookup('crane_load'),
  Array[String] $chains = lookup('crane_chains', Array[String], 'unique'),
) {
  class { 'harbour':
    light => 'red',
  }
  $weights = $chains.map |$i, $c| { "${i}:${c}" }
  file { '/etc/crane.conf':
    content => inline_epp('load <%= $load %>, chains <%= $weights.join(",") %>', {
      'load' => $load, 'weights' => $weights }),
    require => Class['harbour'],
  }
  exec { '/usr/sbin/crane-test':
    refreshonly => true,
    subscribe   => File['/etc/crane.conf'],
  }
  @user { 'operator':
    ensure => present,
    tag    => 'staff',
  }
}
