# machines: debian-12-x86_64 redhat-9-x86_64
node /^nftables_host[.]/ {
  class { 'nftables': in_ssh => true, out_ntp => false, reject_with => 'icmpx type port-unreachable', in_out_conntrack => true, nat => true, sets => { 'blocked' => { 'type' => 'ipv4_addr', 'flags' => ['interval'], 'elements' => ['10.0.0.0/8'] } }, rules => { 'default_in-extra-50' => { 'content' => 'tcp dport 99 accept' } }, log_limit => '3/minute burst 5 packets' }
  include nftables::rules::http
  include nftables::rules::https
  class { 'nftables::rules::node_exporter': prometheus_server => ['10.0.0.9', 'fe80::1'] }
  nftables::rule { 'default_in-web-10': content => 'tcp dport { 8080, 8081 } accept' }
  nftables::simplerule { 'dns': chain => 'default_in', proto => 'udp', dport => 53, saddr => '10.0.0.0/8', action => 'accept', counter => true, comment => 'dns in' }
  nftables::simplerule { 'range': proto => 'tcp', dport => '1000-2000', action => 'drop', daddr => '@blocked', order => '60' }
  nftables::set { 'ports': type => 'inet_service', elements => ['80', '443'], size => 20, timeout => 5 }
  nftables::chain { 'mychain': }
  nftables::rules::dnat4 { 'web': daddr => '10.0.0.80', port => '80/tcp', dport => 8080 }
  nftables::rules::masquerade { 'out': oif => 'eth0', saddr => '192.168.0.0/16' }
  nftables::config { 'inet-other': content => '# x' }
}
