# machines: debian-12-x86_64 redhat-9-x86_64
node /^openvpn_server[.]/ {
  class { 'openvpn': autostart_all => true }
  openvpn::server { 'winterthur': country => 'CH', province => 'ZH', city => 'W', organization => 'example.org', email => 'root@example.org', server => '10.200.200.0 255.255.255.0', push => ['route 10.0.0.0 255.0.0.0', 'dhcp-option DNS 10.0.0.53'], tls_auth => true, extca_enabled => false, ipp => true, keepalive => '10 120', verb => '3', c2c => true, custom_options => { 'this' => 'that', 'flag' => '' } }
  openvpn::client { 'client1': server => 'winterthur', remote_host => 'vpn.example.com', compression => 'comp-lzo' }
  openvpn::client_specific_config { 'client1': server => 'winterthur', ifconfig => '10.200.200.50 10.200.200.51', route => ['10.200.200.50 255.255.255.255'], dhcp_options => ['DNS 8.8.8.8'] }
  openvpn::revoke { 'client1': server => 'winterthur' }
}
