# machines: debian-12-x86_64 redhat-9-x86_64
node /^ferm_firewall[.]/ {
  class { 'ferm': manage_configfile => true, manage_service => true, ip_versions => ['ip', 'ip6'], input_policy => 'DROP', configdirectory => '/etc/ferm.d' }
  ferm::rule { 'allow-ssh': chain => 'INPUT', action => 'ACCEPT', proto => 'tcp', dport => 22, saddr => ['10.0.0.0/8', '2001:db8::/32'] }
  ferm::rule { 'range': chain => 'INPUT', action => 'REJECT', proto => ['tcp', 'udp'], dport => '1000:2000', interface => 'eth1', table => 'filter' }
  ferm::chain { 'check-ssh': chain => 'SSH', disable_conntrack => true, log_dropped_packets => true }
  ferm::ipset { 'INPUT': sets => { 'office' => 'ACCEPT', 'internet' => 'DROP' } }
}
