# machines: redhat-9-x86_64
node /^yum_repos[.]/ {
  class { 'yum': managed_repos => [], clean_old_kernels => true, keep_kernel_devel => false, config_options => { 'debuglevel' => 5, 'gpgcheck' => true, 'exclude' => { 'ensure' => 'absent' } }, repos => { 'x' => { 'ensure' => 'present', 'baseurl' => 'https://r.example.com', 'gpgcheck' => true, 'target' => '/etc/yum.repos.d/x.repo' } } }
  yum::versionlock { 'bash': ensure => present, version => '4.1.2', release => '9.el6', arch => 'x86_64', epoch => 0 }
  yum::gpgkey { '/etc/pki/rpm-gpg/K': content => 'KEY' }
  yum::group { 'Development Tools': ensure => present, install_options => ['--enablerepo=e'], timeout => 600 }
  yum::install { 'p': ensure => present, source => 'https://x/p.rpm' }
  yum::plugin { 'fastestmirror': ensure => present }
  yum::copr { 'copart/restic': ensure => 'enabled' }
  yum::config { 'timeout': ensure => 2 }
  yum::post_transaction_action { 'touch': key => 'bash', command => '/bin/touch /x' }
  include epel
}
