# machines: debian-12-x86_64 redhat-9-x86_64 freebsd-14-x86_64
node /^dhcp_server[.]/ {
  class { 'dhcp': service_ensure => running, dnsdomain => ['example.com', '1.0.10.in-addr.arpa'], nameservers => ['10.0.1.20'], ntpservers => ['us.pool.ntp.org'], interfaces => ['eth0'], pxeserver => '10.0.1.50', pxefilename => 'pxelinux.0', omapi_port => 7911, default_lease_time => 600, logfacility => 'local5', option_code150_label => 'pxegrub', globaloptions => ['x code 252 = text'], dhcp_classes => { 'c' => { 'parameters' => 'match if x' } } }
  dhcp::pool { 'ops': network => '10.0.1.0', mask => '255.255.255.0', range => ['10.0.1.10 10.0.1.50', '10.0.1.200 10.0.1.250'], gateway => '10.0.1.1', options => ['a b', 'c d'], parameters => 'max-lease-time 1' }
  dhcp::ignoredsubnet { 'eth0': network => '10.0.0.0', mask => '255.255.255.0' }
  dhcp::host { 'server1': comment => 'first', mac => '00:50:56:00:00:01', ip => '10.0.1.51', options => { 'routers' => '10.0.1.1', 'domain-name' => '"x"' } }
  dhcp::host { 'server2': mac => '00:50:56:00:00:02', ignored => true }
  dhcp::sharednetwork { 's': parameters => ['authoritative'] }
}
