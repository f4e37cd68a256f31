# machines: debian-12-x86_64 redhat-9-x86_64
node /^puppet_server[.]/ {
  class { 'puppet': server => false, agent => true, runmode => 'cron', splay => true, additional_settings => { 'show_diff' => true }, agent_additional_settings => { 'x' => 'y' }, dns_alt_names => ['a', 'b'], hiera_config => '/h', environment => 'prod', usecacheonfailure => false, agent_server_hostname => 'p.example.com', runinterval => 900 }
  puppet::config::main { 'a': value => ['x', 'y'] }
  puppet::config::agent { 'b': value => true }
}
