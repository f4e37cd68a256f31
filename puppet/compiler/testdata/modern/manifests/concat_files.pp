# machines: debian-12-x86_64 redhat-9-x86_64 freebsd-14-x86_64
node /^concat_files[.]/ {
  concat { '/etc/motd': ensure_newline => true, warn => true, order => 'numeric', owner => 0, mode => '0640' }
  concat::fragment { 'head': target => '/etc/motd', content => "Welcome to ${facts['networking']['hostname']}", order => 1 }
  concat::fragment { 'tail': target => '/etc/motd', source => 'puppet:///modules/ntp/x', order => '99' }
  ['b', 'a', 'c'].each |$i, $x| { concat::fragment { "mid-${x}": target => 'named', content => "${i}${x}", order => 10 + $i } }
  concat { 'named': path => '/etc/named.list', warn => "# ours\n", backup => false, replace => false, format => 'plain' }
  concat { '/etc/data.yaml': format => 'yaml', force => true }
  concat::fragment { 'y1': target => '/etc/data.yaml', content => stdlib::to_yaml({ 'a' => [1, 2.5, true], 'b' => { 'c' => undef } }) }
  concat { '/etc/secret': show_diff => false }
  concat::fragment { 's': target => '/etc/secret', content => Sensitive('hush') }
  concat { '/etc/gone': ensure => absent }
  file_line { 'sysctl': path => '/etc/sysctl.conf', line => 'a=1', match => '^a=' }
  ini_setting { 'one': path => '/etc/x.ini', section => 's', setting => 'k', value => 'v' }
  ini_subsetting { 'two': path => '/etc/x.ini', section => '', setting => 'OPTS', subsetting => '-Xmx', value => '1g' }
}
