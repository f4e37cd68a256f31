# The web server itself.
class web (Integer $port = 80) {
  file { '/etc/web.conf':
    content => "listen ${port}\n",
  }
}
