# machines: debian-12-x86_64 redhat-9-x86_64 freebsd-14-x86_64
node /^apache_vhosts[.]/ {
  class { 'apache':
    default_vhost => false,
    mpm_module    => 'event',
    server_tokens => 'Prod',
    log_formats   => { 'vhost_common' => '%v %h %l %u %t' },
  }
  include apache::mod::rewrite
  include apache::mod::headers
  class { 'apache::mod::ssl': ssl_protocol => ['all', '-SSLv3', '-TLSv1'], ssl_stapling => true }
  class { 'apache::mod::status': requires => ['ip 127.0.0.1'], extended_status => 'Off' }
  apache::vhost { 'plain':
    servername => 'plain.example.com',
    port       => 80,
    docroot    => '/srv/plain',
    docroot_owner => 'www',
    docroot_group => 'www',
    override   => ['FileInfo', 'AuthConfig'],
    serveraliases => ['a.example.com', 'b.example.com'],
    redirect_source => ['/images', '/downloads'],
    redirect_dest => ['http://img.example.com/', 'http://dl.example.com/'],
    redirect_status => ['temp', 'permanent'],
    directories => [
      { 'path' => '/srv/plain', 'options' => ['Indexes', 'FollowSymLinks'], 'require' => { 'enforce' => 'any', 'requires' => ['ip 10.0.0.0/8', 'host example.org'] } },
      { 'path' => '^/private', 'provider' => 'locationmatch', 'require' => 'all denied', 'headers' => 'set X-Robots-Tag "noindex"' },
      { 'path' => '~*\.(gif|jpe?g)$', 'provider' => 'files', 'expires_active' => 'On' },
    ],
    rewrites => [
      { 'comment' => 'no www', 'rewrite_cond' => ['%{HTTP_HOST} ^www\. [NC]'], 'rewrite_rule' => ['^/(.*)$ http://example.com/$1 [R=301,L]'] },
      { 'rewrite_rule' => ['^/x$ /y', '^/z$ /w'] },
    ],
    headers => ['set A "b"', 'unset C'],
    setenvif => 'Request_URI "\.gif$" image',
    access_log_env_var => '!image',
    aliases => [{ 'alias' => '/icons', 'path' => '/usr/share/icons' }, { 'scriptalias' => '/cgi', 'path' => '/srv/cgi' }],
    custom_fragment => '# by hand',
  }
  apache::vhost { 'secure':
    servername => 'secure.example.com',
    port       => 443,
    docroot    => '/srv/secure',
    ssl        => true,
    ssl_cert   => '/etc/ssl/secure.pem',
    ssl_key    => '/etc/ssl/secure.key',
    ssl_proxyengine => true,
    ssl_honorcipherorder => 'On',
    proxy_preserve_host => true,
    proxy_pass => [
      { 'path' => '/a', 'url' => 'http://a.example.com/', 'params' => { 'retry' => 0, 'timeout' => 5 }, 'reverse_urls' => ['http://a.example.com/', 'http://a2.example.com/'] },
      { 'path' => '/b', 'url' => 'http://b.example.com/', 'no_proxy_uris' => ['/b/static'], 'setenv' => ['proxy-nokeepalive 1'] },
    ],
  }
  apache::custom_config { 'tuning': content => "KeepAlive Off\n", priority => 5 }
}
