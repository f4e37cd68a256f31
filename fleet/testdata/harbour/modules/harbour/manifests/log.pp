class harbour::log {
  $size = 5 * 1024
  file { '/var/log/harbour':
    ensure => directory,
    mode   => '0750',
  }
  -> file { '/etc/logrotate.d/harbour':
    content => "/var/log/harbour/*.log {\n  size ${size}\n}\n",
  }
}
