# The harbour's own.
class harbour (
  Enum['white', 'red', 'green'] $light,
  Hash[String, Harbour::About] $ships,
  String $watch = $facts['os']['family'] ? { 'Debian' => 'cron', default => 'crond' },
) {
  contain harbour::log
  $ships.each |$name, $about| {
    harbour::ship { $name:
      depth => $about['depth'],
      flag  => $about['flag'],
    }
  }
  file { '/etc/harbour.conf':
    content => template('harbour/harbour.conf.erb'),
    notify  => Service[$watch],
  }
  service { $watch:
    ensure => running,
  }
}
