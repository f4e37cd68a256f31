# PostgreSQL with the shop's settings.
#
# @param settings
#   Lines of postgresql.conf; the levels of Hiera are merged.
# @param password
#   Of the account `shop`. Never shown.
class profile::database (
  Hash[String, Variant[String, Integer, Boolean]] $settings,
  Sensitive[String]                               $password,
) {
  $service = $facts['os']['family'] ? {
    'RedHat' => 'postgresql-server',
    default  => 'postgresql',
  }

  package { $service:
    ensure => installed,
    alias  => 'postgresql',
  }

  file { '/etc/postgresql.d':
    ensure => directory,
    mode   => '0750',
  }

  file { '/etc/postgresql.d/shop.conf':
    mode    => '0640',
    content => $settings.map |$key, $value| { "${key} = ${value}\n" }.join,
  }

  file { '/etc/postgresql.d/password': # bunraku:ignore V203 the shop reads it, not the server
    mode    => '0600',
    content => $password,
  }

  service { 'postgresql':
    ensure    => running,
    enable    => true,
    subscribe => File['/etc/postgresql.d/shop.conf'],
  }

  Package['postgresql'] -> File['/etc/postgresql.d'] -> File['/etc/postgresql.d/password'] -> Service['postgresql']
}
