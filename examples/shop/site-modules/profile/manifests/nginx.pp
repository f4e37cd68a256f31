# The web server, as every web machine has it.
#
# @param port
#   Where it listens.
# @param workers
#   How many processes it starts; one for each processor unless told otherwise.
# @param conf_mode
#   Mode of every configuration file.
# @param user
#   The account that it runs as.
class profile::nginx (
  Integer[1, 65535] $port      = 80,
  Integer[1]        $workers   = $facts['processors']['count'],
  Profile::Mode     $conf_mode = '0644',
  String            $user      = 'www-data',
) {
  package { 'nginx':
    ensure => installed,
  }

  file { '/etc/nginx/nginx.conf':
    ensure  => file,
    mode    => $conf_mode,
    content => epp('profile/nginx.conf.epp', { 'user' => $user, 'workers' => $workers }),
    require => Package['nginx'],
    notify  => Service['nginx'],
  }

  service { 'nginx':
    ensure  => running,
    enable  => true,
    require => Package['nginx'],
  }

  file { '/etc/nginx/conf.d/gzip.conf':
    mode    => '0644',
    content => "gzip on;\ngzip_types text/css application/json;\n",
    require => Package['nginx'],
  }
}
