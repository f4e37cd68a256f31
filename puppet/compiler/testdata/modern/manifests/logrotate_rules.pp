# machines: debian-12-x86_64 redhat-9-x86_64
node /^logrotate_rules[.]/ {
  class { 'logrotate':
    config => { 'dateext' => true, 'compress' => true, 'rotate' => 10, 'ifempty' => false },
    rules  => { 'hash' => { 'path' => '/var/log/hash.log', 'rotate' => 3, 'rotate_every' => 'day' } },
    manage_cron_hourly => true,
  }
  logrotate::rule { 'messages':
    path         => '/var/log/messages',
    rotate       => 5,
    rotate_every => 'week',
    postrotate   => ['/usr/bin/killall -HUP syslogd', 'true'],
    su           => true, su_user => 'root', su_group => 'adm',
    create       => true, create_mode => '0640', create_owner => 'root', create_group => 'adm',
  }
  logrotate::rule { 'many':
    path => ['/var/log/a/*.log', '/var/log/b.log'], size => '100k', copytruncate => true, missingok => true,
    delaycompress => true, compress => true, sharedscripts => true, prerotate => 'x', olddir => '/var/log/old', maxage => 30, rotate_every => 'hourly',
    custom_cfg => ['hello'],
  }
  logrotate::conf { '/etc/logrotate.other': rotate => 1, rotate_every => 'month' }
}
