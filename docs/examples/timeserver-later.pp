# Alice's defaults, for everybody
class a {
  $ts = 'ts.unreliable.com'
}

# Bob's machines
class b inherits a {
  # $ts = 'sales.widget.com'
  file { '/etc/ntp.conf':
    content => "server ${ts}\n",
  }
}

include b
