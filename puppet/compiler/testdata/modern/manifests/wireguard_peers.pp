# machines: debian-12-x86_64 redhat-9-x86_64
node /^wireguard_peers[.]/ {
  class { 'wireguard': }
  wireguard::interface { 'as1234': source_addresses => ['10.0.0.1', '2001:db8::1'], public_key => 'BcxLll1BVxGQ5DeijroesjroiesjrjvX+EBhS4vcDn0R0=', endpoint => 'wg.example.com:53668', addresses => [{ 'Address' => '192.168.123.6/30' }, { 'Address' => 'fe80::beef:1/64' }], dport => 1234, manage_firewall => false, private_key => 'aaa', persistent_keepalive => 5, extra_networkd_sections => undef }
}
