# machines: debian-12-x86_64 redhat-9-x86_64
node /^firewall_rules[.]/ {
  class { 'firewall': ensure => running }
  resources { 'firewall': purge => true }
  firewallchain { 'LOCAL_INPUT:filter:IPv4': ensure => present, policy => undef }
  firewall { '000 established': proto => 'all', state => ['RELATED', 'ESTABLISHED'], jump => 'accept' }
  firewall { '100 web': dport => [80, 443], proto => 'tcp', jump => 'accept', source => '10.0.0.0/8', iniface => 'eth0' }
  firewall { '200 nat': table => 'nat', chain => 'POSTROUTING', jump => 'MASQUERADE', outiface => 'eth1', proto => 'all' }
  firewall { '300 limit': chain => 'LOCAL_INPUT', proto => 'icmp', icmp => '8', limit => '10/sec', burst => 5, jump => 'accept' }
  firewall { '999 drop': proto => 'all', jump => 'drop', before => undef, protocol => 'ip6tables' }
}
