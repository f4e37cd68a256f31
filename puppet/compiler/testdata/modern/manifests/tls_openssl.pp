# machines: debian-12-x86_64 redhat-9-x86_64 freebsd-14-x86_64
node /^tls_openssl[.]/ {
  openssl::certificate::x509 { 'host': ensure => present, country => 'DE', organization => 'Example', commonname => $facts['networking']['fqdn'], state => 'B', locality => 'C', unit => 'U', altnames => ['a.example.com', 'b.example.com'], extkeyusage => ['serverAuth'], email => 'x@example.com', days => 3456, base_dir => '/var/www/ssl', owner => 'www', group => 'www', password => 'j', force => false }
  openssl::dhparam { '/etc/dh.pem': size => 4096, fastmode => true }
  openssl::export::pkcs12 { 'foo': basedir => '/p', pkey => '/k', cert => '/c', in_pass => 'i', out_pass => "it's", chaincert => '/ch' }
  openssl::export::pem_cert { '/e.pem': pfx_cert => '/x.pfx', in_pass => 'p' }
  openssl::export::pem_key { '/k.pem': pfx_cert => '/x.pfx', out_pass => 'q' }
}
