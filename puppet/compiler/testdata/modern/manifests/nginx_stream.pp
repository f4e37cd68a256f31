# machines: debian-12-x86_64 redhat-9-x86_64
node /^nginx_stream[.]/ {
  class { 'nginx':
    stream        => true,
    mail          => true,
    manage_repo   => true,
    package_source => 'nginx-stable',
    dynamic_modules => ['/usr/lib/nginx/modules/ngx_stream_module.so'],
  }
  nginx::resource::upstream { 'dns':
    context => 'stream',
    members => { '10.0.0.53' => { 'port' => 53 }, 'other' => { 'server' => '10.0.1.53', 'port' => 53 } },
    zone => 'dnszone 64k',
  }
  nginx::resource::streamhost { 'dns': listen_port => 53, listen_options => 'udp', proxy => 'dns' }
  nginx::resource::mailhost { 'mail.example.com':
    auth_http   => 'localhost/cgi-bin/auth',
    protocol    => 'smtp',
    listen_port => 587,
    ssl_port    => 465,
    starttls    => 'only',
    xclient     => 'off',
    ssl         => true,
    ssl_cert    => '/etc/ssl/mail.pem',
    ssl_key     => '/etc/ssl/mail.key',
  }
  nginx::resource::snippet { 'common': raw_content => "gzip on;\n# from ${facts['os']['name']}\n" }
}
