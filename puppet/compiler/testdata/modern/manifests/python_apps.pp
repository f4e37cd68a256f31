# machines: debian-12-x86_64 redhat-9-x86_64 ubuntu-24.04-x86_64
node /^python_apps[.]/ {
  class { 'python': version => '3', dev => 'present', venv => 'present', pip => 'latest' }
  python::pyvenv { '/srv/app/venv': ensure => present, version => 'system', owner => 'app', environment => ['A=b'], prompt => 'app' }
  python::pip { 'flask': virtualenv => '/srv/app/venv', ensure => '2.3.0', extras => ['async'], owner => 'app' }
  python::pip { 'fromgit': url => 'git+https://git.example.com/x.git', egg => 'x', install_args => '-e', timeout => 600, environment => ['C=d'] }
  python::requirements { '/srv/app/requirements.txt': virtualenv => '/srv/app/venv', owner => 'app', forceupdate => true, extra_pip_args => '--no-cache' }
  python::dotfile { '/root/.pip/pip.conf': config => { 'global' => { 'index-url' => 'https://pypi.example.com', 'timeout' => 30 }, 'install' => { 'x' => 'y' } } }
}
