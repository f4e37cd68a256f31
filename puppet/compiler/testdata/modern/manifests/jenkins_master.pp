# machines: debian-12-x86_64 redhat-9-x86_64
node /^jenkins_master[.]/ {
  class { 'jenkins': version => 'latest', lts => true, repo => true, config_hash => { 'JENKINS_PORT' => { 'value' => '9090' } }, executors => 4, plugin_hash => { 'git' => { 'version' => '4.0' } }, install_java => false, port => 9090 } 
  jenkins::plugin { 'ldap': version => '1.0' }
  jenkins::user { 'me': email => 'm@example.com', password => 'pw', full_name => "M E" }
  jenkins::job { 'build': config => '<xml/>' }
  jenkins::credentials { 'c': password => '', private_key_or_path => '/k' }
}
