# machines: debian-12-x86_64 redhat-9-x86_64
node /^accounts_hiera[.]/ {
  $users = lookup('site::users', Hash, 'deep', {})
  $users.each |$name, $data| { accounts::user { $name: * => $data + { 'comment' => "made of ${facts['os']['family']}" } } }
  class { 'motd': content => lookup('motd::text'), issue_content => "x\n" }
  include ntp
  create_resources('sudo::conf', lookup('sudo::rules'), { 'priority' => 60 })
  include sudo
}
