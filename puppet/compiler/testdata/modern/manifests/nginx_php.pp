# machines: debian-12-x86_64 ubuntu-24.04-x86_64
node /^nginx_php[.]/ {
  class { 'nginx': confd_purge => true, server_purge => true }
  class { 'php':
    ensure       => latest,
    manage_repos => false,
    fpm          => true,
    composer     => true,
    pear         => false,
    settings     => { 'PHP/max_execution_time' => '90', 'PHP/memory_limit' => '256M', 'Date/date.timezone' => 'Europe/Berlin' },
    extensions   => {
      'bcmath' => {},
      'xmlrpc' => { 'ensure' => 'absent' },
      'memcached' => { 'provider' => 'apt', 'settings' => { 'memcached.sess_lock_wait_max' => 200 } },
      'zip'    => { 'multifile_settings' => true, 'settings' => { 'zip' => { 'a' => 'b' } } },
    },
    fpm_pools    => { 'www' => { 'listen' => '/run/php/www.sock', 'pm' => 'static', 'pm_max_children' => 8,
      'env' => ['PATH'], 'env_value' => { 'A' => 'b' }, 'php_admin_value' => { 'upload_max_filesize' => '20M' } } },
  }
  php::fpm::pool { 'second': user => 'nobody', listen => '127.0.0.1:9001', pm_status_path => '/status' }
  nginx::resource::server { 'blog.example.com':
    www_root       => '/srv/blog',
    index_files    => ['index.php'],
    try_files      => ['$uri', '$uri/', '/index.php?$args'],
    ipv6_enable    => true,
    access_log     => '/var/log/nginx/blog.log long',
    error_log      => ['/var/log/nginx/blog.err warn'],
  }
  nginx::resource::location { 'blog_php':
    server        => 'blog.example.com',
    location      => '~ \.php$',
    fastcgi       => 'unix:/run/php/www.sock',
    fastcgi_param => { 'SCRIPT_FILENAME' => '$document_root$fastcgi_script_name' },
    include       => ['fastcgi_params'],
  }
}
