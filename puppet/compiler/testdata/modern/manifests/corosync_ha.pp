# machines: debian-12-x86_64 redhat-9-x86_64
node /^corosync_ha[.]/ {
  class { 'corosync': enable_secauth => true, authkey => 'c2VjcmV0', authkey_source => 'string', bind_address => '10.0.0.0', multicast_address => '239.1.1.2', set_votequorum => true, quorum_members => ['a', 'b'], unicast_addresses => undef, token => 5000 }
  corosync::service { 'pacemaker': version => '0' }
  cs_property { 'stonith-enabled': value => 'false' }
  cs_primitive { 'vip': primitive_class => 'ocf', primitive_type => 'IPaddr2', provided_by => 'heartbeat', parameters => { 'ip' => '10.0.0.100', 'cidr_netmask' => '24' }, operations => { 'monitor' => { 'interval' => '10s' } } }
}
