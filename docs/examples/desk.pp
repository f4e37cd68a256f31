class desk ($printer = true, Sensitive[String] $pin = Sensitive('4711')) {
  if $printer {
    service { 'cups': ensure => running }
  } elsif $facts['kernel'] == 'Linux' {
    service { 'lpd': ensure => running }
  }
  @user { 'guest': ensure => present }
  file { '/etc/pin': content => $pin }
  file { '/etc/hint': content => "the pin is ${pin.unwrap}" }
}
include desk
