class web(Integer $port = 80, Array[String] $vhosts = []) {
  if $facts['os']['selinux']['enabled'] {
    include web::selinx
  }
  file { '/etc/web.conf':
    content => template('web/web.conf.erb'),
  }
}
