# machines: debian-12-x86_64 redhat-9-x86_64
node /^nodejs_npm[.]/ {
  class { 'nodejs': repo_version => '20', npmrc_config => { 'http_proxy' => 'http://p' }, nodejs_dev_package_ensure => 'absent' }
  nodejs::npm { 'express in /srv/app': ensure => '4.18.0', package => 'express', target => '/srv/app', install_options => ['-x'] }
  nodejs::npm { 'from_package': ensure => present, target => '/srv/app', use_package_json => true, user => 'app', home_dir => '/home/app' }
  nodejs::npm::global_config_entry { 'proxy': ensure => present, value => 'http://proxy' }
  package { 'typescript': ensure => present, provider => 'npm' }
}
