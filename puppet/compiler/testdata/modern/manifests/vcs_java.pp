# machines: debian-12-x86_64 redhat-9-x86_64
node /^vcs_java[.]/ {
  class { 'java': distribution => 'jre', version => 'latest' }
  vcsrepo { '/srv/a': ensure => latest, provider => git, source => { 'origin' => 'https://g/a.git', 'fork' => 'https://g/b.git' }, remote => 'fork', revision => 'main', submodules => false, require => Class['java'] }
  java_ks { 'broker:/etc/ks.jks': ensure => latest, certificate => '/c', private_key => '/k', password => Sensitive('puppet'), trustcacerts => true }
  java::adoptium { 'jdk17': ensure => present, version_major => '17', version_minor => '0', version_patch => '1', version_build => '12', basedir => '/custom', proxy_server => 'http://p' }
}
