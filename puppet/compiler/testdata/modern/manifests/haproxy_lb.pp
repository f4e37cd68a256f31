# machines: debian-12-x86_64 redhat-9-x86_64
node /^haproxy_lb[.]/ {
  class { 'haproxy':
    global_options   => { 'log' => "${facts['networking']['ip']} local0", 'chroot' => '/var/lib/haproxy', 'maxconn' => 4000, 'stats' => ['socket /run/haproxy/admin.sock', 'timeout 30s'] },
    defaults_options => { 'log' => 'global', 'retries' => 3, 'option' => ['redispatch', 'httplog'], 'timeout' => ['http-request 10s', 'queue 1m'] },
    merge_options    => false,
  }
  haproxy::frontend { 'web':
    bind    => { '*:80' => [], '*:443' => ['ssl', 'crt', '/etc/ssl/site.pem'] },
    mode    => 'http',
    options => [{ 'acl' => 'is_api path_beg /api' }, { 'use_backend' => ['api if is_api'] }, { 'default_backend' => 'web' }],
  }
  haproxy::backend { 'web': options => { 'balance' => 'roundrobin', 'option' => ['httpchk GET /'], 'cookie' => 'S insert' }, collect_exported => false }
  haproxy::backend { 'api': mode => 'http', options => [{ 'server' => 'x 10.0.0.9:80' }], collect_exported => false, sort_options_alphabetic => true }
  haproxy::balancermember { 'web': listening_service => 'web', server_names => ['a', 'b'], ipaddresses => ['10.0.0.1', '10.0.0.2'], ports => ['80', '81'], options => 'check', define_cookies => true, weight => 5 }
  haproxy::listen { 'mysql': ipaddress => '10.0.0.5', ports => '3306,3307', options => { 'mode' => 'tcp' }, collect_exported => false }
  haproxy::userlist { 'users': users => ['me insecure-password x'], groups => ['admins users me'] }
  haproxy::mapfile { 'domains': mappings => [{ 'a.example.com' => 'web' }, 'b.example.com api'] }
  haproxy::peers { 'peers': collect_exported => false }
  haproxy::peer { 'p1': peers_name => 'peers', port => 6379, server_names => ['x'], ipaddresses => ['10.0.0.1'] }
  haproxy::resolver { 'dns': nameservers => { 'n1' => '10.0.0.53:53' }, resolve_retries => 3, timeout => { 'retry' => '1s' }, hold => { 'other' => '30s' }, accepted_payload_size => 512 }
  haproxy::defaults { 'second': options => { 'retries' => 7 } }
  haproxy::mailers { 'mailers': collect_exported => false }
  haproxy::mailer { 'm': mailers_name => 'mailers', port => 25, server_names => 'mx', ipaddresses => '10.0.0.25' }
}
