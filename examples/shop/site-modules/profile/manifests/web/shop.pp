# The shop itself, behind nginx.
#
# @param hosts
#   Names that it answers to, each with the directory of its pages.
# @param backends
#   Application servers: name => address.
class profile::web::shop (
  Hash[String, String]                        $hosts,
  Hash[String, Pattern[/\A[\w.-]+:[0-9]+\z/]] $backends = {},
) {
  include profile::nginx

  $listen = profile::listen($profile::nginx::port)

  $hosts.each |$host, $root| {
    file { $root:
      ensure => directory,
      mode   => '0755',
    }
    file { "/etc/nginx/conf.d/${host}.conf":
      mode    => $profile::nginx::conf_mode,
      content => epp('profile/shop.conf.epp', {
          'host'     => $host,
          'root'     => $root,
          'listen'   => $listen,
          'backends' => $backends,
      }),
      require => Package['nginx'],
    }
    ~> Service['nginx']
  }

  if $facts['os']['family'] == 'Debian' {
    # Debian ships a site of its own; ours is the only one.
    file { '/etc/nginx/sites-enabled/default':
      ensure  => absent,
      require => Package['nginx'],
      notify  => Service['nginx'],
    }
  }

  cron { 'rotate-baskets':
    command => '/usr/local/bin/rotate-baskets',
    user    => 'root',
    hour    => fqdn_rand(24, 'baskets'),
    minute  => 0,
  }

  # Where nginx tells the monitoring how it is.
  file { '/etc/nginx/conf.d/status.conf':
    mode    => '0644',
    content => "server { listen 127.0.0.1:8080; location /status { stub_status; } }\n",
    notify  => Service['nginx'],
  }

  # Baskets outlive a restart of the shop.
  exec { 'basket store':
    command => '/bin/mkdir /var/lib/baskets',
  }
}
