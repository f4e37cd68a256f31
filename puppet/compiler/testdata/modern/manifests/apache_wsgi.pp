# machines: debian-12-x86_64 redhat-9-x86_64
node /^apache_wsgi[.]/ {
  class { 'apache': mpm_module => false, default_mods => ['alias', 'mime', 'dir'], purge_configs => true }
  class { 'apache::mod::worker': startservers => 4, maxrequestworkers => 300, serverlimit => 30 }
  class { 'apache::mod::wsgi': wsgi_socket_prefix => '/run/wsgi' }
  apache::balancer { 'pool':
    collect_exported => false,
    proxy_set        => { 'stickysession' => 'ROUTE', 'lbmethod' => 'byrequests' },
  }
  apache::balancermember { 'one': balancer_cluster => 'pool', url => 'http://10.0.0.1:9000', options => ['ping=5', 'route=one'] }
  apache::balancermember { 'two': balancer_cluster => 'pool', url => 'http://10.0.0.2:9000' }
  apache::vhost { 'wsgi.example.com':
    port                        => 8080,
    docroot                     => '/srv/wsgi',
    manage_docroot              => false,
    wsgi_application_group      => '%{GLOBAL}',
    wsgi_daemon_process         => { 'wsgi' => { 'processes' => 2, 'threads' => 15, 'display-name' => '%{GROUP}' } },
    wsgi_process_group          => 'wsgi',
    wsgi_script_aliases         => { '/' => '/srv/wsgi/app.py' },
    wsgi_pass_authorization     => 'On',
    proxy_dest                  => 'balancer://pool',
    add_listen                  => false,
    ip                          => ['10.0.0.10', '10.0.0.11'],
    ip_based                    => true,
    error_documents             => [{ 'error_code' => '503', 'document' => '/down.html' }],
    request_headers             => ['append MirrorID "mirror 12"'],
    limitreqfieldsize           => 54321,
    allow_encoded_slashes       => 'nodecode',
    block                       => 'scm',
    fallbackresource            => '/index.html',
    additional_includes         => '/etc/extra',
  }
  apache::listen { '8080': }
  apache::mod { 'allowmethods': }
}
