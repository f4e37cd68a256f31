# machines: debian-12-x86_64 redhat-9-x86_64 freebsd-14-x86_64
node /^nginx_proxy[.]/ {
  class { 'nginx':
    worker_processes   => 4,
    worker_connections => 2048,
    server_tokens      => 'off',
    log_format         => { 'long' => '$remote_addr - "$request" $status' },
    http_cfg_append    => { 'map_hash_bucket_size' => 128 },
    events_use => 'epoll',
  }
  nginx::resource::upstream { 'app':
    members   => {
      'one' => { 'server' => '10.0.0.1', 'port' => 8080, 'weight' => 2 },
      'two' => { 'server' => '10.0.0.2', 'port' => 8080, 'backup' => true },
    },
    keepalive => 16,
  }
  nginx::resource::map { 'backend_pool':
    ensure   => present,
    hostnames => true,
    default  => 'pool_a',
    string   => '$http_host',
    mappings => [{ 'key' => '*.example.com', 'value' => 'pool_b' }, { 'key' => 'example.org', 'value' => 'pool_c' }],
  }
  nginx::resource::geo { 'inside':
    networks => { '10.0.0.0/8' => 'yes', '192.168.0.0/16' => 'yes' },
    default  => 'no',
    proxies  => ['10.9.9.9'],
  }
  nginx::resource::server { 'www.example.com':
    listen_port          => 443,
    ssl                  => true,
    ssl_cert             => '/etc/ssl/www.pem',
    ssl_key              => '/etc/ssl/www.key',
    proxy                => 'http://app',
    proxy_set_header     => ['Host $host', 'X-Real-IP $remote_addr'],
    add_header           => { 'X-Frame-Options' => 'DENY', 'Strict-Transport-Security' => { 'max-age=63072000' => 'always' } },
    locations            => {
      'static' => { 'location' => '/static', 'www_root' => '/srv/static', 'expires' => '30d' },
      'deny'   => { 'location' => '~ /\.ht', 'location_deny' => ['all'], 'index_files' => [] },
    },
    rewrite_rules        => ['^/old/(.*)$ /new/$1 permanent'],
    location_cfg_append  => { 'proxy_next_upstream' => 'error timeout' },
  }
  nginx::resource::location { 'api':
    server      => 'www.example.com',
    ssl         => true,
    ssl_only    => true,
    location    => '/api',
    proxy       => 'http://app/api',
    proxy_redirect => 'off',
    priority    => 450,
  }
}
