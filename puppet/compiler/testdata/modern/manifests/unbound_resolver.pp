# machines: debian-12-x86_64 redhat-9-x86_64 freebsd-14-x86_64
node /^unbound_resolver[.]/ {
  class { 'unbound': interface => ['::0', '0.0.0.0'], access => ['10.0.0.0/8', '::1'], do_not_query_localhost => false, num_threads => 2, prefetch => true, private_domain => ['home'], custom_server_conf => ['include: "/etc/x.conf"'], forward => { '.' => { 'address' => ['1.1.1.1'] } }, unbound_version => '1.17.0' }
  include unbound::remote
  unbound::stub { 'lan.example.com': address => ['10.0.0.10', '10.0.0.11'], insecure => true }
  unbound::stub { '0.0.10.in-addr.arpa.': address => '10.0.0.53', nameservers => ['ns1.example.com'], no_cache => true }
  unbound::forward { 'example.org': address => ['8.8.8.8', '8.8.4.4'], forward_first => 'yes' }
  unbound::record { 'mysql.example.com': content => '10.0.0.5', ttl => '300', reverse => true }
  unbound::record { 'text': type => 'TXT', content => 'v=1 a', entry => 't.example.com' }
  unbound::localzone { 'ads.example.com': type => 'redirect', local_data => [{ 'name' => 'ads.example.com', 'type' => 'A', 'data' => '127.0.0.1' }, { 'name' => 'x', 'ttl' => 5, 'type' => 'MX', 'data' => '10 m' }] }
}
