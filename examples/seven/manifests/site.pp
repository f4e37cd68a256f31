node default {
  include motd

  file { '/etc/limits':
    content => String($::processorcount * '64'),
  }
}
