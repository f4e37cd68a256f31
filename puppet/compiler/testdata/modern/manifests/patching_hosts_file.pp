# machines: debian-12-x86_64 freebsd-14-x86_64
node /^patching_hosts_file[.]/ {
  host { 'db': ip => '10.0.0.5', host_aliases => ['d', 'db1'], comment => 'c' }
  mount { '/srv': ensure => mounted, device => '/dev/sdb1', fstype => 'ext4', options => 'noatime', dump => 1, pass => 2 }
  cron { 'c': command => '/bin/c', hour => [1, 2], minute => '*/5', special => absent, environment => ['A=b'] }
  sshkey { 'k@ssh-rsa': key => 'AAAA', host_aliases => ['10.0.0.5'] }
  ssh_authorized_key { 'me': user => 'root', type => 'ssh-ed25519', key => 'AAAA', options => ['no-pty'] }
  mailalias { 'root': recipient => ['a', 'b'] }
  augeas { 'x': context => '/files/etc/x', changes => ['set a b', 'rm c'], onlyif => 'match a size == 0' }
  sysctl { 'net.ipv4.ip_forward': ensure => present, value => '1', comment => 'fwd' }
  shellvar { 'A': ensure => present, target => '/etc/default/x', value => ['a', 'b'], array_append => true }
}
