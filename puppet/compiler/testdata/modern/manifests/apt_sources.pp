# machines: debian-12-x86_64 ubuntu-24.04-x86_64
node /^apt_sources[.]/ {
  class { 'apt':
    update  => { 'frequency' => 'daily', 'loglevel' => 'debug' },
    purge   => { 'sources.list' => true, 'sources.list.d' => true, 'preferences.d' => true },
    proxy   => { 'host' => 'proxy.example.com', 'port' => 8080, 'https' => true, 'ensure' => 'file' },
    pins    => { 'stable' => { 'priority' => 990, 'release' => 'stable' } },
    settings => { 'conf-x' => { 'content' => 'APT::X "1";' } },
    auth_conf_entries => [{ 'machine' => 'apt.example.com', 'login' => 'u', 'password' => 'p' }],
  }
  include apt::backports
  apt::source { 'vendor':
    comment  => 'from the vendor',
    location => 'https://apt.example.com/debian',
    release  => 'stable',
    repos    => 'main contrib',
    pin      => { 'priority' => 700, 'origin' => 'apt.example.com' },
    key      => { 'name' => 'vendor.gpg', 'source' => 'https://apt.example.com/key.gpg' },
    include  => { 'src' => true, 'deb' => true },
    architecture => 'amd64,arm64',
    allow_unsigned => false,
  }
  apt::source { 'deb822':
    source_format => 'sources',
    location => ['https://a.example.com', 'https://b.example.com'],
    types    => ['deb', 'deb-src'],
    repos    => ['main', 'extra'],
    release  => ['one'],
    keyring  => '/etc/apt/keyrings/v.gpg',
  }
  apt::pin { 'kernel': packages => ['linux-image-amd64', 'linux-headers-amd64'], version => '6.1*', priority => 1001, explanation => 'as tested' }
  apt::conf { 'norecommends': priority => 10, content => 'APT::Install-Recommends "0";' }
  apt::mark { 'vim': setting => 'hold' }
  apt::keyring { 'other.asc': content => 'KEY' }
  apt::key { 'old': id => '6F6B15509CF8E59E6E469F327F438280EF8D349F', server => 'keyserver.example.com', options => 'http-proxy="x"' }
}
