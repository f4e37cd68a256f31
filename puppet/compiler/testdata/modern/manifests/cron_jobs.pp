# machines: debian-12-x86_64 redhat-9-x86_64 freebsd-14-x86_64
node /^cron_jobs[.]/ {
  include cron
  cron::job { 'backup': minute => '40', hour => '2', user => 'root', command => 'mysqldump x', environment => ['MAILTO=root', 'PATH="/bin"'], description => 'dump' }
  cron::job::multiple { 'test': jobs => [{ 'minute' => '55', 'hour' => '5', 'user' => 'rmueller', 'command' => '/usr/bin/uname', 'description' => 'd' }, { 'command' => '/bin/s', 'special' => 'reboot' }], environment => ['A=b'] }
  cron::hourly { 'h': minute => 20, command => 'x' }
  cron::daily { 'd': minute => '1', hour => '3', command => 'y', user => 'nobody' }
  cron::weekly { 'w': weekday => '0', minute => '1', hour => '4', command => 'w' }
  cron::monthly { 'm': date => '20', minute => '1', hour => '7', command => 'find' }
  cron::job { 'gone': ensure => 'absent' }
}
